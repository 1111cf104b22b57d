//! One grant.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toolgate_policy::effect::Kind;

use super::form::{Form, WordForm};

/// How long and where an answer holds. Not in here is the answer for once, which is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Until the session ends.
    Session,
    /// In one project.
    Project,
    /// Wherever the user works.
    User,
}

impl Scope {
    /// All of them, narrowest first.
    pub const ALL: [Self; 3] = [Self::Session, Self::Project, Self::User];

    /// The lower-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scope of a grant: expected session, project or user")]
pub struct ParseScopeError(String);

impl FromStr for Scope {
    type Err = ParseScopeError;

    fn from_str(text: &str) -> Result<Self, ParseScopeError> {
        Self::ALL.into_iter().find(|s| s.as_str() == text).ok_or_else(|| ParseScopeError(text.to_owned()))
    }
}

/// One thing that a granted command may do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lift {
    /// The kind of effect, by its name: `net send`, `delete`.
    pub effect: String,
    /// On which path or host. Absent where the effect names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<WordForm>,
    /// What is not known, where the effect is `unknown`: another doubt is another question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

impl fmt::Display for Lift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.effect)?;
        if let Some(on) = &self.on {
            write!(f, " {on}")?;
        }
        self.doubt.iter().try_for_each(|doubt| write!(f, " ({doubt})"))
    }
}

/// What a person allowed to be done again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// A name for it, made of what it says.
    pub id: String,
    /// The tool it is for.
    pub tool: String,
    /// Which commands.
    pub form: Form,
    /// What they may do.
    pub lifts: Vec<Lift>,
    /// The directory they must run in or below; anywhere where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// When it was given, in seconds of Unix time.
    pub created: u64,
    /// When it ends.
    pub expires: u64,
}

/// What an effect of this kind is on can be granted. The others change what later commands are, or who
/// runs them, or what guards them.
pub(super) fn is_liftable(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Exec
            | Kind::Env
            | Kind::Persist
            | Kind::Privilege
            | Kind::Secret
            // What is in the file can be changed after it was granted.
            | Kind::Script
            | Kind::Guard
    )
}

impl Grant {
    pub(super) fn new(tool: String, form: Form, lifts: Vec<Lift>, within: Option<String>) -> Self {
        let mut grant = Self { id: String::new(), tool, form, lifts, within, created: 0, expires: 0 };
        grant.id = grant.name();
        grant
    }

    /// Whatever tells two grants apart is in their text as data.
    fn name(&self) -> String {
        let said =
            serde_json::to_vec(&(&self.tool, &self.form, &self.lifts, &self.within)).unwrap_or_default();
        Sha256::digest(&said).iter().take(4).map(|b| format!("{b:02x}")).collect()
    }

    /// Whether it still holds.
    pub fn holds_at(&self, now: u64) -> bool {
        self.created <= now && now < self.expires
    }

    /// Whether a grant that was read could have been given: files can be edited by hand.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(why) = super::propose::carrier(&self.form) {
            return Err(why);
        }
        for lift in &self.lifts {
            match Kind::from_name(&lift.effect) {
                Some(kind) if is_liftable(kind) => {}
                _ => return Err(format!("the effect `{}` can't be granted", lift.effect)),
            }
        }
        if self.name() == self.id { Ok(()) } else { Err("it was changed by hand".to_owned()) }
    }
}
