//! The section `[tools]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shell::ShellConfig;

/// The tools an agent is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ToolsConfig {
    /// Whether an agent is given tools at all.
    #[schemars(extend("x-project" = "off"))]
    pub enabled: bool,
    /// Whether long output may be summarised before a model reads it.
    #[schemars(extend("x-project" = "free"))]
    pub summarize_output: bool,
    /// The shell tool, `bash`.
    pub shell: ShellConfig,
}

impl Default for ToolsConfig {
    fn default() -> Self {
        Self { enabled: true, summarize_output: true, shell: ShellConfig::default() }
    }
}

impl ToolsConfig {
    /// What a schema can't say: the key, the list entry it is about, and what is wrong.
    pub(super) fn problems(&self) -> Vec<(&'static str, usize, String)> {
        self.shell.problems()
    }
}
