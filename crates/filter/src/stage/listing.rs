//! Folds files with machine-made names in a listing: objects, caches, hashed artefacts.

use super::{Held, Line, Next, Stage, may_drop};
use crate::rule::Origin;

/// Hidden names below which all are shown.
const LEAST: u64 = 3;

#[derive(Default)]
pub(crate) struct Listing {
    held: Vec<Held>,
    hidden: u64,
}

/// Whether a name was made by a machine: a long word of letters and digits mixed.
fn machine_made(line: &str) -> bool {
    let name = line.trim_end().rsplit(['/', ' ', '\t', '\u{a0}']).next().unwrap_or(line);
    if line.contains("/.git/objects/") {
        return true;
    }
    name.split(['.', '-', '_']).any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let letters = word.bytes().filter(u8::is_ascii_lowercase).count();
        word.len() >= 16 && digits >= 3 && letters >= 3 && digits + letters == word.len()
    })
}

impl Listing {
    fn close(&mut self, next: &mut Next<'_>) {
        let held = std::mem::take(&mut self.held);
        if self.hidden >= LEAST {
            next.note(&format!("[… {} more machine-named …]", self.hidden));
            next.folded(self.hidden);
        } else {
            for line in held.iter().skip(1) {
                next.line(line.line());
            }
        }
        self.hidden = 0;
    }
}

impl Stage for Listing {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours()
            || !machine_made(line.text)
            || line.text.ends_with(':')
            || !may_drop(line.text, Origin::BuiltIn)
        {
            if !self.held.is_empty() {
                self.close(next);
            }
            return next.line(line);
        }
        if self.held.is_empty() {
            next.line(line.known());
            self.held.push(line.into());
            return;
        }
        self.hidden += 1;
        if self.hidden < LEAST {
            self.held.push(line.known().into());
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        if !self.held.is_empty() {
            self.close(next);
        }
    }
}
