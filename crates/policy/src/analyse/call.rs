//! The effects of one call, from what is known about its program.

use super::assignment::PLACE;
use super::network::{self, Remote};
use super::state::{State, Variable};
use super::{Analyst, Data};
use crate::argv::{self, Call, Command, Doubt};
use crate::effect::Kind;
use crate::knowledge::schema::{Lang, Role, Spec, Stated};
use crate::knowledge::{self, text};
use crate::path;
use crate::word::{SOME, UNKNOWN, Word, is_exact};
use std::borrow::Cow;
use toolgate_bash::ast::Span;

/// What a call works with besides its words.
struct Site {
    /// Directories that relative paths are meant from.
    dirs: Vec<String>,
    /// More directories that effects on `.` happen in.
    places: Vec<String>,
    /// Hosts that were named.
    hosts: Vec<(String, Span)>,
    /// The directory worked in as it was written.
    here: String,
    /// For a walk over directories: what its inner commands are given.
    found: Vec<String>,
}

impl Analyst<'_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        spec: &'static Spec,
        words: &[Word<'static>],
        state: &mut State,
        input: &Data,
    ) {
        let args = words.get(1..).unwrap_or(&[]);
        let call = argv::read(spec, args);
        let span = words.first().map(|w| w.span).unwrap_or_default();
        if call.info {
            return;
        }
        let innermost = call.specs.last().copied().unwrap_or(spec);
        let hands_to = text(innermost.hands_to);
        if !hands_to.is_empty() {
            self.hand_on(hands_to, &call, args, state, input, span);
            return;
        }
        let mut site = self.site(&call, state);
        self.doubts(name, &call);
        if matches!(text(spec.special), "find" | "walk") {
            site.found = found_below(&call);
            self.found = Some(site.found.clone());
        }
        let why = text(innermost.why);
        for given in &call.options {
            if given.roles.first() == Some(&Role::ProgramUntil) {
                self.until(&given.values, text(spec.special) == "walk", &site, state, input);
                continue;
            }
            for (value, role) in given
                .values
                .iter()
                .zip(given.roles.iter().chain(std::iter::repeat(given.roles.last().unwrap_or(&Role::Text))))
            {
                self.role(name, *role, value, &mut site, state, input);
            }
        }
        // Words that are one script together: `ssh host a b`, `watch a b`.
        let script: Vec<&Word<'_>> = call
            .operands
            .iter()
            .filter(|o| o.many && o.role == Role::Code(Lang::Shell))
            .map(|o| &o.word)
            .collect();
        let joined = script.len() > 1;
        if joined {
            let text = script.iter().map(|w| &*w.text).collect::<Vec<_>>().join(" ");
            let at = script.first().map_or(span, |w| w.span);
            self.code_for(name, Lang::Shell, &text, at, state, input);
        }
        // `sh -c text name a b`: the words behind are `$0`, `$1` and on.
        let parameters = (interpreter(name) == Lang::Shell)
            .then(|| {
                call.operands.iter().position(|o| matches!(o.role, Role::Code(Lang::Shell) | Role::Script))
            })
            .flatten()
            .and_then(|at| call.operands.get(at + 1..));
        let saved = parameters.map(|list| {
            let words: Vec<String> = list.iter().map(|o| o.word.text.clone().into_owned()).collect();
            let sure = list.iter().all(|o| !o.word.splits);
            let rest = words.get(1..).unwrap_or(&[]).to_vec();
            let zero = std::mem::replace(&mut state.zero, words.first().cloned());
            (zero, std::mem::replace(&mut state.positional, sure.then(|| std::rc::Rc::new(rest))))
        });
        let links = (name == "ln").then(|| link_directories(&call, args, &site)).flatten();
        for o in &call.operands {
            if joined && o.many && o.role == Role::Code(Lang::Shell) {
                continue;
            }
            // What is moved there does not come back.
            let away = o.role == Role::Move
                && call.operands.last().is_some_and(|l| l.word.text.starts_with("/dev/"));
            let role = if away { Role::Shred } else { o.role };
            if let Some(dirs) = links.as_ref().filter(|_| role == Role::List) {
                let here = std::mem::replace(&mut site.dirs, dirs.clone());
                self.role(name, role, &o.word, &mut site, state, input);
                site.dirs = here;
                continue;
            }
            self.role(name, role, &o.word, &mut site, state, input);
            if let Some(other) = o.other
                && other != o.role
            {
                self.role(name, other, &o.word, &mut site, state, input);
            }
        }
        if let Some((zero, positional)) = saved {
            state.zero = zero;
            state.positional = positional;
        }
        self.config_pair(name, &call, state);
        self.stored_files(name, &call, state);
        let hosts = std::mem::take(&mut site.hosts);
        for (stated, at) in &call.effects {
            let at = if *at == Span::default() { span } else { *at };
            self.stated(stated, at, &call, &site, &hosts, state, why);
        }
        // A host that nobody took is reached all the same.
        if !call.effects.iter().any(|(e, _)| e.kind.is_net()) {
            for (host, at) in &hosts {
                self.push(Kind::Send, Some(host), *at, "a host is named");
            }
        }
        if name == "ln" {
            self.links(&call, &site, state);
        }
        self.standard_input(name, call.stdin, span, state, input);
        if let Some(command) = &call.command {
            self.command_inside(name, command, &call, &site, state, input);
        }
    }

    /// The directories a call works in.
    fn site(&self, call: &Call<'_>, state: &State) -> Site {
        let mut dirs = state.dirs.clone();
        let mut here = String::from(".");
        let mut enter = |dirs: &mut Vec<String>, to: &str| {
            for d in dirs {
                *d = path::join(d, to);
            }
            here = if here == "." || to.starts_with('/') { to.to_owned() } else { format!("{here}/{to}") };
        };
        let mut places = Vec::new();
        for given in &call.options {
            for (value, role) in given.values.iter().zip(given.roles) {
                match role {
                    Role::Dir => enter(&mut dirs, &value.text),
                    Role::Place => {
                        for d in &dirs {
                            let full = path::join(d, &value.text);
                            // The file that says where it is, or the directory itself.
                            let place = ["/.git", "/Cargo.toml"]
                                .iter()
                                .find_map(|end| full.strip_suffix(end))
                                .unwrap_or(&full);
                            places.push(place.to_owned());
                        }
                    }
                    _ => {}
                }
            }
        }
        for o in &call.operands {
            if o.role == Role::Dir {
                enter(&mut dirs, &o.word.text);
            }
        }
        if let Some(Variable::Scalar(p)) = state.variable(PLACE)
            && call.specs.first().is_some_and(|s| text(s.summary).contains("version control"))
        {
            places.push(p.clone());
        }
        Site { dirs, places, hosts: Vec::new(), here, found: Vec::new() }
    }

    fn doubts(&mut self, name: &str, call: &Call<'_>) {
        for (doubt, span) in &call.unknown {
            let why = match doubt {
                Doubt::Option(o) => format!("option {o} of {name} is not known"),
                Doubt::Sub(s) => format!("sub-command {s} of {name} is not known"),
                Doubt::Operand(o) => format!("{name} takes no operand {o} here"),
                Doubt::MayBeOption => format!("a word that is not known may be an option of {name}"),
                Doubt::DynamicSub => format!("the sub-command of {name} is not known"),
                Doubt::Bare => format!("{name} without a sub-command is not known"),
            };
            self.unknown(why, *span);
        }
    }

    fn hand_on(
        &mut self,
        to: &str,
        call: &Call<'_>,
        args: &[Word<'static>],
        state: &mut State,
        input: &Data,
        span: Span,
    ) {
        // `as = "git clone"` hands on to a sub-command.
        let mut words: Vec<Word<'static>> =
            to.split_whitespace().map(|w| Word::new(w.to_owned(), span)).collect();
        // The words after the one that chose the sub-command.
        let skip = match call.subs.last() {
            Some(sub) => {
                args.iter().position(|w| std::ptr::eq::<str>(&*w.text, *sub)).map_or(args.len(), |i| i + 1)
            }
            None => 0,
        };
        words.extend(args.get(skip..).unwrap_or(&[]).iter().cloned());
        self.run(words, state, input, super::program::By::Program);
    }

    /// Effects of one value or operand by its role.
    fn role(
        &mut self,
        name: &str,
        role: Role,
        word: &Word<'_>,
        site: &mut Site,
        state: &mut State,
        input: &Data,
    ) {
        let t = &*word.text;
        let span = word.span;
        // Many programs that take files take addresses too; to one that does not, an address is no file it finds.
        if let Some(host) =
            network::host_of_address(t).filter(|_| matches!(role, Role::Read | Role::Write | Role::Script))
        {
            let kind = if role == Role::Write { Kind::Send } else { Kind::Fetch };
            self.push(kind, Some(host), span, "a file by an address on another host");
            if role == Role::Script {
                self.unknown("code of another host is run", span);
            }
            return;
        }
        let t =
            if matches!(role, Role::Read | Role::Write | Role::Script) { network::local_file(t) } else { t };
        let kind = match role {
            Role::Text
            | Role::Sub
            | Role::Dir
            | Role::Place
            | Role::Assign
            | Role::ProgramRest
            | Role::ProgramStdin
            | Role::ProgramUntil => {
                if role == Role::Assign {
                    self.assign_word(word, state);
                }
                return;
            }
            Role::Read => Kind::Read,
            Role::List => Kind::List,
            Role::Write => Kind::Write,
            Role::Delete => Kind::Delete,
            Role::Move => Kind::Move,
            Role::Shred => Kind::Loss,
            Role::Script => {
                if t == "-" {
                    self.standard_input(name, Role::Code(Lang::Other), span, state, input);
                    return;
                }
                if let Some(data) = state.processes.iter().rev().find(|p| p.0 == t).map(|p| p.1.clone()) {
                    let lang = interpreter(name);
                    self.standard_input(name, Role::Code(lang), span, state, &data);
                    return;
                }
                if matches!(t, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
                    self.standard_input(name, Role::Code(interpreter(name)), span, state, input);
                    return;
                }
                Kind::Script
            }
            Role::Host => {
                // `dig +short x @server`
                if t.starts_with('+') {
                    return;
                }
                let t = t.strip_prefix('@').unwrap_or(t);
                site.hosts.push((network::of_address(t).to_owned(), span));
                return;
            }
            Role::Url => {
                match t.strip_prefix("file:") {
                    Some(rest) => {
                        let rest = rest.trim_start_matches("//");
                        let rest = rest.strip_prefix("localhost").unwrap_or(rest).to_owned();
                        self.path(Kind::Read, &rest, span, &site.dirs, state, "a file by its URL");
                        // The scheme is part of the URL: with one word the whole call stays here.
                        site.hosts.push(("localhost".to_owned(), span));
                    }
                    None => site.hosts.push((network::of_url(t).to_owned(), span)),
                }
                return;
            }
            Role::RemoteRead | Role::RemoteWrite => {
                let writes = role == Role::RemoteWrite;
                if t.starts_with("ext::") || t.starts_with("fd::") {
                    self.role(name, Role::GitRemote, word, site, state, input);
                    return;
                }
                match network::remote(t) {
                    Remote::Host(host) => {
                        let kind = if writes { Kind::Send } else { Kind::Fetch };
                        self.push(kind, Some(host), span, "a place on another host");
                    }
                    Remote::Local("-") => {}
                    Remote::Local(p) => {
                        let kind = if writes { Kind::Write } else { Kind::Read };
                        let p = p.to_owned();
                        self.path(kind, &p, span, &site.dirs, state, "");
                    }
                }
                return;
            }
            Role::GitRemote => {
                if let Some(command) = t.strip_prefix("ext::") {
                    // A transport that is a command; `% ` is a blank in a word.
                    let command = command.replace("% ", " ").replace("%%", "%");
                    self.shell_from(&command, span, state);
                    self.unknown("git talks to a command", span);
                    return;
                }
                let local = t.starts_with(['/', '.']) || t.starts_with("file://");
                if local {
                    let p = t.strip_prefix("file://").unwrap_or(t).to_owned();
                    self.path(Kind::Read, &p, span, &site.dirs, state, "a repository");
                } else {
                    let host = match network::remote(t) {
                        Remote::Host(h) => Some(h.to_owned()),
                        Remote::Local(_) => None,
                    };
                    self.push(Kind::Fetch, host.as_deref(), span, "a remote repository");
                }
                return;
            }
            Role::Code(lang) => {
                let code = t.to_owned();
                self.code_for(name, lang, &code, span, state, input);
                return;
            }
            Role::Program => {
                let owned = Word { text: Cow::Owned(t.to_owned()), span, splits: word.splits };
                self.run(vec![owned], state, &Data::Unknown, super::program::By::Program);
                return;
            }
            Role::Pid => {
                let target = t.to_owned();
                self.push(Kind::Process, Some(&target), span, "");
                return;
            }
            Role::Env => {
                if sounds_secret(t) {
                    self.push(
                        Kind::Secret,
                        Some(t),
                        span,
                        "an environment variable with a secret's name is printed",
                    );
                }
                return;
            }
            Role::BranchOrPath => {
                if argv::looks_like_path(t) {
                    Kind::Loss
                } else {
                    return;
                }
            }
        };
        if t == "-" && matches!(role, Role::Read | Role::Write) {
            return;
        }
        // A process substitution is a pipe and not a file.
        if state.processes.iter().any(|p| p.0 == t) {
            return;
        }
        let owned = t.to_owned();
        self.path(kind, &owned, span, &site.dirs, state, "");
    }

    fn assign_word(&mut self, word: &Word<'_>, state: &mut State) {
        match word.text.split_once('=') {
            Some((n, v)) => {
                let (n, v) = (n.to_owned(), v.to_owned());
                self.environment(&n, &v, word.span, state);
            }
            None => self.push(Kind::Env, None, word.span, "a variable that is not known is set"),
        }
    }

    /// An effect that the entry states outright.
    #[allow(clippy::too_many_arguments)]
    fn stated(
        &mut self,
        stated: &Stated,
        span: Span,
        call: &Call<'_>,
        site: &Site,
        hosts: &[(String, Span)],
        state: &State,
        why: &'static str,
    ) {
        let target = text(stated.target);
        if stated.kind.is_net() {
            if !target.is_empty() && hosts.is_empty() {
                self.push(stated.kind, Some(target), span, why);
            } else if hosts.is_empty() {
                self.push(stated.kind, None, span, why);
            } else {
                for (host, at) in hosts {
                    self.push(stated.kind, Some(host), *at, why);
                }
            }
            return;
        }
        if stated.kind == Kind::Project {
            self.foreign_project(span, site);
        }
        if !stated.kind.is_path() {
            let shown_target =
                if stated.kind == Kind::Unknown { None } else { Some(target).filter(|t| !t.is_empty()) };
            let note = if stated.kind == Kind::Unknown && !target.is_empty() { target } else { why };
            // `process $all`
            if let Some(t) = target.strip_prefix('$') {
                for w in chosen(t, call) {
                    let w = w.text.clone().into_owned();
                    self.push(stated.kind, Some(&w), span, why);
                }
                return;
            }
            self.push(stated.kind, shown_target, span, note);
            return;
        }
        let mut targets: Vec<(String, Span)> = Vec::new();
        match target.strip_prefix('$') {
            None if target == "." && !site.places.is_empty() => {
                for p in &site.places {
                    self.path(stated.kind, p, span, &site.dirs, state, why);
                }
                targets.push((".".to_owned(), span));
            }
            None if target == "." => {
                // Seen from where the shell is, so that the reason names the directory.
                let here = site.here.clone();
                let dirs = state.dirs.clone();
                self.path(stated.kind, &here, span, &dirs, state, why);
            }
            None => {
                let target = match target.strip_prefix("~/") {
                    Some(rest) => path::join(self.context.home, rest),
                    None => target.to_owned(),
                };
                if !target.starts_with('/') {
                    for p in &site.places {
                        self.path(stated.kind, &path::join(p, &target), span, &site.dirs, state, why);
                    }
                }
                targets.push((target, span));
            }
            Some("all") if !site.found.is_empty() => {
                targets.extend(site.found.iter().map(|f| (f.clone(), span)));
            }
            Some(which) => {
                let list = chosen(which, call);
                targets.extend(list.iter().map(|w| (w.text.clone().into_owned(), w.span)));
                if targets.is_empty() && which == "all" {
                    targets.push((".".to_owned(), span));
                }
            }
        }
        for (t, at) in targets {
            self.path(stated.kind, &t, at, &site.dirs, state, why);
        }
    }

    /// Code of a project that is not the workspace is code that nobody has read.
    fn foreign_project(&mut self, span: Span, site: &Site) {
        for dir in site.dirs.iter().chain(&site.places) {
            if !self.context.roots.iter().any(|root| path::below(root, dir).is_some()) {
                self.path_effect(
                    Kind::Script,
                    dir,
                    dir.clone(),
                    span,
                    "the project there is not the workspace",
                );
            }
        }
    }

    /// What standard input is to the program.
    pub(super) fn standard_input(
        &mut self,
        name: &str,
        role: Role,
        span: Span,
        state: &mut State,
        input: &Data,
    ) {
        match role {
            // A patch that is not seen changes the tree, which the program's own effects say.
            Role::Code(Lang::Patch) if !matches!(input, Data::Text(_)) => {}
            Role::Code(lang) => match input {
                Data::Text(t) => {
                    let t = t.clone();
                    self.code_for(name, lang, &t, span, state, &Data::Text(String::new()));
                }
                Data::File(f) => {
                    let f = f.clone();
                    let dirs = state.dirs.clone();
                    self.path(Kind::Script, &f, span, &dirs, state, "its content is run as a program");
                }
                Data::Inherit => {
                    self.unknown(format!("{name} runs what it is told on its standard input"), span)
                }
                Data::Unknown | Data::Names(_) | Data::Fact => {
                    self.unknown(
                        format!("{name} runs text that comes through a pipe and is not known"),
                        span,
                    );
                }
            },
            Role::Assign => self.push(Kind::Env, None, span, "variables come from standard input"),
            _ => {}
        }
    }

    /// The command that a wrapper runs.
    fn command_inside(
        &mut self,
        name: &str,
        command: &Command<'_>,
        call: &Call<'_>,
        site: &Site,
        state: &mut State,
        input: &Data,
    ) {
        let mut inner = state.clone();
        inner.dirs.clone_from(&site.dirs);
        for a in &command.assignments {
            if let Some((n, v)) = a.text.split_once('=') {
                inner.variables_changed = true;
                inner.set(n, Variable::Scalar(v.to_owned()));
            }
        }
        if command.words.is_empty() {
            return;
        }
        let mut words: Vec<Word<'static>> = command
            .words
            .iter()
            .map(|w| Word { text: Cow::Owned(w.text.clone().into_owned()), span: w.span, splits: w.splits })
            .collect();
        let mut inner_input = input.clone();
        let mut last: Vec<Word<'static>> = Vec::new();
        if command.more {
            inner_input = Data::Text(String::new());
            let replaces = call.options.iter().any(|g| {
                knowledge::option(g.id).is_some()
                    && !g.values.is_empty()
                    && words.iter().skip(1).any(|w| {
                        let mark = g.values.first().map_or("{}", |v| &v.text);
                        !mark.is_empty() && w.text.contains(mark) && !mark.bytes().all(|b| b.is_ascii_digit())
                    })
            }) || words.iter().any(|w| w.text.contains("{}"));
            let given = match input {
                Data::Text(t) => t.clone(),
                // A name for each pattern stands for all that fit it.
                Data::Names(list) => list.join("\n"),
                _ => UNKNOWN.to_string(),
            };
            // xargs takes quotes and backslashes out itself, unless it is told what stands between items.
            let unquotes =
                matches!(name, "xargs" | "gxargs") && !gives(call, &["-0", "--null", "-d", "--delimiter"]);
            if replaces {
                let mark = call
                    .options
                    .iter()
                    .filter_map(|g| g.values.first())
                    .map(|v| v.text.clone().into_owned())
                    .find(|m| {
                        !m.is_empty()
                            && words.iter().any(|w| w.text.contains(m.as_str()))
                            && !m.bytes().all(|b| b.is_ascii_digit())
                    })
                    .unwrap_or_else(|| "{}".to_owned());
                let mut lines: Vec<String> = if unquotes {
                    super::lang::xargs_items(&given, true)
                } else {
                    given.lines().map(|l| l.trim().to_owned()).collect()
                };
                if lines.is_empty() || lines.len() > ITEMS {
                    lines = vec![UNKNOWN.to_string()];
                }
                for (n, line) in lines.iter().enumerate() {
                    let mut words = words.clone();
                    for w in words.iter_mut() {
                        if w.text.contains(mark.as_str()) {
                            w.text = Cow::Owned(w.text.replace(mark.as_str(), line));
                        }
                    }
                    // The last one is run below, like all that run once.
                    if n + 1 < lines.len() {
                        self.run(words, &mut inner.clone(), &inner_input, super::program::By::Program);
                    } else {
                        last = words;
                    }
                }
                words = last;
            } else if let Data::Names(list) = input {
                let span = words.first().map(|w| w.span).unwrap_or_default();
                words.extend(list.iter().map(|n| Word { text: Cow::Owned(n.clone()), span, splits: true }));
            } else if let Data::Text(_) = input {
                let span = words.first().map(|w| w.span).unwrap_or_default();
                let items = if unquotes {
                    super::lang::xargs_items(&given, false)
                } else {
                    given.split_whitespace().map(str::to_owned).collect()
                };
                let many = items.len() > WORDS;
                words.extend(items.into_iter().take(WORDS).map(|i| Word::new(i, span)));
                if many {
                    words.push(Word { text: Cow::Owned(UNKNOWN.to_string()), span, splits: true });
                }
            } else {
                let span = words.first().map(|w| w.span).unwrap_or_default();
                words.push(Word { text: Cow::Owned(given), span, splits: true });
            }
        }
        if self.is_shell_stdin(name) {
            inner_input = Data::Unknown;
        }
        self.run(words, &mut inner, &inner_input, super::program::By::Program);
    }

    fn is_shell_stdin(&self, name: &str) -> bool {
        matches!(name, "nohup" | "setsid")
    }

    /// The command of an `-exec`.
    fn until(&mut self, words: &[Word<'_>], appends: bool, site: &Site, state: &mut State, input: &Data) {
        let mut inner = state.clone();
        inner.dirs.clone_from(&site.dirs);
        let found: Vec<String> =
            if site.found.is_empty() { vec![SOME.to_string()] } else { site.found.clone() };
        let mut list: Vec<Word<'static>> = Vec::new();
        for w in words {
            if w.text == "{}" {
                list.extend(found.iter().map(|f| Word::new(f.clone(), w.span)));
            } else if w.text.contains("{}") {
                // Inside code the name of a file is text that nobody has checked.
                list.push(Word::new(w.text.replace("{}", found.first().map_or("", String::as_str)), w.span));
            } else {
                list.push(Word {
                    text: Cow::Owned(w.text.clone().into_owned()),
                    span: w.span,
                    splits: w.splits,
                });
            }
        }
        if appends && !words.iter().any(|w| w.text.contains('{')) {
            let span = words.first().map(|w| w.span).unwrap_or_default();
            list.extend(found.iter().map(|f| Word::new(f.clone(), span)));
        }
        self.run(list, &mut inner, input, super::program::By::Program);
    }

    /// `git config key value`.
    fn config_pair(&mut self, name: &str, call: &Call<'_>, state: &mut State) {
        if name != "git" || !call.subs.contains(&"config") {
            return;
        }
        let words: Vec<&Word<'_>> = call
            .operands
            .iter()
            .map(|o| &o.word)
            .filter(|w| !matches!(&*w.text, "set" | "get" | "list"))
            .collect();
        if let [key, value, ..] = words.as_slice() {
            let text = format!("{}={}", key.text, value.text);
            self.git_setting(&text, key.span, state, true);
        }
    }

    /// `git show HEAD:path`: what the repository holds is read as if it lay in the workspace.
    fn stored_files(&mut self, name: &str, call: &Call<'_>, state: &State) {
        if name != "git"
            || !call
                .subs
                .iter()
                .any(|s| matches!(*s, "show" | "cat-file" | "diff" | "archive" | "checkout-index"))
        {
            return;
        }
        for o in call.operands.iter().filter(|o| o.role == Role::Text) {
            if let Some((revision, file)) = o.word.text.split_once(':')
                && !revision.contains('/')
            {
                let dirs = state.dirs.clone();
                self.path(Kind::Read, file, o.word.span, &dirs, state, "a file in the repository");
            }
        }
    }

    fn links(&mut self, call: &Call<'_>, site: &Site, state: &mut State) {
        let words: Vec<&Word<'_>> = call.operands.iter().map(|o| &o.word).collect();
        if let [target, at] = words.as_slice() {
            for d in &site.dirs {
                let at = path::join(d, &at.text);
                let base = at.rsplit_once('/').map_or("/", |(b, _)| b).to_owned();
                let to = path::join(&base, &target.text);
                // Where a directory of that name is there, the link comes into it.
                let name = path::name(target.text.trim_end_matches('/'));
                if !matches!(name, "" | "." | "..") {
                    state.link(path::join(&at, name), path::join(&at, &target.text));
                }
                state.link(at, to);
            }
        } else if let [target] = words.as_slice() {
            for d in &site.dirs {
                state.link(path::join(d, path::name(&target.text)), path::join(d, &target.text));
            }
        }
    }
}

/// The directories from which a symbolic link's target is meant; `None` where it is from the shell's own.
fn link_directories(call: &Call<'_>, args: &[Word<'_>], site: &Site) -> Option<Vec<String>> {
    let relative = args.iter().any(|w| {
        let cluster = w.text.strip_prefix('-').filter(|rest| !rest.contains(['-', 'S', 't']));
        cluster.is_some_and(|letters| letters.contains('r')) || w.text.starts_with("--rel")
    });
    if relative || !gives(call, &["-s", "--symbolic"]) {
        return None;
    }
    let into = call.options.iter().find(|given| given.roles.first() == Some(&Role::Write));
    if let Some(dir) = into.and_then(|given| given.values.first()) {
        return Some(site.dirs.iter().map(|d| path::join(d, &dir.text)).collect());
    }
    let [_, .., at] = call.operands.as_slice() else { return None };
    let mut out = Vec::new();
    for full in site.dirs.iter().map(|d| path::join(d, &at.word.text)) {
        let above =
            full.rsplit_once('/').map_or("/", |(above, _)| if above.is_empty() { "/" } else { above });
        let is_directory = call.operands.len() > 2 || at.word.text.ends_with('/');
        // Nobody looked whether it is a file to be or a directory that is there.
        if !is_directory {
            out.push(above.to_owned());
        }
        out.push(full);
    }
    Some(out)
}

