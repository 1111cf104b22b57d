//! Masks secrets in a stream of bytes, before anything is shown, stored or recorded.
//!
//! Two kinds are known: shapes (tokens with a prefix, private keys, passwords in addresses,
//! assignments to names that say so), and values (the secrets of the session, wherever they
//! stand). The stream is read by lines, so that a secret cut in two by a chunk is still seen;
//! the same bytes come out whatever the chunks were.
//!
//! What is masked rather than what is not: a mask in the wrong place costs a look at the file, a
//! secret in a transcript stays there. Names in code are spared where they can be told apart.

use aho_corasick::{AhoCorasick, MatchKind};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A line longer than this is masked piece by piece.
const PIECE: usize = 64 * 1024;
/// Values shorter than this are too likely to stand elsewhere by chance.
const SHORTEST_VALUE: usize = 6;
/// Lines of a private key that are taken out at most.
const KEY_LINES: u32 = 400;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Secrets {
    values: Option<Arc<AhoCorasick>>,
    longest: usize,
}

impl Default for Secrets {
    fn default() -> Self {
        Self::shapes()
    }
}

impl Secrets {
    /// Known shapes alone.
    #[must_use]
    pub fn shapes() -> Self {
        Self { values: None, longest: 0 }
    }

    /// Known shapes, and these values of the session.
    ///
    /// A value is found as it is, line by line where it has several, and in Base64 and in the
    /// spelling of addresses. Values of fewer than six characters are left to the shapes.
    #[must_use]
    pub fn with_values<I, S>(values: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let mut list: Vec<Vec<u8>> = Vec::new();
        for value in values {
            let value = value.as_ref().trim();
            if value.len() >= SHORTEST_VALUE {
                for shift in 0..3 {
                    list.extend(base64_inside(value.as_bytes(), shift));
                }
                let address = percent(value);
                if address != value {
                    list.push(address.into_bytes());
                }
                let quoted = serde_json::to_string(value).unwrap_or_default();
                let quoted = quoted.trim_matches('"');
                if quoted != value && !quoted.contains("\\n") {
                    list.push(quoted.as_bytes().to_vec());
                }
            }
            for line in value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_VALUE) {
                list.push(line.as_bytes().to_vec());
            }
        }
        list.sort();
        list.dedup();
        let longest = list.iter().map(Vec::len).max().unwrap_or(0);
        let values = (!list.is_empty())
            .then(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&list).ok())
            .flatten()
            .map(Arc::new);
        Self { values, longest }
    }
}

/// The part of a value's Base64 that does not depend on what stands before and after it.
fn base64_inside(value: &[u8], shift: usize) -> Option<Vec<u8>> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let skip = (3 - shift) % 3;
    let inside = value.get(skip..)?;
    let mut out = Vec::new();
    for three in inside.chunks_exact(3) {
        let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        out.extend([18, 12, 6, 0].map(|by| LETTERS[(bits >> by & 63) as usize]));
    }
    (out.len() >= 12).then_some(out)
}

