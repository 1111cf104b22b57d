//! Compiles `kb/` and `profiles/` into static tables, so that a start costs no parsing.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

mod facts;
mod knowledge;
mod knowledge_lines;
mod network;
mod profile;
#[path = "../src/knowledge/schema.rs"]
#[allow(dead_code, unreachable_pub, reason = "the library uses the rest")]
mod schema;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=kb");
    println!("cargo::rerun-if-changed=facts");
    println!("cargo::rerun-if-changed=profiles");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/knowledge/schema.rs");
    match compile(&root, &out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            for e in errors {
                println!("cargo::error={e}");
            }
            ExitCode::FAILURE
        }
    }
}

fn compile(root: &Path, out: &Path) -> Result<(), Vec<String>> {
    let text = knowledge::compile(&root.join("kb"))?;
    std::fs::write(out.join("knowledge.rs"), text)
        .map_err(|e| vec![format!("writing the knowledge tables: {e}")])?;
    let text = network::compile(&root.join("kb")).map_err(|e| vec![e])?;
    std::fs::write(out.join("network.rs"), text)
        .map_err(|e| vec![format!("writing the list of network commands: {e}")])?;
    let text = facts::compile(&root.join("facts")).map_err(|e| vec![e])?;
    std::fs::write(out.join("facts.rs"), text).map_err(|e| vec![format!("writing the fact tables: {e}")])?;
    let text = profile::compile(&root.join("profiles")).map_err(|e| vec![e])?;
    std::fs::write(out.join("profiles.rs"), text).map_err(|e| vec![format!("writing the profiles: {e}")])
}
