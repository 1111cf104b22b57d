//! Puts the pipeline together from the configuration and the flags, and drives it.
//!
//! The one place of the binary that knows which gates, layers and tools there are, and in which
//! order they stand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolgate::approval::Asking;
use toolgate::config::{Loaded, Origin, SandboxNetwork, SandboxPreset, Source};
use toolgate::exec::{NetworkScope, Pipeline, ToolCall, ToolError, ToolOutput, ToolRegistry};
use toolgate::filter::Catalog;
use toolgate::gates::{AutonomyGate, NetworkGate, Opaque, PermissionGate, PlanGate, TrustGate};
use toolgate::grants::{Grants, GrantsWatch, NotGrantable, Proposal};
use toolgate::layers::{FilterLayer, OverflowLayer, RedactLayer};
use toolgate::shell::{Environment, OutputSink, ShellTool};
use toolgate::spawn::{BoundaryNetwork, SandboxSpawner};
use toolgate::tools::output::OutputTool;
use toolgate::understanding::{Surroundings, Understanding};

use crate::ask::Person;
use crate::config_files;
use crate::distil::{Distil, Shown};
use crate::failure::Failure;
use crate::filter_rules;
use crate::granted;
use crate::judging::surroundings;
use crate::session_flags::SessionFlags;
use crate::signals::Signals;
use crate::switched_off::SwitchedOff;

/// Everything a pipeline is made of.
#[derive(Debug)]
pub(crate) struct Assembly {
    loaded: Loaded,
    start: PathBuf,
    grants: Arc<Grants>,
}

impl Assembly {
    /// Reads the configuration for calls that start in `start`.
    pub(crate) fn load(start: &Path, flags: &[Source], session: &SessionFlags) -> Result<Self, Failure> {
        let mut flags = [flags, &session.settings()].concat();
        let (mut loaded, files) = config_files::read(start, &flags)?;
        if let Some(more) = session.writable(&loaded.config.sandbox.writable)? {
            flags.push(more);
            loaded = config_files::merge(start, &files, &flags)?;
        }
        Ok(Self { loaded, start: start.to_owned(), grants: granted::open(start)? })
    }

    /// The filter rules that count here; `None` where output is not to be filtered.
    pub(crate) fn rules(&self) -> Result<Option<Catalog>, Failure> {
        match self.loaded.config.tools.filters.enabled {
            true => filter_rules::catalog(&self.start, &self.loaded).map(Some),
            false => Ok(None),
        }
    }

    /// What becomes of output, with these rules.
    pub(crate) fn distil(&self, rules: Option<Catalog>, shown: Shown) -> Result<Distil, Failure> {
        Distil::new(&self.loaded, rules, shown)
    }

    /// The pipeline of calls whose results are told in one piece.
    pub(crate) fn pipeline(&self, session: &SessionFlags, signals: &Signals) -> Result<Pipeline, Failure> {
        let distil = self.distil(self.rules()?, Shown::Distilled)?;
        self.pipeline_with(session, signals, &distil, None)
    }

    /// Builds the pipeline. The output of commands goes to `sink` as it comes, where there is one; a
    /// signal to us ends them.
    ///
    /// Must be called in the runtime that the pipeline is to run in.
    pub(crate) fn pipeline_with(
        &self,
        session: &SessionFlags,
        signals: &Signals,
        distil: &Distil,
        sink: Option<Arc<dyn OutputSink>>,
    ) -> Result<Pipeline, Failure> {
        let surroundings = surroundings(&self.loaded, &self.start);
        let network = self.network(session);
        let boundary = self.boundary(&surroundings, &network)?;
        let contained = boundary.is_contained();
        let opaque = if contained { Opaque::Contained } else { Opaque::Refused };
        let mut builder = Pipeline::builder()
            .trust(session.trust)
            .network(network.clone())
            .gate(TrustGate)
            .gate(AutonomyGate(session.autonomy))
            .gate(NetworkGate::new(opaque))
            .gate(self.permission(session, &surroundings, contained));
        if session.plan {
            builder = builder.gate(PlanGate);
        }
        if !self.loaded.config.tools.enabled {
            builder = builder.gate(SwitchedOff { origin: self.origin("tools.enabled") });
        }
        let shell = self.shell(signals, sink, distil, boundary)?;
        if distil.shown != Shown::Whole {
            builder = builder.layer(OverflowLayer::new(distil.outputs.clone()));
        }
        if let Some(filters) = &distil.filters {
            builder = builder.layer(FilterLayer::new(filters.clone()).keeping(distil.outputs.clone()));
        }
        Ok(builder
            .layer(RedactLayer::new(distil.secrets.clone()))
            .normaliser(shell.directories())
            .normaliser(Understanding::new(surroundings))
            .normaliser(GrantsWatch(self.grants.clone()))
            .tool(shell)
            .tool(OutputTool::new(distil.outputs.clone()))
            .build()?)
    }

