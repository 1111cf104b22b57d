//! Reads the parts of arithmetic text as an expression.

use super::bytes::{is_name, is_name_start};
use crate::Text;
use crate::ast::{BinaryOp, Expression, Part, PartKind, UnaryOp};

/// The expression, if the parts are one. `depth` limits its nesting.
pub(super) fn read(parts: &[Part], depth: u32) -> Option<Expression> {
    let tokens = tokens(parts)?;
    let mut reader = Reader { tokens: tokens.into_iter().peekable(), depth };
    let expression = reader.comma()?;
    reader.tokens.next().is_none().then_some(expression)
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Number(Text),
    Name(Text),
    Part(u32),
    /// An operator of up to three bytes.
    Op(&'static [u8]),
}

const OPERATORS: [&[u8]; 36] = [
    b"<<=", b">>=", b"**", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||", b"+=",
    b"-=", b"*=", b"/=", b"%=", b"&=", b"^=", b"|=", b"+", b"-", b"*", b"/", b"%", b"<", b">", b"=", b"!",
    b"&", b"|", b"^", b"~", b"?", b":",
];

const BRACKETS: [&[u8]; 5] = [b"(", b")", b"[", b"]", b","];

fn tokens(parts: &[Part]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        match &part.kind {
            PartKind::Literal(literal) => tokens_of(&literal.text, &mut tokens)?,
            PartKind::Parameter(_)
            | PartKind::Command(_)
            | PartKind::Arithmetic(_)
            | PartKind::DoubleQuoted(_) => {
                tokens.push(Token::Part(u32::try_from(index).ok()?));
            }
            _ => return None,
        }
    }
    Some(tokens)
}

fn tokens_of(mut text: &[u8], tokens: &mut Vec<Token>) -> Option<()> {
    while let Some((&byte, rest)) = text.split_first() {
        if matches!(byte, b' ' | b'\t' | b'\n') {
            text = rest;
            continue;
        }
        if is_name(byte) {
            let length =
                text.iter().position(|&b| !is_name(b) && !matches!(b, b'#' | b'@')).unwrap_or(text.len());
            let (word, rest) = text.split_at_checked(length)?;
            if is_name_start(byte) {
                if !word.iter().all(|&b| is_name(b)) {
                    return None;
                }
                tokens.push(Token::Name(word.into()));
            } else {
                if !is_number(word) {
                    return None;
                }
                tokens.push(Token::Number(word.into()));
            }
            text = rest;
            continue;
        }
        let op = OPERATORS.iter().chain(&BRACKETS).find(|op| text.starts_with(op))?;
        tokens.push(Token::Op(op));
        text = text.get(op.len()..)?;
    }
    Some(())
}

