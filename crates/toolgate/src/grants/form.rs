//! Which commands a grant is about.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Which commands or calls a grant is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Form {
    /// One command, word for word, the program first and without its directory.
    Exact {
        /// Its words.
        words: Vec<String>,
    },
    /// Commands that differ from each other in some operands alone, the program first. Options that only
    /// change how much is said may be given as well; all others are as they are here.
    Like {
        /// Its words.
        words: Vec<WordForm>,
    },
    /// One call of a tool that is no shell, with these very parameters.
    Call {
        /// The parameters.
        params: Map<String, Value>,
    },
}

/// What a word of a command, or the target of an effect, may be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordForm {
    /// This.
    Is(String),
    /// Anything that is no option.
    Any,
    /// A path below this directory.
    Below(String),
}

impl Form {
    /// The program it is about; none for a call.
    pub fn program(&self) -> &str {
        match self {
            Self::Exact { words } => words.first().map_or("", String::as_str),
            Self::Like { words } => match words.first() {
                Some(WordForm::Is(program)) => program,
                _ => "",
            },
            Self::Call { .. } => "",
        }
    }

    /// The words of one command; none where it is about more.
    pub(super) fn exact_words(&self) -> &[String] {
        match self {
            Self::Exact { words } => words,
            Self::Like { .. } | Self::Call { .. } => &[],
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact { words } => {
                let words: Vec<_> = words.iter().map(|w| quoted(w)).collect();
                f.write_str(&words.join(" "))
            }
            Self::Like { words } => {
                let words: Vec<_> = words.iter().map(ToString::to_string).collect();
                f.write_str(&words.join(" "))
            }
            Self::Call { params } => write!(f, "{}", Value::Object(params.clone())),
        }
    }
}

impl fmt::Display for WordForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(word) => f.write_str(&quoted(word)),
            Self::Any => f.write_str("*"),
            Self::Below(dir) => write!(f, "{}/**", quoted(dir.trim_end_matches('/'))),
        }
    }
}

/// A word as it would be written for a shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
