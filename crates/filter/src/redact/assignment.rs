//! Secrets known by the name in front of them: `password = …`, `API_KEY=…`, `"token": "…"`.
//!
//! Code is full of such names, so the value must look like a secret and not like code.

use super::alphabet::wordy;
use super::shapes::mixed;
use super::text::{LOOKED_AT, Text};
use std::ops::Range;

/// A text in quotes longer than this is no secret.
const LONGEST: usize = 4096;
/// How far back the beginning of a line is looked for.
const BEFORE: usize = 256;

/// Text that stands for a secret without being one.
pub(super) fn placeholder(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value).to_ascii_lowercase();
    let text = text.trim();
    text.is_empty()
        || text.chars().all(|c| matches!(c, '*' | 'x' | '.' | '-' | '_' | '•' | '#'))
        || text.starts_with(['$', '<', '{', '%', '(', '&', '|'])
        || matches!(
            text,
            "true"
                | "false"
                | "null"
                | "none"
                | "nil"
                | "undefined"
                | "yes"
                | "no"
                | "password"
                | "passwd"
                | "secret"
                | "token"
                | "string"
                | "required"
                | "optional"
                | "redacted"
                | "[redacted]"
                | "redacted]"
                | "hidden"
                | "changeme"
                | "unset"
                | "empty"
                | "str"
                | "bytes"
                | "self"
        )
}

/// The name in front of a value.
struct Name {
    start: usize,
    end: usize,
    lower: String,
    /// The part of it that was looked for, in lower case.
    found: String,
    /// `--name`.
    option: bool,
    /// `NAME`, as in an environment.
    capital: bool,
}

/// How a value stands behind its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// `name: value`, `name => value`, `name = value`.
    Assigned,
    /// `NAME=value`, no blanks.
    Tight,
    /// `--name value`.
    Option,
    /// `PASSWORD 'value'`, `ENV NAME value`, `login a password value`, `<name>value</name>`: nothing
    /// of code looks like it.
    Sure,
}

/// What may follow the part of a name that says it is a secret: `secretKey`, `token_value`.
const ENDINGS: &[&str] = &[
    "",
    "_key",
    "key",
    "-key",
    "_value",
    "value",
    "_access_key",
    "accesskey",
    "_base",
    "_key_base",
    "_id_token",
    "_string",
    "s",
    "_env",
    "word",
    "phrase",
    "_token",
    "token",
    "_secret",
    "secret",
    "_hash",
    "_1",
    "_2",
    "wd",
];

/// Names that only look so: page tokens, counts of tokens, public keys, keys of tables and of sorting.
const HARMLESS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "sync",
    "cancel",
    "public",
    "pub_",
    "foreign",
    "primary",
    "sort",
    "cache",
    "partition",
    "max_",
    "num_",
    "min_",
    "idempot",
    "host_key",
    "pad_",
    "eos_",
    "bos_",
];

/// What makes a `key` one that is secret.
const KEYS: &[&str] = &["secret", "private", "api", "access", "auth", "encrypt", "sign", "account", "shared"];

/// Bytes that may end a name, and the longest of [`ENDINGS`].
const LONGEST_ENDING: usize = 16;

impl Name {
    fn around(text: &Text<'_>, start: usize, end: usize) -> Option<Self> {
        let bytes = text.bytes();
        let to = text.run_within(end, LONGEST_ENDING, wordy);
        // What a name is tied to its value by begins with one of these: most words of a text end here.
        let tie = |b: u8| matches!(b, b'=' | b':' | b' ' | b'\t' | b'"' | b'\'' | b'`' | b'\\' | b'>');
        if !tie(text.get(to)?)
            || !ENDINGS.iter().any(|known| bytes[end..to].eq_ignore_ascii_case(known.as_bytes()))
        {
            return None;
        }
        let mut from = start;
        while from > 0 && (wordy(bytes[from - 1]) || bytes[from - 1] == b'.') && start - from < 64 {
            from -= 1;
        }
        let lower = |range: Range<usize>| String::from_utf8_lossy(&bytes[range]).to_ascii_lowercase();
        let name = &bytes[from..to];
        let name = Self {
            start: from,
            end: to,
            lower: lower(from..to),
            found: lower(start..end),
            option: name.starts_with(b"--"),
            capital: name.iter().all(|b| !b.is_ascii_lowercase()) && name.len() > 3,
        };
        // `@scope/password` is a package.
        let package = from > 0 && bytes[from - 1] == b'/';
        (!package && !name.is_harmless()).then_some(name)
    }

    fn is_harmless(&self) -> bool {
        let holds = |list: &[&str]| list.iter().any(|part| self.lower.contains(part));
        holds(HARMLESS)
            || (self.lower.contains("key_") && !self.lower.contains("secret"))
            || (self.found.ends_with("key") && !holds(KEYS) && !self.capital)
    }

