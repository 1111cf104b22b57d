//! Judges calls by policy: what they would do, where, and what the lists and rules say.

mod granted;

use std::borrow::Cow;
use std::sync::Arc;

use toolgate_exec::{Capabilities, Gate, NetworkScope, Reason, Session, ToolCall, Verdict};
use toolgate_policy::analyse::{Analysis, Input};
use toolgate_policy::decide::{self, Answered, Decision, Policy, Situation};
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

    /// The verdict before autonomy, as if these were the grants; they are looked at only where something is asked.
    fn judged(&self, call: &ToolCall, session: &Session, live: impl Fn() -> Live) -> Verdict {
        let found = found(call);
        match is_script(&found, call) {
            true => self.of_commands(&found, call, session, live),
            false => self.of_call(&found, call, session, live),
        }
    }

    fn of_call(
        &self,
        arguments: &Analysis,
        call: &ToolCall,
        session: &Session,
        live: impl Fn() -> Live,
    ) -> Verdict {
        match self.of_arguments(arguments, call, session, Answered::Nothing) {
            Verdict::Ask(_) if live().cover_call(call) => {
                self.of_arguments(arguments, call, session, Answered::Call)
            }
            said => said,
        }
    }

    /// What is said of a tool that is no shell: of its arguments, and for what they don't tell.
    fn of_arguments(
        &self,
        arguments: &Analysis,
        call: &ToolCall,
        session: &Session,
        answered: Answered<'_>,
    ) -> Verdict {
        let told = says_all(call) && !arguments.effects.is_empty();
        let otherwise = if told || is_harmless(call) { Judgement::Allow } else { Judgement::Ask };
        self.in_situation(call, session, |situation| {
            let unread = decide::decide_unread(otherwise, &self.policy, situation, answered);
            let read = decide::decide_beside(arguments, &self.policy, situation, answered);
            verdict(read).and(verdict(unread))
        })
    }

    fn of_commands(
        &self,
        analysis: &Analysis,
        call: &ToolCall,
        session: &Session,
        live: impl Fn() -> Live,
    ) -> Verdict {
        self.in_situation(call, session, |situation| {
            // Reasons are most of the work, and most calls need none.
            let says = |answered| decide::verdict(analysis, &self.policy, situation, answered);
            let covered = match says(Answered::Nothing) {
                Judgement::Allow => return Verdict::Allow,
                Judgement::Ask => live().cover_commands(&call.tool_id, analysis),
                Judgement::Deny => Vec::new(),
            };
            let answered = Answered::Commands(&covered);
            if covered.contains(&true) && says(answered) == Judgement::Allow {
                return Verdict::Allow;
            }
            verdict(decide::decide_beside(analysis, &self.policy, situation, answered))
        })
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

fn verdict(decision: Decision) -> Verdict {
    let Decision { verdict, reasons } = decision;
    let strictest = || reasons.into_iter().filter(|r| r.verdict == verdict).map(told).collect();
    match verdict {
        Judgement::Allow => Verdict::Allow,
        Judgement::Ask => Verdict::Ask(strictest()),
        Judgement::Deny => Verdict::Deny(strictest()),
    }
}

/// What was found out about a call; nothing where nobody looked: what its tool can do at all decides then.
fn found(call: &ToolCall) -> Cow<'_, Analysis> {
    match call.finding::<Understood>() {
        Some(Understood(analysis)) => Cow::Borrowed(analysis),
        None => Cow::Owned(Analysis { input: Input::Arguments(Vec::new()), ..Analysis::default() }),
    }
}

/// Whether it is the commands that are judged.
fn is_script(found: &Analysis, call: &ToolCall) -> bool {
    found.input == Input::Script && is_shell(call)
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
        match self.judged(call, session, || self.live()) {
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

fn told(reason: decide::Reason) -> Reason {
    let mut told = Reason::new(reason.code, reason.message).source(Cow::Borrowed(reason.source.name()));
    told.span = reason.span.map(|span| span.start as usize..span.end as usize);
    told.rule = reason.rule;
    told.grant = reason.lift;
    told.hint = reason.instead.map(str::to_owned);
    told
}
