//! System calls a freshly cloned child may make.
//!
//! The child of a process with many threads may neither allocate nor take a lock: another thread may
//! have held it at the moment of the clone, and nobody will ever release it. So everything here is
//! one system call over memory the caller already has, errors are plain numbers, and descriptors are
//! plain integers that nobody closes behind the child's back.

pub(crate) mod abi;

use std::ffi::{CStr, c_int, c_long, c_void};
use std::fmt;
use std::os::fd::RawFd;

use abi::{CloneArgs, MountAttr, OpenHow};

/// An error number of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::io::Error::from_raw_os_error(self.0).fmt(f)
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Errno {}

impl From<Errno> for std::io::Error {
    fn from(errno: Errno) -> Self {
        Self::from_raw_os_error(errno.0)
    }
}

pub(crate) type Res<T> = Result<T, Errno>;

/// The error number the last failed call of this thread left.
pub(crate) fn errno() -> Errno {
    // SAFETY: the function gives a valid pointer to this thread's own errno, which is only read.
    Errno(unsafe { *libc::__errno_location() })
}

fn checked(ret: c_long) -> Res<c_long> {
    if ret < 0 { Err(errno()) } else { Ok(ret) }
}

fn fd(ret: c_long) -> Res<RawFd> {
    // A descriptor is a small number by the kernel's promise, so the conversion never cuts.
    checked(ret).map(|ret| ret as RawFd)
}

fn done(ret: c_long) -> Res<()> {
    checked(ret).map(drop)
}

/// Opens a path as it is, relative to a directory.
pub(crate) fn open_at(dir: RawFd, path: &CStr, flags: c_int, mode: u32) -> Res<RawFd> {
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    fd(unsafe { libc::syscall(libc::SYS_openat, dir, path.as_ptr(), flags | libc::O_CLOEXEC, mode) })
}

/// Opens a handle to a path none of whose components is a symbolic link.
///
/// Policy paths are resolved when the plan is made; a link met here was put there since, by
/// something that wants the boundary to open elsewhere.
pub(crate) fn open_exact(dir: RawFd, path: &CStr, flags: c_int) -> Res<RawFd> {
    let how = OpenHow {
        flags: (libc::O_PATH | libc::O_CLOEXEC | flags) as u64,
        mode: 0,
        resolve: abi::RESOLVE_NO_SYMLINKS | abi::RESOLVE_NO_MAGICLINKS,
    };
    // SAFETY: path and `how` are valid for the call, which only reads them; the size is that of `how`.
    fd(unsafe { libc::syscall(libc::SYS_openat2, dir, path.as_ptr(), &raw const how, size_of::<OpenHow>()) })
}

/// Closes a descriptor; an error leaves nothing to do.
pub(crate) fn close(fd: RawFd) {
    // SAFETY: takes a number; a wrong one is an error the kernel reports. Callers own the descriptor.
    unsafe { libc::syscall(libc::SYS_close, fd) };
}

/// Closes all descriptors from `first` to `last`.
pub(crate) fn close_range(first: u32, last: u32, flags: u32) -> Res<()> {
    // SAFETY: takes numbers only. Callers are children that own every descriptor they have.
    done(unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) })
}

/// Makes `to` a copy of `from` that survives an exec.
pub(crate) fn dup_to(from: RawFd, to: RawFd) -> Res<()> {
    if from == to {
        // dup3 refuses equal numbers; what is wanted is the descriptor without its close-on-exec mark.
        // SAFETY: takes numbers only.
        return done(unsafe { libc::syscall(libc::SYS_fcntl, from, libc::F_SETFD, 0) });
    }
    // SAFETY: takes numbers only; the target is overwritten on purpose.
    done(unsafe { libc::syscall(libc::SYS_dup3, from, to, 0) })
}

/// Copies a descriptor to a free number not below `least`.
pub(crate) fn dup_above(from: RawFd, least: RawFd) -> Res<RawFd> {
    // SAFETY: takes numbers only.
    fd(unsafe { libc::syscall(libc::SYS_fcntl, from, libc::F_DUPFD_CLOEXEC, least) })
}

