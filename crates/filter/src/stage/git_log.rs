//! `git log` with short names and dates; subjects and bodies stay as they were written.

use super::{Line, Next, Stage};

#[derive(Default)]
pub(crate) struct GitLog {
    header: Option<Header>,
    /// Author written last, as `Name <mail>`.
    author: String,
    current: String,
    body: bool,
}

struct Header {
    number: u64,
    /// Short hash, and what stood behind it (branches, tags).
    commit: String,
    merge: String,
    author: String,
    date: String,
    other: Vec<String>,
}

fn is_hash(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `Wed Jan 14 10:00:00 2026 +0000` → `Jan 14 2026 10:00`; other spellings stay.
fn short_date(date: &str) -> String {
    let parts: Vec<&str> = date.split_whitespace().collect();
    match parts.as_slice() {
        [_, month, day, clock, year, zone]
            if month.len() == 3 && year.len() == 4 && clock.len() == 8 && clock.is_char_boundary(5) =>
        {
            let zone = if *zone == "+0000" { String::new() } else { format!(" {zone}") };
            format!("{month} {day} {year} {}{zone}", &clock[..5])
        }
        _ => date.to_owned(),
    }
}

impl GitLog {
    fn write(&mut self, next: &mut Next<'_>) {
        let Some(header) = self.header.take() else { return };
        let mut text = header.commit;
        if !header.merge.is_empty() {
            text.push_str(" merge ");
            text.push_str(&header.merge);
        }
        if !header.date.is_empty() {
            text.push(' ');
            text.push_str(&short_date(&header.date));
        }
        if !header.author.is_empty() && header.author != self.author {
            text.push(' ');
            text.push_str(&header.author);
            self.author.clone_from(&header.author);
        }
        self.current = header.author;
        next.line(Line::new(&text, header.number).known());
        for other in header.other {
            next.line(Line::new(&other, header.number).known());
        }
        self.body = true;
    }
}

impl Stage for GitLog {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.write(next);
            return next.line(line);
        }
        let text = line.text;
        if let Some(rest) = text.strip_prefix("commit ")
            && rest.get(..40).is_some_and(is_hash)
        {
            self.write(next);
            let (hash, behind) = rest.split_at(40);
            self.header = Some(Header {
                number: line.number,
                commit: format!("commit {}{behind}", &hash[..10]),
                merge: String::new(),
                author: String::new(),
                date: String::new(),
                other: Vec::new(),
            });
            return;
        }
        if let Some(header) = &mut self.header {
            if let Some(author) = text.strip_prefix("Author: ") {
                author.trim().clone_into(&mut header.author);
            } else if let Some(date) =
                text.strip_prefix("Date: ").or_else(|| text.strip_prefix("AuthorDate: "))
            {
                date.trim().clone_into(&mut header.date);
            } else if let Some(merge) = text.strip_prefix("Merge: ") {
                merge.clone_into(&mut header.merge);
            } else if text.trim().is_empty() {
                self.write(next);
            } else if header.other.len() < 8 && !text.starts_with(' ') {
                header.other.push(text.to_owned());
            } else {
                self.write(next);
                next.line(line);
            }
            return;
        }
        if self.body
            && let Some(body) = text.strip_prefix("    ")
        {
            // The author's own signature says nothing new.
            if body.strip_prefix("Signed-off-by: ").is_some_and(|who| who.trim() == self.current) {
                return next.cut(1);
            }
            let short = format!("  {body}");
            return next.line(Line { text: &short, ..line.known() });
        }
        next.line(line);
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        self.write(next);
    }
}
