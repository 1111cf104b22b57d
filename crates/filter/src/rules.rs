//! The built-in rules, as static tables.

use crate::packed::List;
use crate::rule::{Match, Origin, Patterns, Rule, Step, Texts};
use crate::shape::Shape;
use std::borrow::Cow;

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Every built-in rule, by name.
#[must_use]
pub fn built_in() -> &'static [Rule] {
    &RULES
}

#[cfg(test)]
pub(crate) mod cases {
    use crate::packed::List;
    use crate::pattern::{Op, Pattern};

    /// The cases of one rule, and its patterns as written and as compiled.
    pub(crate) struct RuleCases {
        pub(crate) name: &'static str,
        pub(crate) patterns: &'static [(&'static str, &'static Pattern)],
        pub(crate) cases: &'static [Case],
    }

    /// One case: a `$ command` line, an optional `? exit` line, then what the command printed.
    pub(crate) struct Case {
        pub(crate) stem: &'static str,
        pub(crate) input: &'static str,
        pub(crate) expected: &'static str,
        pub(crate) folder: &'static str,
    }

    include!(concat!(env!("OUT_DIR"), "/cases.rs"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaptureOptions, Catalog, Filtered, Weight, filter_captured, weigh};

    struct Input<'c> {
        command: &'c str,
        exit: i32,
        stdout: String,
        stderr: String,
    }

    fn read(input: &str) -> Input<'_> {
        let mut lines = input.lines();
        let command = lines.next().and_then(|l| l.strip_prefix("$ ")).unwrap();
        let exit = lines.next().and_then(|l| l.strip_prefix("? ")).unwrap().parse().unwrap();
        let mut input = Input { command, exit, stdout: String::new(), stderr: String::new() };
        let mut err = false;
        for line in lines {
            match line {
                "--- stdout" => err = false,
                "--- stderr" => err = true,
                _ => {
                    let side = if err { &mut input.stderr } else { &mut input.stdout };
                    side.push_str(line);
                    side.push('\n');
                }
            }
        }
        input
    }

    fn run(input: &Input<'_>) -> Filtered {
        let (out, err) = (input.stdout.as_bytes(), input.stderr.as_bytes());
        filter_captured(&Catalog::built_in(), input.command, input.exit, out, err, CaptureOptions::default())
    }

    /// With `UPDATE_RULES=1` the expected files are written anew.
    #[test]
    fn every_rule_does_what_its_cases_show() {
        let mut wrong = Vec::new();
        for rule in &cases::CASES {
            for case in rule.cases {
                let input = read(case.input);
                let done = run(&input);
                assert!(
                    done.rules.iter().any(|r| r == rule.name),
                    "{}/{}: other rules: {:?}",
                    rule.name,
                    case.stem,
                    done.rules
                );
                if done.text != case.expected {
                    if std::env::var_os("UPDATE_RULES").is_some() {
                        std::fs::write(format!("{}/{}.out", case.folder, case.stem), &done.text).unwrap();
                    } else {
                        wrong.push(format!("== {}/{}\n{}", rule.name, case.stem, done.text));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn failing_cases_fail_and_every_statement_of_trouble_in_a_case_is_shown() {
        for rule in &cases::CASES {
            for case in rule.cases {
                let input = read(case.input);
                let done = run(&input);
                for line in input.stdout.lines().chain(input.stderr.lines()) {
                    // What the events of cargo and Go say is shown as text.
                    let event = line.starts_with("{\"reason\":") || rule.name == "go-test-json";
                    if weigh(line) != Weight::Vital || event {
                        continue;
                    }
                    // Of a line of CI, what stands behind job, step and time.
                    let line = if rule.name == "ci-log" {
                        line.split_once("Z ").map_or(line, |(_, text)| text)
                    } else {
                        line
                    };
                    // nextest puts libtest's report of one test around each failure it names itself.
                    if rule.name == "cargo-nextest" && line.starts_with("    test ") {
                        continue;
                    }
                    let shown =
                        done.text.contains(line.trim()) || facts(line).all(|fact| done.text.contains(fact));
                    assert!(shown, "{}/{}: {line}\n{}", rule.name, case.stem, done.text);
                }
            }
        }
    }

    /// What of a line may stand elsewhere in other words: its names and numbers.
    fn facts(line: &str) -> impl Iterator<Item = &str> {
        line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '@')))
            .filter(|word| {
                word.len() > 3 && word.bytes().any(|b| b.is_ascii_digit() || b == b'_' || b == b'.')
            })
            .map(|word| word.trim_matches('.'))
    }

    #[test]
    fn every_rule_says_why_and_names_are_not_used_twice() {
        for (at, rule) in built_in().iter().enumerate() {
            assert!(rule.summary().ends_with('.') && rule.why().ends_with('.'), "{}", rule.name());
            assert!(built_in()[..at].iter().all(|other| other.name() != rule.name()));
        }
    }
}