/// How many lines of standard input a command is run for one by one.
const ITEMS: usize = 32;

/// How many words from standard input are read.
const WORDS: usize = 4096;

/// Whether one of these options was given.
fn gives(call: &Call<'_>, names: &[&str]) -> bool {
    call.options.iter().any(|given| {
        call.specs
            .iter()
            .flat_map(|s| s.names())
            .any(|n| n.option == given.id && names.contains(&text(n.name)))
    })
}

/// Operands by `1`, `last`, `all`.
fn chosen<'c>(which: &str, call: &'c Call<'_>) -> Vec<&'c Word<'c>> {
    match which {
        "all" => call.operands.iter().map(|o| &o.word).collect(),
        "last" => call.operands.last().map(|o| &o.word).into_iter().collect(),
        n => n
            .parse::<usize>()
            .ok()
            .and_then(|n| n.checked_sub(1))
            .and_then(|n| call.operands.get(n))
            .map(|o| &o.word)
            .into_iter()
            .collect(),
    }
}

/// What a walk over directories gives to the commands it runs: something below each root, by its name if
/// the walk asks for one.
fn found_below(call: &Call<'_>) -> Vec<String> {
    let mut roots: Vec<&str> = call
        .operands
        .iter()
        .filter(|o| matches!(o.role, Role::List | Role::Read))
        .map(|o| &*o.word.text)
        .collect();
    if roots.is_empty() {
        roots.push(".");
    }
    let mut names = Vec::new();
    let mut negated = false;
    for given in &call.options {
        let option = call.specs.iter().flat_map(|s| s.names()).find(|n| {
            n.option == given.id
                && matches!(text(n.name), "-name" | "-iname" | "-not" | "-prune" | "-o" | "-or")
        });
        match option.map(|n| text(n.name)) {
            // The option's line lists several names, so the value decides.
            Some("-name" | "-iname") => names.extend(given.values.first().map(|v| &*v.text)),
            Some("-not") => negated = true,
            _ => {}
        }
    }
    let mut out = Vec::new();
    for root in roots {
        let root = root.trim_end_matches('/');
        if negated || names.is_empty() || names.len() > 8 {
            out.push(format!("{root}/{SOME}"));
        } else {
            for n in &names {
                let mut pattern = String::new();
                for c in n.chars() {
                    if matches!(c, '*' | '?' | '[' | ']') { pattern.push(SOME) } else { pattern.push(c) }
                }
                if pattern.chars().all(|c| c == SOME) {
                    out.push(format!("{root}/{SOME}"));
                } else {
                    out.push(format!("{root}/{SOME}/{pattern}"));
                }
            }
        }
    }
    out
}

