//! What shell commands can do, and whether they may.

pub mod analyse;
pub mod argv;
pub mod effect;
pub mod facts;
pub mod knowledge;
pub mod path;
pub mod word;
