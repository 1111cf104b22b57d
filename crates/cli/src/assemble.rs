//! Puts the pipeline together from the configuration and the flags, and drives it.
//!
//! The one place of the binary that knows which gates, layers and tools there are, and in which
//! order they stand.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use toolgate::config::{Loaded, Origin, Source};
use toolgate::shell::{Environment, ShellTool};
use toolgate_exec::{
    Pipeline, SkillTrustLevel, Text, ToolCall, ToolError, ToolExecutor, ToolOutput, ToolRegistry, Verdict,
};

use crate::ask::{Answer, ask};
use crate::config_files;
use crate::failure::{Failure, reason_line};
use crate::live::Live;
use crate::session_flags::SessionFlags;
use crate::signals::Signals;
use crate::switched_off::SwitchedOff;
use crate::ui::visible_lines;

/// Everything a pipeline is made of.
#[derive(Debug)]
pub(crate) struct Assembly {
    loaded: Loaded,
    start: PathBuf,
}

impl Assembly {
    /// Reads the configuration for calls that start in `start`.
    pub(crate) fn load(start: &Path, flags: &[Source]) -> Result<Self, Failure> {
        let (loaded, _) = config_files::read(start, flags)?;
        Ok(Self { loaded, start: start.to_owned() })
    }

    /// Builds the pipeline. The output of commands goes to `live` as it comes, where there is one.
    ///
    /// Must be called in the runtime that the pipeline is to run in.
    pub(crate) fn pipeline(&self, live: Option<Arc<Live>>) -> Result<Pipeline, Failure> {
        self.refuse_what_nothing_enforces()?;
        // Whoever types a command vouches for it.
        let mut builder = Pipeline::builder().trust(SkillTrustLevel::Trusted);
        if !self.loaded.config.tools.enabled {
            builder = builder.gate(SwitchedOff { origin: self.origin("tools.enabled") });
        }
        let shell = self.shell(live)?;
        Ok(builder.normaliser(shell.directories()).tool(shell).build()?)
    }

    fn shell(&self, live: Option<Arc<Live>>) -> Result<ShellTool, Failure> {
        let config = &self.loaded.config.tools.shell;
        let environment = Environment::of_this_process().inherit(&config.env_allow).map_err(|error| {
            Failure::io("choosing the environment of commands", std::io::Error::other(error))
        })?;
        let mut shell = ShellTool::builder()
            .environment(environment)
            .cwd(&self.start)
            .persist_cwd(config.persist_cwd)
            .timeout(Duration::from_secs(config.timeout))
            .background_timeout(Duration::from_secs(config.background_timeout_secs))
            .max_background_runs(usize::try_from(config.max_background_runs).unwrap_or(usize::MAX));
        if let Some(live) = live {
            shell = shell.sink(live);
        }
        shell.build().map_err(|error| Failure::io("making the shell tool", error))
    }

    fn origin(&self, key: &str) -> Origin {
        let setting = self.loaded.setting(key).and_then(|s| s.origins.last().cloned());
        setting.unwrap_or_else(Origin::built_in)
    }

    /// A protection that the user asked for and does not get is worse than none: it is relied on.
    fn refuse_what_nothing_enforces(&self) -> Result<(), Failure> {
        /// Keys whose gate or boundary is not in this build. A line goes when its part comes.
        const UNENFORCED: [&str; 5] = [
            "tools.shell.blocked_commands",
            "tools.shell.allowed_commands",
            "tools.shell.allowed_paths",
            "tools.shell.allow_network",
            "tools.shell.confirm_patterns",
        ];
        for key in UNENFORCED {
            let Some(setting) = self.loaded.setting(key) else { continue };
            let is_default = match &setting.value {
                Value::Array(list) => list.is_empty(),
                value => *value == Value::Bool(true),
            };
            if !is_default {
                return Err(Failure::Unenforced { key, origin: self.origin(key) });
            }
        }
        Ok(())
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
            () = signals.again() => Err(Failure::Signalled(signals.number().unwrap_or(2))),
        }
    })
}

