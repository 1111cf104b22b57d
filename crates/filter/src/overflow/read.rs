//! Reads a stored output: by bytes, by lines, by search, from its end.

use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::FileType;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

/// Most bytes one answer holds.
const ANSWER: usize = 256 * 1024;
/// An answer can't be bounded to less.
const SMALLEST_ANSWER: usize = 1024;
/// A longer line is cut in answers that go by lines.
const LINE: usize = 16 * 1024;
/// A longer pattern is refused.
const PATTERN: usize = 1024;

/// Why an output could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no plain file.
    #[error("the output is no plain file")]
    NotAFile,
    /// The system said no.
    #[error("cannot read the output")]
    Io(#[from] std::io::Error),
    /// The pattern is longer than 1024 bytes, or no regular expression.
    #[error("pattern `{pattern}` is not usable")]
    Pattern {
        /// As given, its first 80 characters.
        pattern: String,
        /// What is wrong with it.
        source: Option<Box<regex::Error>>,
    },
}

/// Bytes of an output.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Piece {
    /// The text; bytes that are none are shown as U+FFFD.
    pub text: String,
    /// Where it begins.
    pub offset: u64,
    /// Where it ends.
    pub end: u64,
    /// Bytes of the whole output.
    pub total: u64,
    /// Whether more follows.
    pub more: bool,
}

/// Lines of an output.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Lines {
    /// The lines, each with its end.
    pub text: String,
    /// Number of the first, from 1.
    pub from: u64,
    /// How many there are.
    pub count: u64,
    /// Whether more follow.
    pub more: bool,
    /// Lines that were cut because they are very long: read those by bytes.
    pub cut_lines: Vec<u64>,
}

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Match {
    /// Its number, from 1.
    pub line: u64,
    /// Where in the output what was found begins.
    pub offset: u64,
    /// The line, or the part of a long one around what was found.
    pub text: String,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// What a search gave.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Found {
    /// The lines, in order.
    pub matches: Vec<Match>,
    /// How many lines match in the whole output.
    pub total: u64,
}

/// As grep(1) writes it: `12:` before a line that matches, `11-` before one around it.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut next = 0;
        for (at, hit) in self.matches.iter().enumerate() {
            let first = hit.line - hit.before.len() as u64;
            if at > 0 && first > next && !(hit.before.is_empty() && hit.after.is_empty()) {
                f.write_str("--\n")?;
            }
            for (line, text) in (first..).zip(&hit.before).filter(|(line, _)| *line >= next) {
                writeln!(f, "{line}-{text}")?;
            }
            writeln!(f, "{}:{}", hit.line, hit.text)?;
            next = hit.line + 1;
            // Where the next match comes within these, they are its lines before it.
            let until = self.matches.get(at + 1).map_or(u64::MAX, |hit| hit.line);
            for (line, text) in (hit.line + 1..until).zip(&hit.after) {
                writeln!(f, "{line}-{text}")?;
                next = line + 1;
            }
        }
        Ok(())
    }
}

/// An open output.
#[derive(Debug)]
pub struct OutputReader {
    file: File,
    size: u64,
    /// Most bytes one answer holds.
    answer: usize,
}

