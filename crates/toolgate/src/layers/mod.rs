//! What happens around a call, one layer a file.

mod retry;

pub use retry::{Backoff, RetryLayer};
