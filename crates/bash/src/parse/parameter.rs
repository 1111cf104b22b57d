//! `${…}`.

use super::arithmetic::Until;
use super::expansion::Quoting;
use super::operand::{Operand, Stop};
use super::{Parsed, Parser};
use crate::Reason;
use crate::ast::{CaseChange, Parameter, ParameterName, ParameterOp, Part, PartKind, ReplaceWhich};

impl Parser<'_, '_> {
    /// What stands behind `${`, and the closing brace.
    pub(super) fn braced(&mut self, parts: &mut Vec<Part>, start: usize, quoting: Quoting) -> Parsed<()> {
        self.spend(1)?;
        if matches!(self.byte(), b' ' | b'\t' | b'\n' | b'|') {
            return self.same_shell_substitution(parts, start);
        }
        let mut parameter = new_parameter();
        self.parameter(&mut parameter, quoting)?;
        self.expect(b'}')?;
        self.push(parts, start, PartKind::Parameter(parameter));
        Ok(())
    }

    fn parameter(&mut self, parameter: &mut Parameter, quoting: Quoting) -> Parsed<()> {
        match self.byte() {
            b'#' if self.second() != b'}' && self.length(parameter)? => return Ok(()),
            b'!' => parameter.indirect = self.indirection()?,
            _ => {}
        }
        if !self.parameter_name(parameter)? {
            return Err(self.unknown(Reason::Unsupported));
        }
        let names = parameter.indirect
            && parameter.subscript.is_none()
            && matches!(parameter.name, ParameterName::Variable(_));
        match self.byte() {
            sign @ (b'*' | b'@') if names && self.second() == b'}' => {
                self.skip(1);
                parameter.indirect = false;
                parameter.op = ParameterOp::Names { separate: sign == b'@' };
                Ok(())
            }
            _ => self.parameter_op(&mut parameter.op, quoting),
        }
    }

    /// Whether the `!` at the position means indirection, which is passed; or is the parameter.
    fn indirection(&mut self) -> Parsed<bool> {
        let indirect = match (self.second(), self.third()) {
            (b'}', _) => false,
            (b'#' | b'@' | b'*', b'}') => true,
            (b'#' | b'@' | b'*' | b'!' | b'$', _) | (b'?' | b'-', b'}') => {
                return Err(self.unknown(Reason::Ambiguous));
            }
            (byte, _) => super::bytes::is_name(byte),
        };
        if indirect {
            self.bash_only()?;
            self.skip(1);
        }
        Ok(indirect)
    }

    /// `#name` if that is what stands here; otherwise `#` is a parameter with an operator behind it.
    fn length(&mut self, parameter: &mut Parameter) -> Parsed<bool> {
        let start = self.pos;
        self.skip(1);
        let next = self.byte();
        let read = !matches!(next, b':' | b'%' | b'=' | b'+' | b'/' | b'^' | b',' | b'~')
            && self.parameter_name(parameter)?;
        if read && self.byte() == b'}' {
            parameter.op = ParameterOp::Length;
            return Ok(true);
        }
        if read && !matches!(parameter.name, ParameterName::Special(b'#' | b'-' | b'?')) {
            return Err(self.unknown_at(start, Reason::Unsupported));
        }
        self.pos = start;
        Ok(false)
    }

