//! `toolgate policy`: judged cases against the policy, and two profiles against each other.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolgate::policy::profile::Verdict;

use super::check::{Line, ProfileName, Surroundings, request};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{ChangedReport, PolicyDiffReport, PolicyTestReport};
use crate::ui::{Style, Ui, visible_lines};

/// Test the policy against judged cases, or compare two profiles
#[derive(Debug, clap::Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Test(Test),
    Diff(Diff),
}

/// Judge a file of cases and compare with what each accepts
///
/// One {"id", "command" or "tool" and "args", "expect", "accept"?} a line. Counts MISS (allowed where that
/// is not accepted), OVERBLOCK (denied), OVERASK (asked where only allow is accepted) and SOFTER (asked where
/// only deny is accepted). Exits with 1 on any MISS.
#[derive(Debug, clap::Args)]
struct Test {
    /// The file of cases
    cases: PathBuf,

    #[command(flatten)]
    surroundings: Surroundings,
}

/// Judge a history of commands by two profiles and show what differs
#[derive(Debug, clap::Args)]
struct Diff {
    /// The file of commands, one a line
    history: PathBuf,

    /// The profile to compare with
    #[arg(long, value_name = "NAME")]
    with: ProfileName,

    #[command(flatten)]
    surroundings: Surroundings,
}

#[derive(Deserialize)]
struct Case {
    #[serde(flatten)]
    line: Line,
    expect: String,
    accept: Option<Vec<String>>,
}

impl Policy {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Test(test) => test.run(ui),
            Verb::Diff(diff) => diff.run(ui),
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::io(format!("reading {}", path.display()), error))
}

impl Test {
    fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let judge = self.surroundings.judge()?;
        let mut report = PolicyTestReport::default();
        for (number, text) in read(&self.cases)?.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let case: Case = serde_json::from_str(text).map_err(|error| Failure::Usage {
                message: format!("{}:{}: {error}", self.cases.display(), number + 1),
                hint: Some("one JSON object a line, with `id`, `command` and `expect`".to_owned()),
            })?;
            let accept = case.accept.unwrap_or_else(|| vec![case.expect]);
            let shown = format!(
                "{} {}",
                case.line.id,
                case.line.command.clone().or(case.line.tool.clone()).unwrap_or_default()
            );
            let verdict = judge.judge(&request(case.line)).verdict;
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

impl Diff {
    fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let before = self.surroundings.judge()?;
        let mut after = self.surroundings.judge()?;
        after.profile = self.with.profile();
        let mut report = PolicyDiffReport::default();
        for command in read(&self.history)?.lines().filter(|l| !l.trim().is_empty()) {
            report.total += 1;
            let text = toolgate::policy::batch::Request::Command { text: command.to_owned(), cwd: None };
            // One analysis serves both: a profile decides, it does not understand.
            let analysis = before.analyse(&text);
            let (a, b) = (before.decide(&analysis).verdict, after.decide(&analysis).verdict);
            if a != b {
                let (before, after) = (a.name().to_owned(), b.name().to_owned());
                report.changed.push(ChangedReport { command: command.to_owned(), before, after });
            }
        }
        let text = || {
            let mut text = String::new();
            for c in &report.changed {
                let _ = writeln!(text, "{} -> {}  {}", c.before, c.after, visible_lines(&c.command));
            }
            let _ = writeln!(text, "{} of {} commands differ", report.changed.len(), report.total);
            text
        };
        ui.answer(report.clone(), text)?;
        Ok(Exit::Success)
    }
}
