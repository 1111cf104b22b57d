//! How much a sub-agent may do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_exec::{
    BoxFuture, Findings, Layer, Next, Normaliser, Outcome, Reason, Request, Session, ToolCall, ToolError,
};

/// How much a sub-agent may do; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Calls it may make, refused ones included.
    pub calls: Option<u32>,
    /// Time it may take from when it was made.
    pub wall: Option<Duration>,
}

/// Ends a sub-agent's calls when its budget is spent or it is cancelled.
///
/// It stands outside the wall: a refused call is a call too.
#[derive(Debug)]
pub(super) struct Leash {
    budget: Budget,
    spent: AtomicU32,
    until: Option<Instant>,
    cancel: CancellationToken,
}

impl Leash {
    pub(super) fn new(budget: Budget, cancel: CancellationToken) -> Self {
        let until = budget.wall.and_then(|wall| Instant::now().checked_add(wall));
        Self { budget, spent: AtomicU32::new(0), until, cancel }
    }

    /// Marks the calls of the sub-agent, so that what they leave running ends with it.
    pub(super) fn tag(&self, name: &str) -> Tag {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Tag {
            id: format!("{name}#{number}").into(),
            until: self.until.map(Instant::into_std),
            cancel: self.cancel.clone(),
        }
    }

    /// Takes one call from the budget.
    fn take(&self) -> bool {
        let Some(most) = self.budget.calls else { return true };
        let take = |spent: u32| (spent < most).then(|| spent + 1);
        self.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

/// Says with each call who makes it, until when, and what ends it.
#[derive(Debug)]
pub(super) struct Tag {
    /// No two sub-agents have the same, whatever they are called.
    id: Arc<str>,
    until: Option<std::time::Instant>,
    cancel: CancellationToken,
}

impl Normaliser for Tag {
    fn name(&self) -> &'static str {
        "tag"
    }

    fn normalise(&self, call: &mut ToolCall, _: &mut Findings, _: &Session) -> Result<(), String> {
        // Calls are ended by the leash, which says why; undo and redo pass no layer.
        let over = self.until.is_some_and(|until| until <= std::time::Instant::now());
        if over || self.cancel.is_cancelled() {
            return Err("the sub-agent has ended".to_owned());
        }
        let context = &mut call.context;
        context.caller_id.get_or_insert_with(|| self.id.clone());
        context.deadline = context.deadline.into_iter().chain(self.until).min();
        context.cancel.push(self.cancel.clone());
        Ok(())
    }
}

impl Layer for Leash {
    fn name(&self) -> &'static str {
        "leash"
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if !self.take() {
                let calls = self.budget.calls.unwrap_or_default();
                let reason =
                    Reason::new("budget-spent", format!("the sub-agent's {calls} calls are used up"));
                let command = next.subject(&request).into_owned();
                let hint = "report what is done, and what is left";
                return Err(ToolError::Blocked { command, reasons: vec![reason.hint(hint)] });
            }
            let over = async {
                match self.until {
                    Some(until) => tokio::time::sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => Err(ToolError::Cancelled { partial: None }),
                () = over => {
                    let timeout_secs = self.budget.wall.unwrap_or_default().as_secs();
                    Err(ToolError::Timeout { timeout_secs, partial: None })
                }
                // Dropping it ends what it started.
                outcome = next.run(request) => outcome,
            }
        })
    }
}
