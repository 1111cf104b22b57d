//! The boundary as the configuration describes it.

use std::path::Path;
use std::time::Duration;

use toolgate_sandbox::{Guard, Level, Limits, Nesting, Network, Policy, Protected, Strictness};

use crate::config::{SandboxConfig, SandboxLimits, SandboxNetwork, SandboxPreset};

impl SandboxConfig {
    /// The policy that this section describes, for a home and the workspace that commands work in.
    ///
    /// ```
    /// use toolgate::config::SandboxConfig;
    /// use toolgate::spawn::BoundaryNetwork;
    ///
    /// let policy = SandboxConfig::default().policy("/home/ann".as_ref(), "/home/ann/project".as_ref());
    /// assert_eq!(policy.writable, ["/home/ann/project"].map(std::path::PathBuf::from));
    /// assert_eq!(policy.network, BoundaryNetwork::Deny);
    /// ```
    pub fn policy(&self, home: &Path, workspace: &Path) -> Policy {
        let mut policy = match self.preset {
            SandboxPreset::ReadOnly => Policy::read_only(home),
            SandboxPreset::WorkspaceWrite => Policy::workspace_write(home, workspace),
            SandboxPreset::Open => Policy::open(home),
        };
        policy.writable.extend(self.writable.iter().cloned());
        policy.hidden.extend(self.hidden.iter().cloned());
        if self.hide_env_files {
            // Wherever commands may write they find it as soon as they look.
            policy = policy.hide_dotenv();
            if self.preset == SandboxPreset::ReadOnly {
                let mut there = Policy::workspace_write(home, workspace);
                there.hidden.clear();
                policy.hidden.extend(there.hide_dotenv().hidden);
            }
        }
        let protected = self.protected.iter();
        policy
            .protected
            .extend(protected.map(|name| Protected { name: name.clone().into(), guard: Guard::ReadOnly }));
        policy.network = match self.network {
            SandboxNetwork::Deny => Network::Deny,
            SandboxNetwork::Allow => Network::Allow,
        };
        if self.strict {
            policy.strictness = Strictness::Strict;
        }
        if self.nested {
            policy.nesting = Nesting::Allow;
        }
        if self.degrade {
            policy.least = Level::None;
        }
        self.limits.apply(&mut policy.limits);
        policy
    }
}

impl SandboxLimits {
    fn apply(&self, limits: &mut Limits) {
        let some = |value: u64| Some(value).filter(|value| *value > 0);
        let bytes = |value: u64| some(value).map(|mebibytes| mebibytes << 20);
        limits.wall = some(self.wall_secs).map(Duration::from_secs);
        limits.cpu = some(self.cpu_secs).map(Duration::from_secs);
        limits.memory = bytes(self.memory_mb);
        limits.processes = Some(self.processes).filter(|most| *most > 0);
        limits.file_size = bytes(self.file_size_mb);
        limits.open_files = some(self.open_files);
        limits.scratch = bytes(self.scratch_mb);
        limits.output = bytes(self.output_mb);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_says_what_the_policy_holds() {
        let section = SandboxConfig {
            writable: vec!["/cache".into()],
            hidden: vec!["/data/keys".into()],
            protected: vec!["deploy".to_owned()],
            hide_env_files: true,
            strict: true,
            limits: SandboxLimits { memory_mb: 3, cpu_secs: 7, scratch_mb: 0, ..Default::default() },
            ..Default::default()
        };
        let policy = section.policy("/home/ann".as_ref(), "/w".as_ref());
        assert_eq!(policy.writable, ["/w", "/cache"].map(std::path::PathBuf::from));
        for hidden in ["/data/keys", "/home/ann/.ssh", "/w/.env"] {
            assert!(policy.hidden.iter().any(|path| path == Path::new(hidden)), "{hidden}");
        }
        assert!(policy.protected.contains(&Protected { name: "deploy".into(), guard: Guard::ReadOnly }));
        assert_eq!(policy.strictness, Strictness::Strict);
        assert_eq!((policy.limits.memory, policy.limits.scratch), (Some(3 << 20), None));
        assert_eq!(policy.limits.cpu, Some(Duration::from_secs(7)));
        assert_eq!(policy.least, Level::Full);
    }

    #[test]
    fn the_defaults_are_the_presets_own() {
        let policy = SandboxConfig::default().policy("/h".as_ref(), "/w".as_ref());
        assert_eq!(policy, Policy::workspace_write("/h".as_ref(), "/w".as_ref()));
    }

    #[test]
    fn env_files_are_hidden_in_a_workspace_that_is_only_read() {
        let section =
            SandboxConfig { preset: SandboxPreset::ReadOnly, hide_env_files: true, ..Default::default() };
        let policy = section.policy("/h".as_ref(), "/w".as_ref());
        assert!(policy.hidden.iter().any(|path| path == Path::new("/w/.env")) && policy.writable.is_empty());
    }
}
