//! Reserved words.

use super::Parser;
use super::bytes::ends_word;

/// A reserved word of bash that can stand where a command can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    Not,
    Time,
    OpenBrace,
    CloseBrace,
    OpenCondition,
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    While,
    Until,
    Do,
    Done,
    Case,
    Esac,
    Select,
    Function,
    Coproc,
    In,
    CloseCondition,
}

impl Reserved {
    /// Whether it ends a list of commands.
    pub(super) fn closes(self) -> bool {
        use Reserved::{CloseBrace, Do, Done, Elif, Else, Esac, Fi, Then};
        matches!(self, CloseBrace | Then | Elif | Else | Fi | Do | Done | Esac)
    }

    /// Whether it begins a compound command that can be the body of a function.
    pub(super) fn opens(self) -> bool {
        use Reserved::{Case, For, If, OpenBrace, OpenCondition, Select, Until, While};
        matches!(self, OpenBrace | OpenCondition | If | For | While | Until | Case | Select)
    }

    pub(super) fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"!" => Reserved::Not,
            b"{" => Reserved::OpenBrace,
            b"}" => Reserved::CloseBrace,
            b"[[" => Reserved::OpenCondition,
            b"]]" => Reserved::CloseCondition,
            b"in" => Reserved::In,
            b"if" => Reserved::If,
            b"fi" => Reserved::Fi,
            b"do" => Reserved::Do,
            b"for" => Reserved::For,
            b"then" => Reserved::Then,
            b"elif" => Reserved::Elif,
            b"else" => Reserved::Else,
            b"done" => Reserved::Done,
            b"case" => Reserved::Case,
            b"esac" => Reserved::Esac,
            b"time" => Reserved::Time,
            b"while" => Reserved::While,
            b"until" => Reserved::Until,
            b"select" => Reserved::Select,
            b"coproc" => Reserved::Coproc,
            b"function" => Reserved::Function,
            _ => return None,
        })
    }
}

const LONGEST: usize = 8;

impl Parser<'_, '_> {
    /// The reserved word at the position, and where it ends.
    #[inline]
    pub(super) fn reserved(&mut self) -> Option<(Reserved, usize)> {
        if !matches!(self.byte(), b'a'..=b'z' | b'!' | b'{' | b'}' | b'[' | b']') {
            return None;
        }
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let length = rest
            .iter()
            .take(LONGEST.saturating_add(1))
            .position(|&byte| !matches!(byte, b'a'..=b'z' | b'!' | b'{' | b'}' | b'[' | b']'))
            .unwrap_or(rest.len().min(LONGEST.saturating_add(1)));
        match rest.get(length) {
            Some(b'\\' | b'<' | b'>') => self.reserved_across_lines(),
            next if next.is_none_or(|&byte| ends_word(byte)) => {
                let word = Reserved::of(rest.get(..length)?)?;
                Some((word, self.pos.saturating_add(length)))
            }
            _ => None,
        }
    }

    #[cold]
    fn reserved_across_lines(&mut self) -> Option<(Reserved, usize)> {
        let start = self.pos;
        let mut word = Vec::with_capacity(LONGEST);
        while matches!(self.byte(), b'a'..=b'z' | b'!' | b'{' | b'}' | b'[' | b']') && word.len() <= LONGEST {
            word.push(self.raw());
            self.skip(1);
        }
        let ends = self.word_ends();
        let end = self.pos;
        self.pos = start;
        if ends { Some((Reserved::of(&word)?, end)) } else { None }
    }

    /// Whether a certain reserved word stands here; passes it if so.
    pub(super) fn eat_reserved(&mut self, expected: Reserved) -> bool {
        match self.reserved() {
            Some((found, end)) if found == expected => {
                self.pos = end;
                true
            }
            _ => false,
        }
    }

    pub(super) fn expect_reserved(&mut self, expected: Reserved) -> super::Parsed<()> {
        if self.eat_reserved(expected) { Ok(()) } else { Err(self.unexpected()) }
    }
}
