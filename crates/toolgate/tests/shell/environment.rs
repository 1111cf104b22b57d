//! What a command sees of the host's environment, and of a skill's.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use serde_json::json;
use toolgate::exec::{CallContext, ToolExecutor as _};
use toolgate::shell::{Environment, ShellTool};

use crate::{bash, call_in, field, shell};

fn host() -> Environment {
    let vars = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/tmp"),
        ("GITHUB_TOKEN", "host-secret"),
        ("BASH_ENV", "/tmp/evil"),
        ("LD_PRELOAD", "/tmp/evil.so"),
        ("BASH_FUNC_ls%%", "() { echo evil; }"),
        ("SHELLOPTS", "xtrace"),
        ("ASKED_FOR", "yes"),
    ];
    let odd = (OsString::from("TMPDIR"), OsString::from_vec(vec![b'/', 0xff]));
    Environment::of(vars.map(|(name, value)| (name.into(), value.into())).into_iter().chain([odd]))
}

#[tokio::test]
async fn a_command_sees_the_allowed_names_alone() {
    let shell = shell(ShellTool::builder().environment(host().inherit(["ASKED_FOR"]).unwrap()));
    let out =
        bash(&shell, "compgen -e | sort | tr '\\n' ' '; echo; type -t ls; echo \"$TMPDIR\" | od -An -tx1")
            .await
            .unwrap();
    let text = field(&out, "stdout").as_str().unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap().trim(), "ASKED_FOR HOME PATH PWD SHLVL TMPDIR TOOLGATE_RUN");
    assert_eq!(lines.next(), Some("file"));
    assert_eq!(lines.next(), Some(" 2f ff 0a"));
}

#[tokio::test]
async fn a_skills_variables_reach_its_calls_and_no_list_takes_them_away() {
    let shell = shell(ShellTool::builder().environment(host()));
    let show = "echo \"${OPENAI_API_KEY-unset} ${GITHUB_TOKEN-unset} ${TZ-unset}\"";
    let of_skill = [("OPENAI_API_KEY", "k"), ("GITHUB_TOKEN", "skill"), ("TZ", "skill")];
    let of_skill: HashMap<_, _> = of_skill.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    shell.set_skill_env(Some(of_skill));
    let context = CallContext::new().env("TZ", "call");
    let out = call_in(&shell, "bash", json!({ "command": show }), context).await.unwrap();
    assert_eq!(out.summary, "k skill skill");
    shell.set_skill_env(None);
    assert_eq!(bash(&shell, show).await.unwrap().summary, "unset unset unset");
}

#[tokio::test]
async fn a_call_can_add_variables_but_none_that_are_no_names() {
    let shell = shell(ShellTool::builder().environment(host()));
    let context = CallContext::new().env("A", "1 2");
    let out = call_in(&shell, "bash", json!({"command": "echo \"$A\""}), context).await.unwrap();
    assert_eq!(out.summary, "1 2");
    let context = CallContext::new().env("A=B", "1");
    assert!(call_in(&shell, "bash", json!({"command": "true"}), context).await.is_err());
}

#[tokio::test]
async fn the_calls_own_path_does_not_choose_the_bash() {
    let dir = tempfile::tempdir().unwrap();
    let fake = dir.path().join("bash");
    std::fs::write(&fake, "#!/bin/sh\necho fake\n").unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let context = CallContext::new().env("PATH", dir.path().to_str().unwrap());
    let shell = shell(ShellTool::builder().environment(host()));
    let out = call_in(&shell, "bash", json!({"command": "echo real"}), context).await.unwrap();
    assert_eq!(out.summary, "real");
}
