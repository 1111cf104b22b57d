//! The contract of Toolgate.
