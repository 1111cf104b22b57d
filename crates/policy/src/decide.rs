//! From effects to a verdict with its reasons.

use crate::analyse::{Analysis, CommandRun};
use crate::effect::Effect;
use crate::path::Map;
use crate::profile::{self, Profile, Setting, Verdict};
use crate::rule::Rules;
use crate::word::shown;
use std::borrow::Cow;
use toolgate_bash::ast::Span;

/// Which hosts may be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NetworkScope {
    /// None but this machine.
    #[default]
    Deny,
    /// All.
    Allow,
    /// These and their sub-domains.
    Only(Vec<String>),
}

impl NetworkScope {
    /// Whether a host is open; `None` is a host that is not known.
    #[must_use]
    pub fn allows(&self, host: Option<&str>) -> bool {
        match self {
            NetworkScope::Deny => false,
            NetworkScope::Allow => true,
            NetworkScope::Only(list) => host.is_some_and(|h| {
                let h = h.trim_end_matches('.').to_ascii_lowercase();
                list.iter().any(|d| {
                    let d = d.trim_start_matches("*.").trim_end_matches('.').to_ascii_lowercase();
                    // By labels: `evil-example.com` is not in `example.com`.
                    h == d || h.strip_suffix(&d).is_some_and(|rest| rest.ends_with('.'))
                })
            }),
        }
    }
}

/// Who judges, and by what.
#[derive(Clone, Debug)]
pub struct Policy<'p> {
    /// The profile.
    pub profile: Profile,
    /// Which hosts may be reached.
    pub network: NetworkScope,
    /// What the boundary and undo cover.
    pub setting: Setting,
    /// Where things lie.
    pub map: Map,
    /// Rules on top of the profile.
    pub rules: Option<&'p Rules>,
}

/// Where a reason comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A row of a profile that nothing lifts.
    Hard,
    /// A row of a profile.
    Profile,
    /// A rule, with the layer it stands in.
    Rule(crate::rule::Layer),
    /// A list of blocked or confirmed commands.
    List,
}

impl Source {
    /// A stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Source::Hard => "built-in",
            Source::Profile => "profile",
            Source::Rule(layer) => layer.name(),
            Source::List => "list",
        }
    }
}

/// Why a call is not simply allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What it asks for.
    pub verdict: Verdict,
    /// A stable name in kebab case.
    pub code: Cow<'static, str>,
    /// One sentence.
    pub message: String,
    /// The text it is about.
    pub span: Option<Span>,
    /// The rule that says so.
    pub rule: Option<String>,
    /// Where it comes from.
    pub source: Source,
    /// The smallest grant that would lift it.
    pub lift: Option<String>,
    /// What can be done in its place.
    pub instead: Option<&'static str>,
}

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The reasons for it, the strictest first. Reasons for an allowed call name what it rests on.
    pub reasons: Vec<Reason>,
}

/// Judges what was found.
#[must_use]
pub fn decide(analysis: &Analysis, policy: &Policy<'_>) -> Decision {
    let mut reasons: Vec<Reason> = Vec::new();
    let mut verdict = Verdict::Allow;
    for effect in &analysis.effects {
        let command = effect.command.and_then(|c| analysis.commands.get(c as usize));
        let reason = judge(effect, command, policy);
        if let Some(reason) = reason {
            verdict = verdict.max(reason.verdict);
            add(&mut reasons, reason);
        }
    }
    if let Some(rules) = policy.rules {
        for command in &analysis.commands {
            for reason in rules.on_command(command) {
                verdict = verdict.max(reason.verdict);
                add(&mut reasons, reason);
            }
        }
    }
    // Nothing was found in a text that was not understood: that is no permission.
    if analysis.unknown.is_some() && verdict == Verdict::Allow && !policy.setting.contained {
        verdict = Verdict::Ask;
    }
    reasons.sort_by_key(|r| std::cmp::Reverse(r.verdict));
    Decision { verdict, reasons }
}

fn add(reasons: &mut Vec<Reason>, reason: Reason) {
    const MOST: usize = 64;
    if reasons.len() >= MOST {
        // Deny is never crowded out.
        if reason.verdict == Verdict::Deny
            && let Some(weaker) = reasons.iter_mut().find(|r| r.verdict != Verdict::Deny)
        {
            *weaker = reason;
        }
        return;
    }
    if !reasons.iter().any(|r| r.code == reason.code && r.message == reason.message && r.span == reason.span)
    {
        reasons.push(reason);
    }
}

