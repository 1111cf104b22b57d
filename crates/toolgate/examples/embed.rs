//! An agent's executor in about forty lines: a gate, a layer, the shell, and what a model would say.
//!
//! `cargo run -p toolgate --example embed`
#![allow(clippy::print_stdout)]

use toolgate::exec::{
    Gate, Pipeline, Reason, Session, SkillTrustLevel, ToolCall, ToolError, ToolExecutor, Verdict, map_output,
};
use toolgate::shell::ShellTool;

/// Asks before anything that says `push`. Real gates judge by grammar: see `toolgate::gates`.
struct AskBeforePush;

impl Gate for AskBeforePush {
    fn name(&self) -> &'static str {
        "ask-before-push"
    }

    fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
        match call.text("command") {
            Some(command) if command.contains("push") => {
                Verdict::ask(Reason::new("pushes", "this sends work to another machine"))
            }
            _ => Verdict::Allow,
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Pipeline::builder()
        .trust(SkillTrustLevel::Trusted)
        .gate(AskBeforePush)
        .layer(map_output("sign", |_, mut output| {
            output.summary.push_str("\n-- done");
            output
        }))
        .tool(ShellTool::builder().build()?)
        .build()?;

    let reply = "Let me look.\n```bash\necho hello from the agent\n```\n";
    let output = agent.execute(reply).await?.ok_or("the reply holds a call")?;
    println!("{output}");

    match agent.execute("```bash\ngit push\n```").await {
        Err(ToolError::ConfirmationRequired { reasons, .. }) => println!("asks: {}", reasons[0]),
        other => println!("{other:?}"),
    }
    Ok(())
}
