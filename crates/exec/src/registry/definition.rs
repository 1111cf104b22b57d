//! The definition of one tool.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::capabilities::Capabilities;
use super::validate;
use crate::tool_id::ToolId;

/// How a model calls a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvocationHint {
    /// By a fenced block with this tag, whose body is the tool's one required text parameter.
    FencedBlock(Cow<'static, str>),
    /// By a structured call.
    ToolCall,
}

/// The definition of one tool: what a model is told, and what gates judge it by.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolDef {
    /// Its id, in normal form.
    pub id: ToolId,
    /// What it does, for the model.
    pub description: Cow<'static, str>,
    /// The JSON Schema (2020-12) of its parameters, an object.
    pub schema: Value,
    /// The JSON Schema of its structured result, where it has one.
    pub output_schema: Option<Value>,
    /// How a model calls it. A fenced tool can be called structured as well.
    pub invocation: InvocationHint,
    /// What it can do at all.
    pub capabilities: Capabilities,
    /// The MCP server it belongs to.
    pub server_id: Option<Cow<'static, str>>,
}

impl ToolDef {
    /// A tool that takes no parameters and of which nobody knows what it can do.
    pub fn new(id: impl Into<ToolId>, description: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: id.into(),
            description: description.into(),
            schema: json!({"type": "object", "properties": {}}),
            output_schema: None,
            invocation: InvocationHint::ToolCall,
            capabilities: Capabilities::UNKNOWN,
            server_id: None,
        }
    }

    /// Takes its parameters from a type.
    ///
    /// ```
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// #[serde(deny_unknown_fields)]
    /// struct Read { /** The file. */ path: String, limit: Option<u32> }
    ///
    /// let def = toolgate_exec::ToolDef::new("read", "Reads a file.").params::<Read>();
    /// let bad = serde_json::json!({"pth": "a"});
    /// let error = def.validate(bad.as_object().unwrap()).unwrap_err();
    /// assert!(error.contains("did you mean `path`?"), "{error}");
    /// ```
    #[must_use]
    pub fn params<T: JsonSchema>(self) -> Self {
        self.schema(schemars::schema_for!(T).to_value())
    }

    /// Sets the schema of its parameters.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }

    /// Sets how it is called.
    #[must_use]
    pub fn invocation(mut self, invocation: InvocationHint) -> Self {
        self.invocation = invocation;
        self
    }

    /// Lets a fenced block with this tag call it.
    #[must_use]
    pub fn fenced(self, tag: impl Into<Cow<'static, str>>) -> Self {
        self.invocation(InvocationHint::FencedBlock(tag.into()))
    }

    /// Says what it can do at all.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The parameter that the body of a fenced block becomes: its first required text parameter.
    pub fn fence_param(&self) -> Option<&str> {
        let properties = self.properties()?;
        self.required().find(|name| {
            properties.get(*name).and_then(|p| p.get("type")).and_then(Value::as_str) == Some("string")
        })
    }

    /// Checks parameters against its schema.
    ///
    /// # Errors
    /// A sentence that names the field, what was expected of it, and the nearest known field on a typo.
    pub fn validate(&self, params: &Map<String, Value>) -> Result<(), String> {
        validate::params(&self.schema, params)
    }

    /// Checks the definition itself.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.id.is_empty() || self.id.contains(|c: char| c.is_whitespace() || c.is_control() || c == '(') {
            return Err("its name is empty or has blanks, controls or parentheses in it".to_owned());
        }
        if !self.schema.is_object() {
            return Err("its parameter schema is no JSON object".to_owned());
        }
        match &self.invocation {
            InvocationHint::FencedBlock(tag) if tag.is_empty() || tag.contains(char::is_whitespace) => {
                Err("its fence tag is not one word".to_owned())
            }
            InvocationHint::FencedBlock(_) if self.fence_param().is_none() => {
                Err("it is called by a fenced block and has no required text parameter to put it in"
                    .to_owned())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn properties(&self) -> Option<&Map<String, Value>> {
        self.schema.get("properties")?.as_object()
    }

    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        self.schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }
}
