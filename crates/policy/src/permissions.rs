//! Lists of patterns per tool, lists of blocked and confirmed commands, and levels of autonomy.
//!
//! These are the older, coarser ways to say what may run. They are kept, with one change: a pattern is
//! matched against the words of every simple command, wherever it stands in the script, and never against
//! raw text. What is quoted is not a command, and `echo a; curl x` is two commands.
//!
//! Nothing here can loosen what a profile or a block list denies.

use crate::analyse::{Analysis, CommandRun, Constructs, Context, script};
use crate::argv::glob;
use crate::path;
use crate::profile::Verdict;
use crate::rule::line;
use std::collections::BTreeMap;
use std::fmt;
use toolgate_bash::ast::Span;

/// What a list entry decides. The same three answers as everywhere.
pub type PermissionAction = Verdict;

/// How much is done without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "lowercase"))]
pub enum AutonomyLevel {
    /// Only what changes nothing.
    ReadOnly,
    /// What the lists say; what they do not name is asked about.
    #[default]
    Supervised,
    /// What would be asked about is done. What is denied stays denied.
    Full,
}

impl AutonomyLevel {
    /// A stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AutonomyLevel::ReadOnly => "readonly",
            AutonomyLevel::Supervised => "supervised",
            AutonomyLevel::Full => "full",
        }
    }
}

/// What a tool can do, as a set. A tool says it of itself when it is registered; names are not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u8);

impl Capabilities {
    /// Reads files.
    pub const READ: Capabilities = Capabilities(1);
    /// Changes files.
    pub const WRITE: Capabilities = Capabilities(2);
    /// Runs programs.
    pub const RUN: Capabilities = Capabilities(4);
    /// Fetches from the network.
    pub const FETCH: Capabilities = Capabilities(8);
    /// Sends to the network, or works on a service elsewhere.
    pub const SEND: Capabilities = Capabilities(16);

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 | other.0)
    }

    /// Whether every capability is one of `other`.
    #[must_use]
    pub const fn within(self, other: Capabilities) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the tool only looks: it reads files or fetches, and says so. A tool that says nothing of
    /// itself can do anything.
    #[must_use]
    pub const fn only_looks(self) -> bool {
        self.0 != 0 && self.within(Capabilities(1 | 8))
    }
}

/// A pattern with what it decides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(deny_unknown_fields))]
pub struct PermissionRule {
    /// A glob over the words of a command, or over the input of another tool.
    pub pattern: String,
    /// What it decides.
    #[cfg_attr(feature = "serde", serde(with = "action"))]
    pub action: PermissionAction,
}

#[cfg(feature = "serde")]
mod action {
    use crate::profile::Verdict;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(v: &Verdict, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(v.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Verdict, D::Error> {
        match String::deserialize(d)?.as_str() {
            "allow" => Ok(Verdict::Allow),
            "ask" => Ok(Verdict::Ask),
            "deny" => Ok(Verdict::Deny),
            other => Err(D::Error::custom(format!("no such action: `{other}`"))),
        }
    }
}

/// A pattern that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub what: &'static str,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pattern `{}`: {}", self.pattern, self.what)
    }
}

impl std::error::Error for PatternError {}

#[derive(Clone, Debug)]
enum Matcher {
    /// A glob over the line of words.
    Glob(String),
    /// A list entry.
    Entry(Entry),
}

#[derive(Clone, Debug)]
struct Compiled {
    matcher: Matcher,
    rule: PermissionRule,
}

/// Lists of patterns per tool.
#[derive(Clone, Debug, Default)]
pub struct PermissionPolicy {
    tools: BTreeMap<String, Vec<Compiled>>,
    autonomy: AutonomyLevel,
}

/// Tools whose input is a script.
const SHELLS: [&str; 2] = ["bash", "shell"];

impl PermissionPolicy {
    /// Checks the patterns of every tool.
    ///
    /// # Errors
    ///
    /// The first pattern that cannot be read: an entry that silently matches nothing would be a door left open.
    pub fn new(rules: BTreeMap<String, Vec<PermissionRule>>) -> Result<Self, PatternError> {
        let mut tools = BTreeMap::new();
        for (tool, list) in rules {
            let mut compiled = Vec::with_capacity(list.len());
            for rule in list {
                check_pattern(&rule.pattern)?;
                compiled.push(Compiled { matcher: Matcher::Glob(rule.pattern.clone()), rule });
            }
            tools.insert(tool, compiled);
        }
        Ok(PermissionPolicy { tools, autonomy: AutonomyLevel::default() })
    }

