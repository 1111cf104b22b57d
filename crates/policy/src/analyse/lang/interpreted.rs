//! General-purpose languages: Python, Perl, Ruby, JavaScript, PHP, Lua, Tcl.
//!
//! The text is cut into names, constants and signs. Names that reach out are looked up in the tables of
//! `interpreted/tables.rs`; what they are given is followed if it is constant. The text is understood only
//! if every name in it is known to be harmless or is its own variable, every method that is called is one
//! that only computes, and nothing is called that has no name.

mod paths;
mod tables;
mod tokens;

use crate::analyse::state::State;
use crate::analyse::{Analyst, Data};
use crate::effect::Kind;
use crate::knowledge::schema::Lang;
use crate::word::{Word, is_exact};
use std::collections::{HashMap, HashSet};
use tables::Table;
use tokens::Token;
use toolgate_bash::ast::Span;

impl Analyst<'_> {
    pub(in crate::analyse) fn interpreted(&mut self, lang: Lang, text: &str, span: Span, state: &State) {
        let Some(table) = tables::of(lang) else {
            self.unknown("program text in a language that is not followed", span);
            return;
        };
        if self.depth > 90 || text.len() > 200_000 {
            self.unknown("code in code is too deep to follow", span);
            return;
        }
        self.depth += 4;
        let tokens = tokens::read(lang, text);
        let mut scan = Scan {
            lang,
            table,
            tokens: &tokens,
            locals: locals(lang, &tokens),
            constants: HashMap::new(),
            paths: HashMap::new(),
            given_at: HashMap::new(),
            bound: HashMap::new(),
            walked: HashMap::new(),
            home: self.context.home.to_owned(),
            stars: Vec::new(),
            functions: functions(&tokens),
            aliases: HashMap::new(),
            modules: HashSet::new(),
            imported: HashSet::new(),
            unsure: None,
            span,
        };
        if lang == Lang::Php && (text.contains("<?") || text.contains("?>")) {
            scan.doubt("text around the program");
        }
        scan.hold(&tokens);
        scan.imports(self, state);
        scan.hold_walks();
        scan.walk(self, state);
        if !is_exact(text) {
            self.unknown("part of a program is not known", span);
        } else if let Some(why) = scan.unsure {
            self.unknown(why, span);
        }
        self.depth -= 4;
    }
}

struct Scan<'t> {
    lang: Lang,
    table: &'static Table,
    tokens: &'t [Token],
    /// Names the text gives a value itself.
    locals: HashSet<&'t str>,
    /// Variables that hold one constant and never another.
    constants: HashMap<&'t str, &'t str>,
    /// Variables that hold the path of a constant.
    paths: HashMap<&'t str, &'t str>,
    /// Where the value of a variable begins that is given one and never another.
    given_at: HashMap<&'t str, usize>,
    /// How often a name is given a value: once by an assignment, twice by anything else.
    bound: HashMap<&'t str, u32>,
    /// What loops over what is in a directory give their variables.
    walked: HashMap<String, String>,
    /// The home directory.
    home: String,
    /// Modules all of whose names are imported.
    stars: Vec<String>,
    /// Names the text gives a function or a class itself.
    functions: HashSet<&'t str>,
    /// Local names that stand for others.
    aliases: HashMap<String, String>,
    /// Modules that are imported.
    modules: HashSet<String>,
    /// Tokens that name a module in order to import it.
    imported: HashSet<usize>,
    unsure: Option<String>,
    span: Span,
}

impl<'t> Scan<'t> {
    fn doubt(&mut self, why: impl Into<String>) {
        if self.unsure.is_none() {
            self.unsure = Some(why.into());
        }
    }

    fn name(&self, i: usize) -> Option<&str> {
        match self.tokens.get(i) {
            Some(Token::Name(n)) => Some(n),
            _ => None,
        }
    }

    fn constant(&self, i: usize) -> Option<&str> {
        match self.tokens.get(i) {
            Some(Token::Text(t)) => Some(t),
            Some(Token::Name(n)) => self.constants.get(n.as_str()).copied(),
            _ => None,
        }
    }

    fn sign(&self, i: usize, c: char) -> bool {
        self.tokens.get(i) == Some(&Token::Sign(c))
    }

