//! A strict bash parser that hides no command.
//!
//! A tool that decides about shell commands must know *all* the commands that bash would run. This crate
//! reads a script the way `bash -c` does and gives a tree in which every one of them is a typed node: in
//! substitutions, here-documents, arithmetic, subscripts, patterns, however deep. It has no policy, does no
//! IO and needs no other crate.
//!
//! # What it guarantees
//!
//! [`parse`] gives a whole [`Script`](ast::Script) or [`Unknown`], nothing between:
//!
//! * **What bash runs is in the tree**, in any version from 3.2 to 5.3. Where versions disagree, the tree
//!   has what any of them runs, or the script is unknown.
//! * **What bash rejects is unknown.** Bash runs a script line by line, so it may have run much before it
//!   rejects the rest. There is no recovery and no partial tree.
//! * **It ends**, in linear time, bounded memory and little stack, whatever the input: see [`Options`].
//!
//! # What Unknown means
//!
//! That the script was not understood *for certain*; not that it is harmless, and not that bash would refuse
//! it. A caller that decides should decide as for the most dangerous script. [`Reason`] says why: besides
//! syntax errors and limits these are constructs that bash versions, modes or locales read differently,
//! control characters and odd blanks outside quotes, and text that follows a command which changes the
//! grammar (such as `shopt -s expand_aliases`).
//!
//! # What it does not know
//!
//! * *Values.* Bash can turn values into code: `eval`, `((x))` with `x='a[$(…)]'`, `${!x}`. The
//!   [walker](walk) points at the places ([`Effect`]).
//! * *What programs do.* For `sudo ls` the program is `sudo`.
//! * *The locale.* It is taken to be C or one with UTF-8.
//! * *What happened before the script.* Aliases, options and functions of a running shell are not its
//!   business; a fresh `bash -c` has none unless the environment says so (`BASH_ENV`, `SHELLOPTS`,
//!   `BASHOPTS`, `POSIXLY_CORRECT`, `BASH_FUNC_…`).
//!
//! # Example
//!
//! ```
//! use toolgate_bash::{Options, parse, programs};
//!
//! let source = br#"
//!     for f in *.txt; do
//!         gzip -c "$f" > "$(dirname "$f")/$(basename "$f").gz" || exit
//!     done <<< "${list:-`find . -name '*.txt'`}"
//! "#;
//! let script = parse(source, &Options::default())?;
//! let names: Vec<_> = programs(&script).into_iter().filter_map(|program| program.name).collect();
//! assert_eq!(names, ["find", "dirname", "basename", "gzip", "exit"]);
//!
//! let unknown = parse(b"echo 'unclosed", &Options::default()).unwrap_err();
//! assert_eq!(unknown.reason.code(), "unclosed");
//! # Ok::<(), toolgate_bash::Unknown>(())
//! ```
//!
//! Where to go from here: [`ast`] for the tree, [`walk`] to visit everything that can run with its context,
//! [`programs`] for a plain list, [`print()`] for the canonical text.

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
mod quoted_code;
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
