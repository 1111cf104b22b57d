//! Judges calls by policy: what they would do, where, and what the lists and rules say.

use std::borrow::Cow;
use std::path::PathBuf;

use toolgate_exec::{Gate, NetworkScope, Reason, Session, ToolCall, Verdict};
use toolgate_policy::analyse::Analysis;
use toolgate_policy::decide::{self, Policy};
use toolgate_policy::path::Map;
use toolgate_policy::permissions::{BlockList, ConfirmList, PermissionPolicy};
use toolgate_policy::profile::{Profile, Setting, Verdict as Judgement};
use toolgate_policy::rule::{Caller, Rules};

use super::autonomy::AutonomyLevel;
use crate::understanding::{Surroundings, Understood};

/// Judges each tool by its own inputs.
///
/// A shell command is judged by its analysis, which [`Understanding`](crate::understanding::Understanding)
/// must have left in the call: without one it is asked about. Tools that only read are allowed; what any
/// other tool does with inputs that nobody understands is asked about.
#[derive(Clone, Debug)]
pub struct PermissionGate {
    profile: Profile,
    setting: Setting,
    map: Map,
    autonomy: AutonomyLevel,
    rules: Option<Rules>,
    blocked: BlockList,
    confirmed: ConfirmList,
    lists: Option<PermissionPolicy>,
}

impl PermissionGate {
    /// Judges by the default profile, with no rules or lists, nothing contained.
    pub fn new(surroundings: &Surroundings) -> Self {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let map = Map {
            roots: surroundings.roots.iter().map(text).collect(),
            home: text(&surroundings.home),
            scratch: ["/tmp", "/var/tmp", "/dev/shm"].map(str::to_owned).to_vec(),
        };
        Self {
            profile: Profile::default(),
            setting: Setting::default(),
            map,
            autonomy: AutonomyLevel::default(),
            rules: None,
            blocked: BlockList::default(),
            confirmed: ConfirmList::new(&[]),
            lists: None,
        }
    }

    /// Judges by another profile.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
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

    /// Adds rules on top of the profile.
    #[must_use]
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = Some(rules);
        self
    }

    /// Sets commands that never run, whatever else allows them.
    #[must_use]
    pub fn blocked(mut self, list: BlockList) -> Self {
        self.blocked = list;
        self
    }

    /// Sets commands that are asked about, whatever else allows them.
    #[must_use]
    pub fn confirmed(mut self, list: ConfirmList) -> Self {
        self.confirmed = list;
        self
    }

    /// Adds lists of patterns per tool. They only tighten: a tool without a list is judged by the profile.
    #[must_use]
    pub fn lists(mut self, lists: PermissionPolicy) -> Self {
        self.lists = Some(lists);
        self
    }

    fn of_analysis(&self, analysis: &Analysis, call: &ToolCall, session: &Session) -> Verdict {
        let caller = Caller {
            tool: call.tool_id.to_string(),
            trust: session.trust.to_string(),
            autonomy: self.autonomy.to_string(),
        };
        let rules = self.rules.as_ref().map(|rules| rules.for_caller(&caller));
        let policy = Policy {
            profile: self.profile,
            network: scope(&session.network),
            setting: self.setting,
            map: self.map.clone(),
            rules: rules.as_ref(),
        };
        let decision = decide::decide(analysis, &policy);
        let reasons = || {
            let strictest = decision.reasons.iter().filter(|r| r.verdict == decision.verdict);
            strictest.map(told).collect::<Vec<_>>()
        };
        let profile = match decision.verdict {
            Judgement::Allow => Verdict::Allow,
            Judgement::Ask => Verdict::Ask(reasons()),
            Judgement::Deny => Verdict::Deny(reasons()),
        };
        profile.and(self.of_lists(analysis, call))
    }

    fn of_lists(&self, analysis: &Analysis, call: &ToolCall) -> Verdict {
        let mut verdict = Verdict::Allow;
        let at = |reason: Reason, span: toolgate_bash::ast::Span| {
            reason.span(span.start as usize..span.end as usize).source("list")
        };
        if let Some((entry, span)) = self.blocked.find(analysis) {
            let reason =
                Reason::new("blocked-command", format!("`{entry}` is on the list of blocked commands"));
            verdict = verdict.and(Verdict::deny(at(reason, span).rule(entry)));
        }
        if let Some((entry, span)) = self.confirmed.find(analysis) {
            let reason =
                Reason::new("confirmed-command", format!("`{entry}` is on the list of confirmed commands"));
            verdict = verdict.and(Verdict::ask(at(reason, span).rule(entry)));
        }
        let listed = self.lists.as_ref().filter(|lists| lists.rules().any(|(tool, _)| call.tool_id == tool));
        if let Some(lists) = listed {
            let reason = |code: &'static str| {
                Reason::new(code, format!("the permission list of `{}` says so", call.tool_id)).source("list")
            };
            let capabilities = toolgate_policy::permissions::Capabilities::RUN;
            verdict = verdict.and(match lists.check_script(&call.tool_id, capabilities, analysis) {
                Judgement::Allow => Verdict::Allow,
                Judgement::Ask => Verdict::ask(reason("permission-asks")),
                Judgement::Deny => Verdict::deny(reason("permission-denies")),
            });
        }
        verdict
    }
}

impl Gate for PermissionGate {
    fn name(&self) -> &'static str {
        "permission"
    }

    fn check(&self, call: &ToolCall, session: &Session) -> Verdict {
        let verdict = match call.finding::<Understood>() {
            Some(Understood(analysis)) => self.of_analysis(analysis, call, session),
            // No inputs that could be judged: what the tool can do at all decides.
            None if call.capabilities().is_read_only() && !call.capabilities().network() => Verdict::Allow,
            None if call.definition().is_some_and(is_own_bookkeeping) => Verdict::Allow,
            None => Verdict::ask(Reason::new(
                "not-understood",
                format!("what `{}` would do with these parameters is not known", call.tool_id),
            )),
        };
        match verdict {
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
