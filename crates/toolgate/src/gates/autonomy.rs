//! Judges by how much the user leaves to the agent.

use toolgate_exec::{Gate, Reason, Session, ToolCall, ToolDef, Verdict};

pub use toolgate_policy::autonomy::{AutonomyLevel, ParseAutonomyError};

/// Refuses tools that can change anything where autonomy is read-only.
///
/// What `Supervised` and `Full` mean for a question is the permission gate's business: no gate
/// can make another's verdict laxer.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutonomyGate(pub AutonomyLevel);

impl Gate for AutonomyGate {
    fn name(&self) -> &'static str {
        "autonomy"
    }

    fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
        if self.0 != AutonomyLevel::ReadOnly || call.capabilities().is_read_only() {
            return Verdict::Allow;
        }
        Verdict::deny(
            Reason::new(
                "autonomy-read-only",
                format!("autonomy is read-only, and `{}` can change things", call.tool_id),
            )
            .hint("use a tool that only reads, or have the user raise the autonomy"),
        )
    }

    fn shows(&self, def: &ToolDef, _: &Session) -> bool {
        self.0 != AutonomyLevel::ReadOnly || def.capabilities.is_read_only()
    }
}
