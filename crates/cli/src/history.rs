//! Calls to be judged, as lines: what `check --jsonl` is asked, and the histories of the `policy` verbs.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use toolgate::policy::batch::Request;
use toolgate::policy::tool::Value;

use crate::failure::Failure;

/// One call.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Line {
    #[serde(default)]
    pub(crate) id: Json,
    pub(crate) command: Option<String>,
    pub(crate) cwd_context: Option<String>,
    pub(crate) tool: Option<String>,
    #[serde(default)]
    pub(crate) args: Map<String, Json>,
}

impl Line {
    /// What it calls, for a person.
    pub(crate) fn shown(&self) -> String {
        self.command.clone().or_else(|| self.tool.clone()).unwrap_or_default()
    }

    /// The call as the judge takes it.
    pub(crate) fn request(self) -> Request {
        match (self.command, self.tool) {
            (Some(text), _) => Request::Command { text, cwd: self.cwd_context },
            (None, tool) => Request::Tool {
                name: tool.unwrap_or_default(),
                args: self.args.into_iter().map(|(name, value)| (name, plain(value))).collect(),
            },
        }
    }
}

fn plain(value: Json) -> Value {
    match value {
        Json::String(text) => Value::Text(text),
        Json::Array(list) => Value::List(list.into_iter().map(plain).collect()),
        Json::Object(map) => Value::Map(map.into_iter().map(|(name, value)| (name, plain(value))).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) => Value::Other,
    }
}

/// Reads a file of lines, or stdin for `-`.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::io(format!("reading {}", path.display()), error);
    if path != Path::new("-") {
        return std::fs::read_to_string(path).map_err(failed);
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// The calls of a history: a JSON object a line as in `check --jsonl`, or a plain command a line.
pub(crate) fn calls(path: &Path) -> Result<Vec<Line>, Failure> {
    let text = text(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| call(line).map_err(|error| bad_line(path, at, &error))).collect()
}

/// What is wrong with a line that is no JSON object of ours. `at` counts from 0.
pub(crate) fn bad_line(path: &Path, at: usize, error: &serde_json::Error) -> Failure {
    Failure::Usage {
        message: format!("{}:{}: {error}", path.display(), at + 1),
        hint: Some("one JSON object a line, with `command`, or with `tool` and `args`".to_owned()),
    }
}

fn call(line: &str) -> Result<Line, serde_json::Error> {
    // No command of bash begins like this, since a group's brace is a word of its own.
    if line.trim_start().starts_with("{\"") {
        return serde_json::from_str(line);
    }
    let command = Some(line.to_owned());
    Ok(Line { id: Json::Null, command, cwd_context: None, tool: None, args: Map::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object_or_a_command() {
        assert_eq!(call(r#"{"command": "ls"}"#).unwrap().command.as_deref(), Some("ls"));
        assert_eq!(call("{ ls; }").unwrap().command.as_deref(), Some("{ ls; }"));
        assert_eq!(call(r#"{"tool": "read", "args": {"path": "x"}}"#).unwrap().shown(), "read");
        assert!(call(r#"{"command": 5}"#).is_err());
    }
}
