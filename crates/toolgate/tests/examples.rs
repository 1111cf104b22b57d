//! The examples run and say what they are meant to say.
#![allow(clippy::unwrap_used)]

use std::process::Command;

fn said(example: &str) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--example", example])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn embed_runs_a_block_and_asks_about_the_next() {
    insta::assert_snapshot!(said("embed"), @r"
    hello from the agent
    -- done
    asks: this sends work to another machine
    ");
}

#[test]
fn a_child_without_network_is_refused_what_its_parent_may() {
    insta::assert_snapshot!(said("subagent"), @r#"
    child ran      echo "curl $(echo is only a word here)"
        curl is only a word here
    child refused  timeout 5 curl example.org
        curl: net fetch example.org, and the network is denied here
    child refused  (true & ssh host)
        ssh: net send host, and the network is denied here
    parent ran nc
    the child made 3 calls
    "#);
}

#[test]
fn a_thousand_sub_agents_are_at_work_at_once() {
    let said = said("many_subagents");
    assert!(said.starts_with("1000 sub-agents, 11000 calls, all at work at once\n"), "{said}");
}
