//! Judges by how far the source of a call is trusted.
//!
//! Capabilities decide, never names: a tool that does not say what it can do is treated as one that can do everything.

use toolgate_exec::{Capabilities, Gate, Reason, Session, SkillTrustLevel, ToolCall, ToolDef, Verdict};

/// Refuses what the session's trust level does not cover.
///
/// `Blocked` covers nothing. `Quarantined` covers tools that neither execute, write, delete, reach
/// the network, touch memory nor belong to an MCP server. `Verified` and `Trusted` leave it to policy.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrustGate;

/// What a quarantined source never gets.
const NOT_IN_QUARANTINE: [(Capabilities, &str); 6] = [
    (Capabilities::EXECUTES, "runs programs"),
    (Capabilities::WRITES, "writes"),
    (Capabilities::DELETES, "deletes"),
    (Capabilities::MEMORY, "touches what the agent remembers"),
    (Capabilities::MCP, "belongs to an MCP server"),
    // `network()` below also covers open-world tools; this line names the plain case.
    (Capabilities::NETWORK, "reaches the network"),
];

impl TrustGate {
    fn objection(capabilities: Capabilities, trust: SkillTrustLevel) -> Option<Reason> {
        match trust {
            SkillTrustLevel::Trusted | SkillTrustLevel::Verified => None,
            SkillTrustLevel::Blocked => {
                Some(Reason::new("trust-blocked", "all tools are refused at trust level `blocked`"))
            }
            SkillTrustLevel::Quarantined => {
                let what = if capabilities.is_unknown() {
                    "does not say what it can do"
                } else {
                    let hit =
                        NOT_IN_QUARANTINE.iter().find(|(c, _)| capabilities.has(*c)).map(|(_, what)| *what);
                    hit.or_else(|| capabilities.network().then_some("deals with the open world"))?
                };
                Some(
                    Reason::new(
                        "trust-quarantined",
                        format!("this tool {what}, and the trust level is `quarantined`"),
                    )
                    .hint("use a tool that only reads, or have the user review and trust the source"),
                )
            }
        }
    }
}

impl Gate for TrustGate {
    fn name(&self) -> &'static str {
        "trust"
    }

    fn check(&self, call: &ToolCall, session: &Session) -> Verdict {
        Self::objection(call.capabilities(), session.trust).map_or(Verdict::Allow, Verdict::deny)
    }

    fn shows(&self, def: &ToolDef, session: &Session) -> bool {
        Self::objection(def.capabilities, session.trust).is_none()
    }
}
