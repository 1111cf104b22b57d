//! `toolgate config trust`: lets this project's files do more than tighten.

use std::path::{Path, PathBuf};

use toolgate::config::Layer;

use crate::ask::{Answer, ask};
use crate::config_files;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::filter_rules;
use crate::report::TrustReport;
use crate::session_flags::start_dir;
use crate::trusted::Trusted;
use crate::ui::{Ui, visible, visible_lines};

/// Let this project's file do more than tighten
///
/// Shows the file and asks on the terminal; nothing else can answer, so that no agent can trust a
/// file it wrote. The trust is for the text as it is: once the file changes, it is gone. The same for
/// the project's filter rules, .toolgate/filters.toml, which are not used until then.
#[derive(Debug, clap::Args)]
pub(crate) struct Trust {
    /// Take the trust back
    #[arg(long)]
    revoke: bool,
}

impl Trust {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let start = start_dir(None)?;
        let found = config_files::find(&start)?.into_iter().chain(filter_rules::project(&start)?);
        let of_project = found.filter(|file| matches!(file.layer, Layer::Project { .. }));
        let files: Vec<(PathBuf, String)> =
            of_project.filter_map(|file| Some((file.path, file.text?))).collect();
        let Some((first, _)) = files.first() else {
            return Err(Failure::usage(
                "there is no project's file here or above",
                "a project's file is .toolgate.toml or toolgate.toml in its top directory, or .toolgate/filters.toml",
            ));
        };
        let list = Trusted::of_user().ok_or_else(|| {
            Failure::usage("there is no home directory to keep the list of trusted files in", "set HOME")
        })?;
        for (path, text) in &files {
            self.settle(&list, path, text)?;
        }
        let trusted = !self.revoke;
        let rest = files.iter().skip(1).map(|(path, _)| path.display().to_string()).collect();
        ui.answer(TrustReport { path: first.display().to_string(), trusted, also: rest }, || {
            let told = if trusted { "trusted until it changes" } else { "not trusted any more" };
            files
                .iter()
                .map(|(path, _)| format!("{} is {told}\n", visible(&path.display().to_string())))
                .collect()
        })?;
        Ok(Exit::Success)
    }

    /// Trusts one file, where the person says so, or takes its trust back.
    fn settle(&self, list: &Trusted, path: &Path, text: &str) -> Result<(), Failure> {
        let shown = path.display().to_string();
        if self.revoke {
            return list
                .remove(path)
                .map_err(|error| Failure::io(format!("taking back the trust in {shown}"), error));
        }
        let asked = match filter_rules::is_one(path) {
            true => "Let these rules shorten output, until they change?",
            false => "Let this file loosen the configuration, until it changes?",
        };
        let question = format!("{}\n\n{}\n\n{asked}", visible(&shown), visible_lines(text.trim_end()));
        match ask(&question) {
            Answer::Yes => {}
            Answer::No => return Err(Failure::NotTrusted { asked: true }),
            Answer::NobodyToAsk => return Err(Failure::NotTrusted { asked: false }),
        }
        list.add(path, text).map_err(|error| Failure::io(format!("trusting {shown}"), error))
    }
}
