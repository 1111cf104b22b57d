//! Why a call gave no result.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::digest::CallDigest;
use crate::output::ToolOutput;
use crate::verdict::Reason;

/// Whether trying again could help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The same call may succeed later.
    Transient,
    /// The same call fails again.
    Permanent,
}

/// Why a call gave no result.
///
/// `Display` says what was being done and what went wrong; [`ToolError::hint`] says what to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolError {
    /// Policy forbids it, and no approval lifts that.
    Blocked {
        /// What was to run.
        command: String,
        /// Every reason of the strictest verdict; never empty.
        reasons: Vec<Reason>,
    },
    /// A person must approve it first.
    ConfirmationRequired {
        /// What would run.
        command: String,
        /// Every reason of the verdict; never empty.
        reasons: Vec<Reason>,
        /// What the approval must be for.
        digest: Option<CallDigest>,
    },
    /// It touched a place outside its boundary, or the boundary could not be had.
    SandboxViolation {
        /// The place; empty where it is about the boundary as a whole.
        path: PathBuf,
        /// What about it.
        message: String,
        /// What would help.
        hint: Option<String>,
    },
    /// It did not end in time; all of its processes were ended.
    Timeout {
        /// The limit, in whole seconds.
        timeout_secs: u64,
        /// What it had said by then.
        partial: Option<Box<ToolOutput>>,
    },
    /// It was cancelled; all of its processes were ended.
    Cancelled {
        /// What it had said by then.
        partial: Option<Box<ToolOutput>>,
    },
    /// Its parameters do not fit the tool.
    InvalidParams {
        /// What does not fit, and what would.
        message: String,
    },
    /// The machine could not do it.
    Execution {
        /// What was being done.
        doing: Cow<'static, str>,
        /// What the system said.
        source: io::Error,
        /// What would help.
        hint: Option<String>,
    },
    /// No tool has this name.
    UnknownTool {
        /// The name as asked for.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
    },
    /// An HTTP server answered with an error.
    Http {
        /// The status code.
        status: u16,
        /// What was asked of whom.
        message: String,
    },
    /// The state before the call could not be kept, and the caller insists on undo.
    SnapshotFailed {
        /// Why.
        reason: String,
    },
    /// The tool itself has a bug: it panicked. Nothing else was harmed.
    Panicked {
        /// Which part.
        part: String,
        /// The panic's message.
        message: String,
    },
    /// In a text of several calls, one failed after others had run.
    Stopped {
        /// How many calls ran to their end before it.
        completed: u32,
        /// What those gave.
        output: Box<ToolOutput>,
        /// Why this one gave nothing.
        source: Box<ToolError>,
    },
}

impl ToolError {
    /// Parameters that do not fit.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::InvalidParams { message: message.into() }
    }

    /// A failure of the machine while `doing` something.
    pub fn execution(doing: impl Into<Cow<'static, str>>, source: io::Error) -> Self {
        Self::Execution { doing: doing.into(), source, hint: None }
    }

    /// Whether trying again could help.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Timeout { .. } => ErrorKind::Transient,
            Self::Execution { source, .. } => match source.kind() {
                io::ErrorKind::TimedOut
                | io::ErrorKind::WouldBlock
                | io::ErrorKind::Interrupted
                | io::ErrorKind::ConnectionRefused
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe => ErrorKind::Transient,
                _ => ErrorKind::Permanent,
            },
            // RFC 9110 section 15.6 and RFC 6585 section 4: the server asks for another try.
            Self::Http { status: 408 | 429 | 500..=599, .. } => ErrorKind::Transient,
            Self::Stopped { source, .. } => source.kind(),
            _ => ErrorKind::Permanent,
        }
    }

    /// A stable kebab-case code: the first reason's for a refusal, else one for the variant.
    pub fn code(&self) -> &str {
        match self {
            Self::Blocked { reasons, .. } => reasons.first().map_or("blocked", |r| &r.code),
            Self::ConfirmationRequired { reasons, .. } => {
                reasons.first().map_or("confirmation-required", |r| &r.code)
            }
            Self::SandboxViolation { .. } => "sandbox-violation",
            Self::Timeout { .. } => "timed-out",
            Self::Cancelled { .. } => "cancelled",
            Self::InvalidParams { .. } => "invalid-params",
            Self::Execution { .. } => "execution-failed",
            Self::UnknownTool { .. } => "unknown-tool",
            Self::Http { .. } => "http-error",
            Self::SnapshotFailed { .. } => "snapshot-failed",
            Self::Panicked { .. } => "tool-panicked",
            Self::Stopped { source, .. } => source.code(),
        }
    }

    /// The reasons of a refusal or a question; empty for anything else.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::Blocked { reasons, .. } | Self::ConfirmationRequired { reasons, .. } => reasons,
            Self::Stopped { source, .. } => source.reasons(),
            _ => &[],
        }
    }

    /// What to do next, where that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Blocked { reasons, .. } => reasons.iter().find_map(|r| r.hint.clone()),
            Self::ConfirmationRequired { reasons, .. } => Some(
                match reasons
                    .iter()
                    .find_map(|r| r.hint.clone().or_else(|| r.grant.as_ref().map(|g| format!("grant `{g}`"))))
                {
                    Some(hint) => format!("ask the user to approve it, or {hint}"),
                    None => "ask the user to approve it".to_owned(),
                },
            ),
            Self::SandboxViolation { hint, .. } | Self::Execution { hint, .. } => hint.clone(),
            Self::Timeout { .. } => Some("give a longer `timeout`, or run it in the background".to_owned()),
            Self::UnknownTool { nearest, .. } => nearest.as_ref().map(|n| format!("did you mean `{n}`?")),
            Self::Panicked { .. } => Some("this is a bug in the tool: please report it".to_owned()),
            Self::Stopped { source, .. } => source.hint(),
            _ => None,
        }
    }

    /// What the call, or the calls before it, had given by then.
    pub fn partial(&self) -> Option<&ToolOutput> {
        match self {
            Self::Timeout { partial, .. } | Self::Cancelled { partial } => partial.as_deref(),
            Self::Stopped { output, .. } => Some(output),
            _ => None,
        }
    }
}

