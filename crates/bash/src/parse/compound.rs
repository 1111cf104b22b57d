//! Compound commands, functions and coprocesses.

use super::bytes::is_blank;
use super::reserved::Reserved;
use super::{Parsed, Parser};
use crate::ast::{
    Arithmetic, CaseArm, CaseEnd, Command, Compound, CompoundCommand, Coproc, Function, List, SimpleCommand,
    Span, Word,
};
use crate::{Reason, Text};

impl Parser<'_, '_> {
    /// A compound command with its redirections. `None` stands for an opening parenthesis.
    pub(super) fn compound(&mut self, word: Option<Reserved>) -> Parsed<CompoundCommand> {
        let start = self.pos;
        self.enter()?;
        let kind = match word {
            None => self.parenthesis()?,
            Some(word) => self.by_word(word)?,
        };
        let mut span = self.since(start);
        let redirections = self.redirections()?;
        self.leave();
        if let Some(last) = redirections.last() {
            span.end = last.span.end;
        }
        self.after_compound = redirections.is_empty();
        Ok(CompoundCommand { span, kind, redirections })
    }

    fn by_word(&mut self, word: Reserved) -> Parsed<Compound> {
        if let Some((_, end)) = self.reserved() {
            self.pos = end;
        }
        match word {
            Reserved::OpenBrace => self.group(),
            Reserved::OpenCondition => Ok(Compound::Condition(self.condition()?)),
            Reserved::If => self.if_command(),
            Reserved::While => {
                let (condition, body) = self.while_command()?;
                Ok(Compound::While { condition, body })
            }
            Reserved::Until => {
                let (condition, body) = self.while_command()?;
                Ok(Compound::Until { condition, body })
            }
            Reserved::For => self.for_command(),
            Reserved::Select => {
                self.bash_only()?;
                let (variable, words, body) = self.for_words()?;
                Ok(Compound::Select { variable, words, body })
            }
            Reserved::Case => self.case_command(),
            _ => Err(self.unexpected()),
        }
    }

    /// A list that must hold a command.
    fn commands(&mut self) -> Parsed<List> {
        let list = self.list()?;
        if list.items.is_empty() { Err(self.unexpected()) } else { Ok(list) }
    }

    fn group(&mut self) -> Parsed<Compound> {
        let list = self.commands()?;
        self.expect_reserved(Reserved::CloseBrace)?;
        Ok(Compound::Group(list))
    }

    fn subshell(&mut self) -> Parsed<Compound> {
        self.expect(b'(')?;
        self.substitutions = self.substitutions.saturating_add(1);
        let list = self.commands()?;
        self.expect(b')')?;
        self.substitutions = self.substitutions.saturating_sub(1);
        Ok(Compound::Subshell(list))
    }

