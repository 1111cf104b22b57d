//! Expands parameters.

use super::change::Change;
use super::env::State;
use super::flow::Flow;
use super::shape;
use super::sink::Sink;
use super::value::{Class, Hole, Piece, Value, Why};
use super::word::{Place, is_name};
use crate::ast::{
    Arithmetic, CaseChange, Operand, Parameter, ParameterName, ParameterOp, Span, SubscriptKind, Word,
};

/// What a parameter stands for.
enum Subject {
    One(One),
    /// `$@`, `$*` and arrays by `[@]` or `[*]`.
    List(Vec<Value>),
    /// Such a list that is not known.
    Unlisted(Hole),
}

/// A single value.
#[derive(Clone)]
enum One {
    Set(Value),
    Unset,
    /// It may be anything, or unset.
    Unknown(Hole),
}

impl One {
    /// Whether it is set (and not empty, if that counts), as far as that is known.
    fn is_set(&self, colon: bool) -> Option<bool> {
        match self {
            One::Unset => Some(false),
            One::Unknown(Hole { class: Class::Integer, .. }) => Some(true),
            One::Unknown(_) => None,
            One::Set(_) if !colon => Some(true),
            One::Set(Value::Known(text)) => Some(!text.is_empty()),
            One::Set(Value::Partial(pieces)) => pieces
                .iter()
                .any(|piece| !matches!(piece, Piece::Unknown(Hole { class: Class::Any, .. })))
                .then_some(true),
        }
    }

    fn into_value(self) -> Value {
        match self {
            One::Set(value) => value,
            One::Unset => Value::from(""),
            One::Unknown(hole) => Value::unknown(hole),
        }
    }
}

