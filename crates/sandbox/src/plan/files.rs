//! What files look like inside: what is writable, what is private, and what is kept of what a
//! private directory covers.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Made, Placed, ScratchSpace, Taken, below, c_path, c_text, depth, resolve};
use crate::command::Command;
use crate::error::Error;
use crate::policy::{Network, Policy, Scratch, View};
use crate::repository;
use crate::sys::Errno;
use crate::sys::abi::{MOUNT_ATTR_NODEV, MOUNT_ATTR_NOSUID, MOUNT_ATTR_RDONLY, MountAttr};

/// Links met on the way to one path before it is given up.
const MOST_LINKS: usize = 16;

/// Private directories: the part of the scratch space and where it goes.
const AREAS: [(&str, &str); 4] = [("dev", "/dev"), ("run", "/run"), ("tmp", "/tmp"), ("vartmp", "/var/tmp")];

/// What files look like inside.
#[derive(Debug)]
pub(crate) struct FileView {
    pub(crate) sweep: u64,
    pub(crate) taken: Vec<Taken>,
    pub(crate) scratch: Option<ScratchSpace>,
    pub(crate) new_root: bool,
    pub(crate) made: Vec<Made>,
    pub(crate) placed: Vec<Placed>,
    /// Writable directories, resolved.
    pub(crate) writable: Vec<PathBuf>,
    /// Writable directories the policy named, without those a worktree needs.
    pub(crate) roots: Vec<PathBuf>,
    /// Whether everything is writable.
    pub(crate) all_writable: bool,
    /// Directories that are private, resolved.
    areas: Vec<PathBuf>,
    /// What is seen of the host inside private directories or a new root.
    kept: Vec<PathBuf>,
}

impl FileView {
    /// Whether a resolved path of the host is seen inside.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        self.kept.iter().any(|kept| path.starts_with(kept))
            || (!self.new_root && !self.areas.iter().any(|area| path.starts_with(area)))
    }

    /// As [`FileView::shows`], for a path that may not be resolved: only a plain no is a no.
    pub(crate) fn may_show(&self, path: &Path) -> bool {
        self.shows(path) || !self.areas.iter().any(|area| path.starts_with(area))
    }

    /// The writable directory a resolved path is in.
    pub(crate) fn writable_root(&self, path: &Path) -> Option<&Path> {
        // Of those above one path the longest is the deepest.
        self.writable
            .iter()
            .map(PathBuf::as_path)
            .filter(|root| plainly_below(path, root) || path.starts_with(root))
            .max_by_key(|root| root.as_os_str().len())
    }

    /// Private directories, as paths inside.
    pub(crate) fn private(&self) -> &[PathBuf] {
        &self.areas
    }

    /// What is seen of the host inside private directories or a new root.
    pub(crate) fn kept(&self) -> &[PathBuf] {
        &self.kept
    }
}

/// Whether it is spelled as a path below another: a quick yes, and no answer where not.
fn plainly_below(path: &Path, top: &Path) -> bool {
    let rest = path.as_os_str().as_bytes().strip_prefix(top.as_os_str().as_bytes());
    rest.is_some_and(|rest| rest.starts_with(b"/"))
}

