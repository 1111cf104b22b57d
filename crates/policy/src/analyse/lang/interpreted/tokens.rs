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
}

pub(super) fn read(lang: Lang, text: &str) -> Vec<Token> {
    let mut r = Reader { lang, chars: text.chars().collect(), at: 0, out: Vec::new() };
    while r.at < r.chars.len() {
        r.token();
    }
    r.out
}

struct Reader {
    lang: Lang,
    chars: Vec<char>,
    at: usize,
    out: Vec<Token>,
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
            '#' if matches!(self.lang, Lang::Python | Lang::Perl | Lang::Ruby | Lang::Tcl | Lang::Php) => {
                self.line_comment()
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
            '-' if self.lang == Lang::Lua && self.peek(1) == Some('-') => self.line_comment(),
            '"' | '\'' => self.string(c),
            '`' => {
                let body = self.delimited('`', '`', true);
                self.out.push(if self.lang == Lang::Node { Token::Text(body) } else { Token::Shell(body) });
            }
            '/' if matches!(self.lang, Lang::Perl | Lang::Ruby | Lang::Node) && self.value_may_start() => {
                self.delimited('/', '/', false);
                self.out.push(Token::Text(String::new()));
            }
            '%' if self.lang == Lang::Ruby
                && self.value_may_start()
                && matches!(self.peek(1), Some('x' | 'q' | 'Q' | 'w' | '(' | '{' | '[')) =>
            {
                self.percent()
            }
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

    fn sigil(&self, c: char) -> bool {
        matches!(self.lang, Lang::Perl | Lang::Php | Lang::Ruby | Lang::Tcl)
            && matches!(c, '$' | '@')
            && self.peek(1).is_some_and(|c| is_name_start(c) || c.is_ascii_digit())
    }

    /// Whether a value may stand here, so that a slash begins a pattern.
    fn value_may_start(&self) -> bool {
        match self.out.last() {
            None => true,
            Some(Token::Sign(c)) => !matches!(c, ')' | ']' | '}'),
            Some(Token::Name(n)) => matches!(
                n.as_str(),
                "if" | "unless"
                    | "and"
                    | "or"
                    | "not"
                    | "return"
                    | "split"
                    | "grep"
                    | "while"
                    | "print"
                    | "puts"
                    | "when"
                    | "m"
                    | "qr"
            ),
            Some(_) => false,
        }
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
        let mut body = if self.lang == Lang::Python && self.looking_at(&triple) {
            self.at += 3;
            let mut s = String::new();
            while self.at < self.chars.len() && !self.looking_at(&triple) {
                s.extend(self.peek(0));
                self.at += 1;
            }
            self.at += 3;
            s
        } else {
            self.delimited(quote, quote, true)
        };
        if interpolates && body.contains(['$', '@', '#', '{', '[']) {
            body = interpolated(self.lang, &body);
        }
        match self.out.last_mut() {
            // Python and C put constants side by side together.
            Some(Token::Text(before)) if self.lang == Lang::Python && !before.is_empty() => {
                before.push_str(&body)
            }
            _ => self.out.push(Token::Text(body)),
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
        let body = self.delimited(open, closing(open), true);
        self.out.push(if kind == 'x' {
            Token::Shell(interpolated(self.lang, &body))
        } else {
            Token::Text(body)
        });
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
            !(key || c.is_alphanumeric() || c.is_whitespace() || matches!(c, ',' | ';' | ')'))
        }) else {
            return false;
        };
        self.at += skip;
        let close = closing(open);
        let first = self.delimited(open, close, matches!(n, "q" | "qq" | "qx"));
        match n {
            "qx" => self.out.push(Token::Shell(if open == '\'' {
                first
            } else {
                interpolated(self.lang, &first)
            })),
            "q" | "qw" => self.out.push(Token::Text(first)),
            "qq" => self.out.push(Token::Text(interpolated(self.lang, &first))),
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
                let has_code = first.contains("(?{") || first.contains("(??{") || second.contains("@{[");
                self.out.push(if evaluates || has_code {
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

/// A string with what is put in at run time taken for unknown.
fn interpolated(lang: Lang, s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    let chars: Vec<char> = s.chars().collect();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        let next = chars.get(i + 1).copied();
        let starts = match lang {
            Lang::Python => c == '{',
            Lang::Ruby => c == '#' && next == Some('{'),
            Lang::Tcl => c == '$' || c == '[',
            _ => (c == '$' || c == '@') && next.is_some_and(|n| is_name_start(n) || n == '{'),
        };
        if !starts {
            out.push(c);
            i += 1;
            continue;
        }
        out.push(UNKNOWN);
        i += 1;
        let brace = if c == '{' || c == '[' { Some(c) } else { next.filter(|n| *n == '{') };
        match brace {
            Some(b) => {
                while chars.get(i).is_some_and(|c| *c != closing(b)) {
                    i += 1;
                }
                i += 1;
            }
            None => {
                while chars.get(i).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                    i += 1;
                }
            }
        }
    }
    out
}
