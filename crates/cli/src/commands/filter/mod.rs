//! `toolgate filter`: captured output as a model would be shown it.

mod test;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use toolgate::filter::{CaptureOptions, Catalog, Filtered, filter_read};

use super::Globals;
use crate::config_files;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::filter_rules;
use crate::report::FilterReport;
use crate::ui::Ui;

/// Shorten captured output without losing a fact
///
/// Prints the text a model would be shown: noise is gone, secrets are masked, every error, failure, place,
/// count and warning stays. With --json, also what was saved. Reads standard input where no file is named.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Filter {
    #[command(subcommand)]
    verb: Option<Verb>,

    /// The command line whose output it is
    #[arg(long, value_name = "COMMAND", default_value = "")]
    command: String,

    /// The exit status the command ended with
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    exit: i32,

    /// The file with what it wrote to standard output; `-` is standard input
    #[arg(long, value_name = "FILE")]
    stdout: Option<PathBuf>,

    /// The file with what it wrote to standard error; `-` is standard input
    #[arg(long, value_name = "FILE")]
    stderr: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Test(test::Test),
}

impl Filter {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        if let Some(Verb::Test(verb)) = self.verb {
            return verb.run(ui, globals);
        }
        if [&self.stdout, &self.stderr].iter().all(|file| file.as_deref().is_some_and(is_stdin)) {
            return Err(Failure::usage(
                "both streams are to come from standard input",
                "name a file for one of them",
            ));
        }
        let (mut stdout, mut stderr) = (opened(self.stdout.as_deref())?, opened(self.stderr.as_deref())?);
        if self.stdout.is_none() && self.stderr.is_none() {
            stdout = Box::new(io::stdin());
        }
        let start = crate::session_flags::start_dir(None)?;
        let (loaded, _) = config_files::read(&start, &globals.config)?;
        let catalog = match loaded.config.tools.filters.enabled {
            true => filter_rules::catalog(&start, &loaded)?,
            false => Catalog::built_in(),
        };
        let options = CaptureOptions::default();
        let done = filter_read(&catalog, &self.command, self.exit, &mut *stdout, &mut *stderr, options)
            .map_err(|error| Failure::io("reading the output", error))?;
        ui.answer(report(&done), || done.text.clone())?;
        Ok(Exit::Success)
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The file, or nothing where none is named.
fn opened(path: Option<&Path>) -> Result<Box<dyn Read>, Failure> {
    let Some(path) = path else { return Ok(Box::new(io::empty())) };
    if is_stdin(path) {
        return Ok(Box::new(io::stdin()));
    }
    let failed = |error| Failure::io(format!("reading {}", path.display()), error);
    let file = File::open(path).map_err(failed)?;
    match file.metadata().map_err(failed)?.is_dir() {
        true => Err(failed(io::ErrorKind::IsADirectory.into())),
        false => Ok(Box::new(file)),
    }
}

fn report(done: &Filtered) -> FilterReport {
    FilterReport {
        text: done.text.clone(),
        exit: done.exit,
        stats: serde_json::to_value(&done.stats).unwrap_or_default(),
    }
}
