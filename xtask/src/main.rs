//! Generators and checks of the workspace: `cargo run -p xtask -- check`.
//!
//! Each check is one file here and one line in the list below.

mod arrows;
mod codes;
mod generated;
mod unsafe_code;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A check gives the faults it found, one a line.
type Check = fn(&Path) -> Result<Vec<String>, String>;

const CHECKS: [(&str, Check); 4] = [
    ("crate arrows", arrows::check),
    ("unsafe code", unsafe_code::check),
    ("generated files", generated::check),
    ("reason codes", codes::check),
];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf);
    match std::env::args().nth(1).as_deref() {
        Some("check") => check(&root),
        Some("generate") => match generated::write(&root) {
            Ok(files) => {
                report(&format!("wrote {} files", files.len()));
                ExitCode::SUCCESS
            }
            Err(error) => {
                report(&error);
                ExitCode::FAILURE
            }
        },
        _ => {
            report("usage: cargo run -p xtask -- check | generate");
            ExitCode::from(2)
        }
    }
}

fn check(root: &Path) -> ExitCode {
    let mut faults = 0;
    for (name, check) in CHECKS {
        match check(root) {
            Ok(found) if found.is_empty() => report(&format!("{name}: ok")),
            Ok(found) => {
                faults += found.len();
                found.iter().for_each(|fault| report(&format!("{name}: {fault}")));
            }
            Err(error) => {
                faults += 1;
                report(&format!("{name}: could not be checked: {error}"));
            }
        }
    }
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}
