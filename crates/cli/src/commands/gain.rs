//! `toolgate gain`: what filters saved over time.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use toolgate::output::{Gain as Sums, Saved};

use crate::distil;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{CommandGainReport, DayGainReport, GainReport, SavedReport};
use crate::ui::{Style, Ui};

/// Show how many tokens filters saved, per command and over time
///
/// Counted are the outputs that filters saw since the record began or was last turned over; it holds
/// when, which program and subcommand, and how many characters, and nothing else. Tokens are an
/// estimate, at four characters a token.
#[derive(Debug, clap::Args)]
pub(crate) struct Gain {
    /// Count the last so many days only
    #[arg(long, value_name = "N")]
    days: Option<u64>,

    /// List so many commands
    #[arg(long, value_name = "N", default_value_t = 15)]
    limit: usize,
}

const SECONDS_A_DAY: u64 = 86_400;
/// Days of which the chart has a bar.
const CHART_DAYS: usize = 14;
/// Characters of the longest bar.
const CHART_WIDTH: u64 = 40;

impl Gain {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let since =
            self.days.map_or(0, |days| (now / SECONDS_A_DAY + 1).saturating_sub(days) * SECONDS_A_DAY);
        let sums = match distil::gain_log() {
            Some(log) => log.read(since).map_err(|error| {
                let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                Failure::io(error.to_string(), std::io::Error::other(source))
            })?,
            None => Sums::default(),
        };
        ui.answer(report(&sums), || self.told(ui, &sums))?;
        Ok(Exit::Success)
    }

    fn told(&self, ui: Ui, sums: &Sums) -> String {
        if sums.total.runs == 0 {
            return "nothing is recorded yet: `toolgate run` records what its filters save\n".to_owned();
        }
        let mut text = String::new();
        let total = &sums.total;
        let saved = ui.out_style(Style::Strong, &format!("{} tokens", grouped(total.tokens())));
        // Writing to a String can't fail.
        let _ = writeln!(
            text,
            "saved {saved} of {} ({:.1} %) in {} outputs\n",
            grouped(total.raw_chars / 4),
            total.percent(),
            grouped(total.runs)
        );
        self.table(&mut text, sums);
        chart(&mut text, sums);
        text
    }

    fn table(&self, text: &mut String, sums: &Sums) {
        let shown = sums.commands.get(..self.limit.min(sums.commands.len())).unwrap_or_default();
        let width = shown.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("command".len());
        let _ = writeln!(
            text,
            "{:width$}  {:>8}  {:>12}  {:>12}  {:>12}  {:>6}",
            "command", "outputs", "tokens in", "shown", "saved", "share"
        );
        for (name, saved) in shown {
            let _ = writeln!(
                text,
                "{name:width$}  {:>8}  {:>12}  {:>12}  {:>12}  {:>5.1}%",
                grouped(saved.runs),
                grouped(saved.raw_chars / 4),
                grouped(saved.shown_chars / 4),
                grouped(saved.tokens()),
                saved.percent()
            );
        }
        let left = sums.commands.len() - shown.len();
        if left > 0 {
            let _ = writeln!(text, "… and {left} more");
        }
    }
}

/// Tokens saved on each of the last days, as bars of eighths of a character.
fn chart(text: &mut String, sums: &Sums) {
    const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let days = sums.days.get(sums.days.len().saturating_sub(CHART_DAYS)..).unwrap_or_default();
    let most = days.iter().map(|(_, saved)| saved.tokens()).max().unwrap_or(0).max(1);
    let _ = writeln!(text, "\ntokens saved a day (UTC)");
    for (day, saved) in days {
        // At least an eighth where there is anything.
        let eighths = u128::from(saved.tokens()) * u128::from(CHART_WIDTH) * 8;
        let eighths = usize::try_from(eighths.div_ceil(u128::from(most))).unwrap_or(0);
        let mut bar = "█".repeat(eighths / 8);
        bar.extend((eighths % 8).checked_sub(1).and_then(|part| EIGHTHS.get(part)));
        let _ = writeln!(text, "{}  {bar} {}", date(*day), grouped(saved.tokens()));
    }
}

fn report(sums: &Sums) -> GainReport {
    GainReport {
        total: saved(&sums.total),
        commands: sums
            .commands
            .iter()
            .map(|(name, sum)| CommandGainReport { command: name.clone(), saved: saved(sum) })
            .collect(),
        days: sums
            .days
            .iter()
            .map(|(day, sum)| DayGainReport { day: date(*day), saved: saved(sum) })
            .collect(),
    }
}

fn saved(sum: &Saved) -> SavedReport {
    SavedReport {
        outputs: sum.runs,
        raw_tokens: sum.raw_chars / 4,
        shown_tokens: sum.shown_chars / 4,
        saved_tokens: sum.tokens(),
        saved_percent: (sum.percent() * 10.0).round() / 10.0,
    }
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The date of a day since 1970-01-01, by the civil calendar (H. Hinnant, "chrono-compatible low-level date
/// algorithms": years that begin in March, in eras of 400).
fn date(day: u64) -> String {
    let shifted = day + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day_of_month = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (day, want) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_787, "2026-11-30"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day), want);
        }
    }

    #[test]
    fn thousands_are_apart() {
        let all = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "1,234,567"]);
    }
}