/// Reads into a buffer.
pub(crate) fn read(from: RawFd, buffer: &mut [u8]) -> Res<usize> {
    // SAFETY: the buffer is writable for its length.
    let ret = unsafe { libc::syscall(libc::SYS_read, from, buffer.as_mut_ptr(), buffer.len()) };
    checked(ret).map(|ret| ret as usize)
}

/// Writes all of a small buffer in one call.
pub(crate) fn write(to: RawFd, bytes: &[u8]) -> Res<()> {
    // SAFETY: the buffer is readable for its length.
    let ret = unsafe { libc::syscall(libc::SYS_write, to, bytes.as_ptr(), bytes.len()) };
    match checked(ret)? as usize {
        written if written == bytes.len() => Ok(()),
        _ => Err(Errno(libc::EIO)),
    }
}

/// Opens a file for writing, writes once, and closes it.
pub(crate) fn write_file(dir: RawFd, path: &CStr, bytes: &[u8]) -> Res<()> {
    let file = open_at(dir, path, libc::O_WRONLY, 0)?;
    let result = write(file, bytes);
    close(file);
    result
}

/// Makes a directory.
pub(crate) fn mkdir_at(dir: RawFd, path: &CStr, mode: u32) -> Res<()> {
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    done(unsafe { libc::syscall(libc::SYS_mkdirat, dir, path.as_ptr(), mode) })
}

/// Makes an empty file.
pub(crate) fn touch_at(dir: RawFd, path: &CStr, mode: u32) -> Res<()> {
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    done(unsafe { libc::syscall(libc::SYS_mknodat, dir, path.as_ptr(), libc::S_IFREG | mode, 0) })
}

/// Makes a symbolic link.
pub(crate) fn symlink_at(target: &CStr, dir: RawFd, path: &CStr) -> Res<()> {
    // SAFETY: both strings end in NUL and outlive the call, which only reads them.
    done(unsafe { libc::syscall(libc::SYS_symlinkat, target.as_ptr(), dir, path.as_ptr()) })
}

/// Changes the working directory.
pub(crate) fn chdir(path: &CStr) -> Res<()> {
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    done(unsafe { libc::syscall(libc::SYS_chdir, path.as_ptr()) })
}

/// Changes the working directory to an open one.
pub(crate) fn fchdir(dir: RawFd) -> Res<()> {
    // SAFETY: takes a number only.
    done(unsafe { libc::syscall(libc::SYS_fchdir, dir) })
}

/// Changes the root directory.
pub(crate) fn chroot(path: &CStr) -> Res<()> {
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    done(unsafe { libc::syscall(libc::SYS_chroot, path.as_ptr()) })
}

/// Sets the mask of file modes.
pub(crate) fn umask(mask: u32) -> u32 {
    // SAFETY: takes a number only and can't fail.
    unsafe { libc::syscall(libc::SYS_umask, mask) as u32 }
}

/// Makes a detached copy of the mounts at an open path.
pub(crate) fn open_tree(at: RawFd, flags: u32) -> Res<RawFd> {
    let flags = flags | abi::OPEN_TREE_CLONE | abi::OPEN_TREE_CLOEXEC | libc::AT_EMPTY_PATH as u32;
    // SAFETY: the path is an empty literal that ends in NUL.
    fd(unsafe { libc::syscall(libc::SYS_open_tree, at, c"".as_ptr(), flags) })
}

/// Makes a detached copy of the mount at a name in an open directory.
pub(crate) fn open_tree_at(at: RawFd, name: &CStr) -> Res<RawFd> {
    let flags = abi::OPEN_TREE_CLONE | abi::OPEN_TREE_CLOEXEC | libc::AT_SYMLINK_NOFOLLOW as u32;
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    fd(unsafe { libc::syscall(libc::SYS_open_tree, at, name.as_ptr(), flags) })
}

/// Attaches a detached mount at an open path.
pub(crate) fn attach(mount: RawFd, at: RawFd) -> Res<()> {
    let flags = abi::MOVE_MOUNT_F_EMPTY_PATH | abi::MOVE_MOUNT_T_EMPTY_PATH;
    let empty = c"".as_ptr();
    // SAFETY: both paths are empty literals that end in NUL.
    done(unsafe { libc::syscall(libc::SYS_move_mount, mount, empty, at, empty, flags) })
}

