//! The attacks: each tries one thing the boundary promises to prevent.
//!
//! They run inside in place of a program, by system calls alone, so that they need no program on
//! the machine, and work in a process cloned from one with threads.

use std::ffi::{CStr, c_long};
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::child::Status;
use crate::enforcement::Level;
use crate::sys::{self, Errno, Res, abi};

/// What an attack ends with if it failed, as it should.
const HELD: i32 = 0;
/// What an attack ends with if it got through.
const BROKEN: i32 = 1;
/// What an attack ends with if there was nothing to attack.
pub(super) const SKIPPED: i32 = 2;

/// One attack.
pub(super) struct Attack {
    pub(super) name: &'static str,
    pub(super) claim: &'static str,
    /// The weakest level that promises this.
    pub(super) since: Level,
    run: fn() -> i32,
    /// Whether the promise was kept, by how the attack ended and what is outside.
    pub(super) held: fn(Status, &Path) -> bool,
}

const fn attack(name: &'static str, since: Level, claim: &'static str, run: fn() -> i32) -> Attack {
    Attack { name, claim, since, run, held: |status, _| matches!(status, Status::Code(HELD)) }
}

use Level::{FullNoProc, Landlock};

/// All attacks.
pub(super) const ATTACKS: &[Attack] = &[
    attack("read-hidden", Landlock, "hidden files can't be read", read_hidden),
    Attack {
        name: "write-outside",
        claim: "nothing outside the workspace can be changed",
        since: Landlock,
        run: write_outside,
        held: |status, ground| {
            matches!(status, Status::Code(HELD))
                && std::fs::read(ground.join("outside")).is_ok_and(|text| text == b"as it was\n")
        },
    },
    attack("change-modes", FullNoProc, "modes and times outside can't be changed either", change_modes),
    attack("plant-hook", FullNoProc, "protected names can't be written or moved aside", plant_hook),
    attack("unmount", FullNoProc, "what covers a path can't be taken away", unmount),
    attack("new-namespaces", Landlock, "no namespaces can be made", new_namespaces),
    attack("reach-network", Landlock, "no socket but a local one can be made", reach_network),
    attack("reach-abstract", Landlock, "the host's abstract sockets can't be reached", reach_abstract),
    attack("ask-the-ring", Landlock, "io_uring can't be used to get around the filter", ask_the_ring),
    Attack {
        name: "foreign-calls",
        claim: "calls made as another processor's end the process",
        since: Landlock,
        run: foreign_calls,
        held: |status, _| status == Status::Signal(libc::SIGSYS),
    },
    attack(
        "type-into-terminal",
        Landlock,
        "nothing can be typed into the caller's terminal",
        type_into_terminal,
    ),
    attack("see-processes", Level::Full, "the host's processes can't be seen", see_processes),
    attack("read-first-process", FullNoProc, "the boundary's own process can't be looked into", read_first),
    attack("keep-privileges", Landlock, "no privilege is left and none can be gained", keep_privileges),
    attack("change-kernel", FullNoProc, "the kernel's settings can't be changed", change_kernel),
    attack("open-devices", FullNoProc, "the machine's disks and memory can't be opened", open_devices),
    attack("inherit-files", Landlock, "no open file is inherited but the standard three", inherit_files),
    attack("read-temporary", FullNoProc, "other programs' temporary files can't be seen", read_temporary),
    Attack {
        name: "outlive",
        claim: "nothing the command started outlives it",
        since: Landlock,
        run: outlive,
        held: |status, ground| matches!(status, Status::Code(HELD)) && lock_is_free(ground),
    },
];

/// Runs an attack as the program's process; gives the code to end with.
pub(crate) fn run(index: usize) -> i32 {
    ATTACKS.get(index).map_or(SKIPPED, |attack| (attack.run)())
}

const HERE: i32 = libc::AT_FDCWD;

