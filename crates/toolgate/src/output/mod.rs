//! What happens to output between a tool and the model.
//!
//! It is masked ([`SecretValues`]), made shorter ([`Filters`]), and what is not shown is kept where
//! it can be read again ([`Outputs`]). Three layers of the pipeline do this to the answers of any
//! tool ([`crate::layers`]); the shell, whose output may never end, does it as the bytes come, with
//! the same three handles.

mod filters;
mod gain;
mod outputs;
mod secrets;
mod shorten;

pub use filters::Filters;
pub use gain::{Gain, GainError, GainLog, Saved};
pub use outputs::{Outputs, ReadBy};
pub use secrets::SecretValues;

pub(crate) use filters::{exec_stats, leaves_out};
pub(crate) use outputs::{lines, link, told};
pub(crate) use shorten::{first_chars, last_chars, shorten, starts_character};
