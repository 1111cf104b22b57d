//! The classes of disagreements that were looked into.

use crate::disagreement::{Disagreement, disagreements};
use crate::peers::{PEERS, toolgate};
use std::path::Path;
use toml::{Table, Value};

/// What a committed entry says. Everything that it sets must hold for a disagreement to be of the class.
pub struct Class {
    /// A short name.
    pub name: String,
    /// The kind of disagreement: `accepted` or `hidden`.
    kind: String,
    /// Who may show a hidden command.
    by: Vec<String>,
    /// Patterns of names of hidden commands, in which `…` stands for any text.
    names: Vec<String>,
    /// Patterns of reduced texts, in which `‹name›` stands for the hidden name.
    texts: Vec<String>,
    /// Two strings: with the second in place of the first, the others accept the text and agree with us,
    /// and we show nothing there that we do not show in the text itself.
    rewrite: Vec<String>,
}

/// The committed classes. Each must say who is right and why.
pub fn classes() -> Vec<Class> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("triage.toml");
    let table: Table =
        std::fs::read_to_string(file).expect("triage.toml is there").parse().expect("it is TOML");
    table.get("class").and_then(Value::as_array).into_iter().flatten().map(class).collect()
}

fn class(entry: &Value) -> Class {
    let string = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let strings = |key: &str| {
        let items = entry.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let class = Class {
        name: string("name"),
        kind: string("kind"),
        by: strings("by"),
        names: strings("names"),
        texts: strings("texts"),
        rewrite: strings("rewrite"),
    };
    assert!(
        !string("why").is_empty() && !string("right").is_empty(),
        "{}: who is right, and why?",
        class.name
    );
    let is_open = class.names.is_empty() && class.texts.is_empty() && class.rewrite.is_empty();
    assert!(!is_open, "{}: which texts?", class.name);
    class
}

impl Class {
    /// Whether a disagreement about a reduced text is of this class.
    pub fn covers(&self, disagreement: &Disagreement, reduced: &str) -> bool {
        let name = match disagreement {
            Disagreement::Accepted if self.kind == "accepted" => String::new(),
            Disagreement::Hidden { name, by }
                if self.kind == "hidden" && by.iter().all(|peer| self.is_by(peer)) =>
            {
                String::from_utf8_lossy(name).into_owned()
            }
            _ => return false,
        };
        let texts: Vec<String> = self.texts.iter().map(|pattern| pattern.replace("‹name›", &name)).collect();
        any_matches(&self.names, &name)
            && any_matches(&texts, reduced)
            && self.reads_the_same_rewritten(reduced)
    }

    fn is_by(&self, peer: &str) -> bool {
        self.by.iter().any(|known| known == peer)
    }

    fn reads_the_same_rewritten(&self, text: &str) -> bool {
        let [from, to] = &self.rewrite[..] else { return true };
        let rewritten = text.replace(from, to);
        let (Some(before), Some(after)) = (toolgate(text), toolgate(&rewritten)) else { return false };
        let mut voters = PEERS.iter().filter(|(peer, _)| self.is_by(peer));
        rewritten != text
            && after.iter().all(|shown| before.iter().any(|before| before.name == shown.name))
            && voters.any(|(_, vote)| vote(&rewritten).is_some())
            && disagreements(&rewritten).is_empty()
    }
}

/// Whether a text matches one of the patterns, if there are any.
fn any_matches(patterns: &[String], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, text))
}

/// Whether a text matches a pattern with wildcards `…`.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('…') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('…').unwrap_or(("", rest));
    for piece in middle.split('…') {
        let Some(at) = text.find(piece) else { return false };
        text = &text[at + piece.len()..];
    }
    text.ends_with(last)
}
