//! What begins with `$`, a backtick, or `<(`.

use super::bytes::is_name_start;
use super::here_doc::PendingHereDoc;
use super::{Copied, Parsed, Parser};
use crate::ast::{
    CommandSubstitution, List, Literal, Marks, Parameter, ParameterName, ParameterOp, Part, PartKind, Prefix,
    ProcessDirection, ProcessSubstitution, SubstitutionStyle,
};
use crate::{Reason, ansi_c};

/// The quotes around an expansion, which say how quotes inside it are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    /// Directly inside double quotes.
    Double,
    /// Directly inside double quotes that stand in an operand or in arithmetic.
    Inner,
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
    /// Whether here-documents were waiting for the end of the line.
    pending: bool,
    here_docs: usize,
    unbalanced: usize,
    changes: usize,
}

/// What is true around a substitution and not inside.
struct Around {
    pending: Vec<PendingHereDoc>,
    copy: Copied,
    scanned: bool,
}

impl Parser<'_, '_> {
    /// Reads what begins with the `$` at the position.
    pub(super) fn dollar(&mut self, parts: &mut Vec<Part>, quoting: Quoting) -> Parsed<()> {
        let start = self.pos;
        match self.second() {
            b'(' if self.third() == b'(' => self.arithmetic_or_command(parts),
            b'(' => {
                self.two();
                self.command_substitution(parts, start)
            }
            b'{' => {
                self.two();
                self.enter()?;
                self.braced(parts, start, quoting)?;
                self.leave();
                Ok(())
            }
            b'[' => self.bracket_arithmetic(parts),
            b'\'' | b'"' => self.dollar_quote(parts, quoting),
            // When bash looks for the end of a word once more, it takes the second for an expansion.
            b'$' if matches!(self.third(), b'(' | b'{' | b'[') => Err(self.unknown(Reason::Ambiguous)),
            next => {
                self.unbraced(parts, next, quoting);
                Ok(())
            }
        }
    }

