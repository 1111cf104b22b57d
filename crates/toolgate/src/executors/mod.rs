//! Named executors: each a constructor over a pipeline, with no forwarding of its own.

mod filtered;
mod network_deny;
mod plan_mode;
pub(crate) mod shell;
mod trust_gate;

pub use filtered::FilteredToolExecutor;
pub use network_deny::NetworkDenyToolExecutor;
pub use plan_mode::PlanModeExecutor;
pub use shell::ShellExecutor;
pub use trust_gate::TrustGateExecutor;
