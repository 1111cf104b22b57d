//! Here-documents.

use super::expansion::Quoting;
use super::{Copied, Parsed, Parser};
use crate::ast::{HereDoc, HereDocId, ParameterOp, Part, PartKind, Word};
use crate::{Reason, Text, ansi_c};

/// A here-document whose body has not been reached.
pub(super) struct PendingHereDoc {
    id: HereDocId,
}

impl Parser<'_, '_> {
    /// Notes a here-document; its body follows the next newline.
    pub(super) fn promise_here_doc(
        &mut self,
        start: usize,
        delimiter: &Word,
        strip_tabs: bool,
    ) -> Parsed<HereDocId> {
        let (text, quoted) = self.delimiter(&delimiter.parts)?;
        if text.is_empty() && self.substitutions > 0 {
            // Bash 5.2 loses the quotes of an empty delimiter when it copies a substitution.
            return Err(self.unknown_at(start, Reason::Ambiguous));
        }
        self.note_unbalanced();
        if self.copy == Copied::Yes {
            self.copy = Copied::LosesSemicolon;
        }
        let id = HereDocId(u32::try_from(self.shared.here_docs.len()).unwrap_or(u32::MAX));
        self.shared.here_docs.push(HereDoc {
            delimiter_span: self.since(start),
            delimiter: text,
            quoted,
            strip_tabs,
            terminated: false,
            body: Word::default(),
        });
        self.pending.push(PendingHereDoc { id });
        Ok(id)
    }

    /// The delimiter with its quotes removed, and whether there were any.
    ///
    /// Nothing is expanded in a delimiter, so `$x` is just text. Longer expansions are refused.
    fn delimiter(&self, parts: &[Part]) -> Parsed<(Text, bool)> {
        let mut text = Vec::new();
        let mut quoted = false;
        for part in parts {
            match &part.kind {
                PartKind::Literal(literal) => text.extend_from_slice(&literal.text),
                PartKind::Parameter(parameter) if !parameter.braced && parameter.op == ParameterOp::Plain => {
                    let (start, end) = (part.span.start, part.span.end);
                    let raw =
                        if self.map.is_none() { self.text.get(start as usize..end as usize) } else { None };
                    match raw {
                        Some(raw) if !raw.contains(&b'\\') => text.extend_from_slice(raw),
                        _ => return Err(self.unknown(Reason::Unsupported)),
                    }
                }
                kind => {
                    quoted = true;
                    match kind {
                        PartKind::Escaped(byte) => text.push(*byte),
                        PartKind::SingleQuoted(raw) => text.extend_from_slice(raw),
                        PartKind::AnsiC(raw) => match ansi_c::decode(raw) {
                            Some(value) => text.extend_from_slice(&value),
                            None => return Err(self.unknown(Reason::Unsupported)),
                        },
                        PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => {
                            for part in inner {
                                match &part.kind {
                                    PartKind::Literal(literal) => text.extend_from_slice(&literal.text),
                                    PartKind::Escaped(byte) => text.push(*byte),
                                    _ => return Err(self.unknown(Reason::Unsupported)),
                                }
                            }
                        }
                        _ => return Err(self.unknown(Reason::Unsupported)),
                    }
                }
            }
        }
        if text.contains(&b'\n') {
            return Err(self.unknown(Reason::Unsupported));
        }
        Ok((text.into(), quoted))
    }

    /// Passes a newline, and the bodies of here-documents that begin behind it.
    pub(super) fn newline(&mut self) -> Parsed<()> {
        self.skip(1);
        self.spend(1)?;
        if self.pending.is_empty() { Ok(()) } else { self.here_doc_bodies() }
    }

    /// Bodies that the end of the text cuts off before they began.
    pub(super) fn here_docs_at_end(&mut self) -> Parsed<()> {
        if self.pending.is_empty() { Ok(()) } else { self.here_doc_bodies() }
    }

    fn here_doc_bodies(&mut self) -> Parsed<()> {
        for PendingHereDoc { id } in std::mem::take(&mut self.pending) {
            let Some(here_doc) = self.shared.here_docs.get_mut(id.0 as usize) else {
                return Err(self.unknown(Reason::Unsupported));
            };
            let mut here_doc = std::mem::take(here_doc);
            self.enter()?;
            self.here_doc_body(&mut here_doc)?;
            self.leave();
            if let Some(place) = self.shared.here_docs.get_mut(id.0 as usize) {
                *place = here_doc;
            }
        }
        Ok(())
    }

