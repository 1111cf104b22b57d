//! Words and quotes.

use super::bytes::{BRACE, GLOB, HIGH, STOP, TILDE, class};
use super::expansion::Quoting;
use super::{Parsed, Parser};
use crate::Reason;
use crate::ast::{ExtendedGlob, Literal, Marks, Part, PartKind, Word};

/// Longer text is not copied to join it with what follows, or many line continuations would take
/// quadratic time.
const LONGEST_JOINED: usize = 256;

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

    /// A word that must stand here.
    pub(super) fn push_word(&mut self, words: &mut Vec<Word>) -> Parsed<()> {
        self.byte();
        let start = self.pos;
        words.push(Word { span: self.since(start), parts: Vec::with_capacity(1) });
        if let Some(word) = words.last_mut() {
            self.word_parts(&mut word.parts, Place::Argument)?;
            word.span = self.since(start);
            if word.parts.is_empty() {
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    /// Reads parts up to an unquoted metacharacter.
    pub(super) fn word_parts(&mut self, parts: &mut Vec<Part>, place: Place) -> Parsed<()> {
        loop {
            self.literal(parts)?;
            match self.raw() {
                b'<' | b'>' if self.second() == b'(' => self.process_substitution(parts)?,
                b'(' if place == Place::Regex => self.regex_group(parts)?,
                b'(' if self.extended_glob_op(parts, place) => self.extended_glob(parts)?,
                b'|' if place == Place::Regex && !parts.is_empty() => {
                    if self.second() == b'|' {
                        // An operator or two empty alternatives, as versions have it.
                        return Err(self.unknown(Reason::Ambiguous));
                    }
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
        self.push_literal(parts, start, rest.get(..length).unwrap_or_default(), marks);
        Ok(())
    }

    /// Adds literal text that began at a position. Text on both sides of a line continuation is one.
    pub(super) fn push_literal(&self, parts: &mut Vec<Part>, start: usize, text: &[u8], marks: Marks) {
        match parts.last_mut() {
            Some(Part { span, kind: PartKind::Literal(last) }) if last.text.len() < LONGEST_JOINED => {
                last.text = [&last.text, text].concat().into();
                last.marks = last.marks.or(marks);
                span.end = self.since(start).end;
            }
            _ => self.push(parts, start, PartKind::Literal(Literal { text: text.into(), marks })),
        }
    }

    /// Passes a byte that means itself here although it is a metacharacter elsewhere.
    pub(super) fn push_literal_byte(&mut self, parts: &mut Vec<Part>, byte: u8) {
        let start = self.pos;
        self.skip(1);
        let marks = Marks { glob: byte == b'(', ..Marks::default() };
        self.push_literal(parts, start, &[byte], marks);
    }

    /// What begins with a quote, a backslash, a backtick or a dollar sign outside double quotes.
    pub(super) fn quoted_or_expansion(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.spend(1)?;
        match self.raw() {
            b'\\' => self.escaped(parts),
            b'\'' => self.push_single_quoted(parts),
            b'"' => self.push_double_quoted(parts, Quoting::Double),
            b'`' => self.backtick(parts, Quoting::None),
            b'$' => self.dollar(parts, Quoting::None),
            _ => Err(self.unexpected()),
        }
    }

    fn escaped(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
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
        self.push(parts, start, PartKind::Escaped(byte));
        Ok(())
    }

    /// Adds a part that began at a position.
    #[inline]
    pub(super) fn push(&self, parts: &mut Vec<Part>, start: usize, kind: PartKind) {
        parts.push(Part { span: self.since(start), kind });
    }

    fn push_single_quoted(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        let text = self.single_quoted()?;
        self.push(parts, start, PartKind::SingleQuoted(text.into()));
        Ok(())
    }

    /// `"…"` at the position.
    pub(super) fn push_double_quoted(&mut self, parts: &mut Vec<Part>, quoting: Quoting) -> Parsed<()> {
        let start = self.pos;
        self.skip(1);
        self.push(parts, start, PartKind::DoubleQuoted(Vec::new()));
        if let Some(Part { span, kind: PartKind::DoubleQuoted(inner) }) = parts.last_mut() {
            self.double_quoted_parts(inner, quoting)?;
            self.closing_quote(start)?;
            span.end = self.since(start).end;
        }
        Ok(())
    }

    fn closing_quote(&mut self, start: usize) -> Parsed<()> {
        if self.raw() != b'"' {
            return Err(self.unknown_at(start, Reason::Unclosed));
        }
        self.skip(1);
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
        self.closing_quote(start)?;
        Ok(parts)
    }

    /// Reads parts up to a double quote (not in a here-document) or the end of the text.
    pub(super) fn double_quoted_parts(&mut self, parts: &mut Vec<Part>, quoting: Quoting) -> Parsed<()> {
        loop {
            self.spend(1)?;
            self.quoted_text(parts, quoting == Quoting::HereDoc);
            match self.raw() {
                b'$' => self.dollar(parts, quoting)?,
                b'`' => self.backtick(parts, quoting)?,
                b'\\' => self.quoted_escape(parts),
                _ => return Ok(()),
            }
        }
    }

    /// A stretch of text inside double quotes.
    fn quoted_text(&mut self, parts: &mut Vec<Part>, here_doc: bool) {
        let start = self.pos;
        let rest = self.text.get(start..).unwrap_or_default();
        let mut length = 0_usize;
        while let Some(&byte) = rest.get(length) {
            match byte {
                b'$' | b'`' => break,
                b'"' if !here_doc => break,
                b'\\' => match rest.get(length.saturating_add(1)) {
                    Some(b'$' | b'`' | b'\\' | b'\n') => break,
                    Some(b'"') if !here_doc => break,
                    _ => {}
                },
                _ => {}
            }
            length = length.saturating_add(1);
        }
        if length > 0 {
            self.skip(length);
            let text = rest.get(..length).unwrap_or_default();
            self.push_literal(parts, start, text, Marks::default());
        }
    }

    /// A backslash that means something inside double quotes, and the byte behind it.
    fn quoted_escape(&mut self, parts: &mut Vec<Part>) {
        let start = self.pos;
        let byte = self.text.get(start.saturating_add(1)).copied().unwrap_or(0);
        self.skip(2);
        if byte != b'\n' {
            self.push(parts, start, PartKind::Escaped(byte));
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
        let start = self.pos.saturating_sub(1);
        let op = take_last_byte(parts);
        self.enter()?;
        self.skip(1);
        let (inside, unbalanced) = (self.pos, self.shared.unbalanced);
        let scanned = std::mem::replace(&mut self.scanned, true);
        let mut alternatives = Vec::with_capacity(1);
        loop {
            self.alternative(&mut alternatives)?;
            if self.byte() == b')' {
                break;
            }
            self.expect(b'|')?;
        }
        if self.shared.unbalanced != unbalanced {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        self.balance(inside, false)?;
        self.scanned = scanned;
        self.skip(1);
        self.leave();
        self.push(parts, start, PartKind::ExtendedGlob(Box::new(ExtendedGlob { op, alternatives })));
        Ok(())
    }

    fn alternative(&mut self, alternatives: &mut Vec<Word>) -> Parsed<()> {
        let start = self.pos;
        let mut parts = Vec::new();
        self.alternative_parts(&mut parts)?;
        alternatives.push(Word { span: self.since(start), parts });
        Ok(())
    }

    /// One alternative of an extended glob, where only `|` and `)` are special.
    fn alternative_parts(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
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
        let scanned = std::mem::replace(&mut self.scanned, true);
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
                        self.scanned = scanned;
                        return Ok(());
                    }
                }
                b'<' | b'>' if self.second() == b'(' => self.scanned_process(parts)?,
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

/// Removes the operator of an extended glob from the end of the literal in front of it.
fn take_last_byte(parts: &mut Vec<Part>) -> u8 {
    let Some(Part { kind: PartKind::Literal(literal), span }) = parts.last_mut() else {
        return 0;
    };
    let Some((&op, before)) = literal.text.split_last() else {
        return 0;
    };
    if before.is_empty() {
        parts.pop();
        return op;
    }
    let glob = before.iter().any(|&byte| class(byte) & GLOB != 0);
    literal.text = before.into();
    literal.marks.glob = glob;
    span.end = span.end.saturating_sub(1);
    op
}
