//! What tools there are: definitions, parameters, and how to show them to a model.

mod capabilities;
mod definition;
mod export;
mod nearest;
mod prompt;
mod tools;
mod validate;

pub use capabilities::Capabilities;
pub use definition::{InvocationHint, ToolDef};
pub use export::ToolFormat;
pub use nearest::nearest;
pub use tools::ToolRegistry;
pub(crate) use validate::shape_of;
