//! The shape of compiled knowledge: plain tables that point into each other by number.
//!
//! There are no pointers in here on purpose. A table of `&str` would have to be relocated when the
//! process starts, and a hook process lives for a millisecond; numbers cost nothing until they are read.
//! The build script includes this file too, and fills the tables.

/// A piece of the text pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text(pub u32, pub u16);

/// A run of entries in one of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run(pub u32, pub u16);

/// How a program reads its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Style {
    /// Options anywhere, clusters, abbreviations of long options.
    Gnu,
    /// As `Gnu`, but the first operand ends the options.
    Posix,
    /// One dash and a long name.
    Long,
    /// As `Gnu`, and the first word may be a cluster without its dash.
    Bundle,
    /// No options at all.
    None,
    /// `key=value` words.
    Dd,
}

/// What a language is, for program text found in an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Lang {
    /// A shell command line.
    Shell,
    /// A command split at blanks, without a shell.
    Argv,
    /// What `env -S` splits: quotes, then a command with assignments before it.
    EnvSplit,
    /// Python.
    Python,
    /// Perl.
    Perl,
    /// Ruby.
    Ruby,
    /// JavaScript.
    Node,
    /// PHP.
    Php,
    /// Lua.
    Lua,
    /// Tcl and expect.
    Tcl,
    /// AWK.
    Awk,
    /// sed.
    Sed,
    /// SQL sent to a server.
    Sql,
    /// SQL and dot-commands on a file.
    Sqlite,
    /// SQL and backslash commands sent to a server.
    Psql,
    /// An `ex` command.
    Vim,
    /// A command of the pager `less`.
    Less,
    /// The line editor.
    Ed,
    /// A makefile.
    Make,
    /// A debugger command.
    Gdb,
    /// A jq filter.
    Jq,
    /// `key=value` for git.
    GitConfig,
    /// `Option=value` for ssh.
    SshOption,
    /// `tar --checkpoint-action`.
    TarCheckpoint,
    /// lftp's own language.
    Lftp,
    /// A table of cron.
    Crontab,
    /// A patch, which names the files it changes.
    Patch,
    /// A language without a scanner.
    Other,
}

/// What a word is to the program that gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Data.
    Text,
    /// A path whose content is read.
    Read,
    /// A path that is only looked at.
    List,
    /// A path that is created or overwritten.
    Write,
    /// A path that is removed.
    Delete,
    /// A path that is taken away from where it is.
    Move,
    /// A path that is destroyed beyond undo.
    Shred,
    /// A host.
    Host,
    /// A URL.
    Url,
    /// A local path to read, or one on another host.
    RemoteRead,
    /// A local path to write, or one on another host.
    RemoteWrite,
    /// A git repository: a path, a URL, or the name of a configured remote.
    GitRemote,
    /// Program text.
    Code(Lang),
    /// The name of a program that is run without visible arguments.
    Program,
    /// The rest of the words is a command.
    ProgramRest,
    /// The words up to `;` or `+` are a command.
    ProgramUntil,
    /// The rest of the words is a command that gets more operands from standard input.
    ProgramStdin,
    /// `NAME=VALUE` for the environment.
    Assign,
    /// A file that is run without being read by us.
    Script,
    /// The directory worked in from here on.
    Dir,
    /// One more directory that effects on `.` happen in.
    Place,
    /// A process or a pattern of processes.
    Pid,
    /// The name of an environment variable.
    Env,
    /// A branch name, or a path whose edits are thrown away.
    BranchOrPath,
    /// Picks a sub-command.
    Sub,
}

/// How often a role may occur in an operand pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Repeat {
    /// Exactly once.
    One,
    /// At most once.
    Maybe,
    /// Any number of times.
    Many,
    /// While words contain `=`.
    While,
}

/// One place in an operand pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What the word is.
    pub role: Role,
    /// How many words.
    pub repeat: Repeat,
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Takes {
    /// No value.
    Nothing,
    /// A value, attached or in the next word.
    Value,
    /// A value only if it is attached.
    Attached,
}

/// One option under one of its names.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The name with its dashes; a trailing `*` is a prefix, `-#` stands for digits.
    pub name: Text,
    /// Number of the option in the table of options.
    pub option: u32,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// Whether it takes a value.
    pub takes: Takes,
    /// Whether all words after its value are data.
    pub rest: bool,
    /// Roles of its values.
    pub roles: Run,
    /// Effects it has by being there.
    pub effects: Run,
}

