//! Operands of `${…}`: words in which blanks and operators are text.

use super::expansion::Quoting;
use super::{Parsed, Parser};
use crate::Reason;
use crate::ast::{Marks, Part, PartKind, Word};

/// How an operand is read.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    /// What the `${…}` stands in.
    pub(super) quoting: Quoting,
    /// Whether it is a pattern or a replacement, in which single quotes quote even inside double quotes.
    pub(super) pattern: bool,
    pub(super) stop: Stop,
}

/// What ends an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The closing brace.
    Brace,
    /// The closing brace or a slash.
    Slash,
}

impl Parser<'_, '_> {
    pub(super) fn operand(&mut self, how: Operand) -> Parsed<Word> {
        self.byte();
        let start = self.pos;
        let mut word = Word::default();
        if how.quoting == Quoting::None {
            let scanned = std::mem::replace(&mut self.scanned, true);
            self.unquoted_operand(&mut word.parts, how.stop)?;
            self.scanned = scanned;
        } else {
            self.quoted_operand(&mut word.parts, how)?;
        }
        word.span = self.since(start);
        Ok(word)
    }

    fn unquoted_operand(&mut self, parts: &mut Vec<Part>, stop: Stop) -> Parsed<()> {
        loop {
            self.operand_text(parts, stop, Quoting::None)?;
            match self.raw() {
                b'}' => return Ok(()),
                b'/' if stop == Stop::Slash => return Ok(()),
                b'<' | b'>' => self.scanned_process(parts)?,
                _ => self.quoted_or_expansion(parts)?,
            }
        }
    }

    /// A process substitution, of which bash also has to see the end when it looks for the end of what is around it.
    pub(super) fn scanned_process(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let mut before = self.text.get(..self.pos).unwrap_or_default();
        while let Some(rest) = before.strip_suffix(b"\\\n") {
            before = rest;
        }
        // Behind another of these signs it does not: in `${x:+<>(a})}` the first brace closes.
        if matches!(before.last(), Some(b'<' | b'>')) {
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.process_substitution(parts)
    }

    /// A stretch of text; stops before quotes, expansions and what ends the operand.
    fn operand_text(&mut self, parts: &mut Vec<Part>, stop: Stop, quoting: Quoting) -> Parsed<()> {
        let start = self.pos;
        let mut marks = Marks::default();
        let mut high = false;
        loop {
            match self.raw() {
                0 | b'\\' | b'\'' | b'"' | b'`' | b'$' | b'}' => break,
                b'/' if stop == Stop::Slash => break,
                b'<' | b'>' if self.second() == b'(' => break,
                b'*' | b'?' | b'[' | b'(' => marks.glob = true,
                b'{' | b',' => marks.brace = true,
                b'~' => marks.tilde = true,
                b'\t' | b'\n' => {}
                byte if byte.is_ascii_control() && quoting == Quoting::None => return Err(self.unexpected()),
                byte => high |= byte >= 0x80,
            }
            self.skip(1);
        }
        if self.pos == start {
            return Ok(());
        }
        if high && self.shared.odd_blanks && quoting == Quoting::None {
            self.refuse_odd_blanks(start, self.pos)?;
        }
        let text = self.text.get(start..self.pos).unwrap_or_default();
        self.push_literal(parts, start, text, marks);
        Ok(())
    }

    /// An operand inside double quotes, a here-document or arithmetic.
    ///
    /// A single quote is text there, except in patterns. Yet bash pairs the quotes when it looks for
    /// the closing brace, so what stands between them must not matter to that search.
    fn quoted_operand(&mut self, parts: &mut Vec<Part>, how: Operand) -> Parsed<()> {
        let mut within_single = false;
        let mut parentheses = 0_u32;
        loop {
            self.spend(1)?;
            let start = self.pos;
            self.operand_text(parts, how.stop, Quoting::Operand)?;
            if how.quoting == Quoting::Arithmetic {
                self.count_parentheses(start, &mut parentheses)?;
            }
            match self.raw() {
                0 => return Err(self.unknown(Reason::Unclosed)),
                b'}' | b'"' | b'\\' if within_single => return Err(self.unknown(Reason::Ambiguous)),
                b'}' if parentheses > 0 => return Err(self.unknown(Reason::Ambiguous)),
                b'}' => return Ok(()),
                b'/' if how.stop == Stop::Slash => return Ok(()),
                b'\'' if how.pattern => self.undisputed_single_quoted(parts)?,
                b'\'' => {
                    within_single = !within_single;
                    self.push_literal_byte(parts, b'\'');
                }
                b'"' => {
                    self.push_double_quoted(parts, Quoting::Inner)?;
                    // Bash removes these quotes before it expands: in `"${x:-"$"(a)}"` it runs `a`.
                    let before = self.pos.checked_sub(2).and_then(|at| self.text.get(at));
                    if before == Some(&b'$') {
                        return Err(self.unknown(Reason::Ambiguous));
                    }
                }
                b'`' => self.backtick(parts, Quoting::Operand)?,
                b'$' => self.dollar(parts, Quoting::Operand)?,
                b'\\' => self.operand_escape(parts, how.pattern)?,
                // Text, but bash looks for the end of a process substitution in it.
                b'<' | b'>' => return Err(self.unknown(Reason::Ambiguous)),
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// Bash counts parentheses when it looks for the end of the arithmetic around the operand.
    fn count_parentheses(&self, start: usize, open: &mut u32) -> Parsed<()> {
        for &byte in self.text.get(start..self.pos).unwrap_or_default() {
            match (byte, *open) {
                (b'(', _) => *open = open.saturating_add(1),
                (b')', 0) => return Err(self.unknown_at(start, Reason::Ambiguous)),
                (b')', _) => *open = open.saturating_sub(1),
                _ => {}
            }
        }
        Ok(())
    }

    /// A backslash in an operand inside double quotes.
    fn operand_escape(&mut self, parts: &mut Vec<Part>, pattern: bool) -> Parsed<()> {
        let start = self.pos;
        let next = self.text.get(start.saturating_add(1)).copied().unwrap_or(0);
        match next {
            0 => return Err(self.unknown(Reason::Unclosed)),
            b'\n' => self.skip(2),
            b'$' | b'`' | b'"' | b'\\' | b'}' => {
                self.skip(2);
                self.push(parts, start, PartKind::Escaped(next));
            }
            _ if pattern => {
                self.skip(2);
                self.push(parts, start, PartKind::Escaped(next));
            }
            _ => {
                self.push_literal_byte(parts, b'\\');
                self.push_literal_byte(parts, next);
            }
        }
        Ok(())
    }

    /// `'…'` where bash may or may not take the quotes for quotes: the text must be the same to both.
    pub(super) fn undisputed_single_quoted(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        let text = self.single_quoted()?;
        if text.iter().any(|byte| matches!(byte, b'$' | b'`' | b'\\' | b'"' | b'}')) {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        self.push(parts, start, PartKind::SingleQuoted(text.into()));
        Ok(())
    }
}
