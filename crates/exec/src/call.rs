//! One thing an agent wants done.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::digest::CallDigest;
use crate::error::ToolError;
use crate::network::NetworkScope;
use crate::registry::{Capabilities, ToolDef};
use crate::session::SkillEnv;
use crate::tool_id::ToolId;
use crate::trust::SkillTrustLevel;

/// A call of one tool with its parameters.
///
/// ```
/// use toolgate_exec::ToolCall;
/// let call = ToolCall::from_json("bash", serde_json::json!({"command": "ls"})).unwrap();
/// assert_eq!(call.tool_id, "bash");
/// assert_eq!(call.subject(), "ls");
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// Which tool.
    pub tool_id: ToolId,
    /// The parameters, as the tool's schema describes them.
    pub params: Map<String, Value>,
    /// Where and for whom it runs. Set by the embedder, never by the model.
    pub context: CallContext,
    /// What the pipeline found out about the call before judging it.
    prepared: Option<Arc<Prepared>>,
}

#[derive(Debug)]
struct Prepared {
    definition: Arc<ToolDef>,
    findings: Findings,
}

impl ToolCall {
    /// A call with an empty context.
    pub fn new(tool_id: impl Into<ToolId>, params: Map<String, Value>) -> Self {
        Self { tool_id: tool_id.into(), params, context: CallContext::default(), prepared: None }
    }

    /// A call from a JSON object.
    ///
    /// # Errors
    /// [`ToolError::InvalidParams`] where `params` is not an object.
    pub fn from_json(tool_id: impl Into<ToolId>, params: Value) -> Result<Self, ToolError> {
        match params {
            Value::Object(map) => Ok(Self::new(tool_id, map)),
            other => Err(ToolError::invalid_params(format!(
                "tool parameters must be a JSON object, not {}",
                crate::registry::shape_of(&other)
            ))),
        }
    }

    /// The same call in another context.
    #[must_use]
    pub fn with_context(mut self, context: CallContext) -> Self {
        self.context = context;
        self
    }

    /// A text parameter.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }

    /// What the call is about in one text, for people: the command, path or URL, else the parameters.
    pub fn subject(&self) -> Cow<'_, str> {
        for name in ["command", "path", "file_path", "url", "pattern", "query"] {
            if let Some(text) = self.text(name) {
                return Cow::Borrowed(text);
            }
        }
        if self.params.is_empty() {
            return Cow::Borrowed(&self.tool_id);
        }
        Cow::Owned(Value::Object(self.params.clone()).to_string())
    }

    /// What an approval of this call is bound to.
    pub fn digest(&self) -> CallDigest {
        CallDigest::of(self)
    }

    /// The definition of the tool that owns this call; `None` until a pipeline has routed it.
    pub fn definition(&self) -> Option<&ToolDef> {
        self.prepared.as_ref().map(|p| &*p.definition)
    }

    /// What the owning tool can do; every effect where that is not known.
    pub fn capabilities(&self) -> Capabilities {
        self.definition().map_or(Capabilities::UNKNOWN, |d| d.capabilities)
    }

    /// What the normalisers of the pipeline found out (a parsed command, resolved paths).
    pub fn finding<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.prepared.as_ref().and_then(|p| p.findings.get())
    }

    /// Whoever made the call has no say in what is found out about it: this replaces it all.
    pub(crate) fn prepare(&mut self, definition: Arc<ToolDef>, findings: Findings) {
        self.prepared = Some(Arc::new(Prepared { definition, findings }));
    }
}

/// Decodes the parameters of a call into a type.
///
/// # Errors
/// [`ToolError::InvalidParams`] with serde's message where a field is missing or of another type.
pub fn deserialize_params<T: DeserializeOwned>(params: &Map<String, Value>) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(params.clone()))
        .map_err(|error| ToolError::invalid_params(error.to_string()))
}

/// Where, for whom and until when a call runs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CallContext {
    /// The directory it starts in; the tool's default where absent.
    pub cwd: Option<PathBuf>,
    /// Variables on top of the tool's environment.
    pub env: BTreeMap<String, String>,
    /// The network it may use, inside the session's.
    pub network: NetworkScope,
    /// A trust level to take together with the session's; the stricter counts.
    pub trust: Option<SkillTrustLevel>,
    /// Skill variables that stand in for the session's.
    pub skill_env: Option<SkillEnv>,
    /// The id the model or protocol gave the call.
    pub call_id: Option<Arc<str>>,
    /// The agent or sub-agent that makes the call.
    pub caller_id: Option<Arc<str>>,
    /// When it must have ended, whatever the tool's own limit.
    pub deadline: Option<Instant>,
    /// End the call early when one of them fires.
    pub cancel: Vec<CancellationToken>,
}

impl CallContext {
    /// An empty context.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Narrows the network.
    #[must_use]
    pub fn network(mut self, scope: NetworkScope) -> Self {
        self.network = scope.within(&self.network);
        self
    }

    /// Lowers the trust.
    #[must_use]
    pub fn trust(mut self, level: SkillTrustLevel) -> Self {
        self.trust = Some(self.trust.map_or(level, |t| t.min_trust(level)));
        self
    }

    /// Names the call.
    #[must_use]
    pub fn call_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.call_id = Some(id.into());
        self
    }

    /// Names the caller.
    #[must_use]
    pub fn caller_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.caller_id = Some(id.into());
        self
    }

    /// Sets the instant by which it must have ended.
    #[must_use]
    pub fn deadline(mut self, at: Instant) -> Self {
        self.deadline = Some(at);
        self
    }

    /// Gives it a cancel signal, besides those it has.
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel.push(token);
        self
    }
}

/// What was found out about a call before it is judged, by type.
#[derive(Debug, Default)]
pub struct Findings(Vec<(TypeId, Box<dyn Any + Send + Sync>)>);

impl Findings {
    /// Adds a finding; a second one of the same type replaces the first.
    pub fn insert<T: Any + Send + Sync>(&mut self, finding: T) {
        self.0.retain(|(id, _)| *id != TypeId::of::<T>());
        self.0.push((TypeId::of::<T>(), Box::new(finding)));
    }

    /// The finding of this type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.iter().find(|(id, _)| *id == TypeId::of::<T>()).and_then(|(_, f)| f.downcast_ref())
    }
}
