//! What the caller says about a text before it is parsed.

/// How to read a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The shell that will run it.
    pub shell: Shell,
    /// Longer scripts are refused. 64 KB by default.
    pub max_bytes: u32,
    /// Deeper nesting is refused. 64 by default, which a stack of 256 KB can hold.
    pub max_depth: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { shell: Shell::Bash, max_bytes: 64 * 1024, max_depth: 64 }
    }
}

/// The shell that will run a script.
///
/// Shells read the same text differently, so a wrong answer here can hide commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shell {
    /// Bash, any version from 3.2 to 5.3.
    Bash,
    /// A POSIX `sh`, which may be dash, bash or another: only what all of them read alike is understood.
    Sh,
    /// Any other shell. Nothing is understood.
    Other,
}
