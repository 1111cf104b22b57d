//! Cuts a text to a number of characters: its beginning and its end stay.

/// The beginning and the end of `text`, `most` characters together; `None` where it is no longer.
///
/// A fifth is for the beginning: what was done is soon said, how it ended matters more. The cuts
/// are at line ends where that costs less than half of either part.
pub(crate) fn shorten(text: &str, most: usize) -> Option<(&str, &str)> {
    let head = first_chars(text.as_bytes(), most)?;
    debug_assert!(head < text.len());
    let head = first_chars(text.as_bytes(), most / 5).unwrap_or(text.len());
    let tail = last_chars(text.as_bytes(), most - most / 5).unwrap_or(0);
    Some((text.get(..head)?, text.get(tail.max(head)..)?))
}

/// Where the first `most` characters end, moved back to a line end; `None` where there are no more.
pub(crate) fn first_chars(bytes: &[u8], most: usize) -> Option<usize> {
    let mut left = most;
    let end = bytes.iter().position(|byte| {
        if starts_character(*byte) {
            if left == 0 {
                return true;
            }
            left -= 1;
        }
        false
    })?;
    let line = bytes.get(..end)?.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    Some(if line > end / 2 { line } else { end })
}

/// Where the last `most` characters begin, moved on to a line's beginning; `None` where there are no more.
pub(crate) fn last_chars(bytes: &[u8], most: usize) -> Option<usize> {
    let mut left = most;
    let mut start = bytes.len();
    for (at, byte) in bytes.iter().enumerate().rev() {
        if starts_character(*byte) {
            if left == 0 {
                let rest = bytes.get(start..)?;
                let line = match start.checked_sub(1).and_then(|before| bytes.get(before)) {
                    Some(b'\n') => 0,
                    _ => rest.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1),
                };
                return Some(if line < rest.len() / 2 { start + line } else { start });
            }
            left -= 1;
            start = at;
        }
    }
    None
}

/// Whether a character begins with this byte: UTF-8 (RFC 3629) marks those inside one by their top bits.
pub(crate) fn starts_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cuts_are_at_line_ends_where_those_are_near() {
        let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        let (head, tail) = shorten(&text, 100).unwrap();
        assert_eq!((head, tail.lines().next()), ("line 1\nline 2\n", Some("line 92")));
        assert_eq!(shorten("short", 5), None);
        assert_eq!(shorten(&"é".repeat(11), 10), Some(("éé", "éééééééé")));
    }

    proptest! {
        #[test]
        fn what_stays_is_the_beginning_and_the_end_and_fits(text in "[a-c\né€]{0,60}", most in 0usize..40) {
            match shorten(&text, most) {
                None => prop_assert!(text.chars().count() <= most),
                Some((head, tail)) => {
                    prop_assert!(text.chars().count() > most);
                    prop_assert!(text.starts_with(head) && text.ends_with(tail));
                    prop_assert!(head.chars().count() + tail.chars().count() <= most);
                    prop_assert!(head.len() + tail.len() < text.len());
                }
            }
        }
    }
}
