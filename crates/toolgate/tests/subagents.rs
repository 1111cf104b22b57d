//! Sub-agents: what each mode answers, what is left when one is gone, and many at once.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate::exec::{
    Capabilities, DynExecutor, ErasedToolExecutor, NetworkScope, Pipeline, PipelineBuilder, Preset,
    SkillTrustLevel, ToolCall, ToolExecutor,
};
use toolgate::gates::{PermissionGate, ToolPolicy, patterns};
use toolgate::policy::decide::Policy;
use toolgate::policy::permissions::BlockList;
use toolgate::shell::{BackgroundRuns, ShellExecutor, ShellTool};
use toolgate::subagent::{
    Budget, NetworkDenyToolExecutor, Outcome, PermissionMode, SpawnError, SubagentManager, SubagentSpec,
    build_filtered_executor,
};
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::ScriptedTool;
use toolgate_testkit::doors::{Came, Door, bash_call};

fn surroundings() -> Surroundings {
    Surroundings::new("/home/dev/work/repo", "/home/dev")
}

fn judged() -> PipelineBuilder {
    let blocked = BlockList::of(&["git push".to_owned()]);
    let gate = PermissionGate::new(&surroundings()).policy(Policy { blocked, ..Policy::default() });
    let builder = Pipeline::builder().trust(SkillTrustLevel::Trusted);
    builder.normaliser(Understanding::new(surroundings())).gate(gate)
}

fn arc(builder: PipelineBuilder) -> Arc<dyn ErasedToolExecutor> {
    Arc::new(builder.build().unwrap())
}

fn edit(path: &str) -> ToolCall {
    ToolCall::from_json("edit", json!({"command": "x", "path": path})).unwrap()
}

#[tokio::test]
async fn each_mode_answers_what_it_says_and_no_mode_lifts_a_refusal() {
    let (bash, edits) = (
        ScriptedTool::bash(),
        ScriptedTool::named("edit", "edit", Capabilities::READS | Capabilities::WRITES),
    );
    let manager = SubagentManager::new(arc(judged().tool(bash.clone()).tool(edits.clone())), 16);
    let manager = manager.danger_allow_bypass();
    // `/tmp/x` is asked about as a place to write, `mytool` as a program that nobody knows.
    for (mode, edit_comes, bash_comes) in [
        (PermissionMode::Default, Came::Asks, Came::Asks),
        (PermissionMode::AcceptEdits, Came::Ran("x".to_owned()), Came::Asks),
        (PermissionMode::DontAsk, Came::Refused, Came::Refused),
        (PermissionMode::BypassPermissions, Came::Ran("x".to_owned()), Came::Ran("mytool".to_owned())),
        (PermissionMode::Plan, Came::Refused, Came::Refused),
    ] {
        let child = manager.spawn(&SubagentSpec::new("child").mode(mode)).await.unwrap();
        let asked = edit("/tmp/x");
        assert_eq!(Came::from(child.execute_tool_call(&asked).await), edit_comes, "{mode:?}");
        assert_eq!(child.requires_confirmation(&asked), edit_comes == Came::Asks, "{mode:?}");
        let child = DynExecutor(Arc::new(child));
        for door in Door::ALL {
            assert_eq!(door.send(&child, "mytool", false).await, bash_comes, "{mode:?} {door:?}");
        }
        bash.forget();
        edits.forget();
        for hard in ["rm -rf /", "git push origin main", "cat /home/dev/.ssh/id_rsa", "rm -rf ~; ls"] {
            for door in Door::ALL {
                for confirmed in [false, true] {
                    let came = door.send(&child, hard, confirmed).await;
                    assert_eq!(came, Came::Refused, "{mode:?} {door:?} {hard}");
                }
            }
        }
        assert_eq!(Came::from(child.execute_tool_call_confirmed(&edit("/etc/passwd")).await), Came::Refused);
        assert!(bash.ran().is_empty() && edits.ran().is_empty(), "{mode:?}");
    }
}

