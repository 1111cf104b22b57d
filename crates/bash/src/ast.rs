//! The syntax tree of a shell script.
//!
//! Everything that bash could run is a typed node: command substitutions in words, here-documents,
//! arithmetic, subscripts and patterns hold whole [`List`]s, and no node keeps code as a string.
//! What is *not* here: values. A [`Word`] says how a value is made; turning it into one is the
//! business of the static evaluation.
//!
//! Two conventions hold throughout. Line continuations (`\` before a newline) are gone, as bash
//! removes them before it sees a token. [`Span`]s are byte offsets into the source that was given to
//! [`parse`](crate::parse), also for text inside backticks and here-documents.
//!
//! Long flat inputs make long vectors, never long chains of boxes, and nesting is limited by the
//! parser, so walking and dropping a tree need little stack.

use crate::{Shell, Text};

/// A range of bytes in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

/// A whole script that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The commands.
    pub body: List,
    /// Every here-document of the script, referred to by [`HereDocId`].
    pub here_docs: Vec<HereDoc>,
    /// Commands that may change how bash reads text that follows them.
    ///
    /// The parser has made sure that nothing *in this script* is read differently for it. A caller
    /// that gives one shell several texts in turn must not trust what follows.
    pub reading_changes: Vec<Span>,
    /// The shell whose rules the script was read by.
    pub shell: Shell,
}

impl Script {
    /// The here-document a redirection refers to.
    pub fn here_doc(&self, id: HereDocId) -> Option<&HereDoc> {
        self.here_docs.get(id.0 as usize)
    }
}

/// Commands in sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Where the list stands, without what encloses it.
    pub span: Span,
    /// The members, in order. Empty only for an empty script or an empty substitution.
    pub items: Vec<Item>,
}

/// One member of a list: pipelines joined by `&&` and `||`, and what ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where it stands, without its terminator.
    pub span: Span,
    /// The pipeline that always runs.
    pub first: Pipeline,
    /// The pipelines that run depending on the status so far.
    pub rest: Vec<(Connector, Pipeline)>,
    /// What ends it.
    pub end: Terminator,
}

impl Item {
    /// The pipelines in order.
    pub fn pipelines(&self) -> impl Iterator<Item = &Pipeline> {
        std::iter::once(&self.first).chain(self.rest.iter().map(|(_, pipeline)| pipeline))
    }
}

/// What joins two pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// What ends a member of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terminator {
    /// `;`, a newline, or the end of the enclosing construct.
    Sequential,
    /// `&`: it runs in the background.
    Background,
}

/// Commands joined by pipes, with the reserved words in front.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// Where it stands, prefixes included.
    pub span: Span,
    /// `!` and `time`, in order of writing.
    pub prefixes: Vec<Prefix>,
    /// The commands. Empty only where a prefix stands alone, as in `! ` or `time;`.
    pub stages: Vec<Stage>,
}

/// A reserved word in front of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prefix {
    /// `!`
    Not,
    /// `time`
    Time,
    /// `time -p`
    TimePosix,
}

/// One command of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The command.
    pub command: Command,
    /// The pipe that leads to the next command; `None` for the last.
    pub pipe: Option<Pipe>,
}

/// A pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pipe {
    /// `|`
    Stdout,
    /// `|&`: standard error too.
    StdoutAndStderr,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Words, assignments and redirections.
    Simple(SimpleCommand),
    /// A command with a grammar of its own.
    Compound(Box<CompoundCommand>),
    /// A function definition.
    Function(Box<Function>),
    /// `coproc`.
    Coproc(Box<Coproc>),
}

impl Command {
    /// Where it stands, redirections included.
    pub fn span(&self) -> Span {
        match self {
            Command::Simple(simple) => simple.span,
            Command::Compound(compound) => compound.span,
            Command::Function(function) => function.span,
            Command::Coproc(coproc) => coproc.span,
        }
    }
}

/// A simple command: at least one assignment, word or redirection.
///
/// The order of redirections among the words is in their spans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Where it stands.
    pub span: Span,
    /// The assignments in front of the command word.
    pub assignments: Vec<Assignment>,
    /// The command word and its arguments.
    ///
    /// An argument of `declare`, `export`, `local` … that assigns an array is a word with one
    /// [`PartKind::ArrayAssignment`]; one that assigns a scalar is an ordinary word.
    pub words: Vec<Word>,
    /// The redirections.
    pub redirections: Vec<Redirection>,
}

