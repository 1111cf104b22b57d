//! The way of one command's output: masked, then to whoever watches, to what is kept, to the filter
//! and to the file that holds what is too long to be shown.
//!
//! Everything happens as the bytes come, in bounded memory. No byte leaves here unmasked; so the last
//! line is held back until it ends, or the command does: it may be half of a secret. Where it waits,
//! as a prompt does, as much of it goes on as no later byte can make a secret. Writing to the file
//! blocks: it goes to the page cache, and a disk that is full fails at once.

use toolgate_exec::{ExitStatus, FilterStats, OutputStream, Session, StoredOutput};
use toolgate_filter::overflow::{OutputId, Spool};
use toolgate_filter::redact::{Redactor, Secrets, redact};
use toolgate_filter::{Filter, Filtered, Stream};

use super::capture::Capture;
use super::render::{Rendered, render};
use crate::output::{Filters, Outputs, SecretValues, exec_stats, leaves_out, shorten, told};

/// Characters shown at most where nobody says how many.
pub const SHOWN_CHARS: usize = 50_000;

/// What every output of a shell passes.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) secrets: SecretValues,
    pub(super) filters: Option<Filters>,
    pub(super) outputs: Option<Outputs>,
}

/// One output on its way.
pub(super) struct Passage {
    command: String,
    secrets: Secrets,
    redactors: [Redactor; 2],
    capture: Capture,
    filter: FilterState,
    outputs: Option<Outputs>,
    /// The id it has if it is kept.
    id: Option<OutputId>,
    spool: SpoolState,
    filtered: Option<Filtered>,
    stats: Option<FilterStats>,
    ended: bool,
}

enum FilterState {
    /// Nobody asked for one.
    Off,
    /// It starts with the first byte: most commands of a session say nothing.
    Waiting(Filters),
    On(Filters, Box<Filter>),
}

enum SpoolState {
    /// All of it is shown so far.
    Unneeded,
    Writing(Box<Spool>),
    Done(StoredOutput),
}

/// An output as it is told.
pub(super) struct Told {
    pub(super) rendered: Rendered,
    /// The text in the place of both streams, where a filter made one.
    pub(super) filtered: Option<String>,
    pub(super) stats: Option<FilterStats>,
    pub(super) stored: Option<StoredOutput>,
}

fn slot(stream: OutputStream) -> usize {
    usize::from(stream == OutputStream::Stderr)
}

fn filter_stream(stream: OutputStream) -> Stream {
    match stream {
        OutputStream::Stdout => Stream::Stdout,
        OutputStream::Stderr => Stream::Stderr,
    }
}

impl Way {
    /// Begins with the output of one command.
    pub(super) fn begin(&self, command: &str, session: &Session) -> Passage {
        let secrets = self.secrets.of(session);
        let most = self.outputs.as_ref().map_or(SHOWN_CHARS, Outputs::threshold);
        Passage {
            command: command.to_owned(),
            redactors: [Redactor::new(secrets.clone()), Redactor::new(secrets.clone())],
            secrets,
            capture: Capture::new(most),
            filter: self.filters.clone().map_or(FilterState::Off, FilterState::Waiting),
            outputs: self.outputs.clone(),
            id: None,
            spool: SpoolState::Unneeded,
            filtered: None,
            stats: None,
            ended: false,
        }
    }
}

impl Passage {
    /// Takes a piece; what of it can be shown now is added to `clean`.
    pub(super) fn push(&mut self, stream: OutputStream, bytes: &[u8], clean: &mut Vec<u8>) {
        let from = clean.len();
        if let Some(redactor) = self.redactors.get_mut(slot(stream)) {
            redactor.push(bytes, clean);
        }
        self.pass(stream, clean.get(from..).unwrap_or_default());
    }

    /// Whether a line waits for its end, and [`Passage::pause`] was not asked yet.
    pub(super) fn waits(&self) -> bool {
        self.redactors.iter().any(Redactor::waits)
    }

