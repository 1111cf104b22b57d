//! `toolgate policy coverage`: which rules a history ran into.

use std::fmt::Write as _;
use std::path::PathBuf;

use toolgate::config::Loaded;
use toolgate::policy::coverage::Coverage as Counts;

use super::check::{list_entries, never_fire};
use crate::commands::Globals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::history;
use crate::judging::JudgeFlags;
use crate::report::{CoveredReport, PolicyCoverageReport};
use crate::ui::{Style, Ui, visible};

/// Count how often each rule and list entry fires over a history
///
/// For each, how many calls it is about; for a rule also how many of these would be judged otherwise without
/// it. What never fired, and what never can, is named.
#[derive(Debug, clap::Args)]
pub(super) struct Coverage {
    /// The history, or - for stdin: a command a line, or objects as `check --jsonl` takes them
    history: PathBuf,

    #[command(flatten)]
    judging: JudgeFlags,
}

impl Coverage {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let (judge, loaded) = self.judging.judge_and_config(globals)?;
        let mut counts = Counts::default();
        for line in history::calls(&self.history)? {
            counts.add(&judge, &line.request());
        }
        let report = PolicyCoverageReport { calls: counts.calls, parts: parts(&loaded, &counts) };
        ui.answer(report.clone(), || text(ui, &report))?;
        Ok(Exit::Success)
    }
}

/// Every rule and entry, with what it did.
fn parts(loaded: &Loaded, counts: &Counts) -> Vec<CoveredReport> {
    let policy = &loaded.policy;
    let dead = never_fire(loaded);
    let never =
        |at: usize| dead.iter().find(|(rule, _)| *rule == at).map(|(_, finding)| finding.message.clone());
    let rules = policy.rules.iter().enumerate().map(|(at, rule)| {
        let fired = counts.rules.get(&at).copied().unwrap_or_default();
        CoveredReport {
            kind: "rule".to_owned(),
            name: rule.label().to_owned(),
            action: rule.verdict().name().to_owned(),
            layer: Some(rule.layer().name().to_owned()),
            origin: rule.origin().to_owned(),
            calls: fired.calls,
            decided: Some(fired.decided),
            never: never(at),
        }
    });
    let entry = |kind: &str, name: &str, action: &str, origin: String, calls: usize| CoveredReport {
        kind: kind.to_owned(),
        name: name.to_owned(),
        action: action.to_owned(),
        layer: None,
        origin,
        calls,
        decided: None,
        never: None,
    };
    let count =
        |map: &std::collections::BTreeMap<String, usize>, name: &str| map.get(name).copied().unwrap_or(0);
    let blocked = policy.blocked.entries().map(|name| {
        let origin = "tools.shell.blocked_commands".to_owned();
        entry("blocked", name, "deny", origin, count(&counts.blocked, name))
    });
    let confirmed = policy.confirmed.entries().map(|name| {
        let origin = "tools.shell.confirm_patterns".to_owned();
        entry("confirmed", name, "ask", origin, count(&counts.confirmed, name))
    });
    let lists = list_entries(loaded).into_iter().map(|listed| {
        let key = (listed.list, listed.tool.to_owned(), listed.at);
        let calls = counts.lists.get(&key).copied().unwrap_or(0);
        let name = format!("{} `{}`", listed.tool, listed.rule.pattern);
        CoveredReport {
            never: listed.never,
            ..entry("list", &name, listed.rule.action.name(), listed.origin, calls)
        }
    });
    rules.chain(blocked).chain(confirmed).chain(lists).collect()
}

fn text(ui: Ui, report: &PolicyCoverageReport) -> String {
    let mut text = String::new();
    // Writing to a String can't fail.
    let _ = writeln!(text, "   calls  decided  over {} calls", report.calls);
    for part in &report.parts {
        let decided = part.decided.map_or_else(String::new, |n| n.to_string());
        // A rule without a name is known by its place, which stands behind it.
        let name = if part.name == part.origin { "" } else { &part.name };
        let what = format!("{} {} {}", part.action, part.kind, visible(name));
        let style = if part.calls == 0 { Style::Note } else { Style::Strong };
        let origin = ui.out_style(Style::Faint, &visible(&part.origin));
        let _ = writeln!(
            text,
            "{:8} {decided:>8}  {}  {origin}",
            part.calls,
            ui.out_style(style, what.trim_end())
        );
        if let Some(never) = &part.never {
            let _ = writeln!(text, "                   {}", visible(never));
        }
    }
    let silent = report.parts.iter().filter(|part| part.calls == 0).count();
    let _ = writeln!(text, "{} rules and entries, {silent} never fired", report.parts.len());
    text
}
