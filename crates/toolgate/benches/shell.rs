//! What the shell tool costs over the bare thing, side by side in one run.
//!
//! `cargo bench -p toolgate --bench shell`: ratios, so that the machine's speed cancels out. Each
//! pair is run in turns, so that what else the machine does hits both.
#![allow(clippy::print_stdout, clippy::expect_used, missing_docs)]

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toolgate::exec::{Pipeline, ToolCall, ToolExecutor as _};
use toolgate::shell::{ShellExecutor, ShellTool};

const SPAWN_ROUNDS: usize = 400;
const OUTPUT_ROUNDS: usize = 5;
const OUTPUT: &str = "head -c 500000000 /dev/zero | tr '\\0' x | fold -w 100";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let tool = ShellTool::builder().timeout(Duration::from_secs(300)).build().expect("a shell");
    let shell = ShellExecutor::behind(Pipeline::builder(), tool).expect("a pipeline");
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let wanted = |name| only.as_deref().is_none_or(|only| only == name);
    if wanted("spawn") {
        spawn(&runtime, &shell);
    }
    if wanted("output") {
        output(&runtime, &shell);
    }
}

fn call(command: &str) -> ToolCall {
    ToolCall::from_json("bash", serde_json::json!({ "command": command })).expect("an object")
}

fn spawn(runtime: &tokio::runtime::Runtime, shell: &ShellExecutor) {
    let true_ = call("true");
    let ours = || {
        let out = runtime.block_on(shell.execute_tool_call(&true_)).expect("it runs").expect("ours");
        assert!(out.success());
    };
    let bare = |own_session: bool| {
        let mut command = Command::new("/usr/bin/bash");
        command.args(["-c", "true"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if own_session {
            toolgate_sandbox::own_session(&mut command);
        }
        let mut command = tokio::process::Command::from(command);
        assert!(runtime.block_on(async { command.output().await }).expect("it runs").status.success());
    };
    let (mut tool, mut plain, mut session) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..SPAWN_ROUNDS {
        plain.push(timed(|| bare(false)));
        tool.push(timed(ours));
    }
    // Apart from the others: it forks, and who runs next pays for the pages it copied.
    for _ in 0..SPAWN_ROUNDS {
        session.push(timed(|| bare(true)));
    }
    println!("bash -c true: tool, bare tokio spawn, the same in its own session");
    for (name, part) in [("median", 2), ("first tenth", 10)] {
        let [tool, plain, session] = [&mut tool, &mut plain, &mut session].map(|times| nth(times, part));
        println!("  {name}: {tool:?}, {plain:?}, {session:?}");
        println!(
            "  tool / bare = {:.3} (at most 1.05), in its own session {:.3}",
            ratio(tool, plain),
            ratio(tool, session)
        );
    }
}

fn output(runtime: &tokio::runtime::Runtime, shell: &ShellExecutor) {
    let long = call(OUTPUT);
    let idle = peak_kib();
    let (mut tool, mut cat) = (Vec::new(), Vec::new());
    for _ in 0..OUTPUT_ROUNDS {
        cat.push(timed(|| {
            let line = format!("{{ {OUTPUT}; }} | cat >/dev/null");
            assert!(Command::new("bash").args(["-c", &line]).status().expect("it runs").success());
        }));
        tool.push(timed(|| {
            let out = runtime.block_on(shell.execute_tool_call(&long)).expect("it runs").expect("ours");
            assert_eq!(out.truncation.expect("too long").total_bytes, 504_999_999);
        }));
    }
    let (tool, cat) = (nth(&mut tool, 2), nth(&mut cat, 2));
    println!("500 MB of output: tool {tool:?}, into cat {cat:?}");
    println!("  tool / cat = {:.3} (at most 1.3)", ratio(tool, cat));
    println!("  peak memory over idle: {} KiB (at most 32768)", peak_kib() - idle);
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// The time that one in `part` stays below: 2 gives the median, and 10 one that others disturb less.
fn nth(times: &mut [Duration], part: usize) -> Duration {
    times.sort_unstable();
    times[times.len() / part]
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

/// The most memory this process ever had (`VmHWM`, proc_pid_status(5)).
fn peak_kib() -> u64 {
    let mut status = String::new();
    std::fs::File::open("/proc/self/status").and_then(|mut f| f.read_to_string(&mut status)).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
}