    /// Nothing more has come for a while: what is certain of a line that waits for its end.
    pub(super) fn pause(&mut self, stream: OutputStream, clean: &mut Vec<u8>) {
        let from = clean.len();
        if let Some(redactor) = self.redactors.get_mut(slot(stream)) {
            redactor.pause(clean);
        }
        self.pass(stream, clean.get(from..).unwrap_or_default());
    }

    /// A stream has ended: what was held back of its last line.
    pub(super) fn end(&mut self, stream: OutputStream, clean: &mut Vec<u8>) {
        let from = clean.len();
        if let Some(redactor) = self.redactors.get_mut(slot(stream)) {
            redactor.finish(clean);
        }
        self.pass(stream, clean.get(from..).unwrap_or_default());
    }

    fn pass(&mut self, stream: OutputStream, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if matches!(self.spool, SpoolState::Unneeded) && !self.capture.takes_whole(bytes) {
            self.spool();
        }
        if let SpoolState::Writing(spool) = &mut self.spool {
            spool.write(bytes);
        }
        self.capture.push(stream, bytes);
        self.start_filter();
        if let FilterState::On(_, filter) = &mut self.filter {
            filter.push(filter_stream(stream), bytes);
        }
    }

    fn start_filter(&mut self) {
        if !matches!(self.filter, FilterState::Waiting(_)) {
            return;
        }
        let hint = self.id().zip(self.outputs.as_ref()).map(|(id, outputs)| outputs.how(&id.to_string()));
        if let FilterState::Waiting(filters) = std::mem::replace(&mut self.filter, FilterState::Off) {
            let filter = filters.begin(&self.command, self.capture.most(), hint);
            self.filter = FilterState::On(filters, Box::new(filter));
        }
    }

    fn id(&mut self) -> Option<OutputId> {
        if self.id.is_none() {
            self.id = self.outputs.as_ref().and_then(Outputs::id);
        }
        self.id
    }

    /// Begins to write what came so far, while all of it is still there.
    fn spool(&mut self) {
        let (Some(id), Some(outputs)) = (self.id(), &self.outputs) else { return };
        self.spool = match outputs.create(id) {
            Ok(mut spool) => {
                self.capture.kept().iter().for_each(|(_, bytes)| spool.write(bytes));
                SpoolState::Writing(Box::new(spool))
            }
            Err(error) => {
                SpoolState::Done(StoredOutput { error: Some(told(&error)), ..StoredOutput::default() })
            }
        };
    }

