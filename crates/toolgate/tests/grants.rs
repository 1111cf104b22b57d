//! What a grant lifts, and everything that it does not.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;

use toolgate::exec::{Capabilities, NetworkScope, Pipeline, Session, SkillTrustLevel, ToolCall, Verdict};
use toolgate::gates::{NetworkGate, Opaque, PermissionGate, PlanGate, TrustGate};
use toolgate::grants::{Grants, NotGrantable, Proposal, Scope};
use toolgate::policy::decide::Policy;
use toolgate::policy::permissions::{BlockList, ConfirmList};
use toolgate::policy::rule::{Layer, RuleText, Rules};
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::ScriptedTool;
use toolgate_testkit::doors::bash_call;

const HOME: &str = "/home/dev";
const WORKSPACE: &str = "/home/dev/work/repo";

fn surroundings() -> Surroundings {
    Surroundings::new(WORKSPACE, HOME)
}

/// A gate with grants, and a pipeline of it that judges bash.
struct Wall {
    gate: PermissionGate,
    grants: Arc<Grants>,
}

impl Wall {
    fn new() -> Self {
        Self::of(Grants::in_memory(Path::new(WORKSPACE)), |gate| gate)
    }

    fn of(grants: Grants, gate: impl Fn(PermissionGate) -> PermissionGate) -> Self {
        let grants = Arc::new(grants);
        let gate = gate(PermissionGate::new(&surroundings())).grants(grants.clone());
        Self { gate, grants }
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline::builder()
            .trust(SkillTrustLevel::Trusted)
            .normaliser(Understanding::new(surroundings()))
            .gate(self.gate.clone())
            .tool(ScriptedTool::bash())
            .build()
            .unwrap()
    }

    fn verdict(&self, command: &str) -> &'static str {
        self.pipeline().judge(&bash_call(command)).unwrap().unwrap().as_str()
    }

    fn proposal(&self, command: &str) -> Result<Proposal, NotGrantable> {
        let judged = self.pipeline().judge_call(&bash_call(command)).unwrap();
        self.gate.proposal(&judged.call, &trusted())
    }

    fn grant_pattern(&self, command: &str) {
        let judged = self.pipeline().judge_call(&bash_call(command)).unwrap();
        let proposal = self.gate.proposal_for_pattern(&judged.call, &trusted());
        let proposal = proposal.unwrap_or_else(|e| panic!("{command}: {e}"));
        self.grants.add(Scope::Session, &proposal, None).unwrap();
    }

    fn grant(&self, command: &str) {
        let proposal = self.proposal(command).unwrap_or_else(|e| panic!("{command}: {e}"));
        self.grants.add(Scope::Session, &proposal, None).unwrap();
    }

    #[track_caller]
    fn says(&self, verdict: &str, commands: &[&str]) {
        for command in commands {
            assert_eq!(self.verdict(command), verdict, "{command}");
        }
    }
}

fn trusted() -> Session {
    let mut session = Session::default();
    session.trust = SkillTrustLevel::Trusted;
    session
}

#[test]
fn a_grant_is_for_these_words_and_nothing_around_them() {
    let wall = Wall::new();
    wall.says("ask", &["git push origin main"]);
    wall.grant("git push origin main");
    wall.says(
        "allow",
        &[
            "git push origin main",
            "  git   push 'origin' \"main\"",
            "git status && git push origin main",
            "git push origin main | tail -5",
            "timeout 60 git push origin main",
            "/usr/bin/git push origin main",
            "bash -c 'git push origin main'",
            "cd src && git push origin main",
        ],
    );
    wall.says(
        "ask",
        &[
            "git push origin other",
            "git push --force origin main",
            "git push origin main --force",
            "git push origin",
            "git -C /home/dev/other push origin main",
            "git push origin main && git push origin other",
            "git push origin main; rm src/lib.rs",
            "git push origin \"$BRANCH\"",
            "git push origin $(cat branch)",
            "./git push origin main",
            "PATH=.:$PATH git push origin main",
            "GIT_SSH_COMMAND=./x git push origin main",
            "GIT_DIR=/home/dev/other/.git git push origin main",
            "git push origin main 'unclosed",
            "alias git=./x; git push origin main",
            "git() { ./x; }; git push origin main",
            "hash -p ./x git; git push origin main",
        ],
    );
    for command in [
        "git push origin main && rm -rf /",
        "git push origin main > /etc/passwd",
        "cd / && git push origin main; rm -rf ~",
    ] {
        assert_eq!(wall.verdict(command), "deny", "{command}");
    }
    assert_ne!(wall.verdict("cd /home/dev/other && git push origin main"), "allow");
    assert_ne!(wall.verdict("git push origin main < /home/dev/.ssh/id_rsa"), "allow");
}

