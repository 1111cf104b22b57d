//! Compound commands, functions and coprocesses.

use super::bytes::{is_blank, is_name};
use super::reserved::Reserved;
use super::{Copied, Parsed, Parser};
use crate::ast::{
    Arithmetic, CaseArm, CaseEnd, Command, Compound, CompoundCommand, Coproc, Function, List, PartKind,
    SimpleCommand, Span, Word,
};
use crate::{Reason, Text};

impl Parser<'_, '_> {
    /// A compound command with its redirections. `None` stands for an opening parenthesis.
    pub(super) fn compound(&mut self, word: Option<Reserved>) -> Parsed<Box<CompoundCommand>> {
        let start = self.pos;
        self.enter()?;
        let mut compound = new_compound();
        self.compound_kind(word, &mut compound.kind)?;
        compound.span = self.since(start);
        self.redirections(&mut compound.redirections)?;
        self.leave();
        if let Some(last) = compound.redirections.last() {
            compound.span.end = last.span.end;
        }
        self.after_compound = compound.redirections.is_empty();
        Ok(compound)
    }

    fn compound_kind(&mut self, word: Option<Reserved>, kind: &mut Compound) -> Parsed<()> {
        let Some(word) = word else {
            return self.parenthesis(kind);
        };
        if let Some((_, end)) = self.reserved() {
            self.pos = end;
        }
        match word {
            Reserved::OpenBrace => self.group(kind),
            Reserved::OpenCondition => self.condition(kind),
            Reserved::If => self.if_command(kind),
            Reserved::While | Reserved::Until => self.while_command(kind, word == Reserved::While),
            Reserved::For => self.for_command(kind),
            Reserved::Select => self.for_words(kind, true),
            Reserved::Case => self.case_command(kind),
            _ => Err(self.unexpected()),
        }
    }

    /// A list that must hold a command.
    fn commands(&mut self, list: &mut List) -> Parsed<()> {
        self.list(list)?;
        if list.items.is_empty() { Err(self.unexpected()) } else { Ok(()) }
    }

    fn group(&mut self, kind: &mut Compound) -> Parsed<()> {
        let mut list = List::default();
        self.commands(&mut list)?;
        self.expect_reserved(Reserved::CloseBrace)?;
        *kind = Compound::Group(list);
        Ok(())
    }

    fn subshell(&mut self, kind: &mut Compound) -> Parsed<()> {
        self.expect(b'(')?;
        self.substitutions = self.substitutions.saturating_add(1);
        let mut list = List::default();
        self.commands(&mut list)?;
        self.expect(b')')?;
        self.substitutions = self.substitutions.saturating_sub(1);
        *kind = Compound::Subshell(list);
        Ok(())
    }

    /// `(…)` or `((…))`.
    ///
    /// Two parentheses begin an expression if the one that closes the inner is followed by another
    /// directly; otherwise they are subshells, and the text is read again.
    fn parenthesis(&mut self, kind: &mut Compound) -> Parsed<()> {
        if self.second() != b'(' {
            return self.subshell(kind);
        }
        self.bash_only()?;
        let start = self.pos;
        let retry = self.speculate();
        if self.arithmetic_command(kind)? {
            self.settle(&retry);
            return Ok(());
        }
        // Bash loses its place if the line ends between the two.
        if matches!(self.text.get(self.pos.saturating_add(1)), Some(b'\n' | b'\\')) {
            return Err(self.unknown(Reason::Ambiguous));
        }
        self.retry(&retry, start)?;
        self.subshell(kind)?;
        self.settle_retry(&retry, start)
    }

    fn arithmetic_command(&mut self, kind: &mut Compound) -> Parsed<bool> {
        self.two();
        let arithmetic = self.arithmetic_in_parentheses()?;
        let found = arithmetic.is_some();
        if let Some(arithmetic) = arithmetic {
            *kind = Compound::Arithmetic(arithmetic);
        }
        Ok(found)
    }

    fn if_command(&mut self, kind: &mut Compound) -> Parsed<()> {
        let mut branches = Vec::with_capacity(1);
        loop {
            self.branch(&mut branches)?;
            if !self.eat_reserved(Reserved::Elif) {
                break;
            }
        }
        let mut otherwise = None;
        if self.eat_reserved(Reserved::Else) {
            self.commands(otherwise.insert(List::default()))?;
        }
        self.expect_reserved(Reserved::Fi)?;
        *kind = Compound::If { branches, otherwise };
        Ok(())
    }

