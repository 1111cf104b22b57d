//! Every exit code of `toolgate`, in this one place.

use std::process::ExitCode;

use toolgate::exec::ExitStatus;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and the answer is yes.
    Success,
    /// Done, and the answer is no.
    No,
    /// `check`: it would be asked about.
    Asks,
    /// `check`: it would be refused.
    Denied,
    /// The status of the command that ran: its own, or 128 plus the signal that ended it.
    Command(u8),
    /// The command ran out of time, as `timeout(1)` says it.
    TimedOut,
    /// Toolgate could not do it: bad usage, bad configuration, no such tool, a failing machine.
    Failed,
    /// A rule forbids it.
    Refused,
    /// It needs an approval that nobody gave.
    Unapproved,
    /// This signal stopped it, and the command with it.
    Signalled(u8),
}

/// What `--help` and the man page say of exit codes.
pub(crate) const HELP: &str = "\
Exit codes:
  0         done
  1         done, and the answer is no (config check, filter test, output grep), not understood
            (parse), or ask (check)
  2         deny (check)
  124       the command ran out of time
  125       toolgate itself could not do it: usage, configuration, machine
  126       refused: a rule forbids it
  127       not run: it needs an approval that nobody gave
  128+N     signal N ended it
  other     the exit status of the command that ran

A command's own status is passed on as it is, even where it is one of these; with
--json the field `status` tells them apart.";

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::No | Self::Asks => 1,
            Self::Denied => 2,
            Self::Command(status) => status,
            Self::TimedOut => 124,
            Self::Failed => 125,
            Self::Refused => 126,
            Self::Unapproved => 127,
            Self::Signalled(signal) => 128_u8.saturating_add(signal),
        }
    }

    /// The exit for a command that ran to its end.
    pub(crate) fn of(status: Option<ExitStatus>) -> Self {
        // A wait status has eight bits; anything else is a failure we must not report as success.
        status.map_or(Self::Success, |s| Self::Command(u8::try_from(s.shell_code()).unwrap_or(255)))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commands_status_is_passed_on_and_never_becomes_success() {
        for code in 0..=255u8 {
            assert_eq!(Exit::of(Some(ExitStatus::Code(code.into()))).code(), code);
        }
        assert_eq!(Exit::of(Some(ExitStatus::Signal(9))).code(), 137);
        assert_eq!(Exit::of(Some(ExitStatus::Code(256))).code(), 255);
        assert_eq!(Exit::of(Some(ExitStatus::Code(-1))).code(), 255);
        assert_eq!(Exit::Signalled(2).code(), 130);
    }
}
