//! Filters as objects: for users of this family of libraries who bring their own.
//!
//! New code uses [`Filter`](crate::Filter), which streams; here a whole text goes in and comes out.

use crate::catalog::Catalog;
use crate::command;
use crate::engine::{Filter, FilterOptions, Stream};
use crate::rule::Origin;
use crate::stats::{FilterConfidence, FilterMetrics, worse_confidence};
use crate::user_rules::{self, RulesError};
use regex::Regex;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// What a filter made of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterResult {
    /// The shorter text.
    pub output: String,
    /// Characters before.
    pub raw_chars: usize,
    /// Characters after.
    pub filtered_chars: usize,
    /// Lines before.
    pub raw_lines: usize,
    /// Lines after.
    pub filtered_lines: usize,
    /// How sure the filter is.
    pub confidence: FilterConfidence,
    /// Numbers (from 0) of the lines that are shown.
    pub kept_lines: Vec<usize>,
}

impl FilterResult {
    /// Share of characters saved, in percent.
    #[must_use]
    pub fn savings_pct(&self) -> f64 {
        if self.raw_chars == 0 {
            0.0
        } else {
            (1.0 - self.filtered_chars as f64 / self.raw_chars as f64) * 100.0
        }
    }
}

/// Tells for which commands a filter is.
#[derive(Debug, Clone)]
pub enum CommandMatcher {
    /// The command is this text.
    Exact(String),
    /// The command begins with this text.
    Prefix(String),
    /// The command matches.
    Regex(Regex),
}

impl CommandMatcher {
    /// Whether the command line, or a part of it whose output is seen, is matched.
    ///
    /// ```
    /// use toolgate_filter::CommandMatcher;
    /// let cargo = CommandMatcher::Prefix("cargo ".into());
    /// assert!(cargo.matches("cd /p && cargo clippy --workspace 2>&1 | tail -20"));
    /// assert!(!CommandMatcher::Exact("ls".into()).matches("ls -la"));
    /// ```
    #[must_use]
    pub fn matches(&self, command: &str) -> bool {
        self.one(command.trim()) || command::commands(command).iter().any(|argv| self.one(&argv.join(" ")))
    }

    fn one(&self, command: &str) -> bool {
        match self {
            Self::Exact(text) => command == text,
            Self::Prefix(text) => command.starts_with(text.as_str()),
            Self::Regex(regex) => regex.is_match(command),
        }
    }
}

/// A filter for whole texts.
///
/// ```
/// use toolgate_filter::{CommandMatcher, FilterConfidence, FilterResult, OutputFilter, OutputFilterRegistry};
///
/// /// Leaves out the dots our test runner prints.
/// struct NoDots(CommandMatcher);
///
/// impl OutputFilter for NoDots {
///     fn name(&self) -> &'static str {
///         "no-dots"
///     }
///     fn matcher(&self) -> &CommandMatcher {
///         &self.0
///     }
///     fn filter(&self, _command: &str, raw: &str, _exit: i32) -> FilterResult {
///         let kept: Vec<(usize, &str)> = raw.lines().enumerate().filter(|(_, line)| *line != ".").collect();
///         let output: String = kept.iter().map(|(_, line)| format!("{line}\n")).collect();
///         FilterResult {
///             raw_chars: raw.chars().count(),
///             filtered_chars: output.chars().count(),
///             raw_lines: raw.lines().count(),
///             filtered_lines: kept.len(),
///             confidence: FilterConfidence::Partial,
///             kept_lines: kept.iter().map(|(at, _)| *at).collect(),
///             output,
///         }
///     }
/// }
///
/// let mut registry = OutputFilterRegistry::new(true);
/// registry.register(Box::new(NoDots(CommandMatcher::Prefix("./check".into()))));
/// let done = registry.apply("./check all", ".\n.\n.\n2 failed\n", 1).unwrap();
/// assert_eq!(done.output, "2 failed\n");
/// assert!(registry.apply("ls", "a\n", 0).is_none());
/// ```
pub trait OutputFilter: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// For which commands it is.
    fn matcher(&self) -> &CommandMatcher;
    /// Makes the text shorter.
    fn filter(&self, command: &str, raw: &str, exit: i32) -> FilterResult;
}

/// Filters one after another.
#[derive(Default)]
pub struct FilterPipeline<'f> {
    stages: Vec<&'f dyn OutputFilter>,
}

impl std::fmt::Debug for FilterPipeline<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.stages.iter().map(|s| s.name())).finish()
    }
}

