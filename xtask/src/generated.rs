//! Files that are made from code, and whether those in the tree are what the code makes.
//!
//! The texts come from the binary itself, which owns them.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A file below the root, and the arguments with which `toolgate` prints it.
const FILES: [(&str, &[&str]); 2] = [
    ("docs/reference/commands.md", &["explain", "--reference"]),
    ("docs/reference/toolgate.schema.json", &["config", "schema"]),
];

pub(crate) fn check(root: &Path) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for (file, args) in FILES {
        let made = made(root, args)?;
        if fs::read_to_string(root.join(file)).ok().as_deref() != Some(&made) {
            faults.push(format!("{file} is not what the code makes: run `cargo run -p xtask -- generate`"));
        }
    }
    Ok(faults)
}

pub(crate) fn write(root: &Path) -> Result<Vec<&'static str>, String> {
    for (file, args) in FILES {
        let path = root.join(file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| format!("making {}: {e}", folder.display()))?;
        }
        fs::write(&path, made(root, args)?).map_err(|e| format!("writing {}: {e}", path.display()))?;
    }
    Ok(FILES.iter().map(|(file, _)| *file).collect())
}

pub(crate) fn made(root: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "-p", "toolgate-cli", "--"])
        .args(args)
        .current_dir(root)
        .output()
        .map_err(|error| format!("running toolgate: {error}"))?;
    if !output.status.success() {
        return Err(format!("toolgate {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|e| e.to_string())
}
