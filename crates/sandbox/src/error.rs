//! What can go wrong before a command runs.

use std::fmt;
use std::path::PathBuf;

use crate::enforcement::{Level, Missing, Stage};
use crate::sys::Errno;

/// Why a command did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The machine can enforce less than the policy asks for, and the policy accepts no less.
    NotEnforceable {
        /// The least the policy accepts.
        asked: Level,
        /// What this machine reaches.
        reached: Level,
        /// What is missing, most important first.
        missing: Vec<Missing>,
    },
    /// A network scope by names was asked for, which can't be enforced yet.
    NetworkScope,
    /// A path of the policy isn't absolute, or holds a NUL.
    BadPath {
        /// The path.
        path: PathBuf,
    },
    /// A writable directory is missing or can't be opened.
    Writable {
        /// The directory.
        path: PathBuf,
        /// How opening it failed.
        errno: Errno,
    },
    /// A writable directory is hidden by the same policy.
    WritableHidden {
        /// The directory.
        path: PathBuf,
        /// The hidden path it is in.
        hidden: PathBuf,
    },
    /// A writable directory is a link that leads out of another writable directory.
    ///
    /// Whatever wrote there could have pointed it at anything of the user's.
    WritableEscapes {
        /// The directory as given.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The command is empty, or one of its strings holds a NUL or an `=` in a variable's name.
    BadCommand,
    /// The working directory can't be entered inside the boundary.
    Directory {
        /// The directory.
        path: PathBuf,
        /// How it failed.
        errno: Errno,
    },
    /// The program can't be started inside the boundary.
    Program {
        /// The program.
        program: String,
        /// How it failed; "not found" if no directory of `PATH` holds it.
        errno: Errno,
    },
    /// A step of the boundary failed that works on this machine otherwise.
    ///
    /// A path changed while it was being prepared, or the machine is out of something.
    Boundary {
        /// The step.
        stage: Stage,
        /// The path it was about, if any.
        path: Option<PathBuf>,
        /// How it failed.
        errno: Errno,
    },
    /// The spawner or a system call of this process failed.
    System {
        /// What was being done.
        doing: &'static str,
        /// How it failed.
        errno: Errno,
    },
}

impl Error {
    /// What a person can do about it, if anything.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotEnforceable { missing, reached, .. } => {
                let mut hint: Vec<String> = missing.iter().filter_map(Missing::remedy).collect();
                hint.dedup();
                hint.push(format!("or accept the level `{reached}` beforehand"));
                Some(hint.join("; "))
            }
            Self::NetworkScope => Some("allow or deny the network as a whole".to_owned()),
            Self::WritableEscapes { target, .. } => {
                Some(format!("name {} itself if it is meant to be writable", target.display()))
            }
            Self::Boundary { stage: Stage::Hide | Stage::Protect | Stage::Mounts, .. } => {
                Some("run the command again: a path changed while the boundary was set up".to_owned())
            }
            _ => None,
        }
    }

    pub(crate) fn system(doing: &'static str) -> impl FnOnce(Errno) -> Self {
        move |errno| Self::System { doing, errno }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEnforceable { asked, reached, missing } => {
                write!(f, "this machine enforces `{reached}` where `{asked}` was asked for")?;
                for (index, missing) in missing.iter().enumerate() {
                    write!(f, "{} {missing}", if index == 0 { ":" } else { ";" })?;
                }
                Ok(())
            }
            Self::NetworkScope => f.write_str("a network scope by names can't be enforced yet"),
            Self::BadPath { path } => write!(f, "policy path {} isn't absolute", path.display()),
            Self::Writable { path, errno } => {
                write!(f, "opening the writable directory {}: {errno}", path.display())
            }
            Self::WritableHidden { path, hidden } => {
                write!(f, "the writable directory {} is hidden by {}", path.display(), hidden.display())
            }
            Self::WritableEscapes { path, target } => {
                write!(
                    f,
                    "the writable directory {} leads out of another, to {}",
                    path.display(),
                    target.display()
                )
            }
            Self::BadCommand => f.write_str("the command is empty or holds a character no command can hold"),
            Self::Directory { path, errno } => {
                write!(f, "entering {} inside the boundary: {errno}", path.display())
            }
            Self::Program { program, errno } => write!(f, "starting {program}: {errno}"),
            Self::Boundary { stage, path, errno } => {
                write!(f, "{}", stage.phrase())?;
                if let Some(path) = path {
                    write!(f, " ({})", path.display())?;
                }
                write!(f, ": {errno}")
            }
            Self::System { doing, errno } => write!(f, "{doing}: {errno}"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_and_what_to_do() {
        let error = Error::NotEnforceable {
            asked: Level::Full,
            reached: Level::None,
            missing: vec![Missing::Namespaces { at: Stage::Namespaces, errno: Errno(libc::ENOSPC) }],
        };
        let text = error.to_string();
        assert!(text.contains("`none`") && text.contains("`full`") && text.contains("namespaces"));
        assert!(error.hint().unwrap().contains("max_user_namespaces"));
    }
}
