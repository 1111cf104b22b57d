//! The operating-system boundary a command runs in.
#![allow(unsafe_code)]

#[cfg(unix)]
mod session;

#[cfg(unix)]
pub use session::own_session;
