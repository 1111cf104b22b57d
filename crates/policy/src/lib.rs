//! What shell commands can do, and whether they may.

pub mod knowledge;
