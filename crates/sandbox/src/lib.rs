//! The operating-system boundary a command runs in.
//!
//! A [`Policy`] says what a command may do, a [`Sandbox`] runs commands behind it, and each
//! [`Child`] says what was really enforced. Nothing here knows of agents, tools or shells, prints, or
//! reads the user's files or environment; calls are plain and blocking, and a [`Child`] can be polled.
//!
//! ```
//! use std::io::Read as _;
//! use toolgate_sandbox::{Command, Io, Level, Policy, Sandbox, Status};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let workspace = std::env::temp_dir().join(format!("toolgate-example-{}", std::process::id()));
//! # std::fs::create_dir_all(&workspace)?;
//! let home = workspace.parent().unwrap_or(&workspace);
//! let mut policy = Policy::workspace_write(home, &workspace);
//! policy.limits.wall = Some(std::time::Duration::from_secs(60));
//! # policy.least = Level::None;
//! let sandbox = Sandbox::new(policy)?;
//!
//! let (mut output, stdout) = std::io::pipe()?;
//! let nothing = || std::fs::OpenOptions::new().read(true).write(true).open("/dev/null");
//! let io = Io::Files { stdin: nothing()?.into(), stdout: stdout.into(), stderr: nothing()?.into() };
//! let command = Command::new(["sh", "-c", "echo inside; touch /outside"], &workspace, io)
//!     .env(std::env::vars_os());
//! let mut child = sandbox.spawn(command)?;
//!
//! let mut text = String::new();
//! output.read_to_string(&mut text)?;
//! let exit = child.wait()?;
//! assert_eq!(text, "inside\n");
//! # if child.enforcement().level == Level::Full {
//! assert_eq!(exit.status, Status::Code(1), "the root is read-only");
//! # }
//! # std::fs::remove_dir_all(&workspace)?;
//! # Ok(())
//! # }
//! ```
//!
//! # How a command starts
//!
//! 1. `plan` works out, in the parent, every path, rule and string: the child only makes calls.
//! 2. `launch` clones a first process into user, mount, process and IPC namespaces. A program that
//!    runs for long calls [`init`] first thing, so that a small helper does this for it.
//! 3. `init`, the first process, has `boundary` build the view of files, `confine` give up rights,
//!    and starts the program. It kills what the program leaves behind, and everything when the
//!    caller is gone.
//!
//! # What the boundary is not
//!
//! It is no virtual machine: a hole in the kernel is a hole in it. Without a version 2 cgroup,
//! memory is watched and not fenced, and files in memory that nothing maps aren't seen. A socket the
//! host listens on by a relative name isn't found, and a hidden file that someone outside replaces
//! while a command runs is seen by that command.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
mod host;
#[cfg(unix)]
mod session;

#[cfg(target_os = "linux")]
mod ablation;
#[cfg(target_os = "linux")]
mod boundary;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod command;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod doctor;
#[cfg(target_os = "linux")]
mod enforcement;
#[cfg(target_os = "linux")]
mod error;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod lookup;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod mountinfo;
#[cfg(target_os = "linux")]
mod notify;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod policy;
#[cfg(target_os = "linux")]
mod repository;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(target_os = "linux")]
mod spawner;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod wire;

#[cfg(target_os = "linux")]
pub use host::spawn_in_session;
#[cfg(unix)]
pub use session::{ignores_signal, own_session};

#[cfg(all(target_os = "linux", feature = "danger-ablation"))]
pub use ablation::Layer;
#[cfg(target_os = "linux")]
pub use child::{Child, Exit, Limit, RefusedSocket, Status};
#[cfg(target_os = "linux")]
pub use command::{Command, Io};
#[cfg(all(target_os = "linux", feature = "danger-ablation"))]
pub use doctor::danger_examine_without;
#[cfg(target_os = "linux")]
pub use doctor::{Examination, Finding, Verdict, examine};
#[cfg(target_os = "linux")]
pub use enforcement::{Enforcement, Level, Missing, Stage};
#[cfg(target_os = "linux")]
pub use error::Error;
#[cfg(target_os = "linux")]
pub use machine::Machine;
#[cfg(target_os = "linux")]
pub use policy::{
    DEFAULT_ENVIRONMENT, DEFAULT_HIDDEN, DEFAULT_PROTECTED, Guard, HiddenPath, Limits, Nesting, Network,
    PROXY_ENVIRONMENT, Policy, Privileges, Protected, ProtectedName, Scratch, Strictness, View, name_matches,
};
#[cfg(target_os = "linux")]
pub use sandbox::Sandbox;
#[cfg(target_os = "linux")]
pub use spawner::init;
#[cfg(target_os = "linux")]
pub use sys::Errno;
