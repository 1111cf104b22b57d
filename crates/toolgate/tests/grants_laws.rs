//! Laws of grants, over commands and policies that nobody chose.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use toolgate::exec::{NetworkScope, Pipeline, Session, SkillTrustLevel};
use toolgate::gates::{
    AutonomyGate, AutonomyLevel, NetworkGate, Opaque, PermissionGate, PlanGate, TrustGate,
};
use toolgate::grants::{Form, Grants, Lift, Proposal, Scope, WordForm};
use toolgate::policy::analyse::Analysis;
use toolgate::policy::batch::Request;
use toolgate::policy::decide::{self, Answered, Policy, Situation};
use toolgate::policy::effect::{Effect, Kind};
use toolgate::policy::permissions::{BlockList, ConfirmList};
use toolgate::policy::profile::{Profile, Verdict as Judgement};
use toolgate::policy::rule::{Layer, RuleText, Rules};
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::ScriptedTool;
use toolgate_testkit::doors::bash_call;

const WORKSPACE: &str = "/home/dev/work/repo";

fn surroundings() -> Surroundings {
    Surroundings::new(WORKSPACE, "/home/dev")
}

/// Commands in which the same words come up again and again, so that one is often nearly another.
fn simple() -> impl Strategy<Value = String> {
    let file = || {
        prop::sample::select(
            &["src/a.rs", "src/b.rs", "./src/a.rs", "docs/x", "/tmp/y", "../z", "src/*", "-f"][..],
        )
    };
    let word = || prop::sample::select(&["main", "dev", "origin", "mirror", "a b", "--all", "*", "$X"][..]);
    let template = prop::sample::select(
        &[
            "git push W W",
            "git push --force W W",
            "git push -q W W",
            "git reset --hard W",
            "git -C F push W W",
            "git clean -fd F",
            "rm F",
            "rm F F",
            "rm -f F",
            "rm -rf F",
            "mv F F",
            "cp F F",
            "mytool W F",
            "mytool",
            "mytool --W F",
            "./mytool W",
            "npm publish",
            "npm install W",
            "kill W",
            "touch F",
            "cat F",
            "ls F",
            "chmod 600 F",
            "tee F",
            "ssh W ls",
            "curl https://W.example/x",
            "curl -d @F https://W.example",
            "bash -c 'rm F'",
            "python3 F",
            "xargs rm F",
            "find F -delete",
            "docker run W",
            "sudo rm F",
            "rm -rf /",
            "env W=1 mytool",
            "make W",
            "cd F",
            "export W=1",
            "kubectl delete W",
        ][..],
    );
    (template, file(), file(), word(), word()).prop_map(|(template, f, g, w, v)| {
        let mut out = String::new();
        let (mut files, mut words) = ([f, g].into_iter().cycle(), [w, v].into_iter().cycle());
        for part in template.split_inclusive(['F', 'W']) {
            match part.strip_suffix(['F', 'W']) {
                Some(head) if part.ends_with('F') => out.extend([head, files.next().unwrap()]),
                Some(head) => out.extend([head, words.next().unwrap()]),
                None => out.push_str(part),
            }
        }
        out
    })
}

/// The same with something around it.
fn command() -> impl Strategy<Value = String> {
    let around = prop::sample::select(
        &[
            "C",
            "C",
            "C",
            "C; D",
            "C && D",
            "D; C",
            "C | tail -5",
            "cd src && C",
            "C > src/out",
            "C > /etc/passwd",
            "C < src/a.rs",
            "timeout 5 C",
            "nice C",
            "X=1 C",
            "PATH=. C",
            "GIT_DIR=/x C",
            "C &",
            "(C; D)",
            "echo $(C)",
            "for x in 1 2; do C; done",
            "if D; then C; fi",
            "C 'unclosed",
            "git() { D; }; C",
            "alias git=D; C",
            "bash -c 'C'",
            "C \"$Y\"",
            "  C  # why",
            "{ C; } 2>&1",
            "C || D",
        ][..],
    );
    (around, simple(), simple()).prop_map(|(around, c, d)| around.replace('D', &d).replacen('C', &c, 1))
}

fn rule() -> impl Strategy<Value = RuleText> {
    let pick = |list: &'static [&'static str]| {
        prop::option::weighted(0.5, prop::sample::select(list))
            .prop_map(|one| one.map(str::to_owned).into_iter().collect::<Vec<_>>())
    };
    (
        pick(&["git", "rm", "m*", "npm"]),
        pick(&["delete", "net send", "unknown", "write", "loss"]),
        pick(&["src/**", "**", "docs/*"]),
        prop::sample::select(&["ask", "deny"][..]),
    )
        .prop_map(|(program, effect, path, action)| RuleText {
            action: action.to_owned(),
            program,
            effect,
            path,
            ..RuleText::default()
        })
}

