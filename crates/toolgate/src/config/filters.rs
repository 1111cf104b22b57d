//! The section `[tools.filters]`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::overflow::{below_home, place};

/// How output is made shorter before a model reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct FiltersSection {
    /// Whether it is made shorter at all. Secrets are masked in any case.
    #[schemars(extend("x-project" = "free"))]
    pub enabled: bool,
    /// The directory with the user's `filters.toml`, absolute or beginning with `~/`; where empty, that of
    /// the user's configuration.
    #[schemars(extend("x-project" = "never"))]
    pub filters_path: PathBuf,
    /// Lines that are shown whatever a rule says.
    pub security: SecuritySection,
}

/// Lines that are shown whatever a rule says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SecuritySection {
    /// Regular expressions; a line that matches one is always shown, besides those that always are.
    #[schemars(inner(length(min = 1)), extend("x-project" = "add"))]
    pub extra_patterns: Vec<String>,
}

impl Default for FiltersSection {
    fn default() -> Self {
        Self { enabled: true, filters_path: PathBuf::new(), security: SecuritySection::default() }
    }
}

impl FiltersSection {
    /// What a schema can't say: the key, the list entry it is about, and what is wrong.
    pub(super) fn problems(&self) -> Vec<(&'static str, usize, String)> {
        let patterns = self.security.extra_patterns.iter().enumerate().filter_map(|(at, pattern)| {
            let error = toolgate_filter::always_show(std::slice::from_ref(pattern)).err()?;
            let why =
                std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            Some(("tools.filters.security.extra_patterns", at, why))
        });
        patterns.chain(place("tools.filters.filters_path", &self.filters_path)).collect()
    }

    /// The user's directory of filters, where the configuration names one.
    #[must_use]
    pub fn dir(&self, home: Option<&Path>) -> Option<PathBuf> {
        below_home(&self.filters_path, home)
    }
}
