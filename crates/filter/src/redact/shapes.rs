//! Secrets known by their shape: tokens with a prefix, private keys, passwords in addresses.

use super::alphabet::{Alphabet, dotted, word, wordy};
use super::anchors::{self, Anchor, Anchors, Shape, anchor_at};
use super::assignment::{assignment, placeholder};
use super::text::{LOOKED_AT, Text};
use std::ops::Range;

/// Finds shapes; gives where a private key begins, and looks no further than that.
pub(super) fn shapes_in(bytes: &[u8], spans: &mut Vec<Range<usize>>) -> Option<usize> {
    let mut anchors = Anchors::new(bytes);
    scan(&Text::new(bytes), |from| anchors.next(from), |found, _| spans.extend(found))
}

/// Finds shapes in a text that may go on; gives where a private key begins, and from where on, at the
/// earliest, more text could make or change a secret.
pub(super) fn shapes_so_far(bytes: &[u8], spans: &mut Vec<Range<usize>>) -> (Option<usize>, usize) {
    let mut open = bytes.len();
    for at in bytes.len().saturating_sub(anchors::LONGEST)..bytes.len() {
        // The beginning of an anchor, or one of which a longer one may come.
        let mut begun = anchors::that_begin_with(&bytes[at..]).filter(|shape| shape.holds_anchor());
        if begun.any(|_| !inside_word(bytes, at)) {
            open = at + divides(bytes[at]);
            break;
        }
    }
    let key = scan(
        &Text::new(bytes),
        |from| each_anchor(bytes, from),
        |found, undecided| {
            spans.extend(found);
            open = undecided.unwrap_or(open).min(open);
        },
    );
    (key, open)
}

/// The first anchor from a place on, looked for at every place: none is left out.
fn each_anchor(bytes: &[u8], from: usize) -> Option<Anchor> {
    (from..bytes.len()).find_map(|start| anchor_at(bytes, start))
}

/// Goes from anchor to anchor; tells of each the secret that it begins, and where one would begin that
/// depends on more text.
fn scan(
    text: &Text<'_>,
    mut next: impl FnMut(usize) -> Option<Anchor>,
    mut tell: impl FnMut(Option<Range<usize>>, Option<usize>),
) -> Option<usize> {
    let mut at = 0;
    // Up to here stands a word that is no web token, wherever in it one begins.
    let mut no_jwt = 0;
    // A secret that was found, and has not been reached yet.
    let mut taken = 0..0;
    while let Some(Anchor { range: Range { start, end }, shape }) = next(at) {
        if taken.contains(&start) {
            at = taken.end;
            continue;
        }
        text.begin(if shape.holds_anchor() { start + divides(text.bytes()[start]) } else { end });
        let span = match shape {
            Shape::Token { least, alphabet } => token_at(text, start, end, least, alphabet),
            Shape::Address => address(text, start, end),
            Shape::PrivateKey if begins_key(text, start) => return Some(start),
            Shape::PrivateKey => None,
            Shape::Scheme => {
                secret_word(text, end, 12, |b| dotted(b) || matches!(b, b'+' | b'/' | b'=' | b'~'))
            }
            Shape::Name => assignment(text, start, end),
            Shape::Jwt if start < no_jwt || inside_word(text.bytes(), start) => None,
            Shape::Jwt => jwt(text, start).or_else(|| {
                no_jwt = text.run(start, wordy);
                None
            }),
            Shape::Header => header(text, end),
            Shape::Cookie => cookie(text, start, end),
            Shape::UserPass => user_pass(text, end),
            Shape::Word => any_word(text, end),
            Shape::Flag(flag) => option(text, end, flag),
            Shape::Hook => {
                let to = text.run(end, |b| wordy(b) || b == b'/');
                (to - end >= 20).then_some(end..to)
            }
        };
        at = match &span {
            // An anchor that was none may hold the beginning of another one.
            None => start + 1,
            // What stands before the secret may be one too: `mysql -h TOKEN -pPASSWORD`.
            Some(span) if span.start > end => {
                taken = span.clone();
                end
            }
            Some(span) => span.end.max(start + 1),
        };
        tell(span, text.undecided());
    }
    None
}

/// Whether a word goes on here that began before.
fn inside_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && word(bytes[at]) && word(bytes[at - 1])
}

/// A prefix and what belongs to it; a prefix that begins with a letter begins a word.
fn token_at(
    text: &Text<'_>,
    start: usize,
    end: usize,
    least: usize,
    alphabet: Alphabet,
) -> Option<Range<usize>> {
    if inside_word(text.bytes(), start) {
        return None;
    }
    let secret = secret_word(text, end, least, |b| alphabet.holds(b))?;
    Some(start + divides(text.bytes()[start])..secret.end)
}

/// One where an anchor's first byte only divides it from what stands before: it is no part of a secret.
fn divides(first: u8) -> usize {
    usize::from(matches!(first, b'&' | b'?' | b','))
}

/// A word of at least so many characters that is no word of a language.
fn secret_word(
    text: &Text<'_>,
    from: usize,
    least: usize,
    alphabet: impl Fn(u8) -> bool,
) -> Option<Range<usize>> {
    let end = text.run_within(from, LOOKED_AT, &alphabet);
    (end - from >= least && mixed(&text.bytes()[from..end])).then(|| from..text.run(end, alphabet))
}

fn any_word(text: &Text<'_>, from: usize) -> Option<Range<usize>> {
    let end = text.run(from, |b| !b.is_ascii_whitespace() && !matches!(b, b'\'' | b'"'));
    let value = &text.bytes()[from..end];
    (value.len() >= 3 && !placeholder(value)).then_some(from..end)
}

