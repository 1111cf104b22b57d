//! What a command may do inside the boundary.
//!
//! Plain data: nothing here looks at the machine. [`crate::Sandbox`] turns a policy into mounts,
//! rules and filters, and says how much of it was really enforced.

mod environment;
mod hidden;
mod limits;
mod protected;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use environment::{DEFAULT_ENVIRONMENT, PROXY_ENVIRONMENT, name_matches};
pub use hidden::{DEFAULT_HIDDEN, HiddenPath};
pub use limits::Limits;
pub use protected::{DEFAULT_PROTECTED, Guard, Protected, ProtectedName};

use crate::enforcement::Level;

/// What a command may do inside the boundary.
///
/// Start from a preset and change what differs:
///
/// ```
/// use toolgate_sandbox::{Network, Policy};
///
/// let mut policy = Policy::workspace_write("/home/ann".as_ref(), "/home/ann/project".as_ref());
/// policy.writable.push("/home/ann/.cache/build".into());
/// policy.network = Network::Allow;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The home directory the default hidden paths are relative to.
    pub home: PathBuf,
    /// Directories the command may change; everything else is read-only.
    pub writable: Vec<PathBuf>,
    /// What of the file system can be read.
    pub view: View,
    /// Files and directories that answer "permission denied", whoever owns them.
    pub hidden: Vec<PathBuf>,
    /// Names inside the writable directories that stay as they are, or whose change is reported.
    pub protected: Vec<Protected>,
    /// What of the network can be reached.
    pub network: Network,
    /// How much the command may use.
    pub limits: Limits,
    /// Names of host variables that reach the command; a trailing `*` matches any rest.
    pub environment: Vec<Cow<'static, str>>,
    /// Whether `/tmp`, `/dev` and `/run` are the command's own or the host's.
    pub scratch: Scratch,
    /// How much may be given up for hardness.
    pub strictness: Strictness,
    /// Whether programs inside may make user namespaces of their own.
    pub nesting: Nesting,
    /// What a superuser's command may still do.
    pub privileges: Privileges,
    /// The least enforcement the caller accepts; less than this is a refusal.
    pub least: Level,
}

/// What of the file system can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// Everything the user can read, but for the hidden paths.
    Everything,
    /// Only these paths and the writable directories; nothing else exists.
    Only(Vec<PathBuf>),
}

/// What of the network can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// Nothing: no socket but local ones between the command's own processes.
    Deny,
    /// A loopback of the command's own; nothing outside.
    Loopback,
    /// The host's network.
    Allow,
    /// These names only. Not yet enforceable, so asking for it is a refusal.
    Only(Vec<String>),
}

/// Whether `/tmp`, `/dev` and `/run` are the command's own or the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scratch {
    /// Fresh and empty for each command, gone with it.
    Private,
    /// The host's, with its sockets and other programs' files.
    Host,
}

/// How much may be given up for hardness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Local sockets among the command's own processes work.
    Standard,
    /// A network namespace as well, and no named local sockets at all.
    Strict,
}

/// Whether programs inside may make user namespaces of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    /// No: it is the widest door into the kernel.
    Deny,
    /// Yes, for browsers and build tools that bring their own sandbox.
    Allow,
}

/// What a superuser's command may still do inside the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privileges {
    /// Nothing: every capability is dropped.
    None,
    /// Own and enter other users' files, and change user: what package managers need.
    Files,
}

impl Policy {
    /// Everything can be read but secrets; nothing can be changed; no network.
    #[must_use]
    pub fn read_only(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            writable: Vec::new(),
            view: View::Everything,
            hidden: DEFAULT_HIDDEN.iter().map(|path| path.under(home)).collect(),
            protected: DEFAULT_PROTECTED.iter().map(ProtectedName::to_protected).collect(),
            network: Network::Deny,
            limits: Limits::default(),
            environment: DEFAULT_ENVIRONMENT.iter().map(|&name| name.into()).collect(),
            scratch: Scratch::Private,
            strictness: Strictness::Standard,
            nesting: Nesting::Deny,
            privileges: Privileges::None,
            least: Level::Full,
        }
    }

    /// As [`Policy::read_only`], but the workspace can be changed.
    #[must_use]
    pub fn workspace_write(home: &Path, workspace: &Path) -> Self {
        let mut policy = Self::read_only(home);
        policy.writable.push(workspace.to_owned());
        policy
    }

    /// The host's files and network as the user has them; only the process tree is bounded.
    ///
    /// What stays: the whole tree ends with the command, no privilege is gained, other processes
    /// can't be seen or signalled, and the kernel's rarely used doors are shut.
    #[must_use]
    pub fn open(home: &Path) -> Self {
        let mut policy = Self::read_only(home);
        policy.writable.push(PathBuf::from("/"));
        policy.hidden.clear();
        policy.protected.clear();
        policy.network = Network::Allow;
        policy.scratch = Scratch::Host;
        policy.privileges = Privileges::Files;
        policy.environment = vec!["*".into()];
        policy
    }

    /// Hides the workspace's own secret files (`.env` and its kin) as well.
    #[must_use]
    pub fn hide_dotenv(mut self) -> Self {
        let names =
            [".env", ".env.local", ".env.development", ".env.production", ".env.test", ".env.staging"];
        for root in &self.writable {
            self.hidden.extend(names.iter().map(|name| root.join(name)));
        }
        self
    }

    /// Whether a variable of this name reaches the command from the host's environment.
    #[must_use]
    pub fn passes(&self, name: &str) -> bool {
        self.environment.iter().any(|pattern| name_matches(pattern, name))
            || (self.network == Network::Allow
                && PROXY_ENVIRONMENT.iter().any(|pattern| name_matches(pattern, name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_differ_where_they_say() {
        let home = Path::new("/home/ann");
        let read_only = Policy::read_only(home);
        let workspace = Policy::workspace_write(home, Path::new("/home/ann/w"));
        let open = Policy::open(home);
        assert!(read_only.writable.is_empty() && read_only.network == Network::Deny);
        assert_eq!(workspace.writable, [Path::new("/home/ann/w")]);
        assert!(workspace.hidden.contains(&home.join(".ssh")));
        assert!(open.network == Network::Allow && open.hidden.is_empty());
        assert_eq!(open.least, Level::Full, "an open policy is still honest about its level");
    }

    #[test]
    fn secrets_in_the_environment_stay_outside() {
        let policy = Policy::read_only(Path::new("/home/ann"));
        for name in ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "CARGO_HOME"] {
            assert!(policy.passes(name), "{name}");
        }
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "SSH_AUTH_SOCK",
            "DBUS_SESSION_BUS_ADDRESS",
            "LD_PRELOAD",
            "BASH_ENV",
            "BASH_FUNC_ls%%",
            "HTTPS_PROXY",
            "PATHS",
        ] {
            assert!(!policy.passes(name), "{name}");
        }
    }

    #[test]
    fn proxies_follow_the_network() {
        let mut policy = Policy::read_only(Path::new("/home/ann"));
        policy.network = Network::Allow;
        assert!(policy.passes("HTTPS_PROXY") && policy.passes("no_proxy"));
    }
}
