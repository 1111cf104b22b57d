//! What a person allows for longer than once, and how it is taken back.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::User;
use crate::terminal::at_terminal;

/// A program nobody knows, which says what it was given; asked about where no boundary holds it.
fn with_tool() -> User {
    let user = User::new();
    let tool = user.file("bin/mytool", "#!/bin/sh\necho ran \"$@\"\n");
    fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).unwrap();
    user
}

const RUN: &str = "run --degrade --network allow";

fn runs(user: &User, command: &str) -> bool {
    let mut run = user.command(&["run", "--degrade", "--network", "allow", command]);
    let path = format!("{}:{}", user.home().join("bin").display(), std::env::var("PATH").unwrap());
    let ran = user.ran({
        run.env("PATH", path);
        run
    });
    assert!(ran.code == 0 || ran.code == 127 && ran.err.starts_with("not run:"), "{ran:?}");
    ran.code == 0
}

#[test]
fn a_refusal_without_a_terminal_names_the_grant_that_would_help() {
    let user = with_tool();
    assert_snapshot!(user.toolgate(&["run", "--degrade", "--network", "allow", "mytool 'a b'; echo x"]).all(), @r"
    --- stderr
    not run: mytool 'a b'; echo x: it needs an approval, and there is nobody to ask
      permission: mytool: nothing is known about `mytool` (what cannot be known is asked about) [not-understood]
    hint: run it on a terminal to be asked, or pass --yes to approve it beforehand
    hint: to allow it from now on: toolgate grants add 'mytool '\''a b'\'''
    --- exit 127
    ");
    let report = user.toolgate(&["run", "--json", "--degrade", "--network", "allow", "bash ./x.sh"]).json();
    let hints = report["error"]["hints"].to_string();
    assert!(!hints.contains("grants add"), "what can't be granted is not offered: {hints}");
}

#[test]
fn what_is_kept_is_shown_first_and_holds_where_it_was_given() {
    let user = with_tool();
    let (screen, code) = at_terminal(&user, &format!("{RUN} 'mytool a'"), "p\n");
    assert!(code == 0 || code == 127, "{screen}");
    assert_snapshot!(screen.replace('\r', ""), @r"
    toolgate asks before it runs

        mytool a
      in /home/me/work
      permission: mytool: nothing is known about `mytool` (what cannot be known is asked about) [not-understood]

    y runs it this once. These also allow, without asking again:
      s in this session, for 12 hours; p in this project, for 30 days; u anywhere, as long
        mytool a
          may: unknown (nothing is known about `mytool`)

    Run it? [y/N/s/p/u] /usr/bin/bash: line 1: mytool: command not found
    ");
    assert!(runs(&user, "mytool a"));
    assert!(!runs(&user, "mytool b") && !runs(&user, "mytool a && mytool b"));
    let other = user.home().join("other");
    fs::create_dir(&other).unwrap();
    let elsewhere = other.to_str().unwrap();
    assert_eq!(
        user.toolgate(&["run", "--degrade", "--network", "allow", "-C", elsewhere, "mytool a"]).code,
        127
    );

    let listed = user.toolgate(&["grants", "list", "--json"]).json();
    let grant = &listed["grants"][0];
    assert_eq!((&grant["scope"], &grant["command"]), (&"project".into(), &"mytool a".into()));
    let id = grant["id"].as_str().unwrap();
    assert_eq!(user.toolgate(&["grants", "show", id, "--json"]).json()["id"], id);
    assert_eq!(user.toolgate(&["grants", "revoke", id]).out, "1 grant is taken back\n");
    assert!(!runs(&user, "mytool a"));
    assert_eq!(user.toolgate(&["grants", "list"]).out, "nothing is granted here\n");
    assert_eq!(user.toolgate(&["grants", "revoke", id]).code, 125);
}

#[test]
fn a_grant_needs_a_person_at_a_terminal_and_a_command_that_can_be_granted() {
    let user = with_tool();
    assert_snapshot!(user.toolgate(&["grants", "add", "mytool a"]).all(), @r"
    --- stderr
    not granted: it needs a terminal, and there is none
    hint: run it yourself, in a terminal
    --- exit 127
    ");
    for (command, why) in [
        ("bash -c \"$X\"", "can't be granted"),
        ("rm -rf /", "no grant lifts that"),
        ("ls", "nothing of it is asked about"),
        ("mytool > /etc/passwd", "no grant lifts that"),
        ("mytool 'a", "not understood"),
    ] {
        let ran = user.toolgate(&["grants", "add", command]);
        assert!(ran.code == 125 && ran.err.contains(why), "{command}: {ran:?}");
    }
    let (screen, code) = at_terminal(&user, "grants add 'mytool a' --scope user --for 2h", "n\n");
    assert!(screen.contains("not granted:") && code == 127, "{screen}");
    let (screen, code) = at_terminal(&user, "grants add 'mytool a' --scope user --for 2h", "y\n");
    assert_eq!(code, 0, "{screen}");
    assert_snapshot!(screen.replace('\r', ""), @r"
    toolgate keeps this, wherever you work, for 2 hours:

        mytool a
          may: unknown (nothing is known about `mytool`)

    Allow it to run without asking? [y/N] fe3d6727  user, anywhere, ends in 2 hours
        mytool a
          may: unknown (nothing is known about `mytool`)
    ");
    assert!(runs(&user, "mytool a") && runs(&user, "cd / && mytool a"));
}

#[test]
fn nothing_that_lies_in_a_project_grants_anything_and_neither_does_a_file_that_others_can_write() {
    let user = with_tool();
    let (screen, code) = at_terminal(&user, "grants add 'mytool a'", "y\n");
    assert_eq!(code, 0, "{screen}");
    let state = user.home().join(".local/state/toolgate/grants");
    let projects: Vec<_> = fs::read_dir(state.join("projects")).unwrap().map(|e| e.unwrap().path()).collect();
    let [file] = &projects[..] else { panic!("{projects:?}") };
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(runs(&user, "mytool a"));
    // A repository that brings the same file, by whatever name, brings nothing.
    let text = fs::read_to_string(file).unwrap();
    fs::remove_file(file).unwrap();
    for name in
        ["work/.toolgate/grants.json", "work/.local/state/toolgate/grants/user.json", "work/grants/user.json"]
    {
        user.file(name, &text);
    }
    assert!(!runs(&user, "mytool a"));
    // Another project's file under this one's name is not taken for it.
    let wrong = text.replace("/work\"", "/elsewhere\"");
    fs::write(file, &wrong).unwrap();
    let ran = user.toolgate(&["run", "--degrade", "ls"]);
    assert!(ran.code == 125 && ran.err.contains("can't be used"), "{ran:?}");
    fs::write(file, &text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(user.toolgate(&["run", "--degrade", "ls"]).code, 125);
}

#[test]
fn an_answer_for_the_session_holds_in_its_terminal_alone() {
    let user = with_tool();
    let toolgate = env!("CARGO_BIN_EXE_toolgate");
    let twice = format!("{RUN} 'mytool a'; {toolgate} grants list");
    let (screen, _) = at_terminal(&user, &twice, "s\n");
    assert!(screen.contains("session, in /home/me/work, ends in 12 hours"), "{screen}");
    assert_eq!(user.toolgate(&["grants", "list"]).out, "nothing is granted here\n");
    assert!(!runs(&user, "mytool a"));
}
