//! The end of the line: what really does something.

use crate::BoxFuture;
use crate::Outcome;
use crate::call::ToolCall;
use crate::event::{OutputStream, ToolEvent, ToolEventTx};
use crate::layer::Request;
use crate::registry::ToolDef;
use crate::session::Session;
use crate::text::{Text, TextCall};
use crate::tool_id::ToolId;
use crate::verdict::Verdict;

/// What may be done with calls of a tool besides running them once when asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nature {
    /// Running it again gives the same and harms nothing.
    pub retryable: bool,
    /// It may run before anyone asked for it: it changes nothing anywhere.
    pub speculatable: bool,
}

impl Nature {
    /// Run once, when asked.
    pub const ONCE: Self = Self { retryable: false, speculatable: false };
    /// Reads and nothing else.
    pub const READ_ONLY: Self = Self { retryable: true, speculatable: true };
}

/// One or more tools behind a wall.
pub trait Tool: Send + Sync {
    /// The tools it offers. Asked once, when the pipeline is built.
    fn definitions(&self) -> Vec<ToolDef>;

    /// The calls of its own that a model's reply holds.
    ///
    /// As a rule those are the fenced blocks with the tag of one of its definitions.
    fn calls_in(&self, text: &Text<'_>) -> Vec<TextCall> {
        self.definitions().iter().flat_map(|def| text.calls_of(def)).collect()
    }

    /// What else may be done with calls of the tool `id`.
    fn nature(&self, id: &ToolId) -> Nature;

    /// What the tool itself says of a call, besides the wall: a foreign executor has gates of its own.
    ///
    /// `Allow` leaves the decision to the wall.
    fn judges(&self, _call: &ToolCall, _session: &Session) -> Verdict {
        Verdict::Allow
    }

    /// Whether the model is shown this definition now. A courtesy, not a control.
    fn shows(&self, _def: &ToolDef, _session: &Session) -> bool {
        true
    }

    /// A text of a call as it is shown and recorded, as [`Layer::mask`](crate::Layer::mask) says: a tool
    /// that masks what it gives masks this too.
    fn mask(&self, _text: &str, _session: &Session) -> Option<String> {
        None
    }

    /// Runs a call that the wall let through.
    ///
    /// A dropped future must leave nothing running.
    fn run<'a>(&'a self, call: Cleared) -> BoxFuture<'a, Outcome>;

    /// Is told when someone sets the session's state, so that an executor inside can be told too.
    fn session_changed(&self, _session: &Session) {}
}

/// Proof that the wall let a call through. Only the pipeline mints one.
///
/// ```compile_fail,E0451
/// fn forge(request: toolgate_exec::Request) -> toolgate_exec::Cleared {
///     toolgate_exec::Cleared { request, events: None }
/// }
/// ```
#[derive(Debug)]
pub struct Cleared {
    request: Request,
    events: Option<ToolEventTx>,
}

impl Cleared {
    pub(crate) fn new(request: Request, events: Option<ToolEventTx>) -> Self {
        Self { request, events }
    }

    /// The call, as it was judged.
    pub fn call(&self) -> &ToolCall {
        self.request.call()
    }

    /// The session as this call sees it.
    pub fn session(&self) -> &Session {
        self.request.session()
    }

    /// Whether a person approved this very call.
    pub fn is_approved(&self) -> bool {
        self.request.is_approved()
    }

    /// Whether anyone watches.
    pub fn is_watched(&self) -> bool {
        self.events.is_some()
    }

    /// Tells the watcher, if there is one, what the boundary refused.
    pub fn refused(&self, what: &str) {
        if let Some(events) = &self.events {
            events.send(ToolEvent::Refused {
                tool_name: self.call().tool_id.as_str().into(),
                call_id: self.call().context.call_id.clone(),
                what: what.into(),
            });
        }
    }

    /// Shows the watcher a piece of output, if there is one who looks.
    pub fn show(&self, stream: OutputStream, chunk: &[u8]) {
        if let Some(events) = &self.events {
            if !events.has_room(chunk.len()) {
                // Not even turned into text: the watcher lags, and the output may be huge.
                return events.skip();
            }
            events.send(ToolEvent::OutputChunk {
                tool_name: self.call().tool_id.as_str().into(),
                call_id: self.call().context.call_id.clone(),
                stream,
                chunk: String::from_utf8_lossy(chunk).into(),
            });
        }
    }
}
