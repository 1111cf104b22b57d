//! Visits everything in a script that can run, with where it stands.

use crate::ast::{
    Arithmetic, Assignment, CaseArm, Command, CommandSubstitution, Compound, CompoundCommand, Condition,
    Coproc, Expression, Function, HereDoc, Item, List, Operand, Parameter, ParameterOp, Part, PartKind,
    Pipeline, ProcessSubstitution, Redirection, RedirectionOp, Script, SimpleCommand, Subscript,
    SubscriptKind, Target, Value, Word,
};

/// One construct that encloses a command.
#[derive(Clone, Copy, Debug)]
pub enum Step<'s> {
    /// A member of a list; `pipeline` counts along its `&&` and `||`, so all but 0 run conditionally.
    Item {
        /// The member.
        item: &'s Item,
        /// Which of its pipelines.
        pipeline: usize,
    },
    /// A command of a pipeline.
    Stage {
        /// The pipeline with all its commands.
        pipeline: &'s Pipeline,
        /// Which of them.
        stage: usize,
    },
    /// `{ …; }`
    Group(&'s CompoundCommand),
    /// `( … )`
    Subshell(&'s CompoundCommand),
    /// The condition of `if`, `elif`, `while` or `until`.
    Condition(&'s CompoundCommand),
    /// What an `if` or `case` guards, an `else` included.
    Branch(&'s CompoundCommand),
    /// A clause of `case`: its patterns and body.
    Arm(&'s CaseArm),
    /// The body of a loop: it runs any number of times.
    Loop(&'s CompoundCommand),
    /// The body of a function: it runs when the function is called.
    Function(&'s Function),
    /// The command of a coprocess.
    Coproc(&'s Coproc),
    /// A command substitution.
    Command(&'s CommandSubstitution),
    /// A process substitution.
    Process(&'s ProcessSubstitution),
    /// The body of a here-document.
    HereDoc(&'s HereDoc),
}

/// What encloses a command, from the outside in.
pub type Path<'p, 's> = &'p [Step<'s>];

/// Receives what [`walk`] finds.
///
/// The order is bash's: what a command's words, assignments and redirections run comes before the
/// command. A body of a function comes where it is defined, and the branches of `if` and `case` one
/// after the other.
pub trait Visitor<'s> {
    /// A simple command, also one without a command word.
    ///
    /// Its assignments and redirections have been visited by then.
    fn simple(&mut self, command: &'s SimpleCommand, path: Path<'_, 's>);

    /// A compound command, before its parts.
    fn compound(&mut self, _command: &'s CompoundCommand, _path: Path<'_, 's>) {}

    /// A function that is defined, before its body.
    fn function(&mut self, _function: &'s Function, _path: Path<'_, 's>) {}

    /// An assignment, in front of a command or as an argument.
    fn assignment(&mut self, _assignment: &'s Assignment, _path: Path<'_, 's>) {}

    /// A redirection of a simple or compound command.
    fn redirection(&mut self, _redirection: &'s Redirection, _path: Path<'_, 's>) {}

    /// An expansion or arithmetic text that does more than take a value; see [`Effect`].
    fn effect(&mut self, _effect: Effect<'s>, _path: Path<'_, 's>) {}

    /// The path grows by a step.
    fn enter(&mut self, _path: Path<'_, 's>) {}

    /// The path is about to lose its last step.
    fn leave(&mut self, _path: Path<'_, 's>) {}
}

/// An expansion that does more than take a value.
#[derive(Clone, Copy, Debug)]
pub enum Effect<'s> {
    /// `${x:=…}` assigns; `${x:?…}` may end the shell; `${!x}` and `${x@P}` evaluate a value once more.
    Parameter(&'s Parameter),
    /// Arithmetic that is more than numbers: it may assign, and evaluates the values of variables.
    Arithmetic(&'s Arithmetic),
    /// A word whose value is evaluated once more: an operand that `[[ … ]]` takes for arithmetic or for a
    /// name with a subscript, or a target of `>&` that is no descriptor.
    Operand(&'s Word),
}

/// Walks a script in the order in which bash would run it.
///
/// ```
/// use toolgate_bash::ast::SimpleCommand;
/// use toolgate_bash::{Options, Path, Step, Visitor, parse, walk};
///
/// /// Counts commands that run zero or more times.
/// struct Loops(usize);
///
/// impl<'s> Visitor<'s> for Loops {
///     fn simple(&mut self, _command: &'s SimpleCommand, path: Path<'_, 's>) {
///         self.0 += usize::from(path.iter().any(|step| matches!(step, Step::Loop(_))));
///     }
/// }
///
/// let script = parse(b"a; while b; do c; $(d); done", &Options::default())?;
/// let mut loops = Loops(0);
/// walk(&script, &mut loops);
/// assert_eq!(loops.0, 3);
/// # Ok::<(), toolgate_bash::Unknown>(())
/// ```
pub fn walk<'s>(script: &'s Script, visitor: &mut impl Visitor<'s>) {
    let mut walker = Walker { script, visitor, path: Vec::with_capacity(8) };
    walker.list(&script.body);
}

struct Walker<'v, 's, V> {
    script: &'s Script,
    visitor: &'v mut V,
    path: Vec<Step<'s>>,
}

impl<'s, V: Visitor<'s>> Walker<'_, 's, V> {
    fn push(&mut self, step: Step<'s>) {
        self.path.push(step);
        self.visitor.enter(&self.path);
    }

    fn pop(&mut self) {
        self.visitor.leave(&self.path);
        self.path.pop();
    }

    fn list_in(&mut self, step: Step<'s>, list: &'s List) {
        self.push(step);
        self.list(list);
        self.pop();
    }

    fn list(&mut self, list: &'s List) {
        for item in &list.items {
            for (number, pipeline) in item.pipelines().enumerate() {
                self.push(Step::Item { item, pipeline: number });
                for (number, stage) in pipeline.stages.iter().enumerate() {
                    self.push(Step::Stage { pipeline, stage: number });
                    self.command(&stage.command);
                    self.pop();
                }
                self.pop();
            }
        }
    }

    fn command(&mut self, command: &'s Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => {
                self.visitor.function(function, &self.path);
                self.push(Step::Function(function));
                self.compound(&function.body);
                self.pop();
            }
            Command::Coproc(coproc) => {
                self.push(Step::Coproc(coproc));
                self.command(&coproc.command);
                self.pop();
            }
        }
    }

    fn simple(&mut self, simple: &'s SimpleCommand) {
        // Bash expands the words first, then redirections, then assignments.
        self.words(&simple.words);
        self.redirections(&simple.redirections);
        for assignment in &simple.assignments {
            self.assignment(assignment);
        }
        self.visitor.simple(simple, &self.path);
    }

    fn compound(&mut self, compound: &'s CompoundCommand) {
        self.visitor.compound(compound, &self.path);
        self.redirections(&compound.redirections);
        match &compound.kind {
            Compound::Group(list) => self.list_in(Step::Group(compound), list),
            Compound::Subshell(list) => self.list_in(Step::Subshell(compound), list),
            Compound::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list_in(Step::Condition(compound), condition);
                    self.list_in(Step::Branch(compound), body);
                }
                if let Some(body) = otherwise {
                    self.list_in(Step::Branch(compound), body);
                }
            }
            Compound::While { condition, body } | Compound::Until { condition, body } => {
                self.list_in(Step::Condition(compound), condition);
                self.list_in(Step::Loop(compound), body);
            }
            Compound::For { words, body, .. } | Compound::Select { words, body, .. } => {
                self.words(words.as_deref().unwrap_or_default());
                self.list_in(Step::Loop(compound), body);
            }
            Compound::ArithmeticFor { init, condition, update, body } => {
                self.arithmetic(init);
                self.arithmetic(condition);
                self.list_in(Step::Loop(compound), body);
                self.arithmetic(update);
            }
            Compound::Case { word, arms } => {
                self.word(word);
                for arm in arms {
                    self.push(Step::Arm(arm));
                    self.words(&arm.patterns);
                    self.list_in(Step::Branch(compound), &arm.body);
                    self.pop();
                }
            }
            Compound::Condition(condition) => self.condition(condition),
            Compound::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
        }
    }

    fn condition(&mut self, condition: &'s Condition) {
        match condition {
            Condition::Word(word) => self.word(word),
            Condition::Unary { op, operand } => {
                self.word(operand);
                if *op == "-v" || *op == "-R" {
                    self.visitor.effect(Effect::Operand(operand), &self.path);
                }
            }
            Condition::Binary { op, left, right } => {
                for word in [left, right] {
                    self.word(word);
                    if op.is_arithmetic() {
                        self.visitor.effect(Effect::Operand(word), &self.path);
                    }
                }
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner),
            Condition::And(members) | Condition::Or(members) => {
                for member in members {
                    self.condition(member);
                }
            }
        }
    }

    fn redirections(&mut self, redirections: &'s [Redirection]) {
        for redirection in redirections {
            match &redirection.target {
                Target::Word(word) => {
                    self.word(word);
                    if redirection.op == RedirectionOp::DuplicateOutput && word.as_literal().is_none() {
                        self.visitor.effect(Effect::Operand(word), &self.path);
                    }
                }
                Target::HereDoc(id) => {
                    if let Some(here_doc) = self.script.here_doc(*id) {
                        self.push(Step::HereDoc(here_doc));
                        self.word(&here_doc.body);
                        self.pop();
                    }
                }
            }
            self.visitor.redirection(redirection, &self.path);
        }
    }

    fn assignment(&mut self, assignment: &'s Assignment) {
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
        match &assignment.value {
            Value::Scalar(word) => self.word(word),
            Value::Array(elements) => {
                for element in elements {
                    if let Some(subscript) = &element.subscript {
                        self.subscript(subscript);
                    }
                    self.word(&element.value);
                }
            }
        }
        self.visitor.assignment(assignment, &self.path);
    }

    fn subscript(&mut self, subscript: &'s Subscript) {
        if let SubscriptKind::Index(text) = &subscript.kind {
            self.arithmetic(text);
        }
    }

    fn words(&mut self, words: &'s [Word]) {
        for word in words {
            self.word(word);
        }
    }

    #[inline]
    fn word(&mut self, word: &'s Word) {
        self.parts(&word.parts);
    }

    #[inline]
    fn parts(&mut self, parts: &'s [Part]) {
        for part in parts {
            match &part.kind {
                PartKind::Literal(_)
                | PartKind::Escaped(_)
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_) => {}
                _ => self.part(part),
            }
        }
    }

    fn part(&mut self, part: &'s Part) {
        match &part.kind {
            PartKind::Literal(_) | PartKind::Escaped(_) | PartKind::SingleQuoted(_) | PartKind::AnsiC(_) => {}
            PartKind::DoubleQuoted(parts) | PartKind::Localized(parts) => self.parts(parts),
            PartKind::Parameter(parameter) => self.parameter(parameter),
            PartKind::Command(substitution) => self.list_in(Step::Command(substitution), &substitution.body),
            PartKind::Process(substitution) => self.list_in(Step::Process(substitution), &substitution.body),
            PartKind::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            PartKind::ExtendedGlob(glob) => self.words(&glob.alternatives),
            PartKind::ArrayAssignment(assignment) => self.assignment(assignment),
        }
    }

    fn parameter(&mut self, parameter: &'s Parameter) {
        if let Some(subscript) = &parameter.subscript {
            self.subscript(subscript);
        }
        for operand in parameter.op.operands() {
            match operand {
                Operand::Word(word) => self.word(word),
                Operand::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            }
        }
        let notable = parameter.indirect
            || matches!(
                parameter.op,
                ParameterOp::Assign { .. } | ParameterOp::Error { .. } | ParameterOp::Transform(b'P')
            );
        if notable {
            self.visitor.effect(Effect::Parameter(parameter), &self.path);
        }
    }

    fn arithmetic(&mut self, arithmetic: &'s Arithmetic) {
        self.parts(&arithmetic.parts);
        let number = matches!(arithmetic.expression, Some(Expression::Number(_)));
        if !number && !arithmetic.parts.is_empty() {
            self.visitor.effect(Effect::Arithmetic(arithmetic), &self.path);
        }
    }
}
