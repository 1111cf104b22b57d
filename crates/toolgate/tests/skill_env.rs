//! The secrets of a skill reach its own calls, through whatever they are wrapped in, and no others.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::Arc;

use toolgate::exec::{DynExecutor, ErasedToolExecutor, Pipeline, SkillEnv, SkillTrustLevel, ToolExecutor};
use toolgate::executors::{FilteredToolExecutor, NetworkDenyToolExecutor, TrustGateExecutor};
use toolgate::gates::{PermissionGate, ToolPolicy};
use toolgate::subagent::{SubagentManager, SubagentSpec};
use toolgate::understanding::Surroundings;
use toolgate_testkit::ScriptedTool;
use toolgate_testkit::doors::{Door, bash_call, wrappings};

fn secret(value: &str) -> Option<HashMap<String, String>> {
    Some([("API_KEY".to_owned(), value.to_owned())].into())
}

fn inner(tool: &ScriptedTool) -> DynExecutor {
    let pipeline = Pipeline::builder().trust(SkillTrustLevel::Trusted).tool(tool.clone());
    DynExecutor(Arc::new(pipeline.build().unwrap()))
}

/// What the last call saw of the secret.
fn seen(tool: &ScriptedTool) -> Option<String> {
    let (_, session) = tool.seen().pop().unwrap();
    session.skill_env.and_then(|env: SkillEnv| env.var("API_KEY").map(str::to_owned))
}

/// The executors of this crate around one, and around each other.
fn presets(tool: &ScriptedTool) -> Vec<(&'static str, DynExecutor)> {
    let around = || Surroundings::new("/home/dev/repo", "/home/dev");
    let arc = |executor: DynExecutor| -> Arc<dyn ErasedToolExecutor> { executor.0 };
    let trust = |of| TrustGateExecutor::new(of, PermissionGate::new(&around()), around()).unwrap();
    let deny = |of| NetworkDenyToolExecutor::new(of).unwrap();
    let filtered = |of| FilteredToolExecutor::new(of, ToolPolicy::InheritAll).unwrap();
    vec![
        ("trust gate", DynExecutor(Arc::new(trust(inner(tool))))),
        ("network denied", DynExecutor(Arc::new(deny(arc(inner(tool)))))),
        ("filtered", DynExecutor(Arc::new(filtered(arc(inner(tool)))))),
        (
            "all three",
            DynExecutor(Arc::new(trust(DynExecutor(Arc::new(deny(Arc::new(filtered(arc(inner(tool)))))))))),
        ),
    ]
}

#[tokio::test]
async fn secrets_arrive_through_every_wrapping_and_are_gone_once_cleared() {
    // A44: the reference's composites and gates swallow what a skill was given.
    let tool = ScriptedTool::bash();
    for (name, executor) in wrappings(|| inner(&tool)).into_iter().chain(presets(&tool)) {
        for door in Door::ALL {
            executor.set_skill_env(secret("of-a"));
            door.send(&executor, "ls", false).await;
            assert_eq!(seen(&tool).as_deref(), Some("of-a"), "{name}, {door:?}");
            executor.set_skill_env(secret("of-b"));
            door.send(&executor, "ls", true).await;
            assert_eq!(seen(&tool).as_deref(), Some("of-b"), "{name}, {door:?}");
            executor.set_skill_env(None);
            door.send(&executor, "ls", false).await;
            assert_eq!(seen(&tool), None, "{name}, {door:?}");
        }
    }
}

#[tokio::test]
async fn a_child_has_its_own_skills_secrets_and_never_its_parents_or_siblings() {
    let tool = ScriptedTool::bash();
    let parent = inner(&tool);
    let manager = SubagentManager::new(parent.0.clone(), 8);
    let one = manager.spawn(&SubagentSpec::new("one")).await.unwrap();
    let two = manager.spawn(&SubagentSpec::new("two")).await.unwrap();
    let grandchild = one.manager(1).spawn(&SubagentSpec::new("grandchild")).await.unwrap();
    parent.set_skill_env(secret("of-parent"));
    one.set_skill_env(secret("of-one"));
    for (executor, sees) in [(&one, Some("of-one")), (&two, None), (&grandchild, None)] {
        executor.execute_tool_call(&bash_call("ls")).await.unwrap();
        assert_eq!(seen(&tool).as_deref(), sees, "{}", executor.name());
    }
    parent.execute_tool_call(&bash_call("ls")).await.unwrap();
    assert_eq!(seen(&tool).as_deref(), Some("of-parent"));
}

#[tokio::test]
async fn no_record_of_a_call_holds_a_value() {
    let tool = ScriptedTool::bash();
    let manager = SubagentManager::new(inner(&tool).0, 1);
    let child = manager.spawn(&SubagentSpec::new("child")).await.unwrap();
    child.set_skill_env(secret("do-not-tell"));
    let output = child.execute_tool_call(&bash_call("ls")).await.unwrap();
    let refused = child.execute_tool_call(&bash_call("ls $(")).await;
    for record in [
        format!("{:?}", tool.seen()),
        format!("{:?}", child.transcript()),
        format!("{child:?} {manager:?} {output:?} {refused:?}"),
        format!("{:?}", toolgate::exec::Preset::pipeline(&child)),
    ] {
        assert!(!record.contains("do-not-tell"), "{record}");
    }
}
