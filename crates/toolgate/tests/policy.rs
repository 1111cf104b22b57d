//! The policy of a configuration, at the wall: the same answer as `toolgate check`, and nothing loosens it.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolgate::config::{self, Layer, Loaded, Source};
use toolgate::exec::{
    BoxFuture, CallContext, Capabilities, Cleared, DynExecutor, Nature, NetworkScope, Outcome, Pipeline,
    PipelineBuilder, SkillTrustLevel, Tool, ToolCall, ToolDef, ToolExecutor, ToolId, ToolOutput,
};
use toolgate::gates::{AutonomyLevel, PermissionGate};
use toolgate::policy::batch::Request;
use toolgate::policy::profile::Verdict;
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::ScriptedTool;
use toolgate_testkit::doors::{Came, Door, wrappings};

const HOME: &str = "/home/dev";
const WORKSPACE: &str = "/home/dev/work/repo";

fn surroundings() -> Surroundings {
    Surroundings::new(WORKSPACE, HOME)
}

fn loaded(sources: &[(Layer, &str)]) -> Loaded {
    let sources: Vec<Source> =
        sources.iter().map(|(layer, text)| Source::new(*layer, format!("{layer}.toml"), *text)).collect();
    config::load(&sources, &config::Surroundings::new(WORKSPACE)).unwrap()
}

fn gate(loaded: &Loaded) -> PermissionGate {
    PermissionGate::new(&surroundings()).policy(Arc::clone(&loaded.policy))
}

fn stack(gate: PermissionGate) -> PipelineBuilder {
    Pipeline::builder()
        .trust(SkillTrustLevel::Trusted)
        .network(NetworkScope::Deny)
        .normaliser(Understanding::new(surroundings()))
        .gate(gate)
}

fn build(builder: PipelineBuilder) -> DynExecutor {
    DynExecutor(Arc::new(builder.build().unwrap()))
}

#[tokio::test]
async fn the_wall_and_check_give_the_same_answer() {
    let loaded = loaded(&[(
        Layer::User,
        r#"
        policy.profile = "strict"
        rule = [
            { action = "allow", program = "git", args = ["status|log|diff"] },
            { action = "deny", effect = "write", path = "docs/**" },
            { action = "ask", program = "c*" },
        ]
        [tools.shell]
        blocked_commands = ["docker"]
        confirm_patterns = ["make", "<("]
        [tools.permissions]
        bash = [{ pattern = "npm *", action = "deny" }, { pattern = "*", action = "allow" }]
        "#,
    )]);
    let judge = surroundings().judge(Arc::clone(&loaded.policy));
    let executor = build(stack(gate(&loaded)).tool(ScriptedTool::bash()));
    let cases = include_str!("../../policy/tests/fixtures/commands.jsonl");
    let mut seen = [0; 3];
    // Every third will do: each of the answers comes up often.
    for line in cases.lines().step_by(3) {
        let case: Value = serde_json::from_str(line).unwrap();
        let command = case["command"].as_str().unwrap();
        let check = judge.judge(&Request::Command { text: command.to_owned(), cwd: None }).verdict;
        let wall = match Door::Call.send(&executor, command, false).await {
            Came::Ran(_) => Verdict::Allow,
            Came::Asks => Verdict::Ask,
            Came::Refused => Verdict::Deny,
            other => panic!("{command}: {other:?}"),
        };
        assert_eq!(wall, check, "{command}");
        seen[check as usize] += 1;
    }
    assert!(seen.iter().all(|n| *n > 10), "{seen:?}");
}

#[tokio::test]
async fn what_is_blocked_or_denied_stays_so_whatever_else_is_attached() {
    let loose = r#"
        policy.profile = "open"
        rule = [
            { action = "allow", effect = ["net", "delete", "write", "unknown", "host", "privilege", "read"] },
            { action = "allow", program = "make" },
        ]
        [tools.shell]
        allowed_commands = ["docker", "git push"]
        [tools.permissions]
        bash = [{ pattern = "*", action = "allow" }]
    "#;
    let managed = r#"
        rule = [{ action = "deny", program = "make" }]
        [tools.shell]
        blocked_commands = ["docker", "git push"]
    "#;
    let trusted = Layer::Project { trusted: true };
    for layers in [
        vec![(Layer::Managed, managed), (Layer::User, loose)],
        vec![(Layer::Managed, managed), (trusted, loose)],
        vec![(Layer::Managed, managed), (Layer::Flag, loose)],
        vec![(Layer::User, managed), (trusted, loose)],
    ] {
        let loaded = loaded(&layers);
        let tool = ScriptedTool::bash();
        let make = || {
            let gate = gate(&loaded).contained(true).autonomy(AutonomyLevel::Full);
            build(stack(gate).network(NetworkScope::Allow).tool(tool.clone()))
        };
        for command in
            ["docker ps", "env X=1 docker ps", "bash -c 'git -C x push'", "timeout 5 make x", "rm -rf /"]
        {
            for (name, executor) in wrappings(make) {
                for door in Door::ALL {
                    let came = door.send(&executor, command, true).await;
                    assert!(
                        matches!(came, Came::Refused | Came::NotMine),
                        "{command} {name} {door:?}: {came:?}"
                    );
                }
            }
        }
        assert!(tool.ran().is_empty(), "{:?}", tool.ran());
        let open = Door::Call.send(&make(), "rm src/x", false).await;
        assert!(matches!(open, Came::Ran(_)), "the loose part counts where nothing is against it: {open:?}");
    }
}

