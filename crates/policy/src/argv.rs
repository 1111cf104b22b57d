//! Reads the words of a command by what is known about its program.
//!
//! The result says which options were given, what each operand is, and what was not understood.
//! It does not know about paths, places or policy.

use crate::knowledge::schema::{
    Like, Opt, Repeat, Role, Run, Slot, Spec, Stated, Style, Subject, Takes, Test,
};
use crate::knowledge::{self, option_ids, restated, slots, tests, text, words};
use crate::word::{SOME, UNKNOWN, Word};
use std::borrow::Cow;
use std::cmp::Ordering;
use toolgate_bash::ast::Span;

/// A command line as its program reads it.
#[derive(Debug)]
pub struct Call<'w> {
    /// The program's entry, then those of the sub-commands.
    pub specs: Vec<&'static Spec>,
    /// Names of the sub-commands.
    pub subs: Vec<&'w str>,
    /// Whether the call only prints facts about the program.
    pub info: bool,
    /// The options, in order.
    pub options: Vec<Given<'w>>,
    /// The operands, in order.
    pub operands: Vec<Operand<'w>>,
    /// Words that make up a command to be run, from the operands.
    pub command: Option<Command<'w>>,
    /// Effects that are stated outright, with where they come from.
    pub effects: Vec<(&'static Stated, Span)>,
    /// What its standard input is.
    pub stdin: Role,
    /// What was not understood.
    pub unknown: Vec<(Doubt, Span)>,
}

/// An option that was given.
#[derive(Debug)]
pub struct Given<'w> {
    /// Its number.
    pub id: u32,
    /// Its entry.
    pub option: &'static Opt,
    /// Its values; fewer than its roles if the line ends before.
    pub values: Vec<Word<'w>>,
    /// What its values are in this call.
    pub roles: &'static [Role],
    /// Where it stands.
    pub span: Span,
}

/// An operand.
#[derive(Debug)]
pub struct Operand<'w> {
    /// The word.
    pub word: Word<'w>,
    /// What it is.
    pub role: Role,
    /// What else it may be, where conditions hang on something unknown.
    pub other: Option<Role>,
    /// Whether it is one of any number in its place of the pattern.
    pub many: bool,
}

/// A command inside a command line.
#[derive(Debug)]
pub struct Command<'w> {
    /// `NAME=VALUE` words before it.
    pub assignments: Vec<Word<'w>>,
    /// Its words.
    pub words: Vec<Word<'w>>,
    /// Whether more operands come from standard input.
    pub more: bool,
}

/// Why something was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The option is not listed.
    Option(String),
    /// The sub-command is not listed.
    Sub(String),
    /// The program takes no such operand.
    Operand(String),
    /// A word that is not known may be an option.
    MayBeOption,
    /// The sub-command cannot be known.
    DynamicSub,
    /// The program needs a sub-command and its bare call is not described.
    Bare,
}

/// Three answers, since a word may be unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    No,
    Maybe,
    Yes,
}

impl From<bool> for Holds {
    fn from(b: bool) -> Self {
        if b { Holds::Yes } else { Holds::No }
    }
}

/// Reads the words after the program's name.
#[must_use]
pub fn read<'w>(spec: &'static Spec, args: &'w [Word<'w>]) -> Call<'w> {
    let mut reader = Reader {
        call: Call {
            specs: vec![spec],
            subs: Vec::new(),
            info: false,
            options: Vec::new(),
            operands: Vec::new(),
            command: None,
            effects: Vec::new(),
            stdin: spec.stdin,
            unknown: Vec::new(),
        },
        spec,
        style: spec.style,
        dash_dash: false,
        plain: Vec::new(),
    };
    reader.words(args);
    if !reader.call.info {
        reader.conclude();
    }
    reader.call
}

struct Reader<'w> {
    call: Call<'w>,
    spec: &'static Spec,
    style: Style,
    dash_dash: bool,
    /// Operands before they have roles.
    plain: Vec<Word<'w>>,
}