/// Works out the view.
pub(crate) fn view(
    policy: &Policy,
    command: &Command,
    hidden: &[PathBuf],
    contained: bool,
) -> Result<FileView, Error> {
    let roots = writable_roots(policy, hidden)?;
    let all_writable = roots.iter().any(|root| root == Path::new("/"));
    let mut writable = roots.clone();
    for root in &roots {
        let common = repository::worktree_of(root);
        writable.extend(common.filter(|common| !hidden.iter().any(|hidden| common.starts_with(hidden))));
    }
    writable.sort_by_key(|path| depth(path));
    writable.dedup();
    let new_root = policy.view != View::Everything;
    let private = policy.scratch == Scratch::Private || new_root;
    let areas: Vec<(&str, PathBuf)> = if private && contained { areas(new_root) } else { Vec::new() };
    let mut building = Building {
        areas: areas.iter().map(|(_, path)| path.clone()).collect(),
        new_root,
        made: Vec::new(),
        kept: Vec::new(),
    };
    let mut grants: Vec<(PathBuf, bool)> = Vec::new();
    if let View::Only(readable) = &policy.view {
        for path in readable {
            building.keep(path, MOST_LINKS, &mut grants);
        }
    } else if private {
        building.keep(&policy.home, MOST_LINKS, &mut grants);
        building.keep(&command.cwd, MOST_LINKS, &mut grants);
    }
    if private {
        for path in super::program::search_path(policy, command) {
            building.keep_in_areas(&path, &mut grants);
        }
        if policy.network == Network::Allow {
            // Often a link to a file some service keeps under /run.
            if let Some(path) = resolve(Path::new("/etc/resolv.conf")) {
                building.keep_in_areas(&path, &mut grants);
            }
        }
    }
    // A plain read-only grant inside a writable directory would take the right away again.
    grants.retain(|(path, _)| !writable.iter().any(|root| path.starts_with(root)));
    if !all_writable {
        grants.extend(writable.iter().map(|path| (path.clone(), true)));
    }
    grants.sort_by_key(|(path, _)| depth(path));
    grants.dedup_by(|next, first| next.0 == first.0);
    let mut taken = Vec::new();
    let mut placed = Vec::new();
    for (path, may_write) in grants {
        let is_directory = path.is_dir();
        building.prepare(&path, is_directory);
        building.kept.push(path.clone());
        placed.push(Placed { taken: taken.len(), at: c_path(&path)? });
        let common = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
        let attr = MountAttr::private(if may_write { common } else { common | MOUNT_ATTR_RDONLY });
        let path = c_path(&path)?;
        taken.push(Taken { path, attr, recursive: is_directory });
    }
    let scratch =
        if contained { Some(scratch_space(policy, &areas, private, &mut taken, &mut placed)?) } else { None };
    Ok(FileView {
        sweep: match (all_writable, private) {
            (false, _) => MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY,
            (true, true) => MOUNT_ATTR_NODEV,
            (true, false) => 0,
        },
        taken,
        scratch,
        new_root: new_root && contained,
        made: made(building.made),
        placed,
        writable,
        roots,
        all_writable,
        areas: building.areas,
        kept: building.kept,
    })
}

/// The policy's writable directories, resolved, and none of them reached by a trick.
fn writable_roots(policy: &Policy, hidden: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut roots = Vec::new();
    for path in &policy.writable {
        if !path.is_absolute() || path.as_os_str().as_bytes().contains(&0) {
            return Err(Error::BadPath { path: path.clone() });
        }
        let target = fs::canonicalize(path).map_err(|error| Error::Writable {
            path: path.clone(),
            errno: Errno(error.raw_os_error().unwrap_or(libc::EINVAL)),
        })?;
        if let Some(hidden) = hidden.iter().find(|hidden| target.starts_with(hidden)) {
            return Err(Error::WritableHidden { path: path.clone(), hidden: hidden.clone() });
        }
        roots.push((path.clone(), target));
    }
    for (path, target) in &roots {
        let escapes = roots
            .iter()
            .any(|(_, other)| other != target && below(path, other).is_some() && !target.starts_with(other));
        if escapes {
            return Err(Error::WritableEscapes { path: path.clone(), target: target.clone() });
        }
    }
    Ok(roots.into_iter().map(|(_, target)| target).collect())
}