    /// The name of a parameter, and a subscript behind it.
    fn parameter_name(&mut self, parameter: &mut Parameter) -> Parsed<bool> {
        if let Some(name) = self.name() {
            parameter.name = ParameterName::Variable(name);
            if self.byte() == b'[' {
                self.bash_only()?;
                self.skip(1);
                parameter.subscript = Some(self.subscript()?);
                self.expect(b']')?;
            }
            return Ok(true);
        }
        match self.byte() {
            b'0'..=b'9' => {
                let mut number = 0_u32;
                while let digit @ b'0'..=b'9' = self.byte() {
                    let Some(next) =
                        number.checked_mul(10).and_then(|n| n.checked_add(u32::from(digit & 15)))
                    else {
                        return Err(self.unknown(Reason::Unsupported));
                    };
                    number = next;
                    self.skip(1);
                }
                parameter.name = ParameterName::Positional(number);
            }
            byte @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.skip(1);
                parameter.name = ParameterName::Special(byte);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn parameter_op(&mut self, op: &mut ParameterOp, quoting: Quoting) -> Parsed<()> {
        let colon = self.byte() == b':';
        let sign = if colon { self.second() } else { self.byte() };
        match sign {
            b'-' | b'=' | b'?' | b'+' => self.default_op(op, quoting, colon),
            _ if colon => self.slice(op),
            b'}' => Ok(()),
            b'#' | b'%' | b'^' | b',' | b'~' => self.pattern_op(op, quoting),
            b'/' => self.replace_op(op, quoting),
            b'@' => {
                self.bash_only()?;
                self.skip(1);
                let letter = self.byte();
                if !b"UuLQEPAKak".contains(&letter) {
                    return Err(self.unknown(Reason::Unsupported));
                }
                self.skip(1);
                *op = ParameterOp::Transform(letter);
                Ok(())
            }
            _ => Err(self.unknown(Reason::Unsupported)),
        }
    }

    fn default_op(&mut self, op: &mut ParameterOp, quoting: Quoting, colon: bool) -> Parsed<()> {
        if colon {
            self.skip(1);
        }
        let sign = self.byte();
        self.skip(1);
        let word = self.operand(Operand { quoting, pattern: false, stop: Stop::Brace })?;
        *op = match sign {
            b'-' => ParameterOp::Default { colon, word },
            b'=' => ParameterOp::Assign { colon, word },
            b'?' => ParameterOp::Error { colon, word },
            _ => ParameterOp::Alternative { colon, word },
        };
        Ok(())
    }

    fn pattern_op(&mut self, op: &mut ParameterOp, quoting: Quoting) -> Parsed<()> {
        let sign = self.byte();
        let doubled = self.second() == sign;
        if !matches!(sign, b'#' | b'%') {
            self.bash_only()?;
        }
        self.skip(1);
        if doubled {
            self.eat(sign);
        }
        let pattern = self.operand(Operand { quoting, pattern: true, stop: Stop::Brace })?;
        let change = match (sign, doubled) {
            (b'#', longest) => {
                *op = ParameterOp::RemovePrefix { longest, pattern };
                return Ok(());
            }
            (b'%', longest) => {
                *op = ParameterOp::RemoveSuffix { longest, pattern };
                return Ok(());
            }
            (b'^', false) => CaseChange::UpperFirst,
            (b'^', true) => CaseChange::UpperAll,
            (b',', false) => CaseChange::LowerFirst,
            (b',', true) => CaseChange::LowerAll,
            (_, false) => CaseChange::ToggleFirst,
            (_, true) => CaseChange::ToggleAll,
        };
        *op = ParameterOp::Case { change, pattern };
        Ok(())
    }

    fn replace_op(&mut self, op: &mut ParameterOp, quoting: Quoting) -> Parsed<()> {
        self.bash_only()?;
        self.skip(1);
        let which = match self.byte() {
            b'/' => ReplaceWhich::All,
            b'#' => ReplaceWhich::Prefix,
            b'%' => ReplaceWhich::Suffix,
            _ => ReplaceWhich::First,
        };
        if which != ReplaceWhich::First {
            self.skip(1);
        }
        let pattern = self.operand(Operand { quoting, pattern: true, stop: Stop::Slash })?;
        let mut replacement = None;
        if self.eat(b'/') {
            replacement = Some(self.operand(Operand { quoting, pattern: true, stop: Stop::Brace })?);
        }
        *op = ParameterOp::Replace { which, pattern, replacement };
        Ok(())
    }

    fn slice(&mut self, op: &mut ParameterOp) -> Parsed<()> {
        self.bash_only()?;
        self.skip(1);
        let offset = self.arithmetic_text(Until::Slice)?;
        let mut length = None;
        if self.eat(b':') {
            length = Some(self.arithmetic_text(Until::Slice)?);
        }
        *op = ParameterOp::Slice { offset, length };
        Ok(())
    }
}

// Out of line, so that the large value does not widen the frame of the production.
#[inline(never)]
fn new_parameter() -> Box<Parameter> {
    Box::new(Parameter {
        braced: true,
        indirect: false,
        name: ParameterName::Special(0),
        subscript: None,
        op: ParameterOp::Plain,
    })
}
