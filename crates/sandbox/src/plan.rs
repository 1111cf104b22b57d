//! A policy and a command, worked out down to the calls the child will make.
//!
//! All that can be looked up, resolved, formatted or allocated happens here, in the parent. The
//! child only walks lists. Paths are resolved to what they are now; the child opens them again
//! without following links, so what changes in between is an error and not a way in.

#![allow(clippy::unnecessary_cast, reason = "limit numbers have another type in another C library")]

mod files;
mod guards;
mod program;
mod rules;

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libc::sock_filter;

use crate::ablation::{Layer, Removed};
use crate::command::{Command, Io};
use crate::enforcement::{Level, Missing};
use crate::error::Error;
use crate::landlock::Ruleset;
use crate::lookup::Lookup;
use crate::machine::{self, Machine};
use crate::mountinfo::MountWatch;
use crate::policy::{Limits, Network, Policy, Privileges, Scratch, Strictness};
use crate::seccomp::{self, Choice};
use crate::sys::{
    self,
    abi::{self, MountAttr},
};

pub(crate) use guards::{Stamp, Watched, changed};

/// What the child does, in order.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) namespaces: Option<Namespaces>,
    pub(crate) ruleset: Option<Ruleset>,
    pub(crate) filter: Option<Vec<sock_filter>>,
    /// Whether the filter tells of refused sockets.
    pub(crate) notify: bool,
    /// Capabilities that are not dropped, as bits.
    pub(crate) keep: u64,
    pub(crate) limits: Vec<(u32, u64)>,
    pub(crate) watch: Watch,
    pub(crate) terminal: Option<(u16, u16)>,
    pub(crate) program: Program,
    /// Protected names as they were before, for the caller to compare.
    pub(crate) watched: Vec<Watched>,
    /// What is known beforehand not to hold.
    pub(crate) missing: Vec<Missing>,
    /// Layers taken away by a test.
    pub(crate) removed: Removed,
}

impl Plan {
    /// Takes away what a test wants away and can be taken away beforehand.
    pub(crate) fn remove(&mut self, removed: Removed) {
        self.removed = removed;
        if removed.lacks(Layer::Landlock) {
            self.ruleset = None;
        }
        if removed.lacks(Layer::Seccomp) {
            self.filter = None;
        }
        if let Some(namespaces) = &mut self.namespaces {
            if removed.lacks(Layer::Sweep) {
                namespaces.sweep = 0;
            }
            if removed.lacks(Layer::Hides) {
                namespaces.covers.retain(|cover| !cover.what.hides());
            }
            if removed.lacks(Layer::Pins) {
                namespaces.covers.retain(|cover| cover.what.hides());
            }
            if removed.lacks(Layer::Scratch) {
                namespaces.no_scratch();
            }
            if removed.lacks(Layer::FreshProc) {
                namespaces.proc.refused = Some(libc::EPERM);
                namespaces.proc.fallback = true;
            }
            if removed.lacks(Layer::ClosedProc) {
                namespaces.proc.writable = true;
            }
        }
    }
}

/// The namespaces and the view of files inside.
#[derive(Debug)]
pub(crate) struct Namespaces {
    pub(crate) flags: u64,
    pub(crate) identity: Identity,
    pub(crate) loopback: bool,
    /// Attributes set on everything that isn't placed again.
    pub(crate) sweep: u64,
    /// Copies taken before anything is covered.
    pub(crate) taken: Vec<Taken>,
    pub(crate) scratch: Option<ScratchSpace>,
    /// Whether the view starts from nothing instead of from the host's root.
    pub(crate) new_root: bool,
    /// Made inside private directories, so that copies have a place.
    pub(crate) made: Vec<Made>,
    /// Where copies go, outer paths first.
    pub(crate) placed: Vec<Placed>,
    /// Protections and hides, in order.
    pub(crate) covers: Vec<Cover>,
    pub(crate) proc: Proc,
}

impl Namespaces {
    /// Puts the host's directories back over the private ones.
    fn no_scratch(&mut self) {
        if let Some(scratch) = &mut self.scratch {
            scratch.areas.clear();
            scratch.devices = false;
            let attr = MountAttr::private(0);
            self.placed.insert(0, Placed { taken: self.taken.len(), at: c"/dev".to_owned() });
            self.taken.push(Taken { path: c"/dev".to_owned(), attr, recursive: true });
        }
    }
}

/// How the user is mapped into its namespace.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) users: Vec<u8>,
    pub(crate) groups: Vec<u8>,
    /// Written by the parent, which has the right, instead of by the child.
    pub(crate) by_parent: bool,
}

