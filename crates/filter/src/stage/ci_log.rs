//! Lines of a CI log without the job, the step and the time in front of each.
//!
//! `build<tab>Run tests<tab>2026-03-01T10:00:00.1234567Z text`: job and step are written once above
//! their lines, with the time of the first.

use super::{Line, Next, Stage};

#[derive(Default)]
pub(crate) struct CiLog {
    job: String,
    step: String,
}

/// Job, step, time and text of a line.
fn split(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (job, rest) = text.split_once('\t')?;
    let (step, rest) = rest.split_once('\t')?;
    let rest = rest.trim_start_matches('\u{feff}');
    let (time, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let stamp = time.len() >= 20
        && time.ends_with('Z')
        && time.starts_with(|c: char| c.is_ascii_digit())
        && time.as_bytes().get(10) == Some(&b'T');
    stamp.then_some((job, step, time, text))
}

impl Stage for CiLog {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return next.line(line);
        }
        let Some((job, step, time, text)) = split(line.text) else { return next.line(line) };
        if self.job != job || self.step != step {
            job.clone_into(&mut self.job);
            step.clone_into(&mut self.step);
            next.note(&format!("== {job} / {step} ({time})"));
        }
        next.line(Line { text, ..line });
    }

    fn finish(&mut self, _: &mut Next<'_>) {}
}
