//! What words become, as far as it is certain before they run.
//!
//! A parsed script says how a value is made; this module says what it is: [`Certainty::Literal`] if it
//! is the same bytes however the script runs, [`Certainty::Glob`] if it is a pattern for the names of
//! files, and otherwise [`Certainty::Dynamic`] with a reason, and with whatever parts of it are known.
//!
//! [`follow`] goes through a script in order and gives each command with its arguments to an
//! [`Observer`]. On the way it keeps track of what assignments, `set`, `export`, functions and the
//! rest do to the shell, so in `x=curl; "$x" example.org` the command is known to be `curl`. The rule
//! is that a literal is *certain*: where branches differ, where a loop or another process may have
//! changed something, where an option, a locale or a version of bash matters, the value is dynamic.
//!
//! ```
//! use toolgate_bash::eval::{Certainty, Env, PieceRef, Unlisted, commands};
//! use toolgate_bash::{Options, Shell, parse};
//!
//! let source = br#"dir=/srv; set -- -r "$dir"/{a,b}; r""m "$@" "$TMPDIR/../x" *.log"#;
//! let script = parse(source, &Options::default())?;
//! // Nothing is known about the variables that the script is started with.
//! let mut env = Env::new(Shell::Bash, Unlisted::Unknown);
//! let commands = commands(&script, source, &mut env);
//! let rm = &commands[2].argv;
//!
//! let literals: Vec<_> = rm[..4].iter().map(|field| field.literal()).collect();
//! assert_eq!(literals, [Some(&b"rm"[..]), Some(b"-r"), Some(b"/srv/a"), Some(b"/srv/b")]);
//!
//! // Of this one the end is known.
//! assert_eq!(rm[4].certainty(), Certainty::Dynamic);
//! assert_eq!(rm[4].value.hole().map(|hole| hole.why.code()), Some("unknown-variable"));
//! assert_eq!(rm[4].value.pieces().last(), Some(PieceRef::Known(b"/../x")));
//!
//! assert_eq!(rm[5].certainty(), Certainty::Glob);
//! # Ok::<(), toolgate_bash::Unknown>(())
//! ```
//!
//! # What is certain
//!
//! A literal is the same in every version of bash from 4.2 on, in every locale in which ASCII is ASCII, and
//! whatever files there are. So these are followed: quotes and `$'…'`, braces and ranges, tildes, variables,
//! arrays and positional parameters that assignments, `set --`, `read`-free straight lines and loops over
//! known words give a value, the operators of `${…}`, arithmetic on plain decimals, and what `echo` and
//! `printf` write in a substitution. These are not, and give a hole with a reason: the value of anything that
//! only running tells; quotes, braces and lists nested in ways that versions read differently; patterns
//! against text that is not ASCII; names, subscripts and numbers that come out of other values.
//!
//! Commands are taken to be what their names say. A name that is neither a builtin nor a function of the
//! script is a program, which changes nothing in the shell; a caller whose shell may have other functions
//! says so with [`Env::with_function`].
//!
//! # Limits
//!
//! Work and memory are bounded whatever the script says: braces make at most 1024 words, values are at most
//! 64 KB long, loops over known words are followed for 64 words, and what stands deeper than about thirty
//! constructs is not followed. Where a limit is reached the rest is dynamic, and [`Observer::may_execute`]
//! tells that commands may have been passed over.
//!
//! Not everything that bash evaluates is in the tree: arithmetic evaluates the *values* of variables,
//! and `a[$(cmd)]` in such a value runs a command. Wherever that can happen the observer is told with
//! [`Observer::may_execute`].

mod assign;
mod braces;
mod change;
mod command;
mod declare;
mod directory;
mod env;
mod flow;
mod footprint;
#[cfg(test)]
mod hostile;
mod modes;
mod names;
mod number;
mod parameter;
mod pattern;
mod printed;
mod scan;
mod settings;
mod shape;
mod sink;
mod value;
mod word;

pub use braces::{Atom, expand as braces};
pub use change::Change;
pub use declare::is_declaration;
pub use env::{Env, Unlisted};
pub(crate) use names::certain_names;
pub use pattern::Pattern;
pub use value::{Certainty, Class, Count, Field, Hole, Piece, PieceRef, Value, Why};
pub use word::begins_assignment;

use crate::Shell;
use crate::ast::{
    Arithmetic, Assignment, Function, ProcessDirection, Redirection, Script, SimpleCommand, Span,
    SubstitutionStyle, Word,
};
use flow::Flow;

