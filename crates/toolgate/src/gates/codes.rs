//! What the reasons of the wall mean that do not come from the policy.

use toolgate_policy::explain::CodeText;

/// Code, one sentence, and what can be done instead. `xtask check` finds a code that is missing here.
const CODES: [(&str, &str, &str); 12] = [
    (
        "approval-is-for-another-call",
        "what was approved is not what is about to run",
        "ask again, showing the call as it is now",
    ),
    (
        "autonomy-read-only",
        "autonomy is read-only, and the tool can change things",
        "use a tool that only reads",
    ),
    (
        "budget-spent",
        "the sub-agent has used up the calls it was given",
        "report what is done and what is left",
    ),
    ("gate-panicked", "a gate failed while it judged, which counts as a refusal", "report it: this is a bug"),
    (
        "inner-executor-asks",
        "the executor behind this one wants an approval",
        "approve the call, or change it",
    ),
    (
        "invalid-params",
        "the parameters are not what the tool takes",
        "look at the tool's schema in `toolgate tools`",
    ),
    (
        "network-denied",
        "the call reaches the network, or could, and the session's network is denied",
        "work offline, or leave this to an agent that has the network",
    ),
    ("no-reason-given", "a gate refused and gave no reason", "report it: every refusal has a reason"),
    ("plan-mode", "plan mode only reads, and the tool can change things", "finish the plan and present it"),
    ("tools-switched-off", "`tools.enabled` is false", "switch tools on in the configuration"),
    ("trust-blocked", "the source of the call is blocked", "have the user review the source"),
    (
        "trust-quarantined",
        "the source of the call is quarantined: it may read and nothing more",
        "use a tool that only reads, or have the user review and trust the source",
    ),
];

/// Explains a code of any gate: the policy's or another's.
#[must_use]
pub fn explain(code: &str) -> Option<CodeText> {
    codes().into_iter().find(|text| text.code == code)
}

/// Every code that a reason can have, by name.
#[must_use]
pub fn codes() -> Vec<CodeText> {
    let own = CODES.map(|(code, why, instead)| CodeText { code, verdict: None, why, instead });
    let mut all = toolgate_policy::explain::codes();
    all.extend(own);
    all.sort_by_key(|text| text.code);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_there_once_and_says_what_to_do() {
        let all = codes();
        assert!(all.windows(2).all(|pair| pair[0].code != pair[1].code));
        assert!(CODES.iter().all(|(_, why, instead)| !why.ends_with('.') && !instead.is_empty()));
        assert_eq!(explain("plan-mode").map(|text| text.code), Some("plan-mode"));
        assert!(explain("egress-not-allowed").is_some() && explain("nonsense").is_none());
    }
}
