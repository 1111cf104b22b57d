//! Expands words: quotes, tildes, braces, and what the siblings make of parameters and arithmetic.

use super::braces::{self, Atom};
use super::env::State;
use super::flow::Flow;
use super::pattern::Pattern;
use super::shape;
use super::sink::{Ifs, Sink};
use super::value::{Class, Count, Field, Hole, Piece, Value, Why};
use crate::ast::{ParameterOp, Part, PartKind, Span, Word};
use crate::{Text, ansi_c};

/// How the text of a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Inside double quotes.
    pub(super) quoted: bool,
    /// The operand of an unquoted `${x:-…}`: plain text is split too.
    pub(super) operand: bool,
}

impl Place {
    pub(super) const BARE: Place = Place { quoted: false, operand: false };
    pub(super) const QUOTED: Place = Place { quoted: true, operand: false };
}

/// Where in a word a tilde may stand for a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tildes {
    Nowhere,
    /// At the start.
    Start,
    /// At the start, and behind `=` and `:` if the word looks like an assignment.
    Argument,
    /// At the start and behind each colon.
    Assigned,
}

impl<'s> Flow<'s, '_> {
    /// Expands a word as an argument.
    pub(super) fn argument(&mut self, word: &'s Word, out: &mut Vec<Field>) {
        if let Some(text) = plain(word) {
            out.push(Field { span: word.span, value: Value::Known(text), count: Count::One });
            return;
        }
        self.for_each_braced(word, &mut |flow, atoms| {
            let fields = flow.fields_of(atoms, word.span);
            out.extend(fields);
        });
    }

    /// Expands an element of an array literal: an argument, but never like an assignment.
    pub(super) fn element_words(&mut self, word: &'s Word, out: &mut Vec<Field>) {
        if let Some(text) = plain(word) {
            out.push(Field { span: word.span, value: Value::Known(text), count: Count::One });
            return;
        }
        self.for_each_braced(word, &mut |flow, atoms| {
            let mut sink = Sink::fields(word.span, flow.ifs(), flow.env.modes());
            flow.atoms(atoms, Place::BARE, Tildes::Start, &mut sink);
            out.extend(sink.into_fields());
        });
    }

    /// Expands an argument of `declare` and its kin: like an assignment, if it looks like one.
    pub(super) fn declared(&mut self, word: &'s Word, out: &mut Vec<Field>) {
        if let Some(text) = plain(word) {
            out.push(Field { span: word.span, value: Value::Known(text), count: Count::One });
            return;
        }
        self.for_each_braced(word, &mut |flow, atoms| {
            // Once braces are expanded bash does not see an assignment any more.
            let assigns = match atoms {
                Atoms::Parts(parts) => begins_assignment(parts),
                Atoms::Made(_) => false,
            };
            if assigns {
                let mut sink = flow.single(word.span);
                flow.atoms(atoms, Place::BARE, Tildes::Argument, &mut sink);
                out.push(Field { span: word.span, value: sink.into_value(), count: Count::One });
            } else {
                let fields = flow.fields_of(atoms, word.span);
                out.extend(fields);
            }
        });
    }

    fn for_each_braced(&mut self, word: &'s Word, each: &mut dyn FnMut(&mut Self, Atoms<'_, 's>)) {
        let may_expand = braces::may_expand(&word.parts);
        let braces = self.env.modes().braces != Some(false);
        if braces && shape::may_hide_braces(&word.parts, self.source) {
            return self.opaque(word, Why::Braces, each);
        }
        if !shape::lists_are_plain(&word.parts) || may_expand && shape::mentions_list(&word.parts) {
            return self.opaque(word, Why::Splitting, each);
        }
        if !shape::tildes_are_plain(&word.parts, false) {
            return self.opaque(word, Why::Home, each);
        }
        if may_expand {
            match braces::expand(&word.parts) {
                Ok(None) => {}
                Ok(Some(words)) => match self.env.modes().braces {
                    // It would have been one before, and versions differ on what it is then.
                    Some(true) if begins_assignment(&word.parts) && expands_or_has_tilde(&word.parts) => {
                        return self.opaque(word, Why::Version, each);
                    }
                    Some(true) => {
                        for atoms in &words {
                            each(self, Atoms::Made(atoms));
                        }
                        return;
                    }
                    Some(false) => {}
                    None => return self.opaque(word, Why::Mode, each),
                },
                Err(why) => return self.opaque(word, why, each),
            }
        }
        each(self, Atoms::Parts(&word.parts));
    }

    /// Visits what a word runs and puts a hole in its place.
    fn opaque(&mut self, word: &'s Word, why: Why, each: &mut dyn FnMut(&mut Self, Atoms<'_, 's>)) {
        // Its expansions may run once, many times, or (in a discarded brace) not at all.
        let mark = self.env.mark();
        let mut sink = self.single(word.span);
        self.parts(&word.parts, Place::QUOTED, &mut sink);
        let changes = self.env.take(mark);
        self.env.join(vec![changes], true);
        let part = Atom::Text(Vec::new());
        self.pending_hole = Some(Hole { why, span: word.span, class: Class::Any });
        each(self, Atoms::Made(&[part]));
    }

    fn fields_of(&mut self, atoms: Atoms<'_, 's>, span: Span) -> Vec<Field> {
        let mut sink = Sink::fields(span, self.ifs(), self.env.modes());
        // Whether a word looks like an assignment is decided before braces are expanded.
        let tildes = if matches!(atoms, Atoms::Made(_)) { Tildes::Start } else { Tildes::Argument };
        self.atoms(atoms, Place::BARE, tildes, &mut sink);
        sink.into_fields()
    }

    /// Expands a word to one text, as on the right side of an assignment.
    pub(super) fn value(&mut self, word: &'s Word, tildes: Tildes) -> Value {
        if let Some(text) = plain(word) {
            return Value::Known(text);
        }
        let mut sink = self.single(word.span);
        if !shape::tildes_are_plain(&word.parts, tildes == Tildes::Assigned) {
            self.parts(&word.parts, Place::BARE, &mut sink);
            return Value::unknown(Hole { why: Why::Home, span: word.span, class: Class::Any });
        }
        self.atoms(Atoms::Parts(&word.parts), Place::BARE, tildes, &mut sink);
        sink.into_value()
    }

    /// Expands text that stands as inside double quotes: a here-document.
    pub(super) fn quoted_text(&mut self, word: &'s Word) -> Value {
        let mut sink = self.single(word.span);
        self.parts(&word.parts, Place::QUOTED, &mut sink);
        sink.into_value()
    }

    /// Expands a word that is a pattern.
    pub(super) fn pattern(&mut self, word: &'s Word) -> Result<Pattern, Hole> {
        let chunk = self.chunk(word, Place::BARE);
        let bytes = chunk.active_bytes()?;
        Pattern::compile(&bytes, self.env.modes().extglob).map_err(|why| Hole {
            why,
            span: word.span,
            class: Class::Any,
        })
    }

    /// Expands a word with what is quoted in it kept apart.
    pub(super) fn chunk(&mut self, word: &'s Word, place: Place) -> super::sink::Chunk {
        let mut sink = self.single(word.span);
        self.atoms(Atoms::Parts(&word.parts), place, Tildes::Start, &mut sink);
        sink.into_chunk()
    }

    fn single(&self, span: Span) -> Sink {
        Sink::single(span, self.ifs(), self.env.modes())
    }

    pub(super) fn ifs(&self) -> Ifs {
        match self.env.get(b"IFS") {
            State::Scalar(Value::Known(text)) | State::First(Value::Known(text)) if &**text == b" \t\n" => {
                Ifs::Default
            }
            State::Scalar(Value::Known(text)) | State::First(Value::Known(text)) if text.is_ascii() => {
                Ifs::Bytes(text.clone())
            }
            State::Unset => Ifs::Default,
            _ => Ifs::Unknown,
        }
    }

    fn atoms(&mut self, atoms: Atoms<'_, 's>, place: Place, tildes: Tildes, sink: &mut Sink) {
        let count = atoms.len();
        let mut assigned = tildes == Tildes::Assigned;
        for at in 0..count {
            let Some(atom) = atoms.get(at) else { continue };
            if let Some(hole) = self.pending_hole.take() {
                sink.hole(Piece::Unknown(hole), !place.quoted);
                continue;
            }
            let last = at.saturating_add(1) == count;
            match (&atom, atom.unquoted()) {
                (_, Some(text)) if !place.quoted && tildes != Tildes::Nowhere && text.contains(&b'~') => {
                    if assigned && tildes == Tildes::Argument && text.windows(2).any(|pair| pair == b"=~") {
                        self.dynamic(Why::Version, self.here, true, sink);
                        continue;
                    }
                    let first = at == 0;
                    let mut from = 0_usize;
                    if first && tildes == Tildes::Argument && assigns(text) {
                        assigned = true;
                        // Up to and with the `=`.
                        from = text.iter().position(|&b| b == b'=').map_or(0, |p| p.saturating_add(1));
                        self.plain_text(text.get(..from).unwrap_or_default(), place, sink);
                    }
                    let rest = text.get(from..).unwrap_or_default();
                    if from > 0 && rest.windows(2).any(|pair| pair == b"=~") {
                        // Behind another `=` it depends on what is in front of it.
                        self.dynamic(Why::Version, self.here, true, sink);
                        continue;
                    }
                    if self.text_with_tildes(rest, first, last, assigned, place, sink) {
                        // Neither the tilde nor the rest may be expanded.
                        let mut unused = self.single(self.here);
                        for at in at.saturating_add(1)..count {
                            if let Some(Atom::Part(part)) = atoms.get(at) {
                                self.part(part, place, &mut unused);
                            }
                        }
                        return self.dynamic(Why::Version, self.here, false, sink);
                    }
                }
                (_, Some(text)) => {
                    if at == 0 && tildes == Tildes::Argument && assigns(text) {
                        assigned = true;
                    }
                    self.plain_text(text, place, sink);
                }
                (Atom::Part(part), None) => self.part(part, place, sink),
                (Atom::Text(_), None) => {}
            }
        }
    }

    fn plain_text(&mut self, text: &[u8], place: Place, sink: &mut Sink) {
        if place.quoted {
            sink.quoted(text);
        } else if place.operand {
            sink.expanded(text);
        } else {
            sink.literal(text);
        }
    }

    /// Whether bash loses its way in the text, as it does behind `~:` in front of something else.
    fn text_with_tildes(
        &mut self,
        text: &[u8],
        first: bool,
        last: bool,
        assigned: bool,
        place: Place,
        sink: &mut Sink,
    ) -> bool {
        let mut starts = first;
        let mut rest = text;
        loop {
            let end = if assigned { rest.iter().position(|&b| b == b':') } else { None };
            let segment = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            // What follows a tilde must be unquoted text up to a slash or a colon.
            let stop = segment.iter().position(|b| matches!(b, b'/' | b':'));
            let complete = stop.is_some() || end.is_some() || last;
            match segment.strip_prefix(b"~") {
                Some(_) if starts && complete => {
                    let name = segment.get(1..stop.unwrap_or(segment.len())).unwrap_or_default();
                    let behind = segment.get(stop.unwrap_or(segment.len())..).unwrap_or_default();
                    if behind.starts_with(b":") && !last {
                        return true;
                    }
                    if behind.starts_with(b":") && !self.env.modes().bash {
                        // Only bash ends the name at a colon everywhere.
                        self.dynamic(Why::Version, self.here, true, sink);
                    } else {
                        self.tilde(name, behind.starts_with(b"/"), sink);
                    }
                    self.plain_text(behind, place, sink);
                }
                _ => self.plain_text(segment, place, sink),
            }
            let Some(end) = end else { break };
            self.plain_text(b":", place, sink);
            rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
            starts = true;
        }
        false
    }

    fn tilde(&mut self, name: &[u8], slash: bool, sink: &mut Sink) {
        let span = self.here;
        let variable: &[u8] = match name {
            b"" => b"HOME",
            b"+" => b"PWD",
            _ => {
                // Without such a user the text stays, and may be a pattern.
                let name_only = name.iter().all(|b| b.is_ascii_alphanumeric() || b"_.-+".contains(b));
                sink.hole(Piece::Unknown(Hole { why: Why::Home, span, class: Class::Any }), !name_only);
                return;
            }
        };
        match self.env.get(variable) {
            State::Scalar(value) | State::First(value)
                if !(slash && value.known().is_some_and(|v| v.ends_with(b"/"))) =>
            {
                let value = value.clone();
                self.emit(value, true, span, sink);
            }
            _ => sink.hole(Piece::Unknown(Hole { why: Why::Home, span, class: Class::Any }), false),
        }
    }

    pub(super) fn parts(&mut self, parts: &'s [Part], place: Place, sink: &mut Sink) {
        for part in parts {
            self.part(part, place, sink);
        }
    }

    /// Expands the operand of `${x:-…}`.
    pub(super) fn operand(&mut self, word: &'s Word, quoted: bool, sink: &mut Sink) {
        let place = Place { quoted, operand: !quoted };
        if word.parts.is_empty() {
            if quoted {
                sink.quoted(b"");
            }
            return;
        }
        self.atoms(Atoms::Parts(&word.parts), place, Tildes::Start, sink);
    }

    fn part(&mut self, part: &'s Part, place: Place, sink: &mut Sink) {
        let cost = match &part.kind {
            PartKind::Literal(_) | PartKind::Escaped(_) | PartKind::SingleQuoted(_) => 0,
            PartKind::Command(_) | PartKind::Process(_) => 3,
            PartKind::Parameter(_) => 4,
            _ => 2,
        };
        if self.deeper(cost, part.span, |flow| flow.part_inside(part, place, sink)).is_none() {
            self.dynamic(Why::TooLarge, part.span, place.quoted, sink);
        }
    }

    fn part_inside(&mut self, part: &'s Part, place: Place, sink: &mut Sink) {
        let outer = std::mem::replace(&mut self.here, part.span);
        match &part.kind {
            PartKind::Literal(literal) => self.plain_text(&literal.text, place, sink),
            PartKind::Escaped(byte) => sink.quoted(&[*byte]),
            PartKind::SingleQuoted(text) => sink.quoted(text),
            PartKind::AnsiC(raw) => match ansi_c::decode(raw) {
                Some(bytes) => sink.quoted(&bytes),
                None => self.dynamic(Why::Locale, part.span, true, sink),
            },
            PartKind::DoubleQuoted(inner) => self.double_quoted(inner, sink),
            PartKind::Localized(inner) => {
                // Without a text domain there is nothing to translate with.
                if self.env.is_unset("TEXTDOMAIN") && self.env.modes().bash {
                    self.double_quoted(inner, sink);
                } else {
                    let mut unused = self.single(part.span);
                    self.parts(inner, Place::QUOTED, &mut unused);
                    self.dynamic(Why::Locale, part.span, true, sink);
                }
            }
            PartKind::Parameter(parameter) => self.parameter(parameter, part.span, place.quoted, sink),
            PartKind::Command(substitution) => {
                let value = self.substitution(substitution, part.span);
                self.emit(value, place.quoted, part.span, sink);
            }
            PartKind::Arithmetic(arithmetic) => {
                let value = match self.number(arithmetic) {
                    Ok(number) => Value::Known(number.to_string().into_bytes().into()),
                    Err(hole) => Value::unknown(hole),
                };
                self.emit(value, place.quoted, part.span, sink);
            }
            PartKind::Process(process) => {
                self.process(process);
                self.dynamic(Why::Process, part.span, true, sink);
            }
            PartKind::ExtendedGlob(glob) => {
                for alternative in &glob.alternatives {
                    let mut unused = self.single(alternative.span);
                    self.parts(&alternative.parts, place, &mut unused);
                }
                self.dynamic(Why::Pattern, part.span, place.quoted, sink);
            }
            PartKind::ArrayAssignment(_) => self.dynamic(Why::Array, part.span, true, sink),
        }
        self.here = outer;
    }

    fn double_quoted(&mut self, inner: &'s [Part], sink: &mut Sink) {
        if inner.is_empty() {
            return sink.quoted(b"");
        }
        if shape::mentions_list(inner) && !shape::is_plain_quoted_list(inner) {
            let mut unused = self.single(self.here);
            self.parts(inner, Place::QUOTED, &mut unused);
            return sink.many(Hole { why: Why::Splitting, span: self.here, class: Class::Any });
        }
        let before = sink.position();
        let outer = std::mem::replace(&mut self.met_doubtful_list, false);
        self.parts(inner, Place::QUOTED, sink);
        let plain = match inner {
            [Part { kind: PartKind::Parameter(parameter), .. }] => {
                matches!(parameter.op, ParameterOp::Plain | ParameterOp::Slice { .. })
            }
            _ => false,
        };
        if self.met_doubtful_list && !plain {
            // With nothing but empty texts beside a `$@` without elements there may be no field at all.
            sink.doubt_since(before, Hole { why: Why::Version, span: self.here, class: Class::Any });
        }
        self.met_doubtful_list = outer;
    }

    pub(super) fn dynamic(&mut self, why: Why, span: Span, quoted: bool, sink: &mut Sink) {
        sink.hole(Piece::Unknown(Hole { why, span, class: Class::Any }), !quoted);
    }

    /// Puts the value of an expansion into a word.
    pub(super) fn emit(&mut self, value: Value, quoted: bool, span: Span, sink: &mut Sink) {
        if self.steps.take(value.size().saturating_add(1)).is_err() {
            self.give_up();
            return self.dynamic(Why::TooLarge, span, quoted, sink);
        }
        match value {
            Value::Known(text) if quoted => sink.quoted(&text),
            Value::Known(text) => sink.expanded(&text),
            Value::Partial(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Known(text) if quoted => sink.quoted(&text),
                        Piece::Known(text) => sink.expanded(&text),
                        Piece::Unknown(hole) => {
                            sink.hole(Piece::Unknown(Hole { span, ..hole }), !quoted);
                        }
                        // The name of a file can hold blanks, and signs that are patterns again.
                        Piece::Pattern(_) if !quoted && !sink.is_single() => {
                            self.dynamic(Why::Pattern, span, false, sink);
                        }
                        piece @ Piece::Pattern(_) => sink.hole(piece, false),
                    }
                }
            }
        }
    }
}

