//! Why a verb did not do what was asked.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use toolgate::config::{ConfigError, ConfigErrors};
use toolgate::exec::{BuildError, Reason, ToolError, ToolOutput};
use toolgate::standard::StandardError;

use crate::exit::Exit;
use crate::report::{CallReport, CallStatus, ErrorReport, PlaceReport, ProblemReport};

/// Why a verb did not do what was asked.
///
/// The messages say what was being done and what went wrong; what to do next is in
/// [`Failure::hints`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The flags or arguments make no sense. Clap's text, which has its own hints.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The machine did not do its part.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// A configuration file is wrong.
    #[error("the configuration can't be used")]
    Config(ConfigErrors),
    /// Two files that only one of may exist, since nobody can tell which one is meant.
    #[error("{} and {} are both there: which one counts?", first.display(), second.display())]
    Ambiguous {
        /// One.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// The pipeline can't be put together: a bug of ours.
    #[error("putting the pipeline together: {0}")]
    Build(#[from] BuildError),
    /// The call gave no result.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The call needs an approval, and there was none.
    #[error("{}", match asked { true => "not approved", false => "it needs an approval, and there is nobody to ask" })]
    Unapproved {
        /// The question.
        question: ToolError,
        /// Whether a person was asked and said no.
        asked: bool,
        /// Commands that would have to be granted.
        grants: Vec<String>,
    },
    /// A project's file was not trusted.
    #[error("{}", match asked { true => "the file is not trusted", false => "trusting a file needs a terminal, and there is none" })]
    NotTrusted {
        /// Whether a person was asked and said no.
        asked: bool,
    },
    /// A grant was not given.
    #[error("{}", match asked { true => "the answer was no", false => "it needs a terminal, and there is none" })]
    NotGranted {
        /// Whether a person was asked and said no.
        asked: bool,
    },
    /// A signal stopped us.
    #[error("stopped by signal {signal}")]
    Signalled {
        /// Its number.
        signal: u8,
        /// What the call had given by then.
        partial: Option<Box<ToolOutput>>,
    },
    /// Whoever read our result has stopped reading.
    #[error("the reader of the output is gone")]
    ReaderGone,
}

impl From<StandardError> for Failure {
    fn from(error: StandardError) -> Self {
        match error {
            // It tells by itself what was asked for and what to do.
            StandardError::Boundary(error) => Self::Tool(error),
            StandardError::Environment(error) => {
                Self::io("choosing the environment of commands", io::Error::other(error))
            }
            StandardError::Shell(error) => Self::io("making the shell tool", error),
            StandardError::Pipeline(error) => Self::Build(error),
            other => Self::io("putting the pipeline together", io::Error::other(other)),
        }
    }
}

impl Failure {
    /// A failure of the machine.
    pub(crate) fn io(doing: impl Into<String>, source: io::Error) -> Self {
        Self::Io { doing: doing.into(), source }
    }

    /// A failure while writing a result; a closed pipe is none.
    pub(crate) fn writing(source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::BrokenPipe => Self::ReaderGone,
            _ => Self::io("writing the result", source),
        }
    }

    /// Bad usage with advice.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Tool(error) => exit_of(error),
            Self::Unapproved { .. } | Self::NotTrusted { .. } | Self::NotGranted { .. } => Exit::Unapproved,
            Self::Signalled { signal, .. } => Exit::Signalled(*signal),
            // A broken pipe is not an error.
            Self::ReaderGone => Exit::Success,
            _ => Exit::Failed,
        }
    }

    /// Whether there is nothing to tell and nobody to tell it to.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::ReaderGone)
    }

    /// The word a person reads first.
    pub(crate) fn word(&self) -> &'static str {
        match self.exit() {
            _ if matches!(self, Self::NotGranted { .. }) => "not granted",
            Exit::Refused => "refused",
            Exit::Unapproved => "not run",
            _ => "error",
        }
    }

    /// What was being done and what went wrong, in one line.
    ///
    /// Of a refusal or question only the command: the reasons are its details.
    pub(crate) fn headline(&self) -> String {
        match self {
            Self::Tool(ToolError::Blocked { command, .. }) => clipped(command),
            Self::Unapproved { question: ToolError::ConfirmationRequired { command, .. }, .. } => {
                format!("{}: {self}", clipped(command))
            }
            _ => self.to_string(),
        }
    }

    /// Lines that say more: the reasons of a refusal, the places of what is wrong.
    pub(crate) fn details(&self) -> Vec<String> {
        match self {
            Self::Config(errors) => errors.0.iter().map(config_error).collect(),
            _ => self.reasons().into_iter().map(reason_line).collect(),
        }
    }

    /// What the call, and those before it, had given by then.
    pub(crate) fn partial(&self) -> Option<ToolOutput> {
        match self {
            Self::Unapproved { question: error, .. } | Self::Tool(error) => error.partial().cloned(),
            Self::Signalled { partial, .. } => partial.as_deref().cloned(),
            _ => None,
        }
    }

    /// Each reason of a refusal or question once, though several looks may have found it.
    fn reasons(&self) -> Vec<&Reason> {
        let all = match self {
            Self::Unapproved { question: error, .. } | Self::Tool(error) => error.reasons(),
            _ => &[],
        };
        let mut once: Vec<&Reason> = Vec::new();
        for reason in all {
            if !once.contains(&reason) {
                once.push(reason);
            }
        }
        once
    }

    /// What to do next.
    pub(crate) fn hints(&self) -> Vec<String> {
        let one = |hint: &str| vec![hint.to_owned()];
        match self {
            Self::Usage { hint, .. } => hint.iter().cloned().collect(),
            Self::Ambiguous { .. } => one("remove one of them"),
            Self::Build(_) => one("this is a bug in toolgate: please report it"),
            Self::Unapproved { asked, grants, .. } => {
                let beforehand = "run it on a terminal to be asked, or pass --yes to approve it beforehand";
                let mut hints = if *asked { Vec::new() } else { one(beforehand) };
                for reason in self.reasons() {
                    hints.extend(reason.hint.clone());
                }
                hints.extend(grants.iter().map(|command| {
                    format!("to allow it from now on: toolgate grants add {}", in_quotes(command))
                }));
                if grants.is_empty() {
                    let rules = self.reasons().into_iter().filter_map(|reason| reason.grant.as_ref());
                    hints.extend(rules.map(|rule| format!("grant `{rule}`")));
                }
                hints
            }
            Self::NotTrusted { asked: false } | Self::NotGranted { asked: false } => {
                one("run it yourself, in a terminal")
            }
            Self::Tool(error) => error.hint().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn code(&self) -> String {
        match self {
            Self::Usage { .. } => "bad-usage",
            Self::Io { .. } => "io-failed",
            Self::Config(_) => "configuration-not-usable",
            Self::Ambiguous { .. } => "configuration-is-ambiguous",
            Self::Build(_) => "pipeline-not-built",
            Self::Tool(error) => error.code(),
            Self::Unapproved { .. } | Self::NotTrusted { .. } | Self::NotGranted { .. } => {
                "approval-not-given"
            }
            Self::Signalled { .. } => "stopped-by-signal",
            Self::ReaderGone => "reader-gone",
        }
        .to_owned()
    }

    /// The failure as data.
    pub(crate) fn report(&self) -> CallReport {
        let problems = match self {
            Self::Config(errors) => problems(errors),
            _ => Vec::new(),
        };
        let status = match self.exit() {
            Exit::Refused => CallStatus::Refused,
            Exit::Unapproved => CallStatus::Unapproved,
            Exit::TimedOut => CallStatus::TimedOut,
            Exit::Signalled(_) => CallStatus::Cancelled,
            _ => CallStatus::Failed,
        };
        let error = ErrorReport {
            code: self.code(),
            message: self.headline(),
            hints: self.hints(),
            reasons: self.reasons().into_iter().cloned().collect(),
            problems,
        };
        CallReport { status, exit_code: self.exit().code(), output: self.partial(), error: Some(error) }
    }
}

/// One mistake in the configuration, with its advice under the line it is about.
fn config_error(error: &ConfigError) -> String {
    let gutter = " ".repeat(error.place.line.to_string().len());
    let hint = error.hint().map_or_else(String::new, |hint| format!("\n{gutter} = {hint}"));
    format!("{error}{hint}\n")
}

/// What is wrong with a configuration, as data.
pub(crate) fn problems(errors: &ConfigErrors) -> Vec<ProblemReport> {
    let problem = |error: &ConfigError| ProblemReport {
        message: error.problem.to_string(),
        place: PlaceReport {
            file: error.place.name.clone(),
            line: error.place.line,
            column: error.place.column,
        },
        hint: error.hint(),
    };
    errors.0.iter().map(problem).collect()
}

/// The first line of a command, or as much of it as says which one it is.
fn clipped(command: &str) -> String {
    const SHOWN_CHARS: usize = 100;
    let command = command.trim();
    let line = command.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN_CHARS).collect();
    if shown.len() == command.len() { shown } else { format!("{shown}…") }
}

