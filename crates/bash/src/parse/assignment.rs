//! Assignments and arrays.

use super::word::Place;
use super::{Parsed, Parser};
use crate::ast::{
    Assignment, Element, Literal, Marks, Part, PartKind, Subscript, SubscriptKind, Value, Word,
};
use crate::{Reason, Text};

/// What stands where an assignment may.
pub(super) enum Lead {
    Assignment(Assignment),
    /// A word that began like an assignment to an element.
    Word(Word),
    Neither,
}

impl Parser<'_, '_> {
    /// An assignment in front of a command, if one stands here.
    ///
    /// Behind a name, bash takes everything between brackets into the word, blanks too, whether or
    /// not an assignment comes of it.
    pub(super) fn lead(&mut self) -> Parsed<Lead> {
        let start = self.pos;
        let Some(name) = self.name() else {
            return Ok(Lead::Neither);
        };
        if self.byte() == b'[' {
            self.bash_only()?;
            let name_end = self.pos;
            self.skip(1);
            let subscript = self.subscript()?;
            self.expect(b']')?;
            return match self.assignment_sign() {
                Some(append) => Ok(Lead::Assignment(self.assigned(start, name, Some(subscript), append)?)),
                None => {
                    let mut parts = Vec::new();
                    let text = Literal { text: name, marks: Marks::default() };
                    parts.push(Part { span: self.span(start, name_end), kind: PartKind::Literal(text) });
                    Ok(Lead::Word(self.bracketed_word(start, parts, subscript)?))
                }
            };
        }
        match self.assignment_sign() {
            Some(append) => Ok(Lead::Assignment(self.assigned(start, name, None, append)?)),
            None => {
                self.pos = start;
                Ok(Lead::Neither)
            }
        }
    }

    /// Goes on with a word that began with a subscript.
    fn bracketed_word(&mut self, start: usize, mut parts: Vec<Part>, subscript: Subscript) -> Parsed<Word> {
        let bracket =
            |text: &str| Literal { text: text.into(), marks: Marks { glob: true, ..Marks::default() } };
        let mut open = subscript.span;
        open.end = open.start;
        open.start = open.start.saturating_sub(1);
        parts.push(Part { span: open, kind: PartKind::Literal(bracket("[")) });
        match subscript.kind {
            SubscriptKind::At => {
                parts.push(Part { span: subscript.span, kind: PartKind::Literal(bracket("@")) })
            }
            SubscriptKind::Star => {
                parts.push(Part { span: subscript.span, kind: PartKind::Literal(bracket("*")) })
            }
            SubscriptKind::Index(text) => parts.extend(text.parts),
        }
        parts.push(Part {
            span: self.span(self.pos.saturating_sub(1), self.pos),
            kind: PartKind::Literal(bracket("]")),
        });
        self.word_parts(&mut parts, Place::Argument)?;
        Ok(Word { span: self.since(start), parts })
    }

    /// `=` or `+=`; whether it appends.
    fn assignment_sign(&mut self) -> Option<bool> {
        if self.eat(b'=') {
            return Some(false);
        }
        if self.byte() == b'+' && self.second() == b'=' {
            self.skip(1);
            self.eat(b'=');
            return Some(true);
        }
        None
    }

    /// The rest of an assignment behind its sign.
    fn assigned(
        &mut self,
        start: usize,
        name: Text,
        subscript: Option<Subscript>,
        append: bool,
    ) -> Parsed<Assignment> {
        if append {
            self.bash_only()?;
        }
        let value = if self.byte() == b'(' {
            if subscript.is_some() {
                return Err(self.unknown(Reason::Unsupported));
            }
            Value::Array(self.array()?)
        } else {
            Value::Scalar(self.word()?)
        };
        Ok(Assignment { span: self.since(start), name, subscript, append, value })
    }

    /// `name=(…)` as an argument of a declaration command, if that stands here.
    pub(super) fn array_argument(&mut self) -> Parsed<Option<Word>> {
        let start = self.pos;
        if let Some(name) = self.name()
            && let Some(append) = self.assignment_sign()
            && self.byte() == b'('
        {
            let assignment = self.assigned(start, name, None, append)?;
            let span = assignment.span;
            let kind = PartKind::ArrayAssignment(Box::new(assignment));
            return Ok(Some(Word { span, parts: vec![Part { span, kind }] }));
        }
        self.pos = start;
        Ok(None)
    }

    fn array(&mut self) -> Parsed<Vec<Element>> {
        self.bash_only()?;
        self.enter()?;
        self.expect(b'(')?;
        let mut elements = Vec::new();
        loop {
            self.blanks();
            self.spend(1)?;
            match self.byte() {
                b')' => break,
                b'\n' if !self.pending.is_empty() => return Err(self.unknown(Reason::Ambiguous)),
                b'\n' => self.newline()?,
                _ => elements.push(self.element()?),
            }
        }
        self.skip(1);
        self.leave();
        // Bash reads on with the same word.
        if !self.word_ends() || matches!(self.byte(), b'<' | b'>') && self.second() == b'(' {
            return Err(self.unknown(Reason::Unsupported));
        }
        Ok(elements)
    }

    fn element(&mut self) -> Parsed<Element> {
        let start = self.pos;
        let mut element =
            Element { span: self.since(start), subscript: None, append: false, value: Word::default() };
        if self.eat(b'[') {
            let subscript = self.subscript()?;
            self.expect(b']')?;
            match self.assignment_sign() {
                Some(append) => {
                    element.subscript = Some(subscript);
                    element.append = append;
                    element.value = self.word()?;
                }
                None => element.value = self.bracketed_word(start, Vec::new(), subscript)?,
            }
        } else {
            element.value = self.word()?;
            if element.value.parts.is_empty() {
                return Err(self.unexpected());
            }
        }
        element.span = self.since(start);
        Ok(element)
    }
}
