//! Finds fenced code blocks in a model's reply.
//!
//! The rules are CommonMark 0.31 section 4.5, with one difference: a fence that is never
//! closed is no block at all, since the reply may have been cut in the middle of a command.

use std::borrow::Cow;
use std::ops::Range;

/// A closed fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence<'a> {
    /// The first word of the info string, such as `bash`; empty where there is none.
    pub tag: &'a str,
    /// The block's lines, without the opening fence's indentation and the last line end.
    pub body: Cow<'a, str>,
    /// The bytes of the text from the opening to the closing fence.
    pub span: Range<usize>,
}

/// The closed fenced blocks of `text`, in order. Linear in its length.
///
/// ```
/// let reply = "Look:\n````bash\necho '```'\n````\n~~~bashrc\nalias x=y\n~~~\n";
/// let found: Vec<_> = toolgate_exec::fence::fences(reply).collect();
/// assert_eq!(found[0].tag, "bash");
/// assert_eq!(found[0].body, "echo '```'");
/// assert_eq!(found[1].tag, "bashrc");
/// ```
pub fn fences(text: &str) -> impl Iterator<Item = Fence<'_>> {
    let mut lines = lines_with_spans(text);
    std::iter::from_fn(move || {
        loop {
            let (line, start) = lines.next()?;
            if let Some(open) = Opening::of(line) {
                return block(text, start, &open, &mut lines);
            }
        }
    })
}

/// The bodies of the blocks tagged `lang`, in order, trimmed; an empty block gives an empty text.
pub fn extract_fenced_blocks(text: &str, lang: &str) -> Vec<String> {
    fences(text).filter(|f| f.tag == lang).map(|f| f.body.trim().to_owned()).collect()
}

/// The lines of a text without their ends (`\n` or `\r\n`), each with its offset.
fn lines_with_spans(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (line.strip_suffix('\r').unwrap_or(line), start)
    })
}

struct Opening<'a> {
    indent: usize,
    mark: u8,
    length: usize,
    tag: &'a str,
}

impl<'a> Opening<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (indent, mark, length, rest) = run_of_marks(line)?;
        // A backtick in the info string makes it inline code, not a fence.
        if mark == b'`' && rest.contains('`') {
            return None;
        }
        let tag = rest.split_ascii_whitespace().next().unwrap_or("");
        Some(Self { indent, mark, length, tag })
    }

    fn closed_by(&self, line: &str) -> bool {
        run_of_marks(line).is_some_and(|(_, mark, length, rest)| {
            mark == self.mark && length >= self.length && rest.trim_matches([' ', '\t']).is_empty()
        })
    }
}

/// At most three spaces, then three or more of one fence character: indentation, character,
/// their number, and what follows.
fn run_of_marks(line: &str) -> Option<(usize, u8, usize, &str)> {
    let unindented = line.trim_start_matches(' ');
    let indent = line.len() - unindented.len();
    let mark = *unindented.as_bytes().first()?;
    if indent > 3 || !matches!(mark, b'`' | b'~') {
        return None;
    }
    let rest = unindented.trim_start_matches(char::from(mark));
    let length = unindented.len() - rest.len();
    (length >= 3).then_some((indent, mark, length, rest))
}

/// Reads up to the closing fence. An unclosed one takes the rest of the text with it, as in CommonMark.
fn block<'a>(
    text: &'a str,
    start: usize,
    open: &Opening<'a>,
    lines: &mut impl Iterator<Item = (&'a str, usize)>,
) -> Option<Fence<'a>> {
    let mut first = None;
    let mut end = 0;
    let mut body = String::new();
    for (line, at) in lines {
        if open.closed_by(line) {
            let body = match (open.indent, first) {
                (0, Some(first)) => Cow::Borrowed(text.get(first..end).unwrap_or_default()),
                _ => Cow::Owned(body),
            };
            return Some(Fence { tag: open.tag, body, span: start..at + line.len() });
        }
        if open.indent > 0 {
            if first.is_some() {
                body.push('\n');
            }
            let spaces = line.len() - line.trim_start_matches(' ').len();
            body.push_str(line.get(spaces.min(open.indent)..).unwrap_or_default());
        }
        first.get_or_insert(at);
        end = at + line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(String, String)> {
        fences(text).map(|f| (f.tag.to_owned(), f.body.into_owned())).collect()
    }

    fn one(tag: &str, body: &str) -> Vec<(String, String)> {
        vec![(tag.to_owned(), body.to_owned())]
    }

    #[test]
    fn blocks_are_found_in_order_with_their_tag() {
        assert_eq!(
            extract_fenced_blocks("a\n```bash\nls\n```\nb\n```bash\npwd\n```\n", "bash"),
            ["ls", "pwd"]
        );
        assert_eq!(extract_fenced_blocks("```python\nx\n```\n```bash\nls\n```", "bash"), ["ls"]);
        assert_eq!(extract_fenced_blocks("```bash\n\n```", "bash"), [""]);
        assert!(extract_fenced_blocks("plain", "bash").is_empty());
    }

    #[test]
    fn the_tag_is_the_whole_first_word() {
        // A33: the reference runs a `bashrc` block as bash.
        assert!(extract_fenced_blocks("```bashrc\nrm x\n```", "bash").is_empty());
        assert!(extract_fenced_blocks("```bash-session\n$ ls\n```", "bash").is_empty());
        assert_eq!(found("``` bash title=x\nls\n```"), one("bash", "ls"));
        assert_eq!(found("```\nls\n```"), one("", "ls"));
    }

    #[test]
    fn a_fence_is_closed_by_its_own_kind_and_length_only() {
        assert_eq!(found("````bash\n```\nls\n```\n````"), one("bash", "```\nls\n```"));
        assert_eq!(found("~~~bash\n```\n~~~"), one("bash", "```"));
        assert_eq!(found("```bash\nls\n`````"), one("bash", "ls"));
        assert_eq!(found("```bash\nls\n``` bash\n```"), one("bash", "ls\n``` bash"));
        assert_eq!(found("```bash\nls\n    ```\n```"), one("bash", "ls\n    ```"));
    }

    #[test]
    fn a_fence_that_is_never_closed_is_no_block() {
        assert!(found("```bash\nrm -rf build").is_empty());
        assert!(found("```bash\nrm -rf build\n~~~").is_empty());
        assert!(found("``` `x` ```").is_empty());
    }

    #[test]
    fn indentation_is_taken_off_and_four_spaces_are_no_fence() {
        assert_eq!(found("  ```bash\n  if x\n    then\n y\n  ```"), one("bash", "if x\n  then\ny"));
        assert!(found("    ```bash\n    ls\n    ```").is_empty());
    }

    #[test]
    fn windows_line_ends_are_no_part_of_the_last_line() {
        assert_eq!(found("```bash\r\nls\r\n```\r\n"), one("bash", "ls"));
    }

    proptest! {
        #[test]
        fn any_text_gives_spans_that_hold_their_fences(text in "[`~ a\n\r#é-]{0,200}") {
            let mut last = 0;
            for fence in fences(&text) {
                prop_assert!(fence.span.start >= last && fence.span.end <= text.len());
                let whole = &text[fence.span.clone()];
                prop_assert!(whole.trim_start_matches(' ').starts_with(['`', '~']));
                last = fence.span.end;
            }
        }
    }
}
