//! What a call gives back.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::enforcement::Enforcement;
use crate::stats::FilterStats;

/// What a call gives back to the agent.
///
/// Start from [`ToolOutput::new`] and add to it; more fields may come.
///
/// ```
/// use toolgate_exec::{ExitStatus, ToolOutput};
/// let out = ToolOutput::new("bash", "hi").with_exit(ExitStatus::Code(0));
/// assert_eq!(out.to_string(), "hi");
/// assert!(out.success());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The tool's id.
    pub tool_name: String,
    /// The text for the model.
    pub summary: String,
    /// How many calls it stands for: 1, or more where a text held several.
    pub blocks_executed: u32,
    /// The result as data, in the shape of the tool's output schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// How the process ended; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitStatus>,
    /// What was really enforced around the process; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Enforcement>,
    /// What was cut from the output; absent where all of it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    /// Where the whole of it is kept; absent where all of it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<StoredOutput>,
    /// What an output filter saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_stats: Option<FilterStats>,
    /// What an edit changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<DiffData>,
    /// Whether its chunks also went out as events.
    pub streamed: bool,
    /// What earlier tries of the same call failed with, where it was tried again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<String>,
    /// The terminal it ran in, where a client owns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_id: Option<String>,
    /// Files it is about, for clients that follow along.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<PathBuf>,
    /// Pictures and other media.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
    /// Resources to read on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ResourceLink>,
}

impl ToolOutput {
    /// The output of one call.
    pub fn new(tool_name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { tool_name: tool_name.into(), summary: summary.into(), blocks_executed: 1, ..Self::default() }
    }

    /// Adds the result as data.
    #[must_use]
    pub fn with_structured(mut self, value: Value) -> Self {
        self.structured = Some(value);
        self
    }

    /// Adds how the process ended.
    #[must_use]
    pub fn with_exit(mut self, exit: ExitStatus) -> Self {
        self.exit = Some(exit);
        self
    }

    /// Adds what was really enforced.
    #[must_use]
    pub fn with_enforcement(mut self, enforcement: Enforcement) -> Self {
        self.enforcement = Some(enforcement);
        self
    }

    /// Adds what was cut.
    #[must_use]
    pub fn with_truncation(mut self, truncation: Option<Truncation>) -> Self {
        self.truncation = truncation;
        self
    }

    /// Adds what an edit changed.
    #[must_use]
    pub fn with_diff(mut self, diff: DiffData) -> Self {
        self.diff = Some(diff);
        self
    }

    /// Whether it succeeded: decided by the exit status alone, never by text.
    pub fn success(&self) -> bool {
        self.exit.is_none_or(|exit| exit.success())
    }

    /// Lets `change` rewrite every text that is shown, stored or recorded: what masks secrets goes
    /// through here. Pictures and the tool's own names are no text.
    pub fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        // Taken apart by name, so that a new field has to be thought about.
        let Self {
            tool_name: _,
            summary,
            blocks_executed: _,
            structured,
            exit: _,
            truncation: _,
            enforcement: _,
            stored,
            filter_stats,
            diff,
            streamed: _,
            retries,
            terminal_id: _,
            locations,
            media: _,
            links,
        } = self;
        change(summary);
        if let Some(value) = structured {
            each_text_of_json(value, change);
        }
        if let Some(error) = stored.as_mut().and_then(|stored| stored.error.as_mut()) {
            change(error);
        }
        if let Some(command) = filter_stats.as_mut().and_then(|stats| stats.command.as_mut()) {
            change(command);
        }
        if let Some(DiffData { file_path, old_content, new_content }) = diff {
            [file_path, old_content, new_content].into_iter().for_each(&mut *change);
        }
        retries.iter_mut().for_each(&mut *change);
        locations.iter_mut().for_each(|path| each_text_of_path(path, change));
        for ResourceLink { uri, name, mime_type: _ } in links {
            change(uri);
            change(name);
        }
    }

    /// Joins the output of the next call of one text to this one.
    pub(crate) fn append(&mut self, next: Self) {
        self.summary.push_str("\n\n");
        self.summary.push_str(&next.summary);
        self.blocks_executed += next.blocks_executed;
        // The text as a whole succeeded only if each call did: the first failure is kept.
        if self.success() {
            self.exit = next.exit.or(self.exit);
        }
        if self.tool_name != next.tool_name {
            self.tool_name.push_str(", ");
            self.tool_name.push_str(&next.tool_name);
        }
        self.enforcement = match (self.enforcement.take(), next.enforcement) {
            (Some(a), Some(b)) => Some(a.weakest(b)),
            (a, b) => a.or(b),
        };
        self.truncation = match (self.truncation.take(), next.truncation) {
            (Some(a), Some(b)) => Some(a.plus(b)),
            (a, b) => a.or(b),
        };
        self.stored = self.stored.take().or(next.stored);
        match (&mut self.filter_stats, next.filter_stats) {
            (Some(mine), Some(theirs)) => mine.absorb(&theirs),
            (mine @ None, theirs) => *mine = theirs,
            (Some(_), None) => {}
        }
        self.structured = match (self.structured.take(), next.structured) {
            (Some(Value::Array(mut all)), Some(b)) => {
                all.push(b);
                Some(Value::Array(all))
            }
            (Some(a), Some(b)) => Some(Value::Array(vec![a, b])),
            (a, b) => a.or(b),
        };
        self.diff = self.diff.take().or(next.diff);
        self.streamed |= next.streamed;
        self.retries.extend(next.retries);
        self.terminal_id = self.terminal_id.take().or(next.terminal_id);
        self.locations.extend(next.locations);
        self.media.extend(next.media);
        self.links.extend(next.links);
    }
}

