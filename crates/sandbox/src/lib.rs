//! The operating-system boundary a command runs in.
#![allow(unsafe_code)]

#[cfg(unix)]
mod session;

#[cfg(target_os = "linux")]
mod boundary;
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

#[cfg(unix)]
pub use session::own_session;

#[cfg(target_os = "linux")]
pub use child::{Child, Exit, Limit, RefusedSocket, Status};
#[cfg(target_os = "linux")]
pub use command::{Command, Io};
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
