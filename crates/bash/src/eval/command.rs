//! Simple commands: what their words become, and what builtins do to the shell.

use super::declare::is_declaration;
use super::env::{Saved, Shadow, State};
use super::flow::{Flow, MOST_NESTED};
use super::footprint::{self, Footprint, PrintfTarget, Wrapped, footprint};
use super::scan::is_special;
use super::value::{Class, Count, Field, Hole, Value, Why};
use super::word::is_name;
use super::{Assigned, Call, printed};
use crate::Text;
use crate::ast::{Assignment, Part, PartKind, SimpleCommand};

/// A call of a function: which variables are its own.
pub(super) struct Frame {
    pub(super) locals: Vec<Local>,
    /// `local -`: options are what they were when it returns.
    pub(super) options: bool,
    /// How much was in doubt when it was called.
    pub(super) doubts: u32,
}

/// A variable that a function has made its own.
pub(super) struct Local {
    pub(super) name: Text,
    pub(super) saved: Saved,
    /// It was made local for certain.
    pub(super) certain: bool,
}

/// Whether a command has words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    None,
    Perhaps,
    Some,
}

impl<'s> Flow<'s, '_> {
    pub(super) fn simple(&mut self, command: &'s SimpleCommand) {
        self.moved = None;
        let declares = command.words.first().is_some_and(is_declaration);
        let mut argv = Vec::with_capacity(command.words.len());
        let mut arrays: Vec<(usize, &'s Assignment)> = Vec::new();
        for (at, word) in command.words.iter().enumerate() {
            match word.parts.as_slice() {
                [Part { kind: PartKind::ArrayAssignment(assignment), .. }] => {
                    arrays.push((argv.len(), assignment));
                    let text = [&*assignment.name, b"=("].concat();
                    let hole = Hole { why: Why::Array, span: word.span, class: Class::Any };
                    let value = Value::from(text.as_slice()).then(Value::unknown(hole));
                    argv.push(Field { span: word.span, value, count: Count::One });
                }
                _ if declares && at > 0 && self.env.modes().bash => self.declared(word, &mut argv),
                _ => self.argument(word, &mut argv),
            }
            if argv.len() > 4096 {
                self.give_up();
                break;
            }
        }
        let words = if argv.is_empty() {
            Words::None
        } else if argv.iter().all(|field| field.count == Count::Any) {
            Words::Perhaps
        } else {
            Words::Some
        };
        let mut assigned = Vec::with_capacity(command.assignments.len());
        let mark = self.env.mark();
        for assignment in &command.assignments {
            let value = self.assign(assignment);
            assigned.push(Assigned { assignment, value });
        }
        let mut redirected = Vec::with_capacity(command.redirections.len());
        match words {
            Words::None => self.env.keep(mark),
            Words::Perhaps => {
                let changes = self.env.take(mark);
                self.env.join(vec![changes], true);
            }
            Words::Some => {
                let mut changes = self.env.take(mark);
                changes.drop_vars(|name| command.assignments.iter().any(|a| &*a.name == name));
                // Elements of arrays cannot be assigned for a command, and bash may not look at them.
                self.env.join(vec![changes], true);
                self.assigned_by_values(&command.assignments);
            }
        }
        // For a program these are expanded in the child.
        let mark = self.env.mark();
        for redirection in &command.redirections {
            let field = self.redirection(redirection);
            redirected.push(field);
        }
        let changes = self.env.take(mark);
        self.env.join(vec![changes], words != Words::None);
        self.observer.command(&Call {
            command,
            argv: &argv,
            assignments: &assigned,
            redirections: &redirected,
            env: self.env,
        });
        if argv.is_empty() {
            return;
        }
        if !command.redirections.is_empty() {
            self.quietly(|flow| flow.run(&argv, &arrays, &assigned, true));
        } else {
            self.run(&argv, &arrays, &assigned, true);
        }
    }

    /// Runs something whose output does not go where it is collected, or not all of it.
    fn quietly(&mut self, run: impl FnOnce(&mut Self)) {
        if self.captures.is_empty() {
            return run(self);
        }
        self.captures.push(Some(Vec::new()));
        run(self);
        // Only if it wrote nothing is it certain that nothing is missing.
        let silent = self.captures.pop().flatten().is_some_and(|out| out.is_empty());
        if !silent {
            self.uncaptured();
        }
    }

    /// Runs a command whose words are expanded.
    fn run(
        &mut self,
        argv: &[Field],
        arrays: &[(usize, &'s Assignment)],
        assigned: &[Assigned<'s>],
        functions: bool,
    ) {
        let Some((first, args)) = argv.split_first() else { return };
        let Some(name) = first.literal() else {
            self.uncaptured();
            return self.lose();
        };
        let special = is_special(name) || matches!(name, b"command" | b"builtin");
        if functions {
            match self.env.function(name) {
                None => {}
                Some(Shadow::Opaque) => {
                    self.uncaptured();
                    return self.lose();
                }
                Some(Shadow::Body(number)) => return self.function(number, argv, assigned),
                Some(Shadow::MaybeBody(number)) => {
                    self.uncaptured();
                    let mark = self.env.mark();
                    self.doubts = self.doubts.saturating_add(1);
                    self.function(number, argv, assigned);
                    self.doubts = self.doubts.saturating_sub(1);
                    let called = self.env.take(mark);
                    let mark = self.env.mark();
                    self.builtin(name, args, argv, arrays);
                    let not = self.env.take(mark);
                    self.env.join(vec![called, not], false);
                    self.moved = None;
                    return;
                }
            }
        }
        if assigned.is_empty() {
            return self.builtin(name, args, argv, arrays);
        }
        // What a builtin does can depend on the variables that are assigned for it.
        self.uncaptured();
        self.apply(&footprint(argv), argv);
        for assigned in assigned {
            // In front of some an assignment stays, depending on the mode and the command.
            if special || is_builtin_that_assigns(name) {
                self.env.forget(&assigned.assignment.name, Class::Any);
            }
        }
    }

    fn function(&mut self, number: u32, argv: &[Field], assigned: &[Assigned<'s>]) {
        let mut frame = Frame { locals: Vec::new(), options: false, doubts: self.doubts };
        for assigned in assigned {
            let name = &assigned.assignment.name;
            frame.locals.push(Local { name: name.clone(), saved: self.env.saved(name), certain: false });
            let plain = assigned.assignment.subscript.is_none();
            match &assigned.value {
                Some(value) if plain => self.env.set(name, State::Scalar(value.clone())),
                _ => self.env.forget(name, Class::Any),
            }
        }
        self.call(number, argv, frame);
    }

    /// Gives the variables of a function back what they were.
    pub(super) fn leave(&mut self, frame: Frame) {
        if frame.options {
            self.env.set_modes(super::modes::Modes::unknown());
        }
        for local in frame.locals.into_iter().rev() {
            if local.certain {
                self.env.put_back(&local.name, local.saved);
            } else {
                self.env.overwrite(&local.name, State::Unknown(Class::Any));
            }
        }
    }

    fn builtin(&mut self, name: &[u8], args: &[Field], argv: &[Field], arrays: &[(usize, &'s Assignment)]) {
        match name {
            b"echo" => self.fold(args, |args, flow| printed::echo(args, flow.env.modes())),
            b"printf" => self.printf(args),
            b"command" | b"builtin" => match footprint::wrapped(name, args) {
                Wrapped::Runs(rest) => {
                    // The array arguments are counted from the front.
                    let skipped = argv.len().saturating_sub(rest.len());
                    let arrays: Vec<_> =
                        arrays.iter().map(|(at, array)| (at.saturating_sub(skipped), *array)).collect();
                    self.run(rest, &arrays, &[], false);
                }
                Wrapped::Tells => self.uncaptured(),
                Wrapped::Unknown => self.lose(),
            },
            b"cd" => self.cd(args),
            b"export" | b"readonly" | b"declare" | b"typeset" | b"local" => {
                self.declare(name, args, arrays);
            }
            b"unset" => self.unset(argv),
            b"set" => self.set_builtin(args, argv),
            b"shift" => self.shift(args),
            b"shopt" => self.shopt(args, argv),
            b"eval" => self.eval(args),
            b"trap" => self.trap(args),
            b"let" => {
                self.apply(&footprint(argv), argv);
                self.may_discard();
            }
            _ => self.apply(&footprint(argv), argv),
        }
    }

    /// Does what a footprint says.
    pub(super) fn apply(&mut self, effect: &Footprint, argv: &[Field]) {
        if effect.hazard {
            let span = argv.first().map_or(self.here, |field| field.span);
            self.hazard(span, Why::Evaluated);
        }
        if effect.prints {
            self.uncaptured();
        }
        for (name, class) in &effect.names {
            self.env.blur_variable(name, *class);
        }
        if effect.positional {
            self.env.set_positional(None);
        }
        if effect.modes {
            self.env.set_modes(super::modes::Modes::unknown());
        }
        for name in &effect.functions {
            if self.env.function(name).is_some() {
                self.env.set_function(name, Some(Shadow::Opaque));
            }
        }
        if effect.leaves {
            self.leaves = true;
            self.uncaptured();
        }
        if effect.lost {
            self.lose();
        }
    }

    /// Collects what a command writes, if its arguments are known.
    fn fold(&mut self, args: &[Field], write: impl FnOnce(&[&[u8]], &Self) -> Option<Vec<u8>>) {
        if self.captures.is_empty() {
            return;
        }
        let known: Option<Vec<&[u8]>> = args.iter().map(Field::literal).collect();
        match known.and_then(|args| write(&args, self)) {
            Some(out) => self.print(&out),
            None => self.uncaptured(),
        }
    }

    fn printf(&mut self, args: &[Field]) {
        let target = match footprint::printf_target(args) {
            PrintfTarget::None => return self.fold(args, |args, _| printed::printf(args)),
            PrintfTarget::Variable(field) => field,
            PrintfTarget::Unknown => {
                self.hazard(self.here, Why::Evaluated);
                return self.lose();
            }
        };
        let Some(name) = target.literal().filter(|name| is_name(name)) else {
            return self.apply(&footprint(&printf_v(args)), args);
        };
        let skip = if args.first().and_then(Field::literal) == Some(b"-v") { 2 } else { 1 };
        let known: Option<Vec<&[u8]>> = args.iter().skip(skip).map(Field::literal).collect();
        let text = known.and_then(|args| printed::printf(&args)).filter(|text| !text.contains(&0));
        match text {
            Some(text) if self.doubts == 0 || !self.env.may_refuse(name) => {
                self.assign_scalar(name, Value::Known(text.into()));
            }
            _ => {
                if self.env.may_refuse(name) {
                    self.may_discard();
                }
                self.env.forget(name, Class::Any);
            }
        }
    }

    /// `eval` of a known text is followed for what it does to the shell. Who decides about it sees
    /// the text in its arguments, and parses it again.
    fn eval(&mut self, args: &[Field]) {
        let known: Option<Vec<&[u8]>> = args.iter().map(Field::literal).collect();
        let text = match known {
            Some(parts) => parts.strip_prefix(&[&b"--"[..]]).unwrap_or(&parts).join(&b' '),
            None => return self.lose(),
        };
        // The parser needs some of the stack as well.
        let options = crate::Options { shell: self.env.shell(), max_depth: 12, ..crate::Options::default() };
        let nested = self.nested.saturating_add(40);
        let script = match crate::parse(&text, &options) {
            Ok(script) if nested < MOST_NESTED && script.reading_changes.is_empty() => script,
            _ => return self.lose(),
        };
        if self.steps.take(text.len().saturating_mul(16)).is_err() {
            return self.give_up();
        }
        let known_functions = self.functions.is_empty();
        let mut silent = super::Silent;
        let steps = std::mem::replace(&mut self.steps, super::pattern::Steps(0));
        let mut inner = Flow::new(Some(&script), &text, self.env, &mut silent);
        inner.steps = steps;
        inner.nested = nested;
        // Functions of the outer script cannot be followed in there.
        if !known_functions {
            inner.env.bury_functions();
        }
        inner.follow_inner(&script.body);
        let (steps, leaves, lost) = inner.ending();
        self.steps = steps;
        self.uncaptured();
        self.leaves |= leaves;
        if lost || !known_functions {
            self.functions_escape();
        }
        if leaves {
            // It ended early, and whatever encloses it may have ended too.
            self.env.forget_variables();
        }
    }
}

/// Whether a builtin may assign a variable that is also assigned in front of it.
fn is_builtin_that_assigns(name: &[u8]) -> bool {
    matches!(name, b"printf" | b"read" | b"mapfile" | b"readarray" | b"getopts" | b"let" | b"cd" | b"wait")
}

/// `printf -v` with its target in front.
fn printf_v(args: &[Field]) -> Vec<Field> {
    let mut argv = Vec::with_capacity(args.len().saturating_add(1));
    if let Some(first) = args.first() {
        argv.push(Field { value: Value::from("printf"), ..first.clone() });
    }
    argv.extend_from_slice(args);
    argv
}
