//! What a policy's rules and lists do over many calls.

use crate::analyse::Analysis;
use crate::batch::{Judge, Request};
use crate::decide::{self, Policy};
use std::collections::BTreeMap;

/// How often the parts of a policy fired.
///
/// ```
/// use toolgate_policy::batch::{Judge, Request};
/// use toolgate_policy::coverage::Coverage;
/// use toolgate_policy::decide::Policy;
/// use toolgate_policy::rule::{Layer, RuleText, Rules};
///
/// let deny = RuleText { action: "deny".into(), program: vec!["kubectl".into()], ..RuleText::default() };
/// let rules = Rules::compile(&[deny], Layer::User).unwrap();
/// let judge = Judge::new("/home/me", "/home/me/work").by(Policy { rules, ..Policy::default() });
/// let mut coverage = Coverage::default();
/// for text in ["ls", "kubectl get pods"] {
///     coverage.add(&judge, &Request::Command { text: text.into(), cwd: None });
/// }
/// assert_eq!((coverage.calls, coverage.rules[&0].calls), (2, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Calls that were looked at.
    pub calls: usize,
    /// What rules did, by their place; those that never fired are missing.
    pub rules: BTreeMap<usize, Fired>,
    /// How many calls ran into an entry of the list of blocked commands.
    pub blocked: BTreeMap<String, usize>,
    /// The same for confirmed commands.
    pub confirmed: BTreeMap<String, usize>,
    /// For how many calls an entry of a permission list gave an answer: by list, tool and place.
    pub lists: BTreeMap<(usize, String, usize), usize>,
}

/// What one rule did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fired {
    /// Calls that it is about.
    pub calls: usize,
    /// Those of them that would be judged otherwise without it.
    pub decided: usize,
}

impl Coverage {
    /// Counts one call.
    pub fn add(&mut self, judge: &Judge<'_>, request: &Request) {
        self.calls += 1;
        let analysis = judge.analyse(request);
        self.count_rules(judge, request, &analysis);
        for hit in judge.policy.blocked.hits(&analysis) {
            *self.blocked.entry(hit.entry.to_owned()).or_default() += 1;
        }
        for hit in judge.policy.confirmed.hits(&analysis) {
            *self.confirmed.entry(hit.entry.to_owned()).or_default() += 1;
        }
        let tool = judge.situation(request).caller.tool;
        for (list, lists) in judge.policy.lists.iter().enumerate() {
            for at in lists.fired(tool, &analysis) {
                *self.lists.entry((list, tool.to_owned(), at)).or_default() += 1;
            }
        }
    }

    fn count_rules(&mut self, judge: &Judge<'_>, request: &Request, analysis: &Analysis) {
        let situation = judge.situation(request);
        let rules = &judge.policy.rules;
        let fired = rules.fired(analysis, &situation.caller, situation.map);
        if fired.is_empty() {
            return;
        }
        let verdict = judge.decide(analysis, request).verdict;
        for at in fired {
            let without = Policy { rules: rules.without(at), ..Policy::clone(&judge.policy) };
            let count = self.rules.entry(at).or_default();
            count.calls += 1;
            count.decided += usize::from(decide::decide(analysis, &without, &situation).verdict != verdict);
        }
    }
}