impl fmt::Display for ToolOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

/// Lets `change` rewrite every text of a JSON value, names of fields included.
fn each_text_of_json(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text_of_json(item, change)),
        Value::Object(fields) => {
            for (mut name, mut value) in std::mem::take(fields) {
                change(&mut name);
                each_text_of_json(&mut value, change);
                fields.insert(name, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The same for a path, where it is text.
pub(crate) fn each_text_of_path(path: &mut PathBuf, change: &mut dyn FnMut(&mut String)) {
    if let Some(mut text) = path.to_str().map(str::to_owned) {
        change(&mut text);
        if path.to_str() != Some(&text) {
            *path = text.into();
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExitStatus {
    /// It exited with this status, 0 to 255.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl ExitStatus {
    /// Whether it exited with 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    /// The status as a shell reports it: 128 plus the signal's number for a signal (POSIX XCU 2.8.2).
    pub fn shell_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit status {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
        }
    }
}

/// What was cut from an output, in bytes and lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// All bytes the call wrote.
    pub total_bytes: u64,
    /// Bytes that are not in the output.
    pub dropped_bytes: u64,
    /// Line ends among the bytes that are not in the output.
    pub dropped_lines: u64,
}

impl Truncation {
    fn plus(self, other: Self) -> Self {
        Self {
            total_bytes: self.total_bytes + other.total_bytes,
            dropped_bytes: self.dropped_bytes + other.dropped_bytes,
            dropped_lines: self.dropped_lines + other.dropped_lines,
        }
    }
}

/// The whole of an output, kept where it can be read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredOutput {
    /// The id to read it by; absent where it could not be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// All bytes of it.
    pub bytes: u64,
    /// All lines of it; a last line without an end counts.
    pub lines: u64,
    /// Bytes that were not kept, because there were too many or the disk is full.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing_bytes: u64,
    /// Why not all of it could be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How to read on: the call or command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
}

impl StoredOutput {
    /// What is missing of it and why, as a notice tells it; `None` where nothing is.
    pub fn not_kept(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        Some(match self.id {
            Some(_) => format!("{} bytes of it not kept: {error}", self.missing_bytes),
            None => format!("not kept: {error}"),
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What an edit changed in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffData {
    /// The file, as the call named it.
    pub file_path: String,
    /// Its text before; empty where it did not exist.
    pub old_content: String,
    /// Its text after.
    pub new_content: String,
}

/// A picture, sound or other media.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// Its media type (RFC 6838), such as `image/png`.
    pub mime_type: String,
    /// Its bytes in base64 (RFC 4648 section 4).
    pub data: String,
}

/// A resource to read on, by URI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLink {
    /// Where it is (RFC 3986).
    pub uri: String,
    /// What to call it.
    pub name: String,
    /// Its media type, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mime_type: Option<String>,
}