/// Runs one call, and asks where it must be asked about.
pub(crate) async fn run_call(
    pipeline: &Pipeline,
    mut call: ToolCall,
    flags: &SessionFlags,
    signals: &Signals,
) -> Result<ToolOutput, Failure> {
    call.context.cancel = Some(signals.cancel());
    let mut outcome = pipeline.execute_tool_call(&call).await;
    if let Err(question @ ToolError::ConfirmationRequired { .. }) = outcome {
        let ToolError::ConfirmationRequired { digest: Some(digest), .. } = &question else {
            return Err(Failure::Unapproved { question, asked: false });
        };
        // Bound to the digest: what runs is what was shown.
        let digest = *digest;
        approve(flags, question, &[])?;
        outcome = pipeline.execute_approved(&call, digest).await;
    }
    match settled(outcome, signals)? {
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
    pipeline: &Pipeline,
    text: &str,
    flags: &SessionFlags,
    signals: &Signals,
) -> Result<Option<ToolOutput>, Failure> {
    let cancel = signals.cancel();
    let run = async |approved: bool| {
        // A text's calls carry no cancel signal of their own: dropping them ends what they started.
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ToolError::Cancelled { partial: None }),
            outcome = async {
                match approved {
                    true => pipeline.execute_confirmed(text).await,
                    false => pipeline.execute(text).await,
                }
            } => outcome,
        }
    };
    let mut outcome = run(false).await;
    if let Err(question @ ToolError::ConfirmationRequired { .. }) = outcome {
        // The error tells of one call; the approval would be for all of them.
        approve(flags, question, &questions_in(pipeline, text))?;
        outcome = run(true).await;
    }
    settled(outcome, signals)
}

/// Every call of a text that is asked about, as a person is shown it.
fn questions_in(pipeline: &Pipeline, text: &str) -> Vec<String> {
    let text = Text::new(text);
    let mut calls: Vec<_> = pipeline.all_definitions().iter().flat_map(|def| text.calls_of(def)).collect();
    calls.sort_by_key(|found| found.at);
    let asked = calls.iter().filter_map(|found| match pipeline.judge(&found.call) {
        Ok(Some(Verdict::Ask(reasons))) => {
            let reasons: Vec<_> = reasons.iter().map(reason_line).collect();
            Some(shown(&found.call.subject(), &reasons))
        }
        _ => None,
    });
    asked.collect()
}

/// Gets an approval: from `--yes`, else from the person at the terminal.
fn approve(flags: &SessionFlags, question: ToolError, all: &[String]) -> Result<(), Failure> {
    if flags.yes {
        return Ok(());
    }
    let ToolError::ConfirmationRequired { command, reasons, .. } = &question else {
        return Err(Failure::Unapproved { question, asked: false });
    };
    let mut text = String::from("toolgate asks before it runs\n\n");
    match all {
        [] => text.push_str(&shown(command, &reasons.iter().map(reason_line).collect::<Vec<_>>())),
        all => text.push_str(&all.join("\n")),
    }
    text.push_str("\nRun it?");
    match ask(&text) {
        Answer::Yes => Ok(()),
        Answer::No => Err(Failure::Unapproved { question, asked: true }),
        Answer::NobodyToAsk => Err(Failure::Unapproved { question, asked: false }),
    }
}

/// A call and why it is asked about. The whole call: what is not seen can't be approved.
fn shown(command: &str, reasons: &[String]) -> String {
    let mut text = String::new();
    // Writing to a String can't fail.
    for line in visible_lines(command).lines() {
        let _ = writeln!(text, "    {line}");
    }
    for line in reasons.iter().flat_map(|r| r.lines()) {
        let _ = writeln!(text, "  {}", visible_lines(line));
    }
    text
}

/// An outcome in which a signal to us is told as what it was.
fn settled<T>(outcome: Result<T, ToolError>, signals: &Signals) -> Result<T, Failure> {
    match (outcome, signals.number()) {
        (Err(ToolError::Cancelled { .. }), Some(signal)) => Err(Failure::Signalled(signal)),
        (outcome, _) => Ok(outcome?),
    }
}
