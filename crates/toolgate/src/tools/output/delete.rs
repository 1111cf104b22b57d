//! `output_delete`: removes an output.

use serde_json::json;
use toolgate_exec::{Outcome, ToolOutput};

use super::{DELETE, DeleteParams, failed, parsed};
use crate::output::Outputs;

pub(super) fn run(outputs: &Outputs, params: DeleteParams) -> Outcome {
    let id = parsed(&params.id)?;
    let was_there = outputs.store().and_then(|store| store.delete(&id)).map_err(|error| failed(&error))?;
    let text = match was_there {
        true => format!("removed output {id}"),
        false => format!("there is no output {id}: nothing to remove"),
    };
    Ok(ToolOutput::new(DELETE, text).with_structured(json!({ "id": params.id, "removed": was_there })))
}
