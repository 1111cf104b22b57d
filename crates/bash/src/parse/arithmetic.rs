//! Arithmetic text: `((…))`, `$((…))`, `$[…]`, subscripts and slices.
//!
//! Bash expands the text as if it stood in double quotes and then evaluates what comes out, looking up
//! names and expanding subscripts once more. So whatever could turn into an expansion in that second
//! step (an escaped dollar sign, a quoted one) is refused.

use super::expansion::Quoting;
use super::{Parsed, Parser, expression};
use crate::Reason;
use crate::ast::{Arithmetic, Marks, Part, PartKind, Subscript, SubscriptKind};

/// How deep an expression may be. Its reader needs more stack for a level than the parser does.
const MAX_DEPTH: u32 = 40;

/// What ends the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// `)`
    Parenthesis,
    /// `;`
    Semicolon,
    /// `]`
    Bracket,
    /// `]`, where any text may be the key of an associative array.
    Subscript,
    /// `:` or `}`
    Slice,
}

impl Parser<'_, '_> {
    /// The text behind `((` and its `))`; `None` if the parenthesis that closes the inner one is not
    /// followed by another, so that it is no arithmetic.
    pub(super) fn arithmetic_in_parentheses(&mut self) -> Parsed<Option<Arithmetic>> {
        self.enter()?;
        let start = self.pos;
        let parts = self.arithmetic_parts(Until::Parenthesis)?;
        match self.text.get(self.pos.saturating_add(1)) {
            Some(b')') => {}
            // A line continuation in between: bash takes `((` for subshells, but not `$((`.
            Some(b'\\') => return Err(self.unknown(Reason::Ambiguous)),
            _ => {
                self.leave();
                return Ok(None);
            }
        }
        let arithmetic = self.arithmetic(start, parts, Until::Parenthesis)?;
        self.expect(b')')?;
        self.expect(b')')?;
        self.leave();
        Ok(Some(arithmetic))
    }

    /// `$[…]` at the position.
    pub(super) fn bracket_arithmetic(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.bash_only()?;
        let start = self.pos;
        self.two();
        let mut arithmetic = self.arithmetic_text(Until::Bracket)?;
        arithmetic.bracket = true;
        self.expect(b']')?;
        self.push(parts, start, PartKind::Arithmetic(Box::new(arithmetic)));
        Ok(())
    }

    /// A subscript from behind the bracket on, up to the closing one.
    pub(super) fn subscript(&mut self) -> Parsed<Subscript> {
        let start = self.pos;
        let kind = match (self.byte(), self.second()) {
            (b'@', b']') => SubscriptKind::At,
            (b'*', b']') => SubscriptKind::Star,
            _ => {
                let text = self.arithmetic_text(Until::Subscript)?;
                if text.parts.is_empty() {
                    return Err(self.unknown(Reason::Unsupported));
                }
                return Ok(Subscript { span: text.span, kind: SubscriptKind::Index(text) });
            }
        };
        self.skip(1);
        Ok(Subscript { span: self.since(start), kind })
    }

    /// Text up to what ends it, which is not passed.
    pub(super) fn arithmetic_text(&mut self, until: Until) -> Parsed<Arithmetic> {
        self.enter()?;
        let start = self.pos;
        let parts = self.arithmetic_parts(until)?;
        self.leave();
        self.arithmetic(start, parts, until)
    }

    fn arithmetic(&mut self, start: usize, parts: Vec<Part>, until: Until) -> Parsed<Arithmetic> {
        let left = self.shared.options.max_depth.saturating_sub(self.shared.depth).min(MAX_DEPTH);
        let expression = expression::read(&parts, left);
        if expression.is_none() && until != Until::Subscript && !is_excused(&parts) {
            return Err(self.unknown_at(start, Reason::Unsupported));
        }
        Ok(Arithmetic { span: self.since(start), bracket: false, parts, expression })
    }

