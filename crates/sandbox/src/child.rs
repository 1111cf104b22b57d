//! A command that runs inside the boundary, as its caller holds it.

use std::fmt;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::cgroup::Cgroup;
use crate::channel::{self, Ended, Heard, Note};
use crate::enforcement::Enforcement;
use crate::error::Error;
use crate::launch;
use crate::plan::{self, Watched};
use crate::sys;

/// A command that runs inside the boundary.
///
/// Dropping it kills the command and all it started; so does the end of this process, however it
/// ends. [`Child::as_fd`] is readable when there is news, for callers that wait for many things:
/// call [`Child::try_wait`] then.
#[derive(Debug)]
pub struct Child {
    line: Option<OwnedFd>,
    pidfd: Option<OwnedFd>,
    enforcement: Enforcement,
    terminal: Option<OwnedFd>,
    watched: Vec<Watched>,
    refused: Vec<RefusedSocket>,
    exit: Option<Exit>,
    /// Whether the first process is our own child, to be collected by us.
    ours: bool,
    /// Whether killing the first process kills the rest.
    contained: bool,
    killed: bool,
    cgroup: Option<Cgroup>,
}

/// How a command ended, and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// How it ended.
    pub status: Status,
    /// The limit that ended it, if one did.
    pub limit: Option<Limit>,
    /// Processor time of the whole tree in user code.
    pub user: Duration,
    /// Processor time of the whole tree in the kernel.
    pub system: Duration,
    /// Memory of its largest process, in bytes.
    pub largest: u64,
    /// Sockets that were refused; at most the first few dozen.
    pub refused: Vec<RefusedSocket>,
    /// How many sockets were refused.
    pub refused_count: u64,
    /// Protected names that appeared, or that are only reported and were changed.
    pub touched: Vec<PathBuf>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The program ended with this code.
    Code(i32),
    /// The program was ended by this signal.
    Signal(i32),
    /// All of it was killed from outside.
    Killed,
}

impl Status {
    /// Whether the program ended by itself with code 0.
    #[must_use]
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    fn from_wait(status: i32) -> Self {
        if libc::WIFEXITED(status) {
            Self::Code(libc::WEXITSTATUS(status))
        } else {
            Self::Signal(libc::WTERMSIG(status))
        }
    }
}

/// A limit that ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// It ran too long.
    Wall,
    /// It used too much processor time.
    Cpu,
    /// It used too much memory.
    Memory,
    /// It kept too many processes.
    Processes,
    /// It wrote too large a file.
    FileSize,
}

impl Limit {
    /// The limit's name in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::FileSize => "file-size",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wall => "it ran longer than allowed",
            Self::Cpu => "it used more processor time than allowed",
            Self::Memory => "it used more memory than allowed",
            Self::Processes => "it kept more processes than allowed",
            Self::FileSize => "it wrote a file larger than allowed",
        })
    }
}

/// A socket the boundary refused to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedSocket {
    /// The address family, as in `AF_INET`.
    pub family: u32,
    /// The kind, as in `SOCK_STREAM`.
    pub kind: u32,
    /// The protocol.
    pub protocol: u32,
    /// The asking process, by its number inside.
    pub pid: u32,
}

impl fmt::Display for RefusedSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = match self.family as i32 {
            libc::AF_UNIX => "local",
            libc::AF_INET => "ipv4",
            libc::AF_INET6 => "ipv6",
            libc::AF_NETLINK => "netlink",
            libc::AF_PACKET => "packet",
            libc::AF_VSOCK => "vsock",
            libc::AF_ALG => "alg",
            _ => return write!(f, "a socket of family {} (process {})", self.family, self.pid),
        };
        let kind = match self.kind as i32 {
            libc::SOCK_STREAM => "stream",
            libc::SOCK_DGRAM => "datagram",
            libc::SOCK_RAW => "raw",
            _ => "other",
        };
        write!(f, "{family} {kind} socket (process {})", self.pid)
    }
}

/// What a started command is made of.
pub(crate) struct Beginning {
    pub(crate) line: OwnedFd,
    pub(crate) pidfd: OwnedFd,
    pub(crate) enforcement: Enforcement,
    pub(crate) terminal: Option<OwnedFd>,
    pub(crate) watched: Vec<Watched>,
    pub(crate) ours: bool,
    pub(crate) contained: bool,
    pub(crate) cgroup: Option<Cgroup>,
}

impl Child {
    pub(crate) fn new(beginning: Beginning) -> Self {
        let Beginning { line, pidfd, enforcement, terminal, watched, ours, contained, cgroup } = beginning;
        Self {
            line: Some(line),
            pidfd: Some(pidfd),
            enforcement,
            terminal,
            watched,
            refused: Vec::new(),
            exit: None,
            ours,
            contained,
            killed: false,
            cgroup,
        }
    }

