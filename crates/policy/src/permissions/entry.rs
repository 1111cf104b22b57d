//! Lists of blocked and confirmed commands: entries that are words, or a construct of the shell.

use crate::analyse::{Analysis, CommandRun, Constructs};
use crate::path;
use crate::word::Word;
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
        self.entries.iter().filter_map(|e| e.in_script(analysis))
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
        self.entries.iter().filter_map(|e| e.in_script(analysis))
    }
}

/// Whether words are an entry's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
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

    pub(super) fn in_script(&self, analysis: &Analysis) -> Option<Hit<'_>> {
        let hit = |span, sure| Hit { entry: &self.text, span, sure };
        if let Some(construct) = self.construct {
            return analysis.constructs.has(construct).then(|| hit(Span::default(), true));
        }
        let mut maybe = None;
        for command in &analysis.commands {
            match self.on_command(command) {
                Likeness::Yes => return Some(hit(command.span, true)),
                Likeness::Maybe => maybe = maybe.or(Some(command.span)),
                Likeness::No => {}
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
        let lower = program.text.to_lowercase();
        let name = path::name(&lower);
        // `mkfs` is `mkfs.ext4` too. An entry may name a path, or a device of the shell.
        let named = name == first || name.strip_prefix(first).is_some_and(|rest| rest.starts_with('.'));
        if named || lower == first { Likeness::Yes } else { Likeness::No }
    }
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
            let arg = arg.text.to_lowercase();
            if arg == *want || want.ends_with('=') && arg.starts_with(want.as_str()) {
                continue 'wanted;
            }
            only_options &= arg.starts_with('-');
        }
        return Likeness::No;
    }
    likeness
}
