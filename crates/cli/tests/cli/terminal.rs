//! With a person at a terminal, which script(1) plays.

use std::process::{Command, Stdio};

use crate::User;

/// Runs toolgate on a terminal where these keys are hit; what the terminal showed, and the exit code.
pub(crate) fn at_terminal(user: &User, args: &str, keys: &str) -> (String, i32) {
    let typed = user.home().join("typed");
    std::fs::write(&typed, keys).unwrap();
    let mut command = Command::new("script");
    command
        .args(["--quiet", "--return", "--log-out", "/dev/null", "--echo", "never", "--command"])
        .arg(format!("{} {args}", env!("CARGO_BIN_EXE_toolgate")))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", user.home())
        .env("SHELL", "/bin/sh")
        .env("TERM", "xterm")
        .current_dir(user.work())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut from = child.stdout.take().unwrap();
    let mut screen = Vec::new();
    let mut hit = false;
    let mut byte = [0];
    use std::io::{Read, Write};
    // Keys that are hit before the question is there are thrown away, as they should be.
    while matches!(from.read(&mut byte), Ok(1)) {
        screen.extend(byte);
        if !hit && (screen.ends_with(b"[y/N] ") || screen.ends_with(b"[y/N/s/p/u] ")) {
            to.write_all(keys.as_bytes()).unwrap();
            hit = true;
        }
    }
    drop(to);
    let code = child.wait().unwrap().code().unwrap();
    (String::from_utf8_lossy(&screen).replace(user.home().to_str().unwrap(), "/home/me"), code)
}

#[test]
fn a_person_can_trust_a_file_until_it_changes() {
    let user = User::new();
    user.project_config("[tools.shell]\ntimeout = 3600\n");
    let (screen, code) = at_terminal(&user, "config trust", "n\n");
    assert!(screen.contains("timeout = 3600") && screen.contains("not trusted"), "{screen}");
    assert_eq!(code, 127);
    assert_eq!(user.toolgate(&["config", "check"]).code, 1);

    let (screen, code) = at_terminal(&user, "config trust", "y\n");
    assert!(screen.contains("trusted until it changes"), "{screen}");
    assert_eq!(code, 0);
    assert!(user.toolgate(&["config", "show"]).out.contains("timeout = 3600"));
    assert!(user.toolgate(&["config", "check"]).out.contains("fine, trusted"));

    user.project_config("[tools.shell]\ntimeout = 3601\n");
    assert_eq!(user.toolgate(&["config", "check"]).code, 1);

    user.project_config("[tools.shell]\ntimeout = 3600\n");
    assert_eq!(user.toolgate(&["config", "trust", "--revoke"]).code, 0);
    assert_eq!(user.toolgate(&["config", "check"]).code, 1);
}

#[test]
fn a_file_can_not_repaint_the_question_about_it() {
    let user = User::new();
    user.project_config("# \u{1b}[2J\u{1b}[H harmless\n[tools.shell]\ntimeout = 3600\n");
    let (screen, _) = at_terminal(&user, "config trust", "n\n");
    assert!(screen.contains("\\u{1b}[2J") && !screen.contains("\u{1b}[2J"), "{screen:?}");
}

#[test]
fn a_refusal_is_coloured_for_a_person_unless_they_do_not_want_it() {
    let user = User::new();
    let (screen, code) = at_terminal(&user, "run --trust blocked ls", "");
    assert!(screen.contains("\u{1b}[1;31mrefused:"), "{screen:?}");
    assert_eq!(code, 126);
    let (screen, _) = at_terminal(&user, "run --color never --trust blocked ls", "");
    assert!(!screen.contains('\u{1b}'), "{screen:?}");
}
