//! Undo and redo at the wall: judged like a write to files of the workspace, at every door.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolgate::exec::{
    BoxFuture, CheckpointActionResult, CheckpointListResult, Checkpoints, DynExecutor, NetworkScope,
    Pipeline, PipelineBuilder, SkillTrustLevel, ToolExecutor,
};
use toolgate::executors::{
    FilteredToolExecutor, NetworkDenyToolExecutor, PlanModeExecutor, TrustGateExecutor,
};
use toolgate::gates::{
    AutonomyGate, AutonomyLevel, PermissionGate, PlanGate, ToolFilterGate, ToolPolicy, TrustGate, patterns,
};
use toolgate::grants::Grants;
use toolgate::policy::decide::Policy;
use toolgate::policy::profile::Profile;
use toolgate::policy::rule::{Layer, RuleText, Rules};
use toolgate::subagent::{Budget, PermissionMode, SubagentManager, SubagentSpec};
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::ScriptedTool;
use toolgate_testkit::doors::wrappings;

/// Counts what is undone and redone.
#[derive(Clone, Default)]
struct Store(Arc<AtomicUsize>);

impl Store {
    fn act(&self, n: usize) -> BoxFuture<'_, CheckpointActionResult> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let mut result = CheckpointActionResult::nothing("put back");
        result.reverted_commands = n;
        Box::pin(std::future::ready(result))
    }
}

impl Checkpoints for Store {
    fn undo(&self, n: usize) -> BoxFuture<'_, CheckpointActionResult> {
        self.act(n)
    }
    fn redo(&self) -> BoxFuture<'_, CheckpointActionResult> {
        self.act(1)
    }
    fn list(&self) -> BoxFuture<'_, CheckpointListResult> {
        let mut list = CheckpointListResult::default();
        list.supported = true;
        Box::pin(std::future::ready(list))
    }
}

fn surroundings() -> Surroundings {
    Surroundings::new("/home/dev/work/repo", "/home/dev")
}

fn gate() -> PermissionGate {
    PermissionGate::new(&surroundings()).grants(Arc::new(Grants::in_memory(Path::new("/home/dev/work/repo"))))
}

fn by(policy: Policy) -> PermissionGate {
    gate().policy(policy)
}

fn ruled(action: &str, key: &str, value: &str) -> PermissionGate {
    let mut rule = RuleText { action: action.to_owned(), ..RuleText::default() };
    match key {
        "tool" => rule.tool = vec![value.to_owned()],
        "path" => (rule.path, rule.effect) = (vec![value.to_owned()], vec!["write".to_owned()]),
        _ => rule.effect = vec![value.to_owned()],
    }
    by(Policy { rules: Rules::compile(&[rule], Layer::User).unwrap(), ..Policy::default() })
}

fn understood() -> PipelineBuilder {
    Pipeline::builder().trust(SkillTrustLevel::Trusted).normaliser(Understanding::new(surroundings()))
}

fn build(builder: PipelineBuilder, store: &Store) -> DynExecutor {
    let builder = builder.checkpoints(Arc::new(store.clone())).tool(ScriptedTool::bash());
    DynExecutor(Arc::new(builder.build().unwrap()))
}

/// Whether undo and redo go through, at each door of each wrapping; what does not goes nowhere.
async fn goes_through(what: &str, make: impl Fn(&Store) -> DynExecutor) -> bool {
    let mut went = Vec::new();
    let store = Store::default();
    for (name, executor) in wrappings(|| make(&store)) {
        for redo in [false, true] {
            let before = store.0.load(Ordering::Relaxed);
            let result = match redo {
                false => executor.checkpoint_undo(3).await,
                true => executor.checkpoint_redo().await,
            };
            let did = store.0.load(Ordering::Relaxed) - before;
            assert_eq!(did, usize::from(result.reverted_commands > 0), "{what}: {name}: {result:?}");
            assert!(result.supported && executor.checkpoint_list().await.supported, "{what}: {name}");
            assert!(did == 1 || result.message.starts_with("not allowed: "), "{what}: {name}: {result:?}");
            went.push(did == 1);
        }
    }
    assert!(went.iter().all(|did| *did == went[0]), "{what}: not alike at all doors: {went:?}");
    went[0]
}

