//! Calls of tools: what their names and arguments say.
//!
//! A model's own words about a call (a description, a risk flag) and a server's annotations are no facts
//! and are not looked at.

mod act;
mod shell;

use crate::analyse::patch;
use crate::analyse::{Analysis, Analyst, CommandRun, Context, Data, Input, script};
use crate::effect::{Effect, Kind};
use crate::path;
use crate::word::{Word, is_deceptive};
use act::{is_service, mcp_server};
use std::borrow::Cow;
use toolgate_bash::ast::Span;

pub use act::Act;

/// An argument of a tool call, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Names with values.
    Map(Vec<(String, Value)>),
    /// A number, a truth value, nothing.
    Other,
}

impl Value {
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            Value::List(_) | Value::Map(_) | Value::Other => None,
        }
    }
}

/// Analyses the call of a tool of which only the name is known.
///
/// `cwd` in the context is where relative paths are meant from.
#[must_use]
pub fn analyse(tool: &str, args: &[(String, Value)], context: &Context<'_>) -> Analysis {
    let act = Act::of(tool);
    if act == Act::Shell {
        return shell::analyse(args, context);
    }
    let mut call = Call::of(act, tool, args, context);
    if !call.mcp {
        call.without_place();
    }
    call.analysis()
}

/// Analyses the call of a tool that says of itself what it does: what its arguments name, and no more.
#[must_use]
pub fn analyse_as(act: Act, tool: &str, args: &[(String, Value)], context: &Context<'_>) -> Analysis {
    if act == Act::Shell {
        return shell::analyse(args, context);
    }
    Call::of(act, tool, args, context).analysis()
}

/// An analysis that found nothing but that it could not.
fn nothing(why: &'static str) -> Analysis {
    Analysis { effects: vec![unknown(why)], ..Analysis::default() }
}

fn unknown(why: &'static str) -> Effect {
    Effect {
        kind: Kind::Unknown,
        target: None,
        path: None,
        span: Span::default(),
        command: None,
        note: Cow::Borrowed(why),
    }
}

/// A path that may begin with `~/`, as tools are often given it.
fn from_home<'t>(text: &'t str, context: &Context<'_>) -> Cow<'t, str> {
    match text.strip_prefix('~') {
        Some("") => Cow::Owned(context.home.to_owned()),
        Some(rest) if rest.starts_with('/') => {
            Cow::Owned(path::join(context.home, rest.trim_start_matches('/')))
        }
        _ => Cow::Borrowed(text),
    }
}

/// How deep arguments are looked into.
const DEPTH: u32 = 8;

struct Call<'c> {
    out: Analysis,
    context: &'c Context<'c>,
    act: Act,
    /// Whether the tool is a server's, so that nobody here knows what it takes.
    mcp: bool,
    /// Whether an argument said what it is on.
    placed: bool,
    /// Whether an argument said what is looked for.
    searches: bool,
    /// Arguments that lists of patterns are about.
    inputs: Vec<Vec<String>>,
}

impl<'c> Call<'c> {
    fn new(tool: &str, act: Act, mcp: bool, context: &'c Context<'c>) -> Self {
        let span = Span::default();
        let words = vec![Word::new(tool.to_owned(), span)];
        let command = CommandRun { words, span, inner: false, dir: None, variables_changed: false };
        let out = Analysis { commands: vec![command], ..Analysis::default() };
        Call { out, context, act, mcp, placed: false, searches: false, inputs: Vec::new() }
    }

    /// Everything that the arguments say.
    fn of(act: Act, tool: &str, args: &[(String, Value)], context: &'c Context<'c>) -> Self {
        let server = mcp_server(tool);
        let mut call = Call::new(tool, act, server.is_some(), context);
        match &server {
            Some(server) if is_service(server) => {
                call.push(Kind::Send, None, "the server works for a service elsewhere");
            }
            Some(_) => call.unknown("what the tools of this server do is known to the server alone"),
            None => {}
        }
        call.values(args, 0);
        if act == Act::Net && server.is_none() && !call.out.effects.iter().any(|e| e.kind.is_net()) {
            call.push(Kind::Fetch, None, "the tool reaches other hosts");
        }
        call
    }

    fn analysis(self) -> Analysis {
        Analysis { input: Input::Arguments(self.inputs), ..self.out }
    }

    fn push(&mut self, kind: Kind, target: Option<&str>, note: &'static str) {
        self.out.effects.push(Effect {
            kind,
            target: target.map(Into::into),
            command: Some(0),
            ..unknown(note)
        });
    }

    fn unknown(&mut self, why: &'static str) {
        self.push(Kind::Unknown, None, why);
    }

    /// What a tool does whose arguments name no place, as far as its name says.
    fn without_place(&mut self) {
        match self.act {
            Act::Unknown => self.unknown("nothing is known about the tool"),
            _ if self.placed => {}
            Act::Search => self.path(Kind::Read, "."),
            Act::List => self.path(Kind::List, "."),
            Act::Read if self.searches => self.path(Kind::Read, "."),
            Act::Read | Act::Write | Act::Delete | Act::Move => {
                self.unknown("no argument says which file is meant");
            }
            Act::Net | Act::Plan | Act::Shell => {}
        }
    }

