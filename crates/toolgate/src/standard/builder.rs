//! How strict each part of a standard pipeline is.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolgate_exec::{NetworkScope, Pipeline, PipelineBuilder, SkillTrustLevel};
use toolgate_policy::decide::Policy;

use super::{Standard, StandardError};
use crate::config::{Config, Loaded, SandboxNetwork, SandboxPreset};
use crate::gates::{AutonomyGate, AutonomyLevel, NetworkGate, Opaque, PermissionGate, PlanGate, TrustGate};
use crate::grants::{Grants, GrantsWatch};
use crate::layers::{FilterLayer, OverflowLayer, RedactLayer};
use crate::output::{Filters, Outputs, SecretValues};
use crate::overflow::{OverflowConfig, Persist};
use crate::shell::{Environment, ShellTool, ShellToolBuilder};
use crate::spawn::{BoundaryLevel, BoundaryNetwork, BoundaryPolicy, SandboxSpawner};
use crate::tools::output::OutputTool;
use crate::understanding::{Surroundings, Understanding};

/// Puts a [`Standard`] pipeline together.
pub struct StandardBuilder {
    surroundings: Surroundings,
    trust: SkillTrustLevel,
    autonomy: AutonomyLevel,
    network: NetworkScope,
    plan: bool,
    policy: Arc<Policy>,
    grants: Arc<Grants>,
    boundary: BoundaryPolicy,
    narrow: bool,
    secrets: SecretValues,
    filters: Option<Filters>,
    outputs: Option<Outputs>,
    shell: ShellToolBuilder,
    stack: PipelineBuilder,
    reads_on: bool,
    environment: Environment,
}

impl fmt::Debug for StandardBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StandardBuilder")
            .field("surroundings", &self.surroundings)
            .field("trust", &self.trust)
            .field("autonomy", &self.autonomy)
            .field("network", &self.network)
            .field("plan", &self.plan)
            .field("boundary", &self.boundary)
            .field("stack", &self.stack)
            .finish_non_exhaustive()
    }
}

impl StandardBuilder {
    pub(super) fn new(workspace: PathBuf, home: PathBuf, boundary: BoundaryPolicy) -> Self {
        let environment = Environment::of_this_process();
        let surroundings = Surroundings::of(&workspace, &home, &environment);
        let secrets = SecretValues::new();
        let cut_only = OverflowConfig { persist: Persist::Never, ..OverflowConfig::default() };
        Self {
            trust: SkillTrustLevel::Quarantined,
            autonomy: AutonomyLevel::default(),
            network: NetworkScope::Deny,
            plan: false,
            policy: Arc::default(),
            grants: Arc::new(Grants::in_memory(&workspace)),
            boundary,
            narrow: true,
            filters: Some(Filters::built_in()),
            outputs: Some(Outputs::new(cut_only).secrets(secrets.clone())),
            secrets,
            shell: ShellTool::builder().cwd(&workspace),
            stack: Pipeline::builder(),
            reads_on: true,
            surroundings,
            environment,
        }
    }

    pub(super) fn configure(mut self, loaded: &Loaded) -> Result<Self, StandardError> {
        let Config { tools, sandbox, .. } = &loaded.config;
        let shell = &tools.shell;
        self.surroundings.roots.extend(shell.allowed_paths.iter().cloned());
        self.policy = Arc::clone(&loaded.policy);
        if sandbox.preset == SandboxPreset::WorkspaceWrite {
            self.boundary.writable.extend(shell.allowed_paths.iter().cloned());
        }
        self.narrow = sandbox.narrow;
        self.network = match sandbox.network {
            SandboxNetwork::Allow if shell.allow_network => NetworkScope::Allow,
            SandboxNetwork::Allow | SandboxNetwork::Deny => NetworkScope::Deny,
        };
        if !tools.filters.enabled {
            self.filters = None;
        }
        self.shell = self
            .shell
            .environment(std::mem::take(&mut self.environment).inherit(&shell.env_allow)?)
            .persist_cwd(shell.persist_cwd)
            .timeout(Duration::from_secs(shell.timeout))
            .background_timeout(Duration::from_secs(shell.background_timeout_secs))
            .max_background_runs(usize::try_from(shell.max_background_runs).unwrap_or(usize::MAX));
        Ok(self)
    }

    /// Sets how far the source of the calls is trusted.
    #[must_use]
    pub fn trust(mut self, level: SkillTrustLevel) -> Self {
        self.trust = level;
        self
    }

    /// Sets how much is done without asking.
    #[must_use]
    pub fn autonomy(mut self, level: AutonomyLevel) -> Self {
        self.autonomy = level;
        self
    }

    /// Sets what of the network can be reached: by the wall, which refuses, and by the boundary, which enforces.
    #[must_use]
    pub fn network(mut self, scope: NetworkScope) -> Self {
        self.network = scope;
        self
    }

    /// Refuses what can change anything: the agent looks and plans.
    #[must_use]
    pub fn plan(mut self, plan: bool) -> Self {
        self.plan = plan;
        self
    }

    /// Sets by what calls are judged; the default profile where nobody does.
    #[must_use]
    pub fn policy(mut self, policy: impl Into<Arc<Policy>>) -> Self {
        self.policy = policy.into();
        self
    }

