//! One judge in the wall.

use crate::call::ToolCall;
use crate::registry::ToolDef;
use crate::session::Session;
use crate::verdict::Verdict;

/// Judges calls. Pure and cheap: no IO, no state of its own that a question would change.
///
/// A gate is asked more than once about the same call (to answer `requires_confirmation`, to
/// judge a text before any of it runs, and once more when the call runs), and must say the
/// same each time. Counters and rate limits are layers. A gate that panics denies.
///
/// ```
/// use toolgate_exec::{Gate, Reason, Session, ToolCall, Verdict};
///
/// /// Nothing is deleted in this session.
/// struct NoDeletes;
/// impl Gate for NoDeletes {
///     fn name(&self) -> &'static str { "no-deletes" }
///     fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
///         if call.capabilities().deletes() {
///             Verdict::deny(Reason::new("deletes-not-allowed", "this tool can delete files"))
///         } else {
///             Verdict::Allow
///         }
///     }
/// }
/// ```
pub trait Gate: Send + Sync {
    /// What refusals call it.
    fn name(&self) -> &'static str;

    /// Judges one call as the session stands.
    fn check(&self, call: &ToolCall, session: &Session) -> Verdict;

    /// Whether the model is shown this tool. A courtesy, not a control: a hidden tool is still judged.
    fn shows(&self, _def: &ToolDef, _session: &Session) -> bool {
        true
    }
}
