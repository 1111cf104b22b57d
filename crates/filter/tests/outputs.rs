//! Outputs of many tools, and the facts an engineer needs of each: every fact must be shown.
//!
//! A file of `outputs/` is a command line (`$ …`), its exit status (`? …`), what it wrote, and the
//! facts, one a line: text that must be shown, or a pattern behind `re:`. Alternatives are divided by
//! ` || `.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use regex::Regex;
use std::path::PathBuf;
use toolgate_filter::{CaptureOptions, Catalog, Filtered, filter_captured, strip_ansi};

#[derive(Default)]
struct Output {
    name: String,
    command: String,
    exit: i32,
    stdout: String,
    stderr: String,
    facts: Vec<String>,
}

fn read(path: &std::path::Path) -> Output {
    let text = std::fs::read_to_string(path).unwrap();
    let mut output =
        Output { name: path.file_stem().unwrap().to_str().unwrap().to_owned(), ..Output::default() };
    let mut part = "";
    for line in text.split_inclusive('\n') {
        match (part, line.trim_end_matches('\n')) {
            (_, "--- stdout") => part = "stdout",
            (_, "--- stderr") => part = "stderr",
            (_, "--- facts") => part = "facts",
            ("", bare) if bare.starts_with("$ ") => output.command = bare[2..].to_owned(),
            ("", bare) if bare.starts_with("? ") => output.exit = bare[2..].parse().unwrap(),
            ("stdout", _) => output.stdout.push_str(line),
            ("stderr", _) => output.stderr.push_str(line),
            ("facts", bare) => output.facts.push(bare.to_owned()),
            (_, other) => panic!("{}: {other}", output.name),
        }
    }
    output
}

fn outputs() -> Vec<Output> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/outputs");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn run(output: &Output) -> Filtered {
    let (out, err) = (output.stdout.as_bytes(), output.stderr.as_bytes());
    filter_captured(&Catalog::built_in(), &output.command, output.exit, out, err, CaptureOptions::default())
}

fn holds(fact: &str, text: &str) -> bool {
    fact.split(" || ").any(|one| match one.strip_prefix("re:") {
        Some(pattern) => Regex::new(&format!("(?im){pattern}")).unwrap().is_match(text),
        None => text.contains(one),
    })
}

#[test]
fn every_fact_of_every_output_is_shown_and_none_grows() {
    let mut wrong = Vec::new();
    let (mut raw, mut shown) = (0, 0);
    for output in outputs() {
        let whole = strip_ansi(&format!("{}{}", output.stdout, output.stderr));
        let done = run(&output);
        for fact in &output.facts {
            assert!(holds(fact, &whole), "{}: `{fact}` was never said", output.name);
            if !holds(fact, &done.text) {
                wrong.push(format!("{}: lost `{fact}`\n{}", output.name, done.text));
            }
        }
        assert_eq!(done.exit, output.exit);
        assert!(done.filtered_tokens <= done.raw_tokens, "{} grew", output.name);
        raw += done.raw_tokens;
        shown += done.filtered_tokens;
    }
    assert!(wrong.is_empty(), "{} facts lost\n{}", wrong.len(), wrong.join("\n"));
    assert!(shown * 4 < raw * 3, "too little is saved: {shown} of {raw} tokens are shown");
}
