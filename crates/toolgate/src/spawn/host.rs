//! Starts programs with no boundary around them.
//!
//! What can be promised without one: the program leads a session and a process group of its own,
//! and when it is to end, the group, the session, its descendants and whatever carries its mark in
//! the environment are ended with it. A process that leaves all four (a double fork into a new
//! session with a cleaned environment) gets away: only a boundary can hold that one.
//!
//! The program is not reaped before everything else of it has been ended. Until then the kernel
//! gives its number to nobody else, so a signal to "its group" can't reach a stranger.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use toolgate_exec::{BoxFuture, ExitStatus, ToolError};

use super::sweep::Tree;
use super::{Child, RUN_VARIABLE, SpawnRequest, Spawner};

/// How long a killed program may take to be gone before a thread of its own waits on.
const REAP_LIMIT: Duration = Duration::from_secs(2);

/// Starts programs on the bare host. It contains nothing: what was decided is not enforced.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostSpawner;

impl Spawner for HostSpawner {
    fn spawn<'a>(&'a self, request: SpawnRequest) -> BoxFuture<'a, Result<Arc<dyn Child>, ToolError>> {
        // Starting a process blocks for about a millisecond, here as in tokio's own `Command`.
        let started = start(request).map(|child| child as Arc<dyn Child>);
        Box::pin(std::future::ready(started))
    }
}

fn start(request: SpawnRequest) -> Result<Arc<HostChild>, ToolError> {
    let SpawnRequest { program, args, env, cwd, stdout, stderr, run_id, .. } = request;
    let mut command = Command::new(&program);
    command.args(args).env_clear().envs(env).env(RUN_VARIABLE, chain(&run_id)).current_dir(&cwd);
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    toolgate_sandbox::own_session(&mut command);
    let started = Instant::now();
    let child = command.spawn().map_err(|source| explain(source, &program, &cwd))?;
    let pid = Pid::from_child(&child);
    // Kernels before 5.3 have no pidfd; a thread waits then.
    let pidfd = open_pidfd(pid);
    let tree = Tree::new(pid, run_id, started);
    let host = Host { pid, pidfd, tree, status: OnceLock::new(), leader: Mutex::new(Some(child)) };
    Ok(Arc::new(HostChild(Arc::new(host))))
}

/// The ids of the runs around this one, then its own.
fn chain(run_id: &str) -> OsString {
    match std::env::var_os(RUN_VARIABLE) {
        Some(mut outer) if outer.len() < 4096 => {
            outer.push(":");
            outer.push(run_id);
            outer
        }
        _ => OsString::from(run_id),
    }
}

/// The system says "no such file" for a missing program, interpreter and directory alike.
fn explain(source: io::Error, program: &Path, cwd: &Path) -> ToolError {
    let hint = match source.kind() {
        _ if !cwd.is_dir() => Some(format!("the directory {} is gone", cwd.display())),
        io::ErrorKind::NotFound => {
            Some(format!("install it, or configure another path than {}", program.display()))
        }
        io::ErrorKind::ArgumentListTooLong => Some(
            "the command and its environment are too long together: write the command to a file and run that"
                .to_owned(),
        ),
        io::ErrorKind::WouldBlock => {
            Some("the limit on processes is reached: try again when some have ended".to_owned())
        }
        _ => None,
    };
    let name = program.file_name().unwrap_or(OsStr::new("the program")).display();
    ToolError::Execution { doing: Cow::Owned(format!("starting {name}")), source, hint }
}

#[cfg(target_os = "linux")]
fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_: Pid) -> Option<OwnedFd> {
    None
}

struct HostChild(Arc<Host>);

struct Host {
    pid: Pid,
    pidfd: Option<OwnedFd>,
    tree: Tree,
    status: OnceLock<ExitStatus>,
    /// The program, until it is reaped. Its number is its own exactly as long as this is `Some`,
    /// so whoever signals it holds the lock.
    leader: Mutex<Option<std::process::Child>>,
}

