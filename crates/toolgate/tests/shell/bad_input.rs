//! Input that makes no sense, and machines that lack something.

use serde_json::json;
use toolgate::exec::{ErrorKind, ToolCall, ToolError, ToolExecutor as _};
use toolgate::shell::{Environment, ShellTool};

use crate::{bash, call, field, plain, shell};

fn message(error: ToolError) -> String {
    assert!(matches!(error, ToolError::InvalidParams { .. }), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn an_unknown_tool_is_nobodys() {
    let call = ToolCall::from_json("zsh", json!({"command": "echo no"})).unwrap();
    assert!(plain().execute_tool_call(&call).await.unwrap().is_none());
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_told_by_name() {
    let shell = plain();
    for (params, words) in [
        (json!({}), &["missing field `command`"][..]),
        (json!({"comand": "ls"}), &["comand", "`command`"]),
        (json!({"command": "ls", "time_out": 3}), &["time_out", "did you mean `timeout`"]),
        (json!({"command": 3}), &["`command`", "string"]),
        (json!({"command": "ls", "timeout": 0}), &["`timeout`", "1"]),
        (json!({"command": "ls", "timeout": -1}), &["`timeout`"]),
        (json!({"command": "ls", "timeout": 1.5}), &["`timeout`", "integer"]),
        (json!({"command": "ls", "timeout": 1e18}), &["`timeout`", "86400"]),
        (json!({"command": "ls", "timeout": "5"}), &["`timeout`", "integer"]),
        (json!({"command": "ls", "background": "yes"}), &["`background`", "boolean"]),
        (json!({"command": " \n"}), &["`command`", "empty"]),
        (json!({"command": "ls", "cwd": "/\0"}), &["`cwd`", "NUL"]),
    ] {
        let text = message(call(&shell, "bash", params.clone()).await.unwrap_err());
        assert!(words.iter().all(|word| text.contains(word)), "{params}: {text}");
    }
}

#[tokio::test]
async fn a_nul_byte_is_refused_with_its_place() {
    let text = message(bash(&plain(), "echo \0hi").await.unwrap_err());
    assert!(text.contains("NUL byte at byte 5"), "{text}");
}

#[tokio::test]
async fn a_command_that_no_argument_can_carry_is_refused_with_the_limit() {
    let text = message(bash(&plain(), &format!("echo {}", "x".repeat(10 << 20))).await.unwrap_err());
    assert!(text.contains("has 10485765 bytes") && text.contains("write it to a file"), "{text}");
    assert!(text.len() < 500);
}

#[tokio::test]
async fn the_longest_command_runs_and_one_byte_more_does_not() {
    let limit = 32 * rustix::param::page_size() - 1;
    let longest = format!("echo ok #{}", "x".repeat(limit - 9));
    assert_eq!(longest.len(), limit);
    assert_eq!(bash(&plain(), &longest).await.unwrap().summary, "ok");
    let text = message(bash(&plain(), &format!("{longest}x")).await.unwrap_err());
    assert!(text.contains(&limit.to_string()), "{text}");
}

#[tokio::test]
async fn an_environment_too_long_for_the_system_is_told_as_that() {
    let mut context = toolgate::exec::CallContext::new();
    for n in 0..200 {
        context = context.env(format!("V{n}"), "x".repeat(100_000));
    }
    let error = crate::call_in(&plain(), "bash", json!({"command": "true"}), context).await.unwrap_err();
    assert!(matches!(error, ToolError::Execution { .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("too long together"));
}

#[tokio::test]
async fn a_missing_bash_is_told_with_what_to_do() {
    let named = shell(ShellTool::builder().program("/no/such/bash"));
    let unfound = shell(
        ShellTool::builder().environment(Environment::of([("PATH".into(), "/no/such/bin:rel".into())])),
    );
    for shell in [named, unfound] {
        let error = bash(&shell, "true").await.unwrap_err();
        assert!(matches!(error, ToolError::Execution { .. }), "{error:?}");
        assert_eq!((error.kind(), error.code()), (ErrorKind::Permanent, "execution-failed"));
        assert!(error.to_string().contains("bash"), "{error}");
        assert!(error.hint().unwrap().contains("install"), "{:?}", error.hint());
    }
}

#[tokio::test]
async fn a_missing_directory_is_not_taken_for_a_missing_bash() {
    let shell = plain();
    let file = tempfile::NamedTempFile::new().unwrap();
    for dir in ["/no/such/dir", file.path().to_str().unwrap()] {
        let error = call(&shell, "bash", json!({"command": "true", "cwd": dir})).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(dir) && text.contains("entering the directory"), "{text}");
        assert!(error.hint().unwrap().contains("cwd"));
    }
}

#[tokio::test]
async fn a_syntax_error_is_the_shells_to_tell() {
    let out = bash(&plain(), "if").await.unwrap();
    assert_eq!(field(&out, "exit_code"), 2);
    assert!(out.summary.starts_with("[stderr] "), "{}", out.summary);
}

#[tokio::test]
async fn an_id_of_no_run_is_told_with_those_there_are() {
    let shell = plain();
    for tool in ["bash_output", "bash_stop"] {
        let text = message(call(&shell, tool, json!({"id": "nope"})).await.unwrap_err());
        assert!(text.contains("there are none"), "{text}");
    }
}
