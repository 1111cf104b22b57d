//! Judges whether a call stays within the session's network scope.

use toolgate_exec::{Capabilities, Gate, Reason, Session, ToolCall, ToolDef, Verdict};
use toolgate_policy::analyse::is_loopback;
use toolgate_policy::effect::{Effect, Kind};

use crate::understanding::Understood;

/// What becomes of code that can't be read beforehand, where the network is denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opaque {
    /// It is refused: it could reach the network.
    #[default]
    Refused,
    /// It runs: a boundary that is enforced around it keeps the network closed.
    Contained,
}

/// Refuses calls that would reach the network where the session's scope denies it.
///
/// A tool that exists to reach the network, or of which nobody knows what it can do, is refused by its
/// capabilities; a shell command by what it would do. The gate is the early and friendly answer: the call
/// also carries the scope, which a boundary inside enforces whatever the command is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct NetworkGate {
    opaque: Opaque,
}

impl NetworkGate {
    /// A gate that treats unreadable code like this.
    pub fn new(opaque: Opaque) -> Self {
        Self { opaque }
    }

    fn refuses(&self, effect: &Effect) -> bool {
        match effect.kind {
            Kind::Unknown => self.opaque == Opaque::Refused,
            // This machine is no network; whether its services may be used is for policy to ask about.
            kind => kind.is_net() && !effect.target.as_deref().is_some_and(is_loopback),
        }
    }
}

/// Tools that have no other purpose, and those nobody can vouch for.
fn reaches_out(capabilities: Capabilities) -> bool {
    capabilities.is_unknown()
        || capabilities.has(Capabilities::OPEN_WORLD)
        || capabilities.network() && !capabilities.executes()
}

impl Gate for NetworkGate {
    fn name(&self) -> &'static str {
        "network"
    }

    fn check(&self, call: &ToolCall, session: &Session) -> Verdict {
        if !session.network.is_denied() {
            return Verdict::Allow;
        }
        let refuse = |message: String| {
            Reason::new("network-denied", message)
                .hint("work offline, or leave this to an agent that has the network")
        };
        if reaches_out(call.capabilities()) {
            return Verdict::deny(refuse(format!(
                "`{}` reaches the network, which is denied here",
                call.tool_id
            )));
        }
        if !call.capabilities().executes() {
            return Verdict::Allow;
        }
        let Some(Understood(analysis)) = call.finding::<Understood>() else {
            return match self.opaque {
                Opaque::Refused => Verdict::deny(refuse("what this would run is not known".to_owned())),
                Opaque::Contained => Verdict::Allow,
            };
        };
        let reasons: Vec<Reason> = analysis
            .effects
            .iter()
            .filter(|effect| self.refuses(effect))
            .map(|effect| {
                let program =
                    effect.command.and_then(|c| analysis.commands.get(c as usize)).and_then(|c| c.program());
                let who = program.map_or_else(String::new, |p| format!("{p}: "));
                let message = match effect.kind {
                    Kind::Unknown => {
                        format!("{who}{} and could reach the network, which is denied here", effect.note)
                    }
                    _ => format!("{who}{}, and the network is denied here", effect.shown()),
                };
                refuse(message).span(effect.span.start as usize..effect.span.end as usize)
            })
            .collect();
        if reasons.is_empty() { Verdict::Allow } else { Verdict::Deny(reasons) }
    }

    fn shows(&self, def: &ToolDef, session: &Session) -> bool {
        !session.network.is_denied() || !reaches_out(def.capabilities)
    }
}
