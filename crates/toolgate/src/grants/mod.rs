//! What a person allowed to be done again without asking.
//!
//! A grant is a parsed command and the effects it may have, never a piece of text: the very words, or a program
//! with its sub-command, its options and where its paths lie. It answers a question of the profile or of a rule
//! and nothing else. What is denied stays denied, and trust, plan mode, the network scope and the block list
//! are other gates' business. It never names a shell, an interpreter or a wrapper, since that would allow
//! whatever those are given.
//!
//! Each simple command of a script needs a grant of its own, and each effect of it must be one of the grant's:
//! what a redirection, a variable in front or a substitution does is no part of the command that was granted.
//!
//! Grants for a project are kept in the user's state directory under the project's path, so that a repository
//! can't bring its own.

mod fit;
mod form;
mod grant;
mod live;
mod propose;
mod shelf;
mod store;

pub use form::{Form, WordForm};
pub use grant::{Grant, Lift, ParseScopeError, Scope};
pub use propose::{NotGrantable, Proposal};
pub use shelf::{DEFAULT_TIME, Grants, GrantsWatch, LONGEST_TIME, Listed, SESSION_TIME};
pub use store::GrantsError;

pub(crate) use fit::effects_of;
pub(crate) use live::Live;
pub(crate) use propose::{exact_call, for_command};