impl<'w> Reader<'w> {
    fn words(&mut self, args: &'w [Word<'w>]) {
        let mut ended = false;
        let mut i = 0;
        if self.is_info(args) {
            self.call.info = true;
            return;
        }
        while let Some(word) = args.get(i) {
            i += 1;
            let t = &*word.text;
            if !ended && self.style != Style::None {
                if self.style == Style::Dd {
                    if self.dd(word) {
                        continue;
                    }
                } else if t == "--" {
                    self.dash_dash = true;
                    ended = true;
                    continue;
                } else if t == "-" && self.lookup("-").is_some() {
                    let (next, _) = self.give_named("-", word, args, i);
                    i = next;
                    continue;
                } else if t.len() > 1 && t.starts_with('-') || t.starts_with('+') && self.has_plus() {
                    let (next, rest) = self.option(word, args, i);
                    i = next;
                    if let Some(rest) = rest {
                        match rest {
                            Rest::Data => {
                                let data = args.get(i..).unwrap_or(&[]);
                                self.call.operands.extend(data.iter().map(|w| Operand {
                                    word: w.clone(),
                                    role: Role::Text,
                                    other: None,
                                    many: false,
                                }));
                                return;
                            }
                            Rest::Sub(spec) => {
                                if self.enter(spec, args.get(i..).unwrap_or(&[])) {
                                    return;
                                }
                                ended = false;
                            }
                        }
                    }
                    continue;
                } else if self.style == Style::Bundle
                    && i == 1
                    && !t.is_empty()
                    && t.bytes().all(|b| b.is_ascii_alphanumeric())
                {
                    i = self.bundle(word, args, i);
                    continue;
                } else if t.starts_with([UNKNOWN, SOME]) && word_may_be_option(t) && self.spec.sharp {
                    self.call.unknown.push((Doubt::MayBeOption, word.span));
                }
            }
            if self.spec.has_subs() && self.plain.is_empty() && !t.starts_with('-') {
                match self.sub(word) {
                    Some(spec) => {
                        self.call.subs.push(&word.text);
                        if self.enter(spec, args.get(i..).unwrap_or(&[])) {
                            return;
                        }
                        ended = false;
                        continue;
                    }
                    None if self.spec.operands.1 == 0 => {
                        let doubt =
                            if word.is_exact() { Doubt::Sub(t.to_owned()) } else { Doubt::DynamicSub };
                        self.call.unknown.push((doubt, word.span));
                        // Its words may be anything: nothing more can be said.
                        return;
                    }
                    None => {}
                }
            }
            if self.special_word(t) {
                continue;
            }
            self.plain.push(word.clone());
            if self.style == Style::Posix {
                ended = true;
            }
        }
        if self.spec.has_subs() && self.plain.is_empty() && !self.spec.has_bare && self.spec.operands.1 == 0 {
            // A bare call of a program with sub-commands prints its help; with options only it may not.
            if !self.call.options.is_empty() && self.spec.effects.1 == 0 {
                let span = self.call.options.first().map_or_else(Span::default, |o| o.span);
                self.call.unknown.push((Doubt::Bare, span));
            }
        }
        if self.spec.has_bare
            && self.plain.is_empty()
            && self.spec.has_subs()
            && let Some(bare) = self.spec.sub("")
        {
            self.call.specs.push(bare);
            self.spec = bare;
            self.call.stdin = bare.stdin;
        }
    }

    fn is_info(&self, args: &[Word<'_>]) -> bool {
        match args {
            [one] => one.is_exact() && self.spec.is_info(&one.text) || self.asks_for_help(args),
            // `pip help install`
            [help, names @ ..]
                if help.text == "help"
                    && self.call.specs.len() == 1
                    && self.spec.has_subs()
                    && self.spec.is_info("help") =>
            {
                let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
                names.iter().all(|w| !w.text.starts_with('-') && w.text.bytes().all(plain))
            }
            _ => self.asks_for_help(args),
        }
    }

    /// Whether names of sub-commands are followed by a wish for help, with programs that then give nothing else.
    fn asks_for_help(&self, args: &[Word<'_>]) -> bool {
        let Some((root, (last, names))) = self.call.specs.first().zip(args.split_last()) else {
            return false;
        };
        let wish = &*last.text;
        text(root.special) == "help"
            && (self.call.specs.len() > 1 || !root.has_subs())
            && (wish.starts_with('-') || wish == "help" && !root.has_subs() && names.len() < 3)
            && root.is_info(wish)
            && self.call.subs.iter().copied().chain(names.iter().map(|w| &*w.text)).all(|name| {
                // What such a sub-command starts would get the word.
                !matches!(
                    name,
                    "run" | "exec" | "x" | "ssh" | "shell" | "start" | "tool" | "proxy" | "extension"
                ) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
                    && !name.starts_with('-')
            })
    }

    /// Goes on inside a sub-command; true if its words are an info call.
    fn enter(&mut self, spec: &'static Spec, rest: &[Word<'_>]) -> bool {
        self.spec = spec;
        self.style = spec.style;
        self.call.stdin = spec.stdin;
        self.call.specs.push(spec);
        if self.is_info(rest) {
            self.call.info = true;
        }
        self.call.info
    }

    fn sub(&self, word: &Word<'_>) -> Option<&'static Spec> {
        if !word.is_exact() || word.text.is_empty() {
            return None;
        }
        self.spec.sub(&word.text).or_else(|| self.spec.sub("*"))
    }

    /// Entries whose options are taken here: the innermost first.
    fn scopes(&self) -> impl Iterator<Item = &'static Spec> + '_ {
        let n = self.call.specs.len();
        self.call
            .specs
            .iter()
            .rev()
            .enumerate()
            .take_while(move |(i, s)| *i == 0 || s.globals_after || n == 1)
            .map(|(_, s)| *s)
    }

    fn lookup(&self, name: &str) -> Option<u32> {
        self.scopes().find_map(|s| {
            let names = s.names();
            names
                .binary_search_by(|n| text(n.name).cmp(name))
                .ok()
                .and_then(|i| names.get(i))
                .map(|n| n.option)
        })
    }

    /// An abbreviation of exactly one long option.
    fn abbreviated(&self, name: &str) -> Option<u32> {
        let mut found = None;
        for s in self.scopes() {
            let names = s.names();
            let from = names.partition_point(|n| text(n.name) < name);
            for n in names.get(from..).unwrap_or(&[]) {
                if !text(n.name).starts_with(name) {
                    break;
                }
                match found {
                    None => found = Some(n.option),
                    Some(id) if id == n.option => {}
                    Some(_) => return None,
                }
            }
        }
        found
    }

    /// An option listed as a prefix (`-D*`), with what follows the prefix. Of several, the longest is meant:
    /// `-fplugin*` loads code where `-f*` does not.
    fn prefixed<'t>(&self, word: &'t str) -> Option<(u32, &'t str)> {
        let names = self.scopes().flat_map(Spec::names);
        let fits = names.filter_map(|n| {
            let prefix = text(n.name).strip_suffix('*')?;
            Some((n.option, word.strip_prefix(prefix)?))
        });
        fits.min_by_key(|(_, rest)| rest.len())
    }

    /// The shortest name of an option.
    fn name_of(&self, id: u32) -> &'static str {
        let names = self.scopes().flat_map(Spec::names).filter(|n| n.option == id).map(|n| text(n.name));
        names.min_by_key(|n| n.len()).unwrap_or("")
    }

    fn has_plus(&self) -> bool {
        self.scopes().any(|s| s.names().iter().any(|n| text(n.name).starts_with('+')))
    }

    fn unlisted(&mut self, word: &Word<'_>) {
        if self.scopes().all(|s| text(s.unlisted).is_empty()) {
            self.call.unknown.push((Doubt::Option(crate::word::shown(&word.text)), word.span));
        }
    }

    /// Reads one option word; gives the index of the next word and what follows if it ends the options.
    fn option(&mut self, word: &'w Word<'w>, args: &'w [Word<'w>], next: usize) -> (usize, Option<Rest>) {
        let t = &*word.text;
        let long = t.starts_with("--");
        let (name, value) = match t.find('=') {
            Some(at) => (&t[..at], Some(&t[at + 1..])),
            None => (t, None),
        };
        if self.style == Style::Long {
            let single = if long { &name[1..] } else { name };
            let id = self.lookup(name).or_else(|| self.lookup(single));
            return match id {
                Some(id) => self.give(id, value, word, args, next),
                None => match self.prefixed(t) {
                    Some((id, value)) => self.give(id, Some(value), word, args, next),
                    None => {
                        self.unlisted(word);
                        (next, None)
                    }
                },
            };
        }
        if long {
            let id = self.lookup(name).or_else(|| if name.len() > 2 { self.abbreviated(name) } else { None });
            return match id {
                Some(id) => self.give(id, value, word, args, next),
                None => match self.prefixed(t) {
                    Some((id, value)) => self.give(id, Some(value), word, args, next),
                    None => {
                        self.unlisted(word);
                        (next, None)
                    }
                },
            };
        }
        // The whole word may be a name (`-ws`), with or without a value behind `=`.
        let digits = t[1..].bytes().all(|b| b.is_ascii_digit());
        if (t.len() > 2 || digits)
            && let Some(id) = self.lookup(name)
        {
            return self.give(id, value, word, args, next);
        }
        if digits && let Some(id) = self.lookup("-#") {
            return self.give(id, None, word, args, next);
        }
        if let Some((id, value)) = self.prefixed(t)
            && !t.starts_with("-#")
        {
            // `-D X`, where `-D` is listed beside `-D*`.
            return match self.lookup(t).filter(|_| value.is_empty()) {
                Some(apart) => self.give(apart, None, word, args, next),
                None => self.give(id, Some(value), word, args, next),
            };
        }
        self.cluster(&t[1..], word, args, next)
    }

    /// `-abc`, `-abVALUE`.
    fn cluster(
        &mut self,
        letters: &'w str,
        word: &'w Word<'w>,
        args: &'w [Word<'w>],
        mut next: usize,
    ) -> (usize, Option<Rest>) {
        for (at, c) in letters.char_indices() {
            let mut buffer = [0_u8; 5];
            buffer[0] = b'-';
            let len = 1 + c.encode_utf8(&mut buffer[1..]).len();
            let name = std::str::from_utf8(&buffer[..len]).unwrap_or("-");
            let Some(id) = self.lookup(name) else {
                if c.is_ascii_digit()
                    && let Some(id) = self.lookup("-#")
                {
                    next = self.give(id, None, word, args, next).0;
                    continue;
                }
                self.unlisted(word);
                return (next, None);
            };
            let rest = &letters[at + c.len_utf8()..];
            let takes = knowledge::option(id).map_or(Takes::Nothing, |o| o.takes);
            match takes {
                Takes::Nothing => {
                    let (n, ends) = self.give(id, None, word, args, next);
                    next = n;
                    if ends.is_some() {
                        return (next, ends);
                    }
                }
                Takes::Value | Takes::Attached => {
                    // `-o=x` is the value `=x` for most programs and `x` for some: both are judged by
                    // their path, and the first reads as the second to none that writes elsewhere.
                    let value = if rest.is_empty() { None } else { Some(rest) };
                    return self.give(id, value, word, args, next);
                }
            }
        }
        (next, None)
    }

    /// `xzf a.tar`: letters without a dash, values in the words that follow.
    fn bundle(&mut self, word: &'w Word<'w>, args: &'w [Word<'w>], mut next: usize) -> usize {
        for c in word.text.chars() {
            let mut buffer = [0_u8; 5];
            buffer[0] = b'-';
            let len = 1 + c.encode_utf8(&mut buffer[1..]).len();
            let name = std::str::from_utf8(&buffer[..len]).unwrap_or("-");
            match self.lookup(name) {
                Some(id) => next = self.give(id, None, word, args, next).0,
                None => {
                    self.unlisted(word);
                    return next;
                }
            }
        }
        next
    }

    fn dd(&mut self, word: &'w Word<'w>) -> bool {
        let Some((key, value)) = word.text.split_once('=') else { return false };
        match self.lookup(key) {
            Some(id) => {
                self.give(id, Some(value), word, &[], 0);
            }
            None => self.unlisted(word),
        }
        true
    }

    fn give_named(
        &mut self,
        name: &str,
        word: &'w Word<'w>,
        args: &'w [Word<'w>],
        next: usize,
    ) -> (usize, Option<Rest>) {
        match self.lookup(name) {
            Some(id) => self.give(id, None, word, args, next),
            None => (next, None),
        }
    }

    /// Takes an option with its values.
    fn give(
        &mut self,
        id: u32,
        attached: Option<&'w str>,
        word: &'w Word<'w>,
        args: &'w [Word<'w>],
        mut next: usize,
    ) -> (usize, Option<Rest>) {
        let Some(option) = knowledge::option(id) else { return (next, None) };
        let roles = knowledge::roles(option.roles);
        let mut values = Vec::new();
        match option.takes {
            Takes::Nothing => {}
            Takes::Attached => {
                if let Some(v) = attached {
                    values.push(Word { text: Cow::Borrowed(v), span: word.span, splits: false });
                }
            }
            Takes::Value if roles.first() == Some(&Role::ProgramUntil) => {
                if let Some(v) = attached {
                    values.push(Word { text: Cow::Borrowed(v), span: word.span, splits: false });
                }
                while let Some(w) = args.get(next) {
                    next += 1;
                    let plus = w.text == "+" && values.last().is_some_and(|v: &Word<'_>| v.text == "{}");
                    if w.text == ";" || plus {
                        break;
                    }
                    values.push(w.clone());
                }
            }
            Takes::Value => {
                if let Some(v) = attached {
                    values.push(Word { text: Cow::Borrowed(v), span: word.span, splits: false });
                }
                while values.len() < roles.len() {
                    let Some(w) = args.get(next) else { break };
                    next += 1;
                    values.push(w.clone());
                }
            }
        }
        let mut ends = None;
        if option.rest {
            ends = Some(Rest::Data);
            if roles.first() == Some(&Role::Sub) {
                let value = values.first();
                let name = value.and_then(Word::exact).map(|v| format!("{} {v}", self.name_of(id)));
                let sub = name.and_then(|n| self.spec.sub(&n));
                match sub {
                    Some(spec) => {
                        if let Some(v) = values.first()
                            && let Some(w) = args.iter().find(|w| w.span == v.span && w.text == v.text)
                        {
                            self.call.subs.push(&w.text);
                        }
                        ends = Some(Rest::Sub(spec));
                    }
                    None => {
                        let doubt = match value {
                            Some(v) if v.is_exact() => Doubt::Sub(v.text.clone().into_owned()),
                            _ => Doubt::DynamicSub,
                        };
                        self.call.unknown.push((doubt, word.span));
                    }
                }
            }
        }
        self.call.options.push(Given { id, option, values, roles, span: word.span });
        (next, ends)
    }

    /// Words of a grammar of its own that are no operands.
    fn special_word(&self, t: &str) -> bool {
        match text(self.spec.special) {
            "find" => matches!(t, "(" | ")" | "!" | ","),
            _ => false,
        }
    }

    /// Conditions, effects, and roles of operands.
    fn conclude(&mut self) {
        let here = self.call.specs.first().map_or_else(Span::default, |_| Span::default());
        let mut pattern = self.spec.operands;
        let mut other = None;
        let specs = self.call.specs.clone();
        for (i, spec) in specs.iter().enumerate() {
            let innermost = i + 1 == specs.len();
            for e in knowledge::effects(spec.effects) {
                self.call.effects.push((e, here));
            }
            for when in spec.whens() {
                let holds = tests(when.tests).iter().fold(Holds::Yes, |all, t| all.and(self.holds(t)));
                if holds == Holds::No {
                    continue;
                }
                for e in knowledge::effects(when.effects) {
                    self.call.effects.push((e, here));
                }
                if when.has_operands && innermost {
                    if holds == Holds::Maybe {
                        other = Some(when.operands);
                    } else {
                        pattern = when.operands;
                    }
                }
                if let Some(role) = when.stdin
                    && (holds == Holds::Yes || matches!(role, Role::Code(_)))
                {
                    self.call.stdin = role;
                }
                for r in restated(when.options) {
                    for given in self.call.options.iter_mut().filter(|g| g.id == r.option) {
                        given.roles = knowledge::roles(r.roles);
                    }
                }
            }
        }
        for given in &self.call.options {
            for e in knowledge::effects(given.option.effects) {
                self.call.effects.push((e, given.span));
            }
        }
        self.assign(pattern, other);
    }

    fn holds(&self, test: &Test) -> Holds {
        let holds = match test.subject {
            Subject::Option(ids) => {
                let ids = option_ids(ids);
                Holds::from(self.call.options.iter().any(|g| ids.contains(&g.id)))
            }
            Subject::DashDash => Holds::from(self.dash_dash),
            Subject::Count(order, n) => {
                // Assignments in front of a command are none of its operands.
                let leading =
                    matches!(slots(self.spec.operands).first(), Some(s) if s.repeat == Repeat::While);
                let skip =
                    if leading { self.plain.iter().take_while(|w| w.text.contains('=')).count() } else { 0 };
                let len = self.plain.len() - skip;
                let sure = !self.plain.iter().any(|w| w.splits);
                let is = match order {
                    Ordering::Equal => len == n as usize,
                    Ordering::Greater => len > n as usize,
                    Ordering::Less => len < n as usize,
                };
                if sure { is.into() } else { Holds::Maybe }
            }
            Subject::Operand(n) => self.on_words(self.plain.get(n as usize).into_iter(), test.like),
            Subject::Last => self.on_words(self.plain.last().into_iter(), test.like),
            Subject::Any => self.on_words(self.plain.iter(), test.like),
            Subject::Value(ids) => {
                let ids = option_ids(ids);
                let values = self.call.options.iter().filter(|g| ids.contains(&g.id)).flat_map(|g| &g.values);
                self.on_words(values, test.like)
            }
        };
        if !test.not {
            return holds;
        }
        match (holds, test.subject) {
            // `!$1=a` is about a word that is there.
            (Holds::No, Subject::Operand(n)) if self.plain.len() <= n as usize => Holds::No,
            (Holds::No, Subject::Last) if self.plain.is_empty() => Holds::No,
            (Holds::No, _) => Holds::Yes,
            (Holds::Maybe, _) => Holds::Maybe,
            (Holds::Yes, _) => Holds::No,
        }
    }

    fn on_words<'x>(&self, list: impl Iterator<Item = &'x Word<'x>>, like: Like) -> Holds {
        let mut best = Holds::No;
        for w in list {
            let h = match like {
                Like::Present => Holds::Yes,
                Like::Word(run) if w.is_exact() => words(run).any(|x| x == w.text).into(),
                Like::Glob(run) if w.is_exact() => words(run).any(|g| glob(g, &w.text)).into(),
                Like::Word(run) => {
                    if words(run).any(|x| could_become(&w.text, x)) {
                        Holds::Maybe
                    } else {
                        Holds::No
                    }
                }
                Like::Glob(run) => words(run).map(|g| partly(g, &w.text)).fold(Holds::No, Holds::or),
                Like::Path => looks_like_path(&w.text).into(),
            };
            if h == Holds::Yes {
                return Holds::Yes;
            }
            if h == Holds::Maybe {
                best = Holds::Maybe;
            }
        }
        best
    }

    /// Gives the operands their roles.
    fn assign(&mut self, pattern: Run, other: Option<Run>) {
        let plain = std::mem::take(&mut self.plain);
        let slots_of = slots(pattern);
        let command_slot =
            slots_of.iter().position(|s| matches!(s.role, Role::ProgramRest | Role::ProgramStdin));
        let (before, command) = match command_slot {
            None => (plain, None),
            Some(at) => {
                let fixed = slots_of.get(..at).unwrap_or(&[]);
                // Words in front of the command: as many as the pattern takes, assignments while they last.
                let mut take = 0;
                for slot in fixed {
                    match slot.repeat {
                        Repeat::While => {
                            while plain
                                .get(take)
                                .is_some_and(|w| w.text.contains('=') && !w.text.starts_with('='))
                            {
                                take += 1;
                            }
                        }
                        _ => take += 1,
                    }
                }
                let mut plain = plain;
                let rest = if take < plain.len() { plain.split_off(take) } else { Vec::new() };
                let more = slots_of.get(at).is_some_and(|s| s.role == Role::ProgramStdin);
                (plain, Some((rest, more)))
            }
        };
        let fixed = slots_of.get(..command_slot.unwrap_or(slots_of.len())).unwrap_or(&[]);
        let roles = distribute(fixed, &before);
        let others = other.map(|o| distribute(slots(o), &before));
        let mut assignments = Vec::new();
        for (i, word) in before.into_iter().enumerate() {
            let other = others.as_ref().and_then(|o| o.get(i).copied().flatten()).map(|o| o.0);
            let place = roles.get(i).copied().flatten();
            match place.or(other.map(|o| (o, false))) {
                Some((role, many)) => {
                    if role == Role::Assign {
                        assignments.push(word.clone());
                    }
                    self.call.operands.push(Operand { word, role, other, many });
                }
                None => {
                    if self.scopes().all(|s| text(s.special) != "loose") {
                        self.call.unknown.push((Doubt::Operand(crate::word::shown(&word.text)), word.span));
                    }
                    self.call.operands.push(Operand { word, role: Role::Text, other, many: false });
                }
            }
        }
        if let Some((words, more)) = command {
            self.call.command = Some(Command { assignments, words, more });
        }
    }
}

