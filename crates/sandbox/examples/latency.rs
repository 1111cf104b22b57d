//! Measures what the boundary adds to `bash -c true`, beside bubblewrap with the same view.
//!
//! Rows take turns within one run, so that the machine's moods hit all alike. What counts are the
//! ratios. `latency [ROUNDS] [MEGABYTES]`: the second makes this process that big first.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used, reason = "a program for people")]

use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command as Bare, Stdio};
use std::time::{Duration, Instant};

use toolgate_sandbox::{Command, Io, Network, Policy, Sandbox};

/// What is measured, how, and how long it took each time.
type Row<'a> = (&'static str, Box<dyn FnMut() + 'a>, Vec<Duration>);

fn main() {
    toolgate_sandbox::init();
    let number = |index: usize, default: usize| {
        std::env::args().nth(index).and_then(|word| word.parse().ok()).unwrap_or(default)
    };
    let (rounds, megabytes) = (number(1, 100), number(2, 0));
    let ballast = vec![1u8; megabytes << 20];
    let workspace = std::env::temp_dir().join(format!("toolgate-latency-{}", std::process::id()));
    let workspace = Path::new("/var/lib").join(workspace.file_name().unwrap_or_default());
    std::fs::create_dir_all(&workspace).expect("needs a place outside /tmp");
    let home = std::env::var_os("HOME").unwrap_or_default();
    let policy = Policy::workspace_write(home.as_ref(), &workspace);
    let mut looped = policy.clone();
    looped.network = Network::Loopback;
    let sandbox = Sandbox::new(policy.clone()).expect("policy");
    let looped = Sandbox::new(looped).expect("policy");
    let direct = Sandbox::new(policy).expect("policy").without_spawner();
    let bwrap = |net: bool| {
        let mut command = Bare::new("bwrap");
        command.args(["--ro-bind", "/", "/", "--bind"]).arg(&workspace).arg(&workspace);
        command.args("--dev /dev --proc /proc --tmpfs /tmp --tmpfs /run".split(' '));
        command.args("--unshare-user --unshare-pid --unshare-ipc --die-with-parent".split(' '));
        if net {
            command.arg("--unshare-net");
        }
        command.arg("--chdir").arg(&workspace).args(["bash", "-c", "true"]);
        command
    };
    let mut rows: Vec<Row<'_>> = vec![
        ("bash -c true", Box::new(|| bare(Bare::new("bash").args(["-c", "true"]))), Vec::new()),
        ("contained, by the spawner", Box::new(|| contained(&sandbox, &workspace)), Vec::new()),
        ("contained, by this process", Box::new(|| contained(&direct, &workspace)), Vec::new()),
        ("contained, own loopback", Box::new(|| contained(&looped, &workspace)), Vec::new()),
        ("bwrap", Box::new(|| bare(&mut bwrap(false))), Vec::new()),
        ("bwrap, own network", Box::new(|| bare(&mut bwrap(true))), Vec::new()),
    ];
    for _ in 0..rounds {
        for (_, run, times) in &mut rows {
            let start = Instant::now();
            run();
            times.push(start.elapsed());
        }
    }
    let mut base = 0.0;
    let mut theirs = [0.0; 2];
    let medians: Vec<(&str, f64, f64)> = rows
        .iter_mut()
        .map(|(name, _, times)| {
            times.sort();
            let at = |share: usize| times[times.len() * share / 100].as_secs_f64() * 1e3;
            (*name, at(50), at(90))
        })
        .collect();
    for &(name, median, _) in &medians {
        match name {
            "bash -c true" => base = median,
            "bwrap" => theirs[0] = median - base,
            "bwrap, own network" => theirs[1] = median - base,
            _ => {}
        }
    }
    println!("{:28} {:>8} {:>8} {:>8} {:>10} {:>10}", "", "median", "p90", "added", "of bwrap", "of +net");
    for (name, median, p90) in medians {
        let added = median - base;
        println!(
            "{name:28} {median:8.3} {p90:8.3} {added:8.3} {:10.2} {:10.2}",
            added / theirs[0],
            added / theirs[1]
        );
    }
    drop(ballast);
    kill(&sandbox, &workspace);
    std::fs::remove_dir_all(&workspace).ok();
}

/// Kills a command with 300 children that left its session.
fn kill(sandbox: &Sandbox, workspace: &Path) {
    let (mut output, stdout) = std::io::pipe().expect("makes a pipe");
    let null = || -> OwnedFd {
        std::fs::OpenOptions::new().read(true).write(true).open("/dev/null").expect("is there").into()
    };
    let io = Io::Files { stdin: null(), stdout: stdout.into(), stderr: null() };
    let script = "for i in $(seq 300); do setsid sleep 1000 > /dev/null & done; echo; wait";
    let command = Command::new(["bash", "-c", script], workspace, io).env(std::env::vars_os());
    let mut child = sandbox.spawn(command).expect("spawns");
    std::io::Read::read(&mut output, &mut [0; 1]).expect("says that they run");
    let start = Instant::now();
    child.kill();
    println!("{:28} {:8.3}", "kill of 300", start.elapsed().as_secs_f64() * 1e3);
}

fn bare(command: &mut Bare) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().expect("starts").success());
}

fn contained(sandbox: &Sandbox, workspace: &Path) {
    let null = || -> OwnedFd {
        std::fs::OpenOptions::new().read(true).write(true).open("/dev/null").expect("is there").into()
    };
    let io = Io::Files { stdin: null(), stdout: null(), stderr: null() };
    let command = Command::new(["bash", "-c", "true"], workspace, io).env(std::env::vars_os());
    let exit = sandbox.spawn(command).expect("spawns").wait().expect("ends");
    assert!(exit.status.success(), "{exit:?}");
}
