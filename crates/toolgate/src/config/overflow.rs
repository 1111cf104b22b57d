//! The section `[tools.overflow]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Output that is too long to be shown, and the files it is kept in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct OverflowSection {
    /// Characters of an output that are shown; of a longer one, both ends are, and all of it is kept.
    #[schemars(range(min = 200, max = 10_000_000), extend("x-project" = "free"))]
    pub threshold: u64,
    /// Days an output is kept.
    #[schemars(range(max = 36_500), extend("x-project" = "never"))]
    pub retention_days: u64,
    /// The directory of the files, absolute or beginning with `~/`; where empty, one in the state directory.
    #[schemars(extend("x-project" = "never"))]
    pub dir: PathBuf,
    /// Whether outputs are kept at all; where not, only both ends are ever seen.
    #[schemars(extend("x-project" = "off"))]
    pub persist: bool,
    /// Bytes that are kept of one output; of a longer one the middle is not.
    #[schemars(range(min = 65_536), extend("x-project" = "lower"))]
    pub max_output_bytes: u64,
    /// Bytes that all outputs may take; beyond it the oldest go.
    #[schemars(extend("x-project" = "never"))]
    pub quota_bytes: u64,
    /// Bytes that stay free on the disk, but no more than a twentieth of it.
    #[schemars(extend("x-project" = "never"))]
    pub reserve_bytes: u64,
}

impl Default for OverflowSection {
    fn default() -> Self {
        Self {
            threshold: 50_000,
            retention_days: 7,
            dir: PathBuf::new(),
            persist: true,
            max_output_bytes: 64 << 20,
            quota_bytes: 2 << 30,
            reserve_bytes: 256 << 20,
        }
    }
}

impl OverflowSection {
    /// What a schema can't say: the key, the list entry it is about, and what is wrong.
    pub(super) fn problems(&self) -> Vec<(&'static str, usize, String)> {
        place("tools.overflow.dir", &self.dir).into_iter().collect()
    }

    /// The settings of the store, with its directory: the one named here, or else `state`.
    #[must_use]
    pub fn settings(
        &self,
        home: Option<&std::path::Path>,
        state: PathBuf,
    ) -> crate::overflow::OverflowConfig {
        use crate::overflow::{OverflowConfig, Persist};
        OverflowConfig {
            threshold: usize::try_from(self.threshold).unwrap_or(usize::MAX),
            retention_days: self.retention_days,
            dir: Some(below_home(&self.dir, home).unwrap_or(state)),
            max_output_bytes: self.max_output_bytes,
            quota_bytes: self.quota_bytes,
            reserve_bytes: self.reserve_bytes,
            persist: if self.persist { Persist::Long } else { Persist::Never },
        }
    }
}

/// Why a directory that only the user may name is none.
pub(super) fn place(key: &'static str, path: &std::path::Path) -> Option<(&'static str, usize, String)> {
    let fine = path.as_os_str().is_empty() || path.is_absolute() || path.starts_with("~");
    (!fine).then(|| (key, 0, "it must be absolute, or begin with `~/`".to_owned()))
}

/// A directory that only the user may name; `None` where it is not named, or below a home that nobody knows.
pub(super) fn below_home(path: &std::path::Path, home: Option<&std::path::Path>) -> Option<PathBuf> {
    match path.strip_prefix("~") {
        Ok(rest) => Some(home?.join(rest)),
        Err(_) => (!path.as_os_str().is_empty()).then(|| path.to_owned()),
    }
}
