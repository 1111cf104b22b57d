//! The wall's judges, one file each. The standard wall is put together in [`standard`].

mod autonomy;
mod plan;

mod tool_filter;
mod tool_pattern;
mod trust;

pub use autonomy::{AutonomyGate, AutonomyLevel, ParseAutonomyError};
pub use plan::PlanGate;

pub use tool_filter::{ToolFilterGate, ToolPolicy, patterns};
pub use tool_pattern::{BadPattern, Fit, ToolPattern};
pub use trust::TrustGate;