    /// Sets the level of autonomy.
    #[must_use]
    pub fn with_autonomy(mut self, level: AutonomyLevel) -> Self {
        self.autonomy = level;
        self
    }

    /// The level of autonomy.
    #[must_use]
    pub fn autonomy_level(&self) -> AutonomyLevel {
        self.autonomy
    }

    /// The older lists: blocked commands are denied, confirmed ones asked about, and the rest is allowed.
    #[must_use]
    pub fn from_legacy(blocked: &[String], confirm: &[String]) -> Self {
        let entry = |text: &String, action| Compiled {
            matcher: Matcher::Entry(Entry::read(text)),
            rule: PermissionRule { pattern: text.clone(), action },
        };
        let mut list: Vec<Compiled> = blocked.iter().map(|b| entry(b, Verdict::Deny)).collect();
        list.extend(confirm.iter().map(|c| entry(c, Verdict::Ask)));
        list.push(Compiled {
            matcher: Matcher::Glob("*".into()),
            rule: PermissionRule { pattern: "*".into(), action: Verdict::Allow },
        });
        PermissionPolicy {
            tools: BTreeMap::from([("bash".to_owned(), list)]),
            autonomy: AutonomyLevel::default(),
        }
    }

    /// What the lists say about a call. `input` is the script of a shell, else the path, URL or query.
    #[must_use]
    pub fn check(&self, tool: &str, capabilities: Capabilities, input: &str) -> PermissionAction {
        if SHELLS.contains(&tool) {
            let context = Context {
                cwd: "/",
                home: "/home",
                roots: &[],
                env: &[],
                links: &crate::analyse::NoLinks,
                shell: toolgate_bash::Shell::Bash,
            };
            return self.check_script(tool, capabilities, &script(input, &context));
        }
        self.levelled(capabilities, || match self.tools.get(tool) {
            None => Verdict::Ask,
            Some(list) => list
                .iter()
                .find(|c| match &c.matcher {
                    Matcher::Glob(g) => fits(g, input, c.rule.action),
                    Matcher::Entry(e) => input.to_ascii_lowercase().contains(&e.text),
                })
                .map_or(Verdict::Ask, |c| c.rule.action),
        })
    }

    /// The same for a script that was analysed: every simple command is looked at, the strictest answer counts.
    #[must_use]
    pub fn check_script(
        &self,
        tool: &str,
        capabilities: Capabilities,
        analysis: &Analysis,
    ) -> PermissionAction {
        self.levelled(capabilities, || {
            let Some(list) = self.tools.get(tool) else { return Verdict::Ask };
            let mut worst = if analysis.unknown.is_some() || analysis.commands.is_empty() {
                Verdict::Ask
            } else {
                Verdict::Allow
            };
            // What holds for everything holds for what is not understood too.
            if let Some(all) = list.first().filter(|c| is_wholesale(&c.rule.pattern)) {
                worst = worst.max(all.rule.action);
            }
            for command in &analysis.commands {
                worst = worst.max(self.on_command(list, command));
            }
            for c in list {
                if let Matcher::Entry(e) = &c.matcher
                    && e.in_script(analysis).is_some()
                {
                    worst = worst.max(c.rule.action);
                }
            }
            worst
        })
    }

    fn on_command(&self, list: &[Compiled], command: &CommandRun) -> Verdict {
        let text = line(&command.words);
        let unsure = command.words.iter().any(|w| !w.is_exact());
        for c in list {
            let hit = match &c.matcher {
                Matcher::Glob(g) => fits(g, &text, c.rule.action),
                Matcher::Entry(e) => e.on_command(command),
            };
            if !hit {
                continue;
            }
            // A word that is not known may be one a stricter pattern is about.
            if c.rule.action == Verdict::Allow && unsure && !is_wholesale(&c.rule.pattern) {
                return Verdict::Ask;
            }
            return c.rule.action;
        }
        Verdict::Ask
    }

    fn levelled(&self, capabilities: Capabilities, lists: impl FnOnce() -> Verdict) -> Verdict {
        match self.autonomy {
            AutonomyLevel::ReadOnly => {
                if capabilities.only_looks() {
                    Verdict::Allow
                } else {
                    Verdict::Deny
                }
            }
            AutonomyLevel::Supervised => lists(),
            AutonomyLevel::Full => match lists() {
                Verdict::Deny => Verdict::Deny,
                Verdict::Ask | Verdict::Allow => Verdict::Allow,
            },
        }
    }

