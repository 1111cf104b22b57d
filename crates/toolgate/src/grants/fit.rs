//! Whether a grant covers a command.

use serde_json::Value;
use toolgate_exec::ToolCall;
use toolgate_policy::analyse::{Analysis, CommandRun};
use toolgate_policy::argv::{self, Call};
use toolgate_policy::effect::{Effect, Kind};
use toolgate_policy::knowledge;
use toolgate_policy::path::{below, join, name};
use toolgate_policy::word::{SOME, UNKNOWN, Word, is_exact};

use super::form::{Form, WordForm};
use super::grant::{Grant, Lift};
use super::propose::{is_path, is_quiet};

impl Grant {
    /// Whether the command at `index`, whose words are its own, is in its place and does nothing but what it lifts.
    pub(super) fn allows(&self, analysis: &Analysis, index: usize) -> bool {
        let Some(command) = analysis.commands.get(index) else { return false };
        // A variable in front can make another command of it.
        !command.variables_changed
            && self.is_in_place(command.dir.as_deref())
            && effects_of(analysis, index).all(|effect| self.lifts.iter().any(|lift| lift.is_of(effect)))
    }

    /// Whether it is about this very call.
    pub(crate) fn covers_call(&self, call: &ToolCall) -> bool {
        let Form::Call { params } = &self.form else { return false };
        // A call that names no directory is made where the session works.
        let in_place = call.context.cwd.as_deref().is_none_or(|dir| self.is_in_place(dir.to_str()));
        self.tool == *call.tool_id
            && in_place
            && Value::Object(params.clone()) == Value::Object(call.params.clone())
    }

    fn is_in_place(&self, dir: Option<&str>) -> bool {
        match &self.within {
            None => true,
            Some(root) => dir.is_some_and(|dir| below(root, dir).is_some()),
        }
    }
}

/// What the command at `index` does itself.
pub(crate) fn effects_of(analysis: &Analysis, index: usize) -> impl Iterator<Item = &Effect> {
    analysis.effects.iter().filter(move |e| e.command.is_some_and(|c| c as usize == index))
}

/// The text of a word that is one word and known.
pub(super) fn certain<'w>(word: &'w Word<'_>) -> Option<&'w str> {
    word.exact().filter(|_| !word.splits)
}

/// Whether a command runs the program that is found under this name, and no file that is called the same.
pub(super) fn is_program(program: &str, command: &CommandRun) -> bool {
    let Some(text) = command.words.first().and_then(certain) else { return false };
    text == program
        || name(text) == program
            && ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"]
                .iter()
                .any(|dir| text.strip_prefix(dir) == Some(program))
}

/// A command as its program reads it, for grants of commands that are like each other.
pub(super) struct Given<'c> {
    command: &'c CommandRun,
    dir: &'c str,
    call: Call<'c>,
    /// Its words without the program, and without options that only change how much is said.
    words: Vec<&'c Word<'static>>,
}

impl<'c> Given<'c> {
    /// Reads a command; `None` where something of it is not known.
    pub(super) fn of(command: &'c CommandRun) -> Option<Self> {
        let (first, args) = command.words.split_first()?;
        let known = |word: &Word<'_>| certain(word).is_some() || is_glob_of_files(word);
        if !args.iter().all(known) {
            return None;
        }
        let dir = command.dir.as_deref()?;
        let call = argv::read(knowledge::program(name(certain(first)?))?, args);
        if call.info || !call.unknown.is_empty() || call.command.is_some() {
            return None;
        }
        let words = args.iter().filter(|w| !is_quiet(w, &call, args)).collect();
        Some(Self { command, dir, call, words })
    }
}

impl Form {
    /// Whether a command is one of those it is about.
    pub(super) fn is_like(&self, given: &Given<'_>) -> bool {
        let Self::Like { words } = self else { return false };
        let Some((WordForm::Is(program), forms)) = words.split_first() else { return false };
        let is = |form: &WordForm, at: usize| {
            given.words.get(at).is_some_and(|w| form.is(w, &given.call, given.dir))
        };
        // Of files below a directory there may be any number, where the program takes any number.
        let many = |at: usize| {
            let word = given.words.get(at);
            word.is_some_and(|w| given.call.operands.iter().any(|o| o.word == **w && o.many))
        };
        let mut at = 0;
        for form in forms {
            if !is(form, at) {
                return false;
            }
            at += 1;
            while matches!(form, WordForm::Below(_)) && many(at) && is(form, at) {
                at += 1;
            }
        }
        at == given.words.len() && is_program(program, given.command)
    }
}

/// Whether a word stands for names of files in a directory that is known: it can be no option and lead nowhere else.
fn is_glob_of_files(word: &Word<'_>) -> bool {
    let text = &*word.text;
    let known_names = |part: &str| !part.contains(SOME) || !part.starts_with('.');
    !text.contains(UNKNOWN) && !text.starts_with(['-', SOME]) && text.split('/').all(known_names)
}

impl WordForm {
    fn is(&self, word: &Word<'_>, call: &Call<'_>, dir: &str) -> bool {
        match self {
            Self::Is(text) => text == &word.text,
            Self::Any => word.is_exact() && !word.text.starts_with('-'),
            Self::Below(root) => is_path(word, call) && is_below(root, &join(dir, &word.text)),
        }
    }
}

fn is_below(root: &str, path: &str) -> bool {
    below(root, path).is_some_and(|rest| !rest.is_empty())
}

impl Lift {
    fn is_of(&self, effect: &Effect) -> bool {
        if self.effect != effect.kind.name() {
            return false;
        }
        if effect.kind == Kind::Unknown {
            return self.doubt.as_deref() == Some(&*effect.note);
        }
        let on = if effect.kind.is_path() { effect.path.as_deref() } else { effect.target.as_deref() };
        match (&self.on, on) {
            (None, on) => on.is_none(),
            (Some(WordForm::Any), Some(on)) => is_exact(on),
            (Some(WordForm::Is(want)), Some(on)) => want == on,
            (Some(WordForm::Below(root)), Some(on)) => {
                effect.kind.is_path() && !on.contains(UNKNOWN) && is_below(root, on)
            }
            (Some(_), None) => false,
        }
    }
}
