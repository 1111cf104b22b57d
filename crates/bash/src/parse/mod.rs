//! The parser: recursive descent over bytes, without a separate lexer.
//!
//! What a byte means in bash depends on where it stands, so each production reads bytes itself.
//! Three rules keep the result trustworthy:
//!
//! * **No recovery.** The first thing that is not understood ends the parse with [`Unknown`].
//! * **In place.** What is nested is read where it stands by the same productions. Only text that bash
//!   itself rewrites before it reads it (backticks, here-documents with `<<-`) is copied first, with a
//!   map of positions.
//! * **Charged.** Every production that can contain itself costs one unit of depth, and every step one
//!   unit of fuel.

mod arithmetic;
mod assignment;
mod balance;
mod bytes;
mod command;
mod compound;
mod condition;
mod cursor;
mod expansion;
mod expression;
mod here_doc;
#[cfg(test)]
mod hostile;
mod list;
mod operand;
mod parameter;
mod reading;
mod redirection;
mod reserved;
mod word;

use crate::ast::{HereDoc, List, Script, Span};
use crate::{Options, Reason, Shell, Unknown};
use here_doc::PendingHereDoc;
use reading::Reading;

type Parsed<T> = Result<T, Unknown>;

/// Reads a script as `bash -c` would.
///
/// # Errors
///
/// [`Unknown`] if any of it is not understood for certain. That does not mean that bash would refuse
/// it: bash runs a script line by line and may have run much before it finds fault.
pub fn parse(source: &[u8], options: &Options) -> Result<Script, Unknown> {
    parse_measured(source, options).0
}

/// Parses, and counts the steps that were charged.
fn parse_measured(source: &[u8], options: &Options) -> (Result<Script, Unknown>, usize) {
    if let Err(unknown) = accept(source, options) {
        return (Err(unknown), 0);
    }
    // A script needs about one step a byte; copies and second looks are charged too.
    let fuel = source.len().saturating_mul(24).saturating_add(4096);
    let ascii = source.is_ascii();
    let odd_blanks =
        !ascii && std::str::from_utf8(source).is_ok_and(|text| text.chars().any(bytes::is_odd_blank));
    let mut shared = Shared {
        source,
        options,
        depth: 0,
        fuel,
        odd_blanks,
        ascii,
        here_docs: Vec::new(),
        speculating: false,
        unbalanced: 0,
        reading: Reading::default(),
    };
    let mut body = List::default();
    let result = Parser::new(source, None, &mut shared).script(&mut body);
    let steps = fuel.saturating_sub(shared.fuel);
    let script = result.and_then(|()| {
        shared.reading.judge(body.span.end)?;
        let reading_changes = shared.reading.changes;
        Ok(Script { body, here_docs: shared.here_docs, reading_changes, shell: options.shell })
    });
    (script, steps)
}

/// Whether the text as a whole can be read at all.
fn accept(source: &[u8], options: &Options) -> Parsed<()> {
    let end = u32::try_from(source.len()).unwrap_or(u32::MAX);
    let whole = Span { start: 0, end };
    if end > options.max_bytes {
        return Err(Unknown { span: whole, reason: Reason::TooLong });
    }
    if options.shell == Shell::Other {
        return Err(Unknown { span: whole, reason: Reason::OtherShell });
    }
    if let Err(error) = std::str::from_utf8(source) {
        let start = u32::try_from(error.valid_up_to()).unwrap_or(0);
        return Err(Unknown { span: Span { start, end }, reason: Reason::NotUtf8 });
    }
    if let Some(at) = source.iter().position(|&byte| byte == 0) {
        let start = u32::try_from(at).unwrap_or(0);
        let span = Span { start, end: start.saturating_add(1) };
        return Err(Unknown { span, reason: Reason::ControlCharacter });
    }
    Ok(())
}

/// What all parts of one parse have in common.
struct Shared<'p> {
    source: &'p [u8],
    options: &'p Options,
    depth: u32,
    fuel: usize,
    /// Whether any odd blank is in the source; if not, none is looked for.
    odd_blanks: bool,
    ascii: bool,
    here_docs: Vec<HereDoc>,
    /// Whether a construct is being read that may be read again in another way. There is no second
    /// such construct inside one, or the time would double with each.
    speculating: bool,
    /// How many things were passed in which parentheses need not balance: comments, clauses of `case`,
    /// here-documents.
    unbalanced: usize,
    reading: Reading,
}

/// Bash 5.2 parses `$(…)`, prints what it parsed, and reads that when it runs the substitution. Not
/// everything is printed as it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// The text is read as it stands.
    No,
    /// The text is copied.
    Yes,
    /// The text is copied, and a here-document has begun in it. A `;` behind it may get lost:
    /// `$(a <<E | b; c)` runs `b c`.
    LosesSemicolon,
}

/// A reader of one text: the source, or a rewritten part of it.
struct Parser<'p, 's> {
    text: &'p [u8],
    pos: usize,
    /// Where each byte of the text (and its end) is in the source, if the text is not the source.
    map: Option<&'p [u32]>,
    shared: &'p mut Shared<'s>,
    /// Here-documents whose bodies begin after the next newline.
    pending: Vec<PendingHereDoc>,
    /// How many substitutions enclose the position in this text.
    substitutions: u32,
    /// What bash may do to the substitution around the position before it reads it again.
    copy: Copied,
    /// Whether it is inside braces or parentheses of a word: bash looks for the end of those in another way
    /// than it reads commands.
    scanned: bool,
    /// How many compound commands and substitutions enclose it.
    nesting: u32,
    /// Whether a reserved word may follow directly: the last token closed a compound command.
    after_compound: bool,
    /// Where arithmetic stood that was found to balance; see [`balance`](Self::balance).
    balanced: Vec<balance::Balanced>,
    /// The nesting at which a bare `}` ends the list, inside `${ …; }`.
    brace_ends_at: u32,
}

impl<'p, 's> Parser<'p, 's> {
    fn new(text: &'p [u8], map: Option<&'p [u32]>, shared: &'p mut Shared<'s>) -> Self {
        Parser {
            text,
            pos: 0,
            map,
            shared,
            pending: Vec::new(),
            substitutions: 0,
            copy: Copied::No,
            scanned: false,
            nesting: 0,
            after_compound: false,
            balanced: Vec::new(),
            brace_ends_at: 0,
        }
    }

    /// A reader of another text within the same parse.
    fn nested<'q>(&'q mut self, text: &'q [u8], map: Option<&'q [u32]>) -> Parser<'q, 's> {
        let nesting = self.nesting.saturating_add(1);
        let mut parser = Parser::new(text, map, &mut *self.shared);
        parser.nesting = nesting;
        parser
    }
}
