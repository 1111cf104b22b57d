//! `toolgate output list`: the outputs that are kept.

use std::time::{SystemTime, UNIX_EPOCH};

use toolgate::overflow::Store;

use super::failed;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{OutputReport, OutputsReport};
use crate::ui::{Style, Ui};

/// List the outputs that are kept, the newest first
#[derive(Debug, clap::Args)]
pub(crate) struct List {}

impl List {
    pub(super) fn run(self, ui: Ui, store: &Store) -> Result<Exit, Failure> {
        let mut found = store.list().map_err(failed)?;
        found.sort_by_key(|output| std::cmp::Reverse(output.changed));
        let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let now = seconds(SystemTime::now());
        let outputs: Vec<_> = found
            .iter()
            .map(|output| OutputReport {
                id: output.id.to_string(),
                bytes: output.bytes,
                changed: seconds(output.changed),
            })
            .collect();
        let human = || {
            let line = |output: &OutputReport| {
                let age = ui.out_style(Style::Faint, &ago(now.saturating_sub(output.changed)));
                format!("{}  {:>12} bytes  {age}\n", output.id, output.bytes)
            };
            outputs.iter().map(line).collect()
        };
        let report = OutputsReport { outputs: outputs.clone(), dir: store.path().display().to_string() };
        ui.answer(report, human)?;
        Ok(Exit::Success)
    }
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}
