//! One record in, one record out: the face of the engine for programs.

use crate::analyse::{self, Analysis, Context, Links};
use crate::decide::{self, Decision, NetworkScope, Policy, Reason, Situation};
use crate::path::{self, Map, SCRATCH};
use crate::profile::{Setting, Verdict};
use crate::rule::Caller;
use crate::tool::{self, Value};
use crate::word::shown;
use std::sync::Arc;
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
    /// By what.
    pub policy: Arc<Policy>,
    /// Which hosts may be reached.
    pub network: NetworkScope,
    /// What the boundary and undo cover.
    pub setting: Setting,
    /// Where things lie. The first root is where commands start.
    pub map: Map,
    /// Environment variables that are known.
    pub env: Vec<(String, String)>,
    /// Where symbolic links lead.
    pub links: &'j dyn Links,
    /// Who calls. The tool is the request's.
    pub caller: Caller<'j>,
}

impl<'j> Judge<'j> {
    /// A judge for one workspace: default profile, network closed, nothing contained.
    #[must_use]
    pub fn new(home: &str, workspace: &str) -> Judge<'j> {
        Judge {
            policy: Arc::default(),
            network: NetworkScope::Deny,
            setting: Setting::default(),
            map: Map {
                roots: vec![path::join("/", workspace)],
                home: path::join("/", home),
                scratch: SCRATCH.map(str::to_owned).to_vec(),
            },
            env: Vec::new(),
            links: &analyse::NoLinks,
            caller: Caller::default(),
        }
    }

    /// The same judge with another policy.
    #[must_use]
    pub fn by(&self, policy: Policy) -> Judge<'j> {
        Judge { policy: Arc::new(policy), ..self.clone() }
    }

    fn context<'c>(&'c self, cwd: &'c str) -> Context<'c> {
        Context {
            cwd,
            home: &self.map.home,
            roots: &self.map.roots,
            env: &self.env,
            links: self.links,
            shell: Shell::Bash,
        }
    }

    fn start(&self) -> &str {
        self.map.roots.first().map_or("/", String::as_str)
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

    /// What a request is judged in.
    #[must_use]
    pub fn situation<'s>(&'s self, request: &'s Request) -> Situation<'s> {
        let tool = match request {
            Request::Command { .. } => "bash",
            Request::Tool { name, .. } => name,
        };
        Situation {
            map: &self.map,
            network: &self.network,
            setting: self.setting,
            caller: Caller { tool, ..self.caller },
        }
    }

    /// Whether what was found in a request may go ahead.
    #[must_use]
    pub fn decide(&self, analysis: &Analysis, request: &Request) -> Decision {
        decide::decide(analysis, &self.policy, &self.situation(request))
    }

    /// Analyses and decides.
    #[must_use]
    pub fn judge(&self, request: &Request) -> Answer {
        let analysis = self.analyse(request);
        let decision = self.decide(&analysis, request);
        Answer::new(&analysis, decision)
    }

    fn directory(&self, text: &str) -> String {
        match text.strip_prefix("~") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                path::join(&self.map.home, rest.trim_start_matches('/'))
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
