//! Finds out what a piece of script may change, without following it.
//!
//! Loops need this before they are visited: what any pass changes is not known in all of them.

use super::env::{Env, Shadow, State};
use super::flow::Flow;
use super::footprint::footprint;
use super::pattern::Steps;
use super::shape::mentions_list;
use super::value::{Class, Count, Field, Hole, Piece, Value, Why};
use super::word::plain;
use crate::Text;
use crate::ast::{
    Arithmetic, Assignment, Command, Compound, CompoundCommand, Condition, Descriptor, Expression, Function,
    Item, List, Operand, Parameter, ParameterName, ParameterOp, Part, PartKind, Redirection, Script,
    SimpleCommand, Span, Subscript, SubscriptKind, SubstitutionStyle, Target, Terminator, Value as Assigned,
    Word,
};
use std::collections::{HashMap, HashSet};

/// What a piece of script may change.
#[derive(Debug, Default)]
pub(super) struct Modified {
    /// Anything.
    pub(super) lost: bool,
    /// Any variable.
    pub(super) all_variables: bool,
    /// These variables; to integers only, or to anything.
    pub(super) names: HashMap<Text, Class>,
    pub(super) positional: bool,
    pub(super) modes: bool,
    pub(super) functions: HashSet<Text>,
    /// It may not run to its end.
    pub(super) jumps: bool,
}

/// What is scanned.
#[derive(Clone, Copy)]
pub(super) enum Root<'a> {
    List(&'a List),
    Arithmetic(&'a Arithmetic),
    /// An assignment for one command, of which only the value matters.
    Temporary(&'a Assignment),
}

impl<'s> Flow<'s, '_> {
    /// What these may change if they run now.
    pub(super) fn modified(&mut self, roots: &[Root<'_>]) -> Modified {
        let mut steps = std::mem::replace(&mut self.steps, Steps(0));
        let modified = scan(self.script, self.env, &self.functions, roots, &mut steps);
        self.steps = steps;
        modified
    }

    /// What a text may change if it runs as a script at any time; `None` if it is not understood.
    pub(super) fn modified_by_text(&mut self, text: &[u8]) -> Option<Modified> {
        let options = crate::Options { shell: self.env.shell(), max_depth: 12, ..crate::Options::default() };
        let script = crate::parse(text, &options).ok()?;
        let mut steps = std::mem::replace(&mut self.steps, Steps(0));
        let mut functions: Vec<&Function> = self.functions.clone();
        // Functions that will be defined by the time it runs.
        let mut later = Vec::new();
        if let Some(script) = self.script {
            collect(&script.body, &mut later);
        }
        let shadows: Vec<(Text, u32)> = later
            .iter()
            .map(|function| {
                functions.push(function);
                (function.name.clone(), u32::try_from(functions.len().saturating_sub(1)).unwrap_or(u32::MAX))
            })
            .collect();
        let mut scan = Scan::new(Some(&script), self.env, &functions, &mut steps);
        scan.anytime = true;
        scan.later = shadows;
        scan.list(&script.body);
        let modified = scan.finish();
        self.steps = steps;
        Some(modified)
    }
}

fn scan(
    script: Option<&Script>,
    env: &Env,
    functions: &[&Function],
    roots: &[Root<'_>],
    steps: &mut Steps,
) -> Modified {
    let mut scan = Scan::new(script, env, functions, steps);
    for root in roots {
        match root {
            Root::List(list) => scan.list(list),
            Root::Arithmetic(arithmetic) => scan.arithmetic(arithmetic),
            Root::Temporary(assignment) => scan.assignment(assignment, true),
        }
    }
    scan.finish()
}

/// Function definitions in a list, where they are not inside words.
fn collect<'s>(list: &'s List, out: &mut Vec<&'s Function>) {
    for item in &list.items {
        for pipeline in item.pipelines() {
            for stage in &pipeline.stages {
                collect_command(&stage.command, out);
            }
        }
    }
}

fn collect_command<'s>(command: &'s Command, out: &mut Vec<&'s Function>) {
    let compound = match command {
        Command::Simple(_) => return,
        Command::Function(function) => {
            out.push(function);
            &function.body
        }
        Command::Compound(compound) => compound,
        Command::Coproc(coproc) => return collect_command(&coproc.command, out),
    };
    match &compound.kind {
        Compound::Group(list) | Compound::Subshell(list) => collect(list, out),
        Compound::If { branches, otherwise } => {
            for (condition, body) in branches {
                collect(condition, out);
                collect(body, out);
            }
            if let Some(body) = otherwise {
                collect(body, out);
            }
        }
        Compound::While { condition, body } | Compound::Until { condition, body } => {
            collect(condition, out);
            collect(body, out);
        }
        Compound::For { body, .. } | Compound::ArithmeticFor { body, .. } | Compound::Select { body, .. } => {
            collect(body, out);
        }
        Compound::Case { arms, .. } => arms.iter().for_each(|arm| collect(&arm.body, out)),
        Compound::Condition(_) | Compound::Arithmetic(_) => {}
    }
}

struct Scan<'a, 'f> {
    script: Option<&'a Script>,
    env: &'a Env,
    functions: &'a [&'f Function],
    later: Vec<(Text, u32)>,
    steps: &'a mut Steps,
    visited: HashSet<u32>,
    /// Variables whose values name commands; they must not be among those that change.
    assumed: Vec<Text>,
    /// Variables that are taken to be numbers; nothing else must be assigned to them.
    numbers: Vec<Text>,
    /// The state in which it runs is not this one.
    anytime: bool,
    calls: u32,
    out: Modified,
}

