//! What grants lift of a question, and what a grant would say to lift it.

use toolgate_exec::{Session, ToolCall, Verdict};
use toolgate_policy::analyse::{Analysis, CommandRun, Context};
use toolgate_policy::decide::{self, Answered, Policy};
use toolgate_policy::effect::Effect;
use toolgate_policy::profile::Verdict as Judgement;

use super::{PermissionGate, found, is_script, verdict};
use crate::grants::{Grants, Live, NotGrantable, Proposal, effects_of, exact_call, for_command};
use crate::understanding::FileSystemLinks;

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
        match self.judged(call, session, || live.with(&proposal)) {
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
        match self.judged_answered(call, session) {
            Verdict::Allow => Ok(proposal),
            verdict => Err(still_asked(&verdict)),
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
        match self.judged(call, session, || live.clone()) {
            Verdict::Allow => return Err(NotGrantable::NotAsked),
            Verdict::Deny(_) => return Err(NotGrantable::Refused),
            Verdict::Ask(_) => {}
        }
        let found = found(call);
        match is_script(&found, call) {
            true => self.for_commands(&found, call, session, live),
            false => Ok(exact_call(call)),
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
        // Lists of patterns are about commands, and these are none's.
        let policy = Policy { lists: Vec::new(), ..(*self.policy).clone() };
        let outside = |effect: &Effect| {
            self.in_situation(call, session, |situation| {
                decide::verdict(&only(effect), &policy, situation, Answered::Nothing) > Judgement::Allow
            })
        };
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
        let asked = |part: &Analysis| {
            self.in_situation(call, session, |situation| {
                decide::verdict(part, &self.policy, situation, Answered::Nothing) > Judgement::Allow
            })
        };
        let mut parts = Vec::new();
        let covered = live.cover_commands(&call.tool_id, analysis);
        for index in 0..analysis.commands.len() {
            if covered.get(index) == Some(&true) || !alone(analysis, index).is_some_and(|part| asked(&part)) {
                continue;
            }
            let part = for_command(analysis, index, &context)?;
            let dir = analysis.commands.get(index).and_then(|command| command.dir.as_deref());
            if self.kept().is_some_and(|grants| !grants.hold_in(dir)) {
                return Err(NotGrantable::Elsewhere { program: part.0.program().to_owned() });
            }
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        Ok(Proposal { tool: call.tool_id.to_string(), parts })
    }

    /// What is said where a person answered all that grants can answer.
    fn judged_answered(&self, call: &ToolCall, session: &Session) -> Verdict {
        let found = found(call);
        if !is_script(&found, call) {
            return self.of_arguments(&found, call, session, Answered::Call);
        }
        let all = vec![true; found.commands.len()];
        self.in_situation(call, session, |situation| {
            let answered = Answered::Commands(&all);
            verdict(decide::decide_beside(&found, &self.policy, situation, answered))
        })
    }
}

fn still_asked(verdict: &Verdict) -> NotGrantable {
    let what = verdict.reasons().first().map_or_else(String::new, |r| r.message.clone());
    NotGrantable::StillAsked { what }
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
