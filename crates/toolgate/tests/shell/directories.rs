//! Where commands run, and a `cd` that holds.

use serde_json::json;
use toolgate::exec::{
    BuildError, CallContext, Gate, Pipeline, Reason, Session, ToolCall, ToolError, Verdict,
};
use toolgate::shell::{ShellExecutor, ShellTool};

use crate::{bash, call, call_in, field, shell, shell_in, unique_sleep};

fn persistent(base: &std::path::Path) -> ShellExecutor {
    shell(ShellTool::builder().cwd(base).persist_cwd(true))
}

/// A directory with `sub` and `other` in it, by its real path.
fn place() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    std::fs::create_dir(path.join("sub")).unwrap();
    std::fs::create_dir(path.join("other")).unwrap();
    (dir, path)
}

async fn pwd(shell: &ShellExecutor) -> String {
    bash(shell, "pwd").await.unwrap().summary
}

#[tokio::test]
async fn the_call_the_context_and_the_tool_say_where_in_this_order() {
    let (_dir, base) = place();
    let shell = shell(ShellTool::builder().cwd(&base));
    assert_eq!(pwd(&shell).await, base.to_str().unwrap());
    let context = || CallContext::new().cwd("sub");
    let out = call_in(&shell, "bash", json!({"command": "pwd"}), context()).await.unwrap();
    assert_eq!(out.summary, base.join("sub").to_str().unwrap());
    let out =
        call_in(&shell, "bash", json!({"command": "pwd -P", "cwd": "../other"}), context()).await.unwrap();
    assert_eq!(out.summary, base.join("other").to_str().unwrap());
    let out = call_in(&shell, "bash", json!({"command": "pwd", "cwd": "/"}), context()).await.unwrap();
    assert_eq!(out.summary, "/");
}

#[tokio::test]
async fn without_the_setting_a_cd_does_not_hold() {
    let (_dir, base) = place();
    let shell = shell(ShellTool::builder().cwd(&base));
    bash(&shell, "cd sub").await.unwrap();
    assert_eq!(pwd(&shell).await, base.to_str().unwrap());
}

#[tokio::test]
async fn a_cd_holds_however_the_command_ends() {
    let (_dir, base) = place();
    let sub = base.join("sub");
    for command in [
        "cd sub",
        "cd sub; exit 3",
        "cd sub; false",
        "cd sub && ls /nowhere",
        "set -eu; cd sub; false; echo no",
        "set -x; cd sub",
        "set -o noclobber; cd sub",
        "cd sub; kill -TERM $$; sleep 1",
        "cd sub; exec >/dev/null 2>&1; true",
        "pushd sub >/dev/null",
        "builtin cd sub",
        "cd sub; (cd ../other); x=$(cd ../other; pwd); bash -c 'cd /'; cd . | cat",
        "cd sub; env -C ../other true; make -C ../other 2>/dev/null; true",
    ] {
        let shell = persistent(&base);
        bash(&shell, command).await.unwrap();
        assert_eq!(pwd(&shell).await, sub.to_str().unwrap(), "{command}");
    }
}

#[tokio::test]
async fn a_command_that_ends_without_telling_leaves_the_directory_as_it_was() {
    let (_dir, base) = place();
    for command in ["cd sub; exec true", "cd sub; kill -KILL $$", "cd sub; trap : EXIT", "if"] {
        let shell = persistent(&base);
        bash(&shell, "cd other").await.unwrap();
        bash(&shell, command).await.unwrap();
        assert_eq!(pwd(&shell).await, base.join("other").to_str().unwrap(), "{command}");
    }
    let shell = persistent(&base);
    let _ =
        call(&shell, "bash", json!({"command": format!("cd sub; sleep {}", unique_sleep()), "timeout": 1}))
            .await;
    assert!(pwd(&shell).await.starts_with(base.to_str().unwrap()));
}

#[tokio::test]
async fn the_output_and_status_are_those_of_the_command_alone() {
    let (_dir, base) = place();
    let (plain, persistent) = (shell(ShellTool::builder().cwd(&base)), persistent(&base));
    for command in [
        "set -x; echo hi; false",
        "nosuchcommand",
        "echo $LINENO $0 $#; trap",
        "if",
        "env | grep -E '^(BASH_ENV|ENV)='",
        "bash -c 'env | grep BASH_ENV; trap'",
        "kill -9 $$",
        "exit 77",
        "trap 'echo mine' EXIT",
        "echo ${BASH_ENV-unset}; ls",
        "ls /proc/self/fd",
    ] {
        let (a, b) = (bash(&plain, command).await.unwrap(), bash(&persistent, command).await.unwrap());
        assert_eq!(b.exit, a.exit, "{command}");
        // The one trace: `trap` lists ours.
        if !command.contains("trap") {
            for stream in ["stdout", "stderr"] {
                assert_eq!(field(&b, stream), field(&a, stream), "{command}");
            }
        }
    }
}

