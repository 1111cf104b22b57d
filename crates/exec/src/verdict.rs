//! What a gate says of a call.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Whether a call may run. Of several, the strictest counts: `Deny` over `Ask` over `Allow`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// A person is asked first; their approval lifts this.
    Ask(Vec<Reason>),
    /// It may not run; no approval lifts this.
    Deny(Vec<Reason>),
}

impl Verdict {
    /// Asks for one reason.
    pub fn ask(reason: Reason) -> Self {
        Self::Ask(vec![reason])
    }

    /// Denies for one reason.
    pub fn deny(reason: Reason) -> Self {
        Self::Deny(vec![reason])
    }

    /// 0 for `Allow`, 1 for `Ask`, 2 for `Deny`.
    pub fn severity(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask(_) => 1,
            Self::Deny(_) => 2,
        }
    }

    /// The strictest of both; two of one kind keep all their reasons.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Deny(mut a), Self::Deny(b)) => {
                a.extend(b);
                Self::Deny(a)
            }
            (Self::Ask(mut a), Self::Ask(b)) => {
                a.extend(b);
                Self::Ask(a)
            }
            (a, b) => {
                if a.severity() >= b.severity() {
                    a
                } else {
                    b
                }
            }
        }
    }

    /// The reasons; none for `Allow`.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::Allow => &[],
            Self::Ask(reasons) | Self::Deny(reasons) => reasons,
        }
    }

    /// `allow`, `ask` or `deny`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask(_) => "ask",
            Self::Deny(_) => "deny",
        }
    }
}

/// Why a verdict is not a plain allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reason {
    /// A stable kebab-case code that reads as a phrase: `egress-not-allowed`.
    pub code: Cow<'static, str>,
    /// One sentence for a person and a model: lower case, no full stop.
    pub message: String,
    /// The gate that says so.
    #[serde(skip_serializing_if = "str::is_empty", default)]
    pub gate: Cow<'static, str>,
    /// The bytes of the command (or other subject) it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub span: Option<Range<usize>>,
    /// The rule that hit, as written where it was configured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
    /// The layer of policy the rule came from: `built-in`, `managed`, `user`, `project`, `session`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<Cow<'static, str>>,
    /// The smallest grant that would lift it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub grant: Option<String>,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hint: Option<String>,
}

impl Reason {
    /// A reason with its code and sentence.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            gate: Cow::Borrowed(""),
            span: None,
            rule: None,
            source: None,
            grant: None,
            hint: None,
        }
    }

    /// Says which bytes it is about.
    #[must_use]
    pub fn span(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }

    /// Names the rule.
    #[must_use]
    pub fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// Names the layer of policy.
    #[must_use]
    pub fn source(mut self, source: impl Into<Cow<'static, str>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Names the smallest grant that would lift it.
    #[must_use]
    pub fn grant(mut self, grant: impl Into<String>) -> Self {
        self.grant = Some(grant.into());
        self
    }

    /// Says what to do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn verdict() -> impl Strategy<Value = Verdict> {
        (0u8..3, 0u8..5).prop_map(|(kind, n)| {
            let reason = Reason::new("a-code", n.to_string());
            match kind {
                0 => Verdict::Allow,
                1 => Verdict::ask(reason),
                _ => Verdict::deny(reason),
            }
        })
    }

    proptest! {
        #[test]
        fn the_strictest_of_two_counts_and_keeps_its_reasons(a in verdict(), b in verdict()) {
            let both = a.clone().and(b.clone());
            prop_assert_eq!(both.severity(), a.severity().max(b.severity()));
            let kept = [&a, &b].into_iter().filter(|v| v.severity() == both.severity());
            prop_assert_eq!(both.reasons().len(), kept.map(|v| v.reasons().len()).sum::<usize>());
        }
    }
}
