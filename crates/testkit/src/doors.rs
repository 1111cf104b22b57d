//! Every way into an executor.

use std::sync::Arc;

use serde_json::json;
use toolgate_exec::{
    CompositeExecutor, DynExecutor, ErasedToolExecutor, ForeignTool, Pipeline, SkillTrustLevel, ToolCall,
    ToolError, ToolExecutor, ToolOutput,
};

/// What came of a command at one door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// It ran and gave this text.
    Ran(String),
    /// A person must approve it.
    Asks,
    /// It is refused.
    Refused,
    /// Nobody took it.
    NotMine,
    /// Something else went wrong.
    Failed(String),
}

impl From<Result<Option<ToolOutput>, ToolError>> for Came {
    fn from(result: Result<Option<ToolOutput>, ToolError>) -> Self {
        match result {
            Ok(Some(output)) => Self::Ran(output.summary),
            Ok(None) => Self::NotMine,
            Err(ToolError::ConfirmationRequired { .. }) => Self::Asks,
            Err(ToolError::Blocked { .. }) => Self::Refused,
            Err(other) => Self::Failed(other.to_string()),
        }
    }
}

/// A door of the port through which a command can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// A fenced block in a text.
    Text,
    /// A structured call.
    Call,
    /// A structured call for the background.
    Background,
}

impl Door {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Call, Self::Background];

    /// Sends a command of the tool `bash` through this door.
    pub async fn send(self, to: &DynExecutor, command: &str, confirmed: bool) -> Came {
        let mut call = bash_call(command);
        if self == Self::Background {
            call.params.insert("background".to_owned(), json!(true));
        }
        let text = format!("Let me see.\n```bash\n{command}\n```\n");
        match (self, confirmed) {
            (Self::Text, false) => to.execute(&text).await.into(),
            (Self::Text, true) => to.execute_confirmed(&text).await.into(),
            (_, false) => to.execute_tool_call(&call).await.into(),
            (_, true) => to.execute_tool_call_confirmed(&call).await.into(),
        }
    }
}

/// A structured call of the tool `bash`.
pub fn bash_call(command: &str) -> ToolCall {
    let mut params = serde_json::Map::new();
    params.insert("command".to_owned(), json!(command));
    ToolCall::new("bash", params)
}

/// An executor of its own that only forwards, as a user might write one: no pipeline can be seen in it.
pub struct Opaque(pub DynExecutor);

impl ToolExecutor for Opaque {
    async fn execute(&self, response: &str) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute(response).await
    }
    async fn execute_confirmed(&self, response: &str) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute_confirmed(response).await
    }
    fn tool_definitions(&self) -> Vec<toolgate_exec::ToolDef> {
        self.0.tool_definitions()
    }
    async fn execute_tool_call(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute_tool_call(call).await
    }
    async fn execute_tool_call_confirmed(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute_tool_call_confirmed(call).await
    }
    fn set_skill_env(&self, env: Option<std::collections::HashMap<String, String>>) {
        self.0.set_skill_env(env);
    }
    fn set_effective_trust(&self, level: SkillTrustLevel) {
        self.0.set_effective_trust(level);
    }
    fn is_tool_retryable(&self, tool_id: &str) -> bool {
        self.0.is_tool_retryable(tool_id)
    }
    fn requires_confirmation(&self, call: &ToolCall) -> bool {
        self.0.requires_confirmation(call)
    }
    fn is_tool_speculatable(&self, tool_id: &str) -> bool {
        self.0.is_tool_speculatable(tool_id)
    }
    async fn checkpoint_undo(&self, n: usize) -> toolgate_exec::CheckpointActionResult {
        self.0.checkpoint_undo(n).await
    }
    async fn checkpoint_redo(&self) -> toolgate_exec::CheckpointActionResult {
        self.0.checkpoint_redo().await
    }
    async fn checkpoint_list(&self) -> toolgate_exec::CheckpointListResult {
        self.0.checkpoint_list().await
    }
}

/// The same executor in every wrapping of this crate's contract.
///
/// # Panics
/// Where one of the wrappings does not build.
#[allow(clippy::expect_used)]
pub fn wrappings(make: impl Fn() -> DynExecutor) -> Vec<(&'static str, DynExecutor)> {
    let erased = |e: Arc<dyn ErasedToolExecutor>| DynExecutor(e);
    let empty = || Pipeline::builder().build().expect("an empty pipeline builds");
    let around = |tool: ForeignTool| {
        Pipeline::builder().trust(SkillTrustLevel::Trusted).around(tool).build().expect("one tool builds")
    };
    let composed = CompositeExecutor::new(make(), empty()).expect("composes");
    let second = CompositeExecutor::new(empty(), make()).expect("composes");
    let twice = CompositeExecutor::new(empty(), CompositeExecutor::new(make(), empty()).expect("composes"))
        .expect("composes");
    let opaque_inside = CompositeExecutor::new(Opaque(make()), empty()).expect("composes");
    vec![
        ("bare", make()),
        ("dyn of dyn", erased(Arc::new(make()))),
        ("opaque", erased(Arc::new(Opaque(make())))),
        ("composite, first", erased(Arc::new(composed))),
        ("composite, second", erased(Arc::new(second))),
        ("composed twice", erased(Arc::new(twice))),
        ("composite of an opaque one", erased(Arc::new(opaque_inside))),
        ("behind an owning wrapper", erased(Arc::new(around(ForeignTool::owned(make()))))),
        ("behind a sharing wrapper", erased(Arc::new(around(ForeignTool::shared(make().0))))),
    ]
}
