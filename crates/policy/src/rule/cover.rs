//! Rules that can never decide anything.

use super::path_glob::glob_covers;
use super::{Rule, Rules};
use crate::profile::Verdict;

/// Why a rule can never decide anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// The rule at this place is about all of it, and as strict or stricter.
    Covered(usize),
    /// It allows, and its layer may only tighten.
    MayNotLoosen,
}

impl Rules {
    /// The places of rules that can never decide anything, and why.
    ///
    /// Of two that say the same the later one is told. Patterns are compared as far as a look at them goes:
    /// what is told is true, but not all that is true is told.
    #[must_use]
    pub fn never_fire(&self) -> Vec<(usize, Dead)> {
        let dead = |at: usize, rule: &Rule| {
            if rule.verdict == Verdict::Allow && !rule.layer.may_loosen() {
                return Some(Dead::MayNotLoosen);
            }
            let covering = self.iter().enumerate().find(|(other_at, other)| {
                let stricter = other.verdict > rule.verdict;
                let first =
                    *other_at < at && other.verdict == rule.verdict && other.layer.may_loosen_as(rule);
                (stricter || first) && other.covers(rule)
            });
            covering.map(|(other_at, _)| Dead::Covered(other_at))
        };
        self.iter().enumerate().filter_map(|(at, rule)| Some((at, dead(at, rule)?))).collect()
    }
}

impl super::Layer {
    /// Whether a rule of this layer does what the same rule of the other's would.
    fn may_loosen_as(self, rule: &Rule) -> bool {
        rule.verdict > Verdict::Allow || self.may_loosen()
    }
}

impl Rule {
    /// Whether everything `other` is about is what this is about.
    fn covers(&self, other: &Rule) -> bool {
        (self.kinds.is_empty()
            || !other.kinds.is_empty() && other.kinds.iter().all(|k| self.kinds.contains(k)))
            && globs(&self.program, &other.program)
            && self.args.len() <= other.args.len()
            && self.args.iter().zip(&other.args).all(|(a, b)| globs(a, b))
            && all(&self.path, &other.path, |a, b| a.covers(b))
            && all(&self.host, &other.host, |a, b| {
                a == b || a == "*" || b.ends_with(a.trim_start_matches('*')) && a.starts_with("*.")
            })
            && globs(&self.tool, &other.tool)
            && all(&self.trust, &other.trust, |a, b| a == b)
            && all(&self.autonomy, &other.autonomy, |a, b| a == b)
    }
}

fn globs(wide: &[String], narrow: &[String]) -> bool {
    all(wide, narrow, |a, b| glob_covers(a, b))
}

/// Whether each of the narrower list is covered by one of the wider; an empty list is about everything.
fn all<T>(wide: &[T], narrow: &[T], covers: impl Fn(&T, &T) -> bool) -> bool {
    wide.is_empty() || !narrow.is_empty() && narrow.iter().all(|n| wide.iter().any(|w| covers(w, n)))
}