fn call(number: c_long, args: [usize; 4]) -> Res<c_long> {
    let [a, b, c, d] = args;
    // SAFETY: attacks pass numbers, null, or pointers to constants that end in NUL; a kernel that
    // writes through one of them would be the finding.
    let ret = unsafe { libc::syscall(number, a, b, c, d, 0usize, 0usize) };
    if ret < 0 { Err(sys::errno()) } else { Ok(ret) }
}

fn text(path: &CStr) -> usize {
    path.as_ptr().addr()
}

fn held(failed: bool) -> i32 {
    if failed { HELD } else { BROKEN }
}

fn opens(path: &CStr, flags: i32) -> bool {
    sys::open_at(HERE, path, flags, 0o600).is_ok()
}

fn read_hidden() -> i32 {
    let read = |path| sys::open_at(HERE, path, libc::O_RDONLY, 0);
    let outside = read(c"../secret") == Err(Errno(libc::EACCES));
    // Not there where it couldn't be hidden.
    let inside = matches!(read(c"secret"), Err(Errno(libc::EACCES | libc::ENOENT)));
    let moved =
        call(libc::SYS_renameat2, [HERE as usize, text(c"secret"), HERE as usize, text(c"moved")]).is_ok();
    let linked =
        call(libc::SYS_linkat, [HERE as usize, text(c"secret"), HERE as usize, text(c"linked")]).is_ok();
    held(outside && inside && !moved && !(linked && opens(c"linked", libc::O_RDONLY)))
}

fn write_outside() -> i32 {
    let made = opens(c"../made", libc::O_WRONLY | libc::O_CREAT);
    let changed = opens(c"../outside", libc::O_WRONLY | libc::O_TRUNC);
    let rooted = opens(c"/toolgate-doctor", libc::O_WRONLY | libc::O_CREAT);
    let inside = opens(c"inside", libc::O_WRONLY | libc::O_CREAT);
    held(!made && !changed && !rooted && inside)
}

fn change_modes() -> i32 {
    let mode = call(libc::SYS_fchmodat, [HERE as usize, text(c"../outside"), 0o777, 0]).is_ok();
    let times = call(libc::SYS_utimensat, [HERE as usize, text(c"../outside"), 0, 0]).is_ok();
    held(!mode && !times)
}

fn plant_hook() -> i32 {
    let written = opens(c".git/hooks/pre-commit", libc::O_WRONLY | libc::O_CREAT);
    let here = HERE as usize;
    let moved = call(libc::SYS_renameat2, [here, text(c".git"), here, text(c"moved")]).is_ok();
    let inner = call(libc::SYS_renameat2, [here, text(c".git/hooks"), here, text(c".git/moved")]).is_ok();
    held(!written && !moved && !inner)
}

fn unmount() -> i32 {
    let paths = [c"secret", c"/tmp", c"/proc", c"/dev", c"."];
    let lifted = paths
        .iter()
        .any(|path| call(libc::SYS_umount2, [text(path), libc::MNT_DETACH as usize, 0, 0]).is_ok());
    let flags = (libc::MS_REMOUNT | libc::MS_BIND) as usize;
    let writable = call(libc::SYS_mount, [0, text(c"/"), 0, flags]).is_ok();
    held(!lifted && !writable)
}

fn new_namespaces() -> i32 {
    let kinds = [abi::CLONE_NEWUSER, abi::CLONE_NEWNS, abi::CLONE_NEWNET, abi::CLONE_NEWPID];
    held(!kinds.iter().any(|&kind| call(libc::SYS_unshare, [kind as usize, 0, 0, 0]).is_ok()))
}

fn reach_network() -> i32 {
    let families =
        [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_VSOCK, libc::AF_ALG];
    let kinds = [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET];
    let made = families.iter().any(|&family| {
        kinds.iter().any(|&kind| call(libc::SYS_socket, [family as usize, kind as usize, 0, 0]).is_ok())
    });
    held(!made)
}

/// A name for the host's side of [`reach_abstract`].
const ABSTRACT: &[u8] = b"toolgate-doctor";

/// How long another examination, which listens on the same name, may take.
const OTHERS: Duration = Duration::from_secs(10);

