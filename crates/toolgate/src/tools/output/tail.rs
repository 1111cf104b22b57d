//! `output_tail`: the end of an output.

use serde_json::json;
use toolgate_exec::Outcome;

use super::{TAIL, TailParams, answer, open, unread};
use crate::output::Outputs;

const DEFAULT_LINES: u64 = 50;

pub(super) fn run(outputs: &Outputs, params: TailParams) -> Outcome {
    let mut reader = open(outputs, &params.id)?;
    let total = reader.size();
    let found = reader.tail(params.lines.unwrap_or(DEFAULT_LINES).max(1)).map_err(unread)?;
    let last = found.from + found.count.saturating_sub(1);
    let note = match found.count {
        0 => "the output is empty".to_owned(),
        _ => format!("lines {} to {last}, the last; {total} bytes in all", found.from),
    };
    let fields =
        json!({ "id": params.id, "from_line": found.from, "lines": found.count, "total_bytes": total });
    Ok(answer(TAIL, found.text, &note).with_structured(fields))
}
