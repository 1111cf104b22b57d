//! Output as an agent gets it from the binary: bounded, masked, filtered, and all of it kept.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::{Ran, User};

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

impl User {
    fn outputs(&self) -> PathBuf {
        self.home().join(".local/state/toolgate/outputs")
    }

    /// The ids of the outputs that are kept, by their files.
    fn kept(&self) -> Vec<String> {
        let entries = fs::read_dir(self.outputs()).into_iter().flatten().flatten();
        entries.map(|e| e.path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    }

    fn the_output(&self) -> String {
        let mut kept = self.kept();
        assert_eq!(kept.len(), 1);
        kept.remove(0)
    }

    /// A program on the path that does what `script` says.
    fn program(&self, name: &str, script: &str) {
        let path = self.file(&format!("work/bin/{name}"), &format!("#!/bin/bash\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn with_programs(&self, args: &[&str]) -> Ran {
        let mut command = self.command(args);
        let path = format!("{}:{}", self.work().join("bin").display(), std::env::var("PATH").unwrap());
        command.env("PATH", path);
        self.ran(command)
    }
}

#[test]
fn a_long_output_is_shown_by_both_ends_and_all_of_it_is_kept() {
    let user = User::new();
    let ran = user.toolgate(&["run", "seq 1 1500000; echo oops >&2; exit 3"]);
    assert_eq!((ran.code, &*ran.err), (3, "oops\n"));
    assert!(
        ran.out.chars().count() < 61_000 && ran.out.starts_with("1\n2\n") && ran.out.ends_with("\n1500000\n")
    );
    let id = user.the_output();
    let notice = ran.out.lines().find(|line| line.starts_with('[')).unwrap();
    let (how, rest) = notice.split_once("; toolgate output read ").unwrap();
    let from: usize = rest.split("--from-line ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(rest.starts_with(&id) && how.starts_with("[… toolgate: "), "{notice}");
    // What it tells to run goes on where the beginning ended.
    assert_eq!(ran.out.lines().nth(from - 2), Some((from - 1).to_string().as_str()));
    let read = user.toolgate(&["output", "read", &id, "--from-line", &from.to_string(), "--lines", "1"]);
    assert_eq!(read.out, format!("{from}\n"));
    assert_eq!(read.err, format!("more: toolgate output read {id} --from-line {}\n", from + 1));
    let all: String = (1..=1_500_000).map(|n| format!("{n}\n")).collect();
    assert!(user.toolgate(&["output", "read", &id, "--all"]).out == all + "oops\n");
    let mode = fs::metadata(user.outputs().join(format!("{id}.txt"))).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn raw_output_is_whole_and_masked_and_keeps_nothing() {
    let user = User::new();
    let ran = user.toolgate(&["run", "--raw", &format!("seq 1 50000; echo {TOKEN}")]);
    assert!(ran.out.ends_with("50000\n[redacted]\n") && ran.out.lines().count() == 50_001);
    assert_eq!(user.kept(), [""; 0]);
    let report = user.toolgate(&["run", "--raw", "--json", "seq 1 50000; exit 2"]).json();
    assert_eq!(report["output"]["stored"]["lines"], 50_000);
    assert_eq!(report["output"]["filter_stats"], serde_json::Value::Null);
}

#[test]
fn a_command_that_a_rule_knows_is_told_as_a_model_would_be() {
    let user = User::new();
    user.program(
        "cargo",
        "for i in {1..60}; do echo \"   Compiling crate-$i v1.0.$i\" >&2; done; echo 'error[E0425]: no' >&2; exit 101",
    );
    let ran = user.with_programs(&["run", "cargo build"]);
    let id = user.the_output();
    assert_eq!(
        ran.all().replace(&id, "ID"),
        "error[E0425]: no\n[60 lines not shown; toolgate output read ID]\n[exit status 101]\n--- exit 101"
    );
    assert!(
        user.toolgate(&["output", "read", &id, "--lines", "2"])
            .out
            .starts_with("   Compiling crate-1 v1.0.1\n")
    );
    assert_eq!(user.with_programs(&["run", "--raw", "cargo build"]).err.lines().count(), 61);
    let off = user.with_programs(&["run", "--config", "tools.filters.enabled=false", "cargo build"]);
    assert_eq!(off.err.lines().count(), 61);
    // One that says nothing is told as such.
    user.program("cargo", "exit 4");
    assert_eq!(user.with_programs(&["run", "cargo build"]).all(), "--- exit 4");
}

#[test]
fn no_secret_is_in_what_is_shown_kept_or_recorded() {
    let user = User::new();
    user.program(
        "cargo",
        &format!("echo {TOKEN}; for i in {{1..60}}; do echo \"   Compiling c-$i v1.0.$i\"; done; exit 1"),
    );
    let mut told = String::new();
    for args in [
        vec!["run", "cargo build --token s3cret"],
        vec!["run", "--json", "cargo build"],
        vec!["run", "--raw", "cargo build"],
        vec!["call", "bash", r#"{"command": "cargo build"}"#],
        vec!["run", "--timeout", "1", "cargo build; sleep 30"],
    ] {
        let ran = user.with_programs(&args);
        assert!(ran.out.contains("[redacted]"), "{args:?}: {ran:?}");
        told += &format!("{ran:?}");
    }
    for id in user.kept() {
        told += &fs::read_to_string(user.outputs().join(format!("{id}.txt"))).unwrap();
    }
    let record = fs::read_to_string(user.home().join(".local/state/toolgate/gain.jsonl")).unwrap();
    assert!(record.contains("cargo build") && !record.contains("s3cret"));
    assert!(!(told + &record).contains(&TOKEN[..20]));
}

#[test]
fn a_time_limit_and_json_keep_it_too() {
    let user = User::new();
    let ran = user.toolgate(&["run", "--timeout", "1", "seq 1 100000; sleep 60"]);
    assert_eq!(ran.code, 124);
    assert!(ran.out.contains("; toolgate output read ") && ran.out.ends_with("100000\n"));
    let report = user.toolgate(&["run", "--json", "--timeout", "1", "seq 1 100000; sleep 60"]).json();
    assert_eq!(
        (&report["status"], &report["output"]["stored"]["lines"]),
        (&"timed-out".into(), &100_000.into())
    );
    assert_eq!(user.kept().len(), 2);
}

#[test]
fn a_small_output_touches_no_state() {
    let user = User::new();
    assert_eq!(user.toolgate(&["run", "echo hi"]).out, "hi\n");
    assert!(!user.home().join(".local").exists());
}

#[test]
fn the_first_line_comes_while_the_command_still_runs() {
    let user = User::new();
    for args in [&["run"][..], &["run", "--raw"]] {
        let script = "mkfifo go; echo first; read line < go; echo $line; rm go";
        let mut child =
            user.command(&[args, &["--yes", script]].concat()).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut first = [0; 6];
        out.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"first\n");
        fs::write(user.work().join("go"), "second\n").unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "second\n");
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_kill_at_any_moment_leaves_what_was_written_and_a_store_that_works() {
    let user = User::new();
    // Before the folder is there, when the file is, and while it grows.
    for bytes in [0, 1, 300_000, 3_000_000] {
        let mut child =
            user.command(&["run", "echo begins; yes 0123456789"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut first = [0; 7];
        out.read_exact(&mut first).unwrap();
        let drain = std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        let size = || {
            let files = fs::read_dir(user.outputs()).into_iter().flatten().flatten();
            files.map(|file| file.metadata().map_or(0, |about| about.len())).max().unwrap_or(0)
        };
        let began = Instant::now();
        while size() < bytes
            && began.elapsed() < Duration::from_secs(60)
            && child.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        drain.join().unwrap().unwrap();
        for id in user.kept() {
            let text = user.toolgate(&["output", "read", &id, "--lines", "3"]).out;
            assert!("begins\n0123456789\n0123456789\n".starts_with(&text), "{text}");
            assert_eq!(user.toolgate(&["output", "delete", &id]).code, 0);
        }
    }
    assert_eq!(user.toolgate(&["run", "seq 1 100000"]).code, 0);
    assert_eq!(user.kept().len(), 1);
}

/// Runs toolgate where the state directory is a file system of this size.
fn on_a_disk_of(user: &User, size: &str, args: &[&str]) -> Option<Ran> {
    let state = user.home().join(".local/state");
    fs::create_dir_all(&state).unwrap();
    let mount = format!("mount -t tmpfs -o size={size} none '{}' && exec \"$@\"", state.display());
    let probe = Command::new("unshare").args(["-Urm", "true"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        println!("skipped: no unshare");
        return None;
    }
    let inner = user.command(args);
    let mut command = Command::new("unshare");
    command.args(["-Urm", "sh", "-c", &mount, "sh"]).arg(inner.get_program()).args(inner.get_args());
    command.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(user.work()).stdin(Stdio::null());
    Some(user.ran(command))
}

#[test]
fn a_full_disk_costs_the_middle_and_neither_the_status_nor_the_end() {
    let user = User::new();
    let reserve = ["--config", "tools.overflow.reserve_bytes=0"];
    // With a reserve, a part of the disk stays free; without, it fills up.
    for (size, config) in [("1m", &[][..]), ("4m", &reserve)] {
        {
            let args =
                [&["run", "--json", "--degrade"][..], config, &["seq 1 1000000; echo 'error: last'; exit 9"]]
                    .concat();
            let Some(ran) = on_a_disk_of(&user, size, &args) else { return };
            assert_eq!(ran.code, 9, "{}", &ran.all()[..ran.all().len().min(2_000)]);
            let output = &ran.json()["output"];
            let summary = output["summary"].as_str().unwrap();
            assert!(summary.starts_with("1\n2\n") && summary.contains("error: last"), "{size}");
            let stored = &output["stored"];
            assert!(stored["error"].as_str().unwrap().contains("space"), "{stored}");
            assert!(stored["missing_bytes"].as_u64().unwrap() > 1_000_000, "{stored}");
        }
    }
}

#[test]
fn outputs_are_listed_read_searched_and_removed() {
    let user = User::new();
    assert_snapshot!(user.toolgate(&["output", "list"]).all(), @"--- exit 0");
    user.toolgate(&["run", "seq 1 20000; echo needle"]);
    let id = user.the_output();
    let listed = user.toolgate(&["output", "list"]).out;
    assert!(listed.starts_with(&format!("{id}        108901 bytes  ")), "{listed}");
    assert_eq!(user.toolgate(&["output", "list", "--json"]).json()["outputs"][0]["bytes"], 108_901);
    assert_eq!(
        user.toolgate(&["output", "grep", &id, "n.edle", "-C", "1"]).out,
        "20000-20000\n20001:needle\n"
    );
    let found = user.toolgate(&["output", "grep", &id, "^1.*7$", "--limit", "2", "--json"]).json();
    assert_eq!((&found["total"], &found["matches"][1]["line"]), (&1_111.into(), &107.into()));
    assert_eq!(user.toolgate(&["output", "grep", &id, "absent"]).code, 1);
    assert_eq!(user.toolgate(&["output", "tail", &id, "--lines", "2"]).out, "20000\nneedle\n");
    assert_eq!(
        user.toolgate(&["output", "read", &id, "--offset", "108894", "--length", "99"]).out,
        "needle\n"
    );
    let window = user.toolgate(&["output", "read", &id, "--from-line", "20001", "--json"]).json();
    assert_eq!((&window["text"], &window["more"]), (&"needle\n".into(), &false.into()));
    assert_snapshot!(user.toolgate(&["output", "grep", &id, "("]).all().lines().next().unwrap(), @r"--- stderr");
    assert_snapshot!(user.toolgate(&["output", "read", "../../.bashrc"]).all(), @r"
    --- stderr
    error: `../../.bashrc` is no output id
    hint: `toolgate output list` shows the outputs that are kept
    --- exit 125
    ");
    assert_eq!(user.toolgate(&["output", "delete", &id]).out, format!("removed {id}\n"));
    assert_eq!(user.toolgate(&["output", "delete", &id]).code, 1);
    assert_eq!(user.toolgate(&["output", "read", &id]).code, 125);
}

#[test]
fn what_was_saved_is_told_by_command_and_by_day() {
    let user = User::new();
    assert_snapshot!(user.toolgate(&["gain"]).all(), @r"
    nothing is recorded yet: `toolgate run` records what its filters save
    --- exit 0
    ");
    let day = |n: u64| 20_786 * 86_400 + n * 86_400;
    let line = |t: u64, c: &str, r: u64, s: u64| format!("{{\"t\":{t},\"c\":\"{c}\",\"r\":{r},\"s\":{s}}}\n");
    user.file(
        ".local/state/toolgate/gain.jsonl",
        &[
            line(day(0), "cargo test", 40_000, 2_000),
            line(day(1), "cargo test", 400_000, 4_000),
            line(day(1), "ls", 400, 400),
        ]
        .concat(),
    );
    assert_snapshot!(user.toolgate(&["gain"]).all(), @r"
    saved 108,500 tokens of 110,100 (98.5 %) in 3 outputs

    command      outputs     tokens in         shown         saved   share
    cargo test         2       110,000         1,500       108,500   98.6%
    ls                 1           100           100             0    0.0%

    tokens saved a day (UTC)
    2026-11-29  ███▉ 9,500
    2026-11-30  ████████████████████████████████████████ 99,000
    --- exit 0
    ");
    let report = user.toolgate(&["gain", "--json"]).json();
    assert_eq!(
        (&report["total"]["saved_tokens"], &report["commands"][0]["saved_percent"]),
        (&108_500.into(), &98.6.into())
    );
    assert_eq!(report["days"][1]["day"], "2026-11-30");
}

const RULES: &str = r#"
[[rules]]
name = "mine"
match = { program = "build.sh" }
steps = [{ drop_lines = '^step' }]

[[rules.examples]]
command = "./build.sh"
stdout = "step 1 is done\nstep 2 is done\nstep 3 is done\nall good\n"
contains = ["all good"]
lacks = ["step 2"]
"#;

#[test]
fn a_users_rules_are_checked_used_and_tested() {
    let user = User::new();
    user.file(".config/toolgate/filters.toml", RULES);
    user.program("build.sh", "for i in {1..30}; do echo step $i is done; done; echo error: no luck; exit 1");
    let ran = user.with_programs(&["run", "build.sh"]);
    assert!(ran.out.starts_with("error: no luck\n[30 lines not shown; "), "{}", ran.out);
    assert_snapshot!(user.toolgate(&["filter", "test"]).all(), @r"
    /home/me/.config/toolgate/filters.toml
      mine  1 of 1 examples hold
    --- exit 0
    ");
    user.file(".config/toolgate/filters.toml", &RULES.replace("'^step'", "'^step('"));
    assert_snapshot!(user.with_programs(&["run", "build.sh"]).all(), @r"
    --- stderr
    error: the configuration can't be used
      rule `mine`: pattern `^step(` is not usable: error: unclosed group
       --> /home/me/.config/toolgate/filters.toml:5:26
        |
      5 | steps = [{ drop_lines = '^step(' }]
        |                          ^^^^^^

    --- exit 125
    ");
    user.file(".config/toolgate/filters.toml", &RULES.replace("[\"step 2\"]", "[\"all good\"]"));
    assert_snapshot!(user.toolgate(&["filter", "test"]).all(), @r#"
    /home/me/.config/toolgate/filters.toml
      mine  0 of 1 examples hold

    rule `mine`: example 1 does not hold: `all good` is shown
    all good
    [3 lines cut]

     --> /home/me/.config/toolgate/filters.toml:3:8
      |
    3 | name = "mine"
      |        ^^^^^^
    --- exit 1
    "#);
    assert_eq!(user.toolgate(&["config", "check"]).code, 1);
    let report = user.toolgate(&["filter", "test", "--json"]).json();
    assert_eq!(
        (&report["ok"], &report["files"][0]["problems"][0]["place"]["line"]),
        (&false.into(), &3.into())
    );
}

#[test]
fn a_projects_rules_wait_for_trust_and_never_hide_trouble() {
    let user = User::new();
    let hides = RULES.replace("'^step'", "'.'").replace("lacks = [\"step 2\"]", "");
    let file = user.file("work/.toolgate/filters.toml", &hides.replace("contains = [\"all good\"]", ""));
    user.program(
        "build.sh",
        "for i in {1..30}; do echo step $i is done; done; echo 'error: no luck'; exit 1",
    );
    assert_eq!(user.with_programs(&["run", "build.sh"]).out.lines().count(), 31, "not trusted, so not used");
    let check = user.toolgate(&["config", "check"]);
    assert!(check.out.contains("filters.toml  fine, not used until trusted"), "{check:?}");
    assert!(user.toolgate(&["filter", "test"]).out.contains("not used until trusted"));
    // Trust needs a person; this plays one who gave it before.
    let digest = Command::new("sha256sum").arg(&file).output().unwrap().stdout;
    let digest = String::from_utf8(digest).unwrap();
    let line = format!("{} {}\n", digest.split(' ').next().unwrap(), file.display());
    user.file(".local/state/toolgate/trusted-projects", &line);
    let ran = user.with_programs(&["run", "build.sh"]);
    assert!(ran.out.contains("error: no luck") && ran.out.lines().count() < 10, "{}", ran.out);
}

#[test]
fn memory_stays_small_while_much_is_printed() {
    let user = User::new();
    let peak = |command: &str| {
        let mut child = user.command(&["run", command]).stdout(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0u64;
        while child.try_wait().unwrap().is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
            most = most.max(now.unwrap_or(0));
            std::thread::yield_now();
        }
        most
    };
    let idle = peak("sleep 0.2");
    let busy = peak("head -c 24000000 /dev/zero | tr '\\0' x | fold -w 100");
    assert!(busy > 0 && busy.saturating_sub(idle) < 8 * 1024, "idle {idle} kB, busy {busy} kB");
}
