//! Scanners for program text in other languages.
//!
//! None of them is a parser of its language. Each finds what could run a command, touch a file or reach a
//! host, follows constants, and says `unknown` about the rest unless every name in the text is known to be
//! harmless.

mod awk;
mod editor;
mod interpreted;
pub(crate) mod patch;
mod sed;
mod settings;
mod sql;

/// What xargs takes from its standard input: words, or lines when it puts each into a command.
pub(super) fn xargs_items(text: &str, lines: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut item: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => item.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                item.get_or_insert_default();
            }
            None if c == '\\' => item.get_or_insert_default().extend(chars.next()),
            None if c == '\n' || c.is_whitespace() && !lines => out.extend(item.take()),
            // Blanks in front of a line do not count.
            None if c.is_whitespace() && item.is_none() => {}
            None => item.get_or_insert_default().push(c),
        }
    }
    out.extend(item);
    out
}

/// Splits text at blanks, with quotes as a shell reads them and no expansions.
pub(super) fn split_quoted(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut started = false;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match quote {
            Some(q) if c == q => quote = None,
            Some('"') if c == '\\' => word.extend(chars.next()),
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                started = true;
            }
            None if c.is_whitespace() => {
                if started || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                started = false;
            }
            None => word.push(c),
        }
    }
    if started || !word.is_empty() {
        out.push(word);
    }
    out
}
