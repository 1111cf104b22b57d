//! Lists, pipelines and compound commands.

use super::state::{State, Variable};
use super::{Analyst, Constructs, Data};
use crate::effect::Kind;
use crate::facts::{self, Meaning};
use crate::word::{SOME, UNKNOWN, Word};
use toolgate_bash::ast::{
    Arithmetic, Command, Compound, CompoundCommand, Condition, Connector, Descriptor, Expression, Item, List,
    ParameterOp, Part, PartKind, Pipeline, Redirection, RedirectionOp, Script, SimpleCommand, Span,
    Subscript, SubscriptKind, Target, Terminator, Value, Word as Source,
};
use toolgate_bash::eval;

/// How many commands may stand inside each other, in all code together.
const LEVELS: u32 = 200;

/// Where standard output goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stdout {
    /// On, to the next command or to the caller.
    On,
    /// Into a file, or away.
    Away,
}

impl Analyst<'_> {
    pub(super) fn script(&mut self, script: &Script, state: &mut State, input: &Data) -> Data {
        self.list(&script.body, state, script, input)
    }

    pub(super) fn list(&mut self, list: &List, state: &mut State, script: &Script, input: &Data) -> Data {
        let mut out: Option<Data> = None;
        for item in &list.items {
            let data = self.item(item, state, script, input);
            out = Some(match out {
                None => data,
                Some(before) => follow(before, data),
            });
        }
        out.unwrap_or(Data::Text(String::new()))
    }

    fn item(&mut self, item: &Item, state: &mut State, script: &Script, input: &Data) -> Data {
        if item.end == Terminator::Background {
            self.out.constructs.add(Constructs::BACKGROUND);
            let mut inner = state.clone();
            self.joined(item, &mut inner, script, input);
            return Data::Unknown;
        }
        self.joined(item, state, script, input)
    }

    fn joined(&mut self, item: &Item, state: &mut State, script: &Script, input: &Data) -> Data {
        if item.rest.is_empty() {
            let before = state.dirs.clone();
            state.may_stay = false;
            let data = self.pipeline(&item.first, state, script, input);
            state.stay(before);
            return data;
        }
        let before = state.clone();
        state.may_stay = false;
        let mut out = self.pipeline(&item.first, state, script, input);
        // The state with everything so far having gone well, and the state if something did not.
        let mut failed: Option<State> = None;
        let mut leaves = false;
        for (connector, pipeline) in &item.rest {
            match connector {
                Connector::And => {
                    let skipped = state.clone();
                    out = follow(out, self.pipeline(pipeline, state, script, input));
                    match &mut failed {
                        Some(f) => f.merge(&skipped),
                        None => failed = Some(skipped),
                    }
                }
                Connector::Or => {
                    let mut other = failed.take().unwrap_or_else(|| before.clone());
                    other.merge(state);
                    other.merge(&before);
                    out = follow(out, self.pipeline(pipeline, &mut other, script, input));
                    if leaves_shell(pipeline) {
                        leaves = true;
                    } else {
                        state.merge(&other);
                        leaves = false;
                    }
                }
            }
        }
        if let Some(f) = failed
            && !leaves
        {
            state.merge(&f);
        }
        if !leaves {
            state.stay(before.dirs);
        }
        out
    }

    fn pipeline(&mut self, pipeline: &Pipeline, state: &mut State, script: &Script, input: &Data) -> Data {
        match pipeline.stages.as_slice() {
            [] => Data::Text(String::new()),
            [one] => self.command(&one.command, state, script, input),
            stages => {
                self.out.constructs.add(Constructs::PIPE);
                let mut data = input.clone();
                for stage in stages {
                    let mut inner = state.clone();
                    data = self.command(&stage.command, &mut inner, script, &data);
                    for (name, defined) in inner.functions.uncalled() {
                        if !state.functions.has(&name) {
                            self.function(&name, &defined, &mut inner.clone(), &Data::Unknown);
                        }
                    }
                }
                data
            }
        }
    }

    /// Runs commands in a subshell.
    pub(super) fn subshell(&mut self, list: &List, state: &State, script: &Script, input: &Data) -> Data {
        let mut inner = state.clone();
        let handlers = self.handlers.len();
        let out = self.list(list, &mut inner, script, input);
        self.handlers_from(handlers, &inner);
        out
    }

    fn command(&mut self, command: &Command, state: &mut State, script: &Script, input: &Data) -> Data {
        if !self.step(command.span()) {
            return Data::Unknown;
        }
        // The tree is no deeper than the parser allows, but code in code adds up, and so do functions.
        if self.levels >= LEVELS {
            self.unknown("commands are nested too deeply to follow", command.span());
            return Data::Unknown;
        }
        self.levels += 1;
        let out = self.command_here(command, state, script, input);
        self.levels -= 1;
        out
    }

    fn command_here(&mut self, command: &Command, state: &mut State, script: &Script, input: &Data) -> Data {
        match command {
            Command::Simple(simple) => self.simple(simple, state, script, input),
            Command::Compound(compound) => self.compound(compound, state, script, input),
            Command::Function(function) => {
                self.define(function, state, script);
                Data::Text(String::new())
            }
            Command::Coproc(coproc) => {
                let mut inner = state.clone();
                self.command(&coproc.command, &mut inner, script, &Data::Unknown);
                Data::Unknown
            }
        }
    }

    pub(super) fn compound(
        &mut self,
        compound: &CompoundCommand,
        state: &mut State,
        script: &Script,
        input: &Data,
    ) -> Data {
        let (given, stdout) = self.redirections(&compound.redirections, state, script, input);
        let input = &given;
        let out = match &compound.kind {
            Compound::Group(list) => self.list(list, state, script, input),
            Compound::Subshell(list) => self.subshell(list, state, script, input),
            Compound::If { branches, otherwise } => {
                let mut ends: Vec<State> = Vec::new();
                for (condition, body) in branches {
                    self.list(condition, state, script, input);
                    let mut inner = state.clone();
                    self.list(body, &mut inner, script, input);
                    ends.push(inner);
                }
                if let Some(list) = otherwise {
                    self.list(list, state, script, input);
                }
                for e in &ends {
                    state.merge(e);
                }
                Data::Unknown
            }
            Compound::While { condition, body } | Compound::Until { condition, body } => {
                self.repeat(state, |a, s| {
                    a.list(condition, s, script, input);
                    a.list(body, s, script, input);
                });
                Data::Unknown
            }
            Compound::For { variable, words, body } => {
                let values = match words {
                    Some(words) => {
                        let mut out = Vec::new();
                        for w in words {
                            self.expand(w, state, script, &mut out);
                        }
                        out
                    }
                    None => self.all_positional(state, compound.span),
                };
                self.each(&variable.to_str_lossy(), &values, body, state, script, input)
            }
            Compound::Select { variable, words, body } => {
                let mut out = Vec::new();
                for w in words.iter().flatten() {
                    self.expand(w, state, script, &mut out);
                }
                state.set_unknown("REPLY");
                self.each(
                    &variable.to_str_lossy(),
                    &[Word::unknown(compound.span)],
                    body,
                    state,
                    script,
                    input,
                );
                Data::Unknown
            }
            Compound::ArithmeticFor { init, condition, update, body } => {
                self.arithmetic(init, state, script);
                self.repeat(state, |a, s| {
                    a.arithmetic(condition, s, script);
                    a.list(body, s, script, input);
                    a.arithmetic(update, s, script);
                });
                Data::Unknown
            }
            Compound::Case { word, arms } => {
                self.one(word, state, script);
                let before = state.clone();
                let mut through: Option<State> = None;
                for arm in arms {
                    for p in &arm.patterns {
                        self.one(p, state, script);
                    }
                    let mut inner = before.clone();
                    if let Some(t) = &through {
                        inner.merge(t);
                    }
                    self.list(&arm.body, &mut inner, script, input);
                    state.merge(&inner);
                    through = Some(inner);
                }
                Data::Unknown
            }
            Compound::Condition(condition) => {
                self.condition(condition, state, script);
                Data::Text(String::new())
            }
            Compound::Arithmetic(arithmetic) => {
                self.arithmetic(arithmetic, state, script);
                Data::Text(String::new())
            }
        };
        if stdout == Stdout::Away { Data::Text(String::new()) } else { out }
    }

    /// A variable that gets its value without an assignment. What is exported already stays exported, so a loop
    /// over `PATH` changes what runs as an assignment does.
    pub(super) fn given(&mut self, name: &str, value: &str, span: Span, state: &mut State) {
        if facts::variable(name).is_some_and(|meaning| meaning != Meaning::Harmless) {
            self.environment(name, value, span, state);
        }
        state.set(name, Variable::Scalar(value.to_owned()));
    }

    /// A variable that holds a number after this.
    fn given_fact(&mut self, target: &Expression, span: Span, state: &mut State) {
        if let Expression::Variable { name, .. } = target {
            self.given(&name.to_str_lossy(), &SOME.to_string(), span, state);
        }
    }

    /// A loop over words.
    fn each(
        &mut self,
        variable: &str,
        values: &[Word<'static>],
        body: &List,
        state: &mut State,
        script: &Script,
        input: &Data,
    ) -> Data {
        const FOLLOWED: usize = 12;
        let span = values.first().map(|v| v.span).unwrap_or_default();
        let before = state.clone();
        let mut out = Data::Text(String::new());
        if values.len() <= FOLLOWED {
            for v in values {
                if v.is_exact() && !v.splits {
                    self.given(variable, &v.text, v.span, state);
                    out = follow(out, self.list(body, state, script, input));
                    continue;
                }
                // It stands for any number of words: what the body changes holds when it comes round again.
                let mut data = Data::Unknown;
                self.repeat(state, |a, s| {
                    a.given(variable, &v.text, v.span, s);
                    data = a.list(body, s, script, input);
                });
                out = follow(out, data);
            }
            state.merge(&before);
            return out;
        }
        let known = values.iter().all(|v| !v.text.contains(UNKNOWN));
        // Too many to follow one by one: the first, then one that stands for all.
        for (i, v) in values.iter().enumerate() {
            if i < 4 || v.text.starts_with('/') && i < 64 {
                self.given(variable, &v.text, v.span, state);
                self.list(body, state, script, input);
            }
        }
        let rest = if known
            && values.iter().all(|v| !v.text.starts_with(['/', '-', '~']) && !v.text.contains(".."))
        {
            SOME
        } else {
            UNKNOWN
        };
        self.repeat(state, |a, s| {
            a.given(variable, &rest.to_string(), span, s);
            a.list(body, s, script, input);
        });
        state.merge(&before);
        Data::Unknown
    }

    /// A loop: its body comes round in every state that it leaves behind.
    fn repeat(&mut self, state: &mut State, mut body: impl FnMut(&mut Self, &mut State)) {
        // What the body changes is merged into what was before until nothing new comes out.
        const ROUNDS: usize = 5;
        for _ in 0..ROUNDS {
            let before = state.clone();
            body(self, state);
            if state.same_values(&before) {
                return;
            }
            state.merge(&before);
            if state.same_values(&before) {
                return;
            }
        }
        state.forget();
        let before = state.clone();
        body(self, state);
        state.merge(&before);
    }

    fn simple(&mut self, simple: &SimpleCommand, state: &mut State, script: &Script, input: &Data) -> Data {
        let mut words = Vec::with_capacity(simple.words.len());
        let outer = self.secret.take();
        let declaration = declaration(&simple.words);
        for (at, w) in simple.words.iter().enumerate() {
            match declaration {
                Some(sure) if at > 0 => self.declared(w, sure, state, script, &mut words),
                _ => self.expand(w, state, script, &mut words),
            }
        }
        let prints = |list: &[&str]| words.first().is_some_and(|w| list.contains(&&*w.text));
        if !prints(&["echo", "printf", "print", "yes", "cat", "tee", "bat"]) {
            self.secret = None;
        }
        // Nothing comes out of these: what they are redirected to is emptied.
        self.empties = match words.as_slice() {
            [] => simple.assignments.is_empty(),
            [one, ..] if matches!(&*one.text, ":" | "true") => true,
            [one, two] => {
                matches!(&*one.text, "cat" | "echo" | "printf")
                    && matches!(&*two.text, "/dev/null" | "-n" | "")
            }
            _ => false,
        };
        let (given, stdout) = self.redirections(&simple.redirections, state, script, input);
        self.empties = false;
        let secret = std::mem::replace(&mut self.secret, outer);
        if let Some(name) =
            secret.filter(|_| prints(&["echo", "printf", "print", "yes", "cat", "tee", "bat"]))
        {
            self.push(
                Kind::Secret,
                Some(&name),
                simple.span,
                "the value of a variable with a secret's name is printed",
            );
        }
        let input = &given;
        let out = if words.is_empty() {
            for a in &simple.assignments {
                let value = self.assigned(&a.value, state, script);
                self.assign_to(a, value, state, script);
            }
            // `$(< file)`
            match input {
                Data::Inherit => Data::Text(String::new()),
                _ if simple.words.is_empty() && simple.assignments.is_empty() => Data::Unknown,
                _ => Data::Text(String::new()),
            }
        } else if simple.assignments.is_empty() {
            self.dispatch(words, state, input)
        } else {
            // Assignments in front of a command last as long as it does.
            let mut inner = state.clone();
            for a in &simple.assignments {
                let value = self.assigned(&a.value, state, script);
                self.assign_before(a, &value, &words, &mut inner);
            }
            let declares = words.first().is_some_and(|w| {
                matches!(
                    &*w.text,
                    "export"
                        | "declare"
                        | "typeset"
                        | "readonly"
                        | "local"
                        | "eval"
                        | "."
                        | "source"
                        | "cd"
                        | "pushd"
                )
            });
            let out = self.dispatch(words, &mut inner, input);
            if declares {
                *state = inner;
            }
            out
        };
        if stdout == Stdout::Away { Data::Text(String::new()) } else { out }
    }

    /// The value of an assignment: a text, or the elements of an array.
    pub(super) fn assigned(&mut self, value: &Value, state: &mut State, script: &Script) -> Variable {
        match value {
            Value::Scalar(word) => Variable::Scalar(self.one(word, state, script)),
            Value::Array(elements) => {
                let mut out = Vec::new();
                let mut plain = true;
                for e in elements {
                    if let Some(s) = &e.subscript {
                        self.subscript(s, state, script);
                        plain = false;
                        let v = self.one(&e.value, state, script);
                        out.push(Word::new(v, e.span));
                    } else {
                        self.expand(&e.value, state, script, &mut out);
                    }
                }
                if plain && out.iter().all(|w| !w.splits) {
                    Variable::Array(out.into_iter().map(|w| w.text.into_owned()).collect())
                } else {
                    Variable::Array(vec![UNKNOWN.to_string()])
                }
            }
        }
    }

    /// Redirections: what standard input is after them, and whether standard output leaves.
    fn redirections(
        &mut self,
        list: &[Redirection],
        state: &mut State,
        script: &Script,
        input: &Data,
    ) -> (Data, Stdout) {
        let mut data = input.clone();
        let mut stdout = Stdout::On;
        for r in list {
            let fd = match &r.fd {
                Some(Descriptor::Number(n)) => Some(*n),
                Some(Descriptor::Variable(name)) => {
                    state.set_unknown(&name.to_str_lossy());
                    Some(10)
                }
                None => None,
            };
            let reads_stdin = fd.unwrap_or(0) == 0;
            let word = match &r.target {
                Target::HereDoc(id) => {
                    let Some(doc) = script.here_doc(*id) else { continue };
                    self.out.constructs.add(Constructs::HERE_DOC);
                    let text = self.one(&doc.body, state, script);
                    if !doc.terminated {
                        self.unknown("here-document without an end", r.span);
                    }
                    if reads_stdin {
                        data = Data::Text(text);
                    }
                    continue;
                }
                Target::Word(word) => word,
            };
            if r.op == RedirectionOp::HereString {
                self.out.constructs.add(Constructs::HERE_STRING);
                let mut text = self.one(word, state, script);
                text.push('\n');
                if reads_stdin {
                    data = Data::Text(text);
                }
                continue;
            }
            let target = self.one_path(word, state, script);
            let duplicate = matches!(r.op, RedirectionOp::DuplicateInput | RedirectionOp::DuplicateOutput);
            if duplicate {
                let bare = target.trim_end_matches('-');
                if bare.bytes().all(|b| b.is_ascii_digit()) {
                    if r.op == RedirectionOp::DuplicateInput && reads_stdin {
                        data = Data::Unknown;
                    }
                    if r.op == RedirectionOp::DuplicateOutput && fd.unwrap_or(1) == 1 {
                        // `>&2`: it leaves; `1>&3` may come back, so nothing is known.
                        stdout = Stdout::Away;
                    }
                    continue;
                }
                if target.starts_with(UNKNOWN) {
                    // A number in a variable, most likely; else a file.
                    if r.op == RedirectionOp::DuplicateInput {
                        data = Data::Unknown;
                        continue;
                    }
                }
            }
            let dirs = state.dirs.clone();
            let reads = matches!(
                r.op,
                RedirectionOp::Read | RedirectionOp::DuplicateInput | RedirectionOp::ReadWrite
            );
            let writes = !matches!(r.op, RedirectionOp::Read | RedirectionOp::DuplicateInput);
            if reads {
                self.path(Kind::Read, &target, r.span, &dirs, state, "redirected from");
                if reads_stdin {
                    data = match state.processes.iter().rev().find(|p| p.0 == target) {
                        Some(p) => p.1.clone(),
                        None if target == "/dev/null" => Data::Text(String::new()),
                        None if matches!(&*target, "/dev/stdin" | "/dev/fd/0") => data,
                        None => Data::File(target.clone()),
                    };
                }
            }
            if writes {
                self.out.constructs.add(Constructs::OUTPUT);
                let empties = self.empties && matches!(r.op, RedirectionOp::Write | RedirectionOp::Clobber);
                if empties && matches!(fd, None | Some(1)) && target != "/dev/null" {
                    self.path(Kind::Delete, &target, r.span, &dirs, state, "it is emptied");
                }
                self.path(Kind::Write, &target, r.span, &dirs, state, "redirected to");
                if matches!(fd, None | Some(1)) && r.op != RedirectionOp::ReadWrite {
                    stdout = Stdout::Away;
                }
            }
        }
        (data, stdout)
    }

    fn condition(&mut self, condition: &Condition, state: &mut State, script: &Script) {
        match condition {
            Condition::Word(word) => {
                self.one(word, state, script);
            }
            Condition::Unary { op, operand } => {
                let text = self.one(operand, state, script);
                if &**op == b"-v" || &**op == b"-R" {
                    self.evaluated(&text, operand.span, state);
                }
            }
            Condition::Binary { op, left, right } => {
                let l = self.one(left, state, script);
                let r = self.one(right, state, script);
                if op.is_arithmetic() {
                    self.evaluated(&l, left.span, state);
                    self.evaluated(&r, right.span, state);
                }
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner, state, script),
            Condition::And(list) | Condition::Or(list) => {
                for c in list {
                    self.condition(c, state, script);
                }
            }
        }
    }

    pub(super) fn subscript(&mut self, subscript: &Subscript, state: &mut State, script: &Script) {
        if let SubscriptKind::Index(arithmetic) = &subscript.kind {
            self.arithmetic(arithmetic, state, script);
        }
    }

    /// Arithmetic: the commands in its text, and what evaluating its variables runs.
    pub(super) fn arithmetic(&mut self, arithmetic: &Arithmetic, state: &mut State, script: &Script) {
        let mut text = String::new();
        for part in &arithmetic.parts {
            self.arithmetic_part(part, state, script, &mut text);
        }
        match &arithmetic.expression {
            Some(e) => self.expression(e, arithmetic, state),
            None => self.evaluated(&text, arithmetic.span, state),
        }
    }

    fn arithmetic_part(&mut self, part: &Part, state: &mut State, script: &Script, text: &mut String) {
        let before = text.len();
        self.part_text(part, state, script, text);
        let is_expansion = !matches!(part.kind, PartKind::Literal(_) | PartKind::Escaped(_));
        if is_expansion && let Some(value) = text.get(before..).map(str::to_owned) {
            // What an expansion gives is evaluated as part of the expression.
            let from_outside = match &part.kind {
                PartKind::Parameter(p) => {
                    matches!(p.op, ParameterOp::Plain | ParameterOp::Length)
                        && value.starts_with(UNKNOWN)
                        && !self.set_here(p, state)
                }
                _ => false,
            };
            if !from_outside {
                self.evaluated(&value, part.span, state);
            }
        }
    }

    fn expression(&mut self, e: &Expression, whole: &Arithmetic, state: &mut State) {
        match e {
            Expression::Number(_) | Expression::Part(_) => {}
            Expression::Variable { name, subscript } => {
                let name = name.to_str_lossy();
                if let Some(Variable::Scalar(value)) = state.variable(&name) {
                    let value = value.clone();
                    self.evaluated(&value, whole.span, state);
                }
                if let Some(s) = subscript {
                    self.expression(s, whole, state);
                }
            }
            Expression::Unary { operand, .. } => self.expression(operand, whole, state),
            Expression::Update { target, .. } => {
                self.expression(target, whole, state);
                self.given_fact(target, whole.span, state);
            }
            Expression::Chain { first, rest } => {
                self.expression(first, whole, state);
                for (_, e) in rest {
                    self.expression(e, whole, state);
                }
            }
            Expression::Power { base, exponent } => {
                self.expression(base, whole, state);
                self.expression(exponent, whole, state);
            }
            Expression::Assign { target, value, .. } => {
                self.expression(value, whole, state);
                if let Expression::Variable { subscript: Some(s), .. } = &**target {
                    self.expression(s, whole, state);
                }
                // The value may be quoted text that is evaluated when the variable is.
                if let Expression::Part(_) = &**value {
                    if let Expression::Variable { name, .. } = &**target {
                        self.given(&name.to_str_lossy(), &UNKNOWN.to_string(), whole.span, state);
                    }
                } else {
                    self.given_fact(target, whole.span, state);
                }
            }
            Expression::Choice { condition, yes, no } => {
                self.expression(condition, whole, state);
                self.expression(yes, whole, state);
                self.expression(no, whole, state);
            }
            Expression::Group(inner) => self.expression(inner, whole, state),
        }
    }
}

