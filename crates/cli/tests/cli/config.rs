use std::fs;

use insta::assert_snapshot;

use crate::{User, exists};

#[test]
fn each_value_says_where_it_is_from() {
    let user = User::new();
    user.user_config("[tools.shell]\nblocked_commands = [\"sudo\"]\ntimeout = 20\n");
    user.project_config("[tools.shell]\ntimeout = 10\nblocked_commands = [\"git push\"]\n");
    let args = ["config", "show", "--origin", "--config", "tools.shell.persist_cwd=true"];
    assert_snapshot!(user.toolgate(&args).all(), @r#"
    rule = []                       # built-in

    [policy]
    profile = "default"             # built-in

    [tools]
    enabled = true                  # built-in
    summarize_output = true         # built-in
    permissions = {}                # built-in

    [tools.shell]
    timeout = 10                    # /home/me/work/toolgate.toml:2
    blocked_commands = [
        "sudo",                     # /home/me/.config/toolgate/toolgate.toml:2
        "git push",                 # /home/me/work/toolgate.toml:3
    ]
    allowed_commands = []           # built-in
    allowed_paths = []              # built-in
    allow_network = true            # built-in
    confirm_patterns = []           # built-in
    env_allow = []                  # built-in
    max_background_runs = 8         # built-in
    background_timeout_secs = 1800  # built-in
    persist_cwd = true              # --config

    [tools.filters]
    enabled = true                  # built-in
    filters_path = ""               # built-in

    [tools.filters.security]
    extra_patterns = []             # built-in

    [tools.overflow]
    threshold = 50000               # built-in
    retention_days = 7              # built-in
    dir = ""                        # built-in
    persist = true                  # built-in
    max_output_bytes = 67108864     # built-in
    quota_bytes = 2147483648        # built-in
    reserve_bytes = 268435456       # built-in

    [sandbox]
    preset = "workspace-write"      # built-in
    network = "deny"                # built-in
    writable = []                   # built-in
    hidden = []                     # built-in
    hide_env_files = false          # built-in
    protected = []                  # built-in
    strict = false                  # built-in
    nested = false                  # built-in
    narrow = true                   # built-in
    degrade = false                 # built-in

    [sandbox.limits]
    wall_secs = 0                   # built-in
    cpu_secs = 0                    # built-in
    memory_mb = 0                   # built-in
    processes = 8192                # built-in
    file_size_mb = 0                # built-in
    open_files = 0                  # built-in
    scratch_mb = 4096               # built-in
    output_mb = 0                   # built-in
    --- exit 0
    "#);
    let report = user.toolgate(&["config", "show", "--json"]).json();
    let timeout = report["settings"].as_array().unwrap().iter().find(|s| s["key"] == "tools.shell.timeout");
    assert_eq!(timeout.unwrap()["value"], 10);
    assert_eq!(timeout.unwrap()["origins"][0]["line"], 2);
}

#[test]
fn what_is_shown_is_a_configuration() {
    let user = User::new();
    user.user_config(
        "[tools.shell]\nconfirm_patterns = [\"a\\\"b\\u007f\", \"\\\\\"]\nallowed_paths = [\"~/x y\"]\n",
    );
    let before = user.toolgate(&["config", "show"]);
    let shown = user.toolgate(&["config", "show", "--origin"]);
    let copy = user.file("work/copy.toml", &shown.out.replace("/home/me", user.home().to_str().unwrap()));
    assert_snapshot!(user.toolgate(&["config", "check", "copy.toml"]).all(), @r"
    copy.toml  fine
    --- exit 0
    ");
    user.user_config(&fs::read_to_string(copy).unwrap());
    let again = user.toolgate(&["config", "show"]);
    assert_eq!(again.out, before.out);
    assert!(again.out.contains(r#"confirm_patterns = ["a\"b\u007F", "\\"]"#), "{}", again.out);
}

#[test]
fn the_configuration_is_that_of_the_directory_it_runs_in() {
    let user = User::new();
    user.project_config("[tools]\nenabled = false\n");
    user.file("other/toolgate.toml", "");
    assert_eq!(user.toolgate(&["run", "true"]).code, 126);
    assert_eq!(user.toolgate(&["run", "-C", "../other", "true"]).code, 0);
    fs::create_dir(user.work().join("deep")).unwrap();
    assert_eq!(user.toolgate(&["run", "-C", "deep", "true"]).code, 126);
}

#[test]
fn a_mistake_shows_its_line_and_what_was_meant_and_nothing_runs() {
    let user = User::new();
    user.user_config("[tools.shell]\nblocked_comands = [\"sudo\"]\ntimeout = 0\n");
    assert_snapshot!(user.toolgate(&["run", "touch mark"]).all(), @r#"
    --- stderr
    error: the configuration can't be used
      unknown key `blocked_comands` in [tools.shell]
       --> /home/me/.config/toolgate/toolgate.toml:2:1
        |
      2 | blocked_comands = ["sudo"]
        | ^^^^^^^^^^^^^^^
        = did you mean `blocked_commands`?

      `tools.shell.timeout` must be a whole number from 1 to 86400, not 0
       --> /home/me/.config/toolgate/toolgate.toml:3:11
        |
      3 | timeout = 0
        |           ^

    --- exit 125
    "#);
    assert!(!exists(&user.work().join("mark")));
    assert_snapshot!(user.toolgate(&["config", "check"]).all(), @r#"
    unknown key `blocked_comands` in [tools.shell]
     --> /home/me/.config/toolgate/toolgate.toml:2:1
      |
    2 | blocked_comands = ["sudo"]
      | ^^^^^^^^^^^^^^^
    hint: did you mean `blocked_commands`?

    `tools.shell.timeout` must be a whole number from 1 to 86400, not 0
     --> /home/me/.config/toolgate/toolgate.toml:3:11
      |
    3 | timeout = 0
      |           ^
    --- exit 1
    "#);
    assert_snapshot!(user.toolgate(&["config", "check", "--json"]).all(), @r#"
    {"version":1,"ok":false,"files":[{"layer":"managed","path":"/etc/toolgate/toolgate.toml","found":false},{"layer":"user","path":"/home/me/.config/toolgate/toolgate.toml","found":true}],"problems":[{"message":"unknown key `blocked_comands` in [tools.shell]","place":{"file":"/home/me/.config/toolgate/toolgate.toml","line":2,"column":1},"hint":"did you mean `blocked_commands`?"},{"message":"`tools.shell.timeout` must be a whole number from 1 to 86400, not 0","place":{"file":"/home/me/.config/toolgate/toolgate.toml","line":3,"column":11}}]}
    --- exit 1
    "#);
    assert_snapshot!(user.toolgate(&["run", "--timeout", "0", "ls"]).all(), @r#"
    --- stderr
    error: the configuration can't be used
      unknown key `blocked_comands` in [tools.shell]
       --> /home/me/.config/toolgate/toolgate.toml:2:1
        |
      2 | blocked_comands = ["sudo"]
        | ^^^^^^^^^^^^^^^
        = did you mean `blocked_commands`?

      `tools.shell.timeout` must be a whole number from 1 to 86400, not 0
       --> /home/me/.config/toolgate/toolgate.toml:3:11
        |
      3 | timeout = 0
        |           ^

      `tools.shell.timeout` must be a whole number from 1 to 86400, not 0
       --> --timeout:1:23
        |
      1 | tools.shell.timeout = 0
        |                       ^

    --- exit 125
    "#);
}

#[test]
fn check_lists_the_files_that_count() {
    let user = User::new();
    user.project_config("[tools.shell]\ntimeout = 10\n");
    assert_snapshot!(user.toolgate(&["config", "check"]).all(), @r"
    /etc/toolgate/toolgate.toml  not there
    /home/me/.config/toolgate/toolgate.toml  not there
    /home/me/work/toolgate.toml  fine, may only tighten
    /home/me/.config/toolgate/filters.toml  not there
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["config", "check", "nowhere.toml"]).all(), @r"
    --- stderr
    error: reading nowhere.toml: No such file or directory (os error 2)
    --- exit 125
    ");
}

#[test]
fn a_project_can_not_loosen_what_the_user_set() {
    let user = User::new();
    user.user_config("[tools.shell]\ntimeout = 20\n");
    user.project_config("[tools.shell]\ntimeout = 3600\nallowed_commands = [\"curl\"]\n");
    assert_snapshot!(user.toolgate(&["run", "touch mark"]).all(), @r#"
    --- stderr
    error: the configuration can't be used
      this project's file may only tighten `tools.shell.timeout`: 3600 is more than 20
       --> /home/me/work/toolgate.toml:2:11
        |
      2 | timeout = 3600
        |           ^^^^
        = the stricter value is set by /home/me/.config/toolgate/toolgate.toml:2; `toolgate config trust` lets this file loosen it, until it changes

      this project's file may only tighten `tools.shell.allowed_commands`: "curl" was not in the list before
       --> /home/me/work/toolgate.toml:3:21
        |
      3 | allowed_commands = ["curl"]
        |                     ^^^^^^
        = the stricter value is built in; `toolgate config trust` lets this file loosen it, until it changes

    --- exit 125
    "#);
    assert!(!exists(&user.work().join("mark")));
}

#[test]
fn nobody_but_a_person_can_trust_a_projects_file() {
    let user = User::new();
    user.project_config("[tools.shell]\ntimeout = 3600\n");
    // `--wait` in a session of its own: no controlling terminal, whoever runs the tests.
    let mut command = std::process::Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_toolgate"), "config", "trust"]);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", user.home());
    command.current_dir(user.work()).stdin(std::process::Stdio::null());
    assert_snapshot!(user.ran(command).all(), @r"
    --- stderr
    not run: trusting a file needs a terminal, and there is none
    hint: run it yourself, in a terminal
    --- exit 127
    ");
    assert!(!exists(&user.home().join(".local")));
    assert_eq!(user.toolgate(&["config", "show"]).code, 125);
    // Nor does its own word count.
    user.file(".local/state/toolgate/trusted-projects", "trust everything\n");
    assert_eq!(user.toolgate(&["config", "show"]).code, 125);
}

#[test]
fn two_project_files_in_one_directory_are_one_too_many() {
    let user = User::new();
    user.project_config("");
    user.file("work/.toolgate.toml", "");
    assert_snapshot!(user.toolgate(&["run", "ls"]).all(), @r"
    --- stderr
    error: /home/me/work/.toolgate.toml and /home/me/work/toolgate.toml are both there: which one counts?
    hint: remove one of them
    --- exit 125
    ");
}

#[test]
fn the_schema_is_printed_as_it_is_committed() {
    let ran = User::new().toolgate(&["config", "schema"]);
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/toolgate.schema.json");
    assert!(ran.out == fs::read_to_string(committed).unwrap(), "stale: run `cargo run -p xtask -- generate`");
}

#[test]
fn verbs_that_need_no_configuration_read_none() {
    let user = User::new();
    user.user_config("not toml at all");
    for verb in [&["--version"][..], &["--help"], &["man"], &["completions", "bash"], &["config", "schema"]] {
        assert_eq!(user.toolgate(verb).code, 0, "{verb:?}");
    }
}
