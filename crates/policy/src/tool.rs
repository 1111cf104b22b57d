//! Calls of tools that are no shell: what their names and arguments say.
//!
//! A model's own words about a call (a description, a risk flag) and a server's annotations are no facts
//! and are not looked at.

use crate::analyse::{Analysis, Analyst, CommandRun, Context, Data, Input, argv, script};
use crate::effect::{Effect, Kind};
use crate::path;
use crate::word::Word;
use std::borrow::Cow;
use toolgate_bash::ast::Span;

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

/// What a tool does with the paths and URLs it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Runs a command.
    Shell,
    /// Reads files.
    Read,
    /// Looks at names.
    List,
    /// Creates or changes files.
    Write,
    /// Deletes files.
    Delete,
    /// Takes files away from where they are.
    Move,
    /// Reaches other hosts.
    Net,
    /// Touches nothing.
    Plan,
    /// Nobody knows.
    Unknown,
}

/// Services that are elsewhere: a tool of such a server reaches out whatever it is called.
const SERVICES: [&str; 66] = [
    "github",
    "gitlab",
    "bitbucket",
    "gitea",
    "slack",
    "discord",
    "teams",
    "telegram",
    "linear",
    "jira",
    "confluence",
    "atlassian",
    "notion",
    "asana",
    "trello",
    "monday",
    "clickup",
    "sentry",
    "datadog",
    "grafana",
    "pagerduty",
    "newrelic",
    "stripe",
    "paypal",
    "square",
    "shopify",
    "hubspot",
    "salesforce",
    "zendesk",
    "intercom",
    "twilio",
    "sendgrid",
    "mailgun",
    "gmail",
    "google",
    "gdrive",
    "drive",
    "gcal",
    "calendar",
    "outlook",
    "office",
    "sharepoint",
    "onedrive",
    "dropbox",
    "box",
    "aws",
    "azure",
    "gcp",
    "cloudflare",
    "vercel",
    "netlify",
    "heroku",
    "supabase",
    "firebase",
    "figma",
    "canva",
    "web",
    "fetch",
    "browser",
    "http",
    "brave",
    "tavily",
    "exa",
    "perplexity",
    "firecrawl",
    "apify",
];

/// Analyses the call of a tool.
///
/// `cwd` in the context is where relative paths are meant from.
#[must_use]
pub fn analyse(tool: &str, args: &[(String, Value)], context: &Context<'_>) -> Analysis {
    analyse_as(act(tool), tool, args, context)
}

/// Analyses the call of a tool that says of itself what it does.
#[must_use]
pub fn analyse_as(act: Act, tool: &str, args: &[(String, Value)], context: &Context<'_>) -> Analysis {
    if act == Act::Shell {
        return shell(args, context);
    }
    let mut out = Analysis::default();
    let span = Span::default();
    out.commands.push(CommandRun {
        words: vec![Word::new(tool.to_owned(), span)],
        span,
        inner: false,
        dir: None,
        variables_changed: false,
    });
    let mut call = Call { out, context, inputs: Vec::new() };
    let server = mcp_server(tool);
    if let Some(server) = &server {
        call.server(server);
    }
    let mut paths = 0;
    call.values(args, act, server.is_some(), &mut paths, 0);
    match act {
        Act::Net if !call.out.effects.iter().any(|e| e.kind.is_net()) => {
            call.push(Kind::Fetch, None, "the tool reaches other hosts");
        }
        Act::Read | Act::List | Act::Write | Act::Delete | Act::Move if paths == 0 && server.is_none() => {
            let kind = match act {
                Act::Read | Act::List => Kind::List,
                _ => Kind::Write,
            };
            call.path(kind, ".");
        }
        Act::Unknown if server.is_none() => call.unknown("nothing is known about the tool"),
        _ => {}
    }
    call.out.input = Input::Arguments(call.inputs);
    call.out
}

/// The name of the server in `mcp__server__tool`; single underscores belong to the names.
fn mcp_server(tool: &str) -> Option<String> {
    let rest = tool
        .strip_prefix("mcp__")
        .or_else(|| tool.strip_prefix("mcp:"))
        .or_else(|| tool.strip_prefix("mcp_"))?;
    let server = rest.split("__").next().unwrap_or(rest);
    let server = server.split(':').next().unwrap_or(server);
    Some(server.to_ascii_lowercase())
}

