//! The system call filter: a table of rules, compiled into a classic BPF program by hand.
//!
//! What is refused, and how, is data (`seccomp/table.rs`). This file only turns it into a program:
//! a search tree by call number, because the kernel walks a linear list for every call, and when the
//! filter is installed it walks it for every number there is.

mod compile;
#[cfg(test)]
mod interpret;
mod table;

pub(crate) use compile::{SUPPORTED, compile};

use crate::policy::{Nesting, Network, Policy, Strictness};

/// Which of the table's choices a filter makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Named local sockets.
    pub(crate) local: bool,
    /// Internet sockets.
    pub(crate) internet: bool,
    /// User namespaces of the program's own.
    pub(crate) nesting: bool,
    /// Looking into other processes; only safe where they are all the command's own.
    pub(crate) tracing: bool,
    /// Refused sockets are told to pid 1 instead of being answered by the kernel.
    pub(crate) notify: bool,
}

impl Choice {
    pub(crate) fn of(policy: &Policy, own_processes: bool) -> Self {
        Self {
            local: policy.strictness == Strictness::Standard,
            internet: matches!(policy.network, Network::Allow | Network::Loopback),
            nesting: policy.nesting == Nesting::Allow,
            tracing: own_processes,
            // A sandbox inside may want to be told itself, and only one can be.
            notify: own_processes && policy.network == Network::Deny && policy.nesting == Nesting::Deny,
        }
    }
}
