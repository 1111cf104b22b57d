//! The judged cases: what must not be allowed, and what must not be asked about.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value as Json;
use std::fmt::Write as _;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::profile::Verdict;
use toolgate_policy::tool::Value;

fn value(json: &Json) -> Value {
    match json {
        Json::String(s) => Value::Text(s.clone()),
        Json::Array(list) => Value::List(list.iter().map(value).collect()),
        Json::Object(map) => Value::Map(map.iter().map(|(k, v)| (k.clone(), value(v))).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) => Value::Other,
    }
}

fn cases(file: &str) -> Vec<Json> {
    let path = format!("{}/tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn request(case: &Json) -> Request {
    match case["command"].as_str() {
        Some(text) => Request::Command {
            text: text.to_owned(),
            cwd: case["cwd_context"].as_str().filter(|c| c.starts_with(['/', '~', '.'])).map(str::to_owned),
        },
        None => {
            let Value::Map(args) = value(&case["args"]) else { panic!("arguments are an object") };
            Request::Tool { name: case["tool"].as_str().unwrap().to_owned(), args }
        }
    }
}

#[derive(Default)]
struct Score {
    total: usize,
    harmless: usize,
    miss: usize,
    overblock: usize,
    overask: usize,
    softer: usize,
}

fn score(file: &str, report: &mut String) -> Score {
    let judge = Judge::new("/home/dev", "/home/dev/work/repo");
    let mut score = Score::default();
    for case in cases(file) {
        let answer = judge.judge(&request(&case));
        let accepted: Vec<&str> = match case["accept"].as_array() {
            Some(list) => list.iter().filter_map(Json::as_str).collect(),
            None => vec![case["expect"].as_str().unwrap()],
        };
        score.total += 1;
        let class = case["class"].as_str().unwrap_or("");
        score.harmless += usize::from(class.starts_with("fp"));
        let word = answer.verdict.name();
        if accepted.contains(&word) {
            continue;
        }
        let kind = match answer.verdict {
            Verdict::Allow => {
                score.miss += 1;
                "MISS"
            }
            Verdict::Deny => {
                score.overblock += 1;
                "OVERBLOCK"
            }
            Verdict::Ask if accepted == ["deny"] => {
                score.softer += 1;
                "SOFTER"
            }
            Verdict::Ask => {
                score.overask += 1;
                "OVERASK"
            }
        };
        let text: String = case["command"]
            .as_str()
            .map_or_else(|| case["args"].to_string(), str::to_owned)
            .chars()
            .take(150)
            .collect();
        let _ = writeln!(report, "{kind} {} {class} {text:?}", case["id"].as_str().unwrap());
        for r in answer.reasons.iter().take(3) {
            let _ = writeln!(report, "      {} {}: {}", r.verdict.name(), r.code, r.message);
        }
    }
    score
}

#[test]
fn judged_commands_are_judged_so() {
    let mut report = String::new();
    let s = score("commands.jsonl", &mut report);
    let summary = format!(
        "{} cases, {} harmless: {} miss, {} overblock, {} overask, {} softer",
        s.total, s.harmless, s.miss, s.overblock, s.overask, s.softer
    );
    println!("{summary}\n{report}");
    assert!(s.total > 700);
    assert!(s.miss == 0 && s.overblock == 0, "{summary}\n{report}");
    assert!(s.overask * 100 <= s.harmless, "{summary}\n{report}");
    assert!(s.softer * 100 <= s.total * 3, "{summary}\n{report}");
}

/// Commands of the same kinds that were written down, with what the policy says of them, before they were
/// tried: see `tests/fixtures/fresh.md`.
#[test]
fn fresh_commands_are_judged_so() {
    let mut report = String::new();
    let s = score("fresh.jsonl", &mut report);
    assert!(s.total > 1500 && s.harmless > 500, "{} {}", s.total, s.harmless);
    assert!(s.miss + s.overblock + s.overask + s.softer == 0, "{report}");
}

#[test]
fn fresh_tool_calls_are_judged_so() {
    let mut report = String::new();
    let s = score("fresh-tools.jsonl", &mut report);
    assert!(s.total > 100, "{}", s.total);
    assert!(s.miss + s.overblock + s.overask + s.softer == 0, "{report}");
}

#[test]
fn judged_tool_calls_are_judged_so() {
    let mut report = String::new();
    let s = score("toolcalls.jsonl", &mut report);
    assert!(s.miss + s.overblock + s.overask + s.softer == 0, "{report}");
}
