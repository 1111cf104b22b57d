//! Reading what was kept.

use serde_json::json;
use toolgate::exec::{Pipeline, ToolExecutor as _};

use crate::{Place, bash, call, id};

async fn stored(place: &Place, pipeline: &Pipeline, command: &str) -> String {
    let out = bash(pipeline, command).await.unwrap();
    assert!(place.config.dir.as_ref().unwrap().exists());
    id(&out)
}

async fn read(pipeline: &Pipeline, params: serde_json::Value) -> String {
    call(pipeline, "output_read", params).await.unwrap().summary
}

#[tokio::test]
async fn a_window_is_exactly_what_was_asked_for() {
    let place = Place::showing(1_000);
    let pipeline = place.with_shell();
    let id = stored(&place, &pipeline, "seq 1 12000").await;
    let text = read(&pipeline, json!({"id": id, "from_line": 11_098, "lines": 30})).await;
    let want: String = (11_098..=11_127).map(|n| format!("{n}\n")).collect();
    assert_eq!(text, format!("{want}[lines 11098 to 11127; more: output_read id={id} from_line=11128]"));
    // No line after the last, and no false hint of one.
    let text = read(&pipeline, json!({"id": id, "from_line": 11_999, "lines": 2})).await;
    assert_eq!(text, "11999\n12000\n[lines 11999 to 12000, the last]");
    assert_eq!(read(&pipeline, json!({"id": id, "from_line": 12_001})).await, "[there is no line 12001]");
    let tail = call(&pipeline, "output_tail", json!({"id": id, "lines": 1})).await.unwrap();
    assert_eq!(tail.summary, "12000\n[lines 12000 to 12000, the last; 60894 bytes in all]");
}

#[tokio::test]
async fn an_answer_is_never_longer_than_may_be_shown_and_goes_on_where_it_ended() {
    let place = Place::showing(2_000);
    let pipeline = place.with_shell();
    let id = stored(&place, &pipeline, "seq 1 12000").await;
    let (mut from, mut all) = (1, String::new());
    loop {
        let out = call(&pipeline, "output_read", json!({"id": id, "from_line": from, "lines": 100_000}))
            .await
            .unwrap();
        assert!(out.summary.len() < 2_200);
        let data = out.structured.unwrap();
        all.push_str(&out.summary[..out.summary.rfind('[').unwrap()]);
        from += data["lines"].as_u64().unwrap();
        if data["more"] == false {
            break;
        }
    }
    assert_eq!(all, place.stored());
}

#[tokio::test]
async fn one_long_line_is_read_by_bytes() {
    let place = Place::showing(4_000);
    let pipeline = place.with_shell();
    let out = bash(&pipeline, "head -c 1700000 /dev/zero | tr '\\0' x; printf needle").await.unwrap();
    let id = id(&out);
    assert!(out.summary.ends_with("needle") || out.summary.contains("needle\n"), "{}", &out.summary[3_000..]);
    let text = read(&pipeline, json!({"id": id, "offset": 1_699_990, "length": 100})).await;
    assert_eq!(text, "xxxxxxxxxxneedle\n[bytes 1699990 to 1700006 of 1700006]");
    let text = read(&pipeline, json!({"id": id})).await;
    assert!(text.contains("line 1 is too long to go by lines: use `offset` and `length`"), "{text}");
    let found = call(&pipeline, "output_grep", json!({"id": id, "pattern": "need.e"})).await.unwrap();
    assert_eq!(found.structured.unwrap()["matches"][0]["offset"], 1_700_000);
}

#[tokio::test]
async fn an_id_is_no_path_and_what_is_not_there_is_told() {
    let place = Place::showing(1_000);
    let pipeline = place.with_shell();
    let id = stored(&place, &pipeline, "seq 1 12000").await;
    std::fs::write(place.dir.path().join("secret"), "secret").unwrap();
    for bad in [
        "",
        "../secret",
        "/etc/passwd",
        "outputs",
        &format!("../outputs/{id}"),
        &format!("{id}/../{id}"),
        &id.to_uppercase(),
    ] {
        for tool in ["output_read", "output_tail", "output_delete"] {
            let error = call(&pipeline, tool, json!({"id": bad})).await.unwrap_err();
            assert_eq!(error.code(), "invalid-params", "{tool} {bad}");
        }
    }
    let gone = call(&pipeline, "output_delete", json!({"id": id})).await.unwrap();
    assert_eq!(gone.structured.unwrap()["removed"], true);
    assert_eq!(
        call(&pipeline, "output_delete", json!({"id": id})).await.unwrap().structured.unwrap()["removed"],
        false
    );
    let error = call(&pipeline, "output_read", json!({"id": id})).await.unwrap_err();
    assert!(error.to_string().contains("it may have been removed"), "{error}");
}

#[tokio::test]
async fn bad_patterns_and_mixed_windows_are_refused_with_a_reason() {
    let place = Place::showing(1_000);
    let pipeline = place.with_shell();
    let id = stored(&place, &pipeline, "seq 1 12000").await;
    for pattern in ["(", "(a{1000}){1000}", &"a".repeat(2_000)] {
        let error = call(&pipeline, "output_grep", json!({"id": id, "pattern": pattern})).await.unwrap_err();
        assert_eq!(error.code(), "invalid-params", "{error}");
    }
    let error = call(&pipeline, "output_read", json!({"id": id, "lines": 5, "offset": 0})).await.unwrap_err();
    assert!(error.to_string().contains("not both"));
}

#[tokio::test]
async fn two_sessions_share_a_store_and_only_reading_is_speculated_on() {
    let place = Place::showing(1_000);
    let (a, b) = (place.with_shell(), place.with_shell());
    let id = stored(&place, &a, "seq 1 12000").await;
    assert!(read(&b, json!({"id": id, "lines": 1})).await.starts_with("1\n"));
    assert!(a.is_tool_speculatable("output_grep") && !a.is_tool_speculatable("output_delete"));
    assert!(a.is_tool_retryable("output_tail") && !a.is_tool_retryable("output_delete"));
}
