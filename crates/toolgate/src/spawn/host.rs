//! Starts programs with no boundary around them.
//!
//! What can be promised without one: the program leads a session and a process group of its own,
//! and when it is to end, the group, the session, its descendants and whatever carries its mark in
//! the environment are ended with it. A process that leaves all four (a double fork into a new
//! session with a cleaned environment) gets away: only a boundary can hold that one.
//!
//! The program is not reaped before everything else of it has been ended. Until then the kernel
//! gives its number to nobody else, so a signal to "its group" can't reach a stranger.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use toolgate_exec::{BoxFuture, Enforcement, ExitStatus, ToolError};

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
    let SpawnRequest { program, args, mut env, cwd, stdout, stderr, run_id, .. } = request;
    env.push((RUN_VARIABLE.into(), chain(&run_id)));
    // Programs say their name in messages, and a shell in `$0`; its whole path is noise there.
    let name = program.file_name().unwrap_or(program.as_os_str());
    let begun = Instant::now();
    let pid = spawn(&program, name, &args, &env, &cwd, [stdout, stderr])
        .map_err(|source| explain(source, &program, &cwd))?;
    // Kernels before 5.3 have no pidfd; a thread waits then.
    let pidfd = open_pidfd(pid);
    let tree = Tree::new(pid, run_id, begun);
    let host = Host { pid, pidfd, tree, status: OnceLock::new(), reaped: Mutex::new(false) };
    Ok(Arc::new(HostChild(Arc::new(host))))
}

#[cfg(target_os = "linux")]
fn spawn(
    program: &Path,
    name: &OsStr,
    args: &[OsString],
    env: &[(OsString, OsString)],
    cwd: &Path,
    [stdout, stderr]: [OwnedFd; 2],
) -> io::Result<Pid> {
    use std::ffi::CString;
    use std::os::fd::AsFd as _;
    use std::os::unix::ffi::OsStrExt as _;

    let text = |text: &OsStr| CString::new(text.as_bytes());
    let argv = std::iter::once(name).chain(args.iter().map(OsString::as_os_str)).map(text);
    let argv: Vec<CString> = argv.collect::<Result<_, _>>()?;
    let envp =
        env.iter().map(|(name, value)| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()));
    let envp: Vec<CString> = envp.collect::<Result<_, _>>()?;
    let null = std::fs::File::open("/dev/null")?;
    let stdio = [null.as_fd(), stdout.as_fd(), stderr.as_fd()];
    let (program, cwd) = (text(program.as_os_str())?, text(cwd.as_os_str())?);
    let pid = toolgate_sandbox::spawn_in_session(&program, &argv, &envp, &cwd, stdio)?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("the system gave the process no number"))
}

#[cfg(not(target_os = "linux"))]
fn spawn(
    program: &Path,
    name: &OsStr,
    args: &[OsString],
    env: &[(OsString, OsString)],
    cwd: &Path,
    [stdout, stderr]: [OwnedFd; 2],
) -> io::Result<Pid> {
    use std::os::unix::process::CommandExt as _;

    let mut command = std::process::Command::new(program);
    command.arg0(name).args(args).env_clear().envs(env.iter().map(|(n, v)| (n, v))).current_dir(cwd);
    command.stdin(std::process::Stdio::null()).stdout(stdout).stderr(stderr);
    toolgate_sandbox::own_session(&mut command);
    // Not waited for through this handle: dropping it does nothing.
    Ok(Pid::from_child(&command.spawn()?))
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
    let unfit = match cwd.metadata() {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(io::Error::from(io::ErrorKind::NotADirectory)),
        Err(error) => Some(error),
    };
    if let Some(source) = unfit {
        return ToolError::Execution {
            doing: format!("entering the directory {}", cwd.display()).into(),
            source,
            hint: Some("give an existing directory as `cwd`".to_owned()),
        };
    }
    let hint = match source.kind() {
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
    ToolError::Execution { doing: format!("starting {name}").into(), source, hint }
}

#[cfg(target_os = "linux")]
fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
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
    /// Whether the program was reaped. Its number is its own exactly until then, so whoever signals
    /// it holds the lock.
    reaped: Mutex<bool>,
}

