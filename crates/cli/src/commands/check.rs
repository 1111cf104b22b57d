//! `toolgate check`: what a command would do, and whether it may, without running it.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value as Json;
use toolgate::policy::batch::{Answer, Request};
use toolgate::policy::decide::{Reason, Source};
use toolgate::policy::profile::Verdict;

use super::Globals;
use crate::batch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::history::Line;
use crate::judging::JudgeFlags;
use crate::report::{EffectReport, ReasonReport, VerdictReport};
use crate::ui::{Style, Ui, visible_lines};

/// Say what a command would do and whether it may, without running it
///
/// Prints the verdict, each effect, and each reason with the text it is about. Exits with 0 for allow,
/// 1 for ask, 2 for deny.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// The command, as it would be given to `bash -c`
    #[arg(required_unless_present = "jsonl", conflicts_with = "jsonl")]
    command: Option<String>,

    /// Answer one {"id", "command", "cwd_context"?} or {"id", "tool", "args"} a line from stdin
    #[arg(long)]
    jsonl: bool,

    #[command(flatten)]
    judging: JudgeFlags,
}

#[derive(Serialize)]
struct Answered {
    id: Json,
    #[serde(flatten)]
    report: VerdictReport,
}

impl Check {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let judge = self.judging.judge(globals)?;
        let Some(command) = self.command else {
            batch::lines(|line: Line| {
                let id = line.id.clone();
                Answered { id, report: report(&judge.judge(&line.request())) }
            })?;
            return Ok(Exit::Success);
        };
        let answer = judge.judge(&Request::Command { text: command.clone(), cwd: None });
        let exit = match answer.verdict {
            Verdict::Allow => Exit::Success,
            Verdict::Ask => Exit::Asks,
            Verdict::Deny => Exit::Denied,
        };
        ui.answer(report(&answer), || explained(ui, &command, &answer))?;
        Ok(exit)
    }
}

fn report(answer: &Answer) -> VerdictReport {
    VerdictReport {
        verdict: answer.verdict.name().to_owned(),
        parse: if answer.complete { "complete" } else { "unknown" }.to_owned(),
        programs: answer.programs.clone(),
        effects: answer
            .effects
            .iter()
            .map(|(kind, target, span)| EffectReport {
                kind: (*kind).to_owned(),
                target: target.clone(),
                span: *span,
            })
            .collect(),
        reasons: answer.reasons.iter().map(reason).collect(),
    }
}

fn reason(reason: &Reason) -> ReasonReport {
    ReasonReport {
        verdict: reason.verdict.name().to_owned(),
        code: reason.code.to_string(),
        message: reason.message.clone(),
        span: reason.span.map(|s| [s.start, s.end]),
        rule: reason.rule.clone(),
        source: reason.source.name().to_owned(),
        grant: reason.lift.clone(),
        instead: reason.instead.map(str::to_owned),
    }
}

/// The answer for a person: the verdict, why with the text underlined, what would help, and all effects.
fn explained(ui: Ui, command: &str, answer: &Answer) -> String {
    let mut out = String::new();
    let style = match answer.verdict {
        Verdict::Allow => Style::Strong,
        Verdict::Ask => Style::Note,
        Verdict::Deny => Style::Bad,
    };
    // Writing to a String can't fail.
    let _ = writeln!(out, "{}", ui.out_style(style, answer.verdict.name()));
    for reason in &answer.reasons {
        let _ = writeln!(
            out,
            "\n  {}: {}",
            ui.out_style(Style::Strong, &reason.code),
            visible_lines(&reason.message)
        );
        if let Some(span) = reason.span {
            underline(&mut out, command, span.start as usize, span.end as usize);
        }
        if let Some(rule) = &reason.rule {
            let _ = writeln!(out, "    rule      {} ({})", visible_lines(rule), reason.source.name());
        }
        if let Some(instead) = reason.instead {
            let _ = writeln!(out, "    instead   {instead}");
        }
        match &reason.lift {
            Some(grant) => {
                let _ = writeln!(out, "    lifted by {}", visible_lines(grant));
            }
            None if reason.source == Source::Hard => {
                let _ = writeln!(out, "    lifted by nothing: this is a hard rule");
            }
            None => {}
        }
    }
    if !answer.effects.is_empty() {
        let _ = writeln!(out, "\n  {}", ui.out_style(Style::Faint, "effects"));
        for (kind, target, _) in &answer.effects {
            match target {
                Some(target) => _ = writeln!(out, "    {kind} {}", visible_lines(target)),
                None => _ = writeln!(out, "    {kind}"),
            }
        }
    }
    out
}

/// The line of the command in which a span begins, with the span marked below it.
fn underline(out: &mut String, command: &str, start: usize, end: usize) {
    let (Some(before), Some(_)) = (command.get(..start), command.get(start..end)) else { return };
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end =
        command.get(start..).and_then(|rest| rest.find('\n')).map_or(command.len(), |at| start + at);
    let part = |from: usize, to: usize| visible_lines(command.get(from..to).unwrap_or_default()).into_owned();
    let (head, marked, tail) =
        (part(line_start, start), part(start, end.min(line_end)), part(end.min(line_end), line_end));
    let width = |text: &str| text.chars().count();
    let _ = writeln!(out, "    {head}{marked}{tail}");
    let _ = writeln!(out, "    {}{}", " ".repeat(width(&head)), "^".repeat(width(&marked).max(1)));
}
