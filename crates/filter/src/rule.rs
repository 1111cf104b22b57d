//! A rule: which commands it is for, and what it does with their lines.

use crate::command;
use crate::packed::List;
use crate::pattern::Op;
use crate::shape::Shape;
use regex::{Regex, RegexSet};
use std::borrow::Cow;
use std::sync::Arc;

pub(crate) type Text = Cow<'static, str>;

/// Who wrote a rule, and so what it may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Part of this crate: may leave out lines that hold a word of trouble when it knows their
    /// whole shape (`test errors::kept ... ok`).
    BuiltIn,
    /// The user's own file.
    User,
    /// A project's file: comes with somebody's repository.
    Project,
}

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    pub(crate) name: Text,
    pub(crate) summary: Text,
    pub(crate) why: Text,
    pub(crate) origin: Origin,
    /// The output is what was asked for: nothing but the steps below may fold it.
    pub(crate) plain: bool,
    pub(crate) matches: Cow<'static, [Match]>,
    pub(crate) never_drop: Patterns,
    pub(crate) steps: Cow<'static, [Step]>,
}

impl Rule {
    /// Name of the rule: that of its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, in a sentence.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Why that is right.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Who wrote it.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether the rule is for this command.
    #[must_use]
    pub fn is_for(&self, argv: &[String]) -> bool {
        self.fits(argv).is_some()
    }

    /// Whether it is for this subcommand of this program, by name.
    pub(crate) fn names_subcommand(&self, program: &str, subcommand: &str) -> bool {
        self.matches.iter().any(|one| match one {
            Match::Argv { programs, subcommands, .. } => {
                programs.contains(program) && subcommands.contains(subcommand)
            }
            Match::Exact(_) | Match::Prefix(_) | Match::Regex(_) => false,
        })
    }

    /// How closely the rule describes this command, if it is for it.
    pub(crate) fn fits(&self, argv: &[String]) -> Option<u8> {
        self.matches.iter().filter(|one| one.holds(argv)).map(Match::closeness).max()
    }
}

/// A condition on a command.
#[derive(Debug, Clone)]
pub(crate) enum Match {
    Argv {
        programs: Texts,
        subcommands: Texts,
        with: Texts,
        without: Texts,
    },
    /// The whole command, words joined by blanks.
    Exact(Text),
    /// How the command begins.
    Prefix(Text),
    /// A user's expression.
    Regex(Regex),
}

/// Texts of a built-in rule, or a user's.
#[derive(Debug, Clone)]
pub(crate) enum Texts {
    BuiltIn(List),
    User(Vec<String>),
}

impl Texts {
    fn any(&self, mut holds: impl FnMut(&str) -> bool) -> bool {
        match self {
            Self::BuiltIn(list) => list.texts().any(holds),
            Self::User(list) => list.iter().any(|text| holds(text)),
        }
    }

    fn contains(&self, wanted: &str) -> bool {
        self.any(|text| text == wanted)
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::BuiltIn(list) => list.is_empty(),
            Self::User(list) => list.is_empty(),
        }
    }
}

impl Match {
    fn closeness(&self) -> u8 {
        match self {
            Self::Argv { subcommands, with, .. } => {
                1 + 2 * u8::from(!with.is_empty()) + u8::from(!subcommands.is_empty())
            }
            Self::Exact(_) | Self::Prefix(_) | Self::Regex(_) => 1,
        }
    }

    fn holds(&self, argv: &[String]) -> bool {
        match self {
            Self::Argv { programs, subcommands, with, without } => {
                let Some(program) = argv.first() else { return false };
                let name = command::base(program);
                let has = |wanted: &str| {
                    argv.iter().skip(1).any(|word| {
                        // `*test*`: what an argument holds; `*.log`: how it ends.
                        word == wanted
                            || wanted.strip_prefix('*').is_some_and(|end| match end.strip_suffix('*') {
                                Some(middle) => word.contains(middle),
                                None => word.ends_with(end),
                            })
                            || (wanted.len() > 2
                                && word.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('=')))
                    })
                };
                programs.contains(name)
                    && (subcommands.is_empty()
                        || command::subcommand(argv).is_some_and(|sub| subcommands.contains(sub)))
                    && (with.is_empty() || with.any(has))
                    && !without.any(has)
            }
            Self::Exact(text) => argv.join(" ") == *text.as_ref(),
            Self::Prefix(text) => argv.join(" ").starts_with(text.as_ref()),
            Self::Regex(regex) => regex.is_match(&argv.join(" ")),
        }
    }
}

/// Line patterns: compiled at build time, or a user's regular expressions.
#[derive(Debug, Clone)]
pub(crate) enum Patterns {
    Compiled(List),
    User(Arc<RegexSet>),
}

impl Patterns {
    pub(crate) fn matches(&self, line: &str) -> bool {
        match self {
            Self::Compiled(list) => {
                let first = line.as_bytes().first();
                list.patterns().iter().any(|pattern| {
                    // Most patterns begin with text: one byte rules them out.
                    if let (true, Some(Op::Text(text))) = (pattern.start, pattern.ops.first())
                        && text.as_bytes().first() != first
                    {
                        return false;
                    }
                    pattern.matches(line)
                })
            }
            Self::User(set) => set.is_match(line),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Compiled(list) => list.is_empty(),
            Self::User(set) => set.is_empty(),
        }
    }
}

/// One thing a rule does. What each means stands with [`crate::rule_file::SetStep`] and [`Shape`].
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Drop(Patterns),
    DropOutside { noise: Patterns, from: Patterns, until: Patterns },
    Fold { lines: Patterns, shown: usize },
    Section { from: Patterns, until: Patterns },
    Keep(Patterns),
    Truncate { most: usize, head: usize, tail: usize },
    Annotated { noise: Patterns, summary: Patterns, most: usize, head: usize, tail: usize },
    Group { location: Regex, rule: Regex },
    Dedup { normalize: Arc<[(Regex, String)]>, most: usize },
    Shape(Shape),
}
