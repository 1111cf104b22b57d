//! Lists and pipelines.

use super::reserved::Reserved;
use super::{Copied, Parsed, Parser};
use crate::Reason;
use crate::ast::{
    Command, Connector, Item, List, Pipe, Pipeline, Prefix, SimpleCommand, Span, Stage, Terminator,
};

/// How the `;` family goes on.
fn is_case_end(second: u8) -> bool {
    matches!(second, b';' | b'&')
}

impl Parser<'_, '_> {
    /// A whole text: a script, or what stands between backticks.
    pub(super) fn script(&mut self, list: &mut List) -> Parsed<()> {
        self.list(list)?;
        if !self.at_end() {
            return Err(self.unexpected());
        }
        self.here_docs_at_end()
    }

    /// Commands up to something that cannot continue them, which the caller has to judge.
    ///
    /// Iterative over everything but nesting: a list of pipelines costs no stack.
    pub(super) fn list(&mut self, list: &mut List) -> Parsed<()> {
        list.span = self.since(self.pos);
        let mut semicolon = false;
        loop {
            self.lines()?;
            self.spend(1)?;
            if self.list_ends()? {
                break;
            }
            if semicolon && self.copy == Copied::LosesSemicolon {
                return Err(self.unknown(Reason::Ambiguous));
            }
            self.item(&mut list.items)?;
            if !self.item_end(&mut list.items)? {
                break;
            }
            semicolon = self.raw_before() == b';';
        }
        if self.copy != Copied::No && !self.pending.is_empty() {
            // The copy has the body somewhere in what follows: `$(if a <<E; then b & fi)` is an example.
            return Err(self.unknown(Reason::Ambiguous));
        }
        span_items(list);
        Ok(())
    }

    /// What stands behind an item: whether another may follow.
    fn item_end(&mut self, items: &mut [Item]) -> Parsed<bool> {
        self.blanks();
        match self.byte() {
            b';' if !is_case_end(self.second()) => {
                self.skip(1);
                Ok(true)
            }
            b'&' => {
                // `&&` was taken by the item, `&>` by the command.
                self.skip(1);
                if let Some(item) = items.last_mut() {
                    item.end = Terminator::Background;
                }
                Ok(true)
            }
            b'\n' => Ok(true),
            // A reserved word may follow `)`, `}`, `fi` … directly.
            b'a'..=b'z' | b'}' if self.after_compound => Ok(false),
            b'}' if self.brace_ends_at > 0 && self.brace_ends_at == self.nesting => Ok(false),
            0 | b')' | b';' => Ok(false),
            _ => Err(self.unexpected()),
        }
    }

    /// Whether what stands here ends a list.
    fn list_ends(&mut self) -> Parsed<bool> {
        match self.byte() {
            0 => Ok(true),
            b')' => Ok(true),
            b';' => {
                if is_case_end(self.second()) {
                    Ok(true)
                } else {
                    Err(self.unexpected())
                }
            }
            b'&' if self.second() == b'>' => Ok(false),
            b'&' | b'|' => Err(self.unexpected()),
            b'}' if self.brace_ends_at > 0 && self.brace_ends_at == self.nesting => Ok(true),
            _ => Ok(self.reserved().is_some_and(|(word, _)| word.closes())),
        }
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let start = self.pos;
        let Some(item) = push_item(items) else {
            return Err(self.unexpected());
        };
        self.pipeline(&mut item.first)?;
        while let Some(connector) = self.connector()? {
            if let Some(pipeline) = push_pipeline(item, connector) {
                self.pipeline(pipeline)?;
            }
        }
        self.span_item(item, start);
        Ok(())
    }

    fn span_item(&self, item: &mut Item, start: usize) {
        item.span = self.since(start);
        item.span.end = item.rest.last().map_or(item.first.span.end, |(_, pipeline)| pipeline.span.end);
    }

