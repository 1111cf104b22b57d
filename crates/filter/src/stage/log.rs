//! Counts log lines of a known shape; what states trouble is shown, each time.
//!
//! The first lines of a shape are shown where they stand, later ones are counted behind them. A
//! status of 4xx or 5xx is part of the shape, so that the one failing request is not counted under
//! the others.

use super::{Line, Next, Stage};
use crate::guard::{self, Weight};
use crate::known::Known;
use crate::{scan, template, terminal};

/// Lines of a shape that are shown.
const SHOWN: u64 = 3;
/// The same where the line holds a word of trouble without stating any.
const SHOWN_GUARDED: u64 = 20;
/// Log lines seen before any is left out: short logs are read whole.
const SHORT: u64 = 24;
/// Shapes remembered.
const SHAPES: usize = 2048;

#[derive(Default)]
pub(crate) struct Log {
    seen: u64,
    shapes: Known<Shape>,
}

struct Shape {
    count: u64,
    hidden: u64,
    slot: Option<usize>,
    mask: Box<str>,
}

impl Stage for Log {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return next.line(line);
        }
        let Some(message) = message(line.text) else { return next.line(line) };
        self.seen += 1;
        let weight = guard::weigh(line.text);
        let (key, shown) = match weight {
            Weight::Plain => (shape(message), SHOWN),
            Weight::Guarded => (shape(message), SHOWN_GUARDED),
            // Trouble is folded only where it is said again word for word.
            Weight::Vital => (exact(message), SHOWN_GUARDED),
        };
        let room = self.shapes.len() < SHAPES;
        let entry = match self.shapes.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(_) if !room => return next.line(line),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(Shape { count: 0, hidden: 0, slot: None, mask: Box::default() })
            }
        };
        entry.count += 1;
        if entry.count > shown && self.seen > SHORT {
            if entry.slot.is_none() {
                entry.slot = Some(next.slot());
                let mask = template::mask(message.trim());
                entry.mask = mask[..terminal::floor(&mask, 90)].into();
            }
            entry.hidden += 1;
            return next.folded(1);
        }
        next.line(line.known());
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        for shape in self.shapes.values() {
            if let (Some(slot), true) = (shape.slot, shape.hidden > 0) {
                next.sink.fill(slot, format!("[… {} × {} …]", shape.hidden, shape.mask));
            }
        }
        self.shapes.clear();
    }
}

/// The line without its time where it is one of a log: it begins with a time or names a level.
fn message(line: &str) -> Option<&str> {
    let trimmed = line.trim_start_matches(['[', ' ', '"', '(']);
    let time = time_length(trimmed);
    if time > 0 {
        return Some(&trimmed[time..]);
    }
    let head = &line[..terminal::floor(line, 72)];
    if head.starts_with('{') {
        return ["\"level\":", "\"severity\":", "\"lvl\":", "\"time\":", "\"ts\":", "\"timestamp\":"]
            .iter()
            .any(|key| line.contains(key))
            .then_some(line);
    }
    let level = head.split([' ', '[', ']', ':', '|', '=', '\t', '(']).take(6).any(|word| {
        matches!(
            word,
            "INFO"
                | "DEBUG"
                | "TRACE"
                | "NOTICE"
                | "VERBOSE"
                | "WARN"
                | "WARNING"
                | "ERROR"
                | "FATAL"
                | "info"
                | "debug"
                | "trace"
                | "notice"
                | "I"
                | "D"
        )
    });
    // `12.0.0.1 - - [01/Mar/2026:…] "GET …`
    let access = line.starts_with(|c: char| c.is_ascii_alphanumeric())
        && scan::holds(line, " - - [")
        && scan::holds(line, "] \"");
    (level || access).then_some(line)
}

/// Length of a time at the start of the text: dates, clocks, syslog and uptime stamps.
fn time_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |at: usize, count: usize| {
        bytes.len() >= at + count && bytes[at..at + count].iter().all(u8::is_ascii_digit)
    };
    let is = |at: usize, any: &[u8]| bytes.get(at).is_some_and(|b| any.contains(b));
    let clock = |at: usize| digits(at, 2) && is(at + 2, b":") && digits(at + 3, 2);
    let end = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b',' | b'Z' | b'+' | b']'))
            .count()
    };
    if digits(0, 4)
        && is(4, b"-/")
        && digits(5, 2)
        && is(7, b"-/")
        && digits(8, 2)
        && is(10, b" T")
        && clock(11)
    {
        return end(11);
    }
    if clock(0) && is(5, b":") {
        return end(0);
    }
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    if bytes.len() > 15 && MONTHS.iter().any(|m| text.starts_with(m)) && is(3, b" ") && clock(7) {
        return end(7);
    }
    // Kernel messages: `[   12.345678] …`
    if digits(0, 1) {
        let whole = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
        if is(whole, b".") && digits(whole + 1, 6) && is(whole + 7, b"]") {
            return whole + 8;
        }
    }
    0
}

/// The message with its numbers masked, but for statuses that mean failure.
fn shape(message: &str) -> u64 {
    let mut hash = template::hash(message);
    let bytes = message.as_bytes();
    for at in 0..bytes.len().saturating_sub(2) {
        let failing = matches!(bytes[at], b'4' | b'5')
            && bytes[at + 1].is_ascii_digit()
            && bytes[at + 2].is_ascii_digit();
        let alone = (at == 0 || matches!(bytes[at - 1], b' ' | b'=' | b'"' | b':' | b'['))
            && bytes.get(at + 3).is_none_or(|b| matches!(b, b' ' | b'"' | b',' | b']' | b'}' | b';'));
        if failing && alone {
            hash = hash.rotate_left(7)
                ^ u64::from(u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 1]));
        }
    }
    hash
}

fn exact(message: &str) -> u64 {
    message.bytes().fold(0x9e37_79b9_7f4a_7c15u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
