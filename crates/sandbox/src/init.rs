//! The first process inside: builds the boundary, starts the program, and outlives everything else.
//!
//! It is the program's parent and the parent of all orphans. When the program ends, or the caller
//! is gone, or a limit is broken, it kills all that is left, tells the caller, and ends; the kernel
//! takes the namespaces down after that, out of anybody's way.
//!
//! Runs in the child: calls only, see [`crate::sys`].

#![allow(clippy::unnecessary_cast, reason = "request numbers have another type in another C library")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

use crate::ablation::Layer;
use crate::boundary::{self, At as _, Failure};
use crate::channel::{self, Ended, Facts, Words};
use crate::confine;
use crate::doctor;
use crate::enforcement::Stage;
use crate::notify;
use crate::orphans;
use crate::plan::{Namespaces, Plan};
use crate::sys::{self, Errno, Res};
use crate::watch::Watcher;

/// What the child needs besides the plan. All memory it writes to is in here, made by the parent.
#[derive(Debug)]
pub(crate) struct Post {
    /// Our end of the line to the caller.
    pub(crate) line: RawFd,
    /// Standard input, output and error, if they are files.
    pub(crate) io: Option<[RawFd; 3]>,
    /// Readable once the parent has mapped the user; it ends if the parent does.
    pub(crate) go: Option<RawFd>,
    /// Room for the copies of mounts.
    pub(crate) taken: Vec<RawFd>,
    /// Stack of the program's process until its exec.
    pub(crate) stack: Vec<u8>,
}

/// Size of the stack the program's process has until its exec.
pub(crate) const STACK: usize = 64 << 10;

/// How long killed processes may take to go before the caller is told anyway, in milliseconds.
const PATIENCE: u64 = 2000;

/// Runs as the first process; never returns.
pub(crate) fn run(plan: &Plan, post: &mut Post) -> ! {
    let started = start(plan, post);
    // Only now is it where it stays.
    let line = post.line;
    match started {
        Ok(Started { program, listener, mut watcher }) => {
            let mut ended = attend(program, line, listener, &mut watcher, plan.namespaces.is_some());
            (ended.user_micros, ended.system_micros, ended.largest) = sys::children_usage();
            channel::tell(line, &Words::exited(&ended), &[], None).ok();
            sys::exit(0)
        }
        Err(Failure { stage, errno, path }) => {
            channel::tell(line, &Words::failed(stage, errno), path.to_bytes(), None).ok();
            sys::exit(1)
        }
    }
}

struct Started {
    program: i32,
    listener: Option<RawFd>,
    watcher: Watcher,
}

fn start<'a>(plan: &'a Plan, post: &mut Post) -> Result<Started, Failure<'a>> {
    let mut facts = Facts::default();
    // What is left of the caller's signals, and of its mask of modes, must not disturb the setting up.
    sys::default_signals();
    let umask = sys::umask(0);
    gather(post).at(Stage::Program, c"")?;
    match &plan.namespaces {
        Some(namespaces) => enter(namespaces, post, &mut facts, plan.removed.lacks(Layer::ClosedInit))?,
        None => {
            // Orphans come to us and not to the machine's first process.
            sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1).at(Stage::Limits, c"")?;
            sys::prctl(libc::PR_SET_DUMPABLE, 0).at(Stage::Privileges, c"")?;
        }
    }
    sys::set_session().or_else(already).at(Stage::Program, c"")?;
    let terminal = match plan.terminal {
        Some((rows, columns)) => Some(own_terminal(rows, columns).at(Stage::Terminal, c"/dev/ptmx")?),
        None => None,
    };
    let io = match (post.io, &terminal) {
        (Some(io), _) => io,
        (None, Some((_, side))) => [*side; 3],
        (None, None) => return Err(Failure { stage: Stage::Program, errno: Errno(libc::EBADF), path: c"" }),
    };
    let list = match &plan.namespaces {
        Some(_) if facts.has(Facts::FRESH_PROC) => {
            sys::open_at(libc::AT_FDCWD, c"/proc", libc::O_RDONLY | libc::O_DIRECTORY, 0).ok()
        }
        _ => None,
    };
    // Inside namespaces all that stays alive inside is confined, pid 1 too. Without them pid 1 must
    // stay outside the rules, which keep the program from signalling it.
    let contained = plan.namespaces.is_some();
    let listener = if contained { confine::confine(plan, &mut facts)? } else { None };
    let mut birth = Birth {
        plan,
        io,
        terminal: terminal.is_some(),
        umask,
        contained,
        facts,
        failure: None,
        attacker: None,
    };
    let program = give_birth(&mut birth, post.stack.spare_capacity_mut()).at(Stage::Program, c"")?;
    if let Some(failure) = birth.failure {
        return Err(failure);
    }
    let facts = birth.facts;
    if let Some((ours, _)) = terminal {
        channel::tell(post.line, &Words::started(facts), &[], Some(ours)).at(Stage::Terminal, c"")?;
    } else {
        channel::tell(post.line, &Words::started(facts), &[], None).at(Stage::Program, c"")?;
    }
    let watcher = Watcher::new(plan.watch, list);
    keep_only(&[Some(post.line), listener, list]);
    Ok(Started { program, listener, watcher })
}

