//! Masks secrets in a stream of bytes, before anything is shown, stored or recorded.
//!
//! Two kinds are known: shapes (tokens with a prefix, private keys, passwords in addresses,
//! assignments to names that say so), and values (the secrets of the session, wherever they
//! stand). The stream is read by lines, so that a secret cut in two by a chunk is still seen;
//! the same bytes come out whatever the chunks were. Of a line that waits for its end, a prompt, as
//! much can be had as no later byte could change.
//!
//! What is masked rather than what is not: a mask in the wrong place costs a look at the file, a
//! secret in a transcript stays there. Names in code are spared where they can be told apart.

mod alphabet;
mod anchors;
mod assignment;
mod escapes;
mod secrets;
mod settled;
mod shapes;
#[cfg(test)]
mod tests;
mod text;

pub use secrets::Secrets;

use std::borrow::Cow;
use std::ops::Range;

/// A line longer than this is masked piece by piece.
const PIECE: usize = 64 * 1024;
/// Lines of a private key that are taken out at most.
const KEY_LINES: u32 = 400;

/// Masks a stream.
///
/// ```
/// use toolgate_filter::redact::{Redactor, Secrets};
/// let mut redactor = Redactor::new(Secrets::with_values(["correct horse battery"]));
/// let mut out = Vec::new();
/// redactor.push(b"using ghp_16C7e42F292c69", &mut out);
/// redactor.push(b"12E7710c838347Ae178B4a and correct horse ba", &mut out);
/// redactor.push(b"ttery\n", &mut out);
/// redactor.finish(&mut out);
/// assert_eq!(out, b"using [redacted] and [redacted]\n");
/// ```
#[derive(Debug)]
pub struct Redactor {
    secrets: Secrets,
    /// The line that has not ended yet.
    held: Vec<u8>,
    /// How much of it is out already.
    shown: usize,
    /// Whether more of it may be shown than is.
    waits: bool,
    /// Lines of a private key that were taken out so far, while inside one.
    key: Option<u32>,
    masked: u64,
}

