//! Judges calls by policy: what they would do, where, and what the lists and rules say.

mod granted;

use std::borrow::Cow;
use std::sync::Arc;

use toolgate_exec::{Capabilities, Gate, NetworkScope, Reason, Session, ToolCall, Verdict};
use toolgate_policy::analyse::{Analysis, Input};
use toolgate_policy::decide::{self, Decision, Policy, Situation};
use toolgate_policy::path::Map;
use toolgate_policy::profile::{Setting, Verdict as Judgement};
use toolgate_policy::rule::Caller;

use super::autonomy::AutonomyLevel;
use crate::grants::{Grants, Live};
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
    grants: Option<Arc<Grants>>,
}

impl PermissionGate {
    /// Judges by the default profile, with no rules or lists, nothing contained.
    pub fn new(surroundings: &Surroundings) -> Self {
        let map = surroundings.map();
        Self {
            policy: Arc::default(),
            setting: Setting::default(),
            map,
            autonomy: AutonomyLevel::default(),
            grants: None,
        }
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

    /// Adds what a person allowed to be done again. It answers questions and lifts no refusal.
    #[must_use]
    pub fn grants(mut self, grants: Arc<Grants>) -> Self {
        self.grants = Some(grants);
        self
    }

    /// The verdict before autonomy, as if these were the grants.
    fn judged(&self, call: &ToolCall, session: &Session, live: &Live) -> Verdict {
        let said = match call.finding::<Understood>() {
            Some(Understood(analysis)) if analysis.input == Input::Script && is_shell(call) => {
                return self.of_analysis(analysis, call, session, live);
            }
            Some(Understood(arguments)) => self.of_arguments(arguments, call, session),
            // Nothing was found out about it: what the tool can do at all decides.
            None => {
                let nothing = Analysis { input: Input::Arguments(Vec::new()), ..Analysis::default() };
                self.of_arguments(&nothing, call, session)
            }
        };
        match said {
            Verdict::Ask(_)
                if live.iter().any(|grant| grant.covers_call(call))
                    && self.is_liftable_call(call, session) =>
            {
                Verdict::Allow
            }
            said => said,
        }
    }

    /// What is said of a tool that is no shell: of its arguments, and for what they don't tell.
    fn of_arguments(&self, arguments: &Analysis, call: &ToolCall, session: &Session) -> Verdict {
        let told = says_all(call) && !arguments.effects.is_empty();
        let otherwise = if told || is_harmless(call) { Judgement::Allow } else { Judgement::Ask };
        let unread = |situation: &Situation<'_>| decide::decide_unread(otherwise, &self.policy, situation);
        let unread = verdict(&self.in_situation(call, session, unread));
        verdict(&self.decide(arguments, call, session)).and(unread)
    }

    fn of_analysis(&self, analysis: &Analysis, call: &ToolCall, session: &Session, live: &Live) -> Verdict {
        let whole = verdict(&self.decide(analysis, call, session));
        if !matches!(whole, Verdict::Ask(_)) || live.is_empty() {
            return whole;
        }
        match self.without_granted(analysis, call, session, live) {
            // What is left is part of a whole that is not refused: it is allowed or asked about.
            Some(rest) => verdict(&self.decide_rest(&rest, call, session)),
            None => whole,
        }
    }

    fn decide(&self, analysis: &Analysis, call: &ToolCall, session: &Session) -> Decision {
        self.in_situation(call, session, |situation| decide::decide(analysis, &self.policy, situation))
    }

    fn in_situation<T>(
        &self,
        call: &ToolCall,
        session: &Session,
        judge: impl FnOnce(&Situation<'_>) -> T,
    ) -> T {
        let network = scope(&session.network);
        judge(&Situation {
            map: &self.map,
            network: &network,
            setting: self.setting,
            caller: Caller { tool: &call.tool_id, trust: session.trust.as_str(), autonomy: self.autonomy },
        })
    }
}

fn verdict(decision: &Decision) -> Verdict {
    let reasons = || {
        let strictest = decision.reasons.iter().filter(|r| r.verdict == decision.verdict);
        strictest.map(told).collect()
    };
    match decision.verdict {
        Judgement::Allow => Verdict::Allow,
        Judgement::Ask => Verdict::Ask(reasons()),
        Judgement::Deny => Verdict::Deny(reasons()),
    }
}

/// Whether the call's command is all that it runs. A server's tool may do anything with a command.
fn is_shell(call: &ToolCall) -> bool {
    let capabilities = call.capabilities();
    capabilities.executes() && !capabilities.is_unknown() && !capabilities.has(Capabilities::MCP)
}

/// Whether the paths and URLs among its arguments are all that the tool touches.
fn says_all(call: &ToolCall) -> bool {
    let capabilities = call.capabilities();
    let more = Capabilities::EXECUTES | Capabilities::MCP | Capabilities::OPEN_WORLD | Capabilities::MEMORY;
    let sends = capabilities.network() && !capabilities.is_read_only();
    !capabilities.is_unknown() && !capabilities.has_any(more) && !sends
}

/// Whether there is nothing to ask about, whatever its arguments are.
fn is_harmless(call: &ToolCall) -> bool {
    let capabilities = call.capabilities();
    // What a server says of its own tools is no reason to trust them.
    let only_reads =
        capabilities.is_read_only() && !capabilities.network() && !capabilities.has(Capabilities::MCP);
    only_reads || call.definition().is_some_and(is_own_bookkeeping)
}

impl Gate for PermissionGate {
    fn name(&self) -> &'static str {
        "permission"
    }

    fn check(&self, call: &ToolCall, session: &Session) -> Verdict {
        match self.judged(call, session, &self.live()) {
            // A person said beforehand that questions are answered; what is refused stays refused.
            Verdict::Ask(_) if self.autonomy == AutonomyLevel::Full => Verdict::Allow,
            other => other,
        }
    }
}

/// Tools that only end or read what another tool of the same session began.
fn is_own_bookkeeping(def: &toolgate_exec::ToolDef) -> bool {
    def.capabilities.idempotent()
        && !def.capabilities.has_any(
            Capabilities::EXECUTES
                | Capabilities::DELETES
                | Capabilities::NETWORK
                | Capabilities::OPEN_WORLD
                | Capabilities::MEMORY
                | Capabilities::MCP,
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
