//! What was really enforced around a command.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much of an operating-system boundary really held around a command.
///
/// Never what was asked for: whoever reads a result or a record later can tell what the command could
/// not have done.
///
/// ```
/// use toolgate_exec::{Enforcement, EnforcementLevel};
/// let held = Enforcement::new(EnforcementLevel::Full, ["process-limit"]);
/// assert_eq!(held.to_string(), "full, without process-limit");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Enforcement {
    /// How much of the boundary held.
    pub level: EnforcementLevel,
    /// What was asked for and did not hold, by name, the most important first.
    pub missing: Vec<String>,
}

/// How much of a boundary held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EnforcementLevel {
    /// Nothing: the command had the rights of whoever ran it.
    #[default]
    None,
    /// Rules for files and the network; nothing was private or out of sight.
    Landlock,
    /// All but a process list of its own.
    FullNoProc,
    /// All of it.
    Full,
}

impl EnforcementLevel {
    /// A stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::FullNoProc => "full-no-proc",
            Self::Full => "full",
        }
    }
}

impl Enforcement {
    /// What held, and by name what did not.
    pub fn new<S: Into<String>>(level: EnforcementLevel, missing: impl IntoIterator<Item = S>) -> Self {
        Self { level, missing: missing.into_iter().map(Into::into).collect() }
    }

    /// No boundary at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// What held around both of two commands.
    pub(crate) fn weakest(mut self, other: Self) -> Self {
        self.level = self.level.min(other.level);
        for name in other.missing {
            if !self.missing.contains(&name) {
                self.missing.push(name);
            }
        }
        self
    }
}

impl fmt::Display for EnforcementLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.missing.as_slice() {
            [] => self.level.fmt(f),
            missing => write!(f, "{}, without {}", self.level, missing.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_commands_are_told_as_the_weaker_one() {
        let full = Enforcement::new(EnforcementLevel::Full, ["a"]);
        let less = Enforcement::new(EnforcementLevel::Landlock, ["b", "a"]);
        let both = Enforcement::new(EnforcementLevel::Landlock, ["a", "b"]);
        assert_eq!(full.weakest(less), both);
    }

    #[test]
    fn records_say_it_in_plain_names() {
        let held = Enforcement::new(EnforcementLevel::FullNoProc, ["fresh-proc"]);
        let json = serde_json::to_string(&held).unwrap();
        assert_eq!(json, r#"{"level":"full-no-proc","missing":["fresh-proc"]}"#);
        assert_eq!(serde_json::from_str::<Enforcement>(&json).unwrap(), held);
    }
}
