//! Tool definitions in the JSON forms that models and protocols take.

use std::str::FromStr;

use serde_json::{Value, json};

use super::definition::ToolDef;

/// A JSON form of tool definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFormat {
    /// The tools of a Model Context Protocol `tools/list` result (revision 2025-06-18).
    Mcp,
    /// The `tools` of an OpenAI chat completion request.
    OpenAi,
    /// The `tools` of an Anthropic messages request.
    Anthropic,
}

impl FromStr for ToolFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "mcp" => Ok(Self::Mcp),
            "openai" => Ok(Self::OpenAi),
            "anthropic" => Ok(Self::Anthropic),
            other => Err(format!("`{other}` is no tool format: expected mcp, openai or anthropic")),
        }
    }
}

impl ToolDef {
    /// The definition in one of the JSON forms.
    ///
    /// ```
    /// use toolgate_exec::{Capabilities, ToolDef, registry::ToolFormat};
    /// let def = ToolDef::new("grep", "Searches.").capabilities(Capabilities::READS | Capabilities::IDEMPOTENT);
    /// assert_eq!(def.export(ToolFormat::Mcp)["annotations"]["readOnlyHint"], true);
    /// ```
    pub fn export(&self, format: ToolFormat) -> Value {
        let schema = self.bare_schema();
        match format {
            ToolFormat::Mcp => {
                let c = self.capabilities;
                let mut tool = json!({
                    "name": self.id,
                    "description": self.description,
                    "inputSchema": schema,
                    "annotations": {
                        "readOnlyHint": c.is_read_only(),
                        "destructiveHint": c.deletes() || c.executes(),
                        "idempotentHint": c.idempotent(),
                        "openWorldHint": c.network(),
                    },
                });
                if let (Some(output), Some(tool)) = (&self.output_schema, tool.as_object_mut()) {
                    tool.insert("outputSchema".to_owned(), output.clone());
                }
                tool
            }
            ToolFormat::OpenAi => json!({
                "type": "function",
                "function": {"name": self.id, "description": self.description, "parameters": schema},
            }),
            ToolFormat::Anthropic => {
                json!({"name": self.id, "description": self.description, "input_schema": schema})
            }
        }
    }

    /// The schema without what only documents the type it came from.
    fn bare_schema(&self) -> Value {
        let mut schema = self.schema.clone();
        if let Some(map) = schema.as_object_mut() {
            for key in ["$schema", "title", "description"] {
                map.remove(key);
            }
        }
        schema
    }
}