    fn here_doc_body(&mut self, here_doc: &mut HereDoc) -> Parsed<()> {
        let start = self.pos;
        let end = self.find_delimiter(here_doc)?;
        if !here_doc.terminated && self.substitutions > 0 {
            return Err(self.unknown_at(start, Reason::Unclosed));
        }
        let span = self.span(start, end);
        let text = self.text.get(..end).unwrap_or_default();
        let body = text.get(start..).unwrap_or_default();
        let tabs = here_doc.strip_tabs
            && (body.first() == Some(&b'\t') || body.windows(2).any(|pair| pair == b"\n\t"));
        let continued = !here_doc.quoted && body.windows(2).any(|pair| pair == b"\\\n");
        let parts = if tabs || continued {
            let (rewritten, map) = self.rewritten_body(start, end, here_doc);
            self.spend(rewritten.len())?;
            if here_doc.quoted {
                vec![Part { span, kind: PartKind::SingleQuoted(rewritten.into()) }]
            } else {
                self.nested(&rewritten, Some(&map)).here_doc_parts()?
            }
        } else if here_doc.quoted {
            vec![Part { span, kind: PartKind::SingleQuoted(body.into()) }]
        } else {
            let mut inner = self.nested(text, self.map);
            inner.pos = start;
            inner.here_doc_parts()?
        };
        here_doc.body = Word { span, parts };
        Ok(())
    }

    fn here_doc_parts(&mut self) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        self.double_quoted_parts(&mut parts, Quoting::HereDoc)?;
        Ok(parts)
    }

    /// Finds the line of the delimiter and passes it; gives the end of the body.
    ///
    /// In a body that is expanded, lines joined by a continuation are one line to bash.
    fn find_delimiter(&mut self, here_doc: &mut HereDoc) -> Parsed<usize> {
        loop {
            let start = self.pos;
            let rest = self.text.get(start..).unwrap_or_default();
            if rest.is_empty() {
                return Ok(start);
            }
            let mut joined = Vec::new();
            let mut length = 0_usize;
            let mut line;
            loop {
                let from = rest.get(length..).unwrap_or_default();
                let size = from.iter().position(|&byte| byte == b'\n');
                line = from.get(..size.unwrap_or(from.len())).unwrap_or_default();
                length = length.saturating_add(line.len());
                let backslashes = line.iter().rev().take_while(|&&byte| byte == b'\\').count();
                if size.is_some() {
                    length = length.saturating_add(1);
                }
                if here_doc.quoted || size.is_none() || backslashes & 1 == 0 {
                    break;
                }
                joined.extend_from_slice(line.get(..line.len().saturating_sub(1)).unwrap_or_default());
            }
            if !joined.is_empty() {
                joined.extend_from_slice(line);
                line = &joined;
            }
            self.spend(length.saturating_div(16).saturating_add(1))?;
            self.skip(length);
            if here_doc.strip_tabs {
                let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
                line = line.get(tabs..).unwrap_or_default();
            }
            if *line == *here_doc.delimiter {
                here_doc.terminated = true;
                return Ok(start);
            }
            // In a substitution, bash 5.2 ends the document here and reads on behind the delimiter.
            if self.substitutions > 0 && line.starts_with(&here_doc.delimiter) && line.contains(&b')') {
                return Err(self.unknown_at(start, Reason::Ambiguous));
            }
            // Some builds of bash drop carriage returns.
            if line.strip_suffix(b"\r") == Some(&*here_doc.delimiter) {
                return Err(self.unknown_at(start, Reason::ControlCharacter));
            }
        }
    }

    /// The body as bash hands it on, and where its bytes were.
    ///
    /// Bash joins continued lines and removes tabs at the beginning of lines while it looks for the
    /// delimiter, before it knows of quotes, comments or other here-documents in the text.
    fn rewritten_body(&self, start: usize, end: usize, here_doc: &HereDoc) -> (Vec<u8>, Vec<u32>) {
        let mut text = Vec::new();
        let mut map = Vec::new();
        let mut line_start = true;
        let mut bytes = self.text.iter().copied().enumerate().take(end).skip(start).peekable();
        while let Some((at, byte)) = bytes.next() {
            if line_start && byte == b'\t' && here_doc.strip_tabs {
                continue;
            }
            let mut escaped = None;
            if byte == b'\\' && !here_doc.quoted {
                escaped = bytes.next();
                if matches!(escaped, Some((_, b'\n'))) {
                    continue;
                }
            }
            line_start = byte == b'\n';
            for (at, byte) in [Some((at, byte)), escaped].into_iter().flatten() {
                text.push(byte);
                map.push(self.span(at, at).start);
            }
        }
        map.push(self.span(end, end).start);
        (text, map)
    }
}
