//! Words become text: quotes, braces, tildes, variables, substitutions.
//!
//! This keeps what can be known of a word even if the rest cannot: `"$TMPDIR/../x"` climbs whatever
//! the variable holds. Commands inside words are analysed on the way.

use super::state::{State, Variable};
use super::{Analyst, Constructs, Data};
use crate::path;
use crate::word::{SOME, UNKNOWN, Word, is_exact};
use std::borrow::Cow;
use toolgate_bash::Shell;
use toolgate_bash::ansi_c;
use toolgate_bash::ast::{
    CaseChange, Literal, Parameter, ParameterName, ParameterOp, Part, PartKind, ProcessDirection, Script,
    Span, SubscriptKind, Word as Source,
};
use toolgate_bash::eval::{self, Atom, Change, Pattern};

/// The longest value that is followed.
const VALUE: usize = 64 * 1024;

/// How many bytes of values are put into words in all.
const EXPANDED: usize = 1024 * 1024;

/// What a parameter stands for.
enum Found {
    One(String),
    Many(Vec<String>),
    Unset,
}

impl Found {
    /// Each value by itself; one that is not known after it is unknown.
    fn map(self, f: impl Fn(&str) -> Option<String>) -> Found {
        let one = |v: &str| f(v).unwrap_or_else(|| UNKNOWN.to_string());
        match self {
            Found::One(v) => Found::One(one(&v)),
            Found::Many(list) => Found::Many(list.iter().map(|v| one(v)).collect()),
            Found::Unset => Found::Unset,
        }
    }
}

/// Words being put together from parts.
struct Fields<'o> {
    out: &'o mut Vec<Word<'static>>,
    text: String,
    /// Whether there is a word even if the text is empty.
    started: bool,
    splits: bool,
    span: Span,
}

impl Fields<'_> {
    fn end(&mut self) {
        if self.started || !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.out.push(Word { text: Cow::Owned(text), span: self.span, splits: self.splits });
        }
        self.started = false;
        self.splits = false;
    }
}

impl Fields<'_> {
    /// Adds a list of which each value is a word, joined to the text around it by the first and the last.
    fn each(&mut self, found: Found) {
        let list = match found {
            Found::Many(list) => list,
            Found::One(one) => vec![one],
            Found::Unset => return,
        };
        let last = list.len().saturating_sub(1);
        for (at, value) in list.iter().enumerate() {
            self.text.push_str(value);
            self.started = true;
            // What is not known may stand for any number of values.
            self.splits |= value.contains(UNKNOWN);
            if at < last {
                self.end();
            }
        }
    }
}