/// Receives what [`follow`] finds, in the order in which bash would run it.
///
/// What the words of a command run comes before the command. A command may come more than once: in the
/// body of a loop over known words, or of a function that is called more than once.
pub trait Observer<'s> {
    /// A simple command, perhaps without a command word, in the state in which it runs.
    fn command(&mut self, call: &Call<'s, '_>);

    /// A redirection of a simple or compound command, with its target, or the text of a here-document
    /// or here-string.
    fn redirection(&mut self, redirection: &'s Redirection, target: &Field, env: &Env);

    /// Bash evaluates text here that is not known and may be code.
    fn may_execute(&mut self, span: Span, why: Why);

    /// What follows stands in this, until it is left.
    fn enter(&mut self, _scope: Scope<'s>, _env: &Env) {}

    /// The scope that was entered last is left.
    fn leave(&mut self, _scope: Scope<'s>) {}

    /// A function is defined.
    fn function(&mut self, _function: &'s Function) {}
}

/// A simple command with what its words become.
#[derive(Clone, Copy, Debug)]
pub struct Call<'s, 'c> {
    /// The command as it stands.
    pub command: &'s SimpleCommand,
    /// The command word and its arguments.
    pub argv: &'c [Field],
    /// Its assignments, with their values.
    pub assignments: &'c [Assigned<'s>],
    /// The targets of its redirections, in their order.
    pub redirections: &'c [Field],
    /// The state in which it runs, without the assignments of a command that has words.
    pub env: &'c Env,
}

/// An assignment in front of a command.
#[derive(Clone, Debug)]
pub struct Assigned<'s> {
    /// The assignment as it stands.
    pub assignment: &'s Assignment,
    /// What is assigned; `None` for an array.
    pub value: Option<Value>,
}

/// What encloses a command, as far as it matters for what the command does.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'s> {
    /// Parentheses: changes to the shell stay in it.
    Subshell,
    /// A command that `&` puts in the background, in a process of its own.
    Background,
    /// A command of a pipeline of several, in a process of its own.
    Stage {
        /// Which one.
        index: usize,
        /// Whether it is the last.
        last: bool,
    },
    /// A command substitution.
    Substitution(SubstitutionStyle),
    /// A process substitution.
    Process(ProcessDirection),
    /// A coprocess.
    Coproc,
    /// Something that may not run: the right side of `&&`, a branch of `if` or `case`.
    Branch,
    /// One pass of a loop.
    Loop,
    /// The body of a function.
    Function {
        /// The function.
        function: &'s Function,
        /// How it comes to run.
        reach: Reach,
    },
}

/// How the body of a function comes to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// It is called here, with these arguments.
    Called,
    /// Nothing calls it.
    Uncalled,
    /// It may be called, with anything, in any state.
    Unknown,
}

/// Follows a script; afterwards the environment is what it leaves behind.
///
/// `source` is the text the script was parsed from: it tells where lines end, which is where bash goes
/// on after an expansion that fails.
pub fn follow<'s>(script: &'s Script, source: &'s [u8], env: &mut Env, observer: &mut dyn Observer<'s>) {
    Flow::new(Some(script), source, env, observer).script(&script.body);
}

/// A command of a script with what its words become.
#[derive(Clone, Debug)]
pub struct Evaluated<'s> {
    /// The command as it stands.
    pub command: &'s SimpleCommand,
    /// The command word and its arguments.
    pub argv: Vec<Field>,
}

/// Every simple command of a script with its arguments, in the order of [`follow`].
///
/// Functions that nothing calls are included: their bodies come last.
pub fn commands<'s>(script: &'s Script, source: &'s [u8], env: &mut Env) -> Vec<Evaluated<'s>> {
    let mut collector = Collector { commands: Vec::new() };
    follow(script, source, env, &mut collector);
    collector.commands
}

/// What words become as arguments; the environment is changed as the expansions change it.
///
/// `script` is the one the words come from, for here-documents in their substitutions.
pub fn words(words: &[Word], script: &Script, env: &mut Env) -> Vec<Field> {
    let mut silent = Silent;
    let mut flow = Flow::new(Some(script), &[], env, &mut silent);
    let mut fields = Vec::new();
    for word in words {
        flow.argument(word, &mut fields);
    }
    fields
}

/// What a word becomes as the right side of an assignment: one text, neither split nor globbed.
pub fn value(word: &Word, script: &Script, env: &mut Env) -> Value {
    let mut silent = Silent;
    Flow::new(Some(script), &[], env, &mut silent).value(word, word::Tildes::Assigned)
}

/// What `echo` of a shell prints that was started without options; `None` if it is not the same everywhere.
pub fn echo(args: &[&[u8]], shell: Shell) -> Option<Vec<u8>> {
    printed::echo(args, Env::new(shell, Unlisted::Unknown).modes())
}

/// What `printf` prints; `None` if it is not the same everywhere.
pub fn printf(args: &[&[u8]]) -> Option<Vec<u8>> {
    printed::printf(args)
}

/// The value of arithmetic that holds no variable; `None` if it is not certain.
pub fn number(arithmetic: &Arithmetic, script: &Script) -> Option<i64> {
    let mut env = Env::new(script.shell, Unlisted::Unknown);
    Flow::new(Some(script), &[], &mut env, &mut Silent).number(arithmetic).ok()
}

struct Collector<'s> {
    commands: Vec<Evaluated<'s>>,
}

impl<'s> Observer<'s> for Collector<'s> {
    fn command(&mut self, call: &Call<'s, '_>) {
        self.commands.push(Evaluated { command: call.command, argv: call.argv.to_vec() });
    }

    fn redirection(&mut self, _redirection: &'s Redirection, _target: &Field, _env: &Env) {}

    fn may_execute(&mut self, _span: Span, _why: Why) {}
}

/// Looks at nothing.
struct Silent;

impl<'s> Observer<'s> for Silent {
    fn command(&mut self, _call: &Call<'s, '_>) {}

    fn redirection(&mut self, _redirection: &'s Redirection, _target: &Field, _env: &Env) {}

    fn may_execute(&mut self, _span: Span, _why: Why) {}
}
