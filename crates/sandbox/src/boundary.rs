//! Builds the view of files, from inside the new namespaces.
//!
//! The host's root is kept and made read-only in one call, then writable directories are put back
//! and private ones laid over it. Compared with building a new root and leaving the old one, this
//! spares both the many binds and the unmount, which waits for the whole machine's processors.
//!
//! Runs in the child: calls only, see [`crate::sys`].

use std::ffi::CStr;
use std::os::fd::RawFd;

use crate::channel::Facts;
use crate::enforcement::Stage;
use crate::plan::{Cover, CoverWith, Made, Namespaces, Proc, ScratchSpace, Taken};
use crate::sys::abi::{
    AT_RECURSIVE, MOUNT_ATTR_NODEV, MOUNT_ATTR_NOEXEC, MOUNT_ATTR_NOSUID, MOUNT_ATTR_RDONLY, MountAttr,
};
use crate::sys::{self, Errno, Res};

/// A step that failed, and the path it was about.
#[derive(Debug)]
pub(crate) struct Failure<'a> {
    pub(crate) stage: Stage,
    pub(crate) errno: Errno,
    pub(crate) path: &'a CStr,
}

/// Says at which step and path a call failed.
pub(crate) trait At<T> {
    fn at(self, stage: Stage, path: &CStr) -> Result<T, Failure<'_>>;
}

impl<T> At<T> for Res<T> {
    fn at(self, stage: Stage, path: &CStr) -> Result<T, Failure<'_>> {
        self.map_err(|errno| Failure { stage, errno, path })
    }
}

/// Device files of a private `/dev`.
const DEVICES: [&CStr; 6] = [c"null", c"zero", c"full", c"random", c"urandom", c"tty"];

const HERE: RawFd = libc::AT_FDCWD;

/// Builds the view. `ready` returns once the user is mapped.
pub(crate) fn build<'a>(
    plan: &'a Namespaces,
    taken: &mut [RawFd],
    ready: impl FnOnce() -> Res<()>,
    facts: &mut Facts,
) -> Result<(), Failure<'a>> {
    let root = sys::open_at(HERE, c"/", libc::O_PATH | libc::O_DIRECTORY, 0).at(Stage::Mounts, c"/")?;
    // Copies taken after this belong to no one else either.
    sys::set_mount(root, AT_RECURSIVE, &MountAttr::private(MOUNT_ATTR_NOSUID)).at(Stage::Mounts, c"/")?;
    for (want, slot) in plan.taken.iter().zip(taken.iter_mut()) {
        *slot = take(want).at(Stage::Mounts, &want.path)?;
    }
    let mut device_files = [-1; DEVICES.len()];
    if plan.scratch.as_ref().is_some_and(|space| space.devices) {
        take_devices(&mut device_files);
    }
    if plan.sweep != 0 {
        let sweep = MountAttr { set: plan.sweep, ..MountAttr::default() };
        sys::set_mount(root, AT_RECURSIVE, &sweep).at(Stage::Mounts, c"/")?;
    }
    // Files of the scratch space belong to the user, who has no number here before this.
    ready().at(Stage::Identity, c"")?;
    let scratch = match &plan.scratch {
        Some(scratch) => Some(make_scratch(scratch, plan.new_root).at(Stage::Scratch, c"/dev")?),
        None => None,
    };
    if let (Some(space), Some(base)) = (&plan.scratch, scratch) {
        lay_scratch(space, base, plan.new_root)?;
    }
    for made in &plan.made {
        make(made)?;
    }
    for placed in &plan.placed {
        let mount = taken.get(placed.taken).copied().unwrap_or(-1);
        put(mount, &placed.at).at(Stage::Mounts, &placed.at)?;
    }
    if plan.scratch.as_ref().is_some_and(|space| space.devices) {
        devices(&device_files)?;
    }
    process_list(&plan.proc, facts)?;
    let mut closed = Closed { base: scratch.unwrap_or(-1), directory: -1, file: -1 };
    for cover in &plan.covers {
        lay(cover, &mut closed)?;
    }
    if plan.new_root {
        let read_only = MountAttr { set: MOUNT_ATTR_RDONLY, ..MountAttr::default() };
        let root = sys::open_at(HERE, c"/", libc::O_PATH, 0).at(Stage::Mounts, c"/")?;
        sys::set_mount(root, 0, &read_only).at(Stage::Mounts, c"/")?;
    }
    Ok(())
}