impl Analyst<'_> {
    /// Expands a word as an argument: to any number of words.
    pub(super) fn expand(
        &mut self,
        word: &Source,
        state: &mut State,
        script: &Script,
        out: &mut Vec<Word<'static>>,
    ) {
        let span = self.at(word.span);
        if let Some(literal) = word.as_literal()
            && literal.marks.is_plain()
        {
            out.push(Word::new(lossy(&literal.text).into_owned(), span));
            return;
        }
        let expanded = match eval::braces(&word.parts) {
            Ok(words) => words,
            // Which words they make is not certain, or they are too many.
            Err(_) => {
                for p in &word.parts {
                    self.part_text(p, state, script, &mut String::new());
                }
                out.push(Word::unknown(span));
                return;
            }
        };
        match expanded {
            Some(words) => {
                for atoms in &words {
                    self.expand_atoms(atoms.iter().cloned(), word.span, state, script, out);
                }
            }
            None => self.expand_atoms(word.parts.iter().map(Atom::Part), word.span, state, script, out),
        }
    }

    /// Expands an argument of `declare` and its kin. One that looks like an assignment is one word, whatever its
    /// value holds; after an expansion of braces bash does not see an assignment any more. Where it is not `sure`
    /// that the shell takes it so (an old dash does not either), a value with blanks is not known.
    pub(super) fn declared(
        &mut self,
        word: &Source,
        sure: bool,
        state: &mut State,
        script: &Script,
        out: &mut Vec<Word<'static>>,
    ) {
        let parts = &word.parts;
        if parts.len() < 2 || !eval::begins_assignment(parts) || !matches!(eval::braces(parts), Ok(None)) {
            return self.expand(word, state, script, out);
        }
        let mut text = self.unsplit(word, Self::tildes, state, script);
        let splits = |part: &Part| {
            matches!(part.kind, PartKind::Parameter(_) | PartKind::Command(_) | PartKind::Arithmetic(_))
        };
        if (!sure || self.shell == Shell::Sh)
            && (text.contains(char::is_whitespace) || state.variable("IFS").is_some())
            && parts.iter().any(splits)
        {
            text.truncate(text.find('=').map_or(0, |equals| equals + 1));
            text.push(UNKNOWN);
        }
        out.push(Word::new(text, self.at(word.span)));
    }

    fn expand_atoms<'p>(
        &mut self,
        atoms: impl Iterator<Item = Atom<'p>>,
        span: Span,
        state: &mut State,
        script: &Script,
        out: &mut Vec<Word<'static>>,
    ) {
        let mut f = Fields { out, text: String::new(), started: false, splits: false, span: self.at(span) };
        for (at, atom) in atoms.enumerate() {
            match atom {
                Atom::Text(text) => {
                    let text = lossy(&text);
                    let text = if at == 0 { self.tilde(&text, state) } else { Cow::Borrowed(&*text) };
                    push_glob(&text, &mut f.text);
                }
                Atom::Part(part) => self.part(part, at == 0, state, script, &mut f),
            }
        }
        f.end();
    }

    fn part(&mut self, part: &Part, first: bool, state: &mut State, script: &Script, f: &mut Fields<'_>) {
        match &part.kind {
            PartKind::Literal(l) => {
                let text = lossy(&l.text);
                let text = if first && l.marks.tilde {
                    self.tildes(&text, state).into_owned()
                } else {
                    text.into_owned()
                };
                if l.marks.glob { push_glob(&text, &mut f.text) } else { f.text.push_str(&text) }
            }
            PartKind::DoubleQuoted(parts) | PartKind::Localized(parts) => {
                // `"$@"` alone is no word where there are no parameters.
                f.started |=
                    !matches!(parts.as_slice(), [Part { kind: PartKind::Parameter(p), .. }] if is_each(p));
                for p in parts {
                    match &p.kind {
                        PartKind::Parameter(each) if is_each(each) => {
                            let found = self.parameter(each, p.span, state, script);
                            f.each(found);
                            f.splits |= each.indirect;
                        }
                        _ => self.part_text(p, state, script, &mut f.text),
                    }
                }
            }
            PartKind::Parameter(p) => match self.parameter(p, part.span, state, script) {
                Found::One(v) => {
                    self.split(&v, state, f);
                    // The keys of an array: nobody counted them.
                    f.splits |= p.indirect && p.subscript.is_some();
                }
                Found::Many(list) => {
                    let n = list.len();
                    for (i, v) in list.iter().enumerate() {
                        self.split(v, state, f);
                        if i + 1 < n {
                            f.end();
                        }
                    }
                }
                Found::Unset => {}
            },
            PartKind::Command(c) => {
                self.out.constructs.add(Constructs::COMMAND);
                let data = self.subshell(&c.body, state, script, &Data::Inherit);
                match data {
                    Data::Text(t) => self.split(t.trim_end_matches('\n'), state, f),
                    Data::Names(list) if f.text.is_empty() && !f.started => {
                        for n in list {
                            f.text.push_str(&n);
                            f.splits = true;
                            f.end();
                        }
                    }
                    Data::Names(_) => {
                        f.text.push(SOME);
                        f.splits = true;
                    }
                    Data::Fact => f.text.push(SOME),
                    Data::File(_) | Data::Unknown | Data::Inherit => {
                        f.text.push(UNKNOWN);
                        f.splits = true;
                    }
                }
            }
            PartKind::SingleQuoted(_) | PartKind::AnsiC(_) | PartKind::Escaped(_) => {
                f.started = true;
                self.part_text(part, state, script, &mut f.text);
            }
            PartKind::ExtendedGlob(g) => {
                for w in &g.alternatives {
                    self.one(w, state, script);
                }
                f.text.push(SOME);
            }
            PartKind::Arithmetic(_) => {
                // Digits are split too, if they are what separates words.
                let mut number = String::new();
                self.part_text(part, state, script, &mut number);
                self.split(&number, state, f);
            }
            PartKind::Process(_) | PartKind::ArrayAssignment(_) => {
                self.part_text(part, state, script, &mut f.text);
            }
        }
    }

    /// Splits the value of an unquoted expansion at blanks, or at what `IFS` says.
    fn split(&mut self, value: &str, state: &State, f: &mut Fields<'_>) {
        let custom = match state.variable("IFS") {
            None => None,
            Some(Variable::Scalar(s)) if is_exact(s) => Some(s.clone()),
            Some(Variable::Unset) => None,
            Some(_) => {
                f.text.push(UNKNOWN);
                f.splits = true;
                return;
            }
        };
        let separates = |c: char| match &custom {
            None => matches!(c, ' ' | '\t' | '\n'),
            Some(s) => s.contains(c),
        };
        for c in value.chars() {
            if c == UNKNOWN {
                f.splits = true;
                f.text.push(c);
            } else if separates(c) {
                // A separator that is no blank makes an empty word; the difference does not matter to us.
                f.end();
            } else if matches!(c, '*' | '?' | '[') {
                f.text.push(SOME);
            } else {
                f.text.push(c);
            }
        }
    }

    /// Expands a word to one text, without splitting: an assignment, a pattern, a here-document.
    pub(super) fn one(&mut self, word: &Source, state: &mut State, script: &Script) -> String {
        self.unsplit(word, Self::tilde, state, script)
    }

    /// Expands a word without splitting it. `tildes` reads those of the text it begins with.
    fn unsplit(
        &mut self,
        word: &Source,
        tildes: for<'t> fn(&Self, &'t str, &State) -> Cow<'t, str>,
        state: &mut State,
        script: &Script,
    ) -> String {
        let mut text = String::new();
        for (i, part) in word.parts.iter().enumerate() {
            if let PartKind::Literal(l) = &part.kind
                && l.marks.tilde
            {
                let raw = lossy(&l.text);
                if i == 0 {
                    text.push_str(&tildes(self, &raw, state));
                    continue;
                }
            }
            self.part_text(part, state, script, &mut text);
        }
        text
    }

    /// Expands the target of a redirection: as `one`, but a glob may pick the name.
    pub(super) fn one_path(&mut self, word: &Source, state: &mut State, script: &Script) -> String {
        let mut out = Vec::new();
        self.expand(word, state, script, &mut out);
        match out.len() {
            1 => out.pop().map(|w| w.text.into_owned()).unwrap_or_default(),
            _ => UNKNOWN.to_string(),
        }
    }

    /// Adds the value of a part as it is inside quotes.
    pub(super) fn part_text(&mut self, part: &Part, state: &mut State, script: &Script, text: &mut String) {
        match &part.kind {
            PartKind::Literal(Literal { text: t, .. }) | PartKind::SingleQuoted(t) => {
                text.push_str(&lossy(t))
            }
            PartKind::Escaped(b) => {
                if b.is_ascii() {
                    text.push(char::from(*b));
                } else {
                    text.push(UNKNOWN);
                }
            }
            PartKind::AnsiC(raw) => match ansi_c::decode(raw) {
                Some(bytes) => text.push_str(&lossy(&bytes)),
                None => text.push(UNKNOWN),
            },
            PartKind::DoubleQuoted(parts) | PartKind::Localized(parts) => {
                for p in parts {
                    self.part_text(p, state, script, text);
                }
                if matches!(part.kind, PartKind::Localized(_)) && !parts.is_empty() {
                    // A catalogue may replace it, but only where one is installed for this very script.
                }
            }
            PartKind::Parameter(p) => match self.parameter(p, part.span, state, script) {
                Found::One(v) => text.push_str(&v),
                Found::Many(list) if is_each(p) => text.push_str(&list.join(" ")),
                Found::Many(list) => match joiner(state) {
                    Some(joiner) => text.push_str(&list.join(&joiner)),
                    None => text.push(UNKNOWN),
                },
                Found::Unset => {}
            },
            PartKind::Command(c) => {
                self.out.constructs.add(Constructs::COMMAND);
                match self.subshell(&c.body, state, script, &Data::Inherit) {
                    Data::Text(t) => text.push_str(t.trim_end_matches('\n')),
                    Data::Fact => text.push(SOME),
                    _ => text.push(UNKNOWN),
                }
            }
            PartKind::Arithmetic(a) => {
                self.arithmetic(a, state, script);
                match eval::number(a, script) {
                    Some(n) => text.push_str(&n.to_string()),
                    None => text.push(SOME),
                }
            }
            PartKind::Process(p) => {
                self.out.constructs.add(match p.direction {
                    ProcessDirection::Read => Constructs::PROCESS_READ,
                    ProcessDirection::Write => Constructs::PROCESS_WRITE,
                });
                let data = match p.direction {
                    ProcessDirection::Read => self.subshell(&p.body, state, script, &Data::Inherit),
                    ProcessDirection::Write => {
                        self.subshell(&p.body, state, script, &Data::Unknown);
                        Data::Unknown
                    }
                };
                let name = state.process(data);
                text.push_str(&name);
            }
            PartKind::ExtendedGlob(g) => {
                for w in &g.alternatives {
                    self.one(w, state, script);
                }
                text.push(SOME);
            }
            PartKind::ArrayAssignment(a) => {
                let value = self.assigned(&a.value, state, script);
                text.push_str(&lossy(&a.name));
                text.push('=');
                let shown = match &value {
                    Variable::Array(list) => list.join(" "),
                    Variable::Scalar(s) => s.clone(),
                    Variable::Unset => String::new(),
                };
                text.push_str(&shown);
                self.assign_to(a, value, state, script);
            }
        }
    }

    /// Tildes of a word: at its start, and behind `NAME=` and the colons that follow.
    fn tildes<'t>(&self, text: &'t str, state: &State) -> Cow<'t, str> {
        match text.split_once('=') {
            Some((name, value)) if is_name(name) && value.contains('~') => {
                let parts: Vec<_> = value.split(':').map(|v| self.tilde(v, state)).collect();
                Cow::Owned(format!("{name}={}", parts.join(":")))
            }
            _ => self.tilde(text, state),
        }
    }

    fn tilde<'t>(&self, text: &'t str, state: &State) -> Cow<'t, str> {
        let Some(rest) = text.strip_prefix('~') else { return Cow::Borrowed(text) };
        let (user, tail) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let dir = match user {
            "" => match state.variable("HOME") {
                Some(Variable::Scalar(h)) => h.clone(),
                _ => self.context.home.to_owned(),
            },
            "+" => state.dirs.first().cloned().unwrap_or_default(),
            "-" => UNKNOWN.to_string(),
            "root" => "/root".to_owned(),
            u if u == path::name(self.context.home) => self.context.home.to_owned(),
            u if u.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) => {
                format!("/home/{u}")
            }
            _ => return Cow::Borrowed(text),
        };
        Cow::Owned(format!("{dir}{tail}"))
    }

    /// Whether this script has given the parameter its value.
    pub(super) fn set_here(&self, p: &Parameter, state: &State) -> bool {
        match &p.name {
            ParameterName::Variable(name) => state.variable(&lossy(name)).is_some(),
            ParameterName::Positional(_) | ParameterName::Special(_) => true,
        }
    }

    /// The value of a variable by its name.
    fn value(&mut self, name: &str, state: &State) -> Found {
        match state.variable(name) {
            Some(Variable::Scalar(v)) => return Found::One(v.clone()),
            Some(Variable::Array(list)) => return Found::One(list.first().cloned().unwrap_or_default()),
            Some(Variable::Unset) => return Found::Unset,
            None => {}
        }
        match name {
            "HOME" => return Found::One(self.context.home.to_owned()),
            "PWD" => {
                if let [one] = state.dirs.as_slice() {
                    return Found::One(one.clone());
                }
            }
            "PATH" if !self.context.env.iter().any(|(n, _)| n == "PATH") => {
                return Found::One("/usr/local/bin:/usr/bin:/bin".to_owned());
            }
            "IFS" => return Found::One(" \t\n".to_owned()),
            "PPID" => return Found::One("$PPID".to_owned()),
            "RANDOM" | "SECONDS" | "EPOCHSECONDS" | "EPOCHREALTIME" | "LINENO" | "UID" | "EUID"
            | "BASHPID" | "HOSTNAME" | "HOSTTYPE" | "OSTYPE" | "MACHTYPE" | "BASH_VERSION" | "SHLVL"
            | "SRANDOM" | "COLUMNS" | "LINES" => {
                return Found::One(SOME.to_string());
            }
            _ => {}
        }
        if super::call::sounds_secret(name) && self.secret.is_none() {
            self.secret = Some(name.to_owned());
        }
        if let Some((_, v)) = self.context.env.iter().find(|(n, _)| n == name) {
            return Found::One(v.clone());
        }
        match name {
            "TMPDIR" | "TMP" | "TEMP" => Found::One("/tmp".to_owned()),
            "USER" | "LOGNAME" | "USERNAME" => Found::One(path::name(self.context.home).to_owned()),
            _ => Found::One(UNKNOWN.to_string()),
        }
    }

    /// All positional parameters as words.
    pub(super) fn all_positional(&mut self, state: &State, span: Span) -> Vec<Word<'static>> {
        match &state.positional {
            Some(list) => list.iter().map(|v| Word::new(v.clone(), self.at(span))).collect(),
            None => vec![Word::unknown(self.at(span))],
        }
    }

    fn parameter(&mut self, p: &Parameter, span: Span, state: &mut State, script: &Script) -> Found {
        let found = self.parameter_value(p, span, state, script);
        // Values that double and double again would fill the memory.
        let size = match &found {
            Found::One(v) => v.len(),
            Found::Many(list) => list.iter().map(|v| v.len() + 16).sum(),
            Found::Unset => 0,
        };
        if size > VALUE || self.expanded.saturating_add(size) > EXPANDED {
            return Found::One(UNKNOWN.to_string());
        }
        self.expanded += size;
        found
    }

    fn parameter_value(&mut self, p: &Parameter, span: Span, state: &mut State, script: &Script) -> Found {
        let mut all = false;
        let mut index = None;
        if let Some(s) = &p.subscript {
            self.subscript(s, state, script);
            match &s.kind {
                SubscriptKind::At | SubscriptKind::Star => all = true,
                SubscriptKind::Index(a) => index = Some(eval::number(a, script)),
            }
        }
        let name = match &p.name {
            ParameterName::Variable(name) => Some(lossy(name).into_owned()),
            _ => None,
        };
        let mut found = match &p.name {
            ParameterName::Variable(_) => {
                let name = name.as_deref().unwrap_or_default();
                match (state.variable(name), all, index) {
                    (Some(Variable::Array(list)), true, _) => Found::Many(list.clone()),
                    (Some(Variable::Array(list)), _, Some(i)) => {
                        match i.and_then(|i| usize::try_from(i).ok()).and_then(|i| list.get(i)) {
                            Some(v) if list.iter().all(|v| v != &UNKNOWN.to_string()) => {
                                Found::One(v.clone())
                            }
                            _ => Found::One(UNKNOWN.to_string()),
                        }
                    }
                    (_, _, Some(i)) if i != Some(0) => Found::One(UNKNOWN.to_string()),
                    _ => self.value(name, state),
                }
            }
            ParameterName::Positional(0) => {
                Found::One(state.zero.clone().unwrap_or_else(|| "bash".to_owned()))
            }
            ParameterName::Positional(n) => match &state.positional {
                Some(list) => match list.get(*n as usize - 1) {
                    Some(v) => Found::One(v.clone()),
                    None => Found::Unset,
                },
                None => Found::One(UNKNOWN.to_string()),
            },
            ParameterName::Special(b'@' | b'*') => match &state.positional {
                Some(list) => Found::Many(list.to_vec()),
                None => Found::One(UNKNOWN.to_string()),
            },
            ParameterName::Special(b'$') => Found::One("$$".to_owned()),
            ParameterName::Special(b'!') => Found::One("$!".to_owned()),
            ParameterName::Special(_) => Found::One(SOME.to_string()),
        };
        if p.indirect {
            found = match (&found, name) {
                (Found::One(v), Some(_)) if is_exact(v) && is_name(v) => self.value(&v.clone(), state),
                (Found::One(v), _) => {
                    let v = v.clone();
                    self.evaluated(&v, span, state);
                    Found::One(UNKNOWN.to_string())
                }
                (Found::Many(_), _) => Found::One(SOME.to_string()),
                (Found::Unset, _) => Found::One(UNKNOWN.to_string()),
            };
        }
        self.operation(p, found, span, state, script)
    }

    fn operation(
        &mut self,
        p: &Parameter,
        found: Found,
        span: Span,
        state: &mut State,
        script: &Script,
    ) -> Found {
        let unset = matches!(&found, Found::Unset);
        let empty = |f: &Found| match f {
            Found::One(v) => v.is_empty(),
            Found::Many(l) => l.is_empty(),
            Found::Unset => true,
        };
        // Whether it is set, and how long it is, is no secret.
        if matches!(p.op, ParameterOp::Length | ParameterOp::Alternative { .. }) {
            self.secret = None;
        }
        let unsure = matches!(&found, Found::One(v) if v.chars().all(|c| c == UNKNOWN) && !v.is_empty());
        match &p.op {
            ParameterOp::Plain => found,
            ParameterOp::Length => Found::One(SOME.to_string()),
            ParameterOp::Default { colon, word } | ParameterOp::Assign { colon, word } => {
                let other = Found::One(self.one(word, state, script));
                let takes = unset || (*colon && empty(&found));
                let result = if takes {
                    other
                } else {
                    // Where it is not known whether it is set, neither is the value: anything.
                    found
                };
                if let (ParameterOp::Assign { .. }, ParameterName::Variable(name)) = (&p.op, &p.name) {
                    let value = match &result {
                        Found::One(v) => v.clone(),
                        _ => UNKNOWN.to_string(),
                    };
                    self.assign_variable(&lossy(name), &value, span, state);
                }
                result
            }
            ParameterOp::Error { word, .. } => {
                self.one(word, state, script);
                found
            }
            ParameterOp::Alternative { colon, word } => {
                let other = Found::One(self.one(word, state, script));
                if unsure {
                    Found::One(UNKNOWN.to_string())
                } else if unset || (*colon && empty(&found)) {
                    Found::Unset
                } else {
                    other
                }
            }
            ParameterOp::RemovePrefix { .. }
            | ParameterOp::RemoveSuffix { .. }
            | ParameterOp::Replace { .. }
            | ParameterOp::Slice { .. }
            | ParameterOp::Case { .. } => {
                let change = self.change(&p.op, state, script);
                if let (Found::Many(_), ParameterOp::Slice { .. }) = (&found, &p.op) {
                    return Found::One(UNKNOWN.to_string());
                }
                let trims = self.base.is_none() && !state.dot_names();
                found.map(|v| changed(v, change.as_ref()?, trims))
            }
            ParameterOp::Transform(op) => match op {
                b'P' => {
                    if let Found::One(v) = &found {
                        let v = v.clone();
                        self.prompt(&v, span, state);
                    }
                    Found::One(UNKNOWN.to_string())
                }
                b'U' | b'L' | b'u' => {
                    let change = match op {
                        b'U' => CaseChange::UpperAll,
                        b'L' => CaseChange::LowerAll,
                        _ => CaseChange::UpperFirst,
                    };
                    found.map(|v| changed(v, &Change::Case { change, pattern: None }, false))
                }
                b'E' => found.map(|v| {
                    let text = ansi_c::decode(Some(v).filter(|v| is_exact(v))?.as_bytes())?;
                    Some(lossy(&text).into_owned())
                }),
                _ => Found::One(UNKNOWN.to_string()),
            },
            ParameterOp::Names { .. } => Found::One(UNKNOWN.to_string()),
        }
    }

    /// What an operator does, with its operands expanded; `None` if that is not known.
    fn change(&mut self, op: &ParameterOp, state: &mut State, script: &Script) -> Option<Change> {
        match op {
            ParameterOp::RemovePrefix { longest, pattern } => {
                Some(Change::Prefix { longest: *longest, pattern: self.pattern(pattern, state, script)? })
            }
            ParameterOp::RemoveSuffix { longest, pattern } => {
                Some(Change::Suffix { longest: *longest, pattern: self.pattern(pattern, state, script)? })
            }
            ParameterOp::Replace { which, pattern, replacement } => {
                let pattern = self.pattern(pattern, state, script);
                let with = replacement.as_ref().map_or(String::new(), |w| self.one(w, state, script));
                let pattern = pattern.filter(|pattern| !pattern.is_empty())?;
                // Versions differ on what these mean in a replacement.
                let plain = is_exact(&with) && !with.contains(['&', '\\']);
                plain.then(|| Change::Replace { which: *which, pattern, replacement: with.into_bytes() })
            }
            ParameterOp::Slice { offset, length } => {
                self.arithmetic(offset, state, script);
                if let Some(length) = length {
                    self.arithmetic(length, state, script);
                }
                let length = match length {
                    Some(length) => Some(eval::number(length, script)?),
                    None => None,
                };
                Some(Change::Slice { offset: eval::number(offset, script)?, length })
            }
            ParameterOp::Case { change, pattern } => {
                let pattern = self.pattern(pattern, state, script)?;
                Some(Change::Case { change: *change, pattern: Some(pattern).filter(|p| !p.is_empty()) })
            }
            _ => None,
        }
    }

    /// A pattern: what is quoted in it stands for itself.
    fn pattern(&mut self, word: &Source, state: &mut State, script: &Script) -> Option<Pattern> {
        let mut bytes: Vec<(u8, bool)> = Vec::new();
        let mut sure = true;
        for (at, part) in word.parts.iter().enumerate() {
            let mut text = String::new();
            self.part_text(part, state, script, &mut text);
            let tilde = at == 0 && matches!(&part.kind, PartKind::Literal(l) if l.marks.tilde);
            sure &= is_exact(&text) && !tilde && !matches!(part.kind, PartKind::ExtendedGlob(_));
            let active = matches!(
                part.kind,
                PartKind::Literal(_)
                    | PartKind::Parameter(_)
                    | PartKind::Command(_)
                    | PartKind::Arithmetic(_)
            );
            bytes.extend(text.bytes().map(|byte| (byte, active)));
        }
        if sure { Pattern::read(&bytes).ok() } else { None }
    }

    /// Text that the shell evaluates as arithmetic: substitutions in it run, also those in a subscript
    /// that was only quoted text before.
    pub(super) fn evaluated(&mut self, text: &str, span: Span, state: &mut State) {
        let harmless = |b: u8| b.is_ascii_alphanumeric() || b" \t\n+-*/%<>=!&|^~?:,()._#$".contains(&b);
        if is_exact(text) && text.bytes().all(harmless) && !text.contains("$(") {
            return;
        }
        if text.chars().all(|c| c == SOME || c.is_ascii_digit()) {
            return;
        }
        if text.contains(UNKNOWN) {
            self.unknown("arithmetic evaluates a value that is not known, which can run commands", span);
        }
        if text.contains("$(") || text.contains('`') || text.contains('[') {
            // In a here-document a double quote means nothing outside of substitutions, and all inside.
            let mut end = String::from("END");
            while text.contains(&end) {
                end.push('_');
            }
            self.nested_shell(&format!(": <<{end}\n{text}\n{end}\n"), span, state, &Data::Inherit);
        }
    }

    /// Text that is expanded as a prompt: `\044` becomes a dollar first.
    pub(super) fn prompt(&mut self, text: &str, span: Span, state: &mut State) {
        let mut plain = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            plain.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let digits = after.bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
            let code = u32::from_str_radix(&after[..digits], 8).ok().and_then(char::from_u32);
            match code {
                Some(c) => plain.push(c),
                None => plain.push('\\'),
            }
            rest = &after[digits..];
            // A pair of backslashes is one, and escapes nothing here.
            if digits == 0 && rest.starts_with('\\') {
                plain.push('\\');
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        self.evaluated(&plain, span, state);
        // What the shell makes of backslashes in front of a dollar hangs on more than is read here.
        if plain.contains("\\$(") || plain.contains("\\`") {
            self.unknown("a prompt may run a command", span);
        }
    }
}

