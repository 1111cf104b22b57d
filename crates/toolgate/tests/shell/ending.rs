//! However a command ends, nothing of it goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolgate::exec::{
    CallContext, EVENT_CHANNEL_CAPACITY, ExitStatus, OutputStream, Pipeline, ToolError, ToolEvent,
    event_channel,
};
use toolgate::shell::ShellTool;

use crate::{alive, bash, call, call_in, field, plain, shell, shell_in, unique_sleep, until};

/// Ways to leave a process behind that outlives a kill of the shell, or of its group.
fn escapes(sleep: &str) -> Vec<String> {
    vec![
        format!("sleep {sleep}"),
        format!("bash -c 'bash -c \"sleep {sleep}; :\"; :'; :"),
        format!("sleep {sleep} & sleep {sleep} & wait"),
        format!("trap '' TERM INT HUP; sleep {sleep}; sleep {sleep}"),
        format!("nohup sleep {sleep} & wait"),
        format!("setsid sleep {sleep} & wait"),
        format!("setsid -w setsid -w bash -c 'trap \"\" TERM; sleep {sleep}; :' & wait"),
        format!("(setsid bash -c '(sleep {sleep} >/dev/null 2>&1 &) ; sleep {sleep}' &) ; sleep {sleep}"),
        format!("set -m; sleep {sleep} & sleep {sleep} & wait"),
        format!("env -i setsid sleep {sleep} & wait"),
        format!("exec >&- 2>&-; sleep {sleep}"),
        format!("sleep {sleep} | sleep {sleep}"),
    ]
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree() {
    let shell = Arc::new(plain());
    let mut all = JoinSet::new();
    // Side by side, with a limit that also a busy machine starts all of them in.
    for way in 0..escapes("").len() {
        let shell = shell.clone();
        all.spawn(async move {
            let sleep = unique_sleep();
            let command = format!("echo partial; {}", escapes(&sleep)[way]);
            let error = call(&shell, "bash", json!({"command": command, "timeout": 4})).await.unwrap_err();
            assert!(matches!(error, ToolError::Timeout { timeout_secs: 4, .. }), "{command}: {error}");
            assert_eq!(alive(&sleep), [0; 0], "{command}");
            let partial = error.partial().unwrap();
            assert_eq!(field(partial, "stdout"), "partial\n", "{command}");
            assert_eq!(field(partial, "timed_out"), true);
            assert!(partial.summary.contains("partial\n") && partial.summary.contains("[timed out after 4s"));
        });
    }
    while let Some(ended) = all.join_next().await {
        ended.unwrap();
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_the_whole_tree_and_keeps_what_it_said() {
    for way in 0..escapes("").len() {
        let sleep = unique_sleep();
        let command = format!("echo partial; {}", escapes(&sleep)[way]);
        let token = CancellationToken::new();
        let shell = plain();
        let run =
            call_in(&shell, "bash", json!({ "command": command }), CallContext::new().cancel(token.clone()));
        let canceller = async {
            until("the command sleeps", || !alive(&sleep).is_empty()).await;
            token.cancel();
        };
        let (result, ()) = tokio::join!(run, canceller);
        let error = result.unwrap_err();
        assert!(matches!(error, ToolError::Cancelled { .. }), "{command}: {error}");
        assert_eq!(alive(&sleep), [0; 0], "{command}");
        assert_eq!(field(error.partial().unwrap(), "stdout"), "partial\n", "{command}");
    }
}

#[tokio::test]
async fn a_dropped_call_ends_the_whole_tree_at_once() {
    for way in 0..escapes("").len() {
        let sleep = unique_sleep();
        let command = escapes(&sleep)[way].clone();
        let shell = plain();
        tokio::select! {
            biased;
            ended = bash(&shell, &command) => panic!("{command}: {ended:?}"),
            () = until("the command sleeps", || !alive(&sleep).is_empty()) => {}
        }
        // Not "soon": when the drop has returned.
        assert_eq!(alive(&sleep), [0; 0], "{command}");
    }
}

#[test]
fn a_runtime_that_shuts_down_leaves_nothing() {
    let sleep = unique_sleep();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let command = format!("setsid sleep {sleep} & sleep {sleep}");
    runtime.spawn(async move { bash(&plain(), &command).await });
    let start = Instant::now();
    while alive(&sleep).len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::yield_now();
    }
    drop(runtime);
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn what_a_command_leaves_behind_is_ended_and_told() {
    for left in [
        "sleep S &",
        "sleep S >/dev/null 2>&1 &",
        "setsid sleep S >/dev/null 2>&1 </dev/null & disown",
        "nohup sleep S >/dev/null 2>&1 & disown",
        "(setsid bash -c 'sleep S >/dev/null 2>&1 & disown' &)",
        "(trap '' TERM; sleep S) &",
    ] {
        let sleep = unique_sleep();
        let left = left.replace("sleep S", &format!("sleep {sleep}"));
        // The command ends only when its child is really there.
        let command = format!("{left}\nuntil pgrep -xf 'sleep {sleep}' >/dev/null; do :; done; echo hi");
        let out = bash(&plain(), &command).await.unwrap();
        assert_eq!(out.exit, Some(ExitStatus::Code(0)), "{left}");
        assert_eq!(alive(&sleep), [0; 0], "{left}");
        assert_eq!(field(&out, "stdout"), "hi\n", "{left}");
        assert!(out.summary.contains("that the command left running"), "{left}: {}", out.summary);
    }
}

#[tokio::test]
async fn a_command_that_leaves_nothing_is_not_accused() {
    let out = bash(&plain(), "ls / | wc -l >/dev/null; (true & wait); echo hi").await.unwrap();
    assert_eq!(out.summary, "hi");
}

#[tokio::test]
async fn a_command_that_closes_its_output_is_still_waited_for_and_still_limited() {
    let out = bash(&plain(), "echo a; exec >&- 2>&-; sleep 0.05; exit 4").await.unwrap();
    assert_eq!((field(&out, "stdout"), out.exit), (&json!("a\n"), Some(ExitStatus::Code(4))));
    let command = format!("exec >&- 2>&-; sleep {}", unique_sleep());
    let error = call(&plain(), "bash", json!({"command": command, "timeout": 1})).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }));
}

