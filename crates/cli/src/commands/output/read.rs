//! `toolgate output read`: lines or bytes of an output.

use std::io::{self, Write};

use toolgate::overflow::Store;

use super::{open, unread};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::WindowReport;
use crate::ui::Ui;

/// Print lines of an output, or bytes of it
///
/// What is printed goes to stdout; whether more follows is said on stderr.
#[derive(Debug, clap::Args)]
pub(crate) struct Read {
    /// The id of the output
    id: String,

    /// Begin with this line; lines count from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    from_line: u64,

    /// Print so many lines
    #[arg(long, value_name = "N", default_value_t = 200)]
    lines: u64,

    /// Go by bytes, from this one on: for lines that are too long to go by
    #[arg(long, value_name = "BYTE", conflicts_with_all = ["from_line", "lines"])]
    offset: Option<u64>,

    /// Print so many bytes
    #[arg(long, value_name = "BYTES", conflicts_with_all = ["from_line", "lines"])]
    length: Option<usize>,

    /// Print all of it
    #[arg(long, conflicts_with_all = ["from_line", "lines", "offset", "length"])]
    all: bool,
}

/// Bytes that are printed where nobody says how many.
const LENGTH: usize = 8_000;
/// Bytes that are copied at once.
const PIECE: usize = 128 * 1024;

impl Read {
    pub(super) fn run(self, ui: Ui, store: &Store) -> Result<Exit, Failure> {
        if self.all && !ui.json() {
            self.copy(store)?;
            return Ok(Exit::Success);
        }
        let report = if self.all || self.offset.is_some() || self.length.is_some() {
            self.bytes(store)?
        } else {
            self.by_lines(store)?
        };
        if !ui.json() && report.more {
            let next = match (report.end, report.from_line, report.lines) {
                (Some(end), ..) => format!("--offset {end}"),
                (None, from, lines) => {
                    format!("--from-line {}", from.unwrap_or(1) + lines.unwrap_or(0))
                }
            };
            ui.say(&format!("more: toolgate output read {} {next}\n", report.id));
        }
        let text = report.text.clone();
        ui.answer(report, || text)?;
        Ok(Exit::Success)
    }

    fn by_lines(&self, store: &Store) -> Result<WindowReport, Failure> {
        let mut reader = open(store, &self.id)?;
        let found = reader.lines(self.from_line, self.lines).map_err(unread)?;
        Ok(WindowReport {
            id: self.id.clone(),
            text: found.text,
            from_line: Some(found.from),
            lines: Some(found.count),
            offset: None,
            end: None,
            more: found.more,
            total_bytes: reader.size(),
        })
    }

    fn bytes(&self, store: &Store) -> Result<WindowReport, Failure> {
        let mut reader = open(store, &self.id)?;
        let length = self.length.unwrap_or(if self.all { usize::MAX } else { LENGTH });
        let piece = reader.bytes(self.offset.unwrap_or(0), length).map_err(unread)?;
        Ok(WindowReport {
            id: self.id.clone(),
            text: piece.text,
            from_line: None,
            lines: None,
            offset: Some(piece.offset),
            end: Some(piece.end),
            more: piece.more,
            total_bytes: piece.total,
        })
    }

    fn copy(&self, store: &Store) -> Result<(), Failure> {
        let mut reader = open(store, &self.id)?;
        let mut out = io::stdout().lock();
        let mut at = 0;
        loop {
            let piece = reader.bytes(at, PIECE).map_err(unread)?;
            out.write_all(piece.text.as_bytes()).map_err(Failure::writing)?;
            if !piece.more || piece.end == at {
                return out.flush().map_err(Failure::writing);
            }
            at = piece.end;
        }
    }
}
