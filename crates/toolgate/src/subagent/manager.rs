//! Makes sub-agents and keeps count of them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use toolgate_exec::{
    BuildError, Capabilities, ErasedToolExecutor, Findings, ForeignTool, NetworkScope, Normaliser, Pipeline,
    PipelineBuilder, Preset, Session, SkillTrustLevel, ToolCall,
};

use super::budget::Leash;
use super::spec::{PermissionMode, SubagentSpec};
use super::transcript::{Entry, Transcript};
use crate::gates::{NetworkGate, Opaque, PlanGate, ToolFilterGate};
use crate::understanding::{Surroundings, Understanding};

/// Why a sub-agent was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The executor's tools can't be put behind the sub-agent's wall.
    #[error("making sub-agent `{name}`: {source}")]
    Build {
        /// Which.
        name: String,
        /// Why.
        source: BuildError,
    },
    /// Its mode would answer all questions, and nobody allowed that.
    #[error("making sub-agent `{name}`: bypassing permissions is not allowed here")]
    BypassNotAllowed {
        /// Which.
        name: String,
    },
    /// Its mode would answer questions that its parent is asked.
    #[error("making sub-agent `{name}`: its parent is asked about what it would not be")]
    WiderThanParent {
        /// Which.
        name: String,
    },
    /// The manager is closed.
    #[error("making sub-agent `{name}`: no more sub-agents are made here")]
    Closed {
        /// Which.
        name: String,
    },
}

/// Makes sub-agents on one executor, a limited number at once.
pub struct SubagentManager {
    executor: Arc<dyn ErasedToolExecutor>,
    places: Arc<Semaphore>,
    /// The scope of whoever this manager works for.
    network: NetworkScope,
    opaque: Opaque,
    may_bypass: bool,
    /// The mode of whoever this manager works for; `None` for who works for nobody.
    parent: Option<PermissionMode>,
    cancel: CancellationToken,
}

impl fmt::Debug for SubagentManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubagentManager").field("network", &self.network).finish_non_exhaustive()
    }
}

impl SubagentManager {
    /// A manager of at most `limit` sub-agents at once, on the executor of their parent.
    pub fn new(executor: Arc<dyn ErasedToolExecutor>, limit: usize) -> Self {
        Self {
            executor,
            places: Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))),
            network: NetworkScope::Inherit,
            opaque: Opaque::Refused,
            may_bypass: false,
            parent: None,
            cancel: CancellationToken::new(),
        }
    }

    /// Says that the executor enforces a boundary: code that can't be read beforehand may run in it with the
    /// network closed, instead of being refused.
    #[must_use]
    pub fn contained(mut self) -> Self {
        self.opaque = Opaque::Contained;
        self
    }

    /// Allows sub-agents whose questions count as answered, for work that nobody watches.
    #[must_use]
    pub fn danger_allow_bypass(mut self) -> Self {
        self.may_bypass = true;
        self
    }

    /// Narrows the network of every sub-agent: to that of the agent they work for.
    #[must_use]
    pub fn network(mut self, scope: NetworkScope) -> Self {
        self.network = scope.within(&self.network);
        self
    }

    /// Makes a sub-agent; waits while as many as may be are at work.
    ///
    /// # Errors
    /// Where its executor can't be built, or the manager was shut down.
    pub async fn spawn(&self, spec: &SubagentSpec) -> Result<Subagent, SpawnError> {
        let closed = |_| SpawnError::Closed { name: spec.name.clone() };
        let place = self.places.clone().acquire_owned().await.map_err(closed)?;
        self.make(spec, place)
    }

    /// Makes a sub-agent if there is a place for one now.
    ///
    /// # Errors
    /// As [`SubagentManager::spawn`].
    pub fn try_spawn(&self, spec: &SubagentSpec) -> Result<Option<Subagent>, SpawnError> {
        match self.places.clone().try_acquire_owned() {
            Ok(place) => self.make(spec, place).map(Some),
            Err(tokio::sync::TryAcquireError::NoPermits) => Ok(None),
            Err(tokio::sync::TryAcquireError::Closed) => Err(SpawnError::Closed { name: spec.name.clone() }),
        }
    }

    /// Cancels every sub-agent and makes no more.
    pub fn shut_down(&self) {
        self.places.close();
        self.cancel.cancel();
    }

    fn make(&self, spec: &SubagentSpec, place: OwnedSemaphorePermit) -> Result<Subagent, SpawnError> {
        if self.parent.is_some_and(|parent| spec.mode.answers() > parent.answers()) {
            return Err(SpawnError::WiderThanParent { name: spec.name.clone() });
        }
        if spec.mode == PermissionMode::BypassPermissions && !self.may_bypass {
            return Err(SpawnError::BypassNotAllowed { name: spec.name.clone() });
        }
        let cancel = self.cancel.child_token();
        let transcript = Transcript::default();
        let leash = Leash::new(spec.budget, cancel.clone());
        let network = spec.network.within(&self.network);
        let mut stack = Pipeline::builder()
            .normaliser(leash.tag(&spec.name))
            .observer(transcript.clone())
            .observer(leash);
        if spec.mode == PermissionMode::BypassPermissions {
            stack = stack.answered(|_| true);
        }
        let build = |source| SpawnError::Build { name: spec.name.clone(), source };
        let pipeline =
            filtered(stack, self.executor.clone(), spec, network.clone(), self.opaque).map_err(build)?;
        Ok(Subagent {
            name: spec.name.clone(),
            mode: spec.mode,
            network,
            inner: Arc::new(Inner { pipeline, transcript, cancel, _place: place }),
        })
    }
}

