//! One command from its start to the end of everything it started.
//!
//! Foreground and background runs take this same way. The rules:
//!
//! * One deadline holds over all of it: reading, waiting, and the sink that takes the output.
//! * The command is over when its shell has ended. Its pipes get a short grace then, because a
//!   process left behind may hold them for ever.
//! * A command that must end is asked first (SIGTERM) and ended after a grace (SIGKILL); while it
//!   dies, its last words are still read.
//! * One that has printed more than it may is ended at once.
//! * However it ends, whatever it left running is ended too. A dropped future does the same at once.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use toolgate_exec::{Enforcement, ExitStatus, OutputStream, ResourceLink, ToolError};

use super::passage::{Passage, shell_code};
use super::sink::OutputWriter;
use super::streams::{Closer, Streams};
use crate::spawn::{Child, SpawnRequest, Spawner};

/// How long the pipes stay open after the shell has ended.
const PIPE_GRACE: Duration = Duration::from_millis(100);

/// How long a command may take to end after it was asked to.
const TERM_GRACE: Duration = Duration::from_secs(1);

/// How long a sink may take for what is left when the command had to be ended.
const SINK_GRACE: Duration = Duration::from_secs(1);

/// How long a line waits for its end until what is certain of it is passed on: a person takes an
/// answer after a tenth of a second for an immediate one.
const LINE_WAIT: Duration = Duration::from_millis(80);

/// A command that was started.
pub(super) struct Running {
    child: Guard,
    streams: Streams,
    passage: Arc<Mutex<Passage>>,
    writer: Option<Box<dyn OutputWriter>>,
    deadline: Option<Instant>,
}

/// Why the run is over.
#[derive(Debug)]
pub(super) enum End {
    /// The shell ended by itself.
    Exited,
    /// Time ran out.
    TimedOut,
    /// Someone cancelled it.
    Cancelled,
    /// It printed more than it may.
    PrintedTooMuch,
    /// The sink wants no more.
    SinkFailed(io::Error),
    /// The system lost track of it.
    Lost(io::Error),
}

/// A run that is over; nothing of it runs any more.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) end: End,
    /// How the shell ended, also where it had to be made to.
    pub(super) exit: Option<ExitStatus>,
    /// Processes that it left running and that were ended.
    pub(super) left_running: usize,
    pub(super) enforcement: Enforcement,
    /// What the boundary saw and refused.
    pub(super) boundary: Vec<String>,
    pub(super) link: Option<ResourceLink>,
}

/// Ends everything where the run is dropped on the way.
struct Guard(Arc<dyn Child>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.end_now();
    }
}

/// The pipes of a command to be.
pub(super) struct Pipes {
    stdout: (io::PipeReader, io::PipeWriter),
    stderr: (io::PipeReader, io::PipeWriter),
}

impl Pipes {
    pub(super) fn new() -> Result<Self, ToolError> {
        let pipe =
            || io::pipe().map_err(|e| ToolError::execution("making pipes for the command's output", e));
        Ok(Self { stdout: pipe()?, stderr: pipe()? })
    }

    /// The ends that the command writes to, and the others.
    pub(super) fn split(self) -> ([io::PipeWriter; 2], [io::PipeReader; 2]) {
        ([self.stdout.1, self.stderr.1], [self.stdout.0, self.stderr.0])
    }
}

impl Running {
    /// Starts a command whose output comes through `pipes`.
    pub(super) async fn start(
        spawner: &dyn Spawner,
        request: SpawnRequest,
        [stdout, stderr]: [io::PipeReader; 2],
        passage: Passage,
        writer: Option<Box<dyn OutputWriter>>,
        deadline: Option<Instant>,
    ) -> Result<Self, ToolError> {
        // Before the spawn: nothing may fail between the start of the command and its guard.
        let streams = Streams::new(stdout.into(), stderr.into())
            .map_err(|e| ToolError::execution("reading the command's output", e))?;
        let child = Guard(spawner.spawn(request).await?);
        Ok(Self { child, streams, passage: Arc::new(Mutex::new(passage)), writer, deadline })
    }

    /// Its output as far as it has come, also while it runs.
    pub(super) fn passage(&self) -> Arc<Mutex<Passage>> {
        self.passage.clone()
    }

    /// Its processes, for whoever must be able to end them without this future.
    pub(super) fn child(&self) -> Arc<dyn Child> {
        self.child.0.clone()
    }

