//! A list of tools to look in.

use super::capabilities::Capabilities;
use super::definition::ToolDef;
use super::nearest::nearest;
use crate::error::ToolError;
use crate::tool_id::ToolId;

/// Tool definitions to look in, filter and show.
///
/// ```
/// use toolgate_exec::{Capabilities, ToolDef, ToolRegistry};
/// let tools = ToolRegistry::from_definitions(vec![
///     ToolDef::new("grep", "Searches.").capabilities(Capabilities::READS),
///     ToolDef::new("bash", "Runs."),
/// ]);
/// assert!(tools.find("GREP").is_some());
/// assert_eq!(tools.filter(|t| t.capabilities.is_read_only()).tools().len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolRegistry {
    tools: Vec<ToolDef>,
}

impl ToolRegistry {
    /// A registry of these definitions; of two with one id, the first counts.
    pub fn from_definitions(definitions: Vec<ToolDef>) -> Self {
        let mut tools: Vec<ToolDef> = Vec::with_capacity(definitions.len());
        for def in definitions {
            if !tools.iter().any(|t| t.id == def.id) {
                tools.push(def);
            }
        }
        Self { tools }
    }

    /// The definitions, in order.
    pub fn tools(&self) -> &[ToolDef] {
        &self.tools
    }

    /// The tool with this id, in any spelling.
    pub fn find(&self, id: &str) -> Option<&ToolDef> {
        let id = ToolId::new(id);
        self.tools.iter().find(|t| t.id == id)
    }

    /// The tool with this id.
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`] with the nearest id there is.
    pub fn require(&self, id: &str) -> Result<&ToolDef, ToolError> {
        self.find(id).ok_or_else(|| ToolError::UnknownTool {
            name: id.to_owned(),
            nearest: nearest(id, self.tools.iter().map(|t| t.id.as_str())).map(str::to_owned),
        })
    }

    /// The tools that `keep` lets through: those a policy allows, say.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(&ToolDef) -> bool) -> Self {
        Self { tools: self.tools.iter().filter(|t| keep(t)).cloned().collect() }
    }

    /// The tools that can do none of these things. Tools nobody knows about can do all.
    #[must_use]
    pub fn without_capability(&self, any_of: Capabilities) -> Self {
        self.filter(|t| !t.capabilities.has_any(any_of))
    }
}
