//! The output of commands, as it streams.

use std::time::Instant;

use serde_json::json;
use toolgate::exec::{ExitStatus, FilterConfidence, ToolError};
use toolgate::overflow::Persist;

use crate::{Place, bash, call, id, program};

#[tokio::test]
async fn a_failure_after_ten_megabytes_is_told_with_both_ends_and_an_id() {
    let place = Place::new();
    let pipeline = place.with_shell();
    let command = "echo first; seq 1 1500000; echo 'error: it broke' >&2; exit 3";
    let out = bash(&pipeline, command).await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Code(3)));
    assert!(out.summary.chars().count() <= 50_200);
    assert!(out.summary.starts_with("first\n1\n2\n"), "{}", &out.summary[..40]);
    assert!(out.summary.contains("error: it broke") && out.summary.ends_with("[exit status 3]"));
    let stored = out.stored.clone().unwrap();
    let all: String = "first\n"
        .chars()
        .chain((1..=1_500_000).flat_map(|n| format!("{n}\n").chars().collect::<Vec<_>>()))
        .collect();
    let all = all + "error: it broke\n";
    assert_eq!((stored.bytes, stored.lines, stored.missing_bytes), (all.len() as u64, 1_500_002, 0));
    assert!(out.summary.contains(&stored.read.unwrap()), "it says how to read on");
    assert_eq!(out.links[0].uri, format!("toolout:///{}", id(&out)));
    assert!(place.stored() == all);
    let read =
        call(&pipeline, "output_read", json!({"id": id(&out), "from_line": 777_777, "lines": 2})).await;
    assert!(read.unwrap().summary.starts_with("777776\n777777\n"));
}

#[tokio::test]
async fn the_same_without_a_filter_says_exactly_what_is_missing_and_where() {
    let place = Place::showing(10_000);
    let outputs = place.outputs();
    let shell = toolgate::shell::ShellTool::builder().outputs(outputs.clone()).build().unwrap();
    let pipeline = toolgate::exec::Pipeline::builder()
        .layer(toolgate::layers::OverflowLayer::new(outputs))
        .tool(shell)
        .build()
        .unwrap();
    let out = bash(&pipeline, "seq 1 100000; exit 1").await.unwrap();
    let cut = out.truncation.unwrap();
    let notice = out.summary.lines().find(|line| line.starts_with('[')).unwrap();
    let from: usize = notice.split("from_line=").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let shown: Vec<_> = out.summary.lines().filter(|line| !line.starts_with('[')).collect();
    assert_eq!(shown[from - 2], (from - 1).to_string());
    assert_eq!(shown.len() as u64 + cut.dropped_lines, 100_000);
    assert!(notice.contains(&format!("{} of {} bytes", cut.dropped_bytes, cut.total_bytes)), "{notice}");
    assert_eq!(shown.last(), Some(&"100000"));
}

#[tokio::test]
async fn what_runs_out_of_time_is_kept_too() {
    let place = Place::new();
    let params = json!({"command": "seq 1 100000; echo 'panicked at x.rs:1'; sleep 60", "timeout": 1});
    let error = call(&place.with_shell(), "bash", params).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }));
    let partial = error.partial().unwrap();
    assert!(partial.summary.contains("panicked at x.rs:1") && partial.summary.contains("timed out"));
    assert!(place.stored().ends_with("100000\npanicked at x.rs:1\n"));
    assert_eq!(partial.stored.as_ref().unwrap().lines, 100_001);
}

