//! What a call would do, found out once before any gate judges it.
//!
//! A shell command is parsed and analysed here, the paths and URLs of other tools are looked at, paths are followed through symbolic links; the result
//! travels with the call as a finding. Gates read it and do no work of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_bash::Shell;
use toolgate_exec::{Findings, Normaliser, Session, ToolCall};
use toolgate_policy::analyse::{self, Analysis, Context, Links};
use toolgate_policy::batch::Judge;
use toolgate_policy::decide::Policy;
use toolgate_policy::path::{self, Map, SCRATCH};
use toolgate_policy::word::UNKNOWN;

use crate::shell::Environment;

mod arguments;

/// What a call would do, as a finding of it: of a shell by its command, of any other tool by its arguments.
#[derive(Clone, Debug)]
pub struct Understood(pub Analysis);

/// Where commands are judged to run: what the pipeline and `toolgate check` know of the world alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The directory of calls that name none.
    pub cwd: PathBuf,
    /// The home directory.
    pub home: PathBuf,
    /// The roots of the workspace.
    pub roots: Vec<PathBuf>,
    /// Variables of the environment that commands will see, with their values. Those that may be secrets are
    /// left out: a value can end up in a reason.
    pub env: Vec<(String, String)>,
}

impl Surroundings {
    /// A workspace that is one directory, in which calls run.
    pub fn new(workspace: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        let cwd = workspace.into();
        Self { roots: vec![cwd.clone()], cwd, home: home.into(), env: Vec::new() }
    }

    /// The same, with the variables of this process that every command gets.
    pub fn of_this_process(workspace: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        Self::of(workspace, home, &Environment::of_this_process())
    }

    /// The same, with the variables that this environment gives every command.
    pub(crate) fn of(
        workspace: impl Into<PathBuf>,
        home: impl Into<PathBuf>,
        environment: &Environment,
    ) -> Self {
        let text = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self { env: environment.vars().map(text).collect(), ..Self::new(workspace, home) }
    }

    /// The directories that places are judged by.
    #[must_use]
    pub fn map(&self) -> Map {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut scratch = SCRATCH.map(str::to_owned).to_vec();
        let own = self.env.iter().filter(|(name, _)| name == "TMPDIR").map(|(_, dir)| dir);
        scratch.extend(own.filter(|dir| dir.starts_with('/')).map(|dir| path::join("/", dir)));
        Map { roots: self.roots.iter().map(|root| text(root)).collect(), home: text(&self.home), scratch }
    }

    /// A judge of calls made here, by this policy, of this machine's files.
    #[must_use]
    pub fn judge(&self, policy: Arc<Policy>) -> Judge<'static> {
        let home = self.home.to_string_lossy();
        let judge = Judge::new(&home, &self.cwd.to_string_lossy());
        Judge { policy, map: self.map(), env: self.env.clone(), links: &FileSystemLinks, ..judge }
    }
}

/// Variables that say where things are.
const PLACES: [&str; 5] = ["HOME", "PATH", "TMPDIR", "TMP", "TEMP"];

/// Analyses every call: the `command` of a tool that executes, else all of its arguments.
#[derive(Clone, Debug)]
pub struct Understanding {
    surroundings: Surroundings,
    roots: Vec<String>,
}

impl Understanding {
    /// Judges commands as run in these surroundings.
    pub fn new(surroundings: Surroundings) -> Self {
        let roots = surroundings.roots.iter().map(|r| r.to_string_lossy().into_owned()).collect();
        Self { surroundings, roots }
    }

    fn analysis(&self, call: &ToolCall) -> Analysis {
        let base = call.context.cwd.as_deref().unwrap_or(&self.surroundings.cwd);
        let cwd = call.text("cwd").map_or_else(|| base.to_path_buf(), |cwd| base.join(cwd));
        // What the call itself sets goes over what it inherits. Only of places the value is looked at: another
        // may be a secret, and could end up in a reason.
        let value = |(name, value): (&String, &String)| match PLACES.contains(&name.as_str()) {
            true => (name.clone(), value.clone()),
            false => (name.clone(), UNKNOWN.to_string()),
        };
        let own = || call.context.env.iter().map(value);
        let inherited = self.surroundings.env.iter();
        let rest = inherited.filter(|(name, _)| !call.context.env.contains_key(name)).cloned();
        let env: Vec<(String, String)> = own().chain(rest).collect();
        let home = env.iter().find(|(name, _)| name == "HOME").map(|(_, value)| value.clone());
        let context = Context {
            cwd: &cwd.to_string_lossy(),
            home: &home.map_or_else(|| self.surroundings.home.to_string_lossy(), Into::into),
            roots: &self.roots,
            env: &env,
            links: &FileSystemLinks,
            shell: Shell::Bash,
        };
        match call.text("command").filter(|_| call.capabilities().executes()) {
            Some(command) => analyse::script(command, &context),
            None => arguments::analyse(call, &context),
        }
    }
}

impl Normaliser for Understanding {
    fn name(&self) -> &'static str {
        "understanding"
    }

    fn normalise(&self, call: &mut ToolCall, findings: &mut Findings, _: &Session) -> Result<(), String> {
        findings.insert(Understood(self.analysis(call)));
        Ok(())
    }
}

/// Follows symbolic links on this machine's file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystemLinks;

impl Links for FileSystemLinks {
    /// The nearest ancestor that exists is resolved and the rest put back; `None` where nothing changes.
    fn resolve(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let mut rest = Vec::new();
        for ancestor in path.ancestors() {
            // A dangling link exists by itself: what would be written is its target.
            let target = match ancestor.canonicalize() {
                Ok(real) => Some(real),
                Err(_) => {
                    std::fs::read_link(ancestor).ok().map(|to| ancestor.parent().unwrap_or(path).join(to))
                }
            };
            if let Some(mut real) = target {
                rest.iter().rev().for_each(|name: &&std::ffi::OsStr| real.push(name));
                let real = real.to_string_lossy().into_owned();
                return (real != path.to_string_lossy()).then_some(real);
            }
            rest.push(ancestor.file_name()?);
        }
        None
    }

    fn runs(&self, path: &str) -> bool {
        rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    }

    fn enters(&self, path: &str) -> bool {
        // Of a directory alone there is a `.`.
        self.runs(&format!("{path}/."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_also_where_they_lead_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        symlink(root.join("real"), root.join("link")).unwrap();
        symlink(root.join("nowhere"), root.join("dangling")).unwrap();
        let resolve = |path: &str| FileSystemLinks.resolve(root.join(path).to_str().unwrap());
        let at = |path: &str| Some(root.join(path).to_str().unwrap().to_owned());
        assert_eq!(resolve("link/new/file"), at("real/new/file"));
        assert_eq!(resolve("dangling"), at("nowhere"));
        assert_eq!(resolve("real/file"), None);
    }
}
