//! One record in, one record out: the face of the engine for programs.

use crate::analyse::{self, Analysis, Context, Links};
use crate::decide::{self, Decision, NetworkScope, Policy, Reason};
use crate::path::{self, Map};
use crate::profile::{Profile, Setting, Verdict};
use crate::rule::Rules;
use crate::tool::{self, Value};
use crate::word::shown;
use toolgate_bash::Shell;

/// What is to be judged.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A command line for bash.
    Command {
        /// The text.
        text: String,
        /// The directory it starts in, if that is not the workspace.
        cwd: Option<String>,
    },
    /// A call of a tool.
    Tool {
        /// The tool's name.
        name: String,
        /// Its arguments.
        args: Vec<(String, Value)>,
    },
}

/// How to judge.
#[derive(Clone)]
pub struct Judge<'j> {
    /// The profile.
    pub profile: Profile,
    /// Which hosts may be reached.
    pub network: NetworkScope,
    /// What the boundary and undo cover.
    pub setting: Setting,
    /// The home directory.
    pub home: String,
    /// The workspace roots; the first is where commands start.
    pub roots: Vec<String>,
    /// Environment variables that are known.
    pub env: Vec<(String, String)>,
    /// Directories for temporary files.
    pub scratch: Vec<String>,
    /// Rules on top of the profile.
    pub rules: Option<&'j Rules>,
    /// Where symbolic links lead.
    pub links: &'j dyn Links,
}

impl<'j> Judge<'j> {
    /// A judge for one workspace: default profile, network closed, nothing contained.
    #[must_use]
    pub fn new(home: &str, workspace: &str) -> Judge<'j> {
        Judge {
            profile: Profile::Default,
            network: NetworkScope::Deny,
            setting: Setting::default(),
            home: path::join("/", home),
            roots: vec![path::join("/", workspace)],
            env: Vec::new(),
            scratch: ["/tmp", "/var/tmp", "/dev/shm"].map(str::to_owned).to_vec(),
            rules: None,
            links: &analyse::NoLinks,
        }
    }

    fn context<'c>(&'c self, cwd: &'c str) -> Context<'c> {
        Context {
            cwd,
            home: &self.home,
            roots: &self.roots,
            env: &self.env,
            links: self.links,
            shell: Shell::Bash,
        }
    }

    fn start(&self) -> &str {
        self.roots.first().map_or("/", String::as_str)
    }

    /// What a request can do.
    #[must_use]
    pub fn analyse(&self, request: &Request) -> Analysis {
        match request {
            Request::Command { text, cwd } => {
                let cwd = cwd.as_deref().map(|c| self.directory(c));
                analyse::script(text, &self.context(cwd.as_deref().unwrap_or(self.start())))
            }
            Request::Tool { name, args } => tool::analyse(name, args, &self.context(self.start())),
        }
    }

    /// Whether an analysis may go ahead.
    #[must_use]
    pub fn decide(&self, analysis: &Analysis) -> Decision {
        let policy = Policy {
            profile: self.profile,
            network: self.network.clone(),
            setting: self.setting,
            map: Map { roots: self.roots.clone(), home: self.home.clone(), scratch: self.scratch.clone() },
            rules: self.rules,
        };
        decide::decide(analysis, &policy)
    }

    /// Analyses and decides.
    #[must_use]
    pub fn judge(&self, request: &Request) -> Answer {
        let analysis = self.analyse(request);
        let decision = self.decide(&analysis);
        Answer::new(&analysis, decision)
    }

    fn directory(&self, text: &str) -> String {
        match text.strip_prefix("~") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                path::join(&self.home, rest.trim_start_matches('/'))
            }
            _ => path::join(self.start(), text),
        }
    }
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the text was understood as a whole.
    pub complete: bool,
    /// Names of the programs, in order; unknown ones with their unknown parts shown.
    pub programs: Vec<String>,
    /// The effects: kind, target, span.
    pub effects: Vec<(&'static str, Option<String>, [u32; 2])>,
    /// The reasons.
    pub reasons: Vec<Reason>,
}

impl Answer {
    fn new(analysis: &Analysis, decision: Decision) -> Answer {
        Answer {
            verdict: decision.verdict,
            complete: analysis.unknown.is_none(),
            programs: analysis
                .commands
                .iter()
                .filter_map(|c| c.words.first())
                .map(|w| shown(path::name(&w.text)))
                .collect(),
            effects: analysis
                .effects
                .iter()
                .map(|e| (e.kind.name(), e.target.as_deref().map(shown), [e.span.start, e.span.end]))
                .collect(),
            reasons: decision.reasons,
        }
    }
}
