//! Brace expansion, on the parts of a word and before anything else is expanded.
//!
//! Only braces that nest properly are expanded; where they do not, a word that could not expand
//! anyway is left as it is, and any other is not understood.

use super::value::Why;
use crate::ast::{Literal, ParameterName, Part, PartKind};

/// A part of a word after brace expansion.
#[derive(Clone, Debug)]
pub enum Atom<'s> {
    /// A part as the parser read it.
    Part(&'s Part),
    /// Unquoted text.
    Text(Vec<u8>),
}

impl Atom<'_> {
    /// The text if it is not quoted.
    pub(super) fn unquoted(&self) -> Option<&[u8]> {
        match self {
            Atom::Text(text) => Some(text),
            Atom::Part(Part { kind: PartKind::Literal(literal), .. }) => Some(&literal.text),
            Atom::Part(_) => None,
        }
    }
}

/// Most words that one word becomes.
const MOST_WORDS: usize = 1024;
/// Deepest nesting that is expanded.
const MOST_DEPTH: usize = 16;

/// Whether a word has braces that the parser marked.
pub(super) fn may_expand(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(&part.kind, PartKind::Literal(literal) if literal.marks.brace))
}

/// The words that braces make of one, by its parts; `None` if they stand for themselves.
///
/// # Errors
///
/// Where it is not certain which words those are, or where they are too many.
pub fn expand(parts: &[Part]) -> Result<Option<Vec<Vec<Atom<'_>>>>, Why> {
    let mut cells = Vec::new();
    for part in parts {
        match &part.kind {
            PartKind::Literal(Literal { text, .. }) => cells.extend(text.iter().map(|&b| Cell::Byte(b))),
            _ => cells.push(Cell::Part(part)),
        }
    }
    let byte = |cell: &Cell<'_>, wanted: u8| matches!(cell, Cell::Byte(b) if *b == wanted);
    if !cells.iter().any(|cell| byte(cell, b'{')) {
        return Ok(None);
    }
    let separated = cells.iter().any(|cell| byte(cell, b','))
        || cells.windows(2).any(|pair| pair.iter().all(|cell| byte(cell, b'.')));
    if !separated {
        return Ok(None);
    }
    let nodes = parse(&cells)?;
    if !nodes.iter().any(|node| !matches!(node, Node::Cell(_))) {
        return Ok(None);
    }
    let words = product(&nodes)?;
    words.into_iter().map(atoms).collect::<Result<_, _>>().map(Some)
}

#[derive(Clone, Copy, Debug)]
enum Cell<'s> {
    Byte(u8),
    Part(&'s Part),
}

#[derive(Debug)]
enum Node<'s> {
    Cell(Cell<'s>),
    /// `{a,b}`
    Choice(Vec<Vec<Node<'s>>>),
    /// `{1..3}`, by its members.
    Range(Vec<Vec<u8>>),
}

/// What is open while braces are matched.
struct Open<'s> {
    /// Members that a comma has ended.
    members: Vec<Vec<Node<'s>>>,
    /// The member that is being read.
    member: Vec<Node<'s>>,
}

fn parse<'s>(cells: &[Cell<'s>]) -> Result<Vec<Node<'s>>, Why> {
    let mut stack = vec![Open { members: Vec::new(), member: Vec::new() }];
    for &cell in cells {
        let depth = stack.len();
        let Some(top) = stack.last_mut() else { return Err(Why::Braces) };
        match cell {
            Cell::Byte(b'{') => {
                if depth > MOST_DEPTH {
                    return Err(Why::TooLarge);
                }
                stack.push(Open { members: Vec::new(), member: Vec::new() });
            }
            Cell::Byte(b',') if depth > 1 => {
                let member = std::mem::take(&mut top.member);
                top.members.push(member);
            }
            Cell::Byte(b'}') => {
                let closed = stack.pop().ok_or(Why::Braces)?;
                let above = stack.last_mut().ok_or(Why::Braces)?;
                close(closed, &mut above.member)?;
            }
            cell => top.member.push(Node::Cell(cell)),
        }
    }
    match (stack.pop(), stack.is_empty()) {
        (Some(bottom), true) => Ok(bottom.member),
        _ => Err(Why::Braces),
    }
}

fn close<'s>(mut closed: Open<'s>, above: &mut Vec<Node<'s>>) -> Result<(), Why> {
    if !closed.members.is_empty() {
        closed.members.push(closed.member);
        above.push(Node::Choice(closed.members));
        return Ok(());
    }
    let plain: Option<Vec<u8>> = closed
        .member
        .iter()
        .map(|node| match node {
            Node::Cell(Cell::Byte(b)) => Some(*b),
            _ => None,
        })
        .collect();
    let dots = closed
        .member
        .windows(2)
        .any(|pair| pair.iter().all(|node| matches!(node, Node::Cell(Cell::Byte(b'.')))));
    if dots {
        match plain {
            Some(text) => {
                if let Some(members) = range(&text)? {
                    above.push(Node::Range(members));
                    return Ok(());
                }
            }
            None if closed.member.iter().all(|node| matches!(node, Node::Cell(_))) => {}
            None => return Err(Why::Braces),
        }
    }
    above.push(Node::Cell(Cell::Byte(b'{')));
    above.append(&mut closed.member);
    above.push(Node::Cell(Cell::Byte(b'}')));
    Ok(())
}

