//! The names that users of this family of libraries know are where they look for them.

use toolgate::composite::CompositeExecutor;
use toolgate::executor::{ErasedToolExecutor, ToolExecutor};
use toolgate::permissions::{AutonomyLevel, PermissionAction, PermissionPolicy};
use toolgate::registry::{InvocationHint, ToolDef};
use toolgate::shell::{NETWORK_COMMANDS, ShellExecutor};
use toolgate::subagent::{
    FilteredToolExecutor, NetworkDenyToolExecutor, NetworkScope, PermissionMode, PlanModeExecutor,
    ToolPolicy, build_filtered_executor, normalize_tool_id,
};
use toolgate::trust_gate::TrustGateExecutor;
use toolgate::trust_level::TrustLevel;

fn is_executor<E: ToolExecutor + ErasedToolExecutor>() {}

#[test]
fn every_named_executor_is_one() {
    is_executor::<CompositeExecutor<toolgate::DynExecutor, toolgate::DynExecutor>>();
    is_executor::<ShellExecutor>();
    is_executor::<TrustGateExecutor>();
    is_executor::<FilteredToolExecutor>();
    is_executor::<NetworkDenyToolExecutor>();
    is_executor::<PlanModeExecutor>();
    let _ = build_filtered_executor;
}

#[test]
fn what_is_named_is_what_it_is_elsewhere() {
    assert_eq!(TrustLevel::default(), toolgate::TrustLevel::Quarantined);
    assert_eq!(AutonomyLevel::default(), toolgate::AutonomyLevel::Supervised);
    assert_eq!(NetworkScope::default(), NetworkScope::Inherit);
    assert_eq!(PermissionMode::default(), PermissionMode::Default);
    assert!(matches!(ToolPolicy::default(), ToolPolicy::InheritAll));
    assert!(PermissionPolicy::from_legacy(&["sudo".to_owned()], &[]).rules().count() > 0);
    assert_ne!(PermissionAction::Deny, toolgate::PermissionAction::Ask);
    assert_eq!(ToolDef::new("x", "y").invocation, InvocationHint::ToolCall);
    assert_eq!(normalize_tool_id("Bash(cargo *)").as_str(), "bash");
    assert!(NETWORK_COMMANDS.len() > 16);
    assert_eq!(toolgate::MAX_TOOL_OUTPUT_CHARS, toolgate::executor::MAX_TOOL_OUTPUT_CHARS);
}
