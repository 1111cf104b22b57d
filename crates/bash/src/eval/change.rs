//! What the operators of `${…}` do to a text, with their operands known.

use super::pattern::{Pattern, Steps};
use super::value::Why;
use crate::ast::{CaseChange, ReplaceWhich};

/// What an operator does to a text.
#[derive(Clone, Debug)]
pub enum Change {
    /// `${x#pattern}`, `${x##pattern}`
    Prefix {
        /// Whether the operator is doubled.
        longest: bool,
        /// What is removed.
        pattern: Pattern,
    },
    /// `${x%pattern}`, `${x%%pattern}`
    Suffix {
        /// Whether the operator is doubled.
        longest: bool,
        /// What is removed.
        pattern: Pattern,
    },
    /// `${x/pattern/replacement}`
    Replace {
        /// Which matches.
        which: ReplaceWhich,
        /// What is replaced; never empty.
        pattern: Pattern,
        /// What stands in its place.
        replacement: Vec<u8>,
    },
    /// `${x:offset:length}`
    Slice {
        /// Where it begins.
        offset: i64,
        /// How long it is.
        length: Option<i64>,
    },
    /// `${x^pattern}` and its kin.
    Case {
        /// Which change.
        change: CaseChange,
        /// Which characters; `None` for all.
        pattern: Option<Pattern>,
    },
}

impl Change {
    /// The text after it; or why that is not certain.
    ///
    /// # Errors
    ///
    /// Where versions or locales differ, where it takes too long, or where bash would fail.
    pub fn of(&self, text: &[u8]) -> Result<Vec<u8>, Why> {
        self.apply(text, &mut Steps::of_one_text())
    }

    pub(super) fn apply(&self, text: &[u8], steps: &mut Steps) -> Result<Vec<u8>, Why> {
        Ok(match self {
            Change::Prefix { longest, pattern } => {
                let cut = pattern.prefix(text, *longest, steps)?.unwrap_or(0);
                text.get(cut..).unwrap_or_default().to_vec()
            }
            Change::Suffix { longest, pattern } => {
                let cut = pattern.suffix(text, *longest, steps)?.unwrap_or(0);
                text.get(..text.len().saturating_sub(cut)).unwrap_or_default().to_vec()
            }
            Change::Replace { which, pattern, replacement } => {
                replace(*which, pattern, replacement, text, steps)?
            }
            Change::Slice { offset, length } => slice(text, *offset, *length)?.to_vec(),
            Change::Case { change, pattern } => {
                if !text.is_ascii() {
                    return Err(Why::Locale);
                }
                let mut out = text.to_vec();
                for (at, byte) in out.iter_mut().enumerate() {
                    use CaseChange::{LowerAll, LowerFirst, ToggleAll, ToggleFirst, UpperAll, UpperFirst};
                    if at > 0 && matches!(change, UpperFirst | LowerFirst | ToggleFirst) {
                        break;
                    }
                    if let Some(pattern) = pattern
                        && !pattern.matches(&[*byte], steps)?
                    {
                        continue;
                    }
                    *byte = match change {
                        UpperFirst | UpperAll => byte.to_ascii_uppercase(),
                        LowerFirst | LowerAll => byte.to_ascii_lowercase(),
                        ToggleFirst | ToggleAll if byte.is_ascii_lowercase() => byte.to_ascii_uppercase(),
                        ToggleFirst | ToggleAll => byte.to_ascii_lowercase(),
                    };
                }
                out
            }
        })
    }
}

fn replace(
    which: ReplaceWhich,
    pattern: &Pattern,
    replacement: &[u8],
    text: &[u8],
    steps: &mut Steps,
) -> Result<Vec<u8>, Why> {
    let mut out = Vec::new();
    match which {
        ReplaceWhich::Prefix => match pattern.prefix(text, true, steps)? {
            Some(len) => {
                out.extend_from_slice(replacement);
                out.extend_from_slice(text.get(len..).unwrap_or_default());
            }
            None => out.extend_from_slice(text),
        },
        ReplaceWhich::Suffix => match pattern.suffix(text, true, steps)? {
            Some(len) => {
                out.extend_from_slice(text.get(..text.len().saturating_sub(len)).unwrap_or_default());
                out.extend_from_slice(replacement);
            }
            None => out.extend_from_slice(text),
        },
        ReplaceWhich::First | ReplaceWhich::All => {
            if pattern.is_empty() {
                return Ok(text.to_vec());
            }
            if text.is_empty() {
                // Versions differ on whether an empty text can match.
                return if pattern.is_literal() { Ok(out) } else { Err(Why::Version) };
            }
            let mut at = 0_usize;
            while at < text.len() {
                let rest = text.get(at..).unwrap_or_default();
                match pattern.prefix(rest, true, steps)? {
                    Some(len) if len > 0 => {
                        steps.take(replacement.len())?;
                        out.extend_from_slice(replacement);
                        at = at.saturating_add(len);
                        if which == ReplaceWhich::First {
                            break;
                        }
                    }
                    Some(_) => return Err(Why::Version),
                    None => {
                        out.extend(rest.first());
                        at = at.saturating_add(1);
                    }
                }
            }
            out.extend_from_slice(text.get(at..).unwrap_or_default());
        }
    }
    Ok(out)
}

fn slice(text: &[u8], offset: i64, length: Option<i64>) -> Result<&[u8], Why> {
    if !text.is_ascii() {
        return Err(Why::Locale);
    }
    let len = i64::try_from(text.len()).map_err(|_| Why::TooLarge)?;
    let start = if offset < 0 { len.saturating_add(offset) } else { offset };
    if start < 0 || start > len {
        return Ok(&[]);
    }
    let end = match length {
        None => len,
        Some(length) if length < 0 => {
            let end = len.saturating_add(length);
            if end < start {
                return Err(Why::Fails);
            }
            end
        }
        Some(length) => start.saturating_add(length).min(len),
    };
    let (start, end) = (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0));
    Ok(text.get(start..end).unwrap_or_default())
}
