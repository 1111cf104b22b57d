//! The standard pipeline: each gate stands in it, whatever else is said.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use toolgate::approval::{Answer, Approver, Question, YesToAll};
use toolgate::config::{Layer, Source, Surroundings, load};
use toolgate::exec::{
    BoxFuture, EnforcementLevel, Preset as _, SkillTrustLevel, ToolCall, ToolError, ToolExecutor, ToolOutput,
    map_output,
};
use toolgate::gates::AutonomyLevel;
use toolgate::grants::{Grants, Scope};
use toolgate::spawn::{BoundaryLevel, BoundaryPolicy};
use toolgate::standard::{Standard, StandardBuilder};

/// A workspace with one file in a home.
fn ground() -> (tempfile::TempDir, StandardBuilder) {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    let work = home.join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("notes"), "to keep\n").unwrap();
    let builder = Standard::builder(&work, &home).trust(SkillTrustLevel::Trusted);
    (dir, builder)
}

fn bash(command: &str) -> ToolCall {
    ToolCall::new("bash", [("command".to_owned(), command.into())].into_iter().collect())
}

async fn run(agent: &Standard, command: &str) -> Result<ToolOutput, ToolError> {
    agent.execute_tool_call(&bash(command)).await.map(Option::unwrap)
}

fn codes(refused: Result<ToolOutput, ToolError>) -> String {
    match refused {
        Err(ToolError::Blocked { reasons, .. }) => {
            reasons.iter().map(|reason| reason.code.to_string()).collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn unless_something_is_said_it_trusts_nobody() {
    let (dir, _) = ground();
    let agent = Standard::builder(dir.path().join("work"), dir.path()).build().unwrap();
    let said = codes(run(&agent, "true").await);
    assert!(said.contains("trust"), "{said}");
}

#[tokio::test]
async fn each_gate_refuses_what_it_is_there_for() {
    type Change = fn(StandardBuilder) -> StandardBuilder;
    let cases: [(&str, Change, &str); 5] = [
        ("touch new", |b| b.trust(SkillTrustLevel::Quarantined), "trust"),
        ("touch new", |b| b.autonomy(AutonomyLevel::ReadOnly), "read-only"),
        ("touch new", |b| b.plan(true), "plan"),
        ("curl https://example.com", |b| b, "network-denied"),
        ("rm -rf /", |b| b.autonomy(AutonomyLevel::Full), "destroys-everything"),
    ];
    for (command, change, code) in cases {
        let (_dir, builder) = ground();
        let agent = change(builder).build().unwrap();
        let said = codes(agent.execute_tool_call_confirmed(&bash(command)).await.map(Option::unwrap));
        assert!(said.contains(code), "{command}: {said}, and not {code}");
    }
}

#[tokio::test]
async fn commands_run_in_the_boundary() {
    let (dir, builder) = ground();
    std::fs::create_dir(dir.path().join(".ssh")).unwrap();
    std::fs::write(dir.path().join(".ssh/id_ed25519"), "key\n").unwrap();
    let agent = builder.build().unwrap();
    // Nothing shows in the text what is read.
    let script = "import os; print(open(os.path.expanduser('~/.s') + 'sh/id_ed25519').read())";
    std::fs::write(dir.path().join("work/read.py"), script).unwrap();
    let home = dir.path().display();
    let out = run(&agent, &format!("HOME={home} python3 read.py")).await.unwrap();
    assert!(out.summary.contains("Permission denied") && !out.summary.contains("key\n"), "{}", out.summary);
    assert_eq!(out.enforcement.unwrap().level, EnforcementLevel::Full);
}

#[tokio::test]
async fn an_answer_is_kept_and_counts_at_once() {
    struct Once(std::sync::atomic::AtomicU32);
    impl Approver for Once {
        fn ask<'a>(&'a self, questions: &'a [Question]) -> BoxFuture<'a, Vec<Answer>> {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Box::pin(std::future::ready(vec![Answer::Remember(Scope::Session); questions.len()]))
        }
    }
    let (dir, builder) = ground();
    let agent = builder.build().unwrap();
    let person = Once(0.into());
    for _ in 0..3 {
        std::fs::write(dir.path().join("work/notes"), "again\n").unwrap();
        agent.asking(&person).call(&bash("rm notes")).await.unwrap();
        assert!(!dir.path().join("work/notes").exists());
    }
    assert_eq!(person.0.into_inner(), 1);
}

#[tokio::test]
async fn what_is_granted_or_taken_back_elsewhere_counts_from_the_next_call_on() {
    let (dir, builder) = ground();
    let work = dir.path().canonicalize().unwrap().join("work");
    let open = || Grants::open(&dir.path().join("state"), &work).unwrap();
    let agent = builder.grants(Arc::new(open())).build().unwrap();
    let judged = agent.pipeline().judge_call(&bash("rm notes")).unwrap();
    let proposal = agent.permission().proposal(&judged.call, &agent.pipeline().session()).unwrap();
    assert_eq!(judged.verdict.as_str(), "ask");
    let elsewhere = open();
    let given = elsewhere.add(Scope::Project, &proposal, None).unwrap();
    run(&agent, "rm notes").await.unwrap();
    elsewhere.revoke(&given[0].id).unwrap();
    std::fs::write(work.join("notes"), "again\n").unwrap();
    assert!(run(&agent, "rm notes").await.is_err() && work.join("notes").exists());
}

#[tokio::test]
async fn without_the_whole_boundary_or_with_all_writable_nothing_counts_as_held_back() {
    let (dir, builder) = ground();
    std::fs::write(dir.path().join("work/it.sh"), "echo ran\n").unwrap();
    let contained = builder.build().unwrap();
    assert_eq!(run(&contained, "bash it.sh").await.unwrap().summary, "ran");
    let settles = |boundary: &mut BoundaryPolicy| boundary.least = BoundaryLevel::None;
    let everywhere = |boundary: &mut BoundaryPolicy| boundary.writable.push("/".into());
    for change in [&settles as &dyn Fn(&mut BoundaryPolicy), &everywhere] {
        let (dir, builder) = ground();
        let work = dir.path().join("work");
        std::fs::write(work.join("it.sh"), "echo ran\n").unwrap();
        let mut boundary = BoundaryPolicy::workspace_write(dir.path(), &work);
        change(&mut boundary);
        let agent = builder.boundary(boundary).build().unwrap();
        let said = run(&agent, "bash it.sh").await;
        assert!(!said.as_ref().is_ok_and(|out| out.summary == "ran"), "{said:?}");
        // What nobody can read could reach the network, and nothing would hold it back.
        let said = codes(agent.execute_tool_call_confirmed(&bash("$TOOL notes")).await.map(Option::unwrap));
        assert!(said.contains("network-denied"), "{said}");
    }
}

#[tokio::test]
async fn output_is_masked_and_filtered_before_a_layer_of_ones_own_sees_it() {
    use std::sync::Mutex;
    let seen = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&seen);
    let (_dir, builder) = ground();
    let agent = builder
        .with(|stack| {
            stack.layer(map_output("look", move |_, output: ToolOutput| {
                log.lock().unwrap().push_str(&output.summary);
                output
            }))
        })
        .build()
        .unwrap();
    agent.secrets().add(["hunter2-hunter2"]);
    let out = run(&agent, "echo it is hunter2-hunter2").await.unwrap();
    assert!(!out.summary.contains("hunter2") && out.summary.starts_with("it is "), "{}", out.summary);
    assert_eq!(*seen.lock().unwrap(), out.summary);
}

#[tokio::test]
async fn a_configuration_says_how_strict_it_is() {
    let (dir, _) = ground();
    let work = dir.path().join("work");
    let text = "[policy]\nprofile = \"strict\"\n[sandbox]\npreset = \"read-only\"\n";
    let around = Surroundings { home: Some(dir.path().into()), ..Surroundings::new(&work) };
    let loaded = load(&[Source::new(Layer::User, "toolgate.toml", text)], &around).unwrap();
    let agent = Standard::configured(&loaded, &work, dir.path())
        .unwrap()
        .trust(SkillTrustLevel::Trusted)
        .build()
        .unwrap();
    // The strict profile asks; a yes does not open the boundary.
    assert!(matches!(run(&agent, "touch new").await, Err(ToolError::ConfirmationRequired { .. })));
    let out = agent.asking(&YesToAll).call(&bash("touch new")).await.unwrap().unwrap();
    assert!(out.summary.contains("Read-only file system"), "{}", out.summary);
}