    /// Finds the variables that are given a constant once and nothing else.
    fn hold(&mut self, tokens: &'t [Token]) {
        // Elsewhere a string can be changed where it lies.
        if !matches!(self.lang, Lang::Python | Lang::Node | Lang::Lua) {
            return;
        }
        let sign = |i: usize, list: &str| matches!(tokens.get(i), Some(Token::Sign(c)) if list.contains(*c));
        let name = |i: usize| match tokens.get(i) {
            Some(Token::Name(n)) => Some(n.as_str()),
            _ => None,
        };
        let ends = |i: usize| i >= tokens.len() || sign(i, "\n;");
        // A line goes on where the next one begins with a sign.
        let closes =
            |i: usize| ends(i) && !(sign(i, "\n") && matches!(tokens.get(i + 1), Some(Token::Sign(_))));
        let parameters = (0..tokens.len()).any(|i| {
            matches!(name(i), Some("def" | "lambda" | "function" | "class" | "catch" | "case"))
                || sign(i, "=") && sign(i + 1, ">")
        });
        // How often a name is given a value; twice for what is no plain assignment.
        let mut given: HashMap<&str, u32> = HashMap::new();
        let mut statement = 0;
        let mut assigned = false;
        // In brackets of Python, a sign of equality names an argument.
        let mut depth = 0_usize;
        for i in 0..tokens.len() {
            depth += usize::from(sign(i, "([{"));
            depth = depth.saturating_sub(usize::from(sign(i, ")]}")));
            if ends(i) {
                statement = i + 1;
                assigned = false;
            }
            let equals = sign(i, "=") && !sign(i + 1, "=>") && (i == 0 || !sign(i - 1, "=!<>"));
            if equals && !assigned && (depth == 0 || self.lang != Lang::Python) {
                let declares = matches!(name(statement), Some("const" | "let" | "var" | "local"));
                let at = statement + usize::from(declares);
                let plain = at + 1 == i;
                assigned = true;
                for n in (statement..i).filter_map(name) {
                    *given.entry(n).or_default() += if plain { 1 } else { 2 };
                }
                if let Some(n) = name(at).filter(|_| plain) {
                    self.given_at.insert(n, i + 1);
                    match (tokens.get(i + 1), tokens.get(i + 3)) {
                        (Some(Token::Text(t)), _) if closes(i + 2) && !t.is_empty() => {
                            self.constants.insert(n, t);
                        }
                        (Some(Token::Name(maker)), Some(Token::Text(t)))
                            if sign(i + 2, "(")
                                && sign(i + 4, ")")
                                && closes(i + 5)
                                && maker.rsplit('.').next() == Some("Path") =>
                        {
                            self.paths.insert(n, t);
                        }
                        _ => {}
                    }
                }
            } else if equals && i > 0 {
                for n in [name(i - 1), name(i.saturating_sub(2)).filter(|_| sign(i - 1, ":"))] {
                    *given.entry(n.unwrap_or_default()).or_default() += 2;
                }
            }
            let Some(n) = name(i) else { continue };
            // `for a, b in`, `as (a, b)`
            if matches!(n, "for" | "as") {
                let targets =
                    (i + 1..i + 16).map_while(|j| (!ends(j) && !sign(j, ":")).then(|| name(j))).flatten();
                for m in targets.take_while(|m| !matches!(*m, "in" | "of")) {
                    *given.entry(m).or_default() += 2;
                }
            }
            let bound = i > statement
                && name(i - 1).is_some_and(|b| binds(b) && !matches!(b, "for" | "as"))
                && !(i == statement + 1 && sign(i + 1, "="));
            let parameter = parameters && i > 0 && sign(i - 1, "(,{[") && sign(i + 1, ",)=:]}");
            if bound || parameter || sign(i + 1, ":=") && sign(i + 2, "=>") {
                *given.entry(n).or_default() += 2;
            }
        }
        self.constants.retain(|n, _| given.get(n) == Some(&1));
        self.paths.retain(|n, _| given.get(n) == Some(&1));
        if self.lang == Lang::Python {
            self.given_at.retain(|n, _| given.get(n) == Some(&1));
            self.bound = given;
        }
    }