/// Attaches a detached mount at a path whose way nothing untrusted can change.
pub(crate) fn attach_at(mount: RawFd, dir: RawFd, path: &CStr) -> Res<()> {
    let flags = abi::MOVE_MOUNT_F_EMPTY_PATH;
    // SAFETY: one path is an empty literal, the other ends in NUL and outlives the call.
    done(unsafe { libc::syscall(libc::SYS_move_mount, mount, c"".as_ptr(), dir, path.as_ptr(), flags) })
}

/// Changes the attributes of the mount at an open path, and of all below it if asked.
pub(crate) fn set_mount(at: RawFd, flags: c_int, attr: &MountAttr) -> Res<()> {
    let flags = flags | libc::AT_EMPTY_PATH;
    // SAFETY: the path is an empty literal; `attr` is valid for the call and of the size given.
    done(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at,
            c"".as_ptr(),
            flags,
            std::ptr::from_ref(attr),
            size_of::<MountAttr>(),
        )
    })
}

/// Opens a new file system's configuration.
pub(crate) fn fs_open(kind: &CStr) -> Res<RawFd> {
    // SAFETY: the name ends in NUL and outlives the call, which only reads it.
    fd(unsafe { libc::syscall(libc::SYS_fsopen, kind.as_ptr(), abi::FSOPEN_CLOEXEC) })
}

/// Sets one option of a new file system.
pub(crate) fn fs_option(fs: RawFd, key: &CStr, value: &CStr) -> Res<()> {
    // SAFETY: both strings end in NUL and outlive the call, which only reads them.
    done(unsafe {
        libc::syscall(libc::SYS_fsconfig, fs, abi::FSCONFIG_SET_STRING, key.as_ptr(), value.as_ptr(), 0)
    })
}

/// Creates a configured file system and gives a detached mount of it.
pub(crate) fn fs_mount(fs: RawFd, attributes: u64) -> Res<RawFd> {
    let null = std::ptr::null::<c_void>();
    // SAFETY: this command takes no key and no value, which is what the null pointers say.
    done(unsafe { libc::syscall(libc::SYS_fsconfig, fs, abi::FSCONFIG_CMD_CREATE, null, null, 0) })?;
    // SAFETY: takes numbers only.
    fd(unsafe { libc::syscall(libc::SYS_fsmount, fs, abi::FSMOUNT_CLOEXEC, attributes) })
}

/// Sets a flag-like attribute of the calling process.
pub(crate) fn prctl(option: c_int, value: u64) -> Res<()> {
    // SAFETY: used with options whose arguments are numbers; no memory of ours is involved.
    done(unsafe { libc::syscall(libc::SYS_prctl, option, value, 0, 0, 0) })
}

/// Replaces all capability sets of the calling thread.
pub(crate) fn set_capabilities(keep: u64) -> Res<()> {
    let header = abi::CapHeader { version: abi::CAPABILITY_VERSION_3, pid: 0 };
    let low = keep as u32;
    let high = (keep >> 32) as u32;
    let data = [
        abi::CapData { effective: low, permitted: low, inheritable: 0 },
        abi::CapData { effective: high, permitted: high, inheritable: 0 },
    ];
    // SAFETY: header and both data words are valid for the call; version 3 reads exactly two.
    done(unsafe { libc::syscall(libc::SYS_capset, &raw const header, data.as_ptr()) })
}

/// Sets both the soft and the hard limit of a resource, never above the present hard limit.
#[allow(clippy::unnecessary_cast, reason = "resource numbers have another type in another C library")]
pub(crate) fn limit(resource: u32, value: u64) -> Res<()> {
    let mut present = [0u64; 2];
    // SAFETY: the old limit is written into two words that are ours; nothing is read.
    done(unsafe {
        libc::syscall(libc::SYS_prlimit64, 0, resource, std::ptr::null::<u64>(), present.as_mut_ptr())
    })?;
    // At both bounds of the processor's time at once a process is killed, and nobody is told why.
    let later = u64::from(resource == libc::RLIMIT_CPU as u32);
    let new = [value, value.saturating_add(later)].map(|value| value.min(present[1]));
    // SAFETY: the new limit is read from two words that are ours; nothing is written.
    done(unsafe {
        libc::syscall(libc::SYS_prlimit64, 0, resource, new.as_ptr(), std::ptr::null_mut::<u64>())
    })
}

