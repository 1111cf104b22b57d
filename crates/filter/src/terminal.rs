//! From the bytes a program wrote to the lines a person would have seen.
//!
//! Escape sequences go, a lone carriage return overwrites, a backspace takes a character back,
//! `\r\n` ends a line. Bytes that are no text become U+FFFD; lines that are mostly such bytes are
//! shown as the text inside them. What was overwritten but states trouble is kept as its own line:
//! a progress bar must not hide an error.

use crate::guard::{self, Weight};
use std::borrow::Cow;

/// A line longer than this is cut to its ends and the places that speak of trouble.
const LONG: usize = 16 * 1024;
/// Bytes of an unfinished line that are held; a longer line is judged piece by piece.
const HELD: usize = 256 * 1024;
/// Of a long line: how much of its head and tail is shown.
const ENDS: usize = 1024;
/// Of a long line: how many places of trouble are shown, and how wide.
const WINDOWS: usize = 16;
const WINDOW: usize = 120;

/// Assembles lines from chunks of bytes.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    partial: Vec<u8>,
    long: Option<Long>,
    /// Lines that were not shown as written: cut, binary, overwritten.
    pub(crate) altered: u64,
}

impl Screen {
    /// Takes a chunk and hands on each line it completes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], line: &mut dyn FnMut(&str)) {
        // The line that was begun is completed first.
        if !(self.partial.is_empty() && self.long.is_none())
            && let Some(end) = memchr::memchr(b'\n', bytes)
        {
            self.hold(&bytes[..end]);
            self.end(line);
            bytes = &bytes[end + 1..];
        }
        // Most chunks are plain text: they are judged as a whole, and their lines need no copy.
        if self.partial.is_empty()
            && self.long.is_none()
            && let Some(end) = memchr::memrchr(b'\n', bytes)
            && is_plain(&bytes[..end])
            && let Ok(text) = std::str::from_utf8(&bytes[..end])
        {
            let mut from = 0;
            for at in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
                if at - from <= LONG {
                    line(&text[from..at]);
                } else {
                    self.show(&text.as_bytes()[from..at], line);
                }
                from = at + 1;
            }
            bytes = &bytes[end + 1..];
        }
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (head, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            if self.partial.is_empty() && self.long.is_none() && head.len() <= LONG {
                self.show(head, line);
            } else {
                self.hold(head);
                self.end(line);
            }
        }
        self.hold(bytes);
    }

    /// Hands on what stands after the last line end.
    pub(crate) fn finish(&mut self, line: &mut dyn FnMut(&str)) {
        if !self.partial.is_empty() || self.long.is_some() {
            self.end(line);
        }
    }

    fn hold(&mut self, mut bytes: &[u8]) {
        while self.partial.len() + bytes.len() > HELD {
            let (now, later) = bytes.split_at(HELD - self.partial.len());
            self.partial.extend_from_slice(now);
            bytes = later;
            // Cut where a character and a word end, so that the pieces do not depend on the chunks.
            let piece = std::mem::take(&mut self.partial);
            let cut =
                piece.iter().rposition(|b| matches!(b, b' ' | b',' | b'\r')).map_or(piece.len(), |i| i + 1);
            self.partial.extend_from_slice(&piece[cut..]);
            self.long.get_or_insert_with(Long::default).add(&clean(&piece[..cut]).text());
        }
        self.partial.extend_from_slice(bytes);
    }

    fn end(&mut self, line: &mut dyn FnMut(&str)) {
        let held = std::mem::take(&mut self.partial);
        if let Some(mut long) = self.long.take() {
            long.add(&clean(&held).text());
            self.altered += 1;
            line(&long.finish());
        } else {
            self.show(&held, line);
        }
        self.partial = held;
        self.partial.clear();
    }

    fn show(&mut self, bytes: &[u8], line: &mut dyn FnMut(&str)) {
        let cleaned = clean(bytes);
        self.altered += u64::from(cleaned.altered);
        for trouble in &cleaned.overwritten {
            line(trouble);
        }
        if cleaned.text.len() > LONG && !looks_like_json(&cleaned.text) {
            let mut long = Long::default();
            long.add(&cleaned.text);
            self.altered += 1;
            line(&long.finish());
        } else {
            line(&cleaned.text);
        }
    }
}

/// Whether the bytes hold no control characters but line ends and tabs.
fn is_plain(bytes: &[u8]) -> bool {
    // Counted without a way out, so that it is done many bytes at a time.
    let odd = |part: &[u8]| {
        part.iter()
            .fold(0u8, |odd, b| odd | u8::from((*b < 0x20 && *b != b'\t' && *b != b'\n') | (*b == 0x7f)))
    };
    bytes.chunks(4096).all(|part| odd(part) == 0)
}

