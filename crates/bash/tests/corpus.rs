//! Real commands are understood.
//!
//! The corpus is not part of the project; `TOOLGATE_CORPUS` names its folder.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::fs;
use std::path::Path;
use toolgate_bash::{Options, parse, programs};

/// How many texts bash accepts in the given files, and those of them that are unknown to us.
fn judge(folder: &Path, names: &[&str]) -> (usize, Vec<String>) {
    let mut count = 0;
    let mut unknown = Vec::new();
    for name in names {
        let lines = fs::read_to_string(folder.join("commands").join(name).with_extension("jsonl")).unwrap();
        for line in lines.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let text = case["text"].as_str().unwrap();
            let result = parse(text.as_bytes(), &Options::default());
            if case["bash_accepts"] != true {
                assert!(result.is_err(), "bash rejects {text:?}");
                continue;
            }
            count += 1;
            match result {
                Ok(script) => drop(programs(&script)),
                Err(reason) => unknown.push(format!("{} {reason}", case["id"])),
            }
        }
    }
    (count, unknown)
}

#[test]
fn one_real_command_in_a_thousand_may_be_unknown() {
    let Some(folder) = std::env::var_os("TOOLGATE_CORPUS") else {
        println!("skipped: TOOLGATE_CORPUS is not set");
        return;
    };
    let folder = Path::new(&folder);
    let (count, unknown) = judge(folder, &["tldr", "nl2bash", "makefiles", "workflows"]);
    assert!(count > 2000 && unknown.len() * 1000 <= count, "{count}: {unknown:?}");
    let (count, unknown) = judge(folder, &["repo_scripts"]);
    assert!(count > 100 && unknown.len() * 100 <= count, "{count}: {unknown:?}");
}
