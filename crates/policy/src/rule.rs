//! Rules on top of a profile.
//!
//! A rule is about effects, about the words of a command, or about a tool; never about raw text. Among the
//! rules that are about one thing the strictest counts, whatever their order and layer: a deny is lifted by
//! nothing, an ask by no allow. An allow lifts what a profile asks or denies, if its layer may loosen, and
//! never what is hard. The layers, from the machine's to the session's, are in [`Layer`].
//!
//! What is known in part is judged by what it could be: a rule that denies then asks, one that allows says
//! nothing.

mod cover;
mod index;
mod path_glob;
mod read;

pub use cover::Dead;
pub use read::{RuleError, RuleText, TRUST_LEVELS};

use crate::analyse::{Analysis, CommandRun};
use crate::argv::glob;
use crate::autonomy::AutonomyLevel;
use crate::decide::{Reason, Source};
use crate::effect::{Effect, Kind};
use crate::path::{self, Map};
use crate::profile::Verdict;
use crate::word::{Word, shown};
pub(crate) use index::About;
use index::Index;
use path_glob::{Fit, PathGlob};
use std::borrow::Cow;
use std::sync::Arc;
use toolgate_bash::ast::Span;

/// Who wrote a rule. Later layers cannot loosen what earlier ones closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The administrator.
    Managed,
    /// The user.
    User,
    /// The project's own file: may only tighten until the user trusts it.
    Project,
    /// A project the user trusts.
    TrustedProject,
    /// Grants of this session.
    Session,
}

impl Layer {
    /// A stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Layer::Managed => "managed",
            Layer::User => "user",
            Layer::Project | Layer::TrustedProject => "project",
            Layer::Session => "session",
        }
    }

    fn may_loosen(self) -> bool {
        self != Layer::Project
    }
}

/// Who calls, for rules that hang on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller<'c> {
    /// The tool.
    pub tool: &'c str,
    /// The trust level, by its name.
    pub trust: &'c str,
    /// The autonomy level.
    pub autonomy: AutonomyLevel,
}

impl Default for Caller<'_> {
    /// A shell of a trusted agent that someone watches.
    fn default() -> Self {
        Caller { tool: "bash", trust: "trusted", autonomy: AutonomyLevel::Supervised }
    }
}

/// A rule that was checked.
#[derive(Clone, Debug)]
pub struct Rule {
    label: String,
    origin: String,
    verdict: Verdict,
    why: String,
    layer: Layer,
    kinds: Vec<Kind>,
    program: Vec<String>,
    args: Vec<Vec<String>>,
    path: Vec<PathGlob>,
    host: Vec<String>,
    tool: Vec<String>,
    trust: Vec<String>,
    autonomy: Vec<AutonomyLevel>,
}

/// Rules that hold together. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    list: Vec<Arc<Rule>>,
    index: Arc<Index>,
}

impl Rules {
    fn of(list: Vec<Arc<Rule>>) -> Rules {
        let index = Arc::new(Index::of(&list));
        Rules { list, index }
    }

    /// Puts the rules of two layers together.
    #[must_use]
    pub fn and(mut self, other: Rules) -> Rules {
        self.list.extend(other.list);
        Rules::of(self.list)
    }

    /// All but the rule at this place.
    #[must_use]
    pub fn without(&self, at: usize) -> Rules {
        let mut list = self.list.clone();
        if at < list.len() {
            list.remove(at);
        }
        Rules::of(list)
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The rules, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.list.iter().map(Arc::as_ref)
    }

    /// The places of the rules that are about something in this analysis, in order.
    #[must_use]
    pub fn fired(&self, analysis: &Analysis, caller: &Caller<'_>, map: &Map) -> Vec<usize> {
        let about = |rule: &Rule| {
            rule.holds_for(caller)
                && (rule.is_about_the_tool()
                    || analysis.commands.iter().any(|c| rule.is_about_words() && rule.on_words(c) > Fit::No)
                    || analysis.effects.iter().any(|e| {
                        let command = e.command.and_then(|c| analysis.commands.get(c as usize));
                        !rule.is_about_words() && rule.on_effect(e, command, map) > Fit::No
                    }))
        };
        (0..).zip(self.iter()).filter(|(_, rule)| about(rule)).map(|(at, _)| at).collect()
    }

