//! The grants that hold at one moment, and which commands they cover.
//!
//! They are kept in order, so that a command is only compared with those that can be about it: those of its very
//! words are found at once, and its words are read once for all the others of its program.

use std::cmp::Ordering;
use std::sync::Arc;

use toolgate_exec::ToolCall;
use toolgate_policy::analyse::{Analysis, CommandRun};
use toolgate_policy::path::name;

use super::fit::{Given, certain, is_program};
use super::form::Form;
use super::grant::Grant;
use super::propose::Proposal;

/// Grants in the order in which they are looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// Those of exact words, by tool and words.
    exact: Vec<Grant>,
    /// Those of commands that are like each other, by tool and program.
    like: Vec<Grant>,
    /// Those of calls, by tool.
    calls: Vec<Grant>,
}

impl Index {
    pub(super) fn of(grants: impl IntoIterator<Item = Grant>) -> Self {
        let mut index = Self::default();
        for grant in grants {
            match &grant.form {
                Form::Exact { .. } => index.exact.push(grant),
                Form::Like { .. } => index.like.push(grant),
                Form::Call { .. } => index.calls.push(grant),
            }
        }
        index.exact.sort_by(|a, b| (&a.tool, a.form.exact_words()).cmp(&(&b.tool, b.form.exact_words())));
        index.like.sort_by(|a, b| (&a.tool, a.form.program()).cmp(&(&b.tool, b.form.program())));
        index.calls.sort_by(|a, b| a.tool.cmp(&b.tool));
        index
    }

    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.like.is_empty() && self.calls.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.exact.iter().chain(&self.like).chain(&self.calls)
    }
}

/// Those of a sorted list that compare as equal.
fn run(list: &[Grant], compare: impl Fn(&Grant) -> Ordering) -> impl Iterator<Item = &Grant> {
    let from = list.partition_point(|grant| compare(grant) == Ordering::Less);
    list.get(from..).unwrap_or_default().iter().take_while(move |grant| compare(grant) == Ordering::Equal)
}

/// The grants at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    all: Arc<Index>,
    now: u64,
}

impl Live {
    pub(super) fn new(all: Arc<Index>, now: u64) -> Self {
        Self { all, now }
    }

    /// The same with one more that nobody has given yet.
    pub(crate) fn with(&self, proposal: &Proposal) -> Self {
        let proposed = proposal.parts.iter().map(|(form, lifts)| Grant {
            created: self.now,
            expires: u64::MAX,
            ..Grant::new(proposal.tool.clone(), form.clone(), lifts.clone(), None)
        });
        Self { all: Arc::new(Index::of(self.all.iter().cloned().chain(proposed))), now: self.now }
    }

    /// Whether one of them is about this very call.
    pub(crate) fn cover_call(&self, call: &ToolCall) -> bool {
        run(&self.all.calls, |grant| grant.tool.as_str().cmp(&call.tool_id))
            .any(|grant| grant.holds_at(self.now) && grant.covers_call(call))
    }

    /// Whether each command of a script is covered by one of them; empty where there are none.
    pub(crate) fn cover_commands(&self, tool: &str, analysis: &Analysis) -> Vec<bool> {
        if self.all.is_empty() {
            return Vec::new();
        }
        (0..analysis.commands.len()).map(|at| self.covers(tool, analysis, at)).collect()
    }

    fn covers(&self, tool: &str, analysis: &Analysis, at: usize) -> bool {
        let Some(command) = analysis.commands.get(at) else { return false };
        let Some(program) = command.words.first().and_then(certain).map(name) else { return false };
        let holds = |grant: &&Grant| grant.holds_at(self.now) && grant.allows(analysis, at);
        let exact = run(&self.all.exact, |grant| {
            grant.tool.as_str().cmp(tool).then_with(|| compare(grant.form.exact_words(), program, command))
        });
        if exact.filter(|grant| is_program(grant.form.program(), command)).any(|grant| holds(&grant)) {
            return true;
        }
        let mut like =
            run(&self.all.like, |grant| (grant.tool.as_str(), grant.form.program()).cmp(&(tool, program)))
                .peekable();
        if like.peek().is_none() {
            return false;
        }
        // Read once, whatever the number of grants.
        Given::of(command).is_some_and(|given| like.any(|grant| grant.form.is_like(&given) && holds(&grant)))
    }
}

/// How words of a grant stand to those of a command, whose program has this name. A word that is not certain is like
/// none.
fn compare(words: &[String], program: &str, command: &CommandRun) -> Ordering {
    let mut words = words.iter();
    match words.next().map(|word| word.as_str().cmp(program)) {
        Some(Ordering::Equal) => {}
        Some(order) => return order,
        None => return Ordering::Less,
    }
    let mut given = command.words.iter().skip(1);
    loop {
        return match (words.next(), given.next()) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(word), Some(given)) => match certain(given).map(|given| word.as_str().cmp(given)) {
                Some(Ordering::Equal) => continue,
                Some(order) => order,
                None => Ordering::Greater,
            },
        };
    }
}
