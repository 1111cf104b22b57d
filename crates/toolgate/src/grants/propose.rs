//! What would be stored so that a question need not be asked again.

use std::fmt;

use toolgate_bash::ast::Span;
use toolgate_exec::ToolCall;
use toolgate_policy::analyse::{self, Analysis, CommandRun, Context};
use toolgate_policy::argv::{self, Call};
use toolgate_policy::effect::{Effect, Kind};
use toolgate_policy::knowledge::{self, schema::Role, text};
use toolgate_policy::path::join;
use toolgate_policy::rule::runs_others;
use toolgate_policy::word::{SOME, Word, is_exact, shown};

use super::fit::{certain, effects_of};
use super::form::{Form, WordForm, quoted};
use super::grant::{Lift, is_liftable};

/// What a grant would say, before anyone agreed to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The tool it would be for.
    pub tool: String,
    /// Commands with what each may do: one grant each.
    pub parts: Vec<(Form, Vec<Lift>)>,
}

impl fmt::Display for Proposal {
    /// One command a line, and below it what it may do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (form, lifts)) in self.parts.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{form}")?;
            if !lifts.is_empty() {
                let lifts: Vec<_> = lifts.iter().map(ToString::to_string).collect();
                write!(f, "\n  may: {}", lifts.join(", "))?;
            }
        }
        Ok(())
    }
}

/// Why a question can't be answered for later.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotGrantable {
    /// There is no question.
    #[error("nothing of it is asked about")]
    NotAsked,
    /// Answers are not kept here.
    #[error("answers are not kept here")]
    NotKept,
    /// No grant lifts a refusal.
    #[error("it is refused, and no grant lifts that")]
    Refused,
    /// The program runs what it is given.
    #[error("`{program}` {why}: a grant for it would allow whatever that is")]
    Carrier {
        /// The program.
        program: String,
        /// What it does.
        why: String,
    },
    /// It was not understood.
    #[error("it was not understood, and what is not understood is asked about each time")]
    NotUnderstood,
    /// Some of its words are not known beforehand.
    #[error("a word of `{program}` is not known before it runs: grants are about known words")]
    Dynamic {
        /// The program.
        program: String,
    },
    /// The script changes what the command sees.
    #[error("variables are set for `{program}` that it may look at: a grant is for a command without")]
    Variables {
        /// The program.
        program: String,
    },
    /// The asterisk stands where it can't.
    #[error("`{word}` can't stand for others here: {why}")]
    Wildcard {
        /// The word.
        word: String,
        /// Why not.
        why: &'static str,
    },
    /// It runs where grants of this session or project don't hold.
    #[error("`{program}` runs outside of the workspace: a grant is for commands in it")]
    Elsewhere {
        /// The program.
        program: String,
    },
    /// What is asked about is no effect of a command.
    #[error("a redirection, a variable or the like is asked about, and only commands can be granted: {what}")]
    NotOfACommand {
        /// What is asked about.
        what: String,
    },
    /// It does something that is asked about each time.
    #[error("`{program}` does what is asked about each time: {what}")]
    NeverGranted {
        /// The program.
        program: String,
        /// The effect.
        what: String,
    },
    /// Someone else asks too, and is not answered by grants.
    #[error("it would still be asked about: {what}")]
    StillAsked {
        /// The reason.
        what: String,
    },
    /// It does too many things for anyone to agree to.
    #[error("it does more than {most} things: that is too much to agree to beforehand")]
    TooMuch {
        /// The most.
        most: usize,
    },
}

/// Effects that one grant lifts at the most.
const MOST_LIFTS: usize = 32;

/// Builtins after which later commands are not what they were.
const CHANGE_THE_SHELL: [&str; 24] = [
    ".", "alias", "builtin", "cd", "command", "declare", "enable", "eval", "exec", "export", "hash", "local",
    "mapfile", "popd", "pushd", "read", "readonly", "set", "shopt", "source", "trap", "typeset", "unalias",
    "unset",
];

/// Options that change how much is said, and nothing else.
const QUIET: [&str; 9] = [
    "--color",
    "--colour",
    "--no-color",
    "--no-progress",
    "--progress",
    "--quiet",
    "--silent",
    "--verbose",
    "--no-pager",
];

/// What a grant for the command at `index` of a script would say.
pub(crate) fn for_command(
    analysis: &Analysis,
    index: usize,
    context: &Context<'_>,
) -> Result<(Form, Vec<Lift>), NotGrantable> {
    let command = analysis.commands.get(index).ok_or(NotGrantable::NotUnderstood)?;
    let form = form_of(command)?;
    if command.variables_changed {
        let program = command.program().map_or_else(String::new, str::to_owned);
        return Err(NotGrantable::Variables { program });
    }
    let alone = alone(command, context)?;
    // What it does by itself is what is granted: nothing of what the script around it adds.
    let lifts = lifts_of(&alone, &form)?;
    Ok((form, lifts))
}

