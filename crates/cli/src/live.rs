//! A command's output, passed on as it comes: stdout to stdout, stderr to stderr, byte for byte.
//!
//! What can be written without waiting is written at once. Where the reader is slow, or the kernel
//! can't tell, a thread of its own writes, from a small buffer. Where that fills the command waits; the
//! deadline and signals are still watched meanwhile, which a blocking write in the runtime's only
//! thread would prevent. What comes while a write is under way goes out with the next one, so that many
//! small pieces cost few writes.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::{Notify, oneshot};
use toolgate::exec::{BoxFuture, ExitStatus, OutputStream, ResourceLink, ToolCall};
use toolgate::shell::{OutputSink, OutputWriter};

/// Bytes that wait for the thread at which the command waits too.
const FULL_BYTES: usize = 256 * 1024;

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

    /// Notes that it has.
    pub(crate) fn lost_reader(&self) {
        self.reader_gone.store(true, Ordering::Relaxed);
    }
}

impl OutputSink for Live {
    fn begin(&self, _: &ToolCall) -> Option<Box<dyn OutputWriter>> {
        let buffer = Arc::<Buffer>::default();
        Some(Box::new(Writer { buffer, reader_gone: self.reader_gone.clone(), own: None, done: None }))
    }
}

/// What waits for the thread.
#[derive(Default)]
struct Buffer {
    state: Mutex<State>,
    /// Tells the thread that there is something.
    filled: Condvar,
    /// Tells the writer that there is room again.
    room: Notify,
}

#[derive(Default)]
struct State {
    /// In the order in which they came; neighbours are of different streams.
    pieces: VecDeque<(OutputStream, Vec<u8>)>,
    bytes: usize,
    /// One that was written, to be filled again: its memory is there already.
    spare: Vec<u8>,
    /// The thread writes.
    writing: bool,
    /// The thread waits: to wake it costs a system call.
    waiting: bool,
    /// No more comes.
    ended: bool,
    /// Nobody takes any more.
    closed: bool,
}

impl Buffer {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a piece if there is room for it, however long it is; `None` where nobody takes any more.
    fn put(&self, stream: OutputStream, bytes: &[u8]) -> Option<bool> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        if state.bytes >= FULL_BYTES {
            return Some(false);
        }
        state.bytes += bytes.len();
        match state.pieces.back_mut() {
            Some((last, piece)) if *last == stream => piece.extend_from_slice(bytes),
            _ => {
                let mut piece = std::mem::take(&mut state.spare);
                piece.extend_from_slice(bytes);
                state.pieces.push_back((stream, piece));
            }
        }
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        if waiting {
            self.filled.notify_one();
        }
        Some(true)
    }

    /// Waits for the next piece, and gives one back that was written; `None` once no more comes.
    fn take(&self, mut written: Vec<u8>) -> Option<(OutputStream, Vec<u8>)> {
        written.clear();
        let mut state = self.lock();
        if written.capacity() > state.spare.capacity() {
            state.spare = written;
        }
        state.writing = false;
        loop {
            if let Some(piece) = state.pieces.pop_front() {
                state.writing = true;
                state.bytes -= piece.1.len();
                drop(state);
                self.room.notify_one();
                return Some(piece);
            }
            if state.ended {
                return None;
            }
            state.waiting = true;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether all that was put here is written.
    fn is_written(&self) -> bool {
        let state = self.lock();
        state.pieces.is_empty() && !state.writing && !state.closed
    }

    fn end(&self) {
        self.lock().ended = true;
        self.filled.notify_one();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.room.notify_one();
    }
}

struct Writer {
    buffer: Arc<Buffer>,
    reader_gone: Arc<AtomicBool>,
    /// Stdout and stderr of this process.
    own: Option<[Output; 2]>,
    /// What the thread says at its end. A command that prints nothing needs no thread.
    done: Option<oneshot::Receiver<io::Result<()>>>,
}

impl Writer {
    fn start(&self) -> oneshot::Receiver<io::Result<()>> {
        let (tell, done) = oneshot::channel();
        let (waiting, reader_gone) = (self.buffer.clone(), self.reader_gone.clone());
        // Where no thread can be had, `tell` is dropped with the closure and the writer fails.
        let started = thread::Builder::new().name("output".to_owned()).spawn(move || {
            let wrote = pass_on(&waiting);
            if wrote.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                reader_gone.store(true, Ordering::Relaxed);
            }
            let _ = tell.send(wrote);
            waiting.close();
        });
        if started.is_err() {
            self.buffer.close();
        }
        done
    }

    /// Writes what can be written without waiting; gives how many bytes that were.
    fn write_now(&mut self, stream: OutputStream, bytes: &[u8]) -> io::Result<usize> {
        if !self.buffer.is_written() {
            return Ok(0);
        }
        let own = match &mut self.own {
            Some(own) => own,
            none => none.insert([Output::of(io::stdout().as_fd())?, Output::of(io::stderr().as_fd())?]),
        };
        let [out, err] = own;
        let wrote = match stream {
            OutputStream::Stdout => out.write_now(bytes),
            OutputStream::Stderr => err.write_now(bytes),
        };
        if wrote.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.reader_gone.store(true, Ordering::Relaxed);
        }
        wrote
    }

    /// Waits until everything is written, or something failed.
    async fn end(&mut self) -> io::Result<()> {
        self.buffer.end();
        let Some(done) = &mut self.done else { return Ok(()) };
        match done.await {
            Ok(wrote) => wrote,
            Err(_) => Err(io::Error::other("the thread that writes the output is gone")),
        }
    }
}

