//! The tools: what really does something, one folder or file each.

pub mod output;
pub mod shell;
