//! The helper that starts commands: made early or late, asked in the same way, lost without harm.

use std::ffi::OsString;
use std::process::Stdio;

use toolgate_sandbox::{Error, Policy, Sandbox, Status};

use super::ground::{Copy, Ground, everyone, finish};

const INSIDE: &str = "TOOLGATE_ATTACK_HELPER";

/// Helpers of this process: the numbers and command lines of its children by that name.
fn helpers() -> Vec<(i32, String)> {
    let list = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = list.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let me = format!(" {} ", std::process::id());
    pids.filter_map(|pid| {
        let read = |file| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let (stat, words) = (read("stat"), read("cmdline"));
        let after = stat.rsplit(')').next()?.get(2..)?;
        let named = stat.contains("(toolgate-spawn)") || words.starts_with("toolgate-spawner\0");
        (named && after.starts_with(&me)).then_some((pid, words))
    })
    .collect()
}

fn ask_the_helper(ground: &Ground) {
    // The harness has threads, so this is the late call: the program is run again, and its `main`
    // runs the tests up to this line once more, in the helper.
    toolgate_sandbox::init();
    let sandbox = Sandbox::new(ground.policy()).unwrap();
    let ran =
        ground.run_in(&sandbox, ["bash", "-c", "echo $PPID; cat ../.ssh/id_ed25519; echo x > made; exit 7"]);
    ran.says("1\n").never_says("SECRETKEY");
    assert_eq!(ran.exit.status, Status::Code(7));
    // It came here by the same words as this process, and runs nothing else on the way.
    let [(_, words)] = &helpers()[..] else { panic!("{:?}", helpers()) };
    let own = std::fs::read_to_string("/proc/self/cmdline").unwrap();
    assert_eq!(words.split_once('\0').unwrap().1, own.split_once('\0').unwrap().1);

    // More than fits in one message.
    let long: OsString = "x".repeat(100_000).into();
    let (command, output) = ground.command(["bash", "-c", "echo ${#LONG}"]);
    finish(sandbox.spawn(command.grant("LONG", long)).unwrap(), output).says("100000\n");

    // More policies than it remembers, and back to the first.
    for _ in 0..33 {
        ground.run_in(&Sandbox::new(Policy::read_only(&ground.home)).unwrap(), ["true"]).ok();
    }
    ground.run_in(&sandbox, ["true"]).ok();

    // Errors come back as they are.
    let (command, _output) = ground.command(["no-such-program"]);
    let error = sandbox.spawn(command).unwrap_err();
    assert!(matches!(&error, Error::Program { program, .. } if program == "no-such-program"), "{error:?}");
    let mut policy = ground.policy();
    policy.writable.push(ground.path("home/absent"));
    let (command, _output) = ground.command(["true"]);
    let error = Sandbox::new(policy).unwrap().spawn(command).unwrap_err();
    assert!(matches!(error, Error::Writable { .. }), "{error:?}");
}

#[test]
fn a_late_helper_serves_and_may_be_lost() {
    everyone(|ground| {
        if std::env::var_os(INSIDE).is_some() {
            ask_the_helper(ground);
            return;
        }
        let copy = Copy::new();
        let output = copy.again(&[], &ground.home).env(INSIDE, "1").stdin(Stdio::null()).output().unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
    });
}

#[test]
fn without_a_helper_nothing_changes() {
    everyone(|ground| {
        assert!(helpers().is_empty());
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        assert_eq!(ground.run_in(&sandbox, ["bash", "-c", "echo $PPID"]).ok(), "1\n");
    });
}
