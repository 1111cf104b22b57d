//! `toolgate run`: one shell command.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate::config::Source;
use toolgate::exec::ToolCall;

use super::Globals;
use crate::assemble::{self, Assembly};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::live::Live;
use crate::report::CallReport;
use crate::session_flags::SessionFlags;
use crate::ui::Ui;

/// Run one shell command through the pipeline
///
/// The command is judged by the policy and run by bash. Its output streams as it comes, stdout to
/// stdout and stderr to stderr; its stdin is empty; its exit status is passed on.
///
/// What the policy asks about is asked on the terminal. Without a terminal it is not run, unless
/// --yes approves it beforehand.
///
/// With --json the output is part of the result, and long output is cut in the middle.
#[derive(Debug, clap::Args)]
#[command(override_usage = "toolgate run [OPTIONS] '<COMMAND>'", after_long_help = crate::exit::HELP)]
pub(crate) struct Run {
    /// The command line, as one argument; `-` reads it from stdin
    command: String,

    #[command(flatten)]
    session: SessionFlags,

    /// End the command after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

impl Run {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let command = if self.command == "-" { input::stdin("the command")? } else { self.command };
        let mut flags = globals.config.clone();
        if let Some(secs) = self.timeout {
            flags.push(Source::flag("--timeout", "tools.shell.timeout", &secs.to_string()));
        }
        let start = self.session.start()?;
        let assembly = Assembly::load(&start, &flags)?;
        let params = Map::from_iter([("command".to_owned(), Value::from(command))]);
        let call = ToolCall::new("bash", params).with_context(self.session.context(&start));
        let live = (!ui.json()).then(|| Arc::new(Live::new()));

        assemble::in_runtime(async |signals| {
            let pipeline = assembly.pipeline(&self.session, &signals, live.clone())?;
            let outcome = assemble::run_call(&pipeline, call, &self.session, &signals).await;
            let output = match (outcome, &live) {
                // The command ended as SIGPIPE (13) would have ended it, had it written there itself.
                (Err(_), Some(live)) if live.reader_gone() => return Ok(Exit::Signalled(13)),
                (outcome, _) => outcome?,
            };
            let exit = Exit::of(output.exit);
            if ui.json() {
                ui.report(CallReport::completed(exit, output))?;
            }
            Ok(exit)
        })
    }
}
