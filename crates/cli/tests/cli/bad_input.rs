use crate::User;

#[test]
fn a_command_with_a_nul_or_no_command_at_all_is_bad_input() {
    let user = User::new();
    let nul = user.with_input(&["call", "bash", "-"], br#"{"command": "echo a\u0000b"}"#);
    assert_eq!(nul.code, 125, "{nul:?}");
    assert!(nul.err.contains("NUL"), "{}", nul.err);
    for blank in ["", "   "] {
        let ran = user.toolgate(&["run", blank]);
        assert_eq!(ran.code, 125, "{ran:?}");
    }
}

#[test]
fn ten_megabytes_of_command_are_told_what_to_do_instead() {
    let ran = User::new().with_input(&["run", "-"], &vec![b'x'; 10_000_000]);
    assert_eq!(ran.code, 125);
    assert!(ran.err.len() < 2000 && ran.err.contains("10000000 bytes"), "{}", ran.err);
}

#[test]
fn a_reply_without_end_or_in_another_encoding_is_refused_and_not_changed() {
    let user = User::new();
    let ran = user.with_input(&["exec", "-"], b"```bash\necho \xff\n```\n");
    assert_eq!(ran.code, 125);
    assert!(ran.err.contains("not UTF-8 at byte 13"), "{}", ran.err);
    let mut endless = user.command(&["exec", "/dev/zero"]);
    let ran = user.ran({
        endless.stdin(std::process::Stdio::null());
        endless
    });
    assert!(ran.code == 125 && ran.err.contains("more than"), "{ran:?}");
}

#[test]
fn parameters_nested_without_end_do_not_overflow_the_stack() {
    let mut text = String::from(r#"{"command": "#);
    text.push_str(&"[".repeat(100_000));
    let ran = User::new().with_input(&["call", "bash", "-"], text.as_bytes());
    assert_eq!(ran.code, 125, "{ran:?}");
}

#[test]
fn a_missing_bash_is_said_and_not_taken_for_a_missing_command() {
    let user = User::new();
    let mut command = user.command(&["run", "true"]);
    command.env("PATH", user.work());
    let ran = user.ran(command);
    assert_eq!(ran.code, 125, "{ran:?}");
    assert!(ran.err.contains("bash"), "{}", ran.err);
    assert_eq!(user.toolgate(&["run", "no-such-program-here"]).code, 127);
}

#[test]
fn without_a_home_there_is_no_user_file_and_all_else_works() {
    let user = User::new();
    let mut command = user.command(&["run", "echo works"]);
    command.env_remove("HOME");
    let ran = user.ran(command);
    assert_eq!((&*ran.out, ran.code), ("works\n", 0));
}
