//! Shows repeated messages of compilers and linters once, with every place they are about.
//!
//! Knows four shapes: rustc and its kin (message, then `--> place`), gcc, clang, javac and linters
//! (`place: level: message` or `place: rule message`, then source and carets), tsc and MSBuild
//! (`path(line,column): level code: message`), and stylish lists (a path, then `line:column  level
//! message  rule`). The first message of a kind is shown whole; a further one is written as its
//! place, and its message unless that is the same word for word. Nothing but repetition is left out:
//! each place stays.

use super::{Held, Line, Next, Stage};
use crate::guard::{self, Weight};
use crate::known::Known;
use crate::scan;

/// Kinds remembered; messages of further kinds are shown whole.
const KINDS: usize = 512;
/// Text of all lists; when it is spent, messages are shown whole.
const LISTS: usize = 96 * 1024;
/// Lines of one message; longer ones are handed on unfolded.
const LONGEST: usize = 160;

#[derive(Default)]
pub(crate) struct Diagnostics {
    kinds: Known<usize>,
    groups: Vec<Group>,
    listed: usize,
    /// Lines that stand above a message and belong to it (`In file included from`, `In function`).
    context: Vec<Held>,
    /// The message that is being read.
    block: Option<Block>,
    /// File that rows of a stylish list belong to.
    file: Option<FileHead>,
    /// Source line shown last under a message of gcc's kind.
    last_source: String,
}

struct FileHead {
    line: Held,
    written: bool,
    /// Whether a row below it was folded into a list that names the file.
    listed: bool,
}

struct Group {
    slot: usize,
    /// Level and message of the first repeat, for the case that it stays the only one.
    single: String,
    /// The message shown whole.
    message: String,
    /// File of the last message of the kind, and the one the list named last.
    file: String,
    listed_file: String,
    list: String,
    last_place: String,
    count: u64,
    /// Rows of a stylish list.
    row: bool,
}

struct Block {
    shape: Shape,
    lines: Vec<Held>,
    level: String,
    message: String,
    path: String,
    position: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A message that needs `--> place` on the next line.
    Arrow,
    /// The same, with its place read.
    Placed,
    /// `place: level: message`.
    Colon,
    /// One line and what is indented below it.
    Paren,
}

const LEVELS: &[&str] = &[
    "error",
    "warning",
    "note",
    "fatal error",
    "remark",
    "info",
    "Error",
    "Warning",
    "style",
    "hint",
    "Fehler",
    "Warnung",
    "erreur",
    "attention",
    "avertissement",
];

/// `error[E0425]: message`, `warning: message`, `F401 [*] message`.
fn arrow_header(text: &str) -> Option<(&str, &str)> {
    let (head, message) = text.split_once(' ')?;
    if let Some(level) = head.strip_suffix(':') {
        let word = level.split('[').next().unwrap_or(level);
        return (LEVELS.contains(&word) || word == "invalid-syntax").then_some((level, message));
    }
    let code = head.len() >= 3
        && head.starts_with(|c: char| c.is_ascii_uppercase())
        && head.ends_with(|c: char| c.is_ascii_digit())
        && head.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    code.then_some((head, message))
}

/// `  --> path:12:5`.
fn arrow_place(text: &str) -> Option<(&str, &str)> {
    let place = text.trim_start().strip_prefix("--> ").or_else(|| text.trim_start().strip_prefix("╭─["))?;
    split_place(place.trim().trim_end_matches(']'))
}

/// `path:12:5` → the path and the position.
fn split_place(place: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (left, last) = place.rsplit_once(':')?;
    if !digits(last) {
        return None;
    }
    match left.rsplit_once(':') {
        Some((path, line)) if digits(line) && !path.is_empty() => Some((path, &place[path.len() + 1..])),
        _ => Some((left, last)),
    }
}

struct Header<'a> {
    path: &'a str,
    position: &'a str,
    level: &'a str,
    message: &'a str,
}

