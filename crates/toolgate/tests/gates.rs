//! The wall's gates at every door and in every wrapping, and the weaknesses of others as tests.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::Value;
use toolgate::exec::{
    Capabilities, DynExecutor, ErasedToolExecutor, Nature, NetworkScope, Pipeline, PipelineBuilder,
    SkillTrustLevel, ToolExecutor, Verdict,
};
use toolgate::executors::{
    FilteredToolExecutor, NetworkDenyToolExecutor, PlanModeExecutor, TrustGateExecutor,
};
use toolgate::gates::{
    AutonomyGate, AutonomyLevel, NetworkGate, Opaque, PermissionGate, PlanGate, ToolFilterGate, ToolPolicy,
    TrustGate, patterns,
};
use toolgate::speculation::Speculator;
use toolgate::subagent::{Budget, PermissionMode, SubagentManager, SubagentSpec, build_filtered_executor};
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::doors::{Came, Door, Opaque as ForeignLike, bash_call, wrappings};
use toolgate_testkit::{FixedGate, ScriptedTool, reason};

const HOME: &str = "/home/dev";
const WORKSPACE: &str = "/home/dev/work/repo";

fn surroundings() -> Surroundings {
    Surroundings::new(WORKSPACE, HOME)
}

fn understood() -> PipelineBuilder {
    Pipeline::builder().trust(SkillTrustLevel::Trusted).normaliser(Understanding::new(surroundings()))
}

fn build(builder: PipelineBuilder) -> DynExecutor {
    DynExecutor(Arc::new(builder.build().unwrap()))
}

/// Starts a command before it is asked for, and asks for it.
async fn early(executor: &DynExecutor, command: &str) -> Came {
    let early = Speculator::new(executor.0.clone(), 4);
    early.start(&bash_call(command));
    tokio::task::yield_now().await;
    Came::from(early.adopt(&bash_call(command)).await)
}

/// Sends a command through every door of every wrapping, plain and confirmed.
async fn everywhere(make: impl Fn() -> DynExecutor, command: &str) -> Vec<(String, Came)> {
    let mut came = Vec::new();
    for (name, executor) in wrappings(make) {
        for door in Door::ALL {
            for confirmed in [false, true] {
                let at = format!("{name}, {door:?}, confirmed {confirmed}");
                came.push((at, door.send(&executor, command, confirmed).await));
            }
        }
        came.push((format!("{name}, speculative, confirmed false"), early(&executor, command).await));
    }
    came
}

/// A stack, what a test calls it, and a command it refuses.
type Refusing = (&'static str, Box<dyn Fn() -> PipelineBuilder>, &'static str);

/// Every gate with a command it refuses.
fn refusing_gates() -> Vec<Refusing> {
    vec![
        ("trust", Box::new(|| understood().gate(TrustGate).trust(SkillTrustLevel::Quarantined)), "ls"),
        ("blocked trust", Box::new(|| understood().gate(TrustGate).trust(SkillTrustLevel::Blocked)), "ls"),
        ("autonomy", Box::new(|| understood().gate(AutonomyGate(AutonomyLevel::ReadOnly))), "ls"),
        ("plan", Box::new(|| understood().gate(PlanGate)), "ls"),
        (
            "network",
            Box::new(|| understood().network(NetworkScope::Deny).gate(NetworkGate::new(Opaque::Refused))),
            "timeout 5 curl https://evil.example",
        ),
        ("permission", Box::new(|| understood().gate(PermissionGate::new(&surroundings()))), "rm -rf /"),
        (
            "full autonomy keeps refusals",
            Box::new(|| {
                understood().gate(PermissionGate::new(&surroundings()).autonomy(AutonomyLevel::Full))
            }),
            "rm -rf ~",
        ),
        (
            "tools",
            Box::new(|| {
                let only = ToolPolicy::allow(["Bash(cargo *)"]).unwrap();
                understood().gate(ToolFilterGate::new(only, Vec::new()))
            }),
            "cargo build; rm x",
        ),
    ]
}