    /// What tightens because of the tool that is called, whatever with.
    pub(crate) fn on_tool(&self, caller: &Caller<'_>) -> impl Iterator<Item = Against<'_>> {
        self.about(None)
            .filter(|r| r.verdict > Verdict::Allow && r.is_about_the_tool() && r.holds_for(caller))
            .map(|rule| Against { rule, verdict: rule.verdict })
    }

    /// Whether a rule about the tool allows it, and none is against it.
    pub(crate) fn allow_tool(&self, caller: &Caller<'_>) -> bool {
        let mut about = self.about(None).filter(|r| r.is_about_the_tool() && r.holds_for(caller)).peekable();
        about.peek().is_some() && about.all(|r| r.verdict == Verdict::Allow && r.layer.may_loosen())
    }
}

impl<'r> About<'r> {
    /// What tightens because of a command's words.
    pub(crate) fn on_command(
        self,
        command: &CommandRun,
        caller: &Caller<'_>,
    ) -> impl Iterator<Item = Against<'r>> {
        self.filter(|r| r.verdict > Verdict::Allow && r.is_about_words() && r.holds_for(caller))
            .filter_map(|rule| Some(Against { rule, verdict: rule.tightened(rule.on_words(command))? }))
    }

    /// What the rules say about an effect of the command.
    pub(crate) fn on_effect(
        self,
        effect: &Effect,
        command: Option<&CommandRun>,
        caller: &Caller<'_>,
        map: &Map,
    ) -> Found<'r> {
        let mut found = Found::default();
        for rule in self.filter(|r| r.holds_for(caller)) {
            if rule.is_about_the_tool() || rule.is_about_words() {
                let words = || command.map_or(Fit::No, |c| rule.on_words(c));
                found.add_whole(rule, if rule.is_about_the_tool() { Fit::Yes } else { words() });
            } else {
                found.add(rule, rule.on_effect(effect, command, map));
            }
        }
        found
    }
}

/// A rule that tightens, and how far.
#[derive(Clone, Copy)]
pub(crate) struct Against<'r> {
    rule: &'r Rule,
    /// What it decides here: on a mere perhaps, it asks.
    pub(crate) verdict: Verdict,
}

impl Against<'_> {
    /// Whether it is a question that an answer lifts: what the machine's rules ask is asked each time.
    pub(crate) fn is_answerable(self) -> bool {
        self.verdict <= Verdict::Ask && self.rule.layer != Layer::Managed
    }

    pub(crate) fn reason(self, span: Option<Span>) -> Reason {
        self.rule.reason(self.verdict, span)
    }
}

/// What rules say about one effect.
#[derive(Default)]
pub(crate) struct Found<'r> {
    /// The strictest rule about the effect itself; of equals the machine's.
    pub(crate) against: Option<Against<'r>>,
    /// Whether one about the whole command or call is against it. Its reason is told once, for the whole.
    opposed: bool,
    lifted: bool,
}

impl<'r> Found<'r> {
    fn add(&mut self, rule: &'r Rule, fit: Fit) {
        if rule.verdict == Verdict::Allow {
            self.lifted |= fit == Fit::Yes && rule.layer.may_loosen();
        } else if let Some(verdict) = rule.tightened(fit)
            && self.against.is_none_or(|a| (verdict, a.rule.layer) > (a.verdict, rule.layer))
        {
            self.against = Some(Against { rule, verdict });
        }
    }

    fn add_whole(&mut self, rule: &'r Rule, fit: Fit) {
        match rule.verdict {
            Verdict::Allow => self.add(rule, fit),
            Verdict::Ask | Verdict::Deny => self.opposed |= fit > Fit::No,
        }
    }

    /// Whether one allows it that may, and none is against it.
    pub(crate) fn lifts(&self) -> bool {
        self.lifted && self.against.is_none() && !self.opposed
    }
}

impl Rule {
    /// What it is called: its name, or where it stands.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Where it stands; empty if nobody said.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Who wrote it.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// What it decides.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What it decides where it fits as well as this: on a mere perhaps, it asks.
    fn tightened(&self, fit: Fit) -> Option<Verdict> {
        match fit {
            Fit::No => None,
            Fit::Maybe => Some(self.verdict.min(Verdict::Ask)),
            Fit::Yes => Some(self.verdict),
        }
    }

    fn reason(&self, verdict: Verdict, span: Option<Span>) -> Reason {
        let why = if self.why.is_empty() { "a rule says so" } else { &self.why };
        let unsure =
            if verdict < self.verdict { " (it may be about this: not all of it is known)" } else { "" };
        Reason {
            verdict,
            code: Cow::Borrowed(if verdict == Verdict::Deny { "denied-by-rule" } else { "asked-by-rule" }),
            message: format!("{why}{unsure}"),
            span,
            rule: Some(self.label.clone()),
            source: Source::Rule(self.layer),
            lift: None,
            instead: None,
        }
    }

    fn holds_for(&self, caller: &Caller<'_>) -> bool {
        (self.tool.is_empty() || self.tool.iter().any(|g| glob(g, caller.tool)))
            && (self.trust.is_empty() || self.trust.iter().any(|t| t == caller.trust))
            && (self.autonomy.is_empty() || self.autonomy.contains(&caller.autonomy))
    }

