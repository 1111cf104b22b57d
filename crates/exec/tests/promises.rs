//! What the pipeline promises, at every door and in every wrapping.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use toolgate_exec::{
    BoxFuture, BuildError, Capabilities, CheckpointActionResult, CheckpointListResult, Checkpoints,
    CompositeExecutor, DynExecutor, EVENT_CHANNEL_CAPACITY, ForeignTool, Layer, Nature, NetworkScope, Next,
    Outcome, Pipeline, PipelineBuilder, Request, Session, SkillTrustLevel, ToolCall, ToolDef, ToolError,
    ToolEvent, ToolExecutor, ToolOutput, Verdict, event_channel, layer_fn, map_output,
};
use toolgate_testkit::doors::{Came, Door, bash_call, wrappings};
use toolgate_testkit::{Answer, FixedGate, PanickingGate, ScriptedTool, reason};

fn build(builder: PipelineBuilder) -> DynExecutor {
    DynExecutor(Arc::new(builder.build().unwrap()))
}

fn verdicts() -> [Verdict; 3] {
    [Verdict::Allow, Verdict::ask(reason()), Verdict::deny(reason())]
}

fn fenced(commands: &[&str]) -> String {
    commands.iter().map(|c| format!("text\n```bash\n{c}\n```\n")).collect()
}

