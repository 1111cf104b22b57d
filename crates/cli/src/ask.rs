//! Asking the person at the terminal.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolgate::approval::{self, Approver, Question};
use toolgate::exec::BoxFuture;
use toolgate::grants::{DEFAULT_TIME, SESSION_TIME, Scope};

use crate::failure::reason_line;
use crate::granted::for_people;
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
    match said(question, "[y/N]") {
        None => Answer::NobodyToAsk,
        Some(line) if matches!(line.as_str(), "y" | "yes") => Answer::Yes,
        Some(_) => Answer::No,
    }
}

/// What a person says to a question, in small letters; `None` where there is nobody.
fn said(question: &str, answers: &str) -> Option<String> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    forget_what_was_typed_ahead(&terminal);
    let line = write!(terminal, "{question} {answers} ").and_then(|()| line(&mut terminal));
    // A terminal that went away in the middle of the question said nothing.
    Some(line.ok().flatten().unwrap_or_default())
}

/// Keys that were hit before the question was on the screen are no answer to it.
fn forget_what_was_typed_ahead(terminal: &File) {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(terminal, rustix::termios::QueueSelector::IFlush);
    #[cfg(not(unix))]
    let _ = terminal;
}

/// Reads one line; `None` where it does not end, or is longer than any answer.
fn line(from: &mut impl Read) -> io::Result<Option<String>> {
    const LONGEST: usize = 64;
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < LONGEST && from.read(&mut byte)? == 1 {
        if byte == *b"\n" {
            return Ok(Some(String::from_utf8_lossy(&line).trim().to_ascii_lowercase()));
        }
        line.extend(byte);
    }
    Ok(None)
}

/// The person at the terminal, for calls.
#[derive(Debug)]
pub(crate) struct Person {
    cancel: CancellationToken,
    answered: AtomicBool,
    /// What would have to be granted for what was asked about.
    grants: Mutex<Vec<String>>,
}

impl Person {
    /// Someone who is no longer waited for once `cancel` fires.
    pub(crate) fn new(cancel: CancellationToken) -> Self {
        Self { cancel, answered: AtomicBool::new(false), grants: Mutex::default() }
    }

    /// Whether there was someone who answered.
    pub(crate) fn answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// The commands that would have to be granted so that nobody needs to be asked.
    pub(crate) fn grants(&self) -> Vec<String> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Approver for Person {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> BoxFuture<'a, Vec<approval::Answer>> {
        Box::pin(async move {
            let text = shown(questions);
            let commands = questions.iter().filter_map(|q| q.grant.as_ref().ok());
            let commands = commands.flat_map(|p| &p.parts).map(|(form, _)| form.to_string()).collect();
            *self.grants.lock().unwrap_or_else(PoisonError::into_inner) = commands;
            let answers = if questions.iter().any(|q| q.grant.is_ok()) { "[y/N/s/p/u]" } else { "[y/N]" };
            let (tell, told) = oneshot::channel();
            // A thread of its own: reading the terminal can't be interrupted, and Ctrl-C must work.
            let asked = thread::Builder::new()
                .name("question".to_owned())
                .spawn(move || tell.send(said(&text, answers)));
            let said = match asked {
                Err(_) => None,
                Ok(_) => tokio::select! {
                    biased;
                    () = self.cancel.cancelled() => Some(String::new()),
                    said = told => said.unwrap_or_default(),
                },
            };
            self.answered.store(said.is_some(), Ordering::Relaxed);
            // One answer for all: a text of which one call is refused does not run at all.
            let answer = meant(said.as_deref().unwrap_or_default());
            questions.iter().map(|question| kept(answer, question)).collect()
        })
    }
}

/// The answer that a line means. Anything else is a no.
fn meant(line: &str) -> approval::Answer {
    match line {
        "y" | "yes" => approval::Answer::Approve,
        "s" | "session" => approval::Answer::Remember(Scope::Session),
        "p" | "project" => approval::Answer::Remember(Scope::Project),
        "u" | "user" => approval::Answer::Remember(Scope::User),
        _ => approval::Answer::Refuse,
    }
}

/// What can't be kept is approved once, as it was told.
fn kept(answer: approval::Answer, question: &Question) -> approval::Answer {
    match answer {
        approval::Answer::Remember(_) if question.grant.is_err() => approval::Answer::Approve,
        answer => answer,
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
    if questions.iter().any(|q| q.grant.is_ok()) {
        text.push_str(&offer(questions));
    }
    text.push_str(if questions.len() == 1 { "Run it?" } else { "Run them all?" });
    text
}

/// What is kept for an answer that holds for longer, to the letter.
fn offer(questions: &[Question]) -> String {
    let mut text = format!(
        "y runs it this once. These also allow, without asking again:\n  s in this session, for {}; p in this \
         project, for {}; u anywhere, as long\n",
        for_people(SESSION_TIME),
        for_people(DEFAULT_TIME)
    );
    for question in questions {
        let _ = match &question.grant {
            Ok(proposal) => {
                writeln!(text, "    {}", visible_lines(&proposal.to_string()).replace('\n', "\n    "))
            }
            Err(why) => writeln!(text, "    but not this: {}", visible_lines(&why.to_string())),
        };
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_line_that_says_so_is_a_yes() {
        for (text, yes) in [
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
            let said = line(&mut text.as_bytes()).unwrap().unwrap_or_default();
            assert_eq!(meant(&said) == approval::Answer::Approve, yes, "{text:?}");
        }
        let long = format!("{}y\n", " ".repeat(1000));
        assert_eq!(line(&mut long.as_bytes()).unwrap(), None);
        assert_eq!(meant("p"), approval::Answer::Remember(Scope::Project));
        assert_eq!(meant("sp"), approval::Answer::Refuse);
    }
}