/// The output of two commands in turn.
/// Whether these are the words of `declare` or its kin, of which the arguments that look like assignments are not
/// split; and whether every bash takes them so, which it may not behind `command`.
fn declaration(words: &[Source]) -> Option<bool> {
    let wraps = |word: &&Source| {
        let name = word.as_literal().map(|literal| &*literal.text);
        matches!(name, Some(b"command" | b"builtin" | b"--" | b"-p"))
    };
    let wrappers = words.iter().take_while(wraps).count();
    words.get(wrappers).is_some_and(eval::is_declaration).then_some(wrappers == 0)
}

fn follow(a: Data, b: Data) -> Data {
    match (a, b) {
        (Data::Text(a), Data::Text(b)) => Data::Text(a + &b),
        (Data::Text(a), other) if a.is_empty() => other,
        (other, Data::Text(b)) if b.is_empty() => other,
        (Data::Names(mut a), Data::Names(b)) => {
            a.extend(b);
            Data::Names(a)
        }
        _ => Data::Unknown,
    }
}

/// Whether a pipeline ends the shell, the function or the round of a loop.
fn leaves_shell(pipeline: &Pipeline) -> bool {
    let [stage] = pipeline.stages.as_slice() else { return false };
    match &stage.command {
        Command::Simple(s) => leaves_by(s),
        Command::Compound(c) => match &c.kind {
            Compound::Group(list) => {
                list.items.last().is_some_and(|i| i.rest.is_empty() && leaves_shell(&i.first))
            }
            _ => false,
        },
        _ => false,
    }
}

fn leaves_by(simple: &SimpleCommand) -> bool {
    let word = simple.words.first().and_then(toolgate_bash::ast::Word::as_literal);
    word.is_some_and(|l| matches!(&*l.text, b"exit" | b"return" | b"break" | b"continue"))
}
