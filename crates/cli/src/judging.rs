//! By what `check` and the `policy` verbs judge: the policy of the configuration, as `run` does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate::config::{Loaded, Source};
use toolgate::policy::batch::Judge;
use toolgate::policy::decide::NetworkScope;
use toolgate::policy::profile::Setting;
use toolgate::understanding::Surroundings;

use crate::commands::Globals;
use crate::config_files;
use crate::failure::Failure;
use crate::session_flags::start_dir;

/// In what a call is judged.
#[derive(Debug, clap::Args)]
pub(crate) struct JudgeFlags {
    /// Judge as if the network were open or closed
    #[arg(long, value_name = "SCOPE", default_value = "deny")]
    network: Network,

    /// Judge as if the boundary were enforced in full, or not at all
    #[arg(long, value_name = "LEVEL", default_value = "none")]
    containment: Containment,

    /// Judge by this profile: default, strict or open
    #[arg(long, value_name = "NAME")]
    profile: Option<ProfileName>,

    /// Take this as the home directory
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,

    /// Take this as the root of the workspace, where commands start; the current directory otherwise
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Network {
    /// Any host may be reached.
    Allow,
    /// No host but this one.
    Deny,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Containment {
    /// What must not be done cannot be done.
    Full,
    /// Nothing holds a command back once it runs.
    None,
}

/// A profile by its name.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum ProfileName {
    /// Work in the workspace is free, loss and the unknown are asked about.
    Default,
    /// Nothing but reading without a question.
    Strict,
    /// Nothing but hard rules.
    Open,
}

impl ProfileName {
    /// The profile as a setting of this run.
    pub(crate) fn source(self, flag: &'static str) -> Source {
        let name = match self {
            Self::Default => "default",
            Self::Strict => "strict",
            Self::Open => "open",
        };
        Source::flag(flag, "policy.profile", name)
    }
}

impl JudgeFlags {
    /// The judge that the configuration and these flags describe.
    pub(crate) fn judge(&self, globals: &Globals) -> Result<Judge<'static>, Failure> {
        self.judge_and_config(globals).map(|(judge, _)| judge)
    }

    /// The same, with the configuration.
    pub(crate) fn judge_and_config(&self, globals: &Globals) -> Result<(Judge<'static>, Loaded), Failure> {
        let mut flags = globals.config.clone();
        flags.extend(self.profile.map(|name| name.source("--profile")));
        let start = self.start()?;
        let (loaded, _) = config_files::read(&start, &flags)?;
        Ok((self.judge_by(&loaded, &start), loaded))
    }

    /// The judge that these flags describe, by this configuration.
    pub(crate) fn judge_by(&self, loaded: &Loaded, start: &Path) -> Judge<'static> {
        let mut surroundings = surroundings(loaded, start);
        if let Some(home) = &self.home {
            surroundings.home.clone_from(home);
        }
        let made_up = self.home.is_some() || self.workspace.is_some();
        if made_up {
            // The variables of this process are of another place.
            surroundings.env.clear();
        }
        let mut judge = surroundings.judge(Arc::clone(&loaded.policy));
        if made_up {
            judge.links = &toolgate::policy::analyse::NoLinks;
        }
        judge.network = match self.network {
            Network::Allow if loaded.config.tools.shell.allow_network => NetworkScope::Allow,
            Network::Allow | Network::Deny => NetworkScope::Deny,
        };
        judge.setting =
            Setting { contained: matches!(self.containment, Containment::Full), ..Setting::default() };
        judge
    }

    /// Where calls start, which decides which project's file counts.
    pub(crate) fn start(&self) -> Result<PathBuf, Failure> {
        match &self.workspace {
            // It need not be there.
            Some(dir) => std::path::absolute(dir)
                .map_err(|error| Failure::io(format!("finding {}", dir.display()), error)),
            None => start_dir(None),
        }
    }
}

/// What is known of the world around calls that start in `start`: the same for `run` and for `check`.
pub(crate) fn surroundings(loaded: &Loaded, start: &Path) -> Surroundings {
    let mut surroundings = Surroundings::of_this_process(start, home());
    surroundings.roots.extend(loaded.config.tools.shell.allowed_paths.iter().cloned());
    surroundings
}

/// The home that calls are judged by, and that the boundary hides secrets of.
pub(crate) fn home() -> PathBuf {
    config_files::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}
