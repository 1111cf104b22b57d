//! `git status` without its advice: names, states, branch and conflicts stay.

use super::{Line, Next, Stage};

#[derive(Default)]
pub(crate) struct GitStatus {
    inside: bool,
}

impl Stage for GitStatus {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return next.line(line);
        }
        let text = line.text;
        // Advice is in brackets and names git, in whatever language. Between a heading and its
        // paths there is nothing to separate.
        let advice = text.starts_with("  (") && text.ends_with(')') && text.contains("git ");
        let hint = text.starts_with("hint: ");
        if advice || (hint && !text.contains("error") && self.inside) {
            return next.cut(1);
        }
        if text.starts_with("On branch ") || text.starts_with("HEAD detached") || text.starts_with("## ") {
            self.inside = true;
        }
        if self.inside {
            if line.is_blank() {
                return;
            }
            let entry = text.starts_with('\t') || text.as_bytes().get(2) == Some(&b' ');
            let heading =
                text.ends_with(':') || text.starts_with("Your branch") || text.starts_with("On branch ");
            return next.line(if entry || heading { line.known() } else { line });
        }
        next.line(line);
    }

    fn finish(&mut self, _: &mut Next<'_>) {}
}
