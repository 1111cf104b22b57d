//! Collects the pieces of an expanded word: splits them into fields and finds globs.

use super::modes::Modes;
use super::value::{Class, Count, Field, Hole, Piece, Value, Why};
use crate::Text;
use crate::ast::Span;

/// The value of `IFS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ifs {
    Default,
    Bytes(Text),
    Unknown,
}

impl Ifs {
    fn delimiter(&self, byte: u8) -> Option<Delimiter> {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\n');
        match self {
            Ifs::Default => is_blank.then_some(Delimiter::Blank),
            Ifs::Bytes(bytes) if bytes.contains(&byte) => {
                Some(if is_blank { Delimiter::Blank } else { Delimiter::Mark })
            }
            Ifs::Bytes(_) | Ifs::Unknown => None,
        }
    }

    /// Whether a text has nothing in it at which it would be split.
    pub(super) fn leaves(&self, text: &[u8]) -> bool {
        *self != Ifs::Unknown && !text.iter().any(|b| self.delimiter(*b).is_some())
    }

    /// What stands between the parts of `"$*"`.
    pub(super) fn joiner(&self) -> Option<&[u8]> {
        match self {
            Ifs::Default => Some(b" "),
            Ifs::Bytes(bytes) => Some(bytes.get(..1).unwrap_or_default()),
            Ifs::Unknown => None,
        }
    }

    /// Whether an integer stays in one piece.
    fn keeps_integers(&self) -> bool {
        match self {
            Ifs::Default => true,
            Ifs::Bytes(bytes) => !bytes.iter().any(|b| b.is_ascii_digit() || *b == b'-'),
            Ifs::Unknown => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Blank,
    Mark,
}

/// What a sink makes of what it gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Arguments: split and globbed.
    Fields,
    /// One text, as on the right side of an assignment.
    Single,
}

pub(super) struct Sink {
    form: Form,
    ifs: Ifs,
    modes: Modes,
    span: Span,
    fields: Vec<Field>,
    current: Option<Chunk>,
    separator: Separator,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// At the start, or behind a break that is none of `IFS`.
    None,
    Blank,
    Mark,
}

/// How much a sink holds.
pub(super) struct Position {
    fields: usize,
    bytes: usize,
    exists: bool,
}

/// Text that is being collected.
#[derive(Default)]
pub(super) struct Chunk {
    bytes: Vec<u8>,
    /// Ranges of bytes that are not quoted.
    open: Vec<(usize, usize)>,
    /// Unknown pieces with where they stand.
    holes: Vec<(usize, Piece)>,
    /// Where the first unknown piece stands that may break it into several, and may be a pattern.
    breaks: Option<usize>,
    /// There is a field whatever the unknown pieces are.
    exists: bool,
}

impl Chunk {
    fn push_open(&mut self, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.len();
        match self.open.last_mut() {
            Some((_, last)) if *last == start => *last = end,
            _ if start < end => self.open.push((start, end)),
            _ => {}
        }
    }

    fn count(&self) -> Count {
        match (self.breaks.is_some(), self.exists) {
            (false, _) => Count::One,
            (true, true) => Count::Some,
            (true, false) => Count::Any,
        }
    }

    /// The bytes with whether each is active; the first hole if there is one.
    pub(super) fn active_bytes(&self) -> Result<Vec<(u8, bool)>, Hole> {
        if let Some((_, piece)) = self.holes.first() {
            return Err(match piece {
                Piece::Unknown(hole) => *hole,
                _ => Hole { why: Why::Pattern, span: Span::default(), class: Class::Any },
            });
        }
        let mut out: Vec<(u8, bool)> = self.bytes.iter().map(|&b| (b, false)).collect();
        for &(start, end) in &self.open {
            for (_, active) in out.get_mut(start..end).unwrap_or_default() {
                *active = true;
            }
        }
        Ok(out)
    }