/// `name=value`, `name[subscript]+=value`, `name=(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Where it stands.
    pub span: Span,
    /// The variable.
    pub name: Text,
    /// The element that is assigned.
    pub subscript: Option<Subscript>,
    /// Whether it is `+=`.
    pub append: bool,
    /// What is assigned.
    pub value: Value,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A word, perhaps an empty one. It is neither split nor globbed, and braces are literal in it.
    Scalar(Word),
    /// `( … )`.
    Array(Vec<Element>),
}

/// One element of an array literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Where it stands.
    pub span: Span,
    /// The `[subscript]` in front of `=`.
    pub subscript: Option<Subscript>,
    /// Whether it is `[subscript]+=`.
    pub append: bool,
    /// The value. Without a subscript it is expanded like an argument.
    pub value: Word,
}

/// What stands between `[` and `]` after the name of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscript {
    /// Where it stands, without the brackets.
    pub span: Span,
    /// Which elements it names.
    pub kind: SubscriptKind,
}

/// Which elements a subscript names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriptKind {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    /// An arithmetic expression, or the key of an associative array.
    Index(Arithmetic),
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// Where it stands, descriptor and target included.
    pub span: Span,
    /// The descriptor in front of the operator.
    pub fd: Option<Descriptor>,
    /// The operator.
    pub op: RedirectionOp,
    /// What follows the operator.
    pub target: Target,
}

/// The descriptor in front of a redirection operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// `2>`
    Number(u32),
    /// `{name}>`: bash picks a descriptor and assigns it to the variable.
    Variable(Text),
}

/// A redirection operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedirectionOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`: a duplicate when the target is a descriptor or `-`, a file for both streams otherwise.
    DuplicateOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<<`
    HereString,
    /// `<<`
    HereDoc,
    /// `<<-`
    HereDocStripTabs,
}

/// The target of a redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, a descriptor, or the text of a here-string.
    Word(Word),
    /// A here-document.
    HereDoc(HereDocId),
}

/// The number of a here-document in [`Script::here_docs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HereDocId(pub u32);

/// A here-document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HereDoc {
    /// The delimiter as written.
    pub delimiter_span: Span,
    /// The delimiter with its quotes removed.
    pub delimiter: Text,
    /// Whether the delimiter was quoted, which makes the body literal.
    pub quoted: bool,
    /// Whether leading tabs are removed (`<<-`). They are gone from the body's parts.
    pub strip_tabs: bool,
    /// Whether the delimiter line was found. Bash runs the command anyway.
    pub terminated: bool,
    /// The body: a single [`PartKind::SingleQuoted`] if the delimiter was quoted, otherwise parts as
    /// inside double quotes.
    pub body: Word,
}

/// A command with a grammar of its own, and its redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompoundCommand {
    /// Where it stands, redirections included.
    pub span: Span,
    /// Which one it is.
    pub kind: Compound,
    /// The redirections behind it.
    pub redirections: Vec<Redirection>,
}

/// The kinds of compound commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compound {
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if`
    If {
        /// Conditions with what they guard: `if` first, then each `elif`.
        branches: Vec<(List, List)>,
        /// What follows `else`.
        otherwise: Option<List>,
    },
    /// `while`
    While {
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `until`
    Until {
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for name in words`
    For {
        /// The loop variable.
        variable: Text,
        /// The words; `None` without `in`, which means the positional parameters.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `for ((…; …; …))`
    ArithmeticFor {
        /// Runs once.
        init: Box<Arithmetic>,
        /// Runs before each pass.
        condition: Box<Arithmetic>,
        /// Runs after each pass.
        update: Box<Arithmetic>,
        /// The body.
        body: List,
    },
    /// `select name in words`
    Select {
        /// The variable.
        variable: Text,
        /// The words; `None` without `in`, which means the positional parameters.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `case word in … esac`
    Case {
        /// The subject.
        word: Word,
        /// The clauses.
        arms: Vec<CaseArm>,
    },
    /// `[[ … ]]`
    Condition(Condition),
    /// `(( … ))`
    Arithmetic(Arithmetic),
}

/// One clause of `case`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseArm {
    /// Where it stands.
    pub span: Span,
    /// The patterns.
    pub patterns: Vec<Word>,
    /// What runs on a match, perhaps nothing.
    pub body: List,
    /// Where execution goes on.
    pub end: CaseEnd,
}

