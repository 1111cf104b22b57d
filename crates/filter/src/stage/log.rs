//! Counts log lines of a known shape; what states trouble is shown, each time.
//!
//! The first lines of a shape are shown where they stand, later ones are counted behind them, and
//! the last one is shown below the count: how far it came, what the figures were at the end. A status
//! of 4xx or 5xx is part of the shape, so that the one failing request is not counted under the
//! others.

use super::{Line, Next, Stage};
use crate::guard::{self, Weight};
use crate::known::Known;
use crate::{scan, template, terminal};

/// Lines of a shape that are shown before any is left out.
const SHOWN: u64 = 2;
/// The same where the line holds a word of trouble without stating any.
const SHOWN_GUARDED: u64 = 20;
/// Log lines seen before any is left out: short logs are read whole.
const SHORT: u64 = 24;
/// Shapes remembered.
const SHAPES: usize = 2048;
/// The last line of a shape is shown up to this length.
const LONGEST_LAST: usize = 2000;

#[derive(Default)]
pub(crate) struct Log {
    seen: u64,
    shapes: Known<Shape>,
}

#[derive(Default)]
struct Shape {
    count: u64,
    hidden: u64,
    slot: Option<usize>,
    mask: Box<str>,
    /// The line left out last, and its number.
    last: String,
    number: u64,
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
            std::collections::hash_map::Entry::Vacant(free) => free.insert(Shape::default()),
        };
        entry.count += 1;
        if entry.count > shown && self.seen > SHORT {
            if entry.slot.is_none() {
                entry.slot = Some(next.slot());
                let mask = template::mask(message.trim());
                entry.mask = mask[..terminal::floor(&mask, 90)].into();
            }
            entry.hidden += 1;
            entry.last.clear();
            if line.text.len() <= LONGEST_LAST {
                entry.last.push_str(line.text);
            }
            entry.number = line.number;
            return next.folded(1);
        }
        next.line(line.known());
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        for (_, shape) in self.shapes.drain() {
            let Some(slot) = shape.slot else { continue };
            let mut hidden = shape.hidden;
            let mut text = String::new();
            if !shape.last.is_empty() {
                hidden -= 1;
                next.sink.unfold(shape.number);
            }
            if hidden > 0 {
                text = format!("[… {hidden} × {} …]\n", shape.mask);
            }
            text.push_str(&shape.last);
            next.sink.fill(slot, text);
        }
    }
}

