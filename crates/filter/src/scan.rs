//! Finds short texts in short lines, without the set-up that a search of long texts pays for.

/// Where the text stands.
pub(crate) fn find(line: &str, text: &str) -> Option<usize> {
    find_all(line, text).next()
}

/// Everywhere the text stands, overlaps included.
pub(crate) fn find_all<'l>(line: &'l str, text: &'l str) -> impl Iterator<Item = usize> + 'l {
    let first = text.as_bytes().first().copied().unwrap_or(0);
    memchr::memchr_iter(first, line.as_bytes())
        .filter(move |at| line.as_bytes()[*at..].starts_with(text.as_bytes()))
}

/// Whether the text stands in the line.
pub(crate) fn holds(line: &str, text: &str) -> bool {
    find(line, text).is_some()
}

/// What stands before and after the first place of the text.
pub(crate) fn split_once<'l>(line: &'l str, text: &str) -> Option<(&'l str, &'l str)> {
    find(line, text).map(|at| (&line[..at], &line[at + text.len()..]))
}
