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
#[cfg(target_os = "linux")]
pub mod standard;
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

// The names that users of this family of libraries know, and where they look for them.

/// The port, and what goes in and out of it.
pub mod executor {
    pub use toolgate_exec::fence::extract_fenced_blocks;
    pub use toolgate_exec::{
        CallContext, DiffData, DynExecutor, ErasedToolExecutor, ErrorKind, MAX_TOOL_OUTPUT_CHARS, ToolCall,
        ToolError, ToolEvent, ToolEventTx, ToolExecutor, ToolId, ToolOutput, deserialize_params,
        truncate_tool_output, truncate_tool_output_at,
    };
}

/// Two executors as one.
pub mod composite {
    pub use toolgate_exec::CompositeExecutor;
}

/// What tools there are.
pub mod registry {
    pub use toolgate_exec::registry::*;
}

/// What may run: the gate that judges by policy, and the lists it goes by.
pub mod permissions {
    pub use crate::config::PermissionsConfig;
    pub use crate::gates::{AutonomyLevel, PermissionGate};
    pub use toolgate_policy::permissions::{
        BlockList, ConfirmList, PermissionAction, PermissionPolicy, PermissionRule,
    };
}

/// How far the source of a call is trusted.
pub mod trust_level {
    pub use toolgate_exec::{ParseTrustError, SkillTrustLevel, TrustLevel};
}

/// Trust and policy in front of an executor.
pub mod trust_gate {
    pub use crate::executors::TrustGateExecutor;
    pub use crate::gates::TrustGate;
}

pub use composite::CompositeExecutor;
pub use config::{ShellConfig, ToolsConfig};
pub use executor::{
    DiffData, DynExecutor, ErasedToolExecutor, MAX_TOOL_OUTPUT_CHARS, ToolCall, ToolError, ToolEvent,
    ToolEventTx, ToolExecutor, ToolOutput, truncate_tool_output,
};
pub use permissions::{AutonomyLevel, PermissionAction, PermissionPolicy, PermissionRule, PermissionsConfig};
pub use registry::ToolRegistry;
pub use shell::ShellExecutor;
pub use toolgate_exec::{FilterConfidence, FilterStats};
pub use trust_gate::TrustGateExecutor;
pub use trust_level::TrustLevel;

/// Running shell commands.
pub mod shell {
    pub use crate::executors::shell::ShellExecutor;
    pub use crate::tools::shell::*;
    pub use toolgate_policy::network::NETWORK_COMMANDS;
}
