//! `output_grep`: the lines of an output that match.

use serde_json::json;
use toolgate_exec::Outcome;
use toolgate_filter::overflow::Found;

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
    Ok(answer(GREP, text(&found), &note).with_structured(fields))
}

/// As grep(1) writes it: `12:` before a line that matches, `11-` before one around it.
fn text(found: &Found) -> String {
    let mut out = String::new();
    let mut next = 0;
    for (at, hit) in found.matches.iter().enumerate() {
        let first = hit.line - hit.before.len() as u64;
        if at > 0 && first > next && !(hit.before.is_empty() && hit.after.is_empty()) {
            out.push_str("--\n");
        }
        for (line, text) in (first..).zip(&hit.before) {
            if line >= next {
                out.push_str(&format!("{line}-{text}\n"));
            }
        }
        out.push_str(&format!("{}:{}\n", hit.line, hit.text));
        next = hit.line + 1;
        // Where the next match comes within these, they are its lines before it.
        let until = found.matches.get(at + 1).map_or(u64::MAX, |hit| hit.line);
        for (line, text) in (hit.line + 1..until).zip(&hit.after) {
            out.push_str(&format!("{line}-{text}\n"));
            next = line + 1;
        }
    }
    out
}