/// A whole line of JSON is not cut here: its shape says what may go.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'))
}

struct Cleaned<'a> {
    text: Cow<'a, str>,
    /// Overwritten text that states trouble.
    overwritten: Vec<String>,
    altered: bool,
}

impl Cleaned<'_> {
    fn text(&self) -> String {
        let mut all = self.overwritten.join(" ");
        all.push_str(&self.text);
        all
    }
}

fn clean(bytes: &[u8]) -> Cleaned<'_> {
    let mut bytes = bytes;
    while let Some(shorter) = bytes.strip_suffix(b"\r") {
        bytes = shorter;
    }
    let plain = !bytes.iter().any(|b| (*b < 0x20 && *b != b'\t') || *b == 0x7f);
    if plain && let Ok(text) = std::str::from_utf8(bytes) {
        return Cleaned { text: Cow::Borrowed(text), overwritten: Vec::new(), altered: false };
    }
    if is_binary(bytes) {
        return Cleaned { text: Cow::Owned(printable(bytes)), overwritten: Vec::new(), altered: true };
    }
    let text = String::from_utf8_lossy(bytes);
    let mut painter = Painter::default();
    painter.paint(&text);
    let (text, overwritten) = painter.finish();
    let altered = !overwritten.is_empty();
    Cleaned { text: Cow::Owned(text), overwritten, altered }
}

/// Whether a line is mostly bytes that are no text.
fn is_binary(bytes: &[u8]) -> bool {
    if bytes.len() < 16 {
        return false;
    }
    let odd = bytes.iter().filter(|b| **b < 9 || (14..27).contains(*b) || (28..32).contains(*b)).count();
    let invalid = if odd * 3 > bytes.len() { 0 } else { invalid_bytes(bytes) };
    (odd + invalid) * 3 > bytes.len()
}

fn invalid_bytes(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Err(error) = std::str::from_utf8(bytes) {
        let skip = error.valid_up_to() + error.error_len().unwrap_or(1);
        count += 1;
        bytes = bytes.get(skip..).unwrap_or(&[]);
    }
    count
}

/// The text inside bytes that are no text, as `strings` shows it.
fn printable(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut start = None;
    for (at, byte) in bytes.iter().chain([&0]).enumerate() {
        let text = byte.is_ascii_graphic() || *byte == b' ';
        match (text, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let run = String::from_utf8_lossy(&bytes[from..at]);
                let run = run.trim();
                let least = if out.is_empty() { 3 } else { 5 };
                if run.len() >= least {
                    if !out.is_empty() {
                        out.push(' ');
                    }
                    out.push_str(run);
                }
                start = None;
            }
            _ => {}
        }
    }
    if out.is_empty() {
        out.push('\u{fffd}')
    }
    out
}

/// Plays a line as a terminal would.
#[derive(Default)]
struct Painter {
    segment: String,
    last: String,
    overwritten: Vec<String>,
}