/// The executor of a sub-agent: its parent's behind a wall of its own.
///
/// From the inside out: what it remembers, the network, plan mode, the tools it was given. Budget, transcript
/// and cancelling are the [manager](SubagentManager)'s, and so is [`PermissionMode::BypassPermissions`]: here it
/// is as the default.
///
/// ```
/// use std::sync::Arc;
/// use toolgate::exec::{Pipeline, ToolExecutor};
/// use toolgate::shell::ShellTool;
/// use toolgate::subagent::{NetworkScope, SubagentSpec, build_filtered_executor};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let parent = Pipeline::builder().tool(ShellTool::builder().build().unwrap()).build().unwrap();
/// let spec = SubagentSpec::new("reader").network(NetworkScope::Allow);
/// // The scope of the parent: the child's can't be wider.
/// let child = build_filtered_executor(Arc::new(parent), &spec, NetworkScope::Deny).unwrap();
/// assert!(child.execute("```bash\ncurl example.org\n```").await.is_err());
/// # });
/// ```
///
/// # Errors
/// Where the parent's executor has definitions that can't be used.
pub fn build_filtered_executor(
    executor: Arc<dyn ErasedToolExecutor>,
    spec: &SubagentSpec,
    network: NetworkScope,
) -> Result<Pipeline, BuildError> {
    filtered(Pipeline::builder(), executor, spec, spec.network.within(&network), Opaque::Refused)
}

fn filtered(
    stack: PipelineBuilder,
    executor: Arc<dyn ErasedToolExecutor>,
    spec: &SubagentSpec,
    network: NetworkScope,
    opaque: Opaque,
) -> Result<Pipeline, BuildError> {
    let inner = ForeignTool::shared(executor);
    let mut stack = stack
        // The parent's own level counts inside; the stricter of the two wins there.
        .trust(spec.trust.unwrap_or(SkillTrustLevel::Trusted))
        .network(network)
        .normaliser(Understanding::new(Surroundings::new("/", "/")))
        .gate(NetworkGate::new(opaque))
        .gate(ToolFilterGate::new(spec.tools.clone(), spec.disallowed_tools.clone()));
    if let Some(dir) = &spec.memory_dir {
        stack = stack.normaliser(Memory(dir.clone()));
    }
    match spec.mode {
        // Bypassing is for whoever makes a sub-agent to allow.
        PermissionMode::Default | PermissionMode::BypassPermissions => {}
        PermissionMode::AcceptEdits => stack = stack.answered(only_edits),
        PermissionMode::DontAsk => stack = stack.nobody_to_ask(),
        PermissionMode::Plan => stack = stack.gate(PlanGate),
    }
    stack.around(inner).build()
}

/// Whether a call can do nothing but read and write files.
fn only_edits(call: &ToolCall) -> bool {
    let edits = Capabilities::READS | Capabilities::WRITES | Capabilities::IDEMPOTENT;
    let capabilities = call.capabilities();
    !capabilities.is_unknown() && edits.has(capabilities)
}

/// Tells a sub-agent's commands where it remembers things.
#[derive(Debug)]
struct Memory(PathBuf);

impl Normaliser for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn normalise(&self, call: &mut ToolCall, _: &mut Findings, _: &Session) -> Result<(), String> {
        let dir = self.0.to_str().ok_or("the memory directory's name is not UTF-8")?;
        call.context.env.insert("TOOLGATE_MEMORY_DIR".to_owned(), dir.to_owned());
        Ok(())
    }
}

/// A sub-agent at work. Clones are the same one; dropping the last ends what it started.
#[derive(Clone)]
pub struct Subagent {
    name: String,
    mode: PermissionMode,
    network: NetworkScope,
    inner: Arc<Inner>,
}

struct Inner {
    pipeline: Pipeline,
    transcript: Transcript,
    cancel: CancellationToken,
    _place: OwnedSemaphorePermit,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl fmt::Debug for Subagent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subagent")
            .field("name", &self.name)
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}

impl Subagent {
    /// What records call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it did so far, oldest first.
    pub fn transcript(&self) -> Vec<Entry> {
        self.inner.transcript.entries()
    }

    /// Ends its calls; later ones are refused.
    pub fn cancel(&self) {
        self.inner.cancel.cancel();
    }

    /// A manager for sub-agents of its own: on its executor, so that theirs can't be more than its own.
    pub fn manager(&self, limit: usize) -> SubagentManager {
        let executor: Arc<dyn ErasedToolExecutor> = Arc::new(self.clone());
        let mut manager = SubagentManager::new(executor, limit).network(self.network.clone());
        manager.cancel = self.inner.cancel.child_token();
        manager.parent = Some(self.mode);
        manager
    }
}

impl Preset for Subagent {
    fn pipeline(&self) -> &Pipeline {
        &self.inner.pipeline
    }
}
