//! The section `[sandbox]`.

use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operating-system boundary that commands run in.
///
/// Which variables of the host they see is `tools.shell.env_allow`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SandboxConfig {
    /// What commands may change.
    #[schemars(extend("x-project" = "stricter"))]
    pub preset: SandboxPreset,
    /// What of the network commands may reach.
    #[schemars(extend("x-project" = "stricter"))]
    pub network: SandboxNetwork,
    /// Directories that commands may change, besides what the preset lets them: `~/.cache/pip`.
    ///
    /// Absolute, or beginning with `~/`, or relative to the directory of the file that says so.
    #[schemars(inner(length(min = 1)), extend("x-project" = "fewer", "x-places" = true))]
    pub writable: Vec<PathBuf>,
    /// Files and directories that commands can't see, besides the usual places of secrets.
    #[schemars(inner(length(min = 1)), extend("x-project" = "add", "x-places" = true))]
    pub hidden: Vec<PathBuf>,
    /// Whether commands can't see the workspace's `.env` and its kin.
    #[schemars(extend("x-project" = "on"))]
    pub hide_env_files: bool,
    /// Names inside the writable directories that commands can't change, besides hooks, start-up files
    /// and the configuration of agents: `deploy/keys`.
    #[schemars(inner(length(min = 1)), extend("x-project" = "add"))]
    pub protected: Vec<String>,
    /// Whether commands get a network of their own with nothing in it, and no named local sockets.
    #[schemars(extend("x-project" = "on"))]
    pub strict: bool,
    /// Whether programs may make user namespaces, for browsers and build tools with a sandbox of their own.
    #[schemars(extend("x-project" = "off"))]
    pub nested: bool,
    /// Whether a command that was judged to do nothing but read runs where it can do nothing else.
    #[schemars(extend("x-project" = "on"))]
    pub narrow: bool,
    /// Whether commands run with less of the boundary where this machine can't give all of it.
    ///
    /// What was really enforced is in every result.
    #[schemars(extend("x-project" = "off"))]
    pub degrade: bool,
    /// How much one command and all it starts may use.
    pub limits: SandboxLimits,
}

/// What commands may change.
// The laxest first: a project may only go on in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxPreset {
    /// Whatever the user can; only the process tree is bounded.
    Open,
    /// The workspace.
    #[default]
    WorkspaceWrite,
    /// Nothing; everything but secrets can be read.
    ReadOnly,
}

/// What of the network commands may reach.
// The laxest first, as above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxNetwork {
    /// What the host can reach.
    Allow,
    /// Nothing.
    #[default]
    Deny,
}

/// How much one command and all it starts may use; 0 is no limit.
///
/// What of its output is shown and kept is bounded by `tools.overflow`, however much it prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SandboxLimits {
    /// Seconds on the clock; a call's own limit is `tools.shell.timeout`.
    #[schemars(range(max = 31_536_000), extend("x-project" = "limit"))]
    pub wall_secs: u64,
    /// Seconds of processor time.
    #[schemars(range(max = 31_536_000), extend("x-project" = "limit"))]
    pub cpu_secs: u64,
    /// Mebibytes of memory.
    #[schemars(range(max = 1_073_741_824), extend("x-project" = "limit"))]
    pub memory_mb: u64,
    /// Processes and threads at once.
    #[schemars(range(max = 4_000_000), extend("x-project" = "limit"))]
    pub processes: u32,
    /// Mebibytes of any one file written.
    #[schemars(range(max = 1_073_741_824), extend("x-project" = "limit"))]
    pub file_size_mb: u64,
    /// Files open at once in one process.
    #[schemars(range(max = 1_073_741_824), extend("x-project" = "limit"))]
    pub open_files: u64,
    /// Mebibytes in the command's own `/tmp`, `/dev/shm` and `/run` together.
    #[schemars(range(max = 1_073_741_824), extend("x-project" = "limit"))]
    pub scratch_mb: u64,
    /// Mebibytes of output; who prints more is ended.
    #[schemars(range(max = 1_073_741_824), extend("x-project" = "limit"))]
    pub output_mb: u64,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            wall_secs: 0,
            cpu_secs: 0,
            memory_mb: 0,
            processes: 8192,
            file_size_mb: 0,
            open_files: 0,
            scratch_mb: 4096,
            output_mb: 0,
        }
    }
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            preset: SandboxPreset::default(),
            network: SandboxNetwork::default(),
            writable: Vec::new(),
            hidden: Vec::new(),
            hide_env_files: false,
            protected: Vec::new(),
            strict: false,
            nested: false,
            narrow: true,
            degrade: false,
            limits: SandboxLimits::default(),
        }
    }
}

impl SandboxConfig {
    /// What a schema can't say: the part it is about, and what is wrong.
    pub(super) fn problems(&self) -> Vec<(String, String)> {
        let below = |name: &String| {
            let mut parts = Path::new(name).components();
            !name.ends_with('/') && parts.all(|part| matches!(part, Component::Normal(_)))
        };
        let wrong = self.protected.iter().enumerate().filter(|(_, name)| !below(name));
        wrong
            .map(|(at, name)| {
                let why = format!("{name:?} is no name inside a directory, such as `deploy/keys`");
                (format!("sandbox.protected[{at}]"), why)
            })
            .collect()
    }
}
