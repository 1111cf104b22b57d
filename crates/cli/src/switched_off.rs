//! Turns every call away where the configuration says that there are no tools.
//!
//! A gate and not a pipeline without tools: a refusal names the key and who set it, where "no such
//! tool" would send the reader looking for a typo.

use toolgate::config::Origin;
use toolgate::exec::{Gate, Reason, Session, ToolCall, ToolDef, Verdict};

/// Refuses everything.
#[derive(Debug)]
pub(crate) struct SwitchedOff {
    /// Where `tools.enabled` is set.
    pub(crate) origin: Origin,
}

impl Gate for SwitchedOff {
    fn name(&self) -> &'static str {
        "switched-off"
    }

    fn check(&self, _: &ToolCall, _: &Session) -> Verdict {
        let message = format!("tools are switched off by `tools.enabled = false` ({})", self.origin);
        Verdict::deny(
            Reason::new("tools-switched-off", message)
                .rule("tools.enabled = false")
                .source(self.origin.layer.to_string()),
        )
    }

    fn shows(&self, _: &ToolDef, _: &Session) -> bool {
        false
    }
}