/// A copy of a mount, taken before anything is covered.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) path: CString,
    pub(crate) attr: MountAttr,
    pub(crate) recursive: bool,
}

/// Something made inside a private directory.
#[derive(Debug)]
pub(crate) enum Made {
    Directory(CString),
    File(CString),
    Link { at: CString, target: CString },
}

/// Where a copy goes.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) taken: usize,
    pub(crate) at: CString,
}

/// One small file system that all private directories are parts of.
#[derive(Debug)]
pub(crate) struct ScratchSpace {
    pub(crate) options: Vec<(CString, CString)>,
    /// Parts of it and where they go.
    pub(crate) areas: Vec<(CString, CString)>,
    /// Whether the devices are private too.
    pub(crate) devices: bool,
    /// The user's own directory under `/run`.
    pub(crate) runtime: CString,
}

/// A protection or a hide.
#[derive(Debug)]
pub(crate) struct Cover {
    pub(crate) path: CString,
    pub(crate) what: CoverWith,
    /// Opened without following links: something inside could have put one there.
    pub(crate) exact: bool,
}

/// What a path is covered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoverWith {
    /// Itself: it can't be moved or removed then.
    Itself,
    /// Itself, where it is a link: it can't be replaced then.
    ItsLink,
    /// Itself, read-only.
    ReadOnly,
    /// A directory nobody may enter.
    ClosedDirectory,
    /// A file nobody may open.
    ClosedFile,
}

impl CoverWith {
    /// Whether it keeps something from being seen, and not from being changed.
    fn hides(self) -> bool {
        matches!(self, Self::ClosedDirectory | Self::ClosedFile)
    }
}

/// The process list.
#[derive(Debug)]
pub(crate) struct Proc {
    /// Taken as refused without trying.
    pub(crate) refused: Option<i32>,
    /// Whether the host's list will do.
    pub(crate) fallback: bool,
    /// The largest process number inside, as text.
    pub(crate) most: Option<CString>,
    /// Whether the superuser's parts of it stay writable, as the user has them outside.
    pub(crate) writable: bool,
}

/// What pid 1 watches.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Watch {
    pub(crate) wall_millis: Option<u64>,
    pub(crate) cpu_millis: Option<u64>,
    pub(crate) memory: Option<u64>,
    pub(crate) processes: Option<u32>,
}

/// The program, ready for an exec.
#[derive(Debug)]
pub(crate) struct Program {
    /// Full paths to try, in the order of `PATH`.
    pub(crate) candidates: Vec<CString>,
    pub(crate) argv: Strings,
    pub(crate) env: Strings,
    pub(crate) cwd: CString,
    /// An attack of our own instead of a program.
    pub(crate) attack: Option<usize>,
}

/// Strings and the array of pointers to them that an exec wants.
#[derive(Debug)]
pub(crate) struct Strings {
    /// Owns what the pointers point at; a `CString`'s bytes don't move with it.
    _owned: Vec<CString>,
    pointers: Vec<*const libc::c_char>,
}

impl Strings {
    pub(crate) fn new(owned: Vec<CString>) -> Self {
        let mut pointers: Vec<_> = owned.iter().map(|string| string.as_ptr()).collect();
        pointers.push(std::ptr::null());
        Self { _owned: owned, pointers }
    }

    pub(crate) fn as_ptr(&self) -> *const *const libc::c_char {
        self.pointers.as_ptr()
    }
}

/// A path as the kernel takes it.
pub(crate) fn c_path(path: &Path) -> Result<CString, Error> {
    c_text(path.as_os_str().to_owned()).ok_or_else(|| Error::BadPath { path: path.to_owned() })
}

pub(crate) fn c_text(text: impl Into<OsString>) -> Option<CString> {
    CString::new(text.into().into_vec()).ok()
}

