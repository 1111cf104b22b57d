//! Writes one output as it streams, and remembers its head and tail.
//!
//! A disk that is full stops the file and nothing else: the command goes on, its end is still in
//! the tail, and the summary says what happened.

use super::store::{OutputId, Reserve};
use crate::terminal::{ceil, floor};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Bytes of the head and of the tail that are remembered.
const HEAD: usize = 16 * 1024;
const TAIL: usize = 48 * 1024;
/// Most bytes of the end that are held back for an output beyond its limit.
const END: usize = 4 * 1024 * 1024;
/// After so many bytes, or what is free beyond the reserve, it is looked whether the disk still has space.
const LOOK: u64 = 4 * 1024 * 1024;

/// What of an output is not in its file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Nothing.
    None,
    /// It was longer than one output may be: the middle is missing.
    Size {
        /// Bytes that are missing.
        bytes: u64,
        /// Lines that are missing.
        lines: u64,
    },
    /// Writing failed: what came after is missing but for the tail in the summary.
    Storage {
        /// Bytes that are missing.
        bytes: u64,
        /// What the system said.
        error: String,
    },
}

/// An output that is being written.
#[derive(Debug)]
pub struct Spool {
    id: OutputId,
    file: Option<File>,
    most: u64,
    written: u64,
    /// The disk, and what must stay free on it.
    watch: Option<(Arc<OwnedFd>, Reserve)>,
    /// Bytes that are written before the next look.
    unlooked: u64,
    bytes: u64,
    lines: u64,
    ends_in_line: bool,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    error: Option<String>,
    /// Beyond the size limit: the end that is written in the place of what is cut.
    ring: VecDeque<u8>,
    cut_lines: u64,
}

/// What is known of an output that has ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SpoolSummary {
    /// Its identifier, to read it by.
    pub id: OutputId,
    /// Bytes the command wrote.
    pub bytes: u64,
    /// Lines the command wrote; a last line without an end counts.
    pub lines: u64,
    /// How it begins.
    pub head: String,
    /// How it ends; empty where the head is all.
    pub tail: String,
    /// Bytes between the two.
    pub omitted_bytes: u64,
    /// Lines between the two.
    pub omitted_lines: u64,
    /// What is missing in the file.
    pub cut: Cut,
}

impl Spool {
    pub(super) fn new(id: OutputId, file: File, most: u64) -> Self {
        Self {
            id,
            file: Some(file),
            most: most.max(1),
            written: 0,
            watch: None,
            unlooked: LOOK,
            bytes: 0,
            lines: 0,
            ends_in_line: false,
            head: Vec::new(),
            tail: VecDeque::new(),
            error: None,
            ring: VecDeque::new(),
            cut_lines: 0,
        }
    }

