//! What each parser says about a text.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use toolgate_bash::{Options, parse, programs};

/// A command that a parser shows.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its name without quotes; `None` if it is not literal.
    pub name: Option<Vec<u8>>,
    /// The bytes of the text it stands at.
    pub place: Range<usize>,
}

/// The commands of a text; `None` if the parser rejects it.
pub type Vote = Option<Vec<Shown>>;

/// A parser by name.
pub type Peer = (&'static str, fn(&str) -> Vote);

/// The other parsers.
pub const PEERS: [Peer; 2] = [("shuck", shuck), ("tree-sitter", tree_sitter)];

/// Fails if a parser sees less than it did when this was written, as its vote would mean nothing.
pub fn assert_eyesight() {
    for (peer, vote) in PEERS {
        let shown = vote("a \"$(b <(c))\"; export x=`d`; f() { 'e' | exit; }").unwrap_or_default();
        for name in ["a", "b", "c", "d", "e", "exit", "export"] {
            assert!(
                shown.iter().any(|shown| shown.name.as_deref() == Some(name.as_bytes())),
                "{peer} misses {name}"
            );
        }
    }
}

/// Our own vote.
pub fn toolgate(text: &str) -> Vote {
    let script = parse(text.as_bytes(), &Options::default()).ok()?;
    let shown = programs(&script).into_iter().map(|program| Shown {
        name: program.name.map(|name| name.as_bytes().to_vec()),
        place: program.span.start as usize..program.span.end as usize,
    });
    Some(shown.collect())
}

/// Reads shuck's tree in the form that `Debug` gives it: the crate has no visitor, and this leaves no node out.
fn shuck(text: &str) -> Vote {
    let result = catch_unwind(AssertUnwindSafe(|| shuck_parser::parser::Parser::new(text).parse())).ok()?;
    if !result.is_ok() {
        return None;
    }
    let tree = format!("{:?}", result.file);
    let mut shown = Vec::new();
    for start in "SimpleCommand { name: Word { ".occurrences(&tree) {
        shown.extend(field_span(&tree[start..], "span: ").map(|place| literal(text, place)));
    }
    for start in "DeclClause { ".occurrences(&tree) {
        shown.extend(field_span(&tree[start..], "variant_span: ").map(|place| literal(text, place)));
    }
    for name in ["Break", "Continue", "Return", "Exit"] {
        for start in format!("{name}Command {{ ").occurrences(&tree) {
            let place = field_span(&tree[start..], "span: ").unwrap_or_default();
            shown.push(Shown { name: Some(name.to_lowercase().into_bytes()), place });
        }
    }
    Some(shown.into_iter().filter(|shown| shown.name.as_ref().is_none_or(|name| !name.is_empty())).collect())
}

/// All places after the string in a text.
trait Occurrences {
    fn occurrences(&self, text: &str) -> Vec<usize>;
}

impl Occurrences for str {
    fn occurrences(&self, text: &str) -> Vec<usize> {
        text.match_indices(self).map(|(at, found)| at + found.len()).collect()
    }
}

/// The span in a field of a node, given the text after the brace that opens the node.
fn field_span(node: &str, field: &str) -> Option<Range<usize>> {
    let bytes = node.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        if depth == 0 && bytes[at..].starts_with(field.as_bytes()) && (at == 0 || bytes[at - 1] == b' ') {
            let mut offsets =
                "offset: ".occurrences(&node[at..]).into_iter().map(|start| number(&node[at + start..]));
            return Some(offsets.next()??..offsets.next()??);
        }
        match bytes[at] {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.checked_sub(1)?,
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn number(text: &str) -> Option<usize> {
    text[..text.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

fn tree_sitter(text: &str) -> Vote {
    thread_local! {
        static PARSER: std::cell::RefCell<tree_sitter::Parser> = {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the versions of grammar and library match");
            std::cell::RefCell::new(parser)
        };
    }
    let tree = PARSER.with_borrow_mut(|parser| parser.parse(text, None))?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut shown = Vec::new();
    let mut nodes = vec![tree.root_node()];
    while let Some(node) = nodes.pop() {
        let first = node.child(0).map(|child| child.byte_range());
        match node.kind() {
            "command_name" => shown.push(literal(text, node.byte_range())),
            "declaration_command" | "unset_command" => shown.extend(first.map(|place| literal(text, place))),
            "test_command" => shown.extend(
                first
                    .filter(|place| &text[place.clone()] == "[")
                    .map(|place| Shown { name: Some(b"[".to_vec()), place }),
            ),
            _ => {}
        }
        nodes.extend((0..node.child_count()).filter_map(|child| node.child(child)));
    }
    Some(shown)
}

/// The command word at a place, without its quotes.
fn literal(text: &str, place: Range<usize>) -> Shown {
    let word = text.get(place.clone()).unwrap_or("$");
    Shown { name: unquoted(word), place }
}

/// A word without quotes; `None` if it may be expanded.
fn unquoted(word: &str) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    let mut bytes = word.bytes();
    let mut quote = 0;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' if quote == b'\'' => quote = 0,
            _ if quote == b'\'' => name.push(byte),
            b'$' | b'`' => return None,
            b'"' => quote ^= b'"',
            b'\'' if quote == 0 => quote = b'\'',
            b'\\' => match bytes.next()? {
                b'\n' => {}
                escaped if quote == 0 || b"$`\"\\".contains(&escaped) => name.push(escaped),
                other => name.extend([b'\\', other]),
            },
            b'*' | b'?' | b'[' | b'{' | b'~' if quote == 0 && word.len() > 1 => return None,
            _ => name.push(byte),
        }
    }
    Some(name)
}