    /// `(…)` or `((…))`.
    ///
    /// Two parentheses begin an expression if the one that closes the inner is followed by another
    /// directly; otherwise they are subshells, and the text is read again.
    fn parenthesis(&mut self) -> Parsed<Compound> {
        if self.second() != b'(' {
            return self.subshell();
        }
        self.bash_only()?;
        let start = self.pos;
        let retry = self.speculate();
        self.expect(b'(')?;
        self.expect(b'(')?;
        if let Some(arithmetic) = self.arithmetic_in_parentheses()? {
            self.settle(&retry);
            return Ok(Compound::Arithmetic(arithmetic));
        }
        // Bash loses its place if the line ends between the two.
        if matches!(self.text.get(self.pos.saturating_add(1)), Some(b'\n' | b'\\')) {
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.retry(&retry, start)?;
        let subshell = self.subshell()?;
        self.settle_retry(&retry, start)?;
        Ok(subshell)
    }

    fn if_command(&mut self) -> Parsed<Compound> {
        let mut branches = Vec::with_capacity(1);
        loop {
            let condition = self.commands()?;
            self.expect_reserved(Reserved::Then)?;
            let body = self.commands()?;
            branches.push((condition, body));
            if !self.eat_reserved(Reserved::Elif) {
                break;
            }
        }
        let otherwise = if self.eat_reserved(Reserved::Else) { Some(self.commands()?) } else { None };
        self.expect_reserved(Reserved::Fi)?;
        Ok(Compound::If { branches, otherwise })
    }

    fn while_command(&mut self) -> Parsed<(List, List)> {
        let condition = self.commands()?;
        self.expect_reserved(Reserved::Do)?;
        let body = self.commands()?;
        self.expect_reserved(Reserved::Done)?;
        Ok((condition, body))
    }

    /// `do … done` or `{ … }`.
    fn loop_body(&mut self) -> Parsed<List> {
        if self.eat_reserved(Reserved::OpenBrace) {
            self.bash_only()?;
            let body = self.commands()?;
            self.expect_reserved(Reserved::CloseBrace)?;
            return Ok(body);
        }
        self.expect_reserved(Reserved::Do)?;
        let body = self.commands()?;
        self.expect_reserved(Reserved::Done)?;
        Ok(body)
    }

    fn for_command(&mut self) -> Parsed<Compound> {
        self.blanks();
        if self.byte() == b'(' && self.second() == b'(' {
            return self.arithmetic_for();
        }
        let (variable, words, body) = self.for_words()?;
        Ok(Compound::For { variable, words, body })
    }

    fn for_words(&mut self) -> Parsed<(Text, Option<Vec<Word>>, List)> {
        self.blanks();
        let Some(variable) = self.name() else {
            return Err(self.unexpected());
        };
        if !self.word_ends() {
            return Err(self.unknown(Reason::Unsupported));
        }
        self.blanks();
        let mut words = None;
        if self.eat(b';') {
            self.lines()?;
        } else {
            let new_line = self.byte() == b'\n';
            self.lines()?;
            if self.eat_word(b"in") {
                words = Some(self.words_of_line()?);
            } else if !new_line && self.byte() == b'{' {
                // Bash reads the brace as a word here.
                return Err(self.unexpected());
            }
        }
        let body = self.loop_body()?;
        Ok((variable, words, body))
    }

    /// The words behind `in`, and the `;` or newline that ends them.
    fn words_of_line(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            self.spend(1)?;
            match self.byte() {
                b';' => {
                    self.skip(1);
                    self.lines()?;
                    return Ok(words);
                }
                b'\n' => {
                    self.lines()?;
                    return Ok(words);
                }
                _ => self.refuse_descriptor()?,
            }
            let word = self.word()?;
            if word.parts.is_empty() {
                return Err(self.unexpected());
            }
            words.push(word);
        }
    }

    fn arithmetic_for(&mut self) -> Parsed<Compound> {
        self.bash_only()?;
        self.expect(b'(')?;
        self.expect(b'(')?;
        let init = self.arithmetic_until_semicolon()?;
        let condition = self.arithmetic_until_semicolon()?;
        let Some(update) = self.arithmetic_in_parentheses()? else {
            return Err(self.unknown(Reason::Syntax));
        };
        self.blanks();
        self.eat(b';');
        self.lines()?;
        let body = self.loop_body()?;
        Ok(Compound::ArithmeticFor { init, condition, update, body })
    }

    fn arithmetic_until_semicolon(&mut self) -> Parsed<Arithmetic> {
        let arithmetic = self.arithmetic_text(super::arithmetic::Until::Semicolon)?;
        self.expect(b';')?;
        Ok(arithmetic)
    }

    fn case_command(&mut self) -> Parsed<Compound> {
        self.blanks();
        self.refuse_descriptor()?;
        let word = self.word()?;
        if word.parts.is_empty() {
            return Err(self.unexpected());
        }
        self.lines()?;
        if !self.eat_word(b"in") {
            return Err(self.unexpected());
        }
        let mut arms = Vec::new();
        loop {
            self.lines()?;
            self.spend(1)?;
            if self.eat_reserved(Reserved::Esac) {
                return Ok(Compound::Case { word, arms });
            }
            let (arm, last) = self.case_arm()?;
            arms.push(arm);
            if last {
                self.expect_reserved(Reserved::Esac)?;
                return Ok(Compound::Case { word, arms });
            }
        }
    }

