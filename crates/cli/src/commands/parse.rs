//! `toolgate parse`: the commands of a script, as bash would find them.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate::bash::ast::{Pipe, Redirection, SimpleCommand, Span};
use toolgate::bash::{Options, Path, Step, Unknown, Visitor, parse, programs, walk};

use crate::batch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{ParseReport, ProgramReport, RedirectionReport};
use crate::ui::{Style, Ui, visible_lines};

/// Show every command that bash would find in a text
///
/// Nothing is run. Commands in substitutions, here-documents, functions and so on are shown where they
/// stand. A text of which any part is not understood for certain is `unknown` as a whole (exit 1).
#[derive(Debug, clap::Args)]
pub(crate) struct Parse {
    /// The text, as it would be given to `bash -c`
    #[arg(required_unless_present = "jsonl", conflicts_with = "jsonl")]
    command: Option<String>,

    /// Answer one {"id", "command"} a line from stdin with one line each
    #[arg(long)]
    jsonl: bool,
}

#[derive(Deserialize)]
struct Line {
    id: Value,
    command: String,
}

#[derive(Serialize)]
struct Answer {
    id: Value,
    #[serde(flatten)]
    report: ParseReport,
}

impl Parse {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let Some(command) = self.command else {
            batch::lines(|line: Line| Answer { id: line.id, report: report(&line.command) })?;
            return Ok(Exit::Success);
        };
        let report = report(&command);
        let exit = if report.parse == "complete" { Exit::Success } else { Exit::No };
        ui.answer(report, || tree(ui, &command))?;
        Ok(exit)
    }
}

fn report(command: &str) -> ParseReport {
    match parse(command.as_bytes(), &Options::default()) {
        Ok(script) => {
            let mut seen = Redirections { text: command, found: Vec::new() };
            walk(&script, &mut seen);
            let programs = programs(&script)
                .into_iter()
                .map(|program| ProgramReport {
                    dynamic: program.is_dynamic(),
                    span: pair(program.span),
                    name: program.name.map(|name| name.to_str_lossy().into_owned()),
                })
                .collect();
            ParseReport {
                parse: "complete".to_owned(),
                reason: None,
                at: None,
                programs,
                redirections: seen.found,
            }
        }
        Err(unknown) => ParseReport {
            parse: "unknown".to_owned(),
            reason: Some(unknown.reason.code().to_owned()),
            at: Some(pair(unknown.span)),
            programs: Vec::new(),
            redirections: Vec::new(),
        },
    }
}

fn pair(span: Span) -> [u32; 2] {
    [span.start, span.end]
}

fn slice(text: &str, span: Span) -> String {
    let bytes = text.as_bytes().get(span.start as usize..span.end as usize).unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

struct Redirections<'t> {
    text: &'t str,
    found: Vec<RedirectionReport>,
}

impl<'s> Visitor<'s> for Redirections<'_> {
    fn simple(&mut self, _: &'s SimpleCommand, _: Path<'_, 's>) {}

    fn redirection(&mut self, redirection: &'s Redirection, _: Path<'_, 's>) {
        let text = slice(self.text, redirection.span);
        self.found.push(RedirectionReport { text, span: pair(redirection.span) });
    }
}

/// The commands as a tree for a person: one line each, below what encloses them.
fn tree(ui: Ui, command: &str) -> String {
    match parse(command.as_bytes(), &Options::default()) {
        Err(unknown) => not_understood(ui, command, unknown),
        Ok(script) => {
            let mut tree = Tree { ui, text: command, out: String::new() };
            walk(&script, &mut tree);
            tree.out
        }
    }
}

fn not_understood(ui: Ui, command: &str, unknown: Unknown) -> String {
    let start = (unknown.span.start as usize).min(command.len());
    let line_start = command
        .as_bytes()
        .get(..start)
        .unwrap_or_default()
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    let line = command.get(line_start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let before = command.get(line_start..start).map_or(0, |b| b.chars().count());
    format!(
        "{}: {}\n    {}\n    {}^\n",
        ui.out_style(Style::Bad, "unknown"),
        unknown.reason,
        visible_lines(line),
        " ".repeat(before)
    )
}

struct Tree<'t> {
    ui: Ui,
    text: &'t str,
    out: String,
}

impl Tree<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a String can't fail.
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }
}

/// Steps that a person sees as a level of their own.
fn label(step: &Step<'_>) -> Option<String> {
    Some(match step {
        Step::Group(_) => "{ }".to_owned(),
        Step::Subshell(_) => "( )".to_owned(),
        Step::Condition(_) => "condition".to_owned(),
        Step::Branch(_) => "branch".to_owned(),
        Step::Arm(_) => "case".to_owned(),
        Step::Loop(_) => "loop".to_owned(),
        Step::Function(function) => format!("function {}", function.name.to_str_lossy()),
        Step::Coproc(_) => "coproc".to_owned(),
        Step::Command(_) => "$( )".to_owned(),
        Step::Process(_) => "<( )".to_owned(),
        Step::HereDoc(_) => "here-document".to_owned(),
        Step::Item { .. } | Step::Stage { .. } => return None,
    })
}

fn depth(path: &[Step<'_>]) -> usize {
    path.iter().filter(|step| label(step).is_some()).count()
}

impl<'s> Visitor<'s> for Tree<'_> {
    fn simple(&mut self, command: &'s SimpleCommand, path: Path<'_, 's>) {
        let mut marks = Vec::new();
        if let Some(Step::Stage { pipeline, stage }) = path.last()
            && *stage > 0
        {
            marks.push(match pipeline.stages.get(stage - 1).and_then(|s| s.pipe) {
                Some(Pipe::StdoutAndStderr) => "|&",
                _ => "|",
            });
        }
        if path.iter().rev().find_map(|step| match step {
            Step::Item { pipeline, .. } => Some(*pipeline > 0),
            _ => None,
        }) == Some(true)
        {
            marks.push("if reached");
        }
        let name = match command.words.first() {
            None => "assignment".to_owned(),
            Some(word) => self.ui.out_style(Style::Strong, &visible_lines(&slice(self.text, word.span))),
        };
        let rest: Vec<String> = command
            .words
            .iter()
            .skip(1)
            .map(|w| visible_lines(&slice(self.text, w.span)).into_owned())
            .collect();
        let mut line = [vec![name], rest].concat().join(" ");
        for redirection in &command.redirections {
            let _ = write!(line, " {}", visible_lines(&slice(self.text, redirection.span)));
        }
        if !marks.is_empty() {
            let _ = write!(line, "  {}", self.ui.out_style(Style::Faint, &marks.join(", ")));
        }
        self.line(depth(path), &line);
    }

    fn enter(&mut self, path: Path<'_, 's>) {
        if let Some(label) = path.last().and_then(label) {
            let text = self.ui.out_style(Style::Faint, &label);
            self.line(depth(path) - 1, &text);
        }
    }
}
