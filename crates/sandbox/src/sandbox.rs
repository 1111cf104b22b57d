//! The boundary as a caller has it: a policy, and what is known of the machine.

use std::ffi::OsString;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::ablation::Removed;
use crate::cgroup::{self, Cgroup};
use crate::channel::{self, Facts, Heard, Note};
use crate::child::{self, Beginning, Child};
use crate::command::{Command, Io};
use crate::enforcement::{Enforcement, Level, Missing, Stage};
use crate::error::Error;
use crate::landlock::SCOPES_SINCE;
use crate::launch::{self, Launched};
use crate::machine::Machine;
use crate::mountinfo::MountWatch;
use crate::plan::{self, Plan};
use crate::policy::{Network, Policy, Strictness};
use crate::spawner::{self, Answer, Request};
use crate::sys::Errno;

/// Runs commands inside a boundary.
///
/// The first command is also the probe of the machine: what is refused there is remembered, and
/// later commands go straight to the level that works, if the policy accepts it.
#[derive(Debug)]
pub struct Sandbox {
    policy: Policy,
    machine: Mutex<Machine>,
    mounts: Mutex<MountWatch>,
    /// Stands for the policy in requests to the helper.
    id: u64,
    by: By,
    removed: Removed,
    /// A control group to make groups in.
    cgroup: Option<PathBuf>,
}

/// Who makes the first process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// The helper, if there is one.
    Helper,
    /// This process, in any case.
    Itself,
}

impl Sandbox {
    /// A boundary with this policy on this machine.
    ///
    /// # Errors
    ///
    /// If the policy asks for what no machine can enforce, or less is enforceable here than it
    /// accepts as far as that is known without trying.
    pub fn new(policy: Policy) -> Result<Self, Error> {
        Self::on(policy, Machine::look())
    }

    /// A boundary with this policy on a machine as it is described.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::new`].
    pub fn on(policy: Policy, machine: Machine) -> Result<Self, Error> {
        if matches!(policy.network, Network::Only(_)) {
            return Err(Error::NetworkScope);
        }
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let sandbox = Self {
            policy,
            machine: Mutex::new(machine),
            mounts: Mutex::default(),
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            by: By::Helper,
            removed: Removed::default(),
            cgroup: None,
        };
        sandbox.reachable()?;
        Ok(sandbox)
    }

    /// Starts commands from this process even if there is a helper, see [`crate::init`].
    #[must_use]
    pub fn without_spawner(mut self) -> Self {
        self.by = By::Itself;
        self
    }

    /// Puts each command into a group of its own below this version 2 control group.
    ///
    /// It has to be delegated to this process, with the memory and pids controllers if those limits
    /// are set. Without this call such a group is looked for where a memory limit is set.
    #[must_use]
    pub fn in_cgroup(mut self, parent: impl Into<PathBuf>) -> Self {
        self.cgroup = Some(parent.into());
        self
    }

    fn new_cgroup(&self) -> Option<Cgroup> {
        let limits = &self.policy.limits;
        match &self.cgroup {
            Some(parent) => Cgroup::below(parent, limits),
            None if limits.memory.is_some() => Cgroup::below(cgroup::delegated()?, limits),
            None => None,
        }
    }

