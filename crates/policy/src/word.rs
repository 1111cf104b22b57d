//! The words of a command after expansion, as far as they can be known.
//!
//! A word is text in which two private characters stand for what is not known. Everything that looks
//! at words treats them alike, so a word that is known only in part is still judged by the part that is.

use std::borrow::Cow;
use toolgate_bash::ast::Span;

/// Stands for any text at all: empty, with blanks, slashes or dashes.
pub const UNKNOWN: char = '\u{ffff}';

/// Stands for part of the name of an existing file: what a glob or a walk over a directory gives.
pub const SOME: char = '\u{fffe}';

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The text, with [`UNKNOWN`] and [`SOME`] in it.
    pub text: Cow<'a, str>,
    /// Where it stands.
    pub span: Span,
    /// Whether it may be no word, or several.
    pub splits: bool,
}

impl<'a> Word<'a> {
    /// A word whose text is certain.
    pub fn new(text: impl Into<Cow<'a, str>>, span: Span) -> Self {
        Word { text: text.into(), span, splits: false }
    }

    /// A word nothing is known about.
    #[must_use]
    pub fn unknown(span: Span) -> Self {
        Word { text: Cow::Owned(UNKNOWN.to_string()), span, splits: true }
    }

    /// Whether the text is certain.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        is_exact(&self.text)
    }

    /// The text, if it is certain.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        self.is_exact().then_some(&*self.text)
    }
}

/// Whether a text holds no unknown part.
#[must_use]
pub fn is_exact(text: &str) -> bool {
    // Both marks are three bytes that begin with 0xef: most texts have none.
    !text.as_bytes().contains(&0xef) || !text.contains([UNKNOWN, SOME])
}

/// A text as it is shown to people: unknown parts as `…` and `*`, controls escaped.
#[must_use]
pub fn shown(text: &str) -> String {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            UNKNOWN => out.push('…'),
            SOME => out.push('*'),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_deceptive(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character can hide or reorder the text around it.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{e0000}'..='\u{e007f}')
}