impl Child for HostChild {
    fn wait(&self) -> BoxFuture<'_, io::Result<ExitStatus>> {
        Box::pin(self.0.wait())
    }

    fn terminate(&self) {
        let reaped = self.0.lock();
        if !*reaped {
            self.0.tree.terminate();
        }
    }

    fn is_gone(&self) -> bool {
        let reaped = self.0.lock();
        *reaped || (matches!(self.0.peek(), Ok(Some(_))) && self.0.tree.is_empty())
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

    fn enforcement(&self) -> Enforcement {
        Enforcement::none()
    }
}

impl Drop for HostChild {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Host {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.reaped.lock().unwrap_or_else(PoisonError::into_inner)
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
        let _reaped = self.lock();
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

    /// Ends it where that takes no long search: it ended by itself, and left nobody.
    fn end_lone(&self) -> Option<usize> {
        let mut reaped = self.lock();
        if *reaped {
            return Some(0);
        }
        if matches!(self.peek(), Ok(Some(_))) && self.tree.is_surely_empty() {
            *reaped = true;
            let _ = self.reap();
            return Some(0);
        }
        None
    }

    /// Reaps the program if it has ended; whether there is nothing more to reap.
    fn reap(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        // An error: something else in this process has waited for it.
        !matches!(rustix::process::waitid(WaitId::Pid(self.pid), look), Ok(None))
    }

    /// Ends all of it. Blocks for some milliseconds.
    fn end(&self) -> usize {
        let mut reaped = self.lock();
        if *reaped {
            return 0;
        }
        let others = self.tree.end();
        *reaped = true;
        let until = Instant::now() + REAP_LIMIT;
        let mut pause = Duration::from_micros(50);
        loop {
            // Keeps the status for a later `wait`.
            let _ = self.peek();
            if self.reap() {
                break;
            }
            if Instant::now() > until {
                // Stuck in the kernel (a dead network mount): it is killed, and goes when it can.
                let pid = self.pid;
                let _ = thread::Builder::new().spawn(move || {
                    let _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
                });
                break;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests run side by side: each run has a mark of its own.
    fn run_id() -> String {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        format!("{:024x}{next:08x}", std::process::id())
    }

    fn request(command: &str) -> SpawnRequest {
        SpawnRequest {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), command.into()],
            env: Vec::new(),
            cwd: "/".into(),
            stdout: std::fs::File::create("/dev/null").unwrap().into(),
            stderr: std::fs::File::create("/dev/null").unwrap().into(),
            network: toolgate_exec::NetworkScope::Inherit,
            needs: crate::spawn::Needs::Everything,
            scratch: Vec::new(),
            run_id: run_id(),
        }
    }

    #[tokio::test]
    async fn a_kernel_without_pidfds_is_waited_on_by_a_thread() {
        let child = start(request("exit 7")).unwrap();
        let mut host = Arc::into_inner(child).unwrap();
        Arc::get_mut(&mut host.0).unwrap().pidfd = None;
        assert_eq!(host.wait().await.unwrap(), ExitStatus::Code(7));
        assert_eq!(host.wait().await.unwrap(), ExitStatus::Code(7), "and once more");
        assert_eq!(host.end().await, 0);
    }

    #[tokio::test]
    async fn the_status_is_known_after_the_end_and_nothing_is_signalled_any_more() {
        let child = start(request("sleep 1000")).unwrap();
        assert!(!child.is_gone());
        child.end_now();
        assert!(child.is_gone());
        child.terminate();
        assert_eq!(child.wait().await.unwrap(), ExitStatus::Signal(9));
        assert_eq!((child.end_now(), child.end().await), (0, 0));
    }

    #[tokio::test]
    async fn a_program_that_ends_is_no_zombie_for_long() {
        let child = start(request("exit 0")).unwrap();
        let pid = child.0.pid;
        child.wait().await.unwrap();
        assert!(rustix::process::test_kill_process(pid).is_ok(), "not before all of it has been ended");
        child.end().await;
        assert_eq!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH));
    }
}
