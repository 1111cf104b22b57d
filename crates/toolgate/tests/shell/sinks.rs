//! The whole output, for those who want it all.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolgate::exec::{BoxFuture, ExitStatus, OutputStream, ResourceLink, ToolCall, ToolError};
use toolgate::shell::{OutputSink, OutputWriter, ShellTool};

use crate::{alive, bash, call, field, shell, unique_sleep};

/// What a scripted sink does with each piece.
#[derive(Clone, Copy)]
enum Manner {
    Takes,
    /// Takes, after having let everyone else go first many times.
    TakesSlowly,
    /// Refuses after so many bytes.
    Refuses(usize),
    /// Never returns.
    Hangs,
}

#[derive(Default)]
struct Taken {
    bytes: Vec<(OutputStream, Vec<u8>)>,
    finished: Vec<Option<ExitStatus>>,
}

#[derive(Clone)]
struct Scripted {
    manner: Manner,
    taken: Arc<Mutex<Taken>>,
    /// Where it makes a file for each piece it has taken, numbered from 1.
    acknowledges: Option<PathBuf>,
}

impl Scripted {
    fn new(manner: Manner) -> Self {
        Self { manner, taken: Arc::default(), acknowledges: None }
    }

    fn len(&self) -> usize {
        self.taken.lock().unwrap().bytes.iter().map(|(_, bytes)| bytes.len()).sum()
    }
}

impl OutputSink for Scripted {
    fn begin(&self, call: &ToolCall) -> Option<Box<dyn OutputWriter>> {
        assert_eq!(call.tool_id, "bash");
        Some(Box::new(self.clone()))
    }
}

impl OutputWriter for Scripted {
    fn write<'a>(&'a mut self, stream: OutputStream, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            match self.manner {
                Manner::Takes => {}
                Manner::TakesSlowly => {
                    for _ in 0..200 {
                        tokio::task::yield_now().await;
                    }
                }
                Manner::Refuses(after) if self.len() >= after => {
                    return Err(io::Error::from(io::ErrorKind::BrokenPipe));
                }
                Manner::Refuses(_) => {}
                Manner::Hangs => std::future::pending().await,
            }
            let mut taken = self.taken.lock().unwrap();
            taken.bytes.push((stream, bytes.to_vec()));
            if let Some(dir) = &self.acknowledges {
                std::fs::write(dir.join(taken.bytes.len().to_string()), "")?;
            }
            Ok(())
        })
    }

    fn finish(&mut self, exit: Option<ExitStatus>) -> BoxFuture<'_, io::Result<Option<ResourceLink>>> {
        self.taken.lock().unwrap().finished.push(exit);
        let link = ResourceLink { uri: "spool:1".to_owned(), name: "all of it".to_owned(), mime_type: None };
        Box::pin(std::future::ready(Ok(Some(link))))
    }
}

fn with(sink: &Scripted) -> toolgate::shell::ShellExecutor {
    shell(ShellTool::builder().sink(Arc::new(sink.clone())).timeout(Duration::from_secs(60)))
}

#[tokio::test]
async fn a_sink_gets_every_byte_however_slow_it_is() {
    for manner in [Manner::Takes, Manner::TakesSlowly] {
        let sink = Scripted::new(manner);
        let out = bash(&with(&sink), "seq 1 200000; echo end >&2; seq 1 20000 >&2; exit 3").await.unwrap();
        let taken = sink.taken.lock().unwrap();
        let of = |which| -> Vec<u8> {
            taken.bytes.iter().filter(|(s, _)| *s == which).flat_map(|(_, b)| b.clone()).collect()
        };
        let numbers = |n: u32| (1..=n).map(|n| format!("{n}\n")).collect::<String>();
        assert_eq!(of(OutputStream::Stdout), numbers(200_000).as_bytes());
        assert_eq!(of(OutputStream::Stderr), format!("end\n{}", numbers(20_000)).as_bytes());
        assert_eq!(taken.finished, [Some(ExitStatus::Code(3))]);
        assert_eq!(out.links[0].uri, "spool:1");
        assert!(out.truncation.is_some());
    }
}

#[tokio::test]
async fn pieces_of_both_streams_come_in_order() {
    // The command goes on when its piece has been taken: each look finds one more file.
    let dir = tempfile::tempdir().unwrap();
    let sink = Scripted { acknowledges: Some(dir.path().to_owned()), ..Scripted::new(Manner::Takes) };
    let command = "n=0; wait_for_it() { n=$((n+1)); until [ -e $n ]; do :; done; }
        for i in 1 2 3 4 5; do echo o$i; wait_for_it; echo e$i >&2; wait_for_it; done";
    let params = json!({"command": command, "cwd": dir.path()});
    let out = call(&with(&sink), "bash", params).await.unwrap();
    let expected: Vec<String> = (1..=5).flat_map(|i| [format!("o{i}"), format!("[stderr] e{i}")]).collect();
    assert_eq!(out.summary.lines().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_sink_that_wants_no_more_ends_the_command() {
    let sleep = unique_sleep();
    let sink = Scripted::new(Manner::Refuses(100_000));
    let error = bash(&with(&sink), &format!("sleep {sleep} & yes")).await.unwrap_err();
    let ToolError::Execution { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(alive(&sleep), [0; 0]);
}

#[tokio::test]
async fn a_sink_that_hangs_does_not_outlast_the_deadline() {
    let sleep = unique_sleep();
    let sink = Scripted::new(Manner::Hangs);
    let params = json!({"command": format!("echo hi; sleep {sleep}"), "timeout": 1});
    let error = call(&with(&sink), "bash", params).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }), "{error}");
    assert_eq!(field(error.partial().unwrap(), "stdout"), "hi\n");
    assert_eq!(alive(&sleep), [0; 0]);
    // Nor where the command itself has ended long before.
    let error = call(&with(&sink), "bash", json!({"command": "echo hi", "timeout": 1})).await.unwrap_err();
    assert!(matches!(error, ToolError::Timeout { .. }), "{error}");
}
