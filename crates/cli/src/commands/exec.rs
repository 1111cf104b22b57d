//! `toolgate exec`: the fenced blocks of an agent's whole reply.

use std::path::PathBuf;

use super::Globals;
use crate::assemble::{self, Assembly};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::report::CallReport;
use crate::session_flags::SessionFlags;
use crate::ui::Ui;

/// Run the fenced blocks of an agent's reply
///
/// Every block with the tag of a tool (```bash) is one call. All are judged before any of them
/// runs: where one is refused, none runs. Blocks that are not closed are not run.
///
/// Prints what a model would be told. The exit status is that of the first block that failed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = crate::exit::HELP)]
pub(crate) struct Exec {
    /// The file with the reply; `-` reads it from stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    session: SessionFlags,
}

impl Exec {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let text = input::file_or_stdin("the reply", &self.file)?;
        let start = self.session.start()?;
        let assembly = Assembly::load(&start, &globals.config, &self.session)?;

        assemble::in_runtime(async |signals| {
            let agent = assembly.pipeline(&self.session, &signals)?;
            let outcome = assemble::run_text(&agent, &text, &self.session, &signals).await;
            match outcome.transpose() {
                Some(outcome) => super::tell(ui, outcome),
                None => nothing_to_run(ui),
            }
        })
    }
}

fn nothing_to_run(ui: Ui) -> Result<Exit, Failure> {
    if ui.json() {
        ui.report(CallReport::nothing_to_run())?;
    } else {
        ui.say("nothing to run: the reply has no closed block with the tag of a tool\n");
    }
    Ok(Exit::Success)
}