/// Whether each value of a parameter is a word of its own in double quotes: `$@`, `${a[@]}`.
fn is_each(p: &Parameter) -> bool {
    matches!(p.name, ParameterName::Special(b'@'))
        || matches!(&p.subscript, Some(s) if s.kind == SubscriptKind::At)
}

/// What joins the values of `"$*"`; `None` if it is not known.
fn joiner(state: &State) -> Option<String> {
    match state.variable("IFS") {
        None | Some(Variable::Unset) => Some(" ".to_owned()),
        Some(Variable::Scalar(separators)) if is_exact(separators) => {
            Some(separators.chars().take(1).collect())
        }
        Some(_) => None,
    }
}

/// Bytes as text; what is not UTF-8 is unknown. A private mark in the source is one too.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(s) => Cow::Borrowed(s),
        Err(_) => Cow::Owned(String::from_utf8_lossy(bytes).replace('\u{fffd}', "\u{ffff}")),
    }
}

fn push_glob(text: &str, out: &mut String) {
    let has_close = text.contains(']');
    let mut in_bracket = false;
    for (i, c) in text.char_indices() {
        if in_bracket {
            in_bracket = c != ']';
            continue;
        }
        // `http://[::1]/`: a name that it finds would be no host of another machine.
        let address = || {
            let inside = text.get(i + 1..).and_then(|rest| rest.split_once(']'));
            out.ends_with("://")
                && inside.is_some_and(|(a, _)| {
                    a.contains(':') && a.bytes().all(|b| b.is_ascii_hexdigit() || b == b':')
                })
        };
        match c {
            '[' if address() => out.push(c),
            '*' | '?' => {
                if !out.ends_with(SOME) {
                    out.push(SOME);
                }
            }
            '[' if has_close && text.get(i + 2..).is_some_and(|rest| rest.contains(']')) => {
                in_bracket = true;
                out.push(SOME);
            }
            c => out.push(c),
        }
    }
}