impl ToolError {
    /// Lets `change` rewrite every text of it, those of what was given by then included.
    pub fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Blocked { command, reasons }
            | Self::ConfirmationRequired { command, reasons, digest: _ } => {
                change(command);
                for reason in reasons {
                    change(&mut reason.message);
                    reason.hint.iter_mut().chain(&mut reason.grant).for_each(&mut *change);
                }
            }
            Self::SandboxViolation { path, message, hint } => {
                crate::output::each_text_of_path(path, change);
                change(message);
                hint.iter_mut().for_each(change);
            }
            Self::Timeout { partial, timeout_secs: _ } | Self::Cancelled { partial } => {
                partial.iter_mut().for_each(|output| output.each_text(change));
            }
            Self::InvalidParams { message }
            | Self::Http { message, status: _ }
            | Self::SnapshotFailed { reason: message }
            | Self::Panicked { message, part: _ } => change(message),
            Self::Execution { doing, source, hint } => {
                let mut text = doing.to_string();
                change(&mut text);
                if **doing != *text {
                    *doing = text.into();
                }
                let mut text = source.to_string();
                change(&mut text);
                // An error of the system has no text of anyone's; it keeps its number.
                if source.to_string() != text {
                    *source = io::Error::new(source.kind(), text);
                }
                hint.iter_mut().for_each(change);
            }
            Self::UnknownTool { name, nearest: _ } => change(name),
            Self::Stopped { output, source, completed: _ } => {
                output.each_text(change);
                source.each_text(change);
            }
        }
    }

    /// The outputs that it carries, to be rewritten.
    pub fn each_output(&mut self, change: &mut dyn FnMut(&mut ToolOutput)) {
        match self {
            Self::Timeout { partial, .. } | Self::Cancelled { partial } => {
                partial.iter_mut().for_each(|output| change(output));
            }
            Self::Stopped { output, source, .. } => {
                change(output);
                source.each_output(change);
            }
            _ => {}
        }
    }
}

/// A command can be 64 KB of text; an error shows its beginning.
fn shown(command: &str) -> Cow<'_, str> {
    const SHOWN_CHARS: usize = 200;
    match command.char_indices().nth(SHOWN_CHARS) {
        None => Cow::Borrowed(command),
        Some((end, _)) => Cow::Owned(format!("{}…", command.get(..end).unwrap_or_default())),
    }
}

fn listed(reasons: &[Reason]) -> String {
    reasons.iter().map(|r| r.message.as_str()).collect::<Vec<_>>().join("; ")
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocked { command, reasons } => {
                write!(f, "command blocked by policy: {}: {}", shown(command), listed(reasons))
            }
            Self::ConfirmationRequired { command, reasons, .. } => {
                write!(f, "command requires confirmation: {}: {}", shown(command), listed(reasons))
            }
            Self::SandboxViolation { path, message, .. } if path.as_os_str().is_empty() => {
                write!(f, "command not allowed by sandbox: {message}")
            }
            Self::SandboxViolation { path, message, .. } => {
                write!(f, "path not allowed by sandbox: {}: {message}", path.display())
            }
            Self::Timeout { timeout_secs, .. } => write!(f, "command timed out after {timeout_secs}s"),
            Self::Cancelled { .. } => f.write_str("operation cancelled"),
            Self::InvalidParams { message } => write!(f, "invalid tool parameters: {message}"),
            Self::Execution { doing, source, .. } => write!(f, "execution failed while {doing}: {source}"),
            Self::UnknownTool { name, .. } => write!(f, "no tool is named `{}`", shown(name)),
            Self::Http { status, message } => write!(f, "HTTP error {status}: {message}"),
            Self::SnapshotFailed { reason } => write!(f, "snapshot failed: {reason}"),
            Self::Panicked { part, message } => write!(f, "{part} panicked: {message}"),
            Self::Stopped { completed, source, .. } => {
                write!(f, "stopped after {completed} of the calls had run: {source}")
            }
        }
    }
}

impl std::error::Error for ToolError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Execution { source, .. } => Some(source),
            Self::Stopped { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<io::Error> for ToolError {
    fn from(source: io::Error) -> Self {
        Self::execution("running the tool", source)
    }
}
