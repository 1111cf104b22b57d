//! Patches: which files they change.

use crate::analyse::Analyst;
use crate::analyse::state::State;
use crate::effect::Kind;
use toolgate_bash::ast::Span;

impl Analyst<'_> {
    pub(in crate::analyse) fn patch(&mut self, text: &str, span: Span, state: &State) {
        for (kind, path) in targets(text) {
            self.path_from(kind, &path, span, state);
        }
    }
}

/// The files a patch changes: a unified diff, with what git adds to it, or the form that agents write
/// (`*** Update File: x`).
pub(crate) fn targets(text: &str) -> Vec<(Kind, String)> {
    let mut out = Vec::new();
    let mut before = "";
    for line in text.lines() {
        let named = |prefix: &str| line.strip_prefix(prefix).map(str::trim);
        if let Some(new) = named("+++ ").filter(|_| before.starts_with("--- ")) {
            // A file that goes is named by the line before.
            let old = before.strip_prefix("--- ").unwrap_or_default();
            let path = if new.starts_with("/dev/null") { old } else { new };
            out.push((Kind::Write, in_tree(path)));
        } else if let Some(path) = named("rename to ").or_else(|| named("copy to ")) {
            out.push((Kind::Write, in_tree(path)));
        } else if let Some(path) =
            named("*** Update File: ").or_else(|| named("*** Add File: ")).or_else(|| named("*** Move to: "))
        {
            out.push((Kind::Write, path.to_owned()));
        } else if let Some(path) = named("*** Delete File: ") {
            out.push((Kind::Delete, path.to_owned()));
        }
        before = line;
    }
    out.retain(|(_, path)| !path.is_empty());
    out.dedup();
    out
}

/// The path in a header, without the time behind it and the `a/` or `b/` before it.
fn in_tree(header: &str) -> String {
    let path = header.split('\t').next().unwrap_or(header).trim().trim_matches('"');
    match path.split_once('/') {
        Some(("a" | "b" | "c" | "i" | "w" | "o", rest)) => rest.to_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Kind, String)> {
        targets(text)
    }

    #[test]
    fn the_headers_of_a_diff_name_its_files() {
        let text = "diff --git a/x b/x\n--- a/x\t2020-01-01\n+++ b/x\t2020-01-02\n@@ -1 +1 @@\n-a\n+++ b/y\n";
        assert_eq!(found(text), [(Kind::Write, "x".to_owned())]);
        assert_eq!(found("--- a/x\n+++ /dev/null\n"), [(Kind::Write, "x".to_owned())]);
        assert_eq!(found("--- /dev/null\n+++ b/.git/hooks/x\n"), [(Kind::Write, ".git/hooks/x".to_owned())]);
        assert_eq!(found("rename from a\nrename to .envrc\n"), [(Kind::Write, ".envrc".to_owned())]);
    }

    #[test]
    fn the_form_of_agents_names_its_files() {
        let text = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
        assert_eq!(found(text), [(Kind::Write, "a".to_owned()), (Kind::Delete, "b".to_owned())]);
        assert_eq!(found("nothing of a patch"), []);
    }
}