impl<'a, 'f> Scan<'a, 'f> {
    fn new(
        script: Option<&'a Script>,
        env: &'a Env,
        functions: &'a [&'f Function],
        steps: &'a mut Steps,
    ) -> Self {
        Scan {
            script,
            env,
            functions,
            later: Vec::new(),
            steps,
            visited: HashSet::new(),
            assumed: Vec::new(),
            numbers: Vec::new(),
            anytime: false,
            calls: 0,
            out: Modified::default(),
        }
    }

    fn finish(mut self) -> Modified {
        if self.numbers.iter().any(|name| self.out.names.get(name) == Some(&Class::Any)) {
            self.out.all_variables = true;
        }
        if self.out.all_variables && !self.assumed.is_empty()
            || self.assumed.iter().any(|name| self.out.names.contains_key(name))
        {
            self.out.lost = true;
        }
        self.out
    }

    fn name(&mut self, name: &[u8], class: Class) {
        match self.out.names.get_mut(name) {
            Some(old) if class == Class::Any => *old = Class::Any,
            Some(_) => {}
            None => drop(self.out.names.insert(name.into(), class)),
        }
    }

    fn step(&mut self) -> bool {
        if self.steps.take(1).is_err() {
            self.out.lost = true;
        }
        !self.out.lost
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        // What runs in another process changes nothing here.
        if item.end == Terminator::Background || !self.step() {
            return;
        }
        for pipeline in item.pipelines() {
            match pipeline.stages.as_slice() {
                [] => {}
                [only] => self.command(&only.command),
                [.., last] => {
                    if self.anytime || self.env.modes().lastpipe != Some(false) || self.out.modes {
                        self.command(&last.command);
                    }
                }
            }
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => {
                self.out.functions.insert(function.name.clone());
                // It may be called by a command that was met before, in the pass before.
                self.compound(&function.body);
            }
            Command::Coproc(coproc) => {
                let name = coproc.name.as_ref().map_or(&b"COPROC"[..], |name| name);
                self.name(name, Class::Any);
                self.name(&[name, b"_PID"].concat(), Class::Any);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        if !self.step() {
            return;
        }
        self.redirections(&compound.redirections);
        match &compound.kind {
            Compound::Group(list) => self.list(list),
            Compound::Subshell(_) => {}
            Compound::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list(condition);
                    self.list(body);
                }
                if let Some(body) = otherwise {
                    self.list(body);
                }
            }
            Compound::While { condition, body } | Compound::Until { condition, body } => {
                self.list(condition);
                self.list(body);
            }
            Compound::For { variable, words, body } => {
                for word in words.iter().flatten() {
                    self.word(word);
                }
                let integers = words.as_ref().is_some_and(|words| words.iter().all(is_integer_word));
                self.name(variable, if integers { Class::Integer } else { Class::Any });
                self.list(body);
            }
            Compound::ArithmeticFor { init, condition, update, body } => {
                self.arithmetic(init);
                self.arithmetic(condition);
                self.arithmetic(update);
                self.list(body);
            }
            Compound::Select { variable, words, body } => {
                for word in words.iter().flatten() {
                    self.word(word);
                }
                self.name(variable, Class::Any);
                self.list(body);
            }
            Compound::Case { word, arms } => {
                self.word(word);
                for arm in arms {
                    for pattern in &arm.patterns {
                        self.word(pattern);
                    }
                    self.list(&arm.body);
                }
            }
            Compound::Condition(condition) => self.condition(condition),
            Compound::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Word(word) => self.word(word),
            Condition::Unary { op, operand } => {
                self.word(operand);
                let names = &**op == b"-v" || &**op == b"-R";
                if names && !plain(operand).is_some_and(|text| super::flow::is_harmless_reference(&text)) {
                    self.out.all_variables = true;
                }
            }
            Condition::Binary { op, left, right } => {
                self.word(left);
                self.word(right);
                if op.is_arithmetic() {
                    self.operand(left);
                    self.operand(right);
                }
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner),
            Condition::And(members) | Condition::Or(members) => {
                members.iter().for_each(|member| self.condition(member));
            }
        }
    }

    /// A word that is evaluated as arithmetic; if it is not a number it may assign anything.
    fn operand(&mut self, word: &Word) {
        let harmless = match word.parts.as_slice() {
            [Part { kind: PartKind::Arithmetic(_), .. }] => true,
            [Part { kind: PartKind::Parameter(parameter), .. }] => self.is_number(parameter),
            [Part { kind: PartKind::DoubleQuoted(inner), .. }] => match inner.as_slice() {
                [Part { kind: PartKind::Parameter(parameter), .. }] => self.is_number(parameter),
                _ => false,
            },
            _ => is_integer_word(word),
        };
        if !harmless {
            self.out.all_variables = true;
        }
    }

    fn is_number(&mut self, parameter: &Parameter) -> bool {
        match (&parameter.name, &parameter.op) {
            (_, ParameterOp::Length) => true,
            (ParameterName::Special(b'#' | b'?' | b'$'), ParameterOp::Plain) => true,
            (ParameterName::Variable(name), ParameterOp::Plain) if parameter.subscript.is_none() => {
                self.is_number_variable(name)
            }
            _ => false,
        }
    }

    /// Whether a variable is a number now, and stays one if nothing but numbers are assigned.
    fn is_number_variable(&mut self, name: &[u8]) -> bool {
        let state = self.env.get(name);
        let now = !self.anytime && state.is_number();
        if now && self.out.names.get(name) != Some(&Class::Any) {
            // If it turns out that it is changed to something else, nothing is certain.
            self.numbers.push(name.into());
            return true;
        }
        false
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        if !self.step() {
            return;
        }
        for word in &simple.words {
            self.word(word);
        }
        self.redirections(&simple.redirections);
        let argv: Vec<Field> =
            simple.words.iter().enumerate().map(|(at, word)| self.field(word, at == 0)).collect();
        let temporary = argv.first().and_then(Field::literal).is_some_and(|name| {
            self.shadow(name).is_none() && !is_special(name) && !matches!(name, b"command" | b"builtin")
        });
        for assignment in &simple.assignments {
            self.assignment(assignment, temporary);
        }
        for word in &simple.words {
            if let [Part { kind: PartKind::ArrayAssignment(assignment), .. }] = word.parts.as_slice() {
                self.assignment(assignment, false);
            }
        }
        self.run(&argv);
    }

    fn run(&mut self, argv: &[Field]) {
        let Some(first) = argv.first() else { return };
        if let Some(name) = first.literal() {
            match self.shadow(name) {
                Some(Shadow::Body(number) | Shadow::MaybeBody(number)) => self.function(number),
                Some(Shadow::Opaque) => {
                    self.out.lost = true;
                    return;
                }
                None => {}
            }
        }
        let effect = footprint(argv);
        self.out.lost |= effect.lost;
        self.out.all_variables |= effect.hazard;
        for (name, class) in effect.names {
            self.name(&name, class);
        }
        self.out.positional |= effect.positional;
        self.out.modes |= effect.modes;
        self.out.functions.extend(effect.functions);
        self.out.jumps |= effect.leaves;
    }

    fn shadow(&self, name: &[u8]) -> Option<Shadow> {
        let mut later = self.later.iter().filter(|(later, _)| **later == *name);
        match (later.next(), later.next()) {
            (None, _) => self.env.function(name),
            (Some((_, number)), None) => Some(Shadow::MaybeBody(*number)),
            (Some(_), Some(_)) => Some(Shadow::Opaque),
        }
    }

    fn function(&mut self, number: u32) {
        if !self.visited.insert(number) {
            return;
        }
        match self.functions.get(number as usize) {
            Some(function) if self.calls < 64 => {
                self.calls = self.calls.saturating_add(1);
                // Its own positional parameters come and go.
                let positional = self.out.positional;
                self.compound(&function.body);
                self.out.positional = positional;
                self.calls = self.calls.saturating_sub(1);
            }
            _ => self.out.lost = true,
        }
    }

    /// What is known about an argument without following anything.
    fn field(&mut self, word: &Word, is_command: bool) -> Field {
        let span = word.span;
        if let Some(text) = plain(word) {
            return Field { span, value: Value::Known(text), count: Count::One };
        }
        if is_command && let Some(field) = self.named_by_variable(word) {
            return field;
        }
        let mut pieces = Vec::new();
        let mut count = Count::One;
        for part in &word.parts {
            match &part.kind {
                PartKind::Literal(literal) if literal.marks.is_plain() => {
                    pieces.push(Piece::Known(literal.text.clone()));
                }
                PartKind::SingleQuoted(text) => pieces.push(Piece::Known(text.clone())),
                PartKind::Escaped(byte) => pieces.push(Piece::Known([*byte][..].into())),
                kind => {
                    let quoted = matches!(kind, PartKind::DoubleQuoted(inner) if !mentions_list(inner));
                    if !quoted {
                        count = Count::Any;
                    }
                    pieces.push(Piece::Unknown(Hole {
                        why: Why::Variable,
                        span: Span::default(),
                        class: Class::Any,
                    }));
                }
            }
        }
        // `name=$x` is one argument of `declare`, and otherwise its first is the name.
        let assigns = matches!(pieces.first(), Some(Piece::Known(text)) if text.contains(&b'='));
        if assigns {
            count = Count::One;
        }
        Field { span, value: Value::from_pieces(pieces), count }
    }

    /// A command word that is a variable whose value is known now.
    fn named_by_variable(&mut self, word: &Word) -> Option<Field> {
        let parameter = match word.parts.as_slice() {
            [Part { kind: PartKind::Parameter(parameter), .. }] => parameter,
            [Part { kind: PartKind::DoubleQuoted(inner), .. }] => match inner.as_slice() {
                [Part { kind: PartKind::Parameter(parameter), .. }] => parameter,
                _ => return None,
            },
            _ => return None,
        };
        let ParameterName::Variable(name) = &parameter.name else { return None };
        if self.anytime
            || parameter.op != ParameterOp::Plain
            || parameter.subscript.is_some()
            || parameter.indirect
        {
            return None;
        }
        let (State::Scalar(Value::Known(text)) | State::First(Value::Known(text))) = self.env.get(name)
        else {
            return None;
        };
        if text.is_empty() || !text.iter().all(|b| b.is_ascii_alphanumeric() || b"_./-".contains(b)) {
            return None;
        }
        self.assumed.push(name.clone());
        Some(Field { span: word.span, value: Value::Known(text.clone()), count: Count::One })
    }

    fn assignment(&mut self, assignment: &Assignment, temporary: bool) {
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
        let class = match &assignment.value {
            Assigned::Scalar(word) => {
                self.word(word);
                let number = assignment.subscript.is_none() && !assignment.append && is_integer_word(word);
                if number { Class::Integer } else { Class::Any }
            }
            Assigned::Array(elements) => {
                for element in elements {
                    if let Some(subscript) = &element.subscript {
                        self.subscript(subscript);
                    }
                    self.word(&element.value);
                }
                Class::Any
            }
        };
        if !temporary {
            self.name(&assignment.name, class);
        }
    }

    fn subscript(&mut self, subscript: &Subscript) {
        if let SubscriptKind::Index(arithmetic) = &subscript.kind {
            self.arithmetic(arithmetic);
        }
    }

    fn redirections(&mut self, redirections: &[Redirection]) {
        for redirection in redirections {
            if let Some(Descriptor::Variable(name)) = &redirection.fd {
                self.name(name, Class::Integer);
            }
            match &redirection.target {
                Target::Word(word) => self.word(word),
                Target::HereDoc(id) => {
                    if let Some(doc) = self.script.and_then(|script| script.here_doc(*id)) {
                        self.parts(&doc.body.parts);
                    }
                }
            }
        }
    }

    fn word(&mut self, word: &Word) {
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match &part.kind {
                PartKind::Literal(_)
                | PartKind::Escaped(_)
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_) => {}
                PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => self.parts(inner),
                PartKind::Parameter(parameter) => self.parameter(parameter),
                PartKind::Command(substitution) => match substitution.style {
                    SubstitutionStyle::Dollar | SubstitutionStyle::Backtick => {}
                    SubstitutionStyle::SameShell | SubstitutionStyle::SameShellReply => {
                        self.list(&substitution.body);
                    }
                },
                PartKind::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
                PartKind::Process(_) => {}
                PartKind::ExtendedGlob(glob) => glob.alternatives.iter().for_each(|word| self.word(word)),
                // The command looks at these.
                PartKind::ArrayAssignment(_) => {}
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        if !self.step() {
            return;
        }
        if let Some(subscript) = &parameter.subscript {
            self.subscript(subscript);
        }
        if parameter.indirect {
            self.out.all_variables = true;
        }
        for operand in parameter.op.operands() {
            match operand {
                Operand::Word(word) => self.word(word),
                Operand::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            }
        }
        match (&parameter.op, &parameter.name) {
            (ParameterOp::Assign { .. }, ParameterName::Variable(name)) => self.name(name, Class::Any),
            (ParameterOp::Assign { .. }, _) | (ParameterOp::Transform(b'P'), _) => {
                self.out.all_variables = true;
            }
            _ => {}
        }
    }

    fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        if !self.step() {
            return;
        }
        self.parts(&arithmetic.parts);
        match &arithmetic.expression {
            Some(expression) => self.expression(expression, &arithmetic.parts),
            None if arithmetic.parts.is_empty() => {}
            None => self.out.all_variables = true,
        }
    }

    fn expression(&mut self, expression: &Expression, parts: &[Part]) {
        match expression {
            Expression::Number(_) => {}
            Expression::Part(at) => {
                let harmless = match parts.get(*at as usize).map(|part| &part.kind) {
                    Some(PartKind::Arithmetic(_)) => true,
                    Some(PartKind::Parameter(parameter)) => self.is_number(parameter),
                    _ => false,
                };
                if !harmless {
                    self.out.all_variables = true;
                }
            }
            Expression::Variable { name, subscript } => {
                if let Some(index) = subscript {
                    self.expression(index, parts);
                }
                // Its value is evaluated, and may be anything unless it is a number.
                let number = subscript.is_none() && self.is_number_variable(name);
                if !number {
                    self.out.all_variables = true;
                }
            }
            Expression::Unary { operand, .. } => self.expression(operand, parts),
            Expression::Update { target, .. } => {
                self.expression(target, parts);
                self.target(target);
            }
            Expression::Chain { first, rest } => {
                self.expression(first, parts);
                rest.iter().for_each(|(_, operand)| self.expression(operand, parts));
            }
            Expression::Power { base, exponent } => {
                self.expression(base, parts);
                self.expression(exponent, parts);
            }
            Expression::Assign { op, target, value } => {
                if op.is_some() {
                    self.expression(target, parts);
                } else if let Expression::Variable { subscript: Some(index), .. } = &**target {
                    self.expression(index, parts);
                }
                self.expression(value, parts);
                self.target(target);
            }
            Expression::Choice { condition, yes, no } => {
                self.expression(condition, parts);
                self.expression(yes, parts);
                self.expression(no, parts);
            }
            Expression::Group(inner) => self.expression(inner, parts),
        }
    }

    fn target(&mut self, target: &Expression) {
        match target {
            Expression::Variable { name, subscript } => {
                self.name(name, if subscript.is_some() { Class::Any } else { Class::Integer });
            }
            _ => self.out.all_variables = true,
        }
    }
}