    /// Whether a tool can never be used: all its entries deny, and one is about everything.
    #[must_use]
    pub fn is_fully_denied(&self, tool: &str) -> bool {
        self.tools
            .get(tool)
            .is_some_and(|list| !list.is_empty() && list.iter().all(|c| c.rule.action == Verdict::Deny))
    }

    /// The entries by tool.
    pub fn rules(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &PermissionRule>)> {
        self.tools.iter().map(|(t, list)| (t.as_str(), list.iter().map(|c| &c.rule)))
    }

    /// Entries that can never decide: an earlier one of the same tool takes all they are about.
    #[must_use]
    pub fn never_fire(&self) -> Vec<(&str, &PermissionRule)> {
        let mut out = Vec::new();
        for (tool, list) in &self.tools {
            for (i, c) in list.iter().enumerate() {
                let earlier = list.get(..i).unwrap_or(&[]);
                if earlier.iter().any(|e| is_wholesale(&e.rule.pattern) || e.rule.pattern == c.rule.pattern) {
                    out.push((tool.as_str(), &c.rule));
                }
            }
        }
        out
    }
}

/// Commands that are never run, whatever else is allowed.
#[derive(Clone, Debug, Default)]
pub struct BlockList {
    entries: Vec<Entry>,
}

/// Blocked unless they are allowed by name.
const BLOCKED: [&str; 12] = [
    "rm -rf /", "sudo", "mkfs", "dd if=", "curl", "wget", "nc", "ncat", "netcat", "shutdown", "reboot",
    "halt",
];

/// Blocked when the network is closed, allowed by name or not.
const NETWORK: [&str; 5] = ["curl", "wget", "nc", "ncat", "netcat"];

impl BlockList {
    /// The list that follows from a configuration.
    ///
    /// `allowed` takes entries of the built-in list away; `blocked` wins over it, and so does a closed network.
    #[must_use]
    pub fn new(blocked: &[String], allowed: &[String], allow_network: bool) -> Self {
        let lower = |list: &[String]| {
            list.iter().map(|s| s.trim().to_lowercase()).filter(|s| !s.is_empty()).collect::<Vec<_>>()
        };
        let allowed = lower(allowed);
        let mut list: Vec<String> =
            BLOCKED.iter().map(|s| (*s).to_owned()).filter(|s| !allowed.contains(s)).collect();
        list.extend(lower(blocked));
        if !allow_network {
            list.extend(NETWORK.iter().map(|s| (*s).to_owned()));
        }
        list.sort();
        list.dedup();
        BlockList { entries: list.iter().map(|s| Entry::read(s)).collect() }
    }

    /// A list of these entries alone.
    #[must_use]
    pub fn of(blocked: &[String]) -> Self {
        BlockList { entries: blocked.iter().map(|s| Entry::read(s)).collect() }
    }

    /// The entries, sorted.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.text.as_str())
    }

    /// The first entry a script runs into, with where.
    #[must_use]
    pub fn find(&self, analysis: &Analysis) -> Option<(&str, Span)> {
        self.entries.iter().find_map(|e| Some((e.text.as_str(), e.in_script(analysis)?)))
    }
}

/// Constructs and commands that are asked about.
#[derive(Clone, Debug)]
pub struct ConfirmList {
    entries: Vec<Entry>,
}

/// What is asked about unless a configuration says otherwise.
const CONFIRMED: [&str; 12] = [
    "rm ",
    "git push -f",
    "git push --force",
    "drop table",
    "drop database",
    "truncate ",
    "$(",
    "`",
    "<(",
    ">(",
    "<<<",
    "eval ",
];

impl Default for ConfirmList {
    fn default() -> Self {
        ConfirmList { entries: CONFIRMED.iter().map(|s| Entry::read(s)).collect() }
    }
}

impl ConfirmList {
    /// A list of one's own.
    #[must_use]
    pub fn new(patterns: &[String]) -> Self {
        ConfirmList { entries: patterns.iter().map(|s| Entry::read(s)).collect() }
    }

