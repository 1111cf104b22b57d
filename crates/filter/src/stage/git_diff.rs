//! A diff without its bookkeeping; changes that are made again and again are shown twice.
//!
//! Every changed line is shown unless the very same lines were removed and added before: then its
//! place is written. Long stretches of added lines that count something up are folded. Context
//! between two folded changes goes with them.

use super::runs::Run;
use super::{Held, Line, Next, Stage};
use crate::known::Known;

/// How often the same change is shown.
const SHOWN: u32 = 2;
/// Added or removed lines that count up: fewer hidden ones than this are shown.
const LEAST: u64 = 12;
/// Context kept before a change after others were folded.
const CONTEXT: usize = 3;
const CHANGES: usize = 4096;

#[derive(Default)]
pub(crate) struct GitDiff {
    /// Head of a file: lines from `diff --git` to the first hunk.
    head: Vec<Held>,
    in_head: bool,
    in_hunk: bool,
    /// Lines of the new file that the hunk still covers, of the old one too.
    new_left: u64,
    old_left: u64,
    new_line: u64,
    context: Vec<Held>,
    context_hidden: u64,
    change: Vec<Held>,
    change_line: u64,
    change_key: u64,
    seen: Known<u32>,
    /// Places of changes that were made before.
    same: Vec<u64>,
    same_lines: u64,
    run: Option<Counting>,
}

struct Counting {
    sign: u8,
    run: Run,
    held: Vec<Held>,
    count: u64,
}

impl GitDiff {
    fn write_head(&mut self, next: &mut Next<'_>) {
        self.in_head = false;
        let head = std::mem::take(&mut self.head);
        let has = |start: &str| head.iter().any(|h| h.text.starts_with(start));
        let named = has("+++ ");
        let new_is_null = has("+++ /dev/null");
        for held in &head {
            let text = held.text.as_ref();
            // `--- a/x` and `+++ b/x` say what these two say.
            let said = (named && text.starts_with("diff ") && !has("rename "))
                || text.starts_with("index ")
                || (named
                    && !new_is_null
                    && text.starts_with("--- a/")
                    && !has("rename ")
                    && self.same_path(&head))
                || (new_is_null && text.starts_with("+++ /dev/null") && has("deleted file"))
                || (text.starts_with("--- /dev/null") && has("new file"));
            if said {
                next.cut(1);
            } else {
                next.line(held.line().known());
            }
        }
    }

    fn same_path(&self, head: &[Held]) -> bool {
        let path = |start: &str, side: &str| {
            head.iter()
                .find_map(|h| h.text.strip_prefix(start))
                .map(|p| p.strip_prefix(side).unwrap_or(p).to_owned())
        };
        path("--- ", "a/") == path("+++ ", "b/")
    }

    /// A change (removed and added lines that stand together) is complete.
    fn end_change(&mut self, next: &mut Next<'_>) {
        if self.change.is_empty() && self.run.is_none() {
            return;
        }
        if self.run.is_some() {
            self.flush(next);
            self.end_run(next);
            self.change.clear();
            return;
        }
        let change = std::mem::take(&mut self.change);
        let count = if self.seen.len() < CHANGES {
            let count = self.seen.entry(self.change_key).or_default();
            *count += 1;
            *count
        } else {
            *self.seen.get(&self.change_key).unwrap_or(&0)
        };
        if count > SHOWN && change.len() <= 40 {
            self.same.push(self.change_line);
            self.same_lines += change.len() as u64 + self.context.len() as u64 + self.context_hidden;
            self.context.clear();
            self.context_hidden = 0;
            return;
        }
        self.flush(next);
        for held in &change {
            next.line(held.line().known());
        }
    }

    /// Writes what stands before the next line that is shown.
    fn flush(&mut self, next: &mut Next<'_>) {
        let mut context = std::mem::take(&mut self.context);
        if !self.same.is_empty() {
            let same = std::mem::take(&mut self.same);
            let places: Vec<String> = same.iter().map(u64::to_string).collect();
            next.note(&format!("[… the same change at line {} …]", places.join(", ")));
            let keep = context.len().saturating_sub(CONTEXT);
            self.same_lines += keep as u64;
            context.drain(..keep);
            next.folded(std::mem::take(&mut self.same_lines));
        }
        self.context_hidden = 0;
        for held in &context {
            next.line(held.line().known());
        }
    }

