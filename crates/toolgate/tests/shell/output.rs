//! What a command's output and end become.

use std::time::Duration;

use serde_json::json;
use toolgate::exec::{
    EVENT_CHANNEL_CAPACITY, ExitStatus, Pipeline, ToolEvent, ToolExecutor as _, event_channel,
};
use toolgate::shell::{SHOWN_CHARS, ShellTool};

use crate::{bash, call, field, plain, shell_in};

#[tokio::test]
async fn both_streams_come_apart_and_together() {
    let out = bash(&plain(), "echo out; echo err >&2").await.unwrap();
    assert_eq!(field(&out, "stdout"), "out\n");
    assert_eq!(field(&out, "stderr"), "err\n");
    let mut lines: Vec<_> = out.summary.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["[stderr] err", "out"]);
    assert_eq!(field(&out, "exit_code"), 0);
    assert_eq!(field(&out, "enforcement"), &json!({"level": "none", "missing": []}));
}

#[tokio::test]
async fn the_exit_status_decides_and_text_never_does() {
    let shell = plain();
    for text in ["[error]", "permission denied", "no such file or directory", "timed out"] {
        let out = bash(&shell, &format!("echo '{text}'; echo '{text}' >&2")).await.unwrap();
        assert!(out.success(), "{text}");
        assert!(out.summary.contains(text));
    }
    let out = bash(&shell, "exit 3").await.unwrap();
    assert_eq!((out.exit, &*out.summary), (Some(ExitStatus::Code(3)), "[exit status 3]"));
    let out = bash(&shell, "echo fine; exit 126").await.unwrap();
    assert_eq!((out.success(), &*out.summary), (false, "fine\n[exit status 126]"));
    let out = bash(&shell, "kill -9 $$").await.unwrap();
    assert_eq!((out.exit, field(&out, "signal")), (Some(ExitStatus::Signal(9)), &json!(9)));
    let out = bash(&shell, "no-such-program-anywhere").await.unwrap();
    assert_eq!(out.exit, Some(ExitStatus::Code(127)));
    assert!(out.summary.starts_with("[stderr] "));
}

#[tokio::test]
async fn silence_is_told() {
    assert_eq!(bash(&plain(), "true").await.unwrap().summary, "(no output)");
}

#[tokio::test]
async fn the_command_is_run_as_it_was_given() {
    let shell = plain();
    let odd = "echo 'a ``` b'; printf '%s|' \"$0\" \"$#\" '  '; echo 'é\t\\n$x' # ```";
    let out = bash(&shell, odd).await.unwrap();
    assert_eq!(field(&out, "stdout"), "a ``` b\nbash|0|  |é\t\\n$x\n");
    let out = bash(&shell, "cat <<'E'\n```\n\"$(not run)\"\nE\n").await.unwrap();
    assert_eq!(field(&out, "stdout"), "```\n\"$(not run)\"\n");
}

#[tokio::test]
async fn a_fenced_block_takes_the_same_way() {
    let out = plain().execute("Now:\n```bash\necho one; exit 4\n```\n").await.unwrap().unwrap();
    assert_eq!((&*out.summary, out.exit), ("one\n[exit status 4]", Some(ExitStatus::Code(4))));
    assert!(plain().execute("```bashrc\necho no\n```").await.unwrap().is_none());
}

#[tokio::test]
async fn standard_input_is_empty_and_there_is_no_terminal() {
    let out =
        bash(&plain(), "cat; readlink /proc/self/fd/0; (: </dev/tty) 2>/dev/null || echo no terminal").await;
    assert_eq!(field(&out.unwrap(), "stdout"), "/dev/null\nno terminal\n");
}

#[tokio::test]
async fn the_shell_leads_its_own_session_and_has_three_descriptors() {
    let shell = plain();
    let command = "read -r pid _ _ _ group session _ </proc/$$/stat; echo $((pid-group)) $((pid-session))";
    assert_eq!(bash(&shell, command).await.unwrap().summary, "0 0");
    // Besides its three and that of `ls`, which takes its place, none but those that this process was
    // itself given to pass on.
    let list = ["-c", "ls /proc/self/fd"];
    let bare =
        std::process::Command::new("bash").args(list).stdin(std::process::Stdio::null()).output().unwrap();
    let out = bash(&shell, list[1]).await.unwrap();
    assert_eq!(field(&out, "stdout"), &*String::from_utf8(bare.stdout).unwrap());
}

