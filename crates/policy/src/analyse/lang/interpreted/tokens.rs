//! Cuts program text into names, constants and signs.

use crate::knowledge::schema::Lang;
use crate::word::UNKNOWN;

/// A piece of program text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, with its dots: `os.path.join`. `::`, `->` and `\` are dots too.
    Name(String),
    /// A string constant; interpolations in it are unknown.
    Text(String),
    /// A string that a shell runs: backticks, `qx()`, `%x{}`.
    Shell(String),
    /// Text that is evaluated as code: the right side of `s///e`.
    Code(String),
    /// Anything else.
    Sign(char),
    /// A place where what is text and what is code hangs on more than is read here.
    Unclear(&'static str),
}

pub(super) fn read(lang: Lang, text: &str) -> Vec<Token> {
    read_within(lang, text, 0)
}

/// How deep strings with code in strings with code are followed.
const DEPTH: u32 = 8;

fn read_within(lang: Lang, text: &str, depth: u32) -> Vec<Token> {
    let mut r = Reader { lang, chars: text.chars().collect(), at: 0, out: Vec::new(), inside: Vec::new() };
    while r.at < r.chars.len() {
        r.token();
    }
    // What stands inside strings runs like the rest: its tokens follow.
    for code in std::mem::take(&mut r.inside) {
        r.out.push(Token::Sign('\n'));
        if depth < DEPTH {
            r.out.extend(read_within(lang, &code, depth + 1));
        } else {
            r.out.push(Token::Unclear("strings in strings are too deep to follow"));
        }
    }
    r.out
}

struct Reader {
    lang: Lang,
    chars: Vec<char>,
    at: usize,
    out: Vec<Token>,
    /// Code that was found inside strings.
    inside: Vec<String>,
}

impl Reader {
    fn peek(&self, n: usize) -> Option<char> {
        self.chars.get(self.at + n).copied()
    }

    fn looking_at(&self, s: &str) -> bool {
        s.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn token(&mut self) {
        let Some(c) = self.peek(0) else { return };
        match c {
            '\n' => {
                self.at += 1;
                self.out.push(Token::Sign('\n'));
            }
            c if c.is_whitespace() => self.at += 1,
            '#' if self.hash_comments() => {
                if self.lang == Lang::Php && self.peek(1) == Some('[') {
                    self.out.push(Token::Unclear("an attribute"));
                }
                self.line_comment();
            }
            '<' if self.opens_document() => {
                self.at += 2;
                self.out.push(Token::Unclear("a here-document in a program"));
            }
            '<' | '-' if self.lang == Lang::Node && (self.looking_at("<!--") || self.looking_at("-->")) => {
                self.at += 3;
                self.out.push(Token::Unclear("a comment of another language"));
            }
            '=' if matches!(self.lang, Lang::Perl | Lang::Ruby)
                && self.starts_line()
                && self.peek(1).is_some_and(is_name_start) =>
            {
                self.at += 1;
                self.out.push(Token::Unclear("documentation in a program"));
            }
            '/' if matches!(self.lang, Lang::Node | Lang::Php) && self.peek(1) == Some('/') => {
                self.line_comment()
            }
            '/' if matches!(self.lang, Lang::Node | Lang::Php) && self.peek(1) == Some('*') => {
                self.at += 2;
                while self.at < self.chars.len() && !self.looking_at("*/") {
                    self.at += 1;
                }
                self.at += 2;
            }
            '-' if self.lang == Lang::Lua && self.peek(1) == Some('-') => {
                if self.peek(2) == Some('[') {
                    self.out.push(Token::Unclear("a long comment"));
                }
                self.line_comment();
            }
            '[' if self.lang == Lang::Lua && matches!(self.peek(1), Some('[' | '=')) => {
                self.at += 2;
                self.out.push(Token::Unclear("a long string"));
            }
            '$' if matches!(self.lang, Lang::Perl | Lang::Ruby) && self.punctuation_variable() => {}
            '?' if self.lang == Lang::Ruby && self.peek(1).is_some_and(|c| "'\"`#/%".contains(c)) => {
                self.at += 2;
                self.out.push(Token::Unclear("a character that may begin a string"));
            }
            '"' => self.string(c),
            '\'' if self.lang != Lang::Tcl => self.string(c),
            '`' if matches!(self.lang, Lang::Node | Lang::Perl | Lang::Ruby | Lang::Php) => {
                let body = self.text('`', '`', true, true);
                self.out.push(if self.lang == Lang::Node { Token::Text(body) } else { Token::Shell(body) });
            }
            '/' if matches!(self.lang, Lang::Perl | Lang::Ruby | Lang::Node) => self.slash(),
            '%' if self.lang == Lang::Ruby && self.percent_literal() => self.percent(),
            c if is_name_start(c) || self.sigil(c) => self.name(),
            c if c.is_ascii_digit() => {
                while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '.' || c == '_') {
                    self.at += 1;
                }
                self.out.push(Token::Text(String::new()));
            }
            c => {
                self.at += 1;
                self.out.push(Token::Sign(c));
            }
        }
    }

