//! A strict bash parser and static word evaluation that hides no command.
//!
//! [`parse`] either understands a whole script, down to the last substitution, or says that it does
//! not. There is no recovery and no partial tree: a tool that decides about commands can rely on the
//! tree having every command that bash could run.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::arithmetic_side_effects
    )
)]

pub mod ansi_c;
pub mod ast;
pub mod eval;
mod options;
mod parse;
mod plain;
mod print;
mod programs;
mod text;
mod unknown;
mod walk;

pub use options::{Options, Shell};
pub use parse::parse;
pub use print::print;
pub use programs::{Program, programs};
pub use text::Text;
pub use unknown::{Reason, Unknown};
pub use walk::{Effect, Path, Step, Visitor, walk};
