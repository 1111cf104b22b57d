//! What this machine offers, as far as it is known without trying.

use crate::enforcement::Stage;
use crate::landlock;
use crate::seccomp;
use crate::sys::{self, Errno};

/// What this machine offers.
///
/// Namespaces are taken to work until a run shows that they don't: that a call exists says little,
/// so the first command under a policy is the probe. A value made by hand stands for a machine that
/// isn't at hand; it can't make the boundary claim more than it does, because what is in force is
/// told by the process inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Version of the Landlock interface; 0 is none.
    pub landlock_abi: u32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// Where and how namespaces were refused, if they were.
    pub namespaces_refused: Option<(Stage, Errno)>,
    /// How a fresh process list was refused, if it was.
    pub fresh_proc_refused: Option<Errno>,
    /// How a network namespace was refused, if it was.
    pub network_refused: Option<Errno>,
}

impl Machine {
    /// Asks the kernel what can be asked without side effects.
    #[must_use]
    pub fn look() -> Self {
        Self {
            landlock_abi: landlock::version(),
            seccomp: filters(),
            namespaces_refused: None,
            fresh_proc_refused: None,
            network_refused: None,
        }
    }
}

fn filters() -> bool {
    let action = libc::SECCOMP_RET_KILL_PROCESS;
    let operation = libc::SECCOMP_GET_ACTION_AVAIL;
    // SAFETY: the call reads one word that is ours and changes nothing.
    let known = unsafe { libc::syscall(libc::SYS_seccomp, operation, 0u32, &raw const action) } == 0;
    known && seccomp::SUPPORTED
}

/// The highest capability this kernel knows; more are refused by number, which costs nothing.
pub(crate) const LAST_CAPABILITY: u64 = 63;

/// Whether this process is a superuser that may map every user into a namespace.
pub(crate) fn maps_everyone() -> bool {
    // SAFETY: takes nothing and can't fail.
    if unsafe { libc::geteuid() } != 0 {
        return false;
    }
    const SETGID_AND_SETUID: u64 = 0b11 << 6;
    let header = sys::abi::CapHeader { version: sys::abi::CAPABILITY_VERSION_3, pid: 0 };
    let mut words = [[0u32; 3]; 2];
    // SAFETY: version 3 fills exactly two structs of three words, which are ours.
    let ret = unsafe { libc::syscall(libc::SYS_capget, &raw const header, words.as_mut_ptr()) };
    ret == 0 && u64::from(words[0][0]) & SETGID_AND_SETUID == SETGID_AND_SETUID
}
