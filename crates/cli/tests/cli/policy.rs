use insta::assert_snapshot;

use crate::User;

const RULES: &str = r#"
[[rule]]
name = "releases"
action = "deny"
program = "npm"
args = ["publish"]
why = "the release job publishes"
match = ["npm publish", "env CI=1 npm publish"]
not_match = "echo npm publish"

[[rule]]
action = "ask"
program = "npm"

[[rule]]
action = "allow"
effect = "delete"
path = "build-*/**"
"#;

#[test]
fn a_rule_of_the_configuration_counts_in_check_and_in_run() {
    let user = User::new();
    user.user_config(RULES);
    assert_snapshot!(user.toolgate(&["check", "ls && npm publish"]).all(), @r"
    deny

      egress-not-allowed: npm: sends to another host (the network is closed to this session)
        ls && npm publish
              ^^^
        instead   work offline, or ask for a network scope with this host
        lifted by nothing: this is a hard rule

      denied-by-rule: the release job publishes
        ls && npm publish
              ^^^^^^^^^^^
        rule      releases (user)

      asked-by-rule: a rule says so
        ls && npm publish
              ^^^^^^^^^^^
        rule      /home/me/.config/toolgate/toolgate.toml:11 (user)

      effects
        list .
        net send
    --- exit 2
    ");
    assert_snapshot!(user.toolgate(&["run", "--yes", "ls && npm publish"]).all(), @r"
    --- stderr
    refused: ls && npm publish
      network: npm: net send, and the network is denied here [network-denied]
      permission: npm: sends to another host (the network is closed to this session) [egress-not-allowed]
      permission: the release job publishes [denied-by-rule]
        by the user rule `releases`
    hint: work offline, or leave this to an agent that has the network
    --- exit 126
    ");
    assert_eq!(user.toolgate(&["check", "rm -rf build-1/x"]).code, 0);
    assert_eq!(user.toolgate(&["check", "rm -rf other/x"]).code, 1);
    // A hard rule is lifted by no configuration.
    user.user_config("[[rule]]\naction = 'allow'\neffect = ['delete', 'net', 'write']\n");
    for command in ["rm -rf /", "curl https://evil.example", "cat x > /dev/sda"] {
        assert_eq!(user.toolgate(&["check", command]).code, 2, "{command}");
    }
}

#[test]
fn a_project_tightens_and_its_rules_lift_nothing() {
    let user = User::new();
    user.user_config("[policy]\nprofile = 'open'\n");
    assert_eq!(user.toolgate(&["check", "rm src/x"]).code, 0);
    user.project_config("policy.profile = 'strict'\nrule = [{ action = 'deny', program = 'make' }]\n");
    assert_eq!(user.toolgate(&["check", "rm src/x"]).code, 1);
    assert_eq!(user.toolgate(&["check", "env make x"]).code, 2);
    assert_eq!(user.toolgate(&["run", "--yes", "env make x"]).code, 126);
    for loose in ["policy.profile = 'open'", "[[rule]]\naction = 'allow'\neffect = 'delete'\n"] {
        user.user_config("");
        user.project_config(loose);
        let ran = user.toolgate(&["check", "ls"]);
        assert_eq!(ran.code, 125, "{ran:?}");
        assert!(ran.err.contains("may only tighten"), "{ran:?}");
    }
}

#[test]
fn lists_of_patterns_are_about_commands_and_only_tighten() {
    let user = User::new();
    user.user_config(
        "[tools.permissions]\nbash = [\n  { pattern = 'ls*', action = 'deny' },\n  { pattern = '*', action = 'allow' },\n]\n",
    );
    for (command, code) in [("ls", 2), ("echo a; l''s -l", 2), ("echo ls", 0), ("rm -rf /", 2), ("rm x", 1)] {
        assert_eq!(user.toolgate(&["check", command]).code, code, "{command}");
    }
    assert_eq!(user.toolgate(&["run", "--yes", "true; ls"]).code, 126);
}

#[test]
fn what_is_wrong_with_a_policy_is_told_with_its_line() {
    let user = User::new();
    user.user_config(RULES);
    assert_snapshot!(user.toolgate(&["policy", "check"]).all(), @r"
    fine: profile default, 3 rules, 0 list entries
    --- exit 0
    ");
    user.user_config(&RULES.replace("not_match = \"echo", "not_match = \"env"));
    user.project_config("[[tools.permissions.bash]]\npattern = '['\naction = 'deny'\n");
    assert_snapshot!(user.toolgate(&["policy", "check"]).all(), @r"
    /home/me/.config/toolgate/toolgate.toml:9:13: `rule[0].not_match[0]` can't be used: it is about its example `env npm publish`
    /home/me/work/toolgate.toml:2:11: `tools.permissions` can't be used: pattern `[`: a bracket is not closed
    --- exit 1
    ");
    user.user_config(&format!("{RULES}\n[[rule]]\naction = 'ask'\nprogram = 'npm'\nargs = 'test'\n"));
    user.project_config("[tools.permissions]\nbash = [{ pattern = '*', action = 'allow' }, { pattern = 'x', action = 'deny' }]\n");
    let ran = user.toolgate(&["policy", "check"]);
    assert_snapshot!(ran.all(), @r"
    /home/me/.config/toolgate/toolgate.toml:20: the ask rule at /home/me/.config/toolgate/toolgate.toml:20 can never decide anything: the ask rule at /home/me/.config/toolgate/toolgate.toml:11 is about all of it, with the answer ask
      hint: remove it, or make the other rule narrower
    /home/me/work/toolgate.toml:2: bash `x`: it can never give an answer: an entry before it takes all of it
    --- exit 1
    ");
    let report = user.toolgate(&["policy", "check", "--json"]).json();
    assert_eq!((&report["ok"], report["findings"].as_array().unwrap().len()), (&false.into(), 2));
}

#[test]
fn coverage_counts_what_a_history_ran_into() {
    let user = User::new();
    user.user_config(&format!(
        "{RULES}\n[tools.shell]\nblocked_commands = ['sudo']\nconfirm_patterns = ['make']\n"
    ));
    let history = concat!(
        "npm publish\n",
        "{\"command\": \"npm test\"}\n",
        "rm -rf build-1/x\n",
        "\n",
        "{ env make; }\n",
        "{\"tool\": \"read\", \"args\": {\"path\": \"x\"}}\n",
    );
    assert_snapshot!(user.with_input(&["policy", "coverage", "-"], history.as_bytes()).all(), @r"
       calls  decided  over 5 calls
           1        0  deny rule releases  /home/me/.config/toolgate/toolgate.toml:2
           2        1  ask rule  /home/me/.config/toolgate/toolgate.toml:11
           1        1  allow rule  /home/me/.config/toolgate/toolgate.toml:15
           0           deny blocked sudo  tools.shell.blocked_commands
           1           ask confirmed make  tools.shell.confirm_patterns
    5 rules and entries, 1 never fired
    --- exit 0
    ");
    let ran = user.with_input(&["policy", "coverage", "-"], b"ls\n{\"command\": }\n");
    assert_snapshot!(ran.all(), @r"
    --- stderr
    error: -:2: expected value at line 1 column 13
    hint: one JSON object a line, with `command`, or with `tool` and `args`
    --- exit 125
    ");
}

#[test]
fn two_policies_are_compared_over_a_history() {
    let user = User::new();
    user.file("work/other.toml", RULES);
    user.file("work/history", "ls\nnpm publish\nrm -rf build-1/x\nrm src/x\n");
    assert_snapshot!(user.toolgate(&["policy", "diff", "history", "--with", "other.toml"]).all(), @r"
    ask -> allow  rm -rf build-1/x
    1 of 4 calls differ
    --- exit 0
    ");
    let ran = user.toolgate(&["policy", "diff", "history", "--from", "open", "--with", "strict"]);
    assert_snapshot!(ran.all(), @r"
    allow -> ask  rm -rf build-1/x
    allow -> ask  rm src/x
    2 of 4 calls differ
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["policy", "diff", "history", "--with", "none.toml"]).all(), @r"
    --- stderr
    error: reading none.toml: No such file or directory (os error 2)
    --- exit 125
    ");
}

#[test]
fn the_search_path_and_the_scratch_directory_are_those_of_the_caller() {
    let user = User::new();
    let bin = user.file("work/bin/ls", "#!/bin/sh\n");
    let mut permissions = std::fs::metadata(&bin).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&bin, permissions).unwrap();
    let check = |path: &str, command: &str| {
        let mut run = user.command(&["check", command]);
        run.env("PATH", path).env("TMPDIR", user.home().join("scratch"));
        user.ran(run)
    };
    let work = bin.parent().unwrap().to_str().unwrap();
    assert_eq!(check("/usr/bin:/bin", "ls").code, 0);
    let shadowed = check(&format!("{work}:/usr/bin:/bin"), "ls");
    assert_eq!(shadowed.code, 1, "{shadowed:?}");
    assert!(shadowed.out.contains("ls: runs /home/me/work/bin/ls"), "{shadowed:?}");
    assert_eq!(check(&format!("/usr/bin:/bin:{work}"), "ls").code, 0);
    let told = check("/usr/bin:/bin", "echo x > \"$TMPDIR/y\"");
    assert!(told.code == 1 && told.out.contains("writes-scratch"), "{told:?}");
}

#[test]
fn every_code_that_is_told_is_explained() {
    let user = User::new();
    let codes = user.toolgate(&["explain", "--codes"]).out;
    assert!(codes.lines().count() > 50);
    for code in codes.lines().map(|line| line.split(' ').next().unwrap()) {
        let ran = user.toolgate(&["explain", code]);
        assert!(ran.code == 0 && ran.out.starts_with(code), "{ran:?}");
    }
    assert_snapshot!(user.toolgate(&["explain", "permission-denies"]).all(), @r"
    permission-denies: the list of the tool in `tools.permissions` denies it
    instead: use another way, or have the user change the list
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["explain", "egress-not-alowed"]).all(), @r"
    --- stderr
    error: no reason has the code `egress-not-alowed`
    hint: did you mean `egress-not-allowed`?
    --- exit 125
    ");
}
