//! The tables `[[rule]]`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use toolgate_policy::effect::Kind;
use toolgate_policy::rule::RuleText;

use super::permissions::Action;

/// A rule on top of the profile. It is about what all its keys are about at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RuleConfig {
    /// What it decides. A project's rules may only ask and deny until the user trusts its file.
    pub action: Action,
    /// A name to be known by.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The reason, told to people and models.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Kinds of effects: `write`, `net send`; `net` is all that reach the network.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    #[schemars(schema_with = "effects")]
    pub effect: OneOrMore,
    /// Names of programs without directories, as globs.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub program: OneOrMore,
    /// The first words after the program, a glob each; `a|b` is either.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub args: OneOrMore,
    /// Globs of paths: `src/**` in the workspace, `~/.config/**`, `/etc/*`, `**/.env` anywhere.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub path: OneOrMore,
    /// Hosts: `example.com`, and `*.example.com` for every host below.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub host: OneOrMore,
    /// Names of tools, as globs: `bash`, `mcp__*`.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub tool: OneOrMore,
    /// Trust levels at which it holds: `trusted`, `verified`, `quarantined`, `blocked`.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub trust: OneOrMore,
    /// Autonomy levels at which it holds: `read-only`, `supervised`, `full`.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub autonomy: OneOrMore,
    /// Commands it must be about. A rule whose examples do not hold does not load.
    #[serde(default, rename = "match", skip_serializing_if = "OneOrMore::is_empty")]
    pub matches: OneOrMore,
    /// Commands it must not be about.
    #[serde(default, skip_serializing_if = "OneOrMore::is_empty")]
    pub not_match: OneOrMore,
}

impl RuleConfig {
    /// The rule as the engine reads it.
    pub(super) fn text(&self, origin: String) -> RuleText {
        let action = match self.action {
            Action::Allow => "allow",
            Action::Ask => "ask",
            Action::Deny => "deny",
        };
        RuleText {
            name: self.name.clone(),
            origin,
            action: action.to_owned(),
            why: self.why.clone(),
            effect: self.effect.0.clone(),
            program: self.program.0.clone(),
            args: self.args.0.clone(),
            path: self.path.0.clone(),
            host: self.host.0.clone(),
            tool: self.tool.0.clone(),
            trust: self.trust.0.clone(),
            autonomy: self.autonomy.0.clone(),
            matches: self.matches.0.clone(),
            not_match: self.not_match.0.clone(),
        }
    }
}

/// A text, or a list of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OneOrMore(pub Vec<String>);

impl OneOrMore {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            One(String),
            More(Vec<String>),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::One(text) => Self(vec![text]),
            Either::More(list) => Self(list),
        })
    }
}

impl JsonSchema for OneOrMore {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMore".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "array"],
            "minLength": 1,
            "items": { "type": "string", "minLength": 1 },
        })
    }
}

/// The names of effects, for editors. A name outside a list is checked by the engine alone.
fn effects(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = std::iter::once("net").chain(Kind::ALL.into_iter().map(Kind::name)).collect();
    json_schema!({
        "type": ["string", "array"],
        "minLength": 1,
        "items": { "type": "string", "enum": names },
    })
}
