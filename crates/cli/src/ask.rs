//! Asking the person at the terminal.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolgate::approval::{self, Approver, Question};
use toolgate::exec::BoxFuture;

use crate::failure::reason_line;
use crate::ui::visible_lines;

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

/// The person at the terminal, for calls.
#[derive(Debug)]
pub(crate) struct Person {
    cancel: CancellationToken,
    answered: AtomicBool,
}

impl Person {
    /// Someone who is no longer waited for once `cancel` fires.
    pub(crate) fn new(cancel: CancellationToken) -> Self {
        Self { cancel, answered: AtomicBool::new(false) }
    }

    /// Whether there was someone who answered.
    pub(crate) fn answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }
}

impl Approver for Person {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> BoxFuture<'a, Vec<approval::Answer>> {
        Box::pin(async move {
            let text = shown(questions);
            let (tell, told) = oneshot::channel();
            // A thread of its own: reading the terminal can't be interrupted, and Ctrl-C must work.
            let asked =
                thread::Builder::new().name("question".to_owned()).spawn(move || tell.send(ask(&text)));
            let answer = match asked {
                Err(_) => Answer::NobodyToAsk,
                Ok(_) => tokio::select! {
                    biased;
                    () = self.cancel.cancelled() => Answer::No,
                    answer = told => answer.unwrap_or(Answer::NobodyToAsk),
                },
            };
            self.answered.store(answer != Answer::NobodyToAsk, Ordering::Relaxed);
            // One answer for all: a text of which one call is refused does not run at all.
            let answer =
                if answer == Answer::Yes { approval::Answer::Approve } else { approval::Answer::Refuse };
            vec![answer; questions.len()]
        })
    }
}

/// The whole of every call, and why it is asked about: what is not seen can't be approved.
fn shown(questions: &[Question]) -> String {
    let mut text = String::from("toolgate asks before it runs\n\n");
    // Writing to a String can't fail.
    for question in questions {
        for line in visible_lines(&question.call.subject()).lines() {
            let _ = writeln!(text, "    {line}");
        }
        if let Some(cwd) = &question.call.context.cwd {
            let _ = writeln!(text, "  in {}", visible_lines(&cwd.display().to_string()));
        }
        for line in question.reasons.iter().map(reason_line) {
            let _ = writeln!(text, "  {}", visible_lines(&line).replace('\n', "\n  "));
        }
        text.push('\n');
    }
    text.push_str(if questions.len() == 1 { "Run it?" } else { "Run them all?" });
    text
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
