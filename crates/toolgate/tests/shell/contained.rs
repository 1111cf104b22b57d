//! Commands inside the operating-system boundary: what holds is told, and how they end.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use toolgate::exec::{
    EVENT_CHANNEL_CAPACITY, EnforcementLevel, ErasedToolExecutor, ExitStatus, NetworkScope, Pipeline,
    PipelineBuilder, ToolCall, ToolError, ToolEvent, ToolExecutor as _, event_channel,
};
use toolgate::executors::NetworkDenyToolExecutor;
use toolgate::shell::{Environment, ShellExecutor, ShellTool, ShellToolBuilder};
use toolgate::spawn::{BoundaryNetwork, BoundaryPolicy, SandboxSpawner};
use toolgate::understanding::{Surroundings, Understanding};

use crate::{alive, bash, call, field, shell_in, unique_sleep};

/// A home with a workspace in it.
struct Place {
    home: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { home: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.workspace()).unwrap();
        place
    }

    fn workspace(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap().join("work")
    }

    fn policy(&self) -> BoundaryPolicy {
        BoundaryPolicy::workspace_write(&self.home.path().canonicalize().unwrap(), &self.workspace())
    }

    fn tool(&self, policy: BoundaryPolicy) -> ShellToolBuilder {
        ShellTool::builder()
            .spawner(SandboxSpawner::new(policy).unwrap())
            .cwd(self.workspace())
            .timeout(Duration::from_secs(60))
    }

    fn shell(&self, stack: PipelineBuilder) -> ShellExecutor {
        shell_in(stack, self.tool(self.policy()))
    }
}

#[tokio::test]
async fn what_was_enforced_is_in_every_result() {
    let place = Place::new();
    let shell = place.shell(Pipeline::builder());
    let out = bash(&shell, "true").await.unwrap();
    let held = out.enforcement.clone().unwrap();
    assert_eq!((held.level, held.missing.len()), (EnforcementLevel::Full, 0), "{held}");
    assert_eq!(field(&out, "enforcement"), &json!({"level": "full", "missing": []}));
    let json = serde_json::to_value(&out).unwrap();
    assert_eq!(json["enforcement"]["level"], "full");

    let failed = call(&shell, "bash", json!({"command": "sleep 60", "timeout": 1})).await.unwrap_err();
    assert_eq!(failed.partial().unwrap().enforcement.as_ref().unwrap().level, EnforcementLevel::Full);
}

#[tokio::test]
async fn a_watcher_is_told_what_was_enforced_and_each_socket_that_was_refused() {
    let place = Place::new();
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let shell = place.shell(Pipeline::builder().events(events));
    let out = bash(&shell, "for i in 1 2 3; do : < /dev/tcp/127.0.0.1/9; done").await.unwrap();
    assert!(out.summary.contains("the boundary refused 3 sockets: ipv4 stream socket"), "{}", out.summary);
    let (mut refused, mut held) = (Vec::new(), None);
    while let Some(event) = watcher.try_recv() {
        match event {
            ToolEvent::Refused { tool_name, what, .. } => {
                assert_eq!((&*tool_name, held.is_none()), ("bash", true));
                refused.push(what);
            }
            ToolEvent::Completed { enforcement, .. } => held = enforcement,
            _ => {}
        }
    }
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert!(refused.iter().all(|what| what.starts_with("ipv4 stream socket (process ")), "{refused:?}");
    assert_eq!(held.unwrap().level, EnforcementLevel::Full);
}

#[tokio::test]
async fn a_command_that_prints_more_than_it_may_is_ended_with_all_it_started() {
    let place = Place::new();
    let mut policy = place.policy();
    policy.limits.output = Some(1 << 20);
    let shell = shell_in(Pipeline::builder(), place.tool(policy));
    let sleep = unique_sleep();
    // Nobody is asked: who prints without an end may not listen.
    let script = format!("trap '' TERM PIPE; setsid sleep {sleep} & while :; do yes; done");
    let out = bash(&shell, &script).await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Signal(9)), "{out:?}");
    assert_eq!(field(&out, "boundary"), &json!(["ended by a limit: it printed more than allowed"]));
    assert!(out.summary.ends_with("[ended by a limit: it printed more than allowed]"), "{}", out.summary);
    assert_eq!(alive(&sleep), [0; 0]);
    // Both streams count, and as much as is allowed is.
    let most = "head -c 524288 /dev/zero; head -c 524288 /dev/zero >&2";
    let out = bash(&shell, &format!("{most}; exit 3")).await.unwrap();
    assert_eq!((out.exit, out.structured.unwrap().get("boundary")), (Some(ExitStatus::Code(3)), None));
    let out = bash(&shell, &format!("{most}; while :; do echo one more; done")).await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Signal(9)), "{out:?}");
}

