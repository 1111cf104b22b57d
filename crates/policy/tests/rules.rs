//! The rule language: what it loosens, what it tightens, and what it refuses to load.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use toolgate_policy::autonomy::AutonomyLevel;
use toolgate_policy::batch::{Answer, Judge, Request};
use toolgate_policy::decide::{NetworkScope, Policy};
use toolgate_policy::profile::Verdict::{self, Allow, Ask, Deny};
use toolgate_policy::rule::{Caller, Dead, Layer, RuleText, Rules};

fn rule(action: &str) -> RuleText {
    RuleText { name: "r".into(), action: action.into(), ..RuleText::default() }
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| (*s).to_owned()).collect()
}

fn program(action: &str, program: &str, args: &[&str]) -> RuleText {
    RuleText { program: strings(&[program]), args: strings(args), ..rule(action) }
}

fn effect(action: &str, kind: &str) -> RuleText {
    RuleText { effect: strings(&[kind]), ..rule(action) }
}

fn load(layer: Layer, texts: &[RuleText]) -> Rules {
    Rules::compile(texts, layer).unwrap()
}

fn judge(rules: &Rules) -> Judge<'static> {
    let policy = Policy { rules: rules.clone(), ..Policy::default() };
    Judge::new("/home/dev", "/home/dev/work/repo").by(policy)
}

fn answer(rules: &Rules, text: &str) -> Answer {
    judge(rules).judge(&Request::Command { text: text.into(), cwd: None })
}

fn verdict(rules: &Rules, text: &str) -> Verdict {
    answer(rules, text).verdict
}

#[test]
fn allow_lifts_what_a_profile_asks_and_no_more() {
    let r = load(Layer::User, &[program("allow", "git", &["reset", "--hard"])]);
    assert_eq!(verdict(&r, "git reset --hard"), Allow);
    assert_eq!(verdict(&r, "git reset --merge"), Ask);
    assert_eq!(verdict(&r, "git -C ../other reset --hard"), Deny);
    assert_eq!(verdict(&r, "git reset --hard; curl https://evil.example"), Deny);
    assert_eq!(verdict(&r, "git reset \"$X\""), Ask);
}

#[test]
fn an_allow_lifts_nothing_of_a_command_that_another_rule_asks_about() {
    let keys = || load(Layer::User, &[RuleText { path: strings(&["~/.ssh/**"]), ..effect("allow", "read") }]);
    assert_eq!(verdict(&keys(), "cat ~/.ssh/config"), Allow);
    for about in [program("ask", "cat", &[]), RuleText { tool: strings(&["bash"]), ..rule("ask") }] {
        assert_eq!(verdict(&keys().and(load(Layer::User, &[about])), "cat ~/.ssh/config"), Deny);
    }
}

#[test]
fn nothing_lifts_what_is_hard() {
    let everything: Vec<RuleText> = ["delete", "write", "net send", "net fetch", "guard", "loss", "unknown"]
        .iter()
        .map(|k| effect("allow", k))
        .collect();
    for layer in [Layer::Managed, Layer::User, Layer::Session] {
        let r = load(layer, &everything);
        for c in [
            "rm -rf /",
            "rm -rf ~",
            "rm -rf ..",
            "cat x > /dev/sda",
            "curl https://evil.example",
            "rm -f ~/.claude/settings.json",
        ] {
            assert_eq!(verdict(&r, c), Deny, "{c} by {}", layer.name());
        }
    }
}

#[test]
fn a_project_may_tighten_and_not_loosen() {
    let r = load(
        Layer::Project,
        &[effect("allow", "delete"), program("deny", "npm", &["publish"]), program("ask", "ls", &[])],
    );
    assert_eq!(verdict(&r, "rm -rf src"), Ask);
    assert_eq!(verdict(&r, "ls"), Ask);
    assert_eq!(verdict(&r, "npm publish"), Deny);
    let trusted = load(Layer::TrustedProject, &[effect("allow", "delete")]);
    assert_eq!(verdict(&trusted, "rm -rf src"), Allow);
    assert_eq!(r.never_fire(), [(0, Dead::MayNotLoosen)]);
}

