//! What we accept, the bash installed here accepts too.
//!
//! The texts are mutations of the judged cases, the same in each run unless `TOOLGATE_SEED` is set.
//! `TOOLGATE_MUTATIONS` makes a run longer.

#![allow(clippy::unwrap_used)]

mod oracle;

use oracle::Random;
use oracle::wraps::WRAPS;
use serde_json::Value;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use toolgate_bash::{Options, parse};

/// Pieces that mutations insert.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "{ ",
    "; }",
    "$(",
    "${",
    "$((",
    "))",
    "((",
    "[[ ",
    " ]]",
    "`",
    "\"",
    "'",
    "\\",
    "$",
    "#",
    " #",
    "\n",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "<",
    ">",
    "<<",
    "<<<",
    "<<E",
    "<<-E",
    "\nE\n",
    "<(",
    ">(",
    ">&",
    "&>",
    ">|",
    "<>",
    "2>",
    "{fd}>",
    "=",
    "+=",
    "=(",
    "x=",
    "x[",
    "[",
    "]",
    "!",
    "! ",
    "time ",
    "time -p ",
    "coproc ",
    "if ",
    "; then ",
    "; fi",
    "; else ",
    "; elif ",
    "while ",
    "; do ",
    "; done",
    "for i in ",
    "for ((",
    "for i",
    "case x in ",
    " esac",
    "x)",
    "in",
    "function f ",
    "f() ",
    "f()",
    "select x in a; do ",
    "\\\n",
    "\t",
    " ",
    "~",
    "*",
    "?",
    "@(",
    "!(",
    "+(",
    "$'",
    "$\"",
    "$[",
    "$x",
    "${x}",
    "${x:-",
    "${x#",
    "${x/",
    "${!x",
    "${#x",
    "${x:1",
    "${x[",
    "$1",
    "$@",
    "a",
    "0",
    "-",
    "--",
    "-f",
    "==",
    "=~",
    "-eq",
    "**",
    "++",
    ",",
    "{a,b}",
    ":",
    "%",
    "E",
    "declare ",
    "eval ",
    "let ",
    "then",
    "do",
    "done",
    "fi",
    "esac",
];

fn mutate(random: &mut Random, texts: &[String]) -> String {
    let mut text: Vec<char> = random.pick(texts).chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(text.len() + 1);
        let to = (at + 1 + random.below(3)).min(text.len());
        match random.below(10) {
            0..=3 => drop(text.splice(at..at, random.pick(PIECES).chars())),
            4 | 5 => drop(text.splice(at..to, random.pick(PIECES).chars())),
            6 => drop(text.drain(at..to)),
            7 => {
                let other: Vec<char> = random.pick(texts).chars().collect();
                let from = random.below(other.len() + 1);
                text.splice(at..at, other[from..].iter().copied());
            }
            _ => {
                let (before, after) = random.pick(WRAPS);
                text.splice(0..0, before.chars());
                text.extend(after.chars());
            }
        }
    }
    text.into_iter().collect()
}

/// Whether bash finds no syntax error. Some of them it only prints.
fn bash_accepts(text: &str) -> Option<bool> {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-n", "-c", "--", text]).env_clear().env("LANG", "C.UTF-8").stdin(Stdio::null());
    let output = bash.output().ok()?;
    let talk = String::from_utf8_lossy(&output.stderr);
    Some(output.status.success() && !talk.contains("syntax error") && !talk.contains("unexpected"))
}

#[test]
fn bash_accepts_what_is_accepted() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seed = number("TOOLGATE_SEED").unwrap_or(1);
    let count = number("TOOLGATE_MUTATIONS").unwrap_or(3000);
    println!("TOOLGATE_SEED={seed}");
    if bash_accepts(":").is_none() {
        println!("skipped: no bash here");
        return;
    }
    let texts: Vec<String> = include_str!("fixtures/bash-syntax.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned())
        .filter(|text| !text.contains('\0'))
        .collect();
    let mut random = Random::new(seed);
    let mut wrong = String::new();
    let mut accepted = 0;
    for _ in 0..count {
        let text = mutate(&mut random, &texts);
        if text.len() < 1000 && parse(text.as_bytes(), &Options::default()).is_ok() {
            accepted += 1;
            if bash_accepts(&text) == Some(false) {
                writeln!(wrong, "{text:?}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "bash rejects (seed {seed}):\n{wrong}");
    assert!(accepted > count / 5, "only {accepted} of {count} mutations were accepted");
}