/// What a grant for a call of a tool that is no shell would say: this very call.
pub(crate) fn exact_call(call: &ToolCall) -> Proposal {
    let form = Form::Call { params: call.params.clone() };
    Proposal { tool: call.tool_id.to_string(), parts: vec![(form, Vec::new())] }
}

fn form_of(command: &CommandRun) -> Result<Form, NotGrantable> {
    let program = command.program().ok_or(NotGrantable::NotUnderstood)?.to_owned();
    let wild = command.words.iter().any(|w| !w.is_exact());
    let form = if wild { like(&program, command)? } else { exact(&program, command)? };
    match carrier(&form) {
        Some(why) => Err(NotGrantable::Carrier { program, why }),
        None => Ok(form),
    }
}

fn exact(program: &str, command: &CommandRun) -> Result<Form, NotGrantable> {
    let dynamic = || NotGrantable::Dynamic { program: program.to_owned() };
    let args = command.words.iter().skip(1).map(|w| certain(w).map(str::to_owned).ok_or_else(dynamic));
    let words = std::iter::once(Ok(program.to_owned())).chain(args).collect::<Result<_, _>>()?;
    Ok(Form::Exact { words })
}

fn like(program: &str, command: &CommandRun) -> Result<Form, NotGrantable> {
    let dynamic = || NotGrantable::Dynamic { program: program.to_owned() };
    let spec = knowledge::program(program)
        .ok_or(NotGrantable::Wildcard { word: "*".to_owned(), why: "nothing is known about the program" })?;
    let dir = command.dir.as_deref().ok_or_else(dynamic)?;
    let args = command.words.get(1..).unwrap_or_default();
    let call = argv::read(spec, args);
    let hands_on = call.specs.iter().any(|s| !text(s.hands_to).is_empty());
    let known = |doubt: &argv::Doubt| *doubt == argv::Doubt::MayBeOption;
    if call.info || hands_on || !call.unknown.iter().all(|(doubt, _)| known(doubt)) {
        return Err(dynamic());
    }
    let words =
        args.iter().filter(|w| !is_quiet(w, &call, args)).map(|w| word_form(w, is_path(w, &call), dir));
    let program = std::iter::once(Ok(WordForm::Is(program.to_owned())));
    Ok(Form::Like { words: program.chain(words).collect::<Result<_, _>>()? })
}

/// What a word of a command with an asterisk in it stands for.
fn word_form(word: &Word<'_>, is_path: bool, dir: &str) -> Result<WordForm, NotGrantable> {
    if let Some(text) = word.exact() {
        return Ok(WordForm::Is(text.to_owned()));
    }
    let wildcard = |why| NotGrantable::Wildcard { word: shown(&word.text), why };
    let head = word.text.trim_end_matches(SOME);
    if !is_exact(head) {
        return Err(wildcard("it is known only while it runs"));
    }
    if is_path {
        if !head.is_empty() && !head.ends_with('/') {
            return Err(wildcard("of a path only whole directories can be granted: `dir/*`"));
        }
        return Ok(WordForm::Below(join(dir, head)));
    }
    if !head.is_empty() {
        return Err(wildcard("it must be a word of its own"));
    }
    Ok(WordForm::Any)
}

/// Why a command that this form is about would run what it is given, if it would.
pub(super) fn carrier(form: &Form) -> Option<String> {
    let program = match form {
        Form::Call { .. } => return None,
        form => form.program(),
    };
    if runs_others(program) {
        return Some("runs other commands or program text".to_owned());
    }
    if CHANGE_THE_SHELL.contains(&program) {
        return Some("changes what later commands are".to_owned());
    }
    let spec = knowledge::program(program)?;
    let Form::Exact { words } = form else {
        // Its roles were looked at when it was made, and are again for each command it is to fit.
        return runs_code(&[spec.stdin]).then(|| "runs what it reads".to_owned());
    };
    let args: Vec<Word<'_>> = words.iter().skip(1).map(|w| Word::new(w.as_str(), Span::default())).collect();
    let call = argv::read(spec, &args);
    if call.info {
        return None;
    }
    let given =
        call.options.iter().any(|o| runs_code(o.roles)) || call.operands.iter().any(|o| runs_code(&[o.role]));
    if call.command.is_some() || given {
        return Some("runs other commands or program text".to_owned());
    }
    runs_code(&[call.stdin]).then(|| "runs what it reads".to_owned())
}

fn runs_code(roles: &[Role]) -> bool {
    roles.iter().any(|role| {
        matches!(
            role,
            Role::Code(_)
                | Role::Program
                | Role::ProgramRest
                | Role::ProgramUntil
                | Role::ProgramStdin
                | Role::Script
                | Role::Assign
        )
    })
}

/// Whether a word is a path to the program that gets it, as an operand or as the value of an option.
pub(super) fn is_path(word: &Word<'_>, call: &Call<'_>) -> bool {
    let path = |role: &Role| {
        matches!(
            role,
            Role::Read
                | Role::List
                | Role::Write
                | Role::Delete
                | Role::Move
                | Role::Shred
                | Role::Dir
                | Role::Place
        )
    };
    let operand = call.operands.iter().any(|o| o.word == *word && path(&o.role) && o.other.is_none());
    let values = || call.options.iter().flat_map(|o| o.values.iter().zip(o.roles));
    operand || values().any(|(value, role)| value == word && path(role))
}