fn act(tool: &str) -> Act {
    let lower = tool.to_ascii_lowercase();
    let name = lower.rsplit("__").next().unwrap_or(&lower);
    let parts: Vec<&str> = name.split(['_', '-', '.', '/', ':', ' ']).filter(|p| !p.is_empty()).collect();
    let has = |list: &[&str]| parts.iter().any(|p| list.contains(p)) || list.contains(&name);
    let is_mcp = mcp_server(tool).is_some();
    if has(&[
        "bash",
        "shell",
        "terminal",
        "runcommand",
        "execute_command",
        "run_command",
        "run_shell_command",
        "local_shell",
        "powershell",
        "cmd",
    ]) || !is_mcp && has(&["exec", "execute", "command"])
        || is_mcp && has(&["exec", "command", "shell"])
    {
        return Act::Shell;
    }
    if has(&[
        "fetch",
        "webfetch",
        "web",
        "websearch",
        "http",
        "https",
        "url",
        "browser",
        "browse",
        "navigate",
        "download",
        "upload",
        "scrape",
        "request",
        "curl",
        "google",
        "bing",
    ]) || name.contains("web_")
        || name.contains("webfetch")
        || name.contains("websearch")
    {
        return Act::Net;
    }
    if has(&["delete", "remove", "unlink", "rm", "rmdir", "trash"]) {
        return Act::Delete;
    }
    if has(&["move", "rename", "mv"]) {
        return Act::Move;
    }
    if has(&[
        "write",
        "edit",
        "multiedit",
        "create",
        "append",
        "patch",
        "insert",
        "replace",
        "update",
        "save",
        "notebookedit",
        "str",
        "mkdir",
        "copy",
        "touch",
    ]) || name.contains("apply_patch")
        || name.contains("write")
        || name.contains("edit")
    {
        return Act::Write;
    }
    if has(&["ls", "list", "glob", "tree", "stat", "exists", "find"]) {
        return Act::List;
    }
    if has(&["read", "view", "cat", "open", "grep", "search", "get", "head", "tail", "load"])
        || name.contains("read")
    {
        return Act::Read;
    }
    if has(&["todo", "todowrite", "todoread", "think", "plan", "exitplanmode", "askuserquestion"]) {
        return Act::Plan;
    }
    Act::Unknown
}

fn text<'v>(args: &'v [(String, Value)], names: &[&str]) -> Option<&'v Value> {
    args.iter().find(|(n, _)| names.contains(&n.to_ascii_lowercase().as_str())).map(|(_, v)| v)
}

/// A command line or the words of a command, with its directory and environment.
fn shell(args: &[(String, Value)], context: &Context<'_>) -> Analysis {
    let span = Span::default();
    let mut cwd = context.cwd.to_owned();
    let mut before = Vec::new();
    if let Some(Value::Text(dir)) =
        text(args, &["workdir", "cwd", "working_directory", "workingdirectory", "dir", "directory", "path"])
    {
        cwd = path::join(context.cwd, dir);
        let inside = context.roots.iter().any(|r| path::below(r, &cwd).is_some());
        if !inside {
            before.push(Effect {
                kind: Kind::Unknown,
                target: None,
                path: None,
                span,
                command: None,
                note: Cow::Borrowed("the directory it runs in is outside the workspace"),
            });
        }
    }
    let mut env: Vec<(String, String)> = context.env.to_vec();
    let mut set = Vec::new();
    if let Some(Value::Map(list)) = text(args, &["env", "environment", "environ"]) {
        for (n, v) in list {
            let v = match v {
                Value::Text(t) => t.clone(),
                _ => String::new(),
            };
            set.push((n.clone(), v.clone()));
            env.push((n.clone(), v));
        }
    }
    let inner = Context { cwd: &cwd, env: &env, ..*context };
    let command = text(
        args,
        &[
            "command",
            "cmd",
            "script",
            "code",
            "commands",
            "argv",
            "args",
            "input",
            "command_line",
            "commandline",
        ],
    );
    let mut out = match command {
        Some(Value::Text(t)) => script(t, &inner),
        Some(Value::List(list)) => {
            let words: Option<Vec<String>> = list
                .iter()
                .map(|v| match v {
                    Value::Text(t) => Some(t.clone()),
                    _ => None,
                })
                .collect();
            match words {
                Some(w) if !w.is_empty() => argv(&w, &inner),
                _ => nothing("the words of the command are not text"),
            }
        }
        _ => nothing("a shell is called without a command"),
    };
    if !set.is_empty() {
        let mut analyst = Analyst::new(&inner);
        let mut state = crate::analyse::State::new(&cwd);
        for (n, v) in &set {
            analyst.environment(n, v, span, &mut state);
        }
        before.extend(analyst.out.effects);
    }
    // Effects of the call itself belong to no command of the script.
    before.iter_mut().for_each(|e| e.command = None);
    before.append(&mut out.effects);
    out.effects = before;
    out
}

fn nothing(why: &'static str) -> Analysis {
    let mut out = Analysis::default();
    out.effects.push(Effect {
        kind: Kind::Unknown,
        target: None,
        path: None,
        span: Span::default(),
        command: None,
        note: Cow::Borrowed(why),
    });
    out
}

struct Call<'c> {
    out: Analysis,
    context: &'c Context<'c>,
    /// Arguments that lists of patterns are about.
    inputs: Vec<Vec<String>>,
}

