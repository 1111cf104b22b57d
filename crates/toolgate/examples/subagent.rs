//! A parent with the network spawns a child without.
//!
//! `cargo run -p toolgate --example subagent`
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use toolgate::exec::{ErasedToolExecutor, NetworkScope, Pipeline, SkillTrustLevel, ToolExecutor};
use toolgate::shell::ShellTool;
use toolgate::subagent::{SubagentManager, SubagentSpec};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parent: Arc<dyn ErasedToolExecutor> = Arc::new(
        Pipeline::builder().trust(SkillTrustLevel::Trusted).tool(ShellTool::builder().build()?).build()?,
    );
    let manager = SubagentManager::new(parent.clone(), 4);
    let child = manager.spawn(&SubagentSpec::new("reader").network(NetworkScope::Deny)).await?;

    for command in
        ["echo \"curl $(echo is only a word here)\"", "timeout 5 curl example.org", "(true & ssh host)"]
    {
        match child.execute(&format!("```bash\n{command}\n```\n")).await {
            Ok(output) => println!("child ran      {command}\n    {}", output.unwrap_or_default()),
            Err(error) => println!("child refused  {command}\n    {}", error.reasons()[0]),
        }
    }
    // The parent is as it was.
    let output = parent.execute_erased("```bash\nnc -h >/dev/null 2>&1; echo parent ran nc\n```\n").await?;
    println!("{}", output.unwrap_or_default());
    println!("the child made {} calls", child.transcript().len());
    Ok(())
}
