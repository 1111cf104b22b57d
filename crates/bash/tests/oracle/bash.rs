//! Runs real bash on many scripts in one process.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An empty directory that goes away.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("toolgate-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Scripts may have made directories without permissions; what is left is in the temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The bash that is installed; `None` (said aloud) if there is none.
pub fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|dir| dir.join("bash")).find(|bash| bash.is_file());
    if found.is_none() {
        println!("skipped: no bash on PATH");
    }
    found
}

/// Runs bash with a driver script and input, in a directory, with an environment of its own.
///
/// The process has no network and sees no other processes where the kernel lets us say so.
pub fn run(bash: &Path, dir: &Path, driver: &str, input: &[u8], env: &[(&str, &OsStr)]) -> Vec<u8> {
    let mut command = isolated(bash);
    command.args(["--norc", "--noprofile", "-c", driver, "driver"]);
    // `kill -USR1 0` reaches a group across process namespaces: it must not be the tests' own.
    command.current_dir(dir).env_clear().process_group(0);
    for (name, value) in env {
        command.env(name, value);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A driver that ends early closes the pipe.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.stdout
}

/// A command for bash without a network, and with its own process numbers, if that is allowed here.
fn isolated(bash: &Path) -> Command {
    static ALLOWED: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let flags = ["-r", "-n", "-p", "-f", "--kill-child"];
    let allowed = *ALLOWED.get_or_init(|| {
        let status = Command::new("unshare")
            .args(flags)
            .arg(bash)
            .args(["-c", "exit 0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let allowed = status.is_ok_and(|status| status.success());
        println!("isolation: {}", if allowed { "own network and process namespaces" } else { "none here" });
        allowed
    });
    if !allowed {
        return Command::new(bash);
    }
    let unshare = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).map(|dir| dir.join("unshare")).find(|p| p.is_file()))
        .unwrap();
    let mut command = Command::new(unshare);
    command.args(flags).arg(bash);
    command
}
