//! Runs many commands and looks for what they left: `soak [COMMANDS]`.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program for people")]

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

use toolgate_sandbox::{Command, Io, Policy, Sandbox};

fn main() {
    toolgate_sandbox::init();
    let commands = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(10_000);
    let workspace = Path::new("/var/lib").join(format!("toolgate-soak-{}", std::process::id()));
    fs::create_dir_all(&workspace).expect("needs a place outside /tmp");
    let home = std::env::var_os("HOME").unwrap_or_default();
    let policy = Policy::workspace_write(home.as_ref(), &workspace);
    let helped = Sandbox::new(policy.clone()).expect("policy");
    let direct = Sandbox::new(policy).expect("policy").without_spawner();
    run(&helped, &workspace, "true", false);
    run(&direct, &workspace, "true", false);
    let before = state(&workspace);
    for number in 0..commands {
        let sandbox = if number % 2 == 0 { &helped } else { &direct };
        let script =
            ["true", "(setsid sleep 1000 &)", "kill -9 $$", "head -c 100k /dev/zero > /tmp/x"][number % 4];
        run(sandbox, &workspace, script, number % 9 == 0);
    }
    // One more of each, so that the last first processes are collected.
    std::thread::sleep(std::time::Duration::from_millis(200));
    run(&direct, &workspace, "true", false);
    let after = state(&workspace);
    println!("{commands} commands\nbefore {before:?}\nafter  {after:?}");
    fs::remove_dir_all(&workspace).ok();
}

fn run(sandbox: &Sandbox, workspace: &Path, script: &str, kill: bool) {
    let null = || -> OwnedFd {
        fs::OpenOptions::new().read(true).write(true).open("/dev/null").expect("is there").into()
    };
    let io = Io::Files { stdin: null(), stdout: null(), stderr: null() };
    let command = Command::new(["bash", "-c", script], workspace, io).env(std::env::vars_os());
    let mut child = sandbox.spawn(command).expect("spawns");
    if kill {
        child.kill();
    } else {
        child.wait().expect("ends");
    }
}

/// Descriptors of this process, children of this process and its helper, mounts, namespaces, files.
fn state(workspace: &Path) -> [usize; 5] {
    let count = |path: &str| fs::read_dir(path).map_or(0, Iterator::count);
    let me = std::process::id().to_string();
    let mut children = 0;
    let mut namespaces = BTreeSet::new();
    for entry in fs::read_dir("/proc").expect("is mounted").flatten() {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split(' ').nth(2)).unwrap_or_default();
        children += usize::from(parent == me);
        if let Ok(own) = fs::read_link(entry.path().join("ns/mnt")) {
            namespaces.insert(own);
        }
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("is there").lines().count();
    [count("/proc/self/fd"), children, mounts, namespaces.len(), count(&workspace.to_string_lossy())]
}
