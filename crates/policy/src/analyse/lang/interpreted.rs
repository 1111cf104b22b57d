//! General-purpose languages: Python, Perl, Ruby, JavaScript, PHP, Lua, Tcl.
//!
//! The text is cut into names, constants and signs. Names that reach out are looked up in the tables of
//! `interpreted/tables.rs`; what they are given is followed if it is constant. The text is understood only
//! if every name in it is known to be harmless or is its own variable.

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
            locals: locals(&tokens),
            aliases: HashMap::new(),
            unsure: None,
            span,
        };
        scan.imports(self);
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
    /// Local names that stand for others.
    aliases: HashMap<String, String>,
    unsure: Option<String>,
    span: Span,
}

impl Scan<'_> {
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
            _ => None,
        }
    }

    fn sign(&self, i: usize, c: char) -> bool {
        self.tokens.get(i) == Some(&Token::Sign(c))
    }

    /// What the text imports, and under which names.
    fn imports(&mut self, analyst: &mut Analyst<'_>) {
        let mut modules: Vec<String> = Vec::new();
        for i in 0..self.tokens.len() {
            match (self.lang, self.name(i)) {
                (Lang::Python, Some("import")) => {
                    let from = i
                        .checked_sub(2)
                        .filter(|j| self.name(*j) == Some("from"))
                        .and_then(|_| self.name(i - 1))
                        .map(str::to_owned);
                    let mut j = i + 1;
                    while self.sign(j, '(') {
                        j += 1;
                    }
                    while let Some(n) = self.name(j).map(str::to_owned) {
                        let full = match &from {
                            Some(m) => format!("{m}.{n}"),
                            None => n.clone(),
                        };
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
                    }
                }
                (Lang::Perl, Some("use" | "require" | "no")) => {
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
                            // `const x = require("m")`
                            if self.sign(i.wrapping_sub(1), '=')
                                && let Some(alias) =
                                    i.checked_sub(2).and_then(|j| self.name(j)).map(str::to_owned)
                            {
                                self.aliases.insert(alias, m.clone());
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
            } else if !self.table.safe_module(&m) {
                self.doubt(format!("module {m} is not known"));
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
            None => name.to_owned(),
        }
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
                Token::Text(_) | Token::Sign(_) => {}
            }
        }
    }

    fn named(&mut self, i: usize, full: &str, analyst: &mut Analyst<'_>, state: &State) {
        let t = self.table;
        let span = self.span;
        let method = i > 0 && self.sign(i - 1, '.');
        if t.is(t.net, full) {
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
            let argument = self.argument(i).and_then(|a| Some((a, self.constant(a)?.to_owned())));
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
                Some((a, s)) => {
                    let mut kind = kind;
                    if by_mode {
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
        if t.is(t.touchy, full) || full.contains("__") {
            self.doubt(format!("{full} can do anything"));
            return;
        }
        // Methods of values are harmless unless they are in a table above.
        if method || t.is(t.safe, full) || t.safe_module(full) || self.is_local(full) {
            return;
        }
        let root = full.split('.').next().unwrap_or(full);
        if t.is(t.safe, root)
            || t.safe_module(root)
            || self.is_local(root)
            || self.aliases.values().any(|v| v == full)
        {
            return;
        }
        self.doubt(format!("{full} is not known"));
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

    /// The constant a method is called on: `Path("x").unlink()`.
    fn receiver(&self, i: usize) -> Option<String> {
        let j = i.checked_sub(2)?;
        if self.sign(i - 1, '.') && self.sign(j, ')') {
            return self.constant(j.checked_sub(1)?).map(str::to_owned);
        }
        None
    }

    /// Whether the argument at `a` is the constant and nothing more.
    fn ends_after(&self, a: usize) -> bool {
        match self.tokens.get(a + 1) {
            None => true,
            Some(Token::Sign(c)) => matches!(c, ')' | ',' | ';' | ']' | '}' | '\n'),
            Some(Token::Name(n)) => {
                matches!(n.as_str(), "if" | "unless" | "or" | "and" | "for" | "while" | "do")
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
        let at = if self.name(a + 2).is_some() && self.sign(a + 3, '=') { a + 4 } else { a + 2 };
        match self.constant(at) {
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

/// Names that the text gives a value: assigned, bound by a loop, or parameters.
fn locals(tokens: &[Token]) -> HashSet<&str> {
    const BINDS: [&str; 20] = [
        "for", "def", "as", "lambda", "let", "const", "var", "function", "my", "our", "local", "class",
        "set", "proc", "each", "foreach", "global", "except", "sub", "fn",
    ];
    let has_parameters = tokens.iter().any(|t| match t {
        Token::Name(k) => {
            matches!(k.as_str(), "def" | "lambda" | "function" | "for" | "each" | "map" | "select")
        }
        Token::Sign(c) => *c == '>',
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
        let binds =
            matches!(before.and_then(|j| tokens.get(j)), Some(Token::Name(k)) if BINDS.contains(&k.as_str()));
        let assigned = sign(Some(i + 1), "=") && !sign(Some(i + 2), "=");
        let parameter = has_parameters && sign(before, "|,([") && sign(Some(i + 1), "|,)=:]");
        if binds || assigned || parameter {
            out.insert(n.as_str());
        }
    }
    out
}

fn host_of(text: &str) -> String {
    crate::analyse::network::of_url(text).to_owned()
}
