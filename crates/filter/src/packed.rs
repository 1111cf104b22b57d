//! Lists of texts and patterns of the built-in rules, as the build script packed them.
//!
//! As static values they would hold ten thousand pointers. The loader writes every one of them anew at each
//! start, which copies the pages they lie on: a tenth of a millisecond, for a table of which a run needs one
//! rule. So they are bytes, and a list of patterns is unpacked when it is first used.
//!
//! A list is its length (two bytes, the lower first) and its items. A text is its length, likewise, and its
//! bytes. A pattern is a byte of flags (1 anchored at the start, 2 at the end) and a sequence; a sequence is a
//! count and its steps; a step is a number that says which, then what it holds.

use crate::pattern::{Op, Pattern};
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/packed.rs"));

/// A list of the built-in rules, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct List(pub(crate) u16);

/// The lists of patterns that were used. They stay: there are so many and no more.
static UNPACKED: [OnceLock<&'static [Pattern]>; AT.len()] = [const { OnceLock::new() }; AT.len()];

impl List {
    /// Its texts.
    pub(crate) fn texts(self) -> impl Iterator<Item = &'static str> {
        let mut from = self.reader();
        let count = from.number();
        (0..count).map(move |_| from.text())
    }

    /// Its patterns.
    pub(crate) fn patterns(self) -> &'static [Pattern] {
        match UNPACKED.get(usize::from(self.0)) {
            Some(unpacked) => unpacked.get_or_init(|| self.unpack()),
            None => &[],
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.reader().number() == 0
    }

    fn unpack(self) -> &'static [Pattern] {
        let mut from = self.reader();
        let count = from.number();
        (0..count).map(|_| from.pattern()).collect::<Vec<_>>().leak()
    }

    fn reader(self) -> Reader {
        let at = AT.get(usize::from(self.0)).map_or(usize::MAX, |&at| at as usize);
        Reader(PACKED.get(at..).unwrap_or_default())
    }
}

/// Reads what is packed. Behind the end everything is empty.
struct Reader(&'static [u8]);

impl Reader {
    fn bytes(&mut self, count: usize) -> &'static [u8] {
        let (taken, rest) = self.0.split_at_checked(count).unwrap_or_default();
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    fn number(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn text(&mut self) -> &'static str {
        let length = usize::from(self.number());
        std::str::from_utf8(self.bytes(length)).unwrap_or_default()
    }

    fn pattern(&mut self) -> Pattern {
        let flags = self.byte();
        Pattern { start: flags & 1 != 0, end: flags & 2 != 0, ops: self.sequence() }
    }

    fn sequence(&mut self) -> &'static [Op] {
        let count = self.byte();
        (0..count).map(|_| self.op()).collect::<Vec<_>>().leak()
    }

    fn op(&mut self) -> Op {
        match self.byte() {
            0 => Op::Text(self.text()),
            1 => Op::Any(self.byte()),
            2 => Op::Rep {
                ascii: u128::from_le_bytes(self.bytes(16).try_into().unwrap_or_default()),
                other: self.byte() != 0,
                min: self.byte(),
                max: self.byte(),
            },
            3 => Op::Again { min: self.byte(), text: self.text() },
            _ => {
                let optional = self.byte() != 0;
                let count = self.byte();
                let alternatives: Vec<_> = (0..count).map(|_| self.sequence()).collect();
                Op::OneOf { alternatives: alternatives.leak(), optional }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::cases::LISTS;

    #[test]
    fn what_is_unpacked_is_what_was_written() {
        assert!(LISTS.len() > 100);
        for (list, patterns) in LISTS {
            assert_eq!(list.patterns(), *patterns);
            assert_eq!(list.is_empty(), patterns.is_empty());
        }
    }
}
