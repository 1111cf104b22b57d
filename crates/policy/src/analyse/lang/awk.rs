//! AWK: `system`, pipes, redirections and network files.

use crate::analyse::Analyst;
use crate::analyse::call::sounds_secret;
use crate::analyse::state::State;
use crate::effect::Kind;
use crate::word::is_exact;
use toolgate_bash::ast::Span;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    /// A number, a regular expression, a field: a value without consequences.
    Value,
    Sign(&'static str),
    End,
}

impl Analyst<'_> {
    pub(in crate::analyse) fn awk(&mut self, text: &str, span: Span, state: &State) {
        if !is_exact(text) {
            self.unknown("part of an awk program is not known", span);
        }
        let mut tokens = tokens(text);
        let held = constants(&tokens);
        // A variable may be given something else after all, so what it seems to hold is followed and no more.
        let mut dynamic = false;
        for (i, value) in held {
            tokens[i] = Token::Text(value);
            dynamic = true;
        }
        let mut depth = 0_i32;
        // Whether we are in the argument list of a print that is not in parentheses, and at which depth.
        let mut printing: Option<i32> = None;
        for (i, t) in tokens.iter().enumerate() {
            let next = tokens.get(i + 1);
            let before = i.checked_sub(1).and_then(|i| tokens.get(i));
            match t {
                Token::Text(s) if s.starts_with("/inet") => {
                    let host = s.split('/').nth(4).unwrap_or("").to_owned();
                    self.push(Kind::Send, Some(&host), span, "a network file of awk");
                }
                Token::Name(n) => match n.as_str() {
                    "system" => match (next, tokens.get(i + 2), tokens.get(i + 3)) {
                        (Some(Token::Sign("(")), Some(Token::Text(code)), Some(Token::Sign(")"))) => {
                            let code = code.clone();
                            self.shell_from(&code, span, state);
                        }
                        (Some(Token::Sign("(")), _, _) => {
                            dynamic = true;
                            self.pieces(&tokens, i + 2, span, state);
                        }
                        _ => {}
                    },
                    "print" | "printf" => printing = Some(depth),
                    "getline" => {
                        if next == Some(&Token::Sign("<"))
                            || matches!(next, Some(Token::Name(_)))
                                && tokens.get(i + 2) == Some(&Token::Sign("<"))
                        {
                            let at = if next == Some(&Token::Sign("<")) { i + 2 } else { i + 3 };
                            match tokens.get(at) {
                                Some(Token::Text(f)) => {
                                    let f = f.clone();
                                    self.path_from(Kind::Read, &f, span, state);
                                }
                                _ => dynamic = true,
                            }
                        }
                        if matches!(before, Some(Token::Sign("|" | "|&"))) {
                            match i.checked_sub(2).and_then(|j| tokens.get(j)) {
                                Some(Token::Text(code))
                                    if !matches!(
                                        i.checked_sub(3).and_then(|j| tokens.get(j)),
                                        Some(Token::Text(_) | Token::Name(_) | Token::Value)
                                    ) =>
                                {
                                    let code = code.clone();
                                    if !code.starts_with("/inet") {
                                        self.shell_from(&code, span, state);
                                    }
                                }
                                _ => dynamic = true,
                            }
                        }
                    }
                    "ENVIRON" => {
                        let one = match tokens.get(i + 2) {
                            Some(Token::Text(name)) if next == Some(&Token::Sign("[")) => Some(name),
                            _ => None,
                        };
                        if one.is_none_or(|name| sounds_secret(name)) {
                            self.push(
                                Kind::Secret,
                                Some("environment"),
                                span,
                                "the environment is read as a whole",
                            );
                        }
                    }
                    _ => {
                        // `@load "filefuncs"`, `@fn(x)`
                        if before == Some(&Token::Sign("@")) {
                            dynamic = true;
                        }
                    }
                },
                Token::Sign(s @ (">" | ">>" | "|" | "|&")) if printing.is_some_and(|d| d == depth) => {
                    if *s == "|" && matches!(next, Some(Token::Name(n)) if n == "getline") {
                        continue;
                    }
                    match (next, tokens.get(i + 2)) {
                        (Some(Token::Text(t)), None | Some(Token::End | Token::Sign("}" | ";" | ")"))) => {
                            let t = t.clone();
                            if s.starts_with('|') {
                                if !t.starts_with("/inet") {
                                    self.shell_from(&t, span, state);
                                }
                            } else {
                                self.path_from(Kind::Write, &t, span, state);
                            }
                        }
                        _ => {
                            dynamic = true;
                            self.pieces(&tokens, i + 1, span, state);
                        }
                    }
                }
                Token::Sign("|&") => {
                    dynamic = !matches!(next, Some(Token::Name(n)) if n == "getline") || dynamic
                }
                Token::Sign("(" | "[") => depth += 1,
                Token::Sign(")" | "]") => depth -= 1,
                Token::Sign("{" | "}" | ";") | Token::End => printing = None,
                _ => {}
            }
        }
        if dynamic {
            self.unknown("an awk program runs or opens what is not a constant", span);
        }
    }

    /// The constant parts of a command that is put together: what is seen is followed.
    fn pieces(&mut self, tokens: &[Token], from: usize, span: Span, state: &State) {
        if let Some(Token::Text(t)) = tokens.get(from) {
            let t = t.clone();
            self.shell_from(&t, span, state);
        }
    }
}

