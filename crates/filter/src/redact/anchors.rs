//! What secrets of a known shape begin with, and the search for it.
//!
//! Every byte of every output passes here, so the search is made of two steps. Three bytes at every
//! second place are looked up in a bitmap: an anchor that begins there or one byte before would have
//! set the bit. What is left is compared with the anchors themselves. The bitmap is made when this is
//! compiled, so that a short output pays nothing for it. Both steps take the same time on any text.

use super::alphabet::Alphabet::{self, Base64, Capitals, Dotted, Escaped, Hexadecimal, Word, Wordy};
use std::ops::Range;

/// What a find of an anchor may be the beginning of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A token: this prefix, then at least so many characters of its alphabet.
    Token {
        least: usize,
        alphabet: Alphabet,
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

impl Shape {
    /// Whether the anchor itself is a part of the secret.
    pub(super) const fn holds_anchor(self) -> bool {
        matches!(self, Self::Token { .. } | Self::Jwt | Self::PrivateKey)
    }

    /// Whether a secret may have this byte right behind the anchor.
    const fn goes_on(self, b: u8) -> bool {
        match self {
            Self::Token { alphabet, .. } => alphabet.holds(b),
            Self::Jwt => Wordy.holds(b),
            Self::Address => !b.is_ascii_whitespace() && b != b'/',
            _ => true,
        }
    }
}

const fn token(least: usize, alphabet: Alphabet) -> Shape {
    Shape::Token { least, alphabet }
}

/// Every anchor, and what it may begin.
const ANCHORS: &[(&str, Shape)] = &[
    ("ghp_", token(30, Word)),
    ("gho_", token(30, Word)),
    ("ghu_", token(30, Word)),
    ("ghs_", token(30, Word)),
    ("ghr_", token(30, Word)),
    ("github_pat_", token(22, Wordy)),
    ("glpat-", token(18, Wordy)),
    ("glrt-", token(18, Wordy)),
    ("gldt-", token(18, Wordy)),
    ("glsa_", token(30, Wordy)),
    ("AKIA", token(16, Capitals)),
    ("ASIA", token(16, Capitals)),
    ("ABIA", token(16, Capitals)),
    ("sk-ant-", token(20, Wordy)),
    ("sk-proj-", token(20, Wordy)),
    ("sk-or-", token(20, Wordy)),
    ("sk-", token(32, Word)),
    ("sk_live_", token(16, Word)),
    ("sk_test_", token(16, Word)),
    ("rk_live_", token(16, Word)),
    ("whsec_", token(20, Word)),
    ("xoxb-", token(16, Wordy)),
    ("xoxp-", token(16, Wordy)),
    ("xoxa-", token(16, Wordy)),
    ("xoxr-", token(16, Wordy)),
    ("xoxs-", token(16, Wordy)),
    ("xapp-", token(20, Wordy)),
    ("AIza", token(33, Wordy)),
    ("ya29.", token(20, Wordy)),
    ("GOCSPX-", token(20, Wordy)),
    ("SG.", token(40, Dotted)),
    ("npm_", token(34, Word)),
    ("pypi-AgE", token(30, Wordy)),
    ("dop_v1_", token(32, Hexadecimal)),
    ("shpat_", token(30, Hexadecimal)),
    ("shpss_", token(30, Hexadecimal)),
    ("hf_", token(30, Word)),
    ("hvs.", token(20, Wordy)),
    ("dapi", token(32, Hexadecimal)),
    ("lin_api_", token(30, Word)),
    ("figd_", token(30, Wordy)),
    ("ATATT3x", token(40, Dotted)),
    ("tskey-", token(16, Wordy)),
    ("NRAK-", token(20, Word)),
    ("sq0csp-", token(30, Wordy)),
    ("AGE-SECRET-KEY-", token(40, Word)),
    ("r8_", token(36, Word)),
    ("gsk_", token(40, Word)),
    ("xai-", token(40, Word)),
    ("pat-na1-", token(30, Wordy)),
    ("rubygems_", token(40, Hexadecimal)),
    ("glptt-", token(20, Wordy)),
    ("glcbt-", token(18, Wordy)),
    ("glft-", token(18, Wordy)),
    ("glsoat-", token(18, Wordy)),
    ("glimt-", token(18, Wordy)),
    ("glagent-", token(30, Wordy)),
    ("glffct-", token(18, Wordy)),
    ("GR1348941", token(20, Wordy)),
    ("xoxe-", token(20, Wordy)),
    ("xoxe.xox", token(20, Dotted)),
    ("xwfp-", token(20, Wordy)),
    ("rk_test_", token(16, Word)),
    ("sk_prod_", token(16, Word)),
    ("sk-svcacct-", token(20, Wordy)),
    ("sk-admin-", token(20, Wordy)),
    ("1//0", token(36, Wordy)),
    ("api_org_", token(30, Word)),
    ("hvb.", token(40, Wordy)),
    ("doo_v1_", token(32, Hexadecimal)),
    ("dor_v1_", token(32, Hexadecimal)),
    ("shpca_", token(30, Hexadecimal)),
    ("shppa_", token(30, Hexadecimal)),
    ("ATCTT3x", token(40, Dotted)),
    ("ATBB", token(28, Word)),
    ("NRII-", token(20, Wordy)),
    ("NRJS-", token(16, Word)),
    ("sq0atp-", token(20, Wordy)),
    ("EAACEdEose0cBA", token(20, Word)),
    ("EAAA", token(56, Wordy)),
    ("key-", token(32, Hexadecimal)),
    ("SK", token(32, Hexadecimal)),
    ("dckr_pat_", token(20, Wordy)),
    ("dckr_oat_", token(20, Wordy)),
    ("dp.pt.", token(40, Word)),
    ("dp.st.", token(40, Dotted)),
    ("dp.ct.", token(40, Word)),
    ("sntrys_", token(40, Wordy)),
    ("sntryu_", token(40, Hexadecimal)),
    ("glc_eyJ", token(40, Word)),
    ("phx_", token(40, Word)),
    ("PMAK-", token(24, Wordy)),
    ("pul-", token(40, Hexadecimal)),
    ("tfp_", token(36, Word)),
    ("nfp_", token(36, Word)),
    ("fo1_", token(40, Wordy)),
    ("fm2_", token(40, Dotted)),
    ("ops_eyJ", token(100, Word)),
    ("LTAI", token(16, Word)),
    ("AKID", token(28, Word)),
    ("CCIPAT_", token(36, Wordy)),
    ("bkua_", token(36, Hexadecimal)),
    ("ntn_", token(40, Word)),
    ("duffel_live_", token(40, Wordy)),
    ("duffel_test_", token(40, Wordy)),
    ("EZAK", token(50, Word)),
    ("amzn1.mws.", token(30, Wordy)),
    ("xkeysib-", token(40, Wordy)),
    ("pplx-", token(40, Word)),
    ("tvly-", token(24, Wordy)),
    ("nvapi-", token(40, Wordy)),
    ("e2b_", token(36, Hexadecimal)),
    ("jina_", token(40, Wordy)),
    ("aio_", token(26, Word)),
    ("dt0c01.", token(24, Dotted)),
    ("p8e-", token(28, Word)),
    ("lsv2_pt_", token(30, Wordy)),
    ("lsv2_sk_", token(30, Wordy)),
    ("ddp_", token(34, Word)),
    ("sbp_", token(36, Hexadecimal)),
    ("zpka_", token(30, Wordy)),
    // `-----BEGIN … PRIVATE KEY` in Base64, as cluster configurations hold it.
    ("LS0tLS1CRUdJTiBQUklWQVRFIEtFW", token(20, Base64)),
    ("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", token(20, Base64)),
    ("LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFW", token(20, Base64)),
    ("LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ", token(20, Base64)),
    ("&sig=", token(20, Escaped)),
    ("?sig=", token(20, Escaped)),
    ("X-Amz-Signature=", token(32, Hexadecimal)),
    (", Signature=", token(32, Hexadecimal)),
    (", response=\"", token(32, Hexadecimal)),
    ("/IncomingWebhook/", Shape::Hook),
    ("uthorization", Shape::Header),
    ("UTHORIZATION", Shape::Header),
    ("ookie: ", Shape::Cookie),
    (" -u ", Shape::UserPass),
    ("--user ", Shape::UserPass),
    ("secret_", token(43, Word)),
    ("sb_secret_", token(20, Wordy)),
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

/// Bytes of the longest anchor.
pub(super) const LONGEST: usize = {
    let (mut longest, mut at) = (0, 0);
    while at < ANCHORS.len() {
        if ANCHORS[at].0.len() > longest {
            longest = ANCHORS[at].0.len();
        }
        at += 1;
    }
    longest
};

/// An anchor that was found.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    pub(super) range: Range<usize>,
    pub(super) shape: Shape,
}

/// Bytes that are looked at before it is asked whether any of them may begin an anchor.
const BLOCK: usize = 64;

/// Bits of a place in the bitmap: 16 KiB, which stay in a processor's nearest cache.
const PLACE: u32 = 17;

/// What three bytes are multiplied by. Of many numbers it is the one with which the three letters that
/// are common in output fell least on places of anchors: one look in a thousand is in vain for that.
const SPREAD: u32 = 0xf8_e00d;

/// Where the bit of the first three of four bytes is: the fourth is multiplied out of the number.
const fn place(four: [u8; 4]) -> usize {
    (u32::from_le_bytes(four).wrapping_mul(SPREAD << 8) >> (u32::BITS - PLACE)) as usize
}

/// A bit for the first three bytes of each anchor, and one for the three from its second byte on.
static MAY_BEGIN: [u64; (1 << PLACE) / 64] = {
    let mut bits = [0; (1 << PLACE) / 64];
    let mut at = 0;
    while at < ANCHORS.len() {
        let (text, shape) = ANCHORS[at];
        let text = text.as_bytes();
        match *text {
            [a, b, c, d, ..] => {
                mark(&mut bits, [a, b, c]);
                mark(&mut bits, [b, c, d]);
            }
            [a, b, c] => {
                mark(&mut bits, [a, b, c]);
                let mut next = 0;
                while next < 256 {
                    if shape.goes_on(next as u8) {
                        mark(&mut bits, [b, c, next as u8]);
                    }
                    next += 1;
                }
            }
            [a, b] => {
                let mut pair = 0;
                while pair < 1 << 16 {
                    let (first, second) = ((pair >> 8) as u8, pair as u8);
                    if shape.goes_on(first) {
                        mark(&mut bits, [a, b, first]);
                        if shape.goes_on(second) {
                            mark(&mut bits, [b, first, second]);
                        }
                    }
                    pair += 1;
                }
            }
            _ => panic!("an anchor has two bytes or more"),
        }
        at += 1;
    }
    bits
};

const fn mark(bits: &mut [u64; (1 << PLACE) / 64], [a, b, c]: [u8; 3]) {
    let place = place([a, b, c, 0]);
    bits[place / 64] |= 1 << (place % 64);
}

/// Lists of anchors with the same first two bytes, each the number of an anchor and one more.
const HEADS: usize = 1024;

const fn head(a: u8, b: u8) -> usize {
    (a as usize * 37 + b as usize) % HEADS
}

/// The first of each list, and what follows each anchor in its list: a longer one comes first.
static LISTS: ([u8; HEADS], [u8; ANCHORS.len()]) = {
    assert!(ANCHORS.len() < 256);
    let (mut heads, mut next) = ([0; HEADS], [0; ANCHORS.len()]);
    let mut length = 0;
    while length <= LONGEST {
        let mut at = 0;
        while at < ANCHORS.len() {
            let text = ANCHORS[at].0.as_bytes();
            if text.len() == length {
                let head = head(text[0], text[1]);
                next[at] = heads[head];
                heads[head] = at as u8 + 1;
            }
            at += 1;
        }
        length += 1;
    }
    (heads, next)
};

/// The first four bytes of each anchor, and which bits of them count: most are told apart by these.
static BEGINNINGS: [(u32, u32); ANCHORS.len()] = {
    let mut all = [(0, 0); ANCHORS.len()];
    let mut at = 0;
    while at < ANCHORS.len() {
        let text = ANCHORS[at].0.as_bytes();
        let counts = if text.len() < 4 { (1 << (8 * text.len())) - 1 } else { u32::MAX };
        all[at] = (first_four(text), counts);
        at += 1;
    }
    all
};

/// The first four bytes as a number, noughts where there are fewer.
const fn first_four(bytes: &[u8]) -> u32 {
    let (mut number, mut at) = (0, 0);
    while at < 4 && at < bytes.len() {
        number |= (bytes[at] as u32) << (8 * at);
        at += 1;
    }
    number
}

/// The longest anchor that begins here.
pub(super) fn anchor_at(bytes: &[u8], start: usize) -> Option<Anchor> {
    let rest = bytes.get(start..)?;
    let [a, b, ..] = *rest else { return None };
    let (heads, next) = &LISTS;
    let mut at = usize::from(heads[head(a, b)]);
    if at == 0 {
        return None;
    }
    let first = rest.first_chunk().map_or_else(|| first_four(rest), |four| u32::from_le_bytes(*four));
    while at > 0 {
        let (text, shape) = ANCHORS[at - 1];
        let (begins, counts) = BEGINNINGS[at - 1];
        if first & counts == begins && rest.starts_with(text.as_bytes()) {
            return Some(Anchor { range: start..start + text.len(), shape });
        }
        at = usize::from(next[at - 1]);
    }
    None
}

/// The shapes whose anchors begin with this.
pub(super) fn that_begin_with(rest: &[u8]) -> impl Iterator<Item = Shape> {
    ANCHORS.iter().filter(move |(text, _)| text.as_bytes().starts_with(rest)).map(|(_, shape)| *shape)
}

/// Finds the anchors of a text from left to right.
///
/// One of two or three bytes with which no secret goes on may be left out.
pub(super) struct Anchors<'t> {
    bytes: &'t [u8],
    /// Where the block begins that is looked through.
    block: usize,
    /// The places of it, every second byte, at which or right before which an anchor may begin.
    places: u32,
    /// Where the next block begins.
    next: usize,
}

