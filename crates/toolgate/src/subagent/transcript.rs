//! What a sub-agent did, call by call.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolgate_exec::{BoxFuture, ExitStatus, Layer, Next, Request, ToolId};

/// Calls that a transcript keeps; the oldest are forgotten first.
const MOST: usize = 1024;
/// Characters of a call's subject that a transcript keeps.
const SHOWN_CHARS: usize = 500;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran.
    Ran(Option<ExitStatus>),
    /// It gave no result: the error's code.
    Failed(String),
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The tool.
    pub tool: ToolId,
    /// What it was about, shortened.
    pub subject: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

/// Writes down every call, refused ones included. Clones share what was written.
#[derive(Clone, Debug, Default)]
pub(super) struct Transcript(Arc<Mutex<VecDeque<Entry>>>);

impl Transcript {
    pub(super) fn entries(&self) -> Vec<Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Layer for Transcript {
    fn name(&self) -> &'static str {
        "transcript"
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, toolgate_exec::Outcome> {
        Box::pin(async move {
            let tool = request.call().tool_id.clone();
            let subject = next.subject(&request).chars().take(SHOWN_CHARS).collect();
            let begun = Instant::now();
            let outcome = next.run(request).await;
            let ended = match &outcome {
                Ok(output) => Outcome::Ran(output.exit),
                Err(error) => Outcome::Failed(error.code().to_owned()),
            };
            let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if entries.len() == MOST {
                entries.pop_front();
            }
            entries.push_back(Entry { tool, subject, outcome: ended, took: begun.elapsed() });
            drop(entries);
            outcome
        })
    }
}
