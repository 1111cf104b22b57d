//! Folds kernel threads of a process table, and shortens command lines that fill a screen.

use super::{Line, Next, Stage};
use crate::terminal::floor;

/// A longer command line is cut.
const LONG: usize = 200;

#[derive(Default)]
pub(crate) struct Processes {
    /// Column where commands begin, from the heading.
    column: Option<usize>,
    slot: Option<usize>,
    kernel: u64,
    cut: u64,
}

/// `[kworker/0:1-events]` at the end of a row.
fn kernel_thread(text: &str) -> bool {
    let Some(command) = text.rsplit_once(" [").map(|(_, c)| c) else { return false };
    // A kernel thread has no memory of its own.
    command.ends_with(']')
        && !command.contains(' ')
        && text.split_whitespace().filter(|f| *f == "0").count() >= 2
}

impl Stage for Processes {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return next.line(line);
        }
        let text = line.text;
        let heading = text.contains("PID") && (text.contains("COMMAND") || text.contains("CMD"));
        if heading {
            self.column = text.find("COMMAND").or_else(|| text.find("CMD"));
            return next.line(line.known());
        }
        let Some(column) = self.column else { return next.line(line) };
        if kernel_thread(text) {
            self.kernel += 1;
            if self.kernel == 1 {
                next.line(line.known());
                self.slot = Some(next.slot());
            }
            return;
        }
        if text.len() > column + LONG {
            let end = floor(text, column + LONG);
            self.cut += 1;
            return next.line(Line {
                text: &format!("{}[… {} bytes]", &text[..end], text.len() - end),
                ..line.known()
            });
        }
        next.line(line.known());
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        if let Some(slot) = self.slot
            && self.kernel > 1
        {
            next.sink.fill(slot, format!("[… {} more kernel threads …]", self.kernel - 1));
            next.folded(self.kernel - 1);
        }
    }
}
