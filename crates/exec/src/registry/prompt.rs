//! Tool definitions as text for a model that takes them in its prompt.

use std::fmt::Write;

use serde_json::Value;

use super::definition::{InvocationHint, ToolDef};
use super::tools::ToolRegistry;

impl ToolRegistry {
    /// All tools as a `<tools>` section of a prompt.
    ///
    /// ```
    /// #[derive(schemars::JsonSchema)]
    /// struct Read { /** The file to read. */ path: String, offset: Option<u32> }
    ///
    /// use toolgate_exec::{ToolDef, ToolRegistry};
    /// let read = ToolDef::new("read", "Reads a file.").params::<Read>();
    /// let text = ToolRegistry::from_definitions(vec![read]).format_for_prompt();
    /// assert!(text.contains("  - path: The file to read. (string, required)"));
    /// assert!(text.contains("  - offset (integer, optional)"));
    /// ```
    pub fn format_for_prompt(&self) -> String {
        self.format_for_prompt_filtered(|_| true)
    }

    /// The tools that `shown` lets through, as a `<tools>` section of a prompt.
    pub fn format_for_prompt_filtered(&self, shown: impl Fn(&ToolDef) -> bool) -> String {
        let mut text = String::from("<tools>\n");
        self.tools().iter().filter(|t| shown(t)).for_each(|tool| describe(&mut text, tool));
        text.push_str("</tools>");
        text
    }
}

fn describe(text: &mut String, tool: &ToolDef) {
    // Writing to a String can't fail.
    let _ = writeln!(text, "{}\n{}", tool.id, tool.description);
    let _ = match &tool.invocation {
        InvocationHint::FencedBlock(tag) => writeln!(text, "Invocation: use ```{tag} fenced block"),
        InvocationHint::ToolCall => {
            writeln!(
                text,
                "Invocation: use tool_call with {{\"tool_id\": \"{}\", \"params\": {{...}}}}",
                tool.id
            )
        }
    };
    let properties = tool.properties().filter(|p| !p.is_empty());
    if properties.is_some() {
        text.push_str("Parameters:\n");
    }
    for (name, schema) in properties.into_iter().flatten() {
        let about =
            schema.get("description").and_then(Value::as_str).map_or_else(String::new, |d| format!(": {d}"));
        let need = if tool.required().any(|r| r == name) { "required" } else { "optional" };
        let _ = writeln!(text, "  - {name}{about} ({}, {need})", kind(schema));
    }
    text.push('\n');
}

/// The one type of a value besides null.
fn kind(schema: &Value) -> &str {
    let named = |v: &Value| -> Option<String> { v.get("type").and_then(Value::as_str).map(str::to_owned) };
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|k| *k != "null").unwrap_or("string")
        }
        _ => {
            let any = schema.get("anyOf").and_then(Value::as_array);
            let first = any.into_iter().flatten().find(|s| named(s).is_some_and(|k| k != "null"));
            first.and_then(|s| s.get("type")).and_then(Value::as_str).unwrap_or("string")
        }
    }
}
