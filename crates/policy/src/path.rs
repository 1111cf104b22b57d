//! Paths as text: joining, normalising, and where they lie.
//!
//! Nothing here looks at a file system. Paths are compared by components, never as strings, and a
//! component that is not known matches whatever it could be.

use crate::word::{SOME, UNKNOWN, is_exact};

/// Where a path lies, seen from the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// `/dev/null`, the standard streams, the terminal.
    Null,
    /// Below a workspace root.
    Inside,
    /// A workspace root itself.
    Root,
    /// Everything in a workspace root.
    Whole,
    /// Below a directory for temporary files.
    Scratch,
    /// Anywhere else on the file system.
    Elsewhere,
    /// In the home directory, outside the workspace.
    Home,
    /// A directory that holds a workspace, a home, or the system: losing it is losing everything.
    Above,
    /// A device.
    Device,
    /// A pseudo-device that is a connection to a host.
    Network,
    /// It cannot be known.
    Unknown,
}

/// Directories for temporary files that every system has.
pub const SCRATCH: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// The directories that places are judged by.
#[derive(Clone, Debug)]
pub struct Map {
    /// Workspace roots, absolute and normal.
    pub roots: Vec<String>,
    /// The home directory, absolute and normal.
    pub home: String,
    /// Directories for temporary files.
    pub scratch: Vec<String>,
}

impl Map {
    /// Where an absolute, normal path lies.
    #[must_use]
    pub fn place(&self, path: &str) -> Place {
        if !path.starts_with('/') {
            return Place::Unknown;
        }
        if let Some(rest) = path.strip_prefix("/dev/") {
            return device(rest);
        }
        for root in &self.roots {
            match below(root, path) {
                Some("") => return Place::Root,
                Some(rest) => {
                    // Everything in the root, but nothing above it.
                    let all = rest.chars().all(|c| c == SOME || c == '/');
                    return if all { Place::Whole } else { Place::Inside };
                }
                None => {}
            }
        }
        let bare = path.trim_end_matches([SOME, '/']);
        let holds = |inner: &str| bare.is_empty() || below(bare, inner).is_some();
        if self.roots.iter().any(|r| holds(r)) || holds(&self.home) {
            return Place::Above;
        }
        if self.scratch.iter().any(|s| below(s, path).is_some_and(|rest| !rest.is_empty())) {
            return Place::Scratch;
        }
        if below(&self.home, path).is_some() {
            return Place::Home;
        }
        if bare.matches('/').count() <= 1 && SYSTEM.contains(&bare) {
            return Place::Above;
        }
        Place::Elsewhere
    }
}

/// Top directories of a system.
const SYSTEM: [&str; 22] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/Users",
    "/System",
    "/Library",
    "/Applications",
    "/nix",
];

fn device(name: &str) -> Place {
    match name {
        "null" | "zero" | "full" | "stdin" | "stdout" | "stderr" | "tty" | "random" | "urandom" | "ptmx" => {
            Place::Null
        }
        _ if name.starts_with("fd/") && !name.contains("..") => Place::Null,
        _ if name.starts_with("tcp/") || name.starts_with("udp/") => Place::Network,
        _ if name.starts_with("shm/") => Place::Scratch,
        _ if name.starts_with("pts/") => Place::Null,
        _ => Place::Device,
    }
}

/// What is left of `path` below `dir`; `Some("")` for `dir` itself.
#[must_use]
pub fn below<'p>(dir: &str, path: &'p str) -> Option<&'p str> {
    let dir = dir.strip_suffix('/').unwrap_or(dir);
    let rest = path.strip_prefix(dir)?;
    if rest.is_empty() {
        return Some("");
    }
    rest.strip_prefix('/')
}

