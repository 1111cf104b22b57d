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

#[test]
fn every_door_refuses_alike() {
    let user = User::new();
    let flags = ["--yes", "--trust", "quarantined"];
    let doors = [
        user.toolgate(&[&["run"], &flags[..], &["touch mark"]].concat()),
        user.toolgate(&[&["call"], &flags[..], &["bash", r#"{"command": "touch mark"}"#]].concat()),
        user.with_input(&[&["exec"], &flags[..], &["-"]].concat(), b"```bash\ntouch mark\n```\n"),
    ];
    for ran in &doors {
        assert_eq!((ran.code, &ran.err), (126, &doors[0].err));
    }
    assert!(!exists(&user.work().join("mark")));
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
