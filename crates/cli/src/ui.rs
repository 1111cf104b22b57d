//! Talking to whoever started us: results to stdout, everything else to stderr.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::failure::Failure;
use crate::report::Versioned;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// For a person: on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A kind of emphasis.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    /// Something went wrong or is refused.
    Bad,
    /// A question or a hint.
    Note,
    /// What the eye should find.
    Strong,
    /// What it may skip.
    Faint,
}

impl Style {
    /// The start of the emphasis (ECMA-48 SGR).
    fn start(self) -> &'static str {
        match self {
            Self::Bad => "\x1b[1;31m",
            Self::Note => "\x1b[1;36m",
            Self::Strong => "\x1b[1m",
            Self::Faint => "\x1b[2m",
        }
    }
}

const END: &str = "\x1b[0m";

/// How this run talks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ui {
    json: bool,
    out: bool,
    err: bool,
}

impl Ui {
    /// Decides once for the whole run.
    pub(crate) fn new(json: bool, color: ColorChoice) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        let colour = |is_terminal: bool| match color {
            ColorChoice::Auto => is_terminal && !plain,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        Self {
            json,
            out: !json && colour(io::stdout().is_terminal()),
            err: colour(io::stderr().is_terminal()),
        }
    }

    /// Whether results are JSON.
    pub(crate) fn json(self) -> bool {
        self.json
    }

    /// Emphasised text for stdout.
    pub(crate) fn out_style(self, style: Style, text: &str) -> String {
        styled(self.out, style, text)
    }

    /// Prints the result: `report` with `--json`, else what `human` writes.
    pub(crate) fn answer<T: Serialize>(
        self,
        report: T,
        human: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json { self.report(report) } else { self.print(&human()) }
    }

    /// Prints one versioned object on a line of its own.
    pub(crate) fn report<T: Serialize>(self, report: T) -> Result<(), Failure> {
        let mut line = serde_json::to_string(&Versioned::new(report))
            .map_err(|error| Failure::io("writing the result as JSON", error.into()))?;
        line.push('\n');
        self.print(&line)
    }

    /// Prints text to stdout as it is.
    pub(crate) fn print(self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::writing)
    }

    /// Says something to a person on stderr. That nobody listens is no failure.
    pub(crate) fn say(self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Tells of a failure: on stderr, or as an object on stdout with `--json`.
    pub(crate) fn fail(self, failure: &Failure) {
        if failure.is_silent() {
            return;
        }
        if self.json {
            // Where even this can't be written, the exit code still says it.
            let _ = self.report(failure.report());
        } else {
            self.say(&self.failure_text(failure));
        }
    }

    pub(crate) fn failure_text(self, failure: &Failure) -> String {
        let mut text = format!(
            "{} {}\n",
            styled(self.err, Style::Bad, &format!("{}:", failure.word())),
            visible_lines(&failure.headline())
        );
        for detail in failure.details() {
            for line in visible_lines(&detail).split('\n') {
                let _ = writeln!(text, "{}", format!("  {line}").trim_end());
            }
        }
        for hint in failure.hints() {
            let _ = writeln!(text, "{} {}", styled(self.err, Style::Note, "hint:"), visible_lines(&hint));
        }
        text
    }
}

fn styled(colour: bool, style: Style, text: &str) -> String {
    if colour { format!("{}{text}{END}", style.start()) } else { text.to_owned() }
}

/// Text from elsewhere, safe to show: control and direction-changing characters become escapes.
///
/// A command can hold terminal sequences that repaint the question it is asked in; the person must
/// see what would run, not what it wants to look like.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |c| !hidden(c))
}

/// The same for text of several lines.
pub(crate) fn visible_lines(text: &str) -> Cow<'_, str> {
    shown(text, |c| c == '\n' || !hidden(c))
}

fn shown(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&keep) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if keep(c) => safe.push(c),
            '\t' => safe.push_str("\\t"),
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            c => {
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(safe)
}

/// Controls (Unicode category Cc), and format characters that hide text or turn it around
/// (Unicode 15, section 23.2 and UAX #9).
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_repaints_or_hides_is_written_out() {
        assert_eq!(visible("ls\x1b[2K\rrm x"), "ls\\u{1b}[2K\\rrm x");
        assert_eq!(visible("a\u{202e}b\u{200b}"), "a\\u{202e}b\\u{200b}");
        assert_eq!(visible("a\nb"), "a\\nb");
        assert_eq!(visible_lines("a\nb\x07"), "a\nb\\u{7}");
        assert!(matches!(visible("grün 🦀"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_shown_moves_the_cursor(text in any::<String>()) {
            prop_assert!(!visible(&text).chars().any(hidden));
            prop_assert!(!visible_lines(&text).chars().any(|c| c != '\n' && hidden(c)));
        }
    }
}
