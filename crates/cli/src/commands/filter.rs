//! `toolgate filter`: captured output as a model would be shown it.

use std::path::{Path, PathBuf};

use toolgate::filter::{CaptureOptions, Catalog, Filtered, filter_captured};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::FilterReport;
use crate::ui::Ui;

/// Shorten captured output without losing a fact
///
/// Prints the text a model would be shown: noise is gone, secrets are masked, every error, failure, place,
/// count and warning stays. With --json, also what was saved.
#[derive(Debug, clap::Args)]
pub(crate) struct Filter {
    /// The command line whose output it is
    #[arg(long, value_name = "COMMAND", default_value = "")]
    command: String,

    /// The exit status the command ended with
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    exit: i32,

    /// The file with what it wrote to standard output
    #[arg(long, value_name = "FILE")]
    stdout: Option<PathBuf>,

    /// The file with what it wrote to standard error
    #[arg(long, value_name = "FILE")]
    stderr: Option<PathBuf>,
}

impl Filter {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let read = |file: &Option<PathBuf>| file.as_deref().map_or(Ok(Vec::new()), contents);
        let (mut stdout, stderr) = (read(&self.stdout)?, read(&self.stderr)?);
        if self.stdout.is_none() && self.stderr.is_none() {
            std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut stdout)
                .map_err(|error| Failure::io("reading stdin", error))?;
        }
        let catalog = Catalog::built_in();
        let done =
            filter_captured(&catalog, &self.command, self.exit, &stdout, &stderr, CaptureOptions::default());
        ui.answer(report(&done), || done.text.clone())?;
        Ok(Exit::Success)
    }
}

fn contents(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::io(format!("reading {}", path.display()), error))
}

fn report(done: &Filtered) -> FilterReport {
    FilterReport {
        text: done.text.clone(),
        exit: done.exit,
        stats: serde_json::to_value(&done.stats).unwrap_or_default(),
    }
}
