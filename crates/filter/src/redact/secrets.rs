//! What to look for: known shapes, and the values of the session in every spelling they are met in.

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::Arc;

/// Values shorter than this are too likely to stand elsewhere by chance.
const SHORTEST_VALUE: usize = 6;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Secrets {
    pub(super) values: Option<Arc<AhoCorasick>>,
    /// The spellings that are looked for.
    spellings: Arc<[Vec<u8>]>,
    pub(super) longest: usize,
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
        Self { values: None, spellings: Arc::default(), longest: 0 }
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
        Self { values, spellings: list.into(), longest }
    }

    /// Where the first value may have begun of which the rest is still to come.
    pub(super) fn begun_in(&self, text: &[u8]) -> Option<usize> {
        let cut = |at: &usize| {
            let rest = &text[*at..];
            self.spellings.iter().any(|value| value.len() > rest.len() && value.starts_with(rest))
        };
        (text.len().saturating_sub(self.longest)..text.len()).find(cut)
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

pub(super) fn percent(value: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}