/// Listens outside for the attack on abstract sockets.
///
/// Another examination may be under way and listen there. It will not do: when it is done, perhaps before our
/// attack, nobody listens, and a boundary that holds nothing would seem to hold.
pub(super) fn listen() -> Option<UnixListener> {
    use std::os::linux::net::SocketAddrExt as _;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(ABSTRACT).ok()?;
    let until = Instant::now() + OTHERS;
    loop {
        match UnixListener::bind_addr(&address) {
            Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(2));
            }
            bound => return bound.ok(),
        }
    }
}

fn reach_abstract() -> i32 {
    let Ok(socket) = call(libc::SYS_socket, [libc::AF_UNIX as usize, libc::SOCK_STREAM as usize, 0, 0])
    else {
        return HELD;
    };
    let mut address = [0u8; 3 + ABSTRACT.len()];
    for (slot, byte) in address.iter_mut().zip((libc::AF_UNIX as u16).to_ne_bytes()) {
        *slot = byte;
    }
    for (slot, byte) in address.iter_mut().skip(3).zip(ABSTRACT) {
        *slot = *byte;
    }
    let connected = call(libc::SYS_connect, [socket as usize, address.as_ptr().addr(), address.len(), 0]);
    held(connected.is_err())
}

fn ask_the_ring() -> i32 {
    let mut parameters = [0u64; 16];
    let made = call(libc::SYS_io_uring_setup, [1, parameters.as_mut_ptr().expose_provenance(), 0, 0]);
    held(made == Err(Errno(libc::ENOSYS)))
}

#[cfg(target_arch = "x86_64")]
fn foreign_calls() -> i32 {
    let mut answer: u32 = 20;
    // SAFETY: call 20 of the 32-bit table gives a number; it reads and writes no memory, and the
    // only register it changes is named.
    unsafe { std::arch::asm!("int 0x80", inout("eax") answer, options(nomem, nostack)) };
    // A kernel without the 32-bit table answers with an error.
    if (answer as i32) < 0 { SKIPPED } else { BROKEN }
}

#[cfg(not(target_arch = "x86_64"))]
fn foreign_calls() -> i32 {
    SKIPPED
}

fn type_into_terminal() -> i32 {
    let letter = b'x';
    let requests = [libc::TIOCSTI as usize, libc::TIOCSTI as usize | 1 << 32, 0x541C];
    // Standard input is no terminal here, so only the filter answers "not permitted".
    let refused = requests.iter().all(|&request| {
        call(libc::SYS_ioctl, [0, request, std::ptr::from_ref(&letter).addr(), 0]) == Err(Errno(libc::EPERM))
    });
    held(refused)
}

fn see_processes() -> i32 {
    // The first is the boundary's, the second made this one, the third, and may not be collected yet.
    let parent = call(libc::SYS_getppid, [0; 4]) == Ok(1);
    let me = call(libc::SYS_getpid, [0; 4]) == Ok(3);
    held(parent && me && !lists_others())
}

/// Whether `/proc` lists a process besides the first three.
fn lists_others() -> bool {
    let Ok(proc) = sys::open_at(HERE, c"/proc", libc::O_RDONLY | libc::O_DIRECTORY, 0) else {
        return false;
    };
    let mut records = [0u8; 4096];
    loop {
        let to = [proc.as_raw_fd() as usize, records.as_mut_ptr().expose_provenance(), records.len(), 0];
        let Ok(length @ 1..) = call(libc::SYS_getdents64, to) else { return false };
        let mut rest = records.get(..length as usize).unwrap_or_default();
        // getdents64(2): 8 bytes inode, 8 bytes offset, 2 bytes length of the record, 1 byte type, the name.
        while let Some(&[low, high]) = rest.get(16..18) {
            let length = usize::from(u16::from_ne_bytes([low, high]));
            let name = rest.get(19..length).unwrap_or_default();
            let number = name.first().is_some_and(u8::is_ascii_digit);
            if number && ![b"1\0", b"2\0", b"3\0"].iter().any(|own| name.starts_with(&own[..])) {
                return true;
            }
            rest = rest.get(length.max(1)..).unwrap_or_default();
        }
    }
}

