//! Makes the first process of a boundary.

use std::fs;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use crate::enforcement::Stage;
use crate::init::{self, Post, STACK};
use crate::plan::{self, Identity, Plan};
use crate::sys::{self, Cloned, Errno, Res};

/// The first process, as its maker sees it.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) pidfd: OwnedFd,
}

/// Makes the first process. What becomes of it is told on the line.
///
/// With a control group the process is born in it. `exit_signal` is what the maker gets at its end; 0 keeps it out of sight of others' waiting.
pub(crate) fn launch(
    plan: &Plan,
    line: BorrowedFd<'_>,
    io: Option<[BorrowedFd<'_>; 3]>,
    cgroup: Option<BorrowedFd<'_>>,
    exit_signal: i32,
) -> Result<Launched, (Stage, Errno)> {
    let namespaces = plan.namespaces.as_ref();
    let by_parent = namespaces.map(|plan| &plan.identity).filter(|identity| identity.by_parent);
    let gate = match by_parent {
        Some(_) => Some(pipe().map_err(|errno| (Stage::Namespaces, errno))?),
        None => None,
    };
    let mut post = Post {
        line: line.as_raw_fd(),
        io: io.map(|io| io.map(|fd| fd.as_raw_fd())),
        go: gate.as_ref().map(|(read, _)| read.as_raw_fd()),
        taken: vec![-1; namespaces.map_or(0, |plan| plan.taken.len())],
        stack: Vec::with_capacity(STACK),
    };
    let flags = namespaces.map_or(0, |plan| plan.flags);
    // Blocked across the clone, so that no handler of the caller runs in the child.
    let mask = sys::signal_mask(u64::MAX).map_err(|errno| (Stage::Namespaces, errno))?;
    // SAFETY: the child goes straight into `init::run`, which makes system calls over memory made
    // beforehand, and never returns.
    let cloned = unsafe { sys::clone_process(flags, exit_signal, cgroup.map(|fd| fd.as_raw_fd())) };
    if matches!(cloned, Ok(Cloned::Child)) {
        init::run(plan, &mut post);
    }
    sys::signal_mask(mask).ok();
    let (pid, pidfd) = match cloned {
        Ok(Cloned::Parent { pid, pidfd }) => (pid, pidfd),
        Ok(Cloned::Child) => sys::exit(1),
        Err(errno) => return Err((Stage::Namespaces, errno)),
    };
    // SAFETY: the kernel has just made this descriptor for us.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    if let (Some(identity), Some((_, write))) = (by_parent, &gate) {
        let mapped = map_users(pid, identity).and_then(|()| sys::write(write.as_raw_fd(), b"g"));
        if let Err(errno) = mapped {
            sys::pidfd_signal(pidfd.as_raw_fd(), libc::SIGKILL).ok();
            wait_and_reap(&pidfd);
            return Err((Stage::Identity, errno));
        }
    }
    Ok(Launched { pidfd })
}

fn map_users(pid: i32, identity: &Identity) -> Res<()> {
    let write = |name: &str, map: &[u8]| {
        let path = format!("/proc/{pid}/{name}");
        fs::write(&path, map)
            // In a namespace that doesn't know everyone, those it knows.
            .or_else(|_| fs::write(&path, plan::same_map(&format!("/proc/self/{name}"))))
            .map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EIO)))
    };
    write("uid_map", &identity.users)?;
    write("gid_map", &identity.groups)
}

fn pipe() -> Res<(OwnedFd, OwnedFd)> {
    let (read, write) =
        std::io::pipe().map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EMFILE)))?;
    Ok((read.into(), write.into()))
}

/// Waits for the end of a process that was told to end, and collects it if it is ours.
pub(crate) fn wait_and_reap(pidfd: &OwnedFd) {
    let mut fds = [libc::pollfd { fd: pidfd.as_raw_fd(), events: libc::POLLIN, revents: 0 }];
    loop {
        match sys::poll(&mut fds, -1) {
            Ok(_) => break,
            Err(Errno(libc::EINTR)) => {}
            Err(_) => return,
        }
    }
    sys::reap_pidfd(pidfd.as_raw_fd()).ok();
}
