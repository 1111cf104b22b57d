//! Starts programs inside the operating-system boundary.
//!
//! Each command runs by the policy it was given, narrowed by the network scope of its call. Less than the
//! policy asks for is a refusal that says what would help, unless the policy accepts less.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::process::Signal;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use toolgate_exec::{BoxFuture, Enforcement, EnforcementLevel, ExitStatus, NetworkScope, ToolError};
use toolgate_sandbox::{Command, Error, Exit, Io, Level, Network, Policy, Sandbox, Scratch, Status};

use super::{Child, Needs, RUN_VARIABLE, SpawnRequest, Spawner};

/// Starts programs inside the boundary that a policy describes.
///
/// A program that runs for long calls [`init`](super::init) first thing in `main`, before it has threads (so
/// before there is a runtime): commands are then started by a small helper, at the same cost however much
/// memory the program holds by then. Called late it runs the program again for the helper, which costs one
/// start of it; never called, each start copies the page tables of the whole program (10 ms from 300 MB). A
/// program that starts one command and ends, as `toolgate run` does, is quickest without. The example
/// `long_running` does it in the right order and measures it.
///
/// ```no_run
/// use toolgate::shell::ShellTool;
/// use toolgate::spawn::{BoundaryPolicy, SandboxSpawner};
///
/// let policy = BoundaryPolicy::workspace_write("/home/ann".as_ref(), "/home/ann/project".as_ref());
/// let shell = ShellTool::builder().spawner(SandboxSpawner::new(policy)?).build()?;
/// # let _ = shell;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SandboxSpawner {
    /// As configured.
    own: Sandbox,
    /// The same with the network closed, made when it is first asked for.
    closed: OnceLock<Sandbox>,
    /// The same with nothing writable and the network closed; absent where commands get what they are
    /// given whatever they need.
    reading: Option<OnceLock<Sandbox>>,
}

impl SandboxSpawner {
    /// A spawner with this policy.
    ///
    /// A command that was judged to do nothing but read ([`Needs::Reading`]) runs where it can do nothing
    /// else, so that what the judgement overlooked does not happen.
    ///
    /// # Errors
    /// Where the policy asks for what can't be enforced here, or anywhere.
    pub fn new(policy: Policy) -> Result<Self, ToolError> {
        let own = Sandbox::new(policy).map_err(refusal)?;
        Ok(Self { own, closed: OnceLock::new(), reading: Some(OnceLock::new()) })
    }

    /// Runs every command by the whole policy, whatever it was judged to need.
    #[must_use]
    pub fn whatever_they_need(mut self) -> Self {
        self.reading = None;
        self
    }

    /// The boundary of a command with this scope and these needs.
    fn boundary(&self, network: &NetworkScope, needs: Needs) -> Result<&Sandbox, Error> {
        let policy = self.own.policy();
        let denied = match network {
            NetworkScope::Inherit | NetworkScope::Allow => false,
            NetworkScope::Deny => true,
            _ => return Err(Error::NetworkScope),
        };
        // Where the host's own temporary directory is used, a command that reads writes there too.
        let can_be_narrowed = policy.scratch == Scratch::Private;
        if let (Some(reading), Needs::Reading, true) = (&self.reading, needs, can_be_narrowed) {
            let narrowed = || Policy { writable: Vec::new(), network: Network::Deny, ..policy.clone() };
            return self.made(reading, narrowed);
        }
        match denied && policy.network != Network::Deny {
            true => self.made(&self.closed, || Policy { network: Network::Deny, ..policy.clone() }),
            false => Ok(&self.own),
        }
    }

    /// A boundary that is made once, knowing what is known of the machine by then.
    fn made<'a>(
        &self,
        place: &'a OnceLock<Sandbox>,
        policy: impl FnOnce() -> Policy,
    ) -> Result<&'a Sandbox, Error> {
        if let Some(made) = place.get() {
            return Ok(made);
        }
        let made = Sandbox::on(policy(), self.own.machine())?;
        Ok(place.get_or_init(|| made))
    }

    fn start(&self, request: SpawnRequest) -> Result<Arc<dyn Child>, ToolError> {
        let SpawnRequest { program, args, env, cwd, stdout, stderr, network, needs, scratch, run_id } =
            request;
        let sandbox = self.boundary(&network, needs).map_err(refusal)?;
        let stdin =
            File::open("/dev/null").map_err(|error| ToolError::execution("opening /dev/null", error))?;
        let io = Io::Files { stdin: stdin.into(), stdout, stderr };
        let argv = std::iter::once(program.into_os_string()).chain(args);
        let mut command = Command::new(argv, &cwd, io).grant(RUN_VARIABLE, OsStr::new(&run_id));
        // Chosen by the tool already, by names and by what the call and its skill were given.
        command.granted.extend(env);
        let started = if scratch.is_empty() {
            sandbox.spawn(command)
        } else {
            let mut policy = sandbox.policy().clone();
            policy.writable.extend(scratch);
            Sandbox::on(policy, sandbox.machine()).and_then(|sandbox| sandbox.spawn(command))
        };
        let child = started.map_err(refusal)?;
        let news = child.as_fd().try_clone_to_owned();
        let news = news.map_err(|error| ToolError::execution("watching the command", error))?;
        let enforcement = told(child.enforcement());
        let output_limit = sandbox.policy().limits.output;
        Ok(Arc::new(Contained {
            state: Mutex::new(State { child, told: 0 }),
            news,
            enforcement,
            output_limit,
        }))
    }
}

