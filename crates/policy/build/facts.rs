//! Compiles `facts/paths.toml` and `facts/variables.toml`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use toml::{Table, Value};

const CLASSES: [&str; 7] = ["credential", "secret", "startup", "persist", "guard", "later", "generated"];
const KINDS: [&str; 8] = ["code", "program", "script", "inject", "place", "output", "endpoint", "harmless"];

/// The Rust text of the tables.
pub(crate) fn compile(folder: &Path) -> Result<String, String> {
    let mut out = String::new();
    let mut pool = Pool::default();
    paths(folder, &mut pool, &mut out).map_err(|e| format!("facts/paths.toml: {e}"))?;
    variables(folder, &mut pool, &mut out).map_err(|e| format!("facts/variables.toml: {e}"))?;
    let _ = writeln!(out, "static NAMES: &str = {:?};", pool.text);
    Ok(out)
}

/// The names of all tables in one text, into which they point by number.
#[derive(Default)]
struct Pool {
    text: String,
    known: HashMap<String, usize>,
}

impl Pool {
    /// The code of a name.
    fn name(&mut self, name: &str) -> String {
        let at = *self.known.entry(name.to_owned()).or_insert_with(|| {
            self.text.push_str(name);
            self.text.len() - name.len()
        });
        format!("Name({at},{})", name.len())
    }
}

fn read(folder: &Path, file: &str) -> Result<Table, String> {
    let text = std::fs::read_to_string(folder.join(file)).map_err(|e| e.to_string())?;
    text.parse().map_err(|e: toml::de::Error| e.to_string())
}

fn list(table: &Table, key: &str) -> Result<Vec<Table>, String> {
    match table.get(key) {
        Some(Value::Array(list)) => list
            .iter()
            .map(|v| v.as_table().cloned().ok_or_else(|| format!("`{key}` is a list of tables")))
            .collect(),
        _ => Err(format!("no `[[{key}]]`")),
    }
}

fn str_of(table: &Table, key: &str) -> Result<String, String> {
    table.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("no `{key}`"))
}

fn paths(folder: &Path, pool: &mut Pool, out: &mut String) -> Result<(), String> {
    let table = read(folder, "paths.toml")?;
    let mut exact = Vec::new();
    let mut wild = Vec::new();
    let mut except = Vec::new();
    for class in list(&table, "class")? {
        let name = str_of(&class, "name")?;
        let number =
            CLASSES.iter().position(|c| *c == name).ok_or_else(|| format!("no such class: {name}"))?;
        let bit = 1_u8 << number;
        for p in str_of(&class, "paths")?.split_whitespace() {
            let p = p.to_ascii_lowercase();
            if p.contains('*') {
                if p.contains('/') {
                    return Err(format!("a wildcard is for the last component only: {p}"));
                }
                wild.push((p, bit));
                continue;
            }
            let below = p.ends_with('/');
            let absolute = p.starts_with('/');
            let trimmed = p.trim_matches('/');
            let (before, key) = trimmed.rsplit_once('/').unwrap_or(("", trimmed));
            exact.push((key.to_owned(), before.to_owned(), below, absolute, bit));
        }
        if let Some(e) = class.get("except").and_then(Value::as_str) {
            except.extend(e.split_whitespace().map(|p| (p.to_ascii_lowercase(), bit)));
        }
    }
    exact.sort();
    except.sort();
    let _ = writeln!(out, "static EXACT: [Exact; {}] = [", exact.len());
    for (key, before, below, absolute, bit) in &exact {
        let (key, before) = (pool.name(key), pool.name(before));
        let _ =
            writeln!(out, "Exact{{key:{key},before:{before},below:{below},absolute:{absolute},bit:{bit}}},");
    }
    out.push_str("];\n");
    for (table, rows) in [("WILD", &wild), ("EXCEPT", &except)] {
        let _ = writeln!(out, "static {table}: [(Name, u8); {}] = [", rows.len());
        for (name, bit) in rows {
            let _ = writeln!(out, "({},{bit}),", pool.name(name));
        }
        out.push_str("];\n");
    }
    Ok(())
}

fn variables(folder: &Path, pool: &mut Pool, out: &mut String) -> Result<(), String> {
    let table = read(folder, "variables.toml")?;
    let mut exact: Vec<(String, String)> = Vec::new();
    let mut wild: Vec<(String, String)> = Vec::new();
    for v in list(&table, "variable")? {
        let kind = str_of(&v, "kind")?;
        if !KINDS.contains(&kind.as_str()) {
            return Err(format!("no such kind: {kind}"));
        }
        let mut kind = kind;
        if let Some(first) = kind.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        for name in str_of(&v, "names")?.split_whitespace() {
            let row = (name.to_owned(), kind.clone());
            if name.contains('*') { wild.push(row) } else { exact.push(row) }
        }
    }
    exact.sort();
    if let Some(w) = exact.windows(2).find(|w| w[0].0 == w[1].0) {
        return Err(format!("{} is listed twice", w[0].0));
    }
    for (table, rows) in [("VARIABLES", &exact), ("VARIABLE_GLOBS", &wild)] {
        let _ = writeln!(out, "static {table}: [(Name, Meaning); {}] = [", rows.len());
        for (name, kind) in rows {
            let _ = writeln!(out, "({}, Meaning::{kind}),", pool.name(name));
        }
        out.push_str("];\n");
    }
    let mut usual = String::new();
    for u in list(&table, "usual")? {
        let _ = writeln!(usual, "{}\t{}", str_of(&u, "names")?, str_of(&u, "words")?);
    }
    let _ = writeln!(
        out,
        "/// Names and words of their usual values, a tab between.\nstatic USUAL: &str = {usual:?};"
    );
    Ok(())
}
