//! From effects to a verdict with its reasons.

use crate::analyse::{Analysis, CommandRun, Input};
use crate::effect::Effect;
use crate::path::Map;
use crate::permissions::{BlockList, ConfirmList, Hit, PermissionPolicy, Said};
use crate::profile::{self, Profile, Setting, Verdict};
use crate::rule::{About, Caller, Rules};
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

/// By what calls are judged: what a configuration says, read once and shared.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The profile.
    pub profile: Profile,
    /// Rules on top of it.
    pub rules: Rules,
    /// Commands that never run, whatever else allows them.
    pub blocked: BlockList,
    /// Commands that are asked about, whatever else allows them.
    pub confirmed: ConfirmList,
    /// Lists of patterns per tool. Each stands by itself and only tightens.
    pub lists: Vec<PermissionPolicy>,
}

impl Default for Policy {
    /// The default profile, and nothing on top.
    fn default() -> Self {
        Policy {
            profile: Profile::default(),
            rules: Rules::default(),
            blocked: BlockList::default(),
            confirmed: ConfirmList::new(&[]),
            lists: Vec::new(),
        }
    }
}

/// What one call is judged in.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'s> {
    /// Where things lie.
    pub map: &'s Map,
    /// Which hosts may be reached.
    pub network: &'s NetworkScope,
    /// What the boundary and undo cover.
    pub setting: Setting,
    /// Who calls.
    pub caller: Caller<'s>,
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

/// Which questions somebody answered before they are put.
///
/// An answer lifts what the profile, a rule of the user's or project's, or a list asks. It lifts no refusal, nothing
/// that is hard, and no rule of the machine's.
#[derive(Clone, Copy, Debug, Default)]
pub enum Answered<'a> {
    /// None.
    #[default]
    Nothing,
    /// Those about some commands of a script: one answer for each, in order. What is asked about the script as a
    /// whole, or about what no command does, is no part of them.
    Commands(&'a [bool]),
    /// All that are about this very call.
    Call,
}

impl Answered<'_> {
    /// Whether those about a command are.
    pub(crate) fn is(self, command: usize) -> bool {
        match self {
            Answered::Nothing => false,
            Answered::Commands(list) => list.get(command) == Some(&true),
            Answered::Call => true,
        }
    }

    /// Whether those about an effect of this command, or of none, are.
    fn is_of(self, command: Option<usize>) -> bool {
        command.map_or_else(|| self.is_whole(), |command| self.is(command))
    }

    /// Whether those about the call as a whole are.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Answered::Call)
    }

    pub(crate) fn is_nothing(self) -> bool {
        match self {
            Answered::Nothing => true,
            Answered::Commands(list) => !list.contains(&true),
            Answered::Call => false,
        }
    }
}

/// Judges what was found.
#[must_use]
pub fn decide(analysis: &Analysis, policy: &Policy, situation: &Situation<'_>) -> Decision {
    decide_beside(analysis, policy, situation, Answered::default())
}

/// Judges what was found, where somebody answered some of the questions.
#[must_use]
pub fn decide_beside(
    analysis: &Analysis,
    policy: &Policy,
    situation: &Situation<'_>,
    answered: Answered<'_>,
) -> Decision {
    let mut reasons = Reasons::default();
    weigh(analysis, policy, situation, answered, &mut reasons);
    reasons.decision()
}

/// The verdict of [`decide_beside`] without its reasons, which are most of the work.
#[must_use]
pub fn verdict(
    analysis: &Analysis,
    policy: &Policy,
    situation: &Situation<'_>,
    answered: Answered<'_>,
) -> Verdict {
    let mut verdict = Verdict::Allow;
    weigh(analysis, policy, situation, answered, &mut verdict);
    verdict
}

/// Puts together what is said of a call.
trait Scale {
    /// The strictest so far.
    fn verdict(&self) -> Verdict;

    /// Takes one thing more.
    fn put(&mut self, verdict: Verdict, reason: impl FnOnce() -> Reason);
}

