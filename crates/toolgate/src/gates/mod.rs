//! The wall's judges, one file each.

mod autonomy;
mod codes;
mod network;
mod permission;
mod plan;

mod tool_filter;
mod tool_pattern;
mod trust;

pub use autonomy::{AutonomyGate, AutonomyLevel, ParseAutonomyError};
pub use codes::{codes, explain};
pub use network::{NetworkGate, Opaque};
pub use permission::PermissionGate;
pub use plan::PlanGate;

pub use tool_filter::{ToolFilterGate, ToolPolicy, patterns};
pub use tool_pattern::{BadPattern, Fit, ToolPattern};
pub use trust::TrustGate;