    /// What holds for this command.
    #[must_use]
    pub fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }

    /// Sockets that were refused so far; at most the first few dozen are told.
    ///
    /// As far as [`Child::try_wait`] has read the news.
    #[must_use]
    pub fn refused(&self) -> &[RefusedSocket] {
        self.exit.as_ref().map_or(&self.refused, |exit| &exit.refused)
    }

    /// The caller's side of the command's terminal, if it has one.
    #[must_use]
    pub fn terminal(&self) -> Option<BorrowedFd<'_>> {
        self.terminal.as_ref().map(AsFd::as_fd)
    }

    /// A handle to the first process of the boundary.
    #[must_use]
    pub fn pidfd(&self) -> Option<BorrowedFd<'_>> {
        self.pidfd.as_ref().map(AsFd::as_fd)
    }

    /// Waits for the end.
    ///
    /// It comes when the program ends, not when what it left running would: that is killed.
    ///
    /// # Errors
    ///
    /// If the line to the command can't be read, which ends the command.
    pub fn wait(&mut self) -> Result<Exit, Error> {
        loop {
            if let Some(exit) = self.step(true)? {
                return Ok(exit);
            }
        }
    }

    /// The end, if it has come. Never waits.
    ///
    /// # Errors
    ///
    /// As [`Child::wait`].
    pub fn try_wait(&mut self) -> Result<Option<Exit>, Error> {
        self.step(false)
    }

    fn step(&mut self, wait: bool) -> Result<Option<Exit>, Error> {
        loop {
            if let Some(exit) = &self.exit {
                return Ok(Some(exit.clone()));
            }
            let Some(line) = &self.line else {
                return Err(Error::System {
                    doing: "waiting for the command",
                    errno: sys::Errno(libc::EBADF),
                });
            };
            match channel::hear(line, wait).map_err(Error::system("waiting for the command"))? {
                Heard::Nothing => return Ok(None),
                Heard::Gone => self.finish(None),
                Heard::Note(Note::Exited(ended), _) => self.finish(Some(ended)),
                Heard::Note(Note::Refused { family, kind, protocol, pid }, _) => {
                    self.refused.push(RefusedSocket { family, kind, protocol, pid });
                }
                Heard::Note(..) => {}
            }
        }
    }

    fn finish(&mut self, ended: Option<Ended>) {
        let refused = std::mem::take(&mut self.refused);
        let told = ended.unwrap_or_default();
        let killed_by_kernel = self.cgroup.as_ref().and_then(Cgroup::tripped);
        let status = if killed_by_kernel.is_some() && ended.is_none() {
            // The kernel ended all of it, the first process too.
            Status::Signal(libc::SIGKILL)
        } else if ended.is_some() {
            Status::from_wait(told.status)
        } else {
            Status::Killed
        };
        let limit = match told.limit {
            1 => Some(Limit::Wall),
            2 => Some(Limit::Cpu),
            3 => Some(Limit::Memory),
            4 => Some(Limit::Processes),
            _ if killed_by_kernel.is_some() => killed_by_kernel,
            _ => match status {
                Status::Signal(libc::SIGXFSZ) => Some(Limit::FileSize),
                Status::Signal(libc::SIGXCPU) => Some(Limit::Cpu),
                _ => None,
            },
        };
        self.exit = Some(Exit {
            status,
            limit,
            user: Duration::from_micros(told.user_micros),
            system: Duration::from_micros(told.system_micros),
            largest: told.largest,
            refused_count: told.refused.max(refused.len() as u64),
            refused,
            touched: plan::changed(&self.watched),
        });
        if ended.is_none() {
            self.end();
        }
        self.line = None;
        self.leave();
    }

    /// Asks the command and all it started to end (SIGTERM), without waiting for it.
    ///
    /// Whoever doesn't listen runs on: kill them after a grace.
    pub fn terminate(&mut self) {
        if let (Some(line), None) = (&self.line, &self.exit) {
            // A line too full to take it is that of a command about to end, or to be killed.
            channel::ask_to_end(line).ok();
        }
    }

    /// Kills the command and all it started, and waits until none of it is left.
    pub fn kill(&mut self) {
        if self.exit.is_none() && !self.killed {
            self.killed = true;
            self.end();
            // The note of an end that came first is still to be read; else the line is dead now.
            self.step(false).ok();
        }
    }

    /// Ends the first process, and with it the rest.
    fn end(&mut self) {
        let Some(pidfd) = &self.pidfd else { return };
        if self.contained {
            sys::pidfd_signal(pidfd.as_raw_fd(), libc::SIGKILL).ok();
        } else if let Some(line) = &self.line {
            // It has to end the others first, so it is asked and not killed.
            // SAFETY: takes numbers only.
            unsafe { libc::shutdown(line.as_raw_fd(), libc::SHUT_WR) };
        }
        launch::wait_and_reap(pidfd);
    }

    /// Leaves the first process to end by itself, to be collected later.
    fn leave(&mut self) {
        self.cgroup = None;
        if let Some(pidfd) = self.pidfd.take()
            && self.ours
        {
            let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
            left.push(pidfd);
            collect(&mut left);
        }
    }
}

impl AsFd for Child {
    /// Readable when there is news; see [`Child::try_wait`].
    fn as_fd(&self) -> BorrowedFd<'_> {
        match (&self.line, &self.pidfd) {
            (Some(fd), _) | (None, Some(fd)) => fd.as_fd(),
            // SAFETY: standard error is as good as any; a command that has ended has no news, and
            // its result is at hand without asking.
            (None, None) => unsafe { BorrowedFd::borrow_raw(2) },
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.exit.is_none() {
            self.end();
        }
        self.line = None;
        self.leave();
    }
}

/// First processes that told of their end and are still taking their namespaces down.
static LEFT: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

fn collect(left: &mut Vec<OwnedFd>) {
    left.retain(|pidfd| matches!(sys::reap_pidfd(pidfd.as_raw_fd()), Ok(false)));
}

/// Collects first processes that have ended since.
pub(crate) fn collect_left() {
    collect(&mut LEFT.lock().unwrap_or_else(PoisonError::into_inner));
}
