//! Folds neighbouring lines that count something up: `batch 1 done`, `batch 2 done` …
//!
//! The lines must be alike but for their numbers, one of the numbers must go up (or down) by the
//! same step from line to line, and every other number that changes must be a time or a size. Rows
//! of data are not like that, so they pass.

use super::{Held, Line, Next, Stage};
use crate::guard::{self, Weight};
use crate::template::{self, MOST_NUMBERS, Numbers};

/// Hidden lines below which the run is shown: the notice would cost as much.
const LEAST: u64 = 4;

#[derive(Default)]
pub(crate) struct Runs {
    open: Option<Folding>,
}

struct Folding {
    run: Run,
    /// Lines after the first; once folding is sure, only the last.
    held: Vec<Held>,
}

/// Lines alike but for numbers, one of which goes up evenly.
pub(super) struct Run {
    sample: Box<str>,
    last: Numbers,
    /// Which numbers still go up evenly, and by how much.
    steps: [Option<i64>; MOST_NUMBERS],
    /// Lines after the first.
    count: u64,
}

impl Runs {
    fn close(&mut self, next: &mut Next<'_>) {
        let Some(mut open) = self.open.take() else { return };
        let Some(last) = open.held.pop() else { return };
        let hidden = open.run.count - 1;
        if hidden < LEAST {
            for held in &open.held {
                next.line(held.line());
            }
        } else {
            next.note(&format!("[… {hidden} more like this …]"));
            next.folded(hidden);
        }
        next.line(last.line());
    }
}

/// Times and sizes: numbers that vary from line to line without saying anything.
const UNITS: &[&str] = &[
    "ms", "s", "sec", "us", "µs", "ns", "m", "min", "h", "kb", "mb", "gb", "kib", "mib", "gib", "b", "bytes",
    "%", "k", "kb/s", "mb/s", "b/s",
];

fn has_unit(text: &str, number: usize) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut seen = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
            if seen == number {
                // `1.5s`: the unit stands after the fraction.
                let mut rest = &text[at..];
                if let Some(fraction) = rest.strip_prefix('.') {
                    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
                    rest = &fraction[digits..];
                }
                let word: String = rest
                    .trim_start()
                    .chars()
                    .take_while(|c| c.is_alphabetic() || matches!(c, '%' | '/'))
                    .flat_map(char::to_lowercase)
                    .collect();
                // A clock: `00:01:17`, `12:00`.
                let clock = rest.starts_with(':')
                    || text[..at].trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(':');
                return UNITS.contains(&word.as_str()) || clock;
            }
            seen += 1;
        } else {
            at += 1;
        }
    }
    false
}

impl Stage for Runs {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.close(next);
            return next.line(line);
        }
        if let Some(open) = &mut self.open {
            // The second line decides whether lines of this kind may be folded at all.
            let free = open.run.count > 0 || guard::weigh(line.text) == Weight::Plain;
            if free && open.run.next(line.text) {
                if open.run.count > LEAST + 1 {
                    open.held.clear();
                }
                open.held.push(line.known().into());
                return;
            }
        }
        self.close(next);
        self.open = Run::begin(line.text).map(|run| Folding { run, held: Vec::new() });
        next.line(line);
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        self.close(next);
    }
}

impl Run {
    /// A run may begin with this line: it has a number, and words around it.
    pub(super) fn begin(text: &str) -> Option<Self> {
        if text.len() > 400 {
            return None;
        }
        let last = template::numbers(text)?;
        let worded = text.chars().filter(|c| c.is_alphabetic()).take(3).count() >= 3;
        (last.count > 0 && worded).then(|| Self {
            sample: Box::from(text),
            last,
            steps: [None; MOST_NUMBERS],
            count: 0,
        })
    }

    /// Takes the line into the run if it goes on with it.
    pub(super) fn next(&mut self, text: &str) -> bool {
        if text.len() > 400 {
            return false;
        }
        if !template::alike(&self.sample, text) {
            return false;
        }
        let Some(numbers) = template::numbers(text) else { return false };
        if numbers.count != self.last.count {
            return false;
        }
        let mut steps = [None; MOST_NUMBERS];
        let mut counting = false;
        for (at, step) in steps.iter_mut().enumerate().take(numbers.count) {
            let difference = numbers.values[at].wrapping_sub(self.last.values[at]) as i64;
            let fraction = numbers.fractions >> at & 1 == 1;
            let even =
                difference != 0 && !fraction && (self.count == 0 || self.steps[at] == Some(difference));
            if even {
                *step = Some(difference);
                counting = true;
            } else if difference != 0 && !has_unit(text, at) {
                return false;
            }
        }
        if !counting {
            return false;
        }
        self.steps = steps;
        self.last = numbers;
        self.count += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::{CaptureOptions, Catalog, filter_captured};

    fn filtered(text: &str) -> String {
        filter_captured(&Catalog::built_in(), "./tool", 0, text.as_bytes(), b"", CaptureOptions::default())
            .text
    }

    #[test]
    fn lines_that_count_up_are_folded_with_a_true_count() {
        let text: String =
            (0..40).map(|n| format!("[worker] batch {n} of 40 in {}ms\n", 10 + n * 7 % 5)).collect();
        assert_eq!(
            filtered(&text),
            "[worker] batch 0 of 40 in 10ms\n[… 38 more like this …]\n[worker] batch 39 of 40 in 13ms\n"
        );
    }

    #[test]
    fn rows_of_data_are_shown() {
        for text in [
            (0..40).map(|n| format!("epoch {n} loss 0.{}\n", 900 - n * 13 % 71)).collect::<String>(),
            (0..40).map(|n| format!("{n}\n")).collect(),
            (0..40).map(|n| format!("user {} has {} items\n", n * n % 37, n)).collect(),
            (0..40).map(|n| format!("row {} ok\n", n * 31 % 40)).collect(),
            (0..40).map(|n| format!("task {n} failed\n")).collect(),
            (0..40).map(|n| format!("src/a.rs:{n}: see here\n")).collect(),
            (0..40).map(|n| format!("1 2 3 4 5 6 7 row {n} of {}\n", n * n % 37)).collect(),
            (0..40)
                .map(|n| format!("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 row {n} of {}\n", n * n % 37))
                .collect(),
        ] {
            assert_eq!(filtered(&text), text);
        }
    }

    #[test]
    fn a_line_that_differs_breaks_the_run_and_is_shown() {
        let mut text: String = (0..20).map(|n| format!("step {n} done\n")).collect();
        text.push_str("step 20 skipped: no disk\n");
        text.extend((21..40).map(|n| format!("step {n} done\n")));
        assert!(filtered(&text).contains("step 20 skipped: no disk"));
    }
}