    fn into_value(self) -> Value {
        if self.holes.is_empty() {
            return Value::Known(self.bytes.into());
        }
        let mut pieces = Vec::new();
        let mut at = 0_usize;
        for (position, piece) in self.holes {
            pieces.push(Piece::Known(self.bytes.get(at..position).unwrap_or_default().into()));
            pieces.push(piece);
            at = position;
        }
        pieces.push(Piece::Known(self.bytes.get(at..).unwrap_or_default().into()));
        Value::from_pieces(pieces)
    }
}

impl Sink {
    /// A sink for an argument.
    pub(super) fn fields(span: Span, ifs: Ifs, modes: Modes) -> Self {
        Sink {
            form: Form::Fields,
            ifs,
            modes,
            span,
            fields: Vec::new(),
            current: None,
            separator: Separator::None,
        }
    }

    /// A sink for one text.
    pub(super) fn single(span: Span, ifs: Ifs, modes: Modes) -> Self {
        Sink { form: Form::Single, ..Sink::fields(span, ifs, modes) }
    }

    pub(super) fn is_single(&self) -> bool {
        self.form == Form::Single
    }

    pub(super) fn ifs(&self) -> &Ifs {
        &self.ifs
    }

    fn chunk(&mut self) -> &mut Chunk {
        self.separator = Separator::None;
        self.current.get_or_insert_default()
    }

    /// Unquoted text of the script: not split, but a pattern.
    pub(super) fn literal(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            let chunk = self.chunk();
            chunk.push_open(bytes);
            chunk.exists = true;
        }
    }

    /// Quoted text: neither split nor a pattern. Even if it is empty there is a field.
    pub(super) fn quoted(&mut self, bytes: &[u8]) {
        let chunk = self.chunk();
        chunk.bytes.extend_from_slice(bytes);
        chunk.exists = true;
    }

    /// The result of an unquoted expansion: split, then a pattern.
    pub(super) fn expanded(&mut self, bytes: &[u8]) {
        if self.form == Form::Single {
            return self.literal(bytes);
        }
        if self.ifs == Ifs::Unknown && !bytes.is_empty() {
            // Where it breaks is not known; a digit could be a separator.
            let hole = Hole { why: Why::Splitting, span: self.span, class: Class::Any };
            return self.hole(Piece::Unknown(hole), true);
        }
        let mut start = 0_usize;
        for (at, &byte) in bytes.iter().enumerate() {
            let Some(delimiter) = self.ifs.delimiter(byte) else { continue };
            self.literal(bytes.get(start..at).unwrap_or_default());
            start = at.saturating_add(1);
            match delimiter {
                Delimiter::Blank => {
                    if self.finish() {
                        self.separator = Separator::Blank;
                    }
                }
                Delimiter::Mark => {
                    let ended = self.finish();
                    if !ended && self.separator != Separator::Blank {
                        self.current = Some(Chunk::default());
                        self.finish();
                    }
                    self.separator = Separator::Mark;
                }
            }
        }
        self.literal(bytes.get(start..).unwrap_or_default());
    }

    /// An unknown piece; `open` if it is the result of an unquoted expansion.
    pub(super) fn hole(&mut self, piece: Piece, open: bool) {
        let integer = matches!(&piece, Piece::Unknown(Hole { class: Class::Integer, .. }));
        let splits = open && self.form == Form::Fields && !(integer && self.ifs.keeps_integers());
        let piece = match piece {
            Piece::Unknown(hole) if splits => Piece::Unknown(Hole { class: Class::Any, ..hole }),
            piece => piece,
        };
        let chunk = self.chunk();
        let position = chunk.bytes.len();
        chunk.holes.push((position, piece));
        if splits {
            chunk.breaks.get_or_insert(position);
        }
        chunk.exists |= !splits;
    }

    /// Several arguments, or none, of which nothing is known: a quoted `"$@"`.
    pub(super) fn many(&mut self, hole: Hole) {
        self.hole(Piece::Unknown(hole), true);
    }

    /// Where the sink stands, for [`doubt_since`](Self::doubt_since).
    pub(super) fn position(&self) -> Position {
        let (bytes, exists) =
            self.current.as_ref().map_or((0, false), |chunk| (chunk.bytes.len(), chunk.exists));
        Position { fields: self.fields.len(), bytes, exists }
    }