    /// The parts up to what ends the text.
    ///
    fn arithmetic_parts(&mut self, until: Until) -> Parsed<Vec<Part>> {
        let (start, unbalanced) = (self.pos, self.shared.unbalanced);
        let parts = self.unchecked_parts(until)?;
        if self.shared.unbalanced != unbalanced {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        if parts.iter().any(|part| !matches!(part.kind, PartKind::Literal(_))) {
            let brackets = matches!(until, Until::Bracket | Until::Subscript);
            self.balance(start, brackets)?;
        }
        Ok(parts)
    }

    fn unchecked_parts(&mut self, until: Until) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let mut parentheses = 0_u32;
        let mut brackets = 0_u32;
        let mut questions = 0_u32;
        let mut run = self.pos;
        loop {
            let here = self.pos;
            let open = parentheses > 0 || brackets > 0;
            match self.raw() {
                0 => return Err(self.unknown(Reason::Unclosed)),
                b'$' | b'`' | b'"' | b'\'' | b'\\' => {
                    self.end_run(&mut parts, run);
                    self.arithmetic_quoted(&mut parts)?;
                    run = self.pos;
                    continue;
                }
                b'(' => parentheses = parentheses.saturating_add(1),
                b')' if parentheses > 0 => parentheses = parentheses.saturating_sub(1),
                b')' if brackets == 0 && until == Until::Parenthesis => break,
                b')' => return Err(self.unknown(Reason::Syntax)),
                b'[' => brackets = brackets.saturating_add(1),
                b']' if brackets > 0 => brackets = brackets.saturating_sub(1),
                b']' if !open && matches!(until, Until::Bracket | Until::Subscript) => break,
                b']' => return Err(self.unknown(Reason::Ambiguous)),
                b';' if until == Until::Semicolon && !open => break,
                b'}' if until == Until::Slice && !open => break,
                b'?' => questions = questions.saturating_add(1),
                b':' if questions > 0 => questions = questions.saturating_sub(1),
                b':' if until == Until::Slice && !open => break,
                // Only between parentheses can this turn out to be no arithmetic at all.
                b';' | b'{' | b'}' if until != Until::Parenthesis => {
                    return Err(self.unknown(Reason::Unsupported));
                }
                b'<' | b'>' if until == Until::Subscript && self.second() == b'(' => {
                    return Err(self.unknown(Reason::Ambiguous));
                }
                b'\t' | b'\n' => {}
                byte if byte.is_ascii_control() => return Err(self.unknown(Reason::ControlCharacter)),
                _ => {}
            }
            self.pos = here.saturating_add(1);
        }
        self.end_run(&mut parts, run);
        Ok(parts)
    }

    fn end_run(&self, parts: &mut Vec<Part>, run: usize) {
        if run < self.pos {
            let text = self.text.get(run..self.pos).unwrap_or_default();
            self.push_literal(parts, run, text, Marks::default());
        }
    }

    fn arithmetic_quoted(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.spend(1)?;
        match self.raw() {
            b'$' => self.dollar(parts, Quoting::Arithmetic),
            b'`' => self.backtick(parts, Quoting::Arithmetic),
            b'\'' => self.undisputed_single_quoted(parts),
            b'"' => {
                self.push_double_quoted(parts, Quoting::Inner)?;
                match parts.last().map(|part| &part.kind) {
                    Some(PartKind::DoubleQuoted(inner))
                        if inner.iter().any(|part| matches!(part.kind, PartKind::Escaped(_))) =>
                    {
                        Err(self.unknown(Reason::Ambiguous))
                    }
                    _ => Ok(()),
                }
            }
            _ if self.byte() != b'\\' => Ok(()),
            _ => Err(self.unknown(Reason::Ambiguous)),
        }
    }
}

/// Whether text that is no expression for us may be one after its expansions.
fn is_excused(parts: &[Part]) -> bool {
    let mut expands = false;
    let mut blank = true;
    for part in parts {
        match &part.kind {
            PartKind::Literal(literal) => {
                let mut before = b' ';
                for &byte in literal.text.iter() {
                    let known = byte.is_ascii_alphanumeric()
                        || byte.is_ascii_whitespace()
                        || b"_+-*/%<>=!&|^~?:,()[].@".contains(&byte)
                        // A comment to whoever takes it for commands.
                        || byte == b'#' && before.is_ascii_alphanumeric();
                    if !known {
                        return false;
                    }
                    blank &= byte.is_ascii_whitespace();
                    before = byte;
                }
            }
            PartKind::SingleQuoted(_) => return false,
            _ => expands = true,
        }
    }
    expands || blank
}
