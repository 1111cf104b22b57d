//! Asking the person at the terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A person said yes.
    Yes,
    /// A person said no, or nothing.
    No,
    /// There is no terminal, and so nobody to ask.
    NobodyToAsk,
}

/// Asks on the controlling terminal, whatever stdin, stdout and stderr are.
///
/// A command that an agent runs has no controlling terminal (it is in a session of its own), so
/// that nothing an agent runs can answer.
pub(crate) fn ask(question: &str) -> Answer {
    let Ok(mut terminal) = OpenOptions::new().read(true).write(true).open("/dev/tty") else {
        return Answer::NobodyToAsk;
    };
    forget_what_was_typed_ahead(&terminal);
    match write!(terminal, "{question} [y/N] ").and_then(|()| answer(&mut terminal)) {
        Ok(true) => Answer::Yes,
        // A terminal that went away in the middle of the question did not say yes.
        Ok(false) | Err(_) => Answer::No,
    }
}

/// Keys that were hit before the question was on the screen are no answer to it.
fn forget_what_was_typed_ahead(terminal: &File) {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(terminal, rustix::termios::QueueSelector::IFlush);
    #[cfg(not(unix))]
    let _ = terminal;
}

/// Reads one line; yes only where it is `y` or `yes`.
fn answer(from: &mut impl Read) -> io::Result<bool> {
    /// No answer is longer; the rest of a longer line means no.
    const LONGEST: usize = 64;
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < LONGEST && from.read(&mut byte)? == 1 {
        if byte == *b"\n" {
            let line = String::from_utf8_lossy(&line);
            return Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"));
        }
        line.extend(byte);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_line_that_says_yes_is_a_yes() {
        for (line, yes) in [
            ("y\n", true),
            (" YES \n", true),
            ("yes\r\n", true),
            ("\n", false),
            ("n\n", false),
            ("yep\n", false),
            ("y", false),
            ("", false),
            ("y y\n", false),
        ] {
            assert_eq!(answer(&mut line.as_bytes()).unwrap(), yes, "{line:?}");
        }
        let long = format!("{}y\n", " ".repeat(1000));
        assert!(!answer(&mut long.as_bytes()).unwrap());
    }
}
