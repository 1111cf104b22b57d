//! Hostile programs run inside the boundary, as root and as nobody.
//!
//! Each module is named for what its programs are after. A test run by root runs its scenario a
//! second time as an unprivileged user, in a process of its own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test ends where it fails")]
#![allow(unsafe_code, reason = "a few calls an attacker would make")]

mod ablation;
mod environment;
mod fallback;
mod files;
mod git;
mod ground;
mod kernel;
mod limits;
mod map;
mod network;
mod processes;
mod soak;
mod spawner;
mod terminal;
mod work;