    /// What the text imports, and under which names.
    fn imports(&mut self, analyst: &mut Analyst<'_>, state: &State) {
        let mut modules: Vec<String> = Vec::new();
        for i in 0..self.tokens.len() {
            match (self.lang, self.name(i)) {
                (Lang::Python, Some("import")) => {
                    let from = i
                        .checked_sub(2)
                        .filter(|j| self.name(*j) == Some("from"))
                        .and_then(|_| self.name(i - 1))
                        .map(str::to_owned);
                    if from.is_some() {
                        self.imported.insert(i - 1);
                    }
                    let mut j = i + 1;
                    while self.sign(j, '(') {
                        j += 1;
                    }
                    while let Some(n) = self.name(j).map(str::to_owned) {
                        let full = match &from {
                            Some(m) => format!("{m}.{n}"),
                            None => n.clone(),
                        };
                        self.imported.insert(j);
                        if from.is_none() {
                            modules.push(n.clone());
                        }
                        if self.name(j + 1) == Some("as") {
                            if let Some(alias) = self.name(j + 2).map(str::to_owned) {
                                self.aliases.insert(alias, full);
                            }
                            j += 2;
                        } else if from.is_some() {
                            self.aliases.insert(n, full);
                        }
                        if !self.sign(j + 1, ',') {
                            break;
                        }
                        j += 2;
                    }
                    modules.extend(from);
                    if self.sign(i + 1, '*') {
                        self.doubt("everything of a module is imported");
                        self.stars.extend(modules.last().cloned());
                    }
                }
                (Lang::Perl, Some("use" | "require" | "no")) => {
                    self.imported.insert(i + 1);
                    modules.extend(self.name(i + 1).map(str::to_owned))
                }
                (Lang::Ruby, Some("require" | "require_relative" | "load" | "autoload"))
                | (Lang::Lua, Some("require" | "dofile" | "loadfile")) => {
                    let at = if self.sign(i + 1, '(') { i + 2 } else { i + 1 };
                    match self.constant(at) {
                        Some(m) => modules.push(m.to_owned()),
                        None => self.doubt("a module whose name is not a constant"),
                    }
                }
                (Lang::Node, Some("require" | "import" | "from")) => {
                    let at = if self.sign(i + 1, '(') { i + 2 } else { i + 1 };
                    match self.constant(at) {
                        Some(m) => {
                            let m = m.strip_prefix("node:").unwrap_or(m).to_owned();
                            self.renamed(i);
                            // `const x = require("m")`
                            if !m.starts_with(['.', '/'])
                                && self.sign(i.wrapping_sub(1), '=')
                                && let Some(alias) =
                                    i.checked_sub(2).and_then(|j| self.name(j)).map(str::to_owned)
                            {
                                self.aliases.insert(alias, m.clone());
                                self.imported.insert(i - 2);
                            }
                            modules.push(m);
                        }
                        None if self.name(i) == Some("require") || self.sign(i + 1, '(') => {
                            self.doubt("a module whose name is not a constant")
                        }
                        None => {}
                    }
                }
                (Lang::Php, Some("include" | "include_once" | "require" | "require_once")) => {
                    self.doubt("another file is run")
                }
                (Lang::Tcl, Some("package" | "load" | "source")) => self.doubt("a package or file is loaded"),
                _ => {}
            }
        }
        for m in modules {
            if self.table.net_module(&m) {
                analyst.push(Kind::Send, None, self.span, "the program text uses a network module");
            } else if self.lang == Lang::Node && m.starts_with(['.', '/']) && m.ends_with(".json") {
                // Data, and no code.
                analyst.path_from(Kind::Read, &m, self.span, state);
            } else if !self.table.safe_module(&m) && !self.table.partly_safe(&m) {
                self.doubt(format!("module {m} is not known"));
            }
            self.modules.insert(m);
        }
    }

    /// Parts of a module under other names: `const {a: b} = require("m")`, `import {a as b} from "m"`.
    fn renamed(&mut self, i: usize) {
        let close = if self.sign(i.wrapping_sub(1), '=') { i.wrapping_sub(2) } else { i.wrapping_sub(1) };
        if !self.sign(close, '}') {
            return;
        }
        let open = (0..close).rev().take(64).find(|j| self.sign(*j, '{')).unwrap_or(close);
        for j in open + 1..close {
            let apart = self.sign(j, ':') || self.name(j) == Some("as");
            if let (true, Some(part), Some(alias)) = (apart, self.name(j - 1), self.name(j + 1)) {
                let pair = (alias.to_owned(), part.to_owned());
                self.aliases.extend([pair]);
            }
        }
    }

    /// A name with its aliases replaced.
    fn full(&self, name: &str) -> String {
        let (root, rest) = match name.find('.') {
            Some(at) => name.split_at(at),
            None => (name, ""),
        };
        match self.aliases.get(root) {
            Some(full) => format!("{full}{rest}"),
            None => self.of_star(name).unwrap_or_else(|| name.to_owned()),
        }
    }

    /// A name that reaches out if it comes from a module all of whose names are imported.
    fn of_star(&self, name: &str) -> Option<String> {
        let t = self.table;
        self.stars.iter().map(|module| format!("{module}.{name}")).find(|full| {
            [t.net, t.shell, t.delete, t.write, t.touchy].iter().any(|list| list.contains(&full.as_str()))
        })
    }

    fn walk(&mut self, analyst: &mut Analyst<'_>, state: &State) {
        for i in 0..self.tokens.len() {
            match &self.tokens[i] {
                Token::Shell(code) => {
                    let code = code.clone();
                    analyst.shell_from(&code, self.span, state);
                }
                Token::Code(code) => {
                    let code = code.clone();
                    self.doubt("a replacement is evaluated as code");
                    analyst.interpreted(self.lang, &code, self.span, state);
                }
                Token::Name(n) => {
                    let full = self.full(n);
                    self.named(i, &full, analyst, state);
                }
                Token::Unclear(why) => self.doubt(*why),
                Token::Sign(c) => self.nameless(i, *c),
                // The name of a function is as good as the function.
                Token::Text(t) if self.lang == Lang::Php => {
                    // A construct of the language is no function that could be named.
                    let construct =
                        ["include", "include_once", "require", "require_once"].contains(&t.as_str());
                    let reaches = |list: &[&str]| !construct && list.contains(&t.as_str());
                    let table = self.table;
                    if [table.net, table.shell, table.eval, table.delete, table.write, table.touchy]
                        .iter()
                        .any(|l| reaches(l))
                        || self.sign(i + 1, '(')
                    {
                        self.doubt("a function is named in a string");
                    }
                }
                Token::Text(_) => {}
            }
        }
    }