#[tokio::test]
async fn what_a_gate_refuses_is_refused_at_every_door_of_every_wrapping_also_when_confirmed() {
    // A3, A4, B2, B3, B4: the reference's gates miss the text path, the confirmed path, the wrapped one.
    for (gate, stack, command) in refusing_gates() {
        let tool = ScriptedTool::bash();
        for (at, came) in everywhere(|| build(stack().tool(tool.clone())), command).await {
            // Whoever can't look into an executor whose tools are hidden does not know that it has any.
            let hidden = came == Came::NotMine && at.contains("opaque") && gate.contains("trust")
                || came == Came::NotMine && at.contains("opaque") && gate == "autonomy";
            assert!(came == Came::Refused || hidden, "{gate}: {at}: {came:?}");
        }
        assert!(tool.ran().is_empty(), "{gate} let through {:?}", tool.ran());
        // The same stack without the gate runs it: the gate is what refuses.
        let open = build(understood().tool(tool.clone()));
        assert!(matches!(Door::Call.send(&open, command, false).await, Came::Ran(_)), "{gate}");
    }
}

#[tokio::test]
async fn what_is_asked_about_runs_when_confirmed_and_only_then() {
    let tool = ScriptedTool::bash();
    let make = || build(understood().gate(PermissionGate::new(&surroundings())).tool(tool.clone()));
    for (at, came) in everywhere(make, "rm src/lib.rs").await {
        let want = if at.ends_with("true") { Came::Ran("rm src/lib.rs".to_owned()) } else { Came::Asks };
        assert_eq!(came, want, "{at}");
    }
}

