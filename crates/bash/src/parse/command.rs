//! Commands: which kind stands here, and simple commands.

use super::reserved::Reserved;
use super::{Parsed, Parser};
use crate::ast::{Command, PartKind, SimpleCommand, Span, Word};
use crate::{Reason, Text};

impl Parser<'_, '_> {
    /// The command at the position. The place holds an empty simple command.
    pub(super) fn command(&mut self, place: &mut Command) -> Parsed<()> {
        if self.byte() == b'(' {
            return self.compound_command(place, None);
        }
        match self.reserved() {
            None => self.simple_or_function(place),
            // Behind a pipe, `time` is an ordinary command to bash; a pipeline took it elsewhere.
            Some((Reserved::Time, _)) => self.simple_or_function(place),
            Some((Reserved::Function, end)) => self.function_by_keyword(place, end),
            Some((Reserved::Coproc, end)) => self.coproc(place, end),
            Some((word, _)) if word.opens() => self.compound_command(place, Some(word)),
            Some(_) => Err(self.unexpected()),
        }
    }

    pub(super) fn compound_command(&mut self, place: &mut Command, word: Option<Reserved>) -> Parsed<()> {
        let compound = self.compound(word)?;
        *place = Command::Compound(compound);
        Ok(())
    }

    fn simple_or_function(&mut self, place: &mut Command) -> Parsed<()> {
        let start = self.pos;
        if let Command::Simple(simple) = place {
            self.simple(simple)?;
        }
        if self.byte() == b'(' { self.function_from(place, start) } else { Ok(()) }
    }

    /// The parenthesis behind a simple command makes its only word the name of a function.
    fn function_from(&mut self, place: &mut Command, start: usize) -> Parsed<()> {
        let Command::Simple(simple) = place else {
            return Err(self.unexpected());
        };
        match simple.words.as_slice() {
            [name] if simple.assignments.is_empty() && simple.redirections.is_empty() => {
                let (name, span) = self.function_name(name)?;
                self.function(place, start, name, span, false)
            }
            _ => Err(self.unexpected()),
        }
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
        loop {
            self.blanks();
            self.spend(1)?;
            if self.simple_ends() {
                break;
            }
            if self.may_redirect() && self.redirection(&mut simple.redirections)? {
                arrays = false;
            } else if simple.words.is_empty() {
                if !self.lead(simple)? {
                    self.push_word(&mut simple.words)?;
                }
                // Behind a redirection that depends on what stands in front of that.
                arrays = simple.redirections.is_empty() && simple.words.first().is_some_and(takes_arrays);
            } else if !arrays || !self.array_argument(&mut simple.words)? {
                self.push_word(&mut simple.words)?;
            }
            end = self.pos;
        }
        self.end_simple(simple, start, end)
    }

    fn simple_ends(&mut self) -> bool {
        match self.byte() {
            0 | b'\n' | b';' | b'|' | b')' | b'(' => true,
            b'&' => self.second() != b'>',
            _ => false,
        }
    }

    fn may_redirect(&mut self) -> bool {
        match self.byte() {
            b'<' | b'>' => self.second() != b'(',
            b'0'..=b'9' | b'&' | b'{' => true,
            _ => false,
        }
    }

    fn end_simple(&mut self, simple: &mut SimpleCommand, start: usize, end: usize) -> Parsed<()> {
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty() {
            return Err(self.unexpected());
        }
        if simple.words.len() == 1 && self.pos >= self.text.len() && self.text.last() == Some(&b'\\') {
            // Versions differ on a backslash at the end of everything.
            return Err(self.unknown(Reason::Ambiguous));
        }
        if redirected_reserved_word(simple) {
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        simple.span = self.span(start, end);
        self.after_compound = false;
        self.note_reading(simple);
        Ok(())
    }
}

/// Whether a redirection stands in front of a command word that would be reserved without it.
///
/// Bash 5.2 copies a substitution before it runs it, with redirections behind the words, and reads the
/// copy: `$(>f ! a)` becomes `! a >f`.
fn redirected_reserved_word(simple: &SimpleCommand) -> bool {
    match (simple.redirections.first(), simple.words.first()) {
        (Some(redirection), Some(word)) if simple.assignments.is_empty() => {
            redirection.span.start < word.span.start
                && word.as_literal().is_some_and(|literal| Reserved::of(&literal.text).is_some())
        }
        _ => false,
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
