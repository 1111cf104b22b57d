//! A command's output passed on as it comes, up to a number of characters; of the rest, its end.
//!
//! Who reads is a program, most likely an agent: what it gets is bounded, and says so. The whole of
//! it is kept where `toolgate output` reads it.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolgate::exec::{BoxFuture, ExitStatus, OutputStream, ResourceLink, StoredOutput, ToolCall};
use toolgate::shell::{OutputSink, OutputWriter};

use crate::live::Live;

/// The longest character (RFC 3629).
const LONGEST_CHARACTER: usize = 4;

/// Passes on the beginning of a command's output and remembers its end.
#[derive(Clone)]
pub(crate) struct Cut {
    live: Arc<Live>,
    state: Arc<Mutex<State>>,
}

struct State {
    /// Characters that may still be passed on.
    left: usize,
    /// Bytes of the end that are remembered, of each stream.
    end: usize,
    /// Lines that were passed on.
    lines: u64,
    streams: [Rest; 2],
}

/// What of one stream was not passed on.
#[derive(Default)]
struct Rest {
    bytes: u64,
    lines: u64,
    end: VecDeque<u8>,
    /// Whether what was passed on ends within a line.
    within_line: bool,
}

impl Cut {
    /// Passes on `most` characters, and a fifth as many of the end.
    pub(crate) fn new(live: Arc<Live>, most: usize) -> Self {
        let state = State { left: most, end: most / 5, lines: 0, streams: Default::default() };
        Self { live, state: Arc::new(Mutex::new(state)) }
    }

