//! How much of a policy was really enforced, what is missing, and what would mend it.

use std::fmt;
use std::path::PathBuf;

use crate::sys::Errno;

/// How much of the boundary holds, from nothing to all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The command runs with the caller's rights; only the process group is its own.
    None,
    /// File and network rules hold; nothing is private or hidden from sight.
    Landlock,
    /// All but the process list: the command sees the names of the host's processes.
    FullNoProc,
    /// All of it.
    Full,
}

impl Level {
    /// The level's name in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::FullNoProc => "full-no-proc",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What holds for one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enforcement {
    /// How much of the boundary holds.
    pub level: Level,
    /// What was asked for and isn't in force, most important first.
    pub missing: Vec<Missing>,
    /// The version of the kernel's Landlock interface in use; 0 is none.
    pub landlock_abi: u32,
}

/// A step of setting up the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Stage {
    /// Making the namespaces.
    Namespaces,
    /// Mapping the user into its namespace.
    Identity,
    /// Making the file system read-only and the writable directories writable.
    Mounts,
    /// Making the private directories.
    Scratch,
    /// Making the private devices.
    Devices,
    /// Mounting a fresh process list.
    Proc,
    /// Protecting names inside the writable directories.
    Protect,
    /// Hiding secrets.
    Hide,
    /// Setting up the private network.
    Network,
    /// Setting limits.
    Limits,
    /// Dropping privileges.
    Privileges,
    /// Entering the Landlock rules.
    Landlock,
    /// Entering the system call filter.
    Seccomp,
    /// Making a terminal.
    Terminal,
    /// Entering the working directory.
    Directory,
    /// Starting the program.
    Program,
}

impl Stage {
    const ALL: [Self; 16] = [
        Self::Namespaces,
        Self::Identity,
        Self::Mounts,
        Self::Scratch,
        Self::Devices,
        Self::Proc,
        Self::Protect,
        Self::Hide,
        Self::Network,
        Self::Limits,
        Self::Privileges,
        Self::Landlock,
        Self::Seccomp,
        Self::Terminal,
        Self::Directory,
        Self::Program,
    ];

    pub(crate) fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|&stage| stage as u64 == number)
    }

    /// What was being done, as a phrase.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Namespaces => "making namespaces",
            Self::Identity => "mapping the user into its namespace",
            Self::Mounts => "making the file system read-only",
            Self::Scratch => "making private directories",
            Self::Devices => "making private devices",
            Self::Proc => "mounting a fresh process list",
            Self::Protect => "protecting a name",
            Self::Hide => "hiding a path",
            Self::Network => "setting up a private network",
            Self::Limits => "setting limits",
            Self::Privileges => "dropping privileges",
            Self::Landlock => "entering landlock rules",
            Self::Seccomp => "entering the system call filter",
            Self::Terminal => "making a terminal",
            Self::Directory => "entering the working directory",
            Self::Program => "starting the program",
        }
    }
}

/// Something that was asked for and isn't in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The machine refuses namespaces, at this step.
    Namespaces {
        /// Where it failed.
        at: Stage,
        /// How.
        errno: Errno,
    },
    /// A fresh process list can't be mounted; the names of the host's processes are visible.
    FreshProc {
        /// How it failed.
        errno: Errno,
    },
    /// The kernel has no Landlock, or an older one than the level needs.
    Landlock {
        /// What it has; 0 is none.
        abi: u32,
        /// What is needed.
        needed: u32,
    },
    /// The kernel has no system call filters, or not for this processor.
    Seccomp,
    /// A private network can't be made.
    NetworkNamespace {
        /// How it failed.
        errno: Errno,
    },
    /// Named sockets outside the file system can be reached.
    AbstractSockets,
    /// Hidden paths keep their contents secret, but their names and sizes can be seen.
    HiddenNames,
    /// A hidden path inside a writable directory can be read.
    HiddenPath(PathBuf),
    /// Protected names inside the writable directories can be changed.
    ProtectedNames,
    /// Modes, owners and times of any file the user owns can be changed.
    Metadata,
    /// `/tmp`, `/dev/shm` and `/run` are the host's.
    PrivateScratch,
    /// Sockets of the host's services can be connected to.
    HostSockets,
    /// The memory limit holds for each process alone and not for memory files.
    MemoryLimit,
    /// The number of processes is only watched.
    ProcessLimit,
}

impl Missing {
    /// Those without contents.
    pub(crate) fn plain() -> [Self; 9] {
        [
            Self::Seccomp,
            Self::AbstractSockets,
            Self::HiddenNames,
            Self::ProtectedNames,
            Self::Metadata,
            Self::PrivateScratch,
            Self::HostSockets,
            Self::MemoryLimit,
            Self::ProcessLimit,
        ]
    }

