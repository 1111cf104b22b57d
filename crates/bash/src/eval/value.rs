//! What is known about a value.

use crate::Text;
use crate::ast::Span;

/// What is known about the value of a word or a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The value is these bytes, however the script runs.
    Known(Text),
    /// Parts of the value are known. At least one piece is not [`Piece::Known`].
    Partial(Box<[Piece]>),
}

impl Value {
    /// A value nothing is known about but the reason.
    pub fn unknown(hole: Hole) -> Self {
        Value::Partial(Box::new([Piece::Unknown(hole)]))
    }

    /// The bytes, if all of them are certain.
    pub fn known(&self) -> Option<&[u8]> {
        match self {
            Value::Known(text) => Some(text),
            Value::Partial(_) => None,
        }
    }

    /// The first reason why the value is not certain.
    pub fn hole(&self) -> Option<Hole> {
        match self {
            Value::Known(_) => None,
            Value::Partial(pieces) => pieces.iter().find_map(|piece| match piece {
                Piece::Unknown(hole) => Some(*hole),
                _ => None,
            }),
        }
    }

    /// The bytes the value begins with for certain.
    pub fn prefix(&self) -> &[u8] {
        match self {
            Value::Known(text) => text,
            Value::Partial(pieces) => match pieces.first() {
                Some(Piece::Known(text)) => text,
                _ => &[],
            },
        }
    }

    /// The pieces in order; a single known one if the value is certain.
    pub fn pieces(&self) -> impl Iterator<Item = PieceRef<'_>> {
        let (known, pieces) = match self {
            Value::Known(text) => (Some(PieceRef::Known(text)), &[][..]),
            Value::Partial(pieces) => (None, &pieces[..]),
        };
        known.into_iter().chain(pieces.iter().map(|piece| match piece {
            Piece::Known(text) => PieceRef::Known(text),
            Piece::Pattern(text) => PieceRef::Pattern(text),
            Piece::Unknown(hole) => PieceRef::Unknown(*hole),
        }))
    }

    /// Whether the value is certain to be an integer as arithmetic reads it without evaluating anything.
    pub(super) fn is_integer(&self) -> bool {
        match self {
            Value::Known(text) => integer(text).is_some(),
            Value::Partial(pieces) => {
                matches!(&pieces[..], [Piece::Unknown(Hole { class: Class::Integer, .. })])
            }
        }
    }

    /// Joins pieces, merging neighbours that are known.
    pub(super) fn from_pieces(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut out: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (out.last_mut(), piece) {
                (_, Piece::Known(text)) if text.is_empty() => {}
                (Some(Piece::Known(last)), Piece::Known(text)) => {
                    let mut joined = last.to_vec();
                    joined.extend_from_slice(&text);
                    *last = joined.into();
                }
                (_, piece) => out.push(piece),
            }
        }
        match out.as_slice() {
            [] => Value::Known(Text::default()),
            [Piece::Known(text)] => Value::Known(text.clone()),
            _ => Value::Partial(out.into()),
        }
    }

    /// This value with another behind it.
    pub(super) fn then(self, next: Value) -> Value {
        Value::from_pieces(self.into_pieces().chain(next.into_pieces()))
    }

    pub(super) fn into_pieces(self) -> impl Iterator<Item = Piece> {
        let (known, pieces) = match self {
            Value::Known(text) => (Some(Piece::Known(text)), Vec::new()),
            Value::Partial(pieces) => (None, pieces.into_vec()),
        };
        known.into_iter().chain(pieces)
    }

    /// How many bytes are held.
    pub(super) fn size(&self) -> usize {
        match self {
            Value::Known(text) => text.len(),
            Value::Partial(pieces) => {
                pieces.iter().fold(0, |sum: usize, piece| match piece {
                    Piece::Known(text) | Piece::Pattern(text) => sum.saturating_add(text.len()),
                    // What a hole costs, so that long runs of them are not free.
                    Piece::Unknown(_) => sum.saturating_add(16),
                })
            }
        }
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Value::Known(bytes.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Known(text.into())
    }
}

/// A piece of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// These bytes.
    Known(Text),
    /// A text this pattern matches as part of the name of an existing file, or the pattern itself.
    Pattern(Text),
    /// Any text of the class that is given in the hole.
    Unknown(Hole),
}

/// A borrowed [`Piece`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceRef<'a> {
    /// As [`Piece::Known`].
    Known(&'a [u8]),
    /// As [`Piece::Pattern`].
    Pattern(&'a [u8]),
    /// As [`Piece::Unknown`].
    Unknown(Hole),
}

/// A place in a value that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Why.
    pub why: Why,
    /// The expansion that puts it there.
    pub span: Span,
    /// What the text can be.
    pub class: Class,
}

/// What an unknown text can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Anything, the empty text too.
    Any,
    /// A decimal integer, perhaps with a minus sign.
    Integer,
}