fn judge(effect: &Effect, command: Option<&CommandRun>, policy: &Policy<'_>) -> Option<Reason> {
    let open = !effect.kind.is_net() || policy.network.allows(effect.target.as_deref());
    let seen = profile::see(effect, &policy.map, policy.setting, open);
    let row = profile::judge(policy.profile, effect, &seen);
    let (action, code, why, instead, hard) = match row {
        Some(r) => (r.action, r.code, r.why, r.instead, r.hard),
        // An effect no row is about.
        None => (Verdict::Ask, "not-understood", "no row of the profile is about it", "", false),
    };
    if let Some(rules) = policy.rules {
        let found = rules.on_effect(effect, command, &policy.map);
        if let Some(rule) = found.strictest()
            && rule.verdict() > Verdict::Allow
            && rule.verdict() >= action
        {
            return Some(rule.reason_for(effect));
        }
        if action > Verdict::Allow && !hard && found.lifts() {
            return None;
        }
    }
    if action == Verdict::Allow {
        let rests = matches!(code, "contained" | "deletes-undoable");
        return rests.then(|| reason(action, code, effect, command, why, "", Source::Profile));
    }
    Some(reason(
        action,
        code,
        effect,
        command,
        why,
        instead,
        if hard { Source::Hard } else { Source::Profile },
    ))
}

fn reason(
    verdict: Verdict,
    code: &'static str,
    effect: &Effect,
    command: Option<&CommandRun>,
    why: &'static str,
    instead: &'static str,
    source: Source,
) -> Reason {
    let program = command.and_then(CommandRun::program);
    let what = what(effect);
    let message = match program {
        Some(p) => format!("{}: {what} ({why})", shown(p)),
        None => format!("{what} ({why})"),
    };
    let lift = match source {
        Source::Hard => None,
        _ => Some(grant(effect, command)),
    };
    Reason {
        verdict,
        code: Cow::Borrowed(code),
        message,
        span: Some(effect.span),
        rule: None,
        source,
        lift,
        instead: Some(instead).filter(|i| !i.is_empty()),
    }
}

fn what(effect: &Effect) -> String {
    use crate::effect::Kind;
    let on = effect.target.as_deref().map(shown);
    let note = &effect.note;
    match (effect.kind, on) {
        (Kind::Unknown, _) => note.clone().into_owned(),
        (Kind::Read, Some(t)) => format!("reads {t}"),
        (Kind::List, Some(t)) => format!("looks at {t}"),
        (Kind::Write, Some(t)) => format!("writes {t}"),
        (Kind::Delete, Some(t)) => format!("deletes {t}"),
        (Kind::Move, Some(t)) => format!("moves {t} away"),
        (Kind::Loss, Some(t)) => format!("loses work in {t}"),
        (Kind::Script, Some(t)) => format!("runs {t}"),
        (Kind::Fetch, Some(t)) => format!("fetches from {t}"),
        (Kind::Fetch, None) => "fetches from another host".to_owned(),
        (Kind::Send, Some(t)) => format!("sends to {t}"),
        (Kind::Send, None) => "sends to another host".to_owned(),
        (Kind::Listen, _) => "listens for others".to_owned(),
        (Kind::Resolve, Some(t)) => format!("looks up the name {t}"),
        (Kind::Resolve, None) => "looks up a name".to_owned(),
        (Kind::Env, Some(t)) => format!("sets {t}: {note}"),
        (Kind::Env, None) => note.clone().into_owned(),
        (Kind::Persist, Some(t)) => format!("sets up {t}"),
        (Kind::Process, Some(t)) => format!("signals process {t}"),
        (Kind::Process, None) => "signals other processes".to_owned(),
        (Kind::Privilege, _) => "acts as another user".to_owned(),
        (Kind::Host, Some(t)) => format!("changes {t}"),
        (Kind::Secret, Some(t)) => format!("gives away secrets: {t}"),
        (Kind::Guard, Some(t)) => format!("loosens a guard: {t}"),
        (kind, Some(t)) => format!("{} {t}", kind.name()),
        (kind, None) => format!("{} {note}", kind.name()),
    }
}

/// The smallest rule that would lift a reason, as it would be written.
fn grant(effect: &Effect, command: Option<&CommandRun>) -> String {
    let mut out = format!("effect = \"{}\"", effect.kind.name());
    if effect.kind.is_path()
        && let Some(p) = effect.path.as_deref().or(effect.target.as_deref())
        && crate::word::is_exact(p)
    {
        out.push_str(&format!(", path = \"{}\"", shown(p)));
    }
    if effect.kind.is_net()
        && let Some(h) = effect.target.as_deref()
    {
        out.push_str(&format!(", host = \"{}\"", shown(h)));
    }
    // Never a shell, an interpreter or a wrapper: that would grant everything.
    if let Some(p) = command.and_then(CommandRun::program)
        && !crate::rule::runs_others(p)
    {
        out.push_str(&format!(", program = \"{}\"", shown(p)));
    }
    format!("{{ {out}, action = \"allow\" }}")
}