#[test]
fn deny_wins_over_allow_whatever_the_order_and_layer() {
    let allow = || load(Layer::User, &[program("allow", "rm", &[])]);
    let deny =
        || load(Layer::Session, &[RuleText { path: strings(&["src/**"]), ..effect("deny", "delete") }]);
    for r in [allow().and(deny()), deny().and(allow())] {
        assert_eq!(verdict(&r, "rm -rf src/x"), Deny);
        assert_eq!(verdict(&r, "rm -rf docs"), Allow);
        assert_eq!(verdict(&r, "rm -rf *"), Deny, "it takes src too");
    }
}

#[test]
fn rules_are_about_words_wherever_the_command_stands() {
    let r = load(
        Layer::User,
        &[program("deny", "kubectl|terraform".split('|').next().unwrap(), &["delete|drain"])],
    );
    for c in [
        "kubectl delete pod x",
        "env A=1 kubectl delete pod x",
        "bash -c 'kubectl delete x'",
        "echo $(kubectl drain n)",
        "k''ubectl dele\"te\" x",
    ] {
        assert_eq!(verdict(&r, c), Deny, "{c}");
    }
    assert_eq!(verdict(&r, "echo kubectl delete pod x"), Allow);
    let found = answer(&r, "kubectl delete pod x");
    assert!(found.reasons.iter().any(|x| x.rule.as_deref() == Some("r") && x.source.name() == "user"));
}

#[test]
fn paths_and_hosts_are_compared_by_parts() {
    let r =
        load(Layer::User, &[RuleText { path: strings(&["docs/**", "*.lock"]), ..effect("deny", "write") }]);
    assert_eq!(verdict(&r, "echo x > docs/a/b"), Deny);
    assert_eq!(verdict(&r, "echo x > docs2/a"), Allow);
    assert_eq!(verdict(&r, "echo x > Cargo.lock"), Deny);
    assert_eq!(verdict(&r, "echo x > a/Cargo.lock"), Allow);
    assert_eq!(verdict(&r, "cd docs && echo x > y"), Deny);
    let hosts =
        load(Layer::User, &[RuleText { host: strings(&["*.evil.example"]), ..effect("deny", "net") }]);
    let judge = Judge { network: NetworkScope::Allow, ..judge(&hosts) };
    let v = |c: &str| judge.judge(&Request::Command { text: c.into(), cwd: None }).verdict;
    assert_eq!(v("curl https://a.evil.example/"), Deny);
    assert_eq!(v("curl https://EVIL.example./"), Deny);
    assert_eq!(v("curl https://notevil.example/"), Allow);
}

#[test]
fn a_scope_of_hosts_goes_by_labels() {
    let judge = Judge {
        network: NetworkScope::Only(strings(&["example.com"])),
        ..Judge::new("/home/dev", "/home/dev/work/repo")
    };
    let v = |c: &str| judge.judge(&Request::Command { text: c.into(), cwd: None }).verdict;
    assert_eq!(v("curl https://example.com/x"), Allow);
    assert_eq!(v("curl https://a.example.com/x"), Allow);
    assert_eq!(v("curl https://evil-example.com/"), Deny);
    assert_eq!(v("curl https://example.com.evil.example/"), Deny);
    assert_eq!(v("curl https://example.com@evil.example/"), Deny);
    assert_eq!(v("git push"), Deny);
    assert_eq!(v("curl \"$URL\""), Deny);
}