enum Rest {
    /// The remaining words are data.
    Data,
    /// The remaining words belong to a sub-command.
    Sub(&'static Spec),
}

/// Whether a word known in part could be this text.
fn could_become(t: &str, text: &str) -> bool {
    let pattern: String = t.chars().map(|c| if c == UNKNOWN || c == SOME { '*' } else { c }).collect();
    glob(&pattern, text)
}

/// Whether a word known in part fits a glob: surely if the glob leaves what is not known open, surely not
/// if what is known is against it.
fn partly(pattern: &str, t: &str) -> Holds {
    let head = t.split([UNKNOWN, SOME]).next().unwrap_or("");
    let fixed = pattern.split(['*', '?']).next().unwrap_or("");
    if fixed.len() < pattern.len() && head.starts_with(fixed) && pattern.get(fixed.len()..) == Some("*") {
        return Holds::Yes;
    }
    let tail = t.rsplit([UNKNOWN, SOME]).next().unwrap_or("");
    let fits = |(p, known): (u8, u8)| p == b'?' || p == known;
    let begins = pattern.bytes().take_while(|&p| p != b'*').zip(head.bytes()).all(fits);
    let ends = pattern.bytes().rev().take_while(|&p| p != b'*').zip(tail.bytes().rev()).all(fits);
    if begins && ends { Holds::Maybe } else { Holds::No }
}

impl Holds {
    fn or(self, other: Holds) -> Holds {
        match (self, other) {
            (Holds::Yes, _) | (_, Holds::Yes) => Holds::Yes,
            (Holds::No, Holds::No) => Holds::No,
            _ => Holds::Maybe,
        }
    }

