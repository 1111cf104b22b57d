//! Writes the file once for neighbouring lines that begin `file:line:`.

use super::{Held, Line, Next, Stage};

#[derive(Default)]
pub(crate) struct ByFile {
    first: Option<Held>,
    path: String,
    open: bool,
}

/// Path and what stands behind it: `14:text`, `14-text`, `(2,92): text`.
fn split(text: &str) -> Option<(&str, &str)> {
    if text.starts_with([' ', '\t', '(']) {
        return None;
    }
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate().take(300) {
        match byte {
            b' ' | b'\t' => return None,
            b':' | b'(' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit() || **b == b',').count();
                let end = bytes.get(at + 1 + digits)?;
                let path = &text[..at];
                let named = path.contains('.') || path.contains('/');
                let good = if *byte == b':' { matches!(end, b':' | b'-') } else { *end == b')' };
                // `host:8080:` is no file, and a short path is not worth a line of its own.
                if !named || !good || path.contains("//") || path.len() < 4 {
                    return None;
                }
                return Some((path, if *byte == b':' { &text[at + 1..] } else { &text[at..] }));
            }
            _ => {}
        }
    }
    None
}

impl ByFile {
    fn close(&mut self, next: &mut Next<'_>) {
        if let Some(first) = self.first.take() {
            next.line(first.line());
        }
        self.open = false;
    }
}

impl Stage for ByFile {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.close(next);
            return next.line(line);
        }
        // Context lines of grep: `path-14-text`.
        if self.open
            && let Some(rest) = line.text.strip_prefix(self.path.as_str()).and_then(|r| r.strip_prefix('-'))
            && rest.starts_with(|c: char| c.is_ascii_digit())
        {
            return next.line(Line { text: &format!(" {rest}"), ..line.known() });
        }
        let Some((path, rest)) = split(line.text) else {
            // What is indented below a message belongs to it.
            if !(self.open && line.text.starts_with("  ")) {
                self.close(next);
            } else if let Some(first) = self.first.take() {
                next.line(first.line());
            }
            return next.line(line);
        };
        if self.open && self.path == path {
            if let Some(first) = self.first.take() {
                next.note(path);
                let (_, head) = split(&first.text).unwrap_or(("", &first.text));
                next.line(Line { text: &format!(" {head}"), ..first.line().known() });
            }
            return next.line(Line { text: &format!(" {rest}"), ..line.known() });
        }
        self.close(next);
        self.open = true;
        path.clone_into(&mut self.path);
        self.first = Some(line.into());
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        self.close(next);
    }
}