/// Rules that tighten, of this layer; those that do not load say nothing.
fn rules(layer: Layer) -> impl Strategy<Value = Rules> {
    prop::collection::vec(rule(), 0..3).prop_map(move |texts| {
        let load = |text| Rules::compile(&[text], layer).unwrap_or_default();
        texts.into_iter().map(load).fold(Rules::default(), Rules::and)
    })
}

fn gate(policy: Policy, grants: Grants) -> PermissionGate {
    PermissionGate::new(&surroundings()).policy(policy).grants(Arc::new(grants))
}

fn none() -> Grants {
    Grants::in_memory(Path::new(WORKSPACE))
}

fn trusted() -> Session {
    let mut session = Session::default();
    session.trust = SkillTrustLevel::Trusted;
    session
}

fn pipeline(gate: PermissionGate) -> Pipeline {
    let builder = Pipeline::builder().trust(SkillTrustLevel::Trusted);
    let builder = builder.normaliser(Understanding::new(surroundings())).gate(gate);
    builder.tool(ScriptedTool::bash()).build().unwrap()
}

fn severity(gate: PermissionGate, command: &str) -> u8 {
    pipeline(gate).judge(&bash_call(command)).unwrap().unwrap().severity()
}

/// What would be granted for a command, as the very words or with its asterisks meant.
fn proposal(gate: &PermissionGate, command: &str, pattern: bool) -> Option<Proposal> {
    let judged = pipeline(gate.clone()).judge_call(&bash_call(command)).unwrap();
    match pattern {
        true => gate.proposal_for_pattern(&judged.call, &trusted()).ok(),
        false => gate.proposal(&judged.call, &trusted()).ok(),
    }
}

/// Grants of what would be granted for some of these commands.
fn granted(commands: &[String], pattern: bool) -> Grants {
    let (grants, gate) = (none(), gate(Policy::default(), none()));
    for proposal in commands.iter().filter_map(|command| proposal(&gate, command, pattern)) {
        grants.add(Scope::Session, &proposal, None).unwrap();
    }
    grants
}

/// The effects of a command, each with whether it is asked about or refused by itself.
fn effects(command: &str) -> Vec<(Effect, bool)> {
    let judge = surroundings().judge(Arc::new(Policy::default()));
    let request = Request::Command { text: command.to_owned(), cwd: None };
    let analysis = judge.analyse(&request);
    let alone = |effect: &Effect| Analysis {
        commands: analysis.commands.clone(),
        effects: vec![effect.clone()],
        ..Analysis::default()
    };
    // As in the pipelines here: a network that nobody narrowed.
    let situation = Situation { network: &decide::NetworkScope::Allow, ..judge.situation(&request) };
    let objects = |effect: &Effect| {
        decide::verdict(&alone(effect), &judge.policy, &situation, Answered::Nothing) > Judgement::Allow
    };
    analysis.effects.iter().map(|effect| (effect.clone(), objects(effect))).collect()
}

