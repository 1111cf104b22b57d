//! Quoted text that bash evaluates after all.
//!
//! A subscript is expanded when the variable is used, whatever quotes stood around it: in
//! `x='a[$(ls)]'; ((x))` and in `unset 'a[$(ls)]'` bash runs `ls`.

use crate::ansi_c;
use crate::ast::{Part, PartKind, Word};

/// Builtins that take names of variables, or arithmetic, as arguments.
const EVALUATING: [&[u8]; 16] = [
    b"declare",
    b"typeset",
    b"local",
    b"export",
    b"readonly",
    b"unset",
    b"read",
    b"readarray",
    b"mapfile",
    b"let",
    b"printf",
    b"test",
    b"[",
    b"getopts",
    b"wait",
    b"builtin",
];

/// Of these, the ones whose arguments are assignments.
const DECLARING: [&[u8]; 5] = [b"declare", b"typeset", b"local", b"export", b"readonly"];

/// Whether a builtin may evaluate an expansion that quotes in an argument hide.
pub(crate) fn evaluates(builtin: &[u8], argument: &Word) -> bool {
    if !EVALUATING.contains(&builtin) {
        return false;
    }
    let text = QuotedText::of(argument);
    let name_end = text.bytes.iter().position(|byte| !is_name(*byte)).unwrap_or(text.bytes.len());
    let subscript = text.bytes.get(name_end) == Some(&b'[');
    let prompt = matches!(text.bytes.get(..name_end), Some(b"PS0" | b"PS1" | b"PS2" | b"PROMPT_COMMAND"));
    text.hides_expansion(0) && (subscript || builtin == b"let")
        || !prompt && DECLARING.contains(&builtin) && text.has_code_in_subscript()
}

/// Whether a word is a value that runs commands if it is taken for the name of a variable.
pub(crate) fn in_subscript(word: &Word) -> bool {
    QuotedText::of(word).has_code_in_subscript()
}

/// The literal text of a word, and which bytes of it are quoted.
#[derive(Default)]
struct QuotedText {
    bytes: Vec<u8>,
    quoted: Vec<bool>,
}

impl QuotedText {
    fn of(word: &Word) -> Self {
        let mut text = QuotedText::default();
        for part in &word.parts {
            text.part(part, false);
        }
        text
    }

    fn part(&mut self, part: &Part, quoted: bool) {
        match &part.kind {
            PartKind::Literal(literal) => self.push(&literal.text, quoted),
            PartKind::SingleQuoted(raw) => self.push(raw, true),
            PartKind::AnsiC(raw) => self.push(&ansi_c::decode(raw).unwrap_or_else(|| raw.to_vec()), true),
            PartKind::Escaped(byte) => self.push(&[*byte], true),
            PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => {
                for part in inner {
                    self.part(part, true);
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, bytes: &[u8], quoted: bool) {
        self.bytes.extend_from_slice(bytes);
        self.quoted.resize(self.bytes.len(), quoted);
    }

    /// Whether something behind a position would be an expansion without its quotes.
    fn hides_expansion(&self, from: usize) -> bool {
        let bytes = self.bytes.iter().zip(&self.quoted).skip(from);
        bytes.into_iter().any(|(byte, quoted)| *quoted && matches!(byte, b'$' | b'`' | b'\\'))
    }

    /// Whether a bracket directly behind a name is followed by quoted text that runs commands.
    fn has_code_in_subscript(&self) -> bool {
        let subscript = self.bytes.windows(2).position(|pair| matches!(pair, [a, b'['] if is_name(*a)));
        subscript.is_some_and(|at| {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let code = rest.contains(&b'`') || rest.windows(2).any(|pair| matches!(pair, b"$(" | b"${"));
            code && self.hides_expansion(at)
        })
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
