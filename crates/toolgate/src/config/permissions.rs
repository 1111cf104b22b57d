//! The section `[tools.permissions]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_policy::permissions::{PatternError, PermissionPolicy, PermissionRule};
use toolgate_policy::profile::Verdict;

/// Lists of patterns by the tool they are about.
pub type PermissionsConfig = BTreeMap<String, Vec<PermissionEntry>>;

/// A pattern with what it decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionEntry {
    /// A glob over the words of a command, or over a path, URL or query: `*`, `?`, `[a-z]`. `*` crosses slashes.
    pub pattern: String,
    /// What it decides.
    pub action: Action,
}

/// What a rule or an entry decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It may happen.
    Allow,
    /// A person is asked.
    Ask,
    /// It may not happen.
    Deny,
}

impl From<Action> for Verdict {
    fn from(action: Action) -> Self {
        match action {
            Action::Allow => Verdict::Allow,
            Action::Ask => Verdict::Ask,
            Action::Deny => Verdict::Deny,
        }
    }
}

/// The lists of one layer.
pub(super) fn lists(config: &PermissionsConfig) -> Result<PermissionPolicy, PatternError> {
    let rule = |entry: &PermissionEntry| PermissionRule {
        pattern: entry.pattern.clone(),
        action: entry.action.into(),
    };
    let tools = config.iter().map(|(tool, list)| (tool.clone(), list.iter().map(rule).collect()));
    PermissionPolicy::new(tools.collect())
}

/// Entries that can't be read: where they stand, and what is wrong.
pub(super) fn problems(config: &PermissionsConfig) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (tool, list) in config {
        for (at, entry) in list.iter().enumerate() {
            let alone = PermissionsConfig::from([(tool.clone(), vec![entry.clone()])]);
            if let Err(error) = lists(&alone) {
                found.push((format!("tools.permissions.{tool}[{at}].pattern"), error.to_string()));
            }
        }
    }
    found
}
