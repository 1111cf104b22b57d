//! The steps of a filter: each takes lines one by one and hands on what is left.
//!
//! A step acts on lines it positively recognises and hands on all others, so that steps of several
//! rules can follow one another for a compound command. A line that states trouble is handed on,
//! or every fact of it is written elsewhere (a place in a list of places).

mod annotated;
mod by_file;
mod cargo_json;
mod ci_log;
mod dedup;
mod diagnostics;
mod drop_lines;
mod fold;
mod frames;
mod git_diff;
mod git_log;
mod git_status;
mod go_json;
mod group;
pub(crate) mod json;
mod listing;
mod log;
mod processes;
mod runs;
mod test_summary;
mod truncate;

use crate::guard::{self, Weight};
use crate::rule::{Origin, Rule, Step};
use crate::shape::Shape;
use crate::sink::Sink;

/// What the engine knows about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// From the program.
    Line,
    /// From the program, and a step knows what it is.
    Known,
    /// Written by us.
    Note,
    /// A place to fill in later.
    Slot(usize),
}

/// One line on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Number in its stream, from 1; 0 for what we wrote.
    pub(crate) number: u64,
    pub(crate) mark: Mark,
}

impl<'a> Line<'a> {
    pub(crate) fn new(text: &'a str, number: u64) -> Self {
        Self { text, number, mark: Mark::Line }
    }

    pub(crate) fn known(self) -> Self {
        Self { mark: if self.mark == Mark::Line { Mark::Known } else { self.mark }, ..self }
    }

    /// Whether it is from us and must pass through untouched.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.mark, Mark::Note | Mark::Slot(_))
    }

    pub(crate) fn is_blank(&self) -> bool {
        !self.is_ours() && self.text.trim().is_empty()
    }
}

/// A line that outlives its moment.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) text: Box<str>,
    pub(crate) number: u64,
    pub(crate) mark: Mark,
}

impl From<Line<'_>> for Held {
    fn from(line: Line<'_>) -> Self {
        Self { text: Box::from(line.text), number: line.number, mark: line.mark }
    }
}

impl Held {
    pub(crate) fn line(&self) -> Line<'_> {
        Line { text: &self.text, number: self.number, mark: self.mark }
    }
}

/// The steps after this one, and the sink.
pub(crate) struct Next<'a> {
    pub(crate) rest: &'a mut [Box<dyn Stage>],
    pub(crate) sink: &'a mut Sink,
}

impl Next<'_> {
    /// Hands a line on.
    pub(crate) fn line(&mut self, line: Line<'_>) {
        match self.rest.split_first_mut() {
            Some((first, rest)) => first.line(line, &mut Next { rest, sink: self.sink }),
            None => match line.mark {
                Mark::Line => {
                    if !line.text.trim().is_empty() {
                        self.sink.unexplained += 1;
                    }
                    self.sink.line(line.text, line.number);
                }
                Mark::Known => {
                    self.sink.explained += 1;
                    self.sink.line(line.text, line.number);
                }
                Mark::Note => self.sink.note(line.text),
                Mark::Slot(_) => {}
            },
        }
    }

    /// Writes a word of ours at this place.
    pub(crate) fn note(&mut self, text: &str) {
        self.line(Line { text, number: 0, mark: Mark::Note });
    }

    /// Leaves a place to fill in at the end. Steps that hold lines hand them on first.
    pub(crate) fn slot(&mut self) -> usize {
        // The steps after this one let go of what they hold, so that the place is the right one.
        self.line(Line { text: "", number: 0, mark: Mark::Slot(0) });
        self.sink.slot()
    }

    /// Counts lines left out without a word in place.
    pub(crate) fn cut(&mut self, lines: u64) {
        self.sink.cut += lines;
    }

    /// Counts lines folded under a word in place.
    pub(crate) fn folded(&mut self, lines: u64) {
        self.sink.folded += lines;
    }
}

/// One step.
pub(crate) trait Stage: Send {
    /// Takes a line.
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>);
    /// Lets go of what it holds.
    fn finish(&mut self, next: &mut Next<'_>);
}