impl<'f> FilterPipeline<'f> {
    /// Adds a filter at the end.
    pub fn push(&mut self, filter: &'f dyn OutputFilter) {
        self.stages.push(filter);
    }

    /// Runs the text through each; the least sure of them decides how sure the result is.
    #[must_use]
    pub fn run(&self, command: &str, raw: &str, exit: i32) -> FilterResult {
        let mut result = unchanged(raw);
        let mut first = true;
        for stage in &self.stages {
            let done = stage.filter(command, &result.output, exit);
            result.confidence =
                if first { done.confidence } else { worse_confidence(result.confidence, done.confidence) };
            first = false;
            if !done.kept_lines.is_empty() {
                result.kept_lines = done.kept_lines;
            }
            result.filtered_chars = done.output.chars().count();
            result.filtered_lines = done.output.lines().count();
            result.output = done.output;
        }
        result
    }
}

fn unchanged(raw: &str) -> FilterResult {
    FilterResult {
        output: raw.to_owned(),
        raw_chars: raw.chars().count(),
        filtered_chars: raw.chars().count(),
        raw_lines: raw.lines().count(),
        filtered_lines: raw.lines().count(),
        confidence: FilterConfidence::Fallback,
        kept_lines: Vec::new(),
    }
}

/// Settings of the filters.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterConfig {
    /// Whether output is filtered at all.
    pub enabled: bool,
    /// Folder with a `filters.toml`.
    pub filters_path: Option<PathBuf>,
    /// Lines that are always shown.
    pub security: SecurityFilterConfig,
}

impl Default for FilterConfig {
    fn default() -> Self {
        Self { enabled: true, filters_path: None, security: SecurityFilterConfig::default() }
    }
}

/// Which lines are always shown beside those the engine guards.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecurityFilterConfig {
    /// Whether the patterns below count; what the engine guards is guarded anyway.
    pub enabled: bool,
    /// Regular expressions.
    pub extra_patterns: Vec<String>,
}

impl Default for SecurityFilterConfig {
    fn default() -> Self {
        Self { enabled: true, extra_patterns: Vec::new() }
    }
}

/// The filters in use: a program's own, and the rules.
///
/// ```
/// use toolgate_filter::{FilterConfig, OutputFilterRegistry};
///
/// let registry = OutputFilterRegistry::default_filters(&FilterConfig::default());
/// let raw = "   Compiling a v1.0.0\n   Compiling b v1.0.0\n   Compiling c v1.0.0\nerror: could not compile `c`\n";
/// let done = registry.apply("cargo build", raw, 101).unwrap();
/// assert_eq!(done.output, "error: could not compile `c`\n[3 lines cut]\n");
/// assert_eq!(registry.metrics().filtered_commands, 1);
/// ```
pub struct OutputFilterRegistry {
    enabled: bool,
    filters: Vec<Box<dyn OutputFilter>>,
    catalog: Option<Catalog>,
    options: FilterOptions,
    metrics: Mutex<FilterMetrics>,
}

impl std::fmt::Debug for OutputFilterRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputFilterRegistry")
            .field("enabled", &self.enabled)
            .field("filter_count", &self.filters.len())
            .finish_non_exhaustive()
    }
}

impl OutputFilterRegistry {
    /// No filters yet.
    #[must_use]
    pub fn new(enabled: bool) -> Self {
        Self {
            enabled,
            filters: Vec::new(),
            catalog: None,
            options: FilterOptions::default(),
            metrics: Mutex::new(FilterMetrics::default()),
        }
    }

    /// Adds a filter; filters of one's own act before the rules.
    pub fn register(&mut self, filter: Box<dyn OutputFilter>) {
        self.filters.push(filter);
    }

    /// With the built-in rules, and those in `rules`: the text of the user's `filters.toml`, if any.
    ///
    /// # Errors
    /// When the text or a pattern of the settings is refused; what was there before still counts.
    pub fn with_rules(mut self, config: &FilterConfig, rules: Option<&str>) -> Result<Self, RulesError> {
        self.enabled = config.enabled;
        let mut catalog = Catalog::built_in();
        if let Some(text) = rules {
            catalog = catalog.with_file(text, Origin::User)?;
        }
        self.catalog = Some(catalog);
        if config.security.enabled && !config.security.extra_patterns.is_empty() {
            self.options.always_show = Some(user_rules::always_show(&config.security.extra_patterns)?);
        }
        Ok(self)
    }

