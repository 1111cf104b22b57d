//! What output is made shorter by.

use std::fmt;
use std::sync::Arc;

use toolgate_exec::{FilterConfidence, FilterStats};
use toolgate_filter::{self as filter, Catalog, Filter, FilterOptions, Filtered, RulesError};

use super::gain::GainLog;

/// The rules, and the record of what they saved.
///
/// ```
/// use toolgate::output::Filters;
/// let filters = Filters::built_in();
/// assert!(filters.shortens("cargo test") && !filters.shortens("./deploy.sh"));
/// ```
#[derive(Clone)]
pub struct Filters {
    catalog: Catalog,
    options: FilterOptions,
    gain: Option<Arc<GainLog>>,
}

impl Filters {
    /// The built-in rules.
    pub fn built_in() -> Self {
        Self::new(Catalog::built_in())
    }

    /// These rules.
    pub fn new(catalog: Catalog) -> Self {
        Self { catalog, options: FilterOptions::default(), gain: None }
    }

    /// Always shows lines that match one of these expressions.
    ///
    /// # Errors
    /// Where one is too long or is no regular expression.
    pub fn always_show(mut self, patterns: &[String]) -> Result<Self, RulesError> {
        if !patterns.is_empty() {
            self.options.always_show = Some(filter::always_show(patterns)?);
        }
        Ok(self)
    }

    /// Records what is saved.
    #[must_use]
    pub fn gain(mut self, log: GainLog) -> Self {
        self.gain = Some(Arc::new(log));
        self
    }

    /// Whether a rule makes the output of this command shorter.
    pub fn shortens(&self, command: &str) -> bool {
        self.catalog.shortens(command)
    }

    /// A filter for the output of a command, of which about `budget` bytes a stream are shown.
    pub(crate) fn begin(&self, command: &str, budget: usize, hint: Option<String>) -> Filter {
        let options = FilterOptions { budget, hint, ..self.options.clone() };
        Filter::new(&self.catalog, &filter::command::commands(command), options)
    }

    /// Records what a filter saved, by the command as it may be shown; what was shown in the end may be
    /// longer than what it gave.
    pub(crate) fn finished(&self, stats: &FilterStats) {
        if let (Some(gain), Some(command)) = (&self.gain, &stats.command) {
            gain.record(&self.catalog.label(command), stats.raw_chars as u64, stats.filtered_chars as u64);
        }
    }
}

impl fmt::Debug for Filters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filters({} rules)", self.catalog.rules().count())
    }
}

/// Whether something of the output is not in the filter's text: lines, or parts of very long ones, in
/// whose place it writes how many bytes they are.
pub(crate) fn leaves_out(done: &Filtered) -> bool {
    done.hidden_lines > 0 || done.text.contains("[…")
}

/// The numbers of a filter as a result carries them.
pub(crate) fn exec_stats(done: &Filtered, command: String) -> FilterStats {
    let stats = &done.stats;
    FilterStats {
        raw_chars: stats.raw_chars,
        filtered_chars: stats.filtered_chars,
        raw_lines: stats.raw_lines,
        filtered_lines: stats.filtered_lines,
        confidence: stats.confidence.map(|confidence| match confidence {
            filter::FilterConfidence::Full => FilterConfidence::Full,
            filter::FilterConfidence::Partial => FilterConfidence::Partial,
            filter::FilterConfidence::Fallback => FilterConfidence::Fallback,
        }),
        command: Some(command),
        kept_lines: stats.kept_lines.clone(),
    }
}
