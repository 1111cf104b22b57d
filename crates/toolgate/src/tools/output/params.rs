//! What the tools for stored outputs take.

use schemars::JsonSchema;
use serde::Deserialize;

/// The parameters of `output_read`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadParams {
    /// The id of the output.
    pub id: String,
    /// The first line to give; lines count from 1. Default 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub from_line: Option<u64>,
    /// How many lines to give. Default 200.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub lines: Option<u64>,
    /// Go by bytes, from this one on, which counts from 0: for lines that are too long to go by.
    #[serde(default)]
    pub offset: Option<u64>,
    /// How many bytes to give. Default 8000.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub length: Option<u64>,
}

/// The parameters of `output_grep`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepParams {
    /// The id of the output.
    pub id: String,
    /// The regular expression to look for, in Rust's syntax; `(?i)` at its start ignores case.
    pub pattern: String,
    /// Lines to give before and after each, at most 20. Default 0.
    #[serde(default)]
    #[schemars(range(max = 20))]
    pub context: Option<usize>,
    /// How many matches to give. All are counted. Default 50.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
}

/// The parameters of `output_tail`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TailParams {
    /// The id of the output.
    pub id: String,
    /// How many lines to give. Default 50.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub lines: Option<u64>,
}

/// The parameters of `output_delete`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteParams {
    /// The id of the output.
    pub id: String,
}