    /// With the built-in rules and no others.
    #[must_use]
    pub fn default_filters(config: &FilterConfig) -> Self {
        let mut registry = Self::new(config.enabled);
        registry.catalog = Some(Catalog::built_in());
        if config.security.enabled {
            // A pattern that is refused is left out here; `with_rules` reports it.
            let good: Vec<String> = config
                .security
                .extra_patterns
                .iter()
                .filter(|p| user_rules::always_show(&[(*p).clone()]).is_ok())
                .cloned()
                .collect();
            registry.options.always_show =
                (!good.is_empty()).then(|| user_rules::always_show(&good).ok()).flatten();
        }
        registry
    }

    /// Filters a text; `None` where filtering is off or nothing is for this command.
    #[must_use]
    pub fn apply(&self, command: &str, raw: &str, exit: i32) -> Option<FilterResult> {
        if !self.enabled {
            return None;
        }
        let mut pipeline = FilterPipeline::default();
        for filter in self.filters.iter().filter(|f| f.matcher().matches(command)) {
            pipeline.push(filter.as_ref());
        }
        let own = !pipeline.stages.is_empty();
        let mut result = pipeline.run(command, raw, exit);
        if let Some(catalog) = &self.catalog {
            let commands = command::commands(command);
            let known = commands.iter().any(|argv| !catalog.rules_for(argv).is_empty());
            if !known && !own {
                return None;
            }
            let mut filter = Filter::new(catalog, &commands, self.options.clone());
            filter.push(Stream::Stdout, result.output.as_bytes());
            let done = filter.finish(exit);
            let confidence = done.stats.confidence.unwrap_or(FilterConfidence::Fallback);
            result.confidence =
                if own { worse_confidence(result.confidence, confidence) } else { confidence };
            result.filtered_chars = done.stats.filtered_chars;
            result.filtered_lines = done.stats.filtered_lines;
            result.kept_lines = done.stats.kept_lines;
            result.output = done.text;
        } else if !own {
            return None;
        }
        self.metrics.lock().unwrap_or_else(PoisonError::into_inner).record(
            result.raw_chars,
            result.filtered_chars,
            result.confidence,
        );
        Some(result)
    }

    /// Sums over what was filtered so far.
    #[must_use]
    pub fn metrics(&self) -> FilterMetrics {
        self.metrics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Replace(CommandMatcher, &'static str, &'static str, FilterConfidence);

    impl OutputFilter for Replace {
        fn name(&self) -> &'static str {
            self.1
        }
        fn matcher(&self) -> &CommandMatcher {
            &self.0
        }
        fn filter(&self, _: &str, raw: &str, _: i32) -> FilterResult {
            FilterResult { output: raw.replace(self.1, self.2), confidence: self.3, ..unchanged(raw) }
        }
    }

    fn all() -> CommandMatcher {
        CommandMatcher::Prefix(String::new())
    }

    #[test]
    fn stages_feed_one_another_and_the_least_sure_decides() {
        let a = Replace(all(), "hello", "world", FilterConfidence::Full);
        let b = Replace(all(), "world", "DONE", FilterConfidence::Partial);
        let mut pipeline = FilterPipeline::default();
        pipeline.push(&a);
        pipeline.push(&b);
        let done = pipeline.run("x", "say hello there", 0);
        assert_eq!((done.output.as_str(), done.confidence), ("say DONE there", FilterConfidence::Partial));
        assert_eq!((done.raw_chars, done.filtered_chars), (15, 14));
        assert_eq!(FilterPipeline::default().run("x", "raw", 0).output, "raw");
    }

    #[test]
    fn matchers_judge_each_part_of_a_command() {
        let cargo = CommandMatcher::Regex(Regex::new(r"^cargo\s+test").unwrap());
        assert!(cargo.matches("cd /p && cargo test --lib 2>&1 | tail -80"));
        assert!(cargo.matches("make; cargo test"));
        assert!(!cargo.matches("cargo build"));
        assert!(!CommandMatcher::Prefix("git ".into()).matches("github"));
        assert!(!CommandMatcher::Exact("ls".into()).matches("cd /path && cargo test"));
    }

    #[test]
    fn off_or_unknown_gives_nothing() {
        let config = FilterConfig { enabled: false, ..Default::default() };
        assert_eq!(OutputFilterRegistry::default_filters(&config).apply("cargo test", "x", 0), None);
        let on = OutputFilterRegistry::default_filters(&FilterConfig::default());
        assert_eq!(on.apply("frobnicate", "x", 0), None);
        assert_eq!(OutputFilterRegistry::new(true).apply("cargo test", "x", 0), None);
        let done = on.apply("cargo test", "running 41 tests\ntest a ... ok\n", 0);
        assert!(done.is_some());
        assert_eq!(on.metrics().total_commands, 1);
    }
}
