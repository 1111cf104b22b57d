//! Which words are followed, by how they are written.
//!
//! Some nestings of quotes, braces and lists bash reads by rules that depend on its version, on `IFS`, or
//! on its own rough search for a closing brace. A word of such a shape is not followed: what it runs is
//! visited, and its value is a hole. Everything else in this module may rely on that.

use crate::ast::{
    Literal, Operand, Parameter, ParameterName, ParameterOp, Part, PartKind, Span, Subscript, SubscriptKind,
    SubstitutionStyle, Word,
};

/// The words in an operator.
pub(super) fn operands(op: &ParameterOp) -> impl Iterator<Item = &Word> {
    op.operands().filter_map(|operand| match operand {
        Operand::Word(word) => Some(word),
        Operand::Arithmetic(_) => None,
    })
}

/// Whether a parameter is a list of values: `$@`, `$*`, all elements of an array.
pub(super) fn is_list(p: &Parameter) -> bool {
    matches!(p.name, ParameterName::Special(b'@' | b'*'))
        || p.indirect
        || matches!(p.op, ParameterOp::Names { .. })
        || matches!(&p.subscript, Some(Subscript { kind: SubscriptKind::At | SubscriptKind::Star, .. }))
}

/// Whether a list of values is expanded anywhere in these parts, commands in them aside.
pub(super) fn mentions_list(parts: &[Part]) -> bool {
    parts.iter().any(|part| match &part.kind {
        PartKind::Parameter(p) => is_list(p) || operand_mentions_list(&p.op),
        PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => mentions_list(inner),
        _ => false,
    })
}

/// Whether the value of an operator can be a list that its operand expands to.
pub(super) fn operand_mentions_list(op: &ParameterOp) -> bool {
    operands(op).any(|word| mentions_list(&word.parts))
}

/// Whether what stands beside a list in double quotes can only be text that joins its first and last
/// element.
pub(super) fn is_plain_quoted_list(inner: &[Part]) -> bool {
    let mut lists = 0_usize;
    inner.iter().all(|part| match &part.kind {
        PartKind::Literal(_) | PartKind::Escaped(_) => true,
        PartKind::Parameter(p) if is_list(p) => {
            lists = lists.saturating_add(1);
            lists == 1 && !operand_mentions_list(&p.op)
        }
        PartKind::Parameter(p) => p.op == ParameterOp::Plain && p.subscript.is_none(),
        _ => false,
    })
}

/// Whether a word that is split has its lists only where their elements are certain to be fields:
/// `"$@"`, perhaps beside text, or `$@` and `${1+"$@"}` on their own.
pub(super) fn lists_are_plain(parts: &[Part]) -> bool {
    let lists = parts.iter().filter(|part| mentions_list(std::slice::from_ref(part))).count();
    match (lists, parts) {
        (0, _) => true,
        (1, [Part { kind: PartKind::Parameter(p), .. }]) => match &p.op {
            ParameterOp::Default { word, .. } | ParameterOp::Alternative { word, .. } if !is_list(p) => {
                is_only_list(&word.parts)
            }
            op => is_list(p) && !operand_mentions_list(op),
        },
        (1, _) => parts.iter().all(|part| match &part.kind {
            PartKind::Literal(_) | PartKind::Escaped(_) | PartKind::SingleQuoted(_) => true,
            PartKind::DoubleQuoted(inner) => !mentions_list(inner) || is_plain_quoted_list(inner),
            _ => false,
        }),
        _ => false,
    }
}

/// `"$@"` or `$@`, and nothing else.
fn is_only_list(parts: &[Part]) -> bool {
    match parts {
        [Part { kind: PartKind::Parameter(p), .. }] => is_list(p) && p.op == ParameterOp::Plain,
        [Part { kind: PartKind::DoubleQuoted(inner), .. }] => match inner.as_slice() {
            [Part { kind: PartKind::Parameter(p), .. }] => is_list(p) && p.op == ParameterOp::Plain,
            _ => false,
        },
        _ => false,
    }
}

/// Whether the operands of an expansion are read the same way by every version of bash.
pub(super) fn is_plain_expansion(p: &Parameter, quoted: bool) -> bool {
    let pattern = matches!(
        p.op,
        ParameterOp::RemovePrefix { .. } | ParameterOp::RemoveSuffix { .. } | ParameterOp::Case { .. }
    );
    let replaces = matches!(p.op, ParameterOp::Replace { .. });
    operands(&p.op).all(|word| {
        word.parts.iter().enumerate().all(|(at, part)| match &part.kind {
            PartKind::Literal(literal) => {
                let text = &*literal.text;
                // Inside double quotes neither quotes nor backslashes in an operand are what they are outside.
                let bare = !quoted || !text.iter().any(|b| matches!(b, b'\\' | b'\'' | b'"'));
                // A tilde counts at the start of an operand, and in an assignment behind a colon too.
                let tildes = !literal.marks.tilde
                    || !pattern && !replaces && (quoted || at == 0 && has_one_tilde_in_front(text));
                bare && tildes && !text.iter().any(|b| matches!(b, b'{' | b'}'))
            }
            PartKind::Escaped(byte) => !quoted && !matches!(byte, b'{' | b'}'),
            PartKind::SingleQuoted(text) | PartKind::AnsiC(text) => {
                (!quoted || pattern) && !text.iter().any(|b| matches!(b, b'{' | b'}' | b',' | b'\\'))
            }
            PartKind::DoubleQuoted(inner) => (!quoted || pattern) && inner.iter().all(is_simple_in_quotes),
            PartKind::Parameter(inner) => is_plain_expansion(inner, quoted && !pattern),
            PartKind::Command(substitution) => substitution.style == SubstitutionStyle::Dollar,
            PartKind::Arithmetic(_) => true,
            _ => false,
        })
    })
}

