//! Judges while the agent only plans.

use toolgate_exec::{Gate, Reason, Session, ToolCall, Verdict};

/// Refuses everything that can change anything: in plan mode an agent looks and thinks.
///
/// Tools stay visible, so that a plan can name them. Undo and redo change files and are refused too.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanGate;

impl Gate for PlanGate {
    fn name(&self) -> &'static str {
        "plan"
    }

    fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
        if call.capabilities().is_read_only() {
            return Verdict::Allow;
        }
        Verdict::deny(
            Reason::new(
                "plan-mode",
                format!("plan mode only reads, and `{}` can change things", call.tool_id),
            )
            .hint("finish the plan and present it; the user ends plan mode"),
        )
    }
}
