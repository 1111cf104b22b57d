//! Shows the head and the tail of many lines, and between them what speaks of trouble.

use super::{Held, Line, Next, Stage};
use crate::guard::{self, Weight};
use std::collections::VecDeque;

pub(crate) struct Truncate {
    most: usize,
    head: usize,
    tail: usize,
    seen: usize,
    /// Up to `most` lines while it is open whether anything is cut; after that the tail.
    held: VecDeque<Held>,
    cutting: bool,
    hidden: u64,
}

impl Truncate {
    pub(crate) fn new(most: usize, head: usize, tail: usize) -> Self {
        let most = most.min(100_000);
        Self {
            most,
            head: head.min(most),
            tail: tail.min(most),
            seen: 0,
            held: VecDeque::new(),
            cutting: false,
            hidden: 0,
        }
    }

    fn release(&mut self, held: &Held, next: &mut Next<'_>) {
        if held.line().is_ours() || guard::weigh(&held.text) != Weight::Plain {
            if self.hidden > 0 {
                next.note(&format!("[… {} lines cut …]", self.hidden));
                next.folded(self.hidden);
                self.hidden = 0;
            }
            next.line(held.line());
        } else {
            self.hidden += 1;
        }
    }
}

impl Stage for Truncate {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        self.seen += 1;
        if self.seen <= self.head {
            return next.line(line);
        }
        self.held.push_back(line.into());
        if !self.cutting && self.seen > self.most {
            self.cutting = true;
        }
        if self.cutting {
            while self.held.len() > self.tail {
                if let Some(held) = self.held.pop_front() {
                    self.release(&held, next);
                }
            }
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        if self.hidden > 0 {
            next.note(&format!("[… {} lines cut …]", self.hidden));
            next.folded(self.hidden);
            self.hidden = 0;
        }
        for held in std::mem::take(&mut self.held) {
            next.line(held.line());
        }
    }
}