    /// Takes a layer away, to see what gets through without it.
    #[cfg(feature = "danger-ablation")]
    #[must_use]
    pub fn danger_without(mut self, layer: crate::ablation::Layer) -> Self {
        self.removed = self.removed.and(layer);
        self.without_spawner()
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What is known of the machine by now.
    #[must_use]
    pub fn machine(&self) -> Machine {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts a command. Its program runs, behind the whole boundary, when this returns.
    ///
    /// This takes about as long as a fork and two dozen mounts, a millisecond or two.
    ///
    /// # Errors
    ///
    /// If the policy isn't enforceable here, or the command can't be started. Nothing has run then.
    pub fn spawn(&self, command: Command) -> Result<Child, Error> {
        child::collect_left();
        self.attempts(&command, None)
    }

    pub(crate) fn spawn_attack(&self, command: &Command, attack: usize) -> Result<Child, Error> {
        self.attempts(command, Some(attack))
    }

    fn attempts(&self, command: &Command, attack: Option<usize>) -> Result<Child, Error> {
        loop {
            let level = self.reachable()?;
            match self.attempt(command, attack, level)? {
                Attempt::Running(child) => return Ok(*child),
                Attempt::Refused { stage, errno, path } => {
                    let mut known = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
                    if !learn(&mut known, stage, errno, level) {
                        return Err(self.explain(command, stage, errno, path));
                    }
                }
            }
        }
    }

    /// The best level this machine reaches, if the policy accepts it.
    fn reachable(&self) -> Result<Level, Error> {
        let machine = self.machine();
        let (reached, missing) = best(&machine, &self.policy);
        if reached < self.policy.least {
            return Err(Error::NotEnforceable { asked: self.policy.least, reached, missing });
        }
        Ok(reached)
    }

    fn attempt(&self, command: &Command, attack: Option<usize>, level: Level) -> Result<Attempt, Error> {
        let machine = self.machine();
        let (ours, theirs) = channel::line().map_err(Error::system("making a line to the command"))?;
        let enforcement = Enforcement { level: Level::None, missing: Vec::new(), landlock_abi: 0 };
        let mut group = self.new_cgroup();
        let request =
            Request { id: self.id, policy: &self.policy, command, machine: &machine, level, attack };
        let ask = |group: &Option<Cgroup>| match self.by {
            By::Helper => spawner::ask(&request, theirs.as_fd(), group.as_ref().map(Cgroup::as_fd)),
            By::Itself => Answer::NoHelper,
        };
        let answer = match ask(&group) {
            // Perhaps only the group was refused.
            Answer::Refused { stage: Stage::Namespaces, .. } if group.take().is_some() => ask(&group),
            answer => answer,
        };
        let (mut beginning, planned_missing) = match answer {
            Answer::Launched { pidfd, watched, missing, contained } => {
                let ours = Beginning {
                    line: ours,
                    pidfd,
                    enforcement,
                    terminal: None,
                    watched,
                    ours: false,
                    contained,
                    cgroup: None,
                };
                (ours, missing)
            }
            Answer::Refused { stage, errno } => return Ok(Attempt::Refused { stage, errno, path: None }),
            Answer::Invalid(error) => return Err(error),
            Answer::NoHelper => {
                let mut mounts = self.mounts.lock().unwrap_or_else(PoisonError::into_inner);
                let mut plan = plan::plan(&self.policy, command, &machine, level, &mut mounts)?;
                drop(mounts);
                plan.program.attack = attack;
                plan.remove(self.removed);
                let io = match &command.io {
                    Io::Files { stdin, stdout, stderr } => {
                        Some([stdin.as_fd(), stdout.as_fd(), stderr.as_fd()])
                    }
                    Io::Terminal { .. } => None,
                };
                let Launched { pidfd } = match launch_in(&plan, theirs.as_fd(), io, &mut group) {
                    Ok(launched) => launched,
                    Err((stage, errno)) => return Ok(Attempt::Refused { stage, errno, path: None }),
                };
                let contained = plan.namespaces.is_some();
                let watched = plan.watched;
                let ours = Beginning {
                    line: ours,
                    pidfd,
                    enforcement,
                    terminal: None,
                    watched,
                    ours: true,
                    contained,
                    cgroup: None,
                };
                (ours, plan.missing)
            }
        };
        drop(theirs);
        let grouped = group.is_some();
        beginning.cgroup = group;
        let heard =
            channel::hear(&beginning.line, true).map_err(Error::system("waiting for the boundary"))?;
        let (facts, terminal) = match heard {
            Heard::Note(Note::Started(facts), terminal) => (facts, terminal),
            Heard::Note(Note::Failed { stage, errno, path }, _) => {
                launch::wait_and_reap(&beginning.pidfd);
                let path = (!path.is_empty()).then(|| PathBuf::from(OsString::from_vec(path)));
                return Ok(Attempt::Refused { stage, errno, path });
            }
            _ => {
                launch::wait_and_reap(&beginning.pidfd);
                return Err(Error::System { doing: "setting up the boundary", errno: Errno(libc::ECHILD) });
            }
        };
        beginning.enforcement = enforced(&self.policy, &machine, level, facts, planned_missing);
        if grouped {
            let by_group =
                |missing: &Missing| matches!(missing, Missing::MemoryLimit | Missing::ProcessLimit);
            beginning.enforcement.missing.retain(|missing| !by_group(missing));
        }
        beginning.terminal = terminal;
        let (reached, missing) = (beginning.enforcement.level, beginning.enforcement.missing.clone());
        let child = Child::new(beginning);
        if reached < self.policy.least {
            // Dropping the child kills it.
            return Err(Error::NotEnforceable { asked: self.policy.least, reached, missing });
        }
        Ok(Attempt::Running(Box::new(child)))
    }

    fn explain(&self, command: &Command, stage: Stage, errno: Errno, path: Option<PathBuf>) -> Error {
        match stage {
            Stage::Program => {
                let program = command.argv.first().map(|name| name.to_string_lossy().into_owned());
                Error::Program { program: program.unwrap_or_default(), errno }
            }
            Stage::Directory => Error::Directory { path: command.cwd.clone(), errno },
            _ => Error::Boundary { stage, path, errno },
        }
    }
}

enum Attempt {
    Running(Box<Child>),
    Refused { stage: Stage, errno: Errno, path: Option<PathBuf> },
}

/// Launches from this process, in a control group if the kernel takes it there.
fn launch_in(
    plan: &Plan,
    line: BorrowedFd<'_>,
    io: Option<[BorrowedFd<'_>; 3]>,
    group: &mut Option<Cgroup>,
) -> Result<Launched, (Stage, Errno)> {
    if let Some(within) = group {
        match launch::launch(plan, line, io, Some(within.as_fd()), 0) {
            Err((Stage::Namespaces, _)) => *group = None,
            other => return other,
        }
    }
    launch::launch(plan, line, io, None, 0)
}

/// The best level a machine reaches for a policy, and why it isn't better.
fn best(machine: &Machine, policy: &Policy) -> (Level, Vec<Missing>) {
    let mut missing = Vec::new();
    if !machine.seccomp {
        missing.push(Missing::Seccomp);
    }
    if let Some((at, errno)) = machine.namespaces_refused {
        missing.push(Missing::Namespaces { at, errno });
        if machine.landlock_abi < SCOPES_SINCE {
            missing.push(Missing::Landlock { abi: machine.landlock_abi, needed: SCOPES_SINCE });
            return (Level::None, missing);
        }
        return (if machine.seccomp { Level::Landlock } else { Level::None }, missing);
    }
    if !machine.seccomp {
        return (Level::None, missing);
    }
    let strict = policy.strictness == Strictness::Strict;
    if let Some(errno) = machine.network_refused
        && (strict || policy.network == Network::Loopback)
    {
        missing.push(Missing::NetworkNamespace { errno });
        return (Level::Landlock, missing);
    }
    if let Some(errno) = machine.fresh_proc_refused {
        missing.push(Missing::FreshProc { errno });
        return (if strict { Level::Landlock } else { Level::FullNoProc }, missing);
    }
    (Level::Full, missing)
}

/// Takes note of what a failed attempt shows about the machine; says whether another is worth it.
fn learn(machine: &mut Machine, stage: Stage, errno: Errno, level: Level) -> bool {
    if level < Level::FullNoProc {
        return false;
    }
    match stage {
        Stage::Namespaces | Stage::Identity => {
            // Out of memory or processes is no property of the machine.
            if matches!(errno.0, libc::EAGAIN | libc::ENOMEM) {
                return false;
            }
            machine.namespaces_refused.replace((stage, errno)).is_none()
        }
        // The first mounts are where a security module shows that it allows namespaces in name only.
        Stage::Mounts | Stage::Scratch | Stage::Devices
            if matches!(errno.0, libc::EPERM | libc::EACCES | libc::ENOSYS) =>
        {
            machine.namespaces_refused.replace((stage, errno)).is_none()
        }
        Stage::Network => machine.network_refused.replace(errno).is_none(),
        Stage::Proc => machine.fresh_proc_refused.replace(errno).is_none(),
        _ => false,
    }
}

/// What holds, by what the first process found to be in force.
fn enforced(
    policy: &Policy,
    machine: &Machine,
    level: Level,
    facts: Facts,
    mut missing: Vec<Missing>,
) -> Enforcement {
    let (_, mut first) = best(machine, policy);
    first.retain(|item| !missing.contains(item));
    first.append(&mut missing);
    let mut missing = first;
    let contained = facts.has(Facts::NAMESPACES);
    if contained && !facts.has(Facts::FRESH_PROC) && machine.fresh_proc_refused.is_none() {
        missing.push(Missing::FreshProc { errno: Errno(libc::EPERM) });
    }
    if contained && !facts.has(Facts::FRESH_PROC) && policy.limits.memory.is_some() {
        missing.push(Missing::MemoryLimit);
    }
    if contained && policy.limits.processes.is_some() && !facts.has(Facts::PROCESS_LIMIT) {
        missing.push(Missing::ProcessLimit);
    }
    let reached = match (contained, facts.has(Facts::FRESH_PROC), facts.has(Facts::LANDLOCK)) {
        _ if !facts.has(Facts::SECCOMP) => Level::None,
        (true, true, _) => Level::Full,
        (true, false, _) => Level::FullNoProc,
        (false, _, true) => Level::Landlock,
        (false, _, false) => Level::None,
    };
    Enforcement { level: reached.min(level), missing, landlock_abi: facts.landlock_abi }
}

/// An open file for a command that reads and writes nothing.
pub(crate) fn nothing() -> Result<OwnedFd, Error> {
    std::fs::OpenOptions::new().read(true).write(true).open("/dev/null").map(OwnedFd::from).map_err(|error| {
        Error::System { doing: "opening /dev/null", errno: Errno(error.raw_os_error().unwrap_or(libc::EIO)) }
    })
}
