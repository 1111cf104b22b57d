//! What a command can do.

use std::borrow::Cow;
use toolgate_bash::ast::Span;

pub use crate::knowledge::schema::Kind;

/// One thing that a command can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What kind of thing.
    pub kind: Kind,
    /// On what: a path or a name as written, unknown parts marked.
    pub target: Option<Box<str>>,
    /// For paths: where that is, absolute and normal, if the directory is known.
    pub path: Option<Box<str>>,
    /// The text it is about.
    pub span: Span,
    /// The program that does it, as an index into the commands of the analysis.
    pub command: Option<u32>,
    /// What makes us think so, or what is not known.
    pub note: Cow<'static, str>,
}

impl Kind {
    /// A stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Exec => "exec",
            Kind::Read => "read",
            Kind::List => "list",
            Kind::Write => "write",
            Kind::Delete => "delete",
            Kind::Move => "move",
            Kind::Loss => "loss",
            Kind::Fetch => "net fetch",
            Kind::Send => "net send",
            Kind::Listen => "net listen",
            Kind::Resolve => "net resolve",
            Kind::Env => "env",
            Kind::Persist => "persist",
            Kind::Process => "process",
            Kind::Privilege => "privilege",
            Kind::Host => "host",
            Kind::Secret => "secret",
            Kind::Project => "project",
            Kind::Script => "script",
            Kind::Guard => "guard",
            Kind::Unknown => "unknown",
        }
    }

    /// Every kind.
    pub const ALL: [Kind; 21] = [
        Kind::Exec,
        Kind::Read,
        Kind::List,
        Kind::Write,
        Kind::Delete,
        Kind::Move,
        Kind::Loss,
        Kind::Fetch,
        Kind::Send,
        Kind::Listen,
        Kind::Resolve,
        Kind::Env,
        Kind::Persist,
        Kind::Process,
        Kind::Privilege,
        Kind::Host,
        Kind::Secret,
        Kind::Project,
        Kind::Script,
        Kind::Guard,
        Kind::Unknown,
    ];

    /// The kind of this name; `net` alone is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.name() == name)
    }

    /// Whether its target is a path.
    #[must_use]
    pub fn is_path(self) -> bool {
        matches!(
            self,
            Kind::Read | Kind::List | Kind::Write | Kind::Delete | Kind::Move | Kind::Loss | Kind::Script
        )
    }

    /// Whether it reaches another host.
    #[must_use]
    pub fn is_net(self) -> bool {
        matches!(self, Kind::Fetch | Kind::Send | Kind::Listen | Kind::Resolve)
    }
}

impl Effect {
    /// The effect in one line: the kind and what it is on.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.target {
            Some(t) => format!("{} {}", self.kind.name(), crate::word::shown(t)),
            None if self.kind == Kind::Unknown => format!("unknown {}", self.note),
            None => self.kind.name().to_owned(),
        }
    }
}