    /// Writes what there is to say of the rest, once the command has ended.
    pub(crate) fn write_rest(&self, stored: Option<&StoredOutput>) -> io::Result<()> {
        let state = self.lock();
        for (at, rest) in state.streams.iter().enumerate() {
            let text = rest.told(state.lines, stored);
            match at {
                0 => io::stdout().lock().write_all(&text).and_then(|()| io::stdout().flush())?,
                _ => io::stderr().lock().write_all(&text)?,
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rest {
    fn take(&mut self, bytes: &[u8], most: usize) {
        self.bytes += bytes.len() as u64;
        self.lines += lines(bytes);
        let bytes = bytes.get(bytes.len().saturating_sub(most)..).unwrap_or_default();
        let over = (self.end.len() + bytes.len()).saturating_sub(most);
        self.end.drain(..over);
        self.end.extend(bytes);
    }

    fn told(&self, passed_lines: u64, stored: Option<&StoredOutput>) -> Vec<u8> {
        let end: Vec<u8> = self.end.iter().copied().collect();
        if self.bytes == end.len() as u64 {
            return end;
        }
        // From a line's beginning, or from that of a character.
        let from = match end.iter().position(|b| *b == b'\n') {
            Some(at) if at + 1 < end.len() => at + 1,
            _ => end.iter().take(LONGEST_CHARACTER).take_while(|b| **b & 0xc0 == 0x80).count(),
        };
        let end = end.get(from..).unwrap_or_default();
        let (bytes, lines) = (self.bytes - end.len() as u64, self.lines - lines(end));
        let how = match stored {
            Some(StoredOutput { read: Some(read), .. }) if lines > 0 => {
                format!("; {read} --from-line {}", passed_lines + 1)
            }
            Some(StoredOutput { read: Some(read), .. }) => format!("; {read}"),
            _ => String::new(),
        };
        let not_kept = stored.and_then(StoredOutput::not_kept);
        let not_kept = not_kept.map_or_else(String::new, |what| format!("; {what}"));
        let start = if self.within_line { "\n" } else { "" };
        let mut text =
            format!("{start}[… toolgate: {bytes} bytes ({lines} lines) not shown{how}{not_kept} …]\n")
                .into_bytes();
        text.extend(end);
        text
    }
}

/// In steps that a byte can count, so that the compiler turns it into sixteen counts at once.
fn lines(bytes: &[u8]) -> u64 {
    bytes.chunks(255).map(|part| u64::from(part.iter().fold(0u8, |n, b| n + u8::from(*b == b'\n')))).sum()
}

impl OutputSink for Cut {
    fn begin(&self, call: &ToolCall) -> Option<Box<dyn OutputWriter>> {
        Some(Box::new(Writer { cut: self.clone(), to: self.live.begin(call)? }))
    }
}

struct Writer {
    cut: Cut,
    to: Box<dyn OutputWriter>,
}

impl Writer {
    /// How many of these bytes are passed on; the others are counted and, at the end, remembered.
    fn split(&self, stream: OutputStream, bytes: &[u8]) -> usize {
        let state = &mut *self.cut.lock();
        let mut left = state.left;
        let mut fits = |byte: &u8| {
            let starts = *byte & 0xc0 != 0x80;
            let fits = !starts || left > 0;
            left -= usize::from(starts && fits);
            fits
        };
        let mut at = bytes.iter().take_while(|byte| fits(byte)).count();
        if at < bytes.len() {
            // To a line's end where there is one: what is passed on is to be whole.
            at = bytes
                .get(..at)
                .and_then(|part| part.iter().rposition(|b| *b == b'\n'))
                .map_or(at, |end| end + 1);
            left = 0;
        }
        state.left = left;
        let (now, later) = bytes.split_at(at);
        state.lines += lines(now);
        if let Some(rest) = state.streams.get_mut(usize::from(stream == OutputStream::Stderr)) {
            if let Some(last) = now.last() {
                rest.within_line = *last != b'\n';
            }
            rest.take(later, state.end);
        }
        at
    }
}

impl OutputWriter for Writer {
    fn write<'a>(&'a mut self, stream: OutputStream, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let at = self.split(stream, bytes);
            let now = bytes.get(..at).unwrap_or_default();
            if !now.is_empty() {
                self.to.write(stream, now).await?;
            }
            if at < bytes.len() && reader_gone(stream) {
                self.cut.live.lost_reader();
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            Ok(())
        })
    }

    fn finish(&mut self, exit: Option<ExitStatus>) -> BoxFuture<'_, io::Result<Option<ResourceLink>>> {
        self.to.finish(exit)
    }
}

/// Whether nobody reads this stream of ours any more: a pipe tells so without being written to (poll(2)).
fn reader_gone(stream: OutputStream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let gone = |fd: &dyn AsFd| {
        let mut fds = [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&now)).is_ok() && fds.iter().any(|fd| fd.revents().contains(PollFlags::ERR))
    };
    match stream {
        OutputStream::Stdout => gone(&io::stdout()),
        OutputStream::Stderr => gone(&io::stderr()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_its_end_with_true_counts() {
        let mut rest = Rest { within_line: true, ..Rest::default() };
        (0..1_000).for_each(|n| rest.take(format!("line {n}\n").as_bytes(), 100));
        let stored = StoredOutput { read: Some("read it".to_owned()), ..StoredOutput::default() };
        let text = String::from_utf8(rest.told(6, Some(&stored))).unwrap();
        let (notice, end) = text.trim_start().split_once('\n').unwrap();
        assert!(end.starts_with("line 9") && end.ends_with("line 999\n") && end.len() <= 100);
        let (bytes, shown) = (8_890 - end.len(), end.lines().count());
        let told = format!(
            "[… toolgate: {bytes} bytes ({} lines) not shown; read it --from-line 7 …]",
            1_000 - shown
        );
        assert_eq!(notice, told);
    }

    #[test]
    fn a_rest_that_is_all_remembered_is_told_without_a_word() {
        let mut rest = Rest::default();
        rest.take(b"the end\n", 100);
        assert_eq!(rest.told(0, None), b"the end\n");
        assert_eq!(Rest::default().told(0, None), b"");
    }
}