#[tokio::test]
async fn nobody_bypasses_who_was_not_allowed_to_and_no_child_is_asked_less_than_its_parent() {
    let manager = SubagentManager::new(arc(judged().tool(ScriptedTool::bash())), 16);
    let spec = |mode| SubagentSpec::new("x").mode(mode);
    let bypass = spec(PermissionMode::BypassPermissions);
    assert!(matches!(manager.spawn(&bypass).await, Err(SpawnError::BypassNotAllowed { .. })));
    let child = manager.spawn(&spec(PermissionMode::Default)).await.unwrap();
    for mode in [PermissionMode::AcceptEdits, PermissionMode::BypassPermissions] {
        let grandchild = child.manager(1).danger_allow_bypass().spawn(&spec(mode)).await;
        assert!(matches!(grandchild, Err(SpawnError::WiderThanParent { .. })), "{mode:?}");
    }
    let editor = manager.spawn(&spec(PermissionMode::AcceptEdits)).await.unwrap();
    editor.manager(1).spawn(&spec(PermissionMode::AcceptEdits)).await.unwrap();
    // Without a manager nobody could have allowed it.
    let executor = arc(judged().tool(ScriptedTool::bash()));
    let built = build_filtered_executor(executor, &bypass, NetworkScope::Inherit).unwrap();
    assert_eq!(Came::from(built.execute_tool_call(&bash_call("mytool")).await), Came::Asks);
}

#[tokio::test]
async fn a_sub_agent_is_told_where_it_remembers_things_and_its_calls_are_written_down() {
    let tool = ScriptedTool::bash();
    let manager = SubagentManager::new(arc(judged().tool(tool.clone())), 1);
    let spec = SubagentSpec::new("child")
        .memory_dir("/home/dev/memory/child")
        .tools(ToolPolicy::allow(["bash"]).unwrap())
        .disallow(patterns(["Bash(rm *)"]).unwrap());
    let child = manager.spawn(&spec).await.unwrap();
    child.execute_tool_call(&bash_call("ls")).await.unwrap();
    child.execute_tool_call(&bash_call("rm x")).await.unwrap_err();
    let (call, _) = tool.seen().pop().unwrap();
    assert_eq!(call.context.env["TOOLGATE_MEMORY_DIR"], "/home/dev/memory/child");
    let written = child.transcript();
    assert_eq!(written[0].subject, "ls");
    assert!(matches!(written[0].outcome, Outcome::Ran(_)));
    assert_eq!(written[1].outcome, Outcome::Failed("tool-taken-away".to_owned()));
}

/// Lets others run until it is so.
async fn until(what: &str, so: impl Fn() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        tokio::task::yield_now().await;
    }
}

fn real_shell() -> (Arc<dyn ErasedToolExecutor>, BackgroundRuns) {
    let shell = ShellExecutor::behind(
        Pipeline::builder().trust(SkillTrustLevel::Trusted),
        ShellTool::builder().build().unwrap(),
    );
    let shell = shell.unwrap();
    let runs = shell.background_runs().clone();
    (Arc::new(shell), runs)
}

fn running(runs: &BackgroundRuns) -> usize {
    runs.snapshot().iter().filter(|run| run.running).count()
}

fn in_background(command: &str) -> ToolCall {
    ToolCall::from_json("bash", json!({"command": command, "background": true})).unwrap()
}