    /// The grants that count here.
    pub(crate) fn grants(&self) -> &Grants {
        &self.grants
    }

    /// What would have to be granted so that this call is not asked about; nothing runs.
    pub(crate) fn proposal(
        &self,
        session: &SessionFlags,
        call: &ToolCall,
    ) -> Result<Result<Proposal, NotGrantable>, Failure> {
        let surroundings = surroundings(&self.loaded, &self.start);
        // As where nothing else holds it back: a grant says what may be done, wherever it is asked.
        let gate = self.permission(session, &surroundings, false);
        in_runtime(async |_| {
            let shell = ShellTool::builder().build().map_err(|e| Failure::io("making the shell tool", e))?;
            let pipeline = Pipeline::builder()
                .trust(session.trust)
                .network(NetworkScope::Allow)
                .normaliser(Understanding::new(surroundings))
                .tool(shell)
                .build()?;
            let judged = pipeline.judge_call(call).map(|judged| judged.call);
            let around = pipeline.session().narrowed(&call.context);
            Ok(gate.proposal_for_pattern(judged.as_ref().unwrap_or(call), &around))
        })
    }

    /// What the configuration says, flags included; a list of hosts only a flag can name.
    fn network(&self, session: &SessionFlags) -> NetworkScope {
        let config = &self.loaded.config;
        match (&session.network, config.sandbox.network) {
            _ if !config.tools.shell.allow_network => NetworkScope::Deny,
            (Some(only @ NetworkScope::Only(_)), _) => only.clone(),
            (_, SandboxNetwork::Allow) => NetworkScope::Allow,
            (_, SandboxNetwork::Deny) => NetworkScope::Deny,
        }
    }

    fn permission(
        &self,
        session: &SessionFlags,
        surroundings: &Surroundings,
        contained: bool,
    ) -> PermissionGate {
        PermissionGate::new(surroundings)
            .policy(Arc::clone(&self.loaded.policy))
            .contained(contained)
            .autonomy(session.autonomy)
            .grants(self.grants.clone())
    }

    /// What commands run in, as the configuration says it and this machine gives it.
    fn boundary(&self, surroundings: &Surroundings, network: &NetworkScope) -> Result<Boundary, Failure> {
        let section = &self.loaded.config.sandbox;
        let mut policy = section.policy(&surroundings.home, &self.start);
        if section.preset == SandboxPreset::WorkspaceWrite {
            policy.writable.extend(self.loaded.config.tools.shell.allowed_paths.iter().cloned());
        }
        policy.network = match network {
            NetworkScope::Inherit | NetworkScope::Allow => BoundaryNetwork::Allow,
            NetworkScope::Only(hosts) => BoundaryNetwork::Only(hosts.clone()),
            _ => BoundaryNetwork::Deny,
        };
        let mut spawner = SandboxSpawner::new(policy)?;
        if !section.narrow {
            spawner = spawner.whatever_they_need();
        }
        Ok(Boundary { spawner, contained: self.contained() })
    }

    /// Whether what must not be done can't be done: in full, or the command does not start. What the open
    /// preset lets through it does not hold back either.
    fn contained(&self) -> bool {
        let section = &self.loaded.config.sandbox;
        !section.degrade && section.preset != SandboxPreset::Open
    }

    /// The permission gate, as the pipeline has it.
    fn gate(&self, session: &SessionFlags) -> PermissionGate {
        self.permission(session, &surroundings(&self.loaded, &self.start), self.contained())
    }