    /// A call of something that has no name: `a["b"](…)`, `f()()`, `$f(…)`, `&$f`.
    fn nameless(&mut self, i: usize, sign: char) {
        let after = |k: usize, c: char| self.sign(i + k, c);
        let called = match (self.lang, sign) {
            (Lang::Tcl, _) => false,
            (_, ']') => {
                after(1, '(')
                    || self.lang != Lang::Python && matches!(self.tokens.get(i + 1), Some(Token::Text(_)))
            }
            // A function that is called where it is written: `(() => { … })()`.
            (Lang::Node, ')') if i > 0 && self.sign(i - 1, '}') => false,
            (_, ')') => after(1, '('),
            (Lang::Node, '.') => after(1, '('),
            (Lang::Perl, '>') if i > 0 && self.sign(i - 1, '-') => {
                after(1, '(') || self.name(i + 1).is_some_and(|n| n.starts_with('$'))
            }
            (Lang::Perl, '&') if i == 0 || !self.sign(i - 1, '&') => {
                after(1, '{') || self.name(i + 1).is_some_and(|n| n.starts_with('$'))
            }
            (Lang::Perl, '*') => {
                after(1, '{') || i == 0 || matches!(self.tokens.get(i - 1), Some(Token::Sign(';' | '{')))
            }
            (Lang::Php | Lang::Ruby, '>' | ':') => {
                i > 0
                    && self.sign(i - 1, if sign == '>' { '-' } else { ':' })
                    && (after(1, '{')
                        || after(1, '(')
                        || self.name(i + 1).is_some_and(|n| n.starts_with('$')))
            }
            // A decorator that has a name is judged by it.
            (Lang::Python, '@') => (i == 0 || self.sign(i - 1, '\n')) && self.name(i + 1).is_none(),
            _ => false,
        };
        if called {
            self.doubt("something without a name is called");
        }
    }

