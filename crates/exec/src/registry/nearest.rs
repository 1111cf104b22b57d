//! The nearest known name to a misspelled one.

/// The candidate nearest to `name`, if it is near enough to be meant.
///
/// Near enough: an optimal string alignment distance (insertions, deletions, substitutions,
/// swaps of neighbours) of at most a third of the longer name, and at least 1. Case and `-`/`_` don't count.
///
/// ```
/// assert_eq!(toolgate_exec::registry::nearest("comand", ["command", "timeout"]), Some("command"));
/// assert_eq!(toolgate_exec::registry::nearest("zebra", ["command", "timeout"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    let name = plain(name);
    if name.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = plain(candidate);
            let far = (name.len().max(other.len()) / 3).max(1);
            (other.len() <= LONGEST)
                .then(|| distance(&name, &other))
                .filter(|d| *d <= far)
                .map(|d| (d, candidate))
        })
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

fn plain(name: &str) -> Vec<char> {
    name.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            row[j + 1] = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