fn option(text: &Text<'_>, from: usize, flag: &[u8]) -> Option<Range<usize>> {
    let end = text.run_within(from, LOOKED_AT, |b| b != b'\n');
    let line = &text.bytes()[from..end];
    text.begins(text.len());
    let at = memchr::memmem::find_iter(line, flag).find(|at| *at == 0 || line[at - 1] == b' ')?;
    let value = from + at + flag.len();
    text.begins(value);
    any_word(text, value).filter(|found| mixed(&text.bytes()[found.clone()]))
}

/// Whether a private key begins here. `"-----BEGIN PRIVATE KEY-----"` and no more is code that
/// speaks of keys.
fn begins_key(text: &Text<'_>, start: usize) -> bool {
    let line = &text.bytes()[start..text.run_within(start, 64, |b| b != b'\n')];
    memchr::memmem::find(line, b"PRIVATE KEY").is_some_and(|at| {
        let behind = line[at..].iter().skip(11).find(|b| !matches!(b, b'-' | b' ' | b'A'..=b'Z'));
        !behind.is_some_and(|b| matches!(b, b'"' | b'\'' | b'`' | b')'))
    })
}

/// Whether a token is no word or identifier: letters and digits, or capitals and small ones, mixed.
pub(super) fn mixed(token: &[u8]) -> bool {
    let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
    let upper = token.iter().filter(|b| b.is_ascii_uppercase()).count();
    let lower = token.iter().filter(|b| b.is_ascii_lowercase()).count();
    (digits >= 1 && upper + lower >= 2) || (upper >= 3 && lower >= 3)
}

/// The password in `scheme://user:password@host`, or the token in `scheme://token@host`.
fn address(text: &Text<'_>, colon: usize, from: usize) -> Option<Range<usize>> {
    let bytes = text.bytes();
    if colon == 0 || !word(bytes[colon - 1]) {
        return None;
    }
    let end = text.run(from, |b| {
        !b.is_ascii_whitespace() && !matches!(b, b'/' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'?' | b'#')
    });
    let at = from + memchr::memrchr(b'@', &bytes[from..end])?;
    let secret = match memchr::memchr(b':', &bytes[from..at]) {
        Some(colon) => from + colon + 1..at,
        None if at - from >= 20 && mixed(&bytes[from..at]) => from..at,
        None => return None,
    };
    (!secret.is_empty() && !placeholder(&bytes[secret.clone()])).then_some(secret)
}

/// What stands behind the scheme of an `Authorization` header, or is the whole of it.
fn header(text: &Text<'_>, from: usize) -> Option<Range<usize>> {
    let mut at = text.run(from, |b| matches!(b, b'"' | b'\'' | b'\\' | b']'));
    at = text.run(at, |b| b == b' ');
    if !matches!(text.get(at), Some(b':' | b'=')) {
        text.begins(at);
        return None;
    }
    at = text.run(at + 1, |b| matches!(b, b' ' | b'"' | b'\'' | b'\\'));
    let value = |b: u8| dotted(b) || matches!(b, b'+' | b'/' | b'=' | b'~' | b':');
    let scheme = text.run_within(at, LOOKED_AT, value);
    let start = if text.get(scheme) == Some(b' ') { scheme + 1 } else { at };
    text.begins(start);
    secret_word(text, start, 8, value).filter(|found| !placeholder(&text.bytes()[found.clone()]))
}

/// The values of a cookie, or the first of one that is set.
fn cookie(text: &Text<'_>, start: usize, from: usize) -> Option<Range<usize>> {
    let bytes = text.bytes();
    if !matches!(start.checked_sub(1).map(|i| bytes[i]), Some(b'c' | b'C')) {
        return None;
    }
    let set = start > 1 && bytes[start - 2] == b'-';
    let inside = |b: u8| !(matches!(b, b'\n' | b'\r' | b'"' | b'\'') || set && b == b';');
    let name = text.run_within(from, LOOKED_AT, dotted);
    text.begins(name);
    (text.get(name) == Some(b'=')).then(|| secret_word(text, name + 1, 12, inside))?
}

/// The password in `user:password`, where it is no number of a group.
fn user_pass(text: &Text<'_>, from: usize) -> Option<Range<usize>> {
    let from = from + usize::from(matches!(text.get(from), Some(b'"' | b'\'')));
    let inside = |b: u8| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'/');
    let colon = text.run_within(from, LOOKED_AT, |b| inside(b) && b != b':');
    text.begins(colon);
    if colon == from || colon - from == LOOKED_AT || text.get(colon) != Some(b':') {
        return None;
    }
    secret_word(text, colon + 1, 4, inside).filter(|found| !placeholder(&text.bytes()[found.clone()]))
}

fn jwt(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    let mut at = start;
    for part in 0..3 {
        let end = text.run(at, wordy);
        if end - at < if part == 2 { 8 } else { 6 } {
            return None;
        }
        if part == 2 {
            return Some(start..end);
        }
        if text.get(end) != Some(b'.') {
            return None;
        }
        at = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::tests::secretive;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_search_finds_what_a_plain_one_does(text in secretive(40)) {
            let text = text.as_bytes();
            let (mut by_search, mut plainly) = (Vec::new(), Vec::new());
            let found = shapes_in(text, &mut by_search);
            let expected =
                scan(&Text::new(text), |from| each_anchor(text, from), |found, _| plainly.extend(found));
            prop_assert_eq!((found, by_search), (expected, plainly));
        }
    }
}
