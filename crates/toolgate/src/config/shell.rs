//! The section `[tools.shell]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::bad_allowed_command;
use crate::tools::shell::Environment;

/// The shell tool, `bash`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ShellConfig {
    /// Seconds a command may take, start to end.
    #[schemars(range(min = 1, max = 86_400), extend("x-project" = "lower"))]
    pub timeout: u64,
    /// Commands that never run, whatever else allows them: `sudo`, `git push`.
    #[schemars(inner(length(min = 1)), extend("x-project" = "add"))]
    pub blocked_commands: Vec<String>,
    /// Commands that run although a built-in rule would block or ask; `blocked_commands` still wins.
    #[schemars(inner(length(min = 1)), extend("x-project" = "fewer"))]
    pub allowed_commands: Vec<String>,
    /// Directories that commands may work in; where empty, the one they start in.
    ///
    /// Absolute, or beginning with `~/`, or relative to the directory of the file that says so.
    #[schemars(inner(length(min = 1)), extend("x-project" = "within", "x-places" = true))]
    pub allowed_paths: Vec<PathBuf>,
    /// Whether commands may use the network.
    #[schemars(extend("x-project" = "off"))]
    pub allow_network: bool,
    /// Commands that are asked about, besides those the policy asks about: `git push`, `drop table`.
    ///
    /// Empty by default. What deserves a question is judged by the grammar of the command, so
    /// that `echo "rm it"` is no `rm`; this list is for what only the user can know.
    #[schemars(inner(length(min = 1)), extend("x-project" = "add"))]
    pub confirm_patterns: Vec<String>,
    /// Variables of the host's environment that commands see, besides the few they need: `JAVA_HOME`.
    #[schemars(inner(length(min = 1)), extend("x-project" = "fewer"))]
    pub env_allow: Vec<String>,
    /// How many commands may run in the background at once; with 0, none.
    #[schemars(range(max = 1024), extend("x-project" = "lower"))]
    pub max_background_runs: u64,
    /// Seconds a background command may take.
    #[schemars(range(min = 1, max = 86_400), extend("x-project" = "lower"))]
    pub background_timeout_secs: u64,
    /// Whether a `cd` in one command holds for the next.
    #[schemars(extend("x-project" = "free"))]
    pub persist_cwd: bool,
}

impl Default for ShellConfig {
    fn default() -> Self {
        Self {
            timeout: 30,
            blocked_commands: Vec::new(),
            allowed_commands: Vec::new(),
            allowed_paths: Vec::new(),
            allow_network: true,
            confirm_patterns: Vec::new(),
            env_allow: Vec::new(),
            max_background_runs: 8,
            background_timeout_secs: 1800,
            persist_cwd: false,
        }
    }
}

impl ShellConfig {
    /// What a schema can't say: the key, the list entry it is about, and what is wrong.
    pub(super) fn problems(&self) -> Vec<(&'static str, usize, String)> {
        // What runs other code than the command (`LD_PRELOAD`, `BASH_ENV`) is let in on nobody's request.
        let variable = |name: &String| Environment::default().inherit([name]).err().map(|e| e.to_string());
        let variables = self.env_allow.iter().map(variable).enumerate();
        let commands = self.allowed_commands.iter().map(|entry| bad_allowed_command(entry)).enumerate();
        variables
            .map(|(at, why)| ("tools.shell.env_allow", at, why))
            .chain(commands.map(|(at, why)| ("tools.shell.allowed_commands", at, why)))
            .filter_map(|(key, at, why)| Some((key, at, why?)))
            .collect()
    }
}
