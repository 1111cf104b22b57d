//! The built binary, as a user and an agent run it: in a home of its own, with no terminal.
// Helpers of a test fail the test, and one that can't be made here says so.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bad_input;
mod boundary;
mod calls;
mod config;
mod grants;
mod help;
mod linked;
mod outputs;
mod policy;
mod prompts;
mod run;
mod terminal;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A user with an empty home and one directory to work in.
struct User {
    home: TempDir,
}

/// What a run gave.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl User {
    fn new() -> Self {
        let user = Self { home: tempfile::tempdir().unwrap() };
        fs::create_dir(user.work()).unwrap();
        user
    }

    fn home(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    fn work(&self) -> PathBuf {
        self.home().join("work")
    }

    /// Writes a file below the home, with its directories.
    fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn user_config(&self, text: &str) {
        self.file(".config/toolgate/toolgate.toml", text);
    }

    fn project_config(&self, text: &str) {
        self.file("work/toolgate.toml", text);
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home())
            .current_dir(self.work())
            .stdin(Stdio::null());
        command
    }

    fn toolgate(&self, args: &[&str]) -> Ran {
        self.ran(self.command(args))
    }

    fn with_input(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It may end before it has read it all.
        let _ = child.stdin.take().unwrap().write_all(input);
        self.told(&child.wait_with_output().unwrap())
    }

    fn ran(&self, mut command: Command) -> Ran {
        self.told(&command.output().unwrap())
    }

    fn told(&self, output: &std::process::Output) -> Ran {
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(self.home().to_str().unwrap(), "/home/me");
        use std::os::unix::process::ExitStatusExt;
        let code = output.status.code().unwrap_or_else(|| -output.status.signal().unwrap());
        Ran { code, out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Ran {
    /// All of it in one text, for snapshots.
    fn all(&self) -> String {
        let mut text = self.out.clone();
        if !self.err.is_empty() {
            text.push_str("--- stderr\n");
            text.push_str(&self.err);
        }
        format!("{text}--- exit {}", self.code)
    }

    /// The one JSON object that stdout is.
    fn json(&self) -> serde_json::Value {
        assert_eq!(self.out.matches('\n').count(), 1, "{self:?}");
        let value: serde_json::Value = serde_json::from_str(&self.out).unwrap();
        assert_eq!(value["version"], 1);
        value
    }
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
