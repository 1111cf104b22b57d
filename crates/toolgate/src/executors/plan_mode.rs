//! An executor for an agent that only plans.

use std::sync::Arc;

use toolgate_exec::{BuildError, ErasedToolExecutor, ForeignTool, Pipeline, Preset, SkillTrustLevel};

use crate::gates::PlanGate;

/// Lets through to another executor what only reads. Text without calls passes; undo and redo are refused.
///
/// ```
/// use std::sync::Arc;
/// use toolgate::exec::{Pipeline, ToolExecutor};
/// use toolgate::executors::PlanModeExecutor;
/// use toolgate::shell::ShellTool;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let parent = Pipeline::builder().tool(ShellTool::builder().build().unwrap()).build().unwrap();
/// let planner = PlanModeExecutor::new(Arc::new(parent)).unwrap();
/// assert!(planner.execute("First I would look at the tests.").await.unwrap().is_none());
/// assert!(planner.execute("```bash\nrm -r tests\n```").await.is_err());
/// assert_eq!(planner.checkpoint_undo(1).await.reverted_commands, 0);
/// # });
/// ```
#[derive(Debug)]
pub struct PlanModeExecutor(Pipeline);

impl PlanModeExecutor {
    /// Plan mode in front of `inner`.
    ///
    /// # Errors
    /// Where `inner` has definitions that can't be used.
    pub fn new(inner: Arc<dyn ErasedToolExecutor>) -> Result<Self, BuildError> {
        let inner = ForeignTool::shared(inner);
        let stack = Pipeline::builder().trust(SkillTrustLevel::Trusted).gate(PlanGate);
        Ok(Self(stack.around(inner).build()?))
    }
}

impl Preset for PlanModeExecutor {
    fn pipeline(&self) -> &Pipeline {
        &self.0
    }
}
