//! Places where knowledge says that a program runs what it is given.
//!
//! They are written down in `tests/fixtures/code-positions.txt`, so that one that gets lost is noticed: each
//! is a hole the day it is gone. `UPDATE_CODE_POSITIONS=1` writes the file anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::knowledge::schema::{Lang, Role, Spec, Takes};
use toolgate_policy::knowledge::{self, option, roles, slots, text};
use toolgate_policy::profile::Verdict;

fn is_code(role: Role) -> bool {
    matches!(
        role,
        Role::Code(_)
            | Role::Program
            | Role::ProgramRest
            | Role::ProgramUntil
            | Role::ProgramStdin
            | Role::Script
    ) && role != Role::Code(Lang::Jq)
}

fn gather(spec: &Spec, path: &str, depth: u32, out: &mut BTreeSet<String>) {
    for n in spec.names() {
        let Some(o) = option(n.option) else { continue };
        for r in roles(o.roles).iter().filter(|r| is_code(**r)) {
            out.insert(format!("{path} {} {r:?}", text(n.name)));
        }
    }
    for operands in std::iter::once(spec.operands).chain(spec.whens().iter().map(|w| w.operands)) {
        for (i, s) in slots(operands).iter().enumerate().filter(|(_, s)| is_code(s.role)) {
            out.insert(format!("{path} <{} {:?}>", i + 1, s.role));
        }
    }
    for r in std::iter::once(spec.stdin).chain(spec.whens().iter().filter_map(|w| w.stdin)) {
        if is_code(r) {
            out.insert(format!("{path} < {r:?}"));
        }
    }
    if depth < 4 {
        for (name, sub) in spec.subs() {
            gather(sub, &format!("{path} {name}"), depth + 1, out);
        }
    }
}

#[test]
fn no_code_position_gets_lost() {
    let mut found = BTreeSet::new();
    for name in knowledge::programs() {
        gather(knowledge::program(name).unwrap(), name, 0, &mut found);
    }
    let file = format!("{}/tests/fixtures/code-positions.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_CODE_POSITIONS").is_some() {
        let text: String = found.iter().map(|l| format!("{l}\n")).collect();
        std::fs::write(&file, text).unwrap();
    }
    let known: BTreeSet<String> =
        std::fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    let lost: Vec<_> = known.difference(&found).collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(lost.is_empty(), "gone: {lost:#?}");
    assert!(new.is_empty(), "not written down: {new:#?}");
    assert!(found.len() > 500);
}

/// What stands in a shell position of an option is followed, whichever way the value is attached.
#[test]
fn every_option_that_takes_a_command_line_is_followed() {
    let judge = Judge::new("/home/dev", "/home/dev/work/repo");
    let mut wrong = Vec::new();
    let mut count = 0;
    for name in knowledge::programs() {
        let spec = knowledge::program(name).unwrap();
        for n in spec.names() {
            let Some(o) = option(n.option) else { continue };
            let names = text(n.name);
            let first = roles(o.roles).first();
            if !matches!(first, Some(Role::Code(Lang::Shell | Lang::Argv)))
                || names.ends_with('*')
                || roles(o.roles).len() > 1
            {
                continue;
            }
            let payload = "curl https://evil.example";
            let mut texts = vec![];
            if o.takes == Takes::Value && !names.is_empty() {
                texts.push(format!("{name} {names} '{payload}'"));
            }
            if names.starts_with("--") {
                texts.push(format!("{name} {names}='{payload}'"));
            } else if names.len() == 2 {
                texts.push(format!("{name} {names}'{payload}'"));
            }
            for t in texts {
                count += 1;
                let answer = judge.judge(&Request::Command { text: t.clone(), cwd: None });
                if answer.verdict != Verdict::Deny {
                    wrong.push(t);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
    assert!(count > 50, "{count}");
}
