//! `toolgate output tail`: the end of an output.

use toolgate::overflow::Store;

use super::{open, unread};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::WindowReport;
use crate::ui::Ui;

/// Print the last lines of an output
#[derive(Debug, clap::Args)]
pub(crate) struct Tail {
    /// The id of the output
    id: String,

    /// Print so many lines
    #[arg(long, value_name = "N", default_value_t = 50)]
    lines: u64,
}

impl Tail {
    pub(super) fn run(self, ui: Ui, store: &Store) -> Result<Exit, Failure> {
        let mut reader = open(store, &self.id)?;
        let found = reader.tail(self.lines).map_err(unread)?;
        let text = found.text.clone();
        let report = WindowReport {
            id: self.id,
            text: found.text,
            from_line: Some(found.from),
            lines: Some(found.count),
            offset: None,
            end: None,
            more: false,
            total_bytes: reader.size(),
        };
        ui.answer(report, || text)?;
        Ok(Exit::Success)
    }
}
