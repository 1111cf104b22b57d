//! A tree written down without what a printer may change.

use toolgate_bash::ast::{Script, Word};

/// The tree without spans, with here-documents where they are promised, and adjacent literals as one.
///
/// How literals are split is an affair of the parser: it joins short ones around line continuations.
pub fn shape(script: &Script) -> String {
    let docs: Vec<String> = script.here_docs.iter().map(|doc| bare(&format!("{doc:?}"))).collect();
    let mut shape = bare(&format!("{:?}", script.body));
    // A here-document can hold others, to the depth that the parser allows.
    while let Some(at) = shape.find("HereDocId(") {
        let from = at + "HereDocId(".len();
        let length = shape[from..].find(')').unwrap();
        let number: usize = shape[from..from + length].parse().unwrap();
        shape.replace_range(at..from + length + 1, &docs[number]);
    }
    shape
}

/// A word without spans, and without what it says about other here-documents.
pub fn word_shape(word: &Word) -> String {
    let mut shape = bare(&format!("{word:?}"));
    shape.retain(|c| !c.is_ascii_digit());
    shape
}

fn bare(debug: &str) -> String {
    let mut out = String::with_capacity(debug.len());
    let mut rest = debug;
    // Neither pattern can occur in a quoted string, where `"` is escaped.
    while let Some(at) = rest.find("span: Span {").into_iter().chain(rest.find(", marks: Marks {")).min() {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = rest[rest.find('}').unwrap() + 1..].trim_start_matches(", ");
    }
    out.push_str(rest);
    out.replace("\" }) }, Part { kind: Literal(Literal { text: \"", "")
}