/// Copies a mount out of the view, detached and with its attributes.
fn take(want: &Taken) -> Res<RawFd> {
    let at = sys::open_exact(HERE, &want.path, 0)?;
    let recursive = if want.recursive { AT_RECURSIVE } else { 0 };
    let tree = sys::open_tree(at, recursive as u32);
    sys::close(at);
    let tree = tree?;
    sys::set_mount(tree, recursive, &want.attr)?;
    Ok(tree)
}

/// Copies the host's device files; those that aren't there aren't there inside either.
fn take_devices(into: &mut [RawFd; DEVICES.len()]) {
    let Ok(directory) = sys::open_at(HERE, c"/dev", libc::O_PATH, 0) else {
        return;
    };
    for (slot, name) in into.iter_mut().zip(DEVICES) {
        *slot = sys::open_tree_at(directory, name).unwrap_or(-1);
    }
    sys::close(directory);
}

/// Attaches a mount at a path.
fn put(mount: RawFd, path: &CStr) -> Res<()> {
    let at = sys::open_exact(HERE, path, 0)?;
    let result = sys::attach(mount, at);
    sys::close(at);
    sys::close(mount);
    result
}

/// Makes the scratch space and leaves it attached at `/dev`, whatever covers it later.
///
/// One file system for all private directories: its bounds hold for them together, and there is
/// only one to set up and to tear down. It has to be attached before parts of it can be copied.
fn make_scratch(space: &ScratchSpace, new_root: bool) -> Res<RawFd> {
    let fs = sys::fs_open(c"tmpfs")?;
    for (key, value) in &space.options {
        sys::fs_option(fs, key, value)?;
    }
    let base = sys::fs_mount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)?;
    sys::close(fs);
    sys::attach_at(base, HERE, c"/dev")?;
    sys::mkdir_at(base, c"closed", 0)?;
    sys::touch_at(base, c"closed-file", 0)?;
    for (part, _) in &space.areas {
        let open = part.as_c_str() == c"tmp" || part.as_c_str() == c"vartmp";
        sys::mkdir_at(base, part, if open { 0o1777 } else { 0o755 })?;
    }
    if space.areas.iter().any(|(part, _)| part.as_c_str() == c"run") {
        for (directory, mode) in [(c"run/lock", 0o1777), (c"run/user", 0o755), (&*space.runtime, 0o700)] {
            sys::mkdir_at(base, directory, mode)?;
        }
    }
    if new_root {
        for directory in
            [c"root", c"root/dev", c"root/run", c"root/tmp", c"root/proc", c"root/var", c"root/var/tmp"]
        {
            sys::mkdir_at(base, directory, 0o755)?;
        }
    }
    Ok(base)
}

/// As [`put`], for a mount that is still needed.
fn put_keeping(mount: RawFd, path: &CStr) -> Res<()> {
    let at = sys::open_exact(HERE, path, 0)?;
    let result = sys::attach(mount, at);
    sys::close(at);
    result
}

/// Lays the private directories over the host's.
fn lay_scratch<'a>(space: &'a ScratchSpace, base: RawFd, new_root: bool) -> Result<(), Failure<'a>> {
    if new_root {
        // Laid over the old root and entered. The old one stays underneath, out of reach for a
        // process that can neither unmount nor change its root again.
        let root = sys::open_tree_at(base, c"root").at(Stage::Mounts, c"/")?;
        put_keeping(root, c"/").at(Stage::Mounts, c"/")?;
        sys::fchdir(root).at(Stage::Mounts, c"/")?;
        sys::chroot(c".").at(Stage::Mounts, c"/")?;
        sys::close(root);
    }
    for (part, at) in &space.areas {
        let tree = sys::open_tree_at(base, part).at(Stage::Scratch, at)?;
        sys::attach_at(tree, HERE, at).at(Stage::Scratch, at)?;
        sys::close(tree);
    }
    Ok(())
}

