//! Everything between a running command and what a model reads: mask, filter, and keep the rest.
//!
//! One [`Capture`] takes a command's output as it comes. It is what the layers of the standard
//! stack are made of, and what `toolgate filter` runs on captured files.

use crate::catalog::Catalog;
use crate::command;
use crate::engine::{Filter, FilterOptions, Filtered, Stream};
use crate::redact::{Redactor, Secrets};
use std::io::{self, Read};

/// How to capture.
#[derive(Debug, Clone, Default)]
pub struct CaptureOptions {
    /// How to filter.
    pub filter: FilterOptions,
    /// What to mask.
    pub secrets: Secrets,
}

/// Takes a command's output, masked and filtered.
#[derive(Debug)]
pub struct Capture {
    command: String,
    filter: Filter,
    stdout: Redactor,
    stderr: Redactor,
    masked: Vec<u8>,
}

impl Capture {
    /// For the output of this command line.
    #[must_use]
    pub fn new(catalog: &Catalog, command: &str, options: CaptureOptions) -> Self {
        Self {
            command: command.to_owned(),
            filter: Filter::new(catalog, &command::commands(command), options.filter),
            stdout: Redactor::new(options.secrets.clone()),
            stderr: Redactor::new(options.secrets),
            masked: Vec::new(),
        }
    }

    /// Takes a chunk; gives the masked bytes, for whoever stores or watches.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) -> &[u8] {
        self.masked.clear();
        match stream {
            Stream::Stdout => self.stdout.push(bytes, &mut self.masked),
            Stream::Stderr => self.stderr.push(bytes, &mut self.masked),
        }
        self.filter.push(stream, &self.masked);
        &self.masked
    }

    /// The last masked bytes of a stream that has ended.
    pub fn end(&mut self, stream: Stream) -> &[u8] {
        self.masked.clear();
        match stream {
            Stream::Stdout => self.stdout.finish(&mut self.masked),
            Stream::Stderr => self.stderr.finish(&mut self.masked),
        }
        self.filter.push(stream, &self.masked);
        &self.masked
    }

    /// Secrets masked so far.
    #[must_use]
    pub fn masked(&self) -> u64 {
        self.stdout.masked() + self.stderr.masked()
    }

    /// The command has ended.
    #[must_use]
    pub fn finish(mut self, exit: i32) -> Filtered {
        self.end(Stream::Stdout);
        self.end(Stream::Stderr);
        let mut done = self.filter.finish(exit);
        let command = crate::redact::redact(self.command.trim(), &Secrets::shapes()).into_owned();
        done.stats.command = Some(command);
        done
    }
}

/// Filters output that was captured before: the whole of `toolgate filter`.
///
/// ```
/// use toolgate_filter::{CaptureOptions, Catalog, filter_captured};
/// let done = filter_captured(&Catalog::built_in(), "false", 1, b"", b"it broke\n", CaptureOptions::default());
/// assert_eq!((done.text.as_str(), done.exit), ("it broke\n", 1));
/// ```
#[must_use]
pub fn filter_captured(
    catalog: &Catalog,
    command: &str,
    exit: i32,
    stdout: &[u8],
    stderr: &[u8],
    options: CaptureOptions,
) -> Filtered {
    let mut capture = Capture::new(catalog, command, options);
    capture.push(Stream::Stdout, stdout);
    capture.push(Stream::Stderr, stderr);
    capture.finish(exit)
}

/// The same for output that is read piece by piece, in bounded memory whatever its length.
///
/// # Errors
/// When reading fails.
pub fn filter_read(
    catalog: &Catalog,
    command: &str,
    exit: i32,
    stdout: &mut dyn Read,
    stderr: &mut dyn Read,
    options: CaptureOptions,
) -> io::Result<Filtered> {
    let mut capture = Capture::new(catalog, command, options);
    read_into(&mut capture, Stream::Stdout, stdout)?;
    read_into(&mut capture, Stream::Stderr, stderr)?;
    Ok(capture.finish(exit))
}

fn read_into(capture: &mut Capture, stream: Stream, from: &mut dyn Read) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                capture.push(stream, &buffer[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
