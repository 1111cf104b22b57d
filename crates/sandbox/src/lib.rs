//! The operating-system boundary a command runs in.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
mod host;
#[cfg(unix)]
mod session;

#[cfg(target_os = "linux")]
pub use host::spawn_in_session;
#[cfg(unix)]
pub use session::own_session;