fn already(errno: Errno) -> Res<()> {
    // The leader of a group can't start a session; it has one of its own then.
    if errno == Errno(libc::EPERM) { Ok(()) } else { Err(errno) }
}

/// Moves the descriptors that matter together and closes all others.
///
/// They are moved above the standard three first, then down to their places, so that none is
/// overwritten before it has been moved.
fn gather(post: &mut Post) -> Res<()> {
    const ABOVE: RawFd = 64;
    let line = sys::dup_above(post.line, ABOVE)?;
    let go = match post.go {
        Some(go) => Some(sys::dup_above(go, ABOVE)?),
        None => None,
    };
    let io = match post.io {
        Some([input, output, error]) => Some([
            sys::dup_above(input, ABOVE)?,
            sys::dup_above(output, ABOVE)?,
            sys::dup_above(error, ABOVE)?,
        ]),
        None => None,
    };
    let [input, output, error] = io.map_or([None; 3], |io| io.map(Some));
    keep_only(&[Some(line), go, input, output, error]);
    post.line = line;
    post.go = go;
    post.io = io;
    Ok(())
}

/// Closes all descriptors but a few.
fn keep_only(keep: &[Option<RawFd>]) {
    let mut from = 0u32;
    loop {
        let next = keep.iter().flatten().map(|&fd| fd as u32).filter(|&fd| fd >= from).min();
        match next {
            Some(next) => {
                if next > from {
                    sys::close_range(from, next - 1, 0).ok();
                }
                from = next + 1;
            }
            None => {
                sys::close_range(from, u32::MAX, 0).ok();
                return;
            }
        }
    }
}

/// Maps the user, builds the view, and becomes invisible to what will run inside.
fn enter<'a>(
    plan: &'a Namespaces,
    post: &mut Post,
    facts: &mut Facts,
    open: bool,
) -> Result<(), Failure<'a>> {
    facts.bits |= Facts::NAMESPACES;
    if !plan.identity.by_parent {
        // The files of a process that can't be dumped belong to the superuser.
        sys::prctl(libc::PR_SET_DUMPABLE, 1).at(Stage::Identity, c"")?;
        write_maps(plan).at(Stage::Identity, c"/proc/self/uid_map")?;
    }
    if plan.loopback {
        loopback().at(Stage::Network, c"")?;
        facts.bits |= Facts::NETWORK_NAMESPACE;
    }
    let go = post.go.take();
    let ready = || match go {
        Some(go) => {
            let mut byte = [0u8; 1];
            let read = sys::read(go, &mut byte);
            sys::close(go);
            match read? {
                1 => Ok(()),
                _ => Err(Errno(libc::EPERM)),
            }
        }
        None => Ok(()),
    };
    boundary::build(plan, &mut post.taken, ready, facts)?;
    // What runs inside has the same user, and must not look into or take over this process.
    sys::prctl(libc::PR_SET_DUMPABLE, u64::from(open)).at(Stage::Privileges, c"")
}

fn write_maps(plan: &Namespaces) -> Res<()> {
    let here = libc::AT_FDCWD;
    sys::write_file(here, c"/proc/self/setgroups", b"deny")?;
    sys::write_file(here, c"/proc/self/uid_map", &plan.identity.users)?;
    sys::write_file(here, c"/proc/self/gid_map", &plan.identity.groups)
}