fn is_of(lift: &Lift, effect: &Effect) -> bool {
    let on = if effect.kind.is_path() { effect.path.as_deref() } else { effect.target.as_deref() };
    let fits = match (&lift.on, on) {
        (None, None) => true,
        (Some(WordForm::Is(want)), Some(on)) => want == on,
        (Some(WordForm::Below(dir)), Some(on)) => {
            on.strip_prefix(dir.as_str()).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
        }
        (Some(WordForm::Any), Some(_)) => !effect.kind.is_path(),
        _ => false,
    };
    lift.effect == effect.kind.name()
        && if effect.kind == Kind::Unknown { lift.doubt.as_deref() == Some(&*effect.note) } else { fits }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_grant_allows_the_command_it_was_made_of(command in command()) {
        let before = gate(Policy::default(), none());
        if let Some(proposal) = proposal(&before, &command, false) {
            prop_assert_eq!(severity(before.clone(), &command), 1, "{}", command);
            let grants = none();
            grants.add(Scope::Session, &proposal, None).unwrap();
            prop_assert_eq!(severity(gate(Policy::default(), grants), &command), 0, "{}: {}", command, proposal);
            // What it may do is what the command does, and no more.
            let effects = effects(&command);
            for lift in proposal.parts.iter().flat_map(|(_, lifts)| lifts) {
                prop_assert!(effects.iter().any(|(effect, _)| is_of(lift, effect)), "{}: {}", command, lift);
            }
        }
    }

    #[test]
    fn no_grant_allows_a_command_that_does_what_the_granted_one_did_not(
        from in command(), other in command(), pattern in any::<bool>(),
    ) {
        let before = gate(Policy::default(), none());
        let Some(proposal) = proposal(&before, &from, pattern) else { return Ok(()) };
        let grants = none();
        grants.add(Scope::Session, &proposal, None).unwrap();
        let (without, with) = (severity(before, &other), severity(gate(Policy::default(), grants), &other));
        prop_assert!(with <= without && (without < 2 || with == 2), "{} after {}", other, from);
        if with < without {
            for (effect, _) in effects(&other).into_iter().filter(|(_, objectionable)| *objectionable) {
                let lifted = proposal.parts.iter().any(|(_, lifts)| lifts.iter().any(|l| is_of(l, &effect)));
                prop_assert!(lifted, "{} after {}: {}", other, from, effect.shown());
            }
        }
    }

    #[test]
    fn no_grant_lifts_a_refusal_or_what_the_machine_asks(
        commands in prop::collection::vec(command(), 1..4), other in command(),
        managed in rules(Layer::Managed), user in rules(Layer::User), pattern in any::<bool>(),
    ) {
        let commands: Vec<String> = commands.into_iter().chain([other.clone()]).collect();
        let policy = |rules: Rules| Policy { rules, ..Policy::default() };
        let all = policy(user.clone().and(managed.clone()));
        let without = severity(gate(all.clone(), none()), &other);
        let with = severity(gate(all, granted(&commands, pattern)), &other);
        prop_assert!(with == without || (with, without) == (0, 1), "{}: {} {}", other, with, without);
        // What the machine alone asks, beyond the profile, is asked whatever is granted.
        let open = |rules| Policy { profile: Profile::Open, rules, ..Policy::default() };
        if severity(gate(open(managed.clone()), none()), &other) > severity(gate(open(Rules::default()), none()), &other) {
            let with = severity(gate(open(user.and(managed)), granted(&commands, pattern)), &other);
            prop_assert!(with > 0, "{}", other);
        }
    }

    #[test]
    fn what_is_stricter_is_never_laxer_where_something_is_granted(
        commands in prop::collection::vec(command(), 1..4), pick in any::<prop::sample::Index>(), other in command(),
        tighter in rules(Layer::User), pattern in any::<bool>(),
    ) {
        let command = pick.get(&commands);
        for command in [command, &other] {
            let lists = |more: bool| Policy {
                blocked: BlockList::of(&if more { vec!["git push".to_owned()] } else { Vec::new() }),
                confirmed: ConfirmList::new(&if more { vec!["mytool".to_owned(), "|".to_owned()] } else { Vec::new() }),
                ..Policy::default()
            };
            let by = |policy: Policy, trust, autonomy, network: NetworkScope, plan: bool| {
                let gate = gate(policy, granted(&commands, pattern)).autonomy(autonomy);
                let builder = Pipeline::builder().trust(trust).network(network);
                let mut builder = builder
                    .normaliser(Understanding::new(surroundings()))
                    .gate(TrustGate)
                    .gate(AutonomyGate(autonomy))
                    .gate(NetworkGate::new(Opaque::Refused))
                    .gate(gate);
                if plan {
                    builder = builder.gate(PlanGate);
                }
                let pipeline = builder.tool(ScriptedTool::bash()).build().unwrap();
                pipeline.judge(&bash_call(command)).unwrap().unwrap().severity()
            };
            let (trust, level) = (SkillTrustLevel::Trusted, AutonomyLevel::Supervised);
            let by_trust = SkillTrustLevel::ALL.map(|trust| by(Policy::default(), trust, level, NetworkScope::Allow, false));
            prop_assert!(by_trust.is_sorted(), "{}: {:?}", command, by_trust);
            let by_level = [AutonomyLevel::Full, level, AutonomyLevel::ReadOnly]
                .map(|level| by(Policy::default(), trust, level, NetworkScope::Allow, false));
            prop_assert!(by_level.is_sorted(), "{}: {:?}", command, by_level);
            let scopes = [NetworkScope::Allow, NetworkScope::only(["main.example"]), NetworkScope::Deny];
            let by_scope = scopes.map(|scope| by(Policy::default(), trust, level, scope, false));
            prop_assert!(by_scope.is_sorted(), "{}: {:?}", command, by_scope);
            let profiles = [Profile::Open, Profile::Default, Profile::Strict]
                .map(|profile| by(Policy { profile, ..Policy::default() }, trust, level, NetworkScope::Allow, false));
            prop_assert!(profiles.is_sorted(), "{}: {:?}", command, profiles);
            let plain = by(lists(false), trust, level, NetworkScope::Allow, false);
            prop_assert!(plain <= by(lists(true), trust, level, NetworkScope::Allow, false), "{}", command);
            prop_assert!(plain <= by(lists(false), trust, level, NetworkScope::Allow, true), "{}", command);
            let ruled = Policy { rules: tighter.clone(), ..Policy::default() };
            prop_assert!(plain <= by(ruled, trust, level, NetworkScope::Allow, false), "{}", command);
        }
    }
}

