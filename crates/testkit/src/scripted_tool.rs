//! A tool that does what a test says and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use toolgate_exec::{
    BoxFuture, Capabilities, Cleared, Nature, Outcome, Session, Tool, ToolCall, ToolDef, ToolError, ToolId,
    ToolOutput, Verdict,
};

/// What the tool does with one call.
#[derive(Debug)]
pub enum Answer {
    /// Gives this text.
    Text(String),
    /// Fails.
    Error(ToolError),
    /// Has a bug.
    Panic,
}

/// A shell-like tool with one required `command`, called by a fence or structured.
///
/// Clones share their script and their record.
#[derive(Clone)]
pub struct ScriptedTool {
    def: ToolDef,
    nature: Nature,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    ran: Arc<Mutex<Vec<(ToolCall, Session)>>>,
}

impl ScriptedTool {
    /// A tool `bash` that executes, and echoes its command where the script is empty.
    pub fn bash() -> Self {
        Self::named("bash", "bash", Capabilities::EXECUTES)
    }

    /// A tool with another name and fence tag.
    pub fn named(id: &str, tag: &'static str, capabilities: Capabilities) -> Self {
        let schema = json!({
            "type": "object", "required": ["command"], "additionalProperties": false,
            "properties": {
                "command": {"type": "string"}, "path": {"type": "string"}, "background": {"type": "boolean"},
            },
        });
        let def =
            ToolDef::new(id, "Does what a test says.").schema(schema).fenced(tag).capabilities(capabilities);
        Self { def, nature: Nature::ONCE, answers: Arc::default(), ran: Arc::default() }
    }

    /// Sets what else may be done with its calls.
    #[must_use]
    pub fn nature(mut self, nature: Nature) -> Self {
        self.nature = nature;
        self
    }

    /// Adds the answer to the next call that has none yet.
    #[must_use]
    pub fn then(self, answer: Answer) -> Self {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(answer);
        self
    }

    /// The subjects of the calls that ran, in order.
    pub fn ran(&self) -> Vec<String> {
        self.seen().iter().map(|(call, _)| call.subject().into_owned()).collect()
    }

    /// The calls that ran with the session each saw.
    pub fn seen(&self) -> Vec<(ToolCall, Session)> {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets what ran.
    pub fn forget(&self) {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Tool for ScriptedTool {
    fn definitions(&self) -> Vec<ToolDef> {
        vec![self.def.clone()]
    }

    fn nature(&self, _: &ToolId) -> Nature {
        self.nature
    }

    fn judges(&self, _: &ToolCall, _: &Session) -> Verdict {
        Verdict::Allow
    }

    #[allow(clippy::panic)]
    fn run<'a>(&'a self, cleared: Cleared) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let call = cleared.call().clone();
            let answer = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            self.ran
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((call.clone(), cleared.session().clone()));
            match answer {
                Some(Answer::Text(text)) => Ok(ToolOutput::new(self.def.id.as_str(), text)),
                Some(Answer::Error(error)) => Err(error),
                Some(Answer::Panic) => panic!("a bug in a tool"),
                None => Ok(ToolOutput::new(self.def.id.as_str(), call.subject().into_owned())),
            }
        })
    }
}