    /// The first entry a script runs into, with where. A mention inside quoted text is none.
    #[must_use]
    pub fn find(&self, analysis: &Analysis) -> Option<(&str, Span)> {
        self.entries.iter().find_map(|e| Some((e.text.as_str(), e.in_script(analysis)?)))
    }
}

/// An entry of a list: a construct of the shell, or the first words of a command or statement.
#[derive(Clone, Debug)]
struct Entry {
    text: String,
    construct: Option<Constructs>,
    words: Vec<String>,
}

impl Entry {
    fn read(text: &str) -> Entry {
        let lower = text.trim().to_lowercase();
        let construct = match lower.as_str() {
            "$(" => Some(Constructs::COMMAND),
            "`" => Some(Constructs::COMMAND),
            "<(" => Some(Constructs::PROCESS_READ),
            ">(" => Some(Constructs::PROCESS_WRITE),
            "<<<" => Some(Constructs::HERE_STRING),
            "<<" => Some(Constructs::HERE_DOC),
            "|" => Some(Constructs::PIPE),
            ">" | ">>" => Some(Constructs::OUTPUT),
            "&" => Some(Constructs::BACKGROUND),
            _ => None,
        };
        let words = lower.split_whitespace().map(str::to_owned).collect();
        Entry { text: text.trim().to_lowercase(), construct, words }
    }

    fn in_script(&self, analysis: &Analysis) -> Option<Span> {
        if let Some(construct) = self.construct {
            return analysis.constructs.has(construct).then(Span::default);
        }
        if let Some(c) = analysis.commands.iter().find(|c| self.on_command(c)) {
            return Some(c.span);
        }
        analysis.statements.iter().find(|(words, _)| words.starts_with(&self.words)).map(|(_, span)| *span)
    }

    fn on_command(&self, command: &CommandRun) -> bool {
        let Some((first, rest)) = self.words.split_first() else { return false };
        if self.construct.is_some() {
            return false;
        }
        let Some(program) = command.words.first() else { return false };
        let name = path::name(&program.text).to_lowercase();
        // `mkfs` is `mkfs.ext4` too.
        let named = name == *first || name.strip_prefix(first.as_str()).is_some_and(|r| r.starts_with('.'));
        // An entry may name a path, or a device of the shell.
        if !named && *program.text.to_lowercase() != **first {
            return false;
        }
        // The words that follow, in order; others may stand between them.
        let mut args = command.words.iter().skip(1).map(|w| w.text.to_lowercase());
        rest.iter()
            .all(|want| args.any(|a| a == *want || want.ends_with('=') && a.starts_with(want.as_str())))
    }
}

/// Deny and ask fold case, allow does not: a pattern must not allow more than it says.
fn fits(pattern: &str, text: &str, action: Verdict) -> bool {
    match action {
        Verdict::Allow => bracket_glob(pattern, text),
        Verdict::Ask | Verdict::Deny => bracket_glob(&pattern.to_lowercase(), &text.to_lowercase()),
    }
}

fn bracket_glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains('[') {
        return glob(pattern, text);
    }
    let p: Vec<char> = pattern.chars().collect();
    let t: Vec<char> = text.chars().collect();
    // One class at a time: every set of positions is walked once per pattern element.
    let mut states: Vec<bool> = vec![false; t.len() + 1];
    states[0] = true;
    let mut i = 0;
    while i < p.len() {
        let mut next = vec![false; t.len() + 1];
        match p[i] {
            '*' => {
                let mut on = false;
                for (n, s) in next.iter_mut().zip(&states) {
                    on |= *s;
                    *n = on;
                }
            }
            '[' => {
                let negate = matches!(p.get(i + 1), Some('!' | '^'));
                let start = i + 1 + usize::from(negate);
                let end = (start + 1..p.len()).find(|&k| p[k] == ']').unwrap_or(p.len());
                let set = p.get(start..end).unwrap_or(&[]);
                for (k, c) in t.iter().enumerate() {
                    let mut hit = false;
                    let mut j = 0;
                    while j < set.len() {
                        if j + 2 < set.len() && set[j + 1] == '-' {
                            hit |= (set[j]..=set[j + 2]).contains(c);
                            j += 3;
                        } else {
                            hit |= set[j] == *c;
                            j += 1;
                        }
                    }
                    next[k + 1] = states[k] && hit != negate;
                }
                i = end;
            }
            c => {
                for (k, x) in t.iter().enumerate() {
                    next[k + 1] = states[k] && (c == '?' || c == *x);
                }
            }
        }
        states = next;
        i += 1;
    }
    states[t.len()]
}

