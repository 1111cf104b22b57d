//! Names inside a writable directory that some other program trusts and runs.
//!
//! Writing one of these is how a contained command would act later, outside the boundary, as the
//! user. Those that exist are read-only inside; for those that don't, nothing is put into the
//! user's tree (a mount point would be left behind), and their appearance is reported at the end.

use std::borrow::Cow;

/// What happens to a protected name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// It can't be changed, moved or replaced if it exists; if it appears, that is reported.
    ReadOnly,
    /// It can be changed; that it was is reported.
    Report,
}

/// A name inside each writable directory, and what happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// Relative to a writable directory.
    pub name: Cow<'static, str>,
    /// What happens to it.
    pub guard: Guard,
}

/// A name protected by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtectedName {
    /// Relative to a writable directory.
    pub name: &'static str,
    /// What happens to it.
    pub guard: Guard,
    /// Who would run it.
    pub why: &'static str,
}

impl ProtectedName {
    /// The form a policy holds.
    #[must_use]
    pub fn to_protected(&self) -> Protected {
        Protected { name: self.name.into(), guard: self.guard }
    }
}

const fn read_only(name: &'static str, why: &'static str) -> ProtectedName {
    ProtectedName { name, guard: Guard::ReadOnly, why }
}

const fn report(name: &'static str, why: &'static str) -> ProtectedName {
    ProtectedName { name, guard: Guard::Report, why }
}

/// Names protected by default.
///
/// `.git` stands for more than itself: where it is a repository its `hooks`, `config`,
/// `config.worktree`, the directory `core.hooksPath` names and each submodule's like are meant;
/// where it is the file of a linked worktree, the file.
pub const DEFAULT_PROTECTED: &[ProtectedName] = &[
    read_only(".git", "git runs hooks, and programs its configuration names"),
    report(".gitmodules", "git fetches what it names"),
    read_only(".hg/hgrc", "mercurial runs hooks it names"),
    read_only(".husky", "a common place of git hooks"),
    read_only(".githooks", "a common place of git hooks"),
    read_only(".pre-commit-config.yaml", "runs programs at each commit"),
    read_only("lefthook.yml", "runs programs at each commit"),
    // Editors run these when the directory is opened.
    read_only(".vscode", "the editor runs its tasks and programs its settings name"),
    read_only(".idea", "the editor runs its run configurations"),
    read_only(".zed", "the editor runs its tasks"),
    read_only(".fleet", "the editor runs its run configurations"),
    read_only(".devcontainer", "the editor builds and starts it"),
    read_only(".devcontainer.json", "the editor builds and starts it"),
    read_only(".exrc", "the editor runs its commands"),
    read_only(".nvim.lua", "the editor runs it"),
    read_only(".vimrc", "the editor runs its commands"),
    read_only(".dir-locals.el", "the editor evaluates it"),
    // Shells run these on entering the directory, or at start where it is a home.
    read_only(".envrc", "direnv runs it on entering the directory"),
    read_only("mise.toml", "mise runs its hooks on entering the directory"),
    read_only(".mise.toml", "mise runs its hooks on entering the directory"),
    read_only(".tool-versions", "picks the programs the shell runs"),
    read_only(".bashrc", "the shell runs it at start"),
    read_only(".bash_profile", "the shell runs it at start"),
    read_only(".bash_login", "the shell runs it at start"),
    read_only(".bash_logout", "the shell runs it at the end"),
    read_only(".bash_aliases", "the shell runs it at start"),
    read_only(".profile", "the shell runs it at start"),
    read_only(".zshrc", "the shell runs it at start"),
    read_only(".zshenv", "the shell runs it at start"),
    read_only(".zprofile", "the shell runs it at start"),
    read_only(".zlogin", "the shell runs it at start"),
    read_only(".inputrc", "binds keys to commands"),
    read_only(".config/fish", "the shell runs it at start"),
    read_only(".config/autostart", "the desktop runs it at log-in"),
    read_only(".config/systemd", "the session runs its units"),
    read_only(".local/bin", "first in the user's PATH"),
    read_only(".ssh", "who may log in as the user"),
    read_only(".gitconfig", "git runs programs it names"),
    read_only(".config/git", "git runs programs it names"),
    read_only(".npmrc", "npm runs programs it names and trusts its registry"),
    read_only(".yarnrc.yml", "yarn loads the program it names"),
    read_only(".cargo/config", "cargo runs programs it names"),
    read_only(".cargo/config.toml", "cargo runs programs it names"),
    read_only(".mvn", "maven loads the extensions it names"),
    // Agents and their guards: these decide what the next command may do.
    read_only(".toolgate", "decides what commands may do"),
    read_only(".toolgate.toml", "decides what commands may do"),
    read_only("toolgate.toml", "decides what commands may do"),
    read_only(".mcp.json", "agents start the programs it names"),
    read_only(".claude", "agent settings, hooks and commands"),
    read_only(".codex", "agent settings"),
    read_only(".gemini", "agent settings"),
    read_only(".cursor", "agent settings and servers"),
    read_only(".cursorrules", "agent instructions"),
    read_only(".windsurf", "agent settings"),
    read_only(".continue", "agent settings"),
    read_only(".cline", "agent settings"),
    read_only(".roo", "agent settings"),
    read_only(".aider.conf.yml", "agent settings"),
    read_only(".agents", "agent settings"),
    read_only(".opencode", "agent settings"),
    read_only("opencode.json", "agent settings"),
    // Run elsewhere, with secrets, once pushed. Agents are asked to change them, so it is told only.
    report(".github/workflows", "the forge runs it with the repository's secrets"),
    report(".github/actions", "the forge runs it with the repository's secrets"),
    report(".gitlab-ci.yml", "the forge runs it with the repository's secrets"),
    report(".circleci", "the service runs it with the repository's secrets"),
    report(".travis.yml", "the service runs it with the repository's secrets"),
    report("Jenkinsfile", "the service runs it with the repository's secrets"),
    report("azure-pipelines.yml", "the service runs it with the repository's secrets"),
    report("bitbucket-pipelines.yml", "the service runs it with the repository's secrets"),
    report(".drone.yml", "the service runs it with the repository's secrets"),
    report(".woodpecker.yml", "the service runs it with the repository's secrets"),
    report(".gitattributes", "git runs the filters it names where the configuration defines them"),
    report("AGENTS.md", "agents follow it"),
    report("CLAUDE.md", "agents follow it"),
    report("GEMINI.md", "agents follow it"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_and_named_once() {
        let mut seen = std::collections::HashSet::new();
        for entry in DEFAULT_PROTECTED {
            assert!(seen.insert(entry.name), "{} is there twice", entry.name);
            assert!(!entry.name.starts_with('/') && !entry.name.contains(".."), "{}", entry.name);
            assert!(!entry.why.is_empty());
        }
    }
}
