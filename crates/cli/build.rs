//! Links the unwinder of the C compiler into the program, where there is one to link.
//!
//! As a shared library it would be found, mapped and relocated at each start, which is a tenth of
//! what the start of a small program takes, and this program is started once per tool call.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    let native = env::var("HOST") == env::var("TARGET");
    if native
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && let Some(folder) = folder_of_the_unwinder()
    {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Where it lies, if whoever links knows it: a compiler that does not answers with the bare name, and
/// anything but a compiler with an error.
fn folder_of_the_unwinder() -> Option<PathBuf> {
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let answer = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim_end());
    (path.is_absolute() && path.is_file()).then(|| path.parent().map(Path::to_owned))?
}
