//! `${…}`.

use super::arithmetic::Until;
use super::expansion::Quoting;
use super::operand::{Operand, Stop};
use super::{Parsed, Parser};
use crate::Reason;
use crate::ast::{CaseChange, Parameter, ParameterName, ParameterOp, PartKind, ReplaceWhich, Subscript};

impl Parser<'_, '_> {
    /// What stands behind `${`, and the closing brace.
    pub(super) fn braced(&mut self, quoting: Quoting) -> Parsed<PartKind> {
        self.spend(1)?;
        let first = self.byte();
        let mut indirect = false;
        match first {
            b' ' | b'\t' | b'\n' | b'|' => return self.same_shell_substitution(),
            b'#' if self.second() != b'}' => {
                if let Some(length) = self.length()? {
                    return Ok(length);
                }
            }
            b'!' => {
                indirect = match (self.second(), self.third()) {
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
            }
            _ => {}
        }
        let Some((name, subscript)) = self.parameter_name()? else {
            return Err(self.unknown(Reason::Unsupported));
        };
        let names = indirect && subscript.is_none() && matches!(name, ParameterName::Variable(_));
        let op = match (self.byte(), self.second()) {
            (sign @ (b'*' | b'@'), b'}') if names => {
                self.skip(1);
                indirect = false;
                ParameterOp::Names { separate: sign == b'@' }
            }
            _ => self.parameter_op(quoting)?,
        };
        self.expect(b'}')?;
        Ok(PartKind::Parameter(Box::new(Parameter { braced: true, indirect, name, subscript, op })))
    }

    /// `#name` if that is what stands here; otherwise `#` is a parameter with an operator behind it.
    fn length(&mut self) -> Parsed<Option<PartKind>> {
        let start = self.pos;
        self.skip(1);
        let next = self.byte();
        let read = if matches!(next, b':' | b'%' | b'=' | b'+' | b'/' | b'^' | b',' | b'~') {
            None
        } else {
            self.parameter_name()?
        };
        match read {
            Some((name, subscript)) if self.eat(b'}') => {
                let op = ParameterOp::Length;
                let parameter = Parameter { braced: true, indirect: false, name, subscript, op };
                Ok(Some(PartKind::Parameter(Box::new(parameter))))
            }
            Some((ParameterName::Special(b'#' | b'-' | b'?'), _)) | None => {
                self.pos = start;
                Ok(None)
            }
            Some(_) => Err(self.unknown_at(start, Reason::Unsupported)),
        }
    }

    fn parameter_name(&mut self) -> Parsed<Option<(ParameterName, Option<Subscript>)>> {
        if let Some(name) = self.name() {
            let mut subscript = None;
            if self.byte() == b'[' {
                self.bash_only()?;
                self.skip(1);
                subscript = Some(self.subscript()?);
                self.expect(b']')?;
            }
            return Ok(Some((ParameterName::Variable(name), subscript)));
        }
        let name = match self.byte() {
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
                ParameterName::Positional(number)
            }
            byte @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.skip(1);
                ParameterName::Special(byte)
            }
            _ => return Ok(None),
        };
        Ok(Some((name, None)))
    }

    fn parameter_op(&mut self, quoting: Quoting) -> Parsed<ParameterOp> {
        let colon = self.byte() == b':';
        let sign = if colon { self.second() } else { self.byte() };
        let word = Operand { quoting, pattern: false, stop: Stop::Brace };
        let pattern = Operand { pattern: true, ..word };
        match sign {
            b'-' | b'=' | b'?' | b'+' => {
                if colon {
                    self.skip(1);
                    self.byte();
                }
                self.skip(1);
                let word = self.operand(word)?;
                return Ok(match sign {
                    b'-' => ParameterOp::Default { colon, word },
                    b'=' => ParameterOp::Assign { colon, word },
                    b'?' => ParameterOp::Error { colon, word },
                    _ => ParameterOp::Alternative { colon, word },
                });
            }
            _ if colon => {
                self.bash_only()?;
                self.skip(1);
                return self.slice();
            }
            b'}' => return Ok(ParameterOp::Plain),
            _ => {}
        }
        let doubled = self.second() == sign;
        match sign {
            b'#' | b'%' => {
                self.operator(doubled);
                let pattern = self.operand(pattern)?;
                Ok(if sign == b'#' {
                    ParameterOp::RemovePrefix { longest: doubled, pattern }
                } else {
                    ParameterOp::RemoveSuffix { longest: doubled, pattern }
                })
            }
            b'^' | b',' | b'~' => {
                self.bash_only()?;
                self.operator(doubled);
                let pattern = self.operand(pattern)?;
                let change = match (sign, doubled) {
                    (b'^', false) => CaseChange::UpperFirst,
                    (b'^', true) => CaseChange::UpperAll,
                    (b',', false) => CaseChange::LowerFirst,
                    (b',', true) => CaseChange::LowerAll,
                    (_, false) => CaseChange::ToggleFirst,
                    (_, true) => CaseChange::ToggleAll,
                };
                Ok(ParameterOp::Case { change, pattern })
            }
            b'/' => {
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
                let found = self.operand(Operand { stop: Stop::Slash, ..pattern })?;
                let replacement = if self.eat(b'/') { Some(self.operand(pattern)?) } else { None };
                Ok(ParameterOp::Replace { which, pattern: found, replacement })
            }
            b'@' => {
                self.bash_only()?;
                self.skip(1);
                let letter = self.byte();
                if !b"UuLQEPAKak".contains(&letter) {
                    return Err(self.unknown(Reason::Unsupported));
                }
                self.skip(1);
                Ok(ParameterOp::Transform(letter))
            }
            _ => Err(self.unknown(Reason::Unsupported)),
        }
    }

    fn operator(&mut self, doubled: bool) {
        self.skip(1);
        if doubled {
            self.byte();
            self.skip(1);
        }
    }

    fn slice(&mut self) -> Parsed<ParameterOp> {
        let offset = self.arithmetic_text(Until::Slice)?;
        let length = if self.eat(b':') { Some(self.arithmetic_text(Until::Slice)?) } else { None };
        Ok(ParameterOp::Slice { offset, length })
    }
}
