//! `toolgate config check`: whether the files make sense.

use std::path::PathBuf;

use toolgate::config::{ConfigErrors, Layer};

use crate::commands::Globals;
use crate::config_files::{self, Found};
use crate::exit::Exit;
use crate::failure::{Failure, problems};
use crate::filter_rules;
use crate::report::CheckReport;
use crate::session_flags::start_dir;
use crate::ui::{Style, Ui, visible};

/// Check the configuration that counts here, or one file
///
/// The filter rules too. Exits with 0 where nothing is wrong, and with 1 where something is; it is listed
/// on stdout.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// Check this file instead, as if it were the user's
    file: Option<PathBuf>,
}

impl Check {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let start = start_dir(None)?;
        let mut found = match &self.file {
            Some(path) => vec![Found::named(path, Layer::User)?],
            None => config_files::find(&start)?,
        };
        let errors = match config_files::merge(&start, &found, &globals.config) {
            Ok(loaded) if self.file.is_none() => {
                let rules = filter_rules::find(&start, &loaded)?;
                let errors = filter_rules::errors(&rules);
                found.extend(rules);
                errors
            }
            Ok(_) => ConfigErrors(Vec::new()),
            Err(Failure::Config(errors)) => errors,
            Err(other) => return Err(other),
        };
        let ok = errors.0.is_empty();
        let report =
            CheckReport { ok, files: found.iter().map(Found::report).collect(), problems: problems(&errors) };
        ui.answer(report, || if ok { fine(ui, &found) } else { format!("{errors}\n") })?;
        Ok(if ok { Exit::Success } else { Exit::No })
    }
}

fn fine(ui: Ui, found: &[Found]) -> String {
    let files = found.iter().map(|file| {
        let state = match (&file.text, file.layer) {
            (None, _) => "not there",
            (Some(_), Layer::Project { trusted: true }) => "fine, trusted",
            (Some(_), Layer::Project { trusted: false }) if filter_rules::is_one(&file.path) => {
                "fine, not used until trusted"
            }
            (Some(_), Layer::Project { trusted: false }) => "fine, may only tighten",
            (Some(_), _) => "fine",
        };
        let path = file.path.display().to_string();
        format!("{}  {}\n", visible(&path), ui.out_style(Style::Faint, state))
    });
    files.collect()
}