    fn branch(&mut self, branches: &mut Vec<(List, List)>) -> Parsed<()> {
        branches.push((List::default(), List::default()));
        let Some((condition, body)) = branches.last_mut() else {
            return Err(self.unexpected());
        };
        self.commands(condition)?;
        self.expect_reserved(Reserved::Then)?;
        self.commands(body)
    }

    fn while_command(&mut self, kind: &mut Compound, is_while: bool) -> Parsed<()> {
        let mut condition = List::default();
        let mut body = List::default();
        self.commands(&mut condition)?;
        self.loop_body(&mut body, false)?;
        *kind =
            if is_while { Compound::While { condition, body } } else { Compound::Until { condition, body } };
        Ok(())
    }

    /// `do … done`, or `{ … }` if that may stand here.
    fn loop_body(&mut self, body: &mut List, braces: bool) -> Parsed<()> {
        if braces && self.eat_reserved(Reserved::OpenBrace) {
            self.bash_only()?;
            self.commands(body)?;
            return self.expect_reserved(Reserved::CloseBrace);
        }
        self.expect_reserved(Reserved::Do)?;
        self.commands(body)?;
        self.expect_reserved(Reserved::Done)
    }

    fn for_command(&mut self, kind: &mut Compound) -> Parsed<()> {
        self.blanks();
        if self.byte() == b'(' && self.second() == b'(' {
            return self.arithmetic_for(kind);
        }
        self.for_words(kind, false)
    }

    fn for_words(&mut self, kind: &mut Compound, select: bool) -> Parsed<()> {
        let (variable, words) = self.for_head(select)?;
        let mut body = List::default();
        self.loop_body(&mut body, true)?;
        *kind = if select {
            Compound::Select { variable, words, body }
        } else {
            Compound::For { variable, words, body }
        };
        Ok(())
    }

