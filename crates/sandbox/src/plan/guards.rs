//! What inside the view is protected or hidden, at the paths it has now.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::files::FileView;
use super::{Cover, CoverWith, c_path, depth};
use crate::error::Error;
use crate::lookup::{Kind, Lookup};
use crate::mountinfo::MountWatch;
use crate::policy::{Guard, Policy, Scratch};
use crate::repository;
use crate::sockets;

/// Most sockets covered inside the writable directories; each costs a mount.
const MOST_SOCKETS: usize = 128;

/// Protections and hides, and what is compared afterwards.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    pub(crate) covers: Vec<Cover>,
    pub(crate) watched: Vec<Watched>,
    /// Hidden paths, resolved.
    pub(crate) hidden: Vec<PathBuf>,
}

/// A path whose change is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watched {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Stamp>,
}

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) seconds: i64,
    pub(crate) nanos: i64,
    pub(crate) size: u64,
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some(Stamp {
        device: meta.dev(),
        inode: meta.ino(),
        seconds: meta.ctime(),
        nanos: meta.ctime_nsec(),
        size: meta.size(),
    })
}

/// Those of these paths that are others than they were.
///
/// Most were missing and still are; where what they lie in can be listed at once, it is.
pub(crate) fn changed(watched: &[Watched]) -> Vec<PathBuf> {
    let mut missing: Vec<&Path> = watched
        .iter()
        .filter(|watched| watched.before.is_none())
        .map(|watched| watched.path.as_path())
        .collect();
    // What lies in another's directory comes after it.
    missing.sort_unstable_by_key(|path| path.as_os_str().len());
    let mut lookup = Lookup::default();
    for path in missing {
        if !lookup.is_listed(path)
            && let Some(parent) = path.parent()
        {
            lookup.list(parent);
        }
    }
    let changed = |watched: &&Watched| match watched.before {
        None => lookup.kind(&watched.path).is_some(),
        before => stamp(&watched.path) != before,
    };
    watched.iter().filter(changed).map(|watched| watched.path.clone()).collect()
}

/// The policy's hidden paths that exist, resolved.
pub(crate) fn hidden(policy: &Policy, lookup: &mut Lookup) -> Vec<PathBuf> {
    for directory in [".config", ".local/share"] {
        let directory = policy.home.join(directory);
        if lookup.is_directory(&directory) {
            lookup.list(&directory);
        }
    }
    policy.hidden.iter().filter_map(|path| lookup.resolve(path)).collect()
}

/// Works out the protections and hides of a view.
pub(crate) fn guards(
    policy: &Policy,
    hidden: Vec<PathBuf>,
    view: &FileView,
    lookup: &mut Lookup,
    mounts: &mut MountWatch,
) -> Result<Guards, Error> {
    let mut guards = Guards::default();
    let mut found = Found::default();
    for root in &view.roots {
        if !policy.protected.is_empty() {
            lookup.list(root);
        }
        for protected in &policy.protected {
            if protected.name == ".git" {
                for path in repository::guarded(root) {
                    protect(&path, protected.guard, view, lookup, &mut found);
                }
            } else {
                protect(&root.join(&*protected.name), protected.guard, view, lookup, &mut found);
            }
        }
    }
    cover(&found, view, &mut guards.covers)?;
    guards.watched = found.watched;
    hide(policy, hidden, view, lookup, mounts, &mut guards)?;
    Ok(guards)
}

/// What of the protected names is there, and what isn't.
#[derive(Default)]
struct Found {
    read_only: BTreeSet<PathBuf>,
    links: BTreeSet<PathBuf>,
    watched: Vec<Watched>,
}