impl OutputReader {
    pub(super) fn new(file: File) -> Result<Self, ReadError> {
        let stat = rustix::fs::fstat(&file).map_err(|e| ReadError::Io(e.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(ReadError::NotAFile);
        }
        Ok(Self { file, size: u64::try_from(stat.st_size).unwrap_or(0), answer: ANSWER })
    }

    /// Gives no more than about so many bytes in one answer.
    #[must_use]
    pub fn bounded(mut self, bytes: usize) -> Self {
        self.answer = bytes.clamp(SMALLEST_ANSWER, ANSWER);
        self
    }

    /// Bytes of a line that is shown, in answers that go by lines.
    fn longest_line(&self) -> usize {
        LINE.min(self.answer / 2)
    }

    /// Bytes it holds.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes from an offset, moved to whole characters.
    ///
    /// # Errors
    /// When reading fails.
    pub fn bytes(&mut self, offset: u64, length: usize) -> Result<Piece, ReadError> {
        let start = offset.min(self.size);
        let length = length.min(self.answer);
        // Three bytes more on either side, to find where characters begin.
        let from = start.saturating_sub(3);
        let before = usize::try_from(start - from).unwrap_or(0);
        self.file.seek(SeekFrom::Start(from))?;
        let mut buffer = Vec::with_capacity(length + 8);
        (&self.file).take((before + length + 3) as u64).read_to_end(&mut buffer)?;
        let character = |at: usize| buffer.get(at).is_none_or(|b| b & 0xc0 != 0x80);
        let first = (before..buffer.len().min(before + 3))
            .find(|at| character(*at))
            .unwrap_or(before.min(buffer.len()));
        let last = (before + length).min(buffer.len());
        let last = (last..buffer.len().min(last + 3) + 1)
            .find(|at| character(*at))
            .unwrap_or(last)
            .min(buffer.len());
        let (first, last) = (first.min(last), last);
        let (offset, end) = (from + first as u64, from + last as u64);
        Ok(Piece {
            text: String::from_utf8_lossy(&buffer[first..last]).into_owned(),
            offset,
            end,
            total: self.size,
            more: end < self.size,
        })
    }

    /// Lines from a number on; the first is 1.
    ///
    /// # Errors
    /// When reading fails.
    pub fn lines(&mut self, from: u64, count: u64) -> Result<Lines, ReadError> {
        let from = from.max(1);
        let answer = self.answer;
        let mut out = Lines { text: String::new(), from, count: 0, more: false, cut_lines: Vec::new() };
        self.each_line(|number, line, long| {
            if number < from {
                return true;
            }
            if number >= from.saturating_add(count) || out.count > 0 && out.text.len() + line.len() > answer {
                out.more = true;
                return false;
            }
            out.text.push_str(&String::from_utf8_lossy(line));
            if long > 0 {
                out.text.push_str(&format!(" [… {long} more bytes in this line …]"));
                out.cut_lines.push(number);
            }
            out.text.push('\n');
            out.count += 1;
            true
        })?;
        Ok(out)
    }

    /// The last lines.
    ///
    /// # Errors
    /// When reading fails.
    pub fn tail(&mut self, count: u64) -> Result<Lines, ReadError> {
        let answer = self.answer;
        let mut total = 0u64;
        let mut last: std::collections::VecDeque<(u64, String, u64)> = std::collections::VecDeque::new();
        let mut held = 0usize;
        self.each_line(|number, line, long| {
            total = number;
            held += line.len();
            last.push_back((number, String::from_utf8_lossy(line).into_owned(), long));
            while last.len() as u64 > count || (held > answer && last.len() > 1) {
                if let Some((_, text, _)) = last.pop_front() {
                    held = held.saturating_sub(text.len());
                } else {
                    break;
                }
            }
            true
        })?;
        let from = last.front().map_or(total + 1, |(number, ..)| *number);
        let mut out =
            Lines { text: String::new(), from, count: last.len() as u64, more: false, cut_lines: Vec::new() };
        for (number, text, long) in last {
            out.text.push_str(&text);
            if long > 0 {
                out.text.push_str(&format!(" [… {long} more bytes in this line …]"));
                out.cut_lines.push(number);
            }
            out.text.push('\n');
        }
        Ok(out)
    }

    /// Lines that match a regular expression, with lines around them; at most `most` are given, all are counted.
    ///
    /// # Errors
    /// When the pattern is refused or reading fails.
    pub fn grep(&mut self, pattern: &str, context: usize, most: usize) -> Result<Found, ReadError> {
        let refused = |source| ReadError::Pattern { pattern: pattern.chars().take(80).collect(), source };
        if pattern.len() > PATTERN {
            return Err(refused(None));
        }
        let regex: Regex = RegexBuilder::new(pattern)
            .size_limit(1024 * 1024)
            .dfa_size_limit(1024 * 1024)
            .build()
            .map_err(|e| refused(Some(Box::new(e))))?;
        let context = context.min(20);
        let answer = self.answer;
        let mut found = Found::default();
        let mut before: std::collections::VecDeque<String> = std::collections::VecDeque::new();
        let mut offset = 0u64;
        let mut shown = 0usize;
        self.each_line_whole(|number, line, ended| {
            let text = if context > 0 { clipped(line, 0) } else { String::new() };
            for earlier in found.matches.iter_mut().rev().take(context) {
                if number > earlier.line
                    && number <= earlier.line + context as u64
                    && earlier.after.len() < context
                    && shown < answer
                {
                    shown += text.len();
                    earlier.after.push(text.clone());
                }
            }
            if let Some(at) = regex.find(line) {
                found.total += 1;
                if found.matches.len() < most && shown < answer {
                    let text = clipped(line, at.start());
                    shown += text.len() + before.iter().map(String::len).sum::<usize>();
                    found.matches.push(Match {
                        line: number,
                        offset: offset + at.start() as u64,
                        text,
                        before: before.iter().cloned().collect(),
                        after: Vec::new(),
                    });
                }
            }
            if context > 0 {
                before.push_back(text);
                if before.len() > context {
                    before.pop_front();
                }
            }
            offset += line.len() as u64 + u64::from(ended);
        })?;
        Ok(found)
    }

    /// Hands on each line, cut to a size, and how many of its bytes were cut.
    fn each_line(&mut self, mut take: impl FnMut(u64, &[u8], u64) -> bool) -> Result<(), ReadError> {
        let longest = self.longest_line();
        self.file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(64 * 1024, &self.file);
        let mut number = 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut long = 0u64;
            let mut ended = false;
            let mut any = false;
            while !ended {
                let available = reader.fill_buf()?;
                if available.is_empty() {
                    break;
                }
                any = true;
                let (part, used) = match memchr::memchr(b'\n', available) {
                    Some(at) => {
                        ended = true;
                        (&available[..at], at + 1)
                    }
                    None => (available, available.len()),
                };
                let room = longest.saturating_sub(line.len()).min(part.len());
                line.extend_from_slice(&part[..room]);
                long += (part.len() - room) as u64;
                reader.consume(used);
            }
            if !any {
                return Ok(());
            }
            number += 1;
            if !take(number, &line, long) {
                return Ok(());
            }
        }
    }