    fn and(self, other: Holds) -> Holds {
        match (self, other) {
            (Holds::No, _) | (_, Holds::No) => Holds::No,
            (Holds::Yes, Holds::Yes) => Holds::Yes,
            _ => Holds::Maybe,
        }
    }
}

/// Which slot each word falls into; `None` where there is none left.
fn distribute(slots: &[Slot], words: &[Word<'_>]) -> Vec<Option<(Role, bool)>> {
    let n = words.len();
    let mut roles = vec![None; n];
    let many = slots.iter().position(|s| s.repeat == Repeat::Many);
    let front = slots.get(..many.unwrap_or(slots.len())).unwrap_or(&[]);
    let back = many.and_then(|m| slots.get(m + 1..)).unwrap_or(&[]);
    let mut i = 0;
    for (k, slot) in front.iter().enumerate() {
        // Places that must be filled come before those that may be.
        let needed =
            front.get(k + 1..).unwrap_or(&[]).iter().chain(back).filter(|s| s.repeat == Repeat::One).count();
        match slot.repeat {
            Repeat::While => {
                while i < n && words[i].text.contains('=') {
                    roles[i] = Some((slot.role, false));
                    i += 1;
                }
            }
            Repeat::Maybe if n - i <= needed => {}
            _ => {
                if i < n {
                    roles[i] = Some((slot.role, false));
                    i += 1;
                }
            }
        }
    }
    if let Some(m) = many {
        let tail = back.len().min(n - i);
        let end = n - tail;
        let role = slots.get(m).map(|s| (s.role, true));
        while i < end {
            roles[i] = role;
            i += 1;
        }
        for slot in back.get(back.len() - tail..).unwrap_or(&[]) {
            roles[i] = Some((slot.role, false));
            i += 1;
        }
    }
    roles
}

/// Whether an unknown word may begin with a dash. What a glob gives seldom does, and a file that is named
/// like an option is looked for where files are seen.
fn word_may_be_option(t: &str) -> bool {
    t.starts_with(UNKNOWN)
}

/// Whether a word looks like a path and not like the name of a branch or a target.
#[must_use]
pub fn looks_like_path(t: &str) -> bool {
    if t == "." || t == ".." || t.starts_with("./") || t.starts_with("../") || t.starts_with('/') {
        return true;
    }
    if t.starts_with(['~', ':']) || t.ends_with('/') || t.contains(['*', '?', '[', SOME, UNKNOWN]) {
        return true;
    }
    let name = t.rsplit('/').next().unwrap_or(t);
    // `lib.rs` and `.gitignore` are files; `v1.2` and `release-1.0` are names.
    match name.rsplit_once('.') {
        Some((_, ext)) => {
            (1..=10).contains(&ext.len())
                && ext.bytes().all(|b| b.is_ascii_alphanumeric())
                && ext.bytes().any(|b| b.is_ascii_alphabetic())
        }
        None => matches!(
            name,
            "Makefile" | "Dockerfile" | "LICENSE" | "README" | "Justfile" | "Gemfile" | "Rakefile"
        ),
    }
}

/// Matches `*` and `?` against a whole text; `*` matches anything.
#[must_use]
pub fn glob(pattern: &str, t: &str) -> bool {
    let (p, t): (&[u8], &[u8]) = (pattern.as_bytes(), t.as_bytes());
    let (mut i, mut j) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while j < t.len() {
        match p.get(i) {
            Some(b'*') => {
                star = Some((i, j));
                i += 1;
            }
            Some(&c) if c == b'?' || Some(&c) == t.get(j) => {
                i += 1;
                j += 1;
            }
            _ => match star {
                Some((s, at)) => {
                    i = s + 1;
                    j = at + 1;
                    star = Some((s, at + 1));
                }
                None => return false,
            },
        }
    }
    p.get(i..).is_some_and(|rest| rest.iter().all(|&c| c == b'*'))
}
