//! `toolgate policy`: what the policy in force says about many calls, and what is wrong with it.

mod check;
mod coverage;
mod diff;
mod test;

use crate::commands::Globals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Ui;

/// Check the policy, test it against cases, and see what its rules do over a history
#[derive(Debug, clap::Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Check(check::Check),
    Coverage(coverage::Coverage),
    Diff(diff::Diff),
    Test(test::Test),
}

impl Policy {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Check(verb) => verb.run(ui, globals),
            Verb::Coverage(verb) => verb.run(ui, globals),
            Verb::Diff(verb) => verb.run(ui, globals),
            Verb::Test(verb) => verb.run(ui, globals),
        }
    }
}
