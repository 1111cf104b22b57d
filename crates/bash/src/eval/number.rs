//! Evaluates arithmetic on numbers that are known.
//!
//! Bash evaluates the *value* of a variable as an expression in turn, and subscripts in it expand
//! command substitutions. So a variable counts only if its value is a plain decimal; anything else may
//! run code and assign variables, and is treated so.

use super::env::State;
use super::flow::Flow;
use super::sink::Sink;
use super::value::{Class, Hole, Value, Why, integer};
use super::word::Place;
use crate::ast::{Arithmetic, BinaryOp, Expression, Part, PartKind, Span, UnaryOp};
use std::collections::HashMap;

/// A number, or why it is not known. The hole is an integer for certain.
pub(super) type Number = Result<i64, Hole>;

impl<'s> Flow<'s, '_> {
    /// Evaluates arithmetic, with what it assigns.
    pub(super) fn number(&mut self, arithmetic: &'s Arithmetic) -> Number {
        let outer = std::mem::replace(&mut self.may_have_failed, false);
        let inside = self.deeper(2, arithmetic.span, |flow| flow.number_inside(arithmetic));
        let hole = Hole { why: Why::TooLarge, span: arithmetic.span, class: Class::Integer };
        let number = inside.unwrap_or(Err(hole));
        self.may_have_failed = outer;
        number
    }

    fn number_inside(&mut self, arithmetic: &'s Arithmetic) -> Number {
        if let ([], None) = (arithmetic.parts.as_slice(), &arithmetic.expression) {
            return Ok(0);
        }
        // First the text is expanded, all of it; then it is evaluated.
        let mut values = HashMap::new();
        for (at, part) in arithmetic.parts.iter().enumerate() {
            if !is_text(part) {
                let mut sink = Sink::single(part.span, self.ifs(), self.env.modes());
                self.parts(std::slice::from_ref(part), Place::QUOTED, &mut sink);
                values.insert(u32::try_from(at).unwrap_or(u32::MAX), sink.into_value());
            }
        }
        match &arithmetic.expression {
            Some(expression @ Expression::Part(_)) => self.evaluate(expression, &values, arithmetic.span),
            Some(expression) => {
                // Text that is put in can change the reading: nothing, a sign, an operator.
                let digits = |value: &Value| {
                    value.known().is_some_and(|text| !text.is_empty() && text.iter().all(u8::is_ascii_digit))
                };
                if values.values().all(digits) {
                    return self.evaluate(expression, &values, arithmetic.span);
                }
                self.may_fail();
                let number = self.evaluate(expression, &values, arithmetic.span);
                number.and_then(|_| Err(self.unknown_number(arithmetic.span)))
            }
            None => {
                // What an expansion puts there can be any text; only digits and signs are harmless.
                let harmless = arithmetic.parts.iter().enumerate().all(|(at, part)| {
                    let value = u32::try_from(at).ok().and_then(|at| values.get(&at));
                    match (&part.kind, value) {
                        (_, Some(value)) => value.is_integer() || value.known().is_some_and(is_harmless),
                        (PartKind::Literal(literal), _) => is_harmless(&literal.text),
                        (PartKind::SingleQuoted(text), _) => is_harmless(text),
                        _ => false,
                    }
                });
                self.may_fail();
                if harmless {
                    return Err(self.unknown_number(arithmetic.span));
                }
                Err(self.evaluated(arithmetic.span))
            }
        }
    }

    fn unknown_number(&self, span: Span) -> Hole {
        Hole { why: Why::Number, span, class: Class::Integer }
    }

    /// What is evaluated may be an error, and then nothing behind it is evaluated.
    fn may_fail(&mut self) {
        self.may_have_failed = true;
        self.may_discard();
    }

    /// Something was evaluated that may hold code.
    fn evaluated(&mut self, span: Span) -> Hole {
        self.hazard(span, Why::Evaluated);
        self.may_fail();
        Hole { why: Why::Evaluated, span, class: Class::Integer }
    }

    /// A number that does not come to be: the command does not run.
    fn failed(&mut self, span: Span) -> Number {
        self.may_fail();
        Err(Hole { why: Why::Fails, span, class: Class::Integer })
    }

    fn evaluate(&mut self, expression: &'s Expression, values: &HashMap<u32, Value>, span: Span) -> Number {
        let inside = self.deeper(1, span, |flow| flow.evaluate_inside(expression, values, span));
        inside.unwrap_or(Err(Hole { why: Why::TooLarge, span, class: Class::Integer }))
    }

    fn evaluate_inside(
        &mut self,
        expression: &'s Expression,
        values: &HashMap<u32, Value>,
        span: Span,
    ) -> Number {
        match expression {
            Expression::Number(text) => match literal(text) {
                Some(number) => Ok(number),
                None => self.failed(span),
            },
            Expression::Part(at) => match values.get(at) {
                Some(value) => self.operand_value(&value.clone(), span),
                None => Err(self.evaluated(span)),
            },
            Expression::Variable { name, subscript: None } => {
                let state = self.env.get(name).clone();
                self.state_number(&state, span)
            }
            Expression::Variable { name, subscript: Some(index) } => {
                let index = self.evaluate(index, values, span);
                match (self.env.get(name).clone(), index) {
                    (State::Unset, Ok(_)) => Ok(0),
                    (state @ State::Scalar(_), Ok(0)) => self.state_number(&state, span),
                    (State::Array(elements), Ok(index)) if index >= 0 => {
                        match elements.into_iter().find(|(at, _)| i64::try_from(*at) == Ok(index)) {
                            Some((_, value)) => self.operand_value(&value, span),
                            None => Ok(0),
                        }
                    }
                    _ => Err(self.evaluated(span)),
                }
            }
            Expression::Unary { op, operand } => {
                let number = self.evaluate(operand, values, span)?;
                Ok(match op {
                    UnaryOp::Plus => number,
                    UnaryOp::Minus => number.wrapping_neg(),
                    UnaryOp::Not => i64::from(number == 0),
                    UnaryOp::BitNot => !number,
                })
            }
            Expression::Update { increment, prefix, target } => {
                let old = self.evaluate(target, values, span);
                let new = old.map(|n| if *increment { n.wrapping_add(1) } else { n.wrapping_sub(1) });
                self.store(target, new);
                if *prefix { new } else { old }
            }
            Expression::Chain { first, rest } => self.chain(first, rest, values, span),
            Expression::Power { base, exponent } => {
                let base = self.evaluate(base, values, span);
                let exponent = self.evaluate(exponent, values, span);
                let (base, exponent) = (base?, exponent?);
                match u64::try_from(exponent) {
                    Ok(exponent) => Ok(power(base, exponent)),
                    Err(_) => self.failed(span),
                }
            }
            Expression::Assign { op, target, value } => {
                let old = match op {
                    Some(_) => self.evaluate(target, values, span),
                    None => Ok(0),
                };
                let value = self.evaluate(value, values, span);
                let new = match (op, old, value) {
                    (None, _, value) => value,
                    (Some(op), Ok(old), Ok(value)) => self.operate(*op, old, value, span),
                    (Some(BinaryOp::Divide | BinaryOp::Remainder), Err(hole), _)
                    | (Some(BinaryOp::Divide | BinaryOp::Remainder), _, Err(hole)) => {
                        self.may_fail();
                        Err(hole)
                    }
                    (Some(_), Err(hole), _) | (Some(_), _, Err(hole)) => Err(hole),
                };
                self.store(target, new);
                new
            }
            Expression::Choice { condition, yes, no } => match self.evaluate(condition, values, span) {
                Ok(0) => self.evaluate(no, values, span),
                Ok(_) => self.evaluate(yes, values, span),
                Err(hole) => {
                    let mark = self.env.mark();
                    let yes = self.evaluate(yes, values, span);
                    let first = self.env.take(mark);
                    let mark = self.env.mark();
                    let no = self.evaluate(no, values, span);
                    let second = self.env.take(mark);
                    self.env.join(vec![first, second], false);
                    if yes == no && yes.is_ok() { yes } else { Err(hole) }
                }
            },
            Expression::Group(inner) => self.evaluate(inner, values, span),
        }
    }

    fn chain(
        &mut self,
        first: &'s Expression,
        rest: &'s [(BinaryOp, Expression)],
        values: &HashMap<u32, Value>,
        span: Span,
    ) -> Number {
        let mut left = self.evaluate(first, values, span);
        for (op, operand) in rest {
            left = match (op, left) {
                (BinaryOp::Comma, _) => self.evaluate(operand, values, span),
                // The right side may not be evaluated.
                (BinaryOp::Or, Ok(n)) if n != 0 => Ok(1),
                (BinaryOp::And, Ok(0)) => Ok(0),
                (BinaryOp::And | BinaryOp::Or, Ok(_)) => {
                    self.evaluate(operand, values, span).map(|n| i64::from(n != 0))
                }
                (BinaryOp::And | BinaryOp::Or, Err(hole)) => {
                    let mark = self.env.mark();
                    let _ = self.evaluate(operand, values, span);
                    let changes = self.env.take(mark);
                    self.env.join(vec![changes], true);
                    Err(hole)
                }
                (op, left) => {
                    let right = self.evaluate(operand, values, span);
                    match (left, right) {
                        (Ok(left), Ok(right)) => self.operate(*op, left, right, span),
                        (Err(hole), _) | (_, Err(hole)) => {
                            let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                            if divides && !matches!(right, Ok(n) if n != 0) {
                                self.may_fail();
                            }
                            Err(hole)
                        }
                    }
                }
            };
        }
        left
    }

    /// The number of a text that stands in the place of an operand.
    fn operand_value(&mut self, value: &Value, span: Span) -> Number {
        match value {
            Value::Known(text) if text.is_empty() => {
                self.may_fail();
                Err(self.unknown_number(span))
            }
            Value::Known(text) => match integer(text) {
                Some(number) => Ok(number),
                None => match literal(text) {
                    Some(number) => Ok(number),
                    None if is_harmless(text) => {
                        self.may_fail();
                        Err(self.unknown_number(span))
                    }
                    None => Err(self.evaluated(span)),
                },
            },
            Value::Partial(_) if value.is_integer() => {
                let why = value.hole().map_or(Why::Number, |hole| hole.why);
                Err(Hole { why, span, class: Class::Integer })
            }
            Value::Partial(_) => Err(self.evaluated(span)),
        }
    }

    fn state_number(&mut self, state: &State, span: Span) -> Number {
        match state {
            State::Unset => Ok(0),
            State::Scalar(Value::Known(text)) | State::First(Value::Known(text)) if text.is_empty() => Ok(0),
            State::Scalar(value) | State::First(value) => self.operand_value(value, span),
            State::Array(elements) => match elements.first() {
                Some((0, value)) => self.operand_value(&value.clone(), span),
                _ => Ok(0),
            },
            State::Number | State::Unknown(Class::Integer) => Err(self.unknown_number(span)),
            State::Associative | State::Unknown(Class::Any) => Err(self.evaluated(span)),
        }
    }

    fn store(&mut self, target: &Expression, value: Number) {
        if self.may_have_failed {
            let mark = self.env.mark();
            self.store_certainly(target, value);
            let changes = self.env.take(mark);
            self.env.join(vec![changes], true);
        } else {
            self.store_certainly(target, value);
        }
    }

    fn store_certainly(&mut self, target: &Expression, value: Number) {
        match target {
            Expression::Variable { name, subscript } => {
                if self.env.may_refuse(name) {
                    self.may_fail();
                }
                match (value, subscript) {
                    (Ok(number), None) => {
                        self.assign_scalar(name, Value::Known(number.to_string().into_bytes().into()));
                    }
                    (Err(_), None) => self.env.forget(name, Class::Integer),
                    (_, Some(_)) => self.env.forget(name, Class::Any),
                }
            }
            // `$x = 1`: the expansion names the variable.
            _ => self.env.forget_variables(),
        }
    }

    fn operate(&mut self, op: BinaryOp, left: i64, right: i64, span: Span) -> Number {
        let truth = |is: bool| Ok(i64::from(is));
        match op {
            BinaryOp::Comma => Ok(right),
            BinaryOp::Or => truth(left != 0 || right != 0),
            BinaryOp::And => truth(left != 0 && right != 0),
            BinaryOp::BitOr => Ok(left | right),
            BinaryOp::BitXor => Ok(left ^ right),
            BinaryOp::BitAnd => Ok(left & right),
            BinaryOp::Equal => truth(left == right),
            BinaryOp::NotEqual => truth(left != right),
            BinaryOp::Less => truth(left < right),
            BinaryOp::LessOrEqual => truth(left <= right),
            BinaryOp::Greater => truth(left > right),
            BinaryOp::GreaterOrEqual => truth(left >= right),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => match u32::try_from(right) {
                Ok(by @ 0..=63) if op == BinaryOp::ShiftLeft => Ok(left.wrapping_shl(by)),
                Ok(by @ 0..=63) => Ok(left.wrapping_shr(by)),
                // What C leaves open, the machine decides.
                _ => Err(Hole { why: Why::Version, span, class: Class::Integer }),
            },
            BinaryOp::Add => Ok(left.wrapping_add(right)),
            BinaryOp::Subtract => Ok(left.wrapping_sub(right)),
            BinaryOp::Multiply => Ok(left.wrapping_mul(right)),
            // Division of the least number by -1 overflows, which bash answers in its own way.
            BinaryOp::Divide | BinaryOp::Remainder => {
                let number = match op {
                    BinaryOp::Divide => left.checked_div(right),
                    _ => left.checked_rem(right),
                };
                number.map_or_else(|| self.failed(span), Ok)
            }
        }
    }
}

/// Whether a part is text of the script, and so in the expression already.
fn is_text(part: &Part) -> bool {
    matches!(part.kind, PartKind::Literal(_))
}

/// Whether evaluating this text cannot run anything or look at a variable.
fn is_harmless(text: &[u8]) -> bool {
    text.iter().all(|b| b.is_ascii_digit() || b" \t\n+-*/%()<>=!&|^~?:,".contains(b))
}

/// A number as written in arithmetic.
fn literal(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some((base, digits)) = text.split_once('#') {
        let base: u32 = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return parse(digits, base);
    }
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => parse(digits, 16),
        None if text.starts_with('0') => parse(text, 8),
        None => parse(text, 10),
    }
}

fn parse(digits: &str, base: u32) -> Option<i64> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_alphanumeric());
    if plain { i64::from_str_radix(digits, base).ok() } else { None }
}

fn power(base: i64, exponent: u64) -> i64 {
    let (mut base, mut exponent, mut out) = (base, exponent, 1_i64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = out.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    out
}
