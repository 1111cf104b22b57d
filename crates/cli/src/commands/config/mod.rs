//! `toolgate config`: what is configured, and whether it makes sense.

mod check;
mod schema;
mod show;
mod trust;

use clap::Subcommand;

use super::Globals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Ui;

/// Show and check the configuration
///
/// Files, each going over the one before: /etc/toolgate/toolgate.toml (the administrator's; what
/// it sets can only be tightened), $XDG_CONFIG_HOME/toolgate/toolgate.toml (the user's), and the
/// project's: .toolgate.toml or toolgate.toml in the nearest directory upwards. A project's file
/// may only tighten, until `toolgate config trust` lets it do more.
#[derive(Debug, clap::Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Show(show::Show),
    Check(check::Check),
    Schema(schema::Schema),
    Trust(trust::Trust),
}

impl Config {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Show(verb) => verb.run(ui, globals),
            Verb::Check(verb) => verb.run(ui, globals),
            Verb::Schema(verb) => verb.run(ui),
            Verb::Trust(verb) => verb.run(ui),
        }
    }
}
