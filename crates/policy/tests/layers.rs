//! Laws of layers: what is put on top of a policy tightens it, unless it may loosen; nothing lifts a refusal.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use std::collections::BTreeMap;
use toolgate_policy::autonomy::AutonomyLevel;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::decide::{NetworkScope, Policy};
use toolgate_policy::permissions::{BlockList, ConfirmList, PermissionPolicy, PermissionRule};
use toolgate_policy::profile::{Profile, Setting, Verdict};
use toolgate_policy::rule::{Caller, Layer, RuleText, Rules};

/// What a command can be in a test: something every rule below can be about.
const COMMANDS: [&str; 24] = [
    "ls",
    "cat src/main.rs",
    "cat \"$X\"",
    "rm src/x.rs",
    "rm -rf *",
    "rm -rf docs",
    "git push origin main",
    "git \"$X\" origin",
    "git reset --hard",
    "npm publish",
    "npm test",
    "env A=1 npm publish",
    "curl https://api.example.com/x",
    "curl \"$URL\"",
    "echo x > src/x.rs",
    "echo x > docs/a/b; git push",
    "bash -c 'npm publish; rm src/y'",
    "python3 -c 'print(1)'",
    "unknown-program --flag",
    "rm -rf /",
    "cat ~/.ssh/id_rsa",
    "tee docs/x < /dev/null",
    "find . -name x -delete",
    "ls '",
];

/// One of these in one of four rules: a rule with many conditions is about nothing.
fn some(list: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
    prop::option::weighted(0.25, prop::sample::select(list))
        .prop_map(|one| one.map(str::to_owned).into_iter().collect())
}

fn rule(actions: &'static [&'static str]) -> impl Strategy<Value = RuleText> {
    (
        prop::sample::select(actions),
        some(&["read", "write", "delete", "loss", "net", "net send", "unknown", "script", "project"]),
        some(&["git", "npm", "rm", "c*", "python3", "unknown-program"]),
        some(&["push", "publish|test", "*", "-rf"]),
        some(&["src/**", "docs/*", "**", "~/**", "src/x.rs"]),
        some(&["*.example.com", "api.example.com"]),
        some(&["bash", "mcp__*"]),
        some(&["trusted", "quarantined"]),
        some(&["supervised", "full"]),
    )
        .prop_map(|(action, effect, program, args, path, host, tool, trust, autonomy)| RuleText {
            action: action.to_owned(),
            args: if program.is_empty() { Vec::new() } else { args },
            effect,
            program,
            path,
            host,
            tool,
            trust,
            autonomy,
            ..RuleText::default()
        })
}

/// Rules of a layer; those that do not load say nothing.
fn rules(actions: &'static [&'static str], layer: Layer) -> impl Strategy<Value = Rules> {
    prop::collection::vec(rule(actions), 0..4).prop_map(move |texts| {
        let load = |text| Rules::compile(&[text], layer).unwrap_or_default();
        texts.into_iter().map(load).fold(Rules::default(), Rules::and)
    })
}

const ANY: &[&str] = &["allow", "ask", "deny"];
const TIGHT: &[&str] = &["ask", "deny"];

fn lists() -> impl Strategy<Value = PermissionPolicy> {
    let action = prop::sample::select(&[Verdict::Allow, Verdict::Ask, Verdict::Deny][..]);
    let pattern = prop::sample::select(&["*", "git *", "*rm*", "npm publish*", "l[st]", "cat *"][..]);
    let entry = (pattern, action).prop_map(|(p, action)| PermissionRule { pattern: p.to_owned(), action });
    prop::collection::vec(entry, 0..4)
        .prop_map(|list| PermissionPolicy::new(BTreeMap::from([("bash".to_owned(), list)])).unwrap())
}

/// Any policy: every profile, rules of all layers, lists.
fn policy() -> impl Strategy<Value = Policy> {
    (
        prop::sample::select(&[Profile::Open, Profile::Default, Profile::Strict][..]),
        rules(ANY, Layer::Managed),
        rules(ANY, Layer::User),
        rules(ANY, Layer::Session),
        prop::option::of(lists()),
    )
        .prop_map(|(profile, managed, user, session, list)| Policy {
            profile,
            rules: managed.and(user).and(session),
            lists: list.into_iter().collect(),
            ..Policy::default()
        })
}

fn setting() -> impl Strategy<Value = (Setting, NetworkScope)> {
    let network = prop::sample::select(vec![
        NetworkScope::Deny,
        NetworkScope::Allow,
        NetworkScope::Only(vec!["example.com".to_owned()]),
    ]);
    let setting = (any::<bool>(), any::<bool>()).prop_map(|(contained, undo)| Setting { contained, undo });
    (setting, network)
}

fn judge(policy: &Policy, (setting, network): &(Setting, NetworkScope)) -> Judge<'static> {
    let judge = Judge::new("/home/dev", "/home/dev/work/repo").by(policy.clone());
    Judge { setting: *setting, network: network.clone(), ..judge }
}

fn verdict(judge: &Judge<'_>, command: &str) -> Verdict {
    judge.judge(&Request::Command { text: command.to_owned(), cwd: None }).verdict
}

/// Each command is at least as strict by the second policy.
fn no_laxer(before: &Judge<'_>, after: &Judge<'_>) -> Result<(), TestCaseError> {
    for command in COMMANDS {
        let (a, b) = (verdict(before, command), verdict(after, command));
        prop_assert!(b >= a, "{command}: {a:?} became {b:?}");
    }
    Ok(())
}