/// `path:12:5: error: message`, `path:12:5: E302 message`; for g++ also `path:12:5:   required from here`.
fn colon_header(text: &str) -> Option<Header<'_>> {
    if text.starts_with([' ', '\t', '|', '[', '(', '"', '\'']) {
        return None;
    }
    let (word, rest) = text.split_once(' ')?;
    let Some(place) = word.strip_suffix(':') else {
        // hadolint and markdownlint write no colon: `Dockerfile:3 DL3008 warning: Pin versions`.
        let (path, position) = split_place(word)?;
        let (level, message) = lint_rule(rest)?;
        return Some(Header { path, position, level, message });
    };
    let (path, position) = split_place(place)?;
    if path.is_empty() || scan::holds(path, "://") || path.len() > 300 {
        return None;
    }
    let rest_trimmed = rest.trim_start();
    if let Some((level, message)) = rest_trimmed.split_once(": ")
        && LEVELS.contains(&level)
    {
        return Some(Header { path, position, level, message });
    }
    if let Some((level, message)) = lint_rule(rest_trimmed) {
        return Some(Header { path, position, level, message });
    }
    ["required from ", "required by ", "recursively required ", "in instantiation "]
        .iter()
        .any(|start| rest_trimmed.starts_with(start))
        .then_some(Header { path, position, level: "", message: rest_trimmed })
}

/// `E302 expected 2 blank lines`, `C0116: Missing docstring`, `value is not used (ineffassign)`: the
/// rule that gave a message without a level, and the message.
fn lint_rule(text: &str) -> Option<(&str, &str)> {
    let (word, message) = text.split_once(' ')?;
    let code = word.trim_end_matches(':');
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = code[letters..].bytes().take_while(u8::is_ascii_digit).count();
    if (1..=6).contains(&letters) && (2..=5).contains(&digits) && letters + digits == code.len() {
        return Some((code, message));
    }
    let name = text.strip_suffix(')')?.rsplit_once(" (")?.1;
    let named = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    named.then_some((name, text))
}

/// `path(12,5): error TS2322: message`.
fn paren_header(text: &str) -> Option<Header<'_>> {
    if text.starts_with([' ', '\t', '(']) {
        return None;
    }
    let (place, rest) = scan::split_once(text, "): ")?;
    let (path, position) = place.rsplit_once('(')?;
    if path.is_empty() || position.is_empty() || !position.bytes().all(|b| b.is_ascii_digit() || b == b',') {
        return None;
    }
    let (head, message) = rest.split_once(": ")?;
    let level = head.split(' ').next().unwrap_or(head);
    LEVELS.contains(&level).then_some(Header { path, position, level: head, message })
}

/// `  4:1   error    'x' is not defined   no-undef`.
fn row_header(text: &str) -> Option<Header<'_>> {
    let trimmed = text.trim_start();
    if text.len() == trimmed.len() {
        return None;
    }
    let (position, rest) = trimmed.split_once(' ')?;
    let (line, column) = position.split_once(':')?;
    if line.is_empty() || column.is_empty() || !position.bytes().all(|b| b.is_ascii_digit() || b == b':') {
        return None;
    }
    let rest = rest.trim_start();
    let (level, message) = rest.split_once(' ')?;
    let level = level.trim_matches(['✖', '⚠', '[', ']']);
    LEVELS.contains(&level).then_some(Header { path: "", position, level, message: message.trim_start() })
}

/// A line that names a file and nothing else.
fn file_line(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(char::is_whitespace)
        && !text.contains(' ')
        && !text.ends_with(':')
        && (text.contains('/') || text.contains('\\') || text.contains('.'))
        && text.len() < 300
}

/// A line above a message of gcc's kind that says where it was met.
fn context_line(text: &str) -> bool {
    text.starts_with("In file included from ")
        || text.trim_start().starts_with("from ") && text.starts_with("      ")
        || (text.ends_with(':')
            && [
                ": In function ",
                ": In member function ",
                ": In instantiation of ",
                ": In substitution of ",
                ": In constructor ",
                ": In static ",
                ": In lambda ",
                ": In copy ",
                ": In destructor ",
                ": At global scope",
                ": In Funktion ",
                ": Dans la fonction ",
            ]
            .iter()
            .any(|part| text.contains(part)))
}

/// A line of carets, or of a gutter and carets, with no words.
fn bare_carets(text: &str) -> bool {
    text.contains(['^', '~', '-', '|', '+'])
        && text.chars().all(|c| {
            matches!(
                c,
                ' ' | '|' | '^' | '~' | '-' | '+' | '_' | '/' | '\\' | '\t' | '│' | '·' | '─' | '╵' | '┬'
            )
        })
}

