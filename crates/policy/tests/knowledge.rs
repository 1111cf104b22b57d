//! Every example of every knowledge file holds.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::Path;
use toml::{Table, Value};
use toolgate_policy::analyse::{self, Context, NoLinks};

fn effects_of(command: &str) -> Vec<String> {
    let roots = ["/w".to_owned()];
    let context = Context {
        cwd: "/w",
        home: "/home/u",
        roots: &roots,
        env: &[],
        links: &NoLinks,
        shell: toolgate_bash::Shell::Bash,
    };
    analyse::script(command, &context).effects.iter().map(|e| e.shown()).collect()
}

/// What an example says that does not hold.
fn mistakes(example: &str) -> Option<String> {
    let Some((command, expected)) = example.rsplit_once(" => ") else {
        return Some(format!("`{example}` has no ` => `"));
    };
    let found = effects_of(command);
    let mut wrong = Vec::new();
    for part in expected.split(", ") {
        let part = part.trim().replace(" ~", " /home/u");
        let found_it = |p: &str| {
            found.iter().any(|f| {
                f == p
                    || f.strip_prefix(p).is_some_and(|r| {
                        r.starts_with([' ', '.', '/', ':', '*']) || !p.contains(' ') || p.starts_with("net ")
                    })
            })
        };
        let holds = match part.strip_prefix('!') {
            _ if part == "none" => found.is_empty(),
            Some(p) => !found_it(p),
            None => found_it(&part),
        };
        if !holds {
            wrong.push(part);
        }
    }
    if wrong.is_empty() {
        None
    } else {
        Some(format!("`{command}`\n    expected {}\n    found    {found:?}", wrong.join(", ")))
    }
}

fn examples(table: &Table, out: &mut Vec<String>) {
    if let Some(Value::Array(list)) = table.get("examples") {
        out.extend(list.iter().filter_map(|v| v.as_str().map(str::to_owned)));
    }
    if let Some(Value::Table(subs)) = table.get("sub") {
        for sub in subs.values().filter_map(Value::as_table) {
            examples(sub, out);
        }
    }
}

/// `KB=git,rm` looks at these files only.
#[test]
fn every_example_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kb");
    let only = std::env::var("KB").ok();
    let mut report = String::new();
    let (mut files, mut count) = (0, 0);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|o| !o.split(',').any(|n| n == stem)) {
            continue;
        }
        files += 1;
        let table: Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let mut list = Vec::new();
        examples(&table, &mut list);
        for example in list {
            count += 1;
            if let Some(m) = mistakes(&example) {
                let _ = writeln!(report, "kb/{stem}.toml: {m}");
            }
        }
    }
    assert!(report.is_empty(), "{files} files, {count} examples\n{report}");
    assert!(only.is_some() || count > 50, "the examples were not found");
}
