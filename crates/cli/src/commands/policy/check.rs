//! `toolgate policy check`: whether the policy of all layers makes sense.

use std::fmt::Write as _;

use toolgate::config::{ConfigErrors, Loaded, Origin};
use toolgate::policy::permissions::PermissionRule;
use toolgate::policy::rule::{Dead, Rule};

use crate::commands::Globals;
use crate::config_files;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{PolicyCheckReport, PolicyFindingReport};
use crate::session_flags::start_dir;
use crate::ui::{Style, Ui, visible, visible_lines};

/// Check the rules and lists of all layers
///
/// Reads the configuration that counts here. Tells of rules and patterns that can't be read, examples that do
/// not hold, and rules and entries that can never decide anything. Exits with 0 where there is nothing to tell,
/// and with 1 where there is.
#[derive(Debug, clap::Args)]
pub(super) struct Check {}

impl Check {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let report = match config_files::read(&start_dir(None)?, &globals.config) {
            Ok((loaded, _)) => of(&loaded),
            Err(Failure::Config(errors)) => broken(&errors),
            Err(other) => return Err(other),
        };
        let exit = if report.ok { Exit::Success } else { Exit::No };
        ui.answer(report.clone(), || text(ui, &report))?;
        Ok(exit)
    }
}

fn of(loaded: &Loaded) -> PolicyCheckReport {
    let entries = list_entries(loaded);
    let rules = never_fire(loaded).into_iter().map(|(_, finding)| finding);
    let listed = entries.iter().filter_map(|entry| {
        let message = format!("{} `{}`: {}", entry.tool, entry.rule.pattern, entry.never.as_ref()?);
        Some(PolicyFindingReport { at: entry.origin.clone(), message, hint: None })
    });
    let findings: Vec<_> = rules.chain(listed).collect();
    PolicyCheckReport {
        ok: findings.is_empty(),
        profile: loaded.setting("policy.profile").and_then(|s| s.value.as_str()).map(str::to_owned),
        rules: loaded.policy.rules.len(),
        entries: entries.len()
            + loaded.policy.blocked.entries().count()
            + loaded.policy.confirmed.entries().count(),
        findings,
    }
}

fn broken(errors: &ConfigErrors) -> PolicyCheckReport {
    let finding = |error: &toolgate::config::ConfigError| PolicyFindingReport {
        at: format!("{}:{}:{}", error.place.name, error.place.line, error.place.column),
        message: error.problem.to_string(),
        hint: error.hint(),
    };
    let findings = errors.0.iter().map(finding).collect();
    PolicyCheckReport { findings, ..PolicyCheckReport::default() }
}

/// The rules that can never decide anything, by their place.
pub(super) fn never_fire(loaded: &Loaded) -> Vec<(usize, PolicyFindingReport)> {
    let rules: Vec<&Rule> = loaded.policy.rules.iter().collect();
    let finding = |(at, dead): (usize, Dead)| {
        let rule = rules.get(at)?;
        let why = match dead {
            Dead::MayNotLoosen => "it allows, and its layer may only tighten".to_owned(),
            Dead::Covered(other) => {
                let other = rules.get(other)?;
                format!("{} is about all of it, with the answer {}", told(other), other.verdict().name())
            }
        };
        let message = format!("{} can never decide anything: {why}", told(rule));
        let hint = Some("remove it, or make the other rule narrower".to_owned());
        Some((at, PolicyFindingReport { at: rule.origin().to_owned(), message, hint }))
    };
    loaded.policy.rules.never_fire().into_iter().filter_map(finding).collect()
}

/// A rule by its name and place.
fn told(rule: &Rule) -> String {
    match rule.label() == rule.origin() {
        true => format!("the {} rule at {}", rule.verdict().name(), rule.origin()),
        false => format!("the {} rule `{}` ({})", rule.verdict().name(), rule.label(), rule.origin()),
    }
}

/// An entry of a permission list.
pub(super) struct Listed<'l> {
    /// Which layer's list it is in, counted from the first.
    pub(super) list: usize,
    pub(super) tool: &'l str,
    /// Its place in the list of its tool.
    pub(super) at: usize,
    pub(super) rule: &'l PermissionRule,
    pub(super) origin: String,
    /// Why it can never give an answer, if so.
    pub(super) never: Option<String>,
}

/// Every entry of every permission list.
pub(super) fn list_entries(loaded: &Loaded) -> Vec<Listed<'_>> {
    let mut entries = Vec::new();
    for (list, lists) in loaded.policy.lists.iter().enumerate() {
        let dead = lists.never_fire();
        for (tool, rules) in lists.rules() {
            for (at, rule) in rules.enumerate() {
                let origin = loaded.list_origins.get(list).and_then(|tools| tools.get(tool)?.get(at));
                let origin = origin.map(Origin::to_string).unwrap_or_default();
                let covered = dead.contains(&(tool, at));
                let never = covered
                    .then(|| "it can never give an answer: an entry before it takes all of it".to_owned());
                entries.push(Listed { list, tool, at, rule, origin, never });
            }
        }
    }
    entries
}

fn text(ui: Ui, report: &PolicyCheckReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        // Writing to a String can't fail.
        let at = ui.out_style(Style::Strong, &visible(&finding.at));
        let _ = writeln!(text, "{at}: {}", visible_lines(&finding.message));
        if let Some(hint) = &finding.hint {
            let _ = writeln!(text, "  {} {}", ui.out_style(Style::Note, "hint:"), visible_lines(hint));
        }
    }
    if report.ok {
        let profile = report.profile.as_deref().unwrap_or("default");
        let _ = writeln!(
            text,
            "fine: profile {profile}, {} rules, {} list entries",
            report.rules, report.entries
        );
    }
    text
}
