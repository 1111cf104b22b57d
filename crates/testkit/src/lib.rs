//! Test doubles and harnesses for the Toolgate workspace.
//!
//! A scripted tool plays the inner side, fixed gates play the wall, and [`doors`] opens one
//! executor through every door of the port, so that a test can say: the same everywhere.

pub mod contract;
pub mod doors;
mod fixed_gate;
mod scripted_tool;

pub use fixed_gate::{FixedGate, PanickingGate, reason};
pub use scripted_tool::{Answer, ScriptedTool};