/// Sends a signal to a process or group of this pid namespace.
pub(crate) fn kill(pid: i32, signal: c_int) -> Res<()> {
    // SAFETY: takes numbers only.
    done(unsafe { libc::syscall(libc::SYS_kill, pid, signal) })
}

/// Sends a signal to the process a pidfd stands for.
pub(crate) fn pidfd_signal(pidfd: RawFd, signal: c_int) -> Res<()> {
    let null = std::ptr::null::<c_void>();
    // SAFETY: without extra information the pointer is null, as the interface allows.
    done(unsafe { libc::syscall(libc::SYS_pidfd_send_signal, pidfd, signal, null, 0) })
}

/// What a finished child left.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reaped {
    pub(crate) pid: i32,
    pub(crate) status: i32,
}

/// Collects one finished child of any kind; `None` if none has finished yet.
pub(crate) fn reap(options: c_int) -> Res<Option<Reaped>> {
    let mut status: c_int = 0;
    let null = std::ptr::null_mut::<c_void>();
    // SAFETY: the status is written into an integer that is ours; no usage is asked for.
    let pid = unsafe { libc::syscall(libc::SYS_wait4, -1, &raw mut status, options | libc::__WALL, null) };
    match checked(pid)? {
        0 => Ok(None),
        pid => Ok(Some(Reaped { pid: pid as i32, status })),
    }
}

/// Collects the process of a pidfd if it has finished; says whether it had.
pub(crate) fn reap_pidfd(pidfd: RawFd) -> Res<bool> {
    // SAFETY: an all-zero siginfo is a valid value of that plain C struct.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::__WALL;
    // SAFETY: the info is written into a struct that is ours; no usage is asked for.
    done(unsafe {
        libc::syscall(
            libc::SYS_waitid,
            libc::P_PIDFD,
            pidfd,
            &raw mut info,
            options,
            std::ptr::null_mut::<c_void>(),
        )
    })?;
    Ok(info.si_signo != 0)
}

/// Waits until one of the descriptors is ready or the time (in milliseconds, -1 for ever) is over.
pub(crate) fn poll(fds: &mut [libc::pollfd], millis: c_int) -> Res<usize> {
    let timeout = abi::timespec(millis);
    let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let null = std::ptr::null::<c_void>();
    // SAFETY: the array is ours for its length, the timeout is null or a valid timespec that outlives
    // the call, and no signal mask is given.
    let ret = unsafe { libc::syscall(libc::SYS_ppoll, fds.as_mut_ptr(), fds.len(), timeout, null, 0) };
    checked(ret).map(|ret| ret as usize)
}

/// A descriptor that becomes readable when one of the signals of a mask is pending.
pub(crate) fn signal_fd(mask: u64) -> Res<RawFd> {
    let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
    // SAFETY: the mask is one word of the kernel's signal set, whose size in bytes is given.
    fd(unsafe { libc::syscall(libc::SYS_signalfd4, -1, &raw const mask, size_of::<u64>(), flags) })
}

/// Sets the signal mask of this thread and gives the old one.
pub(crate) fn signal_mask(mask: u64) -> Res<u64> {
    let mut old = 0u64;
    let size = size_of::<u64>();
    // SAFETY: both masks are one word of the kernel's signal set, whose size in bytes is given.
    done(unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const mask, &raw mut old, size)
    })?;
    Ok(old)
}

/// Gives every signal its default action.
pub(crate) fn default_signals() {
    // The kernel's own struct: handler, flags, restorer, mask; all zero is the default action.
    let action = [0u64; 4];
    let null = std::ptr::null_mut::<c_void>();
    for signal in 1..=64 {
        // SAFETY: the action is a zeroed kernel struct of at least its size, and no old one is asked
        // for. Those of SIGKILL and SIGSTOP can't be set, which is an error and fine.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, action.as_ptr(), null, size_of::<u64>()) };
    }
}

/// Starts a session of its own.
pub(crate) fn set_session() -> Res<()> {
    // SAFETY: takes nothing.
    done(unsafe { libc::syscall(libc::SYS_setsid) })
}