/// Whether a word looks like an assignment: `name=`, `name+=`, `name[…]=`, unquoted.
///
/// `declare` and its kin take such an argument as one word, see [`is_declaration`](super::is_declaration); once
/// braces are expanded bash does not see an assignment any more.
///
/// ```
/// use toolgate_bash::ast::Command;
/// use toolgate_bash::{Options, eval, parse};
///
/// let script = parse(b"export -x x+=$y", &Options::default()).unwrap();
/// let Command::Simple(export) = &script.body.items[0].first.stages[0].command else { panic!() };
/// let found: Vec<_> = export.words.iter().map(|word| eval::begins_assignment(&word.parts)).collect();
/// assert_eq!(found, [false, false, true]);
/// ```
#[must_use]
pub fn begins_assignment(parts: &[Part]) -> bool {
    parts.first().map(Atom::Part).as_ref().and_then(Atom::unquoted).is_some_and(assigns)
}

fn expands_or_has_tilde(parts: &[Part]) -> bool {
    parts.iter().any(|part| match &part.kind {
        PartKind::Literal(literal) => literal.marks.tilde,
        PartKind::Escaped(_) | PartKind::SingleQuoted(_) | PartKind::AnsiC(_) => false,
        PartKind::DoubleQuoted(inner) => {
            !inner.iter().all(|part| matches!(part.kind, PartKind::Literal(_) | PartKind::Escaped(_)))
        }
        _ => true,
    })
}

