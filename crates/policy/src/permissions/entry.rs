//! Lists of blocked and confirmed commands: entries that are words, or a construct of the shell.

use crate::analyse::{Analysis, CommandRun, Constructs};
use crate::decide::Answered;
use crate::path;
use crate::word::Word;
use std::borrow::Cow;
use toolgate_bash::ast::Span;

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

/// An entry that a script runs into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit<'l> {
    /// The entry.
    pub entry: &'l str,
    /// Where the script does so.
    pub span: Span,
    /// Whether it surely does. If not, a word that is not known may be the entry's.
    pub sure: bool,
}

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

    /// The entries, as they are compared.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.text.as_str())
    }

    /// Every entry that a script runs into, in the order of the list.
    pub fn hits<'l>(&'l self, analysis: &'l Analysis) -> impl Iterator<Item = Hit<'l>> {
        self.hits_beside(analysis, Answered::default())
    }

    /// The same where some questions were answered: of those commands only what is surely an entry's counts.
    pub(crate) fn hits_beside<'l>(
        &'l self,
        analysis: &'l Analysis,
        answered: Answered<'l>,
    ) -> impl Iterator<Item = Hit<'l>> {
        let counts = move |at, likeness| likeness == Likeness::Yes || !answered.is(at);
        self.entries.iter().filter_map(move |e| e.in_script(analysis, counts))
    }
}

/// Constructs and commands that are asked about.
#[derive(Clone, Debug)]
pub struct ConfirmList {
    entries: Vec<Entry>,
}

/// What the reference asks about. Most of it is a profile's business here, by what a command does.
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

    /// The entries, as they are compared.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.text.as_str())
    }

    /// Every entry that a script runs into, in the order of the list. A mention inside quoted text is none.
    pub fn hits<'l>(&'l self, analysis: &'l Analysis) -> impl Iterator<Item = Hit<'l>> {
        self.hits_beside(analysis, Answered::default())
    }

    /// The same without the commands whose questions were answered.
    pub(crate) fn hits_beside<'l>(
        &'l self,
        analysis: &'l Analysis,
        answered: Answered<'l>,
    ) -> impl Iterator<Item = Hit<'l>> {
        self.entries.iter().filter_map(move |e| e.in_script(analysis, |at, _| !answered.is(at)))
    }
}

/// Whether words are an entry's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    No,
    /// A word that is not known may be.
    Maybe,
    Yes,
}

/// An entry of a list: a construct of the shell, or the first words of a command or statement.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) text: String,
    construct: Option<Constructs>,
    words: Vec<String>,
}

impl Entry {
    pub(super) fn read(text: &str) -> Entry {
        let lower = text.trim().to_lowercase();
        let construct = match lower.as_str() {
            "$(" | "`" => Some(Constructs::COMMAND),
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
        Entry { text: lower, construct, words }
    }

    /// What a script does that is the entry's. `counts` says which commands, by their place, are looked at.
    pub(super) fn in_script(
        &self,
        analysis: &Analysis,
        counts: impl Fn(usize, Likeness) -> bool,
    ) -> Option<Hit<'_>> {
        let hit = |span, sure| Hit { entry: &self.text, span, sure };
        if let Some(construct) = self.construct {
            return analysis.constructs.has(construct).then(|| hit(Span::default(), true));
        }
        let mut maybe = None;
        for (at, command) in analysis.commands.iter().enumerate() {
            match self.on_command(command) {
                likeness if likeness == Likeness::No || !counts(at, likeness) => {}
                Likeness::Yes => return Some(hit(command.span, true)),
                _ => maybe = maybe.or(Some(command.span)),
            }
        }
        let statement = analysis.statements.iter().find(|(words, _)| words.starts_with(&self.words));
        statement.map(|(_, span)| hit(*span, true)).or_else(|| maybe.map(|span| hit(span, false)))
    }

    /// Whether a command begins with the entry's words.
    pub(super) fn is_on(&self, command: &CommandRun) -> bool {
        self.on_command(command) == Likeness::Yes
    }

    fn on_command(&self, command: &CommandRun) -> Likeness {
        let (Some((first, rest)), None) = (self.words.split_first(), self.construct) else {
            return Likeness::No;
        };
        let Some((program, args)) = command.words.split_first() else { return Likeness::No };
        self.on_program(first, program).min(on_args(rest, args))
    }

    fn on_program(&self, first: &str, program: &Word<'_>) -> Likeness {
        if !program.is_exact() {
            return Likeness::Maybe;
        }
        let text = folded(&program.text);
        let rest = strip_folded(path::name(&text), first);
        // `mkfs` is `mkfs.ext4` too. An entry may name a path, or a device of the shell.
        let named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if named || text.eq_ignore_ascii_case(first) { Likeness::Yes } else { Likeness::No }
    }
}

/// A text in lower case, but for letters of ASCII: those are compared without regard to case.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) }
}

/// What follows in a folded text on this lower-case beginning.
fn strip_folded<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

/// The words that follow the program, in order; others may stand between them.
fn on_args(wanted: &[String], args: &[Word<'_>]) -> Likeness {
    let mut likeness = Likeness::Yes;
    let mut args = args.iter();
    // Where a plain word has been, what follows is its operand and no part of the entry.
    let mut only_options = true;
    'wanted: for want in wanted {
        for arg in args.by_ref() {
            if !arg.is_exact() {
                if only_options {
                    likeness = Likeness::Maybe;
                    continue 'wanted;
                }
                continue;
            }
            let arg = folded(&arg.text);
            let rest = strip_folded(&arg, want);
            if rest.is_some_and(|rest| rest.is_empty() || want.ends_with('=')) {
                continue 'wanted;
            }
            only_options &= arg.starts_with('-');
        }
        return Likeness::No;
    }
    likeness
}
