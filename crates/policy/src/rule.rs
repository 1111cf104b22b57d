//! Rules on top of a profile.
//!
//! A rule is about an effect or about the words of a command, never about raw text. Deny and ask
//! always count; allow lifts what a profile asks or denies, from a layer that may, and never what is hard.

use crate::analyse::CommandRun;
use crate::argv::glob;
use crate::decide::{Reason, Source};
use crate::effect::{Effect, Kind};
use crate::path::{self, Map};
use crate::profile::Verdict;
use crate::word::{Word, shown};
use std::borrow::Cow;
use std::fmt;

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

/// A rule as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields, default))]
pub struct RuleText {
    /// A name to be known by.
    pub name: String,
    /// `allow`, `ask` or `deny`.
    pub action: String,
    /// The reason, shown to people and models.
    pub why: String,
    /// Kinds of effects: `net send`, `write`.
    pub effect: Vec<String>,
    /// Names of programs.
    pub program: Vec<String>,
    /// The first words after the program, each a glob; alternatives are separated by `|`.
    pub args: Vec<String>,
    /// Globs of paths, from the workspace, the home (`~/`) or the root.
    pub path: Vec<String>,
    /// Hosts; `*.example.com` is every host below.
    pub host: Vec<String>,
    /// Names of tools, as globs.
    pub tool: Vec<String>,
    /// Trust levels it holds at.
    pub trust: Vec<String>,
    /// Autonomy levels it holds at.
    pub autonomy: Vec<String>,
    /// Commands it must be about, checked when it is loaded.
    #[cfg_attr(feature = "serde", serde(rename = "match"))]
    pub matches: Vec<String>,
    /// Commands it must not be about.
    pub not_match: Vec<String>,
}

/// Why a rule is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// The rule's name, or its number.
    pub rule: String,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}: {}", self.rule, self.what)
    }
}

impl std::error::Error for RuleError {}

/// Who calls, for rules that hang on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The tool.
    pub tool: String,
    /// The trust level.
    pub trust: String,
    /// The autonomy level.
    pub autonomy: String,
}

/// A rule that was checked.
#[derive(Clone, Debug)]
pub struct Rule {
    name: String,
    verdict: Verdict,
    why: String,
    layer: Layer,
    kinds: Vec<Kind>,
    program: Vec<String>,
    args: Vec<Vec<String>>,
    path: Vec<String>,
    host: Vec<String>,
    tool: Vec<String>,
    trust: Vec<String>,
    autonomy: Vec<String>,
}

/// Rules that hold together.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    list: Vec<Rule>,
}

/// The most rules of one layer.
const MOST: usize = 1024;

impl Rules {
    /// Checks rules and their examples.
    ///
    /// # Errors
    ///
    /// A word that is none of the language's, a pattern that cannot be read, a rule about nothing, or an
    /// example that does not hold.
    pub fn compile(texts: &[RuleText], layer: Layer) -> Result<Rules, RuleError> {
        let mut rules = Rules::default();
        for (i, t) in texts.iter().enumerate() {
            let label = if t.name.is_empty() { format!("number {}", i + 1) } else { t.name.clone() };
            let err = |what: String| RuleError { rule: label.clone(), what };
            if i >= MOST {
                return Err(err(format!("there are more than {MOST} rules")));
            }
            let rule = Rule::read(t, &label, layer).map_err(err)?;
            rule.check_examples(t).map_err(err)?;
            rules.list.push(rule);
        }
        Ok(rules)
    }

    /// Puts the rules of two layers together.
    #[must_use]
    pub fn and(mut self, other: Rules) -> Rules {
        self.list.extend(other.list);
        self
    }

