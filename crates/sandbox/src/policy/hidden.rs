//! Paths that answer "permission denied" by default: credentials, key stores, private history.
//!
//! One entry per thing, with the reason it is here. A path that doesn't exist costs one `stat`.

use std::path::{Path, PathBuf};

/// A path hidden by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenPath {
    /// Relative to the home directory, or absolute.
    pub path: &'static str,
    /// What a program could do with it.
    pub why: &'static str,
}

impl HiddenPath {
    /// The path for this home directory.
    #[must_use]
    pub fn under(&self, home: &Path) -> PathBuf {
        // A hundred of them are made at each start: each in one piece.
        let mut path = PathBuf::with_capacity(home.as_os_str().len() + 1 + self.path.len());
        path.push(home);
        path.push(self.path);
        path
    }
}

const fn hide(path: &'static str, why: &'static str) -> HiddenPath {
    HiddenPath { path, why }
}

/// Paths hidden by default.
pub const DEFAULT_HIDDEN: &[HiddenPath] = &[
    // Keys.
    hide(".ssh", "log in elsewhere as the user; known_hosts names the machines"),
    hide(".gnupg", "sign and decrypt as the user"),
    hide(".pki", "client certificates"),
    hide(".age", "decrypt as the user"),
    hide(".config/age", "decrypt as the user"),
    hide(".config/sops", "decrypt as the user"),
    hide(".password-store", "every password of the user"),
    hide(".local/share/keyrings", "every password of the desktop session"),
    hide(".local/share/kwalletd", "every password of the desktop session"),
    hide(".config/Bitwarden", "password vault"),
    hide(".config/Bitwarden CLI", "password vault"),
    hide(".config/op", "password vault"),
    hide(".config/1Password", "password vault"),
    hide(".config/keepassxc", "password vault"),
    // Clouds and clusters.
    hide(".aws", "act in the cloud as the user"),
    hide(".azure", "act in the cloud as the user"),
    hide(".config/gcloud", "act in the cloud as the user"),
    hide(".config/doctl", "act in the cloud as the user"),
    hide(".config/hcloud", "act in the cloud as the user"),
    hide(".config/linode-cli", "act in the cloud as the user"),
    hide(".config/scw", "act in the cloud as the user"),
    hide(".oci", "act in the cloud as the user"),
    hide(".aliyun", "act in the cloud as the user"),
    hide(".bluemix", "act in the cloud as the user"),
    hide(".fly", "deploy as the user"),
    hide(".config/heroku", "deploy as the user"),
    hide(".local/share/com.vercel.cli", "deploy as the user"),
    hide(".config/netlify", "deploy as the user"),
    hide(".wrangler", "deploy as the user"),
    hide(".config/.wrangler", "deploy as the user"),
    hide(".kube", "act in clusters as the user"),
    hide(".config/helm", "registry passwords"),
    hide(".docker", "registry passwords and contexts; a context is root on another host"),
    hide(".config/containers/auth.json", "registry passwords"),
    hide(".terraform.d", "infrastructure tokens"),
    hide(".terraformrc", "infrastructure tokens"),
    hide(".pulumi", "infrastructure tokens"),
    hide(".vault-token", "every secret of the team"),
    hide(".databrickscfg", "data platform token"),
    hide(".snowflake", "data platform password"),
    hide(".s3cfg", "object store keys"),
    hide(".boto", "object store keys"),
    hide(".config/rclone", "keys of every remote store"),
    // Package and code forges.
    hide(".netrc", "passwords by host"),
    hide("_netrc", "passwords by host"),
    hide(".git-credentials", "push as the user"),
    hide(".config/git/credentials", "push as the user"),
    hide(".config/gh", "act on the forge as the user"),
    hide(".config/hub", "act on the forge as the user"),
    hide(".config/glab-cli", "act on the forge as the user"),
    hide(".config/tea", "act on the forge as the user"),
    hide(".npmrc", "publish packages as the user"),
    hide(".yarnrc.yml", "publish packages as the user"),
    hide(".pypirc", "publish packages as the user"),
    hide(".config/pypoetry/auth.toml", "publish packages as the user"),
    hide(".cargo/credentials", "publish packages as the user"),
    hide(".cargo/credentials.toml", "publish packages as the user"),
    hide(".gem/credentials", "publish packages as the user"),
    hide(".m2/settings-security.xml", "repository passwords"),
    hide(".composer/auth.json", "repository passwords"),
    hide(".config/composer/auth.json", "repository passwords"),
    hide(".nuget/NuGet/NuGet.Config", "repository passwords"),
    // Agents and models.
    hide(".claude/.credentials.json", "spend and read as the user"),
    hide(".claude.json", "spend and read as the user"),
    hide(".codex/auth.json", "spend and read as the user"),
    hide(".gemini/oauth_creds.json", "spend and read as the user"),
    hide(".config/github-copilot", "spend and read as the user"),
    hide(".cache/huggingface/token", "publish models as the user"),
    hide(".huggingface", "publish models as the user"),
    hide(".kaggle", "publish data as the user"),
    hide(".config/openai", "spend as the user"),
    // Databases.
    hide(".pgpass", "database passwords"),
    hide(".my.cnf", "database passwords"),
    hide(".mylogin.cnf", "database passwords"),
    hide(".mongorc.js", "database passwords"),
    hide(".dbshell", "database history, often with passwords"),
    // Browsers and mail: cookies are sessions.
    hide(".mozilla", "cookies and passwords"),
    hide(".librewolf", "cookies and passwords"),
    hide(".thunderbird", "mail and passwords"),
    hide(".config/google-chrome", "cookies and passwords"),
    hide(".config/google-chrome-beta", "cookies and passwords"),
    hide(".config/chromium", "cookies and passwords"),
    hide(".config/BraveSoftware", "cookies and passwords"),
    hide(".config/microsoft-edge", "cookies and passwords"),
    hide(".config/vivaldi", "cookies and passwords"),
    hide(".config/opera", "cookies and passwords"),
    hide(".config/Slack", "a session as the user"),
    hide(".config/discord", "a session as the user"),
    hide(".config/Signal", "private messages"),
    hide(".local/share/TelegramDesktop", "a session as the user"),
    hide("snap/firefox", "cookies and passwords"),
    hide("snap/chromium", "cookies and passwords"),
    hide(".var/app/org.mozilla.firefox", "cookies and passwords"),
    hide(".var/app/com.google.Chrome", "cookies and passwords"),
    // What was typed before: tokens on command lines.
    hide(".bash_history", "secrets once typed"),
    hide(".zsh_history", "secrets once typed"),
    hide(".histfile", "secrets once typed"),
    hide(".local/share/fish/fish_history", "secrets once typed"),
    hide(".local/state/bash", "secrets once typed"),
    hide(".python_history", "secrets once typed"),
    hide(".node_repl_history", "secrets once typed"),
    hide(".psql_history", "secrets once typed"),
    hide(".mysql_history", "secrets once typed"),
    hide(".sqlite_history", "secrets once typed"),
    hide(".rediscli_history", "secrets once typed"),
    hide(".lesshst", "what was searched for"),
    hide(".viminfo", "what was edited, with registers"),
    hide(".local/share/atuin", "secrets once typed"),
    // The desktop session.
    hide(".Xauthority", "read the keyboard and the screen"),
    hide(".ICEauthority", "join the desktop session"),
    hide(".dbus", "join the desktop session"),
    // The machine's own, readable when the user is root.
    hide("/etc/shadow", "password hashes"),
    hide("/etc/shadow-", "password hashes"),
    hide("/etc/gshadow", "password hashes"),
    hide("/etc/gshadow-", "password hashes"),
    hide("/etc/sudoers", "who may become root"),
    hide("/etc/sudoers.d", "who may become root"),
    hide("/etc/ssl/private", "the machine's private keys"),
    hide("/etc/ssh/ssh_host_rsa_key", "pretend to be the machine"),
    hide("/etc/ssh/ssh_host_ecdsa_key", "pretend to be the machine"),
    hide("/etc/ssh/ssh_host_ed25519_key", "pretend to be the machine"),
    hide("/etc/kubernetes", "the node's cluster credentials"),
    hide("/etc/rancher", "the node's cluster credentials"),
    hide("/var/lib/docker", "every container's files"),
    hide("/var/lib/containerd", "every container's files"),
    hide("/var/lib/kubelet", "every pod's secrets"),
    hide("/var/run/secrets", "the pod's service account"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_named_once_and_has_a_reason() {
        let mut seen = std::collections::HashSet::new();
        for entry in DEFAULT_HIDDEN {
            assert!(seen.insert(entry.path), "{} is there twice", entry.path);
            assert!(!entry.why.is_empty() && !entry.path.is_empty());
        }
    }

    #[test]
    fn absolute_entries_ignore_the_home() {
        let home = Path::new("/home/ann");
        assert_eq!(hide("/etc/shadow", "x").under(home), Path::new("/etc/shadow"));
        assert_eq!(hide(".ssh", "x").under(home), Path::new("/home/ann/.ssh"));
    }
}
