//! Tool ids, normalised in this one place.
//!
//! Lists that name tools (gates, grants, sub-agent filters) drift apart when each compares
//! raw strings; a [`ToolId`] can only hold the normal form.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The normal form of a tool's name: trimmed, ASCII lower case, `-` as `_`.
///
/// `WRITE`, `write` and ` write ` are one tool, and so are `web-scrape` and `web_scrape`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ToolId(Arc<str>);

impl ToolId {
    /// Normalises a name into an id.
    pub fn new(name: &str) -> Self {
        let name = name.trim();
        if name.bytes().all(|b| !b.is_ascii_uppercase() && b != b'-') {
            return Self(name.into());
        }
        let normal: String =
            name.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect();
        Self(normal.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Gives the id named by a grant-like text such as `Bash(cargo *)`: the part before the first `(`.
///
/// Whoever uses this for a grant must honour the argument pattern as well; the name alone
/// would widen `Bash(cargo *)` to the whole shell.
///
/// ```
/// assert_eq!(toolgate_exec::normalize_tool_id("Bash(cargo *)").as_str(), "bash");
/// assert_eq!(toolgate_exec::normalize_tool_id(" Web-Scrape ").as_str(), "web_scrape");
/// ```
pub fn normalize_tool_id(text: &str) -> ToolId {
    ToolId::new(text.split('(').next().unwrap_or(text))
}

impl std::ops::Deref for ToolId {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for ToolId {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for ToolId {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl From<&str> for ToolId {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for ToolId {
    fn from(name: String) -> Self {
        Self::new(&name)
    }
}

impl From<ToolId> for String {
    fn from(id: ToolId) -> Self {
        id.0.as_ref().to_owned()
    }
}