    /// The variable and the words of a loop, up to its body.
    fn for_head(&mut self, select: bool) -> Parsed<(Text, Option<Vec<Word>>)> {
        if select {
            self.bash_only()?;
        }
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
            if new_line && self.nesting > 1 {
                // Inside `case` it is not reserved in a line of its own.
                let start = self.pos;
                if self.eat_word(b"in") {
                    return Err(self.unknown_at(start, Reason::Ambiguous));
                }
            }
            if self.eat_word(b"in") {
                words = Some(self.words_of_line()?);
            } else if !new_line && self.byte() == b'{' {
                // Bash reads the brace as a word here.
                return Err(self.unexpected());
            }
        }
        Ok((variable, words))
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
            self.push_word(&mut words)?;
        }
    }

    fn arithmetic_for(&mut self, kind: &mut Compound) -> Parsed<()> {
        self.bash_only()?;
        self.two();
        let init = self.arithmetic_until_semicolon()?;
        let condition = self.arithmetic_until_semicolon()?;
        let update = self.arithmetic_of_update()?;
        self.blanks();
        self.eat(b';');
        self.lines()?;
        let mut body = List::default();
        self.loop_body(&mut body, true)?;
        *kind = Compound::ArithmeticFor { init, condition, update, body };
        Ok(())
    }

    fn arithmetic_until_semicolon(&mut self) -> Parsed<Box<Arithmetic>> {
        let arithmetic = self.arithmetic_text(super::arithmetic::Until::Semicolon)?;
        self.expect(b';')?;
        Ok(Box::new(arithmetic))
    }

    fn arithmetic_of_update(&mut self) -> Parsed<Box<Arithmetic>> {
        match self.arithmetic_in_parentheses()? {
            Some(update) => Ok(Box::new(update)),
            None => Err(self.unknown(Reason::Syntax)),
        }
    }

    fn case_command(&mut self, kind: &mut Compound) -> Parsed<()> {
        let word = self.case_head()?;
        let mut arms = Vec::new();
        loop {
            self.lines()?;
            self.spend(1)?;
            if self.eat_reserved(Reserved::Esac) {
                break;
            }
            if self.case_arm(&mut arms)? {
                self.expect_reserved(Reserved::Esac)?;
                break;
            }
        }
        *kind = Compound::Case { word, arms };
        Ok(())
    }

    /// The subject of `case`, up to `in`.
    fn case_head(&mut self) -> Parsed<Word> {
        self.blanks();
        self.refuse_descriptor()?;
        let word = self.word()?;
        if word.parts.is_empty() {
            return Err(self.unexpected());
        }
        self.lines()?;
        if self.eat_word(b"in") { Ok(word) } else { Err(self.unexpected()) }
    }

    /// A clause. Tells whether it lacks a terminator, so that none may follow.
    fn case_arm(&mut self, arms: &mut Vec<CaseArm>) -> Parsed<bool> {
        let start = self.pos;
        let Some(arm) = push_arm(arms) else {
            return Err(self.unexpected());
        };
        self.case_patterns(&mut arm.patterns)?;
        self.list(&mut arm.body)?;
        arm.span = self.since(start);
        let end = self.case_end()?;
        arm.end = end.unwrap_or(CaseEnd::Break);
        Ok(end.is_none())
    }

    fn case_patterns(&mut self, patterns: &mut Vec<Word>) -> Parsed<()> {
        // Bash 5.2 drops the parenthesis when it copies a substitution.
        self.eat(b'(');
        self.note_unbalanced();
        loop {
            self.plain_blanks();
            match self.reserved() {
                Some((Reserved::Esac, _)) if !patterns.is_empty() => {
                    return Err(self.unknown(Reason::Ambiguous));
                }
                // Inside a group, bash takes it for the end of that.
                Some((Reserved::CloseBrace, _)) => return Err(self.unknown(Reason::Ambiguous)),
                _ => {}
            }
            if self.byte() == b'#' {
                return Err(self.unexpected());
            }
            self.refuse_descriptor()?;
            self.push_word(patterns)?;
            self.plain_blanks();
            if self.eat(b')') {
                return Ok(());
            }
            if self.byte() != b'|' || matches!(self.second(), b'|' | b'&') {
                return Err(self.unexpected());
            }
            self.skip(1);
            self.spend(1)?;
        }
    }

    fn case_end(&mut self) -> Parsed<Option<CaseEnd>> {
        let (end, length) = match (self.byte(), self.second(), self.third()) {
            (b';', b';', b'&') => (CaseEnd::Continue, 3),
            (b';', b';', _) => (CaseEnd::Break, 2),
            (b';', b'&', _) => (CaseEnd::FallThrough, 2),
            _ => return Ok(None),
        };
        if end != CaseEnd::Break {
            self.bash_only()?;
        }
        for _ in 0..length {
            self.byte();
            self.skip(1);
        }
        Ok(Some(end))
    }

    pub(super) fn function_by_keyword(&mut self, place: &mut Command, end: usize) -> Parsed<()> {
        let start = self.pos;
        let (name, span) = self.keyword_head(end)?;
        if self.byte() == b'(' && self.closes_at_once() {
            return self.function(place, start, name, span, true);
        }
        // `function f (…)` without a name list is a subshell as the body.
        self.function_body(place, start, name, span, true)
    }

    fn keyword_head(&mut self, end: usize) -> Parsed<(Text, Span)> {
        self.bash_only()?;
        self.pos = end;
        self.blanks();
        let word = self.word()?;
        let name = self.function_name(&word)?;
        self.blanks();
        Ok(name)
    }

    /// Whether the parenthesis at the position is followed by its closing one.
    fn closes_at_once(&mut self) -> bool {
        let start = self.pos;
        self.skip(1);
        self.plain_blanks();
        let closes = self.byte() == b')';
        self.pos = start;
        closes
    }

    /// A function definition from its `()` on.
    pub(super) fn function(
        &mut self,
        place: &mut Command,
        start: usize,
        name: Text,
        name_span: Span,
        keyword: bool,
    ) -> Parsed<()> {
        self.expect(b'(')?;
        self.plain_blanks();
        self.expect(b')')?;
        self.function_body(place, start, name, name_span, keyword)
    }

    fn function_body(
        &mut self,
        place: &mut Command,
        start: usize,
        name: Text,
        name_span: Span,
        keyword: bool,
    ) -> Parsed<()> {
        self.lines()?;
        let word = match self.reserved() {
            Some((word, _)) if word.opens() => Some(word),
            None if self.byte() == b'(' => None,
            _ => return Err(self.unexpected()),
        };
        let body = self.compound(word)?;
        let mut span = self.since(start);
        span.end = body.span.end;
        *place = new_function(span, name, name_span, keyword, *body);
        Ok(())
    }

    pub(super) fn coproc(&mut self, place: &mut Command, end: usize) -> Parsed<()> {
        self.bash_only()?;
        let start = self.pos;
        self.enter()?;
        self.pos = end;
        self.blanks();
        let mut name = None;
        if !self.coproc_compound(place)? {
            name = self.coproc_name();
            if !self.coproc_compound(place)? {
                let Command::Simple(simple) = place else {
                    return Err(self.unexpected());
                };
                self.simple(simple)?;
                if self.copy != Copied::No {
                    // Bash 5.2 copies a substitution with a name for the coprocess, which then is a command.
                    return Err(self.unknown_at(start, Reason::Ambiguous));
                }
                if simple.assignments.is_empty() && simple.words.get(1).is_some_and(is_read_as_command) {
                    return Err(self.unknown_at(start, Reason::Ambiguous));
                }
            }
        }
        self.leave();
        let mut span = self.since(start);
        span.end = place.span().end;
        wrap_in_coproc(place, span, name);
        Ok(())
    }

    fn at_compound(&mut self) -> bool {
        self.byte() == b'(' || self.reserved().is_some_and(|(word, _)| word.opens())
    }

    /// A compound command behind `coproc`, if one stands here.
    fn coproc_compound(&mut self, place: &mut Command) -> Parsed<bool> {
        let word = match self.reserved() {
            _ if self.byte() == b'(' => None,
            Some((word, _)) if word.opens() => Some(word),
            // Bash takes it as a word of a simple command.
            Some((Reserved::Time, _)) | None => return Ok(false),
            Some(_) => return Err(self.unexpected()),
        };
        self.compound_command(place, word)?;
        Ok(true)
    }

    /// A name in front of a compound command; any other word is left to a simple command.
    fn coproc_name(&mut self) -> Option<Text> {
        let start = self.pos;
        if let Some(name) = self.name() {
            let ends = is_blank(self.byte()) || self.byte() == b'(';
            self.blanks();
            if ends && self.at_compound() {
                return Some(name);
            }
        }
        self.pos = start;
        None
    }
}

