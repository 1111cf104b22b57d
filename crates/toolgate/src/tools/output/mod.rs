//! Reading what was too long to be shown: `output_read`, `output_grep`, `output_tail`, `output_delete`.
//!
//! An output is named by its id, which is no path: nothing but files of the store can be reached. What
//! is stored was masked before, so that nothing can be read here that was not to be shown.

mod delete;
mod grep;
mod params;
mod read;
mod tail;

use toolgate_exec::{
    BoxFuture, Capabilities, Cleared, Nature, Outcome, Tool, ToolDef, ToolError, ToolId, ToolOutput,
    deserialize_params,
};
use toolgate_filter::overflow::{OutputId, OutputReader, ReadError, StoreError};

pub use params::{DeleteParams, GrepParams, ReadParams, TailParams};

use crate::output::{Outputs, told};

/// The id of the tool that reads an output by lines or bytes.
pub const READ: &str = "output_read";
/// The id of the tool that searches an output.
pub const GREP: &str = "output_grep";
/// The id of the tool that gives the end of an output.
pub const TAIL: &str = "output_tail";
/// The id of the tool that removes an output.
pub const DELETE: &str = "output_delete";

/// Whether this is one of the tools here: what they give is a window that was asked for.
pub(crate) fn is_one(id: &ToolId) -> bool {
    [READ, GREP, TAIL, DELETE].contains(&id.as_str())
}

/// Reads, searches and removes stored outputs.
#[derive(Clone, Debug)]
pub struct OutputTool {
    outputs: Outputs,
}

impl OutputTool {
    /// Tools for the outputs of this store.
    pub fn new(outputs: Outputs) -> Self {
        Self { outputs }
    }

    fn run_now(&self, call: &Cleared) -> Outcome {
        let params = &call.call().params;
        match call.call().tool_id.as_str() {
            READ => read::run(&self.outputs, deserialize_params(params)?),
            GREP => grep::run(&self.outputs, deserialize_params(params)?),
            TAIL => tail::run(&self.outputs, deserialize_params(params)?),
            DELETE => delete::run(&self.outputs, deserialize_params(params)?),
            other => Err(ToolError::UnknownTool { name: other.to_owned(), nearest: None }),
        }
    }
}

impl Tool for OutputTool {
    fn definitions(&self) -> Vec<ToolDef> {
        let reads = Capabilities::READS | Capabilities::IDEMPOTENT;
        vec![
            ToolDef::new(
                READ,
                "Gives lines of an output that was too long to be shown, or bytes of it, by the id in its notice.",
            )
            .params::<ReadParams>()
            .capabilities(reads),
            ToolDef::new(
                GREP,
                "Gives the lines of a stored output that match a regular expression, with their numbers.",
            )
            .params::<GrepParams>()
            .capabilities(reads),
            ToolDef::new(TAIL, "Gives the last lines of a stored output.")
                .params::<TailParams>()
                .capabilities(reads),
            ToolDef::new(DELETE, "Removes a stored output for good.")
                .params::<DeleteParams>()
                .capabilities(Capabilities::DELETES | Capabilities::IDEMPOTENT),
        ]
    }

    fn nature(&self, id: &ToolId) -> Nature {
        match id.as_str() {
            DELETE => Nature::ONCE,
            _ => Nature::READ_ONLY,
        }
    }

    fn run<'a>(&'a self, call: Cleared) -> BoxFuture<'a, Outcome> {
        let tool = self.clone();
        Box::pin(async move {
            // A file of many megabytes is read line by line.
            let done = tokio::task::spawn_blocking(move || tool.run_now(&call)).await;
            done.unwrap_or_else(|error| {
                Err(ToolError::execution("reading an output", std::io::Error::other(error)))
            })
        })
    }
}

fn parsed(id: &str) -> Result<OutputId, ToolError> {
    OutputId::parse(id.trim()).map_err(|error| {
        ToolError::invalid_params(format!(
            "field `id`: {error}; it is in the notice of a result that was cut"
        ))
    })
}

/// The output with this id, open for an answer that can be shown.
fn open(outputs: &Outputs, id: &str) -> Result<OutputReader, ToolError> {
    let id = parsed(id)?;
    let reader = outputs.store().and_then(|store| store.read(&id)).map_err(|error| failed(&error))?;
    Ok(reader.bounded(outputs.threshold()))
}

fn failed(error: &StoreError) -> ToolError {
    match error {
        StoreError::Missing { .. } | StoreError::BadId { .. } => ToolError::invalid_params(error.to_string()),
        _ => ToolError::execution("reading a stored output", std::io::Error::other(told(error))),
    }
}

fn unread(error: ReadError) -> ToolError {
    match error {
        ReadError::Io(source) => ToolError::execution("reading a stored output", source),
        ReadError::Pattern { source: Some(source), .. } => {
            ToolError::invalid_params(format!("field `pattern`: {source}"))
        }
        other => ToolError::invalid_params(other.to_string()),
    }
}

/// An answer: the text that was asked for, and a last line that says where it is from.
fn answer(tool: &str, mut text: String, note: &str) -> ToolOutput {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("[{note}]"));
    ToolOutput::new(tool, text)
}
