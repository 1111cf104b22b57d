//! `[[ … ]]`.

use super::reserved::Reserved;
use super::word::Place;
use super::{Parsed, Parser};
use crate::Text;
use crate::ast::{Compound, Condition, ConditionOp, Word};

impl Parser<'_, '_> {
    /// A condition behind `[[`, and its `]]`.
    pub(super) fn condition(&mut self, kind: &mut Compound) -> Parsed<()> {
        self.bash_only()?;
        let condition = self.disjunction()?;
        self.blanks();
        if !self.eat_word(b"]]") {
            return Err(self.unexpected());
        }
        *kind = Compound::Condition(condition);
        Ok(())
    }

    fn disjunction(&mut self) -> Parsed<Condition> {
        let mut members = vec![self.conjunction()?];
        while self.byte() == b'|' && self.second() == b'|' {
            self.skip(1);
            self.byte();
            self.skip(1);
            members.push(self.conjunction()?);
        }
        Ok(single(members, Condition::Or))
    }

    fn conjunction(&mut self) -> Parsed<Condition> {
        let mut members = vec![self.term()?];
        while self.byte() == b'&' && self.second() == b'&' {
            self.skip(1);
            self.byte();
            self.skip(1);
            members.push(self.term()?);
        }
        Ok(single(members, Condition::And))
    }

    fn term(&mut self) -> Parsed<Condition> {
        self.lines()?;
        self.spend(1)?;
        if self.byte() == b'(' {
            return self.group_condition();
        }
        if self.eat_reserved(Reserved::Not) {
            return self.negation();
        }
        self.comparison()
    }

    fn group_condition(&mut self) -> Parsed<Condition> {
        self.skip(1);
        self.enter()?;
        let inner = Box::new(self.disjunction()?);
        self.expect(b')')?;
        self.leave();
        self.lines()?;
        Ok(Condition::Group(inner))
    }

    fn negation(&mut self) -> Parsed<Condition> {
        self.note_bang_parenthesis();
        self.enter()?;
        let inner = Box::new(self.term()?);
        self.leave();
        Ok(Condition::Not(inner))
    }

    fn comparison(&mut self) -> Parsed<Condition> {
        let left = self.condition_word(Place::Argument)?;
        if let Some(op) = unary(&left) {
            self.blanks();
            let operand = self.condition_word(Place::Argument)?;
            self.lines()?;
            return Ok(Condition::Unary { op, operand });
        }
        self.blanks();
        let Some(op) = self.binary()? else {
            // No newline may stand between a single word and what follows.
            return match self.byte() {
                b'&' | b'|' | b')' => Ok(Condition::Word(left)),
                _ if self.at_condition_end() => Ok(Condition::Word(left)),
                _ => Err(self.unexpected()),
            };
        };
        self.blanks();
        let place = match op {
            ConditionOp::Match | ConditionOp::NotMatch => Place::Pattern,
            ConditionOp::Regex => Place::Regex,
            _ => Place::Argument,
        };
        let right = self.condition_word(place)?;
        self.lines()?;
        Ok(Condition::Binary { op, left, right })
    }

    fn at_condition_end(&mut self) -> bool {
        let start = self.pos;
        let found = self.eat_word(b"]]");
        self.pos = start;
        found
    }

    fn condition_word(&mut self, place: Place) -> Parsed<Word> {
        // Bash takes a descriptor in front of `<` or `>` for a redirection, which may not stand here.
        self.refuse_descriptor()?;
        if self.at_condition_end() || self.byte() == b'#' {
            return Err(self.unexpected());
        }
        let word = self.word_in(place)?;
        if word.parts.is_empty() { Err(self.unexpected()) } else { Ok(word) }
    }

    /// The operator between two words.
    fn binary(&mut self) -> Parsed<Option<ConditionOp>> {
        use ConditionOp as Op;
        let op = match self.byte() {
            b'<' | b'>' if matches!(self.second(), b'(' | b'<' | b'>' | b'&' | b'|') => {
                return Err(self.unexpected());
            }
            b'<' => Op::Before,
            b'>' => Op::After,
            b'=' | b'!' | b'-' => {
                let operators: [(&[u8], Op); 13] = [
                    (b"==", Op::Match),
                    (b"=", Op::Match),
                    (b"!=", Op::NotMatch),
                    (b"=~", Op::Regex),
                    (b"-eq", Op::Equal),
                    (b"-ne", Op::NotEqual),
                    (b"-lt", Op::Less),
                    (b"-le", Op::LessOrEqual),
                    (b"-gt", Op::Greater),
                    (b"-ge", Op::GreaterOrEqual),
                    (b"-nt", Op::NewerThan),
                    (b"-ot", Op::OlderThan),
                    (b"-ef", Op::SameFile),
                ];
                for (text, op) in operators {
                    if self.eat_word(text) {
                        return Ok(Some(op));
                    }
                }
                return Ok(None);
            }
            _ => return Ok(None),
        };
        self.skip(1);
        Ok(Some(op))
    }
}

/// The member itself if there is one, else all of them together.
fn single(mut members: Vec<Condition>, join: impl Fn(Vec<Condition>) -> Condition) -> Condition {
    match members.pop() {
        Some(only) if members.is_empty() => only,
        Some(last) => {
            members.push(last);
            join(members)
        }
        None => join(members),
    }
}

fn unary(word: &Word) -> Option<Text> {
    let literal = word.as_literal()?;
    match literal.text.as_bytes() {
        [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter) => Some(literal.text.clone()),
        _ => None,
    }
}