    /// The same rules, seen from a caller.
    #[must_use]
    pub fn for_caller(&self, caller: &Caller) -> Rules {
        let list = self.list.iter().filter(|r| r.holds_for(caller)).cloned().collect();
        Rules { list }
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

    /// Names of rules that can never decide anything: one before them says the same or more, more strictly.
    #[must_use]
    pub fn never_fire(&self) -> Vec<&str> {
        let mut out = Vec::new();
        for (i, r) in self.list.iter().enumerate() {
            let useless = r.verdict == Verdict::Allow && !r.layer.may_loosen();
            let covered = self.list.iter().enumerate().any(|(j, other)| {
                j != i
                    && (other.verdict > r.verdict || j < i && other.verdict == r.verdict)
                    && other.covers(r)
            });
            if useless || covered {
                out.push(r.name.as_str());
            }
        }
        out
    }

    /// Names of the rules that are about something in this analysis, in order, each once.
    #[must_use]
    pub fn fired(&self, analysis: &crate::analyse::Analysis, map: &Map) -> Vec<&str> {
        self.list
            .iter()
            .filter(|r| {
                analysis.commands.iter().any(|c| r.about_command_only() && r.on_words(c))
                    || analysis.effects.iter().any(|e| {
                        let c = e.command.and_then(|c| analysis.commands.get(c as usize));
                        !r.about_command_only() && r.on_effect(e, c, map)
                    })
            })
            .map(|r| r.name.as_str())
            .collect()
    }

    pub(crate) fn on_command<'r>(&'r self, command: &'r CommandRun) -> impl Iterator<Item = Reason> + 'r {
        self.list
            .iter()
            .filter(|r| r.verdict > Verdict::Allow && r.about_command_only() && r.on_words(command))
            .map(|r| r.reason(command.span))
    }

    pub(crate) fn on_effect(&self, effect: &Effect, command: Option<&CommandRun>, map: &Map) -> Found<'_> {
        let mut found = Found { list: Vec::new() };
        for r in &self.list {
            let fits = if r.about_command_only() {
                r.verdict == Verdict::Allow && command.is_some_and(|c| r.on_words(c))
            } else {
                r.on_effect(effect, command, map)
            };
            if fits {
                found.list.push(r);
            }
        }
        found
    }
}

/// Rules that are about one effect.
pub(crate) struct Found<'r> {
    list: Vec<&'r Rule>,
}

impl<'r> Found<'r> {
    pub(crate) fn strictest(&self) -> Option<&'r Rule> {
        self.list.iter().copied().max_by_key(|r| r.verdict)
    }

    /// Whether one allows it that may, and none is against it.
    pub(crate) fn lifts(&self) -> bool {
        self.list.iter().any(|r| r.verdict == Verdict::Allow && r.layer.may_loosen())
            && self.list.iter().all(|r| r.verdict == Verdict::Allow)
    }
}