    /// A clause, and whether it lacks a terminator, so that none may follow.
    fn case_arm(&mut self) -> Parsed<(CaseArm, bool)> {
        let start = self.pos;
        if !self.eat(b'(') {
            self.unbalanced = self.unbalanced.saturating_add(1);
        }
        let mut patterns = Vec::with_capacity(1);
        loop {
            self.plain_blanks();
            if !patterns.is_empty() && self.reserved().is_some_and(|(word, _)| word == Reserved::Esac) {
                return Err(self.unknown(Reason::Ambiguous));
            }
            if self.byte() == b'#' {
                return Err(self.unexpected());
            }
            self.refuse_descriptor()?;
            let pattern = self.word()?;
            if pattern.parts.is_empty() {
                return Err(self.unexpected());
            }
            patterns.push(pattern);
            while is_blank(self.byte()) {
                self.skip(1);
            }
            if self.eat(b')') {
                break;
            }
            if self.byte() != b'|' || matches!(self.second(), b'|' | b'&') {
                return Err(self.unexpected());
            }
            self.skip(1);
            self.spend(1)?;
        }
        let body = self.list()?;
        let span = self.since(start);
        let end = match (self.byte(), self.second(), self.third()) {
            (b';', b';', b'&') => CaseEnd::Continue,
            (b';', b';', _) => CaseEnd::Break,
            (b';', b'&', _) => CaseEnd::FallThrough,
            _ => return Ok((CaseArm { span, patterns, body, end: CaseEnd::Break }, true)),
        };
        let length = match end {
            CaseEnd::Break => 2,
            CaseEnd::FallThrough => {
                self.bash_only()?;
                2
            }
            CaseEnd::Continue => {
                self.bash_only()?;
                3
            }
        };
        for _ in 0..length {
            self.byte();
            self.skip(1);
        }
        Ok((CaseArm { span, patterns, body, end }, false))
    }

    pub(super) fn function_by_keyword(&mut self, end: usize) -> Parsed<Command> {
        self.bash_only()?;
        let start = self.pos;
        self.pos = end;
        self.blanks();
        let word = self.word()?;
        let (name, name_span) = self.function_name(&word)?;
        self.blanks();
        if self.byte() == b'(' {
            // `function f (…)` without a name list is a subshell as the body.
            let before = self.pos;
            self.skip(1);
            self.plain_blanks();
            if self.byte() == b')' {
                self.pos = before;
                return self.function(start, name, name_span, true);
            }
            self.pos = before;
        }
        self.function_body(start, name, name_span, true)
    }

    /// A function definition from its `()` on.
    pub(super) fn function(
        &mut self,
        start: usize,
        name: Text,
        name_span: Span,
        keyword: bool,
    ) -> Parsed<Command> {
        self.expect(b'(')?;
        self.plain_blanks();
        self.expect(b')')?;
        self.function_body(start, name, name_span, keyword)
    }

    fn function_body(&mut self, start: usize, name: Text, name_span: Span, keyword: bool) -> Parsed<Command> {
        self.lines()?;
        let body = match self.reserved() {
            Some((word, _)) if word.opens() => self.compound(Some(word))?,
            None if self.byte() == b'(' => self.compound(None)?,
            _ => return Err(self.unexpected()),
        };
        let mut span = self.since(start);
        span.end = body.span.end;
        Ok(Command::Function(Box::new(Function { span, name, name_span, keyword, body })))
    }

    pub(super) fn coproc(&mut self, end: usize) -> Parsed<Command> {
        self.bash_only()?;
        let start = self.pos;
        self.enter()?;
        self.pos = end;
        self.blanks();
        let mut name = None;
        let command = if let Some(command) = self.coproc_compound()? {
            command
        } else {
            let before = self.pos;
            // A single word in front of a compound command is the name.
            if let Some(word) = self.coproc_name()? {
                self.blanks();
                if self.at_compound() {
                    name = Some(word);
                } else {
                    self.pos = before;
                }
            }
            match self.coproc_compound()? {
                Some(command) => command,
                None => {
                    let mut simple = SimpleCommand::default();
                    self.simple(&mut simple)?;
                    Command::Simple(simple)
                }
            }
        };
        self.leave();
        let mut span = self.since(start);
        span.end = command.span().end;
        Ok(Command::Coproc(Box::new(Coproc { span, name, command })))
    }

    fn at_compound(&mut self) -> bool {
        self.byte() == b'(' || self.reserved().is_some_and(|(word, _)| word.opens())
    }

    fn coproc_compound(&mut self) -> Parsed<Option<Command>> {
        let word = match self.reserved() {
            _ if self.byte() == b'(' => None,
            Some((word, _)) if word.opens() => Some(word),
            // Bash takes it as a word of a simple command.
            Some((Reserved::Time, _)) | None => return Ok(None),
            Some(_) => return Err(self.unexpected()),
        };
        Ok(Some(Command::Compound(Box::new(self.compound(word)?))))
    }

    /// A plain word that could be the name of a coprocess; anything else is left to the command.
    fn coproc_name(&mut self) -> Parsed<Option<Text>> {
        let start = self.pos;
        let Some(name) = self.name() else {
            return Ok(None);
        };
        if is_blank(self.byte()) || self.byte() == b'(' {
            return Ok(Some(name));
        }
        self.pos = start;
        Ok(None)
    }
}