#[tokio::test]
async fn the_callers_deadline_counts_where_it_is_earlier() {
    let past = CallContext::new().deadline(Instant::now());
    let error = call_in(&plain(), "bash", json!({"command": "echo no"}), past).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { partial: None, .. }), "{error}");

    let sleep = unique_sleep();
    let soon = CallContext::new().deadline(Instant::now() + Duration::from_millis(300));
    let params = json!({"command": format!("sleep {sleep}"), "timeout": 50_000});
    let error = call_in(&plain(), "bash", params, soon).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { timeout_secs: 1, .. }), "{error}");
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn the_tools_own_limit_counts_where_the_call_names_none() {
    let sleep = unique_sleep();
    let shell = shell(ShellTool::builder().timeout(Duration::from_millis(200)));
    let error = bash(&shell, &format!("sleep {sleep}")).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }));
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn the_tools_cancel_signal_ends_every_call() {
    let sleep = unique_sleep();
    let token = CancellationToken::new();
    let shell = shell(ShellTool::builder().cancel(token.clone()));
    let command = format!("sleep {sleep}");
    let (a, b, ()) = tokio::join!(bash(&shell, &command), bash(&shell, &command), async {
        until("both sleep", || alive(&sleep).len() == 2).await;
        token.cancel();
    });
    assert!(matches!((a, b), (Err(ToolError::Cancelled { .. }), Err(ToolError::Cancelled { .. }))));
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn last_words_are_heard() {
    let command = "trap 'echo bye; exit 9' TERM; echo hi; while :; do read -t 0.01 <> <(:); done";
    let error = call(&plain(), "bash", json!({"command": command, "timeout": 3})).await.unwrap_err();
    let partial = error.partial().unwrap();
    assert_eq!(field(partial, "stdout"), "hi\nbye\n");
    assert_eq!(partial.exit, Some(ExitStatus::Code(9)));
}

#[tokio::test]
async fn a_command_may_kill_its_own_group() {
    let out = bash(&plain(), "echo hi; kill -KILL 0").await.unwrap();
    assert_eq!((field(&out, "stdout"), out.exit), (&json!("hi\n"), Some(ExitStatus::Signal(9))));
}

#[tokio::test]
async fn a_stopped_command_is_ended_too() {
    let error = call(&plain(), "bash", json!({"command": "kill -STOP $$", "timeout": 1})).await.unwrap_err();
    assert_eq!(error.partial().unwrap().exit.map(|exit| exit.success()), Some(false));
}

#[tokio::test]
async fn hundreds_of_detached_processes_are_all_ended() {
    // B28: the reference waits a fixed time, and kills direct children alone.
    let sleep = unique_sleep();
    let command = format!("for i in {{1..150}}; do setsid sleep {sleep} & done; echo up; wait");
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let token = CancellationToken::new();
    let shell = shell_in(Pipeline::builder().events(events), ShellTool::builder());
    let context = CallContext::new().cancel(token.clone());
    let (result, ()) = tokio::join!(call_in(&shell, "bash", json!({"command": command}), context), async {
        while !matches!(
            watcher.recv().await.unwrap(),
            ToolEvent::OutputChunk { stream: OutputStream::Stdout, .. }
        ) {}
        token.cancel();
    });
    assert!(matches!(result, Err(ToolError::Cancelled { .. })));
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn what_no_search_can_find_holds_nothing_up() {
    // A new session, no mark, and no parent: only a boundary could end it. It still has the pipes.
    let sleep = unique_sleep();
    let command = format!("env -i setsid -f sleep {sleep}; head -c 300000 /dev/zero; exit 3");
    let out = bash(&plain(), &command).await.unwrap();
    assert_eq!((out.exit, out.truncation.unwrap().total_bytes), (Some(ExitStatus::Code(3)), 300_000));
    for pid in alive(&sleep) {
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
}

#[tokio::test]
async fn one_that_runs_from_session_to_session_is_caught() {
    let (dir, mark) = (tempfile::tempdir().unwrap(), unique_sleep());
    let steps = dir.path().join("steps");
    let length = || std::fs::metadata(&steps).map_or(0, |file| file.len());
    // Each step is a new process in a new session, whose parent has ended.
    std::fs::write(dir.path().join("step"), "echo >>steps; setsid bash step \"$1\" & exit").unwrap();
    let params =
        json!({"command": format!("bash step {mark} >/dev/null 2>&1 & sleep {mark}"), "cwd": dir.path()});
    let shell = plain();
    tokio::select! {
        biased;
        ended = call(&shell, "bash", params) => panic!("{ended:?}"),
        () = until("it has gone some way", || length() > 20) => {}
    }
    let before = length();
    for _ in 0..20 {
        assert_eq!(alive(&mark), [0; 0]);
    }
    assert_eq!(length(), before);
}

#[tokio::test]
async fn a_run_inside_a_run_ends_with_it() {
    // The inner one looks like what another copy of us would start: a session and a mark of its own.
    let sleep = unique_sleep();
    let command = format!(
        "env -i TOOLGATE_RUN=\"$TOOLGATE_RUN:inner\" setsid -f sleep {sleep}; env -i TOOLGATE_RUN=\"$TOOLGATE_RUN:inner\" setsid -f sleep {sleep}"
    );
    let out = bash(&plain(), &command).await.unwrap();
    assert!(out.success());
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn others_are_left_alone() {
    let sleep = unique_sleep();
    let mut stranger =
        std::process::Command::new("sleep").arg(&sleep).env("TOOLGATE_RUN", "other").spawn().unwrap();
    let own = format!("{sleep}1");
    let error =
        call(&plain(), "bash", json!({"command": format!("sleep {own}"), "timeout": 1})).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }));
    assert_eq!((alive(&sleep).len(), alive(&own).len()), (1, 0));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