/// The plan for a command at a level.
///
/// The mount table is asked for only if it matters.
pub(crate) fn plan(
    policy: &Policy,
    command: &Command,
    machine: &Machine,
    level: Level,
    mounts: &mut MountWatch,
) -> Result<Plan, Error> {
    if matches!(policy.network, Network::Only(_)) {
        return Err(Error::NetworkScope);
    }
    let contained = level >= Level::FullNoProc;
    let own_network = match policy.network {
        Network::Loopback => true,
        // Without scopes, abstract sockets are only fenced by a network of its own.
        Network::Deny => {
            policy.strictness == Strictness::Strict || machine.landlock_abi < crate::landlock::SCOPES_SINCE
        }
        _ => false,
    };
    let own_network = contained && own_network && machine.network_refused.is_none();
    let mut lookup = Lookup::default();
    lookup.list(&policy.home);
    let hidden = guards::hidden(policy, &mut lookup);
    let view = files::view(policy, command, &hidden, contained)?;
    let guards = guards::guards(policy, hidden, &view, &mut lookup, mounts)?;
    let mut missing = Vec::new();
    let ruleset = rules::ruleset(policy, &view, &guards, machine, level, &mut missing)?;
    let choice = {
        let mut choice = Choice::of(policy, contained);
        if policy.network == Network::Loopback && !own_network {
            choice.internet = false;
        }
        choice
    };
    let filter = if machine.seccomp { seccomp::compile(choice) } else { None };
    if filter.is_none() {
        missing.push(Missing::Seccomp);
    }
    note_network(policy, machine, own_network, level, &mut missing);
    let everyone = machine::maps_everyone();
    let keep = if everyone && policy.privileges == Privileges::Files { files_capabilities() } else { 0 };
    let program = program::program(policy, command, &view)?;
    let terminal = match command.io {
        Io::Terminal { rows, columns } => Some((rows, columns)),
        Io::Files { .. } => None,
    };
    let notify = choice.notify;
    let parts = Parts { ruleset, filter, notify, keep, own_network, everyone, terminal, program, missing };
    Ok(assemble(policy, machine, level, view, guards, parts))
}

/// What the last step puts together.
struct Parts {
    ruleset: Option<Ruleset>,
    filter: Option<Vec<sock_filter>>,
    notify: bool,
    keep: u64,
    own_network: bool,
    everyone: bool,
    terminal: Option<(u16, u16)>,
    program: Program,
    missing: Vec<Missing>,
}

fn assemble(
    policy: &Policy,
    machine: &Machine,
    level: Level,
    view: files::FileView,
    guards: guards::Guards,
    parts: Parts,
) -> Plan {
    let mut missing = parts.missing;
    let watched = guards.watched;
    let namespaces = if level >= Level::FullNoProc {
        let network = if parts.own_network { abi::CLONE_NEWNET } else { 0 };
        Some(Namespaces {
            flags: abi::CLONE_NEWUSER | abi::CLONE_NEWNS | abi::CLONE_NEWPID | abi::CLONE_NEWIPC | network,
            identity: identity(parts.everyone),
            loopback: parts.own_network,
            sweep: view.sweep,
            taken: view.taken,
            scratch: view.scratch,
            new_root: view.new_root,
            made: view.made,
            placed: view.placed,
            covers: guards.covers,
            proc: Proc {
                refused: machine.fresh_proc_refused.map(|errno| errno.0),
                fallback: level == Level::FullNoProc,
                most: most_processes(&policy.limits),
                writable: policy.scratch == Scratch::Host,
            },
        })
    } else {
        missing.extend(missing_without_namespaces(policy));
        None
    };
    let limits = resource_limits(&policy.limits, namespaces.is_some(), parts.everyone);
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Plan {
        removed: Removed::default(),
        watch: Watch {
            wall_millis: policy.limits.wall.map(millis),
            cpu_millis: policy.limits.cpu.map(millis),
            memory: policy.limits.memory,
            processes: policy.limits.processes,
        },
        namespaces,
        ruleset: parts.ruleset,
        filter: parts.filter,
        notify: parts.notify,
        keep: parts.keep,
        limits,
        terminal: parts.terminal,
        program: parts.program,
        watched,
        missing,
    }
}

/// Chown, override modes, be owner, keep set-id bits, change group and user.
fn files_capabilities() -> u64 {
    [0, 1, 3, 4, 6, 7].into_iter().fold(0, |bits, number| bits | 1 << number)
}

fn note_network(
    policy: &Policy,
    machine: &Machine,
    own_network: bool,
    level: Level,
    missing: &mut Vec<Missing>,
) {
    if let Some(errno) = machine.network_refused
        && (policy.network == Network::Loopback || policy.strictness == Strictness::Strict)
    {
        missing.push(Missing::NetworkNamespace { errno });
    }
    let fenced = machine.landlock_abi >= crate::landlock::SCOPES_SINCE && level >= Level::Landlock;
    let local = policy.strictness == Strictness::Standard && policy.scratch == Scratch::Private;
    if local && !fenced && !own_network {
        missing.push(Missing::AbstractSockets);
    }
}