/// What stands after the gutter of `   12 | source`, if it is a source line.
fn source(text: &str) -> Option<&str> {
    let trimmed = text.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    let rest = trimmed[digits..].trim_start();
    let rest = rest.strip_prefix('|').or_else(|| rest.strip_prefix('│'))?;
    Some(rest.trim())
}

/// The message with its quoted names taken out.
fn without_names(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(['`', '\'', '"', '‘', '“', '«', '»']) {
        let open = rest[at..].chars().next().unwrap_or('`');
        let close = match open {
            '‘' => '’',
            '“' => '”',
            '«' => '»',
            '»' => '«',
            c => c,
        };
        // An apostrophe inside a word opens nothing.
        let inside_word = open == '\'' && rest[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let body = &rest[at + open.len_utf8()..];
        match body.find(close).filter(|_| !inside_word) {
            Some(end) => {
                out.push_str(&rest[..at]);
                out.push('\u{1}');
                rest = &body[end + close.len_utf8()..];
            }
            None => {
                out.push_str(&rest[..at + open.len_utf8()]);
                rest = body;
            }
        }
    }
    out.push_str(rest);
    out
}

fn plain_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn masked(text: &str) -> u64 {
    crate::template::hash(&without_names(text))
}

/// Name of the lint in a note that only says why it is on: `` `#[warn(unused)]` on by default``.
fn lint_note(text: &str) -> Option<&str> {
    let note = text.trim_start().strip_prefix("= note: ")?;
    if !(note.ends_with("on by default")
        || note.starts_with("requested on the command line")
        || note.starts_with("`-D ")
        || note.starts_with("`-W "))
    {
        return None;
    }
    let start = note.find("#[").map(|at| at + 2).or_else(|| note.find("`-").map(|at| at + 4))?;
    let rest = &note[start..];
    let rest = rest
        .split_once('(')
        .filter(|(word, _)| matches!(*word, "warn" | "deny" | "forbid"))
        .map_or(rest, |(_, r)| r);
    let end = rest.find([')', '`', ' '])?;
    Some(rest[..end].trim_start())
}

/// Name of the lint in a link to its page.
fn lint_link(text: &str) -> Option<&str> {
    let link = text.trim_start().strip_prefix("= help: for further information visit ")?;
    link.rsplit_once(['#', '/']).map(|(_, name)| name).filter(|name| !name.is_empty())
}

impl Block {
    /// What makes two messages the same kind: level, message and every label, names taken out.
    fn key(&self) -> u64 {
        // What an error says below its message is looked at word for word, and so are the details
        // tsc adds: a repeat is written without them.
        let exact = self.level.starts_with("error") || self.shape == Shape::Paren;
        let mut key =
            masked(&self.message) ^ crate::template::hash(&self.level).rotate_left(17) ^ (self.shape as u64);
        for held in self.lines.iter().skip(1) {
            let text = held.text.trim();
            if text.is_empty()
                || bare_carets(text)
                || source(text).is_some()
                || lint_note(text).is_some()
                || lint_link(text).is_some()
            {
                continue;
            }
            if arrow_place(text).is_some() {
                continue;
            }
            if self.shape == Shape::Colon && !text.contains(['^', '|']) && !self.is_statement(text) {
                continue;
            }
            // A suggested change repeats the source.
            if text.starts_with(['+', '-']) || text == "..." || text == "|" {
                continue;
            }
            let label = text.trim_start_matches(['|', ' ', '^', '~', '-', '_', '+', '/', '│', '·']);
            key = key.rotate_left(9) ^ if exact { plain_hash(label) } else { masked(label) };
        }
        key
    }

    /// Below a javac or clang message: source lines are free text, facts are `key: value` lines.
    fn is_statement(&self, text: &str) -> bool {
        text.split_once(':').is_some_and(|(head, _)| head.len() < 30 && !head.contains([';', '{', '(', '=']))
    }

    fn count(&self) -> u64 {
        self.lines.iter().filter(|l| !l.text.trim().is_empty()).count() as u64
    }
}

impl Diagnostics {
    fn close(&mut self, next: &mut Next<'_>) {
        let Some(mut block) = self.block.take() else { return };
        // A source line as it stands belongs to the message only if carets follow it.
        let stray =
            (block.shape == Shape::Colon && block.lines.len() == 2).then(|| block.lines.pop()).flatten();
        let stray = match stray {
            Some(line) if source(&line.text).is_some() || line.text.starts_with([' ', '\t', '|']) => {
                block.lines.push(line);
                None
            }
            stray => stray,
        };
        self.end_block(block, next);
        if let Some(stray) = stray {
            next.line(stray.line());
        }
    }

    fn end_block(&mut self, block: Block, next: &mut Next<'_>) {
        if block.shape == Shape::Arrow {
            // A header whose place did not follow is a line like any other.
            self.show_context(next);
            for held in &block.lines {
                next.line(held.line());
            }
            return;
        }
        let key = block.key();
        if let Some(at) = self.kinds.get(&key).copied()
            && self.listed < LISTS
        {
            let hidden = block.count() + self.context.len() as u64;
            self.context.clear();
            self.repeat(at, &block);
            return next.folded(hidden);
        }
        self.show_context(next);
        self.show(&block, next);
        self.begin_group(key, &block, false, next);
    }

    fn repeat(&mut self, at: usize, block: &Block) {
        let group = &mut self.groups[at];
        let place = format!("{}:{}", block.path, block.position);
        group.count += 1;
        if group.count == 1 {
            let level = if block.level.is_empty() { String::new() } else { format!("{}: ", block.level) };
            group.single = match block.shape {
                Shape::Paren if group.row => format!("  {place}  {}  {}", block.level, block.message),
                Shape::Paren => format!("{}({}): {level}{}", block.path, block.position, block.message),
                _ => format!("{place}: {level}{}", block.message),
            };
        }
        // What is said again word for word needs its place alone; so do notes as long as a page.
        let message = without_flag(&block.message);
        let said = message == group.message
            || (block.level == "note" && message.len() > 100)
            || (message.len() > 300 && !block.level.contains("error"));
        if group.last_place == place && said {
            return;
        }
        let mut text = String::new();
        let paren = block.shape == Shape::Paren && !group.row;
        let same_file = !group.list.is_empty() && group.listed_file == block.path;
        if !group.list.is_empty() {
            text.push_str(if same_file && said { "; " } else { "\n" });
        }
        // A place is searched for by its full name; rows of a list stand below their file anyway.
        if !(same_file && group.row) {
            text.push_str(&block.path);
            if !paren {
                text.push(':');
            }
        }
        if paren {
            text.push_str(&format!("({})", block.position));
        } else {
            text.push_str(&block.position);
        }
        if !said {
            text.push(' ');
            text.push_str(message);
        }
        group.list.push_str(&text);
        group.file.clone_from(&block.path);
        group.listed_file.clone_from(&block.path);
        group.last_place = place;
        self.listed += text.len();
    }

    /// Keeps a place behind the first message of its kind for those that follow. `row` says whether it was a
    /// line of its own.
    fn begin_group(&mut self, key: u64, block: &Block, row: bool, next: &mut Next<'_>) {
        if self.groups.len() >= KINDS {
            return;
        }
        let slot = next.slot();
        self.kinds.insert(key, self.groups.len());
        self.groups.push(Group {
            slot,
            single: String::new(),
            message: without_flag(&block.message).to_owned(),
            file: block.path.clone(),
            listed_file: String::new(),
            list: String::new(),
            last_place: format!("{}:{}", block.path, block.position),
            count: 0,
            row,
        });
    }

    fn show_context(&mut self, next: &mut Next<'_>) {
        for held in std::mem::take(&mut self.context) {
            next.line(held.line().known());
        }
    }

    fn show(&mut self, block: &Block, next: &mut Next<'_>) {
        let mut lint = None;
        if block.shape == Shape::Placed {
            for held in &block.lines {
                if let Some(name) = lint_note(&held.text).or_else(|| lint_link(&held.text)) {
                    lint.get_or_insert(name);
                }
            }
        }
        let mut dropped = 0;
        let mut repeated_source = false;
        for (at, held) in block.lines.iter().enumerate() {
            let text = held.text.trim();
            if at == 0 {
                match lint {
                    Some(lint) if !held.text.contains(lint) => {
                        next.line(Line { text: &format!("{} [{lint}]", held.text), ..held.line().known() });
                    }
                    _ => next.line(held.line().known()),
                }
                continue;
            }
            let bookkeeping = lint_note(text).is_some() || lint_link(text).is_some();
            let empty_gutter = text == "|" || text == "│";
            if block.shape == Shape::Placed && (bookkeeping || empty_gutter || bare_carets(text)) {
                dropped += u64::from(!empty_gutter);
                continue;
            }
            if block.shape == Shape::Colon {
                let code = source(text).map(str::to_owned).or_else(|| (at == 1).then(|| text.to_owned()));
                if let Some(code) = code.filter(|c| c.len() > 12) {
                    repeated_source = code == self.last_source;
                    if repeated_source {
                        dropped += 1;
                        continue;
                    }
                    self.last_source = code;
                } else if repeated_source && bare_carets(text) {
                    dropped += 1;
                    continue;
                }
            }
            next.line(held.line().known());
        }
        next.cut(dropped);
    }

    /// Whether the line belongs to the message that is being read.
    fn continues(&self, text: &str) -> bool {
        let Some(block) = &self.block else { return false };
        if block.lines.len() > LONGEST {
            return false;
        }
        let indented = text.starts_with([' ', '\t']);
        match block.shape {
            Shape::Arrow => false,
            Shape::Placed => {
                !text.trim().is_empty()
                    && (indented
                        || source(text).is_some()
                        || text.starts_with("help: ")
                        || text.starts_with("note: ")
                        || text.starts_with("...")
                        || text.starts_with(['|', '│']))
            }
            Shape::Paren => indented && !text.trim().is_empty(),
            Shape::Colon => {
                if text.trim().is_empty() || colon_header(text).is_some() {
                    return false;
                }
                if source(text).is_some() || text.trim_start().starts_with('|') {
                    return true;
                }
                if context_line(text) || paren_header(text).is_some() || arrow_header(text).is_some() {
                    return false;
                }
                // clang and javac write the source line as it stands; carets follow.
                block.lines.len() == 1 && !block.level.is_empty() && guard::weigh(text) != Weight::Vital
                    || block.lines.len() >= 2 && indented
            }
        }
    }
}

/// The message without the flag that turns it off, or the rule that gave it: those are the group's.
fn without_flag(message: &str) -> &str {
    let message =
        message.strip_suffix(']').and_then(|m| m.rsplit_once(" [")).map_or(message, |(head, _)| head);
    let message = message.trim();
    message.rsplit_once("  ").map_or(message, |(head, _)| head.trim_end())
}

impl Stage for Diagnostics {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.close(next);
            self.show_context(next);
            self.write_file(next);
            return next.line(line);
        }
        let text = line.text;
        if let Some(block) = &mut self.block
            && block.shape == Shape::Arrow
        {
            if let Some((path, position)) = arrow_place(text) {
                block.shape = Shape::Placed;
                path.clone_into(&mut block.path);
                position.clone_into(&mut block.position);
                block.lines.push(line.into());
                return;
            }
            self.close(next);
        } else if self.continues(text) {
            if let Some(block) = &mut self.block {
                block.lines.push(line.into());
            }
            return;
        }
        self.close(next);

        if let Some(header) = row_header(text)
            && let Some(file) = &self.file
        {
            let block = Block {
                shape: Shape::Paren,
                level: header.level.to_owned(),
                message: header.message.to_owned(),
                path: file.line.text.to_string(),
                position: header.position.to_owned(),
                lines: vec![line.into()],
            };
            let key = block.key();
            if let Some(at) = self.kinds.get(&key).copied()
                && self.listed < LISTS
            {
                let group = &mut self.groups[at];
                if group.file == block.path && without_flag(&block.message) == group.message {
                    self.repeat(at, &block);
                    if let Some(file) = &mut self.file {
                        file.listed = true;
                    }
                    return next.folded(1);
                }
                // Below its file a row needs neither its level nor its rule again.
                group.file.clone_from(&block.path);
                let short = format!("  {} {}", block.position, without_flag(&block.message));
                self.write_file(next);
                return next.line(Line { text: &short, ..line.known() });
            }
            self.write_file(next);
            next.line(line.known());
            self.begin_group(key, &block, true, next);
            return;
        }
        if file_line(text) {
            self.show_context(next);
            self.settle_file(next);
            self.file = Some(FileHead { line: line.into(), written: false, listed: false });
            return;
        }
        self.settle_file(next);
        if let Some(header) = colon_header(text) {
            self.block = Some(Block {
                shape: Shape::Colon,
                level: header.level.to_owned(),
                message: header.message.to_owned(),
                path: header.path.to_owned(),
                position: header.position.to_owned(),
                lines: vec![line.into()],
            });
        } else if let Some(header) = paren_header(text) {
            self.block = Some(Block {
                shape: Shape::Paren,
                level: header.level.to_owned(),
                message: header.message.to_owned(),
                path: header.path.to_owned(),
                position: header.position.to_owned(),
                lines: vec![line.into()],
            });
        } else if context_line(text) && self.context.len() < 64 {
            self.context.push(line.into());
        } else if let Some((level, message)) = arrow_header(text) {
            self.block = Some(Block {
                shape: Shape::Arrow,
                level: level.to_owned(),
                message: message.to_owned(),
                path: String::new(),
                position: String::new(),
                lines: vec![line.into()],
            });
        } else {
            self.show_context(next);
            next.line(line);
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        self.close(next);
        self.show_context(next);
        self.settle_file(next);
        for group in std::mem::take(&mut self.groups) {
            match group.count {
                0 => {}
                1 => next.sink.fill(group.slot, group.single),
                count if group.list.contains('\n') => {
                    next.sink.fill(group.slot, format!("[+{count} like this]\n{}", group.list));
                }
                count => next.sink.fill(group.slot, format!("[+{count} like this] {}", group.list)),
            }
        }
    }
}