    /// How the value is tied to the name, and where it begins.
    fn link(&self, text: &Text<'_>) -> Option<(Link, usize)> {
        let mut at = self.end;
        let mut quoted = false;
        match text.get(at) {
            Some(b'"' | b'\'' | b'`') => {
                quoted = true;
                at += 1;
            }
            Some(b'\\') if text.get(at + 1) == Some(b'"') => {
                quoted = true;
                at += 2;
            }
            Some(b'>') if self.start > 0 && text.bytes()[self.start - 1] == b'<' => {
                return Some((Link::Sure, at + 1));
            }
            _ => {}
        }
        // `environ["API_TOKEN"] = …`, `<add key="ApiKey" value="…"/>`
        if quoted && text.get(at) == Some(b']') {
            at += 1;
        } else if quoted && text.has(at, b" value=") {
            return Some((Link::Assigned, at + b" value=".len()));
        }
        let after = text.run(at, |b| b == b' ' || b == b'\t');
        let spaced = after > at;
        let length = match (text.get(after)?, text.get(after + 1)) {
            (b'=', Some(b'>')) | (b':', Some(b'=')) => 2,
            (b'=', Some(b'=')) | (b':', Some(b':')) => return None,
            (b'=' | b':', _) => 1,
            _ if self.option && spaced && !quoted => return Some((Link::Option, after)),
            _ if spaced && !quoted && self.stands_alone(text, after) => return Some((Link::Sure, after)),
            _ => return None,
        };
        let tight = length == 1 && text.bytes()[after] == b'=' && !spaced;
        Some((if tight { Link::Tight } else { Link::Assigned }, after + length))
    }

    /// `PASSWORD 'x'` of SQL, `ENV NAME x` of a Dockerfile, `login a password x` of a `.netrc`.
    fn stands_alone(&self, text: &Text<'_>, value: usize) -> bool {
        let near = &text.bytes()[self.start.saturating_sub(BEFORE)..self.start];
        let before = &near[memchr::memrchr(b'\n', near).map_or(0, |i| i + 1)..];
        (self.lower == "password" && self.capital && text.get(value) == Some(b'\''))
            || (self.capital && before.ends_with(b"ENV "))
            || (self.lower == "password" && memchr::memmem::find(before, b"login ").is_some())
    }
}

/// What a value without quotes may hold.
fn bare(b: u8) -> bool {
    !b.is_ascii_whitespace() && !b",;\"')}]&|<>\x1b".contains(&b)
}

/// Where a value ends, and the quote around it; of one without quotes, as much as is looked at.
fn value(text: &Text<'_>, from: usize) -> (Range<usize>, Option<u8>) {
    let mut at = from;
    let quote = match text.get(at) {
        Some(q @ (b'"' | b'\'')) => {
            at += 1;
            Some(q)
        }
        Some(b'\\') if text.get(at + 1) == Some(b'"') => {
            at += 2;
            Some(b'\\')
        }
        _ => None,
    };
    let end = match quote {
        Some(q) => text.run(at, |b| b != q && b != b'\n'),
        None => text.run_within(at, LOOKED_AT, bare),
    };
    (at..end, quote)
}

/// The value behind a name such as `password`, given where a part of the name was found.
pub(super) fn assignment(text: &Text<'_>, start: usize, end: usize) -> Option<Range<usize>> {
    // Until it is known where the value begins, it begins behind all that was looked at.
    text.begins(text.len());
    let name = Name::around(text, start, end)?;
    let (link, after) = name.link(text)?;
    let from = text.run(after, |b| b == b' ' || b == b'\t');
    let (range, quote) = value(text, from);
    text.begins(range.start);
    let value = &text.bytes()[range.clone()];
    if value.is_empty() || value.len() > LONGEST || placeholder(value) {
        return None;
    }
    let secret = match quote {
        _ if link == Link::Sure => value.len() >= 4 && !value.contains(&b' '),
        Some(_) => quoted_secret(&name, link, value),
        None => bare_secret(&name, link, value, from > after),
    };
    if !secret || is_path(value) || (quote.is_none() && link == Link::Assigned && is_type(text, range.end)) {
        return None;
    }
    let end = if quote.is_some() { range.end } else { text.run(range.end, bare) };
    Some(range.start..end)
}

/// Whether what ends here is the type of `KEY: SomeType = …`.
fn is_type(text: &Text<'_>, end: usize) -> bool {
    let equals = text.run(end, |b| b == b' ' || b == b'\t');
    text.get(end) == Some(b' ') && text.has(equals, b"= ")
}

/// A text in quotes: a password may be any, a token looks like one. Sentences are neither.
fn quoted_secret(name: &Name, link: Link, text: &[u8]) -> bool {
    let environment = link == Link::Tight && name.capital && text.len() >= 6;
    text.len() >= 4
        && (!text.contains(&b' ') || environment)
        && (is_password(name, link, text) || mixed(text) || text.len() >= 24 || environment)
}

/// A value without quotes. Code looks like `name=value` and `name: value` too, so the value must not.
fn bare_secret(name: &Name, link: Link, text: &[u8], blank: bool) -> bool {
    let numeric = text.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b',' | b'-'));
    let password = is_password(name, link, text);
    let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
    match link {
        Link::Tight if name.capital || name.option => text.len() >= 3 && (password || !numeric),
        // `--username and --password options` is a sentence.
        Link::Option | Link::Assigned if name.option => {
            let word = text.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'\'' | b'-' | b'.'));
            text.len() >= 4 && !word
        }
        _ => {
            text.len() >= 6
                && !numeric
                && !text.iter().any(|b| matches!(b, b'(' | b'[' | b'{' | b'$'))
                && (digits > 0 || !blank)
                && (mixed(text) || (password && !blank && digits > 0))
                && (!text.contains(&b'.') || digits >= 3)
                && memchr::memmem::find(text, b"::").is_none()
        }
    }
}

/// Whether the name says password. `TEST_PASS: 'ok'` is none.
fn is_password(name: &Name, link: Link, text: &[u8]) -> bool {
    name.found.contains("ss")
        && (name.found != "_pass" || link == Link::Tight || text.iter().any(|b| !b.is_ascii_alphabetic()))
}

fn is_path(text: &[u8]) -> bool {
    [&b"/"[..], b"./", b"../", b"~"].iter().any(|start| text.starts_with(start))
}
