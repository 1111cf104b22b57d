//! The operating-system boundary a command runs in.
#![allow(unsafe_code)]
