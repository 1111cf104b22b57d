//! The contract of Toolgate: tool calls, verdicts, the pipeline and the executor port.
//!
//! Everything an agent asks for is a [`ToolCall`]. A [`Pipeline`] takes it past the
//! observers, the wall (every [`Gate`], strictest [`Verdict`] wins), the [`Layer`]s and at
//! last to the [`Tool`] that runs it. Whatever sits behind a pipeline is driven through one
//! port, [`ToolExecutor`], or its object-safe twin [`ErasedToolExecutor`].
//!
//! This crate knows no policy, no shell and no file: it is the shape that those fill.
//!
//! ```
//! use toolgate_exec::{Cleared, BoxFuture, Nature, Outcome, Pipeline, Tool, ToolCall, ToolDef, ToolExecutor, ToolOutput};
//!
//! struct Echo;
//! impl Tool for Echo {
//!     fn definitions(&self) -> Vec<ToolDef> {
//!         vec![ToolDef::new("echo", "Says it back.")]
//!     }
//!     fn nature(&self, _: &toolgate_exec::ToolId) -> Nature {
//!         Nature::READ_ONLY
//!     }
//!     fn run<'a>(&'a self, call: Cleared) -> BoxFuture<'a, Outcome> {
//!         Box::pin(async move { Ok(ToolOutput::new("echo", call.call().subject().into_owned())) })
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let pipeline = Pipeline::builder().tool(Echo).build().unwrap();
//! let out = pipeline.execute_tool_call(&ToolCall::new("echo", Default::default())).await.unwrap();
//! assert!(out.is_some());
//! # });
//! ```
#![forbid(unsafe_code)]

mod call;
mod checkpoint;
mod composite;
mod digest;
mod enforcement;
mod erased;
mod error;
mod event;
mod executor;
pub mod fence;
mod foreign;
mod gate;
mod layer;
mod network;
mod output;
mod pipeline;
pub mod registry;
mod session;
mod stats;
mod text;
mod tool;
mod tool_id;
mod truncate;
mod trust;
mod unwind;
mod verdict;

pub use call::{CallContext, Findings, ToolCall, deserialize_params};
pub use checkpoint::{
    CHECKPOINT_REDO, CHECKPOINT_UNDO, CheckpointActionResult, CheckpointEntryView, CheckpointListResult,
    Checkpoints,
};
pub use composite::CompositeExecutor;
pub use digest::CallDigest;
pub use enforcement::{Enforcement, EnforcementLevel};
pub use erased::{DynExecutor, ErasedToolExecutor};
pub use error::{ErrorKind, ToolError};
pub use event::{EVENT_CHANNEL_CAPACITY, OutputStream, ToolEvent, ToolEventRx, ToolEventTx, event_channel};
pub use executor::{Preset, ToolExecutor};
pub use foreign::{ForeignTool, InnerCheckpoints};
pub use gate::Gate;
pub use layer::{Layer, LayerFn, MapOutput, Next, Request, layer_fn, map_output};
pub use network::NetworkScope;
pub use output::{DiffData, ExitStatus, Media, ResourceLink, StoredOutput, ToolOutput, Truncation};
pub use pipeline::{BuildError, JudgedCall, Normaliser, Pipeline, PipelineBuilder};
pub use registry::{Capabilities, InvocationHint, ToolDef, ToolRegistry};
pub use session::{Session, SkillEnv};
pub use stats::{FilterConfidence, FilterStats};
pub use text::{Text, TextCall};
pub use tool::{Cleared, Nature, Tool};
pub use tool_id::{ToolId, normalize_tool_id};
pub use truncate::{MAX_TOOL_OUTPUT_CHARS, truncate_tool_output, truncate_tool_output_at};
pub use trust::{ParseTrustError, SkillTrustLevel, TrustLevel};
pub use verdict::{Reason, Verdict};

/// A boxed, sendable future: what the object-safe traits give back.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What running one judged call gives.
pub type Outcome = Result<ToolOutput, ToolError>;
