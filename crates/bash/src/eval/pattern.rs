//! Patterns matched against text that is known.

use super::value::Why;

/// A compiled pattern, as `${x#…}`, `[[ … == … ]]` and `case` match it.
#[derive(Clone, Debug)]
pub struct Pattern {
    tokens: Vec<Token>,
    /// Whether anything in it is more than a literal byte.
    wild: bool,
}

#[derive(Clone, Debug)]
enum Token {
    Byte(u8),
    One,
    Star,
    Set { negated: bool, members: Vec<Member> },
}

#[derive(Clone, Copy, Debug)]
enum Member {
    Byte(u8),
    Range(u8, u8),
    Class(ByteClass),
}

#[derive(Clone, Copy, Debug)]
enum ByteClass {
    Alpha,
    Digit,
    Alnum,
    Upper,
    Lower,
    Space,
    Blank,
    Punct,
    Xdigit,
    Word,
}

/// How many comparisons may still be made.
#[derive(Debug)]
pub(super) struct Steps(pub(super) u64);

impl Steps {
    /// As many as one text may take.
    pub(super) fn of_one_text() -> Steps {
        Steps(64 * 1024)
    }

    pub(super) fn take(&mut self, n: usize) -> Result<(), Why> {
        let n = u64::try_from(n).map_err(|_| Why::TooLarge)?;
        self.0 = self.0.checked_sub(n).ok_or(Why::TooLarge)?;
        Ok(())
    }
}

impl Pattern {
    /// Reads a pattern whose bytes come with whether they are active, that is, not quoted.
    ///
    /// # Errors
    ///
    /// Where it is not certain what matches.
    pub fn read(text: &[(u8, bool)]) -> Result<Pattern, Why> {
        Self::compile(text, None)
    }

    /// The length of the shortest or longest suffix of a text that matches.
    ///
    /// # Errors
    ///
    /// Where locales differ, or where it takes too long.
    pub fn suffix_of(&self, text: &[u8], longest: bool) -> Result<Option<usize>, Why> {
        self.suffix(text, longest, &mut Steps::of_one_text())
    }

    /// The length of the shortest or longest prefix of a text that matches.
    ///
    /// # Errors
    ///
    /// As for [`Pattern::suffix_of`].
    pub fn prefix_of(&self, text: &[u8], longest: bool) -> Result<Option<usize>, Why> {
        self.prefix(text, longest, &mut Steps::of_one_text())
    }

    /// Whether only one text matches.
    pub fn is_literal(&self) -> bool {
        !self.wild
    }

    /// Whether only the empty text matches.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Compiles a pattern whose bytes come with whether they are active, that is, not quoted.
    pub(super) fn compile(text: &[(u8, bool)], extglob: Option<bool>) -> Result<Pattern, Why> {
        let mut tokens = Vec::new();
        let mut at = 0_usize;
        while let Some(&(byte, active)) = text.get(at) {
            at = at.saturating_add(1);
            let next = text.get(at).copied();
            if !active {
                tokens.push(Token::Byte(byte));
                continue;
            }
            if matches!(byte, b'?' | b'*' | b'+' | b'@' | b'!')
                && next == Some((b'(', true))
                && extglob != Some(false)
            {
                return Err(Why::Pattern);
            }
            match byte {
                b'*' => tokens.push(Token::Star),
                b'?' => tokens.push(Token::One),
                b'[' => match set(text, at)? {
                    Some((token, end)) => {
                        tokens.push(token);
                        at = end;
                    }
                    None => tokens.push(Token::Byte(b'[')),
                },
                // A backslash that came out of an expansion.
                b'\\' => match next {
                    Some((escaped, _)) => {
                        tokens.push(Token::Byte(escaped));
                        at = at.saturating_add(1);
                    }
                    None => return Err(Why::Version),
                },
                _ => tokens.push(Token::Byte(byte)),
            }
        }
        let wild = tokens.iter().any(|token| !matches!(token, Token::Byte(_)));
        Ok(Pattern { tokens, wild })
    }

