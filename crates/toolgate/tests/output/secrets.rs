//! No secret gets out, whatever the door.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use toolgate::exec::{
    Capabilities, EVENT_CHANNEL_CAPACITY, Pipeline, PipelineBuilder, ToolCall, ToolError, ToolEvent,
    ToolExecutor as _, ToolOutput, event_channel,
};
use toolgate::layers::{FilterLayer, OverflowLayer, RedactLayer};
use toolgate::skill_secrets::Masked;
use toolgate::subagent::{SubagentManager, SubagentSpec};
use toolgate_testkit::doors::bash_call;
use toolgate_testkit::{Answer, ScriptedTool};

use crate::{Place, bash, call};

/// A token by its shape, and a value of the session.
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const VALUE: &str = "correct-horse-battery-staple";

fn shows(text: &str) -> bool {
    // Half of a secret is one too.
    [TOKEN, VALUE].iter().any(|secret| {
        let half = secret.len() / 2;
        text.contains(&secret[..half]) || text.contains(&secret[half..])
    })
}

#[tokio::test]
async fn a_secret_on_the_command_line_is_in_no_answer_event_file_or_record() {
    let place = Place::showing(1_000);
    place.secrets.add([VALUE]);
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let pipeline = place.with_shell_watched(Some(events));
    let command = format!("true -H 'Authorization: Bearer {TOKEN}' {VALUE}; seq 1 1000");
    let mut answers = vec![bash(&pipeline, &command).await.unwrap()];
    answers.push(call(&pipeline, "bash", json!({"command": command, "background": true})).await.unwrap());
    answers.push(call(&pipeline, "bash_list", json!({})).await.unwrap());
    assert!(answers[0].filter_stats.as_ref().is_some_and(|stats| stats.command.is_some()));
    assert!(answers[2].summary.contains("Bearer [redacted]"), "{}", answers[2].summary);
    for answer in answers {
        assert!(!shows(&serde_json::to_string(&answer).unwrap()), "{answer:?}");
    }
    let masked = "true -H 'Authorization: Bearer [redacted]' [redacted]; seq 1 1000";
    let mut told = 0;
    while let Some(event) = watcher.try_recv() {
        assert!(!shows(&format!("{event:?}")), "{event:?}");
        if let ToolEvent::Started { command, .. } | ToolEvent::Completed { command, .. } = &event {
            told += usize::from(&**command == masked);
        }
    }
    assert!(told >= 3, "{told}");
    assert!(place.files().iter().all(|(_, bytes)| !shows(&String::from_utf8_lossy(bytes))));
}

#[tokio::test]
async fn a_secret_in_two_pieces_is_in_no_answer_event_file_or_record() {
    let place = Place::showing(1_000);
    place.secrets.add([VALUE]);
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let pipeline = place.with_shell_watched(Some(events));
    let (a, b) = TOKEN.split_at(9);
    let (c, d) = VALUE.split_at(11);
    let say = |x: &str| x.chars().map(|c| format!("\\x{:x}", c as u32)).collect::<String>();
    let command = format!(
        "seq 1 1000; printf '{}'; sleep 0.02; printf '{} \\n{}'; sleep 0.02; printf '{}\\n' >&2; printf '{}\\n'; exit 1",
        say(a),
        say(b),
        say(c),
        say(VALUE),
        say(d)
    );
    let out = bash(&pipeline, &command).await.unwrap();
    assert!(!shows(&serde_json::to_string(&out).unwrap()), "{out:?}");
    assert!(out.summary.contains("[redacted]"));
    let mut seen = 0;
    while let Some(event) = watcher.try_recv() {
        assert!(!shows(&format!("{event:?}")), "{event:?}");
        seen += 1;
    }
    assert!(seen > 2);
    let files = place.files();
    assert!(
        files.len() == 2 && files.iter().all(|(_, bytes)| !shows(&String::from_utf8_lossy(bytes))),
        "{files:?}"
    );
}

