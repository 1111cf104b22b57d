//! Reads the two output pipes of a command in the order in which they have something.
//!
//! The reactor tells of ready pipes in the order in which they became ready. Each pipe has a waker
//! of its own that puts it at the end of a queue, so that this order is not lost; a plain `select!`
//! would forget it.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::net::unix::pipe::Receiver;
use toolgate_exec::OutputStream;

/// As much as a pipe holds: what a command with much to say is read with.
const BUFFER_BYTES: usize = 64 * 1024;

/// What the pipe of a command with much to say is made to hold: it and whoever reads take turns less
/// often.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 256 * 1024;

/// What most commands say fits into this.
const FIRST_BYTES: usize = 4 * 1024;

/// What is still read of a pipe once no more is waited for: the most a pipe of an unprivileged
/// process holds (pipe(7)).
const LAST_BYTES: usize = 1024 * 1024;

/// The reading ends.
pub(super) struct Streams {
    sides: [Side; 2],
    arrivals: Arc<Arrivals>,
    buffer: Vec<u8>,
    /// Whether the last piece filled the buffer.
    filled: bool,
}

struct Side {
    stream: OutputStream,
    pipe: Option<Receiver>,
    waker: Waker,
    /// What may still be read of it after the close.
    last: usize,
}

/// Tells the reader that no more is to be waited for.
#[derive(Clone)]
pub(super) struct Closer(Arc<Arrivals>);

#[derive(Default)]
struct Arrivals {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The sides that may have something, by number; each at most once.
    queue: [Option<usize>; 2],
    task: Option<Waker>,
    closing: bool,
}

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, side: usize) {
        let mut state = self.lock();
        if !state.queue.contains(&Some(side)) {
            let free = usize::from(state.queue.first().is_some_and(Option::is_some));
            if let Some(slot) = state.queue.get_mut(free) {
                *slot = Some(side);
            }
        }
        let task = state.task.take();
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
    }

    fn pop(&self, cx: &Context<'_>) -> Option<usize> {
        let mut state = self.lock();
        let first = state.queue[0].take();
        state.queue.swap(0, 1);
        if first.is_none() {
            state.task = Some(cx.waker().clone());
        }
        first
    }
}

struct SideWaker {
    side: usize,
    arrivals: Arc<Arrivals>,
}

impl Wake for SideWaker {
    fn wake(self: Arc<Self>) {
        self.arrivals.push(self.side);
    }
}

impl Closer {
    /// What is in the pipes now is read; nothing more is waited for.
    pub(super) fn close(&self) {
        let mut state = self.0.lock();
        state.closing = true;
        let task = state.task.take();
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
    }
}

impl Streams {
    pub(super) fn new(stdout: OwnedFd, stderr: OwnedFd) -> io::Result<Self> {
        let arrivals = Arc::<Arrivals>::default();
        let side = |side, stream, pipe| {
            let waker = Waker::from(Arc::new(SideWaker { side, arrivals: arrivals.clone() }));
            Ok::<_, io::Error>(Side {
                stream,
                pipe: Some(Receiver::from_owned_fd(pipe)?),
                waker,
                last: LAST_BYTES,
            })
        };
        let sides = [side(0, OutputStream::Stdout, stdout)?, side(1, OutputStream::Stderr, stderr)?];
        arrivals.push(0);
        arrivals.push(1);
        Ok(Self { sides, arrivals, buffer: vec![0; FIRST_BYTES], filled: false })
    }

    pub(super) fn closer(&self) -> Closer {
        Closer(self.arrivals.clone())
    }

    /// The next piece; `None` once both pipes have ended or were closed.
    pub(super) async fn next(&mut self) -> Option<(OutputStream, &[u8])> {
        if self.filled && self.buffer.len() < BUFFER_BYTES {
            self.buffer.resize(BUFFER_BYTES, 0);
            self.sides.iter().filter_map(|side| side.pipe.as_ref()).for_each(widen);
        }
        let (stream, read) = std::future::poll_fn(|cx| self.poll(cx)).await?;
        self.filled = read == self.buffer.len();
        Some((stream, self.buffer.get(..read)?))
    }