impl Diagnostics {
    fn write_file(&mut self, next: &mut Next<'_>) {
        if let Some(file) = &mut self.file
            && !file.written
        {
            file.written = true;
            next.line(file.line.line().known());
        }
    }

    /// A file line that turned out to head no rows is shown like any other line.
    fn settle_file(&mut self, next: &mut Next<'_>) {
        let Some(file) = self.file.take() else { return };
        if !file.written {
            if file.listed {
                next.folded(1);
            } else {
                next.line(file.line.line());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{CaptureOptions, Catalog, filter_captured};

    fn filtered(command: &str, text: &str) -> String {
        filter_captured(&Catalog::built_in(), command, 1, text.as_bytes(), b"", CaptureOptions::default())
            .text
    }

    #[test]
    fn a_place_in_a_list_stands_behind_its_own_file() {
        let rows = |lines: std::ops::Range<usize>| -> String {
            lines.map(|n| format!("  {n}:30  error  Missing semicolon  semi\n")).collect()
        };
        let text = format!("/w/cart.js\n{}\n/w/lint.js\n{}\n", rows(1..9), rows(11..19));
        let shown = filtered("npx eslint .", &text);
        assert!(shown.contains("[+14 like this]\n/w/cart.js:2:30; 3:30;"), "{shown}");
        assert!(shown.contains("8:30\n/w/lint.js:12:30; 13:30;"), "{shown}");
        assert!(shown.contains("/w/lint.js\n  11:30 Missing semicolon\n"), "{shown}");
    }

    #[test]
    fn numbers_in_a_repeated_message_stay() {
        let text: String = (1..9)
            .map(|n| format!("a.py:{n}:80: E501 line too long ({} > 79 characters)\n", 80 + n * 7))
            .collect();
        let shown = filtered("flake8", &text);
        for n in 1..9 {
            assert!(shown.contains(&format!("({} > 79 characters)", 80 + n * 7)), "{shown}");
        }
        let same = filtered(
            "flake8",
            &(1..9).map(|n| format!("a.py:{n}:1: W191 indentation contains tabs\n")).collect::<String>(),
        );
        assert_eq!(
            same,
            "a.py:1:1: W191 indentation contains tabs\n[+7 like this] a.py:2:1; a.py:3:1; a.py:4:1; a.py:5:1; a.py:6:1; a.py:7:1; a.py:8:1\n"
        );
    }
}