fn is_wholesale(pattern: &str) -> bool {
    matches!(pattern, "" | "*" | "**")
}

fn check_pattern(pattern: &str) -> Result<(), PatternError> {
    let err = |what| Err(PatternError { pattern: pattern.to_owned(), what });
    if pattern.len() > 1024 {
        return err("longer than 1024 bytes");
    }
    let mut open = false;
    for c in pattern.chars() {
        match c {
            '[' if !open => open = true,
            ']' => open = false,
            _ => {}
        }
    }
    if open {
        return err("a bracket is not closed");
    }
    if pattern.contains("[]") || pattern.contains("[!]") || pattern.contains("[^]") {
        return err("an empty bracket matches nothing");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(tool: &str, rules: &[(&str, Verdict)]) -> PermissionPolicy {
        let list = rules.iter().map(|(p, a)| PermissionRule { pattern: (*p).into(), action: *a }).collect();
        PermissionPolicy::new(BTreeMap::from([(tool.to_owned(), list)])).unwrap()
    }

    fn bash(p: &PermissionPolicy, text: &str) -> Verdict {
        p.check("bash", Capabilities::RUN, text)
    }

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn patterns_are_about_words_of_every_simple_command() {
        let p = policy("bash", &[("echo *", Verdict::Allow)]);
        assert_eq!(bash(&p, "echo hello"), Verdict::Allow);
        assert_eq!(bash(&p, "ls -la"), Verdict::Ask);
        assert_eq!(bash(&p, "echo a; curl x"), Verdict::Ask);
        assert_eq!(bash(&p, "echo $(curl x)"), Verdict::Ask);
        assert_eq!(bash(&p, "echo \"$X\""), Verdict::Ask);
        let p = policy("bash", &[("*rm -rf*", Verdict::Deny), ("*", Verdict::Allow)]);
        assert_eq!(bash(&p, "rm -rf /tmp"), Verdict::Deny);
        assert_eq!(bash(&p, "r''m  -rf /tmp"), Verdict::Deny);
        assert_eq!(bash(&p, "timeout 5 rm -rf x"), Verdict::Deny);
        let p = policy("bash", &[("*sudo*", Verdict::Deny)]);
        for c in ["SUDO x", "Sudo x", "sudo apt", "su\"\"do x"] {
            assert_eq!(bash(&p, c), Verdict::Deny, "{c}");
        }
    }

    #[test]
    fn the_first_entry_that_fits_decides_and_none_asks() {
        let p = policy("bash", &[("*safe*", Verdict::Allow), ("*", Verdict::Deny)]);
        assert_eq!(bash(&p, "safe command"), Verdict::Allow);
        assert_eq!(bash(&p, "dangerous command"), Verdict::Deny);
        assert_eq!(bash(&PermissionPolicy::default(), "ls"), Verdict::Ask);
        let p = policy("bash", &[("*", Verdict::Deny)]);
        assert_eq!(p.check("BASH", Capabilities::RUN, "ls"), Verdict::Ask);
        assert_eq!(bash(&p, "ls '"), Verdict::Deny);
    }

    #[test]
    fn a_bad_pattern_is_an_error_and_not_a_door() {
        let list = |p: &str| {
            PermissionPolicy::new(BTreeMap::from([(
                "bash".to_owned(),
                vec![PermissionRule { pattern: p.into(), action: Verdict::Deny }],
            )]))
        };
        assert!(list("a[b").is_err());
        assert!(list("[]").is_err());
        assert!(list("**rm**").is_ok());
        let p = list("**rm**").unwrap();
        assert_eq!(bash(&p, "rm x"), Verdict::Deny);
        let p = policy("bash", &[("rm [a-c]*", Verdict::Deny)]);
        assert_eq!(bash(&p, "rm bx"), Verdict::Deny);
        assert_eq!(bash(&p, "rm dx"), Verdict::Ask);
    }

    #[test]
    fn legacy_lists_are_about_words_and_not_about_substrings() {
        let p = PermissionPolicy::from_legacy(&strings(&["sudo"]), &strings(&["rm "]));
        assert_eq!(bash(&p, "sudo apt"), Verdict::Deny);
        assert_eq!(bash(&p, "rm file"), Verdict::Ask);
        for c in [
            "find . -name foo",
            "ls -la",
            "echo hello",
            "cat sudoku.txt",
            "./confirm x",
            "git commit -m 'sudo rm x'",
        ] {
            assert_eq!(bash(&p, c), Verdict::Allow, "{c}");
        }
        assert_eq!(bash(&p, "X=1 sudo rm"), Verdict::Deny);
        assert_eq!(bash(&p, "(sudo ls)"), Verdict::Deny);
        assert_eq!(bash(&p, "env -i sudo ls"), Verdict::Deny);
    }

    #[test]
    fn autonomy_goes_by_capabilities_and_keeps_deny() {
        let read_only = PermissionPolicy::default().with_autonomy(AutonomyLevel::ReadOnly);
        assert_eq!(read_only.check("read", Capabilities::READ, "x"), Verdict::Allow);
        assert_eq!(read_only.check("fetch", Capabilities::FETCH, "x"), Verdict::Allow);
        assert_eq!(read_only.check("write", Capabilities::WRITE.and(Capabilities::READ), "x"), Verdict::Deny);
        assert_eq!(read_only.check("mystery", Capabilities::default(), "x"), Verdict::Deny);
        assert_eq!(read_only.check("bash", Capabilities::RUN, "ls"), Verdict::Deny);
        let full = policy("bash", &[("rm *", Verdict::Deny)]).with_autonomy(AutonomyLevel::Full);
        assert_eq!(bash(&full, "ls"), Verdict::Allow);
        assert_eq!(bash(&full, "rm x"), Verdict::Deny);
    }

    #[test]
    fn the_block_list_follows_the_configuration() {
        let list = |b: &[&str], a: &[&str], n| BlockList::new(&strings(b), &strings(a), n);
        let has = |l: &BlockList, text: &str| {
            let roots = [];
            let context = Context {
                cwd: "/",
                home: "/h",
                roots: &roots,
                env: &[],
                links: &crate::analyse::NoLinks,
                shell: toolgate_bash::Shell::Bash,
            };
            l.find(&script(text, &context)).is_some()
        };
        let d = list(&[], &[], true);
        for c in [
            "sudo x",
            "mkfs.ext4 /dev/sda",
            "dd if=/dev/zero of=x",
            "rm -rf /",
            "curl x",
            "/usr/bin/sudo x",
            "X=1 curl y",
            "true & curl x",
            "if true; then curl x; fi",
            "bash -c 'curl x'",
        ] {
            assert!(has(&d, c), "{c}");
        }
        for c in [
            "echo hello",
            "sudoku",
            "ncp file.txt",
            "rm -rf /tmp/anything",
            "git commit -m 'fix; reboot handling'",
            "echo 'a|sudo b'",
            "",
        ] {
            assert!(!has(&d, c), "{c}");
        }
        assert!(!has(&list(&[], &["CURL"], true), "curl x"));
        assert!(has(&list(&["curl"], &["curl"], true), "curl x"));
        assert!(has(&list(&[], &["curl"], false), "curl x"));
        assert_eq!(
            list(&["Sudo", "sudo", "MyCustom"], &[], true)
                .entries()
                .filter(|e| *e == "sudo" || *e == "mycustom")
                .count(),
            2
        );
    }

    #[test]
    fn confirm_patterns_go_by_grammar() {
        let list = ConfirmList::default();
        let context = Context {
            cwd: "/",
            home: "/h",
            roots: &[],
            env: &[],
            links: &crate::analyse::NoLinks,
            shell: toolgate_bash::Shell::Bash,
        };
        let hit = |text: &str| list.find(&script(text, &context)).map(|(e, _)| e.to_owned());
        for (text, entry) in [
            ("echo $(date)", "$("),
            ("echo `date`", "$("),
            ("cat <(ls)", "<("),
            ("tee >(cat)", ">("),
            ("cat <<< x", "<<<"),
            ("eval ls", "eval"),
            ("rm x", "rm"),
            ("git push -f", "git push -f"),
            ("git push origin --force", "git push --force"),
            ("psql -c 'DROP TABLE users'", "drop table"),
        ] {
            assert_eq!(hit(text).as_deref(), Some(entry), "{text}");
        }
        for text in ["echo 'a $(b) `c` <(d) eval '", "grep -n 'drop table' x", "confirm x", "farm x"] {
            assert_eq!(hit(text), None, "{text}");
        }
    }
}
