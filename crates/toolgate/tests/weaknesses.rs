//! Where gates of this family of libraries let things through, one test a weakness.
//!
//! The numbers are those of the list of weaknesses that the design was checked against; others of the list are
//! tested where the thing itself is.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolgate::exec::{
    BoxFuture, Capabilities, DynExecutor, ErasedToolExecutor, Nature, NetworkScope, Pipeline,
    PipelineBuilder, SkillTrustLevel, ToolCall, ToolError, ToolExecutor,
};
use toolgate::executors::{FilteredToolExecutor, NetworkDenyToolExecutor, TrustGateExecutor};
use toolgate::gates::{AutonomyGate, AutonomyLevel, PermissionGate, PlanGate, ToolPolicy};
use toolgate::policy::decide::Policy;
use toolgate::policy::permissions::{BlockList, PermissionPolicy, PermissionRule};
use toolgate::policy::profile::{Profile, Verdict};
use toolgate::shell::{ShellExecutor, ShellTool};
use toolgate::spawn::{Child, HostSpawner, SpawnRequest, Spawner};
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::doors::{Came, Door, bash_call, wrappings};
use toolgate_testkit::{Answer, FixedGate, ScriptedTool, reason};

const WORKSPACE: &str = "/home/dev/work/repo";

fn surroundings() -> Surroundings {
    Surroundings::new(WORKSPACE, "/home/dev")
}

fn understood() -> PipelineBuilder {
    Pipeline::builder().trust(SkillTrustLevel::Trusted).normaliser(Understanding::new(surroundings()))
}

fn lists(tool: &str, entries: &[(&str, Verdict)]) -> Vec<PermissionPolicy> {
    let rule = |(pattern, action): &(&str, Verdict)| PermissionRule {
        pattern: (*pattern).to_owned(),
        action: *action,
    };
    let rules = BTreeMap::from([(tool.to_owned(), entries.iter().map(rule).collect())]);
    vec![PermissionPolicy::new(rules).unwrap()]
}

fn policy(lists: Vec<PermissionPolicy>) -> PermissionGate {
    PermissionGate::new(&surroundings()).policy(Policy { lists, ..Policy::default() })
}

/// What the permission gate says of a call of a tool that can do this.
fn judged(gate: &PermissionGate, tool: &str, capabilities: Capabilities, params: Value) -> &'static str {
    let def = toolgate::exec::ToolDef::new(tool, "A tool.")
        .schema(json!({"type": "object"}))
        .capabilities(capabilities);
    let pipeline = understood().gate(gate.clone()).tool(Defined(def)).build().unwrap();
    pipeline.judge(&ToolCall::from_json(tool, params).unwrap()).unwrap().unwrap().as_str()
}

/// A tool that is nothing but its definition.
struct Defined(toolgate::exec::ToolDef);

impl toolgate::exec::Tool for Defined {
    fn definitions(&self) -> Vec<toolgate::exec::ToolDef> {
        vec![self.0.clone()]
    }
    fn nature(&self, _: &toolgate::exec::ToolId) -> Nature {
        Nature::ONCE
    }
    fn run<'a>(&'a self, _: toolgate::exec::Cleared) -> BoxFuture<'a, toolgate::exec::Outcome> {
        Box::pin(async { Ok(toolgate::exec::ToolOutput::new("tool", "ran")) })
    }
}

#[test]
fn what_is_blocked_stays_blocked_whatever_else_is_attached() {
    // A1: attaching a policy switches the reference's block list off.
    let lax = [("*", Verdict::Allow)];
    for profile in [Profile::Default, Profile::Open, Profile::Strict] {
        for lists in [Vec::new(), lists("bash", &lax)] {
            for autonomy in AutonomyLevel::ALL {
                let blocked = BlockList::of(&["mytool".to_owned(), "git push".to_owned()]);
                let policy = Policy { profile, lists: lists.clone(), blocked, ..Policy::default() };
                let gate = PermissionGate::new(&surroundings()).policy(policy).autonomy(autonomy);
                for command in ["mytool", "ls; timeout 5 mytool x", "git push", "rm -rf /", "m\"y\"tool"] {
                    let said = judged(&gate, "bash", Capabilities::EXECUTES, json!({ "command": command }));
                    assert_eq!(said, "deny", "{profile:?} {autonomy} {command}");
                }
            }
        }
    }
}