    /// Sets what a person allowed to be done again, and where such answers are kept.
    #[must_use]
    pub fn grants(mut self, grants: Arc<Grants>) -> Self {
        self.grants = grants;
        self
    }

    /// Sets what commands run in. Its network is that of [`network`](Self::network).
    ///
    /// Where it settles for less than the whole boundary, or can write everywhere, calls are judged as if
    /// nothing held them back.
    #[must_use]
    pub fn boundary(mut self, boundary: BoundaryPolicy) -> Self {
        self.boundary = boundary;
        self
    }

    /// Sets the secrets that are masked besides known shapes and the variables of a call's skill.
    #[must_use]
    pub fn secrets(mut self, secrets: SecretValues) -> Self {
        self.secrets = secrets;
        self
    }

    /// Sets the rules by which output is made shorter, or that it is not.
    #[must_use]
    pub fn filters(mut self, filters: Option<Filters>) -> Self {
        self.filters = filters;
        self
    }

    /// Sets where output is kept that is too long to be shown. With `None` all of it is shown.
    #[must_use]
    pub fn outputs(mut self, outputs: Option<Outputs>) -> Self {
        self.outputs = outputs;
        self
    }

    /// Leaves out the tool that reads on in kept outputs: for whoever makes a single call, or reads them in
    /// another way.
    #[must_use]
    pub fn without_output_tool(mut self) -> Self {
        self.reads_on = false;
        self
    }

    /// Changes the shell tool: its limits, a sink, a signal that ends what runs. What it runs in, and what
    /// becomes of its output, is set here and not there.
    #[must_use]
    pub fn shell(mut self, change: impl FnOnce(ShellToolBuilder) -> ShellToolBuilder) -> Self {
        self.shell = change(self.shell);
        self
    }

    /// Adds gates, layers, observers, tools and events of your own. A gate can only tighten. Layers stand
    /// outside of the standard ones: they see output masked and filtered.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(PipelineBuilder) -> PipelineBuilder) -> Self {
        self.stack = change(self.stack);
        self
    }

    /// The gate that judges by policy, as it will stand in the wall.
    pub fn permission(&self) -> PermissionGate {
        PermissionGate::new(&self.surroundings)
            .policy(Arc::clone(&self.policy))
            .contained(self.is_contained())
            .autonomy(self.autonomy)
            .grants(Arc::clone(&self.grants))
    }

    /// Whether what must not be done can't be done: in full, or the command does not start. A boundary that can
    /// write everywhere does not hold anything back either.
    fn is_contained(&self) -> bool {
        let everywhere = |dir: &PathBuf| dir.as_path() == Path::new("/");
        self.boundary.least == BoundaryLevel::Full && !self.boundary.writable.iter().any(everywhere)
    }

    /// Builds it.
    ///
    /// # Errors
    /// Where this machine can't enforce the boundary, the shell tool can't be made, or a tool of yours has the
    /// name of one of ours.
    pub fn build(self) -> Result<Standard, StandardError> {
        let permission = self.permission();
        let opaque = if self.is_contained() { Opaque::Contained } else { Opaque::Refused };
        let spawner = spawner(self.boundary, &self.network, self.narrow)?;
        let mut shell = self.shell.spawner(spawner).secrets(self.secrets.clone());
        if let Some(filters) = &self.filters {
            shell = shell.filters(filters.clone());
        }
        if let Some(outputs) = &self.outputs {
            shell = shell.outputs(outputs.clone());
        }
        let shell = shell.build().map_err(StandardError::Shell)?;
        let mut stack = self
            .stack
            .trust(self.trust)
            .network(self.network)
            .gate(TrustGate)
            .gate(AutonomyGate(self.autonomy))
            .gate(NetworkGate::new(opaque))
            .gate(permission.clone());
        if self.plan {
            stack = stack.gate(PlanGate);
        }
        if let Some(outputs) = &self.outputs {
            stack = stack.layer(OverflowLayer::new(outputs.clone()));
        }
        if let Some(filters) = self.filters {
            let layer = FilterLayer::new(filters);
            stack = stack.layer(match self.outputs.clone() {
                Some(outputs) => layer.keeping(outputs),
                None => layer,
            });
        }
        let runs = shell.background_runs();
        let mut stack = stack
            .layer(RedactLayer::new(self.secrets.clone()))
            .normaliser(shell.directories())
            .normaliser(Understanding::new(self.surroundings))
            .normaliser(GrantsWatch(self.grants))
            .tool(shell);
        if let Some(outputs) = self.outputs.filter(|_| self.reads_on) {
            stack = stack.tool(OutputTool::new(outputs));
        }
        let pipeline = stack.build()?;
        Ok(Standard { pipeline, permission, secrets: self.secrets, runs })
    }
}

fn spawner(
    mut policy: BoundaryPolicy,
    network: &NetworkScope,
    narrow: bool,
) -> Result<SandboxSpawner, StandardError> {
    policy.network = match network {
        NetworkScope::Inherit | NetworkScope::Allow => BoundaryNetwork::Allow,
        NetworkScope::Only(hosts) => BoundaryNetwork::Only(hosts.clone()),
        _ => BoundaryNetwork::Deny,
    };
    let spawner = SandboxSpawner::new(policy).map_err(StandardError::Boundary)?;
    Ok(if narrow { spawner } else { spawner.whatever_they_need() })
}
