//! How a rule is written: the TOML of `rules/<name>/rule.toml` and of a user's `filters.toml`.
//!
//! Also included by the build script, so it knows nothing of the rest of the crate.

use crate::shape::Shape;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// One text or a list of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(crate) fn list(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl Default for OneOrMany {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

/// Which commands a rule is for, judged on their arguments.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchDef {
    /// Names of the program, without its folder.
    pub(crate) program: OneOrMany,
    /// First argument that is not an option; none given: any.
    #[serde(default)]
    pub(crate) subcommand: OneOrMany,
    /// At least one of these arguments is there.
    #[serde(default)]
    pub(crate) with: OneOrMany,
    /// None of these arguments is there.
    #[serde(default)]
    pub(crate) without: OneOrMany,
}

/// One or several [`MatchDef`].
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Matches {
    One(MatchDef),
    Many(Vec<MatchDef>),
}

impl Matches {
    pub(crate) fn list(&self) -> &[MatchDef] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// What a rule does with the lines, step by step: the name of a shape, or a table of settings.
#[derive(Debug, Clone)]
pub(crate) enum StepDef {
    Shape(Shape),
    Set(SetStep),
}

impl<'de> Deserialize<'de> for StepDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;

        impl<'de> Visitor<'de> for NameOrTable {
            type Value = StepDef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a step, or a table that sets one up")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<StepDef, E> {
                Shape::deserialize(name.into_deserializer()).map(StepDef::Shape)
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<StepDef, A::Error> {
                SetStep::deserialize(MapAccessDeserializer::new(table)).map(StepDef::Set)
            }
        }

        deserializer.deserialize_any(NameOrTable)
    }
}

/// A step that is told what to do.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum SetStep {
    /// Leaves out lines that say nothing (progress, passing tests).
    DropLines(OneOrMany),
    /// The same, but not inside blocks: what a failing test printed may look like anything.
    DropOutside { lines: OneOrMany, from: OneOrMany, until: OneOrMany },
    /// The same, under the name other tools give it.
    StripNoise(OneOrMany),
    /// Shows the first and the last of neighbouring lines of a kind, and how many there were.
    FoldLines(OneOrMany),
    /// The same for a list of names: so many of them are shown before any is left out.
    FoldList { lines: OneOrMany, shown: usize },
    /// Leaves out blocks of lines, from one pattern up to and without the other.
    DropSection { from: OneOrMany, until: OneOrMany },
    /// Keeps these lines (and every line the engine guards).
    KeepMatching(OneOrMany),
    /// Shows the head and the tail when there are more lines than this.
    Truncate {
        max_lines: usize,
        #[serde(default = "twenty")]
        head: usize,
        #[serde(default = "twenty")]
        tail: usize,
    },
    /// Leaves out marked lines, shows the summary, and cuts what is still long.
    StripAnnotated {
        patterns: OneOrMany,
        #[serde(default)]
        summary_pattern: Option<String>,
        #[serde(default = "thirty")]
        long_output_threshold: usize,
        #[serde(default = "ten")]
        keep_head: usize,
        #[serde(default = "five")]
        keep_tail: usize,
    },
    /// Groups warnings by the rule that gave them.
    GroupByRule { location_pattern: String, rule_pattern: String },
    /// Counts lines that differ in numbers, times and addresses alone.
    Dedup {
        #[serde(default)]
        normalize_patterns: Vec<Normalize>,
        #[serde(default = "ten_thousand")]
        max_unique_patterns: usize,
    },
}

/// A replacement that makes lines alike.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the build script refuses it in built-in rules")]
pub(crate) struct Normalize {
    pub(crate) pattern: String,
    pub(crate) replacement: String,
}

fn five() -> usize {
    5
}

fn ten() -> usize {
    10
}

fn twenty() -> usize {
    20
}

fn thirty() -> usize {
    30
}

fn ten_thousand() -> usize {
    10_000
}
