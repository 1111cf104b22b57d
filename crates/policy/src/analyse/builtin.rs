//! Builtins of the shell that change its state or run text.
//!
//! Builtins that only print or test are in the knowledge base like any program.

use super::program::By;
use super::state::{State, Variable};
use super::{Analyst, Data};
use crate::effect::Kind;
use crate::knowledge::schema::Lang;
use crate::path;
use crate::word::{UNKNOWN, Word, is_exact, shown};
use std::rc::Rc;

impl Analyst<'_> {
    /// Runs a builtin; `None` if the name is none that is handled here.
    pub(super) fn builtin(
        &mut self,
        words: &[Word<'static>],
        state: &mut State,
        input: &Data,
    ) -> Option<Data> {
        let name = words.first()?.text.clone();
        let span = words.first()?.span;
        let args = words.get(1..).unwrap_or(&[]);
        let nothing = Some(Data::Text(String::new()));
        match &*name {
            "cd" | "chdir" => {
                self.change_directory(args, state);
                nothing
            }
            "pushd" => {
                self.change_directory(args, state);
                Some(Data::Unknown)
            }
            "popd" => {
                // Where it leads was seen when it was pushed, or cannot be known.
                let start = path::join("/", self.context.cwd);
                if !state.dirs.contains(&start) {
                    state.dirs.push(start);
                }
                Some(Data::Unknown)
            }
            "command" | "builtin" => Some(self.command_builtin(&name, args, state, input)),
            "exec" => Some(self.exec(args, state, input)),
            "eval" => {
                let mut text = String::new();
                for (i, w) in args.iter().filter(|w| w.text != "--").enumerate() {
                    if i > 0 {
                        text.push(' ');
                    }
                    text.push_str(&w.text);
                }
                Some(self.same_shell(&text, span, state, input))
            }
            "." | "source" => Some(self.source(args, span, state, input)),
            "trap" => {
                let args = without_options(args);
                if let [code, rest @ ..] = args
                    && !rest.is_empty()
                    && !matches!(&*code.text, "-" | "")
                {
                    self.handle(code, state);
                }
                nothing
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                let names = args.iter().any(|w| !w.text.starts_with('-') && !w.text.starts_with('+'));
                let functions = args.iter().any(|w| w.text.starts_with('-') && w.text.contains(['f', 'F']));
                if !names && !functions {
                    self.push(Kind::Secret, Some("environment"), span, "all variables are printed");
                }
                self.declare(&name, args, state);
                Some(Data::Unknown)
            }
            // `wait -p` writes a variable, whose index is evaluated.
            "wait" => {
                for (i, w) in args.iter().enumerate() {
                    let target = match w.text.strip_prefix("-p") {
                        Some("") => args.get(i + 1).map(|w| &*w.text),
                        attached => attached,
                    };
                    if let Some(t) = target {
                        self.evaluated(t, w.span, state);
                    }
                }
                nothing
            }
            "unset" => {
                for w in without_options(args) {
                    self.evaluated(&w.text.clone(), w.span, state);
                    state.functions.doubt(&w.text);
                    if w.is_exact() {
                        state.set(&w.text, Variable::Unset);
                    } else {
                        state.forget_variables();
                    }
                }
                nothing
            }
            "set" => {
                if args.is_empty() {
                    self.push(Kind::Secret, Some("environment"), span, "all variables are printed");
                }
                self.set(args, state);
                nothing
            }
            "shift" => {
                let n = match args.first() {
                    None => Some(1),
                    Some(w) => w.exact().and_then(|t| t.parse::<usize>().ok()),
                };
                state.positional = match (&state.positional, n) {
                    (Some(list), Some(n)) => Some(Rc::new(list.get(n..).unwrap_or(&[]).to_vec())),
                    _ => None,
                };
                nothing
            }
            "read" | "mapfile" | "readarray" | "getopts" => {
                self.read(&name, args, state, input);
                nothing
            }
            "printf" if args.first().is_some_and(|w| w.text.starts_with("-v")) => {
                let target = args.first().and_then(|w| w.text.strip_prefix("-v")).filter(|t| !t.is_empty());
                let (target, rest) = match target {
                    Some(t) => (Word::new(t.to_owned(), span), args.get(1..)),
                    None => match args.get(1) {
                        Some(w) => (w.clone(), args.get(2..)),
                        None => return nothing,
                    },
                };
                self.evaluated(&target.text, target.span, state);
                let value = super::output::printf(rest.unwrap_or(&[]));
                if target.is_exact() {
                    let value = value.unwrap_or_else(|| UNKNOWN.to_string());
                    self.assign_variable(&target.text, &value, span, state);
                } else {
                    state.forget_variables();
                }
                nothing
            }
            "test" | "[" => {
                for pair in args.windows(2) {
                    let (Some(op), Some(w)) = (pair.first(), pair.get(1)) else { continue };
                    if matches!(&*op.text, "-v" | "-R") {
                        self.evaluated(&w.text.clone(), w.span, state);
                    }
                }
                nothing
            }
            "let" => {
                for w in args {
                    self.evaluated(&w.text.clone(), w.span, state);
                    let name: String =
                        w.text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                    if !name.is_empty() {
                        self.given(&name, &crate::word::SOME.to_string(), w.span, state);
                    }
                }
                nothing
            }
            "alias" => {
                for w in without_options(args) {
                    match w.text.split_once('=') {
                        Some((n, value)) => {
                            let (n, value) = (n.to_owned(), value.to_owned());
                            state.shadow(&n);
                            self.code(Lang::Shell, &value, w.span, state, &Data::Unknown);
                        }
                        None if w.is_exact() => {}
                        None => self.unknown("an alias whose meaning is not known", w.span),
                    }
                }
                Some(Data::Unknown)
            }
            "unalias" => nothing,
            "hash" => {
                let given = args.iter().any(|w| w.text.starts_with("-p"));
                if given {
                    if let Some(last) = args.last() {
                        state.shadow(&last.text);
                    }
                    self.unknown("a name is given another program", span);
                }
                Some(Data::Unknown)
            }
            "enable" => {
                if args.iter().any(|w| w.text.starts_with('-') && w.text != "-a" && w.text != "-p") {
                    self.unknown("builtins are loaded or switched", span);
                    if let Some(last) = args.last() {
                        state.shadow(&last.text);
                    }
                }
                Some(Data::Unknown)
            }
            "shopt" => {
                let may_name = |option: &str| args.iter().any(|w| !w.is_exact() || w.text.contains(option));
                state.finds_dots |= may_name("dotglob");
                state.odd_echo |= may_name("xpg_echo");
                Some(Data::Unknown)
            }
            "history" => {
                self.history(args, span, state);
                Some(Data::Unknown)
            }
            "fc" => {
                if !args.iter().any(|w| w.text.starts_with("-l")) {
                    self.unknown("an earlier command is run again", span);
                }
                Some(Data::Unknown)
            }
            "jobs" | "fg" | "bg" | "disown" | "suspend" | "times" | "dirs" | "caller" | "umask" => nothing,
            _ => None,
        }
    }

    /// Code that runs when a signal comes, a command ends or the shell does.
    fn handle(&mut self, code: &Word<'static>, state: &mut State) {
        let text = code.text.clone().into_owned();
        let mut inner = state.clone();
        self.nested_shell(&text, code.span, &mut inner, &Data::Unknown);
        if inner.positional != state.positional {
            self.unknown("a handler changes the parameters of the script", code.span);
        }
        if !inner.same_values(state) {
            state.interrupted_by(&inner);
        }
        self.handlers.push((text, code.span, state.clone()));
    }

    fn change_directory(&mut self, args: &[Word<'static>], state: &mut State) {
        let target = match without_options(args).first() {
            None => Word::new(self.context.home.to_owned(), Default::default()),
            Some(w) if w.text == "-" => {
                let old = state.variable("OLDPWD").cloned();
                match old {
                    Some(Variable::Scalar(v)) => Word::new(v, w.span),
                    _ => Word::unknown(w.span),
                }
            }
            Some(w) if w.text.starts_with('+') && w.text.len() > 1 => Word::unknown(w.span),
            Some(w) => w.clone(),
        };
        if let [one] = state.dirs.as_slice() {
            let one = one.clone();
            state.set("OLDPWD", Variable::Scalar(one));
        }
        let mut sure = target.is_exact();
        self.taken.look(&self.out.effects);
        let mut dirs: Vec<String> = Vec::new();
        for d in &state.dirs {
            let full = path::join(d, &target.text);
            sure &= !self.taken.may_hold(&full) && self.context.links.enters(&full);
            let mut places: Vec<String> = state.through_links(&full).collect();
            if places.is_empty() {
                places.push(full);
            }
            for full in places {
                let full = self.context.links.resolve(&full).unwrap_or(full);
                if !dirs.contains(&full) {
                    dirs.push(full);
                }
            }
        }
        state.dirs = dirs;
        state.may_stay |= !sure;
    }

    fn command_builtin(
        &mut self,
        name: &str,
        args: &[Word<'static>],
        state: &mut State,
        input: &Data,
    ) -> Data {
        let mut rest = args;
        let mut asks = false;
        while let [first, more @ ..] = rest {
            match &*first.text {
                "-p" if name == "command" => rest = more,
                "-v" | "-V" | "-pv" | "-pV" if name == "command" => {
                    asks = true;
                    rest = more;
                }
                "--" => {
                    rest = more;
                    break;
                }
                t if t.starts_with('-') && t.len() > 1 => {
                    self.unknown(format!("option {} of {name}", shown(t)), first.span);
                    rest = more;
                }
                _ => break,
            }
        }
        if asks {
            return Data::Fact;
        }
        if rest.is_empty() {
            return Data::Text(String::new());
        }
        // Both skip functions; `command` also takes programs, `builtin` builtins only.
        self.run(rest.to_vec(), state, input, By::Shell)
    }

    fn exec(&mut self, args: &[Word<'static>], state: &mut State, input: &Data) -> Data {
        let mut rest = args;
        while let [first, more @ ..] = rest {
            match &*first.text {
                "--" => {
                    rest = more;
                    break;
                }
                t if t.starts_with('-')
                    && t.len() > 1
                    && t.get(1..).is_some_and(|l| l.bytes().all(|b| matches!(b, b'c' | b'l' | b'a'))) =>
                {
                    rest = if t.ends_with('a') { more.get(1..).unwrap_or(&[]) } else { more };
                }
                t if t.starts_with("-a") => rest = more,
                t if t.starts_with('-') && t.len() > 1 => {
                    self.unknown(format!("option {} of exec", shown(t)), first.span);
                    rest = more;
                }
                _ => break,
            }
        }
        if rest.is_empty() {
            return Data::Text(String::new());
        }
        self.run(rest.to_vec(), state, input, By::Program)
    }

    fn source(
        &mut self,
        args: &[Word<'static>],
        span: toolgate_bash::ast::Span,
        state: &mut State,
        input: &Data,
    ) -> Data {
        let args = without_options(args);
        let Some(file) = args.first() else { return Data::Unknown };
        let data = state.processes.iter().rev().find(|p| p.0 == file.text).map(|p| p.1.clone());
        let data = match data {
            Some(d) => Some(d),
            None if matches!(&*file.text, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
                Some(input.clone())
            }
            None => None,
        };
        match data {
            Some(Data::Text(text)) => return self.same_shell(&text, file.span, state, &Data::Unknown),
            Some(_) => self.unknown("the shell runs what a command prints", span),
            None => {
                let dirs = state.dirs.clone();
                self.path(
                    Kind::Script,
                    &file.text.clone(),
                    file.span,
                    &dirs,
                    state,
                    "the shell runs the file in itself",
                );
            }
        }
        state.forget_variables();
        Data::Unknown
    }

    fn declare(&mut self, name: &str, args: &[Word<'static>], state: &mut State) {
        let global = args.iter().any(|w| w.text.starts_with('-') && w.text.contains('g'));
        let own = match name {
            "local" => true,
            "declare" | "typeset" => !global,
            _ => false,
        };
        let own = own && !self.calling.is_empty();
        let letter = |l: char| args.iter().any(|w| w.text.starts_with('-') && w.text.contains(l));
        let fixes = name == "readonly" || letter('r');
        if fixes && letter('f') {
            state.functions.keep_all();
        }
        let mut integer = false;
        let mut functions = false;
        for w in args {
            let t = &*w.text;
            if t.starts_with(['-', '+']) && t.len() > 1 {
                integer |= t.contains('i');
                functions |= t.contains('f');
                if t.contains('n') && name != "export" {
                    // A reference: assigning to it assigns elsewhere.
                    self.unknown("a variable that stands for another", w.span);
                }
                continue;
            }
            if t.starts_with(UNKNOWN) {
                self.unknown("a variable whose name is not known is set", w.span);
                state.forget_variables();
                continue;
            }
            match t.split_once('=') {
                Some((n, value)) => {
                    let append = n.ends_with('+');
                    let n = n.trim_end_matches('+');
                    let base = n.split('[').next().unwrap_or(n).to_owned();
                    if own {
                        state.make_local(&base);
                    }
                    if n.contains('[') {
                        self.evaluated(n, w.span, state);
                    }
                    if integer {
                        self.evaluated(value, w.span, state);
                    }
                    // An array was assigned when the word was expanded.
                    if !matches!(state.variable(&base), Some(Variable::Array(_))) {
                        let value = if append { format!("{UNKNOWN}{value}") } else { value.to_owned() };
                        self.assign_variable(&base, &value, w.span, state);
                    }
                    if fixes {
                        state.fix(&base);
                    }
                }
                None => {
                    if own && !functions {
                        state.make_local(t);
                    }
                    if fixes && !functions {
                        state.fix(t);
                    }
                    if !functions && name == "local" && is_exact(t) {
                        state.set(t, Variable::Scalar(String::new()));
                    }
                }
            }
        }
    }

    fn set(&mut self, args: &[Word<'static>], state: &mut State) {
        let mut i = 0;
        while let Some(w) = args.get(i) {
            let t = &*w.text;
            if t == "--" {
                let rest = args.get(i + 1..).unwrap_or(&[]);
                let sure = rest.iter().all(|w| !w.splits);
                state.positional =
                    sure.then(|| Rc::new(rest.iter().map(|w| w.text.clone().into_owned()).collect()));
                return;
            }
            if let Some(flags) = t.strip_prefix('-') {
                state.errexit |= flags.contains('e');
                if flags.ends_with('o') {
                    if args.get(i + 1).is_some_and(|o| o.text == "errexit") {
                        state.errexit = true;
                    }
                    i += 1;
                }
            } else if t.starts_with('+') {
                if t.contains('e') {
                    state.errexit = false;
                }
                if t.ends_with('o') {
                    i += 1;
                }
            } else {
                let rest = args.get(i..).unwrap_or(&[]);
                let sure = rest.iter().all(|w| !w.splits);
                state.positional =
                    sure.then(|| Rc::new(rest.iter().map(|w| w.text.clone().into_owned()).collect()));
                return;
            }
            i += 1;
        }
    }

    fn read(&mut self, name: &str, args: &[Word<'static>], state: &mut State, input: &Data) {
        let mut i = 0;
        let mut targets = Vec::new();
        while let Some(w) = args.get(i) {
            i += 1;
            let t = &*w.text;
            if let Some(flags) = t.strip_prefix('-').filter(|f| !f.is_empty()) {
                let takes = match name {
                    "read" => "adeinNptuC",
                    "getopts" => "",
                    _ => "dnOsuCc",
                };
                if let Some(at) = flags.find(|c| takes.contains(c)) {
                    let letter = flags.get(at..=at).unwrap_or("");
                    let value = match flags.get(at + 1..) {
                        Some("") | None => {
                            let v = args.get(i).cloned();
                            i += 1;
                            v
                        }
                        Some(v) => Some(Word::new(v.to_owned(), w.span)),
                    };
                    if let Some(v) = value {
                        if letter == "C" {
                            self.code(Lang::Shell, &v.text.clone(), v.span, state, &Data::Unknown);
                        }
                        if letter == "a" {
                            targets.push(v);
                        }
                    }
                }
                continue;
            }
            targets.push(w.clone());
        }
        if name == "getopts" {
            targets = targets.into_iter().skip(1).take(1).collect();
        }
        if targets.is_empty() {
            let default = if name == "read" { "REPLY" } else { "MAPFILE" };
            targets.push(Word::new(default, Default::default()));
        }
        let line = match input {
            Data::Text(t) if name == "read" && targets.len() == 1 => {
                t.split('\n').next().map(|l| l.trim().to_owned())
            }
            _ => None,
        };
        let names_only = match input {
            Data::Names(list) => match list.as_slice() {
                [one] => Some(one.clone()),
                _ => None,
            },
            _ => None,
        };
        for t in &targets {
            self.evaluated(&t.text.clone(), t.span, state);
            if !t.is_exact() {
                state.forget_variables();
                return;
            }
            let value = match &line {
                // A loop reads other lines too, and those of a constant are looked at one by one there.
                Some(l) if matches!(input, Data::Text(x) if x.trim_end_matches('\n').lines().count() <= 1) => {
                    l.clone()
                }
                _ => names_only.clone().unwrap_or_else(|| UNKNOWN.to_string()),
            };
            self.environment(&t.text.clone(), &value, t.span, state);
            state.set(
                &t.text,
                if name == "read" {
                    Variable::Scalar(value)
                } else {
                    Variable::Array(vec![UNKNOWN.to_string()])
                },
            );
        }
    }

    fn history(&mut self, args: &[Word<'static>], span: toolgate_bash::ast::Span, state: &State) {
        let dirs = state.dirs.clone();
        for (i, w) in args.iter().enumerate() {
            if let Some(flags) = w.text.strip_prefix('-') {
                if flags.contains(['a', 'w']) {
                    match args.get(i + 1) {
                        Some(file) => self.path(
                            Kind::Write,
                            &file.text,
                            file.span,
                            &dirs,
                            state,
                            "the history is written to it",
                        ),
                        None => self.push(Kind::Write, None, span, "the history file"),
                    }
                }
                if flags.contains(['c', 'd']) {
                    self.push(Kind::Persist, Some("history"), span, "entries of the history are removed");
                }
            }
        }
    }
}

/// What is left after the options, with `--` taken away.
fn without_options<'w>(args: &'w [Word<'static>]) -> &'w [Word<'static>] {
    let mut rest = args;
    while let [first, more @ ..] = rest {
        if first.text == "--" {
            return more;
        }
        if first.text.starts_with('-') && first.text.len() > 1 && first.is_exact() {
            rest = more;
        } else {
            break;
        }
    }
    rest
}