fn is_number(word: &[u8]) -> bool {
    if let Some(hash) = word.iter().position(|&b| b == b'#') {
        let (base, digits) =
            (word.get(..hash).unwrap_or_default(), word.get(hash.saturating_add(1)..).unwrap_or_default());
        return base.iter().all(u8::is_ascii_digit)
            && !digits.is_empty()
            && digits.iter().all(|&b| is_name(b) || b == b'@');
    }
    match word {
        [b'0', b'x' | b'X', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        [b'0', digits @ ..] => digits.iter().all(|b| matches!(b, b'0'..=b'7')),
        _ => word.iter().all(u8::is_ascii_digit),
    }
}

struct Reader {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    depth: u32,
}

/// Binding strength, from `,` (weakest) up.
const ASSIGN: u8 = 2;
const CHAIN: u8 = 4;
const STRONGEST: u8 = 14;

fn binary(token: &Token) -> Option<(u8, BinaryOp)> {
    let Token::Op(op) = token else {
        return None;
    };
    Some(match *op {
        b"||" => (4, BinaryOp::Or),
        b"&&" => (5, BinaryOp::And),
        b"|" => (6, BinaryOp::BitOr),
        b"^" => (7, BinaryOp::BitXor),
        b"&" => (8, BinaryOp::BitAnd),
        b"==" => (9, BinaryOp::Equal),
        b"!=" => (9, BinaryOp::NotEqual),
        b"<" => (10, BinaryOp::Less),
        b"<=" => (10, BinaryOp::LessOrEqual),
        b">" => (10, BinaryOp::Greater),
        b">=" => (10, BinaryOp::GreaterOrEqual),
        b"<<" => (11, BinaryOp::ShiftLeft),
        b">>" => (11, BinaryOp::ShiftRight),
        b"+" => (12, BinaryOp::Add),
        b"-" => (12, BinaryOp::Subtract),
        b"*" => (13, BinaryOp::Multiply),
        b"/" => (13, BinaryOp::Divide),
        b"%" => (13, BinaryOp::Remainder),
        _ => return None,
    })
}

fn assignment(token: &Token) -> Option<Option<BinaryOp>> {
    let Token::Op(op) = token else {
        return None;
    };
    Some(match *op {
        b"=" => None,
        b"+=" => Some(BinaryOp::Add),
        b"-=" => Some(BinaryOp::Subtract),
        b"*=" => Some(BinaryOp::Multiply),
        b"/=" => Some(BinaryOp::Divide),
        b"%=" => Some(BinaryOp::Remainder),
        b"<<=" => Some(BinaryOp::ShiftLeft),
        b">>=" => Some(BinaryOp::ShiftRight),
        b"&=" => Some(BinaryOp::BitAnd),
        b"^=" => Some(BinaryOp::BitXor),
        b"|=" => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

impl Reader {
    fn eat(&mut self, op: &[u8]) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Op(found) if *found == op)).is_some()
    }

    fn comma(&mut self) -> Option<Expression> {
        let first = self.nested(ASSIGN)?;
        let mut rest = Vec::new();
        while self.eat(b",") {
            rest.push((BinaryOp::Comma, self.nested(ASSIGN)?));
        }
        Some(chain(first, rest))
    }

    /// One level deeper; fails when there are too many.
    fn nested(&mut self, strength: u8) -> Option<Expression> {
        self.depth = self.depth.checked_sub(1)?;
        let expression = self.expression(strength)?;
        self.depth = self.depth.saturating_add(1);
        Some(expression)
    }

    /// An expression of operators at least as strong as given.
    fn expression(&mut self, strength: u8) -> Option<Expression> {
        let mut left = self.operand()?;
        if strength <= ASSIGN
            && let Some(op) = self.tokens.peek().and_then(assignment)
        {
            if !matches!(left, Expression::Variable { .. } | Expression::Part(_)) {
                return None;
            }
            self.tokens.next();
            let value = Box::new(self.nested(ASSIGN)?);
            return Some(Expression::Assign { op, target: Box::new(left), value });
        }
        let mut most = STRONGEST;
        while let Some((found, _)) = self.tokens.peek().and_then(binary) {
            if found < strength.max(CHAIN) || found > most {
                break;
            }
            most = found;
            let mut rest = Vec::new();
            while let Some((same, op)) = self.tokens.peek().and_then(binary)
                && same == found
            {
                self.tokens.next();
                rest.push((op, self.nested(found.saturating_add(1))?));
            }
            left = chain(left, rest);
        }
        if strength < CHAIN && self.eat(b"?") {
            let yes = Box::new(self.nested(ASSIGN)?);
            if !self.eat(b":") {
                return None;
            }
            let no = Box::new(self.nested(ASSIGN)?);
            return Some(Expression::Choice { condition: Box::new(left), yes, no });
        }
        Some(left)
    }

    /// An operand with its signs, and a power behind it.
    fn operand(&mut self) -> Option<Expression> {
        let base = self.unary()?;
        if self.eat(b"**") {
            let exponent = Box::new(self.nested(STRONGEST)?);
            return Some(Expression::Power { base: Box::new(base), exponent });
        }
        Some(base)
    }

    fn unary(&mut self) -> Option<Expression> {
        let op = match self.tokens.peek()? {
            Token::Op(b"+") => UnaryOp::Plus,
            Token::Op(b"-") => UnaryOp::Minus,
            Token::Op(b"!") => UnaryOp::Not,
            Token::Op(b"~") => UnaryOp::BitNot,
            Token::Op(op @ (b"++" | b"--")) => {
                let increment = *op == b"++";
                self.tokens.next();
                let target = Box::new(self.variable()?);
                return Some(Expression::Update { increment, prefix: true, target });
            }
            _ => return self.primary(),
        };
        self.tokens.next();
        self.depth = self.depth.checked_sub(1)?;
        let operand = Box::new(self.unary()?);
        self.depth = self.depth.saturating_add(1);
        Some(Expression::Unary { op, operand })
    }

    fn primary(&mut self) -> Option<Expression> {
        match self.tokens.peek()? {
            Token::Number(_) | Token::Part(_) => match self.tokens.next()? {
                Token::Number(text) => Some(Expression::Number(text)),
                Token::Part(index) => Some(Expression::Part(index)),
                _ => None,
            },
            Token::Name(_) => {
                let target = self.variable()?;
                for (op, increment) in [(b"++", true), (b"--", false)] {
                    if self.eat(op) {
                        return Some(Expression::Update {
                            increment,
                            prefix: false,
                            target: Box::new(target),
                        });
                    }
                }
                Some(target)
            }
            Token::Op(b"(") => {
                self.tokens.next();
                self.depth = self.depth.checked_sub(1)?;
                let inner = self.comma()?;
                self.depth = self.depth.saturating_add(1);
                self.eat(b")").then(|| Expression::Group(Box::new(inner)))
            }
            Token::Op(_) => None,
        }
    }

    fn variable(&mut self) -> Option<Expression> {
        let Some(Token::Name(name)) = self.tokens.next_if(|token| matches!(token, Token::Name(_))) else {
            return None;
        };
        let mut subscript = None;
        if self.eat(b"[") {
            self.depth = self.depth.checked_sub(1)?;
            subscript = Some(Box::new(self.comma()?));
            self.depth = self.depth.saturating_add(1);
            if !self.eat(b"]") {
                return None;
            }
        }
        Some(Expression::Variable { name, subscript })
    }
}

fn chain(first: Expression, rest: Vec<(BinaryOp, Expression)>) -> Expression {
    if rest.is_empty() { first } else { Expression::Chain { first: Box::new(first), rest } }
}
