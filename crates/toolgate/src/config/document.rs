//! One text: parsed, and checked against the schema with the place of everything that is wrong.
//!
//! The schema is walked rather than the type decoded, since a decoder stops at the first error and
//! tells no nearest key. It covers the keywords that schemars writes for our own types.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolgate_exec::registry::nearest;

use super::error::{ConfigError, Problem};
use super::keys::{Keys, join};

/// A key that a text sets.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) key: String,
    pub(super) value: Value,
    /// Of the value.
    pub(super) span: Range<usize>,
    /// Of everything in it, by its full name: `rule[0].match[1]`.
    pub(super) parts: Vec<(String, Range<usize>)>,
}

impl Leaf {
    /// Where a part of it stands; the nearest part around it where there is none of that name.
    pub(super) fn place(&self, part: &str) -> Range<usize> {
        let mut name = part;
        loop {
            if let Some((_, span)) = self.parts.iter().find(|(n, _)| n == name) {
                return span.clone();
            }
            match name.rfind(['.', '[']) {
                Some(at) => name = name.get(..at).unwrap_or_default(),
                None => return self.span.clone(),
            }
        }
    }
}

/// Reads one text: the keys it sets, or all that is wrong with it.
pub(super) fn read(keys: &Keys, name: &str, text: &str) -> Result<Vec<Leaf>, Vec<ConfigError>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if let Some(error) = errors.first() {
        // Only the first: what follows a syntax error is mostly its echo.
        let problem = Problem::Syntax { message: error.message().to_owned() };
        return Err(vec![ConfigError::new(problem, name, text, error.span().unwrap_or(0..0))]);
    }
    let mut reader = Reader { keys, name, text, leaves: Vec::new(), parts: Vec::new(), errors: Vec::new() };
    reader.section(keys.root(), document.get_ref(), "");
    // Tables iterate by name; people read from the top.
    reader.leaves.sort_by_key(|leaf| leaf.span.start);
    reader.errors.sort_by_key(|error| (error.place.line, error.place.column));
    if reader.errors.is_empty() { Ok(reader.leaves) } else { Err(reader.errors) }
}

struct Reader<'a> {
    keys: &'a Keys,
    name: &'a str,
    text: &'a str,
    leaves: Vec<Leaf>,
    /// Of the value that is being read.
    parts: Vec<(String, Range<usize>)>,
    errors: Vec<ConfigError>,
}

impl Reader<'_> {
    fn fail(&mut self, problem: Problem, span: Range<usize>) {
        self.errors.push(ConfigError::new(problem, self.name, self.text, span));
    }

    fn section(&mut self, section: &Value, table: &DeTable<'_>, at: &str) {
        let keys = self.keys;
        for (name, value) in table {
            let full = join(at, name.get_ref());
            match keys.properties(section).and_then(|p| p.get(name.get_ref().as_ref())) {
                None => {
                    let problem = self.unknown(name.get_ref(), at);
                    self.fail(problem, name.span());
                }
                Some(property) if keys.is_section(property) => match value.get_ref() {
                    DeValue::Table(table) => self.section(property, table, &full),
                    other => {
                        let found = told(other);
                        let expected = format!("a table, [{full}]");
                        self.fail(Problem::WrongValue { key: full, expected, found }, value.span());
                    }
                },
                Some(property) => {
                    self.parts.clear();
                    if let Some(json) = self.value(property, value, &full) {
                        let parts = std::mem::take(&mut self.parts);
                        self.leaves.push(Leaf { key: full, value: json, span: value.span(), parts });
                    }
                }
            }
        }
    }

    fn unknown(&self, key: &str, section: &str) -> Problem {
        let sections = self.keys.sections();
        let known: Vec<String> =
            sections.iter().find(|(at, _)| at == section).map(|(_, names)| names.clone()).unwrap_or_default();
        // The very name elsewhere beats a similar name here: it was put into the wrong section.
        let elsewhere =
            sections.iter().find(|(_, names)| names.iter().any(|n| n == key)).map(|(at, _)| join(at, key));
        let here = || nearest(key, known.iter().map(String::as_str)).map(|name| join(section, name));
        let anywhere = || {
            let all = sections.iter().flat_map(|(at, names)| names.iter().map(move |n| (at, n)));
            let (at, name) = all.clone().find(|(_, n)| nearest(key, [n.as_str()]).is_some())?;
            Some(join(at, name))
        };
        let nearest = elsewhere.or_else(here).or_else(anywhere);
        Problem::UnknownKey { key: key.to_owned(), section: section.to_owned(), nearest, known }
    }

    /// The value as JSON, if it fits; what does not fit is noted.
    fn value(&mut self, schema: &Value, value: &Spanned<DeValue<'_>>, key: &str) -> Option<Value> {
        let keys = self.keys;
        let schema = keys.follow(schema);
        self.parts.push((key.to_owned(), value.span()));
        let json = match value.get_ref() {
            DeValue::String(text) => Some(Value::String(text.to_string())),
            DeValue::Boolean(yes) => Some(Value::Bool(*yes)),
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from)
            }
            DeValue::Float(number) => number.as_str().parse::<f64>().ok().map(Value::from),
            DeValue::Datetime(_) => None,
            DeValue::Array(items) if fits(schema, "array") => {
                let item = schema.get("items").unwrap_or(&Value::Bool(true));
                // All are read, so that everything that is wrong is told.
                let read = |(at, entry): (usize, &_)| self.value(item, entry, &format!("{key}[{at}]"));
                let list: Vec<Option<Value>> = items.iter().enumerate().map(read).collect();
                return list.into_iter().collect::<Option<Vec<Value>>>().map(Value::Array);
            }
            DeValue::Table(table) if fits(schema, "object") => {
                return self.table(schema, table, key, &value.span());
            }
            DeValue::Array(_) | DeValue::Table(_) => None,
        };
        let wrong = match &json {
            None => true,
            Some(json) => !allowed(schema, json),
        };
        if wrong {
            let (expected, found) = (expected(schema), told(value.get_ref()));
            self.fail(Problem::WrongValue { key: key.to_owned(), expected, found }, value.span());
            return None;
        }
        json
    }

    /// A table inside a value: with names of its own, or with any names where the schema lets them.
    fn table(
        &mut self,
        schema: &Value,
        table: &DeTable<'_>,
        key: &str,
        span: &Range<usize>,
    ) -> Option<Value> {
        let keys = self.keys;
        let mut map = Map::new();
        let mut wrong = false;
        for (name, value) in table {
            let full = join(key, name.get_ref());
            let property = keys.properties(schema).and_then(|p| p.get(name.get_ref().as_ref()));
            let read = match property.or_else(|| schema.get("additionalProperties").filter(|p| p.is_object()))
            {
                Some(property) => self.value(property, value, &full),
                None => {
                    let problem = self.unknown_in_value(schema, name.get_ref(), key);
                    self.fail(problem, name.span());
                    None
                }
            };
            wrong |= read.is_none();
            map.extend(read.map(|value| (name.get_ref().to_string(), value)));
        }
        if wrong {
            return None;
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        if let Some(missing) = required.filter_map(Value::as_str).find(|name| !map.contains_key(*name)) {
            let expected = format!("a table with `{missing}`");
            let problem =
                Problem::WrongValue { key: key.to_owned(), expected, found: "one without".to_owned() };
            self.fail(problem, span.clone());
            return None;
        }
        Some(Value::Object(map))
    }
}