fn percent(value: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

/// Masks a stream.
///
/// ```
/// use toolgate_filter::redact::{Redactor, Secrets};
/// let mut redactor = Redactor::new(Secrets::with_values(["correct horse battery"]));
/// let mut out = Vec::new();
/// redactor.push(b"using ghp_16C7e42F292c69", &mut out);
/// redactor.push(b"12E7710c838347Ae178B4a and correct horse ba", &mut out);
/// redactor.push(b"ttery\n", &mut out);
/// redactor.finish(&mut out);
/// assert_eq!(out, b"using [redacted] and [redacted]\n");
/// ```
#[derive(Debug)]
pub struct Redactor {
    secrets: Secrets,
    held: Vec<u8>,
    /// Lines of a private key that were taken out so far, while inside one.
    key: Option<u32>,
    masked: u64,
}

impl Redactor {
    /// A redactor at the start of a stream.
    #[must_use]
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, held: Vec::new(), key: None, masked: 0 }
    }

    /// Takes a chunk; what is sure to hold no secret is written to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match memchr::memrchr(b'\n', bytes) {
            Some(end) => {
                let (lines, rest) = bytes.split_at(end + 1);
                if self.held.is_empty() {
                    self.lines(lines, out);
                } else {
                    // The line that was begun is completed alone: the rest need not be copied.
                    let first = memchr::memchr(b'\n', lines).map_or(lines.len(), |i| i + 1);
                    let mut held = std::mem::take(&mut self.held);
                    held.extend_from_slice(&lines[..first]);
                    self.flush_pieces(&mut held, out);
                    self.lines(&held, out);
                    held.clear();
                    self.held = held;
                    self.lines(&lines[first..], out);
                }
                self.held.extend_from_slice(rest);
            }
            None => self.held.extend_from_slice(bytes),
        }
        let mut held = std::mem::take(&mut self.held);
        self.flush_pieces(&mut held, out);
        self.held = held;
    }

    /// Writes what stands after the last line end.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        self.lines(&held, out);
    }

    /// How many secrets were masked.
    #[must_use]
    pub fn masked(&self) -> u64 {
        self.masked
    }

    /// A line that does not end is masked as far as no secret can reach.
    fn flush_pieces(&mut self, held: &mut Vec<u8>, out: &mut Vec<u8>) {
        while held.len() >= PIECE + self.secrets.longest {
            // Where a piece ends depends on the bytes alone, never on the chunks.
            let window = &held[..PIECE];
            let mut cut = window
                .iter()
                .rposition(|b| matches!(b, b',' | b';' | b'}' | b'\r'))
                .or_else(|| window.iter().rposition(|b| *b == b' '))
                .map_or(PIECE, |at| at + 1);
            if let Some(values) = &self.secrets.values {
                let end = (cut + self.secrets.longest).min(held.len());
                let start = cut.saturating_sub(self.secrets.longest);
                if let Some(across) = values
                    .find_iter(&held[start..end])
                    .map(|m| start + m.start()..start + m.end())
                    .find(|m| m.start < cut && cut < m.end)
                {
                    cut = across.end;
                }
            }
            let piece: Vec<u8> = held.drain(..cut).collect();
            self.lines(&piece, out);
        }
    }

    /// Masks whole lines.
    fn lines(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut bytes = bytes;
        if self.key.is_some() {
            bytes = self.inside_key(bytes, out);
        }
        while !bytes.is_empty() {
            let mut spans: Vec<Range<usize>> = Vec::new();
            let key_at = shapes_in(bytes, &mut spans);
            if let Some(values) = &self.secrets.values {
                spans.extend(values.find_iter(bytes).map(|m| m.range()));
            }
            hidden_by_escapes(bytes, self.secrets.values.as_deref(), &mut spans);
            let stop = key_at.unwrap_or(bytes.len());
            spans.sort_by_key(|s| (s.start, s.end));
            let mut from = 0;
            for span in spans {
                if span.start >= stop {
                    break;
                }
                if span.start < from {
                    // Part of what was masked already: its end is masked too.
                    from = from.max(span.end.min(stop));
                    continue;
                }
                out.extend_from_slice(&bytes[from..span.start]);
                out.extend_from_slice(mask(span.len()));
                self.masked += 1;
                from = span.end;
            }
            if from < stop {
                out.extend_from_slice(&bytes[from..stop]);
            }
            bytes = &bytes[stop.max(from).min(bytes.len())..];
            if key_at.is_some() {
                out.extend_from_slice(b"[redacted private key]");
                self.masked += 1;
                self.key = Some(0);
                let begin = b"-----BEGIN".len().min(bytes.len());
                bytes = self.inside_key(&bytes[begin..], out);
            }
        }
    }

    /// Takes out the lines of a private key; gives what stands after it.
    fn inside_key<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>) -> &'b [u8] {
        let mut rest = bytes;
        while let Some(count) = self.key {
            if rest.is_empty() {
                return rest;
            }
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
            let line = &rest[..end];
            // All in one line, as in JSON: `-----BEGIN…\nMII…\n-----END…`.
            if let Some(at) = memchr::memmem::find(line, b"-----END") {
                let after =
                    memchr::memmem::find(&line[at + 8..], b"-----").map_or(line.len(), |n| at + 8 + n + 5);
                self.key = None;
                return &rest[after..];
            }
            let text = line.trim_ascii();
            let body = text.iter().all(|b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b'+' | b'/' | b'=' | b'\\' | b'"' | b',' | b' ' | b'-' | b':')
            });
            let header = text.starts_with(b"Proc-Type:")
                || text.starts_with(b"DEK-Info:")
                || text.starts_with(b"Version:")
                || count == 0;
            if !(body || header) || count > KEY_LINES {
                self.key = None;
                out.push(b'\n');
                return rest;
            }
            self.key = Some(count + 1);
            rest = &rest[end..];
        }
        rest
    }
}

/// Masks a whole text.
///
/// ```
/// use toolgate_filter::redact::{Secrets, redact};
/// assert_eq!(redact("postgres://app:hunter2@db/shop", &Secrets::shapes()), "postgres://app:***@db/shop");
/// ```
#[must_use]
pub fn redact<'t>(text: &'t str, secrets: &Secrets) -> Cow<'t, str> {
    let mut out = Vec::with_capacity(text.len());
    let mut redactor = Redactor::new(secrets.clone());
    redactor.push(text.as_bytes(), &mut out);
    redactor.finish(&mut out);
    if redactor.masked == 0 {
        return Cow::Borrowed(text);
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

fn mask(length: usize) -> &'static [u8] {
    if length >= 16 { b"[redacted]" } else { b"***" }
}

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