/// The kinds of effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Runs a program.
    Exec,
    /// Reads what is in a file or directory.
    Read,
    /// Looks at names, sizes or existence.
    List,
    /// Creates or overwrites.
    Write,
    /// Removes.
    Delete,
    /// Takes away from where it was.
    Move,
    /// Destroys work that no undo brings back.
    Loss,
    /// Fetches from another host.
    Fetch,
    /// Sends to another host.
    Send,
    /// Listens for others.
    Listen,
    /// Looks a name up.
    Resolve,
    /// Reads or sets an environment variable that changes what runs.
    Env,
    /// Installs something that runs later.
    Persist,
    /// Signals or changes other processes.
    Process,
    /// Becomes another user.
    Privilege,
    /// Changes the state of the machine or of an account.
    Host,
    /// Gives away a stored secret.
    Secret,
    /// Runs code of the project through a known build or test tool.
    Project,
    /// Runs a file that was not read.
    Script,
    /// Loosens a guard.
    Guard,
    /// Cannot be known.
    Unknown,
}

/// One effect as an entry states it.
#[derive(Clone, Copy, Debug)]
pub struct Stated {
    /// What kind of effect.
    pub kind: Kind,
    /// On what: a word, `.`, `$1`, `$last`, `$all`, or nothing.
    pub target: Text,
}

/// What a condition looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Whether one of these options (numbers in `IDS`) was given.
    Option(Run),
    /// Whether a `--` word was given.
    DashDash,
    /// Number of operands: equal to, more than, less than.
    Count(std::cmp::Ordering, u16),
    /// An operand by its number from 0.
    Operand(u16),
    /// The last operand.
    Last,
    /// Any operand.
    Any,
    /// The value of an option (numbers in `IDS`).
    Value(Run),
}

/// How a condition looks at a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Like {
    /// Nothing more to test.
    Present,
    /// Equals one of the words (in `WORDS`).
    Word(Run),
    /// Matches one of the globs (in `WORDS`).
    Glob(Run),
    /// Looks like a path and not like a name.
    Path,
}

/// One test of a condition.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// Whether the test must fail.
    pub not: bool,
    /// What is looked at.
    pub subject: Subject,
    /// What must be true of it.
    pub like: Like,
}

/// An option whose roles are restated.
#[derive(Clone, Copy, Debug)]
pub struct Restated {
    /// The option.
    pub option: u32,
    /// Its roles here.
    pub roles: Run,
}

/// What an entry says for some calls only.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// The tests, all of which must hold.
    pub tests: Run,
    /// Effects that are added.
    pub effects: Run,
    /// Whether `operands` replaces the pattern.
    pub has_operands: bool,
    /// The operand pattern.
    pub operands: Run,
    /// What standard input is, if it is restated.
    pub stdin: Option<Role>,
    /// Options whose roles are restated.
    pub options: Run,
    /// The reason.
    pub why: Text,
}

/// A program or one of its sub-commands.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// How its words are read.
    pub style: Style,
    /// Whether the parent's options are taken after the sub-command.
    pub globals_after: bool,
    /// Whether the bare call is described.
    pub has_bare: bool,
    /// Whether an option or operand can do more than read and print.
    pub sharp: bool,
    /// One sentence.
    pub summary: Text,
    /// Why it has its effects.
    pub why: Text,
    /// Why unlisted options are harmless; empty: they are not.
    pub unlisted: Text,
    /// Words that, alone, only print facts (in `WORDS`).
    pub info: Run,
    /// Option names, sorted (in `NAMES`).
    pub names: Run,
    /// The operand pattern (in `SLOTS`).
    pub operands: Run,
    /// Effects (in `EFFECTS`).
    pub effects: Run,
    /// What standard input is.
    pub stdin: Role,
    /// Conditions (in `WHENS`).
    pub whens: Run,
    /// Sub-commands, sorted (in `SUBS`).
    pub subs: Run,
    /// Another program that gets the words.
    pub hands_to: Text,
    /// A grammar of its own.
    pub special: Text,
}

/// A name with the number of its spec.
#[derive(Clone, Copy, Debug)]
pub struct Sub {
    /// The name.
    pub name: Text,
    /// Number in the table of specs.
    pub spec: u32,
    /// Whether a version may follow the name.
    pub versioned: bool,
}