    /// Whether the pattern matches the whole text.
    pub(super) fn matches(&self, text: &[u8], steps: &mut Steps) -> Result<bool, Why> {
        if !self.wild {
            steps.take(text.len().min(self.tokens.len()))?;
            return Ok(self.tokens.len() == text.len()
                && self.tokens.iter().zip(text).all(|(t, b)| matches!(t, Token::Byte(x) if x == b)));
        }
        // What `?` and sets match is a character, and which bytes are one depends on the locale.
        if !text.is_ascii() {
            return Err(Why::Locale);
        }
        let (mut token, mut byte) = (0_usize, 0_usize);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            steps.take(1)?;
            match (self.tokens.get(token), text.get(byte)) {
                (Some(Token::Star), _) => {
                    token = token.saturating_add(1);
                    retry = Some((token, byte));
                    continue;
                }
                (None, None) => return Ok(true),
                (Some(one), Some(&b)) if one.accepts(b)? => {
                    token = token.saturating_add(1);
                    byte = byte.saturating_add(1);
                    continue;
                }
                _ => {}
            }
            // Let the last star take one byte more.
            match retry {
                Some((after, from)) if from < text.len() => {
                    let from = from.saturating_add(1);
                    retry = Some((after, from));
                    token = after;
                    byte = from;
                }
                _ => return Ok(false),
            }
        }
    }

    /// The length of the shortest or longest prefix that matches.
    pub(super) fn prefix(&self, text: &[u8], longest: bool, steps: &mut Steps) -> Result<Option<usize>, Why> {
        if !self.wild {
            let len = self.tokens.len();
            let Some(head) = text.get(..len) else { return Ok(None) };
            return Ok(self.matches(head, steps)?.then_some(len));
        }
        self.search(text.len(), longest, |n| text.get(..n), steps)
    }

    /// The length of the shortest or longest suffix that matches.
    pub(super) fn suffix(&self, text: &[u8], longest: bool, steps: &mut Steps) -> Result<Option<usize>, Why> {
        if !self.wild {
            let len = self.tokens.len();
            let Some(start) = text.len().checked_sub(len) else { return Ok(None) };
            return Ok(self.matches(text.get(start..).unwrap_or_default(), steps)?.then_some(len));
        }
        self.search(text.len(), longest, |n| text.get(text.len().saturating_sub(n)..), steps)
    }

    fn search<'t>(
        &self,
        len: usize,
        longest: bool,
        part: impl Fn(usize) -> Option<&'t [u8]>,
        steps: &mut Steps,
    ) -> Result<Option<usize>, Why> {
        for n in 0..=len {
            let n = if longest { len.saturating_sub(n) } else { n };
            if let Some(text) = part(n)
                && self.matches(text, steps)?
            {
                return Ok(Some(n));
            }
        }
        Ok(None)
    }
}

impl Token {
    fn accepts(&self, byte: u8) -> Result<bool, Why> {
        Ok(match self {
            Token::Byte(b) => *b == byte,
            Token::One => true,
            Token::Star => false,
            Token::Set { negated, members } => {
                let mut found = false;
                for member in members {
                    found |= member.accepts(byte)?;
                }
                found != *negated
            }
        })
    }
}

impl Member {
    fn accepts(self, byte: u8) -> Result<bool, Why> {
        Ok(match self {
            Member::Byte(b) => b == byte,
            Member::Range(from, to) => {
                // Between letters of one case, and between digits, every locale agrees; what it
                // puts between letters of different case, or signs, is its own affair.
                let kind = |b: u8| (b.is_ascii_digit(), b.is_ascii_lowercase(), b.is_ascii_uppercase());
                let same = kind(from) == kind(to) && from.is_ascii_alphanumeric();
                if !same {
                    return Err(Why::Locale);
                }
                if kind(byte) == kind(from) {
                    (from..=to).contains(&byte)
                } else if byte.is_ascii_alphabetic() && from.is_ascii_alphabetic() {
                    return Err(Why::Locale);
                } else {
                    false
                }
            }
            Member::Class(class) => match class {
                ByteClass::Alpha => byte.is_ascii_alphabetic(),
                ByteClass::Digit => byte.is_ascii_digit(),
                ByteClass::Alnum => byte.is_ascii_alphanumeric(),
                ByteClass::Upper => byte.is_ascii_uppercase(),
                ByteClass::Lower => byte.is_ascii_lowercase(),
                ByteClass::Space => matches!(byte, b' ' | b'\t'..=b'\r'),
                ByteClass::Blank => matches!(byte, b' ' | b'\t'),
                ByteClass::Punct => byte.is_ascii_punctuation(),
                ByteClass::Xdigit => byte.is_ascii_hexdigit(),
                ByteClass::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            },
        })
    }
}