fn call(tool: &str, params: &Value) -> ToolCall {
    ToolCall::new(tool, params.as_object().cloned().unwrap_or_else(Map::new))
}

#[test]
fn lists_of_other_tools_are_about_their_paths() {
    let loaded = loaded(&[(
        Layer::User,
        "[tools.permissions]\nread = [{ pattern = '*.env', action = 'deny' }, { pattern = 'src/*', action = 'allow' }]\n",
    )]);
    let judged = |builder: PipelineBuilder, path: &str| {
        let pipeline = builder.gate(gate(&loaded)).tool(Reader).build().unwrap();
        let verdict = pipeline.judge(&call("read", &json!({ "path": path }))).unwrap().unwrap();
        verdict.as_str()
    };
    let understood =
        || Pipeline::builder().trust(SkillTrustLevel::Trusted).normaliser(Understanding::new(surroundings()));
    for (path, want) in
        [("src/main.rs", "allow"), ("src/../x.env", "deny"), ("docs/x", "ask"), ("src/../docs/x", "ask")]
    {
        assert_eq!(judged(understood(), path), want, "{path}");
    }
    // Also where nobody looked at the arguments.
    assert_eq!(judged(Pipeline::builder().trust(SkillTrustLevel::Trusted), "src/main.rs"), "ask");
}

/// A tool that reads files, as far as its definition goes.
struct Reader;

impl Tool for Reader {
    fn definitions(&self) -> Vec<ToolDef> {
        vec![
            ToolDef::new("read", "Reads a file.")
                .schema(json!({ "type": "object" }))
                .capabilities(Capabilities::READS),
        ]
    }

    fn nature(&self, _: &ToolId) -> Nature {
        Nature::ONCE
    }

    fn run<'a>(&'a self, _: Cleared) -> BoxFuture<'a, Outcome> {
        Box::pin(async { Ok(ToolOutput::new("read", "ran")) })
    }
}

#[tokio::test]
async fn a_call_is_judged_with_the_places_that_it_sets_itself() {
    let tool = ScriptedTool::bash();
    let executor = build(stack(PermissionGate::new(&surroundings())).tool(tool));
    let send = async |command: &str, name: &str, value: &str| {
        let mut call = call("bash", &json!({ "command": command }));
        call.context = CallContext::new().env(name, value);
        Came::from(executor.execute_tool_call(&call).await)
    };
    assert_eq!(send("echo x > \"$TMPDIR/y\"", "TMPDIR", "/etc").await, Came::Refused);
    assert_eq!(send("cat ~/x", "HOME", "/home/dev/.ssh").await, Came::Refused);
    assert!(matches!(send("echo x > \"$TMPDIR/y\"", "TMPDIR", WORKSPACE).await, Came::Ran(_)));
    // The value of any other may be a secret, and no reason tells it.
    let mut call = call("bash", &json!({ "command": "curl \"$API_TOKEN\"" }));
    call.context = CallContext::new().env("API_TOKEN", "hunter2");
    let error = format!("{:?}", executor.execute_tool_call(&call).await.unwrap_err());
    assert!(error.contains("egress") && !error.contains("hunter2"), "{error}");
}

#[test]
fn the_levels_of_trust_and_autonomy_are_those_that_rules_can_name() {
    let names: Vec<&str> = SkillTrustLevel::ALL.iter().map(|level| level.as_str()).collect();
    let mut known = toolgate::policy::rule::TRUST_LEVELS.to_vec();
    known.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, known);
    for word in names
        .into_iter()
        .map(|n| format!("trust = '{n}'"))
        .chain(AutonomyLevel::ALL.map(|level| format!("autonomy = '{level}'")))
    {
        loaded(&[(Layer::User, &format!("[[rule]]\naction = 'deny'\neffect = 'net'\n{word}\n"))]);
    }
}
