//! Judges by how much the user leaves to the agent.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use toolgate_exec::{Gate, Reason, Session, ToolCall, ToolDef, Verdict};

/// How much the user leaves to the agent.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AutonomyLevel {
    /// Tools that only read.
    #[serde(alias = "readonly")]
    ReadOnly,
    /// Policy decides, and a person answers its questions.
    #[default]
    Supervised,
    /// Policy's questions count as answered. Its refusals, the block list and hard rules hold.
    Full,
}

impl AutonomyLevel {
    /// All levels, least first.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::Supervised, Self::Full];

    /// The kebab-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Supervised => "supervised",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for AutonomyLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names no autonomy level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no autonomy level: expected read-only, supervised or full")]
pub struct ParseAutonomyError(String);

impl FromStr for AutonomyLevel {
    type Err = ParseAutonomyError;

    fn from_str(text: &str) -> Result<Self, ParseAutonomyError> {
        let plain = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        if plain == "readonly" {
            return Ok(Self::ReadOnly);
        }
        Self::ALL.into_iter().find(|l| l.as_str() == plain).ok_or_else(|| ParseAutonomyError(text.to_owned()))
    }
}

/// Refuses tools that can change anything where autonomy is read-only.
///
/// What `Supervised` and `Full` mean for a question is the permission gate's business: no gate
/// can make another's verdict laxer.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutonomyGate(pub AutonomyLevel);

impl Gate for AutonomyGate {
    fn name(&self) -> &'static str {
        "autonomy"
    }

    fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
        if self.0 != AutonomyLevel::ReadOnly || call.capabilities().is_read_only() {
            return Verdict::Allow;
        }
        Verdict::deny(
            Reason::new(
                "autonomy-read-only",
                format!("autonomy is read-only, and `{}` can change things", call.tool_id),
            )
            .hint("use a tool that only reads, or have the user raise the autonomy"),
        )
    }

    fn shows(&self, def: &ToolDef, _: &Session) -> bool {
        self.0 != AutonomyLevel::ReadOnly || def.capabilities.is_read_only()
    }
}
