//! `toolgate grants list`: those that count here, or all there are.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::granted;
use crate::report::GrantsReport;
use crate::session_flags::start_dir;
use crate::ui::Ui;

/// List the grants that count in this directory
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Also those of other projects
    #[arg(long)]
    all: bool,
}

impl List {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let grants = granted::open(&start_dir(None)?)?;
        let listed = match self.all {
            true => grants.list_of_all_projects().map_err(granted::failure)?,
            false => grants.list(),
        };
        let report = GrantsReport { grants: listed.iter().map(super::report).collect() };
        ui.answer(report, || match listed.as_slice() {
            [] => "nothing is granted here\n".to_owned(),
            listed => listed.iter().map(super::told).collect(),
        })?;
        Ok(Exit::Success)
    }
}
