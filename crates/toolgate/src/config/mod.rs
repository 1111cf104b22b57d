//! `toolgate.toml`: its typed sections, its layers, and what is wrong with it.
//!
//! This module is given texts and says what they mean; it opens no file and reads no variable.
//! Finding the files is the binary's business. To add a section, write its type in a file of its
//! own, put the type into [`Config`], and give every key its [`Rule`] (`x-project`): checks,
//! merging, the JSON Schema and `toolgate config show` follow from the type.
//!
//! ```
//! use toolgate::config::{Layer, Source, Surroundings, load};
//!
//! let user = Source::new(Layer::User, "/home/me/.config/toolgate/toolgate.toml", "[tools.shell]\ntimeout = 60\n");
//! let loaded = load(&[user], &Surroundings::new("/home/me/work")).unwrap();
//! assert_eq!(loaded.config.tools.shell.timeout, 60);
//! let origin = &loaded.setting("tools.shell.timeout").unwrap().origins[0];
//! assert_eq!(origin.to_string(), "/home/me/.config/toolgate/toolgate.toml:2");
//! ```

mod document;
mod error;
mod filters;
mod keys;
mod layers;
mod overflow;
mod paths;
mod permissions;
mod policy;
mod rule;
mod rules;
mod sandbox;
mod shell;
mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use error::{ConfigError, ConfigErrors, Problem, Snippet};
pub use filters::{FiltersSection, SecuritySection};
pub use layers::{Layer, ListOrigins, Loaded, Origin, Setting, Source, load};
pub use overflow::OverflowSection;
pub use paths::Surroundings;
pub use permissions::{Action, PermissionEntry, PermissionsConfig};
pub use policy::{PolicyConfig, ProfileName};
pub use rule::Rule;
pub use rules::RuleConfig;
pub use sandbox::{SandboxConfig, SandboxLimits, SandboxNetwork, SandboxPreset};
pub use shell::ShellConfig;
pub use tools::ToolsConfig;

/// Everything a `toolgate.toml` can say. Every key is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Config {
    /// Rules on top of the profile: `[[rule]]`, one table each. What they say and which wins is in
    /// docs/reference/policy.md.
    #[schemars(extend("x-project" = "tighten"))]
    pub rule: Vec<RuleConfig>,
    /// By what calls are judged.
    pub policy: PolicyConfig,
    /// The tools an agent is given.
    pub tools: ToolsConfig,
    /// The operating-system boundary that commands run in.
    pub sandbox: SandboxConfig,
}

impl Config {
    /// What a schema can't say: the part it is about, and what is wrong.
    fn problems(&self) -> Vec<(String, String)> {
        let mut all = self.tools.problems();
        all.extend(self.sandbox.problems());
        all
    }
}

/// The JSON Schema (2020-12) of `toolgate.toml`, for editors.
///
/// The key `x-project` of a property is its [`Rule`].
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Config).to_value();
    if let Some(map) = schema.as_object_mut() {
        map.insert("title".to_owned(), "toolgate.toml".into());
    }
    schema
}

/// A value as TOML, on one line.
///
/// ```
/// let value = serde_json::json!(["a\"b\u{7f}", 5]);
/// assert_eq!(toolgate::config::to_toml(&value), r#"["a\"b\u007F", 5]"#);
/// ```
pub fn to_toml(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(to_toml).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{} = {}", to_toml(&key.as_str().into()), to_toml(value))
            };
            format!("{{ {} }}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        // A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
        plain => plain.to_string().replace('\u{7f}', "\\u007F"),
    }
}