/// Brings up the loopback of a fresh network.
fn loopback() -> Res<()> {
    // SAFETY: takes numbers only.
    let socket =
        unsafe { libc::syscall(libc::SYS_socket, libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(sys::errno());
    }
    // The request: sixteen bytes of name, then the flags.
    let mut request = [0u8; 40];
    if let Some(name) = request.get_mut(..2) {
        name.copy_from_slice(b"lo");
    }
    let up = (libc::IFF_UP as u16).to_ne_bytes();
    if let Some(flags) = request.get_mut(16..18) {
        flags.copy_from_slice(&up);
    }
    let result = sys::ioctl_with(socket as RawFd, libc::SIOCSIFFLAGS as u64, &mut request);
    sys::close(socket as RawFd);
    result.map(drop)
}

/// A new terminal: our side and the program's.
fn own_terminal(rows: u16, columns: u16) -> Res<(RawFd, RawFd)> {
    let ours = sys::open_at(libc::AT_FDCWD, c"/dev/ptmx", libc::O_RDWR | libc::O_NOCTTY, 0)?;
    let mut unlocked: c_int = 0;
    sys::ioctl_with(ours, libc::TIOCSPTLCK as u64, &mut unlocked)?;
    let flags = (libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC) as u64;
    let side = sys::ioctl(ours, libc::TIOCGPTPEER as u64, flags)? as RawFd;
    let mut size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    sys::ioctl_with(side, libc::TIOCSWINSZ as u64, &mut size)?;
    Ok((ours, side))
}

/// What the program's process works with until its exec; shared with pid 1, which waits.
struct Birth<'a> {
    plan: &'a Plan,
    io: [RawFd; 3],
    terminal: bool,
    umask: u32,
    contained: bool,
    facts: Facts,
    failure: Option<Failure<'a>>,
    /// The process of an attack, which runs in place of a program.
    attacker: Option<i32>,
}

/// Starts the program's process and waits until it has become the program or failed to.
fn give_birth(birth: &mut Birth<'_>, stack: &mut [MaybeUninit<u8>]) -> Res<i32> {
    let flags = libc::SIGCHLD | libc::CLONE_VM | libc::CLONE_VFORK;
    let top = stack.as_mut_ptr_range().end;
    // The stack grows down from an aligned end.
    let top = top.map_addr(|address| address & !15);
    let argument: *mut Birth<'_> = birth;
    // SAFETY: the stack is ours, is used by nothing else, and is large enough for `become_program`,
    // which calls no deeper than a few system calls. This thread is stopped until the child has
    // exec'ed or exited, so memory shared with it is never used by both at once.
    let pid = unsafe { libc::clone(become_program, top.cast(), flags, argument.cast()) };
    if pid < 0 { Err(sys::errno()) } else { Ok(birth.attacker.unwrap_or(pid)) }
}

/// The program's process; ends in an exec.
extern "C" fn become_program(argument: *mut c_void) -> c_int {
    // SAFETY: `give_birth` passes its exclusive borrow and doesn't touch it until this is over.
    let birth = unsafe { &mut *argument.cast::<Birth<'_>>() };
    let failure = match prepare(birth) {
        Ok(()) => match birth.plan.program.attack {
            Some(attack) => match attacker(attack).at(Stage::Program, c"") {
                Ok(pid) => {
                    birth.attacker = Some(pid);
                    sys::exit(0)
                }
                Err(failure) => failure,
            },
            None => execute(birth),
        },
        Err(failure) => failure,
    };
    birth.failure = Some(failure);
    sys::exit(127)
}

/// Starts an attack of our own. It doesn't exec, so it is a process with memory of its own, born as
/// pid 1's child from the one that has been confined.
fn attacker(attack: usize) -> Res<i32> {
    let flags = libc::CLONE_PARENT | libc::SIGCHLD;
    // SAFETY: without a stack this is a fork: the child goes on in a copy of this memory, and ends below.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        0 => sys::exit(doctor::run(attack)),
        pid if pid > 0 => Ok(pid as i32),
        _ => Err(sys::errno()),
    }
}

fn prepare<'a>(birth: &mut Birth<'a>) -> Result<(), Failure<'a>> {
    sys::set_session().or_else(already).at(Stage::Program, c"")?;
    for (from, to) in birth.io.into_iter().zip(0..) {
        sys::dup_to(from, to).at(Stage::Program, c"")?;
    }
    if birth.terminal {
        sys::ioctl(0, libc::TIOCSCTTY as u64, 0).at(Stage::Terminal, c"")?;
    }
    for &(resource, value) in &birth.plan.limits {
        sys::limit(resource, value).at(Stage::Limits, c"")?;
    }
    sys::chdir(&birth.plan.program.cwd).at(Stage::Directory, &birth.plan.program.cwd)?;
    sys::umask(birth.umask);
    if birth.plan.removed.lacks(Layer::Descriptors) {
        sys::dup_to(0, 100).at(Stage::Program, c"")?;
    } else {
        sys::close_range(3, u32::MAX, 0).at(Stage::Program, c"")?;
    }
    if !birth.contained {
        confine::confine(birth.plan, &mut birth.facts)?;
    }
    sys::signal_mask(0).map(drop).at(Stage::Program, c"")
}

