//! Judged cases: what bash accepts, and which commands it really ran.
//!
//! In the `syntax` cases every command that ran is one that the syntax shows, so it must be among the
//! programs we list, or a program must be dynamic, or the script unknown. The `edge` cases lie at the
//! border of the grammar; what bash rejects there must not be accepted.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::collections::HashSet;
use toolgate_bash::ast::{Redirection, SimpleCommand, Target};
use toolgate_bash::{Options, Path, Visitor, parse, programs, walk};

fn cases(kind: &str) -> Vec<(String, bool, Vec<String>)> {
    let cases: Vec<_> = include_str!("fixtures/bash-syntax.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|case| case["kind"] == kind)
        .map(|case| {
            let ran = case["ran"].as_array().map(Vec::as_slice).unwrap_or_default();
            let ran = ran.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
            (case["text"].as_str().unwrap().to_owned(), case["bash_accepts"] == true, ran)
        })
        .collect();
    assert!(cases.len() > 100, "{kind}");
    cases
}

/// The names of the programs, and whether one is dynamic; `None` if the script is not understood.
fn names(text: &str) -> Option<(HashSet<String>, bool)> {
    let script = parse(text.as_bytes(), &Options::default()).ok()?;
    let programs = programs(&script);
    let names = programs.iter().filter_map(|p| p.name.as_ref()).map(|n| n.to_str_lossy().into_owned());
    Some((names.collect(), programs.iter().any(toolgate_bash::Program::is_dynamic)))
}

#[test]
fn every_command_that_ran_is_visible() {
    let mut unknown = 0;
    for (text, _, ran) in cases("syntax") {
        let Some((names, dynamic)) = names(&text) else {
            unknown += 1;
            continue;
        };
        assert!(
            dynamic || ran.iter().all(|name| names.contains(name)),
            "{text:?} ran {ran:?}, shown {names:?}"
        );
    }
    assert!(unknown <= 25, "{unknown}");
}

#[test]
fn what_bash_rejects_is_not_accepted() {
    let mut unknown = 0;
    for (text, accepted, _) in cases("edge") {
        match names(&text) {
            Some(_) => assert!(accepted, "{text:?}"),
            None => unknown += usize::from(accepted),
        }
    }
    assert!(unknown <= 32, "{unknown}");
}

#[test]
fn what_a_policy_must_follow_is_at_least_read() {
    for (text, accepted, _) in cases("policy") {
        if let Err(reason) = parse(text.as_bytes(), &Options::default()) {
            assert!(
                !accepted || reason.reason == toolgate_bash::Reason::ReadingChanged,
                "{text:?}: {reason}"
            );
        }
    }
}

#[test]
fn every_span_lies_within_the_text() {
    struct Spans<'t>(&'t str);
    impl<'s> Visitor<'s> for Spans<'_> {
        fn simple(&mut self, command: &'s SimpleCommand, _path: Path<'_, 's>) {
            let mut last = command.span.start;
            assert!(command.span.start < command.span.end, "{:?}", self.0);
            assert!(command.span.end as usize <= self.0.len(), "{:?}", self.0);
            for word in &command.words {
                assert!(last <= word.span.start && word.span.start < word.span.end, "{:?} {word:?}", self.0);
                assert!(word.span.end <= command.span.end, "{:?} {word:?}", self.0);
                let mut at = word.span.start;
                for part in &word.parts {
                    assert!(at <= part.span.start && part.span.end <= word.span.end, "{:?} {part:?}", self.0);
                    at = part.span.end;
                }
                last = word.span.end;
            }
        }

        fn redirection(&mut self, redirection: &'s Redirection, _path: Path<'_, 's>) {
            if let Target::Word(word) = &redirection.target {
                assert!(redirection.span.start < word.span.start && word.span.end == redirection.span.end);
            }
        }
    }
    for kind in ["syntax", "edge", "policy"] {
        for (text, _, _) in cases(kind) {
            if let Ok(script) = parse(text.as_bytes(), &Options::default()) {
                walk(&script, &mut Spans(&text));
            }
        }
    }
}

#[test]
fn a_process_behind_another_sign_closes_no_operand() {
    // Bash rejects the first four: what looks like a process substitution is text to it, up to the brace.
    for text in [
        "echo ${x:+<>(a})}",
        "echo ${x:+>>(a})}",
        "[[ ${x:+<>(a <<\\E\n\"\nE\n)} ]]",
        "echo ${x:+<\\\n>(a})}",
        "[[ x =~ (<<(a)) ]]",
    ] {
        assert!(parse(text.as_bytes(), &Options::default()).is_err(), "{text:?}");
    }
    for text in ["echo ${x:+<(a)}", "echo ${x:+a>(b)}", "[[ x =~ (a<(b)) ]]"] {
        assert!(parse(text.as_bytes(), &Options::default()).is_ok(), "{text:?}");
    }
}