fn with_rules(policy: &Policy, rules: Rules) -> Policy {
    Policy { rules: policy.rules.clone().and(rules), ..policy.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn rules_that_ask_and_deny_tighten_in_every_layer(
        base in policy(), setting in setting(), more in rules(TIGHT, Layer::Session),
        layered in rules(TIGHT, Layer::Managed),
    ) {
        let before = judge(&base, &setting);
        no_laxer(&before, &judge(&with_rules(&base, more.clone()), &setting))?;
        // In front as well as behind: the order of layers decides nothing.
        let front = Policy { rules: layered.clone().and(base.rules.clone()), ..base.clone() };
        let behind = with_rules(&base, layered);
        no_laxer(&before, &judge(&front, &setting))?;
        for command in COMMANDS {
            prop_assert_eq!(
                verdict(&judge(&front, &setting), command),
                verdict(&judge(&behind, &setting), command)
            );
        }
    }

    #[test]
    fn a_project_that_is_not_trusted_loosens_nothing_whatever_it_says(
        base in policy(), setting in setting(), project in rules(ANY, Layer::Project),
    ) {
        no_laxer(&judge(&base, &setting), &judge(&with_rules(&base, project), &setting))?;
    }

    #[test]
    fn no_later_layer_lifts_what_a_rule_denies_or_asks(
        managed in rules(TIGHT, Layer::Managed), setting in setting(),
        user in rules(ANY, Layer::User), session in rules(ANY, Layer::Session),
    ) {
        // What the managed rules say by themselves, on a profile that says nothing.
        let alone = Policy { rules: managed.clone(), profile: Profile::Open, ..Policy::default() };
        let all = Policy { rules: managed.and(user).and(session), ..alone.clone() };
        let of_rules = |judge: &Judge<'_>, command: &str| {
            let answer = judge.judge(&Request::Command { text: command.to_owned(), cwd: None });
            let by_managed = answer.reasons.iter().filter(|r| r.source.name() == "managed");
            by_managed.map(|r| r.verdict).max().unwrap_or(Verdict::Allow)
        };
        for command in COMMANDS {
            let said = of_rules(&judge(&alone, &setting), command);
            prop_assert!(verdict(&judge(&all, &setting), command) >= said, "{command}");
        }
    }

    #[test]
    fn a_stricter_profile_scope_and_boundary_are_never_laxer(base in policy(), setting in setting()) {
        let by = |profile| judge(&Policy { profile, ..base.clone() }, &setting);
        no_laxer(&by(Profile::Open), &by(Profile::Default))?;
        no_laxer(&by(Profile::Default), &by(Profile::Strict))?;
        let scope = |network| judge(&base, &(setting.0, network));
        let only = || NetworkScope::Only(vec!["example.com".to_owned()]);
        no_laxer(&scope(NetworkScope::Allow), &scope(only()))?;
        no_laxer(&scope(only()), &scope(NetworkScope::Deny))?;
        let held = |contained| judge(&base, &(Setting { contained, ..setting.0 }, setting.1.clone()));
        no_laxer(&held(true), &held(false))?;
    }

    #[test]
    fn lists_only_tighten_and_the_block_list_holds_whatever_is_attached(
        base in policy(), setting in setting(), list in lists(),
    ) {
        let mut more = base.clone();
        more.lists.push(list);
        more.confirmed = ConfirmList::new(&["ls".to_owned()]);
        no_laxer(&judge(&base, &setting), &judge(&more, &setting))?;
        more.blocked = BlockList::of(&["git push".to_owned(), "npm".to_owned()]);
        let blocked = judge(&more, &setting);
        no_laxer(&judge(&base, &setting), &blocked)?;
        for command in ["git push", "env A=1 npm test", "bash -c 'git -C x push'", "echo $(npm ci)"] {
            prop_assert_eq!(verdict(&blocked, command), Verdict::Deny, "{}", command);
        }
        // A word that is not known may be the one that is blocked.
        prop_assert!(verdict(&blocked, "git \"$X\"") >= Verdict::Ask);
        prop_assert!(verdict(&blocked, "\"$X\" push") >= Verdict::Ask);
    }

    #[test]
    fn a_rule_about_a_caller_says_nothing_about_others(texts in rule(TIGHT), setting in setting()) {
        let texts = RuleText { trust: vec!["quarantined".to_owned()], autonomy: Vec::new(), ..texts };
        let Ok(rules) = Rules::compile(&[texts], Layer::User) else { return Ok(()) };
        let with = judge(&Policy { rules, ..Policy::default() }, &setting);
        let without = judge(&Policy::default(), &setting);
        let trusted = Caller { trust: "trusted", autonomy: AutonomyLevel::Full, ..Caller::default() };
        let with = Judge { caller: trusted, ..with };
        for command in COMMANDS {
            prop_assert_eq!(verdict(&with, command), verdict(&without, command));
        }
    }

    #[test]
    fn what_is_told_to_never_fire_changes_nothing(base in policy(), setting in setting()) {
        let judged = judge(&base, &setting);
        for (at, why) in base.rules.never_fire() {
            let without = Policy { rules: base.rules.without(at), ..base.clone() };
            let without = judge(&without, &setting);
            for command in COMMANDS {
                prop_assert_eq!(verdict(&judged, command), verdict(&without, command), "{:?} {}", why, command);
            }
        }
    }
}

#[test]
fn the_rules_here_are_about_the_commands_here() {
    // The laws above say little if nothing ever fires.
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let base = judge(&Policy::default(), &(Setting::default(), NetworkScope::Deny));
    let mut differ = 0;
    for _ in 0..200 {
        let rules = rules(ANY, Layer::User).new_tree(&mut runner).unwrap().current();
        let with = base.by(Policy { rules, ..Policy::default() });
        differ += usize::from(COMMANDS.iter().any(|c| verdict(&base, c) != verdict(&with, c)));
    }
    assert!(differ > 30, "{differ} of 200");
}