#[test]
fn files_are_granted_by_directory_and_options_by_what_they_are() {
    let wall = Wall::new();
    wall.grant("rm -f src/gen/*");
    wall.says(
        "allow",
        &[
            "rm -f src/gen/a.rs",
            "rm -f ./src/gen/../gen/deep/a.rs",
            "rm -f src/gen/a src/gen/b",
            "rm -f src/gen/*.o",
        ],
    );
    wall.says(
        "ask",
        &[
            "rm -f src/a.rs",
            "rm src/gen/a.rs",
            "rm -rf src/gen/a.rs",
            "rm -f src/gen/../a.rs",
            "rm -f src/gen/a src/b",
            "rm -f *",
            "rm -f src/gen/.*",
            "rm -f src/gen",
            "rm -f src/gen/$X",
        ],
    );
    wall.grant_pattern("git push origin *");
    assert!(wall.proposal("git push elsewhere *").is_err(), "a glob is no pattern unless it is meant as one");
    wall.says("allow", &["git push origin main", "git push --quiet origin other"]);
    wall.says(
        "ask",
        &[
            "git push --force origin main",
            "git push other main",
            "git push origin a b",
            "git push origin --tags",
            "git push origin -- --force",
            "git push origin $X",
        ],
    );
}

#[test]
fn a_shell_an_interpreter_a_wrapper_and_what_is_not_known_are_never_granted() {
    let wall = Wall::new();
    for command in [
        "bash -c 'mytool; $X'",
        "sh ./x.sh",
        "python3 x.py",
        "python3 -c 'import os; os.system(x)'",
        "xargs -a list mytool",
        "ssh host ls",
        "eval \"$X\"",
        "./script.sh",
        "$TOOL push",
        "mytool \"$X\"",
        "find . -exec mytool {} \\;",
        "mytool > $OUT",
        "export PATH=.:$PATH",
        "source ./env.sh",
        "mytool 'unclosed",
        "PATH=. mytool",
        "git -c core.pager=./x push",
        "make SHELL=./x",
        "rm -rf src*",
        "rm -rf *",
        "cat f | toolgate run -",
        "toolgate exec reply.md",
        "toolgate call bash '{}'",
        "toolgate grants add 'git push'",
        "cat f | mytool -",
    ] {
        if wall.verdict(command) == "allow" {
            continue;
        }
        let said = wall.proposal(command);
        // The inner commands of a wrapper can be granted, the wrapper itself never.
        if let Ok(proposal) = &said {
            let programs: Vec<_> = proposal.parts.iter().map(|(form, _)| form.program().to_owned()).collect();
            panic!("{command} would be granted as {programs:?}: {proposal}");
        }
    }
}

