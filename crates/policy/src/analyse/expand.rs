//! Words become text: quotes, braces, tildes, variables, substitutions.
//!
//! This keeps what can be known of a word even if the rest cannot: `"$TMPDIR/../x"` climbs whatever
//! the variable holds. Commands inside words are analysed on the way.

use super::state::{State, Variable};
use super::{Analyst, Constructs, Data};
use crate::argv::glob;
use crate::path;
use crate::word::{SOME, UNKNOWN, Word, is_exact};
use std::borrow::Cow;
use toolgate_bash::ansi_c;
use toolgate_bash::ast::{
    Arithmetic, CaseChange, Expression, Literal, Parameter, ParameterName, ParameterOp, Part, PartKind,
    ProcessDirection, ReplaceWhich, Script, Span, SubscriptKind, UnaryOp, Word as Source,
};

/// The most words that braces may make out of one.
const BRACES: usize = 512;

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
        let has_brace = word.parts.iter().any(|p| matches!(&p.kind, PartKind::Literal(l) if l.marks.brace));
        if has_brace {
            match braces(&word.parts) {
                Braces::None => {}
                Braces::Words(list) => {
                    for pieces in list {
                        self.expand_pieces(&pieces, word.span, state, script, out);
                    }
                    return;
                }
                Braces::TooMany => {
                    for p in &word.parts {
                        self.part_text(p, state, script, &mut String::new());
                    }
                    out.push(Word::unknown(span));
                    return;
                }
            }
        }
        let pieces: Vec<Piece<'_>> = word.parts.iter().map(Piece::Part).collect();
        self.expand_pieces(&pieces, word.span, state, script, out);
    }

    fn expand_pieces(
        &mut self,
        pieces: &[Piece<'_>],
        span: Span,
        state: &mut State,
        script: &Script,
        out: &mut Vec<Word<'static>>,
    ) {
        let mut f = Fields { out, text: String::new(), started: false, splits: false, span: self.at(span) };
        let mut first = true;
        for piece in pieces {
            match piece {
                Piece::Text(t) => {
                    let t =
                        if first && f.text.is_empty() { self.tilde(t, state) } else { Cow::Borrowed(&**t) };
                    push_glob(&t, &mut f.text);
                }
                Piece::Part(part) => self.part(part, first, state, script, &mut f),
            }
            first = false;
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
                // `"$@"` is as many words as there are parameters.
                if let [Part { kind: PartKind::Parameter(p), .. }] = parts.as_slice()
                    && let Found::Many(list) = self.parameter(p, part.span, state, script, true)
                {
                    let n = list.len();
                    for (i, v) in list.into_iter().enumerate() {
                        f.text.push_str(&v);
                        f.started = true;
                        if i + 1 < n {
                            f.end();
                        }
                    }
                    return;
                }
                f.started = true;
                for p in parts {
                    if let PartKind::Parameter(p) = &p.kind
                        && matches!(p.name, ParameterName::Special(b'@'))
                        && state.positional.is_none()
                    {
                        f.splits = true;
                    }
                    self.part_text(p, state, script, &mut f.text);
                }
            }
            PartKind::Parameter(p) => match self.parameter(p, part.span, state, script, false) {
                Found::One(v) => self.split(&v, state, f),
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
            PartKind::Arithmetic(_) | PartKind::Process(_) | PartKind::ArrayAssignment(_) => {
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
        let mut text = String::new();
        for (i, part) in word.parts.iter().enumerate() {
            if let PartKind::Literal(l) = &part.kind
                && l.marks.tilde
            {
                let raw = lossy(&l.text);
                if i == 0 {
                    text.push_str(&self.tilde(&raw, state));
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
            PartKind::Parameter(p) => match self.parameter(p, part.span, state, script, true) {
                Found::One(v) => text.push_str(&v),
                Found::Many(list) => text.push_str(&list.join(" ")),
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
                match constant(a) {
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

    fn parameter(
        &mut self,
        p: &Parameter,
        span: Span,
        state: &mut State,
        script: &Script,
        quoted: bool,
    ) -> Found {
        let found = self.parameter_value(p, span, state, script, quoted);
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

    fn parameter_value(
        &mut self,
        p: &Parameter,
        span: Span,
        state: &mut State,
        script: &Script,
        quoted: bool,
    ) -> Found {
        let mut all = false;
        let mut index = None;
        if let Some(s) = &p.subscript {
            self.subscript(s, state, script);
            match &s.kind {
                SubscriptKind::At | SubscriptKind::Star => all = true,
                SubscriptKind::Index(a) => index = Some(constant(a)),
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
        self.operation(p, found, span, state, script, quoted)
    }

    fn operation(
        &mut self,
        p: &Parameter,
        found: Found,
        span: Span,
        state: &mut State,
        script: &Script,
        quoted: bool,
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
                let other = self.word_or_text(word, state, script, quoted);
                let takes = unset || (*colon && empty(&found));
                let result = if takes {
                    other
                } else if unsure {
                    // Most likely what is written, if the variable is not set; else anything.
                    Found::One(UNKNOWN.to_string())
                } else {
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
                let other = self.word_or_text(word, state, script, quoted);
                if unsure {
                    Found::One(UNKNOWN.to_string())
                } else if unset || (*colon && empty(&found)) {
                    Found::Unset
                } else {
                    other
                }
            }
            ParameterOp::RemovePrefix { longest, pattern } => {
                let pattern = self.pattern(pattern, state, script);
                map(found, |v| cut(v, &pattern, *longest, true))
            }
            ParameterOp::RemoveSuffix { longest, pattern } => {
                let pattern = self.pattern(pattern, state, script);
                map(found, |v| cut(v, &pattern, *longest, false))
            }
            ParameterOp::Replace { which, pattern, replacement } => {
                let pattern = self.pattern(pattern, state, script);
                let with = match replacement {
                    Some(w) => self.one(w, state, script),
                    None => String::new(),
                };
                map(found, |v| replace(v, &pattern, &with, *which))
            }
            ParameterOp::Slice { offset, length } => {
                self.arithmetic(offset, state, script);
                if let Some(l) = length {
                    self.arithmetic(l, state, script);
                }
                let from = constant(offset);
                let len = length.as_ref().map(constant);
                match found {
                    Found::One(v) => Found::One(slice(&v, from, len)),
                    _ => Found::One(UNKNOWN.to_string()),
                }
            }
            ParameterOp::Case { change, pattern } => {
                let pattern = self.one(pattern, state, script);
                let change = *change;
                map(found, |v| if pattern.is_empty() { Some(case(v, change)) } else { None })
            }
            ParameterOp::Transform(op) => match op {
                b'P' => {
                    if let Found::One(v) = &found {
                        let v = v.clone();
                        self.prompt(&v, span, state);
                    }
                    Found::One(UNKNOWN.to_string())
                }
                b'U' => map(found, |v| Some(v.to_uppercase())),
                b'L' => map(found, |v| Some(v.to_lowercase())),
                b'u' => map(found, |v| Some(case(v, CaseChange::UpperFirst))),
                b'E' => map(found, |v| ansi_c::decode(v.as_bytes()).map(|b| lossy(&b).into_owned())),
                _ => Found::One(UNKNOWN.to_string()),
            },
            ParameterOp::Names { .. } => Found::One(UNKNOWN.to_string()),
        }
    }

    fn word_or_text(&mut self, word: &Source, state: &mut State, script: &Script, _quoted: bool) -> Found {
        Found::One(self.one(word, state, script))
    }

    /// A pattern: quoted text keeps its stars, unquoted stars are wildcards.
    fn pattern(&mut self, word: &Source, state: &mut State, script: &Script) -> Option<String> {
        let mut out = String::new();
        let mut ok = true;
        for part in &word.parts {
            let start = out.len();
            self.part_text(part, state, script, &mut out);
            let live = matches!(part.kind, PartKind::Literal(_) | PartKind::Parameter(_));
            if let Some(added) = out.get(start..) {
                let special = added.contains(['*', '?', '[', '\\']);
                ok &= is_exact(added) && (live || !special) && !added.contains(['[', '\\']);
            }
        }
        (ok && out.len() <= 128).then_some(out)
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
        match c {
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

fn map(found: Found, f: impl Fn(&str) -> Option<String>) -> Found {
    let one =
        |v: &str| if is_exact(v) { f(v).unwrap_or_else(|| UNKNOWN.to_string()) } else { UNKNOWN.to_string() };
    match found {
        Found::One(v) => Found::One(one(&v)),
        Found::Many(list) => Found::Many(list.iter().map(|v| one(v)).collect()),
        Found::Unset => Found::Unset,
    }
}

fn cut(v: &str, pattern: &Option<String>, longest: bool, prefix: bool) -> Option<String> {
    let pattern = pattern.as_deref()?;
    if v.len() > 4096 {
        return None;
    }
    let mut ends: Vec<usize> = v.char_indices().map(|(i, _)| i).chain([v.len()]).collect();
    if prefix == longest {
        ends.reverse();
    }
    // Prefix: shortest from the left; suffix: shortest from the right.
    for at in ends {
        let (left, right) = v.split_at(at);
        if prefix {
            if glob(pattern, left) {
                return Some(right.to_owned());
            }
        } else if glob(pattern, right) {
            return Some(left.to_owned());
        }
    }
    Some(v.to_owned())
}

fn replace(v: &str, pattern: &Option<String>, with: &str, which: ReplaceWhich) -> Option<String> {
    let pattern = pattern.as_deref()?;
    if pattern.contains(['*', '?']) || with.contains('&') || pattern.is_empty() {
        return None;
    }
    Some(match which {
        ReplaceWhich::First => v.replacen(pattern, with, 1),
        ReplaceWhich::All => v.replace(pattern, with),
        ReplaceWhich::Prefix => match v.strip_prefix(pattern) {
            Some(rest) => format!("{with}{rest}"),
            None => v.to_owned(),
        },
        ReplaceWhich::Suffix => match v.strip_suffix(pattern) {
            Some(rest) => format!("{rest}{with}"),
            None => v.to_owned(),
        },
    })
}

fn slice(v: &str, from: Option<i64>, len: Option<Option<i64>>) -> String {
    let unknown = || UNKNOWN.to_string();
    if !is_exact(v) {
        return unknown();
    }
    let chars: Vec<char> = v.chars().collect();
    let n = chars.len() as i64;
    let Some(from) = from else { return unknown() };
    let start = if from < 0 { n + from } else { from };
    if start < 0 || start > n {
        return String::new();
    }
    let end = match len {
        None => n,
        Some(None) => return unknown(),
        Some(Some(l)) if l < 0 => n + l,
        Some(Some(l)) => (start + l).min(n),
    };
    if end < start {
        return String::new();
    }
    chars.get(start as usize..end as usize).unwrap_or(&[]).iter().collect()
}

fn case(v: &str, change: CaseChange) -> String {
    let flip =
        |c: char| if c.is_lowercase() { c.to_uppercase().to_string() } else { c.to_lowercase().to_string() };
    let first = |f: &dyn Fn(char) -> String| {
        let mut chars = v.chars();
        match chars.next() {
            Some(c) => f(c) + chars.as_str(),
            None => String::new(),
        }
    };
    match change {
        CaseChange::UpperFirst => first(&|c| c.to_uppercase().to_string()),
        CaseChange::UpperAll => v.to_uppercase(),
        CaseChange::LowerFirst => first(&|c| c.to_lowercase().to_string()),
        CaseChange::LowerAll => v.to_lowercase(),
        CaseChange::ToggleFirst => first(&flip),
        CaseChange::ToggleAll => v.chars().map(flip).collect(),
    }
}

/// The value of an arithmetic expression that is only a number.
fn constant(a: &Arithmetic) -> Option<i64> {
    fn of(e: &Expression) -> Option<i64> {
        match e {
            Expression::Number(n) => {
                std::str::from_utf8(n).ok().filter(|s| !s.starts_with('0') || *s == "0")?.parse().ok()
            }
            Expression::Unary { op: UnaryOp::Minus, operand } => of(operand)?.checked_neg(),
            Expression::Group(e) => of(e),
            _ => None,
        }
    }
    of(a.expression.as_ref()?)
}

/// A piece of a word after brace expansion.
#[derive(Clone)]
enum Piece<'p> {
    Part(&'p Part),
    Text(String),
}

enum Braces<'p> {
    None,
    Words(Vec<Vec<Piece<'p>>>),
    TooMany,
}

/// One symbol of a word while braces are looked for.
#[derive(Clone)]
enum Symbol<'p> {
    Char(char),
    Part(&'p Part),
}

fn braces(parts: &[Part]) -> Braces<'_> {
    let mut symbols = Vec::new();
    for p in parts {
        match &p.kind {
            PartKind::Literal(l) => symbols.extend(lossy(&l.text).chars().map(Symbol::Char)),
            _ => symbols.push(Symbol::Part(p)),
        }
    }
    if !symbols.iter().any(|s| matches!(s, Symbol::Char('{'))) {
        return Braces::None;
    }
    let mut budget = BRACES;
    match expand_braces(&symbols, &mut budget, 0) {
        Some(list) if list.len() == 1 => Braces::None,
        Some(list) => Braces::Words(list.into_iter().map(gather).collect()),
        None => Braces::TooMany,
    }
}

fn gather(symbols: Vec<Symbol<'_>>) -> Vec<Piece<'_>> {
    let mut out: Vec<Piece<'_>> = Vec::new();
    for s in symbols {
        match s {
            Symbol::Char(c) => match out.last_mut() {
                Some(Piece::Text(t)) => t.push(c),
                _ => out.push(Piece::Text(c.to_string())),
            },
            Symbol::Part(p) => out.push(Piece::Part(p)),
        }
    }
    out
}

/// Every word that braces make; `None` when there are too many.
fn expand_braces<'p>(s: &[Symbol<'p>], budget: &mut usize, depth: usize) -> Option<Vec<Vec<Symbol<'p>>>> {
    if depth > 32 {
        return None;
    }
    // The first brace that closes and holds a comma or a range.
    let mut open = 0;
    while let Some(at) = s.get(open..)?.iter().position(|c| matches!(c, Symbol::Char('{'))).map(|n| open + n)
    {
        let mut level = 0_usize;
        let mut commas = Vec::new();
        let mut close = None;
        for (i, c) in s.iter().enumerate().skip(at) {
            match c {
                Symbol::Char('{') => level += 1,
                Symbol::Char('}') => {
                    level -= 1;
                    if level == 0 {
                        close = Some(i);
                        break;
                    }
                }
                Symbol::Char(',') if level == 1 => commas.push(i),
                _ => {}
            }
        }
        let Some(close) = close else {
            open = at + 1;
            continue;
        };
        let mut middles: Vec<Vec<Symbol<'p>>> = Vec::new();
        if commas.is_empty() {
            match range(s.get(at + 1..close)?) {
                Some(list) => middles.extend(list.into_iter().map(|t| t.chars().map(Symbol::Char).collect())),
                None => {
                    open = at + 1;
                    continue;
                }
            }
        } else {
            let mut from = at + 1;
            for to in commas.into_iter().chain([close]) {
                middles.extend(expand_braces(s.get(from..to)?, budget, depth + 1)?);
                from = to + 1;
            }
        }
        let before = s.get(..at)?;
        let afters = expand_braces(s.get(close + 1..)?, budget, depth + 1)?;
        let mut out = Vec::new();
        for m in &middles {
            for a in &afters {
                *budget = budget.checked_sub(1)?;
                let mut word = before.to_vec();
                word.extend(m.iter().cloned());
                word.extend(a.iter().cloned());
                out.push(word);
            }
        }
        return Some(out);
    }
    Some(vec![s.to_vec()])
}

/// `1..5`, `a..e`, with a step.
fn range(s: &[Symbol<'_>]) -> Option<Vec<String>> {
    let mut text = String::new();
    for c in s {
        match c {
            Symbol::Char(c) => text.push(*c),
            Symbol::Part(_) => return None,
        }
    }
    let parts: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match parts.as_slice() {
        [a, b] => (*a, *b, 1),
        [a, b, s] => (*a, *b, s.parse::<i64>().ok()?.abs().max(1)),
        _ => return None,
    };
    if let (Ok(a), Ok(b)) = (from.parse::<i64>(), to.parse::<i64>()) {
        if a.abs_diff(b) / step.unsigned_abs() > BRACES as u64 {
            return None;
        }
        let mut out = Vec::new();
        let mut n = a;
        while if a <= b { n <= b } else { n >= b } {
            out.push(n.to_string());
            n += if a <= b { step } else { -step };
        }
        return Some(out);
    }
    let one = |t: &str| {
        let mut c = t.chars();
        c.next().filter(|x| x.is_ascii_alphabetic() && c.next().is_none())
    };
    let (a, b) = (u32::from(one(from)?), u32::from(one(to)?));
    let list: Vec<u32> = if a <= b { (a..=b).collect() } else { (b..=a).rev().collect() };
    Some(list.into_iter().step_by(step as usize).filter_map(char::from_u32).map(String::from).collect())
}