impl Rule {
    /// What it decides.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    pub(crate) fn reason_for(&self, effect: &Effect) -> Reason {
        self.reason(effect.span)
    }

    fn reason(&self, span: toolgate_bash::ast::Span) -> Reason {
        let message = if self.why.is_empty() { format!("rule {}", self.name) } else { self.why.clone() };
        Reason {
            verdict: self.verdict,
            code: Cow::Borrowed(if self.verdict == Verdict::Deny {
                "denied-by-rule"
            } else {
                "asked-by-rule"
            }),
            message,
            span: Some(span),
            rule: Some(self.name.clone()),
            source: Source::Rule(self.layer),
            lift: None,
            instead: None,
        }
    }

    fn read(t: &RuleText, label: &str, layer: Layer) -> Result<Rule, String> {
        let verdict = match t.action.as_str() {
            "allow" => Verdict::Allow,
            "ask" => Verdict::Ask,
            "deny" => Verdict::Deny,
            other => return Err(format!("no such action: `{other}`")),
        };
        let mut kinds = Vec::new();
        for e in &t.effect {
            match e.as_str() {
                "net" => kinds.extend(Kind::ALL.into_iter().filter(|k| k.is_net())),
                e => kinds.push(Kind::from_name(e).ok_or_else(|| format!("no such effect: `{e}`"))?),
            }
        }
        if t.effect.is_empty()
            && t.program.is_empty()
            && t.path.is_empty()
            && t.host.is_empty()
            && t.tool.is_empty()
        {
            return Err("it is about nothing: give `effect`, `program`, `path`, `host` or `tool`".into());
        }
        if !t.args.is_empty() && t.program.is_empty() {
            return Err("`args` needs a `program`".into());
        }
        if !t.host.is_empty() && kinds.iter().any(|k| !k.is_net()) {
            return Err("`host` with an effect that reaches none can never match".into());
        }
        if !t.path.is_empty() && !kinds.is_empty() && !kinds.iter().any(|k| k.is_path()) {
            return Err("`path` with an effect that is on none can never match".into());
        }
        for p in t.program.iter().chain(&t.args).chain(&t.path).chain(&t.host).chain(&t.tool) {
            check_glob(p)?;
        }
        for p in &t.program {
            if p.contains(['/', ' ']) {
                return Err(format!("`program` is a name without directories or arguments: `{p}`"));
            }
        }
        let known = |list: &[String], words: &[&str], what: &str| match list
            .iter()
            .find(|w| !words.contains(&w.as_str()))
        {
            Some(w) => Err(format!("no such {what}: `{w}`")),
            None => Ok(()),
        };
        known(&t.trust, &["trusted", "verified", "quarantined", "blocked"], "trust level")?;
        known(&t.autonomy, &["readonly", "supervised", "full"], "autonomy level")?;
        if verdict == Verdict::Allow {
            for p in &t.program {
                if t.args.is_empty() && t.effect.is_empty() && runs_others(p) {
                    return Err(format!(
                        "allowing `{p}` would allow whatever it runs: name an effect or arguments"
                    ));
                }
            }
        }
        Ok(Rule {
            name: label.to_owned(),
            verdict,
            why: t.why.clone(),
            layer,
            kinds,
            program: t.program.clone(),
            args: t.args.iter().map(|a| a.split('|').map(str::to_owned).collect()).collect(),
            path: t.path.clone(),
            host: t.host.iter().map(|h| h.to_ascii_lowercase()).collect(),
            tool: t.tool.clone(),
            trust: t.trust.clone(),
            autonomy: t.autonomy.clone(),
        })
    }

    fn check_examples(&self, t: &RuleText) -> Result<(), String> {
        let roots = ["/w".to_owned()];
        let map = Map { roots: roots.to_vec(), home: "/home/u".into(), scratch: vec!["/tmp".into()] };
        let context = crate::analyse::Context {
            cwd: "/w",
            home: "/home/u",
            roots: &roots,
            env: &[],
            links: &crate::analyse::NoLinks,
            shell: toolgate_bash::Shell::Bash,
        };
        let rules = Rules { list: vec![self.clone()] };
        for (list, want) in [(&t.matches, true), (&t.not_match, false)] {
            for example in list {
                let analysis = crate::analyse::script(example, &context);
                if analysis.unknown.is_some() {
                    return Err(format!("the example `{example}` is not understood"));
                }
                if rules.fired(&analysis, &map).is_empty() == want {
                    let not = if want { "is not" } else { "is" };
                    return Err(format!("it {not} about its example `{example}`"));
                }
            }
        }
        Ok(())
    }

    fn holds_for(&self, caller: &Caller) -> bool {
        (self.tool.is_empty() || self.tool.iter().any(|g| glob(g, &caller.tool)))
            && (self.trust.is_empty() || self.trust.contains(&caller.trust))
            && (self.autonomy.is_empty() || self.autonomy.contains(&caller.autonomy))
    }

    fn about_command_only(&self) -> bool {
        self.kinds.is_empty() && self.path.is_empty() && self.host.is_empty()
    }

    fn on_words(&self, command: &CommandRun) -> bool {
        if self.program.is_empty() {
            return !self.tool.is_empty();
        }
        let Some(program) = command.words.first() else { return false };
        let loosens = self.verdict == Verdict::Allow;
        let name = path::name(&program.text);
        if !program.is_exact() || !self.program.iter().any(|p| glob(p, name)) {
            return false;
        }
        self.args.iter().enumerate().all(|(i, list)| match command.words.get(i + 1) {
            // A word that is not known could be any: it tightens, and never loosens.
            Some(w) if !w.is_exact() => !loosens,
            Some(w) => list.iter().any(|g| glob(g, &w.text)),
            None => false,
        })
    }

    fn on_effect(&self, effect: &Effect, command: Option<&CommandRun>, map: &Map) -> bool {
        let loosens = self.verdict == Verdict::Allow;
        if !self.kinds.is_empty() && !self.kinds.contains(&effect.kind) {
            return false;
        }
        if !self.program.is_empty() && !command.is_some_and(|c| self.on_words(c)) {
            return false;
        }
        if !self.path.is_empty() {
            let Some(p) = effect.path.as_deref() else { return !loosens && effect.kind.is_path() };
            let exact = crate::word::is_exact(p);
            let hit = self.path.iter().any(|g| on_path(g, p, map));
            if !exact && !hit {
                return !loosens && self.path.iter().any(|g| could_be_on_path(g, p, map));
            }
            if !hit || loosens && !exact {
                return false;
            }
        }
        if !self.host.is_empty() {
            let Some(h) = effect.target.as_deref() else { return !loosens && effect.kind.is_net() };
            if !effect.kind.is_net() {
                return false;
            }
            let h = h.trim_end_matches('.').to_ascii_lowercase();
            return self.host.iter().any(|g| match g.strip_prefix("*.") {
                Some(d) => h.strip_suffix(d).is_some_and(|rest| rest.ends_with('.')) || !loosens && h == d,
                None => glob(g, &h),
            });
        }
        true
    }

    /// Whether everything `other` is about is what this is about.
    fn covers(&self, other: &Rule) -> bool {
        let all = |a: &[String], b: &[String]| {
            a.is_empty() || !b.is_empty() && b.iter().all(|x| a.iter().any(|g| g == x || g == "*"))
        };
        (self.kinds.is_empty() && self.about_command_only() == other.about_command_only()
            || !other.kinds.is_empty() && other.kinds.iter().all(|k| self.kinds.contains(k)))
            && all(&self.program, &other.program)
            && self.args.len() <= other.args.len()
            && self.args.iter().zip(&other.args).all(|(a, b)| all(a, b))
            && all(&self.path, &other.path)
            && all(&self.host, &other.host)
            && all(&self.tool, &other.tool)
            && all(&self.trust, &other.trust)
            && all(&self.autonomy, &other.autonomy)
    }
}