/// A wrapper, and what a test calls it.
type Wrapper = (&'static str, fn(DynExecutor) -> DynExecutor);

/// Every executor of this crate that stands around another, with nothing to say against a harmless command.
const WRAPPERS: [Wrapper; 7] = [
    ("nothing", |inner| inner),
    ("trust gate", |inner| {
        let gate = PermissionGate::new(&surroundings());
        DynExecutor(Arc::new(TrustGateExecutor::new(inner, gate, surroundings()).unwrap()))
    }),
    ("network denied", |inner| DynExecutor(Arc::new(NetworkDenyToolExecutor::new(inner.0).unwrap()))),
    ("filtered", |inner| {
        let only = ToolPolicy::allow(["Bash(ls *)"]).unwrap();
        DynExecutor(Arc::new(FilteredToolExecutor::new(inner.0, only).unwrap()))
    }),
    ("built for a sub-agent", |inner| {
        let spec = SubagentSpec::new("x").network(NetworkScope::Deny);
        DynExecutor(Arc::new(build_filtered_executor(inner.0, &spec, NetworkScope::Allow).unwrap()))
    }),
    ("sub-agent", |inner| {
        let manager = SubagentManager::new(inner.0, 1);
        DynExecutor(Arc::new(manager.try_spawn(&SubagentSpec::new("x")).unwrap().unwrap()))
    }),
    ("foreign", |inner| DynExecutor(Arc::new(ForeignLike(inner)))),
];

#[tokio::test]
async fn every_wrapper_around_every_other_gives_the_verdict_of_what_is_inside() {
    // B3, B4, B24, B25: one wrapper of the reference or another forgets a door.
    for verdict in [Verdict::Allow, Verdict::ask(reason()), Verdict::deny(reason())] {
        let tool = ScriptedTool::bash();
        let inner = || build(understood().gate(FixedGate::of_all(verdict.clone())).tool(tool.clone()));
        for (outer, wrap_outer) in WRAPPERS {
            for (name, wrap) in WRAPPERS {
                let make = || wrap_outer(wrap(inner()));
                for (at, came) in everywhere(make, "ls -l").await {
                    let want = match verdict {
                        Verdict::Allow => Came::Ran("ls -l".to_owned()),
                        Verdict::Ask(_) if at.ends_with("true") => Came::Ran("ls -l".to_owned()),
                        Verdict::Ask(_) => Came::Asks,
                        Verdict::Deny(_) => Came::Refused,
                    };
                    assert_eq!(came, want, "{outer} around {name}: {at}");
                }
            }
        }
        assert_eq!(tool.ran().is_empty(), matches!(verdict, Verdict::Deny(_)));
    }
}

#[tokio::test]
async fn plan_mode_gives_every_verdict_on_what_only_reads_and_refuses_the_rest() {
    for verdict in [Verdict::Allow, Verdict::ask(reason()), Verdict::deny(reason())] {
        for (name, wrap) in WRAPPERS {
            let make = |capabilities| {
                let tool = ScriptedTool::named("bash", "bash", capabilities);
                let inner = build(understood().gate(FixedGate::of_all(verdict.clone())).tool(tool));
                DynExecutor(Arc::new(PlanModeExecutor::new(wrap(inner).0).unwrap()))
            };
            if matches!(name, "filtered" | "trust gate") {
                continue; // These judge what is read, and a tool that reads and is given a command names nothing.
            }
            for (at, came) in everywhere(|| make(Capabilities::READS), "ls").await {
                let runs = verdict == Verdict::Allow || verdict.as_str() == "ask" && at.ends_with("true");
                let ran = matches!(came, Came::Ran(_));
                assert_eq!(ran, runs, "{name}: {at}: {came:?}");
            }
            for (at, came) in everywhere(|| make(Capabilities::EXECUTES), "ls").await {
                assert_eq!(came, Came::Refused, "{name}: {at}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_is_started_early_only_where_the_wall_says_a_plain_allow() {
    let reads = || {
        ScriptedTool::named("bash", "bash", Capabilities::READS | Capabilities::NETWORK)
            .nature(Nature::READ_ONLY)
    };
    for (name, stack, starts) in [
        ("nothing against it", understood(), true),
        ("asked", understood().gate(FixedGate::of_all(Verdict::ask(reason()))), false),
        ("refused", understood().gate(FixedGate::of_all(Verdict::deny(reason()))), false),
        ("quarantined", understood().gate(TrustGate).trust(SkillTrustLevel::Quarantined), false),
        ("no network", understood().gate(NetworkGate::default()).network(NetworkScope::Deny), false),
        ("nothing to ask it", understood().gate(FixedGate::of("curl", Verdict::ask(reason()))), false),
    ] {
        let tool = reads();
        let executor = build(stack.tool(tool.clone()));
        let early = Speculator::new(executor.0.clone(), 4);
        assert_eq!(early.start(&bash_call("curl x")), starts, "{name}");
        tokio::task::yield_now().await;
        assert_eq!(tool.ran().len(), usize::from(starts), "{name}");
    }
    // A tool that can change anything is not started, whatever it says of itself and whoever it is behind.
    for (name, executor) in wrappings(|| {
        let tool = ScriptedTool::named("bash", "bash", Capabilities::WRITES).nature(Nature::READ_ONLY);
        build(understood().tool(tool))
    }) {
        assert!(!Speculator::new(executor.0.clone(), 4).start(&bash_call("x")), "{name}");
    }
}

#[tokio::test]
async fn full_autonomy_answers_questions_and_lifts_no_refusal() {
    let stack = || understood().gate(PermissionGate::new(&surroundings()).autonomy(AutonomyLevel::Full));
    let executor = build(stack().tool(ScriptedTool::bash()));
    assert!(matches!(Door::Call.send(&executor, "rm src/lib.rs", false).await, Came::Ran(_)));
    assert_eq!(Door::Call.send(&executor, "rm -rf /", false).await, Came::Refused);
}

#[tokio::test]
async fn quarantine_goes_by_capability_and_a_tool_that_says_nothing_has_all() {
    // A2, B27: the reference's lists of names miss `fs-write`, `WRITE` and whatever is new.
    for (capabilities, refused) in [
        (Capabilities::READS, false),
        (Capabilities::READS | Capabilities::IDEMPOTENT, false),
        (Capabilities::WRITES, true),
        (Capabilities::DELETES, true),
        (Capabilities::EXECUTES, true),
        (Capabilities::NETWORK, true),
        (Capabilities::OPEN_WORLD, true),
        (Capabilities::MEMORY, true),
        (Capabilities::MCP, true),
        (Capabilities::UNKNOWN, true),
    ] {
        let tool = ScriptedTool::named("bash", "bash", capabilities);
        let stack = Pipeline::builder().trust(SkillTrustLevel::Quarantined).gate(TrustGate);
        let executor = build(stack.tool(tool));
        let came = Door::Call.send(&executor, "x", true).await;
        assert_eq!(came == Came::Refused, refused, "{capabilities:?}");
        assert_eq!(executor.tool_definitions().is_empty(), refused, "hidden as well: {capabilities:?}");
    }
}

#[tokio::test]
async fn a_tool_that_a_gate_never_lets_through_is_not_shown_and_refused_all_the_same() {
    let list = |entries: &[&str]| ToolPolicy::allow(entries).unwrap();
    let except = |entries: [&str; 1]| ToolFilterGate::new(ToolPolicy::InheritAll, patterns(entries).unwrap());
    let denied = || ToolFilterGate::new(ToolPolicy::deny(["bash"]).unwrap(), Vec::new());
    let offline = || understood().network(NetworkScope::Deny).gate(NetworkGate::default());
    let (executes, reads) = (Capabilities::EXECUTES, Capabilities::READS);
    let (open, fetches) = (Capabilities::OPEN_WORLD | reads, Capabilities::NETWORK | reads);
    let read_only = || understood().gate(AutonomyGate(AutonomyLevel::ReadOnly));
    for (what, stack, capabilities, shown) in [
        ("trusted", understood().gate(TrustGate), executes, true),
        ("quarantined", understood().gate(TrustGate).trust(SkillTrustLevel::Quarantined), executes, false),
        ("blocked", understood().gate(TrustGate).trust(SkillTrustLevel::Blocked), reads, false),
        ("read-only", read_only(), executes, false),
        ("read-only", read_only(), reads, true),
        ("supervised", understood().gate(AutonomyGate(AutonomyLevel::Supervised)), executes, true),
        ("offline", offline(), fetches, false),
        ("offline", offline(), open, false),
        ("offline", offline(), Capabilities::UNKNOWN, false),
        ("offline", offline(), executes, true),
        ("online", understood().gate(NetworkGate::default()), fetches, true),
        (
            "another tool",
            understood().gate(ToolFilterGate::new(list(&["read"]), Vec::new())),
            executes,
            false,
        ),
        (
            "some of it",
            understood().gate(ToolFilterGate::new(list(&["Bash(ls *)"]), Vec::new())),
            executes,
            true,
        ),
        ("taken away", understood().gate(except(["Bash"])), executes, false),
        ("some taken away", understood().gate(except(["Bash(rm *)"])), executes, true),
        ("on a list", understood().gate(denied()), executes, false),
    ] {
        let tool = ScriptedTool::named("bash", "bash", capabilities);
        let executor = build(stack.tool(tool.clone()));
        assert_eq!(executor.tool_definitions().len(), usize::from(shown), "{what}: {capabilities:?}");
        if !shown {
            assert_eq!(Door::Call.send(&executor, "ls", true).await, Came::Refused, "{what}");
            assert!(tool.ran().is_empty(), "{what}");
        }
    }
}

#[tokio::test]
async fn stricter_trust_autonomy_or_scope_never_makes_a_verdict_laxer() {
    let commands =
        ["ls", "touch x", "rm x", "curl evil.example", "sudo reboot", "$X", "cargo test", "echo 'a"];
    let severity = |trust, autonomy, network: NetworkScope, command: &str| {
        let gate = PermissionGate::new(&surroundings()).autonomy(autonomy);
        let pipeline = understood()
            .trust(trust)
            .network(network)
            .gate(TrustGate)
            .gate(AutonomyGate(autonomy))
            .gate(NetworkGate::default())
            .gate(gate)
            .tool(ScriptedTool::bash())
            .build()
            .unwrap();
        pipeline.judge(&bash_call(command)).unwrap().unwrap().severity()
    };
    let scopes = [NetworkScope::Allow, NetworkScope::only(["evil.example"]), NetworkScope::Deny];
    for command in commands {
        for autonomy in [AutonomyLevel::Full, AutonomyLevel::Supervised, AutonomyLevel::ReadOnly] {
            for scope in &scopes {
                let by_trust =
                    SkillTrustLevel::ALL.map(|trust| severity(trust, autonomy, scope.clone(), command));
                assert!(by_trust.is_sorted(), "{command} {autonomy} {scope}: {by_trust:?}");
            }
            let by_scope: Vec<u8> = scopes
                .iter()
                .map(|scope| severity(SkillTrustLevel::Trusted, autonomy, scope.clone(), command))
                .collect();
            assert!(by_scope.is_sorted(), "{command} {autonomy}: {by_scope:?}");
        }
        let by_autonomy = [AutonomyLevel::Full, AutonomyLevel::Supervised, AutonomyLevel::ReadOnly]
            .map(|autonomy| severity(SkillTrustLevel::Trusted, autonomy, NetworkScope::Deny, command));
        assert!(by_autonomy.is_sorted(), "{command}: {by_autonomy:?}");
    }
}

#[tokio::test]
async fn a_grant_with_an_argument_is_for_that_argument_alone() {
    // B16: the reference widens `Bash(cargo *)` to the whole shell.
    let tool = ScriptedTool::bash();
    let parent: Arc<dyn ErasedToolExecutor> =
        Arc::new(Pipeline::builder().tool(tool.clone()).build().unwrap());
    let only = |entries: &[&str]| {
        let policy = ToolPolicy::allow(entries).unwrap();
        DynExecutor(Arc::new(FilteredToolExecutor::new(parent.clone(), policy).unwrap()))
    };
    for (entries, command, runs) in [
        (&["Bash(cargo *)"][..], "cargo build --release", true),
        (&["Bash(cargo *)"], "cargo build && cargo test", true),
        (&["Bash(cargo *)"], "cargo build && rm -rf x", false),
        (&["Bash(cargo *)"], "cargo build $(rm x)", false),
        (&["Bash(cargo *)"], "env X=1 rm x", false),
        (&["Bash(cargo *)"], "$CARGO build", false),
        (&["Bash(cargo *)"], "cargo build 'unclosed", false),
        (&["Bash(cargo:*)"], "cargo fmt", true),
        (&["Bash(git status)"], "git status", true),
        (&["Bash(git status)"], "git status -s", false),
        (&["Bash(git *)", "Bash(ls *)"], "git log | ls -l", true),
        (&["bash"], "rm x", true),
        (&["read"], "ls", false),
        (&[], "ls", false),
    ] {
        let came = Door::Call.send(&only(entries), command, false).await;
        assert_eq!(matches!(came, Came::Ran(_)), runs, "{entries:?}: {command}: {came:?}");
    }
    let except = FilteredToolExecutor::with_disallowed(
        parent.clone(),
        ToolPolicy::InheritAll,
        patterns(["Bash(rm *)"]).unwrap(),
    );
    let except = DynExecutor(Arc::new(except.unwrap()));
    for (command, runs) in [("ls", true), ("ls && rm x", false), ("xargs rm", false), ("$X y", false)] {
        let came = Door::Call.send(&except, command, false).await;
        assert_eq!(matches!(came, Came::Ran(_)), runs, "{command}: {came:?}");
    }
    assert!(ToolPolicy::allow(["Bash(cargo"]).is_err() && ToolPolicy::allow(["Bash(a[b)"]).is_err());
}

fn cases() -> Vec<Value> {
    include_str!("fixtures/commands.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn no_egress_case_reaches_a_network_denied_executor_and_every_harmless_one_does() {
    // B12, B13.
    let tool = ScriptedTool::bash();
    let parent: Arc<dyn ErasedToolExecutor> =
        Arc::new(Pipeline::builder().tool(tool.clone()).build().unwrap());
    let child = DynExecutor(Arc::new(NetworkDenyToolExecutor::new(parent).unwrap()));
    let (mut leaked, mut stopped, mut counted) = (Vec::new(), Vec::new(), 0);
    for case in cases() {
        let class = case["class"].as_str().unwrap();
        let command = case["command"].as_str().unwrap();
        let accept = case["accept"].as_array().unwrap();
        // What is denied for its network effect; a case that may be asked about rests on more than that.
        let denied = class.starts_with("egress.") && accept.len() == 1 && accept[0] == "deny";
        let harmless = class.starts_with("fp.") && accept.len() == 1 && accept[0] == "allow";
        if !denied && !harmless {
            continue;
        }
        counted += 1;
        for door in Door::ALL {
            tool.forget();
            door.send(&child, command, true).await;
            match tool.ran().is_empty() {
                false if denied => leaked.push(format!("{door:?} {command}")),
                // A fenced block that has a fence in it is no block.
                true if harmless && door == Door::Call => stopped.push(command.to_owned()),
                _ => {}
            }
        }
    }
    assert!(counted > 300, "{counted}");
    assert!(leaked.is_empty(), "{} leaked:\n{}", leaked.len(), leaked.join("\n"));
    assert!(stopped.is_empty(), "{} of {counted} stopped:\n{}", stopped.len(), stopped.join("\n"));
}

#[tokio::test]
async fn a_network_denied_child_leaves_its_parent_and_siblings_untouched() {
    let tool = ScriptedTool::bash();
    let parent: Arc<dyn ErasedToolExecutor> =
        Arc::new(understood().gate(NetworkGate::default()).tool(tool.clone()).build().unwrap());
    let denied = DynExecutor(Arc::new(NetworkDenyToolExecutor::new(parent.clone()).unwrap()));
    let sibling = DynExecutor(parent.clone());
    assert_eq!(Door::Call.send(&denied, "curl evil.example", true).await, Came::Refused);
    assert!(matches!(Door::Call.send(&sibling, "curl evil.example", false).await, Came::Ran(_)));
    Door::Call.send(&denied, "ls", false).await;
    let scopes: Vec<_> = tool.seen().iter().map(|(call, _)| call.context.network.clone()).collect();
    assert_eq!(scopes, [NetworkScope::Inherit, NetworkScope::Deny], "the call carries the scope inwards");
    for id in ["web_scrape", "Web-Scrape", "fetch", "web_search", "mcp__x__y"] {
        let capabilities = if id.starts_with("mcp") {
            Capabilities::UNKNOWN
        } else {
            Capabilities::NETWORK | Capabilities::READS
        };
        let tool = ScriptedTool::named(id, "scrape", capabilities);
        let parent: Arc<dyn ErasedToolExecutor> = Arc::new(Pipeline::builder().tool(tool).build().unwrap());
        let child = NetworkDenyToolExecutor::new(parent).unwrap();
        let mut call = bash_call("x");
        call.tool_id = id.into();
        assert_eq!(Came::from(child.execute_tool_call_confirmed(&call).await), Came::Refused, "{id}");
    }
}

#[tokio::test]
async fn a_grandchild_is_never_wider_than_its_parent() {
    let tool = ScriptedTool::bash();
    let parent: Arc<dyn ErasedToolExecutor> =
        Arc::new(Pipeline::builder().tool(tool.clone()).build().unwrap());
    let manager = SubagentManager::new(parent, 8);
    let child = manager.spawn(&SubagentSpec::new("child").network(NetworkScope::Deny)).await.unwrap();
    for scope in [NetworkScope::Inherit, NetworkScope::Allow, NetworkScope::only(["evil.example"])] {
        let spec = SubagentSpec::new("grandchild").network(scope.clone());
        let grandchild = child.manager(2).spawn(&spec).await.unwrap();
        let came = Came::from(grandchild.execute_tool_call(&bash_call("curl evil.example")).await);
        assert_eq!(came, Came::Refused, "{scope}");
    }
    let only_cargo = SubagentSpec::new("cargo").tools(ToolPolicy::allow(["Bash(cargo *)"]).unwrap());
    let child = manager.spawn(&only_cargo).await.unwrap();
    let grandchild = child.manager(2).spawn(&SubagentSpec::new("all")).await.unwrap();
    assert_eq!(Came::from(grandchild.execute_tool_call(&bash_call("rm x")).await), Came::Refused);
    assert!(tool.ran().is_empty());
}

#[tokio::test]
async fn a_sub_agent_keeps_to_its_budget_mode_and_place() {
    let tool = ScriptedTool::bash();
    let gate = PermissionGate::new(&surroundings());
    let parent: Arc<dyn ErasedToolExecutor> =
        Arc::new(understood().gate(gate).tool(tool.clone()).build().unwrap());
    let manager = SubagentManager::new(parent, 2);

    let spec = SubagentSpec::new("short").budget(Budget { calls: Some(1), wall: None });
    let short = manager.spawn(&spec).await.unwrap();
    assert!(matches!(Came::from(short.execute_tool_call(&bash_call("ls")).await), Came::Ran(_)));
    let error = short.execute_tool_call(&bash_call("ls")).await.unwrap_err();
    assert_eq!(error.code(), "budget-spent");

    let alone = manager.spawn(&SubagentSpec::new("alone").mode(PermissionMode::DontAsk)).await.unwrap();
    for door_confirmed in [false, true] {
        let call = bash_call("rm src/lib.rs");
        let came = match door_confirmed {
            false => alone.execute_tool_call(&call).await,
            true => alone.execute_tool_call_confirmed(&call).await,
        };
        assert_eq!(Came::from(came), Came::Refused, "nobody is there to ask");
    }
    assert!(manager.try_spawn(&SubagentSpec::new("third")).unwrap().is_none(), "two places are taken");
    drop(alone);
    let plan = manager.try_spawn(&SubagentSpec::new("plan").mode(PermissionMode::Plan)).unwrap().unwrap();
    assert_eq!(Came::from(plan.execute_tool_call(&bash_call("ls")).await), Came::Refused);
    assert_eq!(Came::from(plan.execute("only words").await), Came::NotMine, "B26");
    plan.cancel();
    assert!(plan.execute_tool_call(&bash_call("ls")).await.is_err());
    manager.shut_down();
    assert!(manager.spawn(&SubagentSpec::new("late")).await.is_err());
}

#[tokio::test]
async fn plan_mode_passes_text_without_calls_and_shows_tools() {
    let parent: Arc<dyn ErasedToolExecutor> =
        Arc::new(Pipeline::builder().tool(ScriptedTool::bash()).build().unwrap());
    let plan = PlanModeExecutor::new(parent).unwrap();
    assert!(plan.execute("a plan in words").await.unwrap().is_none());
    assert_eq!(plan.tool_definitions().len(), 1);
    assert_eq!(Came::from(plan.execute("```bash\nls\n```").await), Came::Refused);
}

#[tokio::test]
async fn the_trust_gate_executor_judges_by_level_and_policy() {
    let tool = ScriptedTool::bash();
    let make = || {
        TrustGateExecutor::new(
            DynExecutor(Arc::new(Pipeline::builder().tool(tool.clone()).build().unwrap())),
            PermissionGate::new(&surroundings()),
            surroundings(),
        )
    };
    let gate = make().unwrap();
    assert_eq!(gate.effective_trust(), SkillTrustLevel::Trusted);
    assert!(matches!(Came::from(gate.execute_tool_call(&bash_call("ls")).await), Came::Ran(_)));
    for level in [SkillTrustLevel::Quarantined, SkillTrustLevel::Blocked] {
        gate.set_effective_trust(level);
        assert_eq!(Came::from(gate.execute("```bash\nls\n```").await), Came::Refused, "{level}");
        assert_eq!(Came::from(gate.execute_tool_call_confirmed(&bash_call("ls")).await), Came::Refused);
    }
    gate.set_effective_trust(SkillTrustLevel::Verified);
    assert_eq!(Came::from(gate.execute_tool_call(&bash_call("rm src/lib.rs")).await), Came::Asks);
    assert_eq!(Came::from(gate.execute_tool_call_confirmed(&bash_call("rm -rf /")).await), Came::Refused);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_sub_agents_over_one_executor_never_see_each_others_session() {
    let tool = ScriptedTool::bash();
    let parent: Arc<dyn ErasedToolExecutor> =
        Arc::new(Pipeline::builder().trust(SkillTrustLevel::Trusted).tool(tool.clone()).build().unwrap());
    let manager = SubagentManager::new(parent, 64);
    let mut tasks = Vec::new();
    for n in 0..64u32 {
        let scope = if n.is_multiple_of(2) {
            NetworkScope::Deny
        } else {
            NetworkScope::only([format!("h{n}.example")])
        };
        let child = manager.spawn(&SubagentSpec::new(n.to_string()).network(scope)).await.unwrap();
        let secret = [("OWNER".to_owned(), n.to_string())].into();
        child.set_skill_env(Some(secret));
        tasks.push(tokio::spawn(async move {
            for _ in 0..20 {
                child.execute_tool_call(&bash_call(&format!("echo {n}"))).await.unwrap().unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let seen = tool.seen();
    assert_eq!(seen.len(), 64 * 20);
    for (call, session) in seen {
        let n: u32 = call.subject().strip_prefix("echo ").unwrap().parse().unwrap();
        let scope = if n.is_multiple_of(2) {
            NetworkScope::Deny
        } else {
            NetworkScope::only([format!("h{n}.example")])
        };
        assert_eq!(session.network, scope);
        assert_eq!(session.skill_env.unwrap().var("OWNER"), Some(n.to_string().as_str()));
    }
}