    fn named(&mut self, i: usize, full: &str, analyst: &mut Analyst<'_>, state: &State) {
        let t = self.table;
        let span = self.span;
        let method = i > 0 && (self.sign(i - 1, '.') || self.lang == Lang::Lua && self.sign(i - 1, ':'));
        if full.contains('.') && t.listed(full) {
            return;
        }
        // A class of a network module by its full name: `Net::FTP`.
        let of_network = self.lang == Lang::Perl && t.net_module(full);
        if t.is(t.net, full) || of_network {
            let host = self
                .argument(i)
                .and_then(|a| self.constant(a))
                .filter(|s| s.contains("://") || s.contains('.'))
                .map(host_of);
            analyst.push(Kind::Send, host.as_deref(), span, "the program text reaches the network");
            return;
        }
        if t.is(t.shell, full) {
            // A definition or a mention without a call is not one.
            match self.argument(i) {
                Some(a) if self.sign(a, '[') => self.list(a, analyst, state),
                Some(a) => match self.constant(a) {
                    Some("") => self.doubt("a command that is not a constant is run"),
                    Some(code) => {
                        let code = code.to_owned();
                        // `system("curl", "x")`, `spawn("curl", ["x"])`: more arguments are words.
                        let more: Vec<String> = self.more_words(a);
                        if more.is_empty() {
                            analyst.shell_from(&code, span, state);
                        } else {
                            let mut words = vec![Word::new(code, span)];
                            words.extend(more.into_iter().map(|w| Word::new(w, span)));
                            analyst.run(
                                words,
                                &mut state.clone(),
                                &Data::Unknown,
                                crate::analyse::program::By::Program,
                            );
                        }
                        if !self.ends_after(a) {
                            self.doubt("a command is put together");
                        }
                    }
                    None => self.doubt("a command that is not a constant is run"),
                },
                None => self.doubt("a function that runs commands is passed on"),
            }
            return;
        }
        if t.is(t.eval, full) {
            match self.argument(i).and_then(|a| self.constant(a)) {
                Some(code) => {
                    let code = code.to_owned();
                    analyst.interpreted(self.lang, &code, span, state);
                    self.doubt("text is evaluated as code");
                }
                None => self.doubt("text is evaluated as code"),
            }
            return;
        }
        for (list, kind, by_mode) in [
            (t.delete, Kind::Delete, false),
            (t.write, Kind::Write, false),
            (t.read, Kind::Read, false),
            (t.open, Kind::Read, true),
        ] {
            if !t.is(list, full) {
                continue;
            }
            let argument = self.argument(i).and_then(|a| self.path_argument(a));
            // `Path("x").unlink()`: a method is about what it is called on, and what it is given is something
            // else, or one more path.
            let target = if self.is_path_method(i, full) {
                let last = full.rsplit('.').next().unwrap_or(full);
                if matches!(last, "rename" | "replace" | "symlink_to" | "hardlink_to")
                    && let Some((_, other)) = &argument
                {
                    analyst.path_from(Kind::Write, other, span, state);
                }
                self.receiver(i).map(|s| (i, s))
            } else {
                argument.or_else(|| self.receiver(i).map(|s| (i, s)))
            };
            match target {
                Some((_, s)) if s.contains("://") => {
                    analyst.push(Kind::Send, Some(&host_of(&s)), span, "the program text opens a URL");
                }
                Some((_, s)) if self.lang != Lang::Python && s.trim_start().starts_with('|') => {
                    analyst.shell_from(s.trim_start().trim_start_matches('|'), span, state);
                }
                // What is a number, or put together, is no path.
                Some((_, s)) if s.is_empty() => self.doubt("a file whose name is not a constant is used"),
                Some((a, s)) => {
                    let mut kind = kind;
                    if by_mode && a == i {
                        // `Path("x").open("w")`
                        kind = if self.sign(i + 2, ')') { Kind::Read } else { self.mode_at(i + 2) };
                    } else if by_mode {
                        kind = self.mode(a);
                    }
                    if !self.ends_after(a) && a != i {
                        self.doubt("a path is put together");
                    }
                    analyst.path_from(kind, &s, span, state);
                }
                None if kind == Kind::Read => self.doubt("a file whose name is not a constant is opened"),
                None => self.doubt("a file whose name is not a constant is changed"),
            }
            return;
        }
        if t.is(t.secret, full) {
            analyst.push(Kind::Secret, Some("environment"), span, "the environment is read");
            return;
        }
        if self.lang == Lang::Perl && full == "@ARGV" && self.sign(i + 1, '=') {
            self.doubt("the files that are read are chosen by the program");
            return;
        }
        if self.lang == Lang::Perl && full == "open" && self.opened(i, analyst, state) {
            return;
        }
        if full == "sys.path" && self.printed(i) {
            return;
        }
        if self.is_plain(i, full) {
            return;
        }
        // Where only parts of a module are harmless, the parts that are used are looked at.
        let import = self.imported.contains(&i) && t.partly_safe(full);
        if t.is(t.touchy, full) && !import {
            self.replaces(i, full, analyst, state);
            self.doubt(format!("{full} can do anything"));
            return;
        }
        self.harmless(i, full, method);
    }

    /// Whether a value is only printed or walked over: `print(x)`, `"\n".join(x)`, `for y in x:`.
    fn printed(&self, i: usize) -> bool {
        let called = self.sign(i.wrapping_sub(1), '(') && self.sign(i + 1, ')');
        let shows = matches!(self.name(i.wrapping_sub(2)), Some("print" | "join" | "len"));
        called && shows || self.name(i.wrapping_sub(1)) == Some("in") && self.sign(i + 1, ':')
    }

    /// A timer that is given a function and no text, or the constructor that a class is given.
    fn is_plain(&self, i: usize, full: &str) -> bool {
        if self.lang != Lang::Node || !self.sign(i + 1, '(') {
            return false;
        }
        match full {
            "setTimeout" | "setInterval" | "setImmediate" => {
                let arrow = |at: usize| self.sign(at, '=') && self.sign(at + 1, '>');
                // `r => setTimeout(r, 10)`, where a promise gives the function.
                let given = i >= 3 && arrow(i - 2) && self.name(i - 3) == self.name(i + 2);
                self.sign(i + 2, '(') && self.sign(i + 3, ')') && arrow(i + 4)
                    || self.name(i + 2).is_some_and(|n| arrow(i + 3) || n == "function" || given)
            }
            "constructor" => i > 0 && "{};\n".chars().any(|c| self.sign(i - 1, c)),
            _ => false,
        }
    }

    /// `os.execvp("curl", ["curl", "x"])`: the program that takes the place of this one.
    fn replaces(&self, i: usize, full: &str, analyst: &mut Analyst<'_>, state: &State) {
        let last = full.rsplit('.').next().unwrap_or(full);
        let replaces = ["exec", "spawn", "posix_spawn"].iter().any(|p| last.starts_with(p));
        if self.lang != Lang::Python || !replaces || !self.sign(i + 1, '(') {
            return;
        }
        let mut words = self.constants_to(i + 2, ')');
        // The second word is the name the program is told.
        if words.len() > 1 {
            words.remove(1);
        }
        self.run(words, analyst, state);
    }

