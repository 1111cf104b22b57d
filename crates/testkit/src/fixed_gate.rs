//! Gates whose opinion a test decides.

use toolgate_exec::{Gate, Reason, Session, ToolCall, ToolDef, Verdict};

/// A reason for tests.
pub fn reason() -> Reason {
    Reason::new("a-test-says-so", "a test says so")
}

/// Judges calls whose subject contains a text, and lets all others pass.
#[derive(Clone, Debug)]
pub struct FixedGate {
    about: String,
    verdict: Verdict,
    hides: bool,
}

impl FixedGate {
    /// A gate with one opinion of everything.
    pub fn of_all(verdict: Verdict) -> Self {
        Self::of("", verdict)
    }

    /// A gate with an opinion of calls that mention `about`.
    pub fn of(about: &str, verdict: Verdict) -> Self {
        Self { about: about.to_owned(), verdict, hides: false }
    }

    /// Also hides every tool from the model.
    #[must_use]
    pub fn hiding(mut self) -> Self {
        self.hides = true;
        self
    }
}

impl Gate for FixedGate {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
        if call.subject().contains(&self.about) { self.verdict.clone() } else { Verdict::Allow }
    }

    fn shows(&self, _: &ToolDef, _: &Session) -> bool {
        !self.hides
    }
}

/// A gate with a bug.
#[derive(Clone, Copy, Debug)]
pub struct PanickingGate;

impl Gate for PanickingGate {
    fn name(&self) -> &'static str {
        "panicking"
    }

    #[allow(clippy::panic)]
    fn check(&self, _: &ToolCall, _: &Session) -> Verdict {
        panic!("a bug in a gate")
    }
}