#[tokio::test]
async fn a_command_out_of_time_is_asked_first_and_all_it_started_too() {
    let place = Place::new();
    let shell = place.shell(Pipeline::builder());
    let sleep = unique_sleep();
    // One of another session gets to say goodbye too: whoever is asked to end may wait for it.
    let script = format!(
        "setsid bash -c 'trap \"echo outer >> said; exit\" TERM; sleep {sleep} & wait' & \
         trap 'echo inner >> said; wait; exit' TERM; sleep {sleep} & wait"
    );
    let error = call(&shell, "bash", json!({"command": script, "timeout": 2})).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }), "{error}");
    assert_eq!(alive(&sleep), [0; 0]);
    let said = std::fs::read_to_string(place.workspace().join("said")).unwrap();
    let mut said: Vec<_> = said.lines().collect();
    said.sort_unstable();
    assert_eq!(said, ["inner", "outer"]);
}

#[tokio::test]
async fn who_does_not_listen_is_ended_all_the_same() {
    let place = Place::new();
    let shell = place.shell(Pipeline::builder());
    let sleep = unique_sleep();
    let script = format!("trap '' TERM; setsid sleep {sleep} & sleep {sleep}; sleep {sleep}");
    let error = call(&shell, "bash", json!({"command": script, "timeout": 1})).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }), "{error}");
    assert_eq!(alive(&sleep), [0; 0]);
}

/// A pipeline that understands commands and lets all of them through.
fn understanding(place: &Place) -> PipelineBuilder {
    let home = place.home.path().canonicalize().unwrap();
    Pipeline::builder().normaliser(Understanding::new(Surroundings::new(place.workspace(), home)))
}

#[tokio::test]
async fn a_command_judged_to_read_can_do_nothing_else() {
    let place = Place::new();
    let work = place.workspace();
    // What the judgement knows as a reader and is none here: found first on a path of its own.
    std::fs::create_dir(work.join("bin")).unwrap();
    std::fs::write(work.join("bin/rg"), "#!/bin/sh\necho x > /tmp/own && echo x > stolen").unwrap();
    std::fs::set_permissions(work.join("bin/rg"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let path = format!("{}:{}", work.join("bin").display(), std::env::var("PATH").unwrap());
    let environment = Environment::of([("PATH".into(), path.into())]);
    let narrow = SandboxSpawner::new(place.policy()).unwrap();
    let wide = SandboxSpawner::new(place.policy()).unwrap().whatever_they_need();
    for (spawner, written) in [(narrow, false), (wide, true)] {
        let tool = ShellTool::builder().spawner(spawner).cwd(&work).environment(environment.clone());
        let shell = shell_in(understanding(&place), tool);
        let out = bash(&shell, "rg needle").await.unwrap();
        assert_eq!((work.join("stolen").exists(), out.success()), (written, written), "{}", out.summary);
        // Whoever writes by its own account may.
        assert!(bash(&shell, "echo y > kept && cat kept").await.unwrap().success());
    }
}

#[tokio::test]
async fn common_readers_work_where_they_can_only_read() {
    let place = Place::new();
    let setup = "git init -q . && git config user.email a@b.c && git config user.name n && \
                 echo hi > file && git add file && git commit -qm one && echo more >> file";
    let shell = shell_in(understanding(&place), place.tool(place.policy()));
    assert!(bash(&shell, setup).await.unwrap().success());
    for command in [
        "git status --short",
        "git diff --stat",
        "git log --oneline",
        "git show HEAD",
        "git blame file",
        "git stash list",
        "git describe --always --dirty",
        "git branch -a",
        "cat file | sort | uniq -c",
        "grep -rn hi .",
        "find . -name 'f*' | head",
        "ls -la && wc -l file && stat file",
        "diff <(cat file) <(git show HEAD:file) | head -1",
        "cat <<< text && t=$(mktemp) && cat $t",
        "for f in *; do file=${f%x}; echo $file; done",
        "du -sh . && df . && env && date",
    ] {
        let out = bash(&shell, command).await.unwrap();
        assert!(out.success() && !out.summary.contains("Read-only"), "{command}: {}", out.summary);
    }
}

#[tokio::test]
async fn a_closed_network_over_a_contained_shell_is_closed_by_the_kernel() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let place = Place::new();
    // What the list of names can't see: a script.
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo CONNECTED");
    std::fs::write(place.workspace().join("innocent"), script).unwrap();
    let command = "bash ./innocent";
    let mut policy = place.policy();
    policy.network = BoundaryNetwork::Allow;
    let stack = Pipeline::builder().network(NetworkScope::Allow);
    let open = Arc::new(shell_in(stack, place.tool(policy)));

    let out = bash(&open, command).await.unwrap();
    assert_eq!((field(&out, "stdout"), listener.accept().is_ok()), (&json!("CONNECTED\n"), true));

    let inner: Arc<dyn ErasedToolExecutor> = open;
    let closed = NetworkDenyToolExecutor::leaving_opaque_code_to_the_boundary(inner).unwrap();
    let asked = ToolCall::from_json("bash", json!({ "command": command })).unwrap();
    let out = closed.execute_tool_call(&asked).await.unwrap().unwrap();
    assert!(!out.success() && !out.summary.contains("CONNECTED"), "{}", out.summary);
    assert!(out.summary.contains("the boundary refused a socket"), "{}", out.summary);
    assert!(listener.accept().is_err(), "a connection got through");
}
