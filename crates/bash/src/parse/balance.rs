//! Whether arithmetic is arithmetic to bash each time it looks.
//!
//! When bash expands `$((…))` it looks for the end of the text once more, and counts parentheses without
//! a look at what they belong to. If they do not balance, it runs the text as commands:
//! `$((a $(case x in x) b;; esac)))` runs `a`.

use super::{Parsed, Parser};
use crate::Reason;

impl Parser<'_, '_> {
    /// Checks that parentheses balance, quotes apart, from a position up to here.
    ///
    /// Only quotes that are the same to whoever reads them are passed over. Arithmetic inside that was
    /// checked before is passed as a whole, so that no text is looked at for each level of nesting.
    pub(super) fn balance(&mut self, start: usize) -> Parsed<()> {
        let from = self.balanced.partition_point(|&(inner, _)| inner < start);
        let inner = self.balanced.split_off(from);
        let ambiguous = self.unknown_at(start, Reason::Ambiguous);
        let mut inner = inner.into_iter().peekable();
        let mut open = 0_usize;
        let mut steps = 0_usize;
        let mut pos = start;
        while pos < self.pos {
            steps = steps.saturating_add(1);
            while inner.next_if(|&(from, _)| from < pos).is_some() {}
            if let Some((_, end)) = inner.next_if(|&(from, _)| from == pos) {
                pos = end;
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
        if open > 0 || pos > self.pos {
            return Err(ambiguous);
        }
        self.balanced.push((start, self.pos));
        Ok(())
    }
}

/// Whether text in double quotes is read alike by who knows of expansions in it and who does not.
fn is_plain(quoted: &[u8]) -> bool {
    let count = |wanted: u8| quoted.iter().filter(|&&byte| byte == wanted).count();
    let expands = quoted.contains(&b'`') || quoted.windows(2).any(|pair| matches!(pair, b"$(" | b"${"));
    !quoted.contains(&b'\\') && (!expands || count(b'(') == count(b')') && count(b'{') == count(b'}'))
}
