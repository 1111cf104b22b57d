//! An executor for an agent that only plans.

use std::sync::Arc;

use toolgate_exec::{BuildError, ErasedToolExecutor, ForeignTool, Pipeline, Preset, SkillTrustLevel};

use crate::gates::PlanGate;

/// Lets through to another executor what only reads. Text without calls passes; undo and redo are refused.
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
