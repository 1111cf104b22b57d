//! Where lines end up: a store of bounded size that says what it left out.
//!
//! The head is kept, then the tail; of what falls between, the lines that speak of trouble. A step
//! may leave a *slot* in the text to write into later: a count or a list is known only at the end.

use crate::guard::{self, Weight};
use crate::terminal::{ceil, floor};

/// How much text a sink keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) head: usize,
    pub(crate) tail: usize,
    pub(crate) trouble: usize,
}

impl Budget {
    /// Splits a number of bytes: the head says what was done, the tail how it ended.
    pub(crate) fn of(bytes: usize) -> Self {
        let bytes = bytes.max(4096);
        Self { head: bytes / 2, tail: bytes / 4, trouble: bytes / 4 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Line,
    Note,
    Slot(usize),
}

#[derive(Debug)]
struct Entry {
    end: usize,
    /// Number of the line in its stream, from 1; 0 for what we wrote.
    number: u64,
    kind: Kind,
}

#[derive(Debug, Default)]
struct Part {
    text: String,
    /// Where each line ends, and its number.
    lines: Vec<(usize, u64)>,
}

impl Part {
    fn lines(&self) -> impl Iterator<Item = (&str, u64)> {
        let mut from = 0;
        self.lines.iter().map(move |(end, number)| {
            let line = &self.text[from..*end];
            from = *end;
            (line, *number)
        })
    }
}

/// Bounded store of the lines that are shown.
#[derive(Debug)]
pub(crate) struct Sink {
    budget: Budget,
    text: String,
    entries: Vec<Entry>,
    /// The last lines, in two parts: when the newer is full, the older goes.
    older: Part,
    newer: Part,
    trouble: Vec<(u64, Box<str>)>,
    trouble_bytes: usize,
    lost_lines: u64,
    lost_bytes: u64,
    lost_trouble: u64,
    slots: Vec<String>,
    /// Numbers of lines that stand in slots.
    in_slots: Vec<u64>,
    last_blank: bool,
    /// Lines left out without a word in place; one notice at the end counts them.
    pub(crate) cut: u64,
    /// Lines folded under a word in place.
    pub(crate) folded: u64,
    /// Shown lines that no step explained.
    pub(crate) unexplained: u64,
    /// Shown lines that a step explained.
    pub(crate) explained: u64,
}

impl Sink {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            budget,
            text: String::new(),
            entries: Vec::new(),
            older: Part::default(),
            newer: Part::default(),
            trouble: Vec::new(),
            trouble_bytes: 0,
            lost_lines: 0,
            lost_bytes: 0,
            lost_trouble: 0,
            slots: Vec::new(),
            in_slots: Vec::new(),
            last_blank: true,
            cut: 0,
            folded: 0,
            unexplained: 0,
            explained: 0,
        }
    }

    pub(crate) fn line(&mut self, text: &str, number: u64) {
        let text = text.trim_end();
        if text.is_empty() {
            if self.last_blank {
                return;
            }
            self.last_blank = true;
        } else {
            self.last_blank = false;
        }
        self.store(text, number, Kind::Line);
    }

    /// Writes a word of ours.
    pub(crate) fn note(&mut self, text: &str) {
        self.last_blank = false;
        self.store(text, 0, Kind::Note);
    }

    /// Leaves a place to be filled later.
    pub(crate) fn slot(&mut self) -> usize {
        self.slots.push(String::new());
        let id = self.slots.len() - 1;
        if self.entries.len() < 200_000 {
            self.entries.push(Entry { end: self.text.len(), number: 0, kind: Kind::Slot(id) });
        }
        id
    }

    /// A line counted as folded stands in a slot after all.
    pub(crate) fn unfold(&mut self, number: u64) {
        self.folded = self.folded.saturating_sub(1);
        self.in_slots.push(number);
    }

