//! What a script can do: its commands followed to wherever code runs.
//!
//! The tree of the parser is walked in the order bash would run it, with as much of the shell's state
//! as can be known: variables, functions, the directory. Every command is read by the knowledge about
//! its program, and code that is found in an argument, a here-document or a pipe is analysed in turn.
//! What cannot be known becomes an effect of its own, [`Kind::Unknown`], and never nothing.

mod assignment;
mod builtin;
mod call;
mod code;
mod expand;
mod function;
mod lang;
pub(crate) use lang::patch;
mod network;
mod output;
mod program;
mod search_path;
mod state;
mod taken;
mod walk;

pub use network::is_loopback;
pub(crate) use network::of_url as host_of_url;
pub(crate) use state::State;

use crate::effect::{Effect, Kind};
use crate::path;
use crate::word::{UNKNOWN, Word};
use std::borrow::Cow;
use toolgate_bash::ast::Span;
use toolgate_bash::{Options, Shell};

/// What the analysis may assume about the world.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The directory the command starts in.
    pub cwd: &'c str,
    /// The home directory.
    pub home: &'c str,
    /// Roots of the workspace.
    pub roots: &'c [String],
    /// Environment variables that are known, besides `HOME` and `PWD`.
    pub env: &'c [(String, String)],
    /// Where symbolic links lead.
    pub links: &'c dyn Links,
    /// The shell that will run the text.
    pub shell: Shell,
}

/// Looks at symbolic links for an analysis that does no input or output of its own.
pub trait Links {
    /// Where an absolute path really is, if any of its components is a link.
    fn resolve(&self, path: &str) -> Option<String>;

    /// Whether an absolute path is a file that can be run.
    fn runs(&self, path: &str) -> bool;

    /// Whether an absolute path is a directory that can be entered.
    fn enters(&self, _path: &str) -> bool {
        false
    }
}

/// No links at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLinks;

impl Links for NoLinks {
    fn resolve(&self, _: &str) -> Option<String> {
        None
    }

    fn runs(&self, _: &str) -> bool {
        false
    }
}

/// One simple command that can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// Its words, the program first.
    pub words: Vec<Word<'static>>,
    /// Where it stands.
    pub span: Span,
    /// Whether it is run by another command (a wrapper, an interpreter) and not by the script itself.
    pub inner: bool,
    /// The directory it starts in; `None` if that is not known, or may be one of several.
    pub dir: Option<Box<str>>,
    /// Whether the script set a variable before it, or for it, that it may look at.
    pub variables_changed: bool,
}

impl CommandRun {
    /// The program's name without directories; `None` if it is not known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::exact).map(path::name)
    }
}

/// What a script can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The commands, in the order in which they were found.
    pub commands: Vec<CommandRun>,
    /// The effects.
    pub effects: Vec<Effect>,
    /// Statements of SQL that are run, as lower-case words.
    pub statements: Vec<(Vec<String>, Span)>,
    /// Constructs of the shell that occur.
    pub constructs: Constructs,
    /// What was analysed.
    pub input: Input,
    /// Why the text was not understood, if it was not.
    pub unknown: Option<toolgate_bash::Unknown>,
}

/// What an analysis is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// A script, or the words of a command.
    #[default]
    Script,
    /// The arguments of a tool that is no shell: its paths, URLs and queries, each in all its spellings.
    Arguments(Vec<Vec<String>>),
}

/// Constructs of the shell, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Constructs(u16);

impl Constructs {
    /// `$(…)` and backticks.
    pub const COMMAND: Constructs = Constructs(1);
    /// `<(…)`
    pub const PROCESS_READ: Constructs = Constructs(2);
    /// `>(…)`
    pub const PROCESS_WRITE: Constructs = Constructs(4);
    /// `<<<`
    pub const HERE_STRING: Constructs = Constructs(8);
    /// `<<`
    pub const HERE_DOC: Constructs = Constructs(16);
    /// `|`
    pub const PIPE: Constructs = Constructs(32);
    /// `>` and its kin, into a file.
    pub const OUTPUT: Constructs = Constructs(64);
    /// `&`
    pub const BACKGROUND: Constructs = Constructs(128);