/// A text as one word for a shell.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn exit_of(error: &ToolError) -> Exit {
    match error {
        ToolError::Blocked { .. } | ToolError::SandboxViolation { .. } => Exit::Refused,
        ToolError::ConfirmationRequired { .. } => Exit::Unapproved,
        ToolError::Timeout { .. } => Exit::TimedOut,
        // SIGINT: who cancels without a signal does it from within.
        ToolError::Cancelled { .. } => Exit::Signalled(2),
        ToolError::Stopped { source, .. } => exit_of(source),
        _ => Exit::Failed,
    }
}

/// Who says so, why, and by which rule.
pub(crate) fn reason_line(reason: &Reason) -> String {
    let mut line = String::new();
    if !reason.gate.is_empty() {
        let _ = write!(line, "{}: ", reason.gate);
    }
    let _ = write!(line, "{} [{}]", reason.message, reason.code);
    match (&reason.rule, &reason.source) {
        (Some(rule), Some(source)) => {
            let _ = write!(line, "\n  by the {source} rule `{rule}`");
        }
        (Some(rule), None) => {
            let _ = write!(line, "\n  by the rule `{rule}`");
        }
        _ => {}
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_nobody_answers_says_who_asks_why_and_what_would_help() {
        let reason = Reason::new("egress-needs-approval", "it sends data to example.org")
            .rule("ask git push")
            .source("user")
            .grant("Bash(git push origin *)");
        let reasons = vec![reason.clone(), reason];
        let command = "git push origin\nrm -rf \u{1b}[2Kx".to_owned();
        let question = ToolError::ConfirmationRequired { command, reasons, digest: None };
        let failure = Failure::Unapproved { question, asked: false, grants: Vec::new() };
        let ui = crate::ui::Ui::new(false, crate::ui::ColorChoice::Never);
        insta::assert_snapshot!(ui.failure_text(&failure), @r"
        not run: git push origin…: it needs an approval, and there is nobody to ask
          it sends data to example.org [egress-needs-approval]
            by the user rule `ask git push`
        hint: run it on a terminal to be asked, or pass --yes to approve it beforehand
        hint: grant `Bash(git push origin *)`
        ");
        assert_eq!(failure.exit().code(), 127);
    }

    #[test]
    fn a_text_that_stopped_half_way_gives_what_it_had_and_the_exit_of_what_stopped_it() {
        let stopped = |source| {
            Failure::Tool(ToolError::Stopped {
                completed: 1,
                output: Box::new(ToolOutput::new("bash", "one")),
                source: Box::new(source),
            })
        };
        let timeout = stopped(ToolError::Timeout { timeout_secs: 1, partial: None });
        assert_eq!(timeout.exit(), Exit::TimedOut);
        assert_eq!(timeout.partial().unwrap().summary, "one");
        let blocked = ToolError::Blocked { command: "x".into(), reasons: vec![Reason::new("a-code", "no")] };
        assert_eq!(stopped(blocked).exit(), Exit::Refused);
    }
}