impl Call<'_> {
    fn push(&mut self, kind: Kind, target: Option<&str>, note: &'static str) {
        self.out.effects.push(Effect {
            kind,
            target: target.map(Into::into),
            path: None,
            span: Span::default(),
            command: Some(0),
            note: Cow::Borrowed(note),
        });
    }

    fn unknown(&mut self, why: &'static str) {
        self.push(Kind::Unknown, None, why);
    }

    fn path(&mut self, kind: Kind, text: &str) {
        let home = text.strip_prefix("~/").map(|rest| path::join(self.context.home, rest));
        let full = home.unwrap_or_else(|| path::join(self.context.cwd, text));
        let full = path::without_aliases(&full).to_owned();
        for full in self.context.links.resolve(&full).into_iter().chain([full]) {
            // A pattern may be about the path from the workspace, or about the whole.
            let below = self.context.roots.iter().find_map(|root| path::below(root, &full));
            self.inputs.push(below.into_iter().chain([full.as_str()]).map(str::to_owned).collect());
            self.out.effects.push(Effect {
                kind,
                target: Some(text.into()),
                path: Some(full.into()),
                span: Span::default(),
                command: Some(0),
                note: Cow::Borrowed("an argument of the tool"),
            });
        }
    }

    fn server(&mut self, server: &str) {
        let known = server.split(['_', '-', '.']).any(|p| SERVICES.contains(&p));
        if known {
            self.push(Kind::Send, None, "the server works for a service elsewhere");
        } else {
            self.unknown("what the tools of this server do is known to the server alone");
        }
    }

    fn values(&mut self, args: &[(String, Value)], act: Act, mcp: bool, paths: &mut u32, depth: u32) {
        if depth > 8 {
            self.unknown("arguments are nested too deeply");
            return;
        }
        for (name, value) in args {
            let key = name.to_ascii_lowercase();
            match value {
                Value::Text(t) => self.one(&key, t, act, mcp, paths),
                Value::List(list) => {
                    for v in list {
                        match v {
                            Value::Text(t) => self.one(&key, t, act, mcp, paths),
                            Value::Map(m) => self.values(m, act, mcp, paths, depth + 1),
                            Value::List(_) | Value::Other => {}
                        }
                    }
                }
                Value::Map(m) => self.values(m, act, mcp, paths, depth + 1),
                Value::Other => {}
            }
        }
    }

    fn one(&mut self, key: &str, t: &str, act: Act, mcp: bool, paths: &mut u32) {
        let part =
            |list: &[&str]| key.split(['_', '-', '.']).any(|p| list.contains(&p)) || list.contains(&key);
        if part(&["url", "uri", "urls", "href", "endpoint", "link", "host", "hostname"])
            || (act == Act::Net && t.contains("://"))
        {
            let file = t.strip_prefix("file://");
            match file {
                Some(p) => {
                    *paths += 1;
                    self.path(Kind::Read, p);
                }
                None => {
                    self.inputs.push(vec![t.to_owned()]);
                    let host = crate::analyse::host_of_url(t).to_owned();
                    self.push(Kind::Fetch, Some(&host), "the tool is given a URL");
                }
            }
            return;
        }
        if part(&[
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
        ]) && !key.contains("content")
        {
            *paths += 1;
            let source = part(&["source", "src", "from", "oldpath", "old"]);
            let target = part(&["destination", "dest", "target", "to", "newpath", "new"]);
            let kind = match act {
                Act::Read => Kind::Read,
                Act::List => Kind::List,
                Act::Write if source => Kind::Read,
                Act::Write => Kind::Write,
                Act::Delete => Kind::Delete,
                Act::Move if target => Kind::Write,
                Act::Move => Kind::Move,
                Act::Shell | Act::Net | Act::Plan | Act::Unknown => Kind::Read,
            };
            self.path(kind, t);
            return;
        }
        if part(&["pattern", "glob"]) && act == Act::List && (t.starts_with(['/', '~']) || t.contains("..")) {
            *paths += 1;
            let root = t.split(['*', '?', '[', '{']).next().unwrap_or("/");
            self.path(Kind::Read, root);
            return;
        }
        if part(&[
            "sql",
            "query",
            "statement",
            "statements",
            "pattern",
            "command",
            "cmd",
            "script",
            "code",
            "shell",
        ]) {
            self.inputs.push(vec![t.to_owned()]);
        }
        if part(&["sql", "query", "statement", "statements"]) && mcp {
            let mut analyst = Analyst::new(self.context);
            let mut state = crate::analyse::State::new(self.context.cwd);
            analyst.code(crate::knowledge::schema::Lang::Sql, t, Span::default(), &mut state, &Data::Unknown);
            self.adopt(analyst.out);
            return;
        }
        if part(&["command", "cmd", "script", "code", "shell"]) {
            let analysis = script(t, self.context);
            self.adopt(analysis);
        }
    }

    fn adopt(&mut self, other: Analysis) {
        let shift = u32::try_from(self.out.commands.len()).unwrap_or(0);
        self.out.commands.extend(other.commands);
        self.out.effects.extend(other.effects.into_iter().map(|mut e| {
            e.command = e.command.map(|c| c + shift);
            e.span = Span::default();
            e
        }));
    }
}
