//! What the filter refuses, how, and why. Everything not named is allowed.
//!
//! Allowing by default is a choice: new calls must not break new programs, and the file, network and
//! process rules hold whatever call asks. What stands here is what gets around those rules, or what
//! opens rarely used parts of the kernel to a program that has no use for them.
//!
//! Left allowed on purpose: `ptrace` and `process_vm_*` (debuggers and leak checkers; they reach only
//! the command's own processes), `seccomp` and `landlock_*` (they only tighten), `name_to_handle_at`,
//! `memfd_create`.

use libc::{EAFNOSUPPORT, ENOSYS, EPERM, c_long};

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// It fails with this error.
    Fail(i32),
    /// It fails unless programs may make namespaces of their own.
    FailUnlessNesting(i32),
    /// It fails unless all visible processes are the command's own.
    FailUnlessTracing(i32),
    /// It fails if the low word of this argument has any of these bits, unless nesting is allowed.
    FailOnFlags { argument: u32, bits: u32, errno: i32 },
    /// It fails if the low word of this argument is one of these.
    FailOn { argument: u32, values: &'static [u32], errno: i32 },
    /// It fails unless the low word of this argument is one of these.
    FailUnless { argument: u32, values: &'static [u32], errno: i32 },
    /// A socket of a family that isn't allowed is refused.
    Socket { errno: i32 },
    /// A pair of connected sockets.
    SocketPair { errno: i32 },
}

/// One call, what happens to it, and why.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) call: c_long,
    pub(super) act: Act,
    /// For the reader, and for the page that lists the rules.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by people and tests"))]
    pub(super) why: &'static str,
}

const fn rule(call: c_long, act: Act, why: &'static str) -> Rule {
    Rule { call, act, why }
}

/// "No such call": the program has an older way and takes it.
const fn absent(call: c_long, why: &'static str) -> Rule {
    rule(call, Act::Fail(ENOSYS), why)
}

/// "Not permitted": the program has no other way.
const fn refused(call: c_long, why: &'static str) -> Rule {
    rule(call, Act::Fail(EPERM), why)
}

const SYS_OPEN_TREE_ATTR: c_long = 467;

/// Every `CLONE_NEW*` bit, including the one for time that lies in the byte of the exit signal.
pub(super) const NEW_NAMESPACES: u32 = 0x7E02_0080;

