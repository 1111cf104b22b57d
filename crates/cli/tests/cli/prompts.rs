//! Lines that wait for their end, as a prompt does: shown as far as no secret can be in them.

use std::io::Read;
use std::process::Stdio;

use crate::User;

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// Runs a command that waits for the file `go` in the middle of a line, which is made once `shown` has
/// come; gives all that came. One that does not show it is ended by its timeout, and fails the test.
fn after(command: &str, options: &[&str], shown: &str) -> String {
    let user = User::new();
    let command = command.replace("WAIT", "until [ -e go ]; do :; done");
    let args = [&["run", "--yes", "--timeout", "60", &command], options].concat();
    let mut child = user.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut from = child.stdout.take().unwrap();
    let (mut out, mut byte) = (Vec::new(), [0]);
    while out != shown.as_bytes() {
        assert_eq!(from.read(&mut byte).unwrap(), 1, "{:?} came", String::from_utf8_lossy(&out));
        out.extend(byte);
    }
    user.file("work/go", "");
    from.read_to_end(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    String::from_utf8(out).unwrap()
}

#[test]
fn a_prompt_is_shown_before_its_line_ends() {
    for options in [&[][..], &["--raw"]] {
        for prompt in ["Continue? [y/N] ", "Password: ", "..."] {
            let command = format!("printf '{prompt}'; WAIT; echo yes");
            assert_eq!(after(&command, options, prompt), format!("{prompt}yes\n"));
        }
    }
}

#[test]
fn a_secret_that_comes_in_two_halves_is_masked_whole() {
    let (first, second) = TOKEN.split_at(12);
    let command = format!("printf 'using {first}'; WAIT; echo '{second} now'");
    assert_eq!(after(&command, &[], "using "), "using [redacted] now\n");
    let command = "printf 'one\\nPassword: '; WAIT; echo hunter2";
    assert_eq!(after(command, &["--raw"], "one\nPassword: "), "one\nPassword: ***\n");
    let key = "-----BEGIN PRIVATE KEY-----";
    let command = format!("printf 'a {key}\\nMII'; WAIT; echo E; echo '-----END PRIVATE KEY-----'");
    assert_eq!(after(&command, &["--raw"], "a [redacted private key]"), "a [redacted private key]\n");
}
