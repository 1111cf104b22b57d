//! What two lines have in common when their numbers differ.

/// Hash of a line with its numbers and identifiers masked.
///
/// Runs of digits count as one mark; so do long words of hexadecimal digits, and runs of blanks.
pub(crate) fn hash(line: &str) -> u64 {
    let bytes = line.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut mix = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_digit() {
            let start = at;
            while at < bytes.len() && bytes[at].is_ascii_hexdigit() {
                at += 1;
            }
            // `3f9a01` is an identifier, `10ms` a number and its unit.
            if at - start < 6 {
                at = start;
                while at < bytes.len() && bytes[at].is_ascii_digit() {
                    at += 1;
                }
            }
            mix(b'#');
        } else if byte == b' ' || byte == b'\t' {
            while at < bytes.len() && (bytes[at] == b' ' || bytes[at] == b'\t') {
                at += 1;
            }
            mix(b' ');
        } else if byte.is_ascii_hexdigit() && byte.is_ascii_lowercase() && boundary(bytes, at) {
            let end = hex_end(bytes, at);
            if end - at >= 7 && bytes[at..end].iter().any(u8::is_ascii_digit) {
                mix(b'#');
                at = end;
            } else {
                mix(byte);
                at += 1;
            }
        } else {
            mix(byte);
            at += 1;
        }
    }
    hash
}

/// Whether two lines are the same but for their numbers and the width of their blanks.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].is_ascii_digit() && b[j].is_ascii_digit() {
            i += a[i..].iter().take_while(|c| c.is_ascii_digit()).count();
            j += b[j..].iter().take_while(|c| c.is_ascii_digit()).count();
        } else if a[i] == b' ' && b[j] == b' ' {
            i += a[i..].iter().take_while(|c| **c == b' ').count();
            j += b[j..].iter().take_while(|c| **c == b' ').count();
        } else if a[i] == b[j] {
            i += 1;
            j += 1;
        } else {
            return false;
        }
    }
    i == a.len() && j == b.len()
}

/// The line with its numbers and identifiers masked, as a person reads it.
pub(crate) fn mask(line: &str) -> String {
    let bytes = line.as_bytes();
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    let mut from = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let end = if byte.is_ascii_digit() {
            let hex = hex_end(bytes, at);
            if hex - at >= 6 {
                hex
            } else {
                at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count()
            }
        } else if byte.is_ascii_hexdigit() && byte.is_ascii_lowercase() && boundary(bytes, at) {
            let end = hex_end(bytes, at);
            if end - at >= 7 && bytes[at..end].iter().any(u8::is_ascii_digit) { end } else { at }
        } else {
            at
        };
        if end > at {
            out.push_str(&line[from..at]);
            if !out.ends_with('#') {
                out.push('#');
            }
            at = end;
            from = at;
        } else {
            at += 1;
        }
    }
    out.push_str(&line[from..]);
    out
}

fn boundary(bytes: &[u8], at: usize) -> bool {
    at == 0 || !bytes[at - 1].is_ascii_alphanumeric()
}

fn hex_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|b| b.is_ascii_hexdigit()).count()
}

/// The whole numbers in a line, in order; none where there are more than [`MOST_NUMBERS`].
pub(crate) fn numbers(line: &str) -> Option<Numbers> {
    let mut out = Numbers::default();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            if out.count == MOST_NUMBERS {
                return None;
            }
            if at > 1 && bytes[at - 1] == b'.' && bytes[at - 2].is_ascii_digit() {
                out.fractions |= 1 << out.count;
            }
            let mut value = 0u64;
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                value = value.saturating_mul(10).saturating_add(u64::from(bytes[at] - b'0'));
                at += 1;
            }
            out.values[out.count] = value;
            out.count += 1;
        } else {
            at += 1;
        }
    }
    Some(out)
}

/// Numbers of a line that are looked at.
pub(crate) const MOST_NUMBERS: usize = 16;

/// Numbers of one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) values: [u64; MOST_NUMBERS],
    pub(crate) count: usize,
    /// Which of them stand behind a decimal point, one bit each.
    pub(crate) fractions: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_count_share_a_template() {
        assert_eq!(hash("[worker] heartbeat 7 ok"), hash("[worker] heartbeat 4711 ok"));
        assert_eq!(hash("req 3f9a01bc done in 10ms"), hash("req a07b22c1 done in 7ms"));
        assert_ne!(hash("heartbeat 7 ok"), hash("heartbeat 7 failed"));
        assert!(
            alike("row   7 of 40", "row 12 of 40") && !alike("row 7", "row 7 x") && !alike("row x", "row 7")
        );
    }

    #[test]
    fn masks_read_well() {
        assert_eq!(mask("GET /api/items/10 200 27ms"), "GET /api/items/# # #ms");
        assert_eq!(mask("commit 5e40b044fd82 by café"), "commit # by café");
    }
}
