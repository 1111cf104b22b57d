//! Runs that nobody waits for.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::exec::{CallContext, ExitStatus, ToolError, ToolExecutor as _};
use toolgate::shell::{ShellExecutor, ShellTool};

use crate::{alive, bash, call, call_in, field, plain, shell, unique_sleep, until};

async fn start(shell: &ShellExecutor, command: &str) -> String {
    let out = call(shell, "bash", json!({"command": command, "background": true})).await.unwrap();
    assert_eq!(field(&out, "status"), "running");
    let id = field(&out, "id").as_str().unwrap().to_owned();
    assert!(out.summary.contains(&id));
    id
}

/// Asks until the run has this state.
async fn ask_until(shell: &ShellExecutor, id: &str, status: &str) -> toolgate::exec::ToolOutput {
    let start = std::time::Instant::now();
    loop {
        let out = call(shell, "bash_output", json!({ "id": id })).await.unwrap();
        if field(&out, "status") == status {
            return out;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{out:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_run_goes_on_and_tells_its_real_end() {
    let shell = plain();
    let fails = start(&shell, "echo '[error]'; echo no >&2; exit 3").await;
    let out = ask_until(&shell, &fails, "exited").await;
    assert_eq!((out.exit, field(&out, "exit_code")), (Some(ExitStatus::Code(3)), &json!(3)));
    assert_eq!((field(&out, "stdout"), field(&out, "stderr")), (&json!("[error]\n"), &json!("no\n")));
    assert!(out.summary.contains("[exit status 3]"));
    let works = start(&shell, "echo '[error]'").await;
    assert!(ask_until(&shell, &works, "exited").await.success());
}

#[tokio::test]
async fn the_output_so_far_can_be_seen_and_the_run_be_stopped() {
    let (shell, sleep) = (plain(), unique_sleep());
    let id = start(&shell, &format!("echo so far; setsid sleep {sleep} & sleep {sleep}")).await;
    let mut seen = String::new();
    until("both sleep", || alive(&sleep).len() == 2).await;
    while !seen.contains("so far") {
        seen = call(&shell, "bash_output", json!({ "id": id })).await.unwrap().summary;
        tokio::task::yield_now().await;
    }
    assert!(seen.starts_with(&format!("[run {id} running")), "{seen}");
    let out = call(&shell, "bash_stop", json!({ "id": id })).await.unwrap();
    assert_eq!((field(&out, "status"), field(&out, "stdout")), (&json!("stopped"), &json!("so far\n")));
    assert!(!out.success());
    assert_eq!(alive(&sleep), [0; 0]);
    // Once more does no harm.
    assert_eq!(field(&call(&shell, "bash_stop", json!({ "id": id })).await.unwrap(), "status"), "stopped");
}

#[tokio::test]
async fn runs_are_listed_to_their_caller_alone() {
    let (shell, sleep) = (plain(), unique_sleep());
    let of = |who: &str| CallContext::new().caller_id(who);
    let params = json!({"command": format!("sleep {sleep}"), "background": true});
    let out = call_in(&shell, "bash", params, of("a")).await.unwrap();
    let id = field(&out, "id").clone();
    let list = call_in(&shell, "bash_list", json!({}), of("a")).await.unwrap();
    assert_eq!(field(&list, "runs")[0]["id"], id);
    assert!(list.summary.contains(&sleep));
    for other in [of("b"), CallContext::new()] {
        let list = call_in(&shell, "bash_list", json!({}), other.clone()).await.unwrap();
        assert_eq!((&*list.summary, field(&list, "runs")), ("(no background runs)", &json!([])));
        for tool in ["bash_output", "bash_stop"] {
            let error = call_in(&shell, tool, json!({ "id": id }), other.clone()).await.unwrap_err();
            assert!(error.to_string().contains("there are none"), "{error}");
        }
    }
    until("it sleeps", || alive(&sleep).len() == 1).await;
}

#[tokio::test]
async fn there_is_a_limit_to_how_many_run_at_once() {
    let sleep = unique_sleep();
    let shell = shell(ShellTool::builder().max_background_runs(2));
    let first = start(&shell, &format!("sleep {sleep}")).await;
    start(&shell, &format!("sleep {sleep}")).await;
    let params = json!({"command": "touch /no", "background": true});
    let error = call(&shell, "bash", params).await.unwrap_err();
    assert!(matches!(error, ToolError::Blocked { .. }));
    assert_eq!(error.code(), "too-many-background-runs");
    assert!(error.hint().unwrap().contains("bash_stop"));
    call(&shell, "bash_stop", json!({ "id": first })).await.unwrap();
    start(&shell, "true").await;
}

#[tokio::test]
async fn without_a_place_for_any_there_is_no_tool_for_them() {
    let shell = shell(ShellTool::builder().max_background_runs(0));
    let offered: Vec<_> = shell.tool_definitions().into_iter().map(|tool| tool.id.to_string()).collect();
    assert_eq!(offered, ["bash"]);
    let error = call(&shell, "bash", json!({"command": "touch /no", "background": true})).await.unwrap_err();
    assert_eq!(error.code(), "too-many-background-runs");
    assert!(error.hint().unwrap().contains("leave `background` out"));
    assert_eq!(bash(&shell, "echo x").await.unwrap().summary, "x");
}

#[tokio::test]
async fn a_run_that_can_t_start_takes_no_place() {
    let shell = shell(ShellTool::builder().max_background_runs(1));
    for _ in 0..3 {
        let params = json!({"command": "true", "cwd": "/no/such/dir", "background": true});
        assert!(matches!(call(&shell, "bash", params).await, Err(ToolError::Execution { .. })));
    }
    start(&shell, "true").await;
}

#[tokio::test]
async fn ended_runs_do_not_pile_up() {
    let shell = plain();
    for _ in 0..40 {
        let id = start(&shell, "true").await;
        ask_until(&shell, &id, "exited").await;
    }
    assert!(shell.background_runs().snapshot().len() < 20);
}

#[tokio::test]
async fn a_run_has_a_limit_of_its_own() {
    let sleep = unique_sleep();
    let shell = shell(ShellTool::builder().background_timeout(Duration::from_millis(200)));
    let id = start(&shell, &format!("echo hi; sleep {sleep}")).await;
    let out = ask_until(&shell, &id, "timed-out").await;
    assert_eq!((field(&out, "timed_out"), field(&out, "stdout")), (&json!(true), &json!("hi\n")));
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn every_run_ends_with_the_tool() {
    let sleep = unique_sleep();
    let shell = plain();
    for _ in 0..3 {
        start(&shell, &format!("setsid sleep {sleep} & sleep {sleep}")).await;
    }
    until("all sleep", || alive(&sleep).len() == 6).await;
    let handle = shell.background_runs().clone();
    drop(shell);
    assert_eq!(alive(&sleep), [0; 0]);
    until("all are told as ended", || handle.snapshot().iter().all(|run| !run.running)).await;
}

#[test]
fn every_run_ends_with_the_runtime() {
    let sleep = unique_sleep();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let shell = plain();
    runtime.block_on(async {
        start(&shell, &format!("setsid sleep {sleep} & sleep {sleep}")).await;
        until("both sleep", || alive(&sleep).len() == 2).await;
    });
    drop(runtime);
    assert_eq!(alive(&sleep), [0; 0]);
    assert!(shell.background_runs().snapshot().iter().all(|run| !run.running));
}

#[tokio::test]
async fn a_shutdown_ends_all_and_lets_none_in() {
    let (shell, sleep) = (plain(), unique_sleep());
    start(&shell, &format!("sleep {sleep}")).await;
    shell.background_runs().shutdown().await;
    assert_eq!(alive(&sleep), [0; 0]);
    let error = call(&shell, "bash", json!({"command": "true", "background": true})).await.unwrap_err();
    assert_eq!(error.code(), "session-ended");
    assert_eq!(bash(&shell, "echo still here").await.unwrap().summary, "still here");
}

#[tokio::test]
async fn a_runs_output_is_bounded_like_any_other() {
    let shell = plain();
    let id = start(&shell, "head -c 5000000 /dev/zero | tr '\\0' x").await;
    let out = ask_until(&shell, &id, "exited").await;
    assert_eq!(out.truncation.unwrap().total_bytes, 5_000_000);
    assert!(out.summary.len() < 70_000);
}

fn skill(name: &str, value: &str) -> Option<HashMap<String, String>> {
    Some(HashMap::from([(name.to_owned(), value.to_owned())]))
}

#[tokio::test]
async fn a_skills_secrets_reach_its_runs_and_nobody_reads_them() {
    let shell = plain();
    shell.set_skill_env(skill("KEY_A", "secret-of-a"));
    let of_a = start(&shell, "echo \"a:${#KEY_A} $KEY_A b:${KEY_B-}\"").await;
    let seen = ask_until(&shell, &of_a, "exited").await;
    assert_eq!(field(&seen, "stdout"), "a:11 *** b:\n");

    shell.set_skill_env(skill("KEY_B", "secret-of-b"));
    let of_b = start(&shell, "echo \"a:${KEY_A-} b:${#KEY_B}\"").await;
    assert_eq!(field(&ask_until(&shell, &of_b, "exited").await, "stdout"), "a: b:11\n");
    // Whoever asks later has other secrets; those of the run stay masked.
    let seen = ask_until(&shell, &of_a, "exited").await;
    assert!(!format!("{seen:?}").contains("secret-of-a"), "{seen:?}");
    assert_ne!(field(&seen, "stdout"), &Value::Null);
}
