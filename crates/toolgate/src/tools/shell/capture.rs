//! The part of a command's output that is kept: its head and its tail, within bounds.
//!
//! Both streams share the bounds and are kept in the order in which they came. Bytes are kept as
//! they are; they become text when they are shown, whole characters only. What is kept are as many
//! bytes as the characters that may be shown can have, so that an output of no more characters is whole.

use std::collections::VecDeque;

use toolgate_exec::{OutputStream, Truncation};

use crate::output::{first_chars, last_chars, starts_character};

/// The longest character (RFC 3629).
const LONGEST_CHARACTER: usize = 4;

/// Head and tail of an output.
#[derive(Debug)]
pub(super) struct Capture {
    /// Characters that are shown at most.
    most: usize,
    head: Vec<u8>,
    head_runs: Vec<Run>,
    tail: VecDeque<u8>,
    tail_runs: VecDeque<Run>,
    total: [Count; 2],
}

/// Bytes of one stream in a row.
#[derive(Clone, Copy, Debug)]
struct Run {
    stream: OutputStream,
    len: u32,
}

/// How much there was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    bytes: u64,
    lines: u64,
    characters: u64,
}

impl Count {
    fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, lines: line_ends(bytes), characters: characters(bytes) as u64 }
    }

    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.characters += other.characters;
    }
}

/// A piece of what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Bytes of one stream.
    Bytes(OutputStream, Vec<u8>),
    /// Here something is missing; the streams of which something is missing.
    Gap(Vec<OutputStream>),
}

const STREAMS: [OutputStream; 2] = [OutputStream::Stdout, OutputStream::Stderr];

fn index(stream: OutputStream) -> usize {
    match stream {
        OutputStream::Stdout => 0,
        OutputStream::Stderr => 1,
    }
}

