//! Output from a tool to a model: masked, filtered, kept, cut, and read again.
#![cfg(target_os = "linux")]
// The lints know `#[test]`, and not what tests are made of.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod commands;
mod reading;
mod secrets;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate::exec::{
    Pipeline, PipelineBuilder, Tool, ToolCall, ToolError, ToolEventTx, ToolExecutor as _, ToolOutput,
};
use toolgate::layers::{FilterLayer, OverflowLayer, RedactLayer};
use toolgate::output::{Filters, GainLog, Outputs, SecretValues};
use toolgate::overflow::OverflowConfig;
use toolgate::shell::ShellTool;
use toolgate::tools::output::OutputTool;

/// A place for stored outputs and records, and what the standard stack is made of.
struct Place {
    dir: TempDir,
    secrets: SecretValues,
    config: OverflowConfig,
}

impl Place {
    fn new() -> Self {
        Self::showing(50_000)
    }

    /// Where so many characters are shown.
    fn showing(threshold: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config =
            OverflowConfig { threshold, dir: Some(dir.path().join("outputs")), ..Default::default() };
        Self { dir, secrets: SecretValues::new(), config }
    }

    fn outputs(&self) -> Outputs {
        Outputs::new(self.config.clone()).secrets(self.secrets.clone())
    }

    fn gain(&self) -> GainLog {
        GainLog::new(self.dir.path().join("gain.jsonl"))
    }

    fn filters(&self) -> Filters {
        Filters::built_in().gain(self.gain())
    }

    /// The standard stack around these tools.
    fn stack(&self, outputs: &Outputs) -> PipelineBuilder {
        Pipeline::builder()
            .layer(OverflowLayer::new(outputs.clone()))
            .layer(FilterLayer::new(self.filters()).keeping(outputs.clone()))
            .layer(RedactLayer::new(self.secrets.clone()))
            .tool(OutputTool::new(outputs.clone()))
    }

    fn with_tool(&self, tool: impl Tool + 'static) -> Pipeline {
        self.stack(&self.outputs()).tool(tool).build().unwrap()
    }

    fn with_shell(&self) -> Pipeline {
        self.with_shell_watched(None)
    }

    fn with_shell_watched(&self, events: Option<ToolEventTx>) -> Pipeline {
        let outputs = self.outputs();
        let shell = ShellTool::builder()
            .timeout(Duration::from_secs(60))
            .secrets(self.secrets.clone())
            .filters(self.filters())
            .outputs(outputs.clone())
            .build()
            .unwrap();
        let stack = events.into_iter().fold(self.stack(&outputs), PipelineBuilder::events);
        stack.tool(shell).build().unwrap()
    }

    /// Every file there is, with its bytes.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut todo = vec![self.dir.path().to_owned()];
        while let Some(dir) = todo.pop() {
            for entry in std::fs::read_dir(dir).unwrap().flatten() {
                match entry.path() {
                    path if path.is_dir() => todo.push(path),
                    path => found.push((path.clone(), std::fs::read(path).unwrap())),
                }
            }
        }
        found
    }

    /// The one output that is stored.
    fn stored(&self) -> String {
        let mut files = self.files();
        files.retain(|(path, _)| path.extension().is_some_and(|e| e == "txt"));
        assert_eq!(files.len(), 1);
        String::from_utf8(files.remove(0).1).unwrap()
    }
}

async fn call(pipeline: &Pipeline, tool: &str, params: Value) -> Result<ToolOutput, ToolError> {
    let call = ToolCall::from_json(tool, params).unwrap();
    Ok(pipeline.execute_tool_call(&call).await?.expect("a tool of ours"))
}

async fn bash(pipeline: &Pipeline, command: &str) -> Result<ToolOutput, ToolError> {
    call(pipeline, "bash", json!({ "command": command })).await
}

/// The id of the whole output.
fn id(output: &ToolOutput) -> String {
    output.stored.as_ref().unwrap().id.clone().unwrap()
}

/// A program of this name that does what `script` says.
fn program(dir: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = dir.join(name);
    std::fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