fn execute<'a>(birth: &Birth<'a>) -> Failure<'a> {
    let program = &birth.plan.program;
    let mut worst = Errno(libc::ENOENT);
    let mut path: &CStr = program.candidates.first().map_or(c"", |path| path);
    for candidate in &program.candidates {
        // SAFETY: path, arguments and variables end in NUL, the arrays in a null pointer, and all of
        // it outlives the call.
        unsafe {
            libc::syscall(libc::SYS_execve, candidate.as_ptr(), program.argv.as_ptr(), program.env.as_ptr())
        };
        match sys::errno() {
            Errno(libc::ENOENT | libc::ENOTDIR) => {}
            // Perhaps a later directory has one that may be run.
            Errno(libc::EACCES) => (worst, path) = (Errno(libc::EACCES), candidate),
            errno => return Failure { stage: Stage::Program, errno, path: candidate },
        }
    }
    Failure { stage: Stage::Program, errno: worst, path }
}

/// Waits for the end of the program, and ends all it left.
fn attend(
    program: i32,
    line: RawFd,
    listener: Option<RawFd>,
    watcher: &mut Watcher,
    contained: bool,
) -> Ended {
    let mut ended = Ended::default();
    const CHILD: u64 = 1 << (libc::SIGCHLD - 1);
    // All signals have been blocked since before the clone, so none was lost.
    let Ok(signals) = sys::signal_fd(CHILD) else {
        sys::exit(1);
    };
    let watch = |fd: Option<RawFd>| libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
    let mut fds = [watch(Some(line)), watch(Some(signals)), watch(listener)];
    loop {
        match sys::poll(&mut fds, watcher.sleep()) {
            Ok(_) | Err(Errno(libc::EINTR)) => {}
            Err(_) => sys::exit(1),
        }
        let [caller, children, refused] = fds;
        if caller.revents != 0 {
            match sys::read(line, &mut [0u8; 8]) {
                Ok(1..) => ask_to_end(program, contained),
                Err(Errno(libc::EINTR | libc::EAGAIN)) => {}
                // The caller is gone. Ending ends everything inside.
                _ => {
                    if !contained {
                        orphans::end_all(PATIENCE);
                    }
                    sys::exit(1);
                }
            }
        }
        if refused.revents & libc::POLLIN != 0
            && let Some(listener) = listener
        {
            notify::answer(listener, line, &mut ended.refused).ok();
        }
        if children.revents != 0 {
            let mut drained = [0u8; 128 * 8];
            while sys::read(signals, &mut drained).is_ok() {}
            if let Some(status) = collect(program) {
                ended.status = status;
                break;
            }
        }
        if let Some(tripped) = watcher.check() {
            ended.limit = tripped as u32;
            ended.status = libc::SIGKILL;
            break;
        }
    }
    if contained {
        // Whoever is left is our child or has an ancestor that is. With none left there is nothing to
        // look for, which means all processes of the machine.
        if collect_rest() {
            // Everything but ourselves; a fork in the middle of it is either seen or undone.
            sys::kill(-1, libc::SIGKILL).ok();
        }
        let until = sys::now_millis() + PATIENCE;
        let mut fds = [watch(Some(signals))];
        while collect_rest() && sys::now_millis() < until {
            sys::poll(&mut fds, 10).ok();
            let mut drained = [0u8; 128 * 8];
            while sys::read(signals, &mut drained).is_ok() {}
        }
    } else {
        orphans::end_all(PATIENCE);
    }
    ended
}

/// Asks everything inside to end, what is stopped too.
fn ask_to_end(program: i32, contained: bool) {
    if contained {
        sys::kill(-1, libc::SIGTERM).ok();
        sys::kill(-1, libc::SIGCONT).ok();
    } else {
        orphans::ask_all(program);
    }
}

/// Collects the ended; gives the program's status once it is among them.
fn collect(program: i32) -> Option<i32> {
    while let Ok(Some(reaped)) = sys::reap(libc::WNOHANG) {
        if reaped.pid == program {
            return Some(reaped.status);
        }
    }
    None
}

/// Collects the ended; says whether some are left.
fn collect_rest() -> bool {
    loop {
        match sys::reap(libc::WNOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}
