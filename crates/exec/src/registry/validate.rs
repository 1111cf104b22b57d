//! Checks parameters against the JSON Schema of a tool.
//!
//! Covers the keywords that schemars writes for parameter types and that MCP servers use for
//! theirs: `type`, `properties`, `required`, `additionalProperties`, `items`, `enum`, `const`,
//! bounds, `anyOf`/`oneOf`/`allOf` and local `$ref`s. Other keywords are left to the tool: it decodes
//! into a type of its own (or hands on to a server that validates) and refuses there.

use serde_json::{Map, Value};

use super::nearest::nearest;

/// References and combinations are followed this deep; beyond it the value counts as fitting.
const MAX_DEPTH: usize = 32;

pub(super) fn params(schema: &Value, params: &Map<String, Value>) -> Result<(), String> {
    Checker { root: schema }.object(schema, params, "", 0)
}

/// What kind of JSON value this is, with its article: `a string`.
pub(crate) fn shape_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(n) if n.is_f64() => "a number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn object(&self, schema: &Value, map: &Map<String, Value>, at: &str, depth: usize) -> Result<(), String> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let known = || properties.into_iter().flat_map(|p| p.keys()).map(String::as_str);
        let extra = schema.get("additionalProperties");
        for (name, value) in map {
            let field = path(at, name);
            match (properties.and_then(|p| p.get(name)), extra) {
                (Some(schema), _) => self.value(schema, value, &field, depth + 1)?,
                (None, Some(Value::Bool(false))) => return Err(unknown(&field, name, known(), map)),
                (None, Some(schema @ Value::Object(_))) => self.value(schema, value, &field, depth + 1)?,
                (None, _) => {}
            }
        }
        let mut required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing = required.by_ref().filter_map(Value::as_str).find(|name| !map.contains_key(*name));
        let Some(name) = missing else { return Ok(()) };
        let expected =
            properties.and_then(|p| p.get(name)).map_or_else(String::new, |s| format!(" ({})", expected(s)));
        let stray = map.keys().map(String::as_str).filter(|k| !known().any(|n| n == *k));
        let hint = nearest(name, stray)
            .map_or_else(String::new, |s| format!("; `{s}` is not a field: did you mean `{name}`?"));
        Err(format!("missing field `{}`{expected}{hint}", path(at, name)))
    }

    fn value(&self, schema: &Value, value: &Value, at: &str, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Ok(());
        }
        if *schema == Value::Bool(false) {
            return Err(format!("field `{at}` is not allowed"));
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            if let Some(target) = target {
                self.value(target, value, at, depth + 1)?;
            }
        }
        self.kind(schema, value, at)?;
        self.choice(schema, value, at)?;
        for all in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.value(all, value, at, depth + 1)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(options) = schema.get(keyword).and_then(Value::as_array) else { continue };
            if !options.iter().any(|option| self.value(option, value, at, depth + 1).is_ok()) {
                let want: Vec<_> = options.iter().map(expected).collect();
                return Err(format!("field `{at}` must be {}, not {}", want.join(" or "), told(value)));
            }
        }
        match value {
            Value::Object(map) => self.object(schema, map, at, depth),
            Value::Array(items) => {
                bound(schema, "minItems", "maxItems", items.len(), at, "items")?;
                let Some(item) = schema.get("items") else { return Ok(()) };
                items
                    .iter()
                    .enumerate()
                    .try_for_each(|(i, v)| self.value(item, v, &format!("{at}[{i}]"), depth + 1))
            }
            Value::String(s) => bound(schema, "minLength", "maxLength", s.chars().count(), at, "characters"),
            Value::Number(n) => range(schema, n.as_f64().unwrap_or(f64::NAN), at, n),
            _ => Ok(()),
        }
    }

    fn kind(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let fits = |kind: &str| match kind {
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "number" => value.is_number(),
            // JSON Schema: 1.0 is an integer as well.
            "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|f| f.fract() == 0.0),
            _ => true,
        };
        let ok = match schema.get("type") {
            Some(Value::String(kind)) => fits(kind),
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(fits),
            _ => true,
        };
        if ok {
            Ok(())
        } else {
            Err(format!("field `{at}` must be {}, not {}", expected(schema), told(value)))
        }
    }

    fn choice(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let options = match (schema.get("enum"), schema.get("const")) {
            (Some(Value::Array(options)), _) => options.as_slice(),
            (_, Some(only)) => std::slice::from_ref(only),
            _ => return Ok(()),
        };
        if options.contains(value) {
            return Ok(());
        }
        let names = options.iter().filter_map(Value::as_str);
        let hint = value
            .as_str()
            .and_then(|v| nearest(v, names))
            .map_or_else(String::new, |n| format!("; did you mean \"{n}\"?"));
        Err(format!("field `{at}` must be {}, not {}{hint}", expected(schema), told(value)))
    }
}