/// The members of `from..to` or `from..to..step`; `None` if it is no range.
fn range(text: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Why> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
    let mut ends = text.split("..");
    let (Some(from), Some(to)) = (ends.next(), ends.next()) else { return Ok(None) };
    let step = ends.next();
    if ends.next().is_some() || text.contains("...") {
        return Err(Why::Braces);
    }
    let is_number = |end: &str| {
        let digits = end.strip_prefix('-').unwrap_or(end);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    if step.is_some_and(|step| !is_number(step)) {
        return if text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.') {
            Ok(None)
        } else {
            Err(Why::Braces)
        };
    }
    let step = match step {
        None => 1,
        Some(step) => step.parse::<i64>().map_err(|_| Why::Braces)?.unsigned_abs().max(1),
    };
    if is_number(from) && is_number(to) {
        let padded = |end: &str| end.trim_start_matches('-').starts_with('0') && end.len() > 1;
        let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
        if width > 0 && (from.starts_with('-') || to.starts_with('-')) {
            return Err(Why::Version);
        }
        let (from, to) = (from.parse::<i64>(), to.parse::<i64>());
        let (Ok(from), Ok(to)) = (from, to) else { return Err(Why::Braces) };
        let numbers = steps(from, to, step)?;
        return Ok(Some(numbers.into_iter().map(|n| format!("{n:0width$}").into_bytes()).collect()));
    }
    if let (&[from], &[to]) = (from.as_bytes(), to.as_bytes()) {
        let one_case = from.is_ascii_lowercase() && to.is_ascii_lowercase()
            || from.is_ascii_uppercase() && to.is_ascii_uppercase();
        if !one_case {
            return if from.is_ascii_alphabetic() && to.is_ascii_alphabetic() {
                Err(Why::Braces)
            } else {
                odd(text)
            };
        }
        let letters = steps(from.into(), to.into(), step)?;
        return Ok(Some(letters.into_iter().filter_map(|n| u8::try_from(n).ok()).map(|b| vec![b]).collect()));
    }
    odd(text)
}

/// What is no range, if that is certain.
fn odd(text: &str) -> Result<Option<Vec<Vec<u8>>>, Why> {
    // Signs and white space in front of a number are read by some and not by others.
    if text.bytes().any(|b| matches!(b, b'+' | b'-' | b' ' | b'\t')) { Err(Why::Braces) } else { Ok(None) }
}

fn steps(from: i64, to: i64, step: u64) -> Result<Vec<i64>, Why> {
    let count = from.abs_diff(to).checked_div(step).unwrap_or(0);
    let count = usize::try_from(count).ok().filter(|&n| n < MOST_WORDS).ok_or(Why::TooLarge)?;
    let mut out = Vec::with_capacity(count.saturating_add(1));
    let mut at = from;
    for _ in 0..=count {
        out.push(at);
        at = if from <= to { at.saturating_add_unsigned(step) } else { at.saturating_sub_unsigned(step) };
    }
    Ok(out)
}

/// Every way to choose, the last choice changing fastest.
fn product<'s>(nodes: &[Node<'s>]) -> Result<Vec<Vec<Cell<'s>>>, Why> {
    let mut words: Vec<Vec<Cell<'s>>> = vec![Vec::new()];
    for node in nodes {
        let choices: Vec<Vec<Cell<'s>>> = match node {
            Node::Cell(cell) => {
                for word in &mut words {
                    word.push(*cell);
                }
                continue;
            }
            Node::Range(members) => {
                members.iter().map(|text| text.iter().map(|&b| Cell::Byte(b)).collect()).collect()
            }
            Node::Choice(members) => {
                let mut choices = Vec::new();
                for member in members {
                    choices.append(&mut product(member)?);
                    if choices.len() > MOST_WORDS {
                        return Err(Why::TooLarge);
                    }
                }
                choices
            }
        };
        if words.len().saturating_mul(choices.len()) > MOST_WORDS {
            return Err(Why::TooLarge);
        }
        words = words
            .iter()
            .flat_map(|word| choices.iter().map(|choice| [word.as_slice(), choice.as_slice()].concat()))
            .collect();
        if words.iter().fold(0, |sum: usize, word| sum.saturating_add(word.len())) > 64 * 1024 {
            return Err(Why::TooLarge);
        }
    }
    Ok(words)
}

/// Joins bytes to texts again.
fn atoms(cells: Vec<Cell<'_>>) -> Result<Vec<Atom<'_>>, Why> {
    let mut out: Vec<Atom<'_>> = Vec::new();
    for cell in cells {
        // Braces are expanded in the text, before parameters are: `$x{a,b}` becomes `$xa $xb`, and
        // a `$` can come to stand in front of something.
        let lengthens = match (out.last(), cell) {
            (Some(Atom::Text(text)), _) => text.last() == Some(&b'$'),
            (Some(Atom::Part(part)), Cell::Byte(b)) => match &part.kind {
                PartKind::Parameter(parameter) => {
                    !parameter.braced
                        && matches!(parameter.name, ParameterName::Variable(_))
                        && (b.is_ascii_alphanumeric() || b == b'_')
                }
                _ => false,
            },
            _ => false,
        };
        if lengthens {
            return Err(Why::Braces);
        }
        match (out.last_mut(), cell) {
            (Some(Atom::Text(text)), Cell::Byte(b)) => text.push(b),
            (_, Cell::Byte(b)) => out.push(Atom::Text(vec![b])),
            (_, Cell::Part(part)) => out.push(Atom::Part(part)),
        }
    }
    Ok(out)
}
