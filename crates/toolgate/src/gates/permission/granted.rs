//! What grants lift of a question, and what a grant would say to lift it.

use toolgate_exec::{Session, ToolCall, Verdict};
use toolgate_policy::analyse::{Analysis, CommandRun, Context, Input};
use toolgate_policy::decide::{self, Decision, Policy, Source};
use toolgate_policy::effect::Effect;
use toolgate_policy::profile::Verdict as Judgement;
use toolgate_policy::rule::Layer;

use super::PermissionGate;
use crate::grants::{Grants, Live, NotGrantable, Proposal, effects_of, exact_call, for_command};
use crate::understanding::{FileSystemLinks, Understood};

impl PermissionGate {
    /// What would have to be granted so that this call, which is asked about, is not asked about again.
    ///
    /// The call must be one that a pipeline has judged. It is judged again as if the grants were given: what
    /// is proposed lifts the question, or nothing is proposed.
    ///
    /// # Errors
    /// Where no grant would do that, or none may be given for it.
    pub fn proposal(&self, call: &ToolCall, session: &Session) -> Result<Proposal, NotGrantable> {
        let live = self.live();
        let proposal = self.proposed(call, session, &live)?;
        match self.judged(call, session, &live.with(&proposal)) {
            Verdict::Allow => Ok(proposal),
            verdict => Err(still_asked(&verdict)),
        }
    }

    /// The same where a `*` of the call is meant: any word in its place, or any file below its directory.
    ///
    /// # Errors
    /// As [`PermissionGate::proposal`].
    pub fn proposal_for_pattern(&self, call: &ToolCall, session: &Session) -> Result<Proposal, NotGrantable> {
        let proposal = self.proposed(call, session, &self.live())?;
        if self.is_liftable_call(call, session) {
            Ok(proposal)
        } else {
            Err(still_asked(&self.judged(call, session, &Live::default())))
        }
    }

    /// The grants it goes by.
    pub fn kept(&self) -> Option<&Grants> {
        self.grants.as_deref()
    }

    pub(super) fn live(&self) -> Live {
        self.grants.as_ref().map(|grants| grants.live()).unwrap_or_default()
    }

    fn proposed(&self, call: &ToolCall, session: &Session, live: &Live) -> Result<Proposal, NotGrantable> {
        match self.judged(call, session, live) {
            Verdict::Allow => return Err(NotGrantable::NotAsked),
            Verdict::Deny(_) => return Err(NotGrantable::Refused),
            Verdict::Ask(_) => {}
        }
        match call.finding::<Understood>() {
            Some(Understood(analysis)) if analysis.input == Input::Script && super::is_shell(call) => {
                self.for_commands(analysis, call, session, live)
            }
            _ => Ok(exact_call(call)),
        }
    }

