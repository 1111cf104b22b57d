//! Bash accepts what we accept, and what it prints for a script holds the same commands.
//!
//! `declare -f` prints a function from the tree that bash made. A text that we read differently than bash
//! does shows other commands than what bash prints for it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod oracle;

use oracle::canary::Cage;
use oracle::finds::{self, Find};
use oracle::{Random, bash, scripts, shape};
use serde_json::Value;
use toolgate_bash::ast::{Command, Coproc, Span};
use toolgate_bash::{Options, Path, Step, Visitor, parse, programs, walk};

const BATCH: usize = 500;

/// Compares scripts; gives how many could be compared.
fn check_all(cage: &Cage, texts: &[String], found: &mut Vec<Find>) -> usize {
    let texts: Vec<String> = texts.iter().filter(|text| is_comparable(text)).cloned().collect();
    let mut compared = 0;
    for texts in texts.chunks(BATCH) {
        let reprinted = cage.reprint(texts).expect("bash prints all functions");
        for (text, reprinted) in texts.iter().zip(&reprinted) {
            match compare(text, reprinted) {
                Ok(comparable) => compared += usize::from(comparable),
                Err(why) => found.push(Find { text: text.clone(), why }),
            }
        }
    }
    compared
}

#[test]
fn generated_scripts_have_the_commands_that_bash_prints() {
    let Some(bash) = bash::installed() else { return };
    let seed = oracle::seed();
    println!("TOOLGATE_ORACLE_SEED={seed}");
    let cage = Cage::new(&bash);
    let mut found = Vec::new();
    let mut compared = 0;
    for batch in 0..oracle::batches(BATCH, 6000) {
        let mut random = Random::new(seed.wrapping_add(batch as u64));
        let texts: Vec<String> = (0..BATCH).map(|_| script(&mut random)).collect();
        compared += check_all(&cage, &texts, &mut found);
    }
    println!("{compared} scripts compared");
    finds::report(seed, &found, |text| fails(&cage, text));
    assert!(compared > 1000);
}

#[test]
fn judged_cases_and_real_commands_have_the_commands_that_bash_prints() {
    let Some(bash) = bash::installed() else { return };
    let mut texts: Vec<String> = include_str!("fixtures/bash-syntax.jsonl").lines().map(text_of).collect();
    if let Some(folder) = std::env::var_os("TOOLGATE_CORPUS") {
        for file in std::fs::read_dir(std::path::Path::new(&folder).join("commands")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                texts.extend(std::fs::read_to_string(path).unwrap().lines().map(text_of));
            }
        }
    } else {
        println!("without real commands: TOOLGATE_CORPUS is not set");
    }
    let cage = Cage::new(&bash);
    let mut found = Vec::new();
    let compared = check_all(&cage, &texts, &mut found);
    println!("{compared} scripts compared");
    finds::report(0, &found, |text| fails(&cage, text));
    assert!(compared > 500);
}

fn text_of(line: &str) -> String {
    serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
}

fn script(random: &mut Random) -> String {
    let mut text = scripts::script(random);
    if random.one_in(3) {
        scripts::disturb(random, &mut text);
    }
    text
}

fn fails(cage: &Cage, text: &str) -> bool {
    is_comparable(text)
        && cage.reprint(&[text.to_owned()]).is_some_and(|reprinted| compare(text, &reprinted[0]).is_err())
}

/// Whether a script that we accept can be the body of a function, and is one that bash prints well.
fn is_comparable(text: &str) -> bool {
    /// Finds coprocesses of simple commands, which bash prints with a name that makes another command.
    struct Coprocs(bool);
    impl<'s> Visitor<'s> for Coprocs {
        fn simple(&mut self, _: &'s toolgate_bash::ast::SimpleCommand, path: Path<'_, 's>) {
            let is_simple =
                |step: &Step<'s>| matches!(step, Step::Coproc(Coproc { command: Command::Simple(_), .. }));
            self.0 |= path.iter().any(is_simple);
        }
    }
    let Ok(script) = parse(text.as_bytes(), &Options::default()) else { return false };
    let mut coprocs = Coprocs(false);
    walk(&script, &mut coprocs);
    // A function has a body, and its closing brace cannot be in a comment or a here-document.
    !script.body.items.is_empty()
        && script.here_docs.iter().all(|doc| doc.terminated)
        && !coprocs.0
        && script.reading_changes.is_empty()
        // Bash prints them without the dollar sign, or decoded.
        && !text.contains("$\"")
        && !text.contains("\\x{")
        && !text.ends_with('\\')
}

/// Compares a script with what bash prints for it; gives whether that could be read.
fn compare(text: &str, reprinted: &str) -> Result<bool, String> {
    if reprinted.is_empty() {
        return Err("bash does not accept it".into());
    }
    // Bash does not print everything so that it could be read again.
    let Some(theirs) = names(reprinted) else { return Ok(false) };
    let ours = names(text).unwrap();
    // It prints some here-documents in the wrong place.
    if text.contains("<<") && bodies(text) != bodies(reprinted) {
        return Ok(false);
    }
    // It loses a semicolon behind a here-document at times, and prints the next command as arguments.
    let lost = text.contains("<<") && theirs.iter().all(|name| ours.contains(name));
    if ours == theirs || lost {
        Ok(true)
    } else {
        Err(format!("{ours:?} are not {theirs:?} of {reprinted:?}"))
    }
}

/// The bodies of all here-documents, sorted.
fn bodies(text: &str) -> Option<Vec<String>> {
    let options = Options { max_bytes: u32::MAX, max_depth: 80, ..Options::default() };
    let script = parse(text.as_bytes(), &options).ok()?;
    let mut bodies: Vec<_> = script.here_docs.iter().map(|doc| shape::word_shape(&doc.body)).collect();
    bodies.sort();
    Some(bodies)
}

/// The names of the programs as they stand, sorted: bash prints redirections behind words. What a variable
/// holds is certain in a script and not in a function.
fn names(text: &str) -> Option<Vec<Option<String>>> {
    let options = Options { max_bytes: u32::MAX, max_depth: 80, ..Options::default() };
    let script = parse(text.as_bytes(), &options).ok()?;
    let stands = |span: Span| {
        let word = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let variable = word.trim_start_matches('"').strip_prefix('$');
        !variable.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || "_{".contains(c)))
    };
    let programs = programs(&script).into_iter();
    let mut names: Vec<_> = programs
        .map(|p| p.name.filter(|_| stands(p.span)).map(|name| name.to_str_lossy().into_owned()))
        .collect();
    names.sort();
    Some(names)
}
