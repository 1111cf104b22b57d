//! The layer between an AI agent and the machine it works on.

pub mod approval;
pub mod config;
pub mod gates;
pub mod layers;
pub mod speculation;