impl Redactor {
    /// A redactor at the start of a stream.
    #[must_use]
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, held: Vec::new(), shown: 0, waits: false, key: None, masked: 0 }
    }

    /// Takes a chunk; what is sure to hold no secret is written to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match memchr::memrchr(b'\n', bytes) {
            Some(end) => {
                let (lines, rest) = bytes.split_at(end + 1);
                if self.held.is_empty() {
                    self.lines(lines, out);
                } else {
                    // The line that was begun is completed alone: the rest need not be copied.
                    let first = memchr::memchr(b'\n', lines).map_or(lines.len(), |i| i + 1);
                    let mut held = std::mem::take(&mut self.held);
                    held.extend_from_slice(&lines[..first]);
                    self.flush_pieces(&mut held, out);
                    self.lines(&held, out);
                    held.clear();
                    self.held = held;
                    self.lines(&lines[first..], out);
                }
                self.held.extend_from_slice(rest);
            }
            None => self.held.extend_from_slice(bytes),
        }
        let mut held = std::mem::take(&mut self.held);
        self.flush_pieces(&mut held, out);
        self.held = held;
        self.waits = self.held.len() > self.shown;
    }

    /// Whether a line has begun of which [`Redactor::pause`] may have something to write.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Writes what of a line without an end is certain: what no later byte can make a secret, or a
    /// part of one. For when nothing more has come for a while, as after a prompt.
    ///
    /// What comes later of the line is masked as it would have been. Of a private key, nothing is
    /// written.
    ///
    /// ```
    /// use toolgate_filter::redact::{Redactor, Secrets};
    /// let mut redactor = Redactor::new(Secrets::shapes());
    /// let mut out = Vec::new();
    /// redactor.push(b"Password: ", &mut out);
    /// assert_eq!(out, b"");
    /// redactor.pause(&mut out);
    /// assert_eq!(out, b"Password: ");
    /// redactor.push(b"hunter2-", &mut out);
    /// redactor.pause(&mut out);
    /// redactor.push(b"hunter2\n", &mut out);
    /// assert_eq!(out, b"Password: ***\n");
    /// ```
    pub fn pause(&mut self, out: &mut Vec<u8>) {
        if !std::mem::take(&mut self.waits) || self.key.is_some() {
            return;
        }
        let (mut spans, certain) = settled::settled(&self.held, &self.secrets);
        if certain > self.shown {
            let held = std::mem::take(&mut self.held);
            self.mask(&held, &mut spans, self.shown..certain, out);
            self.held = held;
            self.shown = certain;
        }
    }

    /// Writes what stands after the last line end.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        self.waits = false;
        self.lines(&held, out);
    }

    /// How many secrets were masked.
    #[must_use]
    pub fn masked(&self) -> u64 {
        self.masked
    }

    /// A line that does not end is masked as far as no secret can reach.
    fn flush_pieces(&mut self, held: &mut Vec<u8>, out: &mut Vec<u8>) {
        while held.len() >= PIECE + self.secrets.longest {
            // Where a piece ends depends on the bytes alone, never on the chunks.
            let window = &held[..PIECE];
            let mut cut = memchr::memrchr3(b',', b';', b'}', window)
                .max(memchr::memrchr(b'\r', window))
                .or_else(|| memchr::memrchr(b' ', window))
                .map_or(PIECE, |at| at + 1);
            if let Some(values) = &self.secrets.values {
                let end = (cut + self.secrets.longest).min(held.len());
                let start = cut.saturating_sub(self.secrets.longest);
                if let Some(across) = values
                    .find_iter(&held[start..end])
                    .map(|m| start + m.start()..start + m.end())
                    .find(|m| m.start < cut && cut < m.end)
                {
                    cut = across.end;
                }
            }
            // What is shown was looked at with what follows; it stays in one piece.
            let piece: Vec<u8> = held.drain(..cut.max(self.shown)).collect();
            self.lines(&piece, out);
        }
    }

    /// Masks whole lines, the first of which may be shown in part.
    fn lines(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut from = std::mem::take(&mut self.shown);
        let mut bytes = bytes;
        if self.key.is_some() {
            bytes = self.inside_key(bytes, out);
        }
        while !bytes.is_empty() {
            let mut spans: Vec<Range<usize>> = Vec::new();
            let key_at = shapes::shapes_in(bytes, &mut spans);
            let stop = key_at.unwrap_or(bytes.len());
            // What begins behind the key is looked for once the key has ended.
            let values = self.secrets.values.as_deref();
            if let Some(values) = values {
                let near = &bytes[..bytes.len().min(stop + self.secrets.longest)];
                spans.extend(values.find_iter(near).map(|m| m.range()));
            }
            let line_end = memchr::memchr(b'\n', &bytes[stop..]).map_or(bytes.len(), |n| stop + n);
            escapes::hidden_by_escapes(&bytes[..line_end], values, &mut spans);
            let end = self.mask(bytes, &mut spans, from..stop, out);
            from = 0;
            bytes = &bytes[end.min(bytes.len())..];
            if key_at.is_some() {
                out.extend_from_slice(b"[redacted private key]");
                self.masked += 1;
                self.key = Some(0);
                let begin = b"-----BEGIN".len().min(bytes.len());
                bytes = self.inside_key(&bytes[begin..], out);
            }
        }
    }

    /// Writes a part of a text, with what stands in the spans masked; gives where the last one that
    /// begins in it ends, or the part does.
    fn mask(
        &mut self,
        bytes: &[u8],
        spans: &mut [Range<usize>],
        part: Range<usize>,
        out: &mut Vec<u8>,
    ) -> usize {
        spans.sort_unstable_by_key(|span| (span.start, span.end));
        let mut from = part.start;
        for span in spans {
            if span.start >= part.end {
                break;
            }
            if span.start < from {
                // Part of what was masked already: its end is masked too.
                from = from.max(span.end.min(part.end));
                continue;
            }
            out.extend_from_slice(&bytes[from..span.start]);
            out.extend_from_slice(mask(span.len()));
            self.masked += 1;
            from = span.end;
        }
        if from < part.end {
            out.extend_from_slice(&bytes[from..part.end]);
        }
        part.end.max(from)
    }

    /// Takes out the lines of a private key; gives what stands after it.
    fn inside_key<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>) -> &'b [u8] {
        let mut rest = bytes;
        while let Some(count) = self.key {
            if rest.is_empty() {
                return rest;
            }
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
            let line = &rest[..end];
            // All in one line, as in JSON: `-----BEGIN…\nMII…\n-----END…`.
            if let Some(at) = memchr::memmem::find(line, b"-----END") {
                let after =
                    memchr::memmem::find(&line[at + 8..], b"-----").map_or(line.len(), |n| at + 8 + n + 5);
                self.key = None;
                return &rest[after..];
            }
            let text = line.trim_ascii();
            let body = text.iter().all(|b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'+' | b'/' | b'=' | b'\\' | b'"' | b',' | b' ' | b'-' | b':')
            });
            let header = text.starts_with(b"Proc-Type:")
                || text.starts_with(b"DEK-Info:")
                || text.starts_with(b"Version:")
                || count == 0;
            if !(body || header) || count > KEY_LINES {
                self.key = None;
                out.push(b'\n');
                return rest;
            }
            self.key = Some(count + 1);
            rest = &rest[end..];
        }
        rest
    }
}

/// Masks a whole text.
///
/// ```
/// use toolgate_filter::redact::{Secrets, redact};
/// assert_eq!(redact("postgres://app:hunter2@db/shop", &Secrets::shapes()), "postgres://app:***@db/shop");
/// ```
#[must_use]
pub fn redact<'t>(text: &'t str, secrets: &Secrets) -> Cow<'t, str> {
    let mut out = Vec::with_capacity(text.len());
    let mut redactor = Redactor::new(secrets.clone());
    redactor.push(text.as_bytes(), &mut out);
    redactor.finish(&mut out);
    if redactor.masked == 0 {
        return Cow::Borrowed(text);
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

fn mask(length: usize) -> &'static [u8] {
    if length >= 16 { b"[redacted]" } else { b"***" }
}