    /// Whether one of these is in the set.
    #[must_use]
    pub fn has(self, other: Constructs) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: Constructs) {
        self.0 |= other.0;
    }
}

/// Steps an analysis may take before it gives up.
const FUEL: u32 = 60_000;

/// How deep code in code is followed.
const DEPTH: u32 = 24;

/// How many bytes of code in strings are read in all.
const NESTED: usize = 512 * 1024;

/// Analyses a script.
#[must_use]
pub fn script(source: &str, context: &Context<'_>) -> Analysis {
    let mut analyst = Analyst::new(context);
    let mut state = State::new(context.cwd);
    let options = Options { shell: context.shell, ..Options::default() };
    match toolgate_bash::parse(source.as_bytes(), &options) {
        Ok(script) => {
            analyst.script(&script, &mut state, &Data::Inherit);
            analyst.handlers_from(0, &state);
            analyst.uncalled(&mut state);
        }
        Err(unknown) => {
            analyst.unknown(format!("syntax: {unknown}"), unknown.span);
            analyst.out.unknown = Some(unknown);
        }
    }
    analyst.out
}

/// Analyses a command that is given as its words, without a shell.
#[must_use]
pub fn argv(words: &[String], context: &Context<'_>) -> Analysis {
    let mut analyst = Analyst::new(context);
    let mut state = State::new(context.cwd);
    let mut at = 0_u32;
    let words = words
        .iter()
        .map(|w| {
            let len = u32::try_from(w.len()).unwrap_or(u32::MAX);
            let span = Span { start: at, end: at.saturating_add(len) };
            at = span.end.saturating_add(1);
            Word::new(w.clone(), span)
        })
        .collect();
    analyst.run(words, &mut state, &Data::Inherit, program::By::Caller);
    analyst.out
}

/// What flows through a pipe or stands in a file descriptor, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    /// This text; it may hold unknown parts.
    Text(String),
    /// Names of files that exist, a line each: patterns that every one of them fits.
    Names(Vec<String>),
    /// One line of harmless facts: a number, a date, a name without slashes.
    Fact,
    /// The content of a file.
    File(String),
    /// Anything.
    Unknown,
    /// Whatever the script itself was given.
    Inherit,
}

/// The walker with its results.
pub(crate) struct Analyst<'c> {
    context: &'c Context<'c>,
    pub(crate) out: Analysis,
    fuel: u32,
    depth: u32,
    levels: u32,
    nested: usize,
    /// Bytes of values put into words so far.
    expanded: usize,
    exhausted: bool,
    /// The shell that runs the text at hand.
    shell: Shell,
    /// The span that stands for everything inside code that was found in a string.
    base: Option<Span>,
    /// The functions being run.
    calling: Vec<function::Frame>,
    /// Code that runs at any time, with the state in which it was set up.
    handlers: Vec<(String, Span, State)>,
    /// The command that effects belong to.
    command: Option<u32>,
    /// A variable with a secret's name that was expanded in the words at hand.
    secret: Option<String>,
    /// Whether the command at hand prints nothing into what it is redirected to.
    empties: bool,
    /// What the last walk over directories prints.
    found: Option<Vec<String>>,
    /// What may have been taken away by now.
    taken: taken::Taken,
    /// How many effects were searched for a file that drives builds, and the first that was found.
    driver: (usize, Option<String>),
}

impl<'c> Analyst<'c> {
    pub(crate) fn new(context: &'c Context<'c>) -> Self {
        Analyst {
            context,
            out: Analysis::default(),
            fuel: FUEL,
            depth: 0,
            levels: 0,
            nested: 0,
            expanded: 0,
            exhausted: false,
            shell: context.shell,
            base: None,
            calling: Vec::new(),
            handlers: Vec::new(),
            command: None,
            secret: None,
            empties: false,
            found: None,
            taken: taken::Taken::default(),
            driver: (0, None),
        }
    }