    fn shell(
        &self,
        signals: &Signals,
        sink: Option<Arc<dyn OutputSink>>,
        distil: &Distil,
        boundary: Boundary,
    ) -> Result<ShellTool, Failure> {
        let config = &self.loaded.config.tools.shell;
        let environment = Environment::of_this_process().inherit(&config.env_allow).map_err(|error| {
            Failure::io("choosing the environment of commands", std::io::Error::other(error))
        })?;
        let mut shell = ShellTool::builder()
            .spawner(boundary.spawner)
            .environment(environment)
            .cwd(&self.start)
            .persist_cwd(config.persist_cwd)
            .secrets(distil.secrets.clone())
            .cancel(signals.cancel())
            .timeout(Duration::from_secs(config.timeout))
            .background_timeout(Duration::from_secs(config.background_timeout_secs))
            .max_background_runs(usize::try_from(config.max_background_runs).unwrap_or(usize::MAX));
        if let Some(sink) = sink {
            shell = shell.sink(sink);
        }
        if let Some(filters) = &distil.filters {
            shell = shell.filters(filters.clone());
        }
        if distil.shown != Shown::Whole {
            shell = shell.outputs(distil.outputs.clone());
        }
        shell.build().map_err(|error| Failure::io("making the shell tool", error))
    }

    fn origin(&self, key: &str) -> Origin {
        let setting = self.loaded.setting(key).and_then(|s| s.origins.last().cloned());
        setting.unwrap_or_else(Origin::built_in)
    }
}

/// What commands run in.
struct Boundary {
    spawner: SandboxSpawner,
    contained: bool,
}

impl Boundary {
    /// Whether what must not be done can't be done: in full, or the command does not start.
    fn is_contained(&self) -> bool {
        self.contained
    }
}

/// Runs `work` in a runtime of one thread, until it is done or a second signal comes.
pub(crate) fn in_runtime<T>(work: impl AsyncFnOnce(Signals) -> Result<T, Failure>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::io("starting the runtime", error))?;
    runtime.block_on(async {
        let signals = Signals::watch().map_err(|error| Failure::io("watching for signals", error))?;
        tokio::select! {
            biased;
            done = work(signals.clone()) => done,
            // Dropping the work ends what it started, at once.
            () = signals.again() => Err(Failure::Signalled { signal: signals.number().unwrap_or(2), partial: None }),
        }
    })
}

/// Runs one call, and asks where it must be asked about.
pub(crate) async fn run_call(
    assembly: &Assembly,
    pipeline: &Pipeline,
    call: ToolCall,
    flags: &SessionFlags,
    signals: &Signals,
) -> Result<ToolOutput, Failure> {
    let person = Person::new(signals.cancel());
    let gate = assembly.gate(flags);
    let outcome = Asking::new(pipeline, flags.approver(&person)).remembering(&gate).call(&call).await;
    match settled(outcome, signals, &person)? {
        Some(output) => Ok(output),
        None => {
            let tools = ToolRegistry::from_definitions(pipeline.all_definitions());
            let unknown = tools.require(&call.tool_id).err();
            let name = call.tool_id.to_string();
            Err(unknown.unwrap_or(ToolError::UnknownTool { name, nearest: None }).into())
        }
    }
}

/// Runs the calls of a text, and asks once about all that must be asked about.
pub(crate) async fn run_text(
    assembly: &Assembly,
    pipeline: &Pipeline,
    text: &str,
    flags: &SessionFlags,
    signals: &Signals,
) -> Result<Option<ToolOutput>, Failure> {
    let person = Person::new(signals.cancel());
    let gate = assembly.gate(flags);
    let outcome = Asking::new(pipeline, flags.approver(&person)).remembering(&gate).text(text).await;
    settled(outcome, signals, &person)
}

/// The outcome, where a signal to us and a missing approval are told as what they were.
fn settled<T>(outcome: Result<T, ToolError>, signals: &Signals, person: &Person) -> Result<T, Failure> {
    match (outcome, signals.number()) {
        (Err(error), Some(signal)) if ended_early(&error) => {
            Err(Failure::Signalled { signal, partial: Failure::Tool(error).partial().map(Box::new) })
        }
        (Err(question @ ToolError::ConfirmationRequired { .. }), None) => {
            Err(Failure::Unapproved { question, asked: person.answered(), grants: person.grants() })
        }
        (outcome, _) => Ok(outcome?),
    }
}

/// Whether a call ended because nobody waited for it any more, or for its approval.
fn ended_early(error: &ToolError) -> bool {
    match error {
        ToolError::Cancelled { .. } | ToolError::ConfirmationRequired { .. } => true,
        ToolError::Stopped { source, .. } => ended_early(source),
        _ => false,
    }
}
