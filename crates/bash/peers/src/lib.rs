//! What the benchmarks measure: commands, and the parsers behind one function each.

use serde_json::Value;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use toolgate_bash::eval::{self, Env, Unlisted};
use toolgate_bash::{Options, Shell, parse, programs};

/// Parses one text and looks at all of the result.
pub type Run = fn(&str);

/// The parsers by name.
pub const PARSERS: [(&str, Run); 4] = [
    ("toolgate", toolgate),
    ("toolgate, evaluated", evaluate),
    ("shuck", shuck),
    ("tree-sitter", tree_sitter),
];

/// Ours: parse, walk, list the programs.
pub fn toolgate(text: &str) {
    if let Ok(script) = parse(text.as_bytes(), &Options::default()) {
        black_box(programs(&script));
    }
}

/// Ours: parse, and evaluate every word.
pub fn evaluate(text: &str) {
    if let Ok(script) = parse(text.as_bytes(), &Options::default()) {
        let mut env = Env::new(Shell::Bash, Unlisted::Unknown);
        black_box(eval::commands(&script, text.as_bytes(), &mut env));
    }
}

/// shuck-parser: parse only.
pub fn shuck(text: &str) {
    black_box(shuck_parser::parser::Parser::new(text).parse());
}

/// tree-sitter-bash: parse only, with one parser for all texts.
pub fn tree_sitter(text: &str) {
    thread_local! {
        static PARSER: std::cell::RefCell<tree_sitter::Parser> = {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the versions of grammar and library match");
            std::cell::RefCell::new(parser)
        };
    }
    PARSER.with_borrow_mut(|parser| black_box(parser.parse(text, None)));
}

/// Real commands if `TOOLGATE_CORPUS` names their folder, the judged cases otherwise.
pub fn commands() -> Vec<String> {
    let read = |path: &Path| -> Vec<String> {
        let lines = fs::read_to_string(path).expect("the corpus can be read");
        let texts = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
        texts.filter(|case| case["bash_accepts"] == true).filter_map(|case| Some(case["text"].as_str()?.to_owned())).collect()
    };
    match std::env::var_os("TOOLGATE_CORPUS") {
        Some(folder) => ["tldr", "nl2bash", "makefiles", "workflows"]
            .iter()
            .flat_map(|name| read(&Path::new(&folder).join("commands").join(name).with_extension("jsonl")))
            .collect(),
        None => read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/bash-syntax.jsonl")),
    }
}

/// A script of the given size made of the commands.
pub fn long_script(commands: &[String], size: usize) -> String {
    let mut script = String::with_capacity(size);
    for command in commands.iter().cycle() {
        let usable = parse(command.as_bytes(), &Options::default()).is_ok_and(|script| script.here_docs.is_empty());
        if script.len() + command.len() + 1 > size {
            break;
        }
        if usable && !command.ends_with('\\') {
            script.push_str(command);
            script.push('\n');
        }
    }
    script
}
