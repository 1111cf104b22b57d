//! `unsafe` lives in the sandbox crate alone.

use std::fs;
use std::path::Path;

const HOME: &str = "sandbox";

pub(crate) fn check(root: &Path) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for entry in fs::read_dir(root.join("crates")).map_err(|e| format!("reading crates: {e}"))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.file_name().is_some_and(|name| name != HOME) {
            walk(&path, &mut faults)?;
        }
    }
    Ok(faults)
}

fn walk(folder: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|e| format!("reading {}: {e}", folder.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        // A crate outside the workspace (benchmarks against peers) is not shipped.
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target" && n != "peers") {
            walk(&path, faults)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).map_err(|e| format!("reading {}: {e}", path.display()))?;
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or(line);
                if ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "allow(unsafe_code)"]
                    .iter()
                    .any(|u| code.contains(u))
                {
                    faults.push(format!(
                        "{}:{}: unsafe outside the sandbox crate",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    Ok(())
}