#[tokio::test]
async fn a_run_in_the_background_can_be_read_while_it_goes_on() {
    let place = Place::showing(1_000);
    let pipeline = place.with_shell();
    let pipes = tempfile::tempdir().unwrap();
    let dir = pipes.path().to_owned();
    let command = format!(
        "seq 1 10000; mkfifo {0}/go; echo waits; read line < {0}/go; echo $line; exit 4",
        dir.display()
    );
    let started = call(&pipeline, "bash", json!({"command": command, "background": true})).await.unwrap();
    let run = json!({"id": started.structured.unwrap()["id"]});
    let began = Instant::now();
    let id = loop {
        let out = call(&pipeline, "bash_output", run.clone()).await.unwrap();
        assert!(began.elapsed().as_secs() < 60, "{out:?}");
        if out.summary.ends_with("waits") {
            assert!(out.summary.contains("not shown; output_read id="), "{}", out.summary);
            break id(&out);
        }
        tokio::task::yield_now().await;
    };
    let found = call(&pipeline, "output_grep", json!({"id": id, "pattern": "^(5000|waits)$"})).await.unwrap();
    assert!(found.summary.starts_with("5000:5000\n10001:waits\n"), "{}", found.summary);
    std::fs::write(dir.join("go"), "went on\n").unwrap();
    loop {
        let out = call(&pipeline, "bash_output", run.clone()).await.unwrap();
        assert!(began.elapsed().as_secs() < 60, "{out:?}");
        if out.exit == Some(ExitStatus::Code(4)) {
            assert_eq!(crate::id(&out), id);
            assert!(out.summary.contains("went on"));
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(place.stored().ends_with("waits\nwent on\n"));
}

#[tokio::test]
async fn up_to_the_limit_all_of_it_is_shown_whatever_its_bytes() {
    let place = Place::showing(150_000);
    let out = bash(&place.with_shell(), "head -c 50000 /dev/zero | tr '\\0' x | fold -w 77").await.unwrap();
    assert_eq!(out.summary.len(), 50_000 + 50_000 / 77);
    assert!(out.stored.is_none() && out.truncation.is_none());
    let place = Place::showing(1_000);
    let pipeline = place.with_shell();
    let out = bash(&pipeline, "for i in {1..999}; do printf 🦀; done").await.unwrap();
    assert_eq!(out.summary, "🦀".repeat(999));
    assert!(
        place.files().iter().all(|(path, _)| path.extension().is_some_and(|e| e == "jsonl")),
        "no file for it"
    );
    let out = bash(&pipeline, "for i in {1..1001}; do printf 🦀; done").await.unwrap();
    assert_eq!(place.stored(), "🦀".repeat(1_001));
    assert!(out.summary.chars().count() < 1_200 && out.summary.starts_with('🦀'));
}

#[tokio::test]
async fn long_lines_do_not_hide_the_last_one() {
    let place = Place::showing(10_000);
    let command = "for i in {1..20}; do head -c 2000 /dev/zero | tr '\\0' x; echo; done; echo 'error: the disk is on fire'";
    let out = bash(&place.with_shell(), command).await.unwrap();
    assert!(out.summary.contains("error: the disk is on fire"));
    assert!(out.summary.chars().count() <= 10_200);
}

#[tokio::test]
async fn what_a_filter_leaves_out_can_be_had_back_and_is_recorded_without_arguments() {
    let place = Place::new();
    let pipeline = place.with_shell();
    let bin = place.dir.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    program(
        &bin,
        "cargo",
        "for i in {1..60}; do echo \"   Compiling crate-$i v1.0.$i\" >&2; done; echo 'error[E0425]: cannot find value' >&2; exit 101",
    );
    let command = format!("PATH={}:$PATH cargo build --features s3cret-word", bin.display());
    let out = bash(&pipeline, &command).await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Code(101)));
    assert!(out.summary.contains("error[E0425]") && !out.summary.contains("crate-30 "), "{}", out.summary);
    assert!(
        out.summary.contains(&format!("60 lines not shown; output_read id={}", id(&out))),
        "{}",
        out.summary
    );
    let stats = out.filter_stats.unwrap();
    assert!(stats.filtered_chars < stats.raw_chars && stats.raw_lines == 61);
    assert_ne!(stats.confidence, Some(FilterConfidence::Fallback));
    let read = call(&pipeline, "output_read", json!({"id": out.stored.unwrap().id})).await.unwrap();
    assert!(read.summary.contains("crate-30 v1.0.30") && read.summary.ends_with("[lines 1 to 61, the last]"));

    let gain = place.gain().read(0).unwrap();
    assert_eq!(gain.commands.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["cargo build"]);
    let record = std::fs::read_to_string(place.dir.path().join("gain.jsonl")).unwrap();
    assert!(!record.contains("s3cret") && record.len() < 200, "{record}");
}

#[tokio::test]
async fn where_nothing_may_be_kept_nothing_is_and_nothing_says_so() {
    let mut place = Place::showing(1_000);
    place.config.persist = Persist::Never;
    let out = bash(&place.with_shell(), "seq 1 10000; exit 5").await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Code(5)));
    assert!(out.summary.contains("not shown") && !out.summary.contains("output_read"), "{}", out.summary);
    assert!(out.summary.starts_with("1\n2\n") && out.summary.contains("10000") && out.stored.is_none());
    assert!(!place.config.dir.unwrap().exists());
}

#[tokio::test]
async fn a_store_that_fails_costs_nothing_but_the_middle() {
    let mut place = Place::showing(1_000);
    place.config.dir = Some("/proc/no/such/place".into());
    let out = bash(&place.with_shell(), "seq 1 10000; exit 6").await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Code(6)));
    assert!(out.summary.starts_with("1\n2\n") && out.summary.contains("10000"));
    assert!(!out.summary.contains("output_read"), "{}", out.summary);
    assert!(out.summary.contains("not kept: cannot open the folder"), "{}", out.summary);
    let stored = out.stored.unwrap();
    assert_eq!((stored.id, stored.bytes, stored.missing_bytes), (None, 48_894, 48_894));
    assert!(stored.error.unwrap().contains("cannot open the folder"));
}

#[tokio::test]
async fn an_output_beyond_its_cap_keeps_its_end_and_the_command_goes_on() {
    let mut place = Place::showing(1_000);
    place.config.max_output_bytes = 100_000;
    let out = bash(&place.with_shell(), "seq 1 200000; echo the end; exit 7").await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Code(7)));
    let stored = out.stored.unwrap();
    assert!(stored.missing_bytes > 1_000_000 && stored.error.unwrap().contains("longer than"));
    let told = format!("{} bytes of it not kept: longer than one output may be", stored.missing_bytes);
    assert!(out.summary.contains(&told), "{}", out.summary);
    let file = place.stored();
    assert!(file.starts_with("1\n2\n") && file.ends_with("200000\nthe end\n") && file.len() < 101_000);
}

#[tokio::test]
async fn old_and_many_outputs_go_when_a_new_one_comes_and_nothing_else_does() {
    let mut place = Place::showing(200);
    place.config.quota_bytes = 30_000;
    let pipeline = place.with_shell();
    let dir = place.config.dir.clone().unwrap();
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    let mut ids = Vec::new();
    for n in 0..6 {
        ids.push(id(&bash(&pipeline, &format!("echo {n}; seq 1 2000")).await.unwrap()));
        // Their order must not depend on the clock's steps.
        let file = std::fs::File::options().append(true).open(dir.join(format!("{}.txt", ids[n]))).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(100 - n as u64);
        file.set_modified(then).unwrap();
    }
    let kept: Vec<bool> = ids.iter().map(|id| dir.join(format!("{id}.txt")).exists()).collect();
    assert_eq!(kept, [false, false, false, true, true, true]);
    assert_eq!(std::fs::read_to_string(dir.join("notes.txt")).unwrap(), "mine");
}
