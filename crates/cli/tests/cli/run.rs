use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::{User, exists};

#[test]
fn both_streams_and_the_status_are_passed_on() {
    let ran = User::new().toolgate(&["run", "echo hi-$((40+2)); echo oops >&2; exit 3"]);
    assert_eq!((&*ran.out, &*ran.err, ran.code), ("hi-42\n", "oops\n", 3));
}

#[test]
fn raw_output_is_passed_on_byte_for_byte_and_whole() {
    let user = User::new();
    let mut command = user.command(&[
        "run",
        "--raw",
        r"printf 'a\r\n\0\xff\xfe'; head -c 3000000 /dev/zero | tr '\0' x; printf end",
    ]);
    let output = command.output().unwrap();
    let mut want = b"a\r\n\0\xff\xfe".to_vec();
    want.extend(std::iter::repeat_n(b'x', 3_000_000));
    want.extend(b"end");
    assert!(output.stdout == want, "{} bytes", output.stdout.len());
    assert!(output.status.success());
}

#[test]
fn a_commands_own_126_127_and_125_are_passed_on_and_told_apart_in_json() {
    let user = User::new();
    for code in [0, 1, 124, 125, 126, 127, 255] {
        let exit = format!("exit {code}");
        assert_eq!(user.toolgate(&["run", &exit]).code, code);
        let report = user.toolgate(&["run", "--json", &exit]).json();
        assert_eq!((&report["status"], &report["exit_code"]), (&"completed".into(), &code.into()));
    }
    let killed = "exec python3 -c 'import os; os.kill(os.getpid(), 9)'";
    assert_eq!(user.toolgate(&["run", "--yes", killed]).code, 137);
}

#[test]
fn json_is_one_object_with_the_output_in_it() {
    let report = User::new().toolgate(&["run", "--json", "echo out; echo err >&2; exit 4"]).json();
    assert_eq!(report["status"], "completed");
    assert_eq!(report["exit_code"], 4);
    assert_eq!(report["output"]["exit"]["code"], 4);
    assert_eq!(report["output"]["structured"]["stdout"], "out\n");
    assert_eq!(report["output"]["structured"]["stderr"], "err\n");
}