#[tokio::test]
async fn a_dropped_or_cancelled_sub_agent_leaves_nothing_running() {
    let (parent, runs) = real_shell();
    let manager = SubagentManager::new(parent.clone(), 4);
    parent.execute_tool_call_erased(&in_background("sleep 1001")).await.unwrap();
    let child = manager.spawn(&SubagentSpec::new("child")).await.unwrap();
    let sibling = manager.spawn(&SubagentSpec::new("child")).await.unwrap();
    let grandchild = child.manager(1).spawn(&SubagentSpec::new("grandchild")).await.unwrap();
    for agent in [&child, &sibling, &grandchild] {
        agent.execute_tool_call(&in_background("sleep 1001")).await.unwrap();
    }
    assert_eq!(running(&runs), 4);
    // Each sees its own runs alone, whatever it is called.
    let list = ToolCall::from_json("bash_list", json!({})).unwrap();
    let seen = sibling.execute_tool_call(&list).await.unwrap().unwrap();
    assert_eq!(seen.summary.lines().count(), 1, "{seen:?}");

    drop(child);
    until("the grandchild keeps its parent's executor", || running(&runs) == 4).await;
    drop(grandchild);
    until("both are gone", || running(&runs) == 2).await;
    sibling.cancel();
    until("the sibling's run has ended", || running(&runs) == 1).await;
    assert!(sibling.execute_tool_call(&in_background("sleep 1001")).await.is_err());
    assert_eq!(running(&runs), 1, "the parent's own goes on");
    runs.shutdown().await;
}

#[tokio::test]
async fn a_call_that_is_under_way_ends_with_its_sub_agent() {
    let (parent, _) = real_shell();
    let manager = SubagentManager::new(parent, 4);
    let spec =
        SubagentSpec::new("short").budget(Budget { calls: None, wall: Some(Duration::from_millis(50)) });
    let short = manager.spawn(&spec).await.unwrap();
    let error = short.execute_tool_call(&bash_call("sleep 1002")).await.unwrap_err();
    assert_eq!(error.code(), "timed-out");
    let error = short.execute_tool_call(&in_background("sleep 1002")).await.unwrap_err();
    assert_eq!(error.code(), "timed-out", "its time is over for background runs as well");

    let child = manager.spawn(&SubagentSpec::new("child")).await.unwrap();
    let call = tokio::spawn({
        let child = child.clone();
        async move { child.execute_tool_call(&bash_call("sleep 1003")).await }
    });
    tokio::task::yield_now().await;
    manager.shut_down();
    assert_eq!(call.await.unwrap().unwrap_err().code(), "cancelled");
}

/// A fixed sequence of numbers from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % below
    }
}

