//! Guesses how many tokens a text costs a model.
//!
//! Near enough to the tokenizers of the day to compare two versions of one text; not a bill.

/// Estimated number of tokens.
///
/// ```
/// assert_eq!(toolgate_filter::tokens::estimate(""), 0);
/// assert!(toolgate_filter::tokens::estimate("the quick brown fox") <= 6);
/// ```
#[must_use]
pub fn estimate(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        if byte.is_ascii_alphabetic() {
            // A word, split where capitals begin.
            at += 1;
            while at < bytes.len() && bytes[at].is_ascii_alphabetic() {
                if bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase() {
                    break;
                }
                at += 1;
            }
            count += (at - start).div_ceil(7);
        } else if byte.is_ascii_digit() {
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
            count += (at - start).div_ceil(3);
        } else if byte == b' ' || byte == b'\n' || byte == b'\t' || byte == b'\r' {
            while at < bytes.len() && matches!(bytes[at], b' ' | b'\n' | b'\t' | b'\r') {
                at += 1;
            }
            // One blank belongs to the word after it.
            let joined = bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || b.is_ascii_punctuation());
            count += usize::from(!(joined && at - start == 1 && byte == b' ')) * (at - start).div_ceil(80);
        } else if byte.is_ascii() {
            while at < bytes.len() && bytes[at].is_ascii_punctuation() {
                at += 1;
            }
            let same = bytes[start..at].iter().all(|b| *b == byte);
            count += if same { (at - start).div_ceil(16) } else { (at - start).div_ceil(2) };
        } else {
            while at < bytes.len() && !bytes[at].is_ascii() {
                at += 1;
            }
            count += (at - start).div_ceil(3);
        }
    }
    count
}