/// Whether a word is an option that changes how much is said, and nothing else.
pub(super) fn is_quiet(word: &Word<'_>, call: &Call<'_>, args: &[Word<'_>]) -> bool {
    QUIET.contains(&&*word.text)
        && call.options.iter().any(|o| o.span == word.span && o.roles.is_empty() && o.values.is_empty())
        // Words of code in a string all stand in one place: which of them is the option can't be told.
        && args.iter().filter(|w| w.span == word.span).count() == 1
}

/// The analysis of a command by itself, in the directory it runs in.
fn alone(command: &CommandRun, context: &Context<'_>) -> Result<Analysis, NotGrantable> {
    let program = || command.program().map_or_else(String::new, str::to_owned);
    let dir = command.dir.as_deref().ok_or_else(|| NotGrantable::Dynamic { program: program() })?;
    let words: Vec<String> = command
        .words
        .iter()
        .map(|w| match w.text.trim_end_matches(SOME) {
            head if head.len() == w.text.len() => quoted(head),
            "" => "*".to_owned(),
            head => format!("{}*", quoted(head)),
        })
        .collect();
    let context = Context { cwd: dir, ..*context };
    let analysis = analyse::script(&words.join(" "), &context);
    // More than one command: it starts others, whatever is known of it.
    let one = analysis.commands.len() == 1 && analysis.unknown.is_none();
    let same = |a: &Word<'_>, b: &Word<'_>| a.text == b.text;
    match analysis.commands.first() {
        Some(c)
            if one
                && c.words.len() == command.words.len()
                && c.words.iter().zip(&command.words).all(|(a, b)| same(a, b)) =>
        {
            Ok(analysis)
        }
        _ if analysis.unknown.is_some() => Err(NotGrantable::NotUnderstood),
        _ => Err(NotGrantable::Carrier { program: program(), why: "starts other commands".to_owned() }),
    }
}

fn lifts_of(alone: &Analysis, form: &Form) -> Result<Vec<Lift>, NotGrantable> {
    let mut lifts = Vec::new();
    let doubts: Vec<&Effect> = effects_of(alone, 0).filter(|e| e.kind == Kind::Unknown).collect();
    if matches!(form, Form::Exact { .. }) && doubts.len() > gaps(&alone.commands) {
        let what = doubts.last().map_or_else(String::new, |e| e.note.clone().into_owned());
        return Err(NotGrantable::NeverGranted { program: form.program().to_owned(), what });
    }
    for effect in effects_of(alone, 0) {
        // A doubt about a wildcard is no doubt about the words that take its place.
        if matches!(form, Form::Like { .. }) && effect.kind == Kind::Unknown {
            continue;
        }
        let lift = lift_of(effect, form)?;
        if !lifts.contains(&lift) {
            lifts.push(lift);
        }
    }
    lifts.sort();
    if lifts.len() > MOST_LIFTS { Err(NotGrantable::TooMuch { most: MOST_LIFTS }) } else { Ok(lifts) }
}

/// How many gaps in our knowledge a command falls into. What is known and is still a doubt (a setting that
/// chooses programs, a file that is sent) is none: it is asked about for what it is.
fn gaps(commands: &[CommandRun]) -> usize {
    let Some((command, program)) = commands.first().and_then(|c| Some((c, c.program()?))) else { return 0 };
    let Some(spec) = knowledge::program(program) else { return 1 };
    argv::read(spec, command.words.get(1..).unwrap_or_default()).unknown.len()
}

fn lift_of(effect: &Effect, form: &Form) -> Result<Lift, NotGrantable> {
    let program = form.program().to_owned();
    if !is_liftable(effect.kind) {
        return Err(NotGrantable::NeverGranted { program, what: effect.shown() });
    }
    let kind = effect.kind.name().to_owned();
    if effect.kind == Kind::Unknown {
        return Ok(Lift { effect: kind, on: None, doubt: Some(effect.note.clone().into_owned()) });
    }
    let on = if effect.kind.is_path() { effect.path.as_deref() } else { effect.target.as_deref() };
    let on = match on {
        None if effect.kind.is_path() => return Err(NotGrantable::Dynamic { program }),
        None => None,
        Some(on) if is_exact(on) => Some(WordForm::Is(on.to_owned())),
        Some(on) => Some(match on.trim_end_matches(SOME) {
            "" if !effect.kind.is_path() => WordForm::Any,
            head if effect.kind.is_path() && is_exact(head) && head.ends_with('/') => {
                WordForm::Below(join("/", head))
            }
            _ => return Err(NotGrantable::Dynamic { program }),
        }),
    };
    Ok(Lift { effect: kind, on, doubt: None })
}
