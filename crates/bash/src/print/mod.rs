//! Writes a script back in canonical form.
//!
//! The text that comes out parses to the same tree again, spans apart. What gets lost is what the tree
//! does not hold: blanks, comments, line continuations, and the choice between `;` and a newline.
//!
//! Two things decide where lines begin. Each command of a list has a line of its own, except in words,
//! parentheses and conditions (`inline`). And a here-document's body has to
//! follow some newline behind its operator: it waits in `pending` until one is written.

mod command;
mod compound;
mod word;

use crate::ast::{HereDocId, List, Part, PartKind, Script, Terminator};

/// Deeper lines are not indented further, or text could grow by its depth.
const DEEPEST_INDENT: usize = 12;

/// Writes a script in canonical form.
///
/// Parsed with the same options, the text gives the same tree again, spans apart (it may be longer than
/// the source, so its size may be refused where that of the source was not). Bash runs it as it would
/// run the source.
///
/// ```
/// use toolgate_bash::{Options, parse, print};
///
/// let script = parse(b"if  a|b ;then c & fi   # really\n>f d", &Options::default())?;
/// assert_eq!(print(&script), b"if a | b; then\n    c &\nfi\n>f d\n");
/// # Ok::<(), toolgate_bash::Unknown>(())
/// ```
pub fn print(script: &Script) -> Vec<u8> {
    // Nothing can follow a here-document without an end, so its body has to come last.
    let inline = script.here_docs.iter().any(|doc| !doc.terminated);
    let mut printer = Printer {
        script,
        out: Vec::new(),
        pending: Vec::new(),
        indent: 0,
        inline,
        separator: Separator::Semicolon,
        in_operand: false,
    };
    printer.items(&script.body);
    if !script.body.items.is_empty() && !printer.ends_in_lone_backslash() {
        printer.line();
    }
    printer.out
}

struct Printer<'s> {
    script: &'s Script,
    out: Vec<u8>,
    /// Here-documents whose bodies follow the next newline.
    pending: Vec<HereDocId>,
    indent: usize,
    /// No line is begun without need.
    inline: bool,
    separator: Separator,
    /// In an operand or in arithmetic, where a backslash in front of a quote is read in several ways.
    in_operand: bool,
}

/// What stands between commands on one line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `;`
    Semicolon,
    /// `;` until a here-document begins. Inside `$(…)`, bash may lose one behind it, and move its body.
    SemicolonBeforeHereDoc,
    /// A newline.
    Newline,
}

impl<'s> Printer<'s> {
    fn text(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    /// Whether the last word is the text of a backslash, which it is only at the end of everything.
    fn ends_in_lone_backslash(&self) -> bool {
        self.out.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
    }

    /// Ends the line, and writes the here-documents that wait for that.
    fn line(&mut self) {
        self.text("\n");
        for id in std::mem::take(&mut self.pending) {
            self.here_doc_body(id);
        }
    }

    fn here_doc_body(&mut self, id: HereDocId) {
        let Some(doc) = self.script.here_doc(id) else { return };
        let separator = std::mem::replace(&mut self.separator, Separator::Semicolon);
        let before = std::mem::take(&mut self.out);
        match doc.body.parts.as_slice() {
            [Part { kind: PartKind::SingleQuoted(raw), .. }] if doc.quoted => self.text(raw),
            parts => self.parts(parts),
        }
        self.separator = separator;
        if doc.terminated {
            self.text(&doc.delimiter);
            self.text("\n");
        }
        let body = std::mem::replace(&mut self.out, before);
        if doc.strip_tabs { self.indented(&body) } else { self.text(body) }
    }

    /// Text with a tab in front of each line: a line of it could end a document around it otherwise.
    fn indented(&mut self, text: &[u8]) {
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            if line != b"\n" {
                self.text("\t");
            }
            self.text(line);
        }
    }

    fn new_line(&mut self) {
        self.line();
        for _ in 0..self.indent.min(DEEPEST_INDENT) {
            self.text("    ");
        }
    }

    /// A blank, or a new line where lists have them.
    fn blank(&mut self) {
        match self.inline {
            true if self.must_end_line() => self.line(),
            true => self.text(" "),
            false => self.new_line(),
        }
    }

    /// Whether a here-document waits and nothing else may stand on its line.
    fn must_end_line(&self) -> bool {
        self.separator == Separator::Newline && !self.pending.is_empty()
    }

    /// What ends a command behind which another command or a reserved word follows.
    fn end(&mut self, background: bool) {
        match (self.inline, background) {
            (false, _) => self.new_line(),
            (true, _) if self.separator == Separator::Newline => self.line(),
            (true, true) => self.text(" "),
            (true, false) => self.text("; "),
        }
    }

    /// The members of a list with what stands between them, but nothing behind the last.
    fn items(&mut self, list: &'s List) {
        let mut items = list.items.iter().peekable();
        while let Some(item) = items.next() {
            self.item(item);
            let background = item.end == Terminator::Background;
            if background {
                self.text(" &");
            }
            if items.peek().is_some() {
                self.end(background);
            }
        }
    }

    /// A list between two reserved words.
    fn block(&mut self, list: &'s List) {
        self.indent = self.indent.saturating_add(1);
        self.blank();
        self.items(list);
        self.indent = self.indent.saturating_sub(1);
        self.end(ends_in_background(list));
    }

    /// A list behind a reserved word, on its line, and what separates it from the next.
    fn condition_list(&mut self, list: &'s List) {
        self.text(" ");
        self.inline_items(list);
        if !self.inline && !self.pending.is_empty() {
            self.new_line();
        } else if self.must_end_line() {
            self.line();
        } else {
            self.text(if ends_in_background(list) { " " } else { "; " });
        }
    }

    /// A list on one line.
    fn inline_items(&mut self, list: &'s List) {
        let inline = std::mem::replace(&mut self.inline, true);
        let in_operand = std::mem::replace(&mut self.in_operand, false);
        self.items(list);
        self.in_operand = in_operand;
        self.inline = inline;
    }

    /// A list behind an opening parenthesis, up to the closing one.
    fn parenthesized(&mut self, list: &'s List) {
        let start = self.out.len();
        self.inline_items(list);
        if ends_in_prefix(list) {
            // `!` alone needs something to end it.
            self.text(";");
        }
        if self.must_end_line() {
            self.line();
        }
        // Two parentheses in a row would be arithmetic.
        if self.out.get(start) == Some(&b'(') {
            self.out.insert(start, b' ');
        }
    }

    /// The list of a substitution, up to its closing parenthesis. Its here-documents end inside it.
    fn substituted(&mut self, list: &'s List) {
        let outer = std::mem::take(&mut self.pending);
        let separator = std::mem::replace(&mut self.separator, Separator::SemicolonBeforeHereDoc);
        self.parenthesized(list);
        self.end_here_docs();
        self.separator = separator;
        self.pending = outer;
    }

    fn end_here_docs(&mut self) {
        if !self.pending.is_empty() {
            self.line();
        }
    }
}

fn ends_in_background(list: &List) -> bool {
    list.items.last().is_some_and(|item| item.end == Terminator::Background)
}

/// Whether a list ends in `!` or `time` alone.
fn ends_in_prefix(list: &List) -> bool {
    let last = list.items.last().and_then(|item| item.pipelines().last());
    last.is_some_and(|pipeline| pipeline.stages.is_empty())
}
