//! Judges calls by policy: what they would do, where, and what the lists and rules say.

use std::borrow::Cow;
use std::sync::Arc;

use toolgate_exec::{Gate, NetworkScope, Reason, Session, ToolCall, Verdict};
use toolgate_policy::decide::{self, Decision, Policy, Situation};
use toolgate_policy::path::Map;
use toolgate_policy::profile::{Setting, Verdict as Judgement};
use toolgate_policy::rule::Caller;

use super::autonomy::AutonomyLevel;
use crate::understanding::{Surroundings, Understood};

/// Judges each tool by its own inputs.
///
/// A call is judged by its analysis, which [`Understanding`](crate::understanding::Understanding) must have
/// left in it: without one it is asked about, unless the tool only reads.
#[derive(Clone, Debug)]
pub struct PermissionGate {
    policy: Arc<Policy>,
    setting: Setting,
    map: Map,
    autonomy: AutonomyLevel,
}

impl PermissionGate {
    /// Judges by the default profile, with no rules or lists, nothing contained.
    pub fn new(surroundings: &Surroundings) -> Self {
        let map = surroundings.map();
        Self { policy: Arc::default(), setting: Setting::default(), map, autonomy: AutonomyLevel::default() }
    }

    /// Judges by another policy: [`Loaded::policy`](crate::config::Loaded::policy) is what a configuration says.
    #[must_use]
    pub fn policy(mut self, policy: impl Into<Arc<Policy>>) -> Self {
        self.policy = policy.into();
        self
    }

    /// Says whether the boundary around commands is enforced in full. Only say so where anything less is refused.
    #[must_use]
    pub fn contained(mut self, contained: bool) -> Self {
        self.setting.contained = contained;
        self
    }

    /// Sets how much is done without asking.
    #[must_use]
    pub fn autonomy(mut self, level: AutonomyLevel) -> Self {
        self.autonomy = level;
        self
    }

    fn decide(&self, call: &ToolCall, session: &Session) -> Decision {
        let network = scope(&session.network);
        let situation = Situation {
            map: &self.map,
            network: &network,
            setting: self.setting,
            caller: Caller { tool: &call.tool_id, trust: session.trust.as_str(), autonomy: self.autonomy },
        };
        match call.finding::<Understood>() {
            Some(Understood(analysis)) => decide::decide(analysis, &self.policy, &situation),
            // No inputs that could be judged: what the tool can do at all decides.
            None => decide::decide_unread(unread(call), &self.policy, &situation),
        }
    }
}

/// What becomes of a call whose parameters nobody can judge.
fn unread(call: &ToolCall) -> Judgement {
    let only_reads = call.capabilities().is_read_only() && !call.capabilities().network();
    if only_reads || call.definition().is_some_and(is_own_bookkeeping) {
        Judgement::Allow
    } else {
        Judgement::Ask
    }
}

impl Gate for PermissionGate {
    fn name(&self) -> &'static str {
        "permission"
    }

    fn check(&self, call: &ToolCall, session: &Session) -> Verdict {
        let decision = self.decide(call, session);
        let reasons = || {
            let strictest = decision.reasons.iter().filter(|r| r.verdict == decision.verdict);
            strictest.map(told).collect()
        };
        match decision.verdict {
            Judgement::Allow => Verdict::Allow,
            // A person said beforehand that questions are answered; what is refused stays refused.
            Judgement::Ask if self.autonomy == AutonomyLevel::Full => Verdict::Allow,
            Judgement::Ask => Verdict::Ask(reasons()),
            Judgement::Deny => Verdict::Deny(reasons()),
        }
    }
}

/// Tools that only end or read what another tool of the same session began.
fn is_own_bookkeeping(def: &toolgate_exec::ToolDef) -> bool {
    def.capabilities.idempotent()
        && !def.capabilities.has_any(
            toolgate_exec::Capabilities::EXECUTES
                | toolgate_exec::Capabilities::DELETES
                | toolgate_exec::Capabilities::NETWORK
                | toolgate_exec::Capabilities::OPEN_WORLD
                | toolgate_exec::Capabilities::MEMORY
                | toolgate_exec::Capabilities::MCP,
        )
        && !def.capabilities.is_unknown()
}

/// The session's scope as policy has it. A scope that nobody narrowed is the host's network.
fn scope(scope: &NetworkScope) -> decide::NetworkScope {
    match scope {
        NetworkScope::Inherit | NetworkScope::Allow => decide::NetworkScope::Allow,
        NetworkScope::Only(domains) => decide::NetworkScope::Only(domains.clone()),
        _ => decide::NetworkScope::Deny,
    }
}

fn told(reason: &decide::Reason) -> Reason {
    let mut told =
        Reason::new(reason.code.clone(), reason.message.clone()).source(Cow::Borrowed(reason.source.name()));
    if let Some(span) = reason.span {
        told = told.span(span.start as usize..span.end as usize);
    }
    if let Some(rule) = &reason.rule {
        told = told.rule(rule.clone());
    }
    if let Some(lift) = &reason.lift {
        told = told.grant(lift.clone());
    }
    if let Some(instead) = reason.instead {
        told = told.hint(instead);
    }
    told
}
