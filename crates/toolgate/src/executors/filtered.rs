//! An executor of which only some tools may be used.

use std::sync::Arc;

use toolgate_exec::{BuildError, ErasedToolExecutor, ForeignTool, Pipeline, Preset, SkillTrustLevel};

use crate::gates::{ToolFilterGate, ToolPattern, ToolPolicy};
use crate::understanding::{Surroundings, Understanding};

/// Lets through to another executor the calls that lists of tools grant.
///
/// ```
/// use std::sync::Arc;
/// use toolgate::exec::{Pipeline, ToolExecutor};
/// use toolgate::executors::FilteredToolExecutor;
/// use toolgate::gates::ToolPolicy;
/// use toolgate::shell::ShellTool;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let parent = Pipeline::builder().tool(ShellTool::builder().build().unwrap()).build().unwrap();
/// let only = ToolPolicy::allow(["Bash(echo *)"]).unwrap();
/// let child = FilteredToolExecutor::new(Arc::new(parent), only).unwrap();
/// assert!(child.execute("```bash\necho one && echo two\n```").await.is_ok());
/// assert!(child.execute("```bash\necho one && rm two\n```").await.is_err());
/// # });
/// ```
#[derive(Debug)]
pub struct FilteredToolExecutor(Pipeline);

impl FilteredToolExecutor {
    /// A policy in front of `inner`.
    ///
    /// # Errors
    /// Where `inner` has definitions that can't be used.
    pub fn new(inner: Arc<dyn ErasedToolExecutor>, policy: ToolPolicy) -> Result<Self, BuildError> {
        Self::with_disallowed(inner, policy, Vec::new())
    }

    /// A policy minus what `except` names, which wins.
    ///
    /// # Errors
    /// As [`FilteredToolExecutor::new`].
    pub fn with_disallowed(
        inner: Arc<dyn ErasedToolExecutor>,
        policy: ToolPolicy,
        except: Vec<ToolPattern>,
    ) -> Result<Self, BuildError> {
        let inner = ForeignTool::shared(inner);
        let understanding = Understanding::new(Surroundings::new("/", "/"));
        let stack = Pipeline::builder().trust(SkillTrustLevel::Trusted).normaliser(understanding);
        let stack = stack.gate(ToolFilterGate::new(policy, except));
        Ok(Self(stack.around(inner).build()?))
    }
}

impl Preset for FilteredToolExecutor {
    fn pipeline(&self) -> &Pipeline {
        &self.0
    }
}
