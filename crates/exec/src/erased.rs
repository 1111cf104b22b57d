//! The port as an object: [`ErasedToolExecutor`] and its carrier [`DynExecutor`].

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::BoxFuture;
use crate::call::ToolCall;
use crate::checkpoint::{CheckpointActionResult, CheckpointListResult};
use crate::error::ToolError;
use crate::executor::ToolExecutor;
use crate::output::ToolOutput;
use crate::pipeline::Pipeline;
use crate::registry::ToolDef;
use crate::trust::SkillTrustLevel;

/// The object-safe twin of [`ToolExecutor`]: the same methods, boxed. Every `ToolExecutor` is one.
pub trait ErasedToolExecutor: Send + Sync {
    /// See [`ToolExecutor::execute`].
    fn execute_erased<'a>(
        &'a self,
        response: &'a str,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>>;
    /// See [`ToolExecutor::execute_confirmed`].
    fn execute_confirmed_erased<'a>(
        &'a self,
        response: &'a str,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>>;
    /// See [`ToolExecutor::tool_definitions`].
    fn tool_definitions_erased(&self) -> Vec<ToolDef>;
    /// See [`ToolExecutor::execute_tool_call`].
    fn execute_tool_call_erased<'a>(
        &'a self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>>;
    /// See [`ToolExecutor::execute_tool_call_confirmed`].
    fn execute_tool_call_confirmed_erased<'a>(
        &'a self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>>;
    /// See [`ToolExecutor::set_skill_env`].
    fn set_skill_env_erased(&self, env: Option<HashMap<String, String>>);
    /// See [`ToolExecutor::set_effective_trust`].
    fn set_effective_trust_erased(&self, level: SkillTrustLevel);
    /// See [`ToolExecutor::is_tool_retryable`].
    fn is_tool_retryable_erased(&self, tool_id: &str) -> bool;
    /// See [`ToolExecutor::requires_confirmation`].
    fn requires_confirmation_erased(&self, call: &ToolCall) -> bool;
    /// See [`ToolExecutor::is_tool_speculatable`].
    fn is_tool_speculatable_erased(&self, tool_id: &str) -> bool;
    /// See [`ToolExecutor::checkpoint_undo`].
    fn checkpoint_undo_erased(&self, n: usize) -> BoxFuture<'_, CheckpointActionResult>;
    /// See [`ToolExecutor::checkpoint_redo`].
    fn checkpoint_redo_erased(&self) -> BoxFuture<'_, CheckpointActionResult>;
    /// See [`ToolExecutor::checkpoint_list`].
    fn checkpoint_list_erased(&self) -> BoxFuture<'_, CheckpointListResult>;
    /// See [`ToolExecutor::as_pipeline`].
    fn as_pipeline_erased(&self) -> Option<&Pipeline> {
        None
    }
}

impl<T: ToolExecutor> ErasedToolExecutor for T {
    fn execute_erased<'a>(
        &'a self,
        response: &'a str,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>> {
        Box::pin(self.execute(response))
    }
    fn execute_confirmed_erased<'a>(
        &'a self,
        response: &'a str,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>> {
        Box::pin(self.execute_confirmed(response))
    }
    fn tool_definitions_erased(&self) -> Vec<ToolDef> {
        self.tool_definitions()
    }
    fn execute_tool_call_erased<'a>(
        &'a self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>> {
        Box::pin(self.execute_tool_call(call))
    }
    fn execute_tool_call_confirmed_erased<'a>(
        &'a self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>> {
        Box::pin(self.execute_tool_call_confirmed(call))
    }
    fn set_skill_env_erased(&self, env: Option<HashMap<String, String>>) {
        self.set_skill_env(env);
    }
    fn set_effective_trust_erased(&self, level: SkillTrustLevel) {
        self.set_effective_trust(level);
    }
    fn is_tool_retryable_erased(&self, tool_id: &str) -> bool {
        self.is_tool_retryable(tool_id)
    }
    fn requires_confirmation_erased(&self, call: &ToolCall) -> bool {
        self.requires_confirmation(call)
    }
    fn is_tool_speculatable_erased(&self, tool_id: &str) -> bool {
        self.is_tool_speculatable(tool_id)
    }
    fn checkpoint_undo_erased(&self, n: usize) -> BoxFuture<'_, CheckpointActionResult> {
        Box::pin(self.checkpoint_undo(n))
    }
    fn checkpoint_redo_erased(&self) -> BoxFuture<'_, CheckpointActionResult> {
        Box::pin(self.checkpoint_redo())
    }
    fn checkpoint_list_erased(&self) -> BoxFuture<'_, CheckpointListResult> {
        Box::pin(self.checkpoint_list())
    }
    fn as_pipeline_erased(&self) -> Option<&Pipeline> {
        self.as_pipeline()
    }
}

