//! Running calls before the model has finished asking for them.
//!
//! Only calls of tools that can change nothing, and only where the wall plainly allows them. A
//! started call is either adopted, when the very same call is asked for, or discarded.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;
use toolgate_exec::{CallDigest, ErasedToolExecutor, ToolCall, ToolError, ToolOutput};

type Running = JoinHandle<Result<Option<ToolOutput>, ToolError>>;

/// Starts calls early, within a budget.
///
/// Which calls may be is said by the executor:
/// [`is_tool_speculatable`](toolgate_exec::ToolExecutor::is_tool_speculatable) of the tool, and that nobody would be
/// asked about the call.
///
/// ```
/// use std::sync::Arc;
/// use toolgate::exec::{
///     BoxFuture, Capabilities, Cleared, Nature, Outcome, Pipeline, Tool, ToolCall, ToolDef, ToolId, ToolOutput,
/// };
/// use toolgate::speculation::Speculator;
///
/// struct Clock;
/// impl Tool for Clock {
///     fn definitions(&self) -> Vec<ToolDef> {
///         vec![ToolDef::new("clock", "Tells the time.").capabilities(Capabilities::READS)]
///     }
///     fn nature(&self, _: &ToolId) -> Nature {
///         Nature::READ_ONLY
///     }
///     fn run<'a>(&'a self, _: Cleared) -> BoxFuture<'a, Outcome> {
///         Box::pin(std::future::ready(Ok(ToolOutput::new("clock", "noon"))))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let executor = Pipeline::builder().tool(Clock).build().unwrap();
/// let early = Speculator::new(Arc::new(executor), 4);
/// let call = ToolCall::new("clock", Default::default());
/// assert!(early.start(&call)); // the model is still writing
/// assert_eq!(early.adopt(&call).await.unwrap().unwrap().summary, "noon");
/// # });
/// ```
pub struct Speculator {
    executor: Arc<dyn ErasedToolExecutor>,
    budget: usize,
    running: Mutex<HashMap<CallDigest, Running>>,
}

impl fmt::Debug for Speculator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Speculator").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Speculator {
    /// Speculates on an executor with at most `budget` calls started and not yet claimed.
    pub fn new(executor: Arc<dyn ErasedToolExecutor>, budget: usize) -> Self {
        Self { executor, budget, running: Mutex::default() }
    }

    /// Starts a call if that can do no harm and the budget allows; says whether it did.
    ///
    /// Must be called inside a Tokio runtime.
    pub fn start(&self, call: &ToolCall) -> bool {
        if !self.executor.is_tool_speculatable_erased(&call.tool_id)
            || self.executor.requires_confirmation_erased(call)
        {
            return false;
        }
        let digest = call.digest();
        let mut running = self.lock();
        if running.len() >= self.budget || running.contains_key(&digest) {
            return false;
        }
        let (executor, call) = (self.executor.clone(), call.clone());
        running.insert(digest, tokio::spawn(async move { executor.execute_tool_call_erased(&call).await }));
        true
    }

    /// The result of a call: of the one that was started early if it is the very same, else of a fresh one.
    ///
    /// # Errors
    /// As [`execute_tool_call`](toolgate_exec::ToolExecutor::execute_tool_call).
    pub async fn adopt(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        let started = self.lock().remove(&call.digest());
        if let Some(started) = started {
            let mut started = AbortOnDrop(started);
            if let Ok(result) = (&mut started.0).await {
                return result;
            }
        }
        self.executor.execute_tool_call_erased(call).await
    }

    /// Ends everything that was started and not claimed.
    pub fn discard(&self) {
        self.lock().drain().for_each(|(_, task)| task.abort());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CallDigest, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Speculator {
    fn drop(&mut self) {
        self.discard();
    }
}

struct AbortOnDrop(Running);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_exec::{Capabilities, Nature, Pipeline, Verdict};
    use toolgate_testkit::doors::bash_call;
    use toolgate_testkit::{FixedGate, ScriptedTool, reason};

    fn speculator(tool: &ScriptedTool, verdict: Verdict) -> Speculator {
        let gate = FixedGate::of("secret", verdict);
        Speculator::new(Arc::new(Pipeline::builder().gate(gate).tool(tool.clone()).build().unwrap()), 2)
    }

    fn harmless() -> ScriptedTool {
        ScriptedTool::named("bash", "bash", Capabilities::READS).nature(Nature::READ_ONLY)
    }

    #[tokio::test]
    async fn the_same_call_is_adopted_and_another_runs_afresh() {
        let tool = harmless();
        let early = speculator(&tool, Verdict::Allow);
        assert!(early.start(&bash_call("a")));
        assert!(!early.start(&bash_call("a")), "it runs already");
        early.adopt(&bash_call("a")).await.unwrap().unwrap();
        early.adopt(&bash_call("b")).await.unwrap().unwrap();
        assert_eq!(tool.ran(), ["a", "b"]);
    }

    #[tokio::test]
    async fn what_could_change_anything_or_is_asked_about_is_not_started() {
        let early = speculator(&ScriptedTool::bash(), Verdict::Allow);
        assert!(!early.start(&bash_call("a")));
        let tool = harmless();
        let early = speculator(&tool, Verdict::ask(reason()));
        assert!(!early.start(&bash_call("secret")));
        let denied = speculator(&tool, Verdict::deny(reason()));
        denied.start(&bash_call("secret"));
        denied.adopt(&bash_call("secret")).await.unwrap_err();
        assert!(tool.ran().is_empty(), "a refusal holds for early calls too");
    }

    #[tokio::test]
    async fn the_budget_holds_and_dropping_discards() {
        let tool = harmless();
        let early = speculator(&tool, Verdict::Allow);
        assert!(early.start(&bash_call("a")) && early.start(&bash_call("b")));
        assert!(!early.start(&bash_call("c")));
        early.discard();
        assert!(early.start(&bash_call("c")));
        drop(early);
        tokio::task::yield_now().await;
        assert!(tool.ran().is_empty(), "aborted before they could begin: {:?}", tool.ran());
    }
}
