use insta::assert_snapshot;

use crate::User;

#[test]
fn the_version_is_one_line() {
    let ran = User::new().toolgate(&["--version"]);
    assert_eq!(ran.out, format!("toolgate {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!((ran.code, &*ran.err), (0, ""));
}

#[test]
fn without_a_verb_the_help_is_shown_and_nothing_was_done() {
    assert_snapshot!(User::new().toolgate(&[]).all(), @r"
    --- stderr
    Decide, contain and record what an AI agent does on this machine

    Usage: toolgate [OPTIONS] <COMMAND>

    Commands:
      run          Run one shell command through the pipeline
      exec         Run the fenced blocks of an agent's reply
      call         Call one tool with JSON parameters
      tools        List the tools an agent is given
      check        Say what a command would do and whether it may, without running it
      explain      Explain a reason's code, or what is known about a program
      policy       Check the policy, test it against cases, and see what its rules do over a history
      filter       Shorten captured output without losing a fact
      grants       Give, show and take back what may be done without asking
      output       Read, search and remove outputs that were too long to be shown
      gain         Show how many tokens filters saved, per command and over time
      doctor       Show what this machine can enforce, and prove it by small attacks
      parse        Show every command that bash would find in a text
      config       Show and check the configuration
      completions  Print a script that completes commands in a shell
      man          Print a manual page

    Options:
      -h, --help     Print help (see more with '--help')
      -V, --version  Print version

    Global options:
          --json                Print one JSON object on one line, with a version, as the result
          --color <WHEN>        Say when to use colour [default: auto] [possible values: auto, always,
                                never]
          --config <KEY=VALUE>  Set a configuration key for this run
    --- exit 125
    ");
}

#[test]
fn the_long_help_of_run_is_complete() {
    assert_snapshot!(User::new().toolgate(&["run", "--help"]).all(), @r"
    Run one shell command through the pipeline

    The command is judged by the policy and run by bash. Its stdin is empty; its exit status is passed
    on. Secrets in its output are masked.

    On a terminal its output streams as it comes, stdout to stdout and stderr to stderr. Into a pipe or
    file it is what a model needs: for commands that a filter rule knows, what the rule leaves, told
    when the command has ended; of others, as it comes, no more than `tools.overflow.threshold`
    characters and the end. The whole of it is kept then, see `toolgate output`. With --raw, all of it
    streams as it is.

    What the policy asks about is asked on the terminal. Without a terminal it is not run, unless --yes
    approves it beforehand.

    With --json the output is part of the result, filtered, and long output is cut in the middle.

    Usage: toolgate run [OPTIONS] '<COMMAND>'

    Arguments:
      <COMMAND>
              The command line, as one argument; `-` reads it from stdin

    Options:
          --raw
              Leave the output as it is, but for secrets: no filter, and outside of --json no cut

      -C, --cwd <DIR>
              Run in this directory

      -y, --yes
              Approve beforehand what would be asked
              
              Answers every question with yes. What a rule forbids stays forbidden.

          --trust <LEVEL>
              Say how far the source of the call is trusted
              
              Whoever types a command vouches for it. For what comes from elsewhere say `quarantined`:
              it can read, and nothing more.
              
              [default: trusted]
              [possible values: trusted, verified, quarantined, blocked]

          --autonomy <LEVEL>
              Say how much is left to the agent
              
              With `read-only`, tools that only read. Supervised, the policy decides and a person
              answers its questions.
              
              [default: supervised]
              [possible values: read-only, supervised, full]

          --plan
              Refuse what can change anything: the agent looks and plans

          --network <SCOPE>
              Say what of the network the call may reach: deny, allow, or only:HOST,…
              
              Without it, what `sandbox.network` says: closed unless you open it. Where the boundary is
              enforced, the kernel keeps it closed whatever the command is called. `only` can't be
              enforced yet and is refused.

          --sandbox <PRESET>
              Say what boundary commands run in
              
              Without it, what `sandbox.preset` says: workspace-write unless you change it.

              Possible values:
              - read-only:       Everything but secrets can be read, nothing changed
              - workspace-write: As read-only, but the workspace can be changed
              - open:            The host's files; only the process tree is bounded

          --writable <DIR>
              Let commands write in this directory as well

          --degrade
              Run with less of the boundary than was asked for, where this machine can't give all of it
              
              What was really enforced is in every result. Questions are then asked as if nothing were
              enforced.

          --timeout <SECONDS>
              End the command after this many seconds

      -h, --help
              Print help (see a summary with '-h')

    Global options:
          --json
              Print one JSON object on one line, with a version, as the result
              
              Failures are such objects too, on stdout; nothing is written to stderr.

          --color <WHEN>
              Say when to use colour

              Possible values:
              - auto:   For a person: on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`
              - always: Always
              - never:  Never
              
              [default: auto]

          --config <KEY=VALUE>
              Set a configuration key for this run
              
              Goes over what all files say: --config tools.shell.timeout=5. The value is TOML; what is
              not TOML counts as text. See `toolgate config show` for the keys.

    Exit codes:
      0         done
      1         done, and the answer is no (config check, filter test, output grep), not understood
                (parse), or ask (check)
      2         deny (check)
      124       the command ran out of time
      125       toolgate itself could not do it: usage, configuration, machine
      126       refused: a rule forbids it
      127       not run: it needs an approval that nobody gave
      128+N     signal N ended it
      other     the exit status of the command that ran

    A command's own status is passed on as it is, even where it is one of these; with
    --json the field `status` tells them apart.
    --- exit 0
    ");
}

#[test]
fn the_short_help_of_the_other_verbs() {
    let user = User::new();
    assert_snapshot!(user.toolgate(&["exec", "-h"]).all(), @r"
    Run the fenced blocks of an agent's reply

    Usage: toolgate exec [OPTIONS] <FILE>

    Arguments:
      <FILE>  The file with the reply; `-` reads it from stdin

    Options:
      -C, --cwd <DIR>         Run in this directory
      -y, --yes               Approve beforehand what would be asked
          --trust <LEVEL>     Say how far the source of the call is trusted [default: trusted] [possible
                              values: trusted, verified, quarantined, blocked]
          --autonomy <LEVEL>  Say how much is left to the agent [default: supervised] [possible values:
                              read-only, supervised, full]
          --plan              Refuse what can change anything: the agent looks and plans
          --network <SCOPE>   Say what of the network the call may reach: deny, allow, or only:HOST,…
          --sandbox <PRESET>  Say what boundary commands run in [possible values: read-only,
                              workspace-write, open]
          --writable <DIR>    Let commands write in this directory as well
          --degrade           Run with less of the boundary than was asked for, where this machine can't
                              give all of it
      -h, --help              Print help (see more with '--help')

    Global options:
          --json                Print one JSON object on one line, with a version, as the result
          --color <WHEN>        Say when to use colour [default: auto] [possible values: auto, always,
                                never]
          --config <KEY=VALUE>  Set a configuration key for this run
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["call", "-h"]).all(), @r"
    Call one tool with JSON parameters

    Usage: toolgate call [OPTIONS] <TOOL> [PARAMS]

    Arguments:
      <TOOL>    The tool's id
      [PARAMS]  The parameters, a JSON object; `-` reads it from stdin [default: {}]

    Options:
      -C, --cwd <DIR>         Run in this directory
      -y, --yes               Approve beforehand what would be asked
          --trust <LEVEL>     Say how far the source of the call is trusted [default: trusted] [possible
                              values: trusted, verified, quarantined, blocked]
          --autonomy <LEVEL>  Say how much is left to the agent [default: supervised] [possible values:
                              read-only, supervised, full]
          --plan              Refuse what can change anything: the agent looks and plans
          --network <SCOPE>   Say what of the network the call may reach: deny, allow, or only:HOST,…
          --sandbox <PRESET>  Say what boundary commands run in [possible values: read-only,
                              workspace-write, open]
          --writable <DIR>    Let commands write in this directory as well
          --degrade           Run with less of the boundary than was asked for, where this machine can't
                              give all of it
      -h, --help              Print help (see more with '--help')

    Global options:
          --json                Print one JSON object on one line, with a version, as the result
          --color <WHEN>        Say when to use colour [default: auto] [possible values: auto, always,
                                never]
          --config <KEY=VALUE>  Set a configuration key for this run
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["tools", "-h"]).all(), @r"
    List the tools an agent is given

    Usage: toolgate tools [OPTIONS]

    Options:
          --format <FORM>  Print the definitions in this form [possible values: mcp, openai, anthropic,
                           prompt]
      -h, --help           Print help (see more with '--help')

    Global options:
          --json                Print one JSON object on one line, with a version, as the result
          --color <WHEN>        Say when to use colour [default: auto] [possible values: auto, always,
                                never]
          --config <KEY=VALUE>  Set a configuration key for this run
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["config", "--help"]).all(), @r"
    Show and check the configuration

    Files, each going over the one before: /etc/toolgate/toolgate.toml (the administrator's; what it
    sets can only be tightened), $XDG_CONFIG_HOME/toolgate/toolgate.toml (the user's), and the
    project's: .toolgate.toml or toolgate.toml in the nearest directory upwards. A project's file may
    only tighten, until `toolgate config trust` lets it do more.

    Usage: toolgate config [OPTIONS] <COMMAND>

    Commands:
      show    Print the configuration that counts here
      check   Check the configuration that counts here, or one file
      schema  Print the JSON Schema of toolgate.toml
      trust   Let this project's file do more than tighten

    Options:
      -h, --help
              Print help (see a summary with '-h')

    Global options:
          --json
              Print one JSON object on one line, with a version, as the result
              
              Failures are such objects too, on stdout; nothing is written to stderr.

          --color <WHEN>
              Say when to use colour

              Possible values:
              - auto:   For a person: on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`
              - always: Always
              - never:  Never
              
              [default: auto]

          --config <KEY=VALUE>
              Set a configuration key for this run
              
              Goes over what all files say: --config tools.shell.timeout=5. The value is TOML; what is
              not TOML counts as text. See `toolgate config show` for the keys.
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["completions", "-h"]).all(), @r"
    Print a script that completes commands in a shell

    Usage: toolgate completions [OPTIONS] <SHELL>

    Arguments:
      <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

    Options:
      -h, --help  Print help (see more with '--help')

    Global options:
          --json                Print one JSON object on one line, with a version, as the result
          --color <WHEN>        Say when to use colour [default: auto] [possible values: auto, always,
                                never]
          --config <KEY=VALUE>  Set a configuration key for this run
    --- exit 0
    ");
    assert_snapshot!(user.toolgate(&["man", "-h"]).all(), @r"
    Print a manual page

    Usage: toolgate man [OPTIONS] [VERB]...

    Arguments:
      [VERB]...  The verb it is about, such as `run` or `config show`; toolgate itself where none is
                 given

    Options:
      -h, --help  Print help (see more with '--help')

    Global options:
          --json                Print one JSON object on one line, with a version, as the result
          --color <WHEN>        Say when to use colour [default: auto] [possible values: auto, always,
                                never]
          --config <KEY=VALUE>  Set a configuration key for this run
    --- exit 0
    ");
}

#[test]
fn no_line_of_help_is_wider_than_a_page() {
    let user = User::new();
    for verb in
        [&[][..], &["run"], &["exec"], &["call"], &["tools"], &["config"], &["config", "show"], &["man"]]
    {
        for flag in ["-h", "--help"] {
            let args: Vec<_> = verb.iter().copied().chain([flag]).collect();
            let ran = user.toolgate(&args);
            assert_eq!(ran.code, 0);
            for line in ran.out.lines() {
                assert!(line.chars().count() <= 100, "{args:?}: {line}");
                assert!(!line.ends_with(' ') || line.trim().is_empty(), "{args:?}: {line:?}");
            }
        }
    }
}

#[test]
fn bad_usage_says_what_was_meant_and_is_never_taken_for_a_verdict() {
    let user = User::new();
    assert_snapshot!(user.toolgate(&["rnu", "ls"]).all(), @r"
    --- stderr
    error: unrecognized subcommand 'rnu'

    Usage: toolgate [OPTIONS] <COMMAND>

    For more information, try '--help'.
    --- exit 125
    ");
    assert_snapshot!(user.toolgate(&["run", "--tiemout", "3", "ls"]).all(), @r"
    --- stderr
    error: unexpected argument '--tiemout' found

      tip: a similar argument exists: '--timeout'

    Usage: toolgate run [OPTIONS] '<COMMAND>'

    For more information, try '--help'.
    --- exit 125
    ");
    assert_snapshot!(user.toolgate(&["run", "ls", "-la"]).all(), @r"
    --- stderr
    error: unexpected argument '-l' found

      tip: to pass '-l' as a value, use '-- -l'

    Usage: toolgate run [OPTIONS] '<COMMAND>'

    For more information, try '--help'.
    --- exit 125
    ");
    assert_snapshot!(user.toolgate(&["--json", "rnu"]).all(), @r#"
    {"version":1,"status":"failed","exit_code":125,"error":{"code":"bad-usage","message":"unrecognized subcommand 'rnu'\n\nUsage: toolgate [OPTIONS] <COMMAND>\n\nFor more information, try '--help'."}}
    --- exit 125
    "#);
}

#[test]
fn pages_and_completions_are_made_from_the_same_table() {
    let user = User::new();
    let man = user.toolgate(&["man"]);
    assert!(man.out.contains(".TH toolgate 1") && man.out.contains("Exit codes:"), "{}", man.out);
    let page = user.toolgate(&["man", "config", "show"]);
    assert!(
        page.out.contains(".TH toolgate-config-show 1") && page.out.contains("\\-\\-origin"),
        "{}",
        page.out
    );
    let none = user.toolgate(&["man", "rnu"]);
    assert!(none.code == 125 && none.err.contains("there are: run, "), "{}", none.err);
    for shell in ["bash", "zsh", "fish"] {
        let script = user.toolgate(&["completions", shell]);
        assert!(
            script.code == 0 && script.out.contains("completions") && script.out.contains("origin"),
            "{shell}"
        );
    }
    assert!(user.toolgate(&["completions", "bash", "--json"]).json()["text"].is_string());
}
