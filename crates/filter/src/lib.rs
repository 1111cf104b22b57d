//! Command output made short without losing a fact.
//!
//! A program's output is read as it comes ([`Filter`]); rules say what is noise for which command
//! ([`Catalog`]), and the engine guards what must stay whatever a rule says. Secrets are masked
//! before anything else sees the bytes ([`redact`]), and what is not shown can be had back
//! ([`overflow`]). Nothing here runs commands, reads configuration or prints.

pub mod command;
pub mod overflow;
mod packed;
pub mod redact;
pub mod tokens;

mod capture;
mod catalog;
mod engine;
mod guard;
mod known;
mod pattern;
mod registry;
mod rule;
mod rule_file;
mod rules;
mod scan;
mod shape;
mod sink;
mod stage;
mod stats;
mod template;
mod terminal;
mod user_rules;

pub use capture::{Capture, CaptureOptions, filter_captured, filter_read};
pub use catalog::Catalog;
pub use engine::{Filter, FilterOptions, Filtered, Stream};
pub use guard::{Weight, weigh};
pub use registry::{
    CommandMatcher, FilterConfig, FilterPipeline, FilterResult, OutputFilter, OutputFilterRegistry,
    SecurityFilterConfig,
};
pub use rule::{Origin, Rule};
pub use rules::built_in;
pub use stats::{FilterConfidence, FilterMetrics, FilterStats, worse_confidence};
pub use terminal::{sanitize_output, strip_ansi};
pub use user_rules::{RuleTested, RulesError, always_show, test_rules};
