//! Real commands, where they are at hand: none makes the analysis fail, and few are not understood.
//!
//! The corpus is not part of the project; `TOOLGATE_CORPUS` names its folder. `TOOLGATE_CORPUS_REPORT` prints
//! which programs nothing is known about and which reasons are most frequent.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::profile::Verdict;

#[test]
fn real_commands_are_answered() {
    let Some(folder) = std::env::var_os("TOOLGATE_CORPUS") else {
        println!("skipped: TOOLGATE_CORPUS is not set");
        return;
    };
    let report = std::env::var_os("TOOLGATE_CORPUS_REPORT").is_some();
    let judge = Judge::new("/home/dev", "/home/dev/work/repo");
    for name in ["tldr", "nl2bash", "makefiles", "workflows", "repo_scripts"] {
        let path = std::path::Path::new(&folder).join("commands").join(format!("{name}.jsonl"));
        let text = std::fs::read_to_string(path).unwrap();
        let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let command = case["text"].as_str().unwrap();
            let answer = judge.judge(&Request::Command { text: command.into(), cwd: None });
            *verdicts.entry(answer.verdict.name()).or_default() += 1;
            for r in &answer.reasons {
                match r.message.split_once("nothing is known about `").and_then(|(_, t)| t.split_once('`')) {
                    Some((program, _)) => *unknown.entry(program.to_owned()).or_default() += 1,
                    None if r.verdict == Verdict::Ask && answer.verdict == Verdict::Ask => {
                        *reasons
                            .entry(format!(
                                "{}  <= {}",
                                r.message,
                                command.chars().take(100).collect::<String>()
                            ))
                            .or_default() += 1;
                    }
                    None => {}
                }
            }
        }
        println!("{name}: {verdicts:?}");
        if report {
            let mut list: Vec<_> = unknown.into_iter().collect();
            list.sort_by_key(|e| std::cmp::Reverse(e.1));
            println!(
                "unknown: {}",
                list.iter().take(150).map(|(n, c)| format!("{n}:{c}")).collect::<Vec<_>>().join(" ")
            );
            for (r, _) in reasons
                .iter()
                .filter(|(r, _)| r.contains("not-understood") || r.contains("not known"))
                .take(80)
            {
                println!("   {r:?}");
            }
        }
    }
}
