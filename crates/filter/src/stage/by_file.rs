//! Writes the file once for many neighbouring lines that begin `file:line:`.

use super::{Held, Line, Next, Stage};

/// Lines of one file below which they are shown as they came: a place is found by its full name.
const LEAST: usize = 6;

#[derive(Default)]
pub(crate) struct ByFile {
    path: String,
    /// Lines of the file so far, until it is worth a line of its own.
    held: Vec<Held>,
    /// The file was written, and its lines follow without it.
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

/// What stands behind the path, on a line of a match or of its context (`path-14-text`).
fn behind<'t>(text: &'t str, path: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(path)?;
    let context = rest.strip_prefix('-').filter(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    context.or_else(|| split(text).filter(|(p, _)| *p == path).map(|(_, rest)| rest))
}

impl ByFile {
    fn close(&mut self, next: &mut Next<'_>) {
        for held in std::mem::take(&mut self.held) {
            next.line(held.line());
        }
        self.open = false;
        self.path.clear();
    }

    fn short(&self, line: Line<'_>, next: &mut Next<'_>) {
        match behind(line.text, &self.path) {
            Some(rest) => next.line(Line { text: &format!(" {rest}"), ..line.known() }),
            None => next.line(line),
        }
    }
}

impl Stage for ByFile {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.close(next);
            return next.line(line);
        }
        if !self.path.is_empty() && behind(line.text, &self.path).is_some() {
            if self.open {
                return self.short(line, next);
            }
            self.held.push(line.into());
            if self.held.len() == LEAST {
                self.open = true;
                next.note(&self.path);
                for held in std::mem::take(&mut self.held) {
                    self.short(held.line(), next);
                }
            }
            return;
        }
        self.close(next);
        match split(line.text) {
            Some((path, _)) => {
                path.clone_into(&mut self.path);
                self.held.push(line.into());
            }
            None => next.line(line),
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        self.close(next);
    }
}
