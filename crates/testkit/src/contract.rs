//! What every gate must keep, as functions that test suites call.

use toolgate_exec::{Gate, Session, SkillTrustLevel, ToolCall};

/// Asserts that a gate says the same twice, and never less under stricter trust.
///
/// # Panics
/// Where the gate breaks the contract.
pub fn gate(gate: &dyn Gate, calls: &[ToolCall]) {
    for call in calls {
        let mut last = 0;
        for trust in SkillTrustLevel::ALL {
            let mut session = Session::default();
            session.trust = trust;
            let verdict = gate.check(call, &session);
            assert_eq!(verdict, gate.check(call, &session), "{} is of two minds about {call:?}", gate.name());
            assert!(verdict.severity() >= last, "{} is laxer at {trust}: {call:?}", gate.name());
            last = verdict.severity();
        }
    }
}
