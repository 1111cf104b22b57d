//! `toolgate output grep`: the lines of an output that match.

use toolgate::overflow::Store;

use super::{open, unread};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{FoundReport, MatchReport};
use crate::ui::Ui;

/// Print the lines of an output that match a regular expression
///
/// With the number of each, as grep(1) prints them. Exits with 1 where none matches.
#[derive(Debug, clap::Args)]
pub(crate) struct Grep {
    /// The id of the output
    id: String,

    /// The regular expression, in Rust's syntax; `(?i)` at its start ignores case
    pattern: String,

    /// Print so many lines before and after each
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0)]
    context: usize,

    /// Print so many matches; all are counted
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

impl Grep {
    pub(super) fn run(self, ui: Ui, store: &Store) -> Result<Exit, Failure> {
        let mut reader = open(store, &self.id)?;
        let found = reader.grep(&self.pattern, self.context, self.limit).map_err(unread)?;
        let text = found.to_string();
        let (shown, total) = (found.matches.len() as u64, found.total);
        if !ui.json() && total > shown {
            ui.say(&format!("{total} lines match, the first {shown} are shown\n"));
        }
        let matches = found.matches.into_iter().map(|hit| MatchReport {
            line: hit.line,
            offset: hit.offset,
            text: hit.text,
            before: hit.before,
            after: hit.after,
        });
        ui.answer(FoundReport { id: self.id, total, matches: matches.collect() }, || text)?;
        Ok(if total > 0 { Exit::Success } else { Exit::No })
    }
}