    fn for_commands(
        &self,
        analysis: &Analysis,
        call: &ToolCall,
        session: &Session,
        live: &Live,
    ) -> Result<Proposal, NotGrantable> {
        if analysis.unknown.is_some() {
            return Err(NotGrantable::NotUnderstood);
        }
        let outside =
            |effect: &Effect| self.decide_rest(&only(effect), call, session).verdict > Judgement::Allow;
        if let Some(effect) = analysis.effects.iter().find(|e| e.command.is_none() && outside(e)) {
            return Err(NotGrantable::NotOfACommand { what: effect.shown() });
        }
        let context = Context {
            cwd: self.map.roots.first().map_or("/", String::as_str),
            home: &self.map.home,
            roots: &self.map.roots,
            env: &[],
            links: &FileSystemLinks,
            shell: toolgate_bash::Shell::Bash,
        };
        let mut parts = Vec::new();
        for index in 0..analysis.commands.len() {
            let covered = live.iter().any(|g| g.covers(&call.tool_id, analysis, index));
            let asked = |part: &Analysis| self.decide(part, call, session).verdict > Judgement::Allow;
            if covered || !alone(analysis, index).is_some_and(|part| asked(&part)) {
                continue;
            }
            let part = for_command(analysis, index, &context)?;
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        Ok(Proposal { tool: call.tool_id.to_string(), parts })
    }

    /// The analysis without the commands that grants cover; `None` where they cover none.
    pub(super) fn without_granted(
        &self,
        analysis: &Analysis,
        call: &ToolCall,
        session: &Session,
        live: &Live,
    ) -> Option<Analysis> {
        let covered: Vec<bool> = (0..analysis.commands.len())
            .map(|index| {
                live.iter().any(|g| g.covers(&call.tool_id, analysis, index))
                    && self.is_liftable(analysis, index, call, session)
            })
            .collect();
        covered.contains(&true).then(|| without(analysis, &covered))
    }

    /// What is said of the part of a script that grants don't cover. Where nothing is left of its commands, there
    /// is nothing that a list of patterns could be about.
    pub(super) fn decide_rest(&self, rest: &Analysis, call: &ToolCall, session: &Session) -> Decision {
        if !rest.commands.is_empty() || self.policy.lists.is_empty() {
            return self.decide(rest, call, session);
        }
        let policy = Policy { lists: Vec::new(), ..(*self.policy).clone() };
        self.in_situation(call, session, |situation| decide::decide(rest, &policy, situation))
    }

    /// Whether what is asked about a command is asked by someone whose questions grants answer: not by a hard
    /// rule and not by the administrator.
    fn is_liftable(&self, analysis: &Analysis, index: usize, call: &ToolCall, session: &Session) -> bool {
        let Some(part) = alone(analysis, index) else { return false };
        let decision = self.decide(&part, call, session);
        decision.verdict < Judgement::Deny
            && decision
                .reasons
                .iter()
                .filter(|r| r.verdict == Judgement::Ask)
                .all(|r| !matches!(r.source, Source::Hard | Source::Rule(Layer::Managed)))
    }
}

impl PermissionGate {
    /// The same for every command of a call, and for what its tool is asked about.
    pub(super) fn is_liftable_call(&self, call: &ToolCall, session: &Session) -> bool {
        let Some(Understood(analysis)) = call.finding::<Understood>() else { return true };
        (0..analysis.commands.len()).all(|at| self.is_liftable(analysis, at, call, session))
    }
}

fn still_asked(verdict: &Verdict) -> NotGrantable {
    let what = verdict.reasons().first().map_or_else(String::new, |r| r.message.clone());
    NotGrantable::StillAsked { what }
}

fn without(analysis: &Analysis, covered: &[bool]) -> Analysis {
    let mut rest = Analysis {
        statements: analysis.statements.clone(),
        constructs: analysis.constructs,
        input: analysis.input.clone(),
        unknown: analysis.unknown,
        ..Analysis::default()
    };
    let mut numbers = Vec::with_capacity(covered.len());
    for (command, covered) in analysis.commands.iter().zip(covered) {
        numbers.push(u32::try_from(rest.commands.len()).ok());
        if !covered {
            rest.commands.push(command.clone());
        }
    }
    for effect in &analysis.effects {
        let at = effect.command.map(|c| c as usize);
        if at.is_some_and(|at| covered.get(at) == Some(&true)) {
            continue;
        }
        let command = at.and_then(|at| numbers.get(at).copied().flatten());
        rest.effects.push(Effect { command, ..effect.clone() });
    }
    rest
}

/// One command with what it does, as if it were the whole script.
fn alone(analysis: &Analysis, index: usize) -> Option<Analysis> {
    let command: CommandRun = analysis.commands.get(index)?.clone();
    let effects = effects_of(analysis, index).map(|e| Effect { command: Some(0), ..e.clone() }).collect();
    Some(Analysis { commands: vec![command], effects, input: analysis.input.clone(), ..Analysis::default() })
}

/// One effect that is no command's.
fn only(effect: &Effect) -> Analysis {
    Analysis { effects: vec![effect.clone()], ..Analysis::default() }
}