#[tokio::test]
async fn the_same_call_gets_the_same_verdict_at_every_door_of_every_wrapping() {
    for first in verdicts() {
        for second in verdicts() {
            let strictest = first.clone().and(second.clone());
            let make = || {
                build(
                    Pipeline::builder()
                        .gate(FixedGate::of_all(first.clone()))
                        .gate(FixedGate::of_all(second.clone()))
                        .tool(ScriptedTool::bash()),
                )
            };
            for (name, executor) in wrappings(make) {
                for door in Door::ALL {
                    let at = format!("{name}, {door:?}, {first:?} and {second:?}");
                    let ran = Came::Ran("ls".to_owned());
                    let (plain, confirmed) = match strictest {
                        Verdict::Allow => (ran.clone(), ran),
                        Verdict::Ask(_) => (Came::Asks, ran),
                        Verdict::Deny(_) => (Came::Refused, Came::Refused),
                    };
                    assert_eq!(door.send(&executor, "ls", false).await, plain, "{at}");
                    assert_eq!(door.send(&executor, "ls", true).await, confirmed, "{at}");
                    assert_eq!(
                        executor.requires_confirmation(&bash_call("ls")),
                        plain == Came::Asks,
                        "the question is not the enforcement: {at}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_tool_that_a_gate_hides_is_not_shown_and_refused_all_the_same() {
    let make = || {
        let gate = FixedGate::of_all(Verdict::deny(reason())).hiding();
        build(Pipeline::builder().gate(gate).tool(ScriptedTool::bash()))
    };
    for (name, executor) in wrappings(make) {
        assert!(executor.tool_definitions().is_empty(), "{name}");
        for door in Door::ALL {
            // An opaque executor does not even tell that it has the tool.
            let came = door.send(&executor, "ls", true).await;
            assert!(matches!(came, Came::Refused | Came::NotMine), "{name}: {came:?}");
        }
    }
}

#[tokio::test]
async fn a_gate_that_panics_denies() {
    let tool = ScriptedTool::bash();
    let make = || build(Pipeline::builder().gate(PanickingGate).tool(tool.clone()));
    for (name, executor) in wrappings(make) {
        for door in Door::ALL {
            assert_eq!(door.send(&executor, "ls", true).await, Came::Refused, "{name}");
        }
    }
    assert!(tool.ran().is_empty());
}

#[tokio::test]
async fn a_tool_or_layer_that_panics_is_an_error_of_that_call_alone() {
    let tool = ScriptedTool::bash().then(Answer::Panic);
    let executor = build(Pipeline::builder().tool(tool));
    let error = executor.execute_tool_call(&bash_call("ls")).await.unwrap_err();
    assert!(
        matches!(&error, ToolError::Panicked { message, .. } if message == "a bug in a tool"),
        "{error:?}"
    );
    assert_eq!(Door::Call.send(&executor, "ls", false).await, Came::Ran("ls".to_owned()));

    #[allow(clippy::panic)]
    fn bug<'a>(_: Request, _: Next<'a>) -> BoxFuture<'a, Outcome> {
        panic!("a bug in a layer")
    }
    let executor = build(Pipeline::builder().layer(layer_fn("buggy", bug)).tool(ScriptedTool::bash()));
    let error = executor.execute_tool_call(&bash_call("ls")).await.unwrap_err();
    assert_eq!(error.to_string(), "`buggy` panicked: a bug in a layer");
}

#[tokio::test]
async fn all_calls_of_a_text_are_judged_before_any_runs() {
    // A30: the reference runs the blocks before the one that is refused, and runs them again when confirmed.
    let tool = ScriptedTool::bash();
    let make = || {
        let gate = FixedGate::of("reboot", Verdict::deny(reason()));
        let asks = FixedGate::of("push", Verdict::ask(reason()));
        build(Pipeline::builder().gate(gate).gate(asks).tool(tool.clone()))
    };
    for (name, executor) in wrappings(make) {
        if name == "composite of an opaque one" {
            continue; // Nobody can see what it would refuse; the next test says what holds there.
        }
        tool.forget();
        let text = fenced(&["one", "reboot", "two"]);
        assert_eq!(Came::from(executor.execute(&text).await), Came::Refused, "{name}");
        assert_eq!(Came::from(executor.execute_confirmed(&text).await), Came::Refused, "{name}");
        assert!(tool.ran().is_empty(), "{name}: {:?}", tool.ran());

        let text = fenced(&["one", "git push", "two"]);
        assert_eq!(Came::from(executor.execute(&text).await), Came::Asks, "{name}");
        assert!(tool.ran().is_empty(), "{name}: {:?}", tool.ran());
        let output = executor.execute_confirmed(&text).await.unwrap().unwrap();
        assert_eq!(output.blocks_executed, 3, "{name}");
        assert_eq!(output.summary, "one\n\ngit push\n\ntwo");
        assert_eq!(tool.ran(), ["one", "git push", "two"], "{name}");
    }
}

#[tokio::test]
async fn a_confirmed_text_resumes_at_the_pending_call_and_nothing_runs_twice() {
    let asks = || {
        Answer::Error(ToolError::ConfirmationRequired {
            command: "two".to_owned(),
            reasons: vec![reason()],
            digest: None,
        })
    };
    let tool = ScriptedTool::bash().then(Answer::Text("first".to_owned())).then(asks());
    let executor = build(Pipeline::builder().tool(tool.clone()));
    let text = fenced(&["one", "two", "three"]);
    assert_eq!(Came::from(executor.execute(&text).await), Came::Asks);
    let output = executor.execute_confirmed(&text).await.unwrap().unwrap();
    assert_eq!(output.summary, "first\n\ntwo\n\nthree");
    assert_eq!(tool.ran(), ["one", "two", "two", "three"], "`two` was asked about first and then run");
    // The pause is spent: the same text runs from the start again.
    tool.forget();
    executor.execute_confirmed(&text).await.unwrap();
    assert_eq!(tool.ran(), ["one", "two", "three"]);
}

#[tokio::test]
async fn a_paused_text_that_is_not_approved_keeps_its_place() {
    let asks = || {
        let (command, reasons) = ("two".to_owned(), vec![reason()]);
        Answer::Error(ToolError::ConfirmationRequired { command, reasons, digest: None })
    };
    let tool = ScriptedTool::bash().then(Answer::Text("first".to_owned())).then(asks());
    let gate = FixedGate::of("three", Verdict::ask(reason()));
    let pipeline = Pipeline::builder().gate(gate).tool(tool.clone()).build().unwrap();
    let text = fenced(&["one", "two", "three"]);
    let judged = pipeline.judge_text(&text);
    let three = [judged[2].digest];
    let error = pipeline.execute_text_approved(&text, &three).await.unwrap_err();
    assert!(
        matches!(&error, ToolError::ConfirmationRequired { digest: Some(d), .. } if *d == judged[1].digest),
        "the question is about the call as the text has it: {error:?}"
    );
    // Half of what is asked about is not enough, and nothing is forgotten over it.
    assert_eq!(Came::from(pipeline.execute_text_approved(&text, &[judged[1].digest]).await), Came::Asks);
    let both = [judged[1].digest, judged[2].digest];
    let output = pipeline.execute_text_approved(&text, &both).await.unwrap().unwrap();
    assert_eq!(output.summary, "first\n\ntwo\n\nthree");
    assert_eq!(tool.ran(), ["one", "two", "two", "three"], "`one` ran once");
}

#[tokio::test]
async fn the_calls_of_a_text_are_asked_about_at_once_and_approved_one_by_one() {
    let tool = ScriptedTool::bash();
    let pipeline = Pipeline::builder()
        .gate(FixedGate::of("push", Verdict::ask(reason())))
        .tool(tool.clone())
        .build()
        .unwrap();
    let text = fenced(&["ls", "git push a", "git push b"]);
    let judged = pipeline.judge_text(&text);
    let verdicts: Vec<_> = judged.iter().map(|j| j.verdict.as_str()).collect();
    assert_eq!(verdicts, ["allow", "ask", "ask"]);
    let one = [judged[1].digest];
    assert_eq!(Came::from(pipeline.execute_text_approved(&text, &one).await), Came::Asks);
    assert!(tool.ran().is_empty(), "the other question is open, so nothing runs");
    let both = [judged[1].digest, judged[2].digest];
    assert_eq!(pipeline.execute_text_approved(&text, &both).await.unwrap().unwrap().blocks_executed, 3);
}

#[tokio::test]
async fn an_error_after_some_calls_ran_brings_their_output_along() {
    let failure = Answer::Error(ToolError::Timeout { timeout_secs: 3, partial: None });
    let tool = ScriptedTool::bash().then(Answer::Text("first".to_owned())).then(failure);
    let executor = build(Pipeline::builder().tool(tool.clone()));
    let error = executor.execute(&fenced(&["one", "two", "three"])).await.unwrap_err();
    assert!(matches!(error, ToolError::Stopped { completed: 1, .. }), "{error:?}");
    assert_eq!(error.partial().unwrap().summary, "first");
    assert_eq!(error.code(), "timed-out");
    assert_eq!(tool.ran(), ["one", "two"]);
}

#[tokio::test]
async fn a_text_with_blocks_of_two_executors_runs_both_in_order() {
    // A47: the reference runs the blocks of the first executor alone.
    let python = ScriptedTool::named("python", "python", Capabilities::EXECUTES);
    let a = Pipeline::builder().tool(ScriptedTool::bash()).build().unwrap();
    let b = Pipeline::builder().tool(python).build().unwrap();
    let both = CompositeExecutor::new(a, b).unwrap();
    let text = "```python\n1\n```\n```bash\n2\n```\n```python\n3\n```\n";
    assert_eq!(both.execute(text).await.unwrap().unwrap().summary, "1\n\n2\n\n3");
    assert!(both.execute("no call at all").await.unwrap().is_none());
}

#[tokio::test]
async fn of_two_owners_the_first_runs_a_call_and_answers_every_question_about_it() {
    // B24: the reference asks both and takes the laxer answer.
    let strict = Pipeline::builder().tool(ScriptedTool::bash()).build().unwrap();
    let lax_tool = ScriptedTool::named("bash", "bash", Capabilities::READS).nature(Nature::READ_ONLY);
    let lax = Pipeline::builder().tool(lax_tool.clone()).build().unwrap();
    let both = CompositeExecutor::new(strict, lax).unwrap();
    assert!(!both.is_tool_speculatable("bash") && !both.is_tool_retryable("bash"));
    assert_eq!(both.tool_definitions().len(), 1);
    both.execute_tool_call(&bash_call("ls")).await.unwrap().unwrap();
    assert!(lax_tool.ran().is_empty());
    assert!(both.execute_tool_call(&ToolCall::new("nobody", Default::default())).await.unwrap().is_none());
}

#[tokio::test]
async fn session_state_reaches_the_tool_through_every_wrapping() {
    // A44: the reference loses skill secrets once executors are composed.
    let tool = ScriptedTool::bash();
    for (name, executor) in wrappings(|| build(Pipeline::builder().tool(tool.clone()))) {
        tool.forget();
        executor.set_skill_env(Some(HashMap::from([("TOKEN".to_owned(), "secret".to_owned())])));
        executor.set_effective_trust(SkillTrustLevel::Verified);
        for door in Door::ALL {
            door.send(&executor, "ls", false).await;
        }
        executor.set_skill_env(None);
        for door in Door::ALL {
            door.send(&executor, "ls", false).await;
        }
        let seen = tool.seen();
        let tokens: Vec<_> =
            seen.iter().map(|(_, s)| s.skill_env.as_ref().and_then(|e| e.var("TOKEN"))).collect();
        let doors = Door::ALL.len();
        assert_eq!(tokens, [vec![Some("secret"); doors], vec![None; doors]].concat(), "{name}");
        if !name.contains("sharing") {
            assert!(seen.iter().all(|(_, s)| s.trust == SkillTrustLevel::Verified), "{name}");
        }
        assert!(!format!("{seen:?}").contains("secret"), "a secret is printed: {seen:?}");
    }
}

#[tokio::test]
async fn wrappers_of_one_shared_executor_never_see_each_others_session() {
    let tool = ScriptedTool::bash();
    let shared = build(Pipeline::builder().trust(SkillTrustLevel::Trusted).tool(tool.clone()));
    shared.set_skill_env(Some(HashMap::from([("OWNER".to_owned(), "parent".to_owned())])));
    let child = |trust, network| {
        Pipeline::builder()
            .trust(trust)
            .network(network)
            .tool(ForeignTool::shared(shared.0.clone()))
            .build()
            .unwrap()
    };
    let a = child(SkillTrustLevel::Quarantined, NetworkScope::Deny);
    let b = child(SkillTrustLevel::Verified, NetworkScope::Inherit);
    a.set_skill_env(Some(HashMap::from([("OWNER".to_owned(), "a".to_owned())])));
    for executor in [&a, &b] {
        executor.execute_tool_call(&bash_call("ls")).await.unwrap();
    }
    shared.execute_tool_call(&bash_call("ls")).await.unwrap();
    let seen: Vec<_> = tool
        .seen()
        .into_iter()
        .map(|(_, s)| (s.trust, s.network, s.skill_env.and_then(|e| e.var("OWNER").map(str::to_owned))))
        .collect();
    assert_eq!(
        seen,
        [
            (SkillTrustLevel::Quarantined, NetworkScope::Deny, Some("a".to_owned())),
            (SkillTrustLevel::Verified, NetworkScope::Inherit, None),
            (SkillTrustLevel::Trusted, NetworkScope::Inherit, Some("parent".to_owned())),
        ]
    );
}

#[tokio::test]
async fn a_calls_context_narrows_the_session_and_never_widens_it() {
    let tool = ScriptedTool::bash();
    let executor = Pipeline::builder()
        .trust(SkillTrustLevel::Quarantined)
        .network(NetworkScope::Deny)
        .tool(tool.clone())
        .build()
        .unwrap();
    let mut call = bash_call("ls");
    call.context.network = NetworkScope::Allow;
    call.context.trust = Some(SkillTrustLevel::Trusted);
    executor.execute_tool_call(&call).await.unwrap();
    let (call, session) = tool.seen().remove(0);
    assert_eq!((session.trust, session.network), (SkillTrustLevel::Quarantined, NetworkScope::Deny));
    assert_eq!(call.context.network, NetworkScope::Deny, "an inner boundary goes by the call's scope");
}

#[tokio::test]
async fn only_read_only_tools_with_a_plain_allow_are_speculatable() {
    for (capabilities, nature, gate, want) in [
        (Capabilities::READS, Nature::READ_ONLY, Verdict::Allow, true),
        (Capabilities::READS, Nature::READ_ONLY, Verdict::ask(reason()), false),
        (Capabilities::READS, Nature::READ_ONLY, Verdict::deny(reason()), false),
        (Capabilities::READS, Nature::ONCE, Verdict::Allow, false),
        (Capabilities::WRITES, Nature::READ_ONLY, Verdict::Allow, false),
        (Capabilities::EXECUTES, Nature::READ_ONLY, Verdict::Allow, false),
        (Capabilities::UNKNOWN, Nature::READ_ONLY, Verdict::Allow, false),
    ] {
        let tool = || ScriptedTool::named("bash", "bash", capabilities).nature(nature);
        let make = || build(Pipeline::builder().gate(FixedGate::of_all(gate.clone())).tool(tool()));
        for (name, executor) in wrappings(make) {
            assert_eq!(executor.is_tool_speculatable("bash"), want, "{name} {capabilities:?} {gate:?}");
            assert!(!executor.is_tool_speculatable("nobody"), "{name}");
        }
    }
}

#[tokio::test]
async fn observers_see_refusals_and_layers_do_not() {
    struct Sees(&'static str, Arc<Mutex<Vec<&'static str>>>);
    impl Layer for Sees {
        fn name(&self) -> &'static str {
            self.0
        }
        fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
            self.1.lock().unwrap().push(self.0);
            next.run(request)
        }
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let executor = Pipeline::builder()
        .observer(Sees("outside", seen.clone()))
        .gate(FixedGate::of("reboot", Verdict::deny(reason())))
        .layer(Sees("inside", seen.clone()))
        .layer(map_output("louder", |_, mut o| {
            o.summary = o.summary.to_uppercase();
            o
        }))
        .tool(ScriptedTool::bash())
        .build()
        .unwrap();
    assert_eq!(executor.order(), ["|", "outside", "|", "fixed", "|", "inside", "louder"]);
    executor.execute_tool_call(&bash_call("reboot")).await.unwrap_err();
    assert_eq!(*seen.lock().unwrap(), ["outside"]);
    let output = executor.execute_tool_call(&bash_call("ls")).await.unwrap().unwrap();
    assert_eq!(output.summary, "LS");
    assert_eq!(*seen.lock().unwrap(), ["outside", "outside", "inside"]);
    executor.execute(&fenced(&["ls", "reboot"])).await.unwrap_err();
    assert_eq!(seen.lock().unwrap().last(), Some(&"outside"), "the refused text is seen as well");
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_refused_before_anything_runs() {
    let tool = ScriptedTool::bash();
    let executor = Pipeline::builder().tool(tool.clone()).build().unwrap();
    for (params, want) in [
        (serde_json::json!({}), "missing field `command` (a string)"),
        (serde_json::json!({"comand": "ls"}), "unknown field `comand`: did you mean `command`?"),
        (serde_json::json!({"command": 3}), "field `command` must be a string, not an integer (3)"),
    ] {
        let call = ToolCall::from_json("bash", params).unwrap();
        let error = executor.execute_tool_call_confirmed(&call).await.unwrap_err();
        assert_eq!(error.to_string(), format!("invalid tool parameters: {want}"));
        assert!(!executor.requires_confirmation(&call));
    }
    assert!(tool.ran().is_empty());
    assert!(ToolCall::from_json("bash", serde_json::json!([1])).is_err());
}

#[tokio::test]
async fn an_approval_serves_the_call_it_was_given_for_and_no_other() {
    let tool = ScriptedTool::bash();
    let executor = Pipeline::builder()
        .gate(FixedGate::of_all(Verdict::ask(reason())))
        .tool(tool.clone())
        .build()
        .unwrap();
    let call = bash_call("ls");
    let Err(ToolError::ConfirmationRequired { digest: Some(digest), .. }) =
        executor.execute_tool_call(&call).await
    else {
        unreachable!("the gate asks")
    };
    for other in [bash_call("ls "), bash_call("rm x"), {
        let mut moved = call.clone();
        moved.context.cwd = Some("/elsewhere".into());
        moved
    }] {
        let error = executor.execute_approved(&other, digest).await.unwrap_err();
        assert_eq!(error.code(), "approval-is-for-another-call");
    }
    assert!(tool.ran().is_empty());
    assert!(executor.execute_approved(&call, digest).await.unwrap().is_some());
    assert_eq!(toolgate_exec::CallDigest::from_hex(&digest.to_string()), Some(digest));
}

#[test]
fn two_tools_that_claim_one_name_or_tag_do_not_build() {
    let named = |id| ScriptedTool::named(id, "bash", Capabilities::NONE);
    let build = |a, b| Pipeline::builder().tool(a).tool(b).build().map(drop);
    let clash = |name: &str| Err(BuildError::NameClash { name: name.to_owned() });
    let tagged = |id, tag| ScriptedTool::named(id, tag, Capabilities::NONE);
    assert_eq!(build(tagged("web-scrape", "a"), tagged("Web_Scrape", "b")), clash("web_scrape"));
    assert_eq!(build(named("one"), named("two")), Err(BuildError::TagClash { tag: "bash".to_owned() }));
    assert!(matches!(build(tagged("", "a"), tagged("two", "b")), Err(BuildError::BadDefinition { .. })));
}

#[tokio::test]
async fn events_tell_start_and_end_even_of_a_call_that_is_dropped() {
    let (tx, mut rx) = event_channel(EVENT_CHANNEL_CAPACITY);
    let executor = Pipeline::builder()
        .events(tx)
        .gate(FixedGate::of("reboot", Verdict::deny(reason())))
        .tool(ScriptedTool::bash())
        .build()
        .unwrap();
    executor.execute_tool_call(&bash_call("ls")).await.unwrap();
    executor.execute_tool_call(&bash_call("reboot")).await.unwrap_err();
    let told = |event| match event {
        Some(ToolEvent::Started { command, .. }) => format!("started {command}"),
        Some(ToolEvent::Completed { command, success, .. }) => format!("completed {command} {success}"),
        other => format!("{other:?}"),
    };
    assert_eq!(told(rx.try_recv()), "started ls");
    assert_eq!(told(rx.try_recv()), "completed ls true");
    assert!(rx.try_recv().is_none(), "a refused call never starts");

    let (tx, mut rx) = event_channel(EVENT_CHANNEL_CAPACITY);
    struct Hangs;
    impl toolgate_exec::Tool for Hangs {
        fn definitions(&self) -> Vec<ToolDef> {
            vec![ToolDef::new("hangs", "Hangs.")]
        }
        fn nature(&self, _: &toolgate_exec::ToolId) -> Nature {
            Nature::ONCE
        }
        fn run<'a>(&'a self, _: toolgate_exec::Cleared) -> BoxFuture<'a, Outcome> {
            Box::pin(std::future::pending())
        }
    }
    let executor = Pipeline::builder().events(tx).tool(Hangs).build().unwrap();
    let call = ToolCall::new("hangs", Default::default());
    tokio::select! {
        biased;
        _ = executor.execute_tool_call(&call) => unreachable!("it hangs"),
        () = std::future::ready(()) => {}
    }
    assert_eq!(told(rx.try_recv()), "started hangs");
    assert_eq!(told(rx.try_recv()), "completed hangs false");
}

/// Takes a word out of every text of a call.
struct Without(&'static str);

impl Layer for Without {
    fn name(&self) -> &'static str {
        "without"
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        next.run(request)
    }

    fn mask(&self, text: &str, _: &Session) -> Option<String> {
        assert_ne!(self.0, "panic");
        text.contains(self.0).then(|| text.replace(self.0, "-"))
    }
}

#[tokio::test]
async fn what_a_layer_masks_is_in_no_event_and_no_refusal_of_any_wrapping() {
    let make = || {
        let stack = Pipeline::builder().layer(Without("one")).layer(Without("two"));
        DynExecutor(Arc::new(stack.tool(ScriptedTool::bash()).build().unwrap()))
    };
    // What can't be looked into masks what it tells itself.
    for (name, inner) in wrappings(make).into_iter().filter(|(name, _)| !name.contains("opaque")) {
        let observed = Arc::new(Mutex::new(Vec::new()));
        let (tx, mut rx) = event_channel(EVENT_CHANNEL_CAPACITY);
        let seen = observed.clone();
        let watch = layer_fn("watch", move |request, next| {
            seen.lock().unwrap().push(next.subject(&request).into_owned());
            next.run(request)
        });
        let outer = Pipeline::builder()
            .events(tx)
            .observer(watch)
            .gate(FixedGate::of("rm", Verdict::deny(reason().hint("leave one"))))
            .gate(FixedGate::of("ask", Verdict::ask(reason())))
            .around(ForeignTool::shared(inner.0))
            .build()
            .unwrap();

        outer.execute_tool_call(&bash_call("one two three")).await.unwrap();
        let mut told = 0;
        while let Some(event) = rx.try_recv() {
            if let ToolEvent::Started { command, .. } | ToolEvent::Completed { command, .. } = event {
                assert_eq!(&*command, "- - three", "{name}");
                told += 1;
            }
        }
        assert_eq!(told, 2, "{name}");
        let refused = outer.execute_tool_call(&bash_call("rm one")).await.unwrap_err();
        let said = format!("{refused:?}");
        assert!(said.contains("rm -") && said.contains("leave -"), "{name}: {refused:?}");
        // A person who is asked sees all of it.
        let asked = outer.execute_tool_call(&bash_call("ask one")).await.unwrap_err();
        assert!(format!("{asked:?}").contains("ask one"), "{name}: {asked:?}");
        assert_eq!(observed.lock().unwrap().split_off(0), ["- - three", "rm -", "ask -"], "{name}");
    }
}

#[tokio::test]
async fn where_masking_panics_nothing_is_shown() {
    let (tx, mut rx) = event_channel(EVENT_CHANNEL_CAPACITY);
    let stack = Pipeline::builder().events(tx).layer(Without("panic")).tool(ScriptedTool::bash());
    stack.build().unwrap().execute_tool_call(&bash_call("one")).await.unwrap();
    let Some(ToolEvent::Started { command, .. }) = rx.try_recv() else { panic!("no start") };
    assert_eq!(&*command, "[not shown: what masks it panicked]");
}

#[tokio::test]
async fn undo_and_redo_are_judged_like_any_call_that_writes_and_reach_the_store() {
    struct Store;
    impl Checkpoints for Store {
        fn undo(&self, n: usize) -> BoxFuture<'_, CheckpointActionResult> {
            Box::pin(async move {
                let mut result = CheckpointActionResult::nothing("undone");
                result.reverted_commands = n;
                result
            })
        }
        fn redo(&self) -> BoxFuture<'_, CheckpointActionResult> {
            Box::pin(async { CheckpointActionResult::nothing("redone") })
        }
        fn list(&self) -> BoxFuture<'_, CheckpointListResult> {
            Box::pin(async {
                let mut list = CheckpointListResult::default();
                list.supported = true;
                list
            })
        }
    }
    struct NoWrites;
    impl toolgate_exec::Gate for NoWrites {
        fn name(&self) -> &'static str {
            "no-writes"
        }
        fn check(&self, call: &ToolCall, _: &toolgate_exec::Session) -> Verdict {
            if call.capabilities().writes() { Verdict::deny(reason()) } else { Verdict::Allow }
        }
    }
    let open = || build(Pipeline::builder().checkpoints(Arc::new(Store)).tool(ScriptedTool::bash()));
    for (name, executor) in wrappings(open) {
        assert_eq!(executor.checkpoint_undo(2).await.reverted_commands, 2, "{name}");
        assert_eq!(executor.checkpoint_redo().await.message, "redone", "{name}");
        assert!(executor.checkpoint_list().await.supported, "{name}");
    }
    let closed =
        || build(Pipeline::builder().gate(NoWrites).checkpoints(Arc::new(Store)).tool(ScriptedTool::bash()));
    for (name, executor) in wrappings(closed) {
        let result = executor.checkpoint_undo(2).await;
        assert_eq!((result.reverted_commands, result.supported), (0, true), "{name}: {result:?}");
    }
    let none = build(Pipeline::builder().tool(ScriptedTool::bash()));
    assert_eq!(none.checkpoint_undo(1).await, CheckpointActionResult::unsupported());
}