/// What ends a clause of `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseEnd {
    /// `;;`, or the last clause without a terminator.
    Break,
    /// `;&`: run the next body too.
    FallThrough,
    /// `;;&`: test the next patterns too.
    Continue,
}

/// A function definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Where it stands.
    pub span: Span,
    /// The name.
    pub name: Text,
    /// Where the name stands.
    pub name_span: Span,
    /// Whether the word `function` was used.
    pub keyword: bool,
    /// The body. Its redirections are made at each call.
    pub body: CompoundCommand,
}

/// `coproc [name] command`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coproc {
    /// Where it stands.
    pub span: Span,
    /// The name in front of a compound command.
    pub name: Option<Text>,
    /// The command.
    pub command: Command,
}

/// An expression inside `[[ … ]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A word alone, which means `-n`.
    Word(Word),
    /// `-e file`
    Unary {
        /// The operator with its dash.
        op: Text,
        /// The operand. For `-v` it is code if it holds a subscript.
        operand: Word,
    },
    /// `left op right`
    Binary {
        /// The operator.
        op: ConditionOp,
        /// The left side.
        left: Word,
        /// The right side: a pattern for `==` and `!=`, a regular expression for `=~`.
        right: Word,
    },
    /// `! …`
    Not(Box<Condition>),
    /// `… && …`, two or more.
    And(Vec<Condition>),
    /// `… || …`, two or more.
    Or(Vec<Condition>),
    /// `( … )`
    Group(Box<Condition>),
}

/// A binary operator of `[[ … ]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConditionOp {
    /// `==` or `=`: the right side is a pattern.
    Match,
    /// `!=`: the right side is a pattern.
    NotMatch,
    /// `=~`: the right side is a regular expression.
    Regex,
    /// `<`
    Before,
    /// `>`
    After,
    /// `-eq`: both sides are arithmetic.
    Equal,
    /// `-ne`: both sides are arithmetic.
    NotEqual,
    /// `-lt`: both sides are arithmetic.
    Less,
    /// `-le`: both sides are arithmetic.
    LessOrEqual,
    /// `-gt`: both sides are arithmetic.
    Greater,
    /// `-ge`: both sides are arithmetic.
    GreaterOrEqual,
    /// `-nt`
    NewerThan,
    /// `-ot`
    OlderThan,
    /// `-ef`
    SameFile,
}

impl ConditionOp {
    /// Whether bash evaluates both sides as arithmetic, which can run code.
    pub fn is_arithmetic(self) -> bool {
        use ConditionOp::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
    }
}

/// A word: parts written without space between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub span: Span,
    /// The parts. Empty for the missing value of `x=` or the missing operand of `${x:-}`.
    pub parts: Vec<Part>,
}

impl Word {
    /// The text if the word is one unquoted literal.
    ///
    /// Braces, globs and a tilde are not looked at: see [`Literal::marks`].
    pub fn as_literal(&self) -> Option<&Literal> {
        match self.parts.as_slice() {
            [Part { kind: PartKind::Literal(literal), .. }] => Some(literal),
            _ => None,
        }
    }
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it stands, quotes and brackets included.
    pub span: Span,
    /// What it is.
    pub kind: PartKind,
}

/// The kinds of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Text without quotes (or, inside double quotes, text as it stands).
    Literal(Literal),
    /// `\c`: one byte that has lost its meaning. Inside double quotes only for `` $ ` " \ ``
    /// (elsewhere the backslash is text there).
    Escaped(u8),
    /// `'…'`, without the quotes.
    SingleQuoted(Text),
    /// `$'…'` as written, without the quotes; [`crate::ansi_c::decode`] gives its value.
    AnsiC(Text),
    /// `"…"`: literals, escapes, and expansions.
    DoubleQuoted(Vec<Part>),
    /// `$"…"`: as double quotes, but a message catalogue may replace the text.
    Localized(Vec<Part>),
    /// `$x` or `${…}`.
    Parameter(Box<Parameter>),
    /// `$(…)`, a backtick pair, or `${ …; }`.
    Command(Box<CommandSubstitution>),
    /// `$((…))` or `$[…]`.
    Arithmetic(Box<Arithmetic>),
    /// `<(…)` or `>(…)`.
    Process(Box<ProcessSubstitution>),
    /// `@(a|b)` and its kin, where bash reads it as a pattern.
    ExtendedGlob(Box<ExtendedGlob>),
    /// `name=(…)` as the argument of a declaration command; always the only part.
    ArrayAssignment(Box<Assignment>),
}

