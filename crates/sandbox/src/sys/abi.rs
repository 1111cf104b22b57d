//! Numbers and structs of the kernel's interface that the C declarations lack, or lack on some targets.

use std::os::fd::RawFd;

pub(crate) const RESOLVE_NO_MAGICLINKS: u64 = 0x02;
pub(crate) const RESOLVE_NO_SYMLINKS: u64 = 0x04;

pub(crate) const OPEN_TREE_CLONE: u32 = 1;
pub(crate) const OPEN_TREE_CLOEXEC: u32 = libc::O_CLOEXEC as u32;
pub(crate) const AT_RECURSIVE: i32 = 0x8000;

pub(crate) const MOVE_MOUNT_F_EMPTY_PATH: u32 = 0x04;
pub(crate) const MOVE_MOUNT_T_EMPTY_PATH: u32 = 0x40;

pub(crate) const FSOPEN_CLOEXEC: u32 = 1;
pub(crate) const FSMOUNT_CLOEXEC: u32 = 1;
pub(crate) const FSCONFIG_SET_STRING: u32 = 1;
pub(crate) const FSCONFIG_CMD_CREATE: u32 = 6;

pub(crate) const MOUNT_ATTR_RDONLY: u64 = 0x01;
pub(crate) const MOUNT_ATTR_NOSUID: u64 = 0x02;
pub(crate) const MOUNT_ATTR_NODEV: u64 = 0x04;
pub(crate) const MOUNT_ATTR_NOEXEC: u64 = 0x08;

pub(crate) const CLONE_PIDFD: u64 = 0x1000;
pub(crate) const CLONE_NEWNS: u64 = 0x0002_0000;
pub(crate) const CLONE_NEWIPC: u64 = 0x0800_0000;
pub(crate) const CLONE_NEWUSER: u64 = 0x1000_0000;
pub(crate) const CLONE_NEWPID: u64 = 0x2000_0000;
pub(crate) const CLONE_NEWNET: u64 = 0x4000_0000;
pub(crate) const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

pub(crate) const CAPABILITY_VERSION_3: u32 = 0x2008_0522;

/// Argument of `openat2`.
#[repr(C)]
pub(crate) struct OpenHow {
    pub(crate) flags: u64,
    pub(crate) mode: u64,
    pub(crate) resolve: u64,
}

/// Argument of `mount_setattr`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MountAttr {
    pub(crate) set: u64,
    pub(crate) clear: u64,
    pub(crate) propagation: u64,
    pub(crate) userns_fd: u64,
}

impl MountAttr {
    /// Sets attributes and cuts the mount off from what others mount or unmount.
    pub(crate) const fn private(set: u64) -> Self {
        Self { set, clear: 0, propagation: libc::MS_PRIVATE, userns_fd: 0 }
    }
}

/// Argument of `clone3`, in its second published size.
#[repr(C)]
#[derive(Default)]
pub(crate) struct CloneArgs {
    pub(crate) flags: u64,
    pub(crate) pidfd: u64,
    pub(crate) child_tid: u64,
    pub(crate) parent_tid: u64,
    pub(crate) exit_signal: u64,
    pub(crate) stack: u64,
    pub(crate) stack_size: u64,
    pub(crate) tls: u64,
    pub(crate) set_tid: u64,
    pub(crate) set_tid_size: u64,
    pub(crate) cgroup: u64,
}

// The same numbers on every architecture.
pub(crate) const SYS_STATMOUNT: libc::c_long = 457;
pub(crate) const SYS_LISTMOUNT: libc::c_long = 458;

pub(crate) const LSMT_ROOT: u64 = u64::MAX;
pub(crate) const STATMOUNT_SB_BASIC: u64 = 1;

/// First argument of `statmount` and `listmount`, in its first published size.
#[repr(C)]
pub(crate) struct MountRequest {
    pub(crate) size: u32,
    pub(crate) spare: u32,
    pub(crate) mount: u64,
    /// What is asked for, or after which mount the list goes on.
    pub(crate) param: u64,
}

impl MountRequest {
    pub(crate) const fn new(mount: u64, param: u64) -> Self {
        Self { size: size_of::<Self>() as u32, spare: 0, mount, param }
    }
}

/// What `statmount` answers, up to where all there is after it was asked for.
#[repr(C)]
#[derive(Default)]
pub(crate) struct MountAnswer {
    pub(crate) size: u32,
    pub(crate) options: u32,
    pub(crate) mask: u64,
    pub(crate) device: [u32; 2],
    /// Never looked at; the kernel fills as much as there is room for.
    pub(crate) rest: [u64; 31],
}

/// First argument of `capset`.
#[repr(C)]
pub(crate) struct CapHeader {
    pub(crate) version: u32,
    pub(crate) pid: i32,
}

/// One of the two words of `capset`'s second argument.
#[repr(C)]
pub(crate) struct CapData {
    pub(crate) effective: u32,
    pub(crate) permitted: u32,
    pub(crate) inheritable: u32,
}

/// A time for `ppoll`; none waits for ever.
pub(crate) fn timespec(millis: i32) -> Option<libc::timespec> {
    (millis >= 0).then(|| libc::timespec {
        tv_sec: i64::from(millis / 1000) as _,
        tv_nsec: i64::from(millis % 1000 * 1_000_000) as _,
    })
}

/// Length of a control block that carries `bytes` bytes.
pub(crate) const fn control_length(bytes: usize) -> usize {
    // On the 64-bit targets we support the header is a length and two integers, already aligned.
    16 + bytes
}

/// Header of a control block that carries `bytes` bytes of descriptors.
pub(crate) fn control_header(bytes: usize) -> [u64; 2] {
    let level = (libc::SOL_SOCKET as u32).to_ne_bytes();
    let kind = (libc::SCM_RIGHTS as u32).to_ne_bytes();
    let mut both = [0u8; 8];
    both[..4].copy_from_slice(&level);
    both[4..].copy_from_slice(&kind);
    [control_length(bytes) as u64, u64::from_ne_bytes(both)]
}

/// The bytes of a word whose first half in memory is a descriptor.
pub(crate) fn low_word(descriptor: RawFd) -> [u8; 8] {
    let mut word = [0u8; 8];
    word[..4].copy_from_slice(&descriptor.to_ne_bytes());
    word
}