impl<'t> Anchors<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, block: 0, places: 0, next: 0 }
    }

    /// The first anchor from a place on, which is never before the last one asked for.
    pub(super) fn next(&mut self, from: usize) -> Option<Anchor> {
        loop {
            while self.places != 0 {
                let place = self.block + 2 * self.places.trailing_zeros() as usize;
                for start in from.max(place.saturating_sub(1))..=place {
                    let found = anchor_at(self.bytes, start);
                    if found.is_some() {
                        return found;
                    }
                }
                self.places &= self.places - 1;
            }
            self.block = self.next.max(from);
            self.look()?;
        }
    }

    /// Looks through blocks until one may hold the beginning of an anchor.
    fn look(&mut self) -> Option<()> {
        let mut rest = self.bytes.get(self.block..)?;
        while let Some((window, _)) = rest.split_first_chunk::<{ BLOCK + 2 }>() {
            self.places = places(window);
            if self.places != 0 {
                self.next = self.block + BLOCK;
                return Some(());
            }
            rest = &rest[BLOCK..];
            self.block += BLOCK;
        }
        if rest.is_empty() {
            return None;
        }
        self.next = self.bytes.len();
        let mut window = [0; BLOCK + 2];
        window[..rest.len()].copy_from_slice(rest);
        self.places = places(&window);
        (self.places != 0).then_some(())
    }
}

