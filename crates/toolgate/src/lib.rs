//! The layer between an AI agent and the machine it works on.

pub mod approval;
pub mod config;
pub mod executors;
pub mod gates;
pub mod grants;
pub mod layers;
pub mod output;
pub mod skill_secrets;
#[cfg(unix)]
pub mod spawn;
pub mod speculation;
pub mod subagent;
pub mod tools;
pub mod understanding;

/// The contract: calls, verdicts, the pipeline, the executor port.
pub use toolgate_exec as exec;

/// The engines under it, for whoever wants one alone.
pub use {
    toolgate_bash as bash, toolgate_filter as filter, toolgate_policy as policy, toolgate_sandbox as boundary,
};

/// Large outputs, kept in files.
pub mod overflow {
    pub use toolgate_filter::overflow::*;
}

/// Running shell commands.
pub mod shell {
    pub use crate::executors::shell::ShellExecutor;
    pub use crate::tools::shell::*;
    pub use toolgate_policy::network::NETWORK_COMMANDS;
}