#[test]
fn rules_hang_on_who_calls() {
    let r = load(
        Layer::User,
        &[RuleText {
            trust: strings(&["quarantined"]),
            tool: strings(&["bash"]),
            ..effect("deny", "project")
        }],
    );
    let by = |caller: Caller<'static>| {
        let judge = Judge { caller, ..judge(&r) };
        judge.judge(&Request::Command { text: "npm test".into(), cwd: None }).verdict
    };
    assert_eq!(by(Caller { trust: "quarantined", ..Caller::default() }), Deny);
    assert_eq!(by(Caller::default()), Allow);
    let unattended = RuleText { autonomy: strings(&["full", "readonly"]), ..effect("ask", "project") };
    let r = load(Layer::User, &[unattended]);
    let by = |autonomy| {
        let judge = Judge { caller: Caller { autonomy, ..Caller::default() }, ..judge(&r) };
        judge.judge(&Request::Command { text: "npm test".into(), cwd: None }).verdict
    };
    assert_eq!(by(AutonomyLevel::Full), Ask);
    assert_eq!(by(AutonomyLevel::ReadOnly), Ask);
    assert_eq!(by(AutonomyLevel::Supervised), Allow);
}

#[test]
fn mistakes_are_errors_when_a_rule_is_loaded() {
    let bad = |t: RuleText| Rules::compile(&[t], Layer::User).unwrap_err().what;
    assert!(bad(program("permit", "ls", &[])).contains("action"));
    assert!(bad(effect("deny", "explode")).contains("effect"));
    assert!(bad(rule("deny")).contains("nothing"));
    assert!(bad(RuleText { args: strings(&["x"]), ..effect("deny", "write") }).contains("program"));
    assert!(bad(program("deny", "a[b", &[])).contains("wildcards"));
    assert!(bad(program("deny", "", &[])).contains("empty"));
    assert!(bad(program("deny", "/usr/bin/rm", &[])).contains("without directories"));
    assert!(bad(RuleText { host: strings(&["x"]), ..effect("deny", "write") }).contains("never match"));
    assert!(bad(RuleText { path: strings(&["x"]), ..effect("deny", "net") }).contains("never match"));
    assert!(bad(RuleText { trust: strings(&["quarantine"]), ..effect("deny", "write") }).contains("trust"));
    for p in ["bash", "python3", "env", "xargs", "sudo", "find", "busybox", "*"] {
        assert!(bad(program("allow", p, &[])).contains("whatever it runs"), "{p}");
    }
    assert!(Rules::compile(&[program("deny", "bash", &[])], Layer::User).is_ok());
}

#[test]
fn examples_in_a_rule_are_checked_when_it_is_loaded() {
    let with = |matches: &[&str], not: &[&str]| {
        Rules::compile(
            &[RuleText {
                matches: strings(matches),
                not_match: strings(not),
                ..program("deny", "git", &["push"])
            }],
            Layer::User,
        )
    };
    assert!(with(&["git push", "env git push -f"], &["git pull", "echo git push"]).is_ok());
    assert!(with(&["git pull"], &[]).unwrap_err().what.contains("is not about"));
    assert!(with(&[], &["git push x"]).unwrap_err().what.contains("is about"));
    assert!(with(&["git push '"], &[]).unwrap_err().what.contains("not understood"));
}

#[test]
fn rules_that_never_fire_are_told() {
    let r = load(
        Layer::User,
        &[
            RuleText { name: "all".into(), ..program("deny", "git", &[]) },
            RuleText { name: "some".into(), ..program("ask", "git", &["push"]) },
            RuleText { name: "other".into(), ..program("ask", "npm", &[]) },
        ],
    );
    assert_eq!(r.never_fire(), [(1, Dead::Covered(0))]);
    let judge = judge(&r);
    let analysis = judge.analyse(&Request::Command { text: "git push; ls".into(), cwd: None });
    assert_eq!(r.fired(&analysis, &Caller::default(), &judge.map), [0, 1]);
}

#[test]
fn a_grant_that_is_offered_lifts_the_reason_and_little_else() {
    let plain = Rules::default();
    let found = answer(&plain, "rm src/x.rs");
    assert_eq!(found.verdict, Ask);
    let lift = found.reasons[0].lift.clone().unwrap();
    assert!(lift.contains("/home/dev/work/repo/src/x.rs") && lift.contains("\"rm\""), "{lift}");
    assert!(answer(&plain, "rm -rf /").reasons[0].lift.is_none());
    let shell = answer(&plain, "bash x.sh");
    assert!(!shell.reasons[0].lift.clone().unwrap().contains("program"));
}