    /// `&&` or `||`, and what may stand before the pipeline behind it.
    fn connector(&mut self) -> Parsed<Option<Connector>> {
        self.blanks();
        let connector = match self.byte() {
            b'&' if self.second() == b'&' => Connector::And,
            b'|' if self.second() == b'|' => Connector::Or,
            _ => return Ok(None),
        };
        self.two();
        self.lines()?;
        self.spend(1)?;
        Ok(Some(connector))
    }

    fn pipeline(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        let start = self.pos;
        if self.prefixes(&mut pipeline.prefixes)? {
            pipeline.span = self.since(start);
            return Ok(());
        }
        pipeline.stages.reserve_exact(1);
        loop {
            let Some(stage) = push_stage(pipeline) else {
                return Err(self.unexpected());
            };
            self.command(&mut stage.command)?;
            let end = stage.command.span().end;
            stage.pipe = self.pipe()?;
            if stage.pipe.is_none() {
                pipeline.span = self.since(start);
                pipeline.span.end = end;
                return Ok(());
            }
        }
    }

    /// `|` or `|&`, and what may stand before the command behind it.
    fn pipe(&mut self) -> Parsed<Option<Pipe>> {
        self.blanks();
        if self.byte() != b'|' {
            return Ok(None);
        }
        let pipe = match self.second() {
            b'|' => return Ok(None),
            b'&' => {
                self.bash_only()?;
                self.two();
                Pipe::StdoutAndStderr
            }
            _ => {
                self.skip(1);
                Pipe::Stdout
            }
        };
        self.blanks();
        let new_line = self.byte() == b'\n';
        self.lines()?;
        self.spend(1)?;
        if new_line && matches!(self.reserved(), Some((Reserved::Time, _))) {
            // Reserved in a new line, where no pipeline may begin.
            return Err(self.unexpected());
        }
        Ok(Some(pipe))
    }

    /// `!` and `time` in front of a pipeline; whether they stand alone.
    fn prefixes(&mut self, prefixes: &mut Vec<Prefix>) -> Parsed<bool> {
        while let Some((word, end)) = self.reserved() {
            match word {
                Reserved::Not => {
                    self.pos = end;
                    self.note_bang_parenthesis();
                    prefixes.push(Prefix::Not);
                }
                Reserved::Time => {
                    self.bash_only()?;
                    self.pos = end;
                    self.plain_blanks();
                    let posix = self.eat_word(b"-p");
                    self.plain_blanks();
                    self.eat_word(b"--");
                    prefixes.push(if posix { Prefix::TimePosix } else { Prefix::Time });
                }
                _ => break,
            }
            self.spend(1)?;
            self.blanks();
        }
        if prefixes.is_empty() {
            return Ok(false);
        }
        let alone = match self.byte() {
            0 => self.substitutions == 0 && self.nesting == 0,
            b'\n' => true,
            b';' => !is_case_end(self.second()),
            _ => false,
        };
        if alone {
            self.bash_only()?;
            self.after_compound = false;
        }
        Ok(alone)
    }
}

// Out of line, so that the large values do not widen the frames of the productions above.

#[inline(never)]
fn push_item(items: &mut Vec<Item>) -> Option<&mut Item> {
    items.push(Item {
        span: Span::default(),
        first: Pipeline::default(),
        rest: Vec::new(),
        end: Terminator::Sequential,
    });
    items.last_mut()
}

#[inline(never)]
fn push_pipeline(item: &mut Item, connector: Connector) -> Option<&mut Pipeline> {
    item.rest.push((connector, Pipeline::default()));
    item.rest.last_mut().map(|(_, pipeline)| pipeline)
}

#[inline(never)]
fn push_stage(pipeline: &mut Pipeline) -> Option<&mut Stage> {
    let command = Command::Simple(SimpleCommand::default());
    pipeline.stages.push(Stage { command, pipe: None });
    pipeline.stages.last_mut()
}

fn span_items(list: &mut List) {
    if let (Some(first), Some(last)) = (list.items.first(), list.items.last()) {
        list.span = Span { start: first.span.start, end: last.span.end };
    }
}