fn make(made: &Made) -> Result<(), Failure<'_>> {
    let (result, path) = match made {
        Made::Directory(path) => (sys::mkdir_at(HERE, path, 0o755), path),
        Made::File(path) => (sys::touch_at(HERE, path, 0o644), path),
        Made::Link { at, target } => (sys::symlink_at(target, HERE, at), at),
    };
    match result {
        Err(Errno(libc::EEXIST)) => Ok(()),
        other => other.at(Stage::Scratch, path),
    }
}

/// Fills the private `/dev`.
fn devices(taken: &[RawFd; DEVICES.len()]) -> Result<(), Failure<'static>> {
    const LINKS: [(&CStr, &CStr); 5] = [
        (c"/proc/self/fd", c"fd"),
        (c"/proc/self/fd/0", c"stdin"),
        (c"/proc/self/fd/1", c"stdout"),
        (c"/proc/self/fd/2", c"stderr"),
        (c"pts/ptmx", c"ptmx"),
    ];
    let directory = sys::open_at(HERE, c"/dev", libc::O_PATH, 0).at(Stage::Devices, c"/dev")?;
    for (&mount, name) in taken.iter().zip(DEVICES) {
        if mount >= 0 {
            sys::touch_at(directory, name, 0o666).at(Stage::Devices, name)?;
            sys::attach_at(mount, directory, name).at(Stage::Devices, name)?;
            sys::close(mount);
        }
    }
    for (target, name) in LINKS {
        sys::symlink_at(target, directory, name).at(Stage::Devices, name)?;
    }
    sys::mkdir_at(directory, c"shm", 0o1777).at(Stage::Devices, c"/dev/shm")?;
    sys::mkdir_at(directory, c"pts", 0o755).at(Stage::Devices, c"/dev/pts")?;
    terminals(directory).at(Stage::Devices, c"/dev/pts")?;
    sys::close(directory);
    Ok(())
}

/// Mounts terminals of the command's own.
fn terminals(directory: RawFd) -> Res<()> {
    let fs = sys::fs_open(c"devpts")?;
    sys::fs_option(fs, c"ptmxmode", c"0666")?;
    sys::fs_option(fs, c"mode", c"0620")?;
    let mount = sys::fs_mount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)?;
    sys::close(fs);
    sys::attach_at(mount, directory, c"pts")?;
    sys::close(mount);
    Ok(())
}

/// Mounts a fresh process list and closes the parts of it that reach the whole machine.
fn process_list<'a>(proc: &'a Proc, facts: &mut Facts) -> Result<(), Failure<'a>> {
    /// As the superuser these need no capability, only the user's number.
    const MACHINE: [&CStr; 6] = [c"sys", c"sysrq-trigger", c"irq", c"bus", c"fs", c"acpi"];
    let fresh = match proc.refused {
        Some(number) => Err(Errno(number)),
        None => fresh_process_list(),
    };
    let list = match fresh {
        Ok(list) => list,
        // The host's stays, read-only since the sweep.
        Err(_) if proc.fallback => return Ok(()),
        Err(errno) => return Err(Failure { stage: Stage::Proc, errno, path: c"/proc" }),
    };
    facts.bits |= Facts::FRESH_PROC;
    if let Some(most) = &proc.most
        && sys::write_file(list, c"sys/kernel/pid_max", most.to_bytes()).is_ok()
    {
        facts.bits |= Facts::PROCESS_LIMIT;
    }
    if proc.writable {
        return Ok(());
    }
    for name in MACHINE {
        match close_part(list, name) {
            Ok(()) | Err(Errno(libc::ENOENT)) => {}
            Err(errno) => return Err(Failure { stage: Stage::Proc, errno, path: name }),
        }
    }
    Ok(())
}