    fn hash_comments(&self) -> bool {
        match self.lang {
            Lang::Python | Lang::Perl | Lang::Ruby | Lang::Php => true,
            // Only where a command may start.
            Lang::Tcl => matches!(self.out.last(), None | Some(Token::Sign('\n' | ';'))),
            _ => false,
        }
    }

    fn starts_line(&self) -> bool {
        self.at == 0 || self.chars.get(self.at - 1) == Some(&'\n')
    }

    /// Whether `<<` begins a here-document and is no shift.
    fn opens_document(&self) -> bool {
        let next = |k: usize| self.peek(k).unwrap_or(' ');
        self.looking_at("<<")
            && match self.lang {
                Lang::Perl | Lang::Ruby => {
                    matches!(next(2), '"' | '\'' | '`' | '~' | '-') || is_name_start(next(2))
                }
                Lang::Php => next(2) == '<',
                _ => false,
            }
    }

    /// `$'`, `$"`, `$#a`: a variable, and neither a string nor a comment.
    fn punctuation_variable(&mut self) -> bool {
        let Some(next) = self.peek(1).filter(|c| "'\"`#/;%&\\".contains(*c)) else { return false };
        self.at += 2;
        self.out.push(Token::Name(format!("${next}")));
        true
    }

    /// A slash: a division, or the beginning of a pattern.
    fn slash(&mut self) {
        let (mut before, mut lines) = (self.out.iter().rev(), false);
        let last = loop {
            match before.next() {
                Some(Token::Sign('\n')) => lines = true,
                other => break other,
            }
        };
        let doubled = matches!((last, before.next()),
            (Some(Token::Sign(a @ ('+' | '-'))), Some(Token::Sign(b))) if a == b);
        let divides = match last {
            None => false,
            Some(Token::Sign(c)) => matches!(c, ')' | ']' | '}'),
            Some(Token::Name(n)) => !takes_pattern(n),
            Some(_) => true,
        };
        // Ruby ends a line where the others go on.
        let divides = divides && !(lines && self.lang == Lang::Ruby);
        if divides || doubled || lines && last.is_some() {
            let rest = self.chars.get(self.at + 1..).unwrap_or(&[]);
            let reach = if self.lang == Lang::Node { rest.iter().position(|c| *c == '\n') } else { None };
            let rest = rest.get(..reach.unwrap_or(rest.len())).unwrap_or(rest);
            if let Some(end) = rest.iter().rposition(|c| *c == '/')
                && rest.iter().take(end).any(|c| "'\"`(;#".contains(*c))
            {
                self.out.push(Token::Unclear("a slash that may begin a pattern"));
            }
        }
        if divides {
            self.at += 1;
            self.out.push(Token::Sign('/'));
            return;
        }
        let body =
            if self.lang == Lang::Node { self.script_pattern() } else { self.text('/', '/', false, true) };
        while self.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) {
            self.at += 1;
        }
        let token = self.pattern(&body);
        self.out.push(token);
    }

    /// A pattern of JavaScript: a slash inside brackets does not end it.
    fn script_pattern(&mut self) -> String {
        self.at += 1;
        let mut body = String::new();
        let mut bracket = false;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\\' => {
                    body.push(c);
                    body.extend(self.peek(0));
                    self.at += 1;
                    continue;
                }
                '[' => bracket = true,
                ']' => bracket = false,
                '/' if !bracket => return body,
                '\n' => {
                    self.out.push(Token::Unclear("a pattern that does not end"));
                    return body;
                }
                _ => {}
            }
            body.push(c);
        }
        self.out.push(Token::Unclear("a pattern that does not end"));
        body
    }

    /// Whether `%` begins a literal of Ruby: `%q()`, `%w[]`, `%()`.
    fn percent_literal(&mut self) -> bool {
        let shape = match (self.peek(1), self.peek(2)) {
            (Some('x' | 'q' | 'Q' | 'w' | 'W' | 'i' | 'I' | 'r' | 's'), Some(c)) => {
                !c.is_alphanumeric() && !c.is_whitespace() && c != '_'
            }
            (Some(c), _) => !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, '=' | '_'),
            _ => false,
        };
        if !shape {
            return false;
        }
        match self.out.last() {
            Some(Token::Sign(')' | ']' | '}') | Token::Text(_)) => false,
            Some(Token::Name(n)) if !takes_pattern(n) => {
                self.out.push(Token::Unclear("a sign that may begin a string"));
                true
            }
            _ => true,
        }
    }

    fn sigil(&self, c: char) -> bool {
        matches!(self.lang, Lang::Perl | Lang::Php | Lang::Ruby | Lang::Tcl)
            && matches!(c, '$' | '@')
            && self.peek(1).is_some_and(|c| is_name_start(c) || c.is_ascii_digit())
    }

    fn string(&mut self, quote: char) {
        // Prefixes stick to the quote: `f"…"`, `rb'…'`.
        let mut interpolates =
            matches!(self.lang, Lang::Perl | Lang::Ruby | Lang::Php | Lang::Tcl) && quote == '"';
        if self.lang == Lang::Python
            && let Some(Token::Name(n)) = self.out.last()
            && n.len() <= 2
            && n.chars().all(|c| matches!(c, 'f' | 'r' | 'b' | 'u' | 'F' | 'R' | 'B' | 'U'))
            && self.at > 0
            && self.chars.get(self.at - 1).is_some_and(|c| c.is_alphabetic())
        {
            interpolates |= n.contains(['f', 'F']);
            self.out.pop();
        }
        let triple: String = [quote; 3].iter().collect();
        let triple_quoted = self.lang == Lang::Python && self.looking_at(&triple);
        let mut body = if triple_quoted {
            self.at += 3;
            let mut s = String::new();
            while self.at < self.chars.len() && !self.looking_at(&triple) {
                if self.peek(0) == Some('\\') {
                    s.push('\\');
                    self.at += 1;
                }
                s.extend(self.peek(0));
                self.at += 1;
            }
            self.at += 3;
            s
        } else {
            self.text(quote, quote, true, interpolates)
        };
        if triple_quoted && interpolates {
            body = self.embedded(&body);
        }
        match self.out.last_mut() {
            // Python and C put constants side by side together.
            Some(Token::Text(before)) if self.lang == Lang::Python && !before.is_empty() => {
                before.push_str(&body)
            }
            _ => self.out.push(Token::Text(body)),
        }
    }

    /// Reads a string; what is put into it at run time is unknown, and the code that gives it is kept.
    fn text(&mut self, open: char, close: char, decode: bool, interpolates: bool) -> String {
        if !interpolates {
            return self.delimited(open, close, decode);
        }
        let raw = self.raw(open, close);
        let body = self.embedded(&raw);
        if !decode || !body.contains('\\') {
            return body;
        }
        let chars = std::iter::once(open).chain(body.chars()).chain([close]).collect();
        let mut plain = Reader { lang: self.lang, chars, at: 0, out: Vec::new(), inside: Vec::new() };
        plain.delimited(open, close, true)
    }

    /// Reads from an opening to a closing mark as it is written, past code in braces.
    fn raw(&mut self, open: char, close: char) -> String {
        self.at += 1;
        let mut s = String::new();
        let mut depth = 0;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\\' {
                s.push(c);
                // Python's braces cannot be escaped this way.
                if self.lang != Lang::Python || self.peek(0) != Some('{') {
                    s.extend(self.peek(0));
                    self.at += 1;
                }
                continue;
            }
            if c == close && depth == 0 {
                return s;
            }
            if open != close && c == open {
                depth += 1;
            } else if open != close && c == close {
                depth -= 1;
            }
            s.push(c);
            if self.lang == Lang::Python && c == '{' && self.peek(0) == Some('{') {
                s.push('{');
                self.at += 1;
                continue;
            }
            if self.opens_code(c) {
                if self.lang != Lang::Python && self.peek(0) == Some('{') {
                    s.push('{');
                    self.at += 1;
                }
                let rest = self.chars.get(self.at..).unwrap_or(&[]);
                let (_, length) = balanced(rest.iter().copied());
                s.extend(rest.iter().take(length));
                self.at += length;
            }
        }
        s
    }

    /// Whether code in braces begins behind this character of a string.
    fn opens_code(&self, c: char) -> bool {
        match self.lang {
            Lang::Python => c == '{' && self.peek(0) != Some('{') && self.peek(0).is_some(),
            Lang::Ruby => c == '#' && self.peek(0) == Some('{'),
            Lang::Node => c == '$' && self.peek(0) == Some('{'),
            Lang::Perl => matches!(c, '$' | '@') && self.peek(0) == Some('{'),
            Lang::Php => c == '$' && self.peek(0) == Some('{') || c == '{' && self.peek(0) == Some('$'),
            _ => false,
        }
    }

    /// Takes the code out of a string's body and puts unknown text there.
    fn embedded(&mut self, body: &str) -> String {
        let mut out = String::with_capacity(body.len());
        let mut rest = body;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            if c == '\\' && !(self.lang == Lang::Python && after.starts_with('{')) {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..1 + escaped]);
                rest = &after[escaped..];
                continue;
            }
            let next = after.chars().next();
            if self.lang == Lang::Python && c == '{' && next == Some('{') {
                out.push('{');
                rest = &after[1..];
                continue;
            }
            let code = match self.lang {
                Lang::Python => c == '{',
                Lang::Ruby => c == '#' && next == Some('{'),
                Lang::Node => c == '$' && next == Some('{'),
                Lang::Perl => matches!(c, '$' | '@') && next == Some('{'),
                Lang::Php => c == '$' && next == Some('{') || c == '{' && next == Some('$'),
                _ => false,
            };
            let variable = matches!(self.lang, Lang::Perl | Lang::Php | Lang::Tcl)
                && matches!(c, '$' | '@')
                && next.is_some_and(is_name_start);
            if code {
                let braced = if next == Some('{') && self.lang != Lang::Python { after } else { rest };
                let inner = braced.get(1..).unwrap_or("");
                let (closed, length) = balanced(inner.chars());
                let end = inner.char_indices().nth(length).map_or(inner.len(), |(i, _)| i);
                let text = inner.get(..end).unwrap_or(inner);
                let inside = text.strip_suffix('}').filter(|_| closed).unwrap_or(text);
                let inside = if self.lang == Lang::Python { without_format(inside) } else { inside };
                self.inside.push(inside.to_owned());
                // Where the code ends was told by its quotes: they must be plain to see.
                let quotes = text.contains(['\'', '"']);
                if !closed || text.contains(['`', '#', '\\']) || quotes && text.contains(['/', '?', '%', '$'])
                {
                    self.out.push(Token::Unclear("code in a string"));
                }
                out.push(UNKNOWN);
                rest = inner.get(end..).unwrap_or("");
            } else if variable {
                // `$a[f()]` and `$a->{f()}`: the subscript is code too.
                let name = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
                let mut tail = &after[name..];
                let arrow = tail.strip_prefix("->").unwrap_or(tail);
                if arrow.starts_with(['[', '{']) {
                    let inner = &arrow[1..];
                    let end = inner.find([']', '}']).unwrap_or(inner.len());
                    self.inside.push(inner[..end].to_owned());
                    tail = inner.get(end + 1..).unwrap_or("");
                }
                out.push(UNKNOWN);
                rest = tail;
            } else if self.lang == Lang::Tcl && c == '[' {
                let end = after.find(']').unwrap_or(after.len());
                self.inside.push(after[..end].to_owned());
                out.push(UNKNOWN);
                rest = after.get(end + 1..).unwrap_or("");
            } else {
                out.push(c);
                rest = after;
            }
        }
        out
    }

    /// A regular expression; some hold code.
    fn pattern(&self, body: &str) -> Token {
        if self.lang == Lang::Perl && (body.contains("(?{") || body.contains("(??{")) {
            Token::Code(body.to_owned())
        } else {
            Token::Text(String::new())
        }
    }

    /// Reads from an opening to a closing mark, with escapes decoded where they are plain.
    fn delimited(&mut self, open: char, close: char, decode: bool) -> String {
        self.at += 1;
        let mut depth = 0;
        let mut s = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\\' {
                let Some(e) = self.peek(0) else { break };
                self.at += 1;
                if !decode {
                    s.push(e);
                    continue;
                }
                match e {
                    'n' => s.push('\n'),
                    't' => s.push('\t'),
                    'r' => s.push('\r'),
                    '\n' => {}
                    'x' | 'u' | 'U' | 'N' | '0'..='7' => {
                        let (base, digits) = match e {
                            'x' => (16, 2),
                            'u' => (16, 4),
                            'U' => (16, 8),
                            _ => (8, 3),
                        };
                        if !matches!(e, 'x' | 'u' | 'U' | 'N') {
                            self.at -= 1;
                        }
                        let mut n = 0;
                        let mut seen = 0;
                        while seen < digits
                            && let Some(d) = self.peek(0).and_then(|c| c.to_digit(base))
                        {
                            n = n * base + d;
                            seen += 1;
                            self.at += 1;
                        }
                        s.push(if seen > 0 { char::from_u32(n).unwrap_or(UNKNOWN) } else { UNKNOWN });
                    }
                    e => s.push(e),
                }
                continue;
            }
            if c == close && depth == 0 {
                return s;
            }
            if open != close {
                if c == open {
                    depth += 1;
                } else if c == close {
                    depth -= 1;
                }
            }
            s.push(c);
        }
        s
    }

    fn percent(&mut self) {
        let kind = self.peek(1).unwrap_or('(');
        let (kind, skip) = if kind.is_alphabetic() { (kind, 2) } else { ('Q', 1) };
        let Some(open) = self.peek(skip) else {
            self.at += 1;
            return;
        };
        self.at += skip;
        let body = self.text(open, closing(open), true, !matches!(kind, 'q' | 'w'));
        self.out.push(if kind == 'x' { Token::Shell(body) } else { Token::Text(body) });
    }

    fn name(&mut self) {
        let mut n = String::new();
        while let Some(c) = self.peek(0) {
            if c.is_alphanumeric() || c == '_' || n.is_empty() && matches!(c, '$' | '@') {
                n.push(c);
                self.at += 1;
                continue;
            }
            let next = |k: usize| self.peek(k).is_some_and(is_name_start);
            let dots = match c {
                '.' if next(1) && !matches!(self.lang, Lang::Perl | Lang::Php) => 1,
                ':' if self.peek(1) == Some(':') && next(2) => 2,
                ':' if self.lang == Lang::Lua && next(1) => 1,
                '-' if self.peek(1) == Some('>')
                    && next(2)
                    && matches!(self.lang, Lang::Perl | Lang::Php) =>
                {
                    2
                }
                '\\' if self.lang == Lang::Php && next(1) => 1,
                '?' | '!' if self.lang == Lang::Ruby && self.peek(1) != Some('=') => {
                    self.at += 1;
                    break;
                }
                _ => break,
            };
            n.push('.');
            self.at += dots;
        }
        if self.lang == Lang::Perl && !n.starts_with(['$', '@']) && self.quote_like(&n) {
            return;
        }
        self.out.push(Token::Name(n));
    }

    /// `q()`, `qx()`, `m//`, `s///`, `tr///`.
    fn quote_like(&mut self, n: &str) -> bool {
        if !matches!(n, "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "tr" | "y") {
            return false;
        }
        let mut skip = 0;
        while self.peek(skip) == Some(' ') {
            skip += 1;
        }
        let Some(open) = self.peek(skip).filter(|c| {
            // `s => 1` is a key, and `y, 1` a name.
            let key = *c == '=' && self.peek(skip + 1) == Some('>');
            !(key || c.is_alphanumeric() || c.is_whitespace() || matches!(c, ',' | ';' | ')' | '}'))
        }) else {
            return false;
        };
        if skip > 0 && open == '#' {
            self.out.push(Token::Unclear("a comment that may be a quote"));
        }
        self.at += skip;
        let close = closing(open);
        let interpolates = !matches!(n, "q" | "qw" | "tr" | "y") && open != '\'';
        let first = self.text(open, close, matches!(n, "q" | "qq" | "qx"), interpolates);
        match n {
            "qx" => self.out.push(Token::Shell(first)),
            "q" | "qw" | "qq" => self.out.push(Token::Text(first)),
            "s" | "tr" | "y" => {
                let second = if open == close {
                    self.at -= 1;
                    self.delimited(open, close, false)
                } else {
                    while self.peek(0).is_some_and(char::is_whitespace) {
                        self.at += 1;
                    }
                    let o = self.peek(0).unwrap_or(open);
                    self.delimited(o, closing(o), false)
                };
                let mut flags = String::new();
                while let Some(c) = self.peek(0).filter(char::is_ascii_alphabetic) {
                    flags.push(c);
                    self.at += 1;
                }
                let evaluates = n == "s" && flags.contains('e');
                let has_code = first.contains("(?{") || first.contains("(??{");
                if n == "s" && !evaluates && open != '\'' {
                    self.embedded(&second);
                }
                // Once evaluated, it is code like the rest; twice, what it makes is code too.
                let once = evaluates && flags.matches('e').count() == 1 && !has_code;
                if once {
                    self.inside.push(second.clone());
                }
                self.out.push(if (evaluates || has_code) && !once {
                    Token::Code(second)
                } else {
                    Token::Text(String::new())
                });
            }
            _ => {
                while self.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) {
                    self.at += 1;
                }
                self.out.push(if first.contains("(?{") {
                    Token::Code(first)
                } else {
                    Token::Text(String::new())
                });
            }
        }
        true
    }
}

