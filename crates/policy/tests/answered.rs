//! What an answer given beforehand lifts, and what it does not.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use toolgate_policy::analyse::Analysis;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::decide::{Answered, Decision, Policy, decide_beside, verdict};
use toolgate_policy::permissions::{BlockList, ConfirmList, PermissionPolicy, PermissionRule};
use toolgate_policy::profile::{Profile, Verdict};
use toolgate_policy::rule::{Layer, RuleText, Rules};

fn command(text: &str) -> Request {
    Request::Command { text: text.to_owned(), cwd: None }
}

fn rule(action: &str, program: &str, args: &[&str], effect: &[&str]) -> RuleText {
    let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
    RuleText {
        action: action.to_owned(),
        program: if program.is_empty() { Vec::new() } else { own(&[program]) },
        args: own(args),
        effect: own(effect),
        ..RuleText::default()
    }
}

fn list(entries: &[(&str, Verdict)]) -> PermissionPolicy {
    let entries =
        entries.iter().map(|(p, action)| PermissionRule { pattern: (*p).to_owned(), action: *action });
    PermissionPolicy::new([("bash".to_owned(), entries.collect())].into()).unwrap()
}

fn judge(policy: Policy) -> Judge<'static> {
    Judge::new("/home/dev", "/home/dev/work/repo").by(policy)
}

fn policies() -> Vec<Policy> {
    let words = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let rules = |texts: &[RuleText], layer| Rules::compile(texts, layer).unwrap();
    let mixed = rules(&[rule("allow", "git", &[], &[]), rule("ask", "g*", &[], &["write"])], Layer::User)
        .and(rules(&[rule("ask", "rm", &[], &[]), rule("deny", "", &[], &["persist"])], Layer::Managed))
        .and(rules(&[rule("deny", "make", &["deploy"], &[])], Layer::Project));
    vec![
        Policy::default(),
        Policy { profile: Profile::Strict, rules: mixed.clone(), ..Policy::default() },
        Policy {
            rules: mixed,
            blocked: BlockList::of(&words(&["sudo", "mkfs", "rm -rf"])),
            confirmed: ConfirmList::new(&words(&["git push", "|", "$(", "drop table"])),
            lists: vec![
                list(&[("git *", Verdict::Allow), ("cat *", Verdict::Ask), ("rm *", Verdict::Deny)]),
                list(&[("*", Verdict::Ask)]),
            ],
            ..Policy::default()
        },
        Policy { profile: Profile::Open, lists: vec![list(&[("*", Verdict::Allow)])], ..Policy::default() },
    ]
}

/// Every way to answer for the commands of a script, where there are few; else for every second of them, and for all.
fn masks(analysis: &Analysis) -> Vec<Vec<bool>> {
    let count = analysis.commands.len();
    match count {
        0 => vec![Vec::new()],
        1..=4 => (0..1u32 << count).map(|bits| (0..count).map(|at| bits >> at & 1 == 1).collect()).collect(),
        _ => vec![(0..count).map(|at| at % 2 == 0).collect(), vec![true; count]],
    }
}

/// What an answer never lifts, whoever gives it.
fn stays(decision: &Decision) -> Vec<String> {
    let kept = decision.reasons.iter().filter(|r| {
        r.verdict == Verdict::Deny
            || r.verdict == Verdict::Ask && matches!(r.source.name(), "built-in" | "managed")
    });
    kept.map(|r| format!("{:?} {} {}", r.verdict, r.code, r.message)).collect()
}

#[test]
fn answers_lift_questions_about_their_commands_and_never_a_refusal_or_the_machines() {
    let cases = include_str!("fixtures/commands.jsonl");
    let mut lifted = 0;
    for policy in policies() {
        let judge = judge(policy);
        for line in cases.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let request = command(case["command"].as_str().unwrap());
            let analysis = judge.analyse(&request);
            let situation = judge.situation(&request);
            let plain = decide_beside(&analysis, &judge.policy, &situation, Answered::Nothing);
            assert_eq!(judge.decide(&analysis, &request), plain);
            let masks = masks(&analysis);
            let answers = masks.iter().map(|mask| Answered::Commands(mask)).chain([Answered::Call]);
            for answered in answers {
                let beside = decide_beside(&analysis, &judge.policy, &situation, answered);
                let says = verdict(&analysis, &judge.policy, &situation, answered);
                assert_eq!(says, beside.verdict, "{request:?} {answered:?}");
                assert!(says <= plain.verdict, "{request:?} {answered:?}");
                // Reasons are told up to a number: of the rest nothing can be compared.
                if plain.reasons.len() < 64 {
                    assert_eq!(stays(&beside), stays(&plain), "{request:?} {answered:?}");
                }
                lifted += usize::from(says < plain.verdict);
            }
        }
    }
    assert!(lifted > 300, "{lifted}");
}

#[test]
fn what_nobody_answered_is_asked_about_still() {
    let says = |policy: &Policy, text: &str, mask: &[bool]| {
        let judge = judge(policy.clone());
        let request = command(text);
        let analysis = judge.analyse(&request);
        verdict(&analysis, &judge.policy, &judge.situation(&request), Answered::Commands(mask))
    };
    let plain = Policy::default();
    assert_eq!(says(&plain, "rm a; rm b", &[true, true]), Verdict::Allow);
    assert_eq!(says(&plain, "rm a; rm b", &[true, false]), Verdict::Ask);
    assert_eq!(says(&plain, "rm a; rm b", &[true]), Verdict::Ask);
    // A redirection of no command, and text that is not understood, are nobody's.
    assert_eq!(says(&plain, "rm a; > src/lib.rs", &[true, true]), Verdict::Ask);
    assert_eq!(says(&plain, "rm a 'b", &[true, true]), Verdict::Ask);
    let listed = Policy { lists: vec![list(&[("git *", Verdict::Allow)])], ..Policy::default() };
    assert_eq!(says(&listed, "rm a", &[true]), Verdict::Allow);
    assert_eq!(says(&listed, "rm a; ls", &[true, false]), Verdict::Ask);
    assert_eq!(says(&listed, "rm a; git status", &[true, false]), Verdict::Allow);
    let confirmed = Policy { confirmed: ConfirmList::new(&["|".to_owned()]), ..Policy::default() };
    assert_eq!(says(&confirmed, "rm a | cat", &[true, true]), Verdict::Ask);
}

#[test]
fn the_machines_question_stands_whichever_rule_comes_first() {
    for effect in [&[][..], &["delete"]] {
        let by = |layer| Rules::compile(&[rule("ask", "rm", &[], effect)], layer).unwrap();
        for (rules, says) in [
            (by(Layer::User), Verdict::Allow),
            (by(Layer::User).and(by(Layer::Managed)), Verdict::Ask),
            (by(Layer::Managed).and(by(Layer::User)), Verdict::Ask),
        ] {
            let judge = judge(Policy { rules, ..Policy::default() });
            let request = command("rm a");
            let analysis = judge.analyse(&request);
            let situation = judge.situation(&request);
            for answered in [Answered::Commands(&[true]), Answered::Call] {
                assert_eq!(verdict(&analysis, &judge.policy, &situation, answered), says, "{effect:?}");
            }
        }
    }
}