    /// What it is and what it means.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Namespaces { .. } => "namespaces",
            Self::FreshProc { .. } => "fresh-proc",
            Self::Landlock { .. } => "landlock",
            Self::Seccomp => "seccomp",
            Self::NetworkNamespace { .. } => "network-namespace",
            Self::AbstractSockets => "abstract-sockets",
            Self::HiddenNames => "hidden-names",
            Self::HiddenPath(_) => "hidden-path",
            Self::ProtectedNames => "protected-names",
            Self::Metadata => "metadata",
            Self::PrivateScratch => "private-scratch",
            Self::HostSockets => "host-sockets",
            Self::MemoryLimit => "memory-limit",
            Self::ProcessLimit => "process-limit",
        }
    }

    /// What a person can do about it on this machine, if anything.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Namespaces { at, errno } => Some(remedy_for_namespaces(*at, *errno)),
            Self::FreshProc { .. } => Some(
                "the outer container masks parts of /proc: start it with an unmasked one \
                 (docker: --security-opt systempaths=unconfined; kubernetes: procMount: Unmasked)"
                    .to_owned(),
            ),
            Self::Landlock { needed, .. } => Some(format!(
                "use a kernel with landlock interface {needed} or newer ({}), built with \
                 CONFIG_SECURITY_LANDLOCK and with landlock in the lsm= list",
                match needed {
                    0..=3 => "linux 6.2",
                    4..=5 => "linux 6.10",
                    _ => "linux 6.12",
                }
            )),
            Self::Seccomp => {
                Some("use a kernel built with CONFIG_SECCOMP_FILTER on x86-64 or arm64".to_owned())
            }
            Self::NetworkNamespace { errno } => Some(remedy_for_namespaces(Stage::Network, *errno)),
            Self::MemoryLimit | Self::ProcessLimit => Some(
                "run under a delegated version 2 cgroup: systemd-run --user --scope -p Delegate=yes"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespaces { at, errno } => {
                write!(f, "namespaces are refused here ({}: {errno})", at.phrase())
            }
            Self::FreshProc { errno } => write!(f, "no fresh process list ({errno})"),
            Self::Landlock { abi: 0, .. } => f.write_str("this kernel has no landlock"),
            Self::Landlock { abi, needed } => {
                write!(f, "landlock interface {abi} is older than the {needed} needed")
            }
            Self::Seccomp => f.write_str("no system call filter on this kernel or processor"),
            Self::NetworkNamespace { errno } => write!(f, "no private network ({errno})"),
            Self::AbstractSockets => f.write_str("abstract local sockets of the host can be reached"),
            Self::HiddenNames => f.write_str("names and sizes of hidden files can be seen"),
            Self::HiddenPath(path) => write!(f, "{} can be read", path.display()),
            Self::ProtectedNames => f.write_str("protected names can be changed"),
            Self::Metadata => f.write_str("modes, owners and times of the user's files can be changed"),
            Self::PrivateScratch => f.write_str("/tmp, /dev/shm and /run are the host's"),
            Self::HostSockets => f.write_str("local sockets of the host's services can be reached"),
            Self::MemoryLimit => f.write_str("memory is watched and limited for each process alone"),
            Self::ProcessLimit => f.write_str("the number of processes is only watched"),
        }
    }
}

/// Names the setting that refused namespaces, as far as the machine tells.
fn remedy_for_namespaces(at: Stage, errno: Errno) -> String {
    let setting = |name: &str| std::fs::read_to_string(name).ok().map(|text| text.trim().to_owned());
    if errno == Errno(libc::ENOSPC) {
        return "no user namespace may be made (not a matter of disk space): \
                sysctl -w user.max_user_namespaces=15000, or nest less deeply"
            .to_owned();
    }
    if errno == Errno(libc::ENOSYS) || errno == Errno(libc::EINVAL) {
        return "use linux 5.12 or newer, built with CONFIG_USER_NS".to_owned();
    }
    if setting("/proc/sys/user/max_user_namespaces").as_deref() == Some("0") {
        return "sysctl -w user.max_user_namespaces=15000".to_owned();
    }
    if setting("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0") {
        return "sysctl -w kernel.unprivileged_userns_clone=1".to_owned();
    }
    if setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1") {
        return "AppArmor restricts user namespaces: give the toolgate binary a profile with the rule \
                `userns,` in /etc/apparmor.d/toolgate, or sysctl -w \
                kernel.apparmor_restrict_unprivileged_userns=0"
            .to_owned();
    }
    if at == Stage::Namespaces && errno == Errno(libc::EPERM) {
        return "the kernel refuses user namespaces to this process: inside a container, allow them \
                (docker: --security-opt seccomp=unconfined, or a profile that allows clone with \
                CLONE_NEWUSER); inside a chroot, start from the real root"
            .to_owned();
    }
    "a security module or an outer container refuses this to unprivileged users: allow mounts inside \
     user namespaces for the toolgate binary"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_by_strength() {
        assert!(Level::None < Level::Landlock);
        assert!(Level::Landlock < Level::FullNoProc);
        assert!(Level::FullNoProc < Level::Full);
    }

    #[test]
    fn every_stage_has_its_own_number() {
        for (index, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, index);
            assert_eq!(Stage::from_number(index as u64), Some(stage));
        }
        assert_eq!(Stage::from_number(Stage::ALL.len() as u64), None);
    }

    #[test]
    fn no_space_is_about_namespaces_not_disk() {
        let missing = Missing::Namespaces { at: Stage::Namespaces, errno: Errno(libc::ENOSPC) };
        let remedy = missing.remedy().unwrap();
        assert!(remedy.contains("user.max_user_namespaces") && remedy.contains("not a matter of disk"));
    }
}