/// The one place where it is said what counts.
fn weigh(
    analysis: &Analysis,
    policy: &Policy,
    situation: &Situation<'_>,
    answered: Answered<'_>,
    scale: &mut impl Scale,
) {
    let caller = &situation.caller;
    let mut about = (None, policy.rules.about(None));
    for effect in &analysis.effects {
        let at = effect.command.map(|c| c as usize);
        let command = at.and_then(|at| analysis.commands.get(at));
        if about.0 != at {
            about = (at, policy.rules.about(command));
        }
        weigh_effect(effect, command, about.1, answered.is_of(at), policy, situation, scale);
    }
    weigh_tool(policy, caller, answered, scale);
    for (at, command) in analysis.commands.iter().enumerate() {
        for against in policy.rules.about(Some(command)).on_command(command, caller) {
            if !(answered.is(at) && against.is_answerable()) {
                scale.put(against.verdict, || against.reason(Some(command.span)));
            }
        }
    }
    weigh_lists(analysis, policy, caller, answered, scale);
    // Nothing was found in a text that was not understood: that is no permission.
    let understood = situation.setting.contained || answered.is_whole();
    if let Some(unknown) = analysis.unknown.as_ref().filter(|_| !understood)
        && scale.verdict() == Verdict::Allow
    {
        scale.put(Verdict::Ask, || not_understood(format!("syntax: {unknown}"), Some(unknown.span)));
    }
}

/// Judges a call for what its inputs do not tell, by who makes it alone.
///
/// `otherwise` is the answer where no rule is about the tool. An allow of a rule lifts it where it asks. What the
/// inputs do tell, and what lists say about them, is for [`decide`].
#[must_use]
pub fn decide_unread(
    otherwise: Verdict,
    policy: &Policy,
    situation: &Situation<'_>,
    answered: Answered<'_>,
) -> Decision {
    let caller = &situation.caller;
    let mut reasons = Reasons::default();
    let lifted = otherwise <= Verdict::Ask && answered.is_whole();
    if otherwise > Verdict::Allow && !lifted && !policy.rules.allow_tool(caller) {
        let what = format!("what `{}` would do with these parameters is not known", shown(caller.tool));
        reasons.add(Reason { verdict: otherwise, ..not_understood(what, None) });
    }
    weigh_tool(policy, caller, answered, &mut reasons);
    reasons.decision()
}

/// What rules say of the tool, whatever it is called with.
fn weigh_tool(policy: &Policy, caller: &Caller<'_>, answered: Answered<'_>, scale: &mut impl Scale) {
    for against in policy.rules.on_tool(caller) {
        if !(answered.is_whole() && against.is_answerable()) {
            scale.put(against.verdict, || against.reason(None));
        }
    }
}

impl Scale for Verdict {
    fn verdict(&self) -> Verdict {
        *self
    }

    fn put(&mut self, verdict: Verdict, _: impl FnOnce() -> Reason) {
        *self = verdict.max(*self);
    }
}

/// Reasons as they come together.
struct Reasons {
    verdict: Verdict,
    list: Vec<Reason>,
}

impl Default for Reasons {
    fn default() -> Self {
        Reasons { verdict: Verdict::Allow, list: Vec::new() }
    }
}

impl Reasons {
    /// The most that are told.
    const MOST: usize = 64;

    fn add(&mut self, reason: Reason) {
        self.verdict = self.verdict.max(reason.verdict);
        let same = |r: &Reason| {
            r.code == reason.code
                && r.message == reason.message
                && r.span == reason.span
                && r.rule == reason.rule
        };
        if self.list.iter().any(same) {
            return;
        }
        if self.list.len() < Self::MOST {
            self.list.push(reason);
        } else if let Some(weaker) = self.list.iter_mut().find(|r| r.verdict < reason.verdict) {
            // What is strictest is never crowded out.
            *weaker = reason;
        }
    }

    fn decision(mut self) -> Decision {
        self.list.sort_by_key(|r| std::cmp::Reverse(r.verdict));
        Decision { verdict: self.verdict, reasons: self.list }
    }
}

impl Scale for Reasons {
    fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn put(&mut self, _: Verdict, reason: impl FnOnce() -> Reason) {
        self.add(reason());
    }
}

