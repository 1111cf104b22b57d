//! Random scripts about syntax.
