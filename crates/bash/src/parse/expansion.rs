//! What begins with `$`, a backtick, or `<(`.

use super::bytes::is_name_start;
use super::{Parsed, Parser};
use crate::Reason;
use crate::ast::{
    CommandSubstitution, List, Literal, Marks, Parameter, ParameterName, ParameterOp, Part, PartKind,
    ProcessDirection, ProcessSubstitution, SubstitutionStyle,
};

/// The quotes around an expansion, which say how quotes inside it are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    /// Directly inside double quotes.
    Double,
    /// In a here-document.
    HereDoc,
    /// In the operand of a `${…}` that is itself in double quotes or the like.
    Operand,
    /// In arithmetic or a subscript.
    Arithmetic,
}

/// What is needed to read a text a second time in another way.
pub(super) struct Retry {
    outer: bool,
    here_docs: usize,
    unbalanced: usize,
    changes: usize,
}

impl Parser<'_, '_> {
    /// Reads what begins with the `$` at the position.
    pub(super) fn dollar(&mut self, parts: &mut Vec<Part>, quoting: Quoting) -> Parsed<()> {
        let start = self.pos;
        let kind = match self.second() {
            b'(' => {
                if self.third() == b'(' {
                    self.arithmetic_or_command()?
                } else {
                    self.two();
                    self.command_substitution(SubstitutionStyle::Dollar)?
                }
            }
            b'{' => {
                self.two();
                self.enter()?;
                let kind = self.braced(quoting)?;
                self.leave();
                kind
            }
            b'[' => {
                self.bash_only()?;
                self.two();
                self.bracket_arithmetic()?
            }
            b'\'' | b'"' if quoting == Quoting::None => {
                self.bash_only()?;
                self.skip(1);
                if self.byte() == b'\'' {
                    PartKind::AnsiC(self.ansi_c_quoted()?.into())
                } else {
                    self.skip(1);
                    PartKind::Localized(self.double_quoted()?)
                }
            }
            b'\'' if quoting == Quoting::Operand => {
                self.skip(1);
                self.byte();
                let at = self.pos;
                let text = self.ansi_c_quoted()?;
                // Whether this is a quote depends on the version and on `extquote`.
                if text.iter().any(|byte| matches!(byte, b'$' | b'`' | b'"' | b'}' | b'\'')) {
                    return Err(self.unknown_at(at, Reason::Ambiguous));
                }
                PartKind::AnsiC(text.into())
            }
            // Whether these are quotes here depends on the version and on `extquote`.
            b'\'' | b'"' if matches!(quoting, Quoting::Operand | Quoting::Arithmetic) => {
                return Err(self.unknown(Reason::Ambiguous));
            }
            byte if is_name_start(byte) => {
                self.skip(1);
                let name = self.name().unwrap_or_default();
                plain(ParameterName::Variable(name))
            }
            byte @ b'0'..=b'9' => {
                self.two();
                plain(ParameterName::Positional(u32::from(byte & 15)))
            }
            byte @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.two();
                plain(ParameterName::Special(byte))
            }
            _ => {
                self.skip(1);
                let marks = Marks { dollar: quoting == Quoting::None, ..Marks::default() };
                PartKind::Literal(Literal { text: "$".into(), marks })
            }
        };
        parts.push(Part { span: self.since(start), kind });
        Ok(())
    }

    /// Passes two bytes, and line continuations between them.
    fn two(&mut self) {
        self.skip(1);
        self.byte();
        self.skip(1);
    }

    /// `$((…))`, or `$(` and a subshell. See [`parenthesis`](Self::parenthesis).
    fn arithmetic_or_command(&mut self) -> Parsed<PartKind> {
        let start = self.pos;
        let retry = self.speculate();
        self.two();
        self.expect(b'(')?;
        if let Some(arithmetic) = self.arithmetic_in_parentheses()? {
            self.settle(&retry);
            return Ok(PartKind::Arithmetic(Box::new(arithmetic)));
        }
        self.retry(&retry, start)?;
        self.two();
        let substitution = self.command_substitution(SubstitutionStyle::Dollar)?;
        self.settle_retry(&retry, start)?;
        Ok(substitution)
    }

    /// Begins something that may have to be read twice.
    pub(super) fn speculate(&mut self) -> Retry {
        let outer = std::mem::replace(&mut self.shared.speculating, true);
        Retry {
            outer,
            here_docs: self.shared.here_docs.len(),
            unbalanced: self.unbalanced,
            changes: self.shared.reading.changes.len(),
        }
    }

    /// The first reading was right.
    pub(super) fn settle(&mut self, retry: &Retry) {
        self.shared.speculating = retry.outer;
    }

    /// The first reading was wrong: goes back for the second.
    pub(super) fn retry(&mut self, retry: &Retry, start: usize) -> Parsed<()> {
        if retry.outer {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        self.spend(self.pos.saturating_sub(start))?;
        self.pos = start;
        self.unbalanced = retry.unbalanced;
        self.shared.here_docs.truncate(retry.here_docs);
        self.shared.reading.changes.truncate(retry.changes);
        Ok(())
    }

    /// The second reading is done.
    ///
    /// Bash has cut the text at the parentheses it found in the first. A comment, a here-document or a
    /// clause of `case` can make the second pair them in another way.
    pub(super) fn settle_retry(&mut self, retry: &Retry, start: usize) -> Parsed<()> {
        if self.unbalanced != retry.unbalanced || self.shared.here_docs.len() != retry.here_docs {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        self.shared.speculating = retry.outer;
        Ok(())
    }

    /// The list of a substitution in parentheses, the first of which is passed.
    fn parenthesised_list(&mut self) -> Parsed<List> {
        self.enter()?;
        self.spend(1)?;
        let pending = std::mem::take(&mut self.pending);
        self.substitutions = self.substitutions.saturating_add(1);
        let body = self.list()?;
        if !self.pending.is_empty() {
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.expect(b')')?;
        self.substitutions = self.substitutions.saturating_sub(1);
        self.pending = pending;
        self.leave();
        Ok(body)
    }

    fn command_substitution(&mut self, style: SubstitutionStyle) -> Parsed<PartKind> {
        let body = self.parenthesised_list()?;
        Ok(PartKind::Command(Box::new(CommandSubstitution { style, body })))
    }

    /// `<(…)` or `>(…)` at the position.
    pub(super) fn process_substitution(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.bash_only()?;
        let start = self.pos;
        let direction = if self.raw() == b'<' { ProcessDirection::Read } else { ProcessDirection::Write };
        self.two();
        let body = self.parenthesised_list()?;
        let kind = PartKind::Process(Box::new(ProcessSubstitution { direction, body }));
        parts.push(Part { span: self.since(start), kind });
        Ok(())
    }

    /// `${ …; }` or `${| …; }`, from the byte behind the brace on.
    pub(super) fn same_shell_substitution(&mut self) -> Parsed<PartKind> {
        self.bash_only()?;
        let style =
            if self.eat(b'|') { SubstitutionStyle::SameShellReply } else { SubstitutionStyle::SameShell };
        self.spend(1)?;
        let pending = std::mem::take(&mut self.pending);
        self.substitutions = self.substitutions.saturating_add(1);
        let outer = std::mem::replace(&mut self.brace_ends_at, self.nesting);
        let body = self.list()?;
        if body.items.is_empty() {
            return Err(self.unknown(Reason::Unsupported));
        }
        if !self.pending.is_empty() {
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.expect(b'}')?;
        self.brace_ends_at = outer;
        self.substitutions = self.substitutions.saturating_sub(1);
        self.pending = pending;
        Ok(PartKind::Command(Box::new(CommandSubstitution { style, body })))
    }

    /// A backtick substitution at the position.
    ///
    /// Bash takes the text up to the next backtick without a backslash, removes one level of
    /// backslashes, and reads what is left. So do we, in a copy if there is a backslash.
    pub(super) fn backtick(&mut self, quoting: Quoting) -> Parsed<PartKind> {
        let start = self.pos.saturating_add(1);
        let rest = self.text.get(start..).unwrap_or_default();
        let plain = rest.iter().position(|&byte| matches!(byte, b'`' | b'\\'));
        self.enter()?;
        let body = match plain.and_then(|length| Some((length, rest.get(length)?))) {
            Some((length, b'`')) => {
                let end = start.saturating_add(length);
                let text = self.text.get(..end).unwrap_or_default();
                let mut inner = self.nested(text, self.map);
                inner.pos = start;
                let body = inner.script()?;
                self.pos = end.saturating_add(1);
                body
            }
            Some(_) => self.escaped_backtick(quoting)?,
            None => return Err(self.unknown(Reason::Unclosed)),
        };
        self.leave();
        let style = SubstitutionStyle::Backtick;
        Ok(PartKind::Command(Box::new(CommandSubstitution { style, body })))
    }

    fn escaped_backtick(&mut self, quoting: Quoting) -> Parsed<List> {
        let open = self.pos;
        let mut text = Vec::new();
        let mut map = Vec::new();
        let mut pos = open.saturating_add(1);
        loop {
            let mut byte = match self.text.get(pos) {
                Some(b'`') => break,
                Some(&byte) => byte,
                None => return Err(self.unknown_at(open, Reason::Unclosed)),
            };
            let mut at = pos;
            if byte == b'\\' {
                let next = self.text.get(pos.saturating_add(1)).copied().unwrap_or(0);
                match (next, quoting) {
                    (b'\n', _) => {
                        pos = pos.saturating_add(2);
                        continue;
                    }
                    (b'"', Quoting::Operand | Quoting::Arithmetic) => {
                        return Err(self.unknown_at(pos, Reason::Ambiguous));
                    }
                    (b'$' | b'`' | b'\\', _) | (b'"', Quoting::Double) => {}
                    (0, _) => return Err(self.unknown_at(open, Reason::Unclosed)),
                    _ => {
                        text.push(b'\\');
                        map.push(self.span(pos, pos).start);
                    }
                }
                byte = next;
                at = pos.saturating_add(1);
            }
            text.push(byte);
            map.push(self.span(at, at).start);
            pos = at.saturating_add(1);
        }
        map.push(self.span(pos, pos).start);
        self.spend(text.len())?;
        let body = self.nested(&text, Some(&map)).script()?;
        self.pos = pos.saturating_add(1);
        Ok(body)
    }
}

fn plain(name: ParameterName) -> PartKind {
    PartKind::Parameter(Box::new(Parameter {
        braced: false,
        indirect: false,
        name,
        subscript: None,
        op: ParameterOp::Plain,
    }))
}
