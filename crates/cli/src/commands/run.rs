//! `toolgate run`: one shell command.

use std::io::IsTerminal;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate::config::Source;
use toolgate::exec::{ToolCall, ToolOutput};
use toolgate::shell::OutputSink;

use super::Globals;
use crate::assemble::{self, Assembly};
use crate::cut::Cut;
use crate::distil::Shown;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::live::Live;
use crate::session_flags::SessionFlags;
use crate::ui::{Ui, visible};

/// Run one shell command through the pipeline
///
/// The command is judged by the policy and run by bash. Its stdin is empty; its exit status is passed
/// on. Secrets in its output are masked.
///
/// On a terminal its output streams as it comes, stdout to stdout and stderr to stderr. Into a pipe or
/// file it is what a model needs: for commands that a filter rule knows, what the rule leaves, told
/// when the command has ended; of others, as it comes, no more than `tools.overflow.threshold`
/// characters and the end. The whole of it is kept then, see `toolgate output`. With --raw, all of it
/// streams as it is.
///
/// What the policy asks about is asked on the terminal. Without a terminal it is not run, unless
/// --yes approves it beforehand.
///
/// With --json the output is part of the result, filtered, and long output is cut in the middle.
#[derive(Debug, clap::Args)]
#[command(override_usage = "toolgate run [OPTIONS] '<COMMAND>'", after_long_help = crate::exit::HELP)]
pub(crate) struct Run {
    /// The command line, as one argument; `-` reads it from stdin
    command: String,

    /// Leave the output as it is, but for secrets: no filter, and outside of --json no cut
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    session: SessionFlags,

    /// End the command after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

impl Run {
    /// The run of a command with no flag.
    pub(super) fn plain(command: &str) -> Self {
        Self { command: command.to_owned(), raw: false, session: SessionFlags::plain(), timeout: None }
    }

    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let command = if self.command == "-" { input::stdin("the command")? } else { self.command.clone() };
        let mut flags = globals.config.clone();
        if let Some(secs) = self.timeout {
            flags.push(Source::flag("--timeout", "tools.shell.timeout", &secs.to_string()));
        }
        let start = self.session.start()?;
        let assembly = ManuallyDrop::new(Assembly::load(&start, &flags, &self.session)?);
        let rules = if self.raw { None } else { assembly.rules()? };
        let shown = self.shown(ui, rules.as_ref().is_some_and(|rules| rules.shortens(&command)));
        let distil = assembly.distil(rules, shown)?;
        let params = Map::from_iter([("command".to_owned(), Value::from(command))]);
        let call = ToolCall::new("bash", params).with_context(self.session.context(&start));
        let live = Arc::new(Live::new());
        let cut = Cut::new(live.clone(), distil.outputs.threshold());
        let sink: Option<Arc<dyn OutputSink>> = match shown {
            Shown::Whole => Some(live.clone()),
            Shown::Cut if !ui.json() => Some(Arc::new(cut.clone())),
            Shown::Cut | Shown::Distilled => None,
        };
        let streams = sink.is_some();

        // None of what is made for the run is taken apart: the process ends with it, and to touch that memory once
        // more costs a tenth of the time of a short command. What the command left running has ended by then.
        let runtime = ManuallyDrop::new(assemble::runtime()?);
        assemble::drive(&runtime, async |signals| {
            let agent = assembly.builder(&self.session, &signals, &distil, sink)?;
            // There is no second call to keep anything for.
            let agent = agent.without_output_tool();
            let agent = agent.shell(|shell| shell.persist_cwd(false).max_background_runs(0)).build()?;
            let agent = ManuallyDrop::new(agent);
            let outcome = assemble::run_call(&agent, call, &self.session, &signals).await;
            match outcome {
                // A command that said nothing is told as it would have been: with nothing.
                Ok(output)
                    if !ui.json()
                        && !streams
                        && output.filter_stats.is_none()
                        && boundary(&output).next().is_none() =>
                {
                    return Ok(Exit::of(output.exit));
                }
                outcome if !streams => return super::tell(ui, outcome),
                _ => {}
            }
            // The command ended as SIGPIPE (13) would have ended it, had it written there itself.
            if outcome.is_err() && live.reader_gone() {
                return Ok(Exit::Signalled(13));
            }
            let partial = outcome.as_ref().err().and_then(Failure::partial);
            let output = outcome.as_ref().ok().or(partial.as_ref());
            cut.write_rest(output.and_then(|output| output.stored.as_ref())).map_err(Failure::writing)?;
            for note in output.into_iter().flat_map(boundary) {
                ui.say(&format!("[{}]\n", visible(note)));
            }
            Ok(Exit::of(outcome?.exit))
        })
    }

    /// How much of the output is shown; `shortened` says whether a rule knows the command.
    fn shown(&self, ui: Ui, shortened: bool) -> Shown {
        match (ui.json(), self.raw) {
            (true, true) => Shown::Cut,
            (true, false) => Shown::Distilled,
            (false, true) => Shown::Whole,
            (false, false) if std::io::stdout().is_terminal() => Shown::Whole,
            (false, false) if shortened => Shown::Distilled,
            (false, false) => Shown::Cut,
        }
    }
}

/// What the boundary did to a command, or saw: the limit that ended it, refused sockets, changed names.
fn boundary(output: &ToolOutput) -> impl Iterator<Item = &str> {
    let notes = output.structured.as_ref().and_then(|fields| fields.get("boundary")?.as_array());
    notes.into_iter().flatten().filter_map(Value::as_str)
}