impl Capture {
    /// Keeps what `most` characters need.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            head: Vec::new(),
            head_runs: Vec::new(),
            tail: VecDeque::new(),
            tail_runs: VecDeque::new(),
            total: Default::default(),
        }
    }

    /// Characters that are shown at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Bytes that are kept of the head, and of the tail.
    fn bounds(&self) -> (usize, usize) {
        let head = (self.most / 5).saturating_mul(LONGEST_CHARACTER);
        (head, self.most.saturating_mul(LONGEST_CHARACTER).saturating_sub(head))
    }

    /// Takes a piece of output.
    pub(super) fn push(&mut self, stream: OutputStream, bytes: &[u8]) {
        let (head_bytes, tail_bytes) = self.bounds();
        let whole = self.keeps_all();
        if let Some(total) = self.total.get_mut(index(stream)) {
            // Characters only count as long as all of it might be shown.
            let characters = if whole { characters(bytes) as u64 } else { 0 };
            total.add(Count { bytes: bytes.len() as u64, lines: line_ends(bytes), characters });
        }
        let (head, rest) = bytes.split_at(bytes.len().min(head_bytes - self.head.len()));
        if !head.is_empty() {
            self.head.extend_from_slice(head);
            let run = longer(self.head_runs.last_mut(), stream, head.len());
            self.head_runs.extend(run);
        }
        // Of a piece longer than the tail only its end can stay.
        let rest = rest.get(rest.len().saturating_sub(tail_bytes)..).unwrap_or_default();
        if rest.is_empty() {
            return;
        }
        self.forget((self.tail.len() + rest.len()).saturating_sub(tail_bytes));
        self.tail.extend(rest);
        let run = longer(self.tail_runs.back_mut(), stream, rest.len());
        self.tail_runs.extend(run);
    }

    /// Drops bytes from the beginning of the tail.
    fn forget(&mut self, mut bytes: usize) {
        self.tail.drain(..bytes.min(self.tail.len()));
        while bytes > 0 {
            let Some(run) = self.tail_runs.front_mut() else { return };
            let part = bytes.min(run.len as usize);
            bytes -= part;
            run.len -= u32::try_from(part).unwrap_or(run.len);
            if run.len == 0 {
                self.tail_runs.pop_front();
            }
        }
    }

    /// All bytes that came.
    pub(super) fn total_bytes(&self) -> u64 {
        self.total.iter().map(|count| count.bytes).sum()
    }

    /// All lines that came; a last one without an end counts.
    pub(super) fn total_lines(&self) -> u64 {
        let ends: u64 = self.total.iter().map(|count| count.lines).sum();
        let last = self.tail.back().or(self.head.last());
        ends + u64::from(!matches!(last, None | Some(b'\n')))
    }

    /// All characters that came, as far as all of it is kept.
    fn characters(&self) -> usize {
        self.total.iter().map(|count| usize::try_from(count.characters).unwrap_or(usize::MAX)).sum()
    }

    /// Whether every byte is kept.
    fn keeps_all(&self) -> bool {
        self.total_bytes() == (self.head.len() + self.tail.len()) as u64
    }

    /// Whether all of it is shown.
    pub(super) fn is_whole(&self) -> bool {
        self.keeps_all() && self.characters() <= self.most
    }

    /// Whether all would still be kept, and shown, after these bytes.
    pub(super) fn takes_whole(&self, bytes: &[u8]) -> bool {
        let (head, tail) = self.bounds();
        self.keeps_all()
            && self.total_bytes().saturating_add(bytes.len() as u64) <= (head + tail) as u64
            && self.characters().saturating_add(characters(bytes)) <= self.most
    }

    /// Everything that is kept, in the order in which it came.
    pub(super) fn kept(&self) -> Vec<(OutputStream, Vec<u8>)> {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let tail_runs: Vec<Run> = self.tail_runs.iter().copied().collect();
        let all = cut(&self.head, &self.head_runs).into_iter().chain(cut(&tail, &tail_runs));
        all.map(|(stream, bytes)| (stream, bytes.to_vec())).collect()
    }

    /// What is shown, in the order in which it came, and what is not.
    pub(super) fn pieces(&self) -> (Vec<Piece>, Option<Truncation>) {
        let mut head = cut(&self.head, &self.head_runs);
        let tail_bytes: Vec<u8> = self.tail.iter().copied().collect();
        let tail_runs: Vec<Run> = self.tail_runs.iter().copied().collect();
        let mut tail = cut(&tail_bytes, &tail_runs);
        if !self.is_whole() {
            if self.keeps_all() {
                // One text, of which the middle goes.
                let all: Vec<_> = head.iter().chain(&tail).copied().collect();
                (head, tail) = (all.clone(), all);
            }
            keep_first(&mut head, self.most / 5);
            keep_last(&mut tail, self.most - self.most / 5);
        }

        let kept_of = |pieces: &[(OutputStream, &[u8])], stream| {
            pieces.iter().filter(|(s, _)| *s == stream).map(|(_, b)| b.len() as u64).sum::<u64>()
        };
        let missing: Vec<OutputStream> = STREAMS
            .into_iter()
            .filter(|s| {
                let total = self.total.get(index(*s)).map_or(0, |count| count.bytes);
                kept_of(&head, *s) + kept_of(&tail, *s) < total
            })
            .collect();
        for stream in &missing {
            if let Some((_, last)) = head.iter_mut().rev().find(|(s, _)| s == stream) {
                *last = without_cut_end(last);
            }
            if let Some((_, first)) = tail.iter_mut().find(|(s, _)| s == stream) {
                *first = without_cut_start(first);
            }
        }

        let mut kept = Count::default();
        head.iter().chain(&tail).for_each(|(_, bytes)| kept.add(Count::of(bytes)));
        let mut pieces = Vec::new();
        let owned = |(stream, bytes): &(OutputStream, &[u8])| Piece::Bytes(*stream, bytes.to_vec());
        pieces.extend(head.iter().filter(|(_, b)| !b.is_empty()).map(owned));
        let gap = !missing.is_empty();
        if gap {
            pieces.push(Piece::Gap(missing));
        }
        pieces.extend(tail.iter().filter(|(_, b)| !b.is_empty()).map(owned));
        let lines: u64 = self.total.iter().map(|count| count.lines).sum();
        let truncation = gap.then(|| Truncation {
            total_bytes: self.total_bytes(),
            dropped_bytes: self.total_bytes() - kept.bytes,
            dropped_lines: lines - kept.lines,
        });
        (pieces, truncation)
    }
}

