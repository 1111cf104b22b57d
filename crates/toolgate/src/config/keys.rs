//! The keys there are, read off the JSON Schema of the configuration's type.
//!
//! One source for what is known, checked, merged and shown: the Rust type.

use serde_json::{Map, Value};

use super::rule::Rule;

/// One key with its full name: `tools.shell.timeout`.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) rule: Rule,
    pub(super) default: Value,
    /// The values there are, where they are few: the laxest first where that matters.
    pub(super) options: Vec<Value>,
    /// Whether it is a list of places of the file system.
    pub(super) places: bool,
}

/// The schema, with the references in it followed.
pub(super) struct Keys {
    root: Value,
}

impl Keys {
    pub(super) fn new(root: Value) -> Self {
        Self { root }
    }

    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// The schema that `schema` refers to, or itself.
    pub(super) fn follow<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|t| t.strip_prefix('#'));
        target.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema)
    }

    /// Whether this property is a section and not a key: a table of known names without a rule.
    pub(super) fn is_section(&self, property: &Value) -> bool {
        property.get("x-project").is_none() && self.follow(property).get("properties").is_some()
    }

    /// The names of a section and their schemas.
    pub(super) fn properties<'a>(&'a self, section: &'a Value) -> Option<&'a Map<String, Value>> {
        self.follow(section).get("properties")?.as_object()
    }

    /// Every key, in the order of the types.
    pub(super) fn all(&self, defaults: &Value) -> Vec<Key> {
        let mut keys = Vec::new();
        self.collect(&self.root, "", defaults, &mut keys);
        keys
    }

    fn collect(&self, section: &Value, at: &str, defaults: &Value, keys: &mut Vec<Key>) {
        for (name, property) in self.properties(section).into_iter().flatten() {
            let full = join(at, name);
            let default = defaults.get(name).unwrap_or(&Value::Null);
            if self.is_section(property) {
                self.collect(property, &full, default, keys);
            } else {
                keys.push(Key {
                    name: full,
                    rule: Rule::of(property),
                    default: default.clone(),
                    options: options(self.follow(property)),
                    places: property.get("x-places").is_some_and(|places| places == true),
                });
            }
        }
    }

    /// Every section with its known names, `""` being the top.
    pub(super) fn sections(&self) -> Vec<(String, Vec<String>)> {
        let mut sections = Vec::new();
        let mut todo = vec![(String::new(), &self.root)];
        while let Some((at, section)) = todo.pop() {
            let properties = self.properties(section);
            sections.push((at.clone(), properties.into_iter().flat_map(Map::keys).cloned().collect()));
            for (name, property) in properties.into_iter().flatten() {
                if self.is_section(property) {
                    todo.push((join(&at, name), property));
                }
            }
        }
        sections
    }
}

/// The values of an enum, in the order of the type.
fn options(schema: &Value) -> Vec<Value> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let described = list("oneOf").filter_map(|option| option.get("const"));
    list("enum").chain(described).cloned().collect()
}

pub(super) fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, schema};

    const NEVER: [&str; 5] = [
        "tools.filters.filters_path",
        "tools.overflow.retention_days",
        "tools.overflow.dir",
        "tools.overflow.quota_bytes",
        "tools.overflow.reserve_bytes",
    ];

    #[test]
    fn every_key_says_what_a_project_may_do_to_it() {
        let keys = Keys::new(schema()).all(&serde_json::to_value(Config::default()).unwrap());
        assert!(keys.iter().any(|k| k.name == "tools.shell.timeout"));
        for key in &keys {
            // What a project can't set at all says so here too, so that none is forgotten.
            let never = NEVER.contains(&&*key.name);
            assert_eq!(key.rule == Rule::Never, never, "`{}` has no x-project that is known", key.name);
            assert!(!key.default.is_null(), "`{}` has no default", key.name);
        }
    }
}
