//! Finds the rules that can be about a command, by the name of its program.
//!
//! Most rules name their programs, and most commands are none of those: such rules cost nothing.

use super::{Rule, Rules};
use crate::analyse::CommandRun;
use crate::path;
use std::sync::Arc;

/// The places of rules, by what they name.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// A program's name with the place of a rule that names it, in order. Its other programs are here as well.
    named: Vec<(Box<str>, usize)>,
    /// Rules that name none, or by a pattern, in order.
    others: Vec<usize>,
}

impl Index {
    pub(super) fn of(rules: &[Arc<Rule>]) -> Self {
        let mut index = Index::default();
        for (at, rule) in rules.iter().enumerate() {
            let names_all = rule.program.iter().all(|name| !name.contains(['*', '?']));
            if names_all && !rule.program.is_empty() {
                index.named.extend(rule.program.iter().map(|name| (name.as_str().into(), at)));
            } else {
                index.others.push(at);
            }
        }
        index.named.sort_unstable();
        index.named.dedup();
        index
    }

    fn naming(&self, program: &str) -> &[(Box<str>, usize)] {
        let from = self.named.partition_point(|(name, _)| &**name < program);
        let rest = self.named.get(from..).unwrap_or_default();
        let count = rest.iter().take_while(|(name, _)| &**name == program).count();
        rest.get(..count).unwrap_or_default()
    }
}

/// The rules that can be about one command and what it does, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'r> {
    rules: &'r Rules,
    named: &'r [(Box<str>, usize)],
    others: &'r [usize],
    /// The next of all rules, where its program is not known and it may be any of theirs.
    all: Option<usize>,
}

impl Rules {
    /// The rules that can be about a command; of what no command does, those that name none.
    pub(crate) fn about(&self, command: Option<&CommandRun>) -> About<'_> {
        let program = command.and_then(|command| command.words.first());
        let name = program.and_then(|word| word.exact()).map(path::name);
        About {
            rules: self,
            named: name.map_or(&[], |name| self.index.naming(name)),
            others: &self.index.others,
            all: (program.is_some() && name.is_none()).then_some(0),
        }
    }
}

impl<'r> Iterator for About<'r> {
    type Item = &'r Rule;

    fn next(&mut self) -> Option<&'r Rule> {
        if let Some(at) = &mut self.all {
            let rule = self.rules.list.get(*at);
            *at += 1;
            return rule.map(Arc::as_ref);
        }
        let at = match (self.named.split_first(), self.others.split_first()) {
            (Some(((_, named), rest)), other) if other.is_none_or(|(other, _)| named < other) => {
                self.named = rest;
                named
            }
            (_, Some((other, rest))) => {
                self.others = rest;
                other
            }
            (_, None) => return None,
        };
        self.rules.list.get(*at).map(Arc::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Layer, RuleText};
    use crate::word::Word;
    use toolgate_bash::ast::Span;

    fn command(program: Word<'static>) -> CommandRun {
        let words = vec![program];
        CommandRun { words, span: Span::default(), inner: false, dir: None, variables_changed: false }
    }

    #[test]
    fn no_rule_that_could_be_about_a_command_is_passed_over_and_the_order_stays() {
        let programs: [&[&str]; 6] = [&["git"], &[], &["rm", "git", "git"], &["g*"], &["ls"], &["rm"]];
        let texts: Vec<RuleText> = (0..)
            .zip(programs)
            .map(|(at, programs)| RuleText {
                name: format!("{at}"),
                action: "deny".to_owned(),
                program: programs.iter().map(|p| (*p).to_owned()).collect(),
                effect: if programs.is_empty() { vec!["write".to_owned()] } else { Vec::new() },
                ..RuleText::default()
            })
            .collect();
        let rules = Rules::compile(&texts, Layer::User).unwrap();
        let about = |command: Option<&CommandRun>| rules.about(command).map(Rule::label).collect::<Vec<_>>();
        let known = |text: &'static str| command(Word::new(text, Span::default()));
        assert_eq!(about(Some(&known("/usr/bin/git"))), ["0", "1", "2", "3"]);
        assert_eq!(about(Some(&known("rm"))), ["1", "2", "3", "5"]);
        assert_eq!(about(Some(&known("cat"))), ["1", "3"]);
        assert_eq!(about(None), ["1", "3"]);
        assert_eq!(about(Some(&command(Word::unknown(Span::default())))).len(), 6);
    }
}
