//! What an output filter saved.

use serde::{Deserialize, Serialize};

/// How much of an output a filter understood. Ordered from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FilterConfidence {
    /// Every line was explained.
    Full,
    /// Some lines were kept or cut by size alone.
    Partial,
    /// Nothing was understood; the text is as it came, only de-noised.
    Fallback,
}

/// What an output filter saved, in characters and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FilterStats {
    /// Characters before.
    pub raw_chars: usize,
    /// Characters after.
    pub filtered_chars: usize,
    /// Lines before.
    pub raw_lines: usize,
    /// Lines after.
    pub filtered_lines: usize,
    /// How much was understood; absent where no filter ran.
    pub confidence: Option<FilterConfidence>,
    /// The command whose output it was.
    pub command: Option<String>,
    /// Zero-based numbers of the raw lines that were kept. In process alone: written out they would be
    /// longer than many an output.
    #[serde(skip)]
    pub kept_lines: Vec<usize>,
}

impl FilterStats {
    /// The share of characters saved, in percent; 0 where there were none.
    #[allow(clippy::cast_precision_loss)]
    pub fn savings_pct(&self) -> f64 {
        if self.raw_chars == 0 {
            return 0.0;
        }
        (1.0 - self.filtered_chars as f64 / self.raw_chars as f64) * 100.0
    }

    /// An estimate of the tokens saved, at four characters a token.
    pub fn estimated_tokens_saved(&self) -> usize {
        self.raw_chars.saturating_sub(self.filtered_chars) / 4
    }

    /// One line for a person.
    ///
    /// ```
    /// let stats = toolgate_exec::FilterStats {
    ///     raw_chars: 1000, filtered_chars: 200, raw_lines: 342, filtered_lines: 28, ..Default::default()
    /// };
    /// assert_eq!(stats.format_inline("shell"), "[shell] 342 lines → 28 lines, 80.0% filtered");
    /// ```
    pub fn format_inline(&self, tool: &str) -> String {
        let label = self.command.as_deref().map(str::trim).map_or(String::new(), |command| {
            match command.char_indices().nth(57) {
                Some((end, _)) if command.chars().count() > 60 => {
                    format!(" `{}…`", command.get(..end).unwrap_or_default())
                }
                _ => format!(" `{command}`"),
            }
        });
        format!(
            "[{tool}]{label} {} lines → {} lines, {:.1}% filtered",
            self.raw_lines,
            self.filtered_lines,
            self.savings_pct()
        )
    }

    /// Adds the numbers of another output; the worse confidence counts.
    pub fn absorb(&mut self, other: &Self) {
        self.raw_chars += other.raw_chars;
        self.filtered_chars += other.filtered_chars;
        self.raw_lines += other.raw_lines;
        self.filtered_lines += other.filtered_lines;
        self.confidence = self.confidence.max(other.confidence);
        if self.command.is_none() {
            self.command.clone_from(&other.command);
        }
        if self.kept_lines.is_empty() {
            self.kept_lines.clone_from(&other.kept_lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_label_is_cut_between_characters() {
        // A34: the reference slices at byte 57 and panics on multi-byte commands.
        let command = format!("{}{}", "a".repeat(56), "é".repeat(20));
        let stats = FilterStats { command: Some(command), ..FilterStats::default() };
        let line = stats.format_inline("bash");
        assert!(line.contains(&format!("`{}é…`", "a".repeat(56))), "{line}");
    }

    #[test]
    fn savings_are_told_in_percent_and_tokens() {
        let stats = FilterStats { raw_chars: 1000, filtered_chars: 200, ..FilterStats::default() };
        assert!((stats.savings_pct() - 80.0).abs() < 1e-9);
        assert_eq!(stats.estimated_tokens_saved(), 200);
        assert_eq!(FilterStats::default().format_inline("bash"), "[bash] 0 lines → 0 lines, 0.0% filtered");
    }
}