/// Runs the last act of each step in turn.
pub(crate) fn finish(stages: &mut [Box<dyn Stage>], sink: &mut Sink) {
    let mut at = stages;
    while let Some((first, rest)) = at.split_first_mut() {
        first.finish(&mut Next { rest, sink });
        at = rest;
    }
}

/// Whether a rule of this origin may leave the line out.
///
/// The one place where that is decided, whatever a rule says.
pub(crate) fn may_drop(line: &str, origin: Origin) -> bool {
    match guard::weigh(line) {
        Weight::Plain => true,
        Weight::Guarded => origin == Origin::BuiltIn,
        Weight::Vital => false,
    }
}

/// The steps of a rule.
pub(crate) fn of_rule(rule: &Rule, stages: &mut Vec<Box<dyn Stage>>) {
    let origin = rule.origin;
    let never = &rule.never_drop;
    for step in rule.steps.iter() {
        stages.push(match step {
            Step::Drop(noise) => Box::new(drop_lines::DropLines::new(noise.clone(), never.clone(), origin)),
            Step::DropOutside { noise, from, until } => Box::new(drop_lines::DropLines::outside(
                noise.clone(),
                never.clone(),
                origin,
                from.clone(),
                until.clone(),
            )),
            Step::Fold { lines, shown } => {
                Box::new(fold::Fold::new(lines.clone(), never.clone(), origin, *shown))
            }
            Step::Section { from, until } => {
                Box::new(drop_lines::DropSection::new(from.clone(), until.clone(), never.clone(), origin))
            }
            Step::Keep(lines) => Box::new(drop_lines::KeepMatching::new(lines.clone(), never.clone())),
            Step::Truncate { most, head, tail } => Box::new(truncate::Truncate::new(*most, *head, *tail)),
            Step::Annotated { noise, summary, most, head, tail } => Box::new(annotated::Annotated::new(
                noise.clone(),
                summary.clone(),
                never.clone(),
                truncate::Truncate::new(*most, *head, *tail),
            )),
            Step::Group { location, rule } => {
                Box::new(group::GroupByRule::new(location.clone(), rule.clone()))
            }
            Step::Dedup { normalize, most } => Box::new(dedup::Dedup::new(normalize.clone(), *most)),
            Step::Shape(shape) => match of_shape(*shape) {
                Some(stage) => stage,
                None => continue,
            },
        });
    }
}

fn of_shape(shape: Shape) -> Option<Box<dyn Stage>> {
    Some(match shape {
        // Judged on the whole stream, by the engine.
        Shape::Json => return None,
        Shape::TestSummary => Box::new(test_summary::TestSummary::default()),
        Shape::GitStatus => Box::new(git_status::GitStatus::default()),
        Shape::GitDiff => Box::new(git_diff::GitDiff::default()),
        Shape::GitLog => Box::new(git_log::GitLog::default()),
        Shape::Log => Box::new(log::Log::default()),
        Shape::Diagnostics => Box::new(diagnostics::Diagnostics::default()),
        Shape::Frames => Box::new(frames::Frames::default()),
        Shape::Runs => Box::new(runs::Runs::default()),
        Shape::CargoJson => Box::new(cargo_json::CargoJson),
        Shape::GoJson => Box::new(go_json::GoJson::default()),
        Shape::CiLog => Box::new(ci_log::CiLog::default()),
        Shape::ByFile => Box::new(by_file::ByFile::default()),
        Shape::Listing => Box::new(listing::Listing::default()),
        Shape::Processes => Box::new(processes::Processes::default()),
    })
}

/// The steps every output takes unless its rule says that it is what was asked for.
pub(crate) fn general(stages: &mut Vec<Box<dyn Stage>>) {
    stages.push(Box::new(frames::Frames::default()));
    stages.push(Box::new(diagnostics::Diagnostics::default()));
    stages.push(Box::new(runs::Runs::default()));
    stages.push(Box::new(log::Log::default()));
}
