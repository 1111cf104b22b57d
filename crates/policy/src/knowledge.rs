//! What is known about programs: compiled tables and their look-up.
//!
//! The facts themselves are in `kb/`, one file per program; `build/` turns them into the tables read here.

pub mod schema;

use schema::{
    Kind, Lang, Like, Name, Opt, Repeat, Restated, Role, Run, Slot, Spec, Stated, Style, Sub, Subject, Takes,
    Test, Text, When,
};
use std::cmp::Ordering;

include!(concat!(env!("OUT_DIR"), "/knowledge.rs"));

/// Finds what is known about a program by its name without directories.
///
/// A version after the name is admitted where the entry says so: `python3.11`, `gcc-12`.
///
/// ```
/// assert!(toolgate_policy::knowledge::program("python3.11").is_some());
/// assert!(toolgate_policy::knowledge::program("rm3").is_none());
/// ```
#[must_use]
pub fn program(name: &str) -> Option<&'static Spec> {
    if let Some(sub) = search(&PROGRAMS, name) {
        return spec(sub.spec);
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if stem.len() == name.len() || stem.is_empty() {
        return None;
    }
    let sub = search(&PROGRAMS, stem).filter(|s| s.versioned)?;
    spec(sub.spec)
}

/// The names of all programs there is knowledge about.
pub fn programs() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|s| text(s.name))
}

fn search(table: &'static [Sub], name: &str) -> Option<&'static Sub> {
    table.binary_search_by(|s| text(s.name).cmp(name)).ok().and_then(|i| table.get(i))
}

fn spec(number: u32) -> Option<&'static Spec> {
    SPECS.get(number as usize)
}

fn slice<T>(table: &'static [T], run: Run) -> &'static [T] {
    let start = run.0 as usize;
    table.get(start..start + run.1 as usize).unwrap_or(&[])
}

/// The text behind a reference.
#[must_use]
pub fn text(t: Text) -> &'static str {
    let start = t.0 as usize;
    TEXT.get(start..start + t.1 as usize).unwrap_or("")
}

pub(crate) fn words(run: Run) -> impl Iterator<Item = &'static str> {
    slice(&WORDS, run).iter().map(|t| text(*t))
}

pub(crate) fn option_ids(run: Run) -> &'static [u32] {
    slice(&IDS, run)
}

/// The roles in a run.
#[must_use]
pub fn roles(run: Run) -> &'static [Role] {
    slice(&ROLES, run)
}

/// An option by its number.
#[must_use]
pub fn option(number: u32) -> Option<&'static Opt> {
    OPTS.get(number as usize)
}

/// The effects in a run.
#[must_use]
pub fn effects(run: Run) -> &'static [Stated] {
    slice(&EFFECTS, run)
}

/// The operand pattern in a run.
#[must_use]
pub fn slots(run: Run) -> &'static [Slot] {
    slice(&SLOTS, run)
}

pub(crate) fn tests(run: Run) -> &'static [Test] {
    slice(&TESTS, run)
}

pub(crate) fn restated(run: Run) -> &'static [Restated] {
    slice(&RESTATED, run)
}

impl Spec {
    /// The names of its options, sorted.
    #[must_use]
    pub fn names(&self) -> &'static [Name] {
        slice(&NAMES, self.names)
    }

    /// Its conditions.
    #[must_use]
    pub fn whens(&self) -> &'static [When] {
        slice(&WHENS, self.whens)
    }

    /// Its sub-commands by name.
    pub fn subs(&self) -> impl Iterator<Item = (&'static str, &'static Spec)> {
        slice(&SUBS, self.subs).iter().filter_map(|s| Some((text(s.name), spec(s.spec)?)))
    }

    /// Whether it has sub-commands.
    #[must_use]
    pub fn has_subs(&self) -> bool {
        self.subs.1 > 0
    }

    /// Finds a sub-command.
    #[must_use]
    pub fn sub(&self, name: &str) -> Option<&'static Spec> {
        let table = slice(&SUBS, self.subs);
        search(table, name).and_then(|s| spec(s.spec))
    }

    /// Whether this word, alone, only prints facts.
    #[must_use]
    pub fn is_info(&self, word: &str) -> bool {
        words(self.info).any(|w| w == word)
    }
}