    /// Fills a place; an empty text leaves nothing.
    pub(crate) fn fill(&mut self, slot: usize, text: String) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = text;
        }
    }

    fn store(&mut self, text: &str, number: u64, kind: Kind) {
        if self.newer.lines.is_empty()
            && self.older.lines.is_empty()
            && self.text.len() + text.len() < self.budget.head
        {
            self.text.push_str(text);
            self.text.push('\n');
            self.entries.push(Entry { end: self.text.len(), number, kind });
            return;
        }
        let half = self.budget.tail / 2;
        if self.newer.text.len() + text.len() > half {
            let mut gone = std::mem::replace(&mut self.older, std::mem::take(&mut self.newer));
            self.let_go(&gone);
            gone.text.clear();
            gone.lines.clear();
            self.newer = gone;
        }
        if text.len() > half {
            let quarter = half / 4;
            let (head, tail) = (floor(text, quarter), ceil(text, text.len() - quarter));
            self.newer.text.push_str(&format!(
                "{} [… {} bytes cut …] {}",
                &text[..head],
                tail - head,
                &text[tail..]
            ));
        } else {
            self.newer.text.push_str(text);
        }
        self.newer.lines.push((self.newer.text.len(), number));
    }

    /// Lines that leave the tail: those about trouble are kept, the others counted.
    fn let_go(&mut self, part: &Part) {
        for (text, number) in part.lines() {
            let plain = guard::weigh(text) == Weight::Plain;
            if !plain && self.trouble_bytes + text.len() < self.budget.trouble {
                self.trouble_bytes += text.len() + 1;
                self.trouble.push((number, Box::from(text)));
            } else {
                self.lost_lines += 1;
                self.lost_trouble += u64::from(!plain);
                self.lost_bytes += text.len() as u64 + 1;
            }
        }
    }

    /// Lines that did not fit into the budget.
    pub(crate) fn lost(&self) -> u64 {
        self.lost_lines
    }

    /// The text, and the numbers of the lines in it.
    pub(crate) fn render(&self) -> (String, Vec<u64>) {
        let mut out = String::with_capacity(self.text.len() + self.budget.tail + self.trouble_bytes + 64);
        let mut numbers = Vec::new();
        let mut start = 0;
        for entry in &self.entries {
            match entry.kind {
                Kind::Slot(id) => {
                    let text = self.slots[id].trim_end();
                    if !text.is_empty() {
                        out.push_str(text);
                        out.push('\n');
                    }
                }
                Kind::Line | Kind::Note => {
                    out.push_str(&self.text[start..entry.end]);
                    start = entry.end;
                    if entry.number > 0 {
                        numbers.push(entry.number);
                    }
                }
            }
        }
        if self.lost_lines > 0 {
            out.push_str(&format!("[… {} lines ({} bytes) cut here", self.lost_lines, self.lost_bytes));
            if self.lost_trouble > 0 {
                out.push_str(&format!(", {} of them about trouble", self.lost_trouble));
            }
            out.push_str(if self.trouble.is_empty() { " …]\n" } else { "; what is left of them: …]\n" });
        }
        for (number, text) in &self.trouble {
            out.push_str(text);
            out.push('\n');
            numbers.push(*number);
        }
        if self.lost_lines > 0 && !self.trouble.is_empty() {
            out.push_str("[…]\n");
        }
        for (text, number) in self.older.lines().chain(self.newer.lines()) {
            out.push_str(text);
            out.push('\n');
            numbers.push(number);
        }
        out.truncate(out.trim_end().len());
        if !out.is_empty() {
            out.push('\n');
        }
        if !self.in_slots.is_empty() {
            numbers.extend(&self.in_slots);
            numbers.sort_unstable();
        }
        numbers.retain(|n| *n > 0);
        (out, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_goes_first_but_not_its_errors() {
        let mut sink = Sink::new(Budget { head: 60, tail: 60, trouble: 200 });
        for n in 1..=100u64 {
            if n == 50 {
                sink.line("error: disk full", n);
            } else {
                sink.line(&format!("row {n}"), n);
            }
        }
        let (text, numbers) = sink.render();
        assert!(
            text.contains("row 1\n") && text.contains("row 100") && text.contains("error: disk full"),
            "{text}"
        );
        assert!(!text.contains("row 49"));
        assert_eq!(numbers.len() as u64 + sink.lost(), 100);
        assert!(text.contains(&format!("[… {} lines", sink.lost())));
    }

    #[test]
    fn slots_are_filled_in_place() {
        let mut sink = Sink::new(Budget::of(4096));
        sink.line("a", 1);
        let slot = sink.slot();
        let empty = sink.slot();
        sink.line("b", 2);
        sink.fill(slot, "[3 more]".into());
        sink.fill(empty, String::new());
        assert_eq!(sink.render().0, "a\n[3 more]\nb\n");
    }

    #[test]
    fn blank_lines_are_made_one() {
        let mut sink = Sink::new(Budget::of(4096));
        for line in ["", "a", "", "  ", "b", ""] {
            sink.line(line, 1);
        }
        assert_eq!(sink.render().0, "a\n\nb\n");
    }
}
