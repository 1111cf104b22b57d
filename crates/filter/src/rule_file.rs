//! How a rule is written: the TOML of `rules/<name>/rule.toml` and of a user's `filters.toml`.
//!
//! Also included by the build script, so it knows nothing of the rest of the crate.

use serde::Deserialize;

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

/// What a rule does with the lines, step by step.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum StepDef {
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
    /// Adds up the results of several test programs.
    TestSummary,
    /// Groups warnings by the rule that gave them.
    GroupByRule { location_pattern: String, rule_pattern: String },
    /// `git status` without its advice.
    GitStatus,
    /// A diff without bookkeeping; runs of like changes folded.
    GitDiff,
    /// `git log` with short names.
    GitLog,
    /// Counts lines that differ in numbers, times and addresses alone.
    Dedup {
        #[serde(default)]
        normalize_patterns: Vec<Normalize>,
        #[serde(default = "ten_thousand")]
        max_unique_patterns: usize,
    },
    /// The same for logs: lines of a known shape are counted, trouble stays.
    Log,
    /// Shows repeated compiler and linter messages once, with every place.
    Diagnostics,
    /// Folds stack frames of libraries.
    Frames,
    /// Folds neighbouring lines that count something up.
    Runs,
    /// Shows rows of JSON lists once, and each that differs.
    Json,
    /// Shows what the compiler said in `--message-format json`.
    CargoJson,
    /// Takes job, step and time off the lines of a CI log.
    CiLog,
    /// Writes the file once for lines that begin `file:line:`.
    ByFile,
    /// Folds listings of machine-named files.
    Listing,
    /// Folds kernel threads and shortens command lines of a process table.
    Processes,
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
