//! The part of a command's output that is kept: its head and its tail, within fixed bounds.
//!
//! Both streams share the bounds and are kept in the order in which they came. Bytes are kept as
//! they are; they become text when they are shown, whole characters only.

use std::collections::VecDeque;

use toolgate_exec::{OutputStream, Truncation};

/// Bytes kept from the beginning.
pub const HEAD_BYTES: usize = 16 * 1024;
/// Bytes kept from the end.
pub const TAIL_BYTES: usize = 48 * 1024;

/// Head and tail of an output.
#[derive(Debug, Default)]
pub(super) struct Capture {
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
}

impl Count {
    fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, lines: line_ends(bytes) }
    }

    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
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
    /// Takes a piece of output.
    pub(super) fn push(&mut self, stream: OutputStream, bytes: &[u8]) {
        if let Some(total) = self.total.get_mut(index(stream)) {
            total.add(Count::of(bytes));
        }
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES - self.head.len()));
        if !head.is_empty() {
            self.head.extend_from_slice(head);
            let run = longer(self.head_runs.last_mut(), stream, head.len());
            self.head_runs.extend(run);
        }
        // Of a piece longer than the tail only its end can stay.
        let rest = rest.get(rest.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default();
        if rest.is_empty() {
            return;
        }
        self.forget((self.tail.len() + rest.len()).saturating_sub(TAIL_BYTES));
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
    fn total_bytes(&self) -> u64 {
        self.total.iter().map(|count| count.bytes).sum()
    }

    /// What is kept, in the order in which it came, and what is not.
    pub(super) fn pieces(&self) -> (Vec<Piece>, Option<Truncation>) {
        let mut head = cut(&self.head, &self.head_runs);
        let tail_bytes: Vec<u8> = self.tail.iter().copied().collect();
        let tail_runs: Vec<Run> = self.tail_runs.iter().copied().collect();
        let mut tail = cut(&tail_bytes, &tail_runs);

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
fn line_ends(bytes: &[u8]) -> u64 {
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
    fn an_output_within_the_bounds_is_whole() {
        let mut capture = Capture::default();
        capture.push(Stdout, &[b'a'; HEAD_BYTES]);
        capture.push(Stderr, &[b'b'; TAIL_BYTES]);
        let (pieces, truncation) = capture.pieces();
        assert_eq!(truncation, None);
        assert_eq!(pieces.len(), 2);
    }

    #[test]
    fn one_byte_more_is_cut_and_counted() {
        let mut capture = Capture::default();
        capture.push(Stdout, &[b'\n'; HEAD_BYTES + TAIL_BYTES + 1]);
        let (pieces, truncation) = capture.pieces();
        let total_bytes = (HEAD_BYTES + TAIL_BYTES + 1) as u64;
        assert_eq!(truncation, Some(Truncation { total_bytes, dropped_bytes: 1, dropped_lines: 1 }));
        assert_eq!(pieces[1], Piece::Gap(vec![Stdout]));
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut capture = Capture::default();
        for n in 0..300_000_u32 {
            capture.push(if n % 2 == 0 { Stdout } else { Stderr }, b"x");
        }
        for _ in 0..1000 {
            capture.push(Stdout, &[b'y'; 70_000]);
        }
        assert!(capture.head.capacity() <= 2 * HEAD_BYTES);
        assert!(capture.tail.capacity() <= 4 * TAIL_BYTES);
        assert!(capture.head_runs.capacity() <= 2 * HEAD_BYTES);
        assert!(capture.tail_runs.capacity() <= 2 * TAIL_BYTES);
        assert_eq!(capture.total_bytes(), 70_300_000);
    }

    #[test]
    fn an_untouched_stream_keeps_a_character_that_lies_across_the_gap() {
        let mut capture = Capture::default();
        capture.push(Stdout, &vec![b'x'; HEAD_BYTES - 1]);
        capture.push(Stderr, &"é".as_bytes()[..1]);
        capture.push(Stdout, &vec![b'x'; 100_000]);
        capture.push(Stderr, &"é".as_bytes()[1..]);
        let (pieces, truncation) = capture.pieces();
        assert_eq!(text(&pieces, Stderr), "é".as_bytes());
        assert!(truncation.is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn head_tail_and_counts_are_true(
            chunks in prop::collection::vec((any::<bool>(), "[aé€🦀\n]{0,12}", 0usize..1500), 0..24),
        ) {
            let mut capture = Capture::default();
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
            let kept: u64 = pieces.iter().map(|p| match p {
                Piece::Bytes(_, b) => b.len() as u64,
                Piece::Gap(_) => 0,
            }).sum();
            let kept_lines: u64 = pieces.iter().map(|p| match p {
                Piece::Bytes(_, b) => b.iter().filter(|b| **b == b'\n').count() as u64,
                Piece::Gap(_) => 0,
            }).sum();
            let lines = all.iter().filter(|(_, b)| *b == b'\n').count() as u64;
            if all.len() <= HEAD_BYTES + TAIL_BYTES {
                prop_assert_eq!(truncation, None);
                let flat: Vec<_> = pieces.iter().flat_map(|p| match p {
                    Piece::Bytes(s, b) => b.iter().map(|b| (*s, *b)).collect::<Vec<_>>(),
                    Piece::Gap(_) => vec![],
                }).collect();
                prop_assert_eq!(flat, all);
            } else {
                let cut = truncation.unwrap();
                prop_assert_eq!(cut.total_bytes, all.len() as u64);
                prop_assert_eq!(cut.dropped_bytes + kept, all.len() as u64);
                prop_assert_eq!(cut.dropped_lines + kept_lines, lines);
                // No more is lost to whole characters than the rest of one per stream and side.
                prop_assert!(kept + 4 * 3 >= (HEAD_BYTES + TAIL_BYTES) as u64);
                // Every input was whole characters, so every kept stream is.
                for stream in STREAMS {
                    let text = text(&pieces, stream);
                    prop_assert!(std::str::from_utf8(&text).is_ok());
                    let gap = pieces.iter().position(|p| matches!(p, Piece::Gap(_))).unwrap();
                    let head = super::tests::text(&pieces[..gap], stream);
                    let tail = super::tests::text(&pieces[gap..], stream);
                    prop_assert!(per_stream[index(stream)].starts_with(&head));
                    prop_assert!(per_stream[index(stream)].ends_with(&tail));
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
