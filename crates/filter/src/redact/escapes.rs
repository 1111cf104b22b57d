//! Secrets with colour codes inside them.

use super::shapes::{run, shapes_in};
use aho_corasick::AhoCorasick;
use std::ops::Range;

/// Secrets with escape sequences inside them (a highlighted match): the whole line is looked at
/// without, and what is found masks everything from its first to its last byte.
pub(super) fn hidden_by_escapes(bytes: &[u8], values: Option<&AhoCorasick>, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(found) = memchr::memchr(0x1b, &bytes[from..]) {
        let start = memchr::memrchr(b'\n', &bytes[..from + found]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &bytes[from + found..]).map_or(bytes.len(), |i| from + found + i);
        let line = &bytes[start..end];
        // The bytes without sequences, and where each came from.
        let mut plain = Vec::with_capacity(line.len());
        let mut origin = Vec::with_capacity(line.len());
        let mut at = 0;
        while at < line.len() {
            if line[at] == 0x1b {
                at += 1;
                if line.get(at) == Some(&b'[') {
                    at += 1;
                    at = run(line, at, |b| (0x20..=0x3f).contains(&b)) + 1;
                } else {
                    at += 1;
                }
                continue;
            }
            plain.push(line[at]);
            origin.push(start + at);
            at += 1;
        }
        let mut inside = Vec::new();
        shapes_in(&plain, &mut inside);
        if let Some(values) = values {
            inside.extend(values.find_iter(&plain).map(|m| m.range()));
        }
        for span in inside {
            if let (Some(first), Some(last)) =
                (origin.get(span.start), origin.get(span.end.saturating_sub(1)))
            {
                spans.push(*first..last + 1);
            }
        }
        from = end;
        if from >= bytes.len() {
            break;
        }
    }
}
