//! What happens around a call.

use std::borrow::Cow;

use crate::call::ToolCall;
use crate::output::ToolOutput;
use crate::pipeline::Stack;
use crate::session::Session;
use crate::{BoxFuture, Outcome};

/// A call on its way: what it is, the session it sees, and whether a person approved it.
///
/// Its fields are private: no layer can change a call after it was judged, and nobody outside
/// this crate can forge an approval.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) call: ToolCall,
    pub(crate) session: Session,
    /// Whether a person approved this very call.
    pub(crate) approved: bool,
    /// What else may be done with calls of this tool.
    pub(crate) nature: crate::tool::Nature,
    /// What the wall said of it earlier; it can only get stricter.
    pub(crate) judged: Option<crate::verdict::Verdict>,
    /// Why the call can't be judged at all; the wall turns it away with this.
    pub(crate) unfit: Option<std::sync::Arc<str>>,
}

impl Request {
    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// The session as this call sees it.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether a person approved this very call.
    pub fn is_approved(&self) -> bool {
        self.approved
    }

    /// What may be done with calls of this tool besides running them once when asked.
    pub fn nature(&self) -> crate::tool::Nature {
        self.nature
    }
}

/// Something around a call: checkpoints, retries, filters, records.
///
/// As a *layer* it sees only calls that the wall let through; as an *observer* it stands
/// outside the wall and sees refusals too. It calls `next` at most once, unless it retries.
pub trait Layer: Send + Sync {
    /// What [`Pipeline::order`](crate::Pipeline::order) calls it.
    fn name(&self) -> &'static str;

    /// Does its part and hands the call on.
    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome>;

    /// A text of a call, such as its command, as it is shown and recorded; `None` where that is the
    /// text itself.
    ///
    /// A layer that takes secrets out of what a tool gave takes them out of this too.
    fn mask(&self, _text: &str, _session: &Session) -> Option<String> {
        None
    }
}

/// The rest of the way.
#[derive(Clone, Copy, Debug)]
pub struct Next<'a> {
    pub(crate) at: usize,
    pub(crate) stack: &'a Stack,
}

impl<'a> Next<'a> {
    /// Hands the call on.
    pub fn run(self, request: Request) -> BoxFuture<'a, Outcome> {
        self.stack.step(self.at, request)
    }

    /// What a call is about, as it is shown and recorded: without what [`Layer::mask`] and
    /// [`Tool::mask`](crate::Tool::mask) take out.
    pub fn subject<'r>(&self, request: &'r Request) -> Cow<'r, str> {
        self.stack.subject(request)
    }
}

/// A layer from a function that rewrites the output of calls that gave one.
///
/// ```
/// use toolgate_exec::map_output;
/// let shout = map_output("shout", |_call, mut output| {
///     output.summary = output.summary.to_uppercase();
///     output
/// });
/// # let _ = shout;
/// ```
pub fn map_output<F>(name: &'static str, change: F) -> MapOutput<F>
where
    F: Fn(&ToolCall, ToolOutput) -> ToolOutput + Send + Sync,
{
    MapOutput { name, change }
}

/// See [`map_output`].
#[derive(Debug)]
pub struct MapOutput<F> {
    name: &'static str,
    change: F,
}

impl<F> Layer for MapOutput<F>
where
    F: Fn(&ToolCall, ToolOutput) -> ToolOutput + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let call = request.call().clone();
            Ok((self.change)(&call, next.run(request).await?))
        })
    }
}

/// A layer from a function of request and next.
pub fn layer_fn<F>(name: &'static str, handle: F) -> LayerFn<F>
where
    F: for<'a> Fn(Request, Next<'a>) -> BoxFuture<'a, Outcome> + Send + Sync,
{
    LayerFn { name, handle }
}

/// See [`layer_fn`].
#[derive(Debug)]
pub struct LayerFn<F> {
    name: &'static str,
    handle: F,
}

impl<F> Layer for LayerFn<F>
where
    F: for<'a> Fn(Request, Next<'a>) -> BoxFuture<'a, Outcome> + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        (self.handle)(request, next)
    }
}