fn path(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn unknown<'a>(
    field: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
    given: &Map<String, Value>,
) -> String {
    let known: Vec<_> = known.collect();
    let free = known.iter().copied().filter(|k| !given.contains_key(*k));
    match nearest(name, free) {
        Some(meant) => format!("unknown field `{field}`: did you mean `{meant}`?"),
        None if known.is_empty() => format!("unknown field `{field}`: this takes no fields"),
        None => format!("unknown field `{field}`: known fields are {}", known.join(", ")),
    }
}

fn expected(schema: &Value) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let options: Vec<_> = options.iter().map(Value::to_string).collect();
        return format!("one of {}", options.join(", "));
    }
    if let Some(only) = schema.get("const") {
        return only.to_string();
    }
    let named = |kind: &str| match kind {
        "integer" | "array" | "object" => format!("an {kind}"),
        "null" => "null".to_owned(),
        _ => format!("a {kind}"),
    };
    match schema.get("type") {
        Some(Value::String(kind)) => named(kind),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).map(named).collect::<Vec<_>>().join(" or ")
        }
        _ => "a value of another shape".to_owned(),
    }
}

/// The value in few characters, with its kind.
fn told(value: &Value) -> String {
    match value {
        Value::String(s) if s.chars().count() <= 40 => format!("the string {value}"),
        Value::Number(_) | Value::Bool(_) => format!("{} ({value})", shape_of(value)),
        _ => shape_of(value).to_owned(),
    }
}

fn bound(schema: &Value, min: &str, max: &str, len: usize, at: &str, unit: &str) -> Result<(), String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
    let len = len as u64;
    match (limit(min), limit(max)) {
        (Some(least), _) if len < least => {
            Err(format!("field `{at}` must have at least {least} {unit}, not {len}"))
        }
        (_, Some(most)) if len > most => {
            Err(format!("field `{at}` must have at most {most} {unit}, not {len}"))
        }
        _ => Ok(()),
    }
}

fn range(schema: &Value, number: f64, at: &str, told: &serde_json::Number) -> Result<(), String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let broken = [
        limit("minimum").filter(|m| number < *m).map(|m| format!("at least {m}")),
        limit("maximum").filter(|m| number > *m).map(|m| format!("at most {m}")),
        limit("exclusiveMinimum").filter(|m| number <= *m).map(|m| format!("more than {m}")),
        limit("exclusiveMaximum").filter(|m| number >= *m).map(|m| format!("less than {m}")),
    ];
    match broken.into_iter().flatten().next() {
        Some(want) => Err(format!("field `{at}` must be {want}, not {told}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    fn said(schema: serde_json::Value, params: serde_json::Value) -> String {
        super::params(&schema, params.as_object().unwrap()).err().unwrap_or_default()
    }

    #[test]
    fn messages_name_the_field_the_shape_and_the_nearest_name() {
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["command"],
            "properties": {
                "command": {"type": "string"}, "timeout": {"type": ["integer", "null"], "minimum": 1},
                "mode": {"enum": ["fast", "slow"]}, "many": {"type": "array", "items": {"type": "string"}}
            }
        });
        for (params, want) in [
            (json!({"command": "ls", "timeout": 3}), ""),
            (json!({}), "missing field `command` (a string)"),
            (json!({"comand": "ls"}), "unknown field `comand`: did you mean `command`?"),
            (
                json!({"command": "ls", "zebra": 1}),
                "unknown field `zebra`: known fields are command, timeout, mode, many",
            ),
            (json!({"command": 7}), "field `command` must be a string, not an integer (7)"),
            (
                json!({"command": "ls", "timeout": "9"}),
                "field `timeout` must be an integer or null, not the string \"9\"",
            ),
            (json!({"command": "ls", "timeout": 0}), "field `timeout` must be at least 1, not 0"),
            (
                json!({"command": "ls", "mode": "fst"}),
                "field `mode` must be one of \"fast\", \"slow\", not the string \"fst\"; did you mean \"fast\"?",
            ),
            (
                json!({"command": "ls", "many": ["a", 1]}),
                "field `many[1]` must be a string, not an integer (1)",
            ),
        ] {
            assert_eq!(said(schema.clone(), params), want);
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"properties": {"a": {"$ref": "#/properties/a"}}});
        assert_eq!(said(schema, json!({"a": 1})), "");
    }
}
