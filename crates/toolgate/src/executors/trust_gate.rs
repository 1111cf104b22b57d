//! An executor behind trust and policy.

use toolgate_exec::{BuildError, ErasedToolExecutor, ForeignTool, Pipeline, Preset, SkillTrustLevel};

use crate::gates::{PermissionGate, TrustGate};
use crate::understanding::{Surroundings, Understanding};

/// Lets through to another executor what the trust level and a policy allow. Starts at `Trusted`.
///
/// ```
/// use toolgate::exec::{Pipeline, SkillTrustLevel, ToolError, ToolExecutor};
/// use toolgate::gates::PermissionGate;
/// use toolgate::shell::ShellTool;
/// use toolgate::trust_gate::TrustGateExecutor;
/// use toolgate::understanding::Surroundings;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let inner = Pipeline::builder().tool(ShellTool::builder().build().unwrap()).build().unwrap();
/// let around = Surroundings::new("/home/ann/project", "/home/ann");
/// let gate = TrustGateExecutor::new(inner, PermissionGate::new(&around), around).unwrap();
/// assert!(gate.execute("```bash\necho hi\n```").await.is_ok());
/// let asked = gate.execute("```bash\nrm src/lib.rs\n```").await;
/// assert!(matches!(asked, Err(ToolError::ConfirmationRequired { .. })));
/// gate.set_effective_trust(SkillTrustLevel::Quarantined);
/// let refused = gate.execute("```bash\necho hi\n```").await;
/// assert!(matches!(refused, Err(ToolError::Blocked { .. })));
/// # });
/// ```
#[derive(Debug)]
pub struct TrustGateExecutor(Pipeline);

impl TrustGateExecutor {
    /// Puts `inner` behind the trust gate and `policy`.
    ///
    /// # Errors
    /// Where `inner` has definitions that can't be used.
    pub fn new(
        inner: impl ErasedToolExecutor + 'static,
        policy: PermissionGate,
        surroundings: Surroundings,
    ) -> Result<Self, BuildError> {
        let inner = ForeignTool::owned(inner);
        let stack = Pipeline::builder().trust(SkillTrustLevel::Trusted);
        let stack = stack.normaliser(Understanding::new(surroundings)).gate(TrustGate).gate(policy);
        Ok(Self(stack.around(inner).build()?))
    }

    /// The trust level that counts now.
    pub fn effective_trust(&self) -> SkillTrustLevel {
        self.0.session().trust
    }
}

impl Preset for TrustGateExecutor {
    fn pipeline(&self) -> &Pipeline {
        &self.0
    }
}
