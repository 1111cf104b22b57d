//! Every knowledge file is what `kb/schema.json` says, and so is what the build takes.
//!
//! The few words of JSON Schema that the file uses are checked here; a word that is not known fails the test.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn kb() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kb")
}

fn schema() -> Value {
    serde_json::from_str(&std::fs::read_to_string(kb().join("schema.json")).unwrap()).unwrap()
}

struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    /// What is wrong with a value, and the properties that the schema knows.
    fn check(&self, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) -> BTreeSet<String> {
        let mut known = BTreeSet::new();
        let words = schema.as_object().unwrap();
        for (word, says) in words {
            match word.as_str() {
                "$schema" | "$defs" | "title" | "description" => {}
                "type" => {
                    if !is(value, says.as_str().unwrap()) {
                        wrong.push(format!("{at} is no {says}: {value}"));
                    }
                }
                "enum" => {
                    if !says.as_array().unwrap().contains(value) {
                        wrong.push(format!("{at} is none of {says}: {value}"));
                    }
                }
                "required" => {
                    for name in says.as_array().unwrap().iter().filter_map(Value::as_str) {
                        if value.get(name).is_none() {
                            wrong.push(format!("{at} has no `{name}`"));
                        }
                    }
                }
                "properties" => {
                    for (name, schema) in says.as_object().unwrap() {
                        known.insert(name.clone());
                        if let Some(value) = value.get(name) {
                            self.check(schema, value, &format!("{at}.{name}"), wrong);
                        }
                    }
                }
                "items" => {
                    for (i, value) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(says, value, &format!("{at}[{i}]"), wrong);
                    }
                }
                "additionalProperties" if says.is_object() => {
                    for (name, value) in value.as_object().into_iter().flatten() {
                        self.check(says, value, &format!("{at}.{name}"), wrong);
                    }
                }
                "additionalProperties" | "unevaluatedProperties" => assert_eq!(says, &Value::Bool(false)),
                "$ref" => {
                    let target =
                        self.root.pointer(says.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
                    known.extend(self.check(target, value, at, wrong));
                }
                "allOf" => {
                    for schema in says.as_array().unwrap() {
                        known.extend(self.check(schema, value, at, wrong));
                    }
                }
                other => panic!("the schema says `{other}`, which this test does not know"),
            }
        }
        if words.get("additionalProperties").or(words.get("unevaluatedProperties"))
            == Some(&Value::Bool(false))
        {
            let extra =
                value.as_object().into_iter().flat_map(Map::keys).filter(|name| !known.contains(*name));
            wrong.extend(extra.map(|name| format!("{at} has an unknown key `{name}`")));
        }
        known
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        other => panic!("a type that this test does not know: {other}"),
    }
}

fn wrong(schema: &Value, value: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    Checker { root: schema }.check(schema, value, "file", &mut wrong);
    wrong
}

#[test]
fn every_file_fits_the_schema() {
    let schema = schema();
    let mut count = 0;
    for entry in std::fs::read_dir(kb()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        count += 1;
        let table: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let found = wrong(&schema, &serde_json::to_value(table).unwrap());
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
    }
    assert!(count > 500, "{count}");
}

#[test]
fn a_file_that_does_not_fit_is_told() {
    let schema = schema();
    let file = |text: &str| serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    let good = "summary = 'x'\nexamples = []\n";
    assert!(wrong(&schema, &file(good)).is_empty());
    for bad in [
        "summary = 'x'\n",
        "summary = 5\nexamples = []\n",
        "summary = 'x'\nexamples = [1]\n",
        "summary = 'x'\nexamples = []\nsumary = 'y'\n",
        "summary = 'x'\nexamples = []\nstyle = 'free'\n",
        "summary = 'x'\nexamples = []\n[[when]]\neffects = []\n",
        "summary = 'x'\nexamples = []\n[sub.a]\nversioned = true\n",
        "summary = 'x'\nexamples = []\n[sub.a.sub.b]\neffect = []\n",
    ] {
        assert!(!wrong(&schema, &file(bad)).is_empty(), "{bad}");
    }
}
