//! Moving over the text.

use super::bytes::{ends_word, is_blank, is_name, is_name_start};
use super::{Parsed, Parser};
use crate::ast::Span;
use crate::{Reason, Shell, Text, Unknown};

impl Parser<'_, '_> {
    /// The byte at the position, 0 at the end, with line continuations left in place.
    #[inline]
    pub(super) fn raw(&self) -> u8 {
        self.text.get(self.pos).copied().unwrap_or(0)
    }

    /// The byte before the position.
    pub(super) fn raw_before(&self) -> u8 {
        self.pos.checked_sub(1).and_then(|at| self.text.get(at)).copied().unwrap_or(0)
    }

    /// The next byte that bash sees here, 0 at the end. Line continuations before it are passed.
    #[inline]
    pub(super) fn byte(&mut self) -> u8 {
        let byte = self.raw();
        if byte == b'\\' { self.pass_continuations() } else { byte }
    }

    #[cold]
    fn pass_continuations(&mut self) -> u8 {
        self.pos = self.after_continuations(self.pos);
        self.raw()
    }

    fn after_continuations(&self, mut pos: usize) -> usize {
        while self.text.get(pos) == Some(&b'\\') && self.text.get(pos.saturating_add(1)) == Some(&b'\n') {
            pos = pos.saturating_add(2);
        }
        pos
    }

    /// The byte after [`byte`](Self::byte).
    pub(super) fn second(&mut self) -> u8 {
        self.byte();
        let pos = self.after_continuations(self.pos.saturating_add(1));
        self.text.get(pos).copied().unwrap_or(0)
    }

    /// The byte after [`second`](Self::second).
    pub(super) fn third(&mut self) -> u8 {
        self.byte();
        let pos = self.after_continuations(self.pos.saturating_add(1));
        let pos = self.after_continuations(pos.saturating_add(1));
        self.text.get(pos).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn skip(&mut self, count: usize) {
        self.pos = self.pos.saturating_add(count).min(self.text.len());
    }

    /// Passes a byte if it is the next one.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.byte() == byte;
        if found {
            self.skip(1);
        }
        found
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.byte();
        self.pos >= self.text.len()
    }

    /// Passes blanks, and a comment if one begins after them.
    #[inline]
    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte() {
                b' ' | b'\t' => self.skip(1),
                b'#' => {
                    let rest = self.text.get(self.pos..).unwrap_or_default();
                    let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    self.skip(length);
                    self.note_unbalanced();
                    return;
                }
                _ => return,
            }
        }
    }

    /// Notes that parentheses need not balance in what is passed.
    pub(super) fn note_unbalanced(&mut self) {
        self.shared.unbalanced = self.shared.unbalanced.saturating_add(1);
    }

    /// Passes blanks where `#` is no comment.
    pub(super) fn plain_blanks(&mut self) {
        while is_blank(self.byte()) {
            self.skip(1);
        }
    }

    /// Passes blanks, comments and newlines. Bodies of here-documents are read on the way.
    pub(super) fn lines(&mut self) -> Parsed<()> {
        loop {
            self.blanks();
            if self.raw() != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Reads a name of a variable, if one stands here.
    pub(super) fn name(&mut self) -> Option<Text> {
        if !is_name_start(self.byte()) {
            return None;
        }
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let length = rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        self.skip(length);
        if self.raw() != b'\\' || !is_name(self.byte()) {
            return Some(name.into());
        }
        // A line continuation within the name.
        let mut name = name.to_vec();
        while is_name(self.byte()) {
            name.push(self.raw());
            self.skip(1);
        }
        Some(name.into())
    }

    /// Reads a word of letters and brackets if it stands here, whole and unquoted.
    pub(super) fn eat_word(&mut self, word: &[u8]) -> bool {
        let start = self.pos;
        for &byte in word {
            if !self.eat(byte) {
                self.pos = start;
                return false;
            }
        }
        if self.word_ends() && (self.raw() != 0 || self.pos >= self.text.len()) {
            return true;
        }
        self.pos = start;
        false
    }

    /// Where a byte of the text is in the source.
    #[inline]
    fn offset(&self, pos: usize) -> u32 {
        match self.map {
            None => u32::try_from(pos).unwrap_or(u32::MAX),
            Some(map) => map.get(pos).or(map.last()).copied().unwrap_or(0),
        }
    }

    #[inline]
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        // Behind the last byte, not before the next: the source may have had more in between.
        let end = match end.checked_sub(1) {
            Some(last) if last >= start => self.offset(last).saturating_add(1),
            _ => self.offset(end),
        };
        Span { start: self.offset(start), end }
    }

    /// The span from a position to here.
    #[inline]
    pub(super) fn since(&self, start: usize) -> Span {
        self.span(start, self.pos)
    }

    /// A failure at the position.
    #[cold]
    pub(super) fn unknown(&self, reason: Reason) -> Unknown {
        self.unknown_at(self.pos, reason)
    }

    #[cold]
    pub(super) fn unknown_at(&self, pos: usize, reason: Reason) -> Unknown {
        Unknown { span: self.span(pos, pos.saturating_add(1).min(self.text.len())), reason }
    }

    /// Why a byte that fits nowhere stops the parse.
    #[cold]
    pub(super) fn unexpected(&self) -> Unknown {
        let byte = self.raw();
        let reason = match byte {
            0 => Reason::Unclosed,
            b'\n' => Reason::Syntax,
            byte if byte.is_ascii_control() => Reason::ControlCharacter,
            _ => Reason::Syntax,
        };
        self.unknown(reason)
    }

    pub(super) fn expect(&mut self, byte: u8) -> Parsed<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Notes that what follows is read otherwise by other POSIX shells.
    #[inline]
    pub(super) fn bash_only(&self) -> Parsed<()> {
        if self.shared.options.shell == Shell::Sh { Err(self.unknown(Reason::BashOnly)) } else { Ok(()) }
    }

    #[inline]
    pub(super) fn spend(&mut self, steps: usize) -> Parsed<()> {
        match self.shared.fuel.checked_sub(steps) {
            Some(left) => {
                self.shared.fuel = left;
                Ok(())
            }
            None => Err(self.unknown(Reason::TooCostly)),
        }
    }

    /// Enters something that can contain itself. Each success is paired with one [`leave`](Self::leave).
    #[inline]
    pub(super) fn enter(&mut self) -> Parsed<()> {
        if self.shared.depth >= self.shared.options.max_depth {
            return Err(self.unknown(Reason::TooDeep));
        }
        self.shared.depth = self.shared.depth.saturating_add(1);
        self.nesting = self.nesting.saturating_add(1);
        Ok(())
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.shared.depth = self.shared.depth.saturating_sub(1);
        self.nesting = self.nesting.saturating_sub(1);
    }

    /// Whether a word ends at the position. It goes on with a process substitution.
    pub(super) fn word_ends(&mut self) -> bool {
        match self.byte() {
            b'<' | b'>' => self.second() != b'(',
            byte => ends_word(byte),
        }
    }

    /// Refuses an odd blank in a stretch of unquoted text.
    #[cold]
    pub(super) fn refuse_odd_blanks(&self, start: usize, end: usize) -> Parsed<()> {
        let text = self.text.get(start..end).unwrap_or_default();
        // The source is UTF-8, and a stretch of text ends at ASCII bytes.
        let odd = std::str::from_utf8(text).map_or(true, |text| text.chars().any(super::bytes::is_odd_blank));
        if odd { Err(self.unknown_at(start, Reason::OddBlank)) } else { Ok(()) }
    }
}
