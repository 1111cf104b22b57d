//! Secrets known by their shape: tokens with a prefix, private keys, passwords in addresses.

use super::assignment::{assignment, placeholder};
use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;
use std::sync::OnceLock;

/// What a find of an anchor may be the beginning of.
#[derive(Clone, Copy)]
enum Shape {
    /// A token: this prefix, then at least so many characters of its alphabet.
    Token {
        least: usize,
        alphabet: fn(u8) -> bool,
    },
    /// `scheme://user:password@host`.
    Address,
    PrivateKey,
    /// `Bearer …`, `Basic …`.
    Scheme,
    /// The end of a name that says what stands behind it.
    Name,
    Jwt,
    /// `hooks.slack.com/services/…`.
    Hook,
}

fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

pub(super) fn wordy(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

fn dotted(b: u8) -> bool {
    wordy(b) || b == b'.'
}

fn capitals(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

fn hexadecimal(b: u8) -> bool {
    b.is_ascii_hexdigit()
}

const fn token(least: usize, alphabet: fn(u8) -> bool) -> Shape {
    Shape::Token { least, alphabet }
}

const ANCHORS: &[(&str, Shape)] = &[
    ("ghp_", token(30, word)),
    ("gho_", token(30, word)),
    ("ghu_", token(30, word)),
    ("ghs_", token(30, word)),
    ("ghr_", token(30, word)),
    ("github_pat_", token(22, wordy)),
    ("glpat-", token(18, wordy)),
    ("glrt-", token(18, wordy)),
    ("gldt-", token(18, wordy)),
    ("glsa_", token(30, wordy)),
    ("AKIA", token(16, capitals)),
    ("ASIA", token(16, capitals)),
    ("ABIA", token(16, capitals)),
    ("sk-ant-", token(20, wordy)),
    ("sk-proj-", token(20, wordy)),
    ("sk-or-", token(20, wordy)),
    ("sk-", token(32, word)),
    ("sk_live_", token(16, word)),
    ("sk_test_", token(16, word)),
    ("rk_live_", token(16, word)),
    ("whsec_", token(20, word)),
    ("xoxb-", token(16, wordy)),
    ("xoxp-", token(16, wordy)),
    ("xoxa-", token(16, wordy)),
    ("xoxr-", token(16, wordy)),
    ("xoxs-", token(16, wordy)),
    ("xapp-", token(20, wordy)),
    ("AIza", token(33, wordy)),
    ("ya29.", token(20, wordy)),
    ("GOCSPX-", token(20, wordy)),
    ("SG.", token(40, dotted)),
    ("npm_", token(34, word)),
    ("pypi-AgE", token(30, wordy)),
    ("dop_v1_", token(32, hexadecimal)),
    ("shpat_", token(30, hexadecimal)),
    ("shpss_", token(30, hexadecimal)),
    ("hf_", token(30, word)),
    ("hvs.", token(20, wordy)),
    ("dapi", token(32, hexadecimal)),
    ("lin_api_", token(30, word)),
    ("figd_", token(30, wordy)),
    ("ATATT3x", token(40, dotted)),
    ("tskey-", token(16, wordy)),
    ("NRAK-", token(20, word)),
    ("sq0csp-", token(30, wordy)),
    ("AGE-SECRET-KEY-", token(40, word)),
    ("r8_", token(36, word)),
    ("gsk_", token(40, word)),
    ("xai-", token(40, word)),
    ("pat-na1-", token(30, wordy)),
    ("rubygems_", token(40, hexadecimal)),
    ("eyJ", Shape::Jwt),
    ("://", Shape::Address),
    ("-----BEGIN", Shape::PrivateKey),
    ("hooks.slack.com/services/", Shape::Hook),
    ("discord.com/api/webhooks/", Shape::Hook),
    ("Bearer ", Shape::Scheme),
    ("bearer ", Shape::Scheme),
    ("Basic ", Shape::Scheme),
    ("ssword", Shape::Name),
    ("SSWORD", Shape::Name),
    ("asswd", Shape::Name),
    ("ASSWD", Shape::Name),
    ("ssphrase", Shape::Name),
    ("SSPHRASE", Shape::Name),
    ("ecret", Shape::Name),
    ("ECRET", Shape::Name),
    ("oken", Shape::Name),
    ("OKEN", Shape::Name),
    ("_key", Shape::Name),
    ("_KEY", Shape::Name),
    ("-key", Shape::Name),
    ("-Key", Shape::Name),
    ("pikey", Shape::Name),
    ("PIKEY", Shape::Name),
    ("piKey", Shape::Name),
    ("essKey", Shape::Name),
    ("ateKey", Shape::Name),
    ("untKey", Shape::Name),
    ("redentials", Shape::Name),
    ("REDENTIALS", Shape::Name),
    ("_pwd", Shape::Name),
    ("_PWD", Shape::Name),
    ("_PASS", Shape::Name),
    ("_pass", Shape::Name),
];

fn anchors() -> Option<&'static AhoCorasick> {
    static ANCHOR_SEARCH: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    ANCHOR_SEARCH
        .get_or_init(|| {
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(ANCHORS.iter().map(|(text, _)| text))
                .ok()
        })
        .as_ref()
}

/// Finds shapes; gives where a private key begins, and looks no further than that.
pub(super) fn shapes_in(bytes: &[u8], spans: &mut Vec<Range<usize>>) -> Option<usize> {
    let search = anchors()?;
    let mut last = 0;
    for found in search.find_iter(bytes) {
        if found.start() < last {
            continue;
        }
        let (_, shape) = ANCHORS[found.pattern().as_usize()];
        let span = match shape {
            Shape::Token { least, alphabet } => {
                let before = found.start().checked_sub(1).map(|i| bytes[i]);
                let end = run(bytes, found.end(), alphabet);
                (!before.is_some_and(word) && end - found.end() >= least && mixed(&bytes[found.end()..end]))
                    .then_some(found.start()..end)
            }
            Shape::Address => address(bytes, found.start(), found.end()),
            Shape::PrivateKey => {
                let line = &bytes[found.start()..(found.start() + 64).min(bytes.len())];
                let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
                // `"-----BEGIN PRIVATE KEY-----"` and no more is code that speaks of keys.
                if let Some(at) = memchr::memmem::find(line, b"PRIVATE KEY") {
                    let behind = line[at..].iter().skip(11).find(|b| !matches!(b, b'-' | b' ' | b'A'..=b'Z'));
                    if !behind.is_some_and(|b| matches!(b, b'"' | b'\'' | b'`' | b')')) {
                        return Some(found.start());
                    }
                }
                None
            }
            Shape::Scheme => {
                let end = run(bytes, found.end(), |b| dotted(b) || matches!(b, b'+' | b'/' | b'=' | b'~'));
                (end - found.end() >= 12 && mixed(&bytes[found.end()..end])).then_some(found.end()..end)
            }
            Shape::Name => assignment(bytes, found.start(), found.end()),
            Shape::Jwt => jwt(bytes, found.start()),
            Shape::Hook => {
                let end = run(bytes, found.end(), |b| wordy(b) || b == b'/');
                (end - found.end() >= 20).then_some(found.end()..end)
            }
        };
        if let Some(span) = span {
            last = span.end;
            spans.push(span);
        }
    }
    None
}

pub(super) fn run(bytes: &[u8], from: usize, inside: impl Fn(u8) -> bool) -> usize {
    from + bytes[from..].iter().take_while(|b| inside(**b)).count()
}

/// Whether a token is no word or identifier: letters and digits, or capitals and small ones, mixed.
pub(super) fn mixed(token: &[u8]) -> bool {
    let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
    let upper = token.iter().filter(|b| b.is_ascii_uppercase()).count();
    let lower = token.iter().filter(|b| b.is_ascii_lowercase()).count();
    (digits >= 1 && upper + lower >= 2) || (upper >= 3 && lower >= 3)
}

/// The password in `scheme://user:password@host`, or the token in `scheme://token@host`.
fn address(bytes: &[u8], colon: usize, from: usize) -> Option<Range<usize>> {
    if colon == 0 || !bytes[colon - 1].is_ascii_alphanumeric() {
        return None;
    }
    let end = run(bytes, from, |b| {
        !b.is_ascii_whitespace() && !matches!(b, b'/' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'?' | b'#')
    });
    let at = from + memchr::memrchr(b'@', &bytes[from..end])?;
    let secret = match memchr::memchr(b':', &bytes[from..at]) {
        Some(colon) => from + colon + 1..at,
        None if at - from >= 20 && mixed(&bytes[from..at]) => from..at,
        None => return None,
    };
    let text = &bytes[secret.clone()];
    (!secret.is_empty() && !placeholder(text)).then_some(secret)
}

fn jwt(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    if start > 0 && word(bytes[start - 1]) {
        return None;
    }
    let mut at = start;
    for part in 0..3 {
        let end = run(bytes, at, wordy);
        if end - at < if part == 2 { 8 } else { 6 } {
            return None;
        }
        if part == 2 {
            return Some(start..end);
        }
        if bytes.get(end) != Some(&b'.') {
            return None;
        }
        at = end + 1;
    }
    None
}
