//! An executor that runs shell commands and nothing else.

use toolgate_exec::{BuildError, Pipeline, PipelineBuilder, Preset};

use crate::tools::shell::{BackgroundRuns, ShellTool};

/// Runs an agent's shell commands behind the gates it is given.
///
/// ```
/// use toolgate::exec::{Pipeline, ToolCall, ToolExecutor};
/// use toolgate::shell::{ShellExecutor, ShellTool};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let gates = Pipeline::builder(); // `.gate(…)`: without any, everything is allowed
/// let shell = ShellExecutor::behind(gates, ShellTool::builder().build().unwrap()).unwrap();
/// let out = shell.execute("```bash\necho hi\n```").await.unwrap().unwrap();
/// assert_eq!(out.summary, "hi");
/// # });
/// ```
#[derive(Debug)]
pub struct ShellExecutor {
    pipeline: Pipeline,
    runs: BackgroundRuns,
}

impl ShellExecutor {
    /// Puts a shell behind these gates, observers and layers.
    ///
    /// # Errors
    /// Where a tool that is in there already has one of its names.
    pub fn behind(stack: PipelineBuilder, shell: ShellTool) -> Result<Self, BuildError> {
        let runs = shell.background_runs();
        let pipeline = stack.normaliser(shell.directories()).tool(shell).build()?;
        Ok(Self { pipeline, runs })
    }

    /// The commands that run in the background.
    pub fn background_runs(&self) -> &BackgroundRuns {
        &self.runs
    }
}

impl Preset for ShellExecutor {
    fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }
}