/// An erased executor as a [`ToolExecutor`] again. Every method goes to the one inside.
#[derive(Clone)]
pub struct DynExecutor(pub Arc<dyn ErasedToolExecutor>);

impl fmt::Debug for DynExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DynExecutor")
    }
}

impl ToolExecutor for DynExecutor {
    async fn execute(&self, response: &str) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute_erased(response).await
    }
    async fn execute_confirmed(&self, response: &str) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute_confirmed_erased(response).await
    }
    fn tool_definitions(&self) -> Vec<ToolDef> {
        self.0.tool_definitions_erased()
    }
    async fn execute_tool_call(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute_tool_call_erased(call).await
    }
    async fn execute_tool_call_confirmed(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        self.0.execute_tool_call_confirmed_erased(call).await
    }
    fn set_skill_env(&self, env: Option<HashMap<String, String>>) {
        self.0.set_skill_env_erased(env);
    }
    fn set_effective_trust(&self, level: SkillTrustLevel) {
        self.0.set_effective_trust_erased(level);
    }
    fn is_tool_retryable(&self, tool_id: &str) -> bool {
        self.0.is_tool_retryable_erased(tool_id)
    }
    fn requires_confirmation(&self, call: &ToolCall) -> bool {
        self.0.requires_confirmation_erased(call)
    }
    fn is_tool_speculatable(&self, tool_id: &str) -> bool {
        self.0.is_tool_speculatable_erased(tool_id)
    }
    async fn checkpoint_undo(&self, n: usize) -> CheckpointActionResult {
        self.0.checkpoint_undo_erased(n).await
    }
    async fn checkpoint_redo(&self) -> CheckpointActionResult {
        self.0.checkpoint_redo_erased().await
    }
    async fn checkpoint_list(&self) -> CheckpointListResult {
        self.0.checkpoint_list_erased().await
    }
    fn as_pipeline(&self) -> Option<&Pipeline> {
        self.0.as_pipeline_erased()
    }
}

/// The answers of an [`ErasedToolExecutor`] that wraps nothing and whose calls need a person's approval.
///
/// Inside an `impl ErasedToolExecutor for …` block it writes every method but `execute_erased`,
/// `tool_definitions_erased` and `execute_tool_call_erased`. The answers are those of
/// [`tool_executor_no_inner_defaults!`](crate::tool_executor_no_inner_defaults).
#[macro_export]
macro_rules! erased_tool_executor_no_inner_defaults {
    () => {
        fn execute_confirmed_erased<'a>(
            &'a self,
            response: &'a str,
        ) -> $crate::BoxFuture<'a, Result<Option<$crate::ToolOutput>, $crate::ToolError>> {
            self.execute_erased(response)
        }
        fn execute_tool_call_confirmed_erased<'a>(
            &'a self,
            call: &'a $crate::ToolCall,
        ) -> $crate::BoxFuture<'a, Result<Option<$crate::ToolOutput>, $crate::ToolError>> {
            self.execute_tool_call_erased(call)
        }
        fn set_skill_env_erased(&self, _: Option<::std::collections::HashMap<String, String>>) {}
        fn set_effective_trust_erased(&self, _: $crate::SkillTrustLevel) {}
        fn is_tool_retryable_erased(&self, _: &str) -> bool {
            false
        }
        fn requires_confirmation_erased(&self, _: &$crate::ToolCall) -> bool {
            true
        }
        fn is_tool_speculatable_erased(&self, _: &str) -> bool {
            false
        }
        fn checkpoint_undo_erased(&self, _: usize) -> $crate::BoxFuture<'_, $crate::CheckpointActionResult> {
            Box::pin(::std::future::ready($crate::CheckpointActionResult::unsupported()))
        }
        fn checkpoint_redo_erased(&self) -> $crate::BoxFuture<'_, $crate::CheckpointActionResult> {
            Box::pin(::std::future::ready($crate::CheckpointActionResult::unsupported()))
        }
        fn checkpoint_list_erased(&self) -> $crate::BoxFuture<'_, $crate::CheckpointListResult> {
            Box::pin(::std::future::ready($crate::CheckpointListResult::default()))
        }
    };
}