    fn path(&mut self, kind: Kind, text: &str) {
        if text.contains(is_deceptive) {
            self.unknown("a path holds characters that hide what it is");
        }
        let full = path::join(self.context.cwd, &from_home(text, self.context));
        let full = path::without_aliases(&full).to_owned();
        for full in self.context.links.resolve(&full).into_iter().chain([full]) {
            // A pattern may be about the path from the workspace, or about the whole.
            let below = self.context.roots.iter().find_map(|root| path::below(root, &full));
            self.inputs.push(below.into_iter().chain([full.as_str()]).map(str::to_owned).collect());
            self.out.effects.push(Effect {
                target: Some(text.into()),
                path: Some(full.into()),
                kind,
                command: Some(0),
                ..unknown("an argument of the tool")
            });
        }
    }

    fn values(&mut self, args: &[(String, Value)], depth: u32) {
        if depth > DEPTH {
            self.unknown("arguments are nested too deeply");
            return;
        }
        for (name, value) in args {
            self.value(&Key::of(name), value, depth);
        }
    }

    fn value(&mut self, key: &Key, value: &Value, depth: u32) {
        match value {
            Value::Text(text) => self.text(key, text),
            Value::List(_) if depth > DEPTH => self.unknown("arguments are nested too deeply"),
            Value::List(list) => list.iter().for_each(|v| self.value(key, v, depth + 1)),
            Value::Map(map) => self.values(map, depth + 1),
            Value::Other if key.is_place() || key.is_url() => {
                self.unknown("an argument that names a place is not text");
            }
            Value::Other => {}
        }
    }

    fn text(&mut self, key: &Key, text: &str) {
        if key.is_url() || self.act == Act::Net && text.contains("://") {
            self.url(text);
        } else if self.act == Act::Write && !self.mcp && key.is(&["patch", "diff", "input"]) {
            for (kind, path) in patch::targets(text) {
                self.placed = true;
                self.path(kind, &path);
            }
        } else if key.is_place() && !text.is_empty() {
            self.placed = true;
            self.path(self.kind(key), text);
        } else if key.is(&["pattern", "glob"]) && self.act == Act::List && leads_out(text) {
            self.placed = true;
            let root = text.split(['*', '?', '[', '{']).next().unwrap_or("/");
            self.path(Kind::Read, root);
        } else if key.is(&["pattern", "glob", "regex", "query", "search", "q"]) && !self.mcp {
            self.searches = true;
            self.inputs.push(vec![text.to_owned()]);
        } else if key.is(&["sql", "query", "statement", "statements"]) && self.mcp {
            self.inputs.push(vec![text.to_owned()]);
            self.sql(text);
        } else if key.is(&["command", "cmd", "script", "code", "shell"]) {
            self.inputs.push(vec![text.to_owned()]);
            shell::adopt(&mut self.out, script(text, self.context));
        }
    }

    fn url(&mut self, text: &str) {
        match text.strip_prefix("file:") {
            // `file:///path`, `file://localhost/path`, `file:/path`
            Some(rest) => {
                self.placed = true;
                let rest = rest.strip_prefix("//").unwrap_or(rest);
                let path = rest.find('/').map_or(rest, |at| rest.get(at..).unwrap_or(rest));
                self.path(Kind::Read, path);
            }
            None => {
                self.inputs.push(vec![text.to_owned()]);
                let host = crate::analyse::host_of_url(text).to_owned();
                self.push(Kind::Fetch, Some(&host), "the tool is given a URL");
            }
        }
    }

    fn sql(&mut self, text: &str) {
        let mut analyst = Analyst::new(self.context);
        let mut state = crate::analyse::State::new(self.context.cwd);
        analyst.code(crate::knowledge::schema::Lang::Sql, text, Span::default(), &mut state, &Data::Unknown);
        shell::adopt(&mut self.out, analyst.out);
    }

    /// What the tool does to what an argument names.
    fn kind(&self, key: &Key) -> Kind {
        let source = key.is(&["source", "src", "from", "oldpath", "old"]);
        let target = key.is(&["destination", "dest", "target", "to", "newpath", "new"]);
        match self.act {
            Act::Read | Act::Search => Kind::Read,
            Act::List => Kind::List,
            Act::Write if source => Kind::Read,
            Act::Write => Kind::Write,
            Act::Delete => Kind::Delete,
            Act::Move if target => Kind::Write,
            Act::Move => Kind::Move,
            Act::Shell | Act::Net | Act::Plan | Act::Unknown => Kind::Read,
        }
    }
}

/// Whether a glob may find what is outside the directory it starts in.
fn leads_out(pattern: &str) -> bool {
    pattern.starts_with(['/', '~']) || pattern.contains("..")
}

/// The name of an argument.
struct Key {
    lower: String,
}

impl Key {
    fn of(name: &str) -> Self {
        Key { lower: name.to_ascii_lowercase() }
    }

    /// Whether it is one of these words, or has one as a part: `file_path`.
    fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.lower.as_str())
            || self.lower.split(['_', '-', '.']).any(|part| words.contains(&part))
    }

    fn is_url(&self) -> bool {
        self.is(&["url", "uri", "urls", "href", "endpoint", "link", "host", "hostname"])
    }

    fn is_place(&self) -> bool {
        const PLACES: [&str; 22] = [
            "path",
            "paths",
            "file",
            "files",
            "filename",
            "filepath",
            "dir",
            "directory",
            "folder",
            "source",
            "src",
            "destination",
            "dest",
            "target",
            "from",
            "to",
            "root",
            "notebook",
            "oldpath",
            "newpath",
            "filepaths",
            "directories",
        ];
        !self.lower.contains("content") && self.is(&PLACES)
    }
}