/// A control call whose argument is a number.
pub(crate) fn ioctl(on: RawFd, request: u64, value: u64) -> Res<c_long> {
    // SAFETY: used with requests whose argument is a number.
    checked(unsafe { libc::syscall(libc::SYS_ioctl, on, request, value) })
}

/// A control call whose argument is a value the kernel reads or fills.
pub(crate) fn ioctl_with<T>(on: RawFd, request: u64, value: &mut T) -> Res<c_long> {
    // SAFETY: used with requests whose argument is a pointer to exactly this type.
    checked(unsafe { libc::syscall(libc::SYS_ioctl, on, request, std::ptr::from_mut(value)) })
}

/// Time since boot in milliseconds, for deadlines.
pub(crate) fn now_millis() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written into a struct that is ours; this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    (time.tv_sec as u64).saturating_mul(1000).saturating_add(time.tv_nsec as u64 / 1_000_000)
}

/// Processor time of all collected children, and the largest of them, in microseconds and bytes.
pub(crate) fn children_usage() -> (u64, u64, u64) {
    // SAFETY: an all-zero rusage is a valid value of that plain C struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the usage is written into a struct that is ours.
    unsafe { libc::syscall(libc::SYS_getrusage, libc::RUSAGE_CHILDREN, &raw mut usage) };
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    (micros(usage.ru_utime), micros(usage.ru_stime), usage.ru_maxrss as u64 * 1024)
}

/// Sends one message, with at most one descriptor, without waiting and without a signal.
pub(crate) fn send(socket: RawFd, bytes: &[u8], with: Option<RawFd>) -> Res<()> {
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // Room for one header and one descriptor, aligned as the header needs.
    let mut control = [0u64; 4];
    // SAFETY: an all-zero msghdr is a valid value of that plain C struct.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    if let Some(descriptor) = with {
        let head = abi::control_header(4);
        control[0] = head[0];
        control[1] = head[1];
        control[2] = u64::from_ne_bytes(abi::low_word(descriptor));
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = abi::control_length(4) as _;
    }
    // SAFETY: the message points at one part and at most one control block, all alive and in bounds;
    // the kernel only reads the part although the C type is not const.
    done(unsafe {
        libc::syscall(libc::SYS_sendmsg, socket, &raw const message, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT)
    })
}

/// The mounts this process can reach, as many as there is room for.
pub(crate) fn list_mounts(into: &mut [u64]) -> Res<&[u64]> {
    let request = abi::MountRequest::new(abi::LSMT_ROOT, 0);
    // SAFETY: the kernel reads the request by its own size and writes at most as many numbers as there
    // is room for.
    let ret =
        unsafe { libc::syscall(abi::SYS_LISTMOUNT, &raw const request, into.as_mut_ptr(), into.len(), 0u32) };
    let count = checked(ret)?;
    into.get(..count as usize).ok_or(Errno(libc::EIO))
}

/// The device of the file system that is mounted there.
pub(crate) fn mounted_device(mount: u64) -> Res<[u32; 2]> {
    let request = abi::MountRequest::new(mount, abi::STATMOUNT_SB_BASIC);
    let mut answer = abi::MountAnswer::default();
    // SAFETY: the kernel reads the request by its own size and writes at most the size that is given.
    let ret = unsafe {
        libc::syscall(
            abi::SYS_STATMOUNT,
            &raw const request,
            &raw mut answer,
            size_of::<abi::MountAnswer>(),
            0u32,
        )
    };
    done(ret)?;
    if answer.mask & abi::STATMOUNT_SB_BASIC == 0 {
        return Err(Errno(libc::EOPNOTSUPP));
    }
    Ok(answer.device)
}

/// Lists names of an open directory into a buffer in the kernel's own form.
pub(crate) fn list(dir: RawFd, buffer: &mut [u8]) -> Res<usize> {
    // SAFETY: the buffer is writable for its length.
    let ret = unsafe { libc::syscall(libc::SYS_getdents64, dir, buffer.as_mut_ptr(), buffer.len()) };
    checked(ret).map(|ret| ret as usize)
}

/// Moves an open directory's position back to its start.
pub(crate) fn rewind(dir: RawFd) -> Res<()> {
    // SAFETY: takes numbers only.
    done(unsafe { libc::syscall(libc::SYS_lseek, dir, 0, libc::SEEK_SET) })
}

