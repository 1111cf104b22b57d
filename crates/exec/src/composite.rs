//! Two executors as one.

use std::fmt;
use std::marker::PhantomData;

use crate::executor::{Preset, ToolExecutor};
use crate::foreign::ForeignTool;
use crate::pipeline::{BuildError, Pipeline};
use crate::tool::Tool;

/// Offers the tools of two executors; where both have one, the first owns it.
///
/// The owner of a tool answers every question about it. A text is split into its calls, each
/// goes to its owner, and all are judged before any runs.
pub struct CompositeExecutor<A, B> {
    pipeline: Pipeline,
    children: PhantomData<fn() -> (A, B)>,
}

impl<A: ToolExecutor + 'static, B: ToolExecutor + 'static> CompositeExecutor<A, B> {
    /// Puts `first` before `second`.
    ///
    /// # Errors
    /// Where one of the executors has a definition that can't be used, or offers one tool twice.
    pub fn new(first: A, second: B) -> Result<Self, BuildError> {
        let (first, second) = (ForeignTool::owned(first), ForeignTool::owned(second));
        let second = second.without(&first.definitions());
        // The children judge their own calls; the composite adds nothing and takes nothing away.
        let checkpoints = first.checkpoints().or(second.checkpoints());
        let pipeline = Pipeline::builder()
            .checkpoints(std::sync::Arc::new(checkpoints))
            .trust(crate::SkillTrustLevel::Trusted)
            .tool(first)
            .tool(second)
            .build()?;
        Ok(Self { pipeline, children: PhantomData })
    }
}

impl<A, B> Preset for CompositeExecutor<A, B> {
    fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }
}

impl<A, B> fmt::Debug for CompositeExecutor<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompositeExecutor").field("pipeline", &self.pipeline).finish()
    }
}
