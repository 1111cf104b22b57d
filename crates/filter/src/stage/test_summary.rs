//! Rust test runs: results of several programs are added up, names are said once.
//!
//! Knows libtest and nextest. What a failing test printed stays as it is.

use super::{Held, Line, Next, Stage};
use crate::known::KnownSet;

const NAMES: usize = 100_000;

#[derive(Default)]
pub(crate) struct TestSummary {
    /// Names of failed tests that were written already.
    failed: KnownSet,
    passed: Tally,
    slot: Option<usize>,
    /// The first result, as it was.
    first: String,
    /// `failures:`, until it is clear what follows.
    heading: Option<Held>,
    list: bool,
    nextest: bool,
    /// `stdout ───` of nextest, until something stands below it.
    section: Option<Held>,
}

#[derive(Default)]
struct Tally {
    suites: u64,
    counts: [u64; 5],
}

const KINDS: [&str; 5] = ["passed", "failed", "ignored", "measured", "filtered out"];

fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// `test result: ok. 5 passed; 0 failed; …` → the counts, where all is well.
fn result(text: &str) -> Option<[u64; 5]> {
    let rest = text.strip_prefix("test result: ok. ")?;
    let mut counts = [0; 5];
    for part in rest.split(';').map(str::trim) {
        let Some((number, kind)) = part.split_once(' ') else { continue };
        if let Some(at) = KINDS.iter().position(|k| *k == kind) {
            counts[at] = number.parse().ok()?;
        }
    }
    (counts[1] == 0).then_some(counts)
}

impl TestSummary {
    fn settle(&mut self, next: &mut Next<'_>) {
        if let Some(heading) = self.heading.take() {
            next.line(heading.line().known());
        }
    }

    fn seen(&mut self, name: &str) -> bool {
        let name = name.split(" - should panic").next().unwrap_or(name);
        let key = hash(name.trim());
        let known = self.failed.contains(&key);
        if !known && self.failed.len() < NAMES {
            self.failed.insert(key);
        }
        known
    }

    fn show(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        self.settle(next);
        if let Some(section) = self.section.take() {
            next.line(section.line().known());
        }
        next.line(line);
    }
}

impl Stage for TestSummary {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.settle(next);
            return next.line(line);
        }
        let text = line.text.trim_start();
        let indented = line.text.starts_with("    ");
        if text.is_empty() {
            if self.heading.is_none() {
                next.line(line);
            }
            return;
        }
        if self.list {
            // Below the second `failures:` stand names, one a line, deeper than it.
            let name = text;
            if indented && !name.contains(' ') && self.failed.contains(&hash(name)) {
                return next.cut(1);
            }
            if indented && !name.contains(' ') && self.heading.is_some() {
                self.settle(next);
                return next.line(line.known());
            }
            self.list = false;
            if self.heading.take().is_some() {
                next.cut(1);
            }
        }
        if let Some(heading) = self.heading.take() {
            if text == "failures:" {
                // Nothing stood below the first one.
                next.cut(1);
                self.heading = Some(line.into());
                return;
            }
            if indented && !text.starts_with("----") && !text.contains(' ') {
                self.list = true;
                self.heading = Some(heading);
                if self.failed.contains(&hash(text)) {
                    return next.cut(1);
                }
                self.settle(next);
                return next.line(line.known());
            }
            self.heading = Some(heading);
        }
        if text == "failures:" {
            self.heading = Some(line.into());
            return;
        }
        if let Some(counts) = result(text) {
            self.settle(next);
            self.passed.suites += 1;
            for (sum, count) in self.passed.counts.iter_mut().zip(counts) {
                *sum += count;
            }
            if self.passed.suites == 1 {
                self.first = text.to_owned();
                self.slot = Some(next.slot());
                next.sink.explained += 1;
            } else {
                next.folded(1);
            }
            return;
        }
        // nextest: `        FAIL [   0.056s] ( 1/31) ledger tests::index_past_end`
        if text.starts_with("FAIL [")
            || text.starts_with("TIMEOUT [")
            || text.starts_with("SIGSEGV [")
            || text.starts_with("SIGABRT [")
        {
            self.nextest = true;
            if let Some(name) = text.rsplit(' ').next()
                && self.seen(name)
                && !self.failed.insert(hash(text))
            {
                return next.cut(1);
            }
            self.failed.insert(hash(text));
            self.section = None;
            return self.show(line.known(), next);
        }
        if self.nextest && indented {
            let name = text.strip_prefix("test ").and_then(|t| t.strip_suffix(" ... FAILED"));
            if name
                .is_some_and(|n| self.failed.contains(&hash(n.split(" - should panic").next().unwrap_or(n))))
                || text.starts_with("test result: FAILED. 0 passed; 1 failed;")
                || text == "running 1 test"
            {
                return next.cut(1);
            }
        }
        if self.nextest && (text.starts_with("stdout ─") || text.starts_with("stderr ─")) {
            self.settle(next);
            self.section = Some(line.into());
            return;
        }
        if let Some(name) = text.strip_prefix("test ").and_then(|t| t.strip_suffix(" ... FAILED")) {
            self.seen(name);
        } else if let Some(name) = text.strip_prefix("---- ").and_then(|t| t.strip_suffix(" stdout ----")) {
            self.seen(name);
        }
        self.show(line, next);
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        if !self.list {
            self.settle(next);
        }
        if let Some(slot) = self.slot {
            let text = if self.passed.suites == 1 {
                std::mem::take(&mut self.first)
            } else {
                let parts: Vec<String> = KINDS
                    .iter()
                    .zip(self.passed.counts)
                    .map(|(kind, count)| format!("{count} {kind}"))
                    .collect();
                format!("test result: ok. {} (in {} programs)", parts.join("; "), self.passed.suites)
            };
            next.sink.fill(slot, text);
        }
    }
}