/// What the sub-agent with this number may, and what it is told.
fn made(n: u64, numbers: &mut Numbers) -> (SubagentSpec, NetworkScope, SkillTrustLevel) {
    let network = match numbers.next(4) {
        0 => NetworkScope::Deny,
        1 => NetworkScope::only([format!("h{n}.example")]),
        2 => NetworkScope::Allow,
        _ => NetworkScope::Inherit,
    };
    let trust = [SkillTrustLevel::Trusted, SkillTrustLevel::Verified][numbers.next(2) as usize];
    (SubagentSpec::new(n.to_string()).network(network.clone()).trust(trust), network, trust)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_sub_agents_at_once_never_see_each_others_session() {
    for seed in 0..12 {
        let tool = ScriptedTool::bash();
        let parent = arc(Pipeline::builder().trust(SkillTrustLevel::Trusted).tool(tool.clone()));
        let manager = SubagentManager::new(parent.clone(), 64);
        let mut numbers = Numbers(seed);
        let (mut want, mut tasks) = (HashMap::new(), Vec::new());
        for n in 0..64 {
            let (spec, network, trust) = made(n, &mut numbers);
            let child = manager.spawn(&spec).await.unwrap();
            want.insert(n, (network, trust));
            let mut numbers = Numbers(seed << 8 | n);
            tasks.push(tokio::spawn(async move {
                for round in 0..12 {
                    // Others set theirs in between: each call must see what was set before it here.
                    let secret = format!("{n}-{round}");
                    child.set_skill_env(Some([("OWNER".to_owned(), secret.clone())].into()));
                    for _ in 0..numbers.next(3) {
                        tokio::task::yield_now().await;
                    }
                    let command = format!("echo {n} {secret}");
                    let call = bash_call(&command);
                    let done = match numbers.next(3) {
                        0 => child.execute(&format!("```bash\n{command}\n```\n")).await,
                        1 => child.execute_tool_call_confirmed(&call).await,
                        _ => child.execute_tool_call(&call).await,
                    };
                    done.unwrap().unwrap();
                }
            }));
        }
        // The parent is set to and fro meanwhile.
        for round in 0..200 {
            parent.set_skill_env_erased(
                (round % 2 == 0).then(|| [("OWNER".to_owned(), "parent".to_owned())].into()),
            );
            tokio::task::yield_now().await;
        }
        for task in tasks {
            task.await.unwrap();
        }
        let seen = tool.seen();
        assert_eq!(seen.len(), 64 * 12, "seed {seed}");
        for (call, session) in seen {
            let subject = call.subject().into_owned();
            let mut words = subject.split(' ').skip(1);
            let n: u64 = words.next().unwrap().parse().unwrap();
            let (network, trust) = &want[&n];
            assert_eq!((&session.network, session.trust), (network, *trust), "seed {seed}: {subject}");
            let env = session.skill_env.unwrap();
            assert_eq!(env.var("OWNER"), words.next(), "seed {seed}: {subject}");
        }
    }
}

#[tokio::test]
async fn a_missing_scope_is_inherited_and_a_denied_one_for_ever() {
    // B12: in the reference a scope that is not found opens the network, and grandchildren don't inherit it.
    let tool = ScriptedTool::bash();
    let manager = SubagentManager::new(arc(judged().tool(tool.clone())), 8).network(NetworkScope::Deny);
    let child = manager.spawn(&SubagentSpec::new("child")).await.unwrap();
    let grandchild =
        child.manager(1).spawn(&SubagentSpec::new("x").network(NetworkScope::Allow)).await.unwrap();
    for agent in [&child, &grandchild] {
        let came =
            Came::from(agent.execute_tool_call_confirmed(&bash_call("curl https://evil.example")).await);
        assert_eq!(came, Came::Refused);
    }
    let denied: Arc<dyn ErasedToolExecutor> =
        Arc::new(NetworkDenyToolExecutor::new(arc(judged().tool(tool.clone()))).unwrap());
    let of_denied = SubagentManager::new(denied, 1).network(NetworkScope::Allow);
    let child = of_denied.spawn(&SubagentSpec::new("x").network(NetworkScope::Allow)).await.unwrap();
    assert_eq!(Came::from(child.execute("```bash\ncurl evil.example\n```\n").await), Came::Refused);
    assert!(tool.ran().is_empty());
}

#[tokio::test]
async fn what_was_narrowed_is_not_widened_again_by_whoever_comes_later() {
    let (low, high) = (SkillTrustLevel::Quarantined, SkillTrustLevel::Trusted);
    assert_eq!(SubagentSpec::new("x").trust(low).trust(high).trust, Some(low));
    assert_eq!(toolgate::exec::CallContext::new().trust(low).trust(high).trust, Some(low));

    let spec = |scope| SubagentSpec::new("x").network(scope);
    let (open, closed) = (|| NetworkScope::Allow, || NetworkScope::Deny);
    assert_eq!(spec(closed()).network(open()).network, closed(), "in one spec");
    let executor = || arc(judged().tool(ScriptedTool::bash()));
    let built = build_filtered_executor(executor(), &spec(open()), closed()).unwrap();
    assert_eq!(built.session().network, closed(), "of a child without a manager");
    let manager = SubagentManager::new(executor(), 4).network(closed()).network(open());
    let child = manager.spawn(&spec(open())).await.unwrap();
    assert_eq!(child.pipeline().session().network, closed(), "of a manager");
    let manager = SubagentManager::new(executor(), 4);
    let child = manager.spawn(&spec(NetworkScope::only(["a.example"]))).await.unwrap();
    let grandchild = child.manager(1).network(open()).spawn(&spec(open())).await.unwrap();
    assert_eq!(grandchild.pipeline().session().network, NetworkScope::only(["a.example"]), "of a grandchild");
}