/// Protects one name inside one writable directory.
fn protect(path: &Path, guard: Guard, view: &FileView, lookup: &mut Lookup, found: &mut Found) {
    let Some(root) = view.writable_root(path) else {
        return;
    };
    let watch = |before: Option<Stamp>| Watched { path: path.to_owned(), before };
    if lookup.kind(path).is_none() {
        found.watched.push(watch(None));
        return;
    }
    if guard == Guard::Report {
        found.watched.push(watch(stamp(path)));
        return;
    }
    // Any part of the way may be a link; replaced, it would lead elsewhere.
    let mut at = root.to_owned();
    for part in path.strip_prefix(root).unwrap_or(path).components() {
        at.push(part);
        let Some(kind) = lookup.kind(&at) else {
            found.watched.push(watch(None));
            return;
        };
        if kind == Kind::Link {
            found.links.insert(at.clone());
            let Some(target) = lookup.resolve(&at) else {
                return;
            };
            if view.writable_root(&target).is_none() {
                return;
            }
            at = target;
        }
    }
    if view.writable_root(&at).is_some_and(|root| root != at) {
        found.read_only.insert(at);
    }
}

/// Covers protected paths with themselves, and first every directory above them.
///
/// Without the latter, moving `.git` away takes the protected hooks with it and leaves the name
/// free for other ones.
fn cover(found: &Found, view: &FileView, covers: &mut Vec<Cover>) -> Result<(), Error> {
    let Found { read_only, links, .. } = found;
    let mut pins = BTreeSet::new();
    for path in read_only.iter().chain(links) {
        let Some(root) = view.writable_root(path) else {
            continue;
        };
        let mut at = path.parent();
        while let Some(directory) = at.filter(|directory| *directory != root && directory.starts_with(root)) {
            pins.insert(directory.to_owned());
            at = directory.parent();
        }
    }
    let mut all: Vec<(&Path, CoverWith)> = Vec::new();
    all.extend(
        pins.iter().filter(|path| !read_only.contains(*path)).map(|path| (path.as_path(), CoverWith::Itself)),
    );
    all.extend(links.iter().map(|path| (path.as_path(), CoverWith::ItsLink)));
    all.extend(read_only.iter().map(|path| (path.as_path(), CoverWith::ReadOnly)));
    // Inside something read-only there is nothing left to protect, and no link to stand on.
    all.retain(|(path, _)| !read_only.iter().any(|top| *path != top && path.starts_with(top)));
    all.sort_by_key(|(path, _)| depth(path));
    for (path, what) in all {
        covers.push(Cover { path: c_path(path)?, what, exact: true });
    }
    Ok(())
}

/// Hides the policy's paths, under every name they have, and the sockets of the host's programs.
fn hide(
    policy: &Policy,
    hidden: Vec<PathBuf>,
    view: &FileView,
    lookup: &mut Lookup,
    mounts: &mut MountWatch,
    guards: &mut Guards,
) -> Result<(), Error> {
    let mut hidden: BTreeSet<PathBuf> = hidden.into_iter().collect();
    if !hidden.is_empty() {
        let table = mounts.table();
        let aliases: Vec<PathBuf> = hidden.iter().flat_map(|path| table.aliases(path)).collect();
        hidden.extend(aliases.iter().filter_map(|path| lookup.resolve(path)));
    }
    guards.hidden = hidden.iter().cloned().collect();
    if policy.scratch == Scratch::Private {
        let sockets = sockets::read();
        let shown = sockets.iter().filter(|path| view.may_show(path)).filter_map(|path| lookup.resolve(path));
        // An earlier command can bind as many as it likes inside the workspace, and must not crowd
        // out those it can't bind.
        let (inside, outside): (Vec<_>, Vec<_>) = shown.partition(|path| view.writable_root(path).is_some());
        hidden.extend(outside.into_iter().chain(inside.into_iter().take(MOST_SOCKETS)));
    }
    let mut covered: Vec<PathBuf> = Vec::new();
    // In order of the set an outer path comes before what is in it.
    for path in hidden {
        if covered.iter().any(|top| path.starts_with(top)) || !view.shows(&path) {
            continue;
        }
        let what =
            if lookup.is_directory(&path) { CoverWith::ClosedDirectory } else { CoverWith::ClosedFile };
        // Where nothing inside can change the way to it, it needn't be looked at step by step.
        let exact = view.writable_root(&path).is_some();
        guards.covers.push(Cover { path: c_path(&path)?, what, exact });
        covered.push(path);
    }
    Ok(())
}
