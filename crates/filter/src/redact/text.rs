//! A text that is looked at, and of which more may come.

use std::cell::Cell;

/// How much of a word is looked at to tell whether it is a secret: time stays linear.
pub(super) const LOOKED_AT: usize = 256;

/// A text, and whether what was found in it may be another thing once more of it has come.
///
/// Whoever looks where the text ends says so, by the methods here: what was found without can't
/// change. `begins` is where a secret that is not certain yet would begin at the earliest.
pub(super) struct Text<'t> {
    bytes: &'t [u8],
    open: Cell<bool>,
    begins: Cell<usize>,
}

impl<'t> Text<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, open: Cell::new(false), begins: Cell::new(0) }
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets what was looked at.
    pub(super) fn begin(&self, begins: usize) {
        self.open.set(false);
        self.begins.set(begins);
    }

    /// Notes where the secret begins, if there is one.
    pub(super) fn begins(&self, at: usize) {
        self.begins.set(at);
    }

    /// Notes that what comes behind the text decides.
    pub(super) fn looked_at_end(&self) {
        self.open.set(true);
    }

    /// Where a secret would begin, if more text may make or change one.
    pub(super) fn undecided(&self) -> Option<usize> {
        self.open.get().then(|| self.begins.get())
    }

    pub(super) fn get(&self, at: usize) -> Option<u8> {
        let byte = self.bytes.get(at).copied();
        if byte.is_none() {
            self.looked_at_end();
        }
        byte
    }

    /// Where the bytes end that are inside, from a place on.
    pub(super) fn run(&self, from: usize, inside: impl Fn(u8) -> bool) -> usize {
        let end = run(self.bytes, from, inside);
        if end == self.len() {
            self.looked_at_end();
        }
        end
    }

    /// The same, no further than so many bytes.
    pub(super) fn run_within(&self, from: usize, most: usize, inside: impl Fn(u8) -> bool) -> usize {
        let limit = self.len().min(from + most);
        let end = run(&self.bytes[..limit], from, inside);
        if end == self.len() {
            self.looked_at_end();
        }
        end
    }

    /// Whether this stands there.
    pub(super) fn has(&self, at: usize, word: &[u8]) -> bool {
        let rest = self.bytes.get(at..).unwrap_or_default();
        if rest.len() < word.len() && word.starts_with(rest) {
            self.looked_at_end();
        }
        rest.starts_with(word)
    }
}

pub(super) fn run(bytes: &[u8], from: usize, inside: impl Fn(u8) -> bool) -> usize {
    from + bytes[from..].iter().take_while(|b| inside(**b)).count()
}