#[test]
fn it_runs_where_it_is_told_to() {
    let user = User::new();
    fs::create_dir(user.work().join("sub")).unwrap();
    assert_eq!(user.toolgate(&["run", "pwd"]).out, "/home/me/work\n");
    assert_eq!(user.toolgate(&["run", "-C", "sub", "pwd"]).out, "/home/me/work/sub\n");
    assert_snapshot!(user.toolgate(&["run", "--cwd", "nowhere", "pwd"]).all(), @r"
    --- stderr
    error: changing to nowhere: No such file or directory (os error 2)
    --- exit 125
    ");
}

#[test]
fn stdin_is_empty_and_a_command_can_come_from_ours() {
    let user = User::new();
    assert_eq!(user.with_input(&["run", "cat; echo end"], b"not for it").out, "end\n");
    assert_eq!(user.with_input(&["run", "-"], b"echo from-stdin\n").out, "from-stdin\n");
}

#[test]
fn the_time_limit_ends_it_and_what_it_said_stays() {
    let user = User::new();
    assert_snapshot!(user.toolgate(&["run", "--timeout", "1", "echo part; sleep 60"]).all(), @r"
    part
    --- stderr
    error: command timed out after 1s
    hint: give a longer `timeout`, or run it in the background
    --- exit 124
    ");
    let report = user.toolgate(&["run", "--json", "--timeout", "1", "echo part; sleep 60"]).json();
    assert_eq!((&report["status"], &report["exit_code"]), (&"timed-out".into(), &124.into()));
    assert_eq!(report["output"]["structured"]["stdout"], "part\n");
}

#[test]
fn a_refusal_says_who_why_and_what_next_and_yes_does_not_lift_it() {
    let user = User::new();
    let touch = "touch mark";
    for flags in [
        &["--trust", "quarantined"][..],
        &["--autonomy", "read-only"],
        &["--plan"],
        &["--config", "tools.enabled=false"],
    ] {
        for yes in [None, Some("--yes")] {
            let mut args = vec!["run"];
            args.extend(yes);
            args.extend(flags);
            args.push(touch);
            let ran = user.toolgate(&args);
            assert_eq!(ran.code, 126, "{args:?}: {ran:?}");
            args.insert(1, "--json");
            assert_eq!(user.toolgate(&args).json()["status"], "refused");
        }
    }
    assert!(!exists(&user.work().join("mark")));
    assert_snapshot!(user.toolgate(&["run", "--yes", "--trust", "quarantined", touch]).all(), @r"
    --- stderr
    refused: touch mark
      trust: this tool runs programs, and the trust level is `quarantined` [trust-quarantined]
    hint: use a tool that only reads, or have the user review and trust the source
    --- exit 126
    ");
    assert_snapshot!(user.toolgate(&["run", "--config", "tools.enabled=false", touch]).all(), @r"
    --- stderr
    refused: touch mark
      switched-off: tools are switched off by `tools.enabled = false` (--config) [tools-switched-off]
        by the flag rule `tools.enabled = false`
    --- exit 126
    ");
}

#[test]
fn a_blocked_command_does_not_run_whatever_is_approved() {
    let user = User::new();
    user.user_config("[tools.shell]\nblocked_commands = [\"touch\"]\n");
    for command in ["touch mark", "true; env touch mark", "bash -c 'touch mark'"] {
        let ran = user.toolgate(&["run", "--yes", command]);
        assert_eq!(ran.code, 126, "{ran:?}");
        assert!(ran.err.contains("[blocked-command]"), "{ran:?}");
    }
    assert!(!exists(&user.work().join("mark")));
}

#[test]
fn an_allowed_command_is_not_asked_about_and_hard_rules_stay() {
    let user = User::new();
    user.file("work/old.txt", "x");
    assert_eq!(user.toolgate(&["run", "rm old.txt"]).code, 127, "asked about, and nobody to ask");
    user.user_config("[tools.shell]\nallowed_commands = [\"rm\"]\n");
    assert_eq!(user.toolgate(&["run", "rm -rf /"]).code, 126, "a hard rule");
    assert_eq!(user.toolgate(&["run", "rm old.txt"]).code, 0);
    assert!(!exists(&user.work().join("old.txt")));
    user.user_config("[tools.shell]\nallowed_commands = [\"rm\"]\nblocked_commands = [\"rm\"]\n");
    assert_eq!(user.toolgate(&["run", "rm other"]).code, 126, "the block list wins");
}

#[test]
fn a_reader_that_stops_reading_ends_the_command_quietly() {
    let user = User::new();
    let mut child =
        user.command(&["run", "yes"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut some = [0; 4];
    out.read_exact(&mut some).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(141), &b""[..]));

    for verb in [&["tools"][..], &["config", "show"], &["--help"], &["man"], &["run", "--json", "echo"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = user.command(verb).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{verb:?}");
    }
}

#[test]
fn output_that_can_not_be_written_is_a_failure() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let user = User::new();
    let output = user.command(&["run", "echo lost"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left on device"));
}

#[test]
fn a_signal_ends_the_command_first_and_then_us() {
    let user = User::new();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        // No other process on this machine sleeps for just this long.
        let seconds = format!("60.{}{code}", std::process::id());
        let mut child = user
            .command(&["run", &format!("echo began; trap '' INT HUP; sleep {seconds} & wait")])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        // Its first line says that it runs.
        let mut byte = [0];
        while byte != *b"\n" {
            out.read_exact(&mut byte).unwrap();
        }
        let kill = format!("kill -{signal} {}", child.id());
        assert!(std::process::Command::new("bash").args(["-c", &kill]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let left =
            std::process::Command::new("pgrep").args(["-f", &format!("sleep {seconds}")]).output().unwrap();
        assert_eq!(left.stdout, b"", "the command outlived us");
    }
}

#[test]
fn a_signal_in_the_middle_of_a_reply_tells_what_ran_so_far() {
    let user = User::new();
    let reply = user
        .file("work/reply.md", "```bash\necho first\n```\n```bash\necho part; touch began; sleep 60\n```\n");
    let began = user.work().join("began");
    for json in [false, true] {
        let args = [&["exec", reply.to_str().unwrap()][..], if json { &["--json"] } else { &[] }].concat();
        let mut child = user.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !exists(&began) {
            assert!(child.try_wait().unwrap().is_none(), "it ended before the command began");
            std::thread::yield_now();
        }
        let kill = format!("kill -INT {}", child.id());
        assert!(std::process::Command::new("bash").args(["-c", &kill]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        std::fs::remove_file(&began).unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(130), "{out}");
        if json {
            let report: serde_json::Value = serde_json::from_str(&out).unwrap();
            assert_eq!((&report["status"], &report["exit_code"]), (&"cancelled".into(), &130.into()));
        } else {
            assert!(out.starts_with("first\n") && out.contains("part"), "{out}");
        }
    }
}

#[test]
fn a_signal_that_we_were_started_to_ignore_is_ignored() {
    let user = User::new();
    let binary = env!("CARGO_BIN_EXE_toolgate");
    let mut command = std::process::Command::new("bash");
    // The command tells when it runs; the signal then comes; the command goes on. One that ended ends the wait.
    let script = format!(
        "trap '' HUP; '{binary}' run 'touch started; until [ -e signalled ]; do :; done; echo went-on' & \
         until [ -e started ]; do kill -0 $! || exit 9; done; kill -HUP $!; : > signalled; wait $!"
    );
    command.args(["-c", &script]).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", user.home()).current_dir(user.work());
    let ran = user.ran(command);
    assert_eq!((&*ran.out, ran.code), ("went-on\n", 0), "{ran:?}");
}

/// As in a container: the process that leads the session is none of ours, its number is 0.
#[test]
fn a_session_led_from_outside_of_our_process_namespace_is_no_trouble() {
    let user = User::new();
    let mut command = std::process::Command::new("unshare");
    // The names of users are mapped, so that this works for root and for everybody alike.
    command.args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "bash", "-c"]);
    command.arg(format!("cut -d' ' -f6 /proc/self/stat; '{}' run 'echo hi'", env!("CARGO_BIN_EXE_toolgate")));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", user.home()).current_dir(user.work());
    let ran = user.ran(command);
    assert_eq!((&*ran.out, ran.code), ("0\nhi\n", 0), "{ran:?}");
}

#[test]
fn the_environment_of_commands_is_what_is_let_in() {
    let user = User::new();
    let mut command = user.command(&["run", "--yes", "echo [$SECRET] [$PLAIN] [$HOME]"]);
    command.env("SECRET", "s3cret").env("PLAIN", "p");
    assert_eq!(user.ran(command).out, "[] [] [/home/me]\n");
    user.user_config("[tools.shell]\nenv_allow = [\"PLAIN\"]\n");
    let mut command = user.command(&["run", "--yes", "echo [$SECRET] [$PLAIN]"]);
    command.env("SECRET", "s3cret").env("PLAIN", "p");
    assert_eq!(user.ran(command).out, "[] [p]\n");
}

#[test]
fn colour_is_for_a_person_alone() {
    let user = User::new();
    let args = |color| ["run", "--color", color, "--trust", "blocked", "ls"];
    assert!(!user.toolgate(&args("auto")).err.contains('\x1b'));
    assert!(user.toolgate(&args("always")).err.contains("\x1b[1;31mrefused:\x1b[0m"));
    assert!(!user.toolgate(&args("never")).err.contains('\x1b'));
}
