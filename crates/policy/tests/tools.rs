//! Calls of tools that are no shell, and of shells with more than a command.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::decide::Policy;
use toolgate_policy::permissions::{PermissionPolicy, PermissionRule};
use toolgate_policy::profile::Verdict::{self, Allow, Ask, Deny};
use toolgate_policy::tool::Value;

fn value(json: &Json) -> Value {
    match json {
        Json::String(s) => Value::Text(s.clone()),
        Json::Array(list) => Value::List(list.iter().map(value).collect()),
        Json::Object(map) => Value::Map(map.iter().map(|(k, v)| (k.clone(), value(v))).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) => Value::Other,
    }
}

fn request(tool: &str, args: &Json) -> Request {
    let Value::Map(args) = value(args) else { panic!("arguments are an object") };
    Request::Tool { name: tool.to_owned(), args }
}

fn judge() -> Judge<'static> {
    Judge::new("/home/dev", "/home/dev/work/repo")
}

fn verdict(tool: &str, args: Json) -> Verdict {
    judge().judge(&request(tool, &args)).verdict
}

#[test]
fn a_call_that_names_no_place_is_not_taken_for_a_harmless_one() {
    for (tool, args) in [
        ("read_file", json!({})),
        ("read_file", json!({ "path": 5 })),
        ("read_file", json!({ "target": { "path": null } })),
        ("write_file", json!({ "content": "x" })),
        ("delete_file", json!({ "paths": [] })),
        ("shell", json!({})),
        ("shell", json!({ "command": 5 })),
        ("shell", json!({ "command": ["ls", 5] })),
        ("shell", json!({ "command": "ls", "cwd": 5 })),
        ("totally_unknown_tool", json!({ "a": 1 })),
    ] {
        assert_ne!(verdict(tool, args.clone()), Allow, "{tool} {args}");
    }
    for (tool, args) in [
        ("list_directory", json!({})),
        ("glob", json!({ "pattern": "**/*.rs" })),
        ("grep", json!({ "pattern": "rm -rf /" })),
        ("todo_write", json!({ "todos": [] })),
        ("edit", json!({ "file_path": "src/a.rs", "old_string": "a", "new_string": "/etc" })),
    ] {
        assert_eq!(verdict(tool, args.clone()), Allow, "{tool} {args}");
    }
}

#[test]
fn where_several_arguments_may_be_meant_the_worst_counts() {
    for args in [
        json!({ "cmd": "ls", "command": "curl https://evil.example" }),
        json!({ "command": "curl https://evil.example", "cmd": "ls" }),
        json!({ "script": ["curl", "evil.example"], "input": "ls" }),
    ] {
        assert_eq!(verdict("shell", args.clone()), Deny, "{args}");
    }
    assert_eq!(verdict("shell", json!({ "command": "ls", "cwd": ".", "workdir": "src" })), Ask);
    assert_eq!(verdict("shell", json!({ "command": "rm -rf .", "cwd": "/" })), Deny);
    assert_eq!(verdict("read_file", json!({ "path": "a", "file": "/home/dev/.ssh/id_rsa" })), Deny);
    assert_eq!(verdict("move_file", json!({ "from": "src/a.rs", "to": "/etc/x" })), Deny);
}

#[test]
fn the_environment_of_a_call_is_judged() {
    for args in [
        json!({ "command": "ls", "env": { "PATH": ".:/usr/bin" } }),
        json!({ "command": "ls", "env": { "LD_PRELOAD": "./x.so" } }),
        json!({ "command": "ls", "env": ["LD_PRELOAD=./x.so"] }),
        json!({ "command": "ls", "environment": "PATH=." }),
        json!({ "command": "git log", "env": { "GIT_PAGER": "curl evil.example" } }),
    ] {
        assert_ne!(verdict("shell", args.clone()), Allow, "{args}");
    }
    assert_eq!(verdict("shell", json!({ "command": "ls", "env": { "TERM": "dumb" } })), Allow);
}

#[test]
fn a_path_is_judged_by_where_it_leads() {
    for path in ["~/.aws/credentials", "src/../../../.ssh/id_rsa", "//home//dev/./.ssh/id_rsa", "/etc/shadow"]
    {
        assert_eq!(verdict("read_file", json!({ "path": path })), Deny, "{path}");
        assert_eq!(verdict("mcp__fs__read", json!({ "path": path })), Deny, "{path}");
    }
    for url in [
        "file:///home/dev/.ssh/id_rsa",
        "file://localhost/home/dev/.ssh/id_rsa",
        "file:/home/dev/.ssh/id_rsa",
    ] {
        assert_eq!(verdict("fetch", json!({ "url": url })), Deny, "{url}");
    }
    assert_eq!(verdict("write_file", json!({ "path": ".git\u{200b}/config", "content": "x" })), Ask);
    assert_eq!(verdict("write_file", json!({ "path": "AGENTS.md", "content": "x" })), Ask);
    assert_ne!(verdict("glob", json!({ "pattern": "../../**/*" })), Allow);
}

#[test]
fn lists_of_patterns_are_about_a_path_in_all_its_spellings() {
    let rule = |pattern: &str, action| PermissionRule { pattern: pattern.to_owned(), action };
    let list = vec![rule("*.env", Deny), rule("/etc/*", Deny), rule("src/*", Allow)];
    let lists = PermissionPolicy::new(BTreeMap::from([("read".to_owned(), list)])).unwrap();
    let judge = judge().by(Policy { lists: vec![lists], ..Policy::default() });
    let read = |path: &str| judge.judge(&request("read", &json!({ "path": path }))).verdict;
    assert_eq!(read("src/main.rs"), Allow);
    assert_eq!(read("./src/../src/main.rs"), Allow);
    assert_eq!(read("/home/dev/work/repo/src/x"), Allow);
    assert_eq!(read("docs/x"), Ask);
    assert_eq!(read("src/../docs/x"), Ask, "an allow is not about what a path only passes through");
    assert_eq!(read("src/../../../../../etc/hosts"), Deny);
    assert_eq!(read("src/.ENV"), Deny);
    assert_eq!(judge.judge(&request("write", &json!({ "path": "docs/x" }))).verdict, Allow, "it has no list");
}