/// The language a program runs when it is given a file.
fn interpreter(name: &str) -> Lang {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    match stem {
        "bash" | "sh" | "dash" | "ash" | "zsh" | "ksh" | "mksh" => Lang::Shell,
        "python" | "pypy" => Lang::Python,
        "perl" => Lang::Perl,
        "ruby" => Lang::Ruby,
        "node" | "nodejs" | "bun" | "deno" => Lang::Node,
        "php" => Lang::Php,
        "lua" | "luajit" => Lang::Lua,
        "awk" | "gawk" | "mawk" | "nawk" => Lang::Awk,
        "sed" | "gsed" => Lang::Sed,
        "psql" => Lang::Psql,
        "sqlite" => Lang::Sqlite,
        _ => Lang::Other,
    }
}

/// Whether a variable's name says that it holds a secret.
pub(super) fn sounds_secret(name: &str) -> bool {
    const WORDS: [&str; 13] = [
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "APIKEY",
        "CREDENTIAL",
        "CREDENTIALS",
        "PAT",
        "AUTH",
        "COOKIE",
    ];
    const PARTS: [&str; 6] =
        ["API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "SECRET_KEY", "ENCRYPTION_KEY", "SIGNING_KEY"];
    if !is_exact(name) {
        return true;
    }
    let upper = name.to_ascii_uppercase();
    upper != "SSH_AUTH_SOCK"
        && (upper.split('_').any(|w| WORDS.contains(&w)) || PARTS.iter().any(|p| upper.contains(p)))
}
