//! Words and quotes.

use super::bytes::{BRACE, GLOB, HIGH, STOP, TILDE, class};
use super::expansion::Quoting;
use super::{Parsed, Parser};
use crate::Reason;
use crate::ast::{ExtendedGlob, Literal, Marks, Part, PartKind, Word};

/// Where a word stands, which says what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A command word or argument.
    Argument,
    /// The right side of `==` in `[[ … ]]`, where extended globs are always read.
    Pattern,
    /// The right side of `=~`.
    Regex,
}

impl<'p> Parser<'p, '_> {
    /// A word. It has no parts if none stands here.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        self.word_in(Place::Argument)
    }

    pub(super) fn word_in(&mut self, place: Place) -> Parsed<Word> {
        self.byte();
        let start = self.pos;
        let mut parts = Vec::with_capacity(1);
        self.word_parts(&mut parts, place)?;
        Ok(Word { span: self.since(start), parts })
    }

    /// Reads parts up to an unquoted metacharacter.
    pub(super) fn word_parts(&mut self, parts: &mut Vec<Part>, place: Place) -> Parsed<()> {
        loop {
            self.literal(parts)?;
            match self.raw() {
                b'<' | b'>' if self.second() == b'(' => self.process_substitution(parts)?,
                b'(' if place == Place::Regex => self.regex_group(parts)?,
                b'(' if self.extended_glob_op(parts, place) => self.extended_glob(parts)?,
                b'|' if place == Place::Regex && self.second() != b'|' => {
                    self.push_literal_byte(parts, b'|');
                }
                0 | b' ' | b'\t' | b'\n' | b'<' | b'>' | b'(' | b')' | b';' | b'&' | b'|' => return Ok(()),
                _ => self.quoted_or_expansion(parts)?,
            }
        }
    }

    /// Reads a stretch of unquoted bytes without meaning for the lexer.
    #[inline]
    pub(super) fn literal(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        let rest = self.text.get(start..).unwrap_or_default();
        let mut seen = 0;
        let mut length = rest.len();
        for (at, &byte) in rest.iter().enumerate() {
            let class = class(byte);
            if class & STOP != 0 {
                length = at;
                break;
            }
            seen |= class;
        }
        if length == 0 {
            return Ok(());
        }
        self.skip(length);
        if seen & HIGH != 0 && self.shared.odd_blanks {
            self.refuse_odd_blanks(start, self.pos)?;
        }
        let marks = Marks {
            glob: seen & GLOB != 0,
            brace: seen & BRACE != 0,
            tilde: seen & TILDE != 0,
            dollar: false,
        };
        let text = rest.get(..length).unwrap_or_default().into();
        parts.push(Part { span: self.since(start), kind: PartKind::Literal(Literal { text, marks }) });
        Ok(())
    }

    /// Passes a byte that means itself here although it is a metacharacter elsewhere.
    pub(super) fn push_literal_byte(&mut self, parts: &mut Vec<Part>, byte: u8) {
        let start = self.pos;
        self.skip(1);
        let marks = Marks { glob: byte == b'(', ..Marks::default() };
        let literal = Literal { text: [byte].as_slice().into(), marks };
        parts.push(Part { span: self.since(start), kind: PartKind::Literal(literal) });
    }

    /// What begins with a quote, a backslash, a backtick or a dollar sign outside double quotes.
    pub(super) fn quoted_or_expansion(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.spend(1)?;
        let start = self.pos;
        let kind = match self.raw() {
            b'\\' => {
                // A continuation is passed; the literal goes on behind it.
                if self.byte() != b'\\' {
                    return Ok(());
                }
                let start = self.pos;
                let byte = self.text.get(start.saturating_add(1)).copied().unwrap_or(0);
                if byte == 0 {
                    // At the end of everything the backslash is text.
                    if self.nesting > 0 {
                        return Err(self.unknown(Reason::Unclosed));
                    }
                    self.push_literal_byte(parts, b'\\');
                    return Ok(());
                }
                if byte.is_ascii_control() && byte != b'\t' {
                    return Err(self.unknown(Reason::ControlCharacter));
                }
                if byte >= 0x80 && self.shared.odd_blanks {
                    return Err(self.unknown(Reason::OddBlank));
                }
                self.skip(2);
                parts.push(Part { span: self.since(start), kind: PartKind::Escaped(byte) });
                return Ok(());
            }
            b'\'' => PartKind::SingleQuoted(self.single_quoted()?.into()),
            b'"' => {
                self.skip(1);
                PartKind::DoubleQuoted(self.double_quoted()?)
            }
            b'`' => self.backtick(Quoting::None)?,
            b'$' => return self.dollar(parts, Quoting::None),
            _ => return Err(self.unexpected()),
        };
        parts.push(Part { span: self.since(start), kind });
        Ok(())
    }

    /// The text between single quotes.
    pub(super) fn single_quoted(&mut self) -> Parsed<&'p [u8]> {
        let start = self.pos;
        let rest = self.text.get(start.saturating_add(1)..).unwrap_or_default();
        let Some(length) = rest.iter().position(|&byte| byte == b'\'') else {
            return Err(self.unknown(Reason::Unclosed));
        };
        self.pos = start.saturating_add(length).saturating_add(2);
        Ok(rest.get(..length).unwrap_or_default())
    }

    /// The text of `$'…'` from its quote on.
    pub(super) fn ansi_c_quoted(&mut self) -> Parsed<&'p [u8]> {
        let start = self.pos;
        let rest = self.text.get(start.saturating_add(1)..).unwrap_or_default();
        let mut escaped = false;
        for (length, &byte) in rest.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'\'' => {
                    self.pos = start.saturating_add(length).saturating_add(2);
                    return Ok(rest.get(..length).unwrap_or_default());
                }
                _ => {}
            }
        }
        Err(self.unknown(Reason::Unclosed))
    }

    /// The parts behind an opening double quote, which is passed, and the closing one.
    pub(super) fn double_quoted(&mut self) -> Parsed<Vec<Part>> {
        let start = self.pos;
        let mut parts = Vec::new();
        self.double_quoted_parts(&mut parts, Quoting::Double)?;
        if self.raw() != b'"' {
            return Err(self.unknown_at(start.saturating_sub(1), Reason::Unclosed));
        }
        self.skip(1);
        Ok(parts)
    }

    /// Reads parts up to a double quote (not in a here-document) or the end of the text.
    pub(super) fn double_quoted_parts(&mut self, parts: &mut Vec<Part>, quoting: Quoting) -> Parsed<()> {
        let here_doc = quoting == Quoting::HereDoc;
        loop {
            self.spend(1)?;
            let start = self.pos;
            let rest = self.text.get(start..).unwrap_or_default();
            let mut length = 0_usize;
            while let Some(&byte) = rest.get(length) {
                match byte {
                    b'$' | b'`' => break,
                    b'"' if !here_doc => break,
                    b'\\'
                        if matches!(
                            rest.get(length.saturating_add(1)),
                            Some(b'$' | b'`' | b'\\' | b'\n')
                        ) =>
                    {
                        break;
                    }
                    b'\\' if !here_doc && rest.get(length.saturating_add(1)) == Some(&b'"') => break,
                    _ => {}
                }
                length = length.saturating_add(1);
            }
            if length > 0 {
                self.skip(length);
                let text = rest.get(..length).unwrap_or_default().into();
                let literal = Literal { text, marks: Marks::default() };
                parts.push(Part { span: self.since(start), kind: PartKind::Literal(literal) });
            }
            match rest.get(length) {
                Some(b'$') => self.dollar(parts, quoting)?,
                Some(b'`') => {
                    let start = self.pos;
                    let kind = self.backtick(quoting)?;
                    parts.push(Part { span: self.since(start), kind });
                }
                Some(b'\\') => {
                    let start = self.pos;
                    let byte = rest.get(length.saturating_add(1)).copied().unwrap_or(0);
                    self.skip(2);
                    if byte != b'\n' {
                        parts.push(Part { span: self.since(start), kind: PartKind::Escaped(byte) });
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Whether the literal before a parenthesis ends in the operator of an extended glob.
    ///
    /// Outside `[[ … ]]` bash reads them only in lines after `shopt -s extglob`. Whether that has run is
    /// not for a parser to say, so the parenthesis is a syntax error there.
    fn extended_glob_op(&self, parts: &[Part], place: Place) -> bool {
        let Some(Part { kind: PartKind::Literal(literal), .. }) = parts.last() else {
            return false;
        };
        if !matches!(literal.text.last(), Some(b'?' | b'*' | b'+' | b'@' | b'!')) {
            return false;
        }
        match place {
            Place::Pattern => true,
            Place::Argument | Place::Regex => false,
        }
    }

    /// An extended glob whose operator is the last byte of the parts.
    fn extended_glob(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let Some(Part { kind: PartKind::Literal(literal), mut span }) = parts.pop() else {
            return Err(self.unexpected());
        };
        let Some((&op, before)) = literal.text.split_last() else {
            return Err(self.unexpected());
        };
        let op_start = span.end.saturating_sub(1);
        if !before.is_empty() {
            span.end = op_start;
            let marks = Marks { glob: before.iter().any(|&byte| class(byte) & GLOB != 0), ..literal.marks };
            parts.push(Part { span, kind: PartKind::Literal(Literal { text: before.into(), marks }) });
        }
        self.enter()?;
        self.skip(1);
        let mut alternatives = Vec::with_capacity(1);
        loop {
            let start = self.pos;
            let mut word = Vec::new();
            self.alternative(&mut word)?;
            alternatives.push(Word { span: self.since(start), parts: word });
            if self.eat(b')') {
                break;
            }
            self.expect(b'|')?;
        }
        self.leave();
        let span = crate::ast::Span { start: op_start, end: self.since(self.pos).end };
        parts.push(Part { span, kind: PartKind::ExtendedGlob(Box::new(ExtendedGlob { op, alternatives })) });
        Ok(())
    }

    /// One alternative of an extended glob, where only `|` and `)` are special.
    fn alternative(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        loop {
            self.literal(parts)?;
            match self.raw() {
                b'|' | b')' => return Ok(()),
                b'(' if self.extended_glob_op(parts, Place::Pattern) => self.extended_glob(parts)?,
                byte @ (b' ' | b'\t') => self.push_literal_byte(parts, byte),
                b'<' | b'>' if self.second() == b'(' => self.process_substitution(parts)?,
                b'(' | b'<' | b'>' | b'&' | b';' | b'\n' => return Err(self.unknown(Reason::Unsupported)),
                _ => self.quoted_or_expansion(parts)?,
            }
        }
    }

    /// A parenthesised group of a regular expression; blanks and operators are text in it.
    fn regex_group(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let mut open = 0_u32;
        loop {
            match self.raw() {
                b'(' => {
                    open = open.saturating_add(1);
                    self.push_literal_byte(parts, b'(');
                }
                b')' => {
                    open = open.saturating_sub(1);
                    self.push_literal_byte(parts, b')');
                    if open == 0 {
                        return Ok(());
                    }
                }
                b'<' | b'>' if self.second() == b'(' => self.process_substitution(parts)?,
                byte @ (b'|' | b' ' | b'\t' | b'<' | b'>' | b'&' | b';') => {
                    self.push_literal_byte(parts, byte)
                }
                b'\n' => return Err(self.unknown(Reason::Unsupported)),
                byte if class(byte) & STOP == 0 => self.literal(parts)?,
                _ => self.quoted_or_expansion(parts)?,
            }
            self.spend(1)?;
        }
    }
}