/// Lets the thread end where the call was dropped.
impl Drop for Writer {
    fn drop(&mut self) {
        self.buffer.end();
    }
}

impl OutputWriter for Writer {
    fn write<'a>(&'a mut self, stream: OutputStream, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let wrote = self.write_now(stream, bytes)?;
            let bytes = bytes.get(wrote..).unwrap_or_default();
            if bytes.is_empty() {
                return Ok(());
            }
            if self.done.is_none() {
                self.done = Some(self.start());
            }
            loop {
                match self.buffer.put(stream, bytes) {
                    Some(true) => return Ok(()),
                    Some(false) => self.buffer.room.notified().await,
                    // The thread only ends early where a write failed.
                    None => return self.end().await.and(Err(io::ErrorKind::BrokenPipe.into())),
                }
            }
        })
    }

    fn finish(&mut self, _: Option<ExitStatus>) -> BoxFuture<'_, io::Result<Option<ResourceLink>>> {
        Box::pin(async move { self.end().await.map(|()| None) })
    }
}

/// Writes every piece to its stream, in order.
fn pass_on(buffer: &Buffer) -> io::Result<()> {
    // Not through `io::stdout()`: it looks for line ends, and keeps what follows the last one back.
    let mut out = Output::of(io::stdout().as_fd())?;
    let mut err = Output::of(io::stderr().as_fd())?;
    let mut written = Vec::new();
    while let Some((stream, bytes)) = buffer.take(written) {
        match stream {
            OutputStream::Stdout => out.write(&bytes)?,
            OutputStream::Stderr => err.write(&bytes)?,
        }
        written = bytes;
    }
    Ok(())
}

struct Output {
    file: File,
    /// Whether the kernel may tell where a write would have to wait.
    tells: bool,
}

impl Output {
    fn of(fd: impl AsFd) -> io::Result<Self> {
        let own: OwnedFd = fd.as_fd().try_clone_to_owned()?;
        Ok(Self { file: own.into(), tells: true })
    }

    /// Writes as much as the other end takes now. A pipe tells so since Linux 6.4; of a terminal and of
    /// a file it is not known.
    #[cfg(target_os = "linux")]
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        use rustix::io::{Errno, ReadWriteFlags, pwritev2};
        /// Where the descriptor is (pwritev2(2)).
        const HERE: u64 = u64::MAX;
        let mut wrote = 0;
        while self.tells && wrote < bytes.len() {
            let rest = io::IoSlice::new(bytes.get(wrote..).unwrap_or_default());
            match pwritev2(&self.file, &[rest], HERE, ReadWriteFlags::NOWAIT) {
                Ok(0) | Err(Errno::AGAIN) => break,
                Ok(more) => wrote += more,
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => return Err(io::ErrorKind::BrokenPipe.into()),
                // What it is, a plain write will say.
                Err(_) => self.tells = false,
            }
        }
        Ok(wrote)
    }

    /// No other system tells.
    #[cfg(not(target_os = "linux"))]
    fn write_now(&mut self, _: &[u8]) -> io::Result<usize> {
        self.tells = false;
        Ok(0)
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.file.write(bytes) {
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
        poll(&mut [PollFd::new(&self.file, PollFlags::OUT)], None)?;
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
    fn the_buffer_keeps_the_order_and_is_full_at_its_bound() {
        use OutputStream::{Stderr, Stdout};
        let buffer = Buffer::default();
        for (stream, bytes) in [(Stdout, "a"), (Stdout, "b"), (Stderr, "c"), (Stdout, "d")] {
            assert_eq!(buffer.put(stream, bytes.as_bytes()), Some(true));
        }
        assert_eq!(buffer.put(Stdout, &vec![b'x'; FULL_BYTES]), Some(true));
        assert_eq!(buffer.put(Stdout, b"y"), Some(false));
        assert_eq!(buffer.take(Vec::new()), Some((Stdout, b"ab".to_vec())));
        assert_eq!(buffer.take(Vec::new()), Some((Stderr, b"c".to_vec())));
        buffer.end();
        assert_eq!(buffer.take(Vec::new()).map(|(_, bytes)| bytes.len()), Some(FULL_BYTES + 1));
        assert_eq!(buffer.take(Vec::new()), None);
        buffer.close();
        assert_eq!(buffer.put(Stdout, b"z"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_takes_at_once_what_it_has_room_for() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut output = Output::of(writer.as_fd()).unwrap();
        drop(writer);
        let sent: Vec<u8> = (0..1_000_000u32).map(|n| n as u8).collect();
        // Nobody reads: a write that waits would do so for ever.
        let wrote = output.write_now(&sent).unwrap();
        assert!(wrote < sent.len());
        assert_eq!(output.write_now(&sent[wrote..]).unwrap(), 0);
        drop(output);
        let mut got = Vec::new();
        reader.read_to_end(&mut got).unwrap();
        assert!(got == sent[..wrote]);
    }

    #[test]
    fn a_reader_that_is_gone_is_a_broken_pipe() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let error = Output::of(writer.as_fd()).unwrap().write(b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut output = Output::of(writer.as_fd()).unwrap();
        let at_once = output.write_now(b"x").and_then(|_| output.write(b"x")).unwrap_err();
        assert_eq!(at_once.kind(), io::ErrorKind::BrokenPipe);
    }
}
