//! Landlock by its three system calls.
//!
//! The kernel's interface grows by versions. What a policy asks for is cut down to what the version
//! at hand knows, and the cut is reported, never silent.

use std::ffi::{CStr, CString};
use std::os::fd::RawFd;

use crate::sys::{self, Errno, Res};

/// Rights over files, each with the interface version that brought it.
pub(crate) mod files {
    pub(crate) const EXECUTE: u64 = 1;
    pub(crate) const WRITE: u64 = 1 << 1;
    pub(crate) const READ: u64 = 1 << 2;
    pub(crate) const LIST: u64 = 1 << 3;
    pub(crate) const REFER: u64 = 1 << 13;
    pub(crate) const TRUNCATE: u64 = 1 << 14;
    pub(crate) const DEVICE_CONTROL: u64 = 1 << 15;

    /// Removing and making entries of every kind.
    pub(crate) const ENTRIES: u64 = 0x1ff0;

    /// Everything that changes something.
    pub(crate) const CHANGE: u64 = WRITE | ENTRIES | REFER | TRUNCATE;
    /// Everything that only looks.
    pub(crate) const LOOK: u64 = EXECUTE | READ | LIST;

    /// Rights that may be given for a path that is not a directory.
    pub(crate) const OF_A_FILE: u64 = EXECUTE | WRITE | READ | TRUNCATE | DEVICE_CONTROL;
}

/// Rights over the network.
pub(crate) mod net {
    pub(crate) const BIND: u64 = 1;
    pub(crate) const CONNECT: u64 = 1 << 1;
}

/// What stays inside.
pub(crate) mod scope {
    pub(crate) const ABSTRACT_SOCKETS: u64 = 1;
    pub(crate) const SIGNALS: u64 = 1 << 1;
}

/// The version that fences abstract sockets and signals.
pub(crate) const SCOPES_SINCE: u32 = 6;

/// The interface version of this kernel; 0 is none.
pub(crate) fn version() -> u32 {
    // SAFETY: without attributes and with this flag the call only answers with a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, 1u32) };
    u32::try_from(version).unwrap_or(0)
}

/// Rights over files that a version knows.
pub(crate) const fn known_files(version: u32) -> u64 {
    match version {
        0 => 0,
        1 => 0x1fff,
        2 => 0x3fff,
        3 | 4 => 0x7fff,
        _ => 0xffff,
    }
}

/// Rules ready to be entered: everything here is already cut to the version.
#[derive(Debug, Default)]
pub(crate) struct Ruleset {
    pub(crate) files: u64,
    pub(crate) net: u64,
    pub(crate) scopes: u64,
    pub(crate) version: u32,
    pub(crate) rules: Vec<Rule>,
}

/// What may be done at and below a path.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) path: CString,
    pub(crate) allowed: u64,
    /// The path may be absent, then there is nothing to allow.
    pub(crate) optional: bool,
}

#[repr(C)]
struct RulesetAttr {
    files: u64,
    net: u64,
    scopes: u64,
}

#[repr(C, packed)]
struct PathAttr {
    allowed: u64,
    parent: RawFd,
}

impl Ruleset {
    /// Rules that handle these rights, as far as the version knows them.
    pub(crate) fn new(version: u32, files: u64, net: u64, scopes: u64) -> Option<Self> {
        if version == 0 {
            return None;
        }
        let ruleset = Self {
            files: files & known_files(version),
            net: if version >= 4 { net } else { 0 },
            scopes: if version >= SCOPES_SINCE { scopes } else { 0 },
            version,
            rules: Vec::new(),
        };
        (ruleset.files | ruleset.net | ruleset.scopes != 0).then_some(ruleset)
    }

    /// Allows rights at and below a path.
    pub(crate) fn allow(&mut self, path: CString, allowed: u64) {
        self.rules.push(Rule { path, allowed: allowed & self.files, optional: true });
    }

    /// Opens the rules' paths and makes the kernel's ruleset; the failing path comes with an error.
    ///
    /// Called in the child, after the mounts are in place.
    pub(crate) fn prepare(&self) -> Result<RawFd, (Errno, &CStr)> {
        let attr = RulesetAttr { files: self.files, net: self.net, scopes: self.scopes };
        let size = match self.version {
            0..4 => 8usize,
            4 | 5 => 16,
            _ => 24,
        };
        // SAFETY: the attributes are valid for the call; a version reads the prefix it knows.
        let ruleset =
            unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const attr, size, 0u32) };
        if ruleset < 0 {
            return Err((sys::errno(), c""));
        }
        let ruleset = ruleset as RawFd;
        for rule in &self.rules {
            if rule.allowed == 0 {
                continue;
            }
            match add(ruleset, rule) {
                Ok(()) => {}
                Err(Errno(libc::ENOENT | libc::ENOTDIR | libc::EACCES)) if rule.optional => {}
                Err(errno) => return Err((errno, &rule.path)),
            }
        }
        Ok(ruleset)
    }
}

fn add(ruleset: RawFd, rule: &Rule) -> Res<()> {
    let parent = sys::open_at(libc::AT_FDCWD, &rule.path, libc::O_PATH, 0)?;
    let mut result = add_rights(ruleset, parent, rule.allowed);
    // The kernel refuses rights over a directory's entries for what isn't a directory.
    if result == Err(Errno(libc::EINVAL)) {
        result = add_rights(ruleset, parent, rule.allowed & files::OF_A_FILE);
    }
    sys::close(parent);
    result
}

fn add_rights(ruleset: RawFd, parent: RawFd, allowed: u64) -> Res<()> {
    let attr = PathAttr { allowed, parent };
    // SAFETY: the attribute is valid for the call and laid out as rules of kind 1 (a path) are.
    let ret = unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset, 1u32, &raw const attr, 0u32) };
    if ret < 0 { Err(sys::errno()) } else { Ok(()) }
}

/// Enters a ruleset for good.
pub(crate) fn enter(ruleset: RawFd) -> Res<()> {
    // SAFETY: takes numbers only.
    let ret = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0u32) };
    if ret < 0 { Err(sys::errno()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_versions_know_less() {
        let asked = files::CHANGE | files::LOOK;
        let rights = |version| Ruleset::new(version, asked, net::BIND, scope::SIGNALS);
        assert!(rights(0).is_none());
        let first = rights(1).unwrap();
        assert_eq!((first.files & files::REFER, first.net, first.scopes), (0, 0, 0));
        let fourth = rights(4).unwrap();
        assert_eq!((fourth.files, fourth.net, fourth.scopes), (asked, net::BIND, 0));
        assert_eq!(rights(6).unwrap().scopes, scope::SIGNALS);
    }

    #[test]
    fn nothing_asked_is_no_ruleset() {
        assert!(Ruleset::new(7, 0, 0, 0).is_none());
        assert!(Ruleset::new(3, 0, net::BIND, scope::SIGNALS).is_none(), "all of it cut away");
    }
}
