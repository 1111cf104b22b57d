//! Lists the commands that reach other hosts, from `kb/*.toml`.
//!
//! The list is for people and for those who only have names to go by: a friendly early answer. What decides is
//! the analysis of a command, and what enforces is the boundary.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use toml::{Table, Value};

/// Paths of the shell itself that are connections.
const DEVICES: [&str; 2] = ["/dev/tcp", "/dev/udp"];

/// Languages in which program text reaches the network without starting a program that is listed.
const LANGUAGES: [&str; 7] = ["python", "perl", "ruby", "node", "php", "lua", "tcl"];

/// What programs with a version in their name are called as a rule.
const USUAL: [(&str, &str); 2] = [("python", "python3"), ("pypy", "pypy3")];

/// The Rust text of the list.
pub(crate) fn compile(folder: &Path) -> Result<String, String> {
    let mut list: BTreeSet<String> = DEVICES.map(str::to_owned).into();
    let files = std::fs::read_dir(folder).map_err(|e| format!("reading {}: {e}", folder.display()))?;
    for path in files.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")) {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("reading {}: {e}", path.display()))?;
        // What is wrong with the file is told where its tables are made.
        let Ok(table) = text.parse::<Table>() else { continue };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = string(&table, "name").unwrap_or(&stem);
        for name in
            std::iter::once(name).chain(string(&table, "aliases").unwrap_or_default().split_whitespace())
        {
            commands(name, &table, &mut list);
            for (_, usual) in USUAL.iter().filter(|(plain, _)| *plain == name) {
                commands(usual, &table, &mut list);
            }
        }
    }
    let mut out = format!("pub static NETWORK_COMMANDS: [&str; {}] = [\n", list.len());
    for command in &list {
        let _ = writeln!(out, "{command:?},");
    }
    out.push_str("];\n");
    Ok(out)
}

/// A command, else those of its sub-commands and options that reach the network.
fn commands(name: &str, table: &Table, list: &mut BTreeSet<String>) {
    if reaches_out(table) {
        list.insert(name.to_owned());
        return;
    }
    for option in string(table, "options").unwrap_or_default().lines().flat_map(inline_code) {
        list.insert(format!("{name} {option}"));
    }
    let Some(Value::Table(subs)) = table.get("sub") else { return };
    for (names, sub) in subs {
        let Value::Table(sub) = sub else { continue };
        for sub_name in names.split_whitespace().filter(|n| *n != "*") {
            commands(&format!("{name} {sub_name}"), sub, list);
        }
    }
}

/// Whether it always reaches another host, or one that its operands name.
fn reaches_out(table: &Table) -> bool {
    let effects = table.get("effects").and_then(Value::as_array).into_iter().flatten();
    let net = effects.filter_map(Value::as_str).any(|e| e.starts_with("net "));
    let roles = string(table, "operands").unwrap_or_default().split_whitespace();
    let hosts = ["host", "url", "remote:read", "remote:write", "git-remote"];
    net || roles.map(|r| r.trim_end_matches(['.', '?', '*'])).any(|r| hosts.contains(&r))
}

/// The options of a line that take program text.
fn inline_code(line: &str) -> Vec<&str> {
    let Some((names, takes)) = line.split_once(" = ") else { return Vec::new() };
    let takes = takes.trim_start();
    let is_code = LANGUAGES.iter().any(|l| takes.strip_prefix("code:").is_some_and(|t| t.starts_with(l)));
    if is_code { names.split_whitespace().filter(|n| !n.ends_with('*')).collect() } else { Vec::new() }
}

fn string<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(Value::as_str)
}
