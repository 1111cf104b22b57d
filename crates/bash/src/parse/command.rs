//! Commands: which kind stands here, and simple commands.

use super::assignment::Lead;
use super::reserved::Reserved;
use super::{Parsed, Parser};
use crate::ast::{Command, PartKind, SimpleCommand, Span, Word};
use crate::{Reason, Text};

impl Parser<'_, '_> {
    pub(super) fn command(&mut self) -> Parsed<Command> {
        if self.byte() == b'(' {
            return Ok(Command::Compound(Box::new(self.compound(None)?)));
        }
        match self.reserved() {
            None => self.simple_or_function(),
            // Behind a pipe, `time` is an ordinary command to bash; a pipeline took it elsewhere.
            Some((Reserved::Time, _)) => self.simple_or_function(),
            Some((Reserved::Function, end)) => self.function_by_keyword(end),
            Some((Reserved::Coproc, end)) => self.coproc(end),
            Some((word, _)) if word.opens() => Ok(Command::Compound(Box::new(self.compound(Some(word))?))),
            Some(_) => Err(self.unexpected()),
        }
    }

    fn simple_or_function(&mut self) -> Parsed<Command> {
        let start = self.pos;
        let mut simple = SimpleCommand::default();
        self.simple(&mut simple)?;
        if self.byte() == b'('
            && simple.assignments.is_empty()
            && simple.redirections.is_empty()
            && let [name] = simple.words.as_slice()
        {
            let (name, span) = self.function_name(name)?;
            return self.function(start, name, span, false);
        }
        Ok(Command::Simple(simple))
    }

    /// The name of a function from the word in front of `()`.
    pub(super) fn function_name(&self, word: &Word) -> Parsed<(Text, Span)> {
        match word.as_literal() {
            Some(literal) if literal.marks.is_plain() => Ok((literal.text.clone(), word.span)),
            _ => Err(self.unknown(Reason::Unsupported)),
        }
    }

    /// A simple command: assignments, words and redirections up to something else.
    pub(super) fn simple(&mut self, simple: &mut SimpleCommand) -> Parsed<()> {
        let start = self.pos;
        let mut end = start;
        // Whether `name=(…)` may stand as an argument.
        let mut arrays = false;
        self.after_compound = false;
        loop {
            self.blanks();
            self.spend(1)?;
            match self.byte() {
                0 | b'\n' | b';' | b'|' | b')' | b'(' => break,
                b'&' if self.second() != b'>' => break,
                b'<' | b'>' if self.second() == b'(' => {}
                b'0'..=b'9' | b'<' | b'>' | b'&' | b'{' => {
                    if let Some(redirection) = self.redirection()? {
                        simple.redirections.push(redirection);
                        end = self.pos;
                        arrays = false;
                        continue;
                    }
                }
                _ => {}
            }
            if simple.words.is_empty() {
                let word = match self.lead()? {
                    Lead::Assignment(assignment) => {
                        simple.assignments.push(assignment);
                        end = self.pos;
                        continue;
                    }
                    Lead::Word(word) => word,
                    Lead::Neither => self.word()?,
                };
                if self.pos >= self.text.len() && self.text.last() == Some(&b'\\') && self.nesting == 0 {
                    return Err(self.unknown(Reason::Ambiguous));
                }
                arrays = takes_arrays(&word);
                simple.words.push(word);
            } else if arrays && let Some(word) = self.array_argument()? {
                simple.words.push(word);
            } else {
                let word = self.word()?;
                simple.words.push(word);
            }
            end = self.pos;
            // A word that begins nothing would be read for ever.
            if simple.words.last().is_some_and(|word| word.parts.is_empty()) {
                return Err(self.unexpected());
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty() {
            return Err(self.unexpected());
        }
        simple.span = self.span(start, end);
        self.after_compound = false;
        self.note_reading(simple);
        Ok(())
    }
}

/// Whether bash reads `name=(…)` behind this command word. It goes by the word as written.
fn takes_arrays(word: &Word) -> bool {
    match word.parts.as_slice() {
        [part] => match &part.kind {
            PartKind::Literal(literal) => matches!(
                literal.text.as_bytes(),
                b"alias" | b"declare" | b"export" | b"local" | b"readonly" | b"typeset" | b"eval" | b"let"
            ),
            _ => false,
        },
        _ => false,
    }
}