#[tokio::test]
async fn the_variables_of_a_skill_are_masked_in_the_foreground_and_the_background() {
    let place = Place::new();
    let pipeline = place.with_shell();
    pipeline.set_skill_env(Some(HashMap::from([("KEY".to_owned(), VALUE.to_owned())])));
    for background in [false, true] {
        let params = json!({"command": "echo $KEY; env | grep ^KEY", "background": background});
        let out = call(&pipeline, "bash", params).await.unwrap();
        let out = if background { output_of(&pipeline, &out).await } else { out };
        assert!(!shows(&format!("{out:?}")), "{out:?}");
        assert!(out.summary.contains("KEY="), "{out:?}");
    }
}

/// Asks for the output of a background run until it has ended.
async fn output_of(pipeline: &Pipeline, started: &ToolOutput) -> ToolOutput {
    loop {
        let id = started.structured.as_ref().unwrap()["id"].clone();
        let out = call(pipeline, "bash_output", json!({ "id": id })).await.unwrap();
        if out.exit.is_some() {
            return out;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_skills_secret_is_in_no_answer_event_file_or_record_of_its_calls_or_of_another_skills() {
    let place = Place::showing(1_000);
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let pipeline = Arc::new(place.with_shell_watched(Some(events)));
    let child = SubagentManager::new(pipeline.clone(), 1).spawn(&SubagentSpec::new("of-a")).await.unwrap();
    let skill = |key: &str, value: &str| HashMap::from([(key.to_owned(), value.to_owned())]);

    // The first skill, by an agent whose calls are written down: long enough to be kept in a file.
    let vars = skill("KEY_A", VALUE);
    let of_a = Masked::new(&place.secrets, vars.values());
    child.set_skill_env(Some(vars));
    let left = place.dir.path().join("left-behind");
    let command = format!("seq 1 1000; echo it is $KEY_A; printenv KEY_A > {}", left.display());
    let typed = bash_call(&format!("true {VALUE} {TOKEN}"));
    child.execute_tool_call(&typed).await.unwrap().unwrap();
    assert_eq!(child.transcript()[0].subject, "true [redacted] [redacted]");
    let out = child.execute_tool_call(&bash_call(&command)).await.unwrap().unwrap();
    assert!(out.stored.is_some() && out.summary.contains("it is "), "{out:?}");
    let waits = format!(
        "until [ -e {0} ]; do :; done; echo late $KEY_A b:${{KEY_B-}}",
        place.dir.path().join("go").display()
    );
    let params = json!({"command": waits, "background": true});
    let run = child.execute_tool_call(&ToolCall::from_json("bash", params).unwrap()).await.unwrap().unwrap();
    let mut told = vec![format!("{out:?} {run:?}"), format!("{child:?} {:?}", child.transcript())];

    // The second skill comes while a run of the first goes on: it has its own value, and sees what was left.
    let vars = skill("KEY_B", "value-of-the-second");
    let of_b = Masked::new(&place.secrets, vars.values());
    pipeline.set_skill_env(Some(vars));
    let out = bash(&pipeline, &format!("cat {}; echo a:${{KEY_A-}} b:${{#KEY_B}} $KEY_B", left.display()))
        .await
        .unwrap();
    assert!(out.summary.contains("a: b:19 ") && !out.summary.contains("of-the-second"), "{out:?}");
    told.push(format!("{out:?}"));
    let params = json!({"command": "echo a:${KEY_A-} b:${#KEY_B}", "background": true});
    let run_of_b = call(&pipeline, "bash", params).await.unwrap();
    assert_eq!(output_of(&pipeline, &run_of_b).await.structured.unwrap()["stdout"], "a: b:19\n");

    // Both are gone, and the run of the first prints only now.
    pipeline.set_skill_env(None);
    child.set_skill_env(None);
    drop((of_a, of_b));
    std::fs::remove_file(&left).unwrap();
    std::fs::write(place.dir.path().join("go"), "").unwrap();
    let params = json!({ "id": run.structured.as_ref().unwrap()["id"] });
    let ask = ToolCall::from_json("bash_output", params).unwrap();
    let late = loop {
        let out = child.execute_tool_call(&ask).await.unwrap().unwrap();
        if out.exit.is_some() {
            break out;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    assert!(late.summary.contains("late ") && late.summary.contains(" b:"), "{late:?}");
    assert!(!late.summary.contains("of-the-second"), "{late:?}");
    told.push(format!("{late:?} {:?} {place:?}", child.transcript(), place = place.secrets));
    while let Some(event) = watcher.try_recv() {
        told.push(format!("{event:?}"));
    }
    let files = place.files().into_iter().map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned());
    for text in told.into_iter().chain(files) {
        assert!(!shows(&text), "{text}");
    }
    assert!(!place.files().is_empty());
}

#[tokio::test]
async fn what_a_tool_fails_with_is_masked_too() {
    let place = Place::new();
    place.secrets.add([VALUE]);
    let said = format!("it is {VALUE} and {TOKEN}");
    let errors = [
        ToolError::invalid_params(said.clone()),
        ToolError::execution(said.clone(), std::io::Error::other(said.clone())),
        ToolError::Http { status: 500, message: said.clone() },
        ToolError::SandboxViolation {
            path: said.clone().into(),
            message: said.clone(),
            hint: Some(said.clone()),
        },
        ToolError::SnapshotFailed { reason: said.clone() },
    ];
    for error in errors {
        let pipeline = place.with_tool(ScriptedTool::bash().then(Answer::Error(error)));
        let error = pipeline.execute_tool_call(&bash_call("x")).await.unwrap_err();
        assert!(!shows(&format!("{error} {error:?} {:?}", error.hint())), "{error:?}");
    }
}

/// The three layers in the order of a number below six.
fn in_order(place: &Place, order: usize) -> PipelineBuilder {
    let mut rest = vec![0, 1, 2];
    let first = rest.remove(order / 2);
    let second = rest.remove(order % 2);
    let outputs = place.outputs();
    [first, second, rest[0]].into_iter().fold(Pipeline::builder(), |stack, layer| match layer {
        0 => stack.layer(RedactLayer::new(place.secrets.clone())),
        1 => stack.layer(FilterLayer::new(place.filters()).keeping(outputs.clone())),
        _ => stack.layer(OverflowLayer::new(outputs.clone())),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn in_any_order_of_the_layers_nothing_gets_out(
        before in 0usize..900, between in 0usize..900, word in "[a-z \n]{1,12}", order in 0usize..6, fails: bool,
    ) {
        let place = Place::showing(400);
        place.secrets.add([VALUE]);
        let text = format!("{} {VALUE} {} {TOKEN}\n{word}", word.repeat(before / word.len()), word.repeat(between / word.len()));
        let tool = ScriptedTool::bash().then(match fails {
            false => Answer::Text(text),
            true => Answer::Error(ToolError::Timeout {
                timeout_secs: 1,
                partial: Some(Box::new(toolgate::exec::ToolOutput::new("bash", text))),
            }),
        });
        let pipeline = in_order(&place, order).tool(tool).build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outcome = runtime.block_on(pipeline.execute_tool_call(&bash_call("make all")));
        prop_assert!(!shows(&format!("{outcome:?}")), "{:?}", outcome);
        for (path, bytes) in place.files() {
            prop_assert!(!shows(&String::from_utf8_lossy(&bytes)), "{}", path.display());
        }
    }
}

#[test]
fn reading_tools_say_what_they_can_do() {
    let place = Place::new();
    let tools = place.with_shell().all_definitions();
    let of = |id: &str| tools.iter().find(|def| def.id == id).unwrap().capabilities;
    for id in ["output_read", "output_grep", "output_tail"] {
        assert!(of(id).is_read_only(), "{id}");
    }
    assert!(of("output_delete").has(Capabilities::DELETES) && !of("output_delete").is_read_only());
}
