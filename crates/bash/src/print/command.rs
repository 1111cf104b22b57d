//! Pipelines, simple commands, redirections.

use super::{Printer, Separator};
use crate::ast::{
    Assignment, Command, Connector, Descriptor, Element, Item, Part, PartKind, Pipe, Pipeline, Prefix,
    Redirection, RedirectionOp, SimpleCommand, Stage, Target, Value, Word,
};

/// A piece of a simple command.
enum Piece<'s> {
    Assignment(&'s Assignment),
    Word(&'s Word),
    Redirection(&'s Redirection),
}

impl<'s> Printer<'s> {
    pub(super) fn item(&mut self, item: &'s Item) {
        self.pipeline(&item.first);
        for (connector, pipeline) in &item.rest {
            self.text(match connector {
                Connector::And => " && ",
                Connector::Or => " || ",
            });
            self.pipeline(pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &'s Pipeline) {
        for (at, prefix) in pipeline.prefixes.iter().enumerate() {
            if at > 0 {
                self.text(" ");
            }
            self.text(match prefix {
                Prefix::Not => "!",
                Prefix::Time => "time",
                Prefix::TimePosix => "time -p",
            });
        }
        if !pipeline.prefixes.is_empty() && !pipeline.stages.is_empty() {
            self.text(if reads_as_option(pipeline) { " -- " } else { " " });
        }
        for Stage { command, pipe } in &pipeline.stages {
            self.command(command);
            match pipe {
                None => {}
                Some(Pipe::Stdout) => self.text(" | "),
                Some(Pipe::StdoutAndStderr) => self.text(" |& "),
            }
        }
    }

    fn command(&mut self, command: &'s Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => {
                if function.keyword {
                    self.text("function ");
                }
                self.text(&function.name);
                self.text("() ");
                self.compound(&function.body);
            }
            Command::Coproc(coproc) => {
                self.text("coproc ");
                if let Some(name) = &coproc.name {
                    self.text(name);
                    self.text(" ");
                }
                self.command(&coproc.command);
            }
        }
    }

    fn simple(&mut self, simple: &'s SimpleCommand) {
        // In the order of writing: it says whether a word is reserved, and which file is opened first.
        let mut pieces: Vec<(u32, Piece<'s>)> = Vec::new();
        pieces.extend(simple.assignments.iter().map(|a| (a.span.start, Piece::Assignment(a))));
        pieces.extend(simple.words.iter().map(|w| (w.span.start, Piece::Word(w))));
        pieces.extend(simple.redirections.iter().map(|r| (r.span.start, Piece::Redirection(r))));
        pieces.sort_by_key(|(start, _)| *start);
        for (at, (_, piece)) in pieces.iter().enumerate() {
            if at > 0 {
                self.text(" ");
            }
            match piece {
                Piece::Assignment(assignment) => self.assignment(assignment),
                Piece::Word(word) => self.word(word),
                Piece::Redirection(redirection) => self.redirection(redirection),
            }
        }
    }

    pub(super) fn assignment(&mut self, assignment: &'s Assignment) {
        self.text(&assignment.name);
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
        self.text(if assignment.append { "+=" } else { "=" });
        match &assignment.value {
            Value::Scalar(word) => self.word(word),
            Value::Array(elements) => self.array(elements),
        }
    }

    fn array(&mut self, elements: &'s [Element]) {
        self.text("(");
        for (at, element) in elements.iter().enumerate() {
            if at > 0 {
                self.text(" ");
            }
            if let Some(subscript) = &element.subscript {
                self.subscript(subscript);
                self.text(if element.append { "+=" } else { "=" });
            }
            self.word(&element.value);
        }
        self.text(")");
    }

    pub(super) fn redirection(&mut self, redirection: &'s Redirection) {
        match &redirection.fd {
            None => {}
            Some(Descriptor::Number(number)) => self.text(number.to_string()),
            Some(Descriptor::Variable(name)) => {
                self.text("{");
                self.text(name);
                self.text("}");
            }
        }
        self.text(match redirection.op {
            RedirectionOp::Read => "<",
            RedirectionOp::Write => ">",
            RedirectionOp::Append => ">>",
            RedirectionOp::Clobber => ">|",
            RedirectionOp::ReadWrite => "<>",
            RedirectionOp::DuplicateInput => "<&",
            RedirectionOp::DuplicateOutput => ">&",
            RedirectionOp::WriteBoth => "&>",
            RedirectionOp::AppendBoth => "&>>",
            RedirectionOp::HereString => "<<<",
            RedirectionOp::HereDoc => "<<",
            RedirectionOp::HereDocStripTabs => "<<-",
        });
        match &redirection.target {
            Target::Word(word) => {
                // `<` in front of `<(…)` would be another operator.
                if matches!(word.parts.first(), Some(Part { kind: PartKind::Process(_), .. })) {
                    self.text(" ");
                }
                self.word(word);
            }
            Target::HereDoc(id) => {
                let Some(doc) = self.script.here_doc(*id) else { return };
                if doc.quoted {
                    self.quoted_delimiter(&doc.delimiter);
                } else {
                    if doc.delimiter.first() == Some(&b'-') {
                        // `<<-` is another operator.
                        self.text(" ");
                    }
                    self.text(&doc.delimiter);
                }
                self.pending.push(*id);
                if self.separator == Separator::SemicolonBeforeHereDoc {
                    self.separator = Separator::Newline;
                }
            }
        }
    }

    fn quoted_delimiter(&mut self, delimiter: &[u8]) {
        self.text("'");
        for byte in delimiter {
            if *byte == b'\'' {
                self.text(r"'\''");
            } else {
                self.text([*byte]);
            }
        }
        self.text("'");
    }
}

/// Whether the command behind `time` begins like an option of it.
fn reads_as_option(pipeline: &Pipeline) -> bool {
    let Some(Stage { command: Command::Simple(simple), .. }) = pipeline.stages.first() else { return false };
    let Some(word) = simple.words.first() else { return false };
    pipeline.prefixes.last() != Some(&Prefix::Not)
        && word.span.start == simple.span.start
        && word.as_literal().is_some_and(|literal| matches!(literal.text.as_bytes(), b"-p" | b"--"))
}