    /// Follows it to its end. `show` sees the output as it comes.
    pub(super) async fn follow(
        self,
        cancel: &[&CancellationToken],
        show: &mut (dyn FnMut(OutputStream, &[u8]) + Send),
    ) -> Ran {
        let Self { child, mut streams, passage, mut writer, deadline } = self;
        let closer = streams.closer();
        let measure = Measure { most: child.0.output_limit(), exceeded: Notify::new() };
        let pump = pump(&mut streams, &passage, &mut writer, &measure, show);
        let ended = Follow {
            child: &child.0,
            closer,
            pump: Some(Box::pin(pump)),
            limit: Limit { cancel, deadline: deadline.map(|at| Box::pin(sleep_until(at))) },
            measure: &measure,
            exit: None,
        }
        .through()
        .await;
        let (mut end, exit, left_running) = ended;

        let mut link = None;
        if let (Some(writer), false) = (&mut writer, matches!(end, End::SinkFailed(_))) {
            let finished = match end {
                End::Exited => {
                    let mut limit = Limit { cancel, deadline: deadline.map(|at| Box::pin(sleep_until(at))) };
                    tokio::select! {
                        biased;
                        finished = writer.finish(exit) => Ok(finished),
                        end = limit.reached() => Err(end),
                    }
                }
                _ => timeout(SINK_GRACE, writer.finish(exit)).await.map_err(|_| End::Exited),
            };
            match (finished, &end) {
                (Ok(Ok(found)), _) => link = found,
                (Ok(Err(error)), End::Exited) => end = End::SinkFailed(error),
                (Err(limit), End::Exited) => end = limit,
                // It had to be ended anyway, and that is what is told.
                _ => {}
            }
        }
        let code = match end {
            End::Exited | End::PrintedTooMuch => shell_code(exit, 1),
            End::TimedOut => 124,
            End::Cancelled => 130,
            End::SinkFailed(_) | End::Lost(_) => 1,
        };
        passage.lock().unwrap_or_else(PoisonError::into_inner).finish(code);
        let (enforcement, mut boundary) = (child.0.enforcement(), child.0.notes());
        if matches!(end, End::PrintedTooMuch) {
            boundary.insert(0, "ended by a limit: it printed more than allowed".to_owned());
        }
        Ran { end, exit, left_running, enforcement, boundary, link }
    }
}

const STREAMS: [OutputStream; 2] = [OutputStream::Stdout, OutputStream::Stderr];

/// Moves output to where it belongs until the pipes have ended or are closed.
async fn pump(
    streams: &mut Streams,
    passage: &Mutex<Passage>,
    writer: &mut Option<Box<dyn OutputWriter>>,
    measure: &Measure,
    show: &mut (dyn FnMut(OutputStream, &[u8]) + Send),
) -> io::Result<()> {
    let mut printed = 0;
    let passage = || passage.lock().unwrap_or_else(PoisonError::into_inner);
    let mut clean = Vec::new();
    // Until when a line that has begun waits for its end.
    let mut waits: Option<Instant> = None;
    loop {
        let next = tokio::select! {
            biased;
            next = streams.next() => next,
            () = async { if let Some(at) = waits { sleep_until(at).await } }, if waits.is_some() => {
                waits = None;
                for stream in STREAMS {
                    passage().pause(stream, &mut clean);
                    hand_on(stream, &mut clean, writer, show).await?;
                }
                continue;
            }
        };
        let Some((stream, bytes)) = next else { break };
        printed += bytes.len() as u64;
        let line_waits = {
            let mut passage = passage();
            passage.push(stream, bytes, &mut clean);
            passage.waits()
        };
        waits = if line_waits { waits.or_else(|| Some(Instant::now() + LINE_WAIT)) } else { None };
        hand_on(stream, &mut clean, writer, show).await?;
        if measure.most.is_some_and(|most| printed > most) {
            measure.exceeded.notify_one();
            // Whoever ends it comes first; there may be more to read for ever.
            tokio::task::yield_now().await;
        }
    }
    for stream in STREAMS {
        passage().end(stream, &mut clean);
        hand_on(stream, &mut clean, writer, show).await?;
    }
    Ok(())
}

async fn hand_on(
    stream: OutputStream,
    clean: &mut Vec<u8>,
    writer: &mut Option<Box<dyn OutputWriter>>,
    show: &mut (dyn FnMut(OutputStream, &[u8]) + Send),
) -> io::Result<()> {
    if !clean.is_empty() {
        show(stream, clean);
        if let Some(writer) = writer {
            writer.write(stream, clean).await?;
        }
        clean.clear();
    }
    Ok(())
}

/// How much a command may print, and who is told that it was more.
struct Measure {
    most: Option<u64>,
    exceeded: Notify,
}

type Pump<'a> = std::pin::Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>;

/// What ends a run from outside.
struct Limit<'a> {
    cancel: &'a [&'a CancellationToken],
    deadline: Option<std::pin::Pin<Box<Sleep>>>,
}

