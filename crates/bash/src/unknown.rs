//! Why a script was not understood.

use crate::ast::Span;
use std::fmt;

/// A script that was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Where reading stopped.
    pub span: Span,
    /// Why.
    pub reason: Reason,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.span.start)
    }
}

impl std::error::Error for Unknown {}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// Why a script was not understood.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// A stable name in kebab case.
            pub fn code(self) -> &'static str {
                match self { $(Reason::$name => $code,)* }
            }
        }

        impl fmt::Display for Reason {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Reason::$name => $text,)* })
            }
        }
    };
}

reasons! {
    /// The script is longer than [`Options::max_bytes`](crate::Options::max_bytes).
    TooLong = "too-long", "script is too long";
    /// The nesting is deeper than [`Options::max_depth`](crate::Options::max_depth).
    TooDeep = "too-deep", "nesting is too deep";
    /// Reading took more steps than a script of this length can need.
    TooCostly = "too-costly", "script takes too many steps to read";
    /// The shell is not one whose grammar is known.
    OtherShell = "other-shell", "shell is neither bash nor a POSIX sh";
    /// Bash and other shells read this differently, and the shell is only known to be a POSIX `sh`.
    BashOnly = "bash-only", "construct is read differently by other POSIX shells";
    /// The script is not UTF-8.
    NotUtf8 = "not-utf8", "script is not valid UTF-8";
    /// A NUL, a carriage return or another control character stands outside quotes.
    ControlCharacter = "control-character", "control character outside quotes";
    /// A space-like character that bash may or may not take as a blank.
    OddBlank = "odd-blank", "space-like character outside quotes";
    /// A quote, substitution or bracket is not closed.
    Unclosed = "unclosed", "quote or bracket is not closed";
    /// Bash would find a syntax error here, after it ran the lines before.
    Syntax = "syntax", "syntax error";
    /// Bash accepts this, but versions or modes of it disagree about what it means.
    Ambiguous = "ambiguous", "construct has more than one reading";
    /// Bash may accept this; this parser does not.
    Unsupported = "unsupported", "construct is not supported";
    /// An earlier command changes how bash reads this.
    ReadingChanged = "reading-changed", "an earlier command changes how this is read";
}
