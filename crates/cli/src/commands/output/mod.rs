//! `toolgate output`: what was too long to be shown.

mod delete;
mod grep;
mod list;
mod read;
mod tail;

use clap::Subcommand;
use toolgate::overflow::{OutputId, OutputReader, ReadError, Store, StoreError};

use super::Globals;
use crate::config_files;
use crate::distil;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::session_flags::start_dir;
use crate::ui::Ui;

/// Read, search and remove outputs that were too long to be shown
///
/// A result that was cut, or of which a filter left something out, says the id of the whole. Outputs are
/// kept as long as `tools.overflow` says: 7 days and 2 GiB by default, secrets masked.
#[derive(Debug, clap::Args)]
pub(crate) struct Output {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::List),
    Read(read::Read),
    Grep(grep::Grep),
    Tail(tail::Tail),
    Delete(delete::Delete),
}

impl Output {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let (loaded, _) = config_files::read(&start_dir(None)?, &globals.config)?;
        let store = distil::outputs(&loaded).store().map_err(failed)?;
        match self.verb {
            Verb::List(verb) => verb.run(ui, &store),
            Verb::Read(verb) => verb.run(ui, &store),
            Verb::Grep(verb) => verb.run(ui, &store),
            Verb::Tail(verb) => verb.run(ui, &store),
            Verb::Delete(verb) => verb.run(ui, &store),
        }
    }
}

fn parsed(id: &str) -> Result<OutputId, Failure> {
    OutputId::parse(id).map_err(failed)
}

fn open(store: &Store, id: &str) -> Result<OutputReader, Failure> {
    store.read(&parsed(id)?).map_err(failed)
}

fn failed(error: StoreError) -> Failure {
    match &error {
        StoreError::BadId { .. } | StoreError::Missing { .. } => {
            Failure::usage(error.to_string(), "`toolgate output list` shows the outputs that are kept")
        }
        _ => {
            let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            Failure::io(error.to_string(), std::io::Error::other(source))
        }
    }
}

fn unread(error: ReadError) -> Failure {
    match error {
        ReadError::Io(source) => Failure::io("reading the output", source),
        ReadError::Pattern { source: Some(source), .. } => {
            Failure::Usage { message: format!("the pattern can't be used: {source}"), hint: None }
        }
        other => Failure::Usage { message: other.to_string(), hint: None },
    }
}
