//! Any output of any command can be filtered by the built-in rules, and their guarantees hold.
#![no_main]

#[path = "../../crates/filter/tests/holds/mod.rs"]
mod holds;

use holds::{Run, check};
use libfuzzer_sys::fuzz_target;
use toolgate_filter::{CaptureOptions, Catalog, filter_captured};

/// A few commands by number, so that the fuzzer need not spell them.
const COMMANDS: &[&str] = &[
    "cargo test", "cargo build", "cargo nextest run", "cargo clippy", "pytest", "npx jest", "vitest", "npm test", "make", "git status",
    "git diff", "git log", "git push", "go test ./...", "eslint .", "tsc", "gcc a.c", "cat a.log", "rg x", "ps aux", "ls -R",
    "terraform plan", "docker build .", "kubectl describe pod x", "mvn test", "gradle test", "dotnet test", "curl -v x", "pip install x",
    "gh run view 1 --log", "bazel test //...", "ansible-playbook x", "phpunit", "rspec", "./unknown", "cargo test; git diff | cat; ./x",
];

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |b| *b == 0);
    let mut next = || parts.next().unwrap_or_default();
    let (command, stdout, stderr) = (next(), next(), next());
    let command = match command {
        [number] => COMMANDS[usize::from(*number) % COMMANDS.len()].to_owned(),
        text => String::from_utf8_lossy(text).into_owned(),
    };
    let exit = i32::from(data.first().copied().unwrap_or(0) % 3);
    let done = filter_captured(&Catalog::built_in(), &command, exit, stdout, stderr, CaptureOptions::default());
    // Lossy decoding makes three bytes of one; a notice is a line.
    assert!(done.text.len() <= 3 * (stdout.len() + stderr.len()) + 512);

    let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    let run = Run { command: &command, exit, stdout: &stdout, stderr: &stderr };
    if let Err(broken) = check(&Catalog::built_in(), &run, 7) {
        panic!("{broken}");
    }
});
