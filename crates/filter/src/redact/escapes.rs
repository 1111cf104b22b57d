//! Secrets that a terminal shows in one piece though they are not written so: with colour codes or
//! links inside them, or with characters that are taken back or struck twice, as bold ones of a
//! manual page are. A line is looked at as it is shown, and what is found masks everything from its
//! first to its last byte.

use super::shapes::shapes_in;
use super::text::run;
use aho_corasick::AhoCorasick;
use std::ops::Range;

const ESCAPE: u8 = 0x1b;
const BACKSPACE: u8 = 8;

/// A line without its escape sequences, and without what backspaces took back.
pub(super) struct Plain {
    pub(super) bytes: Vec<u8>,
    /// Where each piece between two of them begins: here, and in the line.
    pieces: Vec<(usize, usize)>,
}

/// The first byte from which on a line is not shown as it is written.
fn unshown(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(ESCAPE, BACKSPACE, bytes)
}

impl Plain {
    /// `None` where the line has none.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let first = unshown(line)?;
        let mut plain = Self { bytes: line[..first].to_vec(), pieces: vec![(0, 0)] };
        let mut at = first;
        while at < line.len() {
            if line[at] == BACKSPACE {
                plain.take_back();
                at += 1;
            } else {
                at = sequence_end(line, at).min(line.len());
            }
            let end = unshown(&line[at..]).map_or(line.len(), |n| at + n);
            if at < end {
                plain.pieces.push((plain.bytes.len(), at));
                plain.bytes.extend_from_slice(&line[at..end]);
            }
            at = end;
        }
        Some(plain)
    }

    /// Takes the last character back.
    fn take_back(&mut self) {
        while self.bytes.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
        while self.pieces.last().is_some_and(|(here, _)| *here > self.bytes.len()) {
            self.pieces.pop();
        }
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

/// How much of a line's beginning no later byte can put inside a title or a link.
pub(super) fn decided(line: &[u8]) -> usize {
    let end = line.strip_suffix(&[ESCAPE]).unwrap_or(line).len();
    match memchr::memrchr(ESCAPE, &line[..end]) {
        Some(at) if is_string(line.get(at + 1)) && memchr::memchr(7, &line[at..end]).is_none() => at,
        _ => line.len(),
    }
}

fn is_string(kind: Option<&u8>) -> bool {
    matches!(kind, Some(b']' | b'P' | b'X' | b'^' | b'_'))
}

/// Where a sequence ends that begins here, as [`crate::terminal`] reads them.
fn sequence_end(line: &[u8], at: usize) -> usize {
    let Some(kind) = line.get(at + 1) else { return at + 1 };
    match kind {
        b'[' => run(line, at + 2, |b| (0x20..=0x3f).contains(&b)) + 1,
        // A title or a link. Without an end only the opening goes.
        kind if is_string(Some(kind)) => {
            let text = &line[at + 2..];
            match memchr::memchr2(7, ESCAPE, text).map(|end| (end, &text[end..])) {
                Some((end, [7, ..])) => at + 2 + end + 1,
                Some((end, [ESCAPE, b'\\', ..])) => at + 2 + end + 2,
                _ => at + 2,
            }
        }
        b'(' | b')' | b'*' | b'+' | b'-' | b'.' | b'/' | b'#' | b'%' | b' ' => at + 3,
        _ => at + 2,
    }
}

/// Finds the secrets that are not written in one piece.
pub(super) fn hidden_by_escapes(bytes: &[u8], values: Option<&AhoCorasick>, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(found) = unshown(&bytes[from..]) {
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