/// Reads a bracket expression whose `[` ends at `at`; `None` if it is none.
fn set(text: &[(u8, bool)], at: usize) -> Result<Option<(Token, usize)>, Why> {
    let mut at = at;
    let peek = |at: usize| text.get(at).copied();
    // Without a closing bracket it is a plain `[`.
    let closes = text.get(at..).unwrap_or_default().iter().any(|&(b, active)| b == b']' && active);
    if !closes {
        // A quoted one may or may not count, depending on what is around it.
        let quoted = text.get(at..).unwrap_or_default().iter().any(|&(b, _)| b == b']');
        return if quoted { Err(Why::Pattern) } else { Ok(None) };
    }
    let negated = matches!(peek(at), Some((b'!' | b'^', true)));
    if negated {
        at = at.saturating_add(1);
    }
    let mut members = Vec::new();
    let mut first = true;
    loop {
        let Some((byte, active)) = peek(at) else { return Err(Why::Pattern) };
        at = at.saturating_add(1);
        if byte == b']' && active && !first {
            return Ok(Some((Token::Set { negated, members }, at)));
        }
        first = false;
        let member = match (byte, active) {
            (b'[', true) => match peek(at) {
                Some((b':', _)) => {
                    let name: Vec<u8> = text
                        .get(at.saturating_add(1)..)
                        .unwrap_or_default()
                        .iter()
                        .map(|&(b, _)| b)
                        .take_while(u8::is_ascii_lowercase)
                        .collect();
                    at = at.saturating_add(1).saturating_add(name.len());
                    if peek(at).map(|(b, _)| b) != Some(b':')
                        || peek(at.saturating_add(1)).map(|(b, _)| b) != Some(b']')
                    {
                        return Err(Why::Pattern);
                    }
                    at = at.saturating_add(2);
                    Member::Class(class(&name).ok_or(Why::Pattern)?)
                }
                Some((b'.' | b'=', _)) => return Err(Why::Pattern),
                _ => Member::Byte(b'['),
            },
            (b'\\', true) => return Err(Why::Version),
            // A slash or a closing bracket in odd places is read in odd ways.
            (b'/', _) | (b']', _) => return Err(Why::Pattern),
            (byte, _) => Member::Byte(byte),
        };
        let member = match (member, peek(at), peek(at.saturating_add(1))) {
            (Member::Byte(from), Some((b'-', true)), Some((to, to_active))) if !(to == b']' && to_active) => {
                if matches!(to, b'[' | b'\\' | b']') {
                    return Err(Why::Pattern);
                }
                at = at.saturating_add(2);
                Member::Range(from, to)
            }
            (member, ..) => member,
        };
        members.push(member);
    }
}

fn class(name: &[u8]) -> Option<ByteClass> {
    Some(match name {
        b"alpha" => ByteClass::Alpha,
        b"digit" => ByteClass::Digit,
        b"alnum" => ByteClass::Alnum,
        b"upper" => ByteClass::Upper,
        b"lower" => ByteClass::Lower,
        b"space" => ByteClass::Space,
        b"blank" => ByteClass::Blank,
        b"punct" => ByteClass::Punct,
        b"xdigit" => ByteClass::Xdigit,
        b"word" => ByteClass::Word,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active(text: &str) -> Pattern {
        let text: Vec<_> = text.bytes().map(|b| (b, true)).collect();
        Pattern::compile(&text, Some(false)).unwrap()
    }

    #[test]
    fn patterns_match_as_in_bash() {
        for (pattern, text, is) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbd", false),
            ("?", "a", true),
            ("?", "", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[", "[", true),
            ("[[:digit:]]*", "7z", true),
            ("*a*b*", "xxaxxb", true),
            ("*.*.*", "a.b", false),
        ] {
            assert_eq!(
                active(pattern).matches(text.as_bytes(), &mut Steps(1000)),
                Ok(is),
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn brackets_in_odd_places_are_not_decided() {
        for pattern in ["[]a]", "[!]a]", "[a/b]", "[[.a.]]", "[[=a=]]", "[[:nonsense:]]", "[a-[]", "[\\a]"] {
            let text: Vec<_> = pattern.bytes().map(|b| (b, true)).collect();
            assert!(Pattern::compile(&text, Some(false)).is_err(), "{pattern}");
        }
    }

    #[test]
    fn what_depends_on_the_locale_is_not_decided() {
        for (pattern, text) in [("[a-z]", "B"), ("[a-Z]", "b"), ("?", "\u{e9}"), ("[%-~]", "b")] {
            assert_eq!(
                active(pattern).matches(text.as_bytes(), &mut Steps(1000)),
                Err(Why::Locale),
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn matching_that_takes_too_long_is_given_up() {
        let text = "a".repeat(2000);
        let pattern = active(&format!("*{}b", "a".repeat(50)));
        assert_eq!(pattern.matches(text.as_bytes(), &mut Steps(10_000)), Err(Why::TooLarge));
    }
}