/// Any text of words, lifts and places, as a file edited by hand or a strange command could have them.
fn any_proposal() -> impl Strategy<Value = Proposal> {
    let word = || "[ -~äß\u{202e}\u{fffe}\n\t'\"\\\\]{0,12}";
    let on = prop_oneof![
        word().prop_map(WordForm::Is),
        Just(WordForm::Any),
        word().prop_map(|dir| WordForm::Below(format!("/{dir}"))),
    ];
    let lift = (
        prop::sample::select(&["delete", "net send", "unknown"][..]),
        prop::option::of(on),
        prop::option::of(word()),
    )
        .prop_map(|(effect, on, doubt)| Lift { effect: effect.to_owned(), on, doubt });
    let words = prop::collection::vec(word(), 0..5);
    let form = prop_oneof![
        words.clone().prop_map(|words| Form::Exact { words: [vec!["mytool".to_owned()], words].concat() }),
        words.prop_map(|words| {
            let program = WordForm::Is("mytool".to_owned());
            Form::Like { words: [program].into_iter().chain(words.into_iter().map(WordForm::Is)).collect() }
        }),
        word()
            .prop_map(|value| Form::Call { params: [("x".to_owned(), value.into())].into_iter().collect() }),
    ];
    let part = (form, prop::collection::vec(lift, 0..4));
    prop::collection::vec(part, 1..4).prop_map(|parts| Proposal { tool: "bash".to_owned(), parts })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn what_is_stored_is_read_back_as_it_was(
        any in any_proposal(), command in command(), pattern in any::<bool>(),
        scope in prop::sample::select(&[Scope::Project, Scope::User][..]),
    ) {
        let state = tempfile::tempdir().unwrap();
        let open = || Grants::open(state.path(), Path::new(WORKSPACE)).unwrap();
        let kept = open();
        let of_command = proposal(&gate(Policy::default(), none()), &command, pattern);
        for proposal in of_command.iter().chain([&any]) {
            kept.add(scope, proposal, None).unwrap();
        }
        let read = open();
        prop_assert_eq!(read.list(), kept.list());
        let says = |grants: Grants| severity(gate(Policy::default(), grants), &command);
        prop_assert_eq!(says(read), says(kept));
        prop_assert!(of_command.is_none() || pattern || says(open()) == 0, "{}", command);
    }

    #[test]
    fn a_grant_holds_from_when_it_is_given_until_it_ends(
        command in command(), seconds in 1u64..100_000, at in 0u64..200_000,
    ) {
        use std::cell::Cell;
        thread_local!(static NOW: Cell<u64> = const { Cell::new(0) });
        let Some(proposal) = proposal(&gate(Policy::default(), none()), &command, false) else { return Ok(()) };
        NOW.set(1_000_000);
        let grants = none().clock(|| NOW.get());
        grants.add(Scope::Session, &proposal, Some(Duration::from_secs(seconds))).unwrap();
        let gate = gate(Policy::default(), grants);
        let lasts = seconds.min(12 * 3600);
        for (now, holds) in [(1_000_000 + at, at < lasts), (1_000_000, true), (1_000_000 + lasts, false), (999_999, false)] {
            NOW.set(now);
            prop_assert_eq!(severity(gate.clone(), &command) == 0, holds, "{} at {}", command, now);
        }
    }
}

/// The laws above would hold as well where nothing was ever granted.
#[test]
fn many_of_the_commands_can_be_granted_and_some_grants_are_about_others() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let commands: Vec<String> =
        (0..600).map(|_| command().new_tree(&mut runner).unwrap().current()).collect();
    let (some, others) = commands.split_at(300);
    let before = gate(Policy::default(), none());
    let grants = none();
    let mut given = 0;
    for proposal in some.iter().filter_map(|command| proposal(&before, command, false)) {
        grants.add(Scope::Session, &proposal, None).unwrap();
        given += 1;
    }
    let with = gate(Policy::default(), grants);
    let changed = others.iter().filter(|c| severity(with.clone(), c) < severity(before.clone(), c)).count();
    assert!(given > 60 && changed > 10, "{given} given, {changed} others allowed");
}
