//! Generators and checks of the workspace.
fn main() {}
