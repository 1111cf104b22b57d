//! Secrets with colour codes inside them (a highlighted match): a line is looked at without its
//! escape sequences, and what is found masks everything from its first to its last byte.

use super::shapes::shapes_in;
use super::text::run;
use aho_corasick::AhoCorasick;
use std::ops::Range;

const ESCAPE: u8 = 0x1b;

/// A line without its escape sequences.
pub(super) struct Plain {
    pub(super) bytes: Vec<u8>,
    /// Where each piece between two sequences begins: here, and in the line.
    pieces: Vec<(usize, usize)>,
}

impl Plain {
    /// `None` where the line has none.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let first = memchr::memchr(ESCAPE, line)?;
        let mut plain = Self { bytes: line[..first].to_vec(), pieces: vec![(0, 0)] };
        let mut at = first;
        while at < line.len() {
            at = sequence_end(line, at).min(line.len());
            let end = memchr::memchr(ESCAPE, &line[at..]).map_or(line.len(), |n| at + n);
            if at < end {
                plain.pieces.push((plain.bytes.len(), at));
                plain.bytes.extend_from_slice(&line[at..end]);
            }
            at = end;
        }
        Some(plain)
    }

    /// Where a byte stood in the line.
    pub(super) fn origin(&self, at: usize) -> usize {
        let piece = self.pieces.partition_point(|(here, _)| *here <= at) - 1;
        let (here, there) = self.pieces[piece];
        there + (at - here)
    }

    /// Where what is found here stood in the line.
    pub(super) fn origins(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let last = span.end.checked_sub(1).filter(|last| *last >= span.start)?;
        Some(self.origin(span.start)..self.origin(last) + 1)
    }
}

/// Where a sequence ends that begins here: `ESC [ … letter`, or ESC and one byte.
fn sequence_end(line: &[u8], at: usize) -> usize {
    match line.get(at + 1) {
        Some(b'[') => run(line, at + 2, |b| (0x20..=0x3f).contains(&b)) + 1,
        _ => at + 2,
    }
}

/// Finds the secrets with escape sequences inside them.
pub(super) fn hidden_by_escapes(bytes: &[u8], values: Option<&AhoCorasick>, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(found) = memchr::memchr(ESCAPE, &bytes[from..]) {
        let start = memchr::memrchr(b'\n', &bytes[..from + found]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &bytes[from + found..]).map_or(bytes.len(), |i| from + found + i);
        let Some(plain) = Plain::of(&bytes[start..end]) else { return };
        let mut inside = Vec::new();
        shapes_in(&plain.bytes, &mut inside);
        if let Some(values) = values {
            inside.extend(values.find_iter(&plain.bytes).map(|m| m.range()));
        }
        let origins = inside.iter().filter_map(|span| plain.origins(span));
        spans.extend(origins.map(|span| start + span.start..start + span.end));
        from = end;
    }
}
