//! The standard pipeline with the configuration and the flags of the command line, and how it is driven.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Runtime;
use toolgate::config::{Loaded, Origin, Source};
use toolgate::exec::{NetworkScope, Pipeline, Preset as _, ToolCall, ToolError, ToolOutput, ToolRegistry};
use toolgate::filter::Catalog;
use toolgate::gates::PermissionGate;
use toolgate::grants::{Grants, NotGrantable, Proposal};
use toolgate::shell::{OutputSink, ShellTool};
use toolgate::standard::{Standard, StandardBuilder};
use toolgate::understanding::Understanding;

use crate::ask::Person;
use crate::config_files;
use crate::distil::{Distil, Shown};
use crate::failure::Failure;
use crate::filter_rules;
use crate::granted;
use crate::judging::{home, surroundings};
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
    pub(crate) fn pipeline(&self, session: &SessionFlags, signals: &Signals) -> Result<Standard, Failure> {
        let distil = self.distil(self.rules()?, Shown::Distilled)?;
        Ok(self.builder(session, signals, &distil, None)?.build()?)
    }

    /// Begins a pipeline. The output of commands goes to `sink` as it comes, where there is one; a
    /// signal to us ends them.
    ///
    /// Must be called in the runtime that the pipeline is to run in.
    pub(crate) fn builder(
        &self,
        session: &SessionFlags,
        signals: &Signals,
        distil: &Distil,
        sink: Option<Arc<dyn OutputSink>>,
    ) -> Result<StandardBuilder, Failure> {
        let mut builder = Standard::configured(&self.loaded, &self.start, home())?
            .trust(session.trust)
            .autonomy(session.autonomy)
            .plan(session.plan)
            .grants(Arc::clone(&self.grants))
            .secrets(distil.secrets.clone())
            .filters(distil.filters.clone())
            .outputs(Some(distil.outputs.clone()).filter(|_| distil.shown != Shown::Whole))
            .shell(|shell| shell.cancel(signals.cancel()));
        if let Some(network) = self.network(session) {
            builder = builder.network(network);
        }
        if let Some(sink) = sink {
            builder = builder.shell(|shell| shell.sink(sink));
        }
        if !self.loaded.config.tools.enabled {
            let off = SwitchedOff { origin: self.origin("tools.enabled") };
            builder = builder.with(|stack| stack.gate(off));
        }
        Ok(builder)
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
        let gate = PermissionGate::new(&surroundings)
            .policy(Arc::clone(&self.loaded.policy))
            .autonomy(session.autonomy)
            .grants(Arc::clone(&self.grants));
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

    /// The list of hosts of the flag, which no configuration can name.
    fn network(&self, session: &SessionFlags) -> Option<NetworkScope> {
        let open = self.loaded.config.tools.shell.allow_network;
        session.network.clone().filter(|scope| open && matches!(scope, NetworkScope::Only(_)))
    }

    fn origin(&self, key: &str) -> Origin {
        let setting = self.loaded.setting(key).and_then(|s| s.origins.last().cloned());
        setting.unwrap_or_else(Origin::built_in)
    }
}

/// Runs `work` in a runtime of its own, until it is done or a second signal comes.
pub(crate) fn in_runtime<T>(work: impl AsyncFnOnce(Signals) -> Result<T, Failure>) -> Result<T, Failure> {
    drive(&runtime()?, work)
}

/// A runtime of one thread.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::io("starting the runtime", error))
}

/// Runs `work` in this runtime, until it is done or a second signal comes.
pub(crate) fn drive<T>(
    runtime: &Runtime,
    work: impl AsyncFnOnce(Signals) -> Result<T, Failure>,
) -> Result<T, Failure> {
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
    agent: &Standard,
    call: ToolCall,
    flags: &SessionFlags,
    signals: &Signals,
) -> Result<ToolOutput, Failure> {
    let person = Person::new(signals.cancel());
    let outcome = agent.asking(flags.approver(&person)).call(&call).await;
    match settled(outcome, signals, &person)? {
        Some(output) => Ok(output),
        None => {
            let tools = ToolRegistry::from_definitions(agent.pipeline().all_definitions());
            let unknown = tools.require(&call.tool_id).err();
            let name = call.tool_id.to_string();
            Err(unknown.unwrap_or(ToolError::UnknownTool { name, nearest: None }).into())
        }
    }
}

/// Runs the calls of a text, and asks once about all that must be asked about.
pub(crate) async fn run_text(
    agent: &Standard,
    text: &str,
    flags: &SessionFlags,
    signals: &Signals,
) -> Result<Option<ToolOutput>, Failure> {
    let person = Person::new(signals.cancel());
    let outcome = agent.asking(flags.approver(&person)).text(text).await;
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