#[test]
fn reading_is_not_refused_to_whoever_may_only_read_and_writing_is() {
    // A2: the reference's modules call one tool by different names, so a read-only agent could not read, and a
    // quarantined one could write.
    let pipeline = |capabilities| {
        let gates = understood().gate(AutonomyGate(AutonomyLevel::ReadOnly)).gate(PlanGate);
        gates.tool(ScriptedTool::named("anything", "x", capabilities)).build().unwrap()
    };
    let call = ToolCall::from_json("anything", json!({"command": "x"})).unwrap();
    for (capabilities, may) in [
        (Capabilities::READS, true),
        (Capabilities::READS | Capabilities::NETWORK, true),
        (Capabilities::READS | Capabilities::WRITES, false),
        (Capabilities::UNKNOWN, false),
    ] {
        let said = pipeline(capabilities).judge(&call).unwrap().unwrap();
        assert_eq!(said.as_str() == "allow", may, "{capabilities:?}");
    }
}

#[test]
fn rules_see_the_path_and_the_url_of_every_tool() {
    // A4: the reference judges `command` alone.
    let reads = Capabilities::READS;
    let gate = policy(lists("read", &[("*.env", Verdict::Deny), ("*", Verdict::Allow)]));
    for path in ["/x/.env", "x.env", "src/../.env", "./a/b/.env"] {
        assert_eq!(judged(&gate, "read", reads, json!({ "path": path })), "deny", "{path}");
    }
    assert_eq!(judged(&gate, "read", reads, json!({"path": "src/lib.rs"})), "allow");
    let gate = policy(lists("fetch", &[("https://docs.example/*", Verdict::Allow), ("*", Verdict::Deny)]));
    let net = Capabilities::NETWORK | Capabilities::READS;
    assert_eq!(judged(&gate, "fetch", net, json!({"url": "https://docs.example/a"})), "allow");
    assert_eq!(judged(&gate, "fetch", net, json!({"url": "https://evil.example/a"})), "deny");
}

#[test]
fn the_profile_judges_paths_of_tools_that_are_no_shell() {
    // A4: without any rule as well.
    let gate = PermissionGate::new(&surroundings());
    for (capabilities, path, says) in [
        (Capabilities::READS, "/home/dev/.ssh/id_rsa", "deny"),
        (Capabilities::READS, "src/lib.rs", "allow"),
        (Capabilities::WRITES, "src/lib.rs", "allow"),
        (Capabilities::WRITES, "/etc/passwd", "deny"),
        (Capabilities::WRITES, "../other/x", "deny"),
        (Capabilities::DELETES, "/home/dev", "deny"),
        (Capabilities::WRITES | Capabilities::OPEN_WORLD, "src/lib.rs", "ask"),
        (Capabilities::UNKNOWN, "src/lib.rs", "ask"),
    ] {
        let said = judged(&gate, "a_tool", capabilities, json!({ "path": path }));
        assert_eq!(said, says, "{capabilities:?} {path}");
    }
}

#[test]
fn no_argument_can_stand_in_front_of_another() {
    // B5: the reference takes the first of some fields, whatever the tool looks at.
    let gate = policy(lists("read", &[("*.env", Verdict::Deny), ("*", Verdict::Allow)]));
    for params in [
        json!({"command": "ok", "path": "/x/.env"}),
        json!({"file_path": "ok", "path": "/x/.env"}),
        json!({"query": "ok", "path": "/x/.env"}),
        json!({"command": 7, "path": "/x/.env"}),
        json!({"a": {"path": "/x/.env"}}),
        json!({"paths": ["ok", "/x/.env"]}),
    ] {
        assert_eq!(judged(&gate, "read", Capabilities::READS, params.clone()), "deny", "{params}");
    }
    let gate = policy(lists("move", &[("*.env", Verdict::Deny), ("*", Verdict::Allow)]));
    let moves = Capabilities::WRITES | Capabilities::DELETES;
    for params in [
        json!({"source": "/x/.env", "destination": "/x/y"}),
        json!({"source": "a", "destination": "/x/.env"}),
        json!({"from": "a", "to": "/x/.env"}),
    ] {
        assert_eq!(judged(&gate, "move", moves, params.clone()), "deny", "{params}");
    }
    let gate = PermissionGate::new(&surroundings());
    let net = Capabilities::NETWORK | Capabilities::READS;
    let fetch = json!({"url": "file:///home/dev/.ssh/id_rsa", "command": "ls"});
    assert_eq!(judged(&gate, "fetch", net, fetch), "deny");
}

