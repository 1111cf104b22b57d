//! A small process that makes first processes for a large one.
//!
//! To clone a process the kernel copies its page tables: milliseconds for a program that holds some
//! hundred megabytes. So a program that runs for long makes this helper while it is still small, and
//! asks it from then on. What runs is the same either way.
//!
//! The helper holds nothing but a socket. It ends when its maker does, and the commands it started
//! end with the maker by their own lines, so its own end doesn't matter to them.

use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{self, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::channel;
use crate::command::{Command, Io};
use crate::enforcement::{Level, Stage};
use crate::error::Error;
use crate::launch;
use crate::machine::Machine;
use crate::mountinfo::MountWatch;
use crate::plan::{self, Watched};
use crate::policy::Policy;
use crate::sys::{self, Errno, Res};
use crate::wire::Wire;

/// Set for a helper that is the same program run again.
const VARIABLE: &str = "TOOLGATE_SPAWNER";
/// Longest body of a message; a longer one travels in a file.
const INLINE: usize = 32 << 10;
/// Policies the helper remembers.
const MOST_POLICIES: usize = 32;

struct Client {
    socket: OwnedFd,
    /// The process the socket belongs to: after a fork of our own it would be shared.
    owner: u32,
    /// Policies the helper has been told.
    told: Vec<u64>,
    room: Room,
}

static CLIENT: Mutex<Option<Client>> = Mutex::new(None);

/// Makes the helper that starts commands, for programs that run for long.
///
/// Call it first thing in `main`, before there are threads and before much memory is in use: then
/// it is a plain fork, a quarter of a millisecond. Called late, when there are threads, the program
/// is run again instead, with the same arguments and environment, which costs a start of the program,
/// and what stands before this call in `main` runs a second time, in the helper. Either way it returns
/// once, in the caller.
///
/// Without it everything works the same; commands are started from this process then, which is the
/// better way for a program that starts one command and ends.
pub fn init() {
    if std::env::var_os(VARIABLE).is_some() {
        // SAFETY: the maker gave the socket as standard input; nobody else uses it.
        serve(unsafe { OwnedFd::from_raw_fd(0) });
    }
    let mut client = CLIENT.lock().unwrap_or_else(PoisonError::into_inner);
    if client.as_ref().is_some_and(|client| client.owner == process::id()) {
        return;
    }
    *client = start().ok().map(|socket| Client {
        socket,
        owner: process::id(),
        told: Vec::new(),
        room: Room::new(),
    });
}

fn start() -> Res<OwnedFd> {
    let (ours, theirs) = channel::line()?;
    let threads = fs::read_dir("/proc/self/task").map_or(2, Iterator::count);
    if threads != 1 {
        return run_again(theirs).map(|()| ours);
    }
    // SAFETY: there is one thread, so nothing is held by another, and the child never returns.
    match unsafe { libc::fork() } {
        -1 => Err(sys::errno()),
        0 => {
            drop(ours);
            serve(theirs)
        }
        _ => Ok(ours),
    }
}

fn run_again(theirs: OwnedFd) -> Res<()> {
    let mut again = process::Command::new("/proc/self/exe");
    // With the same words and environment, so that `main` takes the same way to its call of us.
    again.arg0("toolgate-spawner").args(std::env::args_os().skip(1)).env(VARIABLE, "1");
    again.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    // Collected by nobody: it lives as long as we do.
    again.spawn().map(drop).map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EIO)))
}

/// What a request asks for, besides the policy.
pub(crate) struct Request<'a> {
    pub(crate) id: u64,
    pub(crate) policy: &'a Policy,
    pub(crate) command: &'a Command,
    pub(crate) machine: &'a Machine,
    pub(crate) level: Level,
    pub(crate) attack: Option<usize>,
}

/// What the helper answers.
pub(crate) enum Answer {
    Launched {
        pidfd: OwnedFd,
        watched: Vec<Watched>,
        missing: Vec<crate::enforcement::Missing>,
        contained: bool,
    },
    Refused {
        stage: Stage,
        errno: Errno,
    },
    Invalid(Error),
    /// There is no helper, or no longer.
    NoHelper,
}

/// Asks the helper to launch a command whose line ends in `line`.
pub(crate) fn ask(request: &Request<'_>, line: BorrowedFd<'_>, group: Option<BorrowedFd<'_>>) -> Answer {
    let mut guard = CLIENT.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(client) = guard.as_mut().filter(|client| client.owner == process::id()) else {
        return Answer::NoHelper;
    };
    match exchange(client, request, line, group) {
        Some(answer) => answer,
        None => {
            *guard = None;
            Answer::NoHelper
        }
    }
}

