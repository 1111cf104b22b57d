//! Whether `toolgate explain` knows every code that a reason is made with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::generated::made;

/// Reasons of tests and examples of the documentation.
const MADE_UP: [&str; 2] = ["a-code", "deletes-not-allowed"];

pub(crate) fn check(root: &Path) -> Result<Vec<String>, String> {
    let known = made(root, &["explain", "--codes"])?;
    let known: Vec<&str> = known.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut files = Vec::new();
    for krate in entries(&root.join("crates"))? {
        let src = krate.join("src");
        if src.is_dir() && !krate.ends_with("testkit") {
            collect(&src, &mut files)?;
        }
    }
    let mut faults = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|e| format!("reading {}: {e}", file.display()))?;
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for code in codes(code).filter(|code| !known.contains(code) && !MADE_UP.contains(code)) {
            let file = file.strip_prefix(root).unwrap_or(&file).display();
            faults.push(format!("{file}: `toolgate explain` does not know `{code}`"));
        }
    }
    Ok(faults)
}

/// The literals that stand first in `Reason::new(…)`.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split("Reason::new(")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    for path in entries(dir)? {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let read = || fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    read().map_err(|e| format!("reading {}: {e}", dir.display()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_code_is_found_also_on_a_line_of_its_own() {
        let text = "Reason::new(\"a-b\", x); Reason::new(\n    \"c-d\",\n); Reason::new(code)";
        assert_eq!(super::codes(text).collect::<Vec<_>>(), ["a-b", "c-d"]);
    }
}