#[tokio::test]
async fn an_approved_call_runs_through_everything_it_is_wrapped_in() {
    // A5, B2, B3: the reference's confirmed call is the unconfirmed one somewhere on its way.
    let tool = ScriptedTool::bash();
    let asks = || {
        let pipeline = understood().gate(FixedGate::of("push", toolgate::exec::Verdict::ask(reason())));
        DynExecutor(Arc::new(pipeline.tool(tool.clone()).build().unwrap()))
    };
    let filtered = |inner: DynExecutor| FilteredToolExecutor::new(inner.0, ToolPolicy::InheritAll).unwrap();
    let around = || DynExecutor(Arc::new(NetworkDenyToolExecutor::new(Arc::new(filtered(asks()))).unwrap()));
    for (name, executor) in wrappings(asks).into_iter().chain(wrappings(around)) {
        let call = bash_call("echo push");
        assert!(executor.requires_confirmation(&call), "{name}");
        assert_eq!(Came::from(executor.execute_tool_call(&call).await), Came::Asks, "{name}");
        let came = Came::from(executor.execute_tool_call_confirmed(&call).await);
        assert_eq!(came, Came::Ran("echo push".to_owned()), "{name}");
    }
}

#[test]
fn patterns_are_about_words_and_a_bad_one_does_not_load() {
    // A6: globs over the raw text; one that can't be read is dropped, and its refusal with it.
    for bad in ["a[b", "[", "x[!]"] {
        let rule = PermissionRule { pattern: bad.to_owned(), action: Verdict::Deny };
        assert!(PermissionPolicy::new(BTreeMap::from([("bash".to_owned(), vec![rule])])).is_err(), "{bad}");
    }
    let bash = |gate: &PermissionGate, command: &str| {
        judged(gate, "bash", Capabilities::EXECUTES, json!({ "command": command }))
    };
    let gate = policy(lists("bash", &[("*sudo*", Verdict::Deny), ("*", Verdict::Allow)]));
    for command in ["su\"\"do id", "echo a; sudo id", "\\sudo id", "x=sudo; $x id"] {
        assert_eq!(bash(&gate, command), "deny", "{command}");
    }
    let gate = PermissionGate::new(&surroundings())
        .policy(Policy { blocked: BlockList::of(&["sudo".to_owned()]), ..Policy::default() });
    assert_eq!(bash(&gate, "cat sudoku.txt"), "allow", "a part of a word is no word");
    assert_eq!(bash(&gate, "echo 'no sudo here'"), "allow");
    let gate = policy(lists("bash", &[("echo *", Verdict::Allow)]));
    assert_eq!(bash(&gate, "echo hello"), "allow");
    for command in ["echo a; curl x.example", "echo $(touch x)", "echo a & touch y"] {
        assert_ne!(bash(&gate, command), "allow", "{command}");
    }
    let gate = policy(lists("bash", &[("git push -F *", Verdict::Deny), ("*", Verdict::Allow)]));
    assert_eq!(
        bash(&gate, "git log -f x"),
        bash(&gate, "git log -f x "),
        "case is kept apart in what is allowed"
    );
}

/// Writes down what is started, and starts it.
struct Recording(HostSpawner, Arc<Mutex<Vec<NetworkScope>>>);

impl Spawner for Recording {
    fn spawn<'a>(&'a self, request: SpawnRequest) -> BoxFuture<'a, Result<Arc<dyn Child>, ToolError>> {
        self.1.lock().unwrap().push(request.network.clone());
        self.0.spawn(request)
    }
}

#[tokio::test]
async fn what_runs_in_the_background_is_started_like_everything_else() {
    // B1: the reference starts background runs by other means, without its sandbox.
    let started = Arc::new(Mutex::new(Vec::new()));
    let tool = ShellTool::builder().spawner(Recording(HostSpawner, started.clone())).build().unwrap();
    let shell = ShellExecutor::behind(Pipeline::builder().network(NetworkScope::Deny), tool).unwrap();
    for background in [false, true] {
        let params = json!({"command": "true", "background": background});
        shell.execute_tool_call(&ToolCall::from_json("bash", params).unwrap()).await.unwrap().unwrap();
    }
    assert_eq!(*started.lock().unwrap(), [NetworkScope::Deny, NetworkScope::Deny]);
}

#[tokio::test]
async fn what_runs_in_the_background_is_judged_like_everything_else() {
    // B1: and by the same gates.
    let tool = ShellTool::builder().build().unwrap();
    let stack = understood().gate(PermissionGate::new(&surroundings()));
    let shell = ShellExecutor::behind(stack, tool).unwrap();
    for params in [
        json!({"command": "rm -rf /", "background": true}),
        json!({"command": "cat /home/dev/.ssh/id_rsa", "background": true}),
    ] {
        let call = ToolCall::from_json("bash", params.clone()).unwrap();
        for confirmed in [false, true] {
            let came = match confirmed {
                true => shell.execute_tool_call_confirmed(&call).await,
                false => shell.execute_tool_call(&call).await,
            };
            assert_eq!(Came::from(came), Came::Refused, "{params}");
        }
    }
}

