//! How much a command may use.

use std::time::Duration;

/// How much a command may use; `None` is no limit of ours.
///
/// All but one are kept by the boundary. The pipes of the output are the caller's: who reads them counts, and ends
/// a command that printed too much with [`Child::kill`](crate::Child::kill), as `toolgate`'s shell does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock, then the whole tree is killed.
    pub wall: Option<Duration>,
    /// Processor time of the whole tree.
    pub cpu: Option<Duration>,
    /// Memory of the whole tree, in bytes.
    pub memory: Option<u64>,
    /// Processes and threads alive at once.
    pub processes: Option<u32>,
    /// Size of any one file written, in bytes.
    pub file_size: Option<u64>,
    /// Files open at once in one process.
    pub open_files: Option<u64>,
    /// Bytes in the private `/tmp`, `/dev/shm` and `/run` together.
    pub scratch: Option<u64>,
    /// Files in the private `/tmp`, `/dev/shm` and `/run` together.
    pub scratch_files: Option<u64>,
    /// Bytes printed to standard output and standard error together; kept by whoever reads them.
    pub output: Option<u64>,
}

impl Default for Limits {
    /// Bounds that stop a runaway and that no build or test run comes near.
    fn default() -> Self {
        Self {
            wall: None,
            cpu: None,
            memory: None,
            processes: Some(8192),
            file_size: None,
            open_files: None,
            scratch: Some(4 << 30),
            scratch_files: Some(1 << 20),
            output: None,
        }
    }
}

impl Limits {
    /// No limit at all.
    #[must_use]
    pub fn none() -> Self {
        Self {
            wall: None,
            cpu: None,
            memory: None,
            processes: None,
            file_size: None,
            open_files: None,
            scratch: None,
            scratch_files: None,
            output: None,
        }
    }
}