/// Leaves the first `most` characters, to a line end where that is near.
fn keep_first(pieces: &mut Vec<(OutputStream, &[u8])>, most: usize) {
    let mut left = most;
    for at in 0..pieces.len() {
        let Some((_, bytes)) = pieces.get_mut(at) else { return };
        if let Some(end) = first_chars(bytes, left) {
            *bytes = bytes.get(..end).unwrap_or_default();
            pieces.truncate(at + 1);
            return;
        }
        left -= characters(bytes);
    }
}

/// Leaves the last `most` characters, from a line's beginning where that is near.
fn keep_last(pieces: &mut Vec<(OutputStream, &[u8])>, most: usize) {
    let mut left = most;
    for at in (0..pieces.len()).rev() {
        let Some((_, bytes)) = pieces.get_mut(at) else { return };
        if let Some(start) = last_chars(bytes, left) {
            *bytes = bytes.get(start..).unwrap_or_default();
            pieces.drain(..at);
            return;
        }
        left -= characters(bytes);
    }
}

/// How many characters begin in these bytes.
pub(super) fn characters(bytes: &[u8]) -> usize {
    let of = |part: &[u8]| usize::from(part.iter().fold(0u8, |n, b| n + u8::from(starts_character(*b))));
    bytes.chunks(255).map(of).sum()
}

/// Adds to the last run where it is of the same stream, else gives a new one.
fn longer(last: Option<&mut Run>, stream: OutputStream, len: usize) -> Option<Run> {
    // Never more than the bounds above.
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    match last {
        Some(run) if run.stream == stream => {
            run.len += len;
            None
        }
        _ => Some(Run { stream, len }),
    }
}

fn cut<'a>(mut bytes: &'a [u8], runs: &[Run]) -> Vec<(OutputStream, &'a [u8])> {
    runs.iter()
        .map(|run| {
            let (piece, rest) = bytes.split_at((run.len as usize).min(bytes.len()));
            bytes = rest;
            (run.stream, piece)
        })
        .collect()
}

/// Without the beginning of a character whose rest is missing.
pub(super) fn without_cut_end(bytes: &[u8]) -> &[u8] {
    let whole = bytes.len() - cut_end(bytes);
    bytes.get(..whole).unwrap_or(bytes)
}

/// How many bytes at the end are the beginning of a character whose rest may come yet.
pub(super) fn cut_end(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let Some(byte) = bytes.get(bytes.len() - back) else { return 0 };
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        return if length > back { back } else { 0 };
    }
    0
}

/// Without the end of a character whose beginning is missing.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|b| matches!(b, 0x80..=0xbf)).count();
    bytes.get(rest..).unwrap_or(bytes)
}

