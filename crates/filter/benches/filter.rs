//! Throughput of the filter.
fn main() { divan::main(); }