impl Painter {
    fn paint(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            rest = match c {
                '\x1b' => self.escape(after),
                '\u{9b}' => self.control_sequence(after).unwrap_or(after),
                '\r' => {
                    self.back();
                    after
                }
                '\x08' => {
                    self.segment.pop();
                    after
                }
                '\t' => {
                    self.segment.push('\t');
                    after
                }
                c if c.is_control() => after,
                c => {
                    self.segment.push(c);
                    after
                }
            };
        }
    }

    /// The cursor goes back to the start of the line: what comes next overwrites.
    fn back(&mut self) {
        if self.segment.trim().is_empty() {
            self.segment.clear();
            return;
        }
        let before = std::mem::replace(&mut self.last, std::mem::take(&mut self.segment));
        self.keep_if_trouble(before);
    }

    fn keep_if_trouble(&mut self, text: String) {
        let weight = guard::weigh(&text);
        if weight == Weight::Plain {
            return;
        }
        let known = |other: &String| {
            crate::template::hash(other) == crate::template::hash(&text)
                && (weight != Weight::Vital || *other == text)
        };
        if known(&self.last) || self.overwritten.iter().any(known) || self.overwritten.len() >= 64 {
            return;
        }
        self.overwritten.push(text.trim_end().to_owned());
    }

    fn escape<'t>(&mut self, rest: &'t str) -> &'t str {
        let Some(kind) = rest.chars().next() else { return rest };
        let after = &rest[kind.len_utf8()..];
        match kind {
            '[' => self.control_sequence(after).unwrap_or(after),
            // Strings (titles, links) end in BEL or ESC \. Without an end, only the opening goes:
            // a forgotten terminator must not swallow what follows.
            ']' | 'P' | 'X' | '^' | '_' => match after.find(['\x07', '\x1b']) {
                Some(end) if after[end..].starts_with('\x07') => &after[end + 1..],
                Some(end) if after[end..].starts_with("\x1b\\") => &after[end + 2..],
                _ => after,
            },
            '(' | ')' | '*' | '+' | '-' | '.' | '/' | '#' | '%' | ' ' => {
                let skip = after.chars().next().map_or(0, char::len_utf8);
                &after[skip..]
            }
            _ => after,
        }
    }

    /// After `ESC [`: parameters, then one letter. `None` where it is not well formed.
    fn control_sequence<'t>(&mut self, rest: &'t str) -> Option<&'t str> {
        let end = rest.find(|c: char| !matches!(c, '\x20'..='\x3f'))?;
        let last = rest[end..].chars().next()?;
        if !matches!(last, '\x40'..='\x7e') {
            return None;
        }
        let parameters = &rest[..end];
        match last {
            // Erasing the line or moving to its first column starts it anew.
            'K' if parameters == "2" || parameters == "1" => self.back(),
            'G' if parameters.is_empty() || parameters == "1" || parameters == "0" => self.back(),
            // Moving right is how some tools write blanks.
            'C' => {
                let count = parameters.parse::<usize>().unwrap_or(1).min(200);
                self.segment.extend(std::iter::repeat_n(' ', count));
            }
            _ => {}
        }
        Some(&rest[end + 1..])
    }

    fn finish(mut self) -> (String, Vec<String>) {
        if self.segment.trim().is_empty() && !self.last.is_empty() {
            (self.last, self.overwritten)
        } else {
            let last = std::mem::take(&mut self.last);
            std::mem::swap(&mut self.last, &mut self.segment);
            self.keep_if_trouble(last);
            (self.last, self.overwritten)
        }
    }
}

/// A line too long to show: its ends, and the places in it that speak of trouble.
#[derive(Debug, Default)]
struct Long {
    head: String,
    windows: Vec<String>,
    tail: String,
    length: usize,
}

impl Long {
    fn add(&mut self, text: &str) {
        let mut rest = text;
        if self.head.len() < ENDS {
            let cut = floor(rest, ENDS - self.head.len());
            self.head.push_str(&rest[..cut]);
            rest = &rest[cut..];
        }
        self.length += rest.len();
        let mut from = 0;
        while self.windows.len() < WINDOWS {
            let Some(found) = guard::first_trouble(&rest[from..]) else { break };
            let at = from + found;
            let start = floor(rest, at.saturating_sub(WINDOW));
            let end = ceil(rest, (at + WINDOW).min(rest.len()));
            self.windows.push(rest[start.max(from)..end].to_owned());
            from = end;
        }
        self.tail.push_str(rest);
        let cut = ceil(&self.tail, self.tail.len().saturating_sub(ENDS));
        self.tail.drain(..cut);
    }

    fn finish(mut self) -> String {
        let shown: usize = self.windows.iter().map(String::len).sum::<usize>() + self.tail.len();
        let cut = self.length.saturating_sub(shown);
        for window in &self.windows {
            self.head.push_str(" […] ");
            self.head.push_str(window);
        }
        self.head.push_str(&format!(" [… {cut} bytes of this line cut …] "));
        self.head.push_str(&self.tail);
        self.head
    }
}

/// Largest character boundary not after `at`.
pub(crate) fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Smallest character boundary not before `at`.
pub(crate) fn ceil(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The text without terminal escape sequences; nothing else is changed.
///
/// ```
/// assert_eq!(toolgate_filter::strip_ansi("\x1b[32mOK\x1b[0m \x1b[K\x1b]0;title\x07done"), "OK done");
/// ```
#[must_use]
pub fn strip_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\x1b', '\u{9b}']) {
        out.push_str(&rest[..at]);
        let mut sink = Painter::default();
        let escape = &rest[at..];
        let first = escape.chars().next().map_or(1, char::len_utf8);
        rest = if escape.starts_with('\x1b') {
            sink.escape(&escape[first..])
        } else {
            sink.control_sequence(&escape[first..]).unwrap_or(&escape[first..])
        };
    }
    out.push_str(rest);
    out
}