/// Whether bash takes the second word behind `coproc` for something else than an argument: to it, a
/// command may begin there.
fn is_read_as_command(word: &Word) -> bool {
    match word.parts.first().map(|part| &part.kind) {
        Some(PartKind::Literal(literal)) => {
            let text = literal.text.as_bytes();
            let name = text.iter().position(|&byte| !is_name(byte));
            Reserved::of(text).is_some_and(|word| word != Reserved::Time)
                || name.is_some_and(|at| text.get(at) == Some(&b'['))
        }
        _ => false,
    }
}

// Out of line, so that the large values do not widen the frames of the productions above.

#[inline(never)]
fn new_compound() -> Box<CompoundCommand> {
    let kind = Compound::Group(List::default());
    Box::new(CompoundCommand { span: Span::default(), kind, redirections: Vec::new() })
}

#[inline(never)]
fn push_arm(arms: &mut Vec<CaseArm>) -> Option<&mut CaseArm> {
    let (patterns, body) = (Vec::with_capacity(1), List::default());
    arms.push(CaseArm { span: Span::default(), patterns, body, end: CaseEnd::Break });
    arms.last_mut()
}

#[inline(never)]
fn new_function(span: Span, name: Text, name_span: Span, keyword: bool, body: CompoundCommand) -> Command {
    Command::Function(Box::new(Function { span, name, name_span, keyword, body }))
}

#[inline(never)]
fn wrap_in_coproc(place: &mut Command, span: Span, name: Option<Text>) {
    let command = std::mem::replace(place, Command::Simple(SimpleCommand::default()));
    *place = Command::Coproc(Box::new(Coproc { span, name, command }));
}
