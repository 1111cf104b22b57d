//! Keys of the configuration that guard something, each attacked where it holds.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use toolgate::config::{self, Layer, Loaded, Source};
use toolgate::exec::{DynExecutor, NetworkScope, Pipeline, PipelineBuilder, SkillTrustLevel, ToolExecutor};
use toolgate::gates::{AutonomyGate, AutonomyLevel, NetworkGate, Opaque};
use toolgate::policy::batch::Request;
use toolgate::policy::profile::Verdict::{self, Allow, Ask, Deny};
use toolgate::understanding::{Surroundings, Understanding};
use toolgate_testkit::ScriptedTool;
use toolgate_testkit::doors::{Came, Door};

const WORKSPACE: &str = "/home/dev/work/repo";

fn surroundings() -> Surroundings {
    Surroundings::new(WORKSPACE, "/home/dev")
}

fn load(sources: &[(Layer, &str)]) -> Result<Loaded, String> {
    let sources: Vec<Source> =
        sources.iter().map(|(layer, text)| Source::new(*layer, format!("{layer}.toml"), *text)).collect();
    config::load(&sources, &config::Surroundings::new(WORKSPACE)).map_err(|errors| errors.to_string())
}

fn verdict(loaded: &Loaded, command: &str) -> Verdict {
    let judge = surroundings().judge(Arc::clone(&loaded.policy));
    judge.judge(&Request::Command { text: command.to_owned(), cwd: None }).verdict
}

fn user(text: &str, command: &str) -> Verdict {
    verdict(&load(&[(Layer::User, text)]).unwrap(), command)
}

#[test]
fn the_profile_that_is_named_judges() {
    assert_eq!(user("", "echo x > y"), Allow);
    assert_ne!(user("policy.profile = \"strict\"", "echo x > y"), Allow);
    assert_eq!(user("", "unknown-program"), Ask);
    assert_eq!(user("policy.profile = \"open\"", "unknown-program"), Allow);
}

#[test]
fn a_command_that_is_to_be_confirmed_is_asked_about() {
    let text = "tools.shell.confirm_patterns = [\"make\", \"<(\"]";
    assert_eq!(user("", "make test"), Allow);
    assert_eq!(user(text, "env A=1 make test"), Ask);
    assert_eq!(user(text, "cat <(ls)"), Ask);
    assert_eq!(user(text, "echo 'make <('"), Allow);
}

#[test]
fn a_command_is_allowed_by_all_of_its_words() {
    let text = "tools.shell.allowed_commands = [\"git reset --hard\"]";
    assert_eq!(user("", "git reset --hard"), Ask);
    assert_eq!(user(text, "git reset --hard"), Allow);
    assert_eq!(user(text, "git reset --merge"), Ask);
    assert_eq!(user(text, "git clean -fdx"), Ask);
    assert_eq!(
        user(&format!("{text}\ntools.shell.blocked_commands = [\"git reset\"]"), "git reset --hard"),
        Deny
    );
}

#[test]
fn the_lists_of_every_layer_hold() {
    let all = "tools.permissions.bash = [{ pattern = \"*\", action = \"allow\" }]";
    let git = "tools.permissions.bash = [{ pattern = \"git *\", action = \"deny\" }, { pattern = \"*\", action = \"allow\" }]";
    for layers in [
        [(Layer::Managed, git), (Layer::User, all)],
        [(Layer::User, all), (Layer::Project { trusted: false }, git)],
        [(Layer::User, git), (Layer::Flag, all)],
    ] {
        let loaded = load(&layers).unwrap();
        assert_eq!(verdict(&loaded, "git status"), Deny, "{layers:?}");
        assert_eq!(verdict(&loaded, "ls"), Allow, "{layers:?}");
    }
}

#[test]
fn numbers_and_lists_have_an_end() {
    assert!(load(&[(Layer::User, "tools.shell.timeout = 86400")]).is_ok());
    assert!(load(&[(Layer::User, "tools.shell.timeout = 86401")]).is_err());
    let rules = |n: usize| "[[rule]]\naction = \"ask\"\neffect = \"write\"\n".repeat(n);
    assert!(load(&[(Layer::User, &rules(1024))]).is_ok());
    assert!(load(&[(Layer::User, &rules(1025))]).unwrap_err().contains("too many"));
}

fn stack() -> PipelineBuilder {
    Pipeline::builder().trust(SkillTrustLevel::Trusted).network(NetworkScope::Deny)
}

async fn sent(builder: PipelineBuilder, command: &str) -> Came {
    let executor = DynExecutor(Arc::new(builder.tool(ScriptedTool::bash()).build().unwrap()));
    Door::Call.send(&executor, command, false).await
}

#[tokio::test]
async fn code_that_nobody_read_is_refused_where_the_network_is_denied() {
    let read = || stack().normaliser(Understanding::new(surroundings()));
    let refused = || NetworkGate::new(Opaque::Refused);
    assert_eq!(sent(stack().gate(refused()), "ls").await, Came::Refused);
    assert_eq!(sent(read().gate(refused()), "unknown-program").await, Came::Refused);
    assert_eq!(sent(read().gate(refused()), "ls '").await, Came::Refused);
    assert!(matches!(sent(read().gate(refused()), "ls").await, Came::Ran(_)));
    // A boundary around it keeps the network closed.
    assert!(matches!(
        sent(read().gate(NetworkGate::new(Opaque::Contained)), "unknown-program").await,
        Came::Ran(_)
    ));
}

#[test]
fn an_agent_that_may_only_read_is_shown_no_tool_that_changes() {
    let shown = |level| {
        let builder = stack().gate(AutonomyGate(level)).tool(ScriptedTool::bash());
        DynExecutor(Arc::new(builder.build().unwrap())).tool_definitions().len()
    };
    assert_eq!(shown(AutonomyLevel::ReadOnly), 0);
    assert_eq!(shown(AutonomyLevel::Supervised), 1);
}
