//! The forms of `output`, `filter test` and `gain`.

use serde::{Deserialize, Serialize};

use super::ProblemReport;

/// What `output list` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutputsReport {
    /// The outputs that are kept, the newest first.
    pub(crate) outputs: Vec<OutputReport>,
    /// Where they are kept.
    pub(crate) dir: String,
}

/// One output that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutputReport {
    /// Its id.
    pub(crate) id: String,
    /// Its bytes.
    pub(crate) bytes: u64,
    /// When it was last written to, in seconds since 1970.
    pub(crate) changed: u64,
}

/// What `output read` and `output tail` give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WindowReport {
    /// The output's id.
    pub(crate) id: String,
    /// What was asked for.
    pub(crate) text: String,
    /// The first line of it, from 1, where it goes by lines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) from_line: Option<u64>,
    /// How many lines it has, where it goes by lines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) lines: Option<u64>,
    /// The first byte of it, where it goes by bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) offset: Option<u64>,
    /// The byte after its last, where it goes by bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) end: Option<u64>,
    /// Whether more follows.
    pub(crate) more: bool,
    /// Bytes of the whole output.
    pub(crate) total_bytes: u64,
}

/// What `output grep` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FoundReport {
    /// The output's id.
    pub(crate) id: String,
    /// How many lines match.
    pub(crate) total: u64,
    /// Those that are shown.
    pub(crate) matches: Vec<MatchReport>,
}

/// One line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MatchReport {
    /// Its number, from 1.
    pub(crate) line: u64,
    /// The byte at which what was found begins.
    pub(crate) offset: u64,
    /// The line.
    pub(crate) text: String,
    /// Lines before it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) before: Vec<String>,
    /// Lines after it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) after: Vec<String>,
}

/// What `output delete` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeletedReport {
    /// The outputs that were removed.
    pub(crate) removed: Vec<String>,
    /// Those that were not there.
    pub(crate) missing: Vec<String>,
}

/// What `filter test` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RulesReport {
    /// Whether every file is sound and every example holds.
    pub(crate) ok: bool,
    /// The files, in the order in which they count.
    pub(crate) files: Vec<RuleFileReport>,
}

/// One file of filter rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RuleFileReport {
    /// Its path.
    pub(crate) path: String,
    /// Whether its rules are used: a project's are once the user trusts them.
    pub(crate) used: bool,
    /// Its rules.
    pub(crate) rules: Vec<RuleReport>,
    /// What is wrong.
    pub(crate) problems: Vec<ProblemReport>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RuleReport {
    /// Its name.
    pub(crate) name: String,
    /// How many examples it has.
    pub(crate) examples: usize,
    /// How many of them hold.
    pub(crate) hold: usize,
}

/// What `gain` gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GainReport {
    /// All of it.
    pub(crate) total: SavedReport,
    /// By program and subcommand, the most saved first.
    pub(crate) commands: Vec<CommandGainReport>,
    /// By day (UTC), the oldest first.
    pub(crate) days: Vec<DayGainReport>,
}

/// Sums over outputs. Tokens are an estimate, at four characters a token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedReport {
    /// Outputs.
    pub(crate) outputs: u64,
    /// Tokens that came in.
    pub(crate) raw_tokens: u64,
    /// Tokens that were shown.
    pub(crate) shown_tokens: u64,
    /// Tokens that were saved.
    pub(crate) saved_tokens: u64,
    /// The share that was saved.
    pub(crate) saved_percent: f64,
}

/// What was saved of one program's output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CommandGainReport {
    /// Program and subcommand.
    pub(crate) command: String,
    /// What was saved.
    #[serde(flatten)]
    pub(crate) saved: SavedReport,
}

/// What was saved on one day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DayGainReport {
    /// The day, as in 2026-11-30.
    pub(crate) day: String,
    /// What was saved.
    #[serde(flatten)]
    pub(crate) saved: SavedReport,
}

#[cfg(test)]
mod tests {
    use super::super::PlaceReport;
    use super::super::tests::round_trip;
    use super::*;

    #[test]
    fn every_form_comes_back_as_it_was() {
        let output = OutputReport { id: "i".into(), bytes: 1, changed: 2 };
        round_trip(OutputsReport { outputs: vec![output], dir: "/d".into() });
        round_trip(WindowReport {
            id: "i".into(),
            text: "a\nb".into(),
            from_line: Some(1),
            lines: Some(2),
            offset: None,
            end: None,
            more: true,
            total_bytes: 9,
        });
        let found =
            MatchReport { line: 1, offset: 2, text: "t".into(), before: vec!["b".into()], after: vec![] };
        round_trip(FoundReport { id: "i".into(), total: 1, matches: vec![found] });
        round_trip(DeletedReport { removed: vec!["i".into()], missing: vec![] });
        let place = PlaceReport { file: "f".into(), line: 1, column: 1 };
        let problem = ProblemReport { message: "m".into(), place, hint: None };
        let rule = RuleReport { name: "r".into(), examples: 2, hold: 1 };
        let file =
            RuleFileReport { path: "/p".into(), used: true, rules: vec![rule], problems: vec![problem] };
        round_trip(RulesReport { ok: false, files: vec![file] });
        let saved =
            SavedReport { outputs: 1, raw_tokens: 8, shown_tokens: 2, saved_tokens: 6, saved_percent: 75.0 };
        round_trip(GainReport {
            total: saved.clone(),
            commands: vec![CommandGainReport { command: "cargo test".into(), saved: saved.clone() }],
            days: vec![DayGainReport { day: "2026-11-30".into(), saved }],
        });
    }
}