/// A bit for every second byte whose bit is set in the bitmap.
fn places(window: &[u8; BLOCK + 2]) -> u32 {
    let bit = |at: usize| {
        let place = place([window[2 * at], window[2 * at + 1], window[2 * at + 2], window[2 * at + 3]]);
        (MAY_BEGIN[place / 64] >> (place % 64)) as u32 & 1
    };
    // From the last to the first: each is put in by a shift of one.
    (0..BLOCK / 2).rev().fold(0, |places, at| places << 1 | bit(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Text of anchors, whole and cut, and of what stands around them.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let anchor = (0..ANCHORS.len(), 0..4usize).prop_map(|(at, cut)| {
            let text = ANCHORS[at].0.as_bytes();
            text[..text.len().saturating_sub(cut)].to_vec()
        });
        let part = prop_oneof![
            6 => anchor,
            2 => "[ a-zA-Z0-9_=:/.-]{0,9}".prop_map(String::into_bytes),
            1 => prop::collection::vec(any::<u8>(), 0..80),
        ];
        prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
    }

    /// What is compared at every place.
    fn plain(bytes: &[u8], from: usize) -> Option<(Range<usize>, Shape)> {
        (from..bytes.len()).find_map(|start| {
            let here = ANCHORS.iter().filter(|(text, _)| bytes[start..].starts_with(text.as_bytes()));
            let (text, shape) = here.max_by_key(|(text, _)| text.len())?;
            Some((start..start + text.len(), *shape))
        })
    }

    /// Whether a secret may follow: the search may leave out the others.
    fn counts(bytes: &[u8], (range, shape): &(Range<usize>, Shape)) -> bool {
        let behind = bytes.iter().skip(range.end);
        range.len() > 3
            || behind.take(4 - range.len()).take_while(|b| shape.goes_on(**b)).count() == 4 - range.len()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_anchors_are_those_of_a_plain_search(bytes in text(), skip in 1..90usize) {
            let mut search = Anchors::new(&bytes);
            let (mut at, mut found_at) = (0, 0);
            while let Some(expected) = plain(&bytes, at) {
                at = expected.0.start + skip;
                if !counts(&bytes, &expected) {
                    // Whatever was found, it is not behind this one.
                    continue;
                }
                let mut found = search.next(found_at.max(expected.0.start));
                prop_assert_eq!(found.as_ref().map(|found| found.range.clone()), Some(expected.0.clone()));
                found_at = at;
                let _ = found.take();
            }
        }

        #[test]
        fn no_anchor_is_found_where_there_is_none(bytes in text()) {
            let mut search = Anchors::new(&bytes);
            let mut at = 0;
            while let Some(found) = search.next(at) {
                prop_assert_eq!(plain(&bytes, at.max(found.range.start)).map(|(range, _)| range), Some(found.range.clone()));
                at = found.range.start + 1;
            }
        }
    }

    #[test]
    fn every_anchor_is_found_at_every_place() {
        for (text, shape) in ANCHORS {
            let behind = (0..=255).find(|b| shape.goes_on(*b)).map_or(b' ', |b| b);
            for place in 0..=2 * BLOCK {
                let mut bytes = vec![b'.'; place];
                bytes.extend_from_slice(text.as_bytes());
                let end = bytes.len();
                bytes.extend([behind; 2]);
                let found = Anchors::new(&bytes).next(0).map(|found| found.range);
                assert_eq!(found, Some(place..end), "{text} at {place}");
            }
        }
    }
}