fn wordy(b: u8) -> bool {
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
fn shapes_in(bytes: &[u8], spans: &mut Vec<Range<usize>>) -> Option<usize> {
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
                if memchr::memmem::find(line, b"PRIVATE KEY").is_some() {
                    return Some(found.start());
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

fn run(bytes: &[u8], from: usize, inside: impl Fn(u8) -> bool) -> usize {
    from + bytes[from..].iter().take_while(|b| inside(**b)).count()
}

/// Whether a token is no word or identifier: letters and digits, or capitals and small ones, mixed.
fn mixed(token: &[u8]) -> bool {
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

/// Text that stands for a secret without being one.
fn placeholder(value: &[u8]) -> bool {
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
fn assignment(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
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
    let password = found.contains("ss");
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
    (kept && wanted).then_some(at..stop)
}

/// Secrets with escape sequences inside them (a highlighted match): the whole line is looked at
/// without, and what is found masks everything from its first to its last byte.
fn hidden_by_escapes(bytes: &[u8], values: Option<&AhoCorasick>, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(found) = memchr::memchr(0x1b, &bytes[from..]) {
        let start = memchr::memrchr(b'\n', &bytes[..from + found]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &bytes[from + found..]).map_or(bytes.len(), |i| from + found + i);
        let line = &bytes[start..end];
        // The bytes without sequences, and where each came from.
        let mut plain = Vec::with_capacity(line.len());
        let mut origin = Vec::with_capacity(line.len());
        let mut at = 0;
        while at < line.len() {
            if line[at] == 0x1b {
                at += 1;
                if line.get(at) == Some(&b'[') {
                    at += 1;
                    at = run(line, at, |b| (0x20..=0x3f).contains(&b)) + 1;
                } else {
                    at += 1;
                }
                continue;
            }
            plain.push(line[at]);
            origin.push(start + at);
            at += 1;
        }
        let mut inside = Vec::new();
        shapes_in(&plain, &mut inside);
        if let Some(values) = values {
            inside.extend(values.find_iter(&plain).map(|m| m.range()));
        }
        for span in inside {
            if let (Some(first), Some(last)) =
                (origin.get(span.start), origin.get(span.end.saturating_sub(1)))
            {
                spans.push(*first..last + 1);
            }
        }
        from = end;
        if from >= bytes.len() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn masked(text: &str) -> String {
        redact(text, &Secrets::shapes()).into_owned()
    }

    #[test]
    fn secrets_of_known_shapes_are_masked() {
        // Built from parts, so that no scanner takes this file for a leak.
        let digits = "16C7e42F292c6912E7710c838347Ae178B4a";
        for (line, secret) in [
            (format!("token ghp_{digits}"), digits.to_owned()),
            (format!("GITHUB_TOKEN=gho_{digits}"), digits.to_owned()),
            (format!("id AK{}IOSFODNN7EXAMPLE x", "IA"), "IOSFODNN7EXAMPLE".to_owned()),
            (
                "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY".to_owned(),
                "wJalrXUtn".to_owned(),
            ),
            ("DATABASE_URL=postgres://app:hunter2@127.0.0.1/shop".to_owned(), "hunter2".to_owned()),
            ("redis://:p4ss@host:6379".to_owned(), "p4ss".to_owned()),
            ("\"password\": \"hunter2\"".to_owned(), "hunter2".to_owned()),
            ("password: \"s3cr3t!\"".to_owned(), "s3cr3t!".to_owned()),
            ("DB_PASSWORD=hunter".to_owned(), "hunter".to_owned()),
            ("mysql --password=hunter2 -u x".to_owned(), "hunter2".to_owned()),
            ("tool --token abcd1234efgh".to_owned(), "abcd1234efgh".to_owned()),
            ("Authorization: Bearer abcDEF123456ghi".to_owned(), "abcDEF123456ghi".to_owned()),
            ("authorization: Basic dXNlcjpwYXNzd29yZDEy".to_owned(), "dXNlcjpwYXNz".to_owned()),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P".to_owned(),
                "eyJzdWIi".to_owned(),
            ),
            (format!("key sk-{}", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7"), "a1B2c3D4e5".to_owned()),
            ("client_secret=Zx81kQpL0v".to_owned(), "Zx81kQpL0v".to_owned()),
            ("AccountKey=abcd1234EFGH5678abcd1234EFGH5678==;X".to_owned(), "abcd1234EFGH".to_owned()),
            ("{\\\"apiKey\\\":\\\"a1b2c3d4e5f6a7b8\\\"}".to_owned(), "a1b2c3d4e5f6".to_owned()),
            (
                "gh\x1b[01;31mp_16C7e42F292c6912\x1b[mE7710c838347Ae178B4a".to_owned(),
                "E7710c838347Ae178B4a".to_owned(),
            ),
        ] {
            let out = masked(&line);
            assert!(!out.contains(&secret), "{line} → {out}");
        }
    }

    #[test]
    fn code_and_prose_are_left_alone() {
        for line in [
            "let token = self.tokens.next();",
            "fn password(&self) -> &str {",
            "password: String,",
            "token: &'a str,",
            "the token was refused: Authentication failed",
            "max_tokens=4096",
            "\"nextToken\": \"eyJlYWNoIjoxfQ\"",
            "PWD=/home/dev/proj/js",
            "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
            "POSTGRES_PASSWORD_FILE=/run/secrets/pg",
            "password=$PGPASSWORD",
            "token: ${{ secrets.GITHUB_TOKEN }}",
            "secretName: my-app-tls",
            "http://127.0.0.1:8731/api/items?page=2",
            "git@github.com:org/repo.git",
            "ssh://git@github.com/org/repo.git",
            "impl<'a> Tokenizer<'a> for X",
            "task-runner-with-a-very-long-name-indeed-yes-it-is",
            "primary_key: Option<String>",
            "expect(token).toBe(other)",
            "assert_eq!(secret, other.secret);",
            "public_key = \"ssh-ed25519-AAAAC3NzaC1lZDI1NTE5AAAAIJ\"",
        ] {
            assert_eq!(masked(line), line);
        }
    }

    #[test]
    fn a_private_key_goes_and_what_follows_stays() {
        let text = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----\nerror: b\n";
        assert_eq!(masked(text), "a\n[redacted private key]\nerror: b\n");
        let cut = "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nerror: disk full!\nmore\n";
        assert_eq!(masked(cut), "[redacted private key]\nerror: disk full!\nmore\n");
        let json = "{\"k\":\"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\",\"z\":1}";
        assert_eq!(masked(json), "{\"k\":\"[redacted private key]\\n\",\"z\":1}");
        let public = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n";
        assert_eq!(masked(public), public);
    }

    #[test]
    fn values_are_masked_in_every_spelling() {
        let value = "p@ss w0rd/with+signs";
        let secrets = Secrets::with_values([value]);
        let base64 = "cEBzcyB3MHJkL3dpdGgrc2lnbnM=";
        for text in [
            format!("x {value} y"),
            format!("x {base64} y"),
            format!("x {} y", percent(value)),
            format!("Basic dXNlcjpwQHNzIHcwcmQvd2l0aCtzaWducw== {value}"),
        ] {
            let out = redact(&text, &secrets);
            assert!(
                !out.contains(value) && !out.contains("cyB3MHJkL3dpdGgrc2lnb") && !out.contains("%40ss"),
                "{out}"
            );
        }
        let lines = Secrets::with_values(["first-line-1\nsecond-line-2"]);
        assert_eq!(redact("a second-line-2 b", &lines), "a *** b");
    }

    #[test]
    fn a_value_across_the_border_of_two_pieces_is_masked() {
        let value = "val,ue;with}commas";
        let secrets = Secrets::with_values([value]);
        for shift in 0..40 {
            let mut text = "x".repeat(PIECE - 30 + shift);
            text.push_str(value);
            text.push_str(&"y".repeat(PIECE * 2));
            let mut out = Vec::new();
            let mut redactor = Redactor::new(secrets.clone());
            for chunk in text.as_bytes().chunks(1000) {
                redactor.push(chunk, &mut out);
            }
            redactor.finish(&mut out);
            assert!(!String::from_utf8(out).unwrap().contains(value), "{shift}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn chunk_borders_change_nothing(
            text in "(ghp_16C7e42F292c6912E7710c838347Ae178B4a|password=hunter2|\\n|x|://a:b@c|-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|MIIE| |é|secret-value){0,24}",
            size in 1usize..40,
        ) {
            let secrets = Secrets::with_values(["secret-value"]);
            let whole = redact(&text, &secrets).into_owned();
            let mut out = Vec::new();
            let mut redactor = Redactor::new(secrets);
            for chunk in text.as_bytes().chunks(size) {
                redactor.push(chunk, &mut out);
            }
            redactor.finish(&mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), whole);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut out = Vec::new();
            let mut redactor = Redactor::new(Secrets::shapes());
            redactor.push(&bytes, &mut out);
            redactor.finish(&mut out);
        }
    }
}
