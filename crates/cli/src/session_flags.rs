//! The flags that `run`, `call` and `exec` share: where, and with what approval.

use std::path::{Path, PathBuf};

use toolgate_exec::CallContext;

use crate::failure::Failure;

/// Where a call runs, and with what approval.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SessionFlags {
    /// Run in this directory
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Approve beforehand what would be asked
    ///
    /// Answers every question with yes. What a rule forbids stays forbidden.
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

impl SessionFlags {
    /// The directory that calls start in: absolute, and there.
    pub(crate) fn start(&self) -> Result<PathBuf, Failure> {
        start_dir(self.cwd.as_deref())
    }

    /// The context of a call that starts in `start`.
    pub(crate) fn context(&self, start: &Path) -> CallContext {
        CallContext::new().cwd(start)
    }
}

/// The absolute path of the directory to start in.
pub(crate) fn start_dir(flag: Option<&Path>) -> Result<PathBuf, Failure> {
    let asked = flag.unwrap_or(Path::new("."));
    let doing = || match flag {
        Some(dir) => format!("changing to {}", dir.display()),
        None => "finding the current directory".to_owned(),
    };
    let real = std::fs::canonicalize(asked).map_err(|error| Failure::io(doing(), error))?;
    if real.is_dir() { Ok(real) } else { Err(Failure::io(doing(), std::io::ErrorKind::NotADirectory.into())) }
}
