//! The shell from outside: through a pipeline, with real processes.
//!
//! Nothing here waits for a fixed time. Where something must have happened (a process is gone), it is
//! looked for until it has; a limit of a minute only keeps a broken build from hanging.
#![cfg(target_os = "linux")]
// The lints know `#[test]`, and not what tests are made of.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod background;
mod bad_input;
mod contained;
mod directories;
mod ending;
mod environment;
mod output;
mod sinks;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate::exec::{
    CallContext, Pipeline, PipelineBuilder, ToolCall, ToolError, ToolExecutor as _, ToolOutput,
};
use toolgate::shell::{ShellExecutor, ShellTool, ShellToolBuilder};

/// A shell with these settings and nothing in front of it.
fn shell(builder: ShellToolBuilder) -> ShellExecutor {
    shell_in(Pipeline::builder(), builder)
}

fn shell_in(stack: PipelineBuilder, builder: ShellToolBuilder) -> ShellExecutor {
    ShellExecutor::behind(stack, builder.build().unwrap()).unwrap()
}

fn plain() -> ShellExecutor {
    // Generous, for a loaded machine: no test but those about time may run into it.
    shell(ShellTool::builder().timeout(Duration::from_secs(60)))
}

async fn call(shell: &ShellExecutor, tool: &str, params: Value) -> Result<ToolOutput, ToolError> {
    call_in(shell, tool, params, CallContext::new()).await
}

async fn call_in(
    shell: &ShellExecutor,
    tool: &str,
    params: Value,
    context: CallContext,
) -> Result<ToolOutput, ToolError> {
    let call = ToolCall::from_json(tool, params).unwrap().with_context(context);
    Ok(shell.execute_tool_call(&call).await?.expect("a tool of ours"))
}

async fn bash(shell: &ShellExecutor, command: &str) -> Result<ToolOutput, ToolError> {
    call(shell, "bash", json!({ "command": command })).await
}

fn field<'a>(output: &'a ToolOutput, name: &str) -> &'a Value {
    &output.structured.as_ref().unwrap()[name]
}

/// A duration for `sleep` that no other process has, and so its mark.
fn unique_sleep() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("5000.{}0{count}", std::process::id())
}

/// The processes that have this mark in their command line and really run.
fn alive(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        // A whole argument: the mark must not be found in the text of a script.
        if line.split(|b| *b == 0).any(|arg| arg == mark.as_bytes()) {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
            if !matches!(state, None | Some('Z' | 'X')) {
                found.push(pid);
            }
        }
    }
    found
}

/// Looks again and again until it is so.
async fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(60), "never came true: {what}");
        tokio::task::yield_now().await;
        std::thread::yield_now();
    }
}