#[test]
fn the_inner_command_is_granted_and_not_its_wrapper() {
    let wall = Wall::new();
    let proposal = wall.proposal("timeout 9 nice bash -c 'git push origin main'").unwrap();
    insta::assert_snapshot!(proposal, @r"
        git push origin main
          may: net fetch, net send
        ");
    wall.grant("timeout 9 nice bash -c 'git push origin main'");
    wall.says("allow", &["git push origin main"]);
    wall.says("ask", &["timeout 9 nice bash -c 'git push origin other'"]);
}

#[test]
fn each_command_that_is_asked_about_is_granted_by_itself() {
    let wall = Wall::new();
    let proposal = wall.proposal("git fetch && rm src/a.rs; mytool --now 'a b'").unwrap();
    insta::assert_snapshot!(proposal, @r"
    rm src/a.rs
      may: delete /home/dev/work/repo/src/a.rs
    mytool --now 'a b'
      may: unknown (nothing is known about `mytool`)
    ");
    wall.grant("git fetch && rm src/a.rs; mytool --now 'a b'");
    wall.says("allow", &["mytool --now 'a b'", "rm src/a.rs"]);
    // It may run what it is given.
    wall.says(
        "ask",
        &["cat f | mytool --now 'a b'", "mytool --now 'a b' < f", "mytool --now 'a b' <<< 'rm x'"],
    );
    wall.says("ask", &["mytool --now a b", "mytool", "rm src/b.rs"]);
}

#[test]
fn no_grant_lifts_a_refusal_a_list_a_managed_rule_or_another_gate() {
    let rule = |action: &str| RuleText {
        name: "no pushes".to_owned(),
        action: action.to_owned(),
        program: vec!["git".to_owned()],
        args: vec!["push".to_owned()],
        ..RuleText::default()
    };
    let wall = Wall::new();
    wall.grant("git push origin main");
    let proposal = wall.proposal("git push origin other").unwrap();
    let granted = || {
        let grants = Grants::in_memory(Path::new(WORKSPACE));
        grants.add(Scope::Session, &proposal, None).unwrap();
        grants
    };
    let push = "git push origin other";
    assert_eq!(Wall::of(granted(), |g| g).verdict(push), "allow");
    for (layer, action, verdict) in [
        (Layer::Managed, "deny", "deny"),
        (Layer::Managed, "ask", "ask"),
        (Layer::User, "deny", "deny"),
        (Layer::Project, "deny", "deny"),
        (Layer::User, "ask", "allow"),
    ] {
        let rules = Rules::compile(&[rule(action)], layer).unwrap();
        let wall = Wall::of(granted(), |g| g.policy(Policy { rules: rules.clone(), ..Policy::default() }));
        assert_eq!(wall.verdict(push), verdict, "{layer:?} {action}");
    }
    let list = || vec!["git push".to_owned()];
    let blocked =
        Wall::of(granted(), |g| g.policy(Policy { blocked: BlockList::of(&list()), ..Policy::default() }));
    assert_eq!(blocked.verdict(push), "deny");
    let confirming = |list: &[String]| Policy { confirmed: ConfirmList::new(list), ..Policy::default() };
    let confirmed = Wall::of(granted(), |g| g.policy(confirming(&list())));
    assert_eq!(confirmed.verdict(push), "allow", "a person's own question is answered by that person");
    let construct = Wall::of(granted(), |g| g.policy(confirming(&["|".to_owned()])));
    assert_eq!(construct.verdict("git push origin other | cat"), "ask");

    let wall = Wall::of(granted(), |g| g);
    let behind = |builder: toolgate::exec::PipelineBuilder| {
        let pipeline = builder.gate(wall.gate.clone()).tool(ScriptedTool::bash()).build().unwrap();
        pipeline.judge(&bash_call(push)).unwrap().unwrap().as_str()
    };
    let understood =
        || Pipeline::builder().trust(SkillTrustLevel::Trusted).normaliser(Understanding::new(surroundings()));
    assert_eq!(behind(understood()), "allow");
    assert_eq!(behind(understood().gate(PlanGate)), "deny");
    assert_eq!(behind(understood().trust(SkillTrustLevel::Quarantined).gate(TrustGate)), "deny");
    assert_eq!(
        behind(understood().network(NetworkScope::Deny).gate(NetworkGate::new(Opaque::Refused))),
        "deny"
    );
    // By the profile alone as well.
    assert_ne!(behind(understood().network(NetworkScope::Deny)), "allow");
    for hard in ["rm -rf /", "rm -rf ~", "git push origin main; rm -rf /"] {
        assert_eq!(wall.proposal(hard), Err(NotGrantable::Refused), "{hard}");
    }
}

#[test]
fn a_call_of_another_tool_is_granted_with_its_parameters_and_no_others() {
    let wall = Wall::new();
    let tool = ScriptedTool::named("deploy", "deploy", Capabilities::UNKNOWN);
    let pipeline = || {
        Pipeline::builder()
            .trust(SkillTrustLevel::Trusted)
            .gate(wall.gate.clone())
            .tool(tool.clone())
            .build()
            .unwrap()
    };
    let call = |to: &str| ToolCall::from_json("deploy", serde_json::json!({"command": to})).unwrap();
    let judged = pipeline().judge_call(&call("staging")).unwrap();
    assert!(matches!(judged.verdict, Verdict::Ask(_)));
    let proposal = wall.gate.proposal(&judged.call, &trusted()).unwrap();
    wall.grants.add(Scope::User, &proposal, None).unwrap_err();
    wall.grants.add(Scope::Session, &proposal, None).unwrap();
    let verdict = |call: &ToolCall| pipeline().judge(call).unwrap().unwrap().as_str();
    let at = |call: ToolCall, dir: &str| call.with_context(toolgate::exec::CallContext::new().cwd(dir));
    assert_eq!(verdict(&call("staging")), "allow");
    assert_eq!(verdict(&at(call("staging"), WORKSPACE)), "allow");
    assert_eq!(verdict(&at(call("staging"), "/elsewhere")), "ask");
    assert_eq!(verdict(&call("production")), "ask");
}

#[test]
fn what_is_offered_holds_where_it_was_asked_about() {
    let wall = Wall::new();
    for command in ["cd /tmp && mytool", "cd .. && git push origin main", "cd \"$X\" && mytool"] {
        let said = wall.proposal(command);
        let elsewhere = matches!(said, Err(NotGrantable::Elsewhere { .. } | NotGrantable::Dynamic { .. }));
        assert!(elsewhere, "{command}: {said:?}");
    }
    wall.grant("cd src && mytool");
    wall.says("allow", &["mytool", "cd src && mytool"]);
    wall.says("ask", &["cd /tmp && mytool"]);
}

#[test]
fn a_grant_ends_and_can_be_taken_back() {
    let wall = Wall::of(Grants::in_memory(Path::new(WORKSPACE)).clock(|| 1_000), |g| g);
    let proposal = wall.proposal("mytool").unwrap();
    let time = std::time::Duration::from_secs(60);
    let [grant] = &wall.grants.add(Scope::Session, &proposal, Some(time)).unwrap()[..] else { panic!() };
    assert!(grant.holds_at(1_059) && !grant.holds_at(1_060) && !grant.holds_at(999));
    wall.says("allow", &["mytool"]);
    assert_eq!(wall.grants.revoke("nothing").unwrap(), []);
    assert_eq!(wall.grants.revoke(&grant.id).unwrap().len(), 1);
    wall.says("ask", &["mytool"]);
    wall.grants.add(Scope::Session, &proposal, Some(std::time::Duration::ZERO)).unwrap();
    wall.says("ask", &["mytool"]);
}

#[test]
fn what_is_granted_elsewhere_counts_from_the_next_look() {
    let state = tempfile::tempdir().unwrap();
    let dir = state.path().join("grants");
    let open = |session| Grants::open_for(&dir, Path::new(WORKSPACE), session).unwrap();
    // Nothing was ever granted: there is no session to name, and nothing is made.
    let wall = Wall::of(open(|| panic!("asked for its name")), |gate| gate);
    wall.grants.refresh();
    wall.says("ask", &["mytool"]);
    assert!(!dir.exists() && wall.grants.list().is_empty());
    let wall = Wall::of(open(|| Some("one".to_owned())), |gate| gate);
    let proposal = wall.proposal("mytool").unwrap();
    for scope in [Scope::Session, Scope::Project, Scope::User] {
        let elsewhere = open(|| Some("one".to_owned()));
        let given = elsewhere.add(scope, &proposal, None).unwrap();
        wall.says("ask", &["mytool"]);
        wall.grants.refresh();
        wall.says("allow", &["mytool"]);
        assert_eq!(open(|| Some("two".to_owned())).list().len(), usize::from(scope != Scope::Session));
        elsewhere.revoke(&given[0].id).unwrap();
        wall.grants.refresh();
        wall.says("ask", &["mytool"]);
    }
}