/// The text as a terminal would show it, runs of blank lines made one.
///
/// Escape sequences go, `\r` overwrites, `\r\n` ends a line. No line end at the end.
///
/// ```
/// use toolgate_filter::sanitize_output;
/// assert_eq!(sanitize_output("A 50%\rA 100%"), "A 100%");
/// assert_eq!(sanitize_output("next\rx\r"), "x");
/// assert_eq!(sanitize_output("line1\n\n\n\nline2"), "line1\n\nline2");
/// ```
#[must_use]
pub fn sanitize_output(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    let mut take = |line: &str| {
        let empty = line.trim().is_empty();
        if !(empty && blank) {
            out.push_str(line);
            out.push('\n');
        }
        blank = empty;
    };
    let mut screen = Screen::default();
    screen.push(text.as_bytes(), &mut take);
    screen.finish(&mut take);
    out.truncate(out.trim_end_matches('\n').len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut out = Vec::new();
        let mut screen = Screen::default();
        screen.push(bytes, &mut |l| out.push(l.to_owned()));
        screen.finish(&mut |l| out.push(l.to_owned()));
        out
    }

    #[test]
    fn escapes_of_every_kind_go() {
        let text = b"\x1b[1;32m\xe2\x9c\x93\x1b[0m ok \x1b[?25l\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b(Bend\x1b[K\x1b[G";
        assert_eq!(lines(text), ["✓ ok link end"]);
    }

    #[test]
    fn a_forgotten_terminator_does_not_swallow_text() {
        assert_eq!(lines(b"\x1b]0;title error: disk full"), ["0;title error: disk full"]);
    }

    #[test]
    fn carriage_returns_overwrite_but_not_errors() {
        assert_eq!(lines(b"10%\r50%\r100%\n"), ["100%"]);
        assert_eq!(lines(b"10%\rerror: disk full\r100%\r\n"), ["error: disk full", "100%"]);
        assert_eq!(
            lines(b"Rebasing (1/1)\rerror: could not apply 751ef9a\n"),
            ["error: could not apply 751ef9a"]
        );
        assert_eq!(lines(b"a\r\nb\r\r\nc\r"), ["a", "b", "c"]);
    }

    #[test]
    fn a_progress_line_with_zero_failures_is_one_line() {
        assert_eq!(lines(b"1/3 ok, 0 failed\r2/3 ok, 0 failed\r3/3 ok, 0 failed\n"), ["3/3 ok, 0 failed"]);
    }

    #[test]
    fn binary_shows_the_text_inside() {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.extend([0u8; 60]);
        bytes.extend(b"/lib64/ld-linux.so.2");
        bytes.extend([0u8; 30]);
        assert_eq!(lines(&bytes), ["ELF /lib64/ld-linux.so.2"]);
    }

    #[test]
    fn a_huge_line_keeps_its_ends_and_its_errors() {
        let mut bytes = vec![b'x'; 3_000_000];
        bytes.extend(b" error: E4471 quota exceeded ");
        bytes.extend(vec![b'y'; 3_000_000]);
        bytes.extend(b" the end\n");
        let shown = lines(&bytes);
        assert_eq!(shown.len(), 1);
        assert!(shown[0].len() < 8000, "{}", shown[0].len());
        assert!(shown[0].contains("E4471 quota exceeded") && shown[0].ends_with("the end"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn chunk_borders_change_nothing(bytes in prop::collection::vec(prop_oneof![
            Just(b'\n'), Just(b'\r'), Just(0x1bu8), Just(b'['), Just(b'm'), any::<u8>()], 0..300),
            cuts in prop::collection::vec(0usize..300, 0..6)) {
            let whole = lines(&bytes);
            let mut out = Vec::new();
            let mut screen = Screen::default();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|c| *c <= bytes.len()).collect();
            cuts.sort_unstable();
            let mut from = 0;
            for cut in cuts {
                screen.push(&bytes[from..cut], &mut |l| out.push(l.to_owned()));
                from = cut;
            }
            screen.push(&bytes[from..], &mut |l| out.push(l.to_owned()));
            screen.finish(&mut |l| out.push(l.to_owned()));
            prop_assert_eq!(out, whole);
        }

        #[test]
        fn stripping_never_panics_and_leaves_no_escape(text in "(\\x1b|\\[|\\]|[0-9;?]|m|K|\\x07|é|a|\\u{9b}){0,40}") {
            prop_assert!(!strip_ansi(&text).contains('\x1b'));
            let _ = sanitize_output(&text);
        }
    }
}