fn read_first() -> i32 {
    let files = [c"/proc/1/environ", c"/proc/1/mem", c"/proc/1/maps", c"/proc/1/root/etc", c"/proc/1/fd/0"];
    let read = files.iter().any(|path| opens(path, libc::O_RDONLY));
    let traced = call(libc::SYS_ptrace, [libc::PTRACE_SEIZE as usize, 1, 0, 0]).is_ok();
    held(!read && !traced)
}

fn keep_privileges() -> i32 {
    let header = abi::CapHeader { version: abi::CAPABILITY_VERSION_3, pid: 0 };
    let mut words = [u32::MAX; 6];
    let header_at = std::ptr::from_ref(&header).expose_provenance();
    let asked = call(libc::SYS_capget, [header_at, words.as_mut_ptr().expose_provenance(), 0, 0]).is_ok();
    let none = asked && words == [0; 6];
    let locked = call(libc::SYS_prctl, [libc::PR_GET_NO_NEW_PRIVS as usize, 0, 0, 0]) == Ok(1);
    let gained = call(libc::SYS_setgroups, [0, 0, 0, 0]).is_ok();
    held(none && locked && !gained)
}

fn change_kernel() -> i32 {
    let files = [
        c"/proc/sys/kernel/core_pattern",
        c"/proc/sys/kernel/hostname",
        c"/proc/sys/vm/drop_caches",
        c"/proc/sysrq-trigger",
        c"/sys/kernel/mm/transparent_hugepage/enabled",
    ];
    held(!files.iter().any(|path| opens(path, libc::O_WRONLY)))
}

fn open_devices() -> i32 {
    let files =
        [c"/dev/mem", c"/dev/kmsg", c"/dev/sda", c"/dev/vda", c"/dev/nvme0n1", c"/dev/kvm", c"/dev/fuse"];
    let opened = files.iter().any(|path| opens(path, libc::O_RDONLY));
    let device = 1 << 8 | 3;
    let mode = (libc::S_IFCHR | 0o600) as usize;
    let made = call(libc::SYS_mknodat, [HERE as usize, text(c"made-null"), mode, device]).is_ok();
    held(!opened && !made)
}

fn inherit_files() -> i32 {
    held(!(3..4096).any(|fd| call(libc::SYS_fcntl, [fd, libc::F_GETFD as usize, 0, 0]).is_ok()))
}

fn read_temporary() -> i32 {
    let Ok(directory) = sys::open_at(HERE, c"/tmp", libc::O_RDONLY | libc::O_DIRECTORY, 0) else {
        return HELD;
    };
    let mut buffer = [0u8; 4096];
    let Ok(length) = sys::list(directory, &mut buffer) else {
        return BROKEN;
    };
    // Two entries of 24 bytes: the directory and the one above it. Where the workspace itself lies
    // in the temporary directory, the way to it makes a third.
    held(length <= 3 * 64)
}

fn outlive() -> i32 {
    let Ok(file) = sys::open_at(HERE, c"lock", libc::O_RDWR | libc::O_CREAT, 0o600) else {
        return SKIPPED;
    };
    if call(libc::SYS_flock, [file as usize, libc::LOCK_EX as usize, 0, 0]).is_err() {
        return SKIPPED;
    }
    // The copy leaves the session and sleeps with the lock, which lives as long as it does.
    match call(libc::SYS_clone, [libc::SIGCHLD as usize, 0, 0, 0]) {
        Ok(0) => {
            sys::set_session().ok();
            loop {
                sys::poll(&mut [], 60_000).ok();
            }
        }
        Ok(_) => HELD,
        Err(_) => SKIPPED,
    }
}

fn lock_is_free(ground: &Path) -> bool {
    let Ok(file) = File::open(ground.join("workspace/lock")) else {
        return false;
    };
    // SAFETY: takes numbers only; the descriptor is ours.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}
