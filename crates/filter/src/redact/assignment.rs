//! Secrets known by the name in front of them: `password = …`, `API_KEY=…`, `"token": "…"`.
//!
//! Code is full of such names, so the value must look like a secret and not like code.

use super::shapes::{mixed, run, wordy};
use std::ops::Range;

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

/// The value behind a name such as `password`, given where a part of the name was found.
pub(super) fn assignment(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let mut at = end;
    // `passwords`, `tokens` hold many; a longer name ends in something else.
    let mut name_start = start;
    while name_start > 0
        && (wordy(bytes[name_start - 1]) || bytes[name_start - 1] == b'.')
        && start - name_start < 64
    {
        name_start -= 1;
    }
    // `SECRET_ACCESS_KEY`, `secretKey`, `token_value`: what follows must still say so.
    let rest = run(bytes, at, wordy);
    let behind = String::from_utf8_lossy(&bytes[at..rest]).to_ascii_lowercase();
    if !matches!(
        behind.as_str(),
        "" | "_key"
            | "key"
            | "-key"
            | "_value"
            | "value"
            | "_access_key"
            | "accesskey"
            | "_base"
            | "_key_base"
            | "_id_token"
            | "_string"
            | "s"
            | "_env"
            | "word"
            | "phrase"
            | "_token"
            | "token"
            | "_secret"
            | "secret"
            | "_hash"
            | "_1"
            | "_2"
            | "wd"
    ) {
        return None;
    }
    at = rest;
    let name = &bytes[name_start..at];
    let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
    let found = String::from_utf8_lossy(&bytes[start..end]).to_ascii_lowercase();
    let option = name.starts_with(b"--");
    let capital = name.iter().all(|b| !b.is_ascii_lowercase()) && name.len() > 3;
    // Names that only look so: page tokens, counts of tokens, public keys, keys of tables and of sorting.
    if [
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
        "key_",
        "host_key",
        "pad_",
        "eos_",
        "bos_",
    ]
    .iter()
    .any(|part| lower.contains(part))
        || (found.ends_with("key")
            && !lower.contains("secret")
            && !lower.contains("private")
            && !lower.contains("api")
            && !lower.contains("access")
            && !lower.contains("auth")
            && !lower.contains("encrypt")
            && !lower.contains("sign")
            && !lower.contains("account")
            && !lower.contains("shared")
            && !capital)
    {
        return None;
    }
    let mut quote = match bytes.get(at) {
        Some(q @ (b'"' | b'\'' | b'`')) => {
            at += 1;
            if *q == b'`' { Some(b'`') } else { None }
        }
        Some(b'\\') if bytes.get(at + 1) == Some(&b'"') => {
            at += 2;
            None
        }
        _ => None,
    };
    at = run(bytes, at, |b| b == b' ' || b == b'\t');
    let spaced = at > rest;
    let assigned = match bytes.get(at) {
        Some(b'=') if bytes.get(at + 1) == Some(&b'>') => 2,
        Some(b'=') if bytes.get(at + 1) != Some(&b'=') => 1,
        Some(b':') if bytes.get(at + 1) == Some(&b'=') => 2,
        Some(b':') if bytes.get(at + 1) != Some(&b':') => 1,
        _ if option && spaced && quote.is_none() => 0,
        _ => return None,
    };
    let shell = assigned == 1 && bytes.get(at) == Some(&b'=') && !spaced;
    at += assigned;
    let value_from = run(bytes, at, |b| b == b' ' || b == b'\t');
    let blank = value_from > at;
    at = value_from;
    match bytes.get(at) {
        Some(q @ (b'"' | b'\'')) => {
            quote = Some(*q);
            at += 1;
        }
        Some(b'\\') if bytes.get(at + 1) == Some(&b'"') => {
            quote = Some(b'\\');
            at += 2;
        }
        _ => {}
    }
    let stop = match quote {
        Some(q) => at + bytes[at..].iter().position(|b| *b == q || *b == b'\n').unwrap_or(bytes.len() - at),
        None => run(bytes, at, |b| {
            !b.is_ascii_whitespace()
                && !matches!(
                    b,
                    b',' | b';' | b'"' | b'\'' | b')' | b'}' | b']' | b'&' | b'|' | b'<' | b'>' | 0x1b
                )
        }),
    };
    let value = &bytes[at..stop];
    let kept = !value.is_empty() && value.len() <= 4096 && !placeholder(value);
    let path = value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"~")
        || value.starts_with(b"../");
    let numeric = value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b',' | b'-'));
    // `TEST_PASS: 'ok'` is no password.
    let password =
        found.contains("ss") && (found != "_pass" || shell || value.iter().any(|b| !b.is_ascii_alphabetic()));
    // `KEY: SomeType = …`
    let annotated = quote.is_none()
        && !shell
        && bytes[stop..].trim_ascii_start().starts_with(b"= ")
        && bytes.get(stop) == Some(&b' ');
    let wanted = match quote {
        // A text: a password may be any, a token looks like one. Sentences are neither.
        Some(_) => {
            value.len() >= 4
                && !value.contains(&b' ')
                && (password || mixed(value) || value.len() >= 24)
                && !path
        }
        // `NAME=value` of an environment or an option.
        None if shell && (capital || option) => value.len() >= 3 && !path && (password || !numeric),
        None if option => value.len() >= 4 && !path && !value.starts_with(b"-"),
        // `name=value`, `name: value`: code looks like this too, so the value must not.
        None => {
            value.len() >= 6
                && !path
                && !numeric
                && !value.iter().any(|b| matches!(b, b'(' | b'[' | b'{' | b'$'))
                && (mixed(value) || (password && !blank && value.iter().any(u8::is_ascii_digit)))
                && (!value.contains(&b'.') || value.iter().filter(|b| b.is_ascii_digit()).count() >= 3)
                && memchr::memmem::find(value, b"::").is_none()
        }
    };
    (kept && wanted && !annotated).then_some(at..stop)
}
