//! Redirections.

use super::bytes::is_name;
use super::{Parsed, Parser};
use crate::Reason;
use crate::ast::{Descriptor, ParameterOp, Part, PartKind, Redirection, RedirectionOp, Target, Word};

impl Parser<'_, '_> {
    /// All redirections that stand here, as behind a compound command.
    pub(super) fn redirections(&mut self, redirections: &mut Vec<Redirection>) -> Parsed<()> {
        loop {
            self.blanks();
            if !self.redirection(redirections)? {
                return Ok(());
            }
        }
    }

    /// A redirection if one stands here; otherwise nothing is passed.
    pub(super) fn redirection(&mut self, redirections: &mut Vec<Redirection>) -> Parsed<bool> {
        let start = self.pos;
        let Some((fd, op)) = self.redirection_head()? else {
            self.pos = start;
            return Ok(false);
        };
        self.blanks();
        self.refuse_descriptor()?;
        let target_start = self.pos;
        let target = self.word()?;
        if target.parts.is_empty() {
            return Err(self.unexpected());
        }
        if matches!(op, RedirectionOp::DuplicateInput | RedirectionOp::DuplicateOutput)
            && goes_on_after_dash(&target)
        {
            return Err(self.unknown_at(target_start, Reason::Ambiguous));
        }
        let target = self.target(target, op, fd.as_ref(), target_start)?;
        redirections.push(Redirection { span: self.since(start), fd, op, target });
        Ok(true)
    }

    fn redirection_head(&mut self) -> Parsed<Option<(Option<Descriptor>, RedirectionOp)>> {
        let fd = match self.byte() {
            b'0'..=b'9' => Some(Descriptor::Number(self.number()?)),
            b'{' => match self.descriptor_variable() {
                Some(descriptor) => Some(descriptor),
                None => return Ok(None),
            },
            _ => None,
        };
        let Some(op) = self.redirection_op(fd.is_some()) else {
            return Ok(None);
        };
        if matches!(fd, Some(Descriptor::Variable(_)))
            || matches!(op, RedirectionOp::WriteBoth | RedirectionOp::AppendBoth | RedirectionOp::HereString)
        {
            self.bash_only()?;
        }
        Ok(Some((fd, op)))
    }

    fn target(
        &mut self,
        word: Word,
        op: RedirectionOp,
        fd: Option<&Descriptor>,
        start: usize,
    ) -> Parsed<Target> {
        Ok(match op {
            RedirectionOp::HereDoc | RedirectionOp::HereDocStripTabs => {
                let strip = op == RedirectionOp::HereDocStripTabs;
                Target::HereDoc(self.promise_here_doc(start, &word, strip)?)
            }
            RedirectionOp::DuplicateOutput if !is_descriptor(&word) => {
                if fd.is_none() {
                    self.bash_only()?;
                }
                if quotes_an_expansion(&word.parts) {
                    // Bash expands a target that is no descriptor twice.
                    return Err(self.unknown_at(start, Reason::Ambiguous));
                }
                Target::Word(word)
            }
            _ => Target::Word(word),
        })
    }

    /// Refuses a descriptor in front of an operator where a word must stand.
    pub(super) fn refuse_descriptor(&mut self) -> Parsed<()> {
        let start = self.pos;
        while self.byte().is_ascii_digit() {
            self.skip(1);
        }
        let mut found = self.pos > start && matches!(self.byte(), b'<' | b'>') && self.second() != b'(';
        self.pos = start;
        if self.byte() == b'{' {
            found = self.descriptor_variable().is_some();
        }
        self.pos = start;
        if found { Err(self.unknown(Reason::Syntax)) } else { Ok(()) }
    }

    /// The digits at the position. A number that bash may not take as a descriptor is refused later,
    /// and only if an operator follows.
    fn number(&mut self) -> Parsed<u32> {
        let mut number = 0_u32;
        while let digit @ b'0'..=b'9' = self.byte() {
            number = number.saturating_mul(10).saturating_add(u32::from(digit & 15));
            self.skip(1);
        }
        if number > 1 << 20 && matches!(self.byte(), b'<' | b'>') && self.second() != b'(' {
            return Err(self.unknown(Reason::Ambiguous));
        }
        Ok(number)
    }

    fn descriptor_variable(&mut self) -> Option<Descriptor> {
        self.skip(1);
        let name = self.name()?;
        if !self.eat(b'}') || !matches!(self.byte(), b'<' | b'>') {
            return None;
        }
        Some(Descriptor::Variable(name))
    }

    fn redirection_op(&mut self, has_fd: bool) -> Option<RedirectionOp> {
        use RedirectionOp as Op;
        let (op, length) = match (self.byte(), self.second()) {
            (b'<' | b'>', b'(') => return None,
            (b'<', b'<') => match self.third() {
                b'<' => (Op::HereString, 3),
                b'-' => (Op::HereDocStripTabs, 3),
                _ => (Op::HereDoc, 2),
            },
            (b'<', b'&') => (Op::DuplicateInput, 2),
            (b'<', b'>') => (Op::ReadWrite, 2),
            (b'<', _) => (Op::Read, 1),
            (b'>', b'>') => (Op::Append, 2),
            (b'>', b'&') => (Op::DuplicateOutput, 2),
            (b'>', b'|') => (Op::Clobber, 2),
            (b'>', _) => (Op::Write, 1),
            (b'&', b'>') if !has_fd => match self.third() {
                b'>' => (Op::AppendBoth, 3),
                _ => (Op::WriteBoth, 2),
            },
            _ => return None,
        };
        for _ in 0..length {
            self.byte();
            self.skip(1);
        }
        Some(op)
    }
}

/// Whether a target of `>&` can only be a descriptor: digits, `-`, or digits and `-`.
fn is_descriptor(target: &Word) -> bool {
    match target.parts.as_slice() {
        [part] => match &part.kind {
            PartKind::Literal(literal) => {
                literal.text.iter().all(|&byte| byte == b'-' || is_name(byte) && byte.is_ascii_digit())
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a target of `>&` begins with `-` and goes on: bash ends the redirection at the dash.
fn goes_on_after_dash(target: &Word) -> bool {
    match target.parts.first().map(|part| &part.kind) {
        Some(PartKind::Literal(literal)) => {
            literal.text.first() == Some(&b'-') && (literal.text.len() > 1 || target.parts.len() > 1)
        }
        _ => false,
    }
}

/// Whether quotes hold what would be an expansion without them.
fn quotes_an_expansion(parts: &[Part]) -> bool {
    let expands = |byte: &u8| matches!(byte, b'$' | b'`' | b'<' | b'>' | b'\\');
    parts.iter().any(|part| match &part.kind {
        PartKind::Escaped(byte) => expands(byte),
        PartKind::SingleQuoted(text) | PartKind::AnsiC(text) => text.iter().any(expands),
        PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => {
            quotes_an_expansion(inner)
                || inner.iter().any(|part| match &part.kind {
                    PartKind::Literal(literal) => literal.text.iter().any(expands),
                    _ => false,
                })
        }
        PartKind::Parameter(parameter) => parameter.op != ParameterOp::Plain,
        _ => false,
    })
}
