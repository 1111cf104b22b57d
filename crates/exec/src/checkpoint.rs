//! Undo and redo of what calls changed: the contract and its results.

use serde::{Deserialize, Serialize};

use crate::BoxFuture;

/// What undoing is called where it is judged: a tool that writes and deletes.
pub const CHECKPOINT_UNDO: &str = "checkpoint_undo";
/// The same of redoing.
pub const CHECKPOINT_REDO: &str = "checkpoint_redo";

/// What an undo or redo did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointActionResult {
    /// How many commands were undone or redone.
    pub reverted_commands: usize,
    /// How many files were put back.
    pub restored: usize,
    /// How many files were removed.
    pub deleted: usize,
    /// Whether checkpoints exist here at all.
    pub supported: bool,
    /// What happened, in a sentence.
    pub message: String,
}

impl CheckpointActionResult {
    /// The answer of an executor that keeps no checkpoints.
    pub fn unsupported() -> Self {
        Self::default()
    }

    /// The answer of an executor that keeps checkpoints and did nothing.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self { supported: true, message: message.into(), ..Self::default() }
    }
}

/// The checkpoints that can be undone, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointListResult {
    /// One entry per command.
    pub entries: Vec<CheckpointEntryView>,
    /// How many undone commands can be redone.
    pub redo_depth: usize,
    /// Whether checkpoints exist here at all.
    pub supported: bool,
}

/// One checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointEntryView {
    /// 0 for the newest.
    pub index: usize,
    /// The command that changed something.
    pub command: String,
    /// When, in seconds since the Unix epoch.
    pub captured_at_secs: u64,
    /// How many files it changed.
    pub file_count: usize,
}

/// A store that can undo what calls changed.
pub trait Checkpoints: Send + Sync {
    /// Undoes the last `n` commands.
    fn undo(&self, n: usize) -> BoxFuture<'_, CheckpointActionResult>;
    /// Does the last undone command again.
    fn redo(&self) -> BoxFuture<'_, CheckpointActionResult>;
    /// Lists what can be undone.
    fn list(&self) -> BoxFuture<'_, CheckpointListResult>;
}