/// How many line feeds there are.
///
/// In steps that a byte can count, so that the compiler turns it into sixteen counts at once.
pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    bytes.chunks(255).map(|part| u64::from(part.iter().fold(0u8, |n, b| n + u8::from(*b == b'\n')))).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use OutputStream::{Stderr, Stdout};

    fn text(pieces: &[Piece], stream: OutputStream) -> Vec<u8> {
        let of = |piece: &Piece| match piece {
            Piece::Bytes(s, bytes) if *s == stream => bytes.clone(),
            _ => Vec::new(),
        };
        pieces.iter().flat_map(of).collect()
    }

    #[test]
    fn an_output_of_no_more_characters_is_whole() {
        let mut capture = Capture::new(1_000);
        capture.push(Stdout, "🦀".repeat(200).as_bytes());
        assert!(capture.takes_whole("é".repeat(800).as_bytes()) && !capture.takes_whole(&[b'b'; 801]));
        capture.push(Stderr, "é".repeat(800).as_bytes());
        let (pieces, truncation) = capture.pieces();
        assert_eq!((truncation, pieces.len(), capture.is_whole()), (None, 2, true));
    }

    #[test]
    fn one_character_more_is_cut_and_counted() {
        let mut capture = Capture::new(1_000);
        capture.push(Stdout, &[b'\n'; 1_001]);
        let (pieces, truncation) = capture.pieces();
        assert_eq!(truncation, Some(Truncation { total_bytes: 1_001, dropped_bytes: 1, dropped_lines: 1 }));
        assert_eq!(pieces[1], Piece::Gap(vec![Stdout]));
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut capture = Capture::new(50_000);
        for n in 0..300_000_u32 {
            capture.push(if n % 2 == 0 { Stdout } else { Stderr }, b"x");
        }
        for _ in 0..1000 {
            capture.push(Stdout, &[b'y'; 70_000]);
        }
        let (head, tail) = capture.bounds();
        assert_eq!(head + tail, 200_000);
        assert!(capture.head.capacity() <= 2 * head && capture.tail.capacity() <= 4 * tail);
        assert!(capture.head_runs.capacity() <= 2 * head && capture.tail_runs.capacity() <= 2 * tail);
        assert_eq!(capture.total_bytes(), 70_300_000);
    }

    #[test]
    fn a_character_of_which_only_a_part_is_shown_is_not_shown() {
        let mut capture = Capture::new(1_000);
        capture.push(Stdout, &[b'x'; 799]);
        capture.push(Stderr, &"é".as_bytes()[..1]);
        capture.push(Stdout, &vec![b'x'; 100_000]);
        capture.push(Stderr, &"é".as_bytes()[1..]);
        let (pieces, truncation) = capture.pieces();
        assert_eq!(text(&pieces, Stderr), b"");
        assert_eq!(truncation.unwrap().dropped_bytes, 100_801 - text(&pieces, Stdout).len() as u64);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn head_tail_and_counts_are_true(
            chunks in prop::collection::vec((any::<bool>(), "[aé€🦀\n]{0,12}", 0usize..150), 0..24),
        ) {
            const MOST: usize = 3_000;
            let mut capture = Capture::new(MOST);
            let mut all: Vec<(OutputStream, u8)> = Vec::new();
            let mut per_stream = [Vec::new(), Vec::new()];
            for (out, unit, times) in &chunks {
                let stream = if *out { Stdout } else { Stderr };
                let bytes = unit.repeat(*times).into_bytes();
                capture.push(stream, &bytes);
                all.extend(bytes.iter().map(|b| (stream, *b)));
                per_stream[index(stream)].extend(bytes);
            }
            let (pieces, truncation) = capture.pieces();
            let flat: Vec<(OutputStream, u8)> = pieces.iter().flat_map(|p| match p {
                Piece::Bytes(s, b) => b.iter().map(|b| (*s, *b)).collect::<Vec<_>>(),
                Piece::Gap(_) => vec![],
            }).collect();
            let lines_of = |bytes: &[(OutputStream, u8)]| bytes.iter().filter(|(_, b)| *b == b'\n').count() as u64;
            let shown = flat.iter().filter(|(_, b)| starts_character(*b)).count();
            prop_assert!(shown <= MOST);
            if all.iter().filter(|(_, b)| starts_character(*b)).count() <= MOST {
                prop_assert_eq!(truncation, None);
                prop_assert_eq!(flat, all);
            } else {
                let cut = truncation.unwrap();
                prop_assert_eq!(cut.total_bytes, all.len() as u64);
                prop_assert_eq!(cut.dropped_bytes + flat.len() as u64, all.len() as u64);
                prop_assert_eq!(cut.dropped_lines + lines_of(&flat), lines_of(&all));
                // Going back to a line end costs at most half of either part.
                prop_assert!(shown + 8 >= MOST / 2);
                // Every input was whole characters, so every kept stream is.
                for stream in STREAMS {
                    let kept = text(&pieces, stream);
                    prop_assert!(std::str::from_utf8(&kept).is_ok());
                    let gap = pieces.iter().position(|p| matches!(p, Piece::Gap(_))).unwrap();
                    prop_assert!(per_stream[index(stream)].starts_with(&text(&pieces[..gap], stream)));
                    prop_assert!(per_stream[index(stream)].ends_with(&text(&pieces[gap..], stream)));
                }
            }
        }

        #[test]
        fn what_is_held_back_is_a_beginning_only(text in "[aé€🦀]{0,6}", split in 0usize..24) {
            let bytes = text.as_bytes();
            let part = &bytes[..split.min(bytes.len())];
            prop_assert!(std::str::from_utf8(without_cut_end(part)).is_ok());
            prop_assert!(cut_end(part) <= 3);
        }
    }
}
