//! Leaves out marked lines, shows the last summary first, and cuts what is still long.

use super::truncate::Truncate;
use super::{Line, Mark, Next, Stage, may_drop};
use crate::rule::{Origin, Patterns};

pub(crate) struct Annotated {
    noise: Patterns,
    summary: Patterns,
    never: Patterns,
    rest: Truncate,
    slot: Option<usize>,
    last_summary: Option<String>,
}

impl Annotated {
    pub(crate) fn new(noise: Patterns, summary: Patterns, never: Patterns, rest: Truncate) -> Self {
        Self { noise, summary, never, rest, slot: None, last_summary: None }
    }
}

impl Stage for Annotated {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return self.rest.line(line, next);
        }
        if self.slot.is_none() && !self.summary.is_empty() {
            self.slot = Some(next.slot());
        }
        let free = !self.never.matches(line.text) && may_drop(line.text, Origin::User);
        if free && self.summary.matches(line.text) {
            if self.last_summary.replace(line.text.trim_start().to_owned()).is_some() {
                next.cut(1);
            }
        } else if free && self.noise.matches(line.text) {
            next.cut(1);
        } else {
            self.rest.line(Line { mark: Mark::Line, ..line }, next);
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        if let (Some(slot), Some(summary)) = (self.slot, self.last_summary.take()) {
            next.sink.fill(slot, summary);
        }
        self.rest.finish(next);
    }
}