/// Ends the process at once.
pub(crate) fn exit(code: c_int) -> ! {
    loop {
        // SAFETY: ends the process without running anything of ours; it never returns.
        unsafe { libc::syscall(libc::SYS_exit_group, code) };
    }
}

/// What a clone gives the side it returned to.
pub(crate) enum Cloned {
    Parent { pid: i32, pidfd: RawFd },
    Child,
}

/// Makes a child that shares no memory with this process, in the namespaces asked for.
///
/// Old container filters answer `clone3` with "no such call", so the older call serves then.
///
/// # Safety
///
/// The child runs with a copy of one thread of this process. It must call nothing that allocates,
/// locks or unwinds, and must end by [`exit`] or an exec.
pub(crate) unsafe fn clone_process(flags: u64, exit_signal: c_int, cgroup: Option<RawFd>) -> Res<Cloned> {
    let mut pidfd: c_int = -1;
    let into = cgroup.map_or(0, |_| abi::CLONE_INTO_CGROUP);
    let args = CloneArgs {
        flags: flags | abi::CLONE_PIDFD | into,
        pidfd: (&raw mut pidfd) as u64,
        exit_signal: exit_signal as u64,
        cgroup: cgroup.unwrap_or(0) as u64,
        ..CloneArgs::default()
    };
    // SAFETY: the arguments are valid for the call and of the size given; no stack and no shared
    // memory are asked for, so the child goes on with a copy of this one, as after a fork.
    let mut ret = unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size_of::<CloneArgs>()) };
    if ret < 0 && errno() == Errno(libc::ENOSYS) && cgroup.is_none() {
        let flags = flags | abi::CLONE_PIDFD | exit_signal as u64;
        let null = std::ptr::null::<c_void>();
        // SAFETY: as above; the third argument is where the pidfd is put.
        ret = unsafe { libc::syscall(libc::SYS_clone, flags, null, &raw mut pidfd, null, null) };
    }
    match checked(ret)? {
        0 => Ok(Cloned::Child),
        pid => Ok(Cloned::Parent { pid: pid as i32, pidfd }),
    }
}

/// The kernel's release, as `uname -r` gives it; empty where it can't be told. For the parent alone.
pub(crate) fn kernel_release() -> String {
    let mut name = std::mem::MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: the call writes into memory that is ours, and all zeros are a valid value should it fail.
    let name = unsafe {
        libc::uname(name.as_mut_ptr());
        name.assume_init()
    };
    let bytes: Vec<u8> =
        name.release.iter().map(|c| u8::from_ne_bytes(c.to_ne_bytes())).take_while(|&c| c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    #[test]
    fn errors_are_the_kernels_numbers() {
        let missing = open_at(libc::AT_FDCWD, c"/nonexistent/x", libc::O_RDONLY, 0);
        assert_eq!(missing, Err(Errno(libc::ENOENT)));
    }

    #[test]
    fn an_exact_open_refuses_links_anywhere() {
        // /proc/self is a link on every Linux.
        let open = open_exact(libc::AT_FDCWD, c"/proc/self/status", 0);
        assert_eq!(open, Err(Errno(libc::ELOOP)));
        let plain = open_exact(libc::AT_FDCWD, c"/proc/version", 0).unwrap();
        close(plain);
    }

    #[test]
    fn a_message_carries_a_descriptor() {
        use std::os::unix::net::UnixDatagram;
        let (one, two) = UnixDatagram::pair().unwrap();
        let (mut reader, writer) = std::io::pipe().unwrap();
        send(one.as_raw_fd(), b"note", Some(writer.as_raw_fd())).unwrap();
        drop(writer);
        let (length, fds) = crate::channel::receive(two.as_raw_fd(), &mut [0; 16], false).unwrap();
        assert_eq!((length, fds.len()), (4, 1));
        // SAFETY: the descriptor was just taken out of its owner.
        let file = unsafe {
            OwnedFd::from_raw_fd(std::os::fd::IntoRawFd::into_raw_fd(fds.into_iter().next().unwrap()))
        };
        std::io::Write::write_all(&mut std::fs::File::from(file), b"through").unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert_eq!(text, "through");
    }
}