/// What the lists say. They only tighten.
fn weigh_lists(
    analysis: &Analysis,
    policy: &Policy,
    caller: &Caller<'_>,
    answered: Answered<'_>,
    scale: &mut impl Scale,
) {
    for hit in policy.blocked.hits_beside(analysis, answered) {
        let verdict = if hit.sure { Verdict::Deny } else { Verdict::Ask };
        scale.put(verdict, || of_list(verdict, "blocked-command", "blocked commands", hit));
    }
    for hit in policy.confirmed.hits_beside(analysis, answered) {
        scale.put(Verdict::Ask, || of_list(Verdict::Ask, "confirmed-command", "confirmed commands", hit));
    }
    for list in &policy.lists {
        let said = match &analysis.input {
            Input::Script => list.on_script_beside(caller.tool, analysis, answered),
            Input::Arguments(inputs) => list.on_inputs(caller.tool, inputs),
        };
        let counts = |said: &Said<'_>| said.action == Verdict::Deny || !answered.is_whole();
        if let Some(said) = said.filter(|said| said.action > Verdict::Allow && counts(said)) {
            scale.put(said.action, || listed(said, caller.tool));
        }
    }
}

fn of_list(verdict: Verdict, code: &'static str, list: &str, hit: Hit<'_>) -> Reason {
    let is = if hit.sure { "is" } else { "may be meant, which is" };
    Reason {
        verdict,
        code: Cow::Borrowed(code),
        message: format!("`{}` {is} on the list of {list}", shown(hit.entry)),
        span: Some(hit.span),
        rule: Some(hit.entry.to_owned()),
        source: Source::List,
        lift: None,
        instead: None,
    }
}

fn listed(said: Said<'_>, tool: &str) -> Reason {
    let (verb, code) = match said.action {
        Verdict::Deny => ("denies", "permission-denies"),
        Verdict::Ask | Verdict::Allow => ("asks about", "permission-asks"),
    };
    let message = match said.entry {
        Some(entry) => format!("the permission list of `{}` {verb} `{}`", shown(tool), shown(&entry.pattern)),
        None => format!("no entry of the permission list of `{}` is about it", shown(tool)),
    };
    Reason {
        verdict: said.action,
        code: Cow::Borrowed(code),
        message,
        span: said.span,
        rule: said.entry.map(|entry| entry.pattern.clone()),
        source: Source::List,
        lift: None,
        instead: None,
    }
}

fn not_understood(message: String, span: Option<Span>) -> Reason {
    Reason {
        verdict: Verdict::Ask,
        code: Cow::Borrowed("not-understood"),
        message,
        span,
        rule: None,
        source: Source::Profile,
        lift: None,
        instead: None,
    }
}

fn weigh_effect(
    effect: &Effect,
    command: Option<&CommandRun>,
    rules: About<'_>,
    answered: bool,
    policy: &Policy,
    situation: &Situation<'_>,
    scale: &mut impl Scale,
) {
    let open = !effect.kind.is_net() || situation.network.allows(effect.target.as_deref());
    let seen = profile::see(effect, situation.map, situation.setting, open);
    let row = profile::judge(policy.profile, effect, &seen);
    let (action, code, why, instead, hard) = match row {
        Some(r) => (r.action, r.code, r.why, r.instead, r.hard),
        // An effect no row is about.
        None => (Verdict::Ask, "not-understood", "no row of the profile is about it", "", false),
    };
    let found = rules.on_effect(effect, command, &situation.caller, situation.map);
    let against = found.against.filter(|against| against.verdict >= action);
    let answerable = !hard && action <= Verdict::Ask && against.is_none_or(|a| a.is_answerable());
    if answered && answerable {
        return;
    }
    if let Some(against) = against {
        scale.put(against.verdict, || against.reason(Some(effect.span)));
        return;
    }
    if action > Verdict::Allow && !hard && found.lifts() {
        return;
    }
    // Of what is allowed only what it rests on is told.
    if action == Verdict::Allow && !matches!(code, "contained" | "deletes-undoable") {
        return;
    }
    let source = if hard && action > Verdict::Allow { Source::Hard } else { Source::Profile };
    let instead = if action == Verdict::Allow { "" } else { instead };
    scale.put(action, || reason(action, code, effect, command, why, instead, source));
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
