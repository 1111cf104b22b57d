//! `toolgate grants revoke`: takes grants back.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::granted;
use crate::report::GrantsReport;
use crate::session_flags::start_dir;
use crate::ui::Ui;

/// Take grants back
///
/// Whatever runs already goes on; what comes next is asked about again, also by toolgate processes
/// that run now.
#[derive(Debug, clap::Args)]
pub(crate) struct Revoke {
    /// Their ids
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    ids: Vec<String>,

    /// All that count in this directory
    #[arg(long)]
    all: bool,
}

impl Revoke {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let grants = granted::open(&start_dir(None)?)?;
        let ids = match self.all {
            true => grants.list().into_iter().map(|l| l.grant.id).collect(),
            false => self.ids,
        };
        let mut gone = Vec::new();
        for id in ids {
            let taken = grants.revoke(&id).map_err(granted::failure)?;
            if taken.is_empty() && !gone.iter().any(|l: &toolgate::grants::Listed| l.grant.id == id) {
                return Err(super::unknown(&id));
            }
            gone.extend(taken);
        }
        let report = GrantsReport { grants: gone.iter().map(super::report).collect() };
        ui.answer(report, || match gone.len() {
            1 => "1 grant is taken back\n".to_owned(),
            n => format!("{n} grants are taken back\n"),
        })?;
        Ok(Exit::Success)
    }
}
