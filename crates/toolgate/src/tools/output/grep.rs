//! `output_grep`: the lines of an output that match.

use serde_json::json;
use toolgate_exec::Outcome;

use super::{GREP, GrepParams, answer, open, unread};
use crate::output::Outputs;

const DEFAULT_LIMIT: usize = 50;

pub(super) fn run(outputs: &Outputs, params: GrepParams) -> Outcome {
    let mut reader = open(outputs, &params.id)?;
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).max(1);
    let found = reader.grep(&params.pattern, params.context.unwrap_or(0), limit).map_err(unread)?;
    let shown = found.matches.len() as u64;
    let note = match (found.total, shown) {
        (0, _) => "no line matches".to_owned(),
        (total, shown) if total == shown => format!("{total} lines match"),
        (total, shown) => format!("{total} lines match, the first {shown} are shown"),
    };
    let places: Vec<_> =
        found.matches.iter().map(|found| json!({"line": found.line, "offset": found.offset})).collect();
    let fields = json!({ "id": params.id, "total": found.total, "matches": places });
    Ok(answer(GREP, found.to_string(), &note).with_structured(fields))
}
