//! `toolgate grants show`: one grant, as it is kept.

use super::report;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::granted;
use crate::session_flags::start_dir;
use crate::ui::Ui;

/// Show one grant
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// Its id
    id: String,
}

impl Show {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let grants = granted::open(&start_dir(None)?)?;
        let all = grants.list_of_all_projects().map_err(granted::failure)?;
        let found = all.iter().find(|l| l.grant.id == self.id).ok_or_else(|| super::unknown(&self.id))?;
        ui.answer(report(found), || super::told(found))?;
        Ok(Exit::Success)
    }
}
