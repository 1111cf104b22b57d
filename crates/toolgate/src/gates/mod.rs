//! The wall's judges, one file each. The standard wall is put together in [`standard`].

mod autonomy;
mod plan;

mod trust;

pub use autonomy::{AutonomyGate, AutonomyLevel, ParseAutonomyError};
pub use plan::PlanGate;

pub use trust::TrustGate;