    /// If nothing is known to have been added, what was added may be no field.
    pub(super) fn doubt_since(&mut self, before: Position, hole: Hole) {
        if self.form == Form::Single || self.fields.len() != before.fields {
            return;
        }
        let chunk = self.current.get_or_insert_default();
        if chunk.bytes.len() != before.bytes {
            return;
        }
        if chunk.holes.is_empty() {
            chunk.holes.push((chunk.bytes.len(), Piece::Unknown(hole)));
        }
        let position = chunk.bytes.len();
        chunk.breaks.get_or_insert(position);
        chunk.exists = before.exists;
    }

    /// The end of one element of `"$@"` with another to follow.
    pub(super) fn boundary(&mut self) {
        if self.form == Form::Fields {
            self.finish();
            self.separator = Separator::None;
        }
    }

    /// Ends the current field; whether there was one.
    fn finish(&mut self) -> bool {
        match self.current.take() {
            Some(chunk) => {
                let field = self.field(chunk);
                self.fields.push(field);
                true
            }
            None => false,
        }
    }

    pub(super) fn into_fields(mut self) -> Vec<Field> {
        self.finish();
        self.fields
    }

    pub(super) fn into_value(mut self) -> Value {
        self.current.take().unwrap_or_default().into_value()
    }

    pub(super) fn into_chunk(mut self) -> Chunk {
        self.current.take().unwrap_or_default()
    }

    fn field(&self, mut chunk: Chunk) -> Field {
        let mut count = chunk.count();
        if self.modes.noglob == Some(true) {
            return Field { span: self.span, value: chunk.into_value(), count };
        }
        if self.modes.nullglob != Some(false) && chunk.breaks.is_some() {
            // A pattern may go, and what stands beside it with it.
            let value = Value::unknown(self.any_hole(&chunk));
            return Field { span: self.span, value, count: Count::Any };
        }
        self.forget_brackets(&mut chunk);
        let found = self.globs(&chunk);
        if !found.is_empty() {
            count = count.max(if self.modes.nullglob == Some(false) { Count::Some } else { Count::Any });
            if self.modes.noglob.is_none() || self.modes.nocaseglob != Some(false) {
                // What stands beside a pattern may be in another case in the names that it finds.
                let value = Value::unknown(self.any_hole(&chunk));
                return Field { span: self.span, value, count };
            }
            if found.iter().any(|&range| has_quoted_signs(&chunk, range)) {
                // Quoted text in brackets is read by rules of its own.
                let hole = Hole { why: Why::Pattern, span: self.span, class: Class::Any };
                return Field { span: self.span, value: Value::unknown(hole), count };
            }
            replace_patterns(&mut chunk, found);
        }
        Field { span: self.span, value: chunk.into_value(), count }
    }

    fn any_hole(&self, chunk: &Chunk) -> Hole {
        let hole = chunk.holes.iter().find_map(|(_, piece)| match piece {
            Piece::Unknown(hole) => Some(Hole { class: Class::Any, ..*hole }),
            _ => None,
        });
        hole.unwrap_or(Hole { why: Why::Mode, span: self.span, class: Class::Any })
    }

    /// Forgets the text from where a bracket expression may begin that an unknown piece completes.
    fn forget_brackets(&self, chunk: &mut Chunk) {
        let Some(first) = chunk.breaks else { return };
        let active = |wanted: &[u8]| {
            let ranges = chunk.open.iter().flat_map(|&(start, end)| start..end);
            ranges.into_iter().find(|&at| chunk.bytes.get(at).is_some_and(|b| wanted.contains(b)))
        };
        let bracket = match self.modes.extglob {
            Some(false) => active(b"[]"),
            _ => active(b"[]()").or(Some(first)),
        };
        let Some(bracket) = bracket else { return };
        let hole = self.any_hole(chunk);
        let start = bracket.min(first);
        chunk.holes.retain(|&(at, _)| at < start);
        chunk.holes.push((start, Piece::Unknown(hole)));
        chunk.bytes.truncate(start);
        chunk.open.retain(|&(from, _)| from < start);
        if let Some((_, end)) = chunk.open.last_mut() {
            *end = start.min(*end);
        }
    }