/// The parts of a word, before or after brace expansion.
#[derive(Clone, Copy)]
enum Atoms<'a, 's> {
    Parts(&'s [Part]),
    Made(&'a [Atom<'s>]),
}

impl<'s> Atoms<'_, 's> {
    fn len(self) -> usize {
        match self {
            Atoms::Parts(parts) => parts.len(),
            Atoms::Made(atoms) => atoms.len(),
        }
    }

    fn get(self, at: usize) -> Option<Atom<'s>> {
        match self {
            Atoms::Parts(parts) => parts.get(at).map(Atom::Part),
            Atoms::Made(atoms) => atoms.get(at).cloned(),
        }
    }
}

/// Whether unquoted text at the start of a word makes it look like an assignment.
fn assigns(text: &[u8]) -> bool {
    let Some(equals) = text.iter().position(|&b| b == b'=') else { return false };
    let name = text.get(..equals).unwrap_or_default();
    let name = name.strip_suffix(b"+").unwrap_or(name);
    let name = match name.iter().position(|&b| b == b'[') {
        Some(bracket) if name.ends_with(b"]") => name.get(..bracket).unwrap_or_default(),
        _ => name,
    };
    is_name(name)
}

/// Whether these bytes are the name of a variable.
pub(super) fn is_name(name: &[u8]) -> bool {
    let starts = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    starts && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// The text of a word in which nothing is expanded, split or matched.
pub(super) fn plain(word: &Word) -> Option<Text> {
    if let [Part { kind: PartKind::Literal(literal), .. }] = word.parts.as_slice() {
        // A backslash can stand at the very end of a script, where versions differ about it.
        let plain = literal.marks.is_plain() && !literal.text.ends_with(b"\\");
        return plain.then(|| literal.text.clone());
    }
    if word.parts.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    for part in &word.parts {
        match &part.kind {
            PartKind::Literal(literal) if literal.marks.is_plain() => out.extend_from_slice(&literal.text),
            PartKind::Escaped(byte) => out.push(*byte),
            PartKind::SingleQuoted(text) => out.extend_from_slice(text),
            PartKind::AnsiC(raw) => out.extend_from_slice(&ansi_c::decode(raw)?),
            PartKind::DoubleQuoted(inner) => {
                for part in inner {
                    match &part.kind {
                        PartKind::Literal(literal) => out.extend_from_slice(&literal.text),
                        PartKind::Escaped(byte) => out.push(*byte),
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
    }
    Some(out.into())
}
