//! Turns a panic in someone's gate, layer or tool into an error of that one call.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::ToolError;
use crate::{BoxFuture, Outcome};

/// Runs a plain function and gives the panic's message where it panics.
pub(crate) fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| message(&*panic))
}

/// A future that answers with an error where the one inside panics.
///
/// The future inside is dropped at once then, and never polled again.
pub(crate) struct Unwound<'a> {
    inner: Option<BoxFuture<'a, Outcome>>,
    part: &'a str,
}

impl<'a> Unwound<'a> {
    /// Wraps what `start` gives; a panic while starting is caught as well.
    pub(crate) fn boxed(
        part: &'a str,
        start: impl FnOnce() -> BoxFuture<'a, Outcome>,
    ) -> BoxFuture<'a, Outcome> {
        match quietly(start) {
            Ok(inner) => Box::pin(Self { inner: Some(inner), part }),
            Err(message) => {
                let error = panicked(part, message);
                Box::pin(std::future::ready(Err(error)))
            }
        }
    }
}

impl Future for Unwound<'_> {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let part = self.part;
        let Some(inner) = self.inner.as_mut() else {
            return Poll::Ready(Err(panicked(part, "polled again after it ended".to_owned())));
        };
        match quietly(|| inner.as_mut().poll(cx)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(ready) => {
                self.inner = None;
                ready
            }
            Err(message) => {
                self.inner = None;
                Poll::Ready(Err(panicked(part, message)))
            }
        }
    }
}

fn panicked(part: &str, message: String) -> ToolError {
    ToolError::Panicked { part: format!("`{part}`"), message }
}

fn message(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
