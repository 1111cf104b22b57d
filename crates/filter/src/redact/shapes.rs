//! Secrets known by their shape: tokens with a prefix, private keys, passwords in addresses.

use super::assignment::{assignment, placeholder};
use aho_corasick::{AhoCorasick, Input, MatchKind};
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
    /// `Authorization: Scheme …`.
    Header,
    /// `Cookie: name=…`, `Set-Cookie: name=…; Path=/`.
    Cookie,
    /// `-u user:password`.
    UserPass,
    /// Whatever word follows.
    Word,
    /// The word behind this option, on the same line.
    Flag(&'static [u8]),
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

fn base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

fn escaped(b: u8) -> bool {
    wordy(b) || b == b'%'
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
    ("glptt-", token(20, wordy)),
    ("glcbt-", token(18, wordy)),
    ("glft-", token(18, wordy)),
    ("glsoat-", token(18, wordy)),
    ("glimt-", token(18, wordy)),
    ("glagent-", token(30, wordy)),
    ("glffct-", token(18, wordy)),
    ("GR1348941", token(20, wordy)),
    ("xoxe-", token(20, wordy)),
    ("xoxe.xox", token(20, dotted)),
    ("xwfp-", token(20, wordy)),
    ("rk_test_", token(16, word)),
    ("sk_prod_", token(16, word)),
    ("sk-svcacct-", token(20, wordy)),
    ("sk-admin-", token(20, wordy)),
    ("1//0", token(36, wordy)),
    ("api_org_", token(30, word)),
    ("hvb.", token(40, wordy)),
    ("doo_v1_", token(32, hexadecimal)),
    ("dor_v1_", token(32, hexadecimal)),
    ("shpca_", token(30, hexadecimal)),
    ("shppa_", token(30, hexadecimal)),
    ("ATCTT3x", token(40, dotted)),
    ("ATBB", token(28, word)),
    ("NRII-", token(20, wordy)),
    ("NRJS-", token(16, word)),
    ("sq0atp-", token(20, wordy)),
    ("EAACEdEose0cBA", token(20, word)),
    ("EAAA", token(56, wordy)),
    ("key-", token(32, hexadecimal)),
    ("SK", token(32, hexadecimal)),
    ("dckr_pat_", token(20, wordy)),
    ("dckr_oat_", token(20, wordy)),
    ("dp.pt.", token(40, word)),
    ("dp.st.", token(40, dotted)),
    ("dp.ct.", token(40, word)),
    ("sntrys_", token(40, wordy)),
    ("sntryu_", token(40, hexadecimal)),
    ("glc_eyJ", token(40, word)),
    ("phx_", token(40, word)),
    ("PMAK-", token(24, wordy)),
    ("pul-", token(40, hexadecimal)),
    ("tfp_", token(36, word)),
    ("nfp_", token(36, word)),
    ("fo1_", token(40, wordy)),
    ("fm2_", token(40, dotted)),
    ("ops_eyJ", token(100, word)),
    ("LTAI", token(16, word)),
    ("AKID", token(28, word)),
    ("CCIPAT_", token(36, wordy)),
    ("bkua_", token(36, hexadecimal)),
    ("ntn_", token(40, word)),
    ("duffel_live_", token(40, wordy)),
    ("duffel_test_", token(40, wordy)),
    ("EZAK", token(50, word)),
    ("amzn1.mws.", token(30, wordy)),
    ("xkeysib-", token(40, wordy)),
    ("pplx-", token(40, word)),
    ("tvly-", token(24, wordy)),
    ("nvapi-", token(40, wordy)),
    ("e2b_", token(36, hexadecimal)),
    ("jina_", token(40, wordy)),
    ("aio_", token(26, word)),
    ("dt0c01.", token(24, dotted)),
    ("p8e-", token(28, word)),
    ("lsv2_pt_", token(30, wordy)),
    ("lsv2_sk_", token(30, wordy)),
    ("ddp_", token(34, word)),
    ("sbp_", token(36, hexadecimal)),
    ("zpka_", token(30, wordy)),
    // `-----BEGIN … PRIVATE KEY` in Base64, as cluster configurations hold it.
    ("LS0tLS1CRUdJTiBQUklWQVRFIEtFW", token(20, base64)),
    ("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", token(20, base64)),
    ("LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFW", token(20, base64)),
    ("LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ", token(20, base64)),
    ("&sig=", token(20, escaped)),
    ("?sig=", token(20, escaped)),
    ("X-Amz-Signature=", token(32, hexadecimal)),
    (", Signature=", token(32, hexadecimal)),
    (", response=\"", token(32, hexadecimal)),
    ("/IncomingWebhook/", Shape::Hook),
    ("uthorization", Shape::Header),
    ("UTHORIZATION", Shape::Header),
    ("ookie: ", Shape::Cookie),
    (" -u ", Shape::UserPass),
    ("--user ", Shape::UserPass),
    ("secret_", token(43, word)),
    ("sb_secret_", token(20, wordy)),
    ("sshpass -p ", Shape::Word),
    ("docker login ", Shape::Flag(b"-p ")),
    ("mysql ", Shape::Flag(b"-p")),
    ("mysqldump ", Shape::Flag(b"-p")),
    ("IDENTIFIED BY '", Shape::Word),
    ("-key-data", Shape::Name),
    ("Pwd", Shape::Name),
    ("_auth", Shape::Name),
    ("_AUTH", Shape::Name),
    ("\"auth\"", Shape::Name),
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

/// Up to this length a text is looked through by hand: to make the search costs more than many such texts.
const SHORT: usize = 512;

static ANCHOR_SEARCH: OnceLock<Option<AhoCorasick>> = OnceLock::new();

fn anchors() -> Option<&'static AhoCorasick> {
    ANCHOR_SEARCH
        .get_or_init(|| {
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(ANCHORS.iter().map(|(text, _)| text))
                .ok()
        })
        .as_ref()
}

/// The bytes that anchors begin with.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < ANCHORS.len() {
        first[ANCHORS[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};

/// The anchor that begins first, from a place on, and of those the longest; by hand.
fn first_anchor(bytes: &[u8], from: usize) -> Option<(Range<usize>, Shape)> {
    let may_begin = |at: &usize| FIRST[usize::from(bytes[*at])];
    (from..bytes.len()).filter(may_begin).find_map(|at| {
        let rest = &bytes[at..];
        let here = ANCHORS.iter().filter(|(text, _)| rest.starts_with(text.as_bytes()));
        here.max_by_key(|(text, _)| text.len()).map(|(text, shape)| (at..at + text.len(), *shape))
    })
}

/// Finds anchors, in the way that suits the length of the text.
enum Anchors {
    ByHand,
    Search(&'static AhoCorasick),
}

impl Anchors {
    fn of(bytes: &[u8]) -> Option<Self> {
        match ANCHOR_SEARCH.get() {
            None if bytes.len() <= SHORT => Some(Self::ByHand),
            _ => anchors().map(Self::Search),
        }
    }

    fn next(&self, bytes: &[u8], from: usize) -> Option<(Range<usize>, Shape)> {
        match self {
            Self::ByHand => first_anchor(bytes, from),
            Self::Search(search) => {
                let found = search.find(Input::new(bytes).range(from..))?;
                Some((found.range(), ANCHORS[found.pattern().as_usize()].1))
            }
        }
    }
}

/// How much of a word is looked at to tell whether it is a secret: time stays linear.
pub(super) const LOOKED_AT: usize = 256;

/// Finds shapes; gives where a private key begins, and looks no further than that.
pub(super) fn shapes_in(bytes: &[u8], spans: &mut Vec<Range<usize>>) -> Option<usize> {
    let anchors = Anchors::of(bytes)?;
    let mut at = 0;
    // Up to here stands a word that is no web token, wherever in it one begins.
    let mut no_jwt = 0;
    while let Some((Range { start, end }, shape)) = anchors.next(bytes, at) {
        let span = match shape {
            Shape::Token { least, alphabet } => token_at(bytes, start, end, least, alphabet),
            Shape::Address => address(bytes, start, end),
            Shape::PrivateKey if begins_key(bytes, start) => return Some(start),
            Shape::PrivateKey => None,
            Shape::Scheme => {
                secret_word(bytes, end, 12, |b| dotted(b) || matches!(b, b'+' | b'/' | b'=' | b'~'))
            }
            Shape::Name => assignment(bytes, start, end),
            Shape::Jwt if start < no_jwt => None,
            Shape::Jwt => jwt(bytes, start).or_else(|| {
                no_jwt = run(bytes, start, wordy);
                None
            }),
            Shape::Header => header(bytes, end),
            Shape::Cookie => cookie(bytes, start, end),
            Shape::UserPass => user_pass(bytes, end),
            Shape::Word => any_word(bytes, end),
            Shape::Flag(flag) => option(bytes, end, flag),
            Shape::Hook => {
                let to = run(bytes, end, |b| wordy(b) || b == b'/');
                (to - end >= 20).then_some(end..to)
            }
        };
        // An anchor that was none may hold the beginning of another one.
        at = span.as_ref().map_or(start + 1, |span| span.end.max(start + 1));
        spans.extend(span);
    }
    None
}

/// A prefix and what belongs to it; a prefix that begins with a letter begins a word.
fn token_at(
    bytes: &[u8],
    start: usize,
    end: usize,
    least: usize,
    alphabet: fn(u8) -> bool,
) -> Option<Range<usize>> {
    let inside_word = start > 0 && word(bytes[start]) && word(bytes[start - 1]);
    let secret = secret_word(bytes, end, least, alphabet).filter(|_| !inside_word)?;
    Some(start..secret.end)
}

/// A word of at least so many characters that is no word of a language.
fn secret_word(
    bytes: &[u8],
    from: usize,
    least: usize,
    alphabet: impl Fn(u8) -> bool,
) -> Option<Range<usize>> {
    let near = &bytes[..bytes.len().min(from + LOOKED_AT)];
    let end = run(near, from, &alphabet);
    (end - from >= least && mixed(&bytes[from..end])).then(|| from..run(bytes, end, alphabet))
}

fn any_word(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let end = run(bytes, from, |b| !b.is_ascii_whitespace() && !matches!(b, b'\'' | b'"'));
    let value = &bytes[from..end];
    (value.len() >= 3 && !placeholder(value)).then_some(from..end)
}

fn option(bytes: &[u8], from: usize, flag: &[u8]) -> Option<Range<usize>> {
    let near = &bytes[from..bytes.len().min(from + LOOKED_AT)];
    let line = &near[..memchr::memchr(b'\n', near).unwrap_or(near.len())];
    let at = memchr::memmem::find_iter(line, flag).find(|at| *at == 0 || line[at - 1] == b' ')?;
    any_word(bytes, from + at + flag.len()).filter(|found| mixed(&bytes[found.clone()]))
}

/// Whether a private key begins here. `"-----BEGIN PRIVATE KEY-----"` and no more is code that
/// speaks of keys.
fn begins_key(bytes: &[u8], start: usize) -> bool {
    let line = &bytes[start..(start + 64).min(bytes.len())];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    memchr::memmem::find(line, b"PRIVATE KEY").is_some_and(|at| {
        let behind = line[at..].iter().skip(11).find(|b| !matches!(b, b'-' | b' ' | b'A'..=b'Z'));
        !behind.is_some_and(|b| matches!(b, b'"' | b'\'' | b'`' | b')'))
    })
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

/// What stands behind the scheme of an `Authorization` header, or is the whole of it.
fn header(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = run(bytes, from, |b| matches!(b, b'"' | b'\'' | b'\\' | b']'));
    at = run(bytes, at, |b| b == b' ');
    if !matches!(bytes.get(at), Some(b':' | b'=')) {
        return None;
    }
    at = run(bytes, at + 1, |b| matches!(b, b' ' | b'"' | b'\'' | b'\\'));
    let value = |b: u8| dotted(b) || matches!(b, b'+' | b'/' | b'=' | b'~' | b':');
    let near = &bytes[..bytes.len().min(at + LOOKED_AT)];
    let scheme = run(near, at, value);
    let start = if bytes.get(scheme) == Some(&b' ') { scheme + 1 } else { at };
    secret_word(bytes, start, 8, value).filter(|found| !placeholder(&bytes[found.clone()]))
}

/// The values of a cookie, or the first of one that is set.
fn cookie(bytes: &[u8], start: usize, from: usize) -> Option<Range<usize>> {
    if !matches!(start.checked_sub(1).map(|i| bytes[i]), Some(b'c' | b'C')) {
        return None;
    }
    let set = start > 1 && bytes[start - 2] == b'-';
    let inside = |b: u8| !(matches!(b, b'\n' | b'\r' | b'"' | b'\'') || set && b == b';');
    let name = run(&bytes[..bytes.len().min(from + LOOKED_AT)], from, dotted);
    (bytes.get(name) == Some(&b'=')).then(|| secret_word(bytes, name + 1, 12, inside))?
}

/// The password in `user:password`, where it is no number of a group.
fn user_pass(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let from = from + usize::from(matches!(bytes.get(from), Some(b'"' | b'\'')));
    let inside = |b: u8| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'/');
    let near = &bytes[from..bytes.len().min(from + LOOKED_AT)];
    let colon = from + memchr::memchr(b':', near)?;
    if colon == from || run(&bytes[..colon], from, inside) < colon {
        return None;
    }
    secret_word(bytes, colon + 1, 4, inside).filter(|found| !placeholder(&bytes[found.clone()]))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn by_hand_the_same_anchors_are_found(
            parts in prop::collection::vec((0..ANCHORS.len(), "[ a-z_=:/-]{0,4}"), 0..6),
            cut in 0..4usize,
        ) {
            let mut text: String = parts.iter().map(|(at, rest)| format!("{}{rest}", ANCHORS[*at].0)).collect();
            text.truncate(text.len().saturating_sub(cut));
            let search = Anchors::Search(anchors().unwrap());
            for from in 0..=text.len() {
                let range = |found: Option<(Range<usize>, Shape)>| found.map(|(range, _)| range);
                let by_hand = range(Anchors::ByHand.next(text.as_bytes(), from));
                prop_assert_eq!(by_hand, range(search.next(text.as_bytes(), from)), "{:?} from {}", text, from);
            }
        }
    }
}
