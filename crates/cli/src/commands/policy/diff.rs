//! `toolgate policy diff`: two policies over a history.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use toolgate::config::Layer;
use toolgate::policy::batch::Judge;

use crate::commands::Globals;
use crate::config_files::{self, Found};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::history;
use crate::judging::{JudgeFlags, ProfileName};
use crate::report::{ChangedReport, PolicyDiffReport};
use crate::ui::{Ui, visible_lines};

/// Judge a history by two policies and show what differs
///
/// A policy is a profile (default, strict or open), which stands in for that of the configuration, or a
/// configuration file, which stands in for the user's and the project's.
#[derive(Debug, clap::Args)]
pub(super) struct Diff {
    /// The history, or - for stdin: a command a line, or objects as `check --jsonl` takes them
    history: PathBuf,

    /// The policy to compare with
    #[arg(long, value_name = "PROFILE|FILE")]
    with: String,

    /// The policy it is compared with; that of the configuration otherwise
    #[arg(long, value_name = "PROFILE|FILE")]
    from: Option<String>,

    #[command(flatten)]
    judging: JudgeFlags,
}

impl Diff {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let before = match &self.from {
            Some(from) => self.named(from, "--from", globals)?,
            None => self.judging.judge(globals)?,
        };
        let after = self.named(&self.with, "--with", globals)?;
        let mut report = PolicyDiffReport::default();
        for line in history::calls(&self.history)? {
            report.total += 1;
            let command = line.shown();
            let request = line.request();
            let (a, b) = (before.judge(&request).verdict, after.judge(&request).verdict);
            if a != b {
                let (before, after) = (a.name().to_owned(), b.name().to_owned());
                report.changed.push(ChangedReport { command, before, after });
            }
        }
        let text = || {
            let mut text = String::new();
            for c in &report.changed {
                // Writing to a String can't fail.
                let _ = writeln!(text, "{} -> {}  {}", c.before, c.after, visible_lines(&c.command));
            }
            let _ = writeln!(text, "{} of {} calls differ", report.changed.len(), report.total);
            text
        };
        ui.answer(report.clone(), text)?;
        Ok(Exit::Success)
    }

    /// The judge by a policy that is named on the command line.
    fn named(&self, name: &str, flag: &'static str, globals: &Globals) -> Result<Judge<'static>, Failure> {
        let start = self.judging.start()?;
        let mut flags = globals.config.clone();
        let mut found = config_files::find(&start)?;
        match ProfileName::from_str(name, false) {
            Ok(profile) => flags.push(profile.source(flag)),
            // Nobody compares with a file to be told that it may not loosen the one it stands in for.
            Err(_) => {
                found.retain(|file| file.layer == Layer::Managed);
                found.push(Found::named(Path::new(name), Layer::User)?);
            }
        }
        let loaded = config_files::merge(&start, &found, &flags)?;
        Ok(self.judging.judge_by(&loaded, &start))
    }
}