fn exchange(
    client: &mut Client,
    request: &Request<'_>,
    line: BorrowedFd<'_>,
    group: Option<BorrowedFd<'_>>,
) -> Option<Answer> {
    let mut told = client.told.contains(&request.id);
    loop {
        let mut body = Vec::with_capacity(4096);
        request.id.put(&mut body);
        (!told).put(&mut body);
        if !told {
            request.policy.put(&mut body);
        }
        request.machine.put(&mut body);
        request.level.put(&mut body);
        request.attack.map(|attack| attack as u64).put(&mut body);
        put_command(request.policy, request.command, &mut body);
        group.is_some().put(&mut body);
        let mut fds = vec![line];
        fds.extend(group);
        if let Io::Files { stdin, stdout, stderr } = &request.command.io {
            fds.extend([stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]);
        }
        send(client.socket.as_fd(), &body, &fds).ok()?;
        if !told {
            client.told.push(request.id);
        }
        let (mut from, fds) = client.room.receive(client.socket.as_fd()).ok()??;
        return Some(match u8::take(&mut from)? {
            0 => {
                let contained = bool::take(&mut from)?;
                let watched = Wire::take(&mut from)?;
                let mut missing = Vec::new();
                for _ in 0..u8::take(&mut from)? {
                    missing.push(take_missing(&mut from)?);
                }
                Answer::Launched { pidfd: fds.into_iter().next()?, watched, missing, contained }
            }
            1 => Answer::Refused { stage: Wire::take(&mut from)?, errno: Wire::take(&mut from)? },
            2 => Answer::Invalid(Wire::take(&mut from)?),
            3 if told => {
                // It has forgotten the policy meanwhile.
                client.told.retain(|&id| id != request.id);
                told = false;
                continue;
            }
            _ => return None,
        });
    }
}

/// What is missing by plan is plain facts but for these two.
fn put_missing(missing: &crate::enforcement::Missing, out: &mut Vec<u8>) {
    use crate::enforcement::Missing;
    match missing {
        Missing::HiddenPath(path) => {
            out.push(0);
            path.put(out);
        }
        Missing::NetworkNamespace { errno } => {
            out.push(1);
            errno.put(out);
        }
        plain => {
            out.push(2);
            plain.code().to_owned().put(out);
        }
    }
}

fn take_missing(from: &mut &[u8]) -> Option<crate::enforcement::Missing> {
    use crate::enforcement::Missing;
    Some(match u8::take(from)? {
        0 => Missing::HiddenPath(Wire::take(from)?),
        1 => Missing::NetworkNamespace { errno: Wire::take(from)? },
        _ => {
            let code = String::take(from)?;
            Missing::plain().into_iter().find(|missing| missing.code() == code)?
        }
    })
}

fn put_command(policy: &Policy, command: &Command, out: &mut Vec<u8>) {
    command.argv.put(out);
    // What the policy keeps from the program needn't be known to the helper either.
    let passed = command.env.iter().filter(|(name, _)| name.to_str().is_some_and(|name| policy.passes(name)));
    passed.cloned().collect::<Vec<_>>().put(out);
    command.granted.put(out);
    command.cwd.put(out);
    match command.io {
        Io::Files { .. } => None,
        Io::Terminal { rows, columns } => Some((rows, columns)),
    }
    .put(out);
}

/// What came with a request: the command, the line, and the control group if any.
type Asked = (Command, OwnedFd, Option<OwnedFd>);

fn take_command(from: &mut &[u8], fds: Vec<OwnedFd>) -> Option<Asked> {
    let argv = Vec::<OsString>::take(from)?;
    let env = Wire::take(from)?;
    let granted = Wire::take(from)?;
    let cwd = PathBuf::take(from)?;
    let terminal: Option<(u16, u16)> = Wire::take(from)?;
    let mut fds = fds.into_iter();
    let line = fds.next()?;
    let group = if bool::take(from)? { Some(fds.next()?) } else { None };
    let io = match terminal {
        Some((rows, columns)) => Io::Terminal { rows, columns },
        None => Io::Files { stdin: fds.next()?, stdout: fds.next()?, stderr: fds.next()? },
    };
    Some((Command { argv, env, granted, cwd, io }, line, group))
}

/// The helper: answers requests until its maker is gone; never returns.
fn serve(socket: OwnedFd) -> ! {
    prepare(&socket).ok();
    let mut policies: Vec<(u64, Policy)> = Vec::new();
    let mut mounts = MountWatch::default();
    let mut room = Room::new();
    while let Ok(Some((mut from, fds))) = room.receive(socket.as_fd()) {
        let Some((answer, pidfd)) = handle(&mut from, fds, &mut policies, &mut mounts) else {
            break;
        };
        let fds: Vec<BorrowedFd<'_>> = pidfd.iter().map(OwnedFd::as_fd).collect();
        if send(socket.as_fd(), &answer, &fds).is_err() {
            break;
        }
    }
    sys::exit(0)
}

