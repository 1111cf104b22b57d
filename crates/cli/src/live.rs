//! A command's output, passed on as it comes: stdout to stdout, stderr to stderr, byte for byte.
//!
//! A thread of its own writes, behind a channel of a few pieces. Where the reader is slow the
//! channel fills, and the command waits; the deadline and signals are still watched meanwhile,
//! which a blocking write in the runtime's only thread would prevent.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::sync::{mpsc, oneshot};
use toolgate::exec::{BoxFuture, ExitStatus, OutputStream, ResourceLink, ToolCall};
use toolgate::shell::{OutputSink, OutputWriter};

/// Pieces that wait for the thread; each is at most what one read of a pipe gives.
const WAITING_PIECES: usize = 4;

/// Passes on the output of every call that begins.
#[derive(Debug, Default)]
pub(crate) struct Live {
    reader_gone: Arc<AtomicBool>,
}

impl Live {
    /// Writes to this process's own stdout and stderr.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Whether whoever read the output has stopped reading.
    pub(crate) fn reader_gone(&self) -> bool {
        self.reader_gone.load(Ordering::Relaxed)
    }
}

impl OutputSink for Live {
    fn begin(&self, _: &ToolCall) -> Option<Box<dyn OutputWriter>> {
        let (pieces, waiting) = mpsc::channel(WAITING_PIECES);
        let (tell, done) = oneshot::channel();
        let reader_gone = self.reader_gone.clone();
        // Where no thread can be had, `tell` is dropped with the closure and the writer fails.
        let _ = thread::Builder::new().name("output".to_owned()).spawn(move || {
            let wrote = pass_on(waiting);
            if wrote.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                reader_gone.store(true, Ordering::Relaxed);
            }
            let _ = tell.send(wrote);
        });
        Some(Box::new(Writer { pieces: Some(pieces), done }))
    }
}

type Piece = (OutputStream, Vec<u8>);

struct Writer {
    pieces: Option<mpsc::Sender<Piece>>,
    done: oneshot::Receiver<io::Result<()>>,
}

impl Writer {
    /// Waits until everything is written, or something failed.
    async fn end(&mut self) -> io::Result<()> {
        self.pieces = None;
        match (&mut self.done).await {
            Ok(wrote) => wrote,
            Err(_) => Err(io::Error::other("the thread that writes the output is gone")),
        }
    }
}

impl OutputWriter for Writer {
    fn write<'a>(&'a mut self, stream: OutputStream, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let Some(pieces) = &self.pieces else { return Err(io::ErrorKind::BrokenPipe.into()) };
            match pieces.send((stream, bytes.to_vec())).await {
                Ok(()) => Ok(()),
                // The thread only ends early where a write failed.
                Err(_) => self.end().await.and(Err(io::ErrorKind::BrokenPipe.into())),
            }
        })
    }

    fn finish(&mut self, _: Option<ExitStatus>) -> BoxFuture<'_, io::Result<Option<ResourceLink>>> {
        Box::pin(async move { self.end().await.map(|()| None) })
    }
}

/// Writes every piece to its stream, in order.
fn pass_on(mut waiting: mpsc::Receiver<Piece>) -> io::Result<()> {
    // Not through `io::stdout()`: it looks for line ends, and keeps what follows the last one back.
    let mut out = Output::of(io::stdout().as_fd())?;
    let mut err = Output::of(io::stderr().as_fd())?;
    while let Some((stream, bytes)) = waiting.blocking_recv() {
        match stream {
            OutputStream::Stdout => out.write(&bytes)?,
            OutputStream::Stderr => err.write(&bytes)?,
        }
    }
    Ok(())
}

struct Output(File);

impl Output {
    fn of(fd: impl AsFd) -> io::Result<Self> {
        let own: OwnedFd = fd.as_fd().try_clone_to_owned()?;
        Ok(Self(own.into()))
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.0.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(wrote) => bytes = bytes.get(wrote..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Whoever started us may have left the descriptor in non-blocking mode (open(2)).
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait()?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn wait(&self) -> io::Result<()> {
        use rustix::event::{PollFd, PollFlags, poll};
        poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], None)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_pipe_in_non_blocking_mode_is_waited_for() {
        let (mut reader, writer) = io::pipe().unwrap();
        rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
        let mut output = Output::of(writer.as_fd()).unwrap();
        drop(writer);
        let sent: Vec<u8> = (0..1_000_000u32).map(|n| n as u8).collect();
        let expected = sent.clone();
        let thread = thread::spawn(move || output.write(&sent));
        let mut got = Vec::new();
        reader.read_to_end(&mut got).unwrap();
        thread.join().unwrap().unwrap();
        assert!(got == expected);
    }

    #[test]
    fn a_reader_that_is_gone_is_a_broken_pipe() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let error = Output::of(writer.as_fd()).unwrap().write(b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