    fn end_run(&mut self, next: &mut Next<'_>) {
        let Some(mut counting) = self.run.take() else { return };
        let Some(last) = counting.held.pop() else { return };
        let hidden = counting.count - 1;
        if hidden < LEAST {
            for held in &counting.held {
                next.line(held.line().known());
            }
        } else {
            next.note(&format!("{}[… {hidden} more lines like this …]", counting.sign as char));
            next.folded(hidden);
        }
        next.line(last.line().known());
    }

    fn changed(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        let sign = line.text.as_bytes()[0];
        if let Some(counting) = &mut self.run {
            if counting.sign == sign && counting.run.next(line.text) {
                counting.count += 1;
                if counting.count > LEAST + 1 {
                    counting.held.clear();
                }
                counting.held.push(line.into());
                return;
            }
            self.end_run(next);
            self.change.clear();
            self.change_key = 0;
            self.change_line = self.new_line;
        }
        if self.change.is_empty() {
            self.change_line = self.new_line;
            self.change_key = 0x51;
        }
        self.change_key = line.text.bytes().fold(self.change_key.rotate_left(1), |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        // Two lines that count up begin a run: what came before them is shown.
        if let Some(before) = self.change.last()
            && before.text.as_bytes().first() == Some(&sign)
            && let Some(mut run) = Run::begin(&before.text)
            && run.next(line.text)
        {
            self.flush(next);
            for held in std::mem::take(&mut self.change) {
                next.line(held.line().known());
            }
            self.run = Some(Counting { sign, run, held: vec![line.into()], count: 1 });
            return;
        }
        self.change.push(line.into());
        if self.change.len() > 64 {
            // A long change is no repetition: it is written as it comes.
            self.flush(next);
            for held in std::mem::take(&mut self.change) {
                next.line(held.line().known());
            }
            self.change_key ^= 0xfeed;
        }
    }

    fn end_all(&mut self, next: &mut Next<'_>) {
        self.end_change(next);
        self.flush(next);
    }
}

/// `@@ -9,7 +9,7 @@` → old count, new start, new count.
fn hunk(text: &str) -> Option<(u64, u64, u64)> {
    let rest = text.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let pair = |text: &str| -> Option<(u64, u64)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let (_, old_count) = pair(old)?;
    let (start, count) = pair(new)?;
    Some((old_count, start, count))
}

impl Stage for GitDiff {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            self.end_all(next);
            self.write_head(next);
            return next.line(line);
        }
        let text = line.text;
        if self.in_hunk && (self.new_left > 0 || self.old_left > 0) {
            match text.as_bytes().first() {
                Some(b'+') => {
                    self.new_left = self.new_left.saturating_sub(1);
                    self.changed(line, next);
                    self.new_line += 1;
                    return;
                }
                Some(b'-') => {
                    self.old_left = self.old_left.saturating_sub(1);
                    return self.changed(line, next);
                }
                Some(b'\\') => return,
                Some(b' ') | None => {
                    self.end_change(next);
                    self.new_left = self.new_left.saturating_sub(1);
                    self.old_left = self.old_left.saturating_sub(1);
                    self.new_line += 1;
                    if self.same.is_empty() {
                        // Nothing is folded before it: it need not wait.
                        self.flush(next);
                        return next.line(line.known());
                    }
                    self.context.push(line.into());
                    if self.context.len() > CONTEXT {
                        self.context.remove(0);
                        self.context_hidden += 1;
                    }
                    return;
                }
                _ => {}
            }
        }
        if let Some((old, start, new)) = hunk(text) {
            self.end_all(next);
            self.write_head(next);
            self.in_hunk = true;
            (self.old_left, self.new_line, self.new_left) = (old, start, new);
            return next.line(line.known());
        }
        if text.starts_with("diff --git ") {
            self.end_all(next);
            self.write_head(next);
            self.in_hunk = false;
            self.in_head = true;
            self.head.push(line.into());
            return;
        }
        if self.in_head && self.head.len() < 20 && head_line(text) {
            self.head.push(line.into());
            return;
        }
        self.end_all(next);
        self.write_head(next);
        self.in_hunk = false;
        next.line(line);
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        self.end_all(next);
        self.write_head(next);
    }
}

fn head_line(text: &str) -> bool {
    [
        "index ",
        "--- ",
        "+++ ",
        "new file mode ",
        "deleted file mode ",
        "old mode ",
        "new mode ",
        "similarity index ",
        "dissimilarity index ",
        "rename from ",
        "rename to ",
        "copy from ",
        "copy to ",
        "Binary files ",
        "GIT binary patch",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}