/// One argument, or several that cannot be told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where the word stands that it comes from.
    pub span: Span,
    /// What is known about it. If it may be several, this is all of them, with the breaks lost in the
    /// unknown pieces: known text in front of the first hole begins the first one, known text behind
    /// the last hole ends the last.
    pub value: Value,
    /// How many arguments it is.
    pub count: Count,
}

impl Field {
    /// The argument, if it is certainly one and its bytes are certain.
    pub fn literal(&self) -> Option<&[u8]> {
        if self.count == Count::One { self.value.known() } else { None }
    }

    /// How much is known.
    pub fn certainty(&self) -> Certainty {
        match &self.value {
            Value::Known(_) if self.count == Count::One => Certainty::Literal,
            Value::Known(_) => Certainty::Dynamic,
            Value::Partial(pieces) => {
                if pieces.iter().any(|piece| matches!(piece, Piece::Unknown(_))) {
                    Certainty::Dynamic
                } else {
                    Certainty::Glob
                }
            }
        }
    }
}

/// How much is known about a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// Its bytes are certain.
    Literal,
    /// It is a pattern: names of existing files, or the pattern itself if there are none.
    Glob,
    /// Something in it depends on what only running the script can tell.
    Dynamic,
}

/// How many arguments a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Count {
    /// Exactly one.
    One,
    /// One or more.
    Some,
    /// None, one or more.
    Any,
}

macro_rules! whys {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        /// Why a value is not known.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Why {
            $($(#[$doc])* $name,)*
        }

        impl Why {
            /// A stable name in kebab case.
            pub fn code(self) -> &'static str {
                match self { $(Why::$name => $code,)* }
            }
        }
    };
}

whys! {
    /// A variable was not given by the caller, or may have been changed.
    Variable = "unknown-variable";
    /// A positional parameter is not known.
    Positional = "unknown-positional";
    /// A parameter that the shell sets anew all the time, such as `$?` or `$RANDOM`.
    Special = "special-parameter";
    /// The output of a command.
    Output = "command-output";
    /// The name of the pipe of a process substitution.
    Process = "process-substitution";
    /// Arithmetic on a number that is not known.
    Number = "unknown-number";
    /// Bash evaluates text as arithmetic, a subscript or a variable's name, and that text may be code.
    Evaluated = "evaluated-text";
    /// `${x@P}`: bash expands the value again, which can run code.
    Prompt = "prompt-expansion";
    /// `${!x}`: which variable is meant is not known.
    Indirect = "indirect-variable";
    /// A home directory that is not in `HOME`.
    Home = "home-directory";
    /// The result depends on the locale.
    Locale = "depends-on-locale";
    /// Versions of bash, or shells, disagree about the result.
    Version = "depends-on-version";
    /// The result depends on an option of the shell that is not known.
    Mode = "depends-on-option";
    /// `IFS` is not known.
    Splitting = "unknown-ifs";
    /// An extended pattern, or another that is not followed.
    Pattern = "pattern";
    /// Braces that are not understood for certain.
    Braces = "braces";
    /// The expansion fails: the command does not run.
    Fails = "expansion-fails";
    /// An array where the contents are not followed.
    Array = "array";
    /// The result is too large, or takes too long.
    TooLarge = "too-large";
    /// An earlier command may have changed the shell in any way.
    Lost = "shell-state-unknown";
}

impl Why {
    /// Whether bash may run code that is in no tree when it makes this value.
    pub fn may_execute(self) -> bool {
        matches!(self, Why::Evaluated | Why::Prompt | Why::Lost)
    }
}

/// The number a text is, if it is a decimal integer in its shortest form.
///
/// Anything else (`010`, `0x1f`, ` 1`, `a[0]`) is not a plain number: arithmetic gives it another
/// value or evaluates it.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = match digits {
        [] => false,
        [b'0'] => text.len() == 1,
        [b'0', ..] => false,
        _ => digits.iter().all(u8::is_ascii_digit),
    };
    if plain { std::str::from_utf8(text).ok()?.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_are_integers() {
        for (text, value) in [("0", 0), ("10", 10), ("-7", -7), ("9223372036854775807", i64::MAX)] {
            assert_eq!(integer(text.as_bytes()), Some(value), "{text}");
        }
        for text in ["", "-", "-0", "010", "0x1f", " 1", "1 ", "a", "9223372036854775808", "1e3", "+1"] {
            assert_eq!(integer(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn neighbouring_known_pieces_become_one() {
        let hole = Hole { why: Why::Variable, span: Span::default(), class: Class::Any };
        let known = |text: &str| Piece::Known(text.into());
        assert_eq!(Value::from_pieces([known("a"), known(""), known("b")]), Value::from("ab"));
        assert_eq!(
            Value::from_pieces([known("a"), known("b"), Piece::Unknown(hole), known("")]),
            Value::Partial(Box::new([known("ab"), Piece::Unknown(hole)]))
        );
    }
}
