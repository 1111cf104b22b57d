//! What happens during a call, as it happens.
//!
//! Events are for someone who watches. They never hold up a tool: when the watcher lags, chunks
//! are dropped and counted, and the result of the call is whole all the same.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::sync::mpsc;

use crate::enforcement::Enforcement;
use crate::output::{DiffData, ExitStatus};
use crate::stats::FilterStats;

/// How many events wait for the watcher before chunks are dropped.
pub const EVENT_CHANNEL_CAPACITY: usize = 1024;

/// Places that chunks never take, so that the start and end of calls still fit.
const RESERVED: usize = 128;

/// Bytes of chunks that wait for the watcher at most. A chunk can be as long as a pipe is wide, so
/// that their number alone would let tens of megabytes pile up.
const MAX_CHUNK_BYTES: usize = 4 << 20;

/// Which of a command's two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// One thing that happened during a call. Texts are shared, not copied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ToolEvent {
    /// The call passed the wall and begins.
    Started {
        /// The tool's id.
        tool_name: Arc<str>,
        /// The id of the call, where it has one.
        call_id: Option<Arc<str>>,
        /// What runs.
        command: Arc<str>,
        /// Where it runs, as far as the call says.
        cwd: Option<PathBuf>,
    },
    /// A piece of output.
    OutputChunk {
        /// The tool's id.
        tool_name: Arc<str>,
        /// The id of the call, where it has one.
        call_id: Option<Arc<str>>,
        /// Which stream it came from.
        stream: OutputStream,
        /// The text; bytes that are not UTF-8 show as U+FFFD.
        chunk: Arc<str>,
    },
    /// The boundary refused something the call tried, such as a connection.
    Refused {
        /// The tool's id.
        tool_name: Arc<str>,
        /// The id of the call, where it has one.
        call_id: Option<Arc<str>>,
        /// What was tried: `ipv4 stream socket (process 3)`.
        what: Arc<str>,
    },
    /// The call ended.
    Completed {
        /// The tool's id.
        tool_name: Arc<str>,
        /// The id of the call, where it has one.
        call_id: Option<Arc<str>>,
        /// What ran.
        command: Arc<str>,
        /// The text for the model, or the error's message.
        output: Arc<str>,
        /// Whether it succeeded, by exit status.
        success: bool,
        /// How the process ended, where there was one.
        exit: Option<ExitStatus>,
        /// What was really enforced around the process, where there was one.
        enforcement: Option<Enforcement>,
        /// What an output filter saved.
        filter_stats: Option<FilterStats>,
        /// What an edit changed.
        diff: Option<DiffData>,
    },
}

/// The sending end: cheap to clone, never blocks.
#[derive(Clone, Debug)]
pub struct ToolEventTx {
    tx: mpsc::Sender<ToolEvent>,
    lost: Arc<AtomicU64>,
    waiting: Arc<AtomicUsize>,
}

/// The watching end.
#[derive(Debug)]
pub struct ToolEventRx {
    rx: mpsc::Receiver<ToolEvent>,
    lost: Arc<AtomicU64>,
    waiting: Arc<AtomicUsize>,
}

/// A bounded channel for events, of at least `RESERVED` + 1 places.
pub fn event_channel(capacity: usize) -> (ToolEventTx, ToolEventRx) {
    let (tx, rx) = mpsc::channel(capacity.max(RESERVED + 1));
    let lost = Arc::new(AtomicU64::new(0));
    let waiting = Arc::new(AtomicUsize::new(0));
    (ToolEventTx { tx, lost: lost.clone(), waiting: waiting.clone() }, ToolEventRx { rx, lost, waiting })
}

impl ToolEventTx {
    /// Sends an event, or drops and counts it where the watcher lags or is gone.
    pub fn send(&self, event: ToolEvent) {
        let bytes = chunk_bytes(&event);
        if bytes > 0 && !self.has_room(bytes) {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        // Counted first: the watcher may have it before `try_send` returns.
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        if self.tx.try_send(event).is_err() {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an event as dropped that would not have fitted.
    pub(crate) fn skip(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a chunk of so many bytes would fit now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.tx.capacity() > RESERVED && self.waiting.load(Ordering::Relaxed) + bytes <= MAX_CHUNK_BYTES
    }

    /// How many events were dropped so far.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl ToolEventRx {
    /// Waits for the next event; `None` once every sender is gone.
    pub async fn recv(&mut self) -> Option<ToolEvent> {
        let event = self.rx.recv().await;
        self.taken(event)
    }

    /// The next event if one is waiting.
    pub fn try_recv(&mut self) -> Option<ToolEvent> {
        let event = self.rx.try_recv().ok();
        self.taken(event)
    }

    /// How many events were dropped so far.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl ToolEventRx {
    fn taken(&self, event: Option<ToolEvent>) -> Option<ToolEvent> {
        self.waiting.fetch_sub(event.as_ref().map_or(0, chunk_bytes), Ordering::Relaxed);
        event
    }
}

fn chunk_bytes(event: &ToolEvent) -> usize {
    match event {
        ToolEvent::OutputChunk { chunk, .. } => chunk.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_that_never_reads_loses_chunks_that_are_counted_but_not_the_end() {
        let (tx, mut rx) = event_channel(EVENT_CHANNEL_CAPACITY);
        let name: Arc<str> = "bash".into();
        for _ in 0..5000 {
            tx.send(ToolEvent::OutputChunk {
                tool_name: name.clone(),
                call_id: None,
                stream: OutputStream::Stdout,
                chunk: "x".into(),
            });
        }
        tx.send(ToolEvent::Completed {
            tool_name: name.clone(),
            call_id: None,
            command: "c".into(),
            output: "".into(),
            success: true,
            exit: None,
            enforcement: None,
            filter_stats: None,
            diff: None,
        });
        let mut got = Vec::new();
        while let Some(event) = rx.try_recv() {
            got.push(event);
        }
        assert!(matches!(got.last(), Some(ToolEvent::Completed { .. })));
        assert_eq!(got.len() as u64 - 1 + rx.lost(), 5000);
    }

    #[test]
    fn long_chunks_do_not_pile_up_and_there_is_room_again_once_they_are_read() {
        let (tx, mut rx) = event_channel(EVENT_CHANNEL_CAPACITY);
        let chunk: Arc<str> = "x".repeat(64 * 1024).into();
        let send = |_| {
            tx.send(ToolEvent::OutputChunk {
                tool_name: "bash".into(),
                call_id: None,
                stream: OutputStream::Stdout,
                chunk: chunk.clone(),
            });
        };
        for _ in 0..3 {
            (0..500).for_each(send);
            let got = std::iter::from_fn(|| rx.try_recv()).count();
            assert_eq!(got * chunk.len(), MAX_CHUNK_BYTES);
        }
        assert_eq!(rx.lost(), 1500 - 3 * (MAX_CHUNK_BYTES / chunk.len()) as u64);
    }
}
