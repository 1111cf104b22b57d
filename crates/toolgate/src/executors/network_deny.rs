//! An executor whose network is closed.

use std::sync::Arc;

use toolgate_exec::{
    BuildError, ErasedToolExecutor, ForeignTool, NetworkScope, Pipeline, Preset, SkillTrustLevel,
};

use crate::gates::{NetworkGate, Opaque};
use crate::understanding::{Surroundings, Understanding};

/// Closes the network for one user of a shared executor.
///
/// The executor inside, and whoever else uses it, are left untouched. Calls that would reach the network
/// are refused on every door; all others pass unchanged, with the scope `Deny` in their context, so that a
/// boundary inside enforces what no list can see: what a build or a script file does that nobody has read.
///
/// ```
/// use std::sync::Arc;
/// use toolgate::exec::{Pipeline, ToolCall, ToolError, ToolExecutor};
/// use toolgate::executors::NetworkDenyToolExecutor;
/// use toolgate::shell::ShellTool;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let parent = Pipeline::builder().tool(ShellTool::builder().build().unwrap()).build().unwrap();
/// let child = NetworkDenyToolExecutor::new(Arc::new(parent)).unwrap();
/// let refused = child.execute("```bash\n(true & timeout 5 curl example.org)\n```").await;
/// assert!(matches!(refused, Err(ToolError::Blocked { .. })));
/// let passed = child.execute("```bash\necho \"curl $(echo it)\"\n```").await.unwrap().unwrap();
/// assert_eq!(passed.summary, "curl it");
/// # });
/// ```
#[derive(Debug)]
pub struct NetworkDenyToolExecutor(Pipeline);

impl NetworkDenyToolExecutor {
    /// Closes the network in front of `inner`.
    ///
    /// # Errors
    /// Where `inner` has definitions that can't be used.
    pub fn new(inner: Arc<dyn ErasedToolExecutor>) -> Result<Self, BuildError> {
        Self::with(inner, Opaque::Refused)
    }

    /// The same, with unreadable code left to the boundary. Only where `inner` enforces one.
    ///
    /// # Errors
    /// As [`NetworkDenyToolExecutor::new`].
    pub fn leaving_opaque_code_to_the_boundary(
        inner: Arc<dyn ErasedToolExecutor>,
    ) -> Result<Self, BuildError> {
        Self::with(inner, Opaque::Contained)
    }

    fn with(inner: Arc<dyn ErasedToolExecutor>, opaque: Opaque) -> Result<Self, BuildError> {
        let inner = ForeignTool::shared(inner);
        // The directory only matters for paths, which this gate does not judge.
        let understanding = Understanding::new(Surroundings::new("/", "/"));
        let stack = Pipeline::builder().trust(SkillTrustLevel::Trusted).network(NetworkScope::Deny);
        let stack = stack.normaliser(understanding).gate(NetworkGate::new(opaque));
        Ok(Self(stack.around(inner).build()?))
    }
}

impl Preset for NetworkDenyToolExecutor {
    fn pipeline(&self) -> &Pipeline {
        &self.0
    }
}