fn is_name(s: &str) -> bool {
    !s.is_empty()
        && !s.starts_with(|c: char| c.is_ascii_digit())
        && s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A text after a change; `None` if it is not known.
fn changed(text: &str, change: &Change, trims: bool) -> Option<String> {
    if is_exact(text) {
        return String::from_utf8(change.of(text.as_bytes()).ok()?).ok();
    }
    if trims { trimmed(text, change) } else { None }
}

/// The name of a file that a pattern found, with an end of it removed.
///
/// The part that is known must hold all that is removed. What is left is a name in the same directory, or
/// the directory: it must not be able to become `..`.
fn trimmed(text: &str, change: &Change) -> Option<String> {
    if text.contains(UNKNOWN) {
        return None;
    }
    let (first, last) = (text.find(SOME)?, text.rfind(SOME)? + SOME.len_utf8());
    let (head, tail) = (text.get(..first)?, text.get(last..)?);
    match change {
        Change::Suffix { longest, pattern } if first + SOME.len_utf8() == last => {
            let removed = pattern.suffix_of(tail.as_bytes(), false).ok()?;
            let certain = !longest || pattern.is_literal();
            // Names that begin with a dot are found by patterns that do, and by those alone.
            let plain = !head.rsplit('/').next()?.starts_with('.');
            let removed = removed.filter(|_| certain && plain)?;
            text.get(..text.len() - removed).map(str::to_owned)
        }
        Change::Prefix { longest, pattern } if !longest || pattern.is_literal() => {
            let removed = pattern.prefix_of(head.as_bytes(), false).ok()??;
            // A whole directory: what is left of a name could be anything.
            let whole = removed == 0 || head.get(..removed)?.ends_with('/');
            text.get(removed..).filter(|_| whole).map(str::to_owned)
        }
        // `##*/`: the name without its directory.
        Change::Prefix { pattern, .. } if is_any_directory(pattern) => {
            let name = tail.rsplit('/').next()?;
            Some(if name.len() < tail.len() { name.to_owned() } else { format!("{SOME}{name}") })
        }
        _ => None,
    }
}

/// Whether a pattern is `*/`.
fn is_any_directory(pattern: &Pattern) -> bool {
    let removes = |text: &str| pattern.prefix_of(text.as_bytes(), true).ok().flatten();
    removes("a/.b/c") == Some(5) && removes("/c") == Some(1) && removes("abc").is_none()
}
