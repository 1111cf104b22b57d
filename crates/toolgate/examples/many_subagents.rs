//! What a thousand sub-agents cost that are at work at once: memory, and time to make one.
//!
//! `cargo run --release -p toolgate --example many_subagents`; the targets are 50 MB and 50 µs. Half of them have no
//! network and half a list of hosts; each has a budget, a place to remember things, a tool taken away, ten calls in its
//! transcript, and waits inside an eleventh.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Barrier;
use toolgate::exec::{
    BoxFuture, Capabilities, Cleared, ErasedToolExecutor, Nature, NetworkScope, Outcome, Pipeline,
    SkillTrustLevel, Tool, ToolCall, ToolDef, ToolExecutor as _, ToolId, ToolOutput,
};
use toolgate::gates::{BadPattern, PermissionGate, patterns};
use toolgate::subagent::{Budget, Subagent, SubagentManager, SubagentSpec};
use toolgate::understanding::{Surroundings, Understanding};

const AGENTS: usize = 1000;
/// Calls that each of them has behind it.
const CALLS: usize = 10;

/// A shell in which `wait` takes until all agents are at work, and anything else no time.
struct Waits {
    all: Arc<Barrier>,
    at_work: Arc<AtomicUsize>,
}

impl Tool for Waits {
    fn definitions(&self) -> Vec<ToolDef> {
        vec![
            ToolDef::new("bash", "Waits.")
                .schema(serde_json::json!({
                    "type": "object", "required": ["command"], "properties": {"command": {"type": "string"}},
                }))
                .capabilities(Capabilities::EXECUTES),
        ]
    }

    fn nature(&self, _: &ToolId) -> Nature {
        Nature::ONCE
    }

    fn run<'a>(&'a self, cleared: Cleared) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if cleared.call().text("command") == Some("wait") {
                self.at_work.fetch_add(1, Ordering::Relaxed);
                self.all.wait().await;
            }
            Ok(ToolOutput::new("bash", "done"))
        })
    }
}

fn spec(n: usize) -> Result<SubagentSpec, BadPattern> {
    let network = match n % 2 {
        0 => NetworkScope::Deny,
        _ => NetworkScope::only([format!("h{n}.example")]),
    };
    Ok(SubagentSpec::new(format!("agent {n}"))
        .network(network)
        .budget(Budget { calls: Some(100), wall: Some(Duration::from_secs(3600)) })
        .memory_dir(format!("/home/dev/memory/{n}"))
        .disallow(patterns(["Bash(rm *)"])?))
}

/// What an agent does: some calls, and one that lasts.
async fn work(agent: Subagent) -> Result<Subagent, Box<dyn std::error::Error + Send + Sync>> {
    let commands = std::iter::repeat_n("cargo test --workspace 2>&1 | tail -20", CALLS).chain(["wait"]);
    for command in commands {
        let call = ToolCall::from_json("bash", serde_json::json!({"command": command}))?;
        agent.execute_tool_call(&call).await?;
    }
    Ok(agent)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (all, at_work) = (Arc::new(Barrier::new(AGENTS + 1)), Arc::new(AtomicUsize::new(0)));
    let around = || Surroundings::new("/home/dev/work/repo", "/home/dev");
    let parent: Arc<dyn ErasedToolExecutor> = Arc::new(
        Pipeline::builder()
            .trust(SkillTrustLevel::Trusted)
            .normaliser(Understanding::new(around()))
            .gate(PermissionGate::new(&around()))
            .tool(Waits { all: all.clone(), at_work: at_work.clone() })
            .build()?,
    );
    let manager = SubagentManager::new(parent, AGENTS);
    let specs = (0..AGENTS).map(spec).collect::<Result<Vec<_>, _>>()?;
    // What is used for the first time is paid for once and is no agent's.
    drop(manager.spawn(&SubagentSpec::new("first")).await?);

    let before = resident_kib();
    let (mut agents, mut took) = (Vec::with_capacity(AGENTS), Vec::with_capacity(AGENTS));
    for spec in &specs {
        let begun = Instant::now();
        agents.push(manager.spawn(spec).await?);
        took.push(begun.elapsed());
    }
    let idle = resident_kib();
    let tasks: Vec<_> = agents.into_iter().map(|agent| tokio::spawn(work(agent))).collect();
    // Every one of them waits inside its call; our own wait lets them go on.
    while at_work.load(Ordering::Relaxed) < AGENTS {
        if let Some(ended) = tasks.iter().find(|task| task.is_finished()) {
            return Err(format!("an agent ended before all were at work: {ended:?}").into());
        }
        tokio::task::yield_now().await;
    }
    let during = resident_kib();
    all.wait().await;
    let mut calls = 0;
    for task in tasks {
        calls += task.await??.transcript().len();
    }

    took.sort();
    let at =
        |share: usize| took.get((took.len() * share / 100).min(took.len() - 1)).copied().unwrap_or_default();
    println!("{AGENTS} sub-agents, {calls} calls, all at work at once");
    println!("  made in       median {:?}, 99 % {:?}, longest {:?} (target 50 µs)", at(50), at(99), at(100));
    match before {
        0 => println!("  memory        not told by this system"),
        _ => println!(
            "  memory        {} KiB made, {} KiB at work (target 50 MB), over {before} KiB before",
            idle.saturating_sub(before),
            during.saturating_sub(before)
        ),
    }
    Ok(())
}

/// The memory of this process that is resident, as Linux tells it; 0 elsewhere.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
