//! The state of one agent session.
//!
//! It lives in one cell inside the [`Pipeline`](crate::Pipeline); every call works on a snapshot.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::call::CallContext;
use crate::network::NetworkScope;
use crate::trust::SkillTrustLevel;

/// Environment variables that the active skill declared, mostly secrets.
///
/// `Debug` shows the names alone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SkillEnv(Arc<HashMap<String, String>>);

impl SkillEnv {
    /// The variables by name.
    pub fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The value of one variable.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether it holds no variable.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<HashMap<String, String>> for SkillEnv {
    fn from(vars: HashMap<String, String>) -> Self {
        Self(Arc::new(vars))
    }
}

impl fmt::Debug for SkillEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> = self.0.keys().collect();
        names.sort();
        write!(f, "SkillEnv{names:?}")
    }
}

/// A snapshot of the session as one call sees it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Session {
    /// The trust in what the agent is acting on. Strict until someone sets it.
    pub trust: SkillTrustLevel,
    /// Variables of the active skill, for its calls alone.
    pub skill_env: Option<SkillEnv>,
    /// The network the session may use.
    pub network: NetworkScope,
}

impl Session {
    /// The session as `context` narrows it: the stricter trust, the narrower network.
    ///
    /// A call's context can never loosen what the session says. The context's skill
    /// variables, where given, stand in for the session's.
    #[must_use]
    pub fn narrowed(&self, context: &CallContext) -> Self {
        Self {
            trust: context.trust.map_or(self.trust, |t| t.min_trust(self.trust)),
            skill_env: context.skill_env.clone().or_else(|| self.skill_env.clone()),
            network: context.network.within(&self.network),
        }
    }
}