    /// The constants from a token to a sign.
    fn constants_to(&self, from: usize, end: char) -> Vec<String> {
        let tokens = self.tokens.iter().skip(from).take_while(|t| **t != Token::Sign(end));
        tokens.filter_map(|t| if let Token::Text(text) = t { Some(text.clone()) } else { None }).collect()
    }

    fn run(&self, words: Vec<String>, analyst: &mut Analyst<'_>, state: &State) {
        if !words.is_empty() {
            let words = words.into_iter().map(|w| Word::new(w, self.span)).collect();
            analyst.run(words, &mut state.clone(), &Data::Unknown, crate::analyse::program::By::Program);
        }
    }

    /// Perl's `open`, which may be given a command. Whether all of it is known.
    fn opened(&self, i: usize, analyst: &mut Analyst<'_>, state: &State) -> bool {
        let mut at = if self.sign(i + 1, '(') { i + 2 } else { i + 1 };
        if matches!(self.name(at), Some("my" | "our" | "local")) {
            at += 1;
        }
        let Some(Token::Text(mode)) = self.tokens.get(at + 2).filter(|_| self.sign(at + 1, ',')) else {
            return false;
        };
        let span = self.span;
        let mode = mode.trim().to_owned();
        if matches!(mode.as_str(), "-|" | "|-") {
            let words = self.constants_to(at + 3, ';');
            match words.as_slice() {
                [code] => analyst.shell_from(code, span, state),
                _ => self.run(words, analyst, state),
            }
            return false;
        }
        if let Some(code) = mode.strip_suffix('|').or_else(|| mode.strip_prefix('|')) {
            analyst.shell_from(code, span, state);
            return false;
        }
        let path = match self.tokens.get(at + 4).filter(|_| self.sign(at + 3, ',')) {
            Some(Token::Text(path)) if self.ends_after(at + 4) => path.clone(),
            _ => return false,
        };
        let kind = match mode.split(':').next().unwrap_or_default().trim() {
            "<" => Kind::Read,
            ">" | ">>" | "+<" | "+>" => Kind::Write,
            _ => return false,
        };
        analyst.path_from(kind, &path, span, state);
        true
    }

    /// Whether a name that is in no table of those that reach out is known to stay inside.
    fn harmless(&mut self, i: usize, full: &str, method: bool) {
        const OWN: [&str; 6] = ["__name__", "__file__", "__doc__", "__version__", "__dirname", "__filename"];
        let t = self.table;
        let (root, inner) = full.split_once('.').unwrap_or((full, ""));
        let last = full.rsplit('.').next().unwrap_or(full);
        let members = if method { full } else { inner };
        if members.split('.').any(|p| p.starts_with('_') && p.len() > 1 && !OWN.contains(&p))
            || full.contains("__") && !OWN.contains(&full) && !self.locals.contains(full)
        {
            self.doubt(format!("{full} is not meant for use"));
            return;
        }
        if self.imported.contains(&i) || OWN.contains(&full) {
            return;
        }
        if method {
            self.method(i, last);
            return;
        }
        if t.safe.contains(&full) || t.part(full) {
            return;
        }
        if self.is_local(full) && (inner.is_empty() || self.locals.contains(full)) {
            self.local_call(i, full);
            return;
        }
        // `{a: 1}`, `&:upcase`, `:name`
        if matches!(self.lang, Lang::Node | Lang::Ruby)
            && self.sign(i + 1, ':')
            && (i == 0 || "{,(\n".chars().any(|c| self.sign(i - 1, c)))
        {
            return;
        }
        // `a => 1`, `%h`
        if self.lang == Lang::Perl
            && (self.sign(i + 1, '=') && self.sign(i + 2, '>') || i > 0 && self.sign(i - 1, '%'))
        {
            return;
        }
        if self.lang == Lang::Ruby && i > 0 && self.sign(i - 1, ':') && !self.sign(i + 1, '(') {
            if i > 1 && self.sign(i - 2, '&') {
                self.method(i, last);
            }
            return;
        }
        if t.safe_module(full) || t.safe_module(root) {
            // What a module imports itself is reached through it: `glob.os`.
            if inner.split('.').any(|p| t.partly_safe(p) || t.net_module(p) || t.touchy.contains(&p)) {
                self.doubt(format!("{full} leads to another module"));
            }
            return;
        }
        if self.is_local(root) || t.safe.contains(&root) {
            self.method(i, last);
            return;
        }
        self.doubt(format!("{full} is not known"));
    }

    /// A call of a method, of whatever object.
    fn method(&mut self, i: usize, name: &str) {
        let bare = matches!(self.lang, Lang::Ruby | Lang::Perl);
        let called = bare || self.sign(i + 1, '(') || matches!(self.tokens.get(i + 1), Some(Token::Text(_)));
        let reads = self.lang == Lang::Python
            && matches!(name, "read" | "parse")
            && self.constant(i + 2).is_some_and(|s| !s.is_empty());
        let writes = name == "write" && self.modules.iter().any(|m| m.starts_with("xml"));
        if reads || writes || called && !self.table.method(name) && !self.locals.contains(name) {
            self.doubt(format!("what .{name} does is not known"));
        }
    }

