//! How much a user leaves to an agent.

use std::fmt;
use std::str::FromStr;

/// How much the user leaves to the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum AutonomyLevel {
    /// Tools that only read.
    #[cfg_attr(feature = "serde", serde(alias = "readonly"))]
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
    #[must_use]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseAutonomyError(String);

impl fmt::Display for ParseAutonomyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no autonomy level: expected read-only, supervised or full", self.0)
    }
}

impl std::error::Error for ParseAutonomyError {}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_read_as_it_is_written() {
        for level in AutonomyLevel::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert_eq!("ReadOnly".parse(), Ok(AutonomyLevel::ReadOnly));
        assert_eq!("read_only".parse(), Ok(AutonomyLevel::ReadOnly));
        assert!("none".parse::<AutonomyLevel>().is_err());
    }
}