/// Whether a program runs what it is given, so that allowing it allows everything.
pub(crate) fn runs_others(program: &str) -> bool {
    const SHELLS: [&str; 24] = [
        "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php",
        "env", "xargs", "sudo", "doas", "su", "eval", "exec", "command", "builtin", "time", "find", "ssh",
    ];
    if SHELLS.contains(&program) || program == "*" {
        return true;
    }
    crate::knowledge::program(program).is_some_and(|spec| {
        use crate::knowledge::schema::Role;
        crate::knowledge::slots(spec.operands)
            .iter()
            .any(|s| matches!(s.role, Role::ProgramRest | Role::ProgramStdin | Role::Code(_)))
    })
}

/// Whether a path fits a glob of the rule language: `**` crosses directories, `*` does not.
fn on_path(pattern: &str, full: &str, map: &Map) -> bool {
    absolute(pattern, map).iter().any(|g| path_glob(g, full))
}

fn could_be_on_path(pattern: &str, full: &str, map: &Map) -> bool {
    // What is not known may be anything below what is.
    let head = full.split([crate::word::UNKNOWN, crate::word::SOME]).next().unwrap_or("");
    head.is_empty()
        || absolute(pattern, map).iter().any(|g| {
            let fixed = g.split(['*', '?']).next().unwrap_or("");
            fixed.starts_with(head) || head.starts_with(fixed)
        })
}

fn absolute(pattern: &str, map: &Map) -> Vec<String> {
    if let Some(rest) = pattern.strip_prefix("~/") {
        return vec![path::join(&map.home, rest)];
    }
    if pattern.starts_with('/') {
        return vec![path::join("/", pattern)];
    }
    if let Some(rest) = pattern.strip_prefix("**/") {
        return vec![format!("/**/{rest}")];
    }
    map.roots.iter().map(|r| path::join(r, pattern)).collect()
}

fn path_glob(pattern: &str, full: &str) -> bool {
    let p: Vec<&str> = pattern.split('/').collect();
    let t: Vec<&str> = full.split('/').collect();
    // Walked as a set of states: linear in the path for each component of the pattern.
    let mut states = vec![false; p.len() + 1];
    states[0] = true;
    let close = |s: &mut Vec<bool>| {
        for i in 0..p.len() {
            if s[i] && p[i] == "**" {
                s[i + 1] = true;
            }
        }
    };
    close(&mut states);
    for part in t {
        let mut next = vec![false; p.len() + 1];
        for i in 0..p.len() {
            if !states[i] {
                continue;
            }
            if p[i] == "**" {
                next[i] = true;
            } else if glob(p[i], part) {
                next[i + 1] = true;
            }
        }
        close(&mut next);
        states = next;
    }
    states[p.len()]
}

fn check_glob(pattern: &str) -> Result<(), String> {
    if pattern.is_empty() {
        return Err("an empty pattern matches nothing".into());
    }
    if pattern.contains(['[', ']', '{', '}']) {
        return Err(format!("`{pattern}`: only * and ? are wildcards here"));
    }
    if pattern.len() > 1024 {
        return Err("a pattern is longer than 1024 bytes".into());
    }
    Ok(())
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