    /// No more comes. `exit` is the status as a shell tells it, also of a command that was made to end.
    pub(super) fn finish(&mut self, exit: i32) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let mut rest = Vec::new();
        self.end(OutputStream::Stdout, &mut rest);
        self.end(OutputStream::Stderr, &mut rest);
        if let FilterState::On(filters, filter) = std::mem::replace(&mut self.filter, FilterState::Off) {
            let mut done = filter.finish(exit);
            if self.capture.is_whole() && self.capture.total_bytes() > self.capture.most() as u64 {
                // No more characters than may be shown, but more bytes: the budget must not cut it.
                done = self.filtered_again(&filters, exit);
            }
            self.settle(&filters, done);
        }
        self.close_spool();
    }

    fn filtered_again(&mut self, filters: &Filters, exit: i32) -> Filtered {
        let hint = self.id().zip(self.outputs.as_ref()).map(|(id, outputs)| outputs.how(&id.to_string()));
        let budget = self.capture.most().saturating_mul(8);
        let mut filter = filters.begin(&self.command, budget, hint);
        for (stream, bytes) in self.capture.kept() {
            filter.push(filter_stream(stream), &bytes);
        }
        filter.finish(exit)
    }

    /// Decides whether the filter's text is shown, and keeps what it leaves out.
    fn settle(&mut self, filters: &Filters, mut done: Filtered) {
        let as_it_came = self.capture.is_whole() && !leaves_out(&done);
        let control =
            || self.capture.kept().iter().any(|(_, b)| b.iter().any(|b| matches!(b, 0x1b | b'\r' | 8)));
        if as_it_came && done.filtered_tokens >= done.raw_tokens && !control() {
            done.text.clear();
        }
        if leaves_out(&done) {
            self.keep();
            self.tell_where(&mut done);
        }
        if let (Some(id), Some(outputs), SpoolState::Done(StoredOutput { id: None, .. })) =
            (self.id, &self.outputs, &self.spool)
        {
            // It could not be kept, so nothing must tell to read it.
            let how = format!("; {}", outputs.how(&id.to_string()));
            done.text = done.text.replace(&how, "");
        }
        let command = redact(self.command.trim(), &self.secrets).into_owned();
        let mut stats = exec_stats(&done, command);
        if done.text.is_empty() {
            stats.filtered_chars = stats.raw_chars;
        }
        filters.finished(&stats);
        self.stats = Some(stats);
        self.filtered = (!done.text.is_empty()).then_some(done);
    }

    /// Says how to read on where the filter did not: of a line that was cut it gives no count.
    fn tell_where(&self, done: &mut Filtered) {
        if let (0, Some(id), Some(outputs)) = (done.hidden_lines, self.id, &self.outputs) {
            done.text.push_str(&format!("[not all of it shown; {}]\n", outputs.how(&id.to_string())));
        }
    }

    /// Writes all of it, where it was short enough to be shown.
    fn keep(&mut self) {
        if matches!(self.spool, SpoolState::Unneeded) {
            self.spool();
        }
    }

    fn close_spool(&mut self) {
        self.spool = match std::mem::replace(&mut self.spool, SpoolState::Unneeded) {
            SpoolState::Writing(spool) => match &self.outputs {
                Some(outputs) => SpoolState::Done(outputs.finish(*spool)),
                None => SpoolState::Unneeded,
            },
            SpoolState::Done(mut stored) => {
                stored.bytes = self.capture.total_bytes();
                stored.missing_bytes = stored.bytes;
                stored.lines = self.capture.total_lines();
                SpoolState::Done(stored)
            }
            SpoolState::Unneeded => SpoolState::Unneeded,
        };
    }

    /// The output as far as it has come.
    pub(super) fn told(&self) -> Told {
        let stored = match &self.spool {
            SpoolState::Done(stored) => Some(stored.clone()),
            SpoolState::Writing(spool) => self.outputs.as_ref().map(|outputs| StoredOutput {
                id: Some(spool.id().to_string()),
                bytes: self.capture.total_bytes(),
                lines: self.capture.total_lines(),
                read: Some(outputs.how(&spool.id().to_string())),
                ..StoredOutput::default()
            }),
            SpoolState::Unneeded => None,
        };
        let id = stored.as_ref().and_then(|stored| stored.id.as_ref());
        let not_kept = stored.as_ref().and_then(StoredOutput::not_kept);
        let how = |line, byte, by_line| {
            let read = id.zip(self.outputs.as_ref());
            let read = read.map(|(id, outputs)| outputs.how_from(id, line, byte, by_line));
            [read, not_kept.clone()].into_iter().flatten().reduce(|read, what| format!("{read}; {what}"))
        };
        let rendered = render(&self.capture, &how);
        let most = self.capture.most();
        let filtered = self.filtered.as_ref().map(|done| {
            let text = done.text.trim_end();
            let text = match shorten(text, most) {
                None => text.to_owned(),
                Some((head, tail)) => {
                    let hidden = text.len() - head.len() - tail.len();
                    let how = stored.as_ref().and_then(|stored| stored.read.clone());
                    let how = how.map_or_else(String::new, |how| format!("; {how}"));
                    format!(
                        "{}\n[… toolgate: {hidden} bytes of this not shown{how} …]\n{tail}",
                        head.trim_end()
                    )
                }
            };
            match &not_kept {
                Some(what) => format!("{text}\n[toolgate: the whole output: {what}]"),
                None => text,
            }
        });
        Told { rendered, filtered, stats: self.stats.clone(), stored }
    }
}

/// The status that stands for how a command ended, where the system told none.
pub(super) fn shell_code(exit: Option<ExitStatus>, otherwise: i32) -> i32 {
    exit.map_or(otherwise, ExitStatus::shell_code)
}
