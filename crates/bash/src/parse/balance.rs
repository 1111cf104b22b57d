//! Whether bash finds the same end of a text each time it looks.
//!
//! When bash expands `$((…))` it looks for the end of the text once more, and counts parentheses without
//! a look at what they belong to. If they do not balance, it runs the text as commands:
//! `$((a $(case x in x) b;; esac)))` runs `a`. So it is with subscripts and extended globs.

use super::{Parsed, Parser};
use crate::Reason;

/// A text that was found to balance.
#[derive(Clone, Copy)]
pub(super) struct Balanced {
    start: usize,
    end: usize,
    /// Whether brackets balance in it, too.
    brackets: bool,
}

impl Parser<'_, '_> {
    /// Checks that parentheses, and perhaps brackets, balance from a position up to here, quotes apart.
    ///
    /// Only quotes that are the same to whoever reads them are passed over. Text inside that was checked
    /// before is passed as a whole, so that none is looked at for each level of nesting.
    pub(super) fn balance(&mut self, start: usize, brackets: bool) -> Parsed<()> {
        let from = self.balanced.partition_point(|inner| inner.start < start);
        let inner = self.balanced.split_off(from);
        let ambiguous = self.unknown_at(start, Reason::Ambiguous);
        let mut inner = inner.into_iter().peekable();
        let (mut open, mut open_brackets) = (0_usize, 0_usize);
        let mut steps = 0_usize;
        let mut pos = start;
        while pos < self.pos {
            steps = steps.saturating_add(1);
            while inner.next_if(|inner| inner.start < pos || brackets && !inner.brackets).is_some() {}
            if let Some(inner) = inner.next_if(|inner| inner.start == pos && inner.end > pos) {
                pos = inner.end;
                continue;
            }
            let length = match self.text.get(pos) {
                Some(b'(') => {
                    open = open.saturating_add(1);
                    1
                }
                Some(b')') => {
                    open = open.checked_sub(1).ok_or(ambiguous)?;
                    1
                }
                Some(b'[') if brackets => {
                    open_brackets = open_brackets.saturating_add(1);
                    1
                }
                Some(b']') if brackets => {
                    open_brackets = open_brackets.checked_sub(1).ok_or(ambiguous)?;
                    1
                }
                Some(b'\\') => 2,
                Some(quote @ (b'\'' | b'"')) => {
                    let rest = self.text.get(pos.saturating_add(1)..self.pos).unwrap_or_default();
                    let length = rest.iter().position(|byte| byte == quote).ok_or(ambiguous)?;
                    let quoted = rest.get(..length).unwrap_or_default();
                    if *quote == b'"' && !is_plain(quoted) {
                        return Err(ambiguous);
                    }
                    steps = steps.saturating_add(length);
                    length.saturating_add(2)
                }
                _ => 1,
            };
            pos = pos.saturating_add(length);
        }
        self.spend(steps.saturating_div(4))?;
        if open > 0 || open_brackets > 0 || pos > self.pos {
            return Err(ambiguous);
        }
        self.balanced.push(Balanced { start, end: self.pos, brackets });
        Ok(())
    }
}

/// Whether text in double quotes is read alike by who knows of expansions in it and who does not.
fn is_plain(quoted: &[u8]) -> bool {
    let count = |wanted: u8| quoted.iter().filter(|&&byte| byte == wanted).count();
    let expands = quoted.contains(&b'`') || quoted.windows(2).any(|pair| matches!(pair, b"$(" | b"${"));
    !quoted.contains(&b'\\') && (!expands || count(b'(') == count(b')') && count(b'{') == count(b'}'))
}
