//! How much memory a thousand sub-agents take that are at work at once.
//!
//! `cargo run --release -p toolgate --example many_subagents`
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Barrier;
use toolgate::exec::{
    BoxFuture, Capabilities, Cleared, ErasedToolExecutor, Nature, NetworkScope, Outcome, Pipeline,
    SkillTrustLevel, Tool, ToolCall, ToolDef, ToolExecutor as _, ToolId, ToolOutput,
};
use toolgate::gates::PermissionGate;
use toolgate::subagent::{SubagentManager, SubagentSpec};
use toolgate::understanding::{Surroundings, Understanding};

const AGENTS: usize = 1000;

/// A shell whose commands take until all agents are at work.
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

    fn run<'a>(&'a self, _: Cleared) -> BoxFuture<'a, Outcome> {
        Box::pin(async {
            self.at_work.fetch_add(1, Ordering::Relaxed);
            self.all.wait().await;
            Ok(ToolOutput::new("bash", "done"))
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
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
    let before = resident_kib();
    let mut tasks = Vec::new();
    for n in 0..AGENTS {
        let scope =
            if n % 2 == 0 { NetworkScope::Deny } else { NetworkScope::only([format!("h{n}.example")]) };
        let agent = manager.spawn(&SubagentSpec::new(format!("agent {n}")).network(scope)).await?;
        let call = ToolCall::from_json("bash", serde_json::json!({"command": "cargo test 2>&1 | tail -20"}))?;
        tasks.push(tokio::spawn(async move { agent.execute_tool_call(&call).await.map(|_| agent) }));
    }
    // Every one of them waits inside its call; our own wait lets them go on.
    while at_work.load(Ordering::Relaxed) < AGENTS {
        tokio::task::yield_now().await;
    }
    let during = resident_kib();
    all.wait().await;
    for task in tasks {
        task.await??;
    }
    println!(
        "{AGENTS} sub-agents at work: {} KiB over the {before} KiB before",
        during.saturating_sub(before)
    );
    Ok(())
}

/// The memory of this process that is resident, as Linux tells it; 0 elsewhere.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