impl Limit<'_> {
    /// Waits for the first of it.
    async fn reached(&mut self) -> End {
        let cancelled = any_cancelled(self.cancel);
        match &mut self.deadline {
            Some(deadline) => tokio::select! {
                biased;
                () = cancelled => End::Cancelled,
                () = deadline => End::TimedOut,
            },
            None => {
                cancelled.await;
                End::Cancelled
            }
        }
    }
}

async fn any_cancelled(tokens: &[&CancellationToken]) {
    let mut waits: Vec<_> = tokens.iter().map(|token| Box::pin(token.cancelled())).collect();
    std::future::poll_fn(|cx| match waits.iter_mut().any(|wait| wait.as_mut().poll(cx).is_ready()) {
        true => std::task::Poll::Ready(()),
        false => std::task::Poll::Pending,
    })
    .await;
}

struct Follow<'a> {
    child: &'a Arc<dyn Child>,
    closer: Closer,
    /// The output, until all of it has been taken.
    pump: Option<Pump<'a>>,
    limit: Limit<'a>,
    measure: &'a Measure,
    exit: Option<ExitStatus>,
}

impl Follow<'_> {
    async fn through(mut self) -> (End, Option<ExitStatus>, usize) {
        let mut end = self.run().await;
        if !matches!(end, End::Exited | End::PrintedTooMuch) {
            self.ask_to_end().await;
        }
        let left_running = self.child.end().await;
        // Nobody writes any more, but for what no search can find: it is not waited for.
        self.closer.close();
        if matches!(end, End::PrintedTooMuch) {
            self.know_exit().await;
            if let Some(ExitStatus::Code(_)) = self.exit {
                // It was quicker: what is left to read is no more than its pipes hold.
                end = End::Exited;
            }
        }
        match end {
            End::Exited => {
                if let Some(pump) = &mut self.pump {
                    tokio::select! {
                        biased;
                        reached = self.limit.reached() => end = reached,
                        taken = pump => if let Err(error) = taken { end = End::SinkFailed(error) },
                    }
                }
            }
            End::SinkFailed(_) => {}
            _ => {
                if let Some(pump) = &mut self.pump {
                    let _ = timeout(SINK_GRACE, pump).await;
                }
            }
        }
        self.know_exit().await;
        (end, self.exit, left_running)
    }

    /// Asks how it ended. Where that was by force just now, it is known already, or never will be.
    async fn know_exit(&mut self) {
        if self.exit.is_none() {
            self.exit = timeout(TERM_GRACE, self.child.wait()).await.ok().and_then(Result::ok);
        }
    }

    /// Runs until the shell has ended and its pipes too, or their grace is over.
    async fn run(&mut self) -> End {
        let limit = self.limit.reached();
        let wait = self.child.wait();
        tokio::pin!(limit, wait);
        let mut grace: Option<std::pin::Pin<Box<Sleep>>> = None;
        loop {
            tokio::select! {
                biased;
                end = &mut limit => return end,
                () = self.measure.exceeded.notified(), if self.exit.is_none() => return End::PrintedTooMuch,
                taken = async { self.pump.as_mut()?.as_mut().await.into() }, if self.pump.is_some() => {
                    self.pump = None;
                    if let Some(Err(error)) = taken {
                        return End::SinkFailed(error);
                    }
                }
                status = &mut wait, if self.exit.is_none() => match status {
                    Ok(status) => {
                        self.exit = Some(status);
                        if self.pump.is_some() {
                            grace = Some(Box::pin(sleep_until(Instant::now() + PIPE_GRACE)));
                        }
                    }
                    Err(error) => return End::Lost(error),
                },
                () = async { if let Some(grace) = &mut grace { grace.as_mut().await } }, if grace.is_some() => {
                    return End::Exited;
                }
            }
            if self.exit.is_some() && self.pump.is_none() {
                return End::Exited;
            }
        }
    }

    /// Asks it to end and waits until it has, or for its grace, reading on.
    async fn ask_to_end(&mut self) {
        blocking(self.child, |child| child.terminate()).await;
        let over = Instant::now() + TERM_GRACE;
        let mut look = Duration::from_millis(1);
        while Instant::now() < over && blocking(self.child, |child| child.is_gone()).await == Some(false) {
            let pause = sleep_until((Instant::now() + look).min(over));
            tokio::pin!(pause);
            look = (look * 2).min(Duration::from_millis(50));
            while let Some(pump) = &mut self.pump {
                tokio::select! {
                    biased;
                    _ = pump => self.pump = None,
                    () = &mut pause => break,
                }
            }
            if self.pump.is_none() {
                pause.await;
            }
        }
    }
}

/// Asks something that looks through the processes there are; `None` where the runtime shuts down.
async fn blocking<T: Send + 'static>(child: &Arc<dyn Child>, ask: fn(&dyn Child) -> T) -> Option<T> {
    let child = child.clone();
    tokio::task::spawn_blocking(move || ask(&*child)).await.ok()
}