    /// Stops writing when less than the reserve is free.
    pub(super) fn watching(mut self, watch: (Arc<OwnedFd>, Reserve)) -> Self {
        self.watch = Some(watch);
        self.unlooked = 0;
        self
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> OutputId {
        self.id
    }

    /// Bytes so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes a chunk. Never fails: what cannot be written is counted.
    pub fn write(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.bytes += bytes.len() as u64;
        self.lines += line_ends(bytes);
        self.ends_in_line = bytes.last() == Some(&b'\n');
        let mut rest = bytes;
        if self.head.len() < HEAD {
            let take = rest.len().min(HEAD - self.head.len());
            self.head.extend_from_slice(&rest[..take]);
            rest = &rest[take..];
        }
        push_ring(&mut self.tail, rest, TAIL);
        self.store(bytes);
    }

    fn store(&mut self, bytes: &[u8]) {
        if self.file.is_some() {
            self.look(bytes.len() as u64);
        }
        let Some(file) = &mut self.file else { return };
        // What may be kept of the end is held back, and comes last.
        let end_most = (self.most / 4).min(END as u64);
        let head_most = self.most - end_most;
        let room = usize::try_from(head_most.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let (now, later) = bytes.split_at(bytes.len().min(room));
        if !now.is_empty() {
            match file.write_all(now) {
                Ok(()) => self.written += now.len() as u64,
                Err(error) => {
                    self.error = Some(error.to_string());
                    self.file = None;
                    return;
                }
            }
        }
        if !later.is_empty() {
            let most = usize::try_from(end_most).unwrap_or(END).max(1);
            self.cut_lines += push_ring(&mut self.ring, later, most);
        }
    }

    /// Stops where the disk has filled up meanwhile, or would.
    fn look(&mut self, bytes: u64) {
        if let Some(left) = self.unlooked.checked_sub(bytes) {
            self.unlooked = left;
            return;
        }
        let Some((folder, reserve)) = &self.watch else { return };
        match reserve.room(folder) {
            Ok(room) if room >= bytes => self.unlooked = (room - bytes).min(LOOK),
            _ => {
                self.error = Some("not enough space is left on the disk".to_owned());
                self.file = None;
            }
        }
    }

    /// The output has ended.
    #[must_use]
    pub fn finish(mut self) -> SpoolSummary {
        let lines = self.lines + u64::from(self.bytes > 0 && !self.ends_in_line);
        let mut cut = Cut::None;
        if let Some(mut file) = self.file.take() {
            let end: Vec<u8> = std::mem::take(&mut self.ring).into();
            let missing = self.bytes - self.written - end.len() as u64;
            let mut write = || -> std::io::Result<()> {
                if missing > 0 {
                    let note = format!(
                        "\n[… {missing} bytes ({} lines) of this output were not kept …]\n",
                        self.cut_lines
                    );
                    file.write_all(note.as_bytes())?;
                }
                file.write_all(&end)?;
                file.flush()
            };
            match write() {
                Ok(()) if missing > 0 => cut = Cut::Size { bytes: missing, lines: self.cut_lines },
                Ok(()) => {}
                Err(error) => self.error = Some(error.to_string()),
            }
        }
        if let Some(error) = self.error.take() {
            cut = Cut::Storage { bytes: self.bytes - self.written, error };
        }
        let omitted = self.bytes - self.head.len() as u64 - self.tail.len() as u64;
        let tail: Vec<u8> = self.tail.into();
        let (head, tail) = if omitted == 0 {
            let mut whole = self.head;
            whole.extend_from_slice(&tail);
            (String::from_utf8_lossy(&whole).into_owned(), String::new())
        } else {
            (upto_line(&self.head), from_line(&tail))
        };
        let shown_lines = |text: &str| text.lines().count() as u64;
        let (shown, count) = (head.len() + tail.len(), shown_lines(&head) + shown_lines(&tail));
        SpoolSummary {
            id: self.id,
            bytes: self.bytes,
            lines,
            omitted_bytes: if omitted == 0 { 0 } else { self.bytes.saturating_sub(shown as u64) },
            omitted_lines: if omitted == 0 { 0 } else { lines.saturating_sub(count) },
            head,
            tail,
            cut,
        }
    }
}

/// Keeps the last `most` bytes; gives how many line ends went out.
fn push_ring(ring: &mut VecDeque<u8>, bytes: &[u8], most: usize) -> u64 {
    let mut lines = 0;
    let bytes = if bytes.len() > most {
        let (gone, kept) = bytes.split_at(bytes.len() - most);
        lines += line_ends(gone);
        kept
    } else {
        bytes
    };
    let over = (ring.len() + bytes.len()).saturating_sub(most);
    let (front, back) = ring.as_slices();
    let (first, second) = (&front[..over.min(front.len())], &back[..over.saturating_sub(front.len())]);
    lines += line_ends(first) + line_ends(second);
    ring.drain(..over);
    ring.extend(bytes);
    lines
}

fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The head up to its last line end, or to its last whole character where it is one line.
fn upto_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.rfind('\n') {
        Some(at) => text[..=at].to_owned(),
        None => text[..floor(&text, text.len())].trim_end_matches('\u{fffd}').to_owned(),
    }
}

/// The tail from its first line start, or from its first whole character.
fn from_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.find('\n') {
        Some(at) if at + 1 < text.len() => text[at + 1..].to_owned(),
        _ => text[ceil(&text, 0)..].trim_start_matches('\u{fffd}').to_owned(),
    }
}

impl SpoolSummary {
    /// Head, a mark that says what is between and how to read it, and tail.
    ///
    /// `budget` is how many bytes may be shown; a fifth of them is for the head.
    #[must_use]
    pub fn preview(&self, budget: usize) -> String {
        let whole = self.head.len() + self.tail.len();
        if self.omitted_bytes == 0 && whole <= budget {
            return format!("{}{}", self.head, self.tail);
        }
        let all;
        let (head_text, tail_text) = if self.tail.is_empty() {
            all = &self.head;
            (all.as_str(), all.as_str())
        } else {
            (self.head.as_str(), self.tail.as_str())
        };
        let head_end = floor(head_text, budget / 5);
        let head = match head_text[..head_end].rfind('\n') {
            Some(at) if at > head_end / 2 => &head_text[..=at],
            _ => &head_text[..head_end],
        };
        let tail_from = ceil(tail_text, tail_text.len().saturating_sub(budget - budget / 5));
        let tail = match tail_text[tail_from..].find('\n') {
            Some(at) if at < (tail_text.len() - tail_from) / 2 => &tail_text[tail_from + at + 1..],
            _ => &tail_text[tail_from..],
        };
        let bytes = self.bytes.saturating_sub((head.len() + tail.len()) as u64);
        let lines = self.lines.saturating_sub((head.lines().count() + tail.lines().count()) as u64);
        let from = head.lines().count() + 1;
        let break_before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        let read = if lines == 0 {
            format!("output_read id={} offset={} length=8000", self.id, head.len())
        } else {
            format!("output_read id={} from_line={from} lines=200", self.id)
        };
        format!("{head}{break_before}[… toolgate: {bytes} bytes ({lines} lines) not shown; {read} …]\n{tail}")
    }
}
