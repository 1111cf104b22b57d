//! What to run inside the boundary.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// A program to run inside the boundary, with its surroundings.
#[derive(Debug)]
pub struct Command {
    /// The program and its arguments. A program without a slash is looked for in the `PATH` of `env`.
    pub argv: Vec<OsString>,
    /// The host's variables. Only those the policy lets through reach the program.
    pub env: Vec<(OsString, OsString)>,
    /// Variables that reach the program whatever the policy says, such as a skill's own secrets.
    pub granted: Vec<(OsString, OsString)>,
    /// The directory to start in; absolute.
    pub cwd: PathBuf,
    /// Where input comes from and output goes.
    pub io: Io,
}

/// Where a command's input comes from and its output goes.
#[derive(Debug)]
pub enum Io {
    /// Three open files.
    Files {
        /// Standard input.
        stdin: OwnedFd,
        /// Standard output.
        stdout: OwnedFd,
        /// Standard error.
        stderr: OwnedFd,
    },
    /// A terminal of its own; the caller gets its other side from [`crate::Child::terminal`].
    Terminal {
        /// Lines of text.
        rows: u16,
        /// Characters in a line.
        columns: u16,
    },
}

impl Command {
    /// A command in a directory with these open files and no variables.
    pub fn new<S: AsRef<OsStr>>(argv: impl IntoIterator<Item = S>, cwd: impl Into<PathBuf>, io: Io) -> Self {
        Self {
            argv: argv.into_iter().map(|word| word.as_ref().to_owned()).collect(),
            env: Vec::new(),
            granted: Vec::new(),
            cwd: cwd.into(),
            io,
        }
    }

    /// Offers the host's variables; only those the policy lets through reach the program.
    #[must_use]
    pub fn env(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.env.extend(variables);
        self
    }

    /// Gives the program a variable whatever the policy says.
    #[must_use]
    pub fn grant(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.granted.push((name.into(), value.into()));
        self
    }
}
