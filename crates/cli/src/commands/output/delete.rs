//! `toolgate output delete`: removes outputs.

use toolgate::overflow::Store;

use super::{failed, parsed};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::DeletedReport;
use crate::ui::Ui;

/// Remove outputs for good
///
/// Exits with 1 where one was not there.
#[derive(Debug, clap::Args)]
pub(crate) struct Delete {
    /// The ids of the outputs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl Delete {
    pub(super) fn run(self, ui: Ui, store: &Store) -> Result<Exit, Failure> {
        // All are looked at before any is removed.
        let ids = self.ids.iter().map(|id| parsed(id)).collect::<Result<Vec<_>, _>>()?;
        let mut report = DeletedReport { removed: Vec::new(), missing: Vec::new() };
        for id in &ids {
            match store.delete(id).map_err(failed)? {
                true => report.removed.push(id.to_string()),
                false => report.missing.push(id.to_string()),
            }
        }
        let human: String = (report.removed.iter().map(|id| format!("removed {id}\n")))
            .chain(report.missing.iter().map(|id| format!("not there: {id}\n")))
            .collect();
        let exit = if report.missing.is_empty() { Exit::Success } else { Exit::No };
        ui.answer(report, || human)?;
        Ok(exit)
    }
}
