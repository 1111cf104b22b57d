//! `toolgate policy test`: judged cases against the policy.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Deserialize;
use toolgate::policy::profile::Verdict;

use crate::commands::Globals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::history::{self, Line};
use crate::judging::JudgeFlags;
use crate::report::PolicyTestReport;
use crate::ui::{Style, Ui, visible_lines};

/// Judge a file of cases and compare with what each accepts
///
/// One {"id", "command" or "tool" and "args", "expect", "accept"?} a line. Counts MISS (allowed where that
/// is not accepted), OVERBLOCK (denied), OVERASK (asked where only allow is accepted) and SOFTER (asked where
/// only deny is accepted). Exits with 1 on any MISS.
#[derive(Debug, clap::Args)]
pub(super) struct Test {
    /// The file of cases, or - for stdin
    cases: PathBuf,

    #[command(flatten)]
    judging: JudgeFlags,
}

#[derive(Deserialize)]
struct Case {
    #[serde(flatten)]
    line: Line,
    expect: String,
    accept: Option<Vec<String>>,
}

impl Test {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let judge = self.judging.judge(globals)?;
        let mut report = PolicyTestReport::default();
        let text = history::text(&self.cases)?;
        for (at, text) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let case: Case =
                serde_json::from_str(text).map_err(|error| history::bad_line(&self.cases, at, &error))?;
            let accept = case.accept.unwrap_or_else(|| vec![case.expect]);
            let shown = format!("{} {}", case.line.id, case.line.shown());
            let verdict = judge.judge(&case.line.request()).verdict;
            report.total += 1;
            if accept.iter().any(|a| a == verdict.name()) {
                continue;
            }
            match verdict {
                Verdict::Allow => report.miss.push(shown),
                Verdict::Deny => report.overblock.push(shown),
                Verdict::Ask if accept == ["deny"] => report.softer.push(shown),
                Verdict::Ask => report.overask.push(shown),
            }
        }
        let exit = if report.miss.is_empty() { Exit::Success } else { Exit::No };
        let text = || {
            let mut text = String::new();
            let kinds = [
                ("MISS", &report.miss, Style::Bad),
                ("OVERBLOCK", &report.overblock, Style::Bad),
                ("OVERASK", &report.overask, Style::Note),
                ("SOFTER", &report.softer, Style::Faint),
            ];
            for (name, cases, style) in &kinds {
                for case in *cases {
                    // Writing to a String can't fail.
                    let _ = writeln!(
                        text,
                        "{}  {}",
                        ui.out_style(*style, name),
                        visible_lines(case).replace('\n', "\\n")
                    );
                }
            }
            let counts: Vec<String> =
                kinds.iter().map(|(name, cases, _)| format!("{} {name}", cases.len())).collect();
            let _ = writeln!(text, "{} cases: {}", report.total, counts.join(", "));
            text
        };
        ui.answer(report.clone(), text)?;
        Ok(exit)
    }
}