    /// A call of something that has the name of a variable.
    fn local_call(&mut self, i: usize, name: &str) {
        let called = match self.lang {
            Lang::Php => name.starts_with('$') && self.sign(i + 1, '('),
            Lang::Lua | Lang::Python | Lang::Node => self.sign(i + 1, '('),
            _ => false,
        };
        if called && !self.functions.contains(name) {
            self.doubt(format!("what {name} holds is called"));
        }
    }

    /// Whether this is a method of a path object, and not a function of a module that takes a path.
    fn is_path_method(&self, i: usize, full: &str) -> bool {
        const METHODS: [&str; 14] = [
            "write_text",
            "write_bytes",
            "read_text",
            "read_bytes",
            "touch",
            "unlink",
            "rmdir",
            "mkdir",
            "rename",
            "chmod",
            "lchmod",
            "open",
            "rmtree",
            "delete",
        ];
        if self.lang != Lang::Python {
            return false;
        }
        let (root, last) = match full.rsplit_once('.') {
            Some((root, last)) => (root, last),
            None => ("", full),
        };
        let of_module =
            matches!(root, "os" | "shutil" | "io" | "gzip" | "bz2" | "lzma" | "codecs" | "os.path");
        let called_on = !root.is_empty() || i > 0 && self.sign(i - 1, '.');
        METHODS.contains(&last) && called_on && !of_module
    }

    /// Where the first argument of a call stands.
    fn argument(&self, i: usize) -> Option<usize> {
        if self.sign(i + 1, '(') {
            return Some(i + 2);
        }
        // Languages that call without parentheses.
        if matches!(self.lang, Lang::Perl | Lang::Ruby | Lang::Lua | Lang::Tcl | Lang::Php)
            && matches!(self.tokens.get(i + 1), Some(Token::Text(_) | Token::Name(_)))
        {
            return Some(i + 1);
        }
        None
    }

    /// Whether the argument at `a` is the constant and nothing more.
    fn ends_after(&self, a: usize) -> bool {
        match self.tokens.get(a + 1) {
            None => true,
            Some(Token::Sign(c)) => matches!(c, ')' | ',' | ';' | ']' | '}' | '\n'),
            // `unlink "x" if $y`; in Python that would choose between two values.
            Some(Token::Name(n)) => {
                self.lang != Lang::Python
                    && matches!(n.as_str(), "if" | "unless" | "or" | "and" | "for" | "while" | "do")
            }
            Some(_) => false,
        }
    }

    /// Constant words after the first argument.
    fn more_words(&self, a: usize) -> Vec<String> {
        let mut out = Vec::new();
        let mut j = a + 1;
        while self.sign(j, ',') {
            let at = if self.sign(j + 1, '[') { j + 2 } else { j + 1 };
            match self.constant(at) {
                Some(s) => out.push(s.to_owned()),
                None => break,
            }
            j = at + 1;
        }
        out
    }

    /// `["curl", "x"]`
    fn list(&mut self, a: usize, analyst: &mut Analyst<'_>, state: &State) {
        let mut words = Vec::new();
        let mut j = a + 1;
        loop {
            match self.tokens.get(j) {
                Some(Token::Text(s)) => words.push(Word::new(s.clone(), self.span)),
                Some(Token::Sign(']')) | None => break,
                Some(Token::Sign(',')) => {}
                Some(_) => {
                    if !matches!(self.tokens.get(j - 1), Some(Token::Name(_) | Token::Sign('.' | '(' | ')')))
                    {
                        words.push(Word::unknown(self.span));
                    }
                }
            }
            j += 1;
        }
        if words.is_empty() {
            self.doubt("a command that is not a constant is run");
            return;
        }
        analyst.run(words, &mut state.clone(), &Data::Unknown, crate::analyse::program::By::Program);
    }

    /// How a file is opened, from the argument after its name.
    fn mode(&mut self, a: usize) -> Kind {
        if !self.sign(a + 1, ',') {
            return Kind::Read;
        }
        self.mode_at(a + 2)
    }

    fn mode_at(&mut self, at: usize) -> Kind {
        let at = if self.name(at).is_some() && self.sign(at + 1, '=') { at + 2 } else { at };
        match self.constant(at).filter(|_| self.ends_after(at)) {
            Some(m) if m.contains(['w', 'a', 'x', '+', '>']) && m.len() <= 4 => Kind::Write,
            Some(_) => Kind::Read,
            None => {
                self.doubt("how a file is opened is not a constant");
                Kind::Write
            }
        }
    }

    /// Whether the text itself gives this name a value.
    fn is_local(&self, name: &str) -> bool {
        name.starts_with(['$', '@', '%']) || self.locals.contains(name)
    }
}