fn has_one_tilde_in_front(text: &[u8]) -> bool {
    text.starts_with(b"~") && text.iter().filter(|b| **b == b'~').count() == 1 && !text.contains(&b':')
}

/// Text or a plain variable, which mean the same at any depth of quotes.
fn is_simple_in_quotes(part: &Part) -> bool {
    match &part.kind {
        PartKind::Literal(Literal { text, .. }) => {
            !text.iter().any(|b| matches!(b, b'{' | b'}' | b',' | b'\\' | b'$'))
        }
        PartKind::Parameter(p) => p.op == ParameterOp::Plain && p.braced && p.subscript.is_none(),
        _ => false,
    }
}

/// Whether brace expansion, which bash does on the text of a word, may see something else than the braces
/// that stand in unquoted text.
///
/// `source` is the text that spans point into; empty if it is not at hand.
pub(super) fn may_hide_braces(parts: &[Part], source: &[u8]) -> bool {
    let open = parts.iter().any(|part| match &part.kind {
        PartKind::Literal(literal) => literal.text.contains(&b'{'),
        _ => false,
    });
    let mut after_dollar = false;
    for part in parts {
        if let PartKind::Literal(literal) = &part.kind {
            // `$${a,b}`: bash takes the second dollar and the brace for the start of an expansion.
            let text = &*literal.text;
            if after_dollar && text.starts_with(b"{") || text.windows(2).any(|pair| pair == b"${") {
                return true;
            }
        } else if hides_braces(part, open, source) {
            return true;
        }
        after_dollar = match &part.kind {
            PartKind::Parameter(p) => matches!(p.name, ParameterName::Special(b'$')) && !p.braced,
            _ => false,
        };
    }
    false
}

fn hides_braces(part: &Part, open: bool, source: &[u8]) -> bool {
    match &part.kind {
        PartKind::Literal(_) | PartKind::Escaped(_) | PartKind::SingleQuoted(_) | PartKind::AnsiC(_) => false,
        PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => {
            inner.iter().any(|part| hides_braces(part, open, source))
        }
        PartKind::Parameter(p) => {
            let plain = operands(&p.op).next().is_none()
                && !matches!(p.op, ParameterOp::Slice { .. })
                && p.subscript.is_none();
            !plain && (open || !is_free_of_braces(p) && has_brace(part.span, source))
        }
        PartKind::Command(substitution) => {
            open || substitution.style != SubstitutionStyle::Dollar && has_brace(part.span, source)
        }
        PartKind::Arithmetic(_) => open || has_brace(part.span, source),
        PartKind::Process(_) => open,
        PartKind::ExtendedGlob(_) | PartKind::ArrayAssignment(_) => true,
    }
}

/// Whether the operands of an expansion hold neither braces nor anything in which they could be.
fn is_free_of_braces(p: &Parameter) -> bool {
    fn free(part: &Part) -> bool {
        match &part.kind {
            PartKind::Literal(Literal { text, .. })
            | PartKind::SingleQuoted(text)
            | PartKind::AnsiC(text) => !text.contains(&b'{'),
            PartKind::Escaped(byte) => *byte != b'{',
            PartKind::DoubleQuoted(inner) => inner.iter().all(free),
            PartKind::Parameter(p) => is_free_of_braces(p),
            _ => false,
        }
    }
    p.subscript.is_none()
        && !matches!(p.op, ParameterOp::Slice { .. })
        && operands(&p.op).all(|word| word.parts.iter().all(free))
}

/// Whether there may be a brace that does not follow a dollar.
fn has_brace(span: Span, source: &[u8]) -> bool {
    let Some(text) = source.get(span.start as usize..span.end as usize).filter(|text| !text.is_empty())
    else {
        return true;
    };
    let dollars =
        |at: usize| text.get(..at).unwrap_or_default().iter().rev().take_while(|b| **b == b'$').count();
    text.iter().enumerate().any(|(at, b)| *b == b'{' && dollars(at) != 1)
}

/// Whether the tildes of a word stand where every version reads them alike: at the start of a word, of
/// the value of an assignment, or of a member of a list with colons, and in front of a slash or the end.
pub(super) fn tildes_are_plain(parts: &[Part], assigned: bool) -> bool {
    let mut found = 0_usize;
    for (at, part) in parts.iter().enumerate() {
        let PartKind::Literal(Literal { text, marks }) = &part.kind else { continue };
        if !marks.tilde {
            continue;
        }
        let last = at.saturating_add(1) == parts.len();
        for (position, _) in text.iter().enumerate().filter(|(_, b)| **b == b'~') {
            let (before, rest) = text.split_at(position);
            let counts = match before.last() {
                None => at == 0,
                Some(b'=' | b':') => true,
                Some(_) => false,
            };
            if !counts {
                continue;
            }
            found = found.saturating_add(1);
            let expected = match before {
                [] => true,
                _ if assigned => before.ends_with(b":") && !before.contains(&b'='),
                [name @ .., b'='] => at == 0 && super::word::is_name(name),
                _ => false,
            };
            let rest = rest.get(1..).unwrap_or_default();
            let complete = match rest.iter().position(|b| matches!(b, b'/' | b':')) {
                Some(stop) => rest.get(stop) == Some(&b'/') || assigned && last,
                None => last,
            };
            if !expected || !complete || !assigned && (found > 1 || rest.contains(&b':')) {
                return false;
            }
        }
    }
    true
}
