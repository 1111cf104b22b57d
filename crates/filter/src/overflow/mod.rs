//! Large outputs kept in files, so that whatever is not shown can be had back.
//!
//! [`Store`] is a folder of outputs; [`Spool`] writes one as it streams; the rest reads: by bytes,
//! by lines, by search, from the end. Files are private (0600) in a private folder, their names
//! are random, and only files with such names are ever removed. What is written here was masked
//! before (see [`redact`](crate::redact)).

mod read;
mod spool;
mod store;
mod sweep;

pub use read::{Found, Lines, Match, OutputReader, Piece, ReadError};
pub use spool::{Cut, Spool, SpoolSummary};
pub use store::{OutputId, Store, StoreError};
pub use sweep::{Kept, Swept};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Settings of the store.
///
/// ```
/// use toolgate_filter::overflow::OverflowConfig;
/// let config = OverflowConfig { threshold: 20_000, retention_days: 1, ..Default::default() };
/// assert_eq!(OverflowConfig::default().threshold, 50_000);
/// assert!(config.dir.is_none(), "the state folder of whoever opens the store");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OverflowConfig {
    /// Output longer than this many characters goes to a file.
    pub threshold: usize,
    /// Files older than this many days are removed.
    pub retention_days: u64,
    /// Folder of the files; the state folder where none is named.
    pub dir: Option<PathBuf>,
    /// Most bytes of one output that are kept; its head stays and its end.
    pub max_output_bytes: u64,
    /// Most bytes of all outputs; the oldest go first.
    pub quota_bytes: u64,
    /// Bytes that must stay free on the disk.
    pub reserve_bytes: u64,
    /// Whether anything is written to a file at all.
    pub persist: Persist,
}

/// Whether outputs are written to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Persist {
    /// When not all of one is shown: it is longer than the threshold, or a filter left something out.
    #[default]
    Long,
    /// Never: head and tail in memory alone.
    Never,
}

impl Default for OverflowConfig {
    fn default() -> Self {
        Self {
            threshold: 50_000,
            retention_days: 7,
            dir: None,
            max_output_bytes: 64 * 1024 * 1024,
            quota_bytes: 2 * 1024 * 1024 * 1024,
            reserve_bytes: 256 * 1024 * 1024,
            persist: Persist::Long,
        }
    }
}

/// Saves a text that is longer than the threshold; gives the name of its file.
///
/// The older, simpler door to the store: `None` where the text is short, nothing may be written,
/// or writing failed.
///
/// ```
/// # let dir = std::env::temp_dir().join(format!("toolgate-doc-{}", std::process::id()));
/// use toolgate_filter::overflow::{OverflowConfig, save_overflow};
/// let config = OverflowConfig { dir: Some(dir.clone()), ..Default::default() };
/// assert!(save_overflow("short", &config).is_none());
/// let name = save_overflow(&"x".repeat(50_001), &config).unwrap();
/// assert!(name.ends_with(".txt") && !name.contains('/'));
/// # std::fs::remove_dir_all(dir).unwrap();
/// ```
#[must_use]
pub fn save_overflow(text: &str, config: &OverflowConfig) -> Option<String> {
    if text.chars().count() <= config.threshold || config.persist == Persist::Never {
        return None;
    }
    let store = Store::open(config).ok()?;
    let mut spool = store.create().ok()?;
    spool.write(text.as_bytes());
    let summary = spool.finish();
    match summary.cut {
        Cut::Storage { .. } => {
            let _ = store.delete(&summary.id);
            None
        }
        Cut::None | Cut::Size { .. } => Some(summary.id.file_name()),
    }
}

/// Removes files that are older than the settings allow; gives how many.
///
/// Only files that the store itself wrote are ever removed.
///
/// ```
/// # let dir = std::env::temp_dir().join(format!("toolgate-doc-sweep-{}", std::process::id()));
/// use toolgate_filter::overflow::{OverflowConfig, cleanup_overflow_files, save_overflow};
/// let config = OverflowConfig { dir: Some(dir.clone()), threshold: 3, ..Default::default() };
/// save_overflow("a new output", &config).unwrap();
/// let swept = cleanup_overflow_files(&config).unwrap();
/// assert_eq!(swept.removed, 0, "it is not old yet");
/// # std::fs::remove_dir_all(dir).unwrap();
/// ```
///
/// # Errors
/// When the folder cannot be opened.
pub fn cleanup_overflow_files(config: &OverflowConfig) -> Result<Swept, StoreError> {
    Store::open(config)?.sweep(std::time::SystemTime::now())
}

#[cfg(test)]
mod tests;
