//! Leaves out lines, or blocks of lines, that a rule knows to say nothing.

use super::{Line, Next, Stage, may_drop};
use crate::guard::{self, Weight};
use crate::rule::{Origin, Patterns};

/// Leaves out lines that match; the same as `strip_noise`.
pub(crate) struct DropLines {
    noise: Patterns,
    never: Patterns,
    origin: Origin,
    /// Blocks in which nothing is left out: how they begin and end.
    whole: Option<(Patterns, Patterns)>,
    inside: bool,
}

impl DropLines {
    pub(crate) fn new(noise: Patterns, never: Patterns, origin: Origin) -> Self {
        Self { noise, never, origin, whole: None, inside: false }
    }

    /// Leaves nothing out between a line that begins a block and one that ends it.
    pub(crate) fn outside(
        noise: Patterns,
        never: Patterns,
        origin: Origin,
        from: Patterns,
        until: Patterns,
    ) -> Self {
        Self { noise, never, origin, whole: Some((from, until)), inside: false }
    }
}

impl Stage for DropLines {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() || line.text.is_empty() {
            return next.line(line);
        }
        if let Some((from, until)) = &self.whole {
            if from.matches(line.text) {
                self.inside = true;
            } else if self.inside && until.matches(line.text) {
                self.inside = false;
            }
            if self.inside {
                return next.line(line);
            }
        }
        if self.noise.matches(line.text) && !self.never.matches(line.text) && may_drop(line.text, self.origin)
        {
            return next.cut(1);
        }
        next.line(if self.never.matches(line.text) { line.known() } else { line });
    }

    fn finish(&mut self, _: &mut Next<'_>) {}
}

/// Leaves out blocks, from a line that matches up to one that ends the block.
pub(crate) struct DropSection {
    from: Patterns,
    until: Patterns,
    never: Patterns,
    origin: Origin,
    inside: bool,
}

impl DropSection {
    pub(crate) fn new(from: Patterns, until: Patterns, never: Patterns, origin: Origin) -> Self {
        Self { from, until, never, origin, inside: false }
    }
}

impl Stage for DropSection {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return next.line(line);
        }
        if self.inside && self.until.matches(line.text) {
            self.inside = false;
        } else if !self.inside && self.from.matches(line.text) {
            self.inside = true;
        }
        if self.inside && !self.never.matches(line.text) && may_drop(line.text, self.origin) {
            next.cut(u64::from(!line.text.trim().is_empty()));
        } else {
            next.line(line);
        }
    }

    fn finish(&mut self, _: &mut Next<'_>) {}
}

/// Keeps lines that match, and every line that speaks of trouble. Where nothing matches, all stays.
pub(crate) struct KeepMatching {
    keep: Patterns,
    never: Patterns,
    /// Lines before the first match: shown when there is none.
    waiting: Vec<super::Held>,
    waiting_bytes: usize,
    found: bool,
}

/// How much is held while nothing matched yet; more than this, and the rule is taken to be wrong.
const WAITING: usize = 128 * 1024;

impl KeepMatching {
    pub(crate) fn new(keep: Patterns, never: Patterns) -> Self {
        Self { keep, never, waiting: Vec::new(), waiting_bytes: 0, found: false }
    }

    fn wanted(&self, line: &Line<'_>) -> bool {
        line.is_ours()
            || self.keep.matches(line.text)
            || self.never.matches(line.text)
            || guard::weigh(line.text) != Weight::Plain
    }
}

impl Stage for KeepMatching {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if self.waiting_bytes > WAITING {
            return next.line(line);
        }
        if !self.found {
            if self.keep.matches(line.text) && !line.is_ours() {
                self.found = true;
                for held in std::mem::take(&mut self.waiting) {
                    if self.wanted(&held.line()) {
                        next.line(held.line());
                    } else {
                        next.cut(u64::from(!held.text.trim().is_empty()));
                    }
                }
                return next.line(line.known());
            }
            self.waiting_bytes += line.text.len() + 24;
            self.waiting.push(line.into());
            if self.waiting_bytes > WAITING {
                for held in std::mem::take(&mut self.waiting) {
                    next.line(held.line());
                }
            }
            return;
        }
        if self.keep.matches(line.text) {
            next.line(line.known());
        } else if self.wanted(&line) {
            next.line(line);
        } else {
            next.cut(u64::from(!line.text.trim().is_empty()));
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        for held in std::mem::take(&mut self.waiting) {
            next.line(held.line());
        }
    }
}
