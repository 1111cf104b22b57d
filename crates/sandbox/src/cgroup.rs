//! Version 2 control groups, where one has been delegated to us.
//!
//! The kernel counts there what a watcher can only look at now and then: memory of the whole tree,
//! files in memory included. Where none is delegated, [`crate::plan`] says what serves instead.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::child::Limit;
use crate::policy::Limits;

/// A control group for one command, gone with it.
#[derive(Debug)]
pub(crate) struct Cgroup {
    path: PathBuf,
    directory: File,
}

impl Cgroup {
    /// A fresh group below `parent` with these limits; none if any of them can't be set.
    pub(crate) fn below(parent: &Path, limits: &Limits) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let path = loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("toolgate-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => break path,
                // Someone has our number in another process namespace.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(_) => return None,
            }
        };
        let group = File::open(&path).map(|directory| Self { path: path.clone(), directory });
        let Ok(group) = group else {
            fs::remove_dir(&path).ok();
            return None;
        };
        // Dropping the group on the way out removes it.
        group.limit(limits).ok().map(|()| group)
    }

    fn limit(&self, limits: &Limits) -> io::Result<()> {
        if let Some(bytes) = limits.memory {
            fs::write(self.path.join("memory.max"), bytes.to_string())?;
            // All or nothing: a tree with a hole in it does strange things.
            fs::write(self.path.join("memory.oom.group"), "1")?;
            // Without swap accounting there is nothing to bound.
            fs::write(self.path.join("memory.swap.max"), "0").ok();
        }
        if let Some(most) = limits.processes {
            // The first process is one too. And a little more than is watched for, so that a bomb is told as one
            // and not only starved.
            fs::write(self.path.join("pids.max"), u64::from(most).saturating_add(1 + 16).to_string())?;
        }
        Ok(())
    }

    /// The limit the kernel enforced by killing, if it did.
    pub(crate) fn tripped(&self) -> Option<Limit> {
        let events = fs::read_to_string(self.path.join("memory.events")).ok()?;
        counted(&events, "oom_group_kill")
            .max(counted(&events, "oom_kill"))
            .filter(|&times| times > 0)
            .map(|_| Limit::Memory)
    }
}

impl AsFd for Cgroup {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // Normally nothing is left to kill. What the kernel still takes down keeps the group, and
        // then it stays behind, empty: a name, no memory.
        fs::write(self.path.join("cgroup.kill"), "1").ok();
        for _ in 0..50 {
            match fs::remove_dir(&self.path) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    crate::sys::poll(&mut [], 1).ok();
                }
                _ => return,
            }
        }
    }
}

fn counted(events: &str, name: &str) -> Option<u64> {
    events.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// A group in which this process may make others with memory and process limits.
pub(crate) fn delegated() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
            let own = fs::read_to_string("/proc/self/cgroup").ok()?;
            candidates(&mounts, &own).into_iter().find(|path| serves(path))
        })
        .as_deref()
}

/// This process's own group and the one above, by where the hierarchy is mounted.
fn candidates(mounts: &str, own: &str) -> Vec<PathBuf> {
    let mounted = mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        kind.starts_with("cgroup2 ").then(|| place.split(' ').nth(4)).flatten()
    });
    let inside = own.lines().find_map(|line| line.strip_prefix("0::/"));
    let (Some(mounted), Some(inside)) = (mounted, inside) else {
        return Vec::new();
    };
    let own = Path::new(mounted).join(inside);
    let above = own.parent().filter(|above| above.starts_with(mounted)).map(Path::to_owned);
    [own].into_iter().chain(above).collect()
}

fn serves(path: &Path) -> bool {
    let controls = fs::read_to_string(path.join("cgroup.subtree_control")).unwrap_or_default();
    let has = |name| controls.split_whitespace().any(|control| control == name);
    let limits = Limits { memory: Some(1 << 30), processes: Some(64), ..Limits::none() };
    has("memory") && has("pids") && Cgroup::below(path, &limits).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

    #[test]
    fn the_own_group_and_the_one_above_are_looked_at() {
        let found = candidates(MOUNTS, "5:pids:/x\n0::/user.slice/app.slice/run-1.scope\n");
        let base = Path::new("/sys/fs/cgroup/unified/user.slice/app.slice");
        assert_eq!(found, [base.join("run-1.scope"), base.to_owned()]);
        assert!(candidates("", "0::/x\n").is_empty());
        assert!(candidates(MOUNTS, "5:pids:/x\n").is_empty());
    }

    #[test]
    fn kills_are_counted() {
        assert_eq!(counted("low 0\noom 3\noom_kill 2\n", "oom_kill"), Some(2));
        assert_eq!(counted("", "oom_kill"), None);
    }

    #[test]
    fn limits_are_written_and_events_read() {
        let base = std::env::temp_dir().join(format!("toolgate-cgroup-{}", std::process::id()));
        fs::create_dir_all(&base).unwrap();
        // A plain directory takes any file, as a group takes those it has.
        let group = Cgroup::below(&base, &Limits { memory: Some(1), ..Limits::none() }).unwrap();
        let path = group.path.clone();
        assert_eq!(fs::read_to_string(path.join("memory.max")).unwrap(), "1");
        fs::write(path.join("memory.events"), "oom_kill 1\n").unwrap();
        assert_eq!(group.tripped(), Some(Limit::Memory));
        drop(group);
        assert!(Cgroup::below(&base.join("absent"), &Limits::none()).is_none());
        fs::remove_dir_all(base).unwrap();
    }
}
