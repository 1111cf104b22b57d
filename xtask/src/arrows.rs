//! Which crate may use which: the house's arrows, compared with what Cargo says.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Each crate and the crates of ours that it may depend on. A crate that is not here may not be.
const ARROWS: [(&str, &[&str]); 9] = [
    ("toolgate-exec", &[]),
    ("toolgate-bash", &[]),
    ("toolgate-policy", &["toolgate-bash"]),
    ("toolgate-sandbox", &[]),
    ("toolgate-filter", &["toolgate-bash"]),
    (
        "toolgate",
        &["toolgate-exec", "toolgate-bash", "toolgate-policy", "toolgate-sandbox", "toolgate-filter"],
    ),
    ("toolgate-cli", &["toolgate"]),
    ("toolgate-testkit", &["toolgate-exec"]),
    ("xtask", &[]),
];

/// Only tests may use these.
const FOR_TESTS: &[&str] = &["toolgate-testkit"];

/// The parser is read by itself and by other projects: nothing comes with it.
const WITHOUT_DEPENDENCIES: &[&str] = &["toolgate-bash"];

pub(crate) fn check(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("running cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata has no packages")?;
    let ours: Vec<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let mut faults = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = ARROWS.iter().find(|(n, _)| *n == name) else {
            faults.push(format!("`{name}` has no line in xtask/src/arrows.rs"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = dependency["name"].as_str().unwrap_or_default();
            let normal = dependency["kind"].is_null();
            let test_double = !normal && FOR_TESTS.contains(&to);
            // A crate may ask itself for a feature in its own tests.
            let own = !normal && to == name;
            if ours.contains(&to) && !own && !allowed.contains(&to) && !test_double {
                faults.push(format!("`{name}` may not use `{to}`"));
            }
            if normal && WITHOUT_DEPENDENCIES.contains(&name) {
                faults.push(format!("`{name}` may use nothing, and uses `{to}`"));
            }
        }
    }
    Ok(faults)
}