#[tokio::test]
async fn bytes_that_are_no_utf8_lose_nothing_else() {
    let out = bash(&plain(), r"printf 'a\n\xff\nb\n'; echo c; printf 'd\xc3'").await.unwrap();
    assert_eq!(field(&out, "stdout"), "a\n\u{fffd}\nb\nc\nd\u{fffd}");
    assert!(out.truncation.is_none());
}

#[tokio::test]
async fn a_short_output_is_not_called_truncated() {
    let out = bash(&plain(), "echo hi").await.unwrap();
    assert_eq!((out.truncation, field(&out, "truncated")), (None, &json!(false)));
}

#[tokio::test]
async fn a_huge_output_is_bounded_and_counted() {
    let out = bash(
        &plain(),
        "echo first; head -c 64000000 /dev/zero | tr '\\0' x | fold -w 99; echo; echo last >&2",
    )
    .await;
    let out = out.unwrap();
    let cut = out.truncation.unwrap();
    // 64000000 characters, a line feed after each 99 of them but the last, and the three lines.
    let lines = 64_000_000 / 99;
    assert_eq!(cut.total_bytes, 64_000_000 + lines + "first\n\nlast\n".len() as u64);
    assert!(out.summary.len() < SHOWN_CHARS + 4096);
    // Which of two pipes is read first nobody says.
    assert!(out.summary.starts_with("first\nxxx") && out.summary.contains("\n[stderr] last"));
    let kept = out.summary.lines().filter(|l| !l.starts_with("[…")).count() as u64;
    // What is cut in the middle of a line leaves a part of it on both sides.
    assert!((cut.dropped_lines + kept).abs_diff(lines + 3) <= 2, "{cut:?} {kept}");
    assert_eq!(field(&out, "truncated"), true);
}

#[tokio::test]
async fn a_single_endless_line_is_cut_between_characters() {
    let out =
        bash(&plain(), "for i in {1..3000}; do printf 'é%.0s' {1..40}; printf '€🦀'; done").await.unwrap();
    assert!(out.truncation.is_some());
    assert!(!out.summary.contains('\u{fffd}'));
}

#[tokio::test]
async fn a_watcher_that_never_reads_holds_nothing_up() {
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let stack = Pipeline::builder().events(events);
    let shell = shell_in(stack, ShellTool::builder().timeout(Duration::from_secs(60)));
    let out = bash(&shell, "head -c 100000000 /dev/zero").await.unwrap();
    assert_eq!(out.truncation.unwrap().total_bytes, 100_000_000);
    assert!(out.streamed);
    assert!(watcher.lost() > 0);
    let mut last = None;
    let mut waiting = 0;
    while let Some(event) = watcher.try_recv() {
        if let ToolEvent::OutputChunk { chunk, .. } = &event {
            waiting += chunk.len();
        }
        last = Some(event);
    }
    assert!(matches!(last, Some(ToolEvent::Completed { success: true, .. })));
    assert!(waiting <= 8 << 20, "{waiting} bytes waited for the watcher");
}

#[tokio::test]
async fn a_watcher_sees_whole_characters() {
    let (events, mut watcher) = event_channel(EVENT_CHANNEL_CAPACITY);
    let shell = shell_in(Pipeline::builder().events(events), ShellTool::builder());
    // Each write ends in the middle of a character.
    bash(
        &shell,
        r"printf '\xc3'; sleep 0.01; printf '\xa9\xe2\x82'; sleep 0.01; printf '\xac\xff'; printf '\xc3'",
    )
    .await
    .unwrap();
    let mut seen = String::new();
    while let Some(event) = watcher.try_recv() {
        if let ToolEvent::OutputChunk { chunk, .. } = event {
            seen.push_str(&chunk);
        }
    }
    assert_eq!(seen, "é€\u{fffd}\u{fffd}");
}

#[tokio::test]
async fn a_description_is_taken_and_changes_nothing() {
    let params = json!({"command": "echo hi", "description": "Says hi", "timeout": 60, "cwd": "/"});
    assert_eq!(call(&plain(), "bash", params).await.unwrap().summary, "hi");
}
