//! Starting a command: the seam between a tool that runs programs and what contains them.
//!
//! A tool says what to start ([`SpawnRequest`]) and gets a handle on everything that came of it
//! ([`Child`]). [`HostSpawner`] starts it with no boundary at all; a spawner with one takes the same
//! request and gives the same handle, so that no tool has a second way of running a program.

#[cfg(target_os = "linux")]
mod configured;
mod host;
mod needs;
#[cfg(target_os = "linux")]
mod sandboxed;
mod sweep;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use toolgate_exec::{BoxFuture, Enforcement, ExitStatus, NetworkScope, ToolError};

pub use host::HostSpawner;
pub use needs::Needs;
#[cfg(target_os = "linux")]
pub use sandboxed::SandboxSpawner;
pub use toolgate_sandbox::ignores_signal;
#[cfg(target_os = "linux")]
pub use toolgate_sandbox::init;
#[cfg(target_os = "linux")]
pub use toolgate_sandbox::{Level as BoundaryLevel, Network as BoundaryNetwork, Policy as BoundaryPolicy};

/// The variable that marks the processes of one run, whoever starts them.
///
/// A run inside a run adds its id to the outer one's, so that the outer one finds it too.
pub const RUN_VARIABLE: &str = "TOOLGATE_RUN";

/// What to start.
///
/// Standard input is always `/dev/null`: an agent's command has nobody at a keyboard.
#[derive(Debug)]
#[non_exhaustive]
pub struct SpawnRequest {
    /// The program, as an absolute path. The name it is told is the last part of it.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Its whole environment; nothing is inherited on top.
    pub env: Vec<(OsString, OsString)>,
    /// The directory it starts in.
    pub cwd: PathBuf,
    /// Where its standard output goes.
    pub stdout: OwnedFd,
    /// Where its standard error goes.
    pub stderr: OwnedFd,
    /// The network it may use. Only a boundary can enforce it.
    pub network: NetworkScope,
    /// What it needs as it was judged. A boundary may give it no more.
    pub needs: Needs,
    /// Directories of ours that it must be able to write in, whatever the boundary.
    pub scratch: Vec<PathBuf>,
    /// A unique id, which its environment carries as [`RUN_VARIABLE`].
    pub run_id: String,
}

/// Starts programs.
pub trait Spawner: Send + Sync {
    /// Starts one. A dropped future must leave nothing running.
    ///
    /// # Errors
    /// Where it can't be started, or not inside the boundary that was asked for: less than asked
    /// for is a refusal, never a silent retreat.
    fn spawn<'a>(&'a self, request: SpawnRequest) -> BoxFuture<'a, Result<Arc<dyn Child>, ToolError>>;
}

/// A running program and everything that it started.
///
/// Dropping the last handle ends all of it, at once and without a runtime.
pub trait Child: Send + Sync {
    /// Waits for the program itself to end; others that it started may go on.
    ///
    /// May be dropped and called again. Nobody else may have waited for it before.
    fn wait(&self) -> BoxFuture<'_, io::Result<ExitStatus>>;

    /// Asks everything it started to end (SIGTERM).
    fn terminate(&self);

    /// Whether the program and everything it started has ended, as far as that can be seen.
    fn is_gone(&self) -> bool;

    /// Ends all of it (SIGKILL) and waits until it is gone; gives how many processes besides the
    /// program itself still ran.
    fn end(&self) -> BoxFuture<'_, usize>;

    /// The same in a place that can't wait for a future, such as `Drop`: blocks for some milliseconds.
    fn end_now(&self) -> usize;

    /// What is really enforced around it.
    fn enforcement(&self) -> Enforcement;

    /// How many bytes it may print, both streams together; who reads them ends it where it prints more.
    fn output_limit(&self) -> Option<u64> {
        None
    }

    /// What the boundary has refused it since this was last asked, a phrase each: the sockets it may not
    /// have, as far as that can be seen. At most a few dozen are told.
    fn refusals(&self) -> Vec<String> {
        Vec::new()
    }

    /// What is to be said of it, once the program has ended, a sentence each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
