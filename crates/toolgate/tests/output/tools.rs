//! The answers of other tools: those of an MCP server, say.

use serde_json::{Value, json};
use toolgate::exec::{
    BoxFuture, Capabilities, Cleared, EVENT_CHANNEL_CAPACITY, ForeignTool, Nature, Outcome, Pipeline, Tool,
    ToolDef, ToolEvent, ToolExecutor as _, ToolId, ToolOutput, event_channel,
};

use crate::{Place, call, id};

/// A tool of some server that gives a fixed answer.
struct Server(ToolOutput);

impl Server {
    fn saying(text: impl Into<String>) -> Self {
        Self(ToolOutput::new("list_issues", text))
    }
}

impl Tool for Server {
    fn definitions(&self) -> Vec<ToolDef> {
        vec![
            ToolDef::new("list_issues", "Lists issues.")
                .capabilities(Capabilities::MCP | Capabilities::NETWORK),
        ]
    }

    fn nature(&self, _: &ToolId) -> Nature {
        Nature::ONCE
    }

    fn run<'a>(&'a self, _: Cleared) -> BoxFuture<'a, Outcome> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

async fn ask(place: &Place, server: Server) -> ToolOutput {
    call(&place.with_tool(server), "list_issues", json!({})).await.unwrap()
}

fn words(bytes: usize) -> String {
    (0..)
        .map(|n: u64| format!("word{} ", n * n))
        .scan(0, |sum, word| {
            *sum += word.len();
            (*sum < bytes).then_some(word)
        })
        .collect()
}

#[tokio::test]
async fn a_long_answer_is_cut_by_us_with_totals_and_an_id() {
    let place = Place::showing(10_000);
    let text = words(200_000);
    let out = ask(&place, Server::saying(&text)).await;
    assert!(out.summary.chars().count() < 10_400);
    assert!(out.summary.starts_with("word0 word1 ") && out.summary.contains(&text[text.len() - 20..]));
    assert!(
        out.summary.contains("[… toolgate: ") || out.summary.contains("not shown; output_read"),
        "{}",
        out.summary
    );
    assert!(out.summary.contains(&id(&out)));
    assert_eq!(out.stored.as_ref().unwrap().bytes, text.len() as u64);
    assert!(place.stored() == text, "the whole of it is kept");
}

#[tokio::test]
async fn an_answer_that_can_be_shown_is_left_as_it_is() {
    let place = Place::new();
    // A filter would fold these; a tool that is no command was asked for just this.
    let text: String =
        (0..300).map(|n| format!("2026-11-30 12:00:{:02} INFO request {n} done\n", n % 60)).collect();
    let out = ask(&place, Server::saying(&text)).await;
    assert_eq!((out.summary, out.filter_stats, out.stored), (text, None, None));
    assert!(place.files().is_empty());
}

#[tokio::test]
async fn a_list_as_json_is_kept_first_and_then_shown_by_its_shape() {
    let place = Place::showing(8_000);
    let issue = |n: u32| json!({"id": n, "title": format!("Issue number {n}"), "state": if n == 77 { "FAILED" } else { "open" }, "body": "x".repeat(80)});
    let text = Value::Array((0..300).map(issue).collect()).to_string();
    let out = ask(&place, Server::saying(&text)).await;
    assert!(place.stored() == text);
    assert!(
        out.summary.chars().count() <= 8_400 && out.summary.contains("Issue number 0"),
        "{}",
        out.summary
    );
    assert!(out.summary.contains("Issue number 299") && out.summary.contains("FAILED"), "{}", out.summary);
    assert!(out.summary.contains(&id(&out)));
}

#[tokio::test]
async fn the_end_of_an_answer_is_shown_too() {
    let place = Place::showing(2_000);
    let text = words(30_000) + "\n\nnext page: cursor=abc123";
    assert!(ask(&place, Server::saying(text)).await.summary.contains("next page: cursor=abc123"));
}

#[tokio::test]
async fn a_result_as_data_is_bounded_as_well() {
    let place = Place::showing(1_000);
    let data = json!({"rows": (0..10_000).collect::<Vec<_>>()});
    let out =
        ask(&place, Server(ToolOutput::new("list_issues", "10000 rows").with_structured(data.clone()))).await;
    assert_eq!(out.structured, None);
    assert!(out.summary.starts_with("10000 rows\n[… toolgate: the result as data, "), "{}", out.summary);
    assert_eq!(serde_json::from_str::<Value>(&place.stored()).unwrap(), data);
    let small = json!({"rows": [1, 2, 3]});
    let out =
        ask(&place, Server(ToolOutput::new("list_issues", "3 rows").with_structured(small.clone()))).await;
    assert_eq!(out.structured, Some(small));
}

#[tokio::test]
async fn what_a_watcher_is_told_is_no_longer_than_what_the_model_is() {
    let place = Place::showing(1_000);
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let pipeline =
        place.stack(&place.outputs()).events(events).tool(Server::saying(words(3_000_000))).build().unwrap();
    call(&pipeline, "list_issues", json!({})).await.unwrap();
    let mut told = false;
    while let Some(event) = watcher.try_recv() {
        if let ToolEvent::Completed { output, .. } = event {
            assert!(output.len() < 1_500);
            told = true;
        }
    }
    assert!(told);
}

#[tokio::test]
async fn an_executor_behind_ours_and_an_id_it_made_up_are_treated_alike() {
    let place = Place::showing(1_000);
    let text = words(30_000);
    let mut answer = ToolOutput::new("list_issues", &*text);
    let made_up = "0f0e0d0c-0b0a-4908-8706-050403020100";
    answer.stored = Some(toolgate::exec::StoredOutput { id: Some(made_up.to_owned()), ..Default::default() });
    let inner = Pipeline::builder().tool(Server(answer)).build().unwrap();
    let pipeline = place.with_tool(ForeignTool::owned(inner));
    let out = call(&pipeline, "list_issues", json!({})).await.unwrap();
    assert_ne!(id(&out), made_up);
    assert!(place.stored() == text && out.summary.contains(&id(&out)));
    // And through the door for replies.
    assert!(pipeline.execute("no call in here").await.unwrap().is_none());
}