/// Text without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The bytes.
    pub text: Text,
    /// Which characters in it may have a meaning.
    pub marks: Marks,
}

/// Characters with a possible meaning in unquoted text.
///
/// The parser only notes that they occur. Whether a brace expands or a bracket is a pattern depends
/// on the whole word, and in which places it may depends on where the word stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    /// One of `*`, `?`, `[`.
    pub glob: bool,
    /// `{`, `}` or `,`.
    pub brace: bool,
    /// `~`
    pub tilde: bool,
    /// A `$` that begins no expansion. Brace expansion can bring it in front of one.
    pub dollar: bool,
}

impl Marks {
    /// Whether the text means itself wherever it stands.
    pub fn is_plain(self) -> bool {
        self == Marks::default()
    }

    /// The marks of two texts joined.
    pub(crate) fn or(self, other: Marks) -> Marks {
        Marks {
            glob: self.glob || other.glob,
            brace: self.brace || other.brace,
            tilde: self.tilde || other.tilde,
            dollar: self.dollar || other.dollar,
        }
    }
}

/// `$x`, `${x…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Whether it has braces. Without, brace expansion that follows can lengthen the name.
    pub braced: bool,
    /// `${!x}`: the value names the variable. Never set together with [`ParameterOp::Names`].
    pub indirect: bool,
    /// Which parameter.
    pub name: ParameterName,
    /// `[…]` behind the name.
    pub subscript: Option<Subscript>,
    /// What is done with the value.
    pub op: ParameterOp,
}

/// Which parameter is expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterName {
    /// A variable.
    Variable(Text),
    /// `$1`, `${10}`; `$0` too.
    Positional(u32),
    /// One of `@ * # ? - $ !`.
    Special(u8),
}

/// What a parameter expansion does with the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterOp {
    /// `$x`, `${x}`, and with [`Parameter::indirect`] `${!x}` and `${!x[@]}` (the keys).
    Plain,
    /// `${#x}`
    Length,
    /// `${x:-word}`, `${x-word}`
    Default {
        /// Whether there is a colon: empty counts as unset.
        colon: bool,
        /// The operand.
        word: Word,
    },
    /// `${x:=word}`: assigns.
    Assign {
        /// Whether there is a colon: empty counts as unset.
        colon: bool,
        /// The operand.
        word: Word,
    },
    /// `${x:?word}`: ends the shell.
    Error {
        /// Whether there is a colon: empty counts as unset.
        colon: bool,
        /// The operand.
        word: Word,
    },
    /// `${x:+word}`
    Alternative {
        /// Whether there is a colon: empty counts as unset.
        colon: bool,
        /// The operand.
        word: Word,
    },
    /// `${x#pattern}`, `${x##pattern}`
    RemovePrefix {
        /// Whether the operator is doubled.
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `${x%pattern}`, `${x%%pattern}`
    RemoveSuffix {
        /// Whether the operator is doubled.
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `${x/pattern/replacement}`
    Replace {
        /// Which matches.
        which: ReplaceWhich,
        /// The pattern.
        pattern: Word,
        /// The replacement; `None` without a second slash.
        replacement: Option<Word>,
    },
    /// `${x:offset:length}`
    Slice {
        /// The offset.
        offset: Arithmetic,
        /// The length.
        length: Option<Arithmetic>,
    },
    /// `${x^pattern}` and its kin.
    Case {
        /// Which change.
        change: CaseChange,
        /// Which characters; empty for all.
        pattern: Word,
    },
    /// `${x@Q}`; the letter is kept. `P` expands the value again.
    Transform(u8),
    /// `${!prefix*}`, `${!prefix@}`: names of variables.
    Names {
        /// Whether it is `@`.
        separate: bool,
    },
}

/// What an operator of `${…}` is given.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// A word, or a pattern.
    Word(&'a Word),
    /// Where a slice begins, or how long it is.
    Arithmetic(&'a Arithmetic),
}

impl ParameterOp {
    /// Its operands, in the order in which they stand.
    pub fn operands(&self) -> impl Iterator<Item = Operand<'_>> {
        let [first, second] = match self {
            ParameterOp::Plain
            | ParameterOp::Length
            | ParameterOp::Transform(_)
            | ParameterOp::Names { .. } => [None, None],
            ParameterOp::Default { word, .. }
            | ParameterOp::Assign { word, .. }
            | ParameterOp::Error { word, .. }
            | ParameterOp::Alternative { word, .. }
            | ParameterOp::RemovePrefix { pattern: word, .. }
            | ParameterOp::RemoveSuffix { pattern: word, .. }
            | ParameterOp::Case { pattern: word, .. } => [Some(Operand::Word(word)), None],
            ParameterOp::Replace { pattern, replacement, .. } => {
                [Some(Operand::Word(pattern)), replacement.as_ref().map(Operand::Word)]
            }
            ParameterOp::Slice { offset, length } => {
                [Some(Operand::Arithmetic(offset)), length.as_ref().map(Operand::Arithmetic)]
            }
        };
        first.into_iter().chain(second)
    }
}

/// Which matches `${x/…/…}` replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplaceWhich {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Prefix,
    /// `/%`
    Suffix,
}

