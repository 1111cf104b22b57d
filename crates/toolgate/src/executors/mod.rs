//! Executors by the names that users of this family of libraries know: presets over a pipeline.

pub mod shell;