impl Reader<'_> {
    fn unknown_in_value(&self, schema: &Value, key: &str, section: &str) -> Problem {
        let known: Vec<String> =
            self.keys.properties(schema).into_iter().flat_map(Map::keys).cloned().collect();
        let nearest = nearest(key, known.iter().map(String::as_str)).map(|near| join(section, near));
        Problem::UnknownKey { key: key.to_owned(), section: section.to_owned(), nearest, known }
    }
}

fn fits(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(some)) => some.iter().any(|k| k == kind),
        _ => false,
    }
}

/// Whether a plain value is one that the schema takes. Unknown kinds of schema take nothing.
fn allowed(schema: &Value, value: &Value) -> bool {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return options.contains(value);
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        // An enum whose variants have descriptions.
        return options.iter().any(|option| match option.get("const") {
            Some(only) => only == value,
            None => allowed(option, value),
        });
    }
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    match value {
        // A blank text in a list of patterns would match everything or nothing.
        Value::String(text) => {
            fits(schema, "string")
                && !text.contains('\0')
                && (number("minLength").is_none() || !text.trim().is_empty())
        }
        Value::Bool(_) => fits(schema, "boolean"),
        Value::Number(n) => {
            let kind = fits(schema, "number") || (fits(schema, "integer") && !n.is_f64());
            kind && n.as_f64().is_some_and(|n| {
                number("minimum").is_none_or(|least| n >= least)
                    && number("maximum").is_none_or(|most| n <= most)
            })
        }
        _ => false,
    }
}

fn expected(schema: &Value) -> String {
    let quoted = |options: &[Value]| options.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return format!("one of {}", quoted(options));
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        let names: Vec<Value> = options.iter().filter_map(|o| o.get("const").cloned()).collect();
        return format!("one of {}", quoted(&names));
    }
    let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
    let range = || match (limit("minimum"), limit("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    };
    if fits(schema, "integer") {
        format!("a whole number{}", range())
    } else if fits(schema, "number") {
        format!("a number{}", range())
    } else if fits(schema, "boolean") {
        "true or false".to_owned()
    } else if fits(schema, "string") {
        if limit("minLength").is_some() {
            "a text that is not blank and holds no NUL".to_owned()
        } else {
            "a text".to_owned()
        }
    } else if fits(schema, "array") {
        match schema.get("items") {
            Some(item) if fits(item, "string") => "a list of texts".to_owned(),
            _ => "a list".to_owned(),
        }
    } else {
        "a table".to_owned()
    }
}

fn shape_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The value where it is short, else its kind.
fn told(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() <= 40 => format!("the text {text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(yes) => yes.to_string(),
        other => shape_of(other).to_owned(),
    }
}