impl Child for HostChild {
    fn wait(&self) -> BoxFuture<'_, io::Result<ExitStatus>> {
        Box::pin(self.0.wait())
    }

    fn terminate(&self) {
        let leader = self.0.lock();
        if leader.is_some() {
            // No such group: it has ended already.
            let _ = rustix::process::kill_process_group(self.0.pid, Signal::TERM);
        }
    }

    fn is_gone(&self) -> bool {
        let leader = self.0.lock();
        leader.is_none() || (matches!(self.0.peek(), Ok(Some(_))) && self.0.tree.is_empty())
    }

    fn end(&self) -> BoxFuture<'_, usize> {
        Box::pin(async move {
            if let Some(none) = self.0.end_lone() {
                return none;
            }
            let host = self.0.clone();
            match tokio::task::spawn_blocking(move || host.end()).await {
                Ok(count) => count,
                // The runtime is shutting down.
                Err(_) => self.0.end(),
            }
        })
    }

    fn end_now(&self) -> usize {
        self.0.end()
    }

    fn enforcement(&self) -> Cow<'_, str> {
        Cow::Borrowed("none")
    }
}

impl Drop for HostChild {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Host {
    fn lock(&self) -> MutexGuard<'_, Option<std::process::Child>> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait(&self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status.get() {
            return Ok(*status);
        }
        match &self.pidfd {
            Some(pidfd) => {
                // Deprecated because a type may lie about its descriptor; a `BorrowedFd` can't. The
                // constructor in its place is unsafe.
                #[allow(deprecated)]
                let pidfd = AsyncFd::with_interest(pidfd.as_fd(), Interest::READABLE)?;
                // Readable once it has ended (pidfd_open(2)); it stays so.
                let _ready = pidfd.readable().await?;
            }
            None => {
                let (told, hear) = tokio::sync::oneshot::channel();
                let pid = self.pid;
                thread::Builder::new().spawn(move || {
                    let _ = rustix::process::waitid(
                        WaitId::Pid(pid),
                        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
                    );
                    let _ = told.send(());
                })?;
                let _ = hear.await;
            }
        }
        let _leader = self.lock();
        self.peek()?.ok_or_else(|| io::Error::other("the process ended and can't be waited for"))
    }

    /// How the program ended, if it has; it is left to be reaped. The lock must be held.
    fn peek(&self) -> io::Result<Option<ExitStatus>> {
        if let Some(status) = self.status.get() {
            return Ok(Some(*status));
        }
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(ended) = rustix::process::waitid(WaitId::Pid(self.pid), look)? else { return Ok(None) };
        let status = match (ended.exit_status(), ended.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code),
            (None, Some(signal)) => ExitStatus::Signal(signal),
            (None, None) => return Ok(None),
        };
        Ok(Some(*self.status.get_or_init(|| status)))
    }

    /// Ends it where that takes no search: it ended by itself and nobody forked since it began.
    fn end_lone(&self) -> Option<usize> {
        let mut leader = self.lock();
        let child = leader.as_mut()?;
        if matches!(self.peek(), Ok(Some(_))) && self.tree.forked_nothing() {
            let _ = child.wait();
            *leader = None;
            return Some(0);
        }
        None
    }

    /// Ends all of it. Blocks for some milliseconds.
    fn end(&self) -> usize {
        let mut leader = self.lock();
        let Some(mut child) = leader.take() else { return 0 };
        let others = self.tree.end();
        let until = Instant::now() + REAP_LIMIT;
        let mut pause = Duration::from_micros(50);
        loop {
            // Keeps the status for a later `wait`.
            let _ = self.peek();
            match child.try_wait() {
                Ok(None) if Instant::now() < until => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(5));
                }
                // Stuck in the kernel (a dead network mount): it is killed, and goes when it can.
                Ok(None) => {
                    let _ = thread::Builder::new().spawn(move || child.wait());
                    break;
                }
                Ok(Some(_)) | Err(_) => break,
            }
        }
        others
    }
}
