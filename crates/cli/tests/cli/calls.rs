use insta::assert_snapshot;

use crate::{User, exists};

#[test]
fn a_structured_call_gives_what_a_model_is_told() {
    let user = User::new();
    assert_snapshot!(user.toolgate(&["call", "bash", r#"{"command": "echo a; echo b >&2; exit 2"}"#]).all(), @r"
    a
    [stderr] b
    [exit status 2]
    --- exit 2
    ");
    let ran = user.with_input(&["call", "Bash", "-"], br#"{"command": "echo stdin"}"#);
    assert_eq!((&*ran.out, ran.code), ("stdin\n", 0));
    let report = user.toolgate(&["call", "--json", "bash", r#"{"command": "exit 2"}"#]).json();
    assert_eq!((&report["status"], &report["exit_code"]), (&"completed".into(), &2.into()));
}

#[test]
fn a_call_that_makes_no_sense_says_what_would() {
    let user = User::new();
    assert_snapshot!(user.toolgate(&["call", "bahs", "{}"]).all(), @r"
    --- stderr
    error: no tool is named `bahs`
    hint: did you mean `bash`?
    --- exit 125
    ");
    assert_snapshot!(user.toolgate(&["call", "bash", r#"{"comand": "ls"}"#]).all(), @r"
    --- stderr
    error: invalid tool parameters: unknown field `comand`: did you mean `command`?
    --- exit 125
    ");
    assert_snapshot!(user.toolgate(&["call", "bash", "{'command': 'ls'}"]).all(), @r#"
    --- stderr
    error: the parameters are no JSON object: key must be a string at line 1 column 2
    hint: quote them for the shell: toolgate call bash '{"command": "ls"}'
    --- exit 125
    "#);
    assert_snapshot!(user.toolgate(&["call", "bash"]).all(), @r"
    --- stderr
    error: invalid tool parameters: missing field `command` (a string)
    --- exit 125
    ");
    assert_eq!(user.toolgate(&["call", "--json", "bahs", "{}"]).json()["error"]["code"], "unknown-tool");
}

#[test]
fn the_blocks_of_a_reply_run_in_order() {
    let user = User::new();
    let reply = b"First:\n```bash\necho one > file; cat file\n```\nthen\n~~~bash\ncat file; exit 5\n~~~\n";
    assert_snapshot!(user.with_input(&["exec", "-"], reply).all(), @r"
    one

    one
    [exit status 5]
    --- exit 5
    ");
    user.file("work/reply.md", "```bash\necho from a file\n```\n");
    assert_eq!(user.toolgate(&["exec", "reply.md"]).out, "from a file\n");
    let report = user.with_input(&["exec", "--json", "-"], reply).json();
    assert_eq!(report["output"]["blocks_executed"], 2);
}

#[test]
fn what_ran_before_a_failure_is_told() {
    let user = User::new();
    user.user_config("[tools.shell]\ntimeout = 1\n");
    let reply = b"```bash\necho first\n```\n```bash\necho part; sleep 60\n```\n";
    assert_snapshot!(user.with_input(&["exec", "-"], reply).all(), @r"
    first

    part
    [timed out after 1s and was ended]
    --- stderr
    error: stopped after 1 of the calls had run: command timed out after 1s
    hint: give a longer `timeout`, or run it in the background
    --- exit 124
    ");
    let report = user.with_input(&["exec", "--json", "-"], reply).json();
    assert_eq!(
        (&report["status"], &report["output"]["summary"]),
        (&"timed-out".into(), &"first\n\npart\n[timed out after 1s and was ended]".into())
    );
    assert_snapshot!(user.toolgate(&["call", "bash", r#"{"command": "echo part; sleep 60"}"#]).all(), @r"
    part
    [timed out after 1s and was ended]
    --- stderr
    error: command timed out after 1s
    hint: give a longer `timeout`, or run it in the background
    --- exit 124
    ");
}

#[test]
fn a_reply_without_a_block_of_ours_has_nothing_to_run() {
    let user = User::new();
    let reply = b"```bashrc\ntouch mark\n```\n```bash\ntouch mark\n";
    assert_snapshot!(user.with_input(&["exec", "-"], reply).all(), @r"
    --- stderr
    nothing to run: the reply has no closed block with the tag of a tool
    --- exit 0
    ");
    assert_eq!(user.with_input(&["exec", "--json", "-"], reply).json()["status"], "nothing-to-run");
    assert!(!exists(&user.work().join("mark")));
}

/// What the three doors do with one command.
fn doors(user: &User, flags: &[&str], command: &str) -> [crate::Ran; 3] {
    let call = serde_json::json!({ "command": command }).to_string();
    let fenced = format!("```bash\n{command}\n```\n");
    [
        user.toolgate(&[&["run"], flags, &[command]].concat()),
        user.toolgate(&[&["call"], flags, &["bash", &call]].concat()),
        user.with_input(&[&["exec"], flags, &["-"]].concat(), fenced.as_bytes()),
    ]
}

#[test]
fn every_door_refuses_alike_whatever_refuses() {
    let user = User::new();
    user.user_config(
        "[tools.shell]\nblocked_commands = [\"chmod\"]\n[[rule]]\naction = \"deny\"\nprogram = \"cp\"\n",
    );
    let reach = "touch mark; curl http://192.0.2.1/";
    for (flags, command, code) in [
        (&["--trust", "quarantined"][..], "touch mark", "trust-quarantined"),
        (&["--trust", "blocked"], "true", "trust-blocked"),
        (&["--autonomy", "read-only"], "touch mark", "autonomy-read-only"),
        (&["--plan"], "touch mark", "plan-mode"),
        (&["--config", "tools.enabled=false"], "touch mark", "tools-switched-off"),
        (&["--network", "deny"], reach, "network-denied"),
        (&[], reach, "network-denied"),
        (&["--degrade"], "touch mark; $TOOL notes", "network-denied"),
        (&["--network", "allow", "--config", "tools.shell.allow_network=false"], reach, "network-denied"),
        (&["--autonomy", "full"], "touch mark; rm -rf /", "destroys-everything"),
        (&["--autonomy", "full"], "touch mark; chmod 600 mark", "blocked-command"),
        (&["--autonomy", "full", "--trust", "verified"], "touch mark; cp mark x", "denied-by-rule"),
    ] {
        let flags = [&["--yes"], flags].concat();
        let ran = doors(&user, &flags, command);
        for door in &ran {
            assert_eq!((door.code, &door.err), (126, &ran[0].err), "{flags:?} {command}");
            assert!(door.err.contains(&format!("[{code}]")), "{flags:?} {command}: {door:?}");
        }
        assert!(!exists(&user.work().join("mark")), "{flags:?} {command}");
    }
}

#[test]
fn every_door_asks_alike_and_runs_what_was_approved() {
    let user = User::new();
    user.user_config("[[rule]]\naction = \"ask\"\nprogram = \"touch\"\n");
    for ran in doors(&user, &[], "touch mark") {
        assert_eq!(ran.code, 127, "{ran:?}");
        assert!(ran.err.contains("toolgate grants add 'touch mark'"), "{ran:?}");
    }
    assert!(!exists(&user.work().join("mark")));
    for flags in [&["--yes"][..], &["--autonomy", "full"]] {
        for ran in doors(&user, flags, "touch mark; echo ran >> log") {
            assert_eq!(ran.code, 0, "{ran:?}");
        }
    }
    assert_eq!(std::fs::read_to_string(user.work().join("log")).unwrap().lines().count(), 6);
}

#[test]
fn a_scope_that_can_not_be_enforced_or_read_runs_nothing() {
    let user = User::new();
    for scope in ["only:", "only", "open", "", "only:docs.example"] {
        for ran in doors(&user, &["--yes", "--network", scope], "touch mark") {
            assert!(ran.code == 125 || ran.code == 2 || ran.code == 126, "{scope}: {ran:?}");
            assert!(!exists(&user.work().join("mark")), "{scope}");
        }
    }
}

#[test]
fn tools_are_listed_for_people_and_in_the_forms_of_models() {
    let user = User::new();
    let listed = user.toolgate(&["tools"]);
    assert!(listed.out.starts_with("bash  "), "{}", listed.out);
    let names = |form: &str, pointer: &str| {
        let out = user.toolgate(&["tools", "--format", form]).out;
        let all: serde_json::Value = serde_json::from_str(&out).unwrap();
        let tools = all.as_array().unwrap().iter();
        tools.map(|t| t.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mcp = names("mcp", "/name");
    assert!(mcp.contains(&"bash".to_owned()));
    assert_eq!(names("openai", "/function/name"), mcp);
    assert_eq!(names("anthropic", "/name"), mcp);
    assert!(user.toolgate(&["tools", "--format", "prompt"]).out.starts_with("<tools>\nbash\n"));
    let report = user.toolgate(&["tools", "--json"]).json();
    assert_eq!(report["tools"][0]["id"], "bash");
    assert_eq!(report["tools"][0]["fence"], "bash");
    assert_eq!(user.toolgate(&["tools", "--config", "tools.enabled=false"]).out, "");
}
