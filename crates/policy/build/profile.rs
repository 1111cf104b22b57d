//! Compiles `profiles/*.toml`: rows in order, with those of the base behind.

use crate::knowledge_lines::effect;
use crate::schema::Kind;
use std::fmt::Write as _;
use std::path::Path;
use toml::{Table, Value};

const PLACES: [&str; 11] = [
    "null",
    "inside",
    "root",
    "whole",
    "scratch",
    "elsewhere",
    "home",
    "above",
    "device",
    "network",
    "unknown",
];
const CLASSES: [&str; 7] = ["credential", "secret", "startup", "persist", "guard", "later", "generated"];
const WHENS: [&str; 7] =
    ["contained", "uncontained", "undo", "network-deny", "network-allow", "loopback", "remote"];

pub(crate) fn compile(folder: &Path) -> Result<String, String> {
    let mut out = String::new();
    let mut all: Vec<String> = Vec::new();
    let default = rows(folder, "default")?;
    for name in ["default", "strict", "open"] {
        let list = if name == "default" { default.clone() } else { merged(&rows(folder, name)?, &default) };
        let mut numbers = Vec::new();
        for row in list {
            // Most rows are those of the base: they stand in the table once.
            let number = all.iter().position(|known| *known == row.text).unwrap_or(all.len());
            if number == all.len() {
                all.push(row.text);
            }
            numbers.push(u8::try_from(number).map_err(|_| "there are more rows than a byte counts")?);
        }
        let _ = writeln!(out, "static {}: [u8; {}] = {numbers:?};", name.to_uppercase(), numbers.len());
    }
    let _ = writeln!(out, "static ROWS: [Row; {}] = [\n{},\n];", all.len(), all.join(",\n"));
    Ok(out)
}

/// What nothing lifts comes first in every profile.
fn merged(own: &[Row], base: &[Row]) -> Vec<Row> {
    let hard = base.iter().filter(|r| r.hard).cloned();
    let rest = base.iter().filter(|r| !r.hard).cloned();
    hard.chain(own.iter().cloned()).chain(rest).collect()
}

#[derive(Clone)]
struct Row {
    text: String,
    hard: bool,
}

fn rows(folder: &Path, name: &str) -> Result<Vec<Row>, String> {
    let at = |e: String| format!("profiles/{name}.toml: {e}");
    let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).map_err(|e| at(e.to_string()))?;
    let mut table: Table = text.parse().map_err(|e: toml::de::Error| at(e.to_string()))?;
    let Some(Value::Array(list)) = table.remove("row") else { return Err(at("no `[[row]]`".into())) };
    list.into_iter()
        .map(|v| match v {
            Value::Table(t) => row(t).map_err(at),
            _ => Err(at("`row` is a table".into())),
        })
        .collect()
}

fn take(table: &mut Table, key: &str) -> Result<String, String> {
    match table.remove(key) {
        None => Ok(String::new()),
        Some(Value::String(s)) => Ok(s),
        Some(_) => Err(format!("`{key}` is a string")),
    }
}

fn mask(list: &str, names: &[&str]) -> Result<u32, String> {
    list.split(',').map(str::trim).filter(|w| !w.is_empty()).try_fold(0, |m, w| {
        let n = names.iter().position(|x| *x == w).ok_or_else(|| format!("no such word: {w}"))?;
        Ok(m | 1 << n)
    })
}

fn row(mut t: Table) -> Result<Row, String> {
    let mut kinds = 0_u32;
    for e in take(&mut t, "effect")?.split(',') {
        kinds |= 1 << kind(e.trim())? as u32;
    }
    let places = mask(&take(&mut t, "place")?, &PLACES)?;
    let classes = mask(&take(&mut t, "class")?, &CLASSES)?;
    let not = mask(&take(&mut t, "not")?, &CLASSES)?;
    let when = mask(&take(&mut t, "when")?, &WHENS)?;
    let targets = take(&mut t, "target")?;
    let action = match take(&mut t, "action")?.as_str() {
        "allow" => "Allow",
        "ask" => "Ask",
        "deny" => "Deny",
        a => return Err(format!("no such action: {a}")),
    };
    let hard = matches!(t.remove("hard"), Some(Value::Boolean(true)));
    let (code, why, instead) = (take(&mut t, "code")?, take(&mut t, "why")?, take(&mut t, "instead")?);
    if code.is_empty() || why.is_empty() {
        return Err("a row has a `code` and a `why`".into());
    }
    if let Some(key) = t.keys().next() {
        return Err(format!("unknown key `{key}`"));
    }
    let text = format!(
        "Row{{kinds:{kinds},places:{places},classes:{classes},not:{not},when:{when},targets:{targets:?},action:Verdict::{action},\
         code:{code:?},why:{why:?},instead:{instead:?},hard:{hard}}}"
    );
    Ok(Row { text, hard })
}

fn kind(name: &str) -> Result<Kind, String> {
    // A row names kinds alone; the parser of stated effects wants targets for some.
    let padded = match name {
        "net fetch" | "net send" | "net listen" | "net resolve" => name.to_owned(),
        _ => format!("{name} x"),
    };
    effect(&padded).map(|e| e.0)
}