/// How `${x^}` and its kin change the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseChange {
    /// `^`
    UpperFirst,
    /// `^^`
    UpperAll,
    /// `,`
    LowerFirst,
    /// `,,`
    LowerAll,
    /// `~`
    ToggleFirst,
    /// `~~`
    ToggleAll,
}

/// A substitution that runs commands and takes their output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSubstitution {
    /// How it is written.
    pub style: SubstitutionStyle,
    /// The commands.
    pub body: List,
}

/// How a command substitution is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubstitutionStyle {
    /// `$(…)`
    Dollar,
    /// Backticks.
    Backtick,
    /// `${ …; }`: runs in the same shell (bash 5.3).
    SameShell,
    /// `${| …; }`: runs in the same shell, the value is `REPLY` (bash 5.3).
    SameShellReply,
}

/// `<(…)` or `>(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSubstitution {
    /// Which way the data goes.
    pub direction: ProcessDirection,
    /// The commands.
    pub body: List,
}

/// Which way the data of a process substitution goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessDirection {
    /// `<(…)`: the commands write.
    Read,
    /// `>(…)`: the commands read.
    Write,
}

/// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendedGlob {
    /// The character in front of the parenthesis.
    pub op: u8,
    /// The alternatives.
    pub alternatives: Vec<Word>,
}

/// Text that bash expands as in double quotes and then evaluates as arithmetic.
///
/// The text is [`parts`](Self::parts), always: whoever looks for commands looks there. The
/// [`expression`](Self::expression) is a reading of the same text, present if the parts are a
/// well-formed expression whose expansions each stand for one operand.
///
/// Evaluating a *variable* evaluates its value in turn, which can run commands. Only numbers are
/// certain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// Where the text stands, without what encloses it.
    pub span: Span,
    /// Whether it is the outdated `$[…]`.
    pub bracket: bool,
    /// The text: literals, quotes and expansions.
    pub parts: Vec<Part>,
    /// The text read as an expression.
    pub expression: Option<Expression>,
}

/// An arithmetic expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number as written: `10`, `0x1f`, `010`, `2#101`.
    Number(Text),
    /// A variable by name.
    Variable {
        /// The name.
        name: Text,
        /// The subscript, read as an expression.
        subscript: Option<Box<Expression>>,
    },
    /// The expansion or quoted text at this index of [`Arithmetic::parts`].
    Part(u32),
    /// An operator in front of an operand.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: Box<Expression>,
    },
    /// `++x`, `--x`, `x++`, `x--`: assigns.
    Update {
        /// Whether it is `++`.
        increment: bool,
        /// Whether the operator stands in front.
        prefix: bool,
        /// The variable.
        target: Box<Expression>,
    },
    /// Operators of one precedence, from left to right.
    Chain {
        /// The leftmost operand.
        first: Box<Expression>,
        /// Operators with the operand to their right.
        rest: Vec<(BinaryOp, Expression)>,
    },
    /// `base ** exponent`
    Power {
        /// The base.
        base: Box<Expression>,
        /// The exponent.
        exponent: Box<Expression>,
    },
    /// `x = …`, `x += …`: assigns.
    Assign {
        /// The operator in front of `=`.
        op: Option<BinaryOp>,
        /// The variable.
        target: Box<Expression>,
        /// The value.
        value: Box<Expression>,
    },
    /// `condition ? yes : no`
    Choice {
        /// The condition.
        condition: Box<Expression>,
        /// Evaluated if it is not zero.
        yes: Box<Expression>,
        /// Evaluated if it is zero.
        no: Box<Expression>,
    },
    /// `( … )`
    Group(Box<Expression>),
}

/// An arithmetic operator in front of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// An arithmetic operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `,`
    Comma,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}