impl Spawner for SandboxSpawner {
    fn spawn<'a>(&'a self, request: SpawnRequest) -> BoxFuture<'a, Result<Arc<dyn Child>, ToolError>> {
        // Blocks for a millisecond or two, like starting any process does.
        Box::pin(std::future::ready(self.start(request)))
    }
}

/// A boundary that can't be had is a violation; anything else is a failure of the machine.
fn refusal(error: Error) -> ToolError {
    let (message, hint) = (error.to_string(), error.hint());
    match error {
        Error::Directory { path, .. } | Error::Writable { path, .. } | Error::BadPath { path } => {
            ToolError::SandboxViolation { path, message, hint }
        }
        Error::Program { errno, program } => ToolError::Execution {
            doing: Cow::Owned(format!("starting {program} inside the boundary")),
            source: io::Error::from_raw_os_error(errno.0),
            hint,
        },
        Error::System { .. } | Error::Boundary { .. } => ToolError::Execution {
            doing: Cow::Borrowed("setting up the boundary"),
            source: io::Error::other(message),
            hint,
        },
        _ => ToolError::SandboxViolation { path: PathBuf::new(), message, hint },
    }
}

/// What holds, in the terms of results and records.
fn told(held: &toolgate_sandbox::Enforcement) -> Enforcement {
    let level = match held.level {
        Level::None => EnforcementLevel::None,
        Level::Landlock => EnforcementLevel::Landlock,
        Level::FullNoProc => EnforcementLevel::FullNoProc,
        Level::Full => EnforcementLevel::Full,
    };
    Enforcement::new(level, held.missing.iter().map(|missing| missing.code()))
}

struct Contained {
    state: Mutex<State>,
    /// Readable when there is news of it.
    news: OwnedFd,
    enforcement: Enforcement,
    output_limit: Option<u64>,
}

struct State {
    child: toolgate_sandbox::Child,
    /// How many refused sockets were told.
    told: usize,
}

impl Contained {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self) -> io::Result<Option<Exit>> {
        self.lock().child.try_wait().map_err(|error| io::Error::other(error.to_string()))
    }

    async fn end_of_it(&self) -> io::Result<ExitStatus> {
        // Deprecated because a type may lie about its descriptor; a `BorrowedFd` can't. The constructor in
        // its place is unsafe.
        #[allow(deprecated)]
        let news = AsyncFd::with_interest(self.news.as_fd(), Interest::READABLE)?;
        loop {
            if let Some(exit) = self.ended()? {
                return Ok(status(exit.status));
            }
            news.readable().await?.clear_ready();
        }
    }
}

fn status(status: Status) -> ExitStatus {
    match status {
        Status::Code(code) => ExitStatus::Code(code),
        Status::Signal(signal) => ExitStatus::Signal(signal),
        Status::Killed => ExitStatus::Signal(Signal::KILL.as_raw()),
    }
}

impl Child for Contained {
    fn wait(&self) -> BoxFuture<'_, io::Result<ExitStatus>> {
        Box::pin(self.end_of_it())
    }

    fn terminate(&self) {
        self.lock().child.terminate();
    }

    fn is_gone(&self) -> bool {
        matches!(self.ended(), Ok(Some(_)))
    }

    fn end(&self) -> BoxFuture<'_, usize> {
        Box::pin(async move { self.end_now() })
    }

    fn end_now(&self) -> usize {
        self.lock().child.kill();
        0
    }

    fn enforcement(&self) -> Enforcement {
        self.enforcement.clone()
    }

    fn output_limit(&self) -> Option<u64> {
        self.output_limit
    }

    fn refusals(&self) -> Vec<String> {
        let mut state = self.lock();
        // An error is the end, which whoever waits is told.
        let _ = state.child.try_wait();
        let State { child, told } = &mut *state;
        let new: Vec<String> = child.refused().iter().skip(*told).map(ToString::to_string).collect();
        *told += new.len();
        new
    }

    fn notes(&self) -> Vec<String> {
        let Ok(Some(exit)) = self.ended() else { return Vec::new() };
        let mut notes = Vec::new();
        if let Some(limit) = exit.limit {
            notes.push(format!("ended by a limit: {limit}"));
        }
        if exit.refused_count > 0 {
            let shown: Vec<String> = exit.refused.iter().take(3).map(ToString::to_string).collect();
            let count = match exit.refused_count {
                1 => "a socket".to_owned(),
                n => format!("{n} sockets"),
            };
            notes.push(format!("the boundary refused {count}: {}", shown.join(", ")));
        }
        notes.extend(exit.touched.iter().map(|path| format!("protected name changed: {}", path.display())));
        notes
    }
}
