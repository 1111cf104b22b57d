//! Assignments and arrays.

use super::word::Place;
use super::{Copied, Parsed, Parser};
use crate::ast::SimpleCommand;
use crate::ast::{
    Assignment, Element, Literal, Marks, Part, PartKind, Subscript, SubscriptKind, Value, Word,
};
use crate::{Reason, Text};

impl Parser<'_, '_> {
    /// An assignment in front of a command, if one stands here.
    ///
    /// Behind a name, bash takes everything between brackets into the word, blanks too, whether or
    /// not an assignment comes of it.
    pub(super) fn lead(&mut self, simple: &mut SimpleCommand) -> Parsed<bool> {
        let start = self.pos;
        let Some(name) = self.name() else {
            return Ok(false);
        };
        if self.byte() == b'[' {
            return self.lead_with_subscript(simple, start, name);
        }
        let Some(append) = self.assignment_sign() else {
            self.pos = start;
            return Ok(false);
        };
        if self.byte() == b'(' && !simple.redirections.is_empty() {
            // Bash takes an array here or not, depending on what stands in front of the redirection.
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.assigned(&mut simple.assignments, start, name, append)?;
        Ok(true)
    }

    fn lead_with_subscript(&mut self, simple: &mut SimpleCommand, start: usize, name: Text) -> Parsed<bool> {
        self.bash_only()?;
        let name_end = self.pos;
        self.skip(1);
        let subscript = self.subscript()?;
        self.expect(b']')?;
        if let Some(append) = self.assignment_sign() {
            self.assigned(&mut simple.assignments, start, name, append)?;
            if let Some(assignment) = simple.assignments.last_mut() {
                if matches!(assignment.value, Value::Array(_)) {
                    return Err(self.unknown_at(start, Reason::Unsupported));
                }
                assignment.subscript = Some(subscript);
            }
            return Ok(true);
        }
        let mut parts = Vec::new();
        let literal = Literal { text: name, marks: Marks::default() };
        parts.push(Part { span: self.span(start, name_end), kind: PartKind::Literal(literal) });
        simple.words.push(self.bracketed_word(start, parts, subscript)?);
        Ok(true)
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
        assignments: &mut Vec<Assignment>,
        start: usize,
        name: Text,
        append: bool,
    ) -> Parsed<()> {
        if append {
            self.bash_only()?;
        }
        let value = self.value()?;
        if let Value::Array(elements) = &value
            && self.copy != Copied::No
            && elements.iter().any(has_backslash)
        {
            // Bash 5.2 copies a substitution, and drops backslashes in arrays: `$(a=(\;))` is an error.
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        assignments.push(Assignment { span: self.since(start), name, subscript: None, append, value });
        Ok(())
    }

    fn value(&mut self) -> Parsed<Value> {
        if self.byte() == b'(' {
            return Ok(Value::Array(self.array()?));
        }
        Ok(Value::Scalar(self.word()?))
    }

    /// `name=(…)` as an argument of a declaration command, if that stands here.
    pub(super) fn array_argument(&mut self, words: &mut Vec<Word>) -> Parsed<bool> {
        let start = self.pos;
        if let Some(name) = self.name()
            && let Some(append) = self.assignment_sign()
            && self.byte() == b'('
        {
            let mut assignments = Vec::with_capacity(1);
            self.assigned(&mut assignments, start, name, append)?;
            let span = self.since(start);
            for assignment in assignments {
                let kind = PartKind::ArrayAssignment(Box::new(assignment));
                words.push(Word { span, parts: vec![Part { span, kind }] });
            }
            return Ok(true);
        }
        self.pos = start;
        Ok(false)
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
                _ => self.element(&mut elements)?,
            }
        }
        self.skip(1);
        self.leave();
        // Bash reads on with the same word.
        if !self.word_ends() {
            return Err(self.unknown(Reason::Unsupported));
        }
        Ok(elements)
    }

    fn element(&mut self, elements: &mut Vec<Element>) -> Parsed<()> {
        let start = self.pos;
        elements.push(Element {
            span: self.since(start),
            subscript: None,
            append: false,
            value: Word::default(),
        });
        let Some(element) = elements.last_mut() else {
            return Err(self.unexpected());
        };
        if self.byte() == b'[' {
            self.element_with_subscript(element, start)?;
        } else {
            element.value = self.word()?;
            if element.value.parts.is_empty() {
                return Err(self.unexpected());
            }
        }
        element.span = self.since(start);
        Ok(())
    }

    fn element_with_subscript(&mut self, element: &mut Element, start: usize) -> Parsed<()> {
        self.skip(1);
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
        Ok(())
    }
}

/// Whether an element has a backslash outside quotes.
fn has_backslash(element: &Element) -> bool {
    element.value.parts.iter().any(|part| matches!(part.kind, PartKind::Escaped(_)))
}
