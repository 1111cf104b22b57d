//! Counts lines that differ in times, addresses and identifiers alone, anywhere in the output.

use super::{Line, Next, Stage};
use crate::guard::{self, Weight};
use crate::known::Known;
use regex::Regex;
use std::sync::Arc;

pub(crate) struct Dedup {
    normalize: Arc<[(Regex, String)]>,
    most: usize,
    seen: Known<usize>,
    kinds: Vec<(u64, usize)>,
}

impl Dedup {
    pub(crate) fn new(normalize: Arc<[(Regex, String)]>, most: usize) -> Self {
        Self { normalize, most: most.min(50_000), seen: Known::default(), kinds: Vec::new() }
    }

    fn key(&self, text: &str) -> u64 {
        if self.normalize.is_empty() {
            return crate::template::hash(text);
        }
        let mut line = text.to_owned();
        for (pattern, replacement) in self.normalize.iter() {
            if let std::borrow::Cow::Owned(new) = pattern.replace_all(&line, replacement.as_str()) {
                line = new;
            }
        }
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash
    }
}

impl Stage for Dedup {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() || line.is_blank() || guard::weigh(line.text) == Weight::Vital {
            return next.line(line);
        }
        let key = self.key(line.text);
        if let Some(at) = self.seen.get(&key) {
            self.kinds[*at].0 += 1;
            return next.folded(1);
        }
        if self.kinds.len() < self.most {
            next.line(line.known());
            let slot = next.slot();
            self.seen.insert(key, self.kinds.len());
            self.kinds.push((1, slot));
        } else {
            next.line(line);
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        for (count, slot) in std::mem::take(&mut self.kinds) {
            if count > 1 {
                next.sink.fill(slot, format!(" (x{count})"));
            }
        }
    }
}
