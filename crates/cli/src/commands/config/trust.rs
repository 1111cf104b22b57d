//! `toolgate config trust`: lets this project's file do more than tighten.

use toolgate::config::Layer;

use crate::ask::{Answer, ask};
use crate::config_files;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::TrustReport;
use crate::session_flags::start_dir;
use crate::trusted::Trusted;
use crate::ui::{Ui, visible, visible_lines};

/// Let this project's file do more than tighten
///
/// Shows the file and asks on the terminal; nothing else can answer, so that no agent can trust a
/// file it wrote. The trust is for the text as it is: once the file changes, it is gone.
#[derive(Debug, clap::Args)]
pub(crate) struct Trust {
    /// Take the trust back
    #[arg(long)]
    revoke: bool,
}

impl Trust {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let found = config_files::find(&start_dir(None)?)?;
        let project = found.into_iter().find(|file| matches!(file.layer, Layer::Project { .. }));
        let Some((path, text)) = project.and_then(|file| Some((file.path, file.text?))) else {
            return Err(Failure::usage(
                "there is no project's file here or above",
                "a project's file is .toolgate.toml or toolgate.toml in its top directory",
            ));
        };
        let list = Trusted::of_user().ok_or_else(|| {
            Failure::usage("there is no home directory to keep the list of trusted files in", "set HOME")
        })?;
        let shown = path.display().to_string();
        if self.revoke {
            list.remove(&path)
                .map_err(|error| Failure::io(format!("taking back the trust in {shown}"), error))?;
        } else {
            let question = format!(
                "{}\n\n{}\n\nLet this file loosen the configuration, until it changes?",
                visible(&shown),
                visible_lines(text.trim_end())
            );
            match ask(&question) {
                Answer::Yes => {}
                Answer::No => return Err(Failure::NotTrusted { asked: true }),
                Answer::NobodyToAsk => return Err(Failure::NotTrusted { asked: false }),
            }
            list.add(&path, &text).map_err(|error| Failure::io(format!("trusting {shown}"), error))?;
        }
        let trusted = !self.revoke;
        ui.answer(TrustReport { path: shown.clone(), trusted }, || {
            format!(
                "{} is {}\n",
                visible(&shown),
                if trusted { "trusted until it changes" } else { "not trusted any more" }
            )
        })?;
        Ok(Exit::Success)
    }
}