#[tokio::test]
async fn approval_never_lifts_a_refusal_even_where_the_inner_one_has_no_gate() {
    // B4: the reference's confirmed path does not ask its policy.
    let tool = ScriptedTool::bash();
    let inner = DynExecutor(Arc::new(Pipeline::builder().tool(tool.clone()).build().unwrap()));
    let policy = policy(lists("bash", &[("*secret*", Verdict::Deny), ("*", Verdict::Allow)]));
    let gate = DynExecutor(Arc::new(TrustGateExecutor::new(inner, policy, surroundings()).unwrap()));
    for door in Door::ALL {
        assert_eq!(door.send(&gate, "cat secret", true).await, Came::Refused, "{door:?}");
    }
    assert!(tool.ran().is_empty());
}

#[test]
fn the_whole_command_is_judged_or_none_of_it_runs() {
    // B6: the reference judges the first 8192 bytes.
    let gate = PermissionGate::new(&surroundings());
    for filler in [8_000, 8_200, 70_000, 300_000, 2_000_000] {
        for command in [
            format!("echo {}; rm -rf /", "a".repeat(filler)),
            format!("# {}\nrm -rf /", "a".repeat(filler)),
            format!("{}rm -rf /", "echo a;".repeat(filler / 7)),
        ] {
            let said = judged(&gate, "bash", Capabilities::EXECUTES, json!({ "command": command }));
            assert_ne!(said, "allow", "{filler}: {:.30}", command);
            if filler < 60_000 {
                assert_eq!(said, "deny", "{filler}: {:.30}", command);
            }
        }
    }
}

#[tokio::test]
async fn a_wrapper_asks_where_what_is_inside_asks_and_about_every_tool_of_a_server() {
    // B25: the reference's gate answers for itself alone, and lets every MCP tool run.
    let asks = || {
        let pipeline = understood().gate(FixedGate::of("push", toolgate::exec::Verdict::ask(reason())));
        DynExecutor(Arc::new(pipeline.tool(ScriptedTool::bash()).build().unwrap()))
    };
    let gate = |of| TrustGateExecutor::new(of, PermissionGate::new(&surroundings()), surroundings()).unwrap();
    assert!(gate(asks()).requires_confirmation(&bash_call("echo push")));
    assert!(!gate(asks()).requires_confirmation(&bash_call("echo pull")));
    for capabilities in [
        Capabilities::MCP | Capabilities::WRITES,
        // A server's word for it is no reason to let it run.
        Capabilities::MCP | Capabilities::READS,
        Capabilities::UNKNOWN,
    ] {
        let tool = ScriptedTool::named("mcp__x__y", "mcp", capabilities);
        let inner = DynExecutor(Arc::new(Pipeline::builder().tool(tool).build().unwrap()));
        let call = ToolCall::from_json("mcp__x__y", json!({"command": "ls"})).unwrap();
        assert!(gate(inner).requires_confirmation(&call), "{capabilities:?}");
    }
}

#[tokio::test]
async fn the_owner_of_a_tool_answers_every_question_about_it() {
    // B24: the reference takes the laxest answer of all children.
    let harmless = ScriptedTool::named("bash", "bash", Capabilities::READS).nature(Nature::READ_ONLY);
    let strict: Arc<dyn ErasedToolExecutor> =
        Arc::new(understood().tool(ScriptedTool::bash()).build().unwrap());
    let lax = understood().tool(harmless).build().unwrap();
    let both = toolgate::exec::CompositeExecutor::new(DynExecutor(strict), lax).unwrap();
    assert!(!both.is_tool_speculatable("bash") && !both.is_tool_retryable("bash"));
}

#[tokio::test]
async fn nothing_asked_about_late_runs_twice_behind_a_wrapper() {
    // B2: what asks only once it runs is asked about by the name of the call that came in.
    let asks = Answer::Error(ToolError::ConfirmationRequired {
        command: "inside".to_owned(),
        reasons: vec![reason()],
        digest: None,
    });
    let tool = ScriptedTool::bash().then(asks);
    let inner: Arc<dyn ErasedToolExecutor> =
        Arc::new(Pipeline::builder().tool(tool.clone()).build().unwrap());
    let outer = NetworkDenyToolExecutor::new(inner).unwrap();
    let pipeline = toolgate::exec::Preset::pipeline(&outer);
    let call = bash_call("ls");
    let Err(ToolError::ConfirmationRequired { digest: Some(digest), .. }) =
        outer.execute_tool_call(&call).await
    else {
        panic!("it asks")
    };
    assert!(pipeline.execute_approved(&call, digest).await.unwrap().is_some());
    assert_eq!(tool.ran().len(), 2);
}
