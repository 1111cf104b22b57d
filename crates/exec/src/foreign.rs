//! A whole executor as one tool of a pipeline.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Map;

use crate::call::ToolCall;
use crate::checkpoint::{CheckpointActionResult, CheckpointListResult, Checkpoints};
use crate::erased::ErasedToolExecutor;
use crate::error::ToolError;
use crate::pipeline::Pipeline;
use crate::registry::{InvocationHint, ToolDef};
use crate::session::{Session, SkillEnv};
use crate::tool::{Cleared, Nature, Tool};
use crate::tool_id::ToolId;
use crate::verdict::{Reason, Verdict};
use crate::{BoxFuture, Outcome};

/// Puts an executor behind the wall of another pipeline.
///
/// The executor inside keeps its own gates; both walls count. What the outer session says
/// (trust, network, skill variables) travels with each call, so that a shared executor serves
/// many sessions at once and none sees another's.
pub struct ForeignTool {
    inner: Arc<dyn ErasedToolExecutor>,
    definitions: Vec<ToolDef>,
    ownership: Ownership,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ownership {
    /// This wrapper is the only way to the executor: session state set here is set inside.
    Sole,
    /// Others use the executor too: its state is theirs, ours travels with the call.
    Shared,
}

impl std::fmt::Debug for ForeignTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<_> = self.definitions.iter().map(|d| &d.id).collect();
        f.debug_tuple("ForeignTool").field(&ids).finish()
    }
}

impl ForeignTool {
    /// An executor that nobody else uses.
    pub fn owned(inner: impl ErasedToolExecutor + 'static) -> Self {
        Self::new(Arc::new(inner), Ownership::Sole)
    }

    /// An executor that others use as well; it is left untouched.
    pub fn shared(inner: Arc<dyn ErasedToolExecutor>) -> Self {
        Self::new(inner, Ownership::Shared)
    }

    fn new(inner: Arc<dyn ErasedToolExecutor>, ownership: Ownership) -> Self {
        let mut definitions = match inner.as_pipeline_erased() {
            // Also those that are hidden from the model just now.
            Some(pipeline) => pipeline.all_definitions(),
            None => inner.tool_definitions_erased(),
        };
        let mut seen = HashSet::new();
        definitions.retain(|def| seen.insert(def.id.clone()));
        Self { inner, definitions, ownership }
    }

    /// Leaves these tools to someone else.
    #[must_use]
    pub fn without(mut self, taken: &[ToolDef]) -> Self {
        let tags = |def: &ToolDef| match &def.invocation {
            InvocationHint::FencedBlock(tag) => Some(tag.clone()),
            InvocationHint::ToolCall => None,
        };
        self.definitions.retain(|def| {
            !taken.iter().any(|t| t.id == def.id || (tags(t).is_some() && tags(t) == tags(def)))
        });
        self
    }

    /// The checkpoints of the executor inside, for the pipeline around it.
    pub fn checkpoints(&self) -> InnerCheckpoints {
        InnerCheckpoints(vec![self.inner.clone()])
    }

    /// The call as the executor inside gets it: with everything the outer session says.
    fn forwarded(&self, call: &ToolCall, session: &Session) -> ToolCall {
        let mut call = call.clone();
        call.context.network = session.network.clone();
        call.context.trust = Some(session.trust);
        call.context.skill_env = match (&session.skill_env, self.ownership) {
            (Some(env), _) => Some(env.clone()),
            // Nobody set any out here; what was set inside before it was wrapped still holds.
            (None, Ownership::Sole) => None,
            // What is set inside belongs to others: a skill's secrets reach its own calls alone.
            (None, Ownership::Shared) => Some(SkillEnv::default()),
        };
        call
    }

    /// The session that the pipeline inside has for calls of the outer one.
    fn inside(&self, pipeline: &Pipeline, session: &Session) -> Session {
        let context = self.forwarded(&ToolCall::new("", Map::new()), session).context;
        pipeline.session().narrowed(&context)
    }
}

impl Tool for ForeignTool {
    fn definitions(&self) -> Vec<ToolDef> {
        self.definitions.clone()
    }

    fn nature(&self, id: &ToolId) -> Nature {
        Nature {
            retryable: self.inner.is_tool_retryable_erased(id),
            speculatable: self.inner.is_tool_speculatable_erased(id),
        }
    }