/// The line without its time where it is one of a log: it begins with a time or names a level.
fn message(line: &str) -> Option<&str> {
    let trimmed = line[source_length(line)..].trim_start_matches(['[', ' ', '"', '(']);
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
    let level =
        head.split([' ', '[', ']', ':', '|', '=', '\t', '(']).filter(|w| !w.is_empty()).take(6).any(|word| {
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

/// Length of what says where a line comes from, before its time: `api-1  | `, `build\tTest\t`.
fn source_length(line: &str) -> usize {
    let head = &line[..terminal::floor(line, 64)];
    let bar = head.find(" | ").map(|at| at + 3).filter(|at| !head[..at - 3].trim_end().contains(' '));
    let tab = head.rfind('\t').map(|at| at + 1);
    bar.or(tab).filter(|at| time_length(&line[*at..]) > 0).unwrap_or(0)
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
    // Behind the request of an access log stands its status; other numbers there are sizes.
    let access = memchr::memmem::find(bytes, b"\" ")
        .map(|at| at + 2)
        .filter(|at| bytes.len() >= at + 3 && bytes[*at..at + 3].iter().all(u8::is_ascii_digit));
    for at in access.map_or(0..bytes.len().saturating_sub(2), |at| at..at + 1) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaptureOptions, Catalog, filter_captured};

    fn filtered(text: &str) -> String {
        filter_captured(
            &Catalog::built_in(),
            "cat app.log",
            0,
            text.as_bytes(),
            b"",
            CaptureOptions::default(),
        )
        .text
    }

    #[test]
    fn the_one_failing_request_is_shown_among_the_good_ones() {
        let row = |n: usize, status: usize| {
            format!("2026-03-01 00:00:{:02} INFO GET /api/items/{n} {status} {}ms\n", n % 60, n % 40)
        };
        let mut text: String = (0..500).map(|n| row(n, 200)).collect();
        text.push_str(&row(501, 503));
        text.extend((502..900).map(|n| row(n, 200)));
        let shown = filtered(&text);
        assert!(shown.contains("/api/items/501 503") && shown.lines().count() < 8, "{shown}");
        assert!(shown.contains(" × INFO GET /api/items/# # #ms …]"), "{shown}");
    }

    #[test]
    fn errors_are_shown_each_time_and_repeats_word_for_word_are_counted() {
        let mut text = String::new();
        for n in 0..300 {
            text.push_str(&format!("12:00:{:02} INFO tick {n}\n", n % 60));
            text.push_str(&format!("12:00:{:02} ERROR charge ch_{n} failed\n", n % 60));
            text.push_str(&format!("12:00:{:02} WARN pool is full\n", n % 60));
        }
        let shown = filtered(&text);
        for n in 0..300 {
            assert!(shown.contains(&format!("charge ch_{n} failed")));
        }
        assert!(
            shown.matches("WARN pool is full").count() < 25 && shown.contains("279 × WARN pool is full"),
            "{shown}"
        );
    }

    #[test]
    fn the_last_line_of_a_shape_says_how_far_it_came() {
        let row = |n: usize| {
            format!("2026-03-01 00:{:02}:{:02} INFO epoch {n} loss 0.{}\n", n / 60, n % 60, 900 - n * 13 % 71)
        };
        let text: String = (0..200).map(row).collect();
        let shown = filtered(&text);
        assert!(shown.ends_with(&row(199)) && shown.contains("[… 175 × INFO epoch # loss #.# …]"), "{shown}");
        let done = filter_captured(
            &Catalog::built_in(),
            "./train",
            0,
            text.as_bytes(),
            b"",
            CaptureOptions::default(),
        );
        assert_eq!((done.hidden_lines, done.stats.kept_lines), (175, (0..24).chain([199]).collect()));
    }

    #[test]
    fn short_logs_and_traces_stay_whole() {
        let short: String = (0..20).map(|n| format!("12:00:{n:02} INFO tick at {n}\n")).collect();
        let short = short.replace("tick", "tock of clock") + "done\n";
        assert!(message("12:00:00 INFO x").is_some());
        let long: String = (0..60).map(|n| format!("2026-03-01T00:00:{n:02}Z INFO tick\n")).collect();
        let trace = "2026-03-01T00:01:00Z ERROR boom\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nKeyError: 'x'\n";
        let shown = filtered(&(long + trace));
        assert!(shown.ends_with(trace), "{shown}");
        assert!(filtered(&short).contains("tock of clock at 0"));
    }

    #[test]
    fn times_are_known_in_the_usual_spellings() {
        for line in [
            "api-1  | 2026-03-01T00:00:00Z x",
            "build\tTest\t2026-03-01T00:00:00.123Z x",
            "2026-03-01 00:00:00.000 INFO x",
            "2026-03-01T00:00:00Z x",
            "[2026-03-01 00:00:00] x",
            "2026/03/01 00:00:00 x",
            "12:00:01 x",
            "Jan 12 10:00:00 host proc[1]: x",
            "[   12.345678] usb x",
            "INFO plugin x",
            "{\"level\":\"info\",\"msg\":\"x\"}",
            "127.0.0.1 - - [01/Mar/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1",
        ] {
            assert!(message(line).is_some(), "{line}");
        }
        for line in ["", "hello", "12 apples", "1.5 x", "fn main() {", "src/a.rs:12:5: x"] {
            assert!(message(line).is_none(), "{line}");
        }
    }
}