/// Whether a word is an integer, whatever it expands to.
fn is_integer_word(word: &Word) -> bool {
    match word.parts.as_slice() {
        [Part { kind: PartKind::Literal(literal), .. }] => {
            if literal.marks.brace {
                // `{1..5}`
                return literal.text.starts_with(b"{")
                    && literal.text.ends_with(b"}")
                    && literal.text.iter().filter(|b| **b == b'.').count() == 2
                    && literal.text.iter().all(|b| b.is_ascii_digit() || b"{}.".contains(b))
                    && !literal.text.windows(2).any(|pair| matches!(pair, b"{0" | b".0"));
            }
            super::value::integer(&literal.text).is_some()
        }
        [Part { kind: PartKind::Arithmetic(_), .. }] => true,
        [Part { kind: PartKind::DoubleQuoted(inner), .. }] => {
            matches!(inner.as_slice(), [Part { kind: PartKind::Arithmetic(_), .. }])
        }
        _ => false,
    }
}

/// Whether assignments in front of a builtin may stay, in some shell or mode.
pub(super) fn is_special(name: &[u8]) -> bool {
    matches!(
        name,
        b":" | b"."
            | b"break"
            | b"continue"
            | b"eval"
            | b"exec"
            | b"exit"
            | b"export"
            | b"readonly"
            | b"return"
            | b"set"
            | b"shift"
            | b"source"
            | b"times"
            | b"trap"
            | b"unset"
            | b"declare"
            | b"typeset"
            | b"local"
    )
}