    /// Whether it is about any call of its tools.
    fn is_about_the_tool(&self) -> bool {
        self.kinds.is_empty() && self.path.is_empty() && self.host.is_empty() && self.program.is_empty()
    }

    /// Whether it is about commands, whatever they do.
    fn is_about_words(&self) -> bool {
        self.kinds.is_empty() && self.path.is_empty() && self.host.is_empty() && !self.program.is_empty()
    }

    fn on_words(&self, command: &CommandRun) -> Fit {
        let Some((program, args)) = command.words.split_first() else { return Fit::No };
        self.args.iter().enumerate().fold(one_of(&self.program, program, path::name), |fit, (at, list)| {
            fit.min(args.get(at).map_or(Fit::No, |word| one_of(list, word, |text| text)))
        })
    }

    fn on_effect(&self, effect: &Effect, command: Option<&CommandRun>, map: &Map) -> Fit {
        if !self.kinds.is_empty() && !self.kinds.contains(&effect.kind) {
            return Fit::No;
        }
        let words = match command {
            _ if self.program.is_empty() => Fit::Yes,
            Some(command) => self.on_words(command),
            None => Fit::No,
        };
        words.min(self.on_path(effect, map)).min(self.on_host(effect))
    }

    fn on_path(&self, effect: &Effect, map: &Map) -> Fit {
        if self.path.is_empty() {
            return Fit::Yes;
        }
        match effect.path.as_deref() {
            _ if !effect.kind.is_path() => Fit::No,
            None => Fit::Maybe,
            Some(path) => self
                .path
                .iter()
                .map(|g| g.fit(path, map).max(self.on_directory(g, path, effect.kind, map)))
                .max()
                .unwrap_or(Fit::No),
        }
    }

    /// What happens to a directory happens to what is in it. An allow is about what it names alone.
    fn on_directory(&self, pattern: &PathGlob, path: &str, kind: Kind, map: &Map) -> Fit {
        let fit = match kind {
            _ if self.verdict == Verdict::Allow => Fit::No,
            Kind::Delete | Kind::Move | Kind::Loss => Fit::Yes,
            // Whether a program goes down into it is not known here.
            Kind::Read | Kind::Write | Kind::Script => Fit::Maybe,
            _ => Fit::No,
        };
        if fit > Fit::No && pattern.lies_below(path, map) { fit } else { Fit::No }
    }

    fn on_host(&self, effect: &Effect) -> Fit {
        if self.host.is_empty() {
            return Fit::Yes;
        }
        match effect.target.as_deref() {
            _ if !effect.kind.is_net() => Fit::No,
            Some(host) if crate::word::is_exact(host) => {
                let host = host.trim_end_matches('.').to_ascii_lowercase();
                let one = self.host.iter().any(|g| self.is_host(g, &host));
                if one { Fit::Yes } else { Fit::No }
            }
            _ => Fit::Maybe,
        }
    }

    /// `*.example.com` closes the domain itself as well; it opens the hosts below it alone.
    fn is_host(&self, pattern: &str, host: &str) -> bool {
        match pattern.strip_prefix("*.") {
            Some(domain) => {
                host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
                    || self.verdict > Verdict::Allow && host == domain
            }
            None => glob(pattern, host),
        }
    }
}

/// Whether a word is one of these globs.
fn one_of(globs: &[String], word: &Word<'_>, part: impl Fn(&str) -> &str) -> Fit {
    if !word.is_exact() {
        return Fit::Maybe;
    }
    if globs.iter().any(|g| glob(g, part(&word.text))) { Fit::Yes } else { Fit::No }
}

/// Whether a program runs what it is given, so that allowing it allows everything.
#[must_use]
pub fn runs_others(program: &str) -> bool {
    use crate::knowledge::schema::Role;
    const SHELLS: [&str; 24] = [
        "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php",
        "env", "xargs", "sudo", "doas", "su", "eval", "exec", "command", "builtin", "time", "find", "ssh",
    ];
    // A glob may name any of them.
    if program.contains(['*', '?']) {
        return SHELLS.iter().any(|s| glob(program, s));
    }
    SHELLS.contains(&program)
        || crate::knowledge::program(program).is_some_and(|spec| {
            crate::knowledge::slots(spec.operands)
                .iter()
                .any(|s| matches!(s.role, Role::ProgramRest | Role::ProgramStdin | Role::Code(_)))
        })
}

/// A command as one line of its words, for patterns over words.
pub(crate) fn line(words: &[Word<'_>]) -> String {
    let mut out = String::new();
    for (i, w) in words.iter().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        if i == 0 { out.push_str(&shown(path::name(&w.text))) } else { out.push_str(&shown(&w.text)) }
    }
    out
}
