//! The section `[tools]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filters::FiltersSection;
use super::overflow::OverflowSection;
use super::permissions::{self, PermissionsConfig};
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
    /// Lists of patterns per tool: `bash = [{ pattern = "git *", action = "allow" }]`.
    ///
    /// The first entry of a list that fits decides, and what no entry fits is asked about. Patterns are about
    /// the words of each simple command of a script, and about the paths and URLs of other tools. The lists of
    /// each layer stand by themselves, and all of them only tighten.
    #[schemars(extend("x-project" = "each"))]
    pub permissions: PermissionsConfig,
    /// The shell tool, `bash`.
    pub shell: ShellConfig,
    /// How output is made shorter before a model reads it.
    pub filters: FiltersSection,
    /// Output that is too long to be shown.
    pub overflow: OverflowSection,
}

impl Default for ToolsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            summarize_output: true,
            shell: ShellConfig::default(),
            filters: FiltersSection::default(),
            overflow: OverflowSection::default(),
            permissions: PermissionsConfig::default(),
        }
    }
}

impl ToolsConfig {
    /// What a schema can't say: the part it is about, and what is wrong.
    pub(super) fn problems(&self) -> Vec<(String, String)> {
        let entries = [self.shell.problems(), self.filters.problems(), self.overflow.problems()].concat();
        let entries = entries.into_iter().map(|(key, at, why)| (format!("{key}[{at}]"), why));
        entries.chain(permissions::problems(&self.permissions)).collect()
    }
}