    /// `$x`, or a `$` that means itself.
    fn unbraced(&mut self, parts: &mut Vec<Part>, next: u8, quoting: Quoting) {
        let start = self.pos;
        let name = match next {
            byte if is_name_start(byte) => {
                self.skip(1);
                ParameterName::Variable(self.name().unwrap_or_default())
            }
            b'0'..=b'9' => {
                self.two();
                ParameterName::Positional(u32::from(next & 15))
            }
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                self.two();
                ParameterName::Special(next)
            }
            _ => {
                self.skip(1);
                let marks = Marks { dollar: quoting == Quoting::None, ..Marks::default() };
                self.push(parts, start, PartKind::Literal(Literal { text: "$".into(), marks }));
                return;
            }
        };
        let op = ParameterOp::Plain;
        let parameter = Parameter { braced: false, indirect: false, name, subscript: None, op };
        self.push(parts, start, PartKind::Parameter(Box::new(parameter)));
    }

    /// A `$` in front of a quote.
    fn dollar_quote(&mut self, parts: &mut Vec<Part>, quoting: Quoting) -> Parsed<()> {
        let start = self.pos;
        let single = self.second() == b'\'';
        let kind = match quoting {
            Quoting::None => {
                self.bash_only()?;
                self.skip(1);
                self.byte();
                if single {
                    let text = self.ansi_c_quoted()?;
                    if self.scanned && self.copy != Copied::No && !stays_quoted(text) {
                        return Err(self.unknown_at(start, Reason::Ambiguous));
                    }
                    PartKind::AnsiC(text.into())
                } else {
                    self.skip(1);
                    PartKind::Localized(self.double_quoted()?)
                }
            }
            Quoting::Double | Quoting::Inner | Quoting::HereDoc => {
                self.unbraced(parts, b'\'', quoting);
                return Ok(());
            }
            Quoting::Operand if single => {
                self.skip(1);
                self.byte();
                let text = self.ansi_c_quoted()?;
                // Whether this is a quote depends on the version and on `extquote`.
                if text.iter().any(|byte| matches!(byte, b'$' | b'`' | b'"' | b'}' | b'\'')) {
                    return Err(self.unknown_at(start, Reason::Ambiguous));
                }
                PartKind::AnsiC(text.into())
            }
            Quoting::Operand | Quoting::Arithmetic => return Err(self.unknown(Reason::Ambiguous)),
        };
        self.push(parts, start, kind);
        Ok(())
    }

    /// Passes two bytes, and line continuations between them.
    pub(super) fn two(&mut self) {
        self.byte();
        self.skip(1);
        self.byte();
        self.skip(1);
    }

    /// `$((…))`, or `$(` and a subshell. See [`parenthesis`](Self::parenthesis).
    fn arithmetic_or_command(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        let retry = self.speculate();
        if self.arithmetic_expansion(parts)? {
            self.settle(&retry);
            return Ok(());
        }
        self.retry(&retry, start)?;
        self.two();
        self.command_substitution(parts, start)?;
        self.settle_retry(&retry, start)
    }

    fn arithmetic_expansion(&mut self, parts: &mut Vec<Part>) -> Parsed<bool> {
        let start = self.pos;
        self.two();
        self.eat(b'(');
        let arithmetic = self.arithmetic_in_parentheses()?;
        let found = arithmetic.is_some();
        if let Some(arithmetic) = arithmetic {
            self.push(parts, start, PartKind::Arithmetic(Box::new(arithmetic)));
        }
        Ok(found)
    }

    /// Begins something that may have to be read twice.
    pub(super) fn speculate(&mut self) -> Retry {
        let outer = std::mem::replace(&mut self.shared.speculating, true);
        Retry {
            outer,
            pending: !self.pending.is_empty(),
            here_docs: self.shared.here_docs.len(),
            unbalanced: self.shared.unbalanced,
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
        self.shared.unbalanced = retry.unbalanced;
        self.shared.here_docs.truncate(retry.here_docs);
        self.shared.reading.changes.truncate(retry.changes);
        Ok(())
    }

    /// The second reading is done.
    ///
    /// Bash has cut the text at the parentheses it found in the first. A comment, a here-document or a
    /// clause of `case` can make the second pair them in another way, a document that began before is not
    /// looked for in text that was cut, and a `$` in front of quotes may be dropped with them.
    pub(super) fn settle_retry(&mut self, retry: &Retry, start: usize) -> Parsed<()> {
        let text = self.text.get(start..self.pos).unwrap_or_default();
        let drops_quotes = text.windows(2).any(|pair| matches!(pair, b"$'" | b"$\""));
        if self.shared.unbalanced != retry.unbalanced || retry.pending || drops_quotes {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        self.shared.speculating = retry.outer;
        Ok(())
    }

    /// The list of a substitution in parentheses, the first of which is passed.
    fn parenthesised_list(&mut self, list: &mut List) -> Parsed<()> {
        self.enter()?;
        let start = self.pos;
        let outer = self.begin_substitution();
        self.list(list)?;
        if begins_with_time(list) {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        self.expect(b')')?;
        self.end_substitution(outer)?;
        self.leave();
        Ok(())
    }

    /// Here-documents outside a substitution do not begin inside it.
    fn begin_substitution(&mut self) -> Around {
        self.substitutions = self.substitutions.saturating_add(1);
        Around {
            pending: std::mem::take(&mut self.pending),
            copy: std::mem::replace(&mut self.copy, Copied::Yes),
            scanned: std::mem::replace(&mut self.scanned, false),
        }
    }

    fn end_substitution(&mut self, around: Around) -> Parsed<()> {
        if !self.pending.is_empty() {
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.substitutions = self.substitutions.saturating_sub(1);
        self.pending = around.pending;
        self.copy = around.copy;
        self.scanned = around.scanned;
        Ok(())
    }

    /// `$(…)` from behind its parenthesis on.
    fn command_substitution(&mut self, parts: &mut Vec<Part>, start: usize) -> Parsed<()> {
        let mut substitution = new_substitution(SubstitutionStyle::Dollar);
        self.parenthesised_list(&mut substitution.body)?;
        self.push(parts, start, PartKind::Command(substitution));
        Ok(())
    }

    /// `<(…)` or `>(…)` at the position.
    pub(super) fn process_substitution(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.bash_only()?;
        let start = self.pos;
        let direction = if self.raw() == b'<' { ProcessDirection::Read } else { ProcessDirection::Write };
        self.two();
        let mut substitution = Box::new(ProcessSubstitution { direction, body: List::default() });
        // Bash tries arithmetic here too, though it never takes it, and pairs parentheses for that.
        let retry = (self.byte() == b'(').then(|| self.speculate());
        self.parenthesised_list(&mut substitution.body)?;
        if let Some(retry) = retry {
            self.settle_retry(&retry, start)?;
        }
        self.push(parts, start, PartKind::Process(substitution));
        Ok(())
    }

    /// `${ …; }` or `${| …; }`, from the byte behind the brace on.
    pub(super) fn same_shell_substitution(&mut self, parts: &mut Vec<Part>, start: usize) -> Parsed<()> {
        self.bash_only()?;
        let reply = self.eat(b'|');
        let style = if reply { SubstitutionStyle::SameShellReply } else { SubstitutionStyle::SameShell };
        self.spend(1)?;
        let around = self.begin_substitution();
        // Up to bash 5.2 it is the text of a parameter.
        self.scanned = true;
        let outer = std::mem::replace(&mut self.brace_ends_at, self.nesting);
        let (body_start, unbalanced) = (self.pos, self.shared.unbalanced);
        let mut substitution = new_substitution(style);
        self.list(&mut substitution.body)?;
        // Older versions do not see commands in it.
        self.note_unbalanced();
        if substitution.body.items.is_empty() {
            return Err(self.unknown(Reason::Unsupported));
        }
        // Older versions take everything up to the first brace for a parameter.
        let body = self.text.get(body_start..self.pos).unwrap_or_default();
        if body.contains(&b'}') || self.shared.unbalanced != unbalanced.saturating_add(1) {
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.expect(b'}')?;
        self.brace_ends_at = outer;
        self.end_substitution(around)?;
        self.push(parts, start, PartKind::Command(substitution));
        Ok(())
    }

    /// A backtick substitution at the position.
    ///
    /// Bash takes the text up to the next backtick without a backslash, removes one level of
    /// backslashes, and reads what is left. So do we, in a copy if there is a backslash.
    pub(super) fn backtick(&mut self, parts: &mut Vec<Part>, quoting: Quoting) -> Parsed<()> {
        let open = self.pos;
        let mut substitution = new_substitution(SubstitutionStyle::Backtick);
        self.enter()?;
        match self.plain_backtick_end()? {
            Some(end) => self.plain_backtick(&mut substitution.body, end)?,
            None => self.escaped_backtick(&mut substitution.body, quoting)?,
        }
        self.leave();
        self.push(parts, open, PartKind::Command(substitution));
        Ok(())
    }

    /// Where the backtick substitution at the position ends, if there is no backslash in it.
    fn plain_backtick_end(&self) -> Parsed<Option<usize>> {
        let start = self.pos.saturating_add(1);
        let rest = self.text.get(start..).unwrap_or_default();
        match rest.iter().position(|&byte| matches!(byte, b'`' | b'\\')) {
            Some(length) if rest.get(length) == Some(&b'`') => Ok(Some(start.saturating_add(length))),
            Some(_) => Ok(None),
            None => Err(self.unknown(Reason::Unclosed)),
        }
    }

    fn plain_backtick(&mut self, body: &mut List, end: usize) -> Parsed<()> {
        let text = self.text.get(..end).unwrap_or_default();
        let start = self.pos.saturating_add(1);
        let mut inner = self.nested(text, self.map);
        inner.pos = start;
        inner.script(body)?;
        self.pos = end.saturating_add(1);
        Ok(())
    }

    fn escaped_backtick(&mut self, body: &mut List, quoting: Quoting) -> Parsed<()> {
        let (text, map, end) = self.unescaped_backtick(quoting)?;
        self.spend(text.len())?;
        self.nested(&text, Some(&map)).script(body)?;
        self.pos = end;
        Ok(())
    }

    /// The text of a backtick substitution with one level of backslashes removed, where its bytes were,
    /// and where the substitution ends.
    fn unescaped_backtick(&self, quoting: Quoting) -> Parsed<(Vec<u8>, Vec<u32>, usize)> {
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
                    (b'"', Quoting::Operand | Quoting::Arithmetic | Quoting::Inner) => {
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
        Ok((text, map, pos.saturating_add(1)))
    }
}

/// Whether text between `$'` and `'` means the same without these quotes.
///
/// Bash 5.2 drops them when it copies a substitution in double quotes: `"$(a ${x:-$'$(b)'})"` runs `b`.
fn stays_quoted(raw: &[u8]) -> bool {
    let special = |byte: &u8| b"$`\"'\\{}<>()|&;#".contains(byte);
    ansi_c::decode(raw).is_some_and(|text| !text.iter().any(special))
}

/// Whether `time` becomes the first word: the copy of a substitution has it in front of `!`, directly
/// behind the parenthesis, where it is not reserved in bash 5.2.
fn begins_with_time(list: &List) -> bool {
    let prefixes = list.items.first().map(|item| item.first.prefixes.as_slice()).unwrap_or_default();
    prefixes.iter().any(|prefix| *prefix != Prefix::Not)
}

fn new_substitution(style: SubstitutionStyle) -> Box<CommandSubstitution> {
    Box::new(CommandSubstitution { style, body: List::default() })
}
