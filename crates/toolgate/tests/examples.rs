//! The examples run and say what they are meant to say.

use std::process::Command;

#[test]
fn embed_runs_a_block_and_asks_about_the_next() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--example", "embed"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let erred = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "hello from the agent\n-- done\nasks: this sends work to another machine\n", "{erred}");
}