    fn judges(&self, call: &ToolCall, session: &Session) -> Verdict {
        let call = self.forwarded(call, session);
        match self.inner.as_pipeline_erased() {
            Some(pipeline) => match pipeline.judge(&call) {
                Ok(verdict) => verdict.unwrap_or(Verdict::Allow),
                Err(error) => Verdict::deny(Reason::new("invalid-params", error.to_string())),
            },
            None if self.inner.requires_confirmation_erased(&call) => {
                Verdict::ask(Reason::new("inner-executor-asks", "the executor inside asks for confirmation"))
            }
            None => Verdict::Allow,
        }
    }

    fn shows(&self, def: &ToolDef, session: &Session) -> bool {
        match self.inner.as_pipeline_erased() {
            Some(pipeline) => pipeline.shows(def, &self.inside(pipeline, session)),
            None => self.inner.tool_definitions_erased().iter().any(|d| d.id == def.id),
        }
    }

    fn mask(&self, text: &str, session: &Session) -> Option<String> {
        let pipeline = self.inner.as_pipeline_erased()?;
        pipeline.mask(text, &self.inside(pipeline, session))
    }

    fn run<'a>(&'a self, cleared: Cleared) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let call = self.forwarded(cleared.call(), cleared.session());
            let approved = cleared.is_approved();
            // A question from inside is about the call as it came in: that is what an approval is for.
            let outer = |error| match error {
                ToolError::ConfirmationRequired { command, reasons, .. } => {
                    let digest = Some(cleared.call().digest());
                    ToolError::ConfirmationRequired { command, reasons, digest }
                }
                other => other,
            };
            let answer = if approved {
                self.inner.execute_tool_call_confirmed_erased(&call).await.map_err(outer)?
            } else {
                self.inner.execute_tool_call_erased(&call).await.map_err(outer)?
            };
            if let Some(output) = answer {
                return Ok(output);
            }
            // An executor written for fenced text alone: it gets its block, and no more.
            let fenced =
                self.definitions.iter().find(|d| d.id == call.tool_id).and_then(|def| as_fence(def, &call));
            if let Some(text) = fenced {
                let answer = if approved {
                    self.inner.execute_confirmed_erased(&text).await.map_err(outer)?
                } else {
                    self.inner.execute_erased(&text).await.map_err(outer)?
                };
                if let Some(output) = answer {
                    return Ok(output);
                }
            }
            Err(ToolError::UnknownTool { name: call.tool_id.to_string(), nearest: None })
        })
    }

    fn session_changed(&self, session: &Session) {
        if self.ownership == Ownership::Sole {
            let vars = session.skill_env.as_ref();
            self.inner.set_skill_env_erased(
                vars.map(|env| env.vars().map(|(k, v)| (k.to_owned(), v.to_owned())).collect()),
            );
            self.inner.set_effective_trust_erased(session.trust);
        }
    }
}

/// The call as a fenced block that no line of its body can close.
fn as_fence(def: &ToolDef, call: &ToolCall) -> Option<String> {
    let InvocationHint::FencedBlock(tag) = &def.invocation else { return None };
    let body = call.text(def.fence_param()?)?;
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest.max(2) + 1);
    Some(format!("{marks}{tag}\n{body}\n{marks}\n"))
}

/// Undo and redo of wrapped executors: the first that keeps checkpoints answers.
#[derive(Clone)]
pub struct InnerCheckpoints(Vec<Arc<dyn ErasedToolExecutor>>);

impl InnerCheckpoints {
    /// Asks `other` where these keep none.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

impl std::fmt::Debug for InnerCheckpoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InnerCheckpoints({})", self.0.len())
    }
}

impl Checkpoints for InnerCheckpoints {
    fn undo(&self, n: usize) -> BoxFuture<'_, CheckpointActionResult> {
        Box::pin(async move {
            for inner in &self.0 {
                let result = inner.checkpoint_undo_erased(n).await;
                if result.supported {
                    return result;
                }
            }
            CheckpointActionResult::unsupported()
        })
    }

    fn redo(&self) -> BoxFuture<'_, CheckpointActionResult> {
        Box::pin(async move {
            for inner in &self.0 {
                let result = inner.checkpoint_redo_erased().await;
                if result.supported {
                    return result;
                }
            }
            CheckpointActionResult::unsupported()
        })
    }

    fn list(&self) -> BoxFuture<'_, CheckpointListResult> {
        Box::pin(async move {
            for inner in &self.0 {
                let result = inner.checkpoint_list_erased().await;
                if result.supported {
                    return result;
                }
            }
            CheckpointListResult::default()
        })
    }
}