    fn poll(&mut self, cx: &Context<'_>) -> Poll<Option<(OutputStream, usize)>> {
        loop {
            if self.sides.iter().all(|side| side.pipe.is_none()) {
                return Poll::Ready(None);
            }
            if self.arrivals.lock().closing {
                return Poll::Ready(self.last());
            }
            let Some(number) = self.arrivals.pop(cx) else {
                // `close` may have come between the look and the pop.
                if self.arrivals.lock().closing {
                    continue;
                }
                return Poll::Pending;
            };
            let Some(side) = self.sides.get_mut(number) else { continue };
            let Some(pipe) = &mut side.pipe else { continue };
            let mut buffer = ReadBuf::new(&mut self.buffer);
            match Pin::new(pipe).poll_read(&mut Context::from_waker(&side.waker), &mut buffer) {
                Poll::Pending => {}
                // An error is as good as the end: nothing more can be had from it.
                Poll::Ready(Err(_)) => side.pipe = None,
                Poll::Ready(Ok(())) => match buffer.filled().len() {
                    0 => side.pipe = None,
                    read => {
                        let stream = side.stream;
                        // It may have more; the other one first.
                        self.arrivals.push(number);
                        return Poll::Ready(Some((stream, read)));
                    }
                },
            }
        }
    }

    /// Reads what is there. Not through the reactor: that it has not told yet of new bytes does not
    /// mean that there are none.
    fn last(&mut self) -> Option<(OutputStream, usize)> {
        for side in &mut self.sides {
            let Some(pipe) = &side.pipe else { continue };
            let most = side.last.min(self.buffer.len());
            let read = self.buffer.get_mut(..most).map_or(0, |buffer| {
                loop {
                    match rustix::io::read(pipe.as_fd(), &mut *buffer) {
                        Err(rustix::io::Errno::INTR) => {}
                        other => return other.unwrap_or(0),
                    }
                }
            });
            if read > 0 {
                side.last -= read;
                return Some((side.stream, read));
            }
            side.pipe = None;
        }
        None
    }
}

/// Lets a pipe hold more. Where the user has too many large ones (pipe(7)), it stays as it is.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "only Linux can"))]
fn widen(pipe: &Receiver) {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn pipes() -> (Streams, io::PipeWriter, io::PipeWriter) {
        let ((out, out_end), (err, err_end)) = (io::pipe().unwrap(), io::pipe().unwrap());
        (Streams::new(out.into(), err.into()).unwrap(), out_end, err_end)
    }

    async fn piece(streams: &mut Streams) -> Option<(OutputStream, Vec<u8>)> {
        streams.next().await.map(|(stream, bytes)| (stream, bytes.to_vec()))
    }

    #[tokio::test]
    async fn pieces_come_in_the_order_in_which_they_were_written() {
        let (mut streams, mut out, mut err) = pipes();
        for round in 0..50 {
            // Both are waited for before anything is written.
            tokio::select! {
                biased;
                _ = piece(&mut streams) => unreachable!(),
                () = tokio::task::yield_now() => {}
            }
            let (first, second) = match round % 2 {
                0 => (OutputStream::Stderr, OutputStream::Stdout),
                _ => (OutputStream::Stdout, OutputStream::Stderr),
            };
            for stream in [first, second] {
                match stream {
                    OutputStream::Stdout => out.write_all(b"o").unwrap(),
                    OutputStream::Stderr => err.write_all(b"e").unwrap(),
                }
            }
            assert_eq!(piece(&mut streams).await.unwrap().0, first, "round {round}");
            assert_eq!(piece(&mut streams).await.unwrap().0, second, "round {round}");
        }
    }

    #[tokio::test]
    async fn it_ends_when_both_have_ended() {
        let (mut streams, mut out, err) = pipes();
        out.write_all(b"x").unwrap();
        drop((out, err));
        assert_eq!(piece(&mut streams).await, Some((OutputStream::Stdout, b"x".to_vec())));
        assert_eq!(piece(&mut streams).await, None);
        assert_eq!(piece(&mut streams).await, None);
    }

    #[tokio::test]
    async fn a_close_wakes_the_reader_and_what_is_there_is_still_read() {
        let (mut streams, mut out, _err) = pipes();
        let closer = streams.closer();
        let reader = tokio::spawn(async move {
            let mut all = Vec::new();
            while let Some((_, bytes)) = piece(&mut streams).await {
                all.extend(bytes);
            }
            all
        });
        tokio::task::yield_now().await;
        out.write_all(&[7; 60_000]).unwrap();
        closer.close();
        assert_eq!(reader.await.unwrap().len(), 60_000);
    }

    #[tokio::test]
    async fn a_writer_that_never_stops_does_not_hold_a_closed_reader() {
        let (mut streams, mut out, _err) = pipes();
        streams.closer().close();
        let writer = std::thread::spawn(move || while out.write_all(&[7; 4096]).is_ok() {});
        let mut read = 0;
        while let Some((_, bytes)) = streams.next().await {
            read += bytes.len();
        }
        assert!(read <= LAST_BYTES);
        drop(streams);
        writer.join().unwrap();
    }
}