/// Words after which a value begins.
fn takes_pattern(word: &str) -> bool {
    const WORDS: [&str; 26] = [
        "if", "unless", "elsif", "else", "and", "or", "not", "return", "split", "grep", "map", "while",
        "until", "print", "say", "puts", "p", "when", "m", "qr", "typeof", "case", "in", "of", "delete",
        "void",
    ];
    WORDS.contains(&word)
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        c => c,
    }
}

/// The expression of `{x!r:>10}` or `{x=}` in a string of Python, without how it is shown, which is no code.
fn without_format(text: &str) -> &str {
    let (mut depth, mut quote) = (0_usize, None);
    let colon = text.char_indices().find(|(_, c)| {
        match (quote, c) {
            (Some(q), _) => quote = Some(q).filter(|q| q != c),
            (None, '\'' | '"') => quote = Some(*c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        *c == ':' && depth == 0 && quote.is_none()
    });
    let (expression, format) = text.split_at(colon.map_or(text.len(), |(at, _)| at));
    if !format.bytes().all(|b| b.is_ascii_alphanumeric() || b":%<>=^+#.,_- /".contains(&b)) {
        return text;
    }
    let expression = ["!r", "!s", "!a"].iter().find_map(|c| expression.strip_suffix(c)).unwrap_or(expression);
    expression.strip_suffix('=').unwrap_or(expression)
}

/// How much of a text belongs to the brace that was opened before it, its end included, and whether it ends.
fn balanced(mut chars: impl Iterator<Item = char>) -> (bool, usize) {
    let mut depth = 1_usize;
    let mut quote = None;
    let mut count = 0;
    while let Some(c) = chars.next() {
        count += 1;
        match quote {
            Some(_) if c == '\\' => count += usize::from(chars.next().is_some()),
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' | '`' => quote = Some(c),
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        return (true, count);
                    }
                }
                _ => {}
            },
        }
    }
    (false, count)
}