/// Keeps nothing of the maker's but the socket, and looks after its children without being asked.
fn prepare(socket: &OwnedFd) -> Res<()> {
    sys::prctl(libc::PR_SET_DUMPABLE, 0)?;
    sys::set_session().ok();
    sys::chdir(c"/")?;
    let number = socket.as_raw_fd() as u32;
    if number > 0 {
        sys::close_range(0, number - 1, 0)?;
    }
    sys::close_range(number + 1, u32::MAX, 0)?;
    // SAFETY: no handler is set; ignored, ended children are collected by the kernel.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    // SAFETY: the name ends in NUL and is copied.
    unsafe { libc::prctl(libc::PR_SET_NAME, c"toolgate-spawn".as_ptr()) };
    Ok(())
}

fn handle(
    from: &mut &[u8],
    fds: Vec<OwnedFd>,
    policies: &mut Vec<(u64, Policy)>,
    mounts: &mut MountWatch,
) -> Option<(Vec<u8>, Option<OwnedFd>)> {
    let id = u64::take(from)?;
    if bool::take(from)? {
        if policies.len() >= MOST_POLICIES {
            policies.remove(0);
        }
        policies.push((id, Policy::take(from)?));
    }
    let machine = Machine::take(from)?;
    let level = Level::take(from)?;
    let attack: Option<u64> = Wire::take(from)?;
    let (command, line, group) = take_command(from, fds)?;
    let mut answer = Vec::with_capacity(4096);
    let Some((_, policy)) = policies.iter().find(|(known, _)| *known == id) else {
        answer.push(3);
        return Some((answer, None));
    };
    let mut plan = match plan::plan(policy, &command, &machine, level, mounts) {
        Ok(plan) => plan,
        Err(error) => {
            answer.push(2);
            error.put(&mut answer);
            return Some((answer, None));
        }
    };
    plan.program.attack = attack.and_then(|attack| usize::try_from(attack).ok());
    let io = match &command.io {
        Io::Files { stdin, stdout, stderr } => Some([stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]),
        Io::Terminal { .. } => None,
    };
    match launch::launch(&plan, line.as_fd(), io, group.as_ref().map(OwnedFd::as_fd), libc::SIGCHLD) {
        Ok(launched) => {
            answer.push(0);
            plan.namespaces.is_some().put(&mut answer);
            plan.watched.put(&mut answer);
            let count = u8::try_from(plan.missing.len()).ok()?;
            answer.push(count);
            for missing in &plan.missing {
                put_missing(missing, &mut answer);
            }
            Some((answer, Some(launched.pidfd)))
        }
        Err((stage, errno)) => {
            answer.push(1);
            stage.put(&mut answer);
            errno.put(&mut answer);
            Some((answer, None))
        }
    }
}

/// Sends a message: a byte that says where the body is, the body or nothing, and descriptors.
fn send(socket: BorrowedFd<'_>, body: &[u8], fds: &[BorrowedFd<'_>]) -> Res<()> {
    let failed = |error: std::io::Error| Errno(error.raw_os_error().unwrap_or(libc::EIO));
    let mut numbers: Vec<i32> = Vec::with_capacity(channel::MOST_FDS);
    if body.len() <= INLINE {
        let mut message = Vec::with_capacity(body.len() + 1);
        message.push(0);
        message.extend(body);
        numbers.extend(fds.iter().map(|fd| fd.as_raw_fd()));
        return channel::send_all(socket.as_raw_fd(), &message, &numbers);
    }
    // SAFETY: the name ends in NUL; the descriptor is new and ours.
    let file = unsafe {
        let fd = libc::memfd_create(c"toolgate-request".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(sys::errno());
        }
        OwnedFd::from_raw_fd(fd)
    };
    let mut file = fs::File::from(file);
    file.write_all(body).and_then(|()| file.rewind()).map_err(failed)?;
    numbers.push(file.as_raw_fd());
    numbers.extend(fds.iter().map(|fd| fd.as_raw_fd()));
    channel::send_all(socket.as_raw_fd(), &[1], &numbers)
}

/// Room for messages, kept from one to the next: fresh memory costs more than the message.
struct Room(Vec<u8>);

impl Room {
    fn new() -> Self {
        Self(vec![0; INLINE + 1])
    }

    /// Receives a message; `None` if the other side is gone.
    fn receive(&mut self, socket: BorrowedFd<'_>) -> Res<Option<(&[u8], Vec<OwnedFd>)>> {
        self.0.resize(INLINE + 1, 0);
        let (length, mut fds) = channel::receive(socket.as_raw_fd(), &mut self.0, true)?;
        match self.0.get(..length).and_then(<[u8]>::split_first) {
            None => Ok(None),
            Some((0, _)) => Ok(Some((self.0.get(1..length).unwrap_or_default(), fds))),
            Some((1, _)) if !fds.is_empty() => {
                self.0.clear();
                fs::File::from(fds.remove(0))
                    .read_to_end(&mut self.0)
                    .map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EIO)))?;
                Ok(Some((&self.0, fds)))
            }
            Some(_) => Err(Errno(libc::EPROTO)),
        }
    }
}