/// Rules for every processor.
pub(super) const RULES: &[Rule] = &[
    // Ways around the filter itself.
    absent(libc::SYS_io_uring_setup, "does what other calls do without making them: sockets, opens"),
    absent(libc::SYS_io_uring_enter, "as io_uring_setup"),
    absent(libc::SYS_io_uring_register, "as io_uring_setup"),
    absent(libc::SYS_clone3, "its flags are in memory, where a filter can't look; clone serves instead"),
    // Mounting, by the new and the old calls: the view of files is ours.
    absent(libc::SYS_open_tree, "copies mounts"),
    absent(SYS_OPEN_TREE_ATTR, "copies mounts with other attributes"),
    absent(libc::SYS_move_mount, "uncovers or covers paths"),
    absent(libc::SYS_fsopen, "makes file systems: a large surface of the kernel"),
    absent(libc::SYS_fsconfig, "as fsopen"),
    absent(libc::SYS_fsmount, "as fsopen"),
    absent(libc::SYS_fspick, "as fsopen"),
    absent(libc::SYS_mount_setattr, "makes mounts writable again"),
    refused(libc::SYS_mount, "uncovers or covers paths"),
    refused(libc::SYS_umount2, "uncovers paths"),
    refused(libc::SYS_pivot_root, "changes what the root is"),
    rule(libc::SYS_chroot, Act::FailUnlessNesting(EPERM), "changes what the root is"),
    // Namespaces of its own give a program every capability over a fresh copy of much of the kernel.
    rule(libc::SYS_unshare, Act::FailUnlessNesting(EPERM), "makes namespaces"),
    refused(libc::SYS_setns, "joins namespaces"),
    rule(
        libc::SYS_clone,
        Act::FailOnFlags { argument: 0, bits: NEW_NAMESPACES, errno: EPERM },
        "makes namespaces",
    ),
    // Large parts of the kernel that a build or a test has no use for.
    refused(libc::SYS_bpf, "loads programs into the kernel"),
    refused(libc::SYS_perf_event_open, "watches the machine; a long history of holes"),
    refused(libc::SYS_userfaultfd, "stops the kernel in the middle of an access: an exploit's tool"),
    absent(libc::SYS_memfd_secret, "hides memory from the watcher of limits"),
    refused(libc::SYS_add_key, "the key ring is shared by all of the user's processes"),
    refused(libc::SYS_request_key, "as add_key, and it starts a program of the host"),
    refused(libc::SYS_keyctl, "as add_key"),
    refused(libc::SYS_fanotify_init, "watches other processes' files"),
    // The machine, which is the superuser's; refused here for the day a capability leaks.
    refused(libc::SYS_init_module, "loads code into the kernel"),
    refused(libc::SYS_finit_module, "loads code into the kernel"),
    refused(libc::SYS_delete_module, "unloads code from the kernel"),
    refused(libc::SYS_kexec_load, "starts another kernel"),
    refused(libc::SYS_kexec_file_load, "starts another kernel"),
    refused(libc::SYS_reboot, "stops the machine"),
    refused(libc::SYS_swapon, "changes the machine's memory"),
    refused(libc::SYS_swapoff, "changes the machine's memory"),
    refused(libc::SYS_acct, "writes a record of every process to a file"),
    refused(libc::SYS_quotactl, "changes disk quotas"),
    refused(libc::SYS_quotactl_fd, "changes disk quotas"),
    refused(libc::SYS_settimeofday, "sets the machine's clock"),
    refused(libc::SYS_clock_settime, "sets the machine's clock"),
    refused(libc::SYS_clock_adjtime, "sets the machine's clock"),
    refused(libc::SYS_adjtimex, "sets the machine's clock"),
    refused(libc::SYS_syslog, "reads the kernel's log, with addresses"),
    refused(libc::SYS_vhangup, "cuts the terminal off"),
    refused(libc::SYS_open_by_handle_at, "opens files past every path rule"),
    // Other processes.
    refused(libc::SYS_move_pages, "moves other processes' memory"),
    refused(libc::SYS_mbind, "memory placement: a history of holes, no use in a build"),
    refused(libc::SYS_set_mempolicy, "memory placement: a history of holes, no use in a build"),
    refused(libc::SYS_migrate_pages, "moves other processes' memory"),
    refused(libc::SYS_pidfd_getfd, "takes a descriptor out of another process"),
    refused(libc::SYS_process_madvise, "changes other processes' memory"),
    refused(libc::SYS_process_mrelease, "frees other processes' memory"),
    refused(libc::SYS_kcmp, "compares kernel objects: leaks their order in memory"),
    rule(libc::SYS_ptrace, Act::FailUnlessTracing(EPERM), "takes over another process of the user"),
    rule(libc::SYS_process_vm_readv, Act::FailUnlessTracing(EPERM), "reads another process's memory"),
    rule(libc::SYS_process_vm_writev, Act::FailUnlessTracing(EPERM), "writes another process's memory"),
    // Old calls nothing uses.
    absent(libc::SYS_lookup_dcookie, "a profiler's call, gone from new kernels"),
    absent(libc::SYS_nfsservctl, "gone from new kernels"),
    // By argument.
    rule(
        libc::SYS_ioctl,
        Act::FailOn { argument: 1, values: &[0x5412, 0x541C, 0x5423], errno: EPERM },
        "TIOCSTI and TIOCLINUX type into the terminal; TIOCSETD loads line disciplines",
    ),
    rule(
        libc::SYS_personality,
        Act::FailUnless {
            argument: 0,
            values: &[0, 8, 0x2_0000, 0x2_0008, 0x4_0000, 0xffff_ffff],
            errno: EPERM,
        },
        "other personalities weaken the layout of memory; gdb's and setarch's own are kept",
    ),
    rule(
        libc::SYS_socket,
        Act::Socket { errno: EAFNOSUPPORT },
        "the network, and families whose code is rarely read",
    ),
    rule(
        libc::SYS_socketpair,
        Act::SocketPair { errno: EPERM },
        "one end of a datagram pair can be connected to any named socket",
    ),
];

/// Rules for calls only this processor has.
#[cfg(target_arch = "x86_64")]
pub(super) const NATIVE_RULES: &[Rule] = &[
    absent(libc::SYS_uselib, "an old call nothing uses"),
    absent(libc::SYS__sysctl, "an old call nothing uses"),
    absent(libc::SYS_sysfs, "an old call nothing uses"),
    refused(libc::SYS_ustat, "an old call with a history of holes"),
    refused(libc::SYS_iopl, "talks to hardware"),
    refused(libc::SYS_ioperm, "talks to hardware"),
    refused(libc::SYS_modify_ldt, "old segments: a history of holes"),
];

/// Rules for calls only this processor has.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const NATIVE_RULES: &[Rule] = &[];

/// Socket families by name, for the rule of `socket`.
pub(super) mod family {
    pub(in super::super) const LOCAL: u32 = libc::AF_UNIX as u32;
    pub(in super::super) const INET: u32 = libc::AF_INET as u32;
    pub(in super::super) const INET6: u32 = libc::AF_INET6 as u32;
    pub(in super::super) const NETLINK: u32 = libc::AF_NETLINK as u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_named_once_and_has_a_reason() {
        let mut seen = std::collections::HashSet::new();
        for rule in RULES.iter().chain(NATIVE_RULES) {
            assert!(seen.insert(rule.call), "call {} is there twice", rule.call);
            assert!(!rule.why.is_empty(), "call {}", rule.call);
        }
    }
}
