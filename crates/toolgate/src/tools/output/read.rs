//! `output_read`: lines or bytes of an output.

use serde_json::json;
use toolgate_exec::{Outcome, ToolError};

use super::{READ, ReadParams, answer, open, unread};
use crate::output::Outputs;

const DEFAULT_LINES: u64 = 200;
const DEFAULT_LENGTH: u64 = 8_000;

pub(super) fn run(outputs: &Outputs, params: ReadParams) -> Outcome {
    let by_bytes = params.offset.is_some() || params.length.is_some();
    if by_bytes && (params.from_line.is_some() || params.lines.is_some()) {
        return Err(ToolError::invalid_params(
            "give either `from_line` and `lines`, or `offset` and `length`, not both",
        ));
    }
    if by_bytes { bytes(outputs, &params) } else { lines(outputs, &params) }
}

fn lines(outputs: &Outputs, params: &ReadParams) -> Outcome {
    let mut reader = open(outputs, &params.id)?;
    let total = reader.size();
    let from = params.from_line.unwrap_or(1).max(1);
    let found = reader.lines(from, params.lines.unwrap_or(DEFAULT_LINES).max(1)).map_err(unread)?;
    let last = from + found.count.saturating_sub(1);
    let mut note = match found.count {
        0 => format!("there is no line {from}"),
        1 => format!("line {from}"),
        _ => format!("lines {from} to {last}"),
    };
    if found.more {
        note.push_str(&format!("; more: {}", outputs.how_from(&params.id, last + 1, 0, true)));
    } else if found.count > 0 {
        note.push_str(", the last");
    }
    if let Some(line) = found.cut_lines.first() {
        note.push_str(&format!("; line {line} is too long to go by lines: use `offset` and `length`"));
    }
    let fields = json!({
        "id": params.id, "from_line": from, "lines": found.count, "more": found.more,
        "cut_lines": found.cut_lines, "total_bytes": total,
    });
    Ok(answer(READ, found.text, &note).with_structured(fields))
}

fn bytes(outputs: &Outputs, params: &ReadParams) -> Outcome {
    let mut reader = open(outputs, &params.id)?;
    let length = usize::try_from(params.length.unwrap_or(DEFAULT_LENGTH)).unwrap_or(usize::MAX);
    let piece = reader.bytes(params.offset.unwrap_or(0), length.max(1)).map_err(unread)?;
    let mut note = format!("bytes {} to {} of {}", piece.offset, piece.end, piece.total);
    if piece.more {
        note.push_str(&format!("; more: {}", outputs.how_from(&params.id, 0, piece.end, false)));
    }
    let fields = json!({
        "id": params.id, "offset": piece.offset, "end": piece.end, "more": piece.more, "total_bytes": piece.total,
    });
    Ok(answer(READ, piece.text, &note).with_structured(fields))
}
