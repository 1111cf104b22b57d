//! The words of commands, against the static evaluation of the bash crate, which is proven against bash.
//!
//! Where that is certain of every word of a command, the analysis must have found the command with these words, or
//! with words of which it says that it does not know them. The scripts are those that prove the evaluation.
//! `TOOLGATE_ORACLE_SEED` and `TOOLGATE_ORACLE_SCRIPTS` set where it begins and how far it goes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test fails by panicking")]

#[path = "../../bash/tests/oracle/mod.rs"]
mod oracle;

use oracle::{Random, values};
use toolgate_bash::ast::{Redirection, Span};
use toolgate_bash::eval::{self, Call, Env, Field, Observer, Reach, Scope, Unlisted, Why};
use toolgate_bash::{Options, Shell, parse};
use toolgate_policy::analyse::{Analysis, CommandRun};
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::word::{SOME, UNKNOWN};

/// A command of which every word is certain.
struct Sure {
    start: u32,
    words: Vec<String>,
    /// Whether it stands in a loop, which may have nothing to go over.
    repeats: bool,
}

#[derive(Default)]
struct Certain {
    commands: Vec<Sure>,
    loops: u32,
    /// Functions that nobody calls: the analysis leaves out those of a subshell, which ends before anyone can.
    uncalled: u32,
}

impl Certain {
    fn count(&mut self, scope: Scope<'_>) -> Option<&mut u32> {
        match scope {
            Scope::Loop => Some(&mut self.loops),
            Scope::Function { reach: Reach::Uncalled | Reach::Unknown, .. } => Some(&mut self.uncalled),
            _ => None,
        }
    }
}

impl<'s> Observer<'s> for Certain {
    fn command(&mut self, call: &Call<'s, '_>) {
        let words: Option<Vec<String>> =
            call.argv.iter().map(|field| String::from_utf8(field.literal()?.to_vec()).ok()).collect();
        if let (Some(words), Some(first), 0) = (words, call.command.words.first(), self.uncalled) {
            self.commands.push(Sure { start: first.span.start, words, repeats: self.loops > 0 });
        }
    }

    fn enter(&mut self, scope: Scope<'s>, _: &Env) {
        if let Some(count) = self.count(scope) {
            *count += 1;
        }
    }

    fn leave(&mut self, scope: Scope<'s>) {
        if let Some(count) = self.count(scope) {
            *count -= 1;
        }
    }

    fn redirection(&mut self, _: &'s Redirection, _: &Field, _: &Env) {}

    fn may_execute(&mut self, _: Span, _: Why) {}
}

/// Whether a word with unknown parts may be this text.
fn may_be(word: &str, text: &str) -> bool {
    let Some(at) = word.find([UNKNOWN, SOME]) else { return word == text };
    let (head, rest) = word.split_at(at);
    let rest = rest.trim_start_matches([UNKNOWN, SOME]);
    text.strip_prefix(head).is_some_and(|text| {
        rest.is_empty() || (0..=text.len()).any(|n| text.get(n..).is_some_and(|text| may_be(rest, text)))
    })
}

/// Whether the analysis has a command that begins there and may be these words.
fn has(analysis: &Analysis, sure: &Sure) -> bool {
    let starts = |run: &&CommandRun| run.words.first().is_some_and(|w| w.span.start == sure.start);
    let mut runs = analysis.commands.iter().filter(starts).peekable();
    if sure.repeats && runs.peek().is_none() {
        return true;
    }
    runs.any(|run| {
        // A word that may be several, or none, says nothing about those behind it.
        let known = run.words.iter().take_while(|w| !w.splits).count();
        let fits = run.words.iter().take(known).zip(&sure.words).all(|(w, text)| may_be(&w.text, text));
        fits && (known < run.words.len() || run.words.len() == sure.words.len())
    })
}

fn wrong(text: &str) -> Option<String> {
    let script = parse(text.as_bytes(), &Options::default()).ok()?;
    let mut env = Env::new(Shell::Bash, Unlisted::Unknown);
    let mut certain = Certain::default();
    eval::follow(&script, text.as_bytes(), &mut env, &mut certain);
    let request = Request::Command { text: text.to_owned(), cwd: None };
    let analysis = Judge::new("/home/dev", "/home/dev/work/repo").analyse(&request);
    let mut probes =
        certain.commands.into_iter().filter(|sure| sure.words.first().is_some_and(|w| w == "probe"));
    let missed = probes.find(|sure| !has(&analysis, sure))?;
    let found: Vec<Vec<&str>> =
        analysis.commands.iter().map(|run| run.words.iter().map(|w| &*w.text).collect()).collect();
    Some(format!("at {}: {:?}, among {found:?}", missed.start, missed.words))
}

#[test]
fn no_word_is_read_otherwise_than_the_evaluation_reads_it() {
    let seed = oracle::seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut failures = Vec::new();
    for _ in 0..oracle::scripts().unwrap_or(3000) {
        let text = values::script(&mut random);
        if wrong(&text).is_some() {
            failures.push(text);
        }
    }
    let count = failures.len();
    for text in failures.iter().take(25) {
        let small = oracle::reduce(text, |text| wrong(text).is_some());
        println!("{small:?}\n    {}", wrong(&small).unwrap_or_default());
    }
    assert_eq!(count, 0, "commands with other words than these");
}
