//! Reads the small part of regular expressions that built-in rules may use.
//!
//! Also included by the build script, so it depends on nothing. Anchors, text, `.`, classes
//! (`\d \w \s \S [...]`), `* + ?` on one of these, and groups of alternatives that may be optional.

/// No upper bound of a repetition.
pub(crate) const MANY: u8 = u8::MAX;

/// One step of a parsed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code, reason = "the build script reads every field, the crate only the constant above")]
pub(crate) enum Parsed {
    Text(String),
    Any(u8),
    Rep { ascii: u128, other: bool, min: u8, max: u8 },
    Again { text: String, min: u8 },
    OneOf { alternatives: Vec<Vec<Parsed>>, optional: bool },
}

/// A parsed pattern: whether it is anchored, and its steps.
#[allow(dead_code, reason = "used by the build script")]
pub(crate) struct Whole {
    pub(crate) start: bool,
    pub(crate) end: bool,
    pub(crate) ops: Vec<Parsed>,
}

#[allow(dead_code, reason = "used by the build script")]
pub(crate) fn parse(text: &str) -> Result<Whole, String> {
    let start = text.starts_with('^');
    let body = text.strip_prefix('^').unwrap_or(text);
    let end = body.ends_with('$') && !body.ends_with("\\$");
    let body = if end { &body[..body.len() - 1] } else { body };
    let chars: Vec<char> = body.chars().collect();
    let mut at = 0;
    let ops = sequence(&chars, &mut at, false)?;
    if at != chars.len() {
        return Err(format!("unbalanced group in `{text}`"));
    }
    Ok(Whole { start, end, ops })
}

enum Atom {
    Char(char),
    Dot,
    Set { ascii: u128, other: bool },
    Group(Vec<Vec<Parsed>>),
}

fn sequence(chars: &[char], at: &mut usize, inside: bool) -> Result<Vec<Parsed>, String> {
    let mut ops: Vec<Parsed> = Vec::new();
    while *at < chars.len() {
        if inside && (chars[*at] == '|' || chars[*at] == ')') {
            break;
        }
        let atom = atom(chars, at)?;
        let quantity = match chars.get(*at) {
            Some('*') => Some((0, MANY)),
            Some('+') => Some((1, MANY)),
            Some('?') => Some((0, 1)),
            _ => None,
        };
        if quantity.is_some() {
            *at += 1;
        }
        let op = match (atom, quantity) {
            (Atom::Char(c), None) => {
                if let Some(Parsed::Text(text)) = ops.last_mut() {
                    text.push(c);
                    continue;
                }
                Parsed::Text(c.to_string())
            }
            (Atom::Char(c), Some((min, max))) => match u32::from(c) {
                code @ 0..=127 => Parsed::Rep { ascii: 1 << code, other: false, min, max },
                _ if max == 1 => {
                    Parsed::OneOf { alternatives: vec![vec![Parsed::Text(c.to_string())]], optional: true }
                }
                _ => Parsed::Again { text: c.to_string(), min },
            },
            (Atom::Dot, None) => Parsed::Rep { ascii: !(1 << 10), other: true, min: 1, max: 1 },
            (Atom::Dot, Some((min, MANY))) => Parsed::Any(min),
            (Atom::Dot, Some((min, max))) => Parsed::Rep { ascii: !(1 << 10), other: true, min, max },
            (Atom::Set { ascii, other }, quantity) => {
                let (min, max) = quantity.unwrap_or((1, 1));
                Parsed::Rep { ascii, other, min, max }
            }
            (Atom::Group(alternatives), None) => Parsed::OneOf { alternatives, optional: false },
            (Atom::Group(alternatives), Some((0, 1))) => Parsed::OneOf { alternatives, optional: true },
            (Atom::Group(_), Some(_)) => return Err("a group cannot be repeated".to_owned()),
        };
        ops.push(op);
    }
    Ok(ops)
}

fn atom(chars: &[char], at: &mut usize) -> Result<Atom, String> {
    let c = chars[*at];
    *at += 1;
    Ok(match c {
        '.' => Atom::Dot,
        '\\' => {
            let escaped = *chars.get(*at).ok_or("pattern ends in a backslash")?;
            *at += 1;
            match class(escaped) {
                Some((ascii, other)) => Atom::Set { ascii, other },
                None if escaped == 't' => Atom::Char('\t'),
                None if escaped.is_ascii_alphanumeric() => {
                    return Err(format!("`\\{escaped}` is not part of the pattern language"));
                }
                None => Atom::Char(escaped),
            }
        }
        '[' => set(chars, at)?,
        '(' => {
            if chars.get(*at) == Some(&'?') {
                if chars.get(*at + 1) != Some(&':') {
                    return Err("only (?:…) groups are understood".to_owned());
                }
                *at += 2;
            }
            let mut alternatives = Vec::new();
            loop {
                alternatives.push(sequence(chars, at, true)?);
                match chars.get(*at) {
                    Some('|') => *at += 1,
                    Some(')') => break,
                    _ => return Err("unclosed group".to_owned()),
                }
            }
            *at += 1;
            Atom::Group(alternatives)
        }
        '*' | '+' | '?' | ')' | '{' | '}' | '^' | '$' | '|' => {
            return Err(format!("`{c}` is not understood here: escape it"));
        }
        other => Atom::Char(other),
    })
}

fn class(c: char) -> Option<(u128, bool)> {
    let range = |from: u32, to: u32| (from..=to).fold(0u128, |set, code| set | 1 << code);
    let digit = range(48, 57);
    let space = range(9, 13) | 1 << 32;
    let word = digit | range(65, 90) | range(97, 122) | 1 << 95;
    Some(match c {
        'd' => (digit, false),
        's' => (space, false),
        'S' => (!space, true),
        // Letters of other alphabets are word characters too; telling them apart is not needed.
        'w' => (word, false),
        _ => return None,
    })
}

fn set(chars: &[char], at: &mut usize) -> Result<Atom, String> {
    let negated = chars.get(*at) == Some(&'^');
    if negated {
        *at += 1;
    }
    let mut ascii = 0u128;
    let mut other = false;
    let mut first = true;
    loop {
        let c = *chars.get(*at).ok_or("unclosed set")?;
        *at += 1;
        if c == ']' && !first {
            break;
        }
        first = false;
        let from = if c == '\\' {
            let escaped = *chars.get(*at).ok_or("set ends in a backslash")?;
            *at += 1;
            if let Some((more, beyond)) = class(escaped) {
                ascii |= more;
                other |= beyond;
                continue;
            }
            escaped
        } else {
            c
        };
        let to = if chars.get(*at) == Some(&'-') && chars.get(*at + 1).is_some_and(|c| *c != ']') {
            *at += 2;
            chars[*at - 1]
        } else {
            from
        };
        if !from.is_ascii() || !to.is_ascii() {
            return Err("sets hold ASCII only: use a group for other characters".to_owned());
        }
        for code in u32::from(from)..=u32::from(to) {
            ascii |= 1 << code;
        }
    }
    Ok(if negated { Atom::Set { ascii: !ascii, other: !other } } else { Atom::Set { ascii, other } })
}