/// Private directories that exist on this machine, at their resolved places.
fn areas(new_root: bool) -> Vec<(&'static str, PathBuf)> {
    let mut found: Vec<(&'static str, PathBuf)> = Vec::new();
    for (part, path) in AREAS {
        let place = if new_root { Some(PathBuf::from(path)) } else { resolve(Path::new(path)) };
        if let Some(place) = place
            && !found.iter().any(|(_, other)| place.starts_with(other))
        {
            found.push((part, place));
        }
    }
    found
}

/// What is made and kept while grants are collected.
struct Building {
    areas: Vec<PathBuf>,
    new_root: bool,
    made: Vec<(PathBuf, MadeKind)>,
    kept: Vec<PathBuf>,
}

#[derive(PartialEq, Eq)]
enum MadeKind {
    Directory,
    File,
    Link(PathBuf),
}

impl Building {
    /// The covered directory a path is strictly inside of.
    fn area(&self, path: &Path) -> Option<PathBuf> {
        if let Some(area) = self.areas.iter().find(|area| path.starts_with(area)) {
            return below(path, area).map(|_| area.clone());
        }
        (self.new_root && path != Path::new("/")).then(|| PathBuf::from("/"))
    }

    /// Keeps a path visible, read-only, although what it is in is covered.
    ///
    /// Links on the way are made again, so that it is found under the name it has.
    fn keep(&mut self, path: &Path, links: usize, grants: &mut Vec<(PathBuf, bool)>) {
        let Some(area) = self.area(path) else {
            // The way into an area may lead through a link outside of it.
            if let Some(target) = resolve(path)
                && target != path
                && links > 0
            {
                self.keep(&target, links - 1, grants);
            }
            return;
        };
        let mut at = area.clone();
        for part in path.strip_prefix(&area).unwrap_or(path).components() {
            let std::path::Component::Normal(name) = part else {
                return;
            };
            at.push(name);
            let Ok(meta) = fs::symlink_metadata(&at) else {
                return;
            };
            if meta.is_symlink() {
                let Ok(target) = fs::read_link(&at) else {
                    return;
                };
                if let Some(parent) = at.parent() {
                    self.parents(&area, parent);
                }
                self.make(at, MadeKind::Link(target));
                if let Some(resolved) = resolve(path)
                    && links > 0
                {
                    self.keep(&resolved, links - 1, grants);
                }
                return;
            }
        }
        grants.push((at, false));
    }

    /// As [`Building::keep`], for paths of which only parts inside private directories matter.
    fn keep_in_areas(&mut self, path: &Path, grants: &mut Vec<(PathBuf, bool)>) {
        if path.is_absolute() && self.areas.iter().any(|area| below(path, area).is_some()) {
            self.keep(path, MOST_LINKS, grants);
        }
    }

    /// Makes a place for a copy, where it isn't there already.
    fn prepare(&mut self, path: &Path, is_directory: bool) {
        let Some(area) = self.area(path) else {
            return;
        };
        if let Some(parent) = path.parent() {
            self.parents(&area, parent);
        }
        self.make(path.to_owned(), if is_directory { MadeKind::Directory } else { MadeKind::File });
    }

    fn parents(&mut self, area: &Path, path: &Path) {
        let mut at = area.to_owned();
        for part in path.strip_prefix(area).unwrap_or(Path::new("")).components() {
            at.push(part);
            self.make(at.clone(), MadeKind::Directory);
        }
    }

    fn make(&mut self, path: PathBuf, kind: MadeKind) {
        // Inside something kept, the place exists: the host has it.
        let there = self.kept.iter().any(|kept| path.starts_with(kept));
        if !there && !self.made.iter().any(|(other, _)| *other == path) {
            self.made.push((path, kind));
        }
    }
}

fn made(list: Vec<(PathBuf, MadeKind)>) -> Vec<Made> {
    list.into_iter()
        .filter_map(|(path, kind)| {
            let at = c_text(path)?;
            Some(match kind {
                MadeKind::Directory => Made::Directory(at),
                MadeKind::File => Made::File(at),
                MadeKind::Link(target) => Made::Link { at, target: c_text(target)? },
            })
        })
        .collect()
}

fn scratch_space(
    policy: &Policy,
    areas: &[(&'static str, PathBuf)],
    private: bool,
    taken: &mut Vec<Taken>,
    placed: &mut Vec<Placed>,
) -> Result<ScratchSpace, Error> {
    let text = |text: String| c_text(text).ok_or(Error::BadCommand);
    let mut options: Vec<(CString, CString)> = vec![(c"mode".to_owned(), c"0755".to_owned())];
    // What lies there is memory, and no process's own.
    let bounds = [policy.limits.scratch, policy.limits.memory];
    if let Some(bytes) = bounds.into_iter().flatten().min() {
        options.push((c"size".to_owned(), text(bytes.max(1 << 16).to_string())?));
    }
    if let Some(files) = policy.limits.scratch_files {
        options.push((c"nr_inodes".to_owned(), text(files.max(64).to_string())?));
    }
    if !private {
        // The scratch space is put together at /dev, so the host's own goes back on top.
        placed.insert(0, Placed { taken: taken.len(), at: c"/dev".to_owned() });
        let attr = MountAttr::private(MOUNT_ATTR_NOSUID);
        taken.push(Taken { path: c"/dev".to_owned(), attr, recursive: true });
    }
    // SAFETY: takes nothing and can't fail.
    let user = unsafe { libc::geteuid() };
    Ok(ScratchSpace {
        options,
        areas: areas
            .iter()
            .map(|(part, at)| Ok((text((*part).to_owned())?, c_path(at)?)))
            .collect::<Result<_, Error>>()?,
        devices: private,
        runtime: text(format!("run/user/{user}"))?,
    })
}
