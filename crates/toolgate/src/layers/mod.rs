//! What happens around a call, one layer a file.
//!
//! The standard stack, outermost first: retry, overflow, filter, redact, and then the tool. So each
//! try is shaped afresh, nothing unmasked is read by the filter or stored, and what is cut is what is
//! left too long by the filter.

mod filter;
mod overflow;
mod redact;
mod retry;

pub use filter::FilterLayer;
pub use overflow::OverflowLayer;
pub use redact::RedactLayer;
pub use retry::{Backoff, RetryLayer};
