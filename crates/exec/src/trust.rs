//! How far the source of a request is trusted.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The trust in the skill or text that a call comes from, from most to least.
///
/// Ordered by severity: `Trusted < Verified < Quarantined < Blocked`, so the greater of two
/// levels is the stricter one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SkillTrustLevel {
    /// Written or vouched for by the user; policy decides.
    Trusted,
    /// Checked by someone the user relies on; policy decides.
    Verified,
    /// Of unknown origin: nothing that executes, writes, deletes or leaves the machine.
    #[default]
    Quarantined,
    /// Known bad or withdrawn: nothing at all.
    Blocked,
}

/// The older name of [`SkillTrustLevel`].
pub type TrustLevel = SkillTrustLevel;

impl SkillTrustLevel {
    /// All levels, most trusted first.
    pub const ALL: [Self; 4] = [Self::Trusted, Self::Verified, Self::Quarantined, Self::Blocked];

    /// 0 for the most trusted, 3 for blocked.
    pub fn severity(self) -> u8 {
        self as u8
    }

    /// The stricter of the two.
    ///
    /// ```
    /// use toolgate_exec::SkillTrustLevel::{Quarantined, Trusted};
    /// assert_eq!(Trusted.min_trust(Quarantined), Quarantined);
    /// ```
    #[must_use]
    pub fn min_trust(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether anything may be used at this level.
    pub fn is_active(self) -> bool {
        self != Self::Blocked
    }

    /// The lower-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Verified => "verified",
            Self::Quarantined => "quarantined",
            Self::Blocked => "blocked",
        }
    }
}

impl fmt::Display for SkillTrustLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names no trust level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no trust level: expected trusted, verified, quarantined or blocked")]
pub struct ParseTrustError(String);

impl FromStr for SkillTrustLevel {
    type Err = ParseTrustError;

    fn from_str(text: &str) -> Result<Self, ParseTrustError> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| ParseTrustError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SkillTrustLevel::{Blocked, Quarantined, Trusted, Verified};

    #[test]
    fn the_stricter_level_wins_from_both_sides() {
        for a in SkillTrustLevel::ALL {
            for b in SkillTrustLevel::ALL {
                assert_eq!(a.min_trust(b), b.min_trust(a));
                assert_eq!(a.min_trust(b).severity(), a.severity().max(b.severity()));
            }
        }
        assert_eq!([Trusted, Verified, Quarantined, Blocked].map(SkillTrustLevel::severity), [0, 1, 2, 3]);
    }

    #[test]
    fn names_round_trip_and_the_default_is_strict() {
        for level in SkillTrustLevel::ALL {
            assert_eq!(level.to_string().parse::<SkillTrustLevel>(), Ok(level));
            assert_eq!(serde_json::to_string(&level).unwrap(), format!("\"{level}\""));
        }
        assert_eq!(SkillTrustLevel::default(), Quarantined);
        assert!("trustworthy".parse::<SkillTrustLevel>().is_err());
    }
}