fn missing_without_namespaces(policy: &Policy) -> Vec<Missing> {
    let mut missing = Vec::new();
    if policy.scratch == Scratch::Private {
        missing.push(Missing::PrivateScratch);
        if policy.strictness == Strictness::Standard {
            missing.push(Missing::HostSockets);
        }
        missing.push(Missing::Metadata);
    }
    if !policy.protected.is_empty() && !policy.writable.is_empty() {
        missing.push(Missing::ProtectedNames);
    }
    if policy.limits.memory.is_some() {
        missing.push(Missing::MemoryLimit);
    }
    if policy.limits.processes.is_some() {
        missing.push(Missing::ProcessLimit);
    }
    missing
}

fn identity(everyone: bool) -> Identity {
    /// Everyone as himself, where this process's own namespace knows everyone.
    const ALL: &[u8] = b"0 0 4294967295\n";
    if everyone {
        return Identity { users: ALL.to_vec(), groups: ALL.to_vec(), by_parent: true };
    }
    // SAFETY: both take nothing and can't fail.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    Identity {
        users: format!("{user} {user} 1\n").into_bytes(),
        groups: format!("{group} {group} 1\n").into_bytes(),
        by_parent: false,
    }
}

/// A map in which everyone this process's namespace knows is the same inside.
pub(crate) fn same_map(own: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(own).unwrap_or_default();
    let mut map = String::new();
    for line in text.lines() {
        let mut numbers = line.split_whitespace();
        if let (Some(first), Some(_), Some(count)) = (numbers.next(), numbers.next(), numbers.next()) {
            map.push_str(&format!("{first} {first} {count}\n"));
        }
    }
    map.into_bytes()
}

/// The largest process number: the kernel keeps the first 300 for itself once it has gone round.
///
/// None where there is one for the whole machine: a superuser's first process could set that, for everybody.
fn most_processes(limits: &Limits) -> Option<CString> {
    static OF_A_NAMESPACE: LazyLock<bool> =
        LazyLock::new(|| numbers_processes_by_namespace(&sys::kernel_release()));
    let most = limits.processes.filter(|_| *OF_A_NAMESPACE)?;
    c_text(most.saturating_add(301).min(4 << 20).to_string())
}

/// Whether a kernel of this release has a `pid_max` for each process namespace, as it has since 6.14.
fn numbers_processes_by_namespace(release: &str) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse::<u32>().ok());
    matches!((numbers.next().flatten(), numbers.next().flatten()), (Some(major), Some(minor)) if (major, minor) >= (6, 14))
}

fn resource_limits(limits: &Limits, own_users: bool, everyone: bool) -> Vec<(u32, u64)> {
    let mut list = vec![(libc::RLIMIT_CORE as u32, 0)];
    if let Some(bytes) = limits.file_size {
        list.push((libc::RLIMIT_FSIZE as u32, bytes));
    }
    if let Some(files) = limits.open_files {
        list.push((libc::RLIMIT_NOFILE as u32, files));
    }
    if let Some(time) = limits.cpu {
        // Behind the watch, which sees the whole tree and tells of its end.
        list.push((libc::RLIMIT_CPU as u32, time.as_secs().saturating_add(1)));
    }
    if let Some(bytes) = limits.memory {
        // Behind the watch, for what grows faster than it looks. Never the address space: programs
        // that reserve much and use little would not start.
        list.push((libc::RLIMIT_DATA as u32, bytes.saturating_add(bytes / 4).saturating_add(64 << 20)));
    }
    if let Some(most) = limits.processes
        && own_users
        && !everyone
    {
        // Counted in the user's own namespace. It doesn't hold for the superuser, pid_max does.
        // A little more than is watched for, so that a bomb is told as one and not only starved.
        list.push((libc::RLIMIT_NPROC as u32, u64::from(most).saturating_add(16)));
    }
    list
}

/// The part of a path below another, if it is strictly below.
pub(crate) fn below<'a>(path: &'a Path, top: &Path) -> Option<&'a Path> {
    path.strip_prefix(top).ok().filter(|rest| !rest.as_os_str().is_empty())
}

/// Sorts outer paths before inner ones.
pub(crate) fn depth(path: &Path) -> usize {
    path.components().count()
}

/// A policy path resolved to what it is now.
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kernels_that_number_processes_by_namespace_are_told_the_largest_number() {
        for old in ["5.15.0-91-generic", "6.1.0-57-cloud-amd64", "6.13.9", "6", "", "x.y", "6.x"] {
            assert!(!numbers_processes_by_namespace(old), "{old}");
        }
        for new in ["6.14.0", "6.18.44", "7.0.0-rc1", "10.1"] {
            assert!(numbers_processes_by_namespace(new), "{new}");
        }
    }
}
