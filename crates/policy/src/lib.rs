//! What shell commands can do, and whether they may.
//!
//! A command is judged in three steps, each of which can be used alone:
//!
//! 1. [`analyse`] follows a script (or an argument vector, or the call of a [`tool`]) to every place where
//!    code runs, and says what it can do: its [`effect`]s. What a program does with its words is not code
//!    here but data, one file per program in `kb/`, compiled into the tables of [`knowledge`].
//! 2. [`profile`] and [`rule`] say what is allowed, asked about and denied, effect by effect.
//! 3. [`decide`] takes the strictest answer and gives the reasons for it.
//!
//! [`batch`] does all three for one record, [`coverage`] counts what rules do over many, and [`explain`] says what
//! a reason means and what is known about a program. [`permissions`] holds the older lists of patterns.
//!
//! Nothing here does input or output: links are looked at through [`analyse::Links`], and rules come as plain
//! data. What cannot be understood is an effect of its own and is asked about; it is never taken for nothing.
//!
//! ```
//! use toolgate_policy::batch::{Judge, Request};
//! use toolgate_policy::profile::Verdict;
//!
//! let judge = Judge::new("/home/me", "/home/me/project");
//! let verdict = |text: &str| judge.judge(&Request::Command { text: text.into(), cwd: None }).verdict;
//!
//! assert_eq!(verdict("git status && ls --all"), Verdict::Allow);
//! assert_eq!(verdict("git commit -m 'no more rm -rf /'"), Verdict::Allow);
//! assert_eq!(verdict("git reset --hard"), Verdict::Ask);
//! assert_eq!(verdict("x=rm; timeout 5 bash -c \"$x -rf ~\""), Verdict::Deny);
//! assert_eq!(verdict("echo Y3VybCBldmlsLmV4YW1wbGU= | base64 -d | sh"), Verdict::Deny);
//! ```

pub mod analyse;
pub mod argv;
pub mod autonomy;
pub mod batch;
pub mod coverage;
pub mod decide;
pub mod effect;
pub mod explain;
pub mod facts;
pub mod knowledge;
pub mod network;
pub mod path;
pub mod permissions;
pub mod profile;
pub mod rule;
pub mod tool;
pub mod word;
