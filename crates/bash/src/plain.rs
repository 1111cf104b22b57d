//! The value of a word that needs no expansion.

use crate::ansi_c;
use crate::ast::{Part, PartKind, Word};
use std::borrow::Cow;

/// The text of a word made of literals and quotes alone; `None` if anything in it may expand.
///
/// The word is taken as a command word or argument, where braces, globs and tildes expand.
pub(crate) fn plain_text(word: &Word) -> Option<Cow<'_, [u8]>> {
    if let Some(literal) = word.as_literal()
        && literal.marks.is_plain()
    {
        return Some(Cow::Borrowed(&literal.text));
    }
    let mut text = Vec::new();
    let mut unquoted = Vec::new();
    for part in &word.parts {
        match &part.kind {
            PartKind::Literal(literal) => {
                text.extend_from_slice(&literal.text);
                unquoted.extend_from_slice(&literal.text);
            }
            PartKind::Escaped(byte) => text.push(*byte),
            PartKind::SingleQuoted(raw) => text.extend_from_slice(raw),
            PartKind::AnsiC(raw) => text.extend_from_slice(&ansi_c::decode(raw)?),
            PartKind::DoubleQuoted(inner) => quoted_text(inner, &mut text)?,
            _ => return None,
        }
    }
    if may_expand(&unquoted) { None } else { Some(Cow::Owned(text)) }
}

fn quoted_text(parts: &[Part], text: &mut Vec<u8>) -> Option<()> {
    for part in parts {
        match &part.kind {
            PartKind::Literal(literal) => text.extend_from_slice(&literal.text),
            PartKind::Escaped(byte) => text.push(*byte),
            _ => return None,
        }
    }
    Some(())
}

/// Whether the unquoted characters of a word, taken together, may be a brace expansion, a glob or a
/// tilde. Rather too often than not often enough.
fn may_expand(unquoted: &[u8]) -> bool {
    let has = |byte| unquoted.contains(&byte);
    has(b'*')
        || has(b'?')
        || has(b'[') && has(b']')
        || has(b'{') && has(b'}') && (has(b',') || has(b'.'))
        || unquoted.first() == Some(&b'~')
        || has(b'$')
        || has(b'(')
        // A backslash at the end of the script, which versions treat differently.
        || has(b'\\')
}