/// Where a command or a file is named by a variable that is given one constant, with the constant.
fn constants(tokens: &[Token]) -> Vec<(usize, String)> {
    let given = |name: &String| {
        let mut values = tokens.windows(3).filter_map(|w| match w {
            [Token::Name(n), Token::Sign("="), Token::Text(value)] if n == name => Some(value),
            _ => None,
        });
        values.next().filter(|_| values.next().is_none()).cloned()
    };
    let named = |i: usize| {
        let before = i.checked_sub(1).and_then(|j| tokens.get(j));
        let after = tokens.get(i + 1);
        let piped = |t: Option<&Token>| matches!(t, Some(Token::Sign("|" | "|&")));
        let system = matches!(before, Some(Token::Sign("(")))
            && i.checked_sub(2).and_then(|j| tokens.get(j)) == Some(&Token::Name("system".to_owned()));
        system || piped(before) || piped(after)
    };
    let names = tokens.iter().enumerate().filter(|(i, _)| named(*i));
    let names = names.filter_map(|(i, t)| if let Token::Name(n) = t { Some((i, n)) } else { None });
    names.take(64).filter_map(|(i, n)| Some((i, given(n)?))).collect()
}

fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        i += 1;
        match c {
            '\n' => out.push(Token::End),
            c if c.is_whitespace() => {}
            '\\' if chars.get(i) == Some(&'\n') => i += 1,
            '#' => {
                while chars.get(i).is_some_and(|c| *c != '\n') {
                    i += 1;
                }
            }
            '"' => {
                let mut s = String::new();
                while let Some(&c) = chars.get(i) {
                    i += 1;
                    match c {
                        '"' => break,
                        '\\' => {
                            match chars.get(i) {
                                Some('n') => s.push('\n'),
                                Some('t') => s.push('\t'),
                                Some(d) if d.is_digit(8) || *d == 'x' => {
                                    // A character by its number: not followed.
                                    s.push(crate::word::UNKNOWN);
                                }
                                Some(c) => s.push(*c),
                                None => {}
                            }
                            i += 1;
                        }
                        c => s.push(c),
                    }
                }
                // Texts side by side are one text.
                if let Some(Token::Text(before)) = out.last_mut() {
                    before.push_str(&s);
                } else {
                    out.push(Token::Text(s));
                }
            }
            '/' if regex_may_start(out.last()) => {
                let mut bracket = false;
                while let Some(&c) = chars.get(i) {
                    i += 1;
                    match c {
                        '\\' => i += 1,
                        '[' => bracket = true,
                        ']' => bracket = false,
                        '/' if !bracket => break,
                        '\n' => break,
                        _ => {}
                    }
                }
                out.push(Token::Value);
            }
            c if c.is_ascii_digit() || c == '.' => {
                while chars.get(i).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '.') {
                    i += 1;
                }
                out.push(Token::Value);
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut n = String::from(c);
                while let Some(&c) = chars.get(i).filter(|c| c.is_alphanumeric() || **c == '_') {
                    n.push(c);
                    i += 1;
                }
                out.push(Token::Name(n));
            }
            _ => {
                let two: String = [c].into_iter().chain(chars.get(i).copied()).collect();
                let sign = match two.as_str() {
                    ">>" => Some(">>"),
                    "|&" => Some("|&"),
                    "||" => Some("||"),
                    "&&" => Some("&&"),
                    ">=" => Some(">="),
                    "<=" => Some("<="),
                    "==" => Some("=="),
                    "!=" => Some("!="),
                    _ => None,
                };
                if let Some(s) = sign {
                    i += 1;
                    out.push(Token::Sign(s));
                    continue;
                }
                out.push(Token::Sign(match c {
                    '>' => ">",
                    '<' => "<",
                    '|' => "|",
                    '(' => "(",
                    ')' => ")",
                    '[' => "[",
                    ']' => "]",
                    '{' => "{",
                    '}' => "}",
                    ';' => ";",
                    '@' => "@",
                    '$' => "$",
                    ',' => ",",
                    '=' => "=",
                    _ => "?",
                }));
            }
        }
    }
    out
}

/// A slash divides after a value and starts a regular expression elsewhere.
fn regex_may_start(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::End) => true,
        Some(Token::Sign(s)) => !matches!(*s, ")" | "]" | "$"),
        Some(Token::Name(n)) => matches!(n.as_str(), "print" | "return" | "in" | "case" | "getline"),
        Some(Token::Text(_) | Token::Value) => false,
    }
}