/// Joins a path to a directory and takes `.`, `..` and doubled slashes out.
///
/// A path that begins with something unknown stays as it is: it may be absolute.
#[must_use]
pub fn join(dir: &str, path: &str) -> String {
    if path.starts_with(UNKNOWN) || (dir.starts_with(UNKNOWN) && !path.starts_with('/')) {
        return if path.starts_with(UNKNOWN) { path.to_owned() } else { format!("{dir}/{path}") };
    }
    let mut out = String::with_capacity(dir.len() + path.len() + 1);
    if !path.starts_with('/') {
        push(&mut out, dir);
    }
    push(&mut out, path);
    if out.is_empty() {
        out.push('/');
    }
    out
}

fn push(out: &mut String, path: &str) {
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                let at = out.rfind('/').unwrap_or(0);
                // What is above something unknown is unknown too.
                if out.get(at..).is_some_and(|c| c.contains(UNKNOWN)) {
                    out.clear();
                    out.push(UNKNOWN);
                } else {
                    out.truncate(at);
                }
            }
            _ => {
                out.push('/');
                out.push_str(part);
            }
        }
    }
}

/// Aliases of the root directory under `/proc`, and the like, taken away.
///
/// `/proc/self/root/usr/bin/curl` is `/usr/bin/curl`.
#[must_use]
pub fn without_aliases(path: &str) -> &str {
    let mut path = path;
    loop {
        let Some(rest) = path.strip_prefix("/proc/") else { return path };
        let Some((_, tail)) = rest.split_once('/') else { return path };
        let Some(tail) = tail.strip_prefix("root") else { return path };
        if tail.is_empty() {
            return "/";
        }
        if !tail.starts_with('/') {
            return path;
        }
        path = tail;
    }
}

/// The last component.
#[must_use]
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a component that is known in part could be this name. A component of which nothing is known
/// could be any, and says nothing.
#[must_use]
pub fn could_be(part: &str, name: &str) -> bool {
    if is_exact(part) {
        return part.eq_ignore_ascii_case(name);
    }
    if part.chars().all(|c| c == SOME || c == UNKNOWN) {
        return false;
    }
    let pattern: String =
        part.chars().map(|c| if c == SOME || c == UNKNOWN { '*' } else { c.to_ascii_lowercase() }).collect();
    crate::argv::glob(&pattern, &name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> Map {
        Map {
            roots: vec!["/home/dev/work/repo".into()],
            home: "/home/dev".into(),
            scratch: vec!["/tmp".into()],
        }
    }

    #[test]
    fn joining_removes_dots_and_climbs() {
        assert_eq!(join("/a/b", "../c"), "/a/c");
        assert_eq!(join("/a/b", "../../.."), "/");
        assert_eq!(join("/a", "/x//y/./z"), "/x/y/z");
        assert_eq!(join("/a", &format!("{UNKNOWN}/x")), format!("{UNKNOWN}/x"));
    }

    #[test]
    fn places_are_told_by_components_and_not_by_prefix() {
        let m = map();
        assert_eq!(m.place("/home/dev/work/repo/a"), Place::Inside);
        assert_eq!(m.place("/home/dev/work/repo2/a"), Place::Home);
        assert_eq!(m.place("/home/dev/work/repo"), Place::Root);
        assert_eq!(m.place("/home/dev/work"), Place::Above);
        assert_eq!(m.place("/"), Place::Above);
        assert_eq!(m.place(&format!("/{SOME}")), Place::Above);
        assert_eq!(m.place(&format!("/home/dev/{SOME}")), Place::Above);
        assert_eq!(m.place("/etc"), Place::Above);
        assert_eq!(m.place("/etc/hosts"), Place::Elsewhere);
        assert_eq!(m.place("/tmp/x"), Place::Scratch);
        assert_eq!(m.place("/dev/null"), Place::Null);
        assert_eq!(m.place("/dev/sda"), Place::Device);
        assert_eq!(m.place("/dev/tcp/h/1"), Place::Network);
    }

    #[test]
    fn the_root_has_aliases() {
        assert_eq!(without_aliases("/proc/self/root/usr/bin/curl"), "/usr/bin/curl");
        assert_eq!(without_aliases("/proc/1/root/proc/2/root/etc"), "/etc");
        assert_eq!(without_aliases("/proc/self/rooty/x"), "/proc/self/rooty/x");
    }
}
