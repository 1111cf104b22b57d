//! What the tools of the shell answer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolgate_exec::{ExitStatus, Outcome, ToolError, ToolOutput};

use super::background::Run;
use super::passage::{Passage, Told};
use super::render::Rendered;
use super::run::{End, Ran};
use super::{BASH, BASH_LIST};
use crate::output::link;

/// How much of a background run's command a list shows.
const SHOWN_CHARS: usize = 120;

/// The answer of a command that was waited for.
pub(super) fn foreground(passage: &Mutex<Passage>, ran: Ran, limit: Duration) -> Outcome {
    let told = passage.lock().unwrap_or_else(PoisonError::into_inner).told();
    let mut output = output(BASH, told, Some(&ran), limit);
    output.links.extend(ran.link);
    match ran.end {
        End::Exited | End::PrintedTooMuch => Ok(output),
        End::TimedOut => {
            Err(ToolError::Timeout { timeout_secs: whole_secs(limit), partial: Some(Box::new(output)) })
        }
        End::Cancelled => Err(ToolError::Cancelled { partial: Some(Box::new(output)) }),
        End::SinkFailed(error) => Err(ToolError::execution("passing the command's output on", error)),
        End::Lost(error) => Err(ToolError::Execution {
            doing: "waiting for the command".into(),
            source: error,
            hint: Some("something else in this process waits for children or ignores SIGCHLD".to_owned()),
        }),
    }
}

/// A limit below a second is still a limit.
fn whole_secs(limit: Duration) -> u64 {
    limit.as_secs() + u64::from(limit.subsec_nanos() > 0)
}

/// The answer to a command that goes on.
pub(super) fn started(run: &Run) -> ToolOutput {
    let summary = format!(
        "[background] started run {id}; see its output with `bash_output` {{\"id\": \"{id}\"}}, \
         end it with `bash_stop`",
        id = run.id
    );
    ToolOutput::new(BASH, summary).with_structured(json!({"id": &*run.id, "status": run.status()}))
}

/// The state and output of a background run, for whoever asks now.
pub(super) fn background(run: &Run, tool: &str) -> ToolOutput {
    let ended = run.ended();
    let told = run.passage.lock().unwrap_or_else(PoisonError::into_inner).told();
    let mut out = output(tool, told, ended.as_ref().map(|ended| &ended.ran), run.limit);
    let status = run.status();
    let line = format!("[run {} {status}, {}s]", run.id, run.elapsed().as_secs());
    out.summary = format!("{line}\n{}", out.summary);
    if let Some(Value::Object(fields)) = &mut out.structured {
        fields.insert("id".to_owned(), (*run.id).into());
        fields.insert("status".to_owned(), status.into());
        fields.insert(
            "elapsed_ms".to_owned(),
            u64::try_from(run.elapsed().as_millis()).unwrap_or(u64::MAX).into(),
        );
    }
    if let Some(ended) = ended {
        out.links.extend(ended.ran.link.clone());
    }
    out
}

/// The list of a caller's background runs.
pub(super) fn list(runs: &[std::sync::Arc<Run>]) -> ToolOutput {
    let mut lines = Vec::new();
    let mut values = Vec::new();
    for run in runs {
        let (status, secs) = (run.status(), run.elapsed().as_secs());
        let command: String =
            run.command.chars().take(SHOWN_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
        lines.push(format!("{} {status} {secs}s {command}", run.id));
        values
            .push(json!({"id": &*run.id, "status": status, "elapsed_secs": secs, "command": &*run.command}));
    }
    let summary = if lines.is_empty() { "(no background runs)".to_owned() } else { lines.join("\n") };
    ToolOutput::new(BASH_LIST, summary).with_structured(json!({ "runs": values }))
}

fn output(tool: &str, told: Told, ran: Option<&Ran>, limit: Duration) -> ToolOutput {
    let Rendered { both, stdout, stderr, truncation } = told.rendered;
    let both = told.filtered.unwrap_or(both);
    let mut notes = Vec::new();
    let mut fields = Map::new();
    fields.insert("stdout".to_owned(), stdout.into());
    fields.insert("stderr".to_owned(), stderr.into());
    let exit = ran.and_then(|ran| ran.exit);
    match exit {
        Some(ExitStatus::Code(code)) => drop(fields.insert("exit_code".to_owned(), code.into())),
        Some(ExitStatus::Signal(signal)) => drop(fields.insert("signal".to_owned(), signal.into())),
        None => {}
    }
    if let Some(ran) = ran {
        fields.insert("timed_out".to_owned(), matches!(ran.end, End::TimedOut).into());
        match &ran.end {
            End::Exited | End::PrintedTooMuch => {
                notes.extend(exit.filter(|exit| !exit.success()).map(|exit| exit.to_string()));
            }
            End::TimedOut => notes.push(format!("timed out after {}s and was ended", whole_secs(limit))),
            End::Cancelled => notes.push("cancelled".to_owned()),
            End::SinkFailed(error) => {
                notes.push(format!("ended, because its output can't be passed on: {error}"))
            }
            End::Lost(error) => notes.push(format!("lost: {error}")),
        }
        if ran.left_running > 0 && matches!(ran.end, End::Exited) {
            fields.insert("left_running".to_owned(), ran.left_running.into());
            notes.push(format!(
                "ended {} that the command left running; use `background` for what must go on",
                match ran.left_running {
                    1 => "a process".to_owned(),
                    n => format!("{n} processes"),
                }
            ));
        }
        let (level, missing) = (ran.enforcement.level.as_str(), ran.enforcement.missing.clone());
        fields.insert("enforcement".to_owned(), json!({ "level": level, "missing": missing }));
        if !ran.boundary.is_empty() {
            fields.insert("boundary".to_owned(), ran.boundary.clone().into());
            notes.extend(ran.boundary.iter().cloned());
        }
    }
    fields.insert("truncated".to_owned(), truncation.is_some().into());

    let mut summary = both;
    if summary.is_empty() && (notes.is_empty() || ran.is_none()) {
        summary.push_str("(no output)");
    }
    for note in notes {
        if !summary.is_empty() {
            summary.push('\n');
        }
        summary.push_str(&format!("[{note}]"));
    }
    let mut output =
        ToolOutput::new(tool, summary).with_structured(Value::Object(fields)).with_truncation(truncation);
    output.exit = exit;
    output.enforcement = ran.map(|ran| ran.enforcement.clone());
    output.filter_stats = told.stats;
    output.links.extend(told.stored.as_ref().and_then(link));
    output.stored = told.stored;
    output
}