#[tokio::test]
async fn undo_is_judged_like_a_write_to_the_workspace_at_every_door() {
    type Stack = Box<dyn Fn() -> PipelineBuilder>;
    let stacks: Vec<(&str, bool, Stack)> = vec![
        ("by the default profile", true, Box::new(|| understood().gate(gate()))),
        (
            "by the strict one",
            false,
            Box::new(|| understood().gate(by(Policy { profile: Profile::Strict, ..Policy::default() }))),
        ),
        ("a rule against writes", false, Box::new(|| understood().gate(ruled("deny", "effect", "write")))),
        ("against some of them", false, Box::new(|| understood().gate(ruled("deny", "path", "docs/**")))),
        ("against others", true, Box::new(|| understood().gate(ruled("deny", "path", "/etc/**")))),
        ("against undo", false, Box::new(|| understood().gate(ruled("ask", "tool", "checkpoint_*")))),
        ("against the shell", true, Box::new(|| understood().gate(ruled("deny", "tool", "bash")))),
        ("not understood", false, Box::new(|| Pipeline::builder().gate(gate()))),
        ("plan mode", false, Box::new(|| understood().gate(gate()).gate(PlanGate))),
        (
            "read-only",
            false,
            Box::new(|| understood().gate(gate()).gate(AutonomyGate(AutonomyLevel::ReadOnly))),
        ),
        (
            "quarantine",
            false,
            Box::new(|| understood().gate(gate()).gate(TrustGate).trust(SkillTrustLevel::Quarantined)),
        ),
        (
            "not among the tools",
            false,
            Box::new(|| {
                let only = ToolPolicy::allow(["bash"]).unwrap();
                understood().gate(gate()).gate(ToolFilterGate::new(only, Vec::new()))
            }),
        ),
        (
            "taken away",
            false,
            Box::new(|| {
                let except = patterns(["checkpoint_undo", "checkpoint_redo"]).unwrap();
                understood().gate(ToolFilterGate::new(ToolPolicy::InheritAll, except))
            }),
        ),
        ("no network", true, Box::new(|| understood().gate(gate()).network(NetworkScope::Deny))),
    ];
    for (what, goes, stack) in stacks {
        assert_eq!(goes_through(what, |store| build(stack(), store)).await, goes, "{what}");
    }
}

#[tokio::test]
async fn every_executor_around_another_judges_undo_too() {
    let inner = |store: &Store| build(understood(), store);
    let trust = |store: &Store, gate| {
        DynExecutor(Arc::new(TrustGateExecutor::new(inner(store), gate, surroundings()).unwrap()))
    };
    assert!(goes_through("trust gate", |store| trust(store, gate())).await);
    assert!(!goes_through("a rule", |store| trust(store, ruled("deny", "effect", "write"))).await);
    let quarantined = |store: &Store| {
        let executor = trust(store, gate());
        executor.set_effective_trust(SkillTrustLevel::Quarantined);
        executor
    };
    assert!(!goes_through("quarantine", quarantined).await);
    let plan = |store: &Store| DynExecutor(Arc::new(PlanModeExecutor::new(inner(store).0).unwrap()));
    assert!(!goes_through("plan mode", plan).await);
    let offline =
        |store: &Store| DynExecutor(Arc::new(NetworkDenyToolExecutor::new(inner(store).0).unwrap()));
    assert!(goes_through("no network", offline).await);
    let filtered = |store: &Store| {
        let only = ToolPolicy::allow(["bash"]).unwrap();
        DynExecutor(Arc::new(FilteredToolExecutor::new(inner(store).0, only).unwrap()))
    };
    assert!(!goes_through("filtered", filtered).await);
}

#[tokio::test]
async fn a_sub_agent_undoes_no_more_than_its_parent_and_nothing_in_plan_mode() {
    let child = |stack: PipelineBuilder, store: &Store, mode| {
        let manager = SubagentManager::new(build(stack, store).0, 1).danger_allow_bypass();
        DynExecutor(Arc::new(manager.try_spawn(&SubagentSpec::new("x").mode(mode)).unwrap().unwrap()))
    };
    let asked = || understood().gate(ruled("ask", "effect", "write"));
    let free = || understood().gate(gate());
    for (mode, goes_where_free) in [
        (PermissionMode::Default, true),
        (PermissionMode::AcceptEdits, true),
        (PermissionMode::DontAsk, true),
        (PermissionMode::BypassPermissions, true),
        (PermissionMode::Plan, false),
    ] {
        let went = goes_through("free", |store| child(free(), store, mode)).await;
        assert_eq!(went, goes_where_free, "{mode:?}");
        // What the parent is asked about nobody can be asked at these doors.
        assert!(!goes_through("asked", |store| child(asked(), store, mode)).await, "{mode:?}");
    }
}

#[tokio::test]
async fn a_sub_agent_that_has_ended_undoes_nothing() {
    let store = Store::default();
    let manager = SubagentManager::new(build(understood().gate(gate()), &store).0, 2);
    let cancelled = manager.spawn(&SubagentSpec::new("cancelled")).await.unwrap();
    assert_eq!(cancelled.checkpoint_undo(1).await.reverted_commands, 1);
    cancelled.cancel();
    let over = SubagentSpec::new("over").budget(Budget { calls: None, wall: Some(Duration::ZERO) });
    let over = manager.spawn(&over).await.unwrap();
    for agent in [&cancelled, &over] {
        let result = agent.checkpoint_undo(1).await;
        assert_eq!(result.message, "not allowed: the sub-agent has ended", "{}", agent.name());
    }
    assert_eq!(store.0.load(Ordering::Relaxed), 1);
}
