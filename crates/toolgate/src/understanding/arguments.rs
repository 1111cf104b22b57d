//! What a tool that is no shell would do with its arguments.
//!
//! What it does with a path or URL is said by its capabilities. Every argument counts: a field that looks
//! harmless can't stand in front of the one that isn't.

use serde_json::Value as Json;
use toolgate_exec::{CHECKPOINT_REDO, CHECKPOINT_UNDO, Capabilities, ToolCall};
use toolgate_policy::analyse::{Analysis, Context};
use toolgate_policy::tool::{self, Act, Value};
use toolgate_policy::word::SOME;

pub(super) fn analyse(call: &ToolCall, context: &Context<'_>) -> Analysis {
    if is_undo(call) {
        return tool::analyse_as(Act::Write, &call.tool_id, &of_workspace(context), context);
    }
    let args: Vec<(String, Value)> =
        call.params.iter().map(|(name, value)| (name.clone(), plain(value))).collect();
    match act(call.capabilities()) {
        Some(act) => tool::analyse_as(act, &call.tool_id, &args, context),
        // Nobody said what it can do: its name says what is to be looked at, and it is asked about all the same.
        None => tool::analyse(&call.tool_id, &args, context),
    }
}

/// Whether the call puts files back. Nobody but the pipeline makes one that can do just this.
fn is_undo(call: &ToolCall) -> bool {
    [CHECKPOINT_UNDO, CHECKPOINT_REDO].contains(&call.tool_id.as_str())
        && call.capabilities() == Capabilities::WRITES | Capabilities::DELETES
}

/// Files of the workspace, whichever they are: which of them are put back is not known before it is done.
fn of_workspace(context: &Context<'_>) -> Vec<(String, Value)> {
    let any = |root: &String| ("path".to_owned(), Value::Text(format!("{root}/{SOME}")));
    context.roots.iter().map(any).collect()
}

/// What a tool does, by what it can do at all; `None` where that says nothing.
fn act(capabilities: Capabilities) -> Option<Act> {
    if capabilities.is_unknown() || capabilities.executes() || capabilities.has(Capabilities::MCP) {
        return None;
    }
    Some(match capabilities {
        c if c.network() => Act::Net,
        c if c.deletes() && c.writes() => Act::Move,
        c if c.deletes() => Act::Delete,
        c if c.writes() => Act::Write,
        c if c.reads() => Act::Read,
        _ => Act::Plan,
    })
}

fn plain(value: &Json) -> Value {
    match value {
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(list) => Value::List(list.iter().map(plain).collect()),
        Json::Object(map) => {
            Value::Map(map.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => Value::Other,
    }
}