#[tokio::test]
async fn users_may_implement_either_trait_themselves() {
    struct Plain;
    impl ToolExecutor for Plain {
        async fn execute(&self, _: &str) -> Result<Option<ToolOutput>, ToolError> {
            Ok(None)
        }
        fn tool_definitions(&self) -> Vec<ToolDef> {
            vec![ToolDef::new("plain", "A tool.")]
        }
        async fn execute_tool_call(&self, _: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
            Ok(Some(ToolOutput::new("plain", "ran")))
        }
        toolgate_exec::tool_executor_no_inner_defaults!();
    }
    struct Erased;
    impl toolgate_exec::ErasedToolExecutor for Erased {
        fn execute_erased<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>> {
            Box::pin(async { Ok(None) })
        }
        fn tool_definitions_erased(&self) -> Vec<ToolDef> {
            vec![]
        }
        fn execute_tool_call_erased<'a>(
            &'a self,
            _: &'a ToolCall,
        ) -> BoxFuture<'a, Result<Option<ToolOutput>, ToolError>> {
            Box::pin(async { Ok(None) })
        }
        toolgate_exec::erased_tool_executor_no_inner_defaults!();
    }
    let call = ToolCall::new("plain", Default::default());
    for executor in [DynExecutor(Arc::new(Plain)), DynExecutor(Arc::new(Erased))] {
        assert!(executor.requires_confirmation(&call), "a leaf's strict answer");
        assert!(!executor.is_tool_speculatable("plain") && !executor.is_tool_retryable("plain"));
        assert!(!executor.checkpoint_undo(1).await.supported);
    }
    // A leaf that always asks can be confirmed through a composite, structured and once.
    let both = CompositeExecutor::new(Plain, DynExecutor(Arc::new(Erased))).unwrap();
    assert_eq!(Came::from(both.execute_tool_call(&call).await), Came::Asks);
    assert_eq!(Came::from(both.execute_tool_call_confirmed(&call).await), Came::Ran("ran".to_owned()));
}
