//! Random scripts made of every construct of the grammar, nested.
//!
//! Their commands are stubs with names of their own, `k0`, `k1` …, which also stand where they must not
//! run: in quotes, comments and data. Which of them ran is what a script has to say.

mod arithmetic;
mod commands;
mod words;

use super::Random;

/// Names of stubs are `k` and a number below this.
pub const STUBS: usize = 100;

/// Makes a script.
pub fn script(random: &mut Random) -> String {
    let budget = 2 + random.below(14) as i32;
    let mut scripts = Scripts { random, stubs: 0, functions: 0, budget, pending: Vec::new(), delimiters: 0 };
    let mut text = scripts.list(3);
    if scripts.random.one_in(4) {
        text.push('\n');
    }
    scripts.flush(&mut text);
    text
}

/// Puts line continuations and stray pieces into a text.
pub fn disturb(random: &mut Random, text: &mut String) {
    const PIECES: &[&str] = &[
        "\\\n", "\\\n", "\\\n", "'", "\"", "`", "\\", "$", "(", ")", "{", "}", "#", " #", "\n", ";", "&",
        "|", "<", ">", " ", "!", "=", "[", "]", "E", "<<E", "$(", "${", "k0", "'$(k1)'", "\\`", "\\\\", "\t",
        "$'", "$\"", "*", "~", ":", "/", "-", "&&", "||", ";;", "<(", "((", "))", "esac", "in", "do", "!(",
        "${x}",
    ];
    for _ in 0..1 + random.below(3) {
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = *random.pick(&bounds);
        match random.below(4) {
            0 => {
                let to = bounds.iter().copied().find(|&b| b > at).unwrap_or(at);
                text.replace_range(at..to, "");
            }
            1 => {
                let to = bounds.iter().copied().find(|&b| b > at).unwrap_or(at);
                text.replace_range(at..to, PIECES[random.below(PIECES.len())]);
            }
            _ => text.insert_str(at, PIECES[random.below(PIECES.len())]),
        }
    }
}

struct Scripts<'r> {
    random: &'r mut Random,
    /// How many stubs have been named.
    stubs: usize,
    functions: usize,
    /// How much more may be nested.
    budget: i32,
    /// Bodies of here-documents, with their delimiters, that follow the next newline.
    pending: Vec<String>,
    delimiters: usize,
}

impl Scripts<'_> {
    fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.random.below(items.len())]
    }

    /// The name of a stub that was not used before.
    fn stub(&mut self) -> String {
        let number = self.stubs.min(STUBS - 1);
        self.stubs += 1;
        format!("k{number}")
    }

    /// Whether something nested may stand here; if so it is paid for.
    fn may_nest(&mut self) -> bool {
        self.budget -= 1;
        self.budget > 0
    }

    /// A newline, and the bodies that wait for it.
    fn newline(&mut self, text: &mut String) {
        text.push('\n');
        for body in std::mem::take(&mut self.pending) {
            text.push_str(&body);
        }
    }

    /// A newline if bodies wait for one.
    fn flush(&mut self, text: &mut String) {
        if !self.pending.is_empty() {
            if text.ends_with('\n') {
                text.pop();
            }
            self.newline(text);
        }
    }

    /// Text whose here-documents end in it.
    fn enclosed(&mut self, make: impl FnOnce(&mut Self) -> String) -> String {
        let outer = std::mem::take(&mut self.pending);
        let mut text = make(self);
        self.flush(&mut text);
        self.pending = outer;
        text
    }
}
