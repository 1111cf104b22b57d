//! Where all of a command's output can go, besides the bounded part that is kept.
//!
//! Events lose chunks when the watcher lags. A sink does not: it holds the command up instead.
//! A spool on disk and a command line's own output are sinks.

use std::io;

use toolgate_exec::{BoxFuture, ExitStatus, OutputStream, ResourceLink, ToolCall};

/// Takes the whole output of commands.
pub trait OutputSink: Send + Sync {
    /// Begins with the output of one call; `None` where it does not want it.
    fn begin(&self, call: &ToolCall) -> Option<Box<dyn OutputWriter>>;
}

/// Takes the output of one command, in the order in which it came.
pub trait OutputWriter: Send {
    /// Takes a piece. As long as it has not returned, no more is read, so the command waits.
    ///
    /// # Errors
    /// Where nobody wants more: the command is ended, as SIGPIPE would. A sink whose failure is no
    /// reason to end the command (a full spool) keeps its failure to itself.
    fn write<'a>(&'a mut self, stream: OutputStream, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>>;

    /// Is told that no more comes, with how the command ended where that is known.
    ///
    /// May give a link by which the whole output can be read. Not called where the call was dropped.
    ///
    /// # Errors
    /// As for `write`.
    fn finish(&mut self, exit: Option<ExitStatus>) -> BoxFuture<'_, io::Result<Option<ResourceLink>>>;
}
