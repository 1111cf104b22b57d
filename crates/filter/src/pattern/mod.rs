//! Line patterns of the built-in rules: a small part of regular expressions, compiled at build time.
//!
//! A rule file says `^test .+ \.\.\. ok$`; the build script turns that into a static table of
//! steps, so that a process start compiles nothing and a line is judged in nanoseconds. What is
//! outside this small part is refused when the crate is built. Users' rules are not limited so:
//! they use the `regex` crate, which is linear in the line whatever the pattern.

pub(crate) mod syntax;

use crate::scan;
use syntax::MANY;

/// One step of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Op {
    /// This text.
    Text(&'static str),
    /// Anything, at least so many characters.
    Any(u8),
    /// Between `min` and `max` characters of a set.
    Rep { ascii: u128, other: bool, min: u8, max: u8 },
    /// This text again and again, at least so many times.
    Again { text: &'static str, min: u8 },
    /// One of these, or nothing where `optional`.
    OneOf { alternatives: &'static [&'static [Op]], optional: bool },
}

/// A compiled line pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) start: bool,
    pub(crate) end: bool,
    pub(crate) ops: &'static [Op],
}

/// Lines longer than this are never noise by a built-in pattern: backtracking stays bounded, and no
/// tool prints progress lines of this length.
const LONGEST: usize = 2048;

impl Pattern {
    /// Whether the line holds this pattern.
    pub(crate) fn matches(&self, line: &str) -> bool {
        if line.len() > LONGEST {
            return false;
        }
        let end = self.end;
        let done = |at: usize| !end || at == line.len();
        if self.start {
            return walk(self.ops, line, 0, &done);
        }
        if let Some(Op::Text(text)) = self.ops.first() {
            return scan::find_all(line, text).any(|at| walk(self.ops, line, at, &done));
        }
        line.char_indices().map(|(at, _)| at).chain([line.len()]).any(|at| walk(self.ops, line, at, &done))
    }
}

fn walk(mut ops: &[Op], line: &str, mut at: usize, done: &dyn Fn(usize) -> bool) -> bool {
    loop {
        let Some((op, rest)) = ops.split_first() else { return done(at) };
        match op {
            Op::Text(text) => {
                if !line.as_bytes()[at..].starts_with(text.as_bytes()) {
                    return false;
                }
                at += text.len();
                ops = rest;
            }
            Op::Any(min) => {
                let mut from = at;
                for _ in 0..*min {
                    match line[from..].chars().next() {
                        Some(c) => from += c.len_utf8(),
                        None => return false,
                    }
                }
                if rest.is_empty() {
                    return done(from) || done(line.len());
                }
                if let Some(Op::Text(text)) = rest.first() {
                    // The usual shape, `prefix.+suffix$`: one look at the end settles it.
                    if rest.len() == 1 && line[from..].ends_with(text) && done(line.len()) {
                        return true;
                    }
                    return scan::find_all(&line[from..], text)
                        .any(|found| walk(rest, line, from + found, done));
                }
                return line[from..]
                    .char_indices()
                    .map(|(offset, _)| from + offset)
                    .chain([line.len()])
                    .any(|next| walk(rest, line, next, done));
            }
            Op::Rep { ascii, other, min, max } => {
                let most = if *max == MANY { usize::MAX } else { usize::from(*max) };
                let mut ends = 0usize;
                let mut stop = at;
                for c in line[at..].chars() {
                    let inside = if c.is_ascii() { ascii >> (c as u32) & 1 == 1 } else { *other };
                    if !inside || ends == most {
                        break;
                    }
                    stop += c.len_utf8();
                    ends += 1;
                }
                // Longest first, then give back one character at a time.
                loop {
                    if ends < usize::from(*min) {
                        return false;
                    }
                    if walk(rest, line, stop, done) {
                        return true;
                    }
                    if ends == 0 {
                        return false;
                    }
                    ends -= 1;
                    stop -= line[..stop].chars().next_back().map_or(1, char::len_utf8);
                }
            }
            Op::Again { text, min } => {
                let mut times = 0usize;
                while line.as_bytes()[at + times * text.len()..].starts_with(text.as_bytes()) {
                    times += 1;
                }
                return (usize::from(*min)..=times)
                    .rev()
                    .any(|n| walk(rest, line, at + n * text.len(), done));
            }
            Op::OneOf { alternatives, optional } => {
                let onward = |next: usize| walk(rest, line, next, done);
                if alternatives.iter().any(|inner| walk(inner, line, at, &onward)) {
                    return true;
                }
                if !optional {
                    return false;
                }
                ops = rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::cases::CASES;
    use proptest::prelude::*;

    /// Every pattern of a built-in rule, as written and as compiled.
    fn all() -> Vec<(&'static str, &'static Pattern)> {
        CASES.iter().flat_map(|rule| rule.patterns.iter().copied()).collect()
    }

    #[test]
    fn compiled_patterns_agree_with_the_regex_crate_on_every_case_line() {
        let mut lines = Vec::new();
        for rule in &CASES {
            for case in rule.cases {
                lines.extend(case.input.lines());
            }
        }
        for (written, compiled) in all() {
            let regex = regex::Regex::new(written).unwrap();
            for line in &lines {
                assert_eq!(compiled.matches(line), regex.is_match(line), "{written} on {line:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn compiled_patterns_agree_with_the_regex_crate_on_mixed_lines(
            pick in any::<prop::sample::Index>(),
            words in prop::collection::vec("(test|ok|FAIL|PASS|é|✓|  |\\[|\\]|\\(|\\)|[0-9]{1,3}|\\.\\.\\.|:|-|=|Compiling|v1|/|[a-z]{1,4}| )", 0..12),
        ) {
            let line = words.concat();
            let patterns = all();
            let (written, compiled) = patterns[pick.index(patterns.len())];
            let regex = regex::Regex::new(written).unwrap();
            prop_assert_eq!(compiled.matches(&line), regex.is_match(&line), "{} on {:?}", written, line);
        }
    }
}
