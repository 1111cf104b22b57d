//! Shows the first few and the last of neighbouring lines of a kind, and how many stood between.

use super::{Held, Line, Next, Stage, may_drop};
use crate::rule::{Origin, Patterns};

/// Fewer lines between than this are shown: the notice would cost more.
const LEAST: u64 = 3;

pub(crate) struct Fold {
    lines: Patterns,
    never: Patterns,
    origin: Origin,
    /// How many lines are shown before any is left out.
    shown: usize,
    /// How many of the neighbouring lines were shown.
    written: usize,
    /// After those: what stands between, and the last.
    between: Vec<Held>,
    count: u64,
}

impl Fold {
    pub(crate) fn new(lines: Patterns, never: Patterns, origin: Origin, shown: usize) -> Self {
        let shown = shown.max(1);
        Self { lines, never, origin, shown, written: 0, between: Vec::new(), count: 0 }
    }

    fn close(&mut self, next: &mut Next<'_>) {
        self.written = 0;
        let last = self.between.pop();
        let between = std::mem::take(&mut self.between);
        let hidden = self.count.saturating_sub(u64::from(last.is_some()));
        self.count = 0;
        if hidden < LEAST {
            for held in &between {
                next.line(held.line());
            }
        } else {
            next.note(&format!("[… {hidden} more like this …]"));
            next.folded(hidden);
        }
        if let Some(last) = last {
            next.line(last.line());
        }
    }
}

/// A long line with its runs of like words folded: `ar rcs lib.a m_1.o m_2.o … m_99.o`.
fn words(text: &str) -> Option<String> {
    if text.len() < 160 {
        return None;
    }
    let words: Vec<&str> = text.split(' ').collect();
    let mut out = String::new();
    let mut at = 0;
    while at < words.len() {
        let shape = crate::template::hash(words[at]);
        let like = words[at..].iter().take_while(|w| crate::template::hash(w) == shape).count();
        if !out.is_empty() {
            out.push(' ');
        }
        if like > 5 && words[at].bytes().any(|b| b.is_ascii_digit()) {
            out.push_str(&format!("{} [… {} more …] {}", words[at], like - 2, words[at + like - 1]));
            at += like;
        } else {
            out.push_str(words[at]);
            at += 1;
        }
    }
    (out.len() < text.len()).then_some(out)
}

impl Stage for Fold {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        let one = !line.is_ours()
            && self.lines.matches(line.text)
            && !self.never.matches(line.text)
            && may_drop(line.text, self.origin);
        if !one {
            if self.written > 0 {
                self.close(next);
            }
            return next.line(line);
        }
        let short = words(line.text);
        let line = Line { text: short.as_deref().unwrap_or(line.text), ..line };
        if self.written < self.shown {
            self.written += 1;
            return next.line(line.known());
        }
        self.count += 1;
        // Only the last and as many as a short fold would show are held.
        if self.between.len() as u64 > LEAST {
            self.between.remove(0);
        }
        self.between.push(line.known().into());
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        if self.written > 0 {
            self.close(next);
        }
    }
}