/// Words that give the name behind them a value.
fn binds(word: &str) -> bool {
    const BINDS: [&str; 20] = [
        "for", "def", "as", "lambda", "let", "const", "var", "function", "my", "our", "local", "class",
        "set", "proc", "each", "foreach", "global", "except", "sub", "fn",
    ];
    BINDS.contains(&word)
}

/// Names that the text gives a value: assigned, bound by a loop, or parameters.
fn locals(lang: Lang, tokens: &[Token]) -> HashSet<&str> {
    let has_parameters = tokens.iter().any(|t| match t {
        Token::Name(k) => {
            matches!(k.as_str(), "def" | "lambda" | "function" | "for" | "each" | "map" | "select")
        }
        Token::Sign(c) => *c == '>' || *c == '|' && lang == Lang::Ruby,
        _ => false,
    });
    let sign = |i: Option<usize>, list: &str| match i.and_then(|i| tokens.get(i)) {
        Some(Token::Sign(c)) => list.contains(*c),
        _ => false,
    };
    let mut out = HashSet::new();
    for (i, t) in tokens.iter().enumerate() {
        let Token::Name(n) = t else { continue };
        let before = i.checked_sub(1);
        let binds = matches!(before.and_then(|j| tokens.get(j)), Some(Token::Name(k)) if binds(k));
        // Where variables have a sigil, a bare name before `=` is something else.
        let variable = !matches!(lang, Lang::Perl | Lang::Php) || n.starts_with(['$', '@', '%']);
        let assigned = variable && sign(Some(i + 1), "=") && !sign(Some(i + 2), "=");
        let parameter = has_parameters && sign(before, "|,([") && sign(Some(i + 1), "|,)=:]");
        if binds || assigned || parameter {
            out.insert(n.as_str());
        }
        if lang == Lang::Node
            && sign(before, "(")
            && matches!(i.checked_sub(2).and_then(|j| tokens.get(j)), Some(Token::Name(k)) if k == "catch")
        {
            out.insert(n.as_str());
        }
        // `const {a, b} = …`
        if lang == Lang::Node && matches!(n.as_str(), "const" | "let" | "var") && sign(Some(i + 1), "{") {
            let inside = (i + 2..i + 34).take_while(|j| !sign(Some(*j), "}"));
            out.extend(inside.filter(|j| sign(Some(j + 1), ",}")).filter_map(|j| match tokens.get(j) {
                Some(Token::Name(m)) => Some(m.as_str()),
                _ => None,
            }));
        }
        // `a, b = …`
        let begins = before.is_none() || sign(before, "\n;:");
        // `a: int = …`
        if lang == Lang::Python
            && begins
            && sign(Some(i + 1), ":")
            && matches!(tokens.get(i + 2), Some(Token::Name(_)))
        {
            out.insert(n.as_str());
        }
        if lang == Lang::Python && begins && sign(Some(i + 1), ",") {
            let names: Vec<&str> = tokens[i..]
                .iter()
                .take(32)
                .map_while(|t| match t {
                    Token::Name(m) => Some(Some(m.as_str())),
                    Token::Sign(',') => Some(None),
                    _ => None,
                })
                .flatten()
                .collect();
            let end = i + 2 * names.len() - 1;
            if sign(Some(end), "=") && !sign(Some(end + 1), "=") {
                out.extend(names);
            }
        }
        // `for a, b, c in`
        if lang == Lang::Python && n == "for" {
            let ahead = tokens.iter().skip(i + 1).take(16);
            let names = ahead.map_while(|t| match t {
                Token::Name(m) if m != "in" => Some(Some(m.as_str())),
                Token::Sign(',' | '(' | ')') => Some(None),
                _ => None,
            });
            out.extend(names.flatten());
        }
    }
    out
}

/// Names that the text gives a function or a class.
fn functions(tokens: &[Token]) -> HashSet<&str> {
    let name = |i: usize| match tokens.get(i) {
        Some(Token::Name(n)) => Some(n.as_str()),
        _ => None,
    };
    let sign = |i: usize, c: char| tokens.get(i) == Some(&Token::Sign(c));
    // `x => …`, `(a, b) => …`
    let arrow = |mut at: usize| {
        if sign(at, '(') {
            at = (at..at + 32).find(|j| sign(*j, ')')).unwrap_or(at);
        }
        sign(at + 1, '=') && sign(at + 2, '>')
    };
    (0..tokens.len())
        .filter_map(|i| {
            let n = name(i)?;
            let defined = i > 0 && matches!(name(i - 1), Some("def" | "function" | "class"));
            let given = sign(i + 1, '=')
                && (matches!(name(i + 2), Some("lambda" | "function" | "async")) || arrow(i + 2));
            (defined || given).then_some(n)
        })
        .collect()
}

fn host_of(text: &str) -> String {
    crate::analyse::network::of_url(text).to_owned()
}
