//! sed: its commands are one letter each, and four of them reach out of the stream.

use crate::analyse::Analyst;
use crate::analyse::state::State;
use crate::effect::Kind;
use crate::word::{UNKNOWN, is_exact};
use toolgate_bash::ast::Span;

impl Analyst<'_> {
    pub(in crate::analyse) fn sed(&mut self, text: &str, span: Span, state: &State) {
        if !is_exact(text) {
            self.unknown("part of a sed script is not known", span);
        }
        // Versions differ about a delimiter in brackets. The usual reading must make sense; what the other
        // one would do counts too, as far as that makes sense.
        self.sed_as(Sed { text, at: 0, brackets: true }, span, state, true);
        if text.contains('[') {
            self.sed_as(Sed { text, at: 0, brackets: false }, span, state, false);
        }
    }

    fn sed_as(&mut self, mut reader: Sed<'_>, span: Span, state: &State, must: bool) {
        // Every command takes at least a byte.
        while reader.at < reader.text.len() {
            match reader.command() {
                Ok(None) => {}
                Ok(Some(Act::RunLine(replacement))) => {
                    // The line is run after the replacement: what that says is part of the command at least.
                    let code: String = unescape(replacement);
                    if !code.trim().is_empty() {
                        self.shell_from(&code, span, state);
                    }
                    self.unknown("sed runs lines of its input as commands", span);
                }
                Ok(Some(Act::Run(""))) => self.unknown("sed runs lines of its input as commands", span),
                Ok(Some(Act::Run(code))) => self.shell_from(code, span, state),
                Ok(Some(Act::Write(file))) => self.path_from(Kind::Write, file, span, state),
                Ok(Some(Act::Read(file))) => self.path_from(Kind::Read, file, span, state),
                Err(()) => {
                    if must {
                        self.unknown("a sed script that is not understood", span);
                    }
                    return;
                }
            }
        }
    }
}

