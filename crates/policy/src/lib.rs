//! What shell commands can do, and whether they may.

pub mod analyse;
pub mod argv;
pub mod batch;
pub mod decide;
pub mod effect;
pub mod explain;
pub mod facts;
pub mod knowledge;
pub mod path;
pub mod permissions;
pub mod profile;
pub mod rule;
pub mod tool;
pub mod word;
