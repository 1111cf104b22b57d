//! What a sub-agent gets.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toolgate_exec::{NetworkScope, SkillTrustLevel};

use super::budget::Budget;
use super::skills::SkillFilter;
use crate::gates::{ToolPattern, ToolPolicy};

/// How a sub-agent's questions are answered. Refusals hold in every mode, whoever refuses: a rule, a block list, a
/// hard rule, trust or the network scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PermissionMode {
    /// As its parent's.
    #[default]
    Default,
    /// Questions about tools that read and write files and do nothing else count as answered. Commands, deletions,
    /// servers and the network are asked about as ever.
    AcceptEdits,
    /// Nobody is asked: what would be asked about is refused.
    DontAsk,
    /// All questions count as answered. Only where the
    /// [manager](super::SubagentManager::danger_allow_bypass) allows it.
    BypassPermissions,
    /// It looks and plans, and changes nothing.
    Plan,
}

impl PermissionMode {
    /// How many questions count as answered: none, those about edits, all.
    pub(super) fn answers(self) -> u8 {
        match self {
            Self::Default | Self::DontAsk | Self::Plan => 0,
            Self::AcceptEdits => 1,
            Self::BypassPermissions => 2,
        }
    }
}

/// What a sub-agent gets. Starts from everything its parent has; each method takes something away.
///
/// ```
/// use std::time::Duration;
/// use toolgate::gates::patterns;
/// use toolgate::subagent::{Budget, NetworkScope, PermissionMode, SubagentSpec, ToolPolicy};
///
/// let spec = SubagentSpec::new("reviewer")
///     .tools(ToolPolicy::allow(["read", "grep", "Bash(git *)"])?)
///     .disallow(patterns(["Bash(git push *)"])?)
///     .network(NetworkScope::only(["docs.rs"]))
///     .mode(PermissionMode::DontAsk)
///     .budget(Budget { calls: Some(50), wall: Some(Duration::from_secs(600)) });
/// assert_eq!(spec.clone().network(NetworkScope::Allow).network, spec.network, "it only narrows");
/// # Ok::<(), toolgate::gates::BadPattern>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubagentSpec {
    /// What records call it.
    pub name: String,
    /// The tools it may use.
    pub tools: ToolPolicy,
    /// Tools it may not use, whatever `tools` says.
    pub disallowed_tools: Vec<ToolPattern>,
    /// The skills it may use.
    pub skills: SkillFilter,
    /// How its questions are answered.
    pub mode: PermissionMode,
    /// The network it may use, inside its parent's. A missing scope is `Inherit`.
    pub network: NetworkScope,
    /// The trust in what it acts on; the stricter of this and its parent's counts.
    pub trust: Option<SkillTrustLevel>,
    /// A directory of its own for what it remembers; its commands find it as `TOOLGATE_MEMORY_DIR`.
    pub memory_dir: Option<PathBuf>,
    /// How much it may do.
    pub budget: Budget,
}

impl SubagentSpec {
    /// A sub-agent with all that its parent has.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tools: ToolPolicy::InheritAll,
            disallowed_tools: Vec::new(),
            skills: SkillFilter::default(),
            mode: PermissionMode::Default,
            network: NetworkScope::Inherit,
            trust: None,
            memory_dir: None,
            budget: Budget::default(),
        }
    }

    /// Sets the tools it may use.
    #[must_use]
    pub fn tools(mut self, policy: ToolPolicy) -> Self {
        self.tools = policy;
        self
    }

    /// Takes tools away, whatever the policy says.
    #[must_use]
    pub fn disallow(mut self, patterns: Vec<ToolPattern>) -> Self {
        self.disallowed_tools.extend(patterns);
        self
    }

    /// Sets how its questions are answered.
    #[must_use]
    pub fn mode(mut self, mode: PermissionMode) -> Self {
        self.mode = mode;
        self
    }

    /// Narrows its network.
    #[must_use]
    pub fn network(mut self, scope: NetworkScope) -> Self {
        self.network = scope.within(&self.network);
        self
    }

    /// Lowers the trust in what it acts on.
    #[must_use]
    pub fn trust(mut self, level: SkillTrustLevel) -> Self {
        self.trust = Some(self.trust.map_or(level, |t| t.min_trust(level)));
        self
    }

    /// Sets how much it may do.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Gives it a directory for what it remembers.
    #[must_use]
    pub fn memory_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.memory_dir = Some(dir.into());
        self
    }
}