enum Act<'t> {
    /// Runs a command; empty: the pattern space.
    Run(&'t str),
    /// Runs the line after a replacement by this text.
    RunLine(&'t str),
    Write(&'t str),
    Read(&'t str),
}

/// A replacement as text: what the match puts into it is not known.
fn unescape(replacement: &str) -> String {
    let mut out = String::new();
    let mut chars = replacement.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push(UNKNOWN),
            '\\' => match chars.next() {
                Some(d) if d.is_ascii_digit() => out.push(UNKNOWN),
                Some('n') => out.push('\n'),
                Some(d) => out.push(d),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

struct Sed<'t> {
    text: &'t str,
    at: usize,
    /// Whether a bracket expression hides the delimiter.
    brackets: bool,
}

impl<'t> Sed<'t> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.next();
        }
    }

    fn command(&mut self) -> Result<Option<Act<'t>>, ()> {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == ';') {
            self.next();
        }
        if self.peek().is_none() {
            return Ok(None);
        }
        if self.address()? {
            self.blanks();
            if self.peek() == Some(',') {
                self.next();
                self.blanks();
                if !self.address()? {
                    return Err(());
                }
            }
        }
        self.blanks();
        while self.peek().is_some_and(|c| c == '!' || c == ' ') {
            self.next();
        }
        match self.next().ok_or(())? {
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                Ok(None)
            }
            '#' => {
                self.line();
                Ok(None)
            }
            'q' | 'Q' | 'l' | 'L' => {
                self.blanks();
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.next();
                }
                Ok(None)
            }
            'a' | 'i' | 'c' => {
                // Text to the end of the line; a backslash carries it on.
                loop {
                    let line = self.line();
                    if !line.ends_with('\\') || self.peek().is_none() {
                        return Ok(None);
                    }
                }
            }
            ':' => {
                self.line();
                Ok(None)
            }
            'b' | 't' | 'T' => {
                while self.peek().is_some_and(|c| c != '\n' && c != ';' && c != '}') {
                    self.next();
                }
                Ok(None)
            }
            'v' => {
                self.label();
                Ok(None)
            }
            'r' | 'R' => Ok(Some(Act::Read(self.line().trim()))),
            'w' | 'W' => Ok(Some(Act::Write(self.line().trim()))),
            'e' => Ok(Some(Act::Run(self.line().trim()))),
            'y' => {
                let d = self.next().ok_or(())?;
                let brackets = std::mem::replace(&mut self.brackets, false);
                self.until(d)?;
                self.until(d)?;
                self.brackets = brackets;
                Ok(None)
            }
            's' => self.substitute(),
            _ => Err(()),
        }
    }

    fn substitute(&mut self) -> Result<Option<Act<'t>>, ()> {
        let d = self.next().ok_or(())?;
        if d == '\n' || d == '\\' {
            return Err(());
        }
        self.until(d)?;
        let start = self.at;
        let brackets = std::mem::replace(&mut self.brackets, false);
        self.until(d)?;
        self.brackets = brackets;
        let replacement = self.text.get(start..self.at - d.len_utf8()).unwrap_or("");
        let mut runs = false;
        while let Some(c) = self.peek() {
            match c {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' => {
                    self.next();
                }
                c if c.is_ascii_digit() => {
                    self.next();
                }
                'e' => {
                    self.next();
                    runs = true;
                }
                'w' => {
                    self.next();
                    if runs {
                        return Err(());
                    }
                    return Ok(Some(Act::Write(self.line().trim())));
                }
                ';' | '\n' | '}' | '#' => break,
                c if c.is_whitespace() => {
                    self.next();
                }
                _ => return Err(()),
            }
        }
        Ok(runs.then_some(Act::RunLine(replacement)))
    }

    /// Reads up to an unescaped delimiter. In a pattern a bracket hides it for most versions.
    fn until(&mut self, d: char) -> Result<(), ()> {
        while let Some(c) = self.next() {
            if c == '[' && self.brackets {
                self.bracket();
                continue;
            }
            if c == '\\' {
                self.next();
            } else if c == d {
                return Ok(());
            }
        }
        Err(())
    }

    /// Skips a bracket expression if it closes.
    fn bracket(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        let body = rest.strip_prefix('^').unwrap_or(rest);
        let body = body.strip_prefix(']').unwrap_or(body);
        let skipped = rest.len() - body.len();
        // `[[:alpha:]]` holds a bracket of its own.
        let mut at = 0;
        while let Some(i) = body.get(at..).and_then(|b| b.find([']', '[', '\n'])) {
            let c = body.as_bytes().get(at + i);
            match c {
                Some(b']') => {
                    self.at += skipped + at + i + 1;
                    return;
                }
                Some(b'[') if body.get(at + i..).is_some_and(|b| b.starts_with("[:")) => {
                    match body.get(at + i + 2..).and_then(|b| b.find(":]")) {
                        Some(end) => at += i + 2 + end + 2,
                        None => return,
                    }
                }
                Some(b'[') => at += i + 1,
                _ => return,
            }
        }
    }

    fn line(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        rest.get(..end).unwrap_or(rest)
    }

    fn label(&mut self) {
        while self.peek().is_some_and(|c| c != '\n' && c != ';') {
            self.next();
        }
    }

    fn address(&mut self) -> Result<bool, ()> {
        match self.peek() {
            Some(c) if c.is_ascii_digit() || c == '+' || c == '~' => {
                while self.peek().is_some_and(|c| c.is_ascii_digit() || c == '~' || c == '+') {
                    self.next();
                }
                Ok(true)
            }
            Some('$') => {
                self.next();
                Ok(true)
            }
            Some('/') => {
                self.next();
                self.until('/')?;
                self.flags();
                Ok(true)
            }
            Some('\\') => {
                self.next();
                let d = self.next().ok_or(())?;
                self.until(d)?;
                self.flags();
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn flags(&mut self) {
        while self.peek().is_some_and(|c| c == 'I' || c == 'M') {
            self.next();
        }
    }
}
