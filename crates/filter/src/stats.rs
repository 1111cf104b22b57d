//! What filtering did, in numbers.

use serde::{Deserialize, Serialize};

/// How sure a filter is that it understood the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterConfidence {
    /// Every line was explained.
    Full,
    /// Some lines were explained; the others are shown.
    Partial,
    /// The output is shown as it came, only cleaned.
    Fallback,
}

/// The less sure of the two.
#[must_use]
pub fn worse_confidence(a: FilterConfidence, b: FilterConfidence) -> FilterConfidence {
    a.max(b)
}

/// What filtering one output did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterStats {
    /// Characters before.
    pub raw_chars: usize,
    /// Characters after.
    pub filtered_chars: usize,
    /// Lines before.
    pub raw_lines: usize,
    /// Lines after.
    pub filtered_lines: usize,
    /// How sure the filter is; `None` where nothing was filtered.
    pub confidence: Option<FilterConfidence>,
    /// The command the output is of.
    pub command: Option<String>,
    /// Numbers (from 0) of the lines that are shown, in the cleaned output.
    pub kept_lines: Vec<usize>,
}

fn percent(raw: u64, filtered: u64) -> f64 {
    if raw == 0 { 0.0 } else { (1.0 - filtered as f64 / raw as f64) * 100.0 }
}

impl FilterStats {
    /// Share of characters saved, in percent; below zero where the result is longer.
    ///
    /// ```
    /// # use toolgate_filter::FilterStats;
    /// let stats = FilterStats { raw_chars: 1000, filtered_chars: 200, ..Default::default() };
    /// assert_eq!(stats.savings_pct(), 80.0);
    /// assert_eq!(stats.estimated_tokens_saved(), 200);
    /// ```
    #[must_use]
    pub fn savings_pct(&self) -> f64 {
        percent(self.raw_chars as u64, self.filtered_chars as u64)
    }

    /// Tokens saved, at four characters a token.
    #[must_use]
    pub fn estimated_tokens_saved(&self) -> usize {
        self.raw_chars.saturating_sub(self.filtered_chars) / 4
    }

    /// One line for a person: `[shell] 342 lines → 28 lines, 80.0% filtered`.
    ///
    /// ```
    /// # use toolgate_filter::FilterStats;
    /// let stats = FilterStats {
    ///     raw_chars: 1000,
    ///     filtered_chars: 200,
    ///     raw_lines: 342,
    ///     filtered_lines: 28,
    ///     command: Some("cargo test".into()),
    ///     ..Default::default()
    /// };
    /// assert_eq!(stats.format_inline("shell"), "[shell] `cargo test` 342 lines → 28 lines, 80.0% filtered");
    /// ```
    #[must_use]
    pub fn format_inline(&self, tool: &str) -> String {
        let label = match self.command.as_deref().map(str::trim) {
            None => String::new(),
            Some(command) if command.len() > 60 => {
                format!(" `{}…`", &command[..crate::terminal::floor(command, 57)])
            }
            Some(command) => format!(" `{command}`"),
        };
        format!(
            "[{tool}]{label} {} lines \u{2192} {} lines, {:.1}% filtered",
            self.raw_lines,
            self.filtered_lines,
            self.savings_pct()
        )
    }
}

/// Sums over many outputs.
///
/// ```
/// use toolgate_filter::{FilterConfidence, FilterMetrics};
/// let mut metrics = FilterMetrics::default();
/// metrics.record(1000, 250, FilterConfidence::Full);
/// metrics.record(1000, 1000, FilterConfidence::Fallback);
/// assert_eq!((metrics.filtered_commands, metrics.skipped_commands), (1, 1));
/// assert_eq!(metrics.savings_pct(), 37.5);
/// assert_eq!(metrics.confidence_counts, [1, 0, 1]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterMetrics {
    /// Outputs seen.
    pub total_commands: u64,
    /// Outputs made shorter.
    pub filtered_commands: u64,
    /// Outputs shown as they came.
    pub skipped_commands: u64,
    /// Characters before.
    pub raw_chars_total: u64,
    /// Characters after.
    pub filtered_chars_total: u64,
    /// Outputs by confidence: full, partial, fallback.
    pub confidence_counts: [u64; 3],
}

impl FilterMetrics {
    /// Counts one output.
    pub fn record(&mut self, raw_chars: usize, filtered_chars: usize, confidence: FilterConfidence) {
        self.total_commands += 1;
        if filtered_chars < raw_chars {
            self.filtered_commands += 1;
        } else {
            self.skipped_commands += 1;
        }
        self.raw_chars_total += raw_chars as u64;
        self.filtered_chars_total += filtered_chars as u64;
        self.confidence_counts[confidence as usize] += 1;
    }

    /// Share of characters saved over all outputs, in percent.
    #[must_use]
    pub fn savings_pct(&self) -> f64 {
        percent(self.raw_chars_total, self.filtered_chars_total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_text_is_as_users_know_it() {
        let stats = FilterStats {
            raw_lines: 342,
            filtered_lines: 28,
            raw_chars: 1000,
            filtered_chars: 200,
            ..Default::default()
        };
        assert_eq!(stats.format_inline("shell"), "[shell] 342 lines → 28 lines, 80.0% filtered");
        assert_eq!(FilterStats::default().format_inline("bash"), "[bash] 0 lines → 0 lines, 0.0% filtered");
        let long = FilterStats { command: Some(format!("  {}  ", "é".repeat(40))), ..Default::default() };
        assert!(long.format_inline("bash").contains("…`"));
    }

    #[test]
    fn metrics_tell_shorter_from_untouched() {
        let mut metrics = FilterMetrics::default();
        metrics.record(100, 20, FilterConfidence::Full);
        metrics.record(100, 100, FilterConfidence::Fallback);
        assert_eq!((metrics.filtered_commands, metrics.skipped_commands), (1, 1));
        assert_eq!(metrics.confidence_counts, [1, 0, 1]);
        assert_eq!(metrics.savings_pct(), 40.0);
        assert_eq!(
            worse_confidence(FilterConfidence::Full, FilterConfidence::Partial),
            FilterConfidence::Partial
        );
    }
}