impl<'s> Flow<'s, '_> {
    pub(super) fn parameter(&mut self, p: &'s Parameter, span: Span, quoted: bool, sink: &mut Sink) {
        let subject = if p.indirect {
            match self.indirect(p, span) {
                Some(subject) => subject,
                None => return self.keys(p, span, quoted, sink),
            }
        } else {
            self.subject(p, span)
        };
        match subject {
            _ if !shape::is_plain_expansion(p, quoted) => {
                let hole = Hole { why: Why::Version, span, class: Class::Any };
                self.visit_operands(p);
                if quoted && !shape::is_list(p) && !shape::operand_mentions_list(&p.op) {
                    self.dynamic(hole.why, span, true, sink);
                } else {
                    self.met_doubtful_list |= quoted;
                    sink.many(hole);
                }
            }
            Subject::One(one) => self.one(p, one, span, quoted, sink),
            Subject::List(values) => self.list_parameter(p, values, span, quoted, sink),
            Subject::Unlisted(hole) => self.unlisted(p, hole, quoted, sink),
        }
    }

    fn subject(&mut self, p: &'s Parameter, span: Span) -> Subject {
        let hole = |why, class| Hole { why, span, class };
        match &p.name {
            ParameterName::Variable(name) => match &p.subscript {
                None => Subject::One(self.variable(name, span)),
                Some(subscript) => match &subscript.kind {
                    SubscriptKind::At | SubscriptKind::Star => match self.env.get(name) {
                        State::Array(elements) => {
                            Subject::List(elements.iter().map(|(_, value)| value.clone()).collect())
                        }
                        State::Scalar(value) => Subject::List(vec![value.clone()]),
                        State::Unset => Subject::List(Vec::new()),
                        State::Associative => Subject::Unlisted(hole(Why::Array, Class::Any)),
                        State::First(_) | State::Number | State::Unknown(_) => {
                            Subject::Unlisted(hole(self.env.why(name), Class::Any))
                        }
                    },
                    SubscriptKind::Index(index) => Subject::One(self.element(name, index, span)),
                },
            },
            ParameterName::Positional(0) => Subject::One(match self.env.zero() {
                Some(value) => One::Set(value.clone()),
                None => One::Unknown(hole(Why::Special, Class::Any)),
            }),
            ParameterName::Positional(n) => Subject::One(match self.env.positional() {
                Some(values) => {
                    let at = usize::try_from(*n).unwrap_or(usize::MAX).saturating_sub(1);
                    values.get(at).cloned().map_or(One::Unset, One::Set)
                }
                None => One::Unknown(hole(Why::Positional, Class::Any)),
            }),
            ParameterName::Special(b'@' | b'*') => match self.env.positional() {
                Some(values) => Subject::List(values.to_vec()),
                None => Subject::Unlisted(hole(Why::Positional, Class::Any)),
            },
            ParameterName::Special(b'#') => Subject::One(match self.env.positional() {
                Some(values) => One::Set(number_value(values.len())),
                None => One::Unknown(hole(Why::Positional, Class::Integer)),
            }),
            ParameterName::Special(b'?' | b'$') => {
                Subject::One(One::Unknown(hole(Why::Special, Class::Integer)))
            }
            ParameterName::Special(_) => Subject::One(One::Unknown(hole(Why::Special, Class::Any))),
        }
    }

    fn variable(&mut self, name: &[u8], span: Span) -> One {
        match self.env.get(name) {
            State::Unset => {
                self.saw_unset();
                One::Unset
            }
            State::Scalar(value) | State::First(value) => One::Set(value.clone()),
            State::Array(elements) => match elements.first() {
                Some((0, value)) => One::Set(value.clone()),
                _ => One::Unset,
            },
            State::Associative => One::Unknown(Hole { why: Why::Array, span, class: Class::Any }),
            State::Number => One::Unknown(self.env.hole(name, Class::Any, span)),
            State::Unknown(class) => One::Unknown(self.env.hole(name, *class, span)),
        }
    }

    fn element(&mut self, name: &[u8], index: &'s Arithmetic, span: Span) -> One {
        if *self.env.get(name) == State::Associative {
            // The key is a text and not arithmetic.
            let mut unused = Sink::single(span, self.ifs(), self.env.modes());
            self.parts(&index.parts, Place::QUOTED, &mut unused);
            return One::Unknown(Hole { why: Why::Array, span, class: Class::Any });
        }
        let index = match self.number(index) {
            Ok(index) => index,
            Err(hole) => return One::Unknown(Hole { class: Class::Any, ..hole }),
        };
        let at = u64::try_from(index).ok();
        match (self.env.get(name), at) {
            (State::Unset, _) => One::Unset,
            (State::Scalar(value) | State::First(value), Some(0)) => One::Set(value.clone()),
            (State::Scalar(_), Some(_)) => One::Unset,
            (State::Array(elements), Some(at)) => {
                match elements.binary_search_by_key(&at, |(index, _)| *index) {
                    Ok(found) => elements.get(found).map_or(One::Unset, |(_, value)| One::Set(value.clone())),
                    Err(_) => One::Unset,
                }
            }
            (State::Array(elements), None) => {
                // From the end: one past the highest index is where counting begins.
                let back = index.unsigned_abs();
                let end = elements.last().map_or(0, |(index, _)| index.saturating_add(1));
                match end.checked_sub(back).map(|at| elements.iter().find(|(index, _)| *index == at)) {
                    Some(found) => found.map_or(One::Unset, |(_, value)| One::Set(value.clone())),
                    None => One::Unknown(Hole { why: Why::Fails, span, class: Class::Any }),
                }
            }
            _ => One::Unknown(Hole { why: self.env.why(name), span, class: Class::Any }),
        }
    }

    /// `${!x}`; `None` if it asks for the keys of an array.
    fn indirect(&mut self, p: &'s Parameter, span: Span) -> Option<Subject> {
        let list = p
            .subscript
            .as_ref()
            .is_some_and(|subscript| matches!(subscript.kind, SubscriptKind::At | SubscriptKind::Star));
        if list && p.op == ParameterOp::Plain {
            return None;
        }
        let one = match self.subject(p, span) {
            Subject::One(one) => one,
            Subject::List(_) | Subject::Unlisted(_) => {
                One::Unknown(Hole { why: Why::Indirect, span, class: Class::Any })
            }
        };
        let hole = match one {
            // Positional parameters and variables are what can be named without running anything.
            One::Set(Value::Known(name)) if is_name(&name) => {
                return Some(Subject::One(self.variable(&name, span)));
            }
            One::Set(Value::Known(name)) if name.iter().all(u8::is_ascii_digit) => {
                Hole { why: Why::Indirect, span, class: Class::Any }
            }
            One::Unset => Hole { why: Why::Fails, span, class: Class::Any },
            One::Set(_) | One::Unknown(_) => {
                self.hazard(span, Why::Evaluated);
                Hole { why: Why::Evaluated, span, class: Class::Any }
            }
        };
        self.may_discard();
        Some(Subject::Unlisted(hole))
    }

    /// `${!a[@]}`
    fn keys(&mut self, p: &'s Parameter, span: Span, quoted: bool, sink: &mut Sink) {
        let ParameterName::Variable(name) = &p.name else {
            return self.unlisted(p, Hole { why: Why::Indirect, span, class: Class::Any }, quoted, sink);
        };
        let keys = match self.env.get(name) {
            State::Array(elements) => {
                elements.iter().map(|(at, _)| Value::from(at.to_string().as_str())).collect()
            }
            State::Scalar(_) => vec![Value::from("0")],
            State::Unset => Vec::new(),
            _ => {
                let hole = Hole { why: self.env.why(name), span, class: Class::Any };
                return self.unlisted(p, hole, quoted, sink);
            }
        };
        self.emit_list(keys, is_star(p), quoted, span, sink);
    }

    fn unlisted(&mut self, p: &'s Parameter, hole: Hole, quoted: bool, sink: &mut Sink) {
        self.visit_operands(p);
        if p.op == ParameterOp::Length {
            let hole = Hole { class: Class::Integer, ..hole };
            sink.hole(Piece::Unknown(hole), !quoted);
        } else if quoted && is_star(p) {
            sink.hole(Piece::Unknown(hole), false);
        } else {
            self.met_doubtful_list |= quoted;
            sink.many(hole);
        }
    }

    /// Visits what the operands of an expansion run, of which it is not known whether they are used.
    fn visit_operands(&mut self, p: &'s Parameter) {
        let mark = self.env.mark();
        for operand in p.op.operands() {
            match operand {
                Operand::Word(word) => self.visit(word),
                Operand::Arithmetic(arithmetic) => {
                    let _ = self.number(arithmetic);
                }
            }
        }
        let changes = self.env.take(mark);
        self.env.join(vec![changes], true);
        if matches!(p.op, ParameterOp::Transform(b'P')) {
            self.hazard(self.here, Why::Prompt);
        }
        if let (ParameterOp::Assign { .. }, ParameterName::Variable(name)) = (&p.op, &p.name) {
            if p.indirect || self.env.may_refuse(name) {
                self.may_discard();
            }
            if p.indirect {
                // Which variable is assigned is not known.
                self.env.forget_variables();
            } else {
                self.env.forget(name, Class::Any);
            }
        }
    }

    /// Visits what a word runs, without looking at its value.
    pub(super) fn visit(&mut self, word: &'s Word) {
        let mut unused = Sink::single(word.span, self.ifs(), self.env.modes());
        self.parts(&word.parts, Place::BARE, &mut unused);
    }

    /// The value or the operand: which of them is not known.
    fn undecided(&mut self, p: &'s Parameter, one: &One, span: Span, quoted: bool, sink: &mut Sink) {
        self.visit_operands(p);
        let hole = unknown_of(one, span);
        if shape::operand_mentions_list(&p.op) {
            sink.many(hole);
        } else {
            sink.hole(Piece::Unknown(hole), !quoted);
        }
    }

    fn one(&mut self, p: &'s Parameter, one: One, span: Span, quoted: bool, sink: &mut Sink) {
        match &p.op {
            ParameterOp::Default { colon, word } => match one.is_set(*colon) {
                Some(true) => self.emit(one.into_value(), quoted, span, sink),
                Some(false) => self.operand(word, quoted, sink),
                None => self.undecided(p, &one, span, quoted, sink),
            },
            ParameterOp::Alternative { colon, word } => match one.is_set(*colon) {
                Some(true) => self.operand(word, quoted, sink),
                Some(false) => {
                    if quoted {
                        sink.quoted(b"");
                    }
                }
                None => self.undecided(p, &one, span, quoted, sink),
            },
            ParameterOp::Assign { colon, word } => match one.is_set(*colon) {
                Some(true) => self.emit(one.into_value(), quoted, span, sink),
                Some(false) => {
                    let value = {
                        let mut inner = Sink::single(word.span, self.ifs(), self.env.modes());
                        self.operand(word, quoted, &mut inner);
                        inner.into_value()
                    };
                    match (&p.name, &p.subscript, p.indirect) {
                        (ParameterName::Variable(name), None, false) if !self.env.may_refuse(name) => {
                            self.assign_scalar(name, value.clone());
                            self.emit(value, quoted, span, sink);
                        }
                        (ParameterName::Variable(name), _, false) => {
                            self.env.forget(name, Class::Any);
                            self.may_discard();
                            self.dynamic(Why::Variable, span, quoted, sink);
                        }
                        _ => {
                            self.env.forget_variables();
                            self.may_discard();
                            self.dynamic(Why::Fails, span, quoted, sink);
                        }
                    }
                }
                None => self.undecided(p, &one, span, quoted, sink),
            },
            ParameterOp::Error { colon, word: _ } => match one.is_set(*colon) {
                Some(true) => self.emit(one.into_value(), quoted, span, sink),
                Some(false) => {
                    self.visit_operands(p);
                    self.uncaptured();
                    self.dynamic(Why::Fails, span, quoted, sink);
                }
                None => {
                    self.visit_operands(p);
                    self.uncaptured();
                    self.emit(one.into_value(), quoted, span, sink);
                }
            },
            ParameterOp::Plain => self.emit(one.into_value(), quoted, span, sink),
            ParameterOp::Length => {
                let value = match one {
                    One::Unset => Value::from("0"),
                    One::Set(Value::Known(text)) if text.is_ascii() => number_value(text.len()),
                    One::Set(Value::Known(_)) => {
                        Value::unknown(Hole { why: Why::Locale, span, class: Class::Integer })
                    }
                    one => Value::unknown(Hole { class: Class::Integer, ..unknown_of(&one, span) }),
                };
                self.emit(value, quoted, span, sink);
            }
            _ => {
                let used = matches!(&one, One::Set(Value::Known(text)) if !text.is_empty());
                let change = self.change(p, used, quoted);
                let value = self.changed(&change, one, span);
                self.emit(value, quoted, span, sink);
            }
        }
    }

    fn list_parameter(
        &mut self,
        p: &'s Parameter,
        values: Vec<Value>,
        span: Span,
        quoted: bool,
        sink: &mut Sink,
    ) {
        match &p.op {
            ParameterOp::Plain => self.emit_list(values, is_star(p), quoted, span, sink),
            ParameterOp::Length => self.emit(number_value(values.len()), quoted, span, sink),
            ParameterOp::Default { colon, .. }
            | ParameterOp::Assign { colon, .. }
            | ParameterOp::Error { colon, .. }
            | ParameterOp::Alternative { colon, .. } => {
                let set = match values.as_slice() {
                    [] => Some(false),
                    [only] => One::Set(only.clone()).is_set(*colon),
                    _ if !colon => Some(true),
                    many => many
                        .iter()
                        .any(|value| One::Set(value.clone()).is_set(true) == Some(true))
                        .then_some(true),
                };
                match (&p.op, set) {
                    (ParameterOp::Default { .. } | ParameterOp::Error { .. }, Some(true)) => {
                        self.emit_list(values, is_star(p), quoted, span, sink);
                    }
                    (ParameterOp::Default { word, .. }, Some(false))
                    | (ParameterOp::Alternative { word, .. }, Some(true)) => self.operand(word, quoted, sink),
                    (ParameterOp::Alternative { .. }, Some(false)) => {
                        self.emit_list(Vec::new(), is_star(p), quoted, span, sink);
                    }
                    _ => {
                        self.may_discard();
                        self.unlisted(p, Hole { why: Why::Version, span, class: Class::Any }, quoted, sink);
                    }
                }
            }
            ParameterOp::Slice { offset, length } => {
                let values = self.list_slice(p, values, offset, length.as_ref(), span);
                match values {
                    Ok(values) => self.emit_list(values, is_star(p), quoted, span, sink),
                    Err(hole) if quoted && is_star(p) => sink.hole(Piece::Unknown(hole), false),
                    Err(hole) => {
                        self.met_doubtful_list |= quoted;
                        sink.many(hole);
                    }
                }
            }
            _ => {
                let change = self.change(p, !values.is_empty(), quoted);
                let values =
                    values.into_iter().map(|value| self.changed(&change, One::Set(value), span)).collect();
                self.emit_list(values, is_star(p), quoted, span, sink);
            }
        }
    }

    fn list_slice(
        &mut self,
        p: &'s Parameter,
        values: Vec<Value>,
        offset: &'s Arithmetic,
        length: Option<&'s Arithmetic>,
        span: Span,
    ) -> Result<Vec<Value>, Hole> {
        let fails = Hole { why: Why::Fails, span, class: Class::Any };
        let mark = self.env.mark();
        let offset = self.number(offset);
        let length = length.map(|length| self.number_if_used(length));
        if values.is_empty() {
            // Then bash does not look at the numbers.
            let changes = self.env.take(mark);
            self.env.join(vec![changes], true);
        } else {
            self.env.keep(mark);
        }
        let any = |hole: Hole| Hole { class: Class::Any, ..hole };
        let (offset, length) = (offset.map_err(any)?, length.transpose().map_err(any)?);
        let count = i64::try_from(values.len()).map_err(|_| fails)?;
        // `$@` is counted from `$0`; an array by its indices, which are dense or not followed.
        let base = match &p.name {
            ParameterName::Special(_) => 1,
            ParameterName::Variable(name) => match self.env.get(name) {
                State::Array(elements) if (0_u64..).zip(elements).all(|(at, (index, _))| at == *index) => 0,
                State::Unset => 0,
                _ => return Err(Hole { why: Why::Array, ..fails }),
            },
            ParameterName::Positional(_) => return Err(fails),
        };
        if offset == 0 && base == 1 {
            return Err(Hole { why: Why::Special, ..fails });
        }
        let start = if offset < 0 {
            let start = count.saturating_add(base).saturating_add(offset);
            if start < base {
                // Out of range; `$0` comes into reach.
                return Err(Hole { why: Why::Version, ..fails });
            }
            start
        } else {
            offset
        };
        let start = start.saturating_sub(base);
        let length = match length {
            Some(length) if length < 0 => {
                self.may_discard();
                return Err(fails);
            }
            Some(length) => length,
            None => count,
        };
        let start = usize::try_from(start).map_err(|_| fails)?;
        let length = usize::try_from(length).map_err(|_| fails)?;
        Ok(values.into_iter().skip(start).take(length).collect())
    }

    /// A length, which bash does not look at if the offset is out of range.
    fn number_if_used(&mut self, length: &'s Arithmetic) -> super::number::Number {
        let mark = self.env.mark();
        let number = self.number(length);
        let changes = self.env.take(mark);
        self.env.join(vec![changes], true);
        number
    }

    /// Puts the elements of a list into a word.
    fn emit_list(&mut self, values: Vec<Value>, star: bool, quoted: bool, span: Span, sink: &mut Sink) {
        let joined = sink.is_single() || (quoted && star);
        if !joined && !quoted && *sink.ifs() != super::sink::Ifs::Default {
            // Where another `IFS` splits, or finds nothing, versions have had their own ideas.
            let plain = values.iter().all(|value| {
                value.known().is_some_and(|text| {
                    !text.is_empty()
                        && text.iter().all(|b| b.is_ascii_alphanumeric())
                        && sink.ifs().leaves(text)
                })
            });
            if !plain && !values.is_empty() {
                return sink.many(Hole { why: Why::Splitting, span, class: Class::Any });
            }
        }
        if !joined {
            self.met_doubtful_list |= quoted && values.is_empty();
            for (at, value) in values.into_iter().enumerate() {
                if at > 0 {
                    sink.boundary();
                }
                self.emit(value, quoted, span, sink);
            }
            return;
        }
        if values.is_empty() {
            if quoted && star {
                sink.quoted(b"");
            }
            return;
        }
        let ifs = sink.ifs().clone();
        // `$@` where it cannot be several words is joined with a space, whatever `IFS` is; versions
        // have not always agreed on that.
        let joiner = if star { ifs.joiner().map(<[u8]>::to_vec) } else { Some(b" ".to_vec()) };
        let agreed = ifs == super::sink::Ifs::Default || (star && quoted) || values.len() < 2;
        let (Some(joiner), true) = (joiner, agreed) else {
            return self.dynamic(Why::Splitting, span, quoted, sink);
        };
        for (at, value) in values.into_iter().enumerate() {
            if at > 0 {
                if quoted { sink.quoted(&joiner) } else { sink.literal(&joiner) }
            }
            self.emit(value, quoted, span, sink);
        }
    }

    /// Reads what an operator does, with its operands expanded.
    fn change(&mut self, p: &'s Parameter, used: bool, quoted: bool) -> Result<Operation, Hole> {
        let mark = self.env.mark();
        let change = self.change_operands(p, quoted);
        if used {
            self.env.keep(mark);
        } else {
            // Bash may not look at the operands when there is nothing to change.
            let changes = self.env.take(mark);
            self.env.join(vec![changes], true);
        }
        change
    }

    fn change_operands(&mut self, p: &'s Parameter, quoted: bool) -> Result<Operation, Hole> {
        let fail = |why| Hole { why, span: self.here, class: Class::Any };
        let change = match &p.op {
            ParameterOp::RemovePrefix { longest, pattern } => {
                Change::Prefix { longest: *longest, pattern: self.pattern(pattern)? }
            }
            ParameterOp::RemoveSuffix { longest, pattern } => {
                Change::Suffix { longest: *longest, pattern: self.pattern(pattern)? }
            }
            ParameterOp::Replace { which, pattern, replacement } => {
                let plain = self.env.modes().nocasematch == Some(false);
                let pattern = self.pattern(pattern);
                let replacement = match replacement {
                    Some(word) => self.replacement(word, quoted),
                    None => Ok(Vec::new()),
                };
                let (pattern, replacement) = (pattern?, replacement?);
                if pattern.is_empty() {
                    // Where slashes follow each other, which of them belongs to the pattern is a matter of version.
                    return Err(Hole { why: Why::Version, span: self.here, class: Class::Any });
                }
                if !plain {
                    return Err(Hole { why: Why::Mode, span: self.here, class: Class::Any });
                }
                Change::Replace { which: *which, pattern, replacement }
            }
            ParameterOp::Slice { offset, length } => {
                let offset = self.number(offset);
                let length = length.as_ref().map(|length| self.number_if_used(length));
                let any = |hole: Hole| Hole { class: Class::Any, ..hole };
                Change::Slice { offset: offset.map_err(any)?, length: length.transpose().map_err(any)? }
            }
            ParameterOp::Case { change, pattern } => {
                if self.env.modes().odd_locale {
                    self.visit(pattern);
                    return Err(Hole { why: Why::Locale, span: self.here, class: Class::Any });
                }
                // An empty pattern, also one that came to be empty, means every character.
                let pattern = Some(self.pattern(pattern)?).filter(|pattern| !pattern.is_empty());
                Change::Case { change: *change, pattern }
            }
            ParameterOp::Transform(letter) => match letter {
                b'U' | b'L' | b'u' if !self.env.modes().odd_locale => Change::Case {
                    change: match letter {
                        b'U' => CaseChange::UpperAll,
                        b'L' => CaseChange::LowerAll,
                        _ => CaseChange::UpperFirst,
                    },
                    pattern: None,
                },
                b'P' => return Ok(Operation::Prompt),
                _ => return Err(fail(Why::Version)),
            },
            _ => return Err(fail(Why::Version)),
        };
        Ok(Operation::Change(change))
    }

    /// The text that replaces a match.
    fn replacement(&mut self, word: &'s Word, quoted: bool) -> Result<Vec<u8>, Hole> {
        let chunk = self.chunk(word, Place::BARE);
        let bytes = chunk.active_bytes()?;
        // Bash 5.2 puts the match in the place of an unquoted `&`, and reads backslashes for that.
        let odd = bytes.iter().any(|&(b, active)| matches!(b, b'&' | b'\\') && (active || quoted));
        if odd {
            return Err(Hole { why: Why::Version, span: word.span, class: Class::Any });
        }
        Ok(bytes.into_iter().map(|(b, _)| b).collect())
    }

    fn changed(&mut self, change: &Result<Operation, Hole>, one: One, span: Span) -> Value {
        let text = match &one {
            One::Unset => {
                return match change {
                    // `${x@a}` is about the variable.
                    Err(hole) if hole.why == Why::Version => {
                        Value::unknown(Hole { class: Class::Any, ..*hole })
                    }
                    // Bash does not look at the operator then.
                    _ => Value::from(""),
                };
            }
            One::Set(Value::Known(text)) => text,
            One::Set(Value::Partial(_)) | One::Unknown(_) => {
                if matches!(change, Ok(Operation::Prompt)) {
                    self.hazard(span, Why::Prompt);
                    return Value::unknown(Hole { why: Why::Prompt, span, class: Class::Any });
                }
                return Value::unknown(Hole { class: Class::Any, ..unknown_of(&one, span) });
            }
        };
        let change = match change {
            Ok(Operation::Change(change)) => Some(change),
            Ok(Operation::Prompt) => None,
            Err(hole) => return Value::unknown(Hole { span, class: Class::Any, ..*hole }),
        };
        let Some(change) = change else {
            if text.iter().any(|b| matches!(b, b'$' | b'`')) {
                self.hazard(span, Why::Prompt);
                return Value::unknown(Hole { why: Why::Prompt, span, class: Class::Any });
            }
            if text.iter().any(|b| matches!(b, b'\\' | b'!' | b'"' | b'\'')) {
                return Value::unknown(Hole { why: Why::Version, span, class: Class::Any });
            }
            return Value::Known(text.clone());
        };
        match change.apply(text, &mut self.steps) {
            Ok(text) => Value::Known(text.into()),
            Err(why) => {
                if why == Why::Fails {
                    self.may_discard();
                }
                Value::unknown(Hole { why, span, class: Class::Any })
            }
        }
    }

    /// Assigns a text to a variable, or to the first element if it is an array.
    pub(super) fn assign_scalar(&mut self, name: &[u8], value: Value) {
        if self.env.may_refuse(name) {
            self.may_discard();
        }
        if matches!(name, b"LC_ALL" | b"LC_CTYPE" | b"LANG" | b"LC_COLLATE") {
            let mut modes = self.env.modes();
            modes.odd_locale = true;
            self.env.set_modes(modes);
        }
        let state = match self.env.get(name) {
            State::Array(elements) => {
                let rest = elements.iter().filter(|(at, _)| *at != 0).cloned();
                State::Array(std::iter::once((0, value)).chain(rest).collect())
            }
            State::Associative => State::Associative,
            State::First(_) | State::Unknown(_) => State::First(value),
            State::Number => State::Scalar(value),
            State::Unset | State::Scalar(_) => State::Scalar(value),
        };
        if state != State::Associative {
            self.env.set(name, state);
        }
    }
}

/// What an operator does, with its operands known.
enum Operation {
    Change(Change),
    /// `${x@P}`
    Prompt,
}

/// Why a value is not known that is not known in full.
fn unknown_of(one: &One, span: Span) -> Hole {
    let hole = match one {
        One::Set(value) => value.hole(),
        One::Unknown(hole) => Some(*hole),
        One::Unset => None,
    };
    match hole {
        Some(hole) => Hole { span, class: Class::Any, ..hole },
        None => Hole { why: Why::Pattern, span, class: Class::Any },
    }
}

fn number_value(n: usize) -> Value {
    Value::from(n.to_string().as_str())
}

fn is_star(p: &Parameter) -> bool {
    match (&p.name, &p.subscript) {
        (ParameterName::Special(b'*'), _) => true,
        (_, Some(subscript)) => subscript.kind == SubscriptKind::Star,
        _ => false,
    }
}
