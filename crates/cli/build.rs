//! Links the C library into the program, where there is one to link.
//!
//! As shared libraries it and the compiler's unwinder would be found, mapped and relocated at each start, a
//! third of what the start of a small program takes, and this program is started once per tool call. Linked in,
//! it also runs where there is no such library: in a container, in a chroot. It stays position-independent.
//!
//! `TOOLGATE_LINK=dynamic` leaves it as other programs are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program is linked with by name, and the archives that hold it.
///
/// The C library of glibc is in one archive since 2.34; the others are empty then, and before it are not.
const LIBRARIES: [(&str, &[&str]); 7] = [
    ("c", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
    ("gcc_s", &["libgcc_eh.a", "libgcc.a"]),
    ("m", &["libm.a"]),
    ("rt", &["librt.a"]),
    ("dl", &["libdl.a"]),
    ("util", &["libutil.a"]),
    ("pthread", &["libpthread.a"]),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=TOOLGATE_LINK");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    let native = env::var("HOST") == env::var("TARGET");
    if native
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && !is("TOOLGATE_LINK", "dynamic")
        && let Some(folder) = archives_as_libraries()
    {
        println!("cargo:rustc-link-arg-bin=toolgate=-static-pie");
        println!("cargo:rustc-link-arg-bin=toolgate=-L{}", folder.display());
        println!("cargo:rustc-env=TOOLGATE_LINKED=static");
    }
}

/// A folder in which each library's name stands for its archives: nobody asked the compiler for archives, so
/// it looks for shared libraries. `None` where an archive is missing.
fn archives_as_libraries() -> Option<PathBuf> {
    let folder = Path::new(&env::var_os("OUT_DIR")?).join("static");
    fs::create_dir_all(&folder).ok()?;
    // What starts a static program that can be placed anywhere.
    file_of_the_linker("rcrt1.o")?;
    for (name, archives) in LIBRARIES {
        let paths: Option<Vec<_>> = archives.iter().map(|archive| file_of_the_linker(archive)).collect();
        let paths = paths?.iter().map(|path| format!("\"{}\"", path.display())).collect::<Vec<_>>();
        fs::write(folder.join(format!("lib{name}.so")), format!("INPUT({})\n", paths.join(" "))).ok()?;
    }
    Some(folder)
}

/// Where a file of the linker's lies, if whoever links knows it: a compiler that does not answers with the bare
/// name, and anything but a compiler with an error.
fn file_of_the_linker(name: &str) -> Option<PathBuf> {
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let answer = Command::new(linker).arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim_end());
    (path.is_absolute() && path.is_file()).then_some(path)
}
