//! What is wrong with a configuration, and where.

use std::fmt;
use std::ops::Range;

use super::layers::{Layer, Origin};

/// One thing that is wrong in one place.
///
/// `Display` shows the problem, the place and the line with a caret under it; the advice is in
/// [`ConfigError::hint`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigError {
    /// What is wrong.
    pub problem: Problem,
    /// Where.
    pub place: Snippet,
}

/// What can be wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is no TOML: a bracket or quote is missing, say, or a key is there twice.
    #[error("this is not valid TOML: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// A key that does not exist: a typo, or a key in the wrong section.
    #[error("unknown key `{key}` {}", in_section(section))]
    UnknownKey {
        /// The key as written.
        key: String,
        /// The section it is in; empty at the top.
        section: String,
        /// The full name that was probably meant.
        nearest: Option<String>,
        /// What the section can hold.
        known: Vec<String>,
    },
    /// A value of another kind than the key takes, or one that makes no sense, such as a timeout of 0.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongValue {
        /// The full name of the key.
        key: String,
        /// What it takes.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A value of the right kind that can't be used.
    #[error("`{key}` can't be used: {why}")]
    Unusable {
        /// The full name of the key.
        key: String,
        /// Why.
        why: String,
    },
    /// A rule of a `filters.toml` that can't be used, or whose example does not come out as it says.
    #[error("{why}")]
    FilterRule {
        /// What is wrong.
        why: String,
    },
    /// A project's file that the user has not trusted makes something less strict.
    #[error("this project's file may only tighten `{key}`: {why}")]
    ProjectLoosens {
        /// The full name of the key.
        key: String,
        /// What would be less strict.
        why: String,
        /// Where the stricter value is from.
        before: Origin,
    },
    /// Something makes a key less strict that the machine's administrator set.
    #[error("`{key}` is managed and may only be tightened: {why}")]
    ManagedLoosens {
        /// The full name of the key.
        key: String,
        /// What would be less strict.
        why: String,
        /// Where the stricter value is from.
        before: Origin,
    },
}

impl ConfigError {
    pub(super) fn new(problem: Problem, name: &str, text: &str, span: Range<usize>) -> Self {
        Self { problem, place: Snippet::of(name, text, span) }
    }

    /// What is wrong with the text of a `filters.toml`, at its place.
    pub fn in_filters(name: &str, text: &str, error: &toolgate_filter::RulesError) -> Self {
        let mut why = error.to_string();
        if let Some(source) = std::error::Error::source(error) {
            // The parser of TOML shows the place again, which is ours to show.
            let source = source.to_string();
            let said = source.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            why.push_str(&format!(": {said}"));
        }
        let span = error.place(text);
        Self { problem: Problem::FilterRule { why }, place: Snippet::of(name, text, span) }
    }

    /// What to do next, where that is known.
    pub fn hint(&self) -> Option<String> {
        match &self.problem {
            Problem::UnknownKey { key, section, nearest: Some(full), .. } => {
                // In the same section the bare key is enough.
                let same = full.rsplit_once('.').map_or("", |(at, _)| at) == section;
                let meant = if same { full.rsplit('.').next().unwrap_or(full) } else { full };
                Some(if full.rsplit('.').next() == Some(key) {
                    format!(
                        "`{key}` belongs in {}",
                        section_name(full.rsplit_once('.').map_or("", |(at, _)| at))
                    )
                } else {
                    format!("did you mean `{meant}`?")
                })
            }
            Problem::UnknownKey { known, section, .. } => {
                Some(format!("{} can hold: {}", section_name(section), known.join(", ")))
            }
            Problem::ProjectLoosens { before, .. } => Some(format!(
                "{}; `toolgate config trust` lets this file loosen it, until it changes",
                match before.layer {
                    Layer::BuiltIn => "the stricter value is built in".to_owned(),
                    _ => format!("the stricter value is set by {before}"),
                }
            )),
            Problem::ManagedLoosens { before, .. } => {
                Some(format!("it is set by {before}: ask whoever manages this machine"))
            }
            Problem::Syntax { .. }
            | Problem::WrongValue { .. }
            | Problem::Unusable { .. }
            | Problem::FilterRule { .. } => None,
        }
    }
}

fn section_name(section: &str) -> String {
    if section.is_empty() { "the top of the file".to_owned() } else { format!("[{section}]") }
}

fn in_section(section: &str) -> String {
    format!("{} {}", if section.is_empty() { "at" } else { "in" }, section_name(section))
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.problem, self.place)
    }
}

impl std::error::Error for ConfigError {}

/// Everything that is wrong with a configuration; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{error}")?;
            if let Some(hint) = error.hint() {
                write!(f, "\nhint: {hint}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// A place in a text, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The file's path, or the flag.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The line as shown: control characters replaced, a long one cut.
    pub text: String,
    /// The characters of `text` that the caret points at.
    pub marked: Range<usize>,
}

/// Characters of a line that are shown at most.
const SHOWN_CHARS: usize = 120;

impl Snippet {
    /// The place of the bytes `span` of `text`.
    pub fn of(name: &str, text: &str, span: Range<usize>) -> Self {
        let mut start = span.start.min(text.len());
        // A span at the very end of a text points behind its last line, where nothing is to be seen.
        if start == text.len() && text.ends_with('\n') {
            start -= 1;
        }
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let (before, rest) = text.split_at(start);
        let line = before.matches('\n').count() + 1;
        let head = before.rsplit('\n').next().unwrap_or_default();
        let tail = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let column = head.chars().count();
        let width = text
            .get(start..span.end.clamp(start, start + tail.len()))
            .map_or(1, |marked| marked.chars().count().max(1));

        let whole: Vec<char> = head.chars().chain(tail.chars()).collect();
        let from = column.saturating_sub(SHOWN_CHARS / 2).min(whole.len().saturating_sub(SHOWN_CHARS));
        let shown: String = whole
            .iter()
            .skip(from)
            .take(SHOWN_CHARS)
            .map(|c| if c.is_control() { ' ' } else { *c })
            .collect();
        let at = column - from;
        Self {
            name: name.to_owned(),
            line,
            column: column + 1,
            marked: at..(at + width).min(shown.chars().count().max(at + 1)),
            text: shown,
        }
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        writeln!(f, "{gutter}--> {}:{}:{}", self.name, self.line, self.column)?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{number} | {}", self.text)?;
        write!(f, "{gutter} | {}{}", " ".repeat(self.marked.start), "^".repeat(self.marked.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_caret_is_under_what_it_is_about() {
        let text = "[tools]\nenabeld = true\n";
        assert_eq!(
            Snippet::of("a.toml", text, 8..15).to_string(),
            " --> a.toml:2:1\n  |\n2 | enabeld = true\n  | ^^^^^^^"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let text = format!("x = '{}é{}'", "a".repeat(500), "b".repeat(500));
        let at = text.find('é').unwrap();
        let shown = Snippet::of("a", &text, at..at + 2);
        assert!(shown.text.chars().count() <= SHOWN_CHARS);
        assert_eq!(shown.text.chars().nth(shown.marked.start), Some('é'));
    }

    proptest! {
        #[test]
        fn any_span_of_any_text_is_shown(text in "[a\né\u{1b}\r]{0,40}", a in 0usize..60, b in 0usize..60) {
            let shown = Snippet::of("x", &text, a..b);
            prop_assert!(!shown.marked.is_empty());
            prop_assert!(!shown.text.contains(|c: char| c.is_control()));
            prop_assert!(shown.line <= text.matches('\n').count() + 1);
        }
    }
}
