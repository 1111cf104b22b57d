//! How much of a line that has not ended is certain, whatever comes next.

use super::escapes::{self, Plain};
use super::secrets::Secrets;
use super::shapes::shapes_so_far;
use std::ops::Range;

/// The secrets of a line's beginning, and up to where no later byte can make, change or lengthen one.
///
/// A secret that is not certain yet begins behind that place, and none lies across it.
pub(super) fn settled(held: &[u8], secrets: &Secrets) -> (Vec<Range<usize>>, usize) {
    let (mut spans, mut certain) = seen(held, secrets);
    let decided = &held[..escapes::decided(held)];
    if let Some(plain) = Plain::of(decided) {
        let (inside, open) = seen(&plain.bytes, secrets);
        if open < plain.bytes.len() {
            certain = certain.min(plain.origin(open));
        }
        spans.extend(inside.iter().filter_map(|span| plain.origins(span)));
    } else if decided.len() < held.len() {
        certain = certain.min(seen(decided, secrets).1);
    }
    certain = certain.min(decided.len());
    spans.sort_unstable_by_key(|span| span.start);
    for span in spans.iter().rev() {
        if span.start < certain && certain < span.end {
            certain = span.start;
        }
    }
    (spans, certain)
}

fn seen(text: &[u8], secrets: &Secrets) -> (Vec<Range<usize>>, usize) {
    let mut spans = Vec::new();
    let (key, open) = shapes_so_far(text, &mut spans);
    if let Some(values) = &secrets.values {
        spans.extend(values.find_iter(text).map(|found| found.range()));
    }
    let others = key.into_iter().chain(secrets.begun_in(text));
    (spans, others.fold(open, usize::min))
}