#[tokio::test]
async fn each_caller_has_its_own_directory() {
    let (_dir, base) = place();
    let shell = persistent(&base);
    let of = |who: &str| CallContext::new().caller_id(who);
    call_in(&shell, "bash", json!({"command": "cd sub"}), of("a")).await.unwrap();
    let out = call_in(&shell, "bash", json!({"command": "pwd"}), of("b")).await.unwrap();
    assert_eq!(out.summary, base.to_str().unwrap());
    let out = call_in(&shell, "bash", json!({"command": "pwd"}), of("a")).await.unwrap();
    assert_eq!(out.summary, base.join("sub").to_str().unwrap());
}

#[tokio::test]
async fn a_directory_that_is_gone_does_not_lock_the_caller_out() {
    let (_dir, base) = place();
    let shell = persistent(&base);
    bash(&shell, "cd sub").await.unwrap();
    std::fs::remove_dir(base.join("sub")).unwrap();
    assert_eq!(pwd(&shell).await, base.to_str().unwrap());
}

#[tokio::test]
async fn a_directory_with_any_name_holds() {
    let (_dir, base) = place();
    for name in ["a b", "é", "'", "\"$(touch pwned)`", "-x", "new\nline"] {
        let shell = persistent(&base);
        std::fs::create_dir(base.join(name)).unwrap();
        let context = CallContext::new().env("NAME", name);
        call_in(&shell, "bash", json!({"command": "cd -- \"$NAME\""}), context).await.unwrap();
        assert_eq!(pwd(&shell).await, base.join(name).to_str().unwrap());
    }
}

#[tokio::test]
async fn a_forged_record_is_no_directory() {
    let (_dir, base) = place();
    for forged in [
        "ln -s /etc/passwd",
        "mkfifo",
        "mkdir",
        "printf 'sub\\n' >",
        "printf '/etc' >",
        "head -c 9999999 /dev/zero >",
    ] {
        let shell = persistent(&base);
        // The trap names the place it writes to.
        let command = format!(
            "f=$(trap -p EXIT | grep -o '/[^ ]*/cwd'); trap - EXIT; test -n \"$f\" && {forged} \"$f\""
        );
        assert!(bash(&shell, &command).await.unwrap().success(), "{forged}");
        assert_eq!(pwd(&shell).await, base.to_str().unwrap(), "{forged}");
    }
}

#[tokio::test]
async fn the_private_place_goes_with_the_tool() {
    let (_dir, base) = place();
    let shell = persistent(&base);
    let out = bash(&shell, "trap -p EXIT | grep -o '/[^ ]*/cwd'").await.unwrap();
    let run = std::path::Path::new(&out.summary).parent().unwrap().to_owned();
    let scratch = run.parent().unwrap().to_owned();
    assert!(!run.exists(), "a run's place goes with the run");
    assert!(scratch.is_dir());
    drop(shell);
    assert!(!scratch.exists());
}

/// Refuses calls that would run in a directory called `other`.
struct NotThere;

impl Gate for NotThere {
    fn name(&self) -> &'static str {
        "not-there"
    }

    fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
        match call.context.cwd.as_ref() {
            Some(dir) if dir.is_absolute() && !dir.ends_with("other") => Verdict::Allow,
            _ => Verdict::deny(Reason::new("not-there", "not there")),
        }
    }
}

#[tokio::test]
async fn a_call_is_judged_by_the_directory_it_will_run_in() -> Result<(), BuildError> {
    let (_dir, base) = place();
    let shell =
        shell_in(Pipeline::builder().gate(NotThere), ShellTool::builder().cwd(&base).persist_cwd(true));
    let blocked = |result| matches!(result, Err(ToolError::Blocked { .. }));
    assert!(!blocked(bash(&shell, "cd other").await));
    assert!(blocked(bash(&shell, "echo no").await));
    assert!(blocked(call(&shell, "bash", json!({"command": "echo no", "cwd": "../other"})).await));
    assert!(!blocked(call(&shell, "bash", json!({"command": "true", "cwd": "../sub"})).await));
    Ok(())
}
