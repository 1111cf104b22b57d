//! The port: what drives an executor, whatever is behind it.

use std::collections::HashMap;

use crate::call::ToolCall;
use crate::checkpoint::{CheckpointActionResult, CheckpointListResult};
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::pipeline::{Approval, Pipeline};
use crate::registry::ToolDef;
use crate::trust::SkillTrustLevel;

/// Runs the tool calls of an agent.
///
/// Thirteen methods and no default bodies: whoever writes an executor by hand says what each
/// answer is. Most do not write one: a [`Pipeline`], or a preset over one, answers them all
/// from its gates, layers and tools. `None` from an execute method means: no call of ours.
///
/// A leaf executor that wraps nothing takes its strict answers from
/// [`tool_executor_no_inner_defaults!`](crate::tool_executor_no_inner_defaults).
pub trait ToolExecutor: Send + Sync {
    /// Runs the calls in a model's reply, all judged before any runs.
    fn execute(&self, response: &str) -> impl Future<Output = Result<Option<ToolOutput>, ToolError>> + Send;

    /// The same after a person approved it. Lifts questions, never refusals.
    fn execute_confirmed(
        &self,
        response: &str,
    ) -> impl Future<Output = Result<Option<ToolOutput>, ToolError>> + Send;

    /// The tools a model may be shown now.
    fn tool_definitions(&self) -> Vec<ToolDef>;

    /// Runs one call.
    fn execute_tool_call(
        &self,
        call: &ToolCall,
    ) -> impl Future<Output = Result<Option<ToolOutput>, ToolError>> + Send;

    /// The same after a person approved it. Lifts questions, never refusals.
    fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
    ) -> impl Future<Output = Result<Option<ToolOutput>, ToolError>> + Send;

    /// Sets the variables of the active skill for the calls to come; `None` clears them.
    fn set_skill_env(&self, env: Option<HashMap<String, String>>);

    /// Sets the trust in what the agent is acting on for the calls to come.
    fn set_effective_trust(&self, level: SkillTrustLevel);

    /// Whether running a failed call of this tool again is harmless.
    fn is_tool_retryable(&self, tool_id: &str) -> bool;

    /// Whether a person would be asked about this call: the same function that enforces it.
    fn requires_confirmation(&self, call: &ToolCall) -> bool;

    /// Whether this tool may run before anyone asked for it.
    fn is_tool_speculatable(&self, tool_id: &str) -> bool;

    /// Undoes the last `n` commands.
    fn checkpoint_undo(&self, n: usize) -> impl Future<Output = CheckpointActionResult> + Send;

    /// Does the last undone command again.
    fn checkpoint_redo(&self) -> impl Future<Output = CheckpointActionResult> + Send;

    /// Lists what can be undone.
    fn checkpoint_list(&self) -> impl Future<Output = CheckpointListResult> + Send;

    /// The pipeline behind this executor, where it is a thin cover over one.
    ///
    /// Wrappers use it to judge a call without running it. `None` is always a safe answer: the
    /// executor is then treated as one that can't be looked into.
    fn as_pipeline(&self) -> Option<&Pipeline> {
        None
    }
}

/// A named executor that is nothing but a [`Pipeline`] someone put together.
///
/// ```
/// use toolgate_exec::{Pipeline, Preset, ToolExecutor};
///
/// struct Nothing(Pipeline);
/// impl Preset for Nothing {
///     fn pipeline(&self) -> &Pipeline { &self.0 }
/// }
/// let nothing = Nothing(Pipeline::builder().build().unwrap());
/// assert!(nothing.tool_definitions().is_empty());
/// ```
pub trait Preset: Send + Sync {
    /// The pipeline.
    fn pipeline(&self) -> &Pipeline;
}

impl Preset for Pipeline {
    fn pipeline(&self) -> &Pipeline {
        self
    }
}

impl<P: Preset> ToolExecutor for P {
    async fn execute(&self, response: &str) -> Result<Option<ToolOutput>, ToolError> {
        self.pipeline().run_text(response, Approval::None).await
    }

    async fn execute_confirmed(&self, response: &str) -> Result<Option<ToolOutput>, ToolError> {
        self.pipeline().run_text(response, Approval::Whole).await
    }

    fn tool_definitions(&self) -> Vec<ToolDef> {
        self.pipeline().visible_definitions()
    }

    async fn execute_tool_call(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        self.pipeline().run_call(call, false).await
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        self.pipeline().run_call(call, true).await
    }

    fn set_skill_env(&self, env: Option<HashMap<String, String>>) {
        self.pipeline().set_skill_env(env);
    }

    fn set_effective_trust(&self, level: SkillTrustLevel) {
        self.pipeline().set_effective_trust(level);
    }

    fn is_tool_retryable(&self, tool_id: &str) -> bool {
        self.pipeline().nature(tool_id).retryable
    }

    fn requires_confirmation(&self, call: &ToolCall) -> bool {
        self.pipeline().requires_confirmation(call)
    }

    fn is_tool_speculatable(&self, tool_id: &str) -> bool {
        self.pipeline().is_speculatable(tool_id)
    }

    async fn checkpoint_undo(&self, n: usize) -> CheckpointActionResult {
        self.pipeline().undo(n).await
    }

    async fn checkpoint_redo(&self) -> CheckpointActionResult {
        self.pipeline().redo().await
    }

    async fn checkpoint_list(&self) -> CheckpointListResult {
        self.pipeline().list_checkpoints().await
    }

    fn as_pipeline(&self) -> Option<&Pipeline> {
        Some(self.pipeline())
    }
}

/// The answers of a [`ToolExecutor`] that wraps nothing and whose calls need a person's approval.
///
/// Inside an `impl ToolExecutor for …` block it writes every method but `execute`,
/// `tool_definitions` and `execute_tool_call`: confirmed calls run like others, nothing may be
/// retried or run ahead, a person is always asked, session state is not used, no checkpoints.
#[macro_export]
macro_rules! tool_executor_no_inner_defaults {
    () => {
        async fn execute_confirmed(
            &self,
            response: &str,
        ) -> Result<Option<$crate::ToolOutput>, $crate::ToolError> {
            self.execute(response).await
        }
        async fn execute_tool_call_confirmed(
            &self,
            call: &$crate::ToolCall,
        ) -> Result<Option<$crate::ToolOutput>, $crate::ToolError> {
            self.execute_tool_call(call).await
        }
        fn set_skill_env(&self, _: Option<::std::collections::HashMap<String, String>>) {}
        fn set_effective_trust(&self, _: $crate::SkillTrustLevel) {}
        fn is_tool_retryable(&self, _: &str) -> bool {
            false
        }
        fn requires_confirmation(&self, _: &$crate::ToolCall) -> bool {
            true
        }
        fn is_tool_speculatable(&self, _: &str) -> bool {
            false
        }
        async fn checkpoint_undo(&self, _: usize) -> $crate::CheckpointActionResult {
            $crate::CheckpointActionResult::unsupported()
        }
        async fn checkpoint_redo(&self) -> $crate::CheckpointActionResult {
            $crate::CheckpointActionResult::unsupported()
        }
        async fn checkpoint_list(&self) -> $crate::CheckpointListResult {
            $crate::CheckpointListResult::default()
        }
    };
}