    /// The ranges of a chunk that are patterns.
    fn globs(&self, chunk: &Chunk) -> Vec<(usize, usize)> {
        let active = |at: usize| chunk.open.iter().any(|&(start, end)| (start..end).contains(&at));
        let mut found = Vec::new();
        if chunk.open.is_empty() {
            return found;
        }
        let mut at = 0_usize;
        let mut open = 0_usize;
        while let Some(&byte) = chunk.bytes.get(at) {
            // `open` is the first range that does not end before here.
            while chunk.open.get(open).is_some_and(|&(_, end)| end <= at) {
                open = open.saturating_add(1);
            }
            let is_open = chunk.open.get(open).is_some_and(|&(start, _)| start <= at);
            let next = at.saturating_add(1);
            let end = match byte {
                _ if !is_open => None,
                b'*' | b'?' => Some(next),
                b'[' => bracket_end(chunk.bytes.get(next..).unwrap_or_default())
                    .map(|len| next.saturating_add(len)),
                // From an expansion: versions of bash differ on what it does to a pattern.
                b'\\' => Some(next),
                b'+' | b'@' | b'!'
                    if self.modes.extglob != Some(false)
                        && chunk.bytes.get(next) == Some(&b'(')
                        && active(next) =>
                {
                    Some(chunk.bytes.len())
                }
                _ => None,
            };
            match end {
                Some(end) => {
                    let hole = chunk.holes.iter().any(|&(position, _)| position == at);
                    match found.last_mut() {
                        Some((_, last)) if *last == at && !hole => *last = end,
                        _ => found.push((at, end)),
                    }
                    at = end;
                }
                None => at = next,
            }
        }
        found
    }
}

/// How many bytes a bracket expression has behind its `[`.
fn bracket_end(rest: &[u8]) -> Option<usize> {
    // The first bracket may be a member: `[]a]`, `[!]a]`. If it is the only one, it is the end.
    let skip = match rest {
        [b'!' | b'^', b']', ..] => 2,
        [b']', ..] => 1,
        _ => 0,
    };
    let close = |from: usize| {
        let position = rest.get(from..)?.iter().position(|&b| b == b']')?;
        Some(from.saturating_add(position).saturating_add(1))
    };
    close(skip).or_else(|| close(0))
}

/// Whether a pattern holds quoted text that would mean something else without quotes.
fn has_quoted_signs(chunk: &Chunk, (start, end): (usize, usize)) -> bool {
    let mut open = chunk.open.iter().peekable();
    (start..end).any(|at| {
        while open.next_if(|(_, end)| *end <= at).is_some() {}
        let quoted = open.peek().is_none_or(|(start, _)| *start > at);
        quoted && chunk.bytes.get(at).is_some_and(u8::is_ascii_punctuation)
    })
}

/// Turns ranges of known bytes into pattern pieces.
fn replace_patterns(chunk: &mut Chunk, found: Vec<(usize, usize)>) {
    let mut bytes = Vec::new();
    let mut holes = Vec::new();
    let mut at = 0_usize;
    let mut old = std::mem::take(&mut chunk.holes).into_iter().peekable();
    for (start, end) in found.into_iter().chain([(chunk.bytes.len(), chunk.bytes.len())]) {
        while let Some((position, piece)) = old.next_if(|(position, _)| *position <= start) {
            bytes.extend_from_slice(chunk.bytes.get(at..position).unwrap_or_default());
            at = position.max(at);
            holes.push((bytes.len(), piece));
        }
        bytes.extend_from_slice(chunk.bytes.get(at..start).unwrap_or_default());
        at = end.max(at);
        if start == end {
            continue;
        }
        // With an unknown piece inside, what the pattern is is not known.
        let mut inside = None;
        while let Some((_, piece)) = old.next_if(|(position, _)| *position < end) {
            inside = inside.or(match piece {
                Piece::Unknown(hole) => Some(Piece::Unknown(Hole { class: Class::Any, ..hole })),
                Piece::Known(_) | Piece::Pattern(_) => None,
            });
        }
        let pattern = || Piece::Pattern(chunk.bytes.get(start..end).unwrap_or_default().into());
        holes.push((bytes.len(), inside.unwrap_or_else(pattern)));
    }
    chunk.bytes = bytes;
    chunk.holes = holes;
    chunk.open.clear();
}