    /// Hands on each line, and whether it ends there; one of more than 8 MiB comes in parts under one number.
    fn each_line_whole(&mut self, mut take: impl FnMut(u64, &[u8], bool)) -> Result<(), ReadError> {
        const MOST: usize = 8 * 1024 * 1024;
        self.file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(64 * 1024, &self.file);
        let mut number = 1;
        let mut line = Vec::new();
        loop {
            let available = reader.fill_buf()?;
            if available.is_empty() {
                if !line.is_empty() {
                    take(number, &line, false);
                }
                return Ok(());
            }
            let end = memchr::memchr(b'\n', available);
            let used = end.map_or(available.len(), |at| at + 1);
            line.extend_from_slice(&available[..end.unwrap_or(available.len())]);
            reader.consume(used);
            if end.is_some() || line.len() >= MOST {
                take(number, &line, end.is_some());
                line.clear();
                number += u64::from(end.is_some());
            }
        }
    }
}

/// A line as it is shown: the part of a long one around a place.
fn clipped(line: &[u8], at: usize) -> String {
    const AROUND: usize = 400;
    if line.len() <= 2 * AROUND {
        return String::from_utf8_lossy(line).into_owned();
    }
    let from = at.saturating_sub(AROUND);
    let to = (at + AROUND).min(line.len());
    let mut text = String::from_utf8_lossy(&line[from..to]).trim_matches('\u{fffd}').to_owned();
    if from > 0 {
        text.insert(0, '…');
    }
    if to < line.len() {
        text.push('…');
    }
    text
}
