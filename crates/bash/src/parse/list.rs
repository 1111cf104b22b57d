//! Lists and pipelines.

use super::reserved::Reserved;
use super::{Parsed, Parser};
use crate::ast::{Connector, Item, List, Pipe, Pipeline, Prefix, Span, Stage, Terminator};

/// How the `;` family goes on.
fn is_case_end(second: u8) -> bool {
    matches!(second, b';' | b'&')
}

impl Parser<'_, '_> {
    /// A whole text: a script, or what stands between backticks.
    pub(super) fn script(&mut self) -> Parsed<List> {
        let list = self.list()?;
        if !self.at_end() {
            return Err(self.unexpected());
        }
        self.here_docs_at_end()?;
        Ok(list)
    }

    /// Commands up to something that cannot continue them, which the caller has to judge.
    ///
    /// Iterative over everything but nesting: a list of pipelines costs no stack.
    pub(super) fn list(&mut self) -> Parsed<List> {
        let mut items = Vec::new();
        let start = self.pos;
        loop {
            self.lines()?;
            self.spend(1)?;
            if self.list_ends()? {
                break;
            }
            let mut item = self.item()?;
            self.blanks();
            let again = match self.byte() {
                b';' if !is_case_end(self.second()) => {
                    self.skip(1);
                    true
                }
                b'&' => {
                    // `&&` was taken by the item, `&>` by the command.
                    self.skip(1);
                    item.end = Terminator::Background;
                    true
                }
                b'\n' => true,
                // A reserved word may follow `)`, `}`, `fi` … directly.
                b'a'..=b'z' | b'}' if self.after_compound => false,
                0 | b')' | b';' => false,
                b'}' if self.brace_ends_at > 0 && self.brace_ends_at == self.nesting => false,
                _ => return Err(self.unexpected()),
            };
            items.push(item);
            if !again {
                break;
            }
        }
        let span = match (items.first(), items.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
            _ => self.span(start, start),
        };
        Ok(List { span, items })
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

    fn item(&mut self) -> Parsed<Item> {
        let start = self.pos;
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let connector = match (self.byte(), self.second()) {
                (b'&', b'&') => Connector::And,
                (b'|', b'|') => Connector::Or,
                _ => break,
            };
            self.skip(1);
            self.byte();
            self.skip(1);
            self.lines()?;
            self.spend(1)?;
            let pipeline = self.pipeline()?;
            rest.push((connector, pipeline));
        }
        let end = rest.last().map_or(first.span.end, |(_, pipeline): &(_, Pipeline)| pipeline.span.end);
        let mut span = self.since(start);
        span.end = end;
        Ok(Item { span, first, rest, end: Terminator::Sequential })
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let start = self.pos;
        let mut prefixes = Vec::new();
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
        let mut stages = Vec::with_capacity(1);
        let alone = match self.byte() {
            _ if prefixes.is_empty() => false,
            0 => self.substitutions == 0 && self.nesting == 0,
            b'\n' => true,
            b';' => !is_case_end(self.second()),
            _ => false,
        };
        if alone {
            self.bash_only()?;
            self.after_compound = false;
            return Ok(Pipeline { span: self.since(start), prefixes, stages });
        }
        let mut end;
        loop {
            let command = self.command()?;
            end = command.span().end;
            self.blanks();
            let pipe = match (self.byte(), if self.raw() == b'|' { self.second() } else { 0 }) {
                (b'|', b'|') => None,
                (b'|', b'&') => {
                    self.bash_only()?;
                    self.skip(1);
                    self.byte();
                    self.skip(1);
                    Some(Pipe::StdoutAndStderr)
                }
                (b'|', _) => {
                    self.skip(1);
                    Some(Pipe::Stdout)
                }
                _ => None,
            };
            stages.push(Stage { command, pipe });
            if pipe.is_none() {
                break;
            }
            self.lines()?;
            self.spend(1)?;
        }
        let mut span = self.since(start);
        span.end = end;
        Ok(Pipeline { span, prefixes, stages })
    }
}