    /// Takes one step; false when there are none left.
    fn step(&mut self, span: Span) -> bool {
        if self.fuel == 0 {
            if !self.exhausted {
                self.exhausted = true;
                self.unknown("takes too many steps to follow", span);
            }
            return false;
        }
        self.fuel -= 1;
        true
    }

    fn at(&self, span: Span) -> Span {
        self.base.unwrap_or(span)
    }

    /// Notes an effect.
    fn push(&mut self, kind: Kind, target: Option<&str>, span: Span, note: impl Into<Cow<'static, str>>) {
        if kind == Kind::Project
            && let Some(file) = self.driver()
        {
            let why = format!("{file} was written just before, and decides what is run");
            self.unknown(why, span);
        }
        self.note(Effect {
            kind,
            target: target.map(Into::into),
            path: None,
            span: self.at(span),
            command: self.command,
            note: note.into(),
        });
    }

    fn note(&mut self, effect: Effect) {
        // The same command in a loop or a function says the same thing again.
        if !self.out.effects.iter().rev().take(16).any(|e| *e == effect) {
            self.out.effects.push(effect);
        }
    }

    /// The first file that was written and drives builds.
    fn driver(&mut self) -> Option<&str> {
        let (searched, found) = std::mem::take(&mut self.driver);
        let new = self.out.effects.get(searched..).unwrap_or_default();
        let found = found.or_else(|| new.iter().find_map(|e| self.drives(e)).map(str::to_owned));
        self.driver = (self.out.effects.len(), found);
        self.driver.1.as_deref()
    }

    /// The name of a file that this effect writes and that tells a build or a runner what to start.
    fn drives<'e>(&self, effect: &'e Effect) -> Option<&'e str> {
        // What edits a file in place leaves most of it as it was.
        const EDITORS: [&str; 6] = ["sed", "gsed", "npm", "git", "prettier", "yq"];
        if !matches!(effect.kind, Kind::Write | Kind::Move) {
            return None;
        }
        let name = path::name(effect.path.as_deref()?);
        let by = effect.command.and_then(|c| self.out.commands.get(c as usize)).and_then(CommandRun::program);
        (crate::facts::drives_builds(name) && !by.is_some_and(|p| EDITORS.contains(&p))).then_some(name)
    }

    fn unknown(&mut self, why: impl Into<Cow<'static, str>>, span: Span) {
        self.push(Kind::Unknown, None, span, why);
    }

    /// Notes an effect on a path, seen from each directory the shell may be in.
    fn path(
        &mut self,
        kind: Kind,
        text: &str,
        span: Span,
        dirs: &[String],
        state: &State,
        note: &'static str,
    ) {
        if text.is_empty() {
            return;
        }
        let absolute = text.starts_with('/');
        for dir in dirs {
            let full = path::join(dir, text);
            let full = path::without_aliases(&full).to_owned();
            for other in state.through_links(&full) {
                self.path_effect(kind, text, other, span, note);
            }
            if let Some(other) = self.context.links.resolve(&full) {
                self.path_effect(kind, text, other, span, note);
            }
            self.path_effect(kind, text, full, span, note);
            if absolute {
                break;
            }
        }
    }

    fn path_effect(&mut self, kind: Kind, text: &str, full: String, span: Span, note: &'static str) {
        if let Some(rest) = full.strip_prefix("/dev/tcp/").or_else(|| full.strip_prefix("/dev/udp/")) {
            let host = rest.split('/').next().unwrap_or(rest).to_owned();
            self.push(Kind::Send, Some(&host), span, "the path is a connection to a host");
            return;
        }
        // Built from parts: it may be a connection too.
        if full.contains(UNKNOWN) && full.starts_with("/dev/") {
            self.push(Kind::Send, Some(&full), span, "the path may be a connection to a host");
        }
        self.note(Effect {
            kind,
            target: Some(text.into()),
            path: Some(full.into()),
            span: self.at(span),
            command: self.command,
            note: Cow::Borrowed(note),
        });
    }
}