fn fresh_process_list() -> Res<RawFd> {
    let fs = sys::fs_open(c"proc")?;
    let list = sys::fs_mount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    sys::close(fs);
    let list = list?;
    sys::attach_at(list, HERE, c"/proc")?;
    Ok(list)
}

/// Makes a part of a mount read-only by laying it over itself.
fn close_part(mount: RawFd, name: &CStr) -> Res<()> {
    const CLOSED: MountAttr = MountAttr { set: MOUNT_ATTR_RDONLY, clear: 0, propagation: 0, userns_fd: 0 };
    let tree = sys::open_tree_at(mount, name)?;
    sys::set_mount(tree, 0, &CLOSED)?;
    sys::attach_at(tree, mount, name)?;
    sys::close(tree);
    Ok(())
}

/// Lays a copy of what is at an open path over it, with other attributes.
fn cover_with_copy(at: RawFd, attr: &MountAttr) -> Res<()> {
    let tree = sys::open_tree(at, AT_RECURSIVE as u32)?;
    if attr.set != 0 {
        sys::set_mount(tree, AT_RECURSIVE, attr)?;
    }
    let result = sys::attach(tree, at);
    sys::close(tree);
    sys::close(at);
    result
}

/// The closed directory and file that hidden paths are covered with.
struct Closed {
    base: RawFd,
    /// An attached, read-only copy, once there is one: copies of it are read-only from the start.
    directory: RawFd,
    file: RawFd,
}

fn lay<'a>(cover: &'a Cover, closed: &mut Closed) -> Result<(), Failure<'a>> {
    let (stage, follow) = match cover.what {
        CoverWith::ClosedDirectory | CoverWith::ClosedFile => (Stage::Hide, 0),
        CoverWith::ItsLink => (Stage::Protect, libc::O_NOFOLLOW),
        CoverWith::Itself | CoverWith::ReadOnly => (Stage::Protect, 0),
    };
    match lay_over(cover, follow, closed) {
        // Gone since the plan was made: there is nothing to hide.
        Err(Errno(libc::ENOENT)) if stage == Stage::Hide => Ok(()),
        other => other.at(stage, &cover.path),
    }
}

fn lay_over(cover: &Cover, follow: i32, closed: &mut Closed) -> Res<()> {
    let read_only = MountAttr::private(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    let at = match cover.what {
        // The last part is a link on purpose here, which the exact open would refuse.
        CoverWith::ItsLink => sys::open_at(HERE, &cover.path, libc::O_PATH | follow, 0)?,
        _ if cover.exact => sys::open_exact(HERE, &cover.path, 0)?,
        _ => sys::open_at(HERE, &cover.path, libc::O_PATH | libc::O_NOFOLLOW, 0)?,
    };
    match cover.what {
        CoverWith::Itself => cover_with_copy(at, &MountAttr::default()),
        CoverWith::ItsLink => {
            let tree = sys::open_tree(at, 0)?;
            let result = sys::attach(tree, at);
            sys::close(tree);
            sys::close(at);
            result
        }
        CoverWith::ReadOnly => cover_with_copy(at, &read_only),
        CoverWith::ClosedDirectory => {
            close_with(at, closed.base, c"closed", &mut closed.directory, &read_only)
        }
        CoverWith::ClosedFile => close_with(at, closed.base, c"closed-file", &mut closed.file, &read_only),
    }
}

fn close_with(at: RawFd, base: RawFd, part: &CStr, made: &mut RawFd, attr: &MountAttr) -> Res<()> {
    let tree = if *made < 0 {
        let tree = sys::open_tree_at(base, part)?;
        sys::set_mount(tree, 0, attr)?;
        tree
    } else {
        sys::open_tree(*made, 0)?
    };
    sys::attach(tree, at)?;
    sys::close(at);
    if *made < 0 {
        *made = tree;
    } else {
        sys::close(tree);
    }
    Ok(())
}
