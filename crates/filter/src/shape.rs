//! The shapes of output that steps know by themselves: their one list, for rules and for the engine.
//!
//! Also included by the build script, so it knows nothing of the rest of the crate. What builds the
//! step stands in `stage/mod.rs`.

use serde::Deserialize;

/// A step that takes no settings; a rule names it by its name in lower case: `"git_status"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    /// Adds up the results of several test programs.
    TestSummary,
    /// `git status` without its advice.
    GitStatus,
    /// A diff without bookkeeping; runs of like changes folded.
    GitDiff,
    /// `git log` with short names.
    GitLog,
    /// Counts log lines of a known shape; trouble stays.
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
    /// Shows what the tests wrote in `go test -json`.
    GoJson,
    /// Takes job, step and time off the lines of a CI log.
    CiLog,
    /// Writes the file once for lines that begin `file:line:`.
    ByFile,
    /// Folds listings of machine-named files.
    Listing,
    /// Folds kernel threads and shortens command lines of a process table.
    Processes,
}
