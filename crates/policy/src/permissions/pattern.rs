//! The patterns of permission lists: globs with `*`, `?` and `[…]` over a line of words.

use super::PatternError;
use crate::argv::glob;
use crate::profile::Verdict;

/// Deny and ask fold case, allow does not: a pattern must not allow more than it says.
pub(super) fn fits(pattern: &str, text: &str, action: Verdict) -> bool {
    match action {
        Verdict::Allow => bracket_glob(pattern, text),
        Verdict::Ask | Verdict::Deny => bracket_glob(&pattern.to_lowercase(), &text.to_lowercase()),
    }
}

/// Whether a pattern is about everything.
pub(super) fn is_wholesale(pattern: &str) -> bool {
    matches!(pattern, "" | "*" | "**")
}

/// Refuses what could never match, or would match something else than it looks like.
pub(super) fn check(pattern: &str) -> Result<(), PatternError> {
    let err = |what| Err(PatternError { pattern: pattern.to_owned(), what });
    if pattern.len() > 1024 {
        return err("longer than 1024 bytes");
    }
    let mut rest = pattern;
    while let Some(at) = rest.find('[') {
        let class = rest.get(at + 1..).unwrap_or("");
        let class = class.strip_prefix(['!', '^']).unwrap_or(class);
        match class.find(']') {
            None => return err("a bracket is not closed"),
            Some(0) => return err("an empty bracket matches nothing"),
            Some(end) => rest = class.get(end + 1..).unwrap_or(""),
        }
    }
    Ok(())
}

fn bracket_glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains('[') {
        return glob(pattern, text);
    }
    let t: Vec<char> = text.chars().collect();
    // The set of positions in the text that the pattern may have come to.
    let mut states: Vec<bool> = vec![false; t.len() + 1];
    states[0] = true;
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let mut next = vec![false; t.len() + 1];
        match c {
            '*' => {
                let mut on = false;
                for (n, s) in next.iter_mut().zip(&states) {
                    on |= *s;
                    *n = on;
                }
            }
            '[' => {
                let class = rest.as_str();
                let end =
                    class.char_indices().skip(1).find(|(_, c)| *c == ']').map_or(class.len(), |(i, _)| i);
                let (class, behind) = (class.get(..end).unwrap_or(""), class.get(end + 1..).unwrap_or(""));
                for (k, x) in t.iter().enumerate() {
                    next[k + 1] = states[k] && in_class(class, *x);
                }
                rest = behind.chars();
            }
            c => {
                for (k, x) in t.iter().enumerate() {
                    next[k + 1] = states[k] && (c == '?' || c == *x);
                }
            }
        }
        states = next;
    }
    states[t.len()]
}

/// Whether a character is in a class such as `a-z_` or `!0-9`.
fn in_class(class: &str, x: char) -> bool {
    let members = class.strip_prefix(['!', '^']);
    let (negated, members) = (members.is_some(), members.unwrap_or(class));
    let set: Vec<char> = members.chars().collect();
    let mut hit = false;
    let mut i = 0;
    while let Some(&from) = set.get(i) {
        match (set.get(i + 1), set.get(i + 2)) {
            (Some('-'), Some(&to)) => {
                hit |= (from..=to).contains(&x);
                i += 3;
            }
            _ => {
                hit |= from == x;
                i += 1;
            }
        }
    }
    hit != negated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_ranges_and_wildcards_match_as_they_read() {
        for (pattern, text, fits) in [
            ("rm [a-c]*", "rm bx", true),
            ("rm [a-c]*", "rm dx", false),
            ("[!a]x", "bx", true),
            ("[!a]x", "ax", false),
            ("[^0-9]", "7", false),
            ("a?[é-ü]*", "axöx", true),
            ("[a-]", "-", true),
            ("*[x]", "aax", true),
            ("[x]", "", false),
        ] {
            assert_eq!(bracket_glob(pattern, text), fits, "{pattern} on {text}");
        }
    }

    #[test]
    fn what_can_not_be_read_is_refused() {
        for bad in ["a[b", "[]", "[!]", "x[^]", "[a][", "[a]b[]"] {
            assert!(check(bad).is_err(), "{bad}");
        }
        for good in ["", "**rm**", "[a]", "[!a]", "a]b", "[[]"] {
            assert!(check(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn case_is_folded_to_tighten_and_never_to_loosen() {
        assert!(fits("*sudo*", "SUDO x", Verdict::Deny) && fits("*SUDO*", "sudo x", Verdict::Ask));
        assert!(!fits("git branch -d *", "git branch -D x", Verdict::Allow));
    }
}
