//! What the tools of the shell take.

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_exec::ToolError;

/// The longest `timeout` a call may ask for, in seconds: a day.
pub(super) const MAX_TIMEOUT_SECS: u64 = 86_400;

/// The parameters of `bash`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashParams {
    /// The bash command line to run.
    pub command: String,
    /// Seconds until it is ended. Default 30, in the background 1800.
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_TIMEOUT_SECS))]
    pub timeout: Option<u64>,
    /// The directory to run it in, absolute or relative to the current one.
    #[serde(default)]
    pub cwd: Option<String>,
    /// In a few words what the command is for.
    #[serde(default)]
    pub description: Option<String>,
    /// Start it, answer with an id at once, and let it run on.
    #[serde(default)]
    pub background: bool,
}

/// The parameters of `bash_output` and `bash_stop`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunParams {
    /// The id that `bash` gave for the background run.
    pub id: String,
}

/// The parameters of `bash_list`: none.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListParams {}

impl BashParams {
    /// Checks what the schema can't say.
    pub(super) fn check(&self) -> Result<(), ToolError> {
        if self.command.trim().is_empty() {
            return Err(ToolError::invalid_params("field `command` is empty: give the command line to run"));
        }
        if let Some(at) = self.command.find('\0') {
            return Err(ToolError::invalid_params(format!(
                "field `command` has a NUL byte at byte {at}, which no program argument can carry: \
                 write it as an escape, such as printf '\\0'"
            )));
        }
        let limit = max_command_bytes();
        if self.command.len() > limit {
            return Err(ToolError::invalid_params(format!(
                "field `command` has {} bytes, and the system takes {limit} at most: \
                 write it to a file and run `bash FILE`, or feed the data from a file",
                self.command.len()
            )));
        }
        if !self.timeout.is_none_or(|secs| (1..=MAX_TIMEOUT_SECS).contains(&secs)) {
            return Err(ToolError::invalid_params(format!(
                "field `timeout` must be between 1 and {MAX_TIMEOUT_SECS} seconds"
            )));
        }
        if self.cwd.as_ref().is_some_and(|cwd| cwd.contains('\0')) {
            return Err(ToolError::invalid_params("field `cwd` has a NUL byte, which no path can carry"));
        }
        Ok(())
    }
}

/// The longest single program argument: 32 pages with its final NUL (execve(2), MAX_ARG_STRLEN).
pub(super) fn max_command_bytes() -> usize {
    32 * rustix::param::page_size() - 1
}
