//! Simple commands: what their words become, and what builtins do to the shell.

use super::env::{Attribute, Saved, Shadow, State};
use super::flow::Flow;
use super::footprint::{self, Footprint, PrintfTarget, Trap, Wrapped, footprint};
use super::modes::Change;
use super::scan::{Modified, is_special};
use super::value::{Class, Count, Field, Hole, Value, Why, integer};
use super::word::{Tildes, is_name};
use super::{Assigned, Call, printed};
use crate::Text;
use crate::ast::{
    Assignment, Element, Expression, Part, PartKind, SimpleCommand, SubscriptKind, Value as Right, Word,
};

/// A call of a function: which variables are its own.
pub(super) struct Frame {
    locals: Vec<Local>,
    /// `local -`: options are what they were when it returns.
    options: bool,
    /// How much was in doubt when it was called.
    doubts: u32,
}

struct Local {
    name: Text,
    saved: Saved,
    /// It was made local for certain.
    certain: bool,
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

    /// Forgets what the values of assignments assign themselves, as in `x=${x:=1} command`.
    fn assigned_by_values(&mut self, assignments: &'s [Assignment]) {
        let plain = |assignment: &Assignment| match &assignment.value {
            Right::Scalar(word) => assignment.subscript.is_none() && super::word::plain(word).is_some(),
            Right::Array(_) => false,
        };
        if assignments.is_empty() || assignments.iter().all(plain) {
            return;
        }
        let roots: Vec<_> = assignments.iter().map(super::scan::Root::Temporary).collect();
        let modified = self.modified(&roots);
        for assignment in assignments {
            if modified.all_variables || modified.lost || modified.names.contains_key(&assignment.name) {
                self.env.forget(&assignment.name, Class::Any);
            }
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

    /// Makes an assignment; gives its value if it is a text.
    fn assign(&mut self, assignment: &'s Assignment) -> Option<Value> {
        let name = &assignment.name;
        let index = assignment.subscript.as_ref().map(|subscript| self.index(name, &subscript.kind));
        let word = match &assignment.value {
            Right::Scalar(word) => word,
            Right::Array(elements) => {
                let state = self.array(name, assignment.append, elements);
                if self.env.may_refuse(name) {
                    self.may_discard();
                }
                if *self.env.get(name) != State::Associative {
                    self.env.set(name, state);
                }
                return None;
            }
        };
        let value = self.value(word, Tildes::Assigned);
        match index {
            Some(index) => self.assign_element(name, index, assignment.append, value.clone()),
            None if assignment.append => {
                let value = self.appended(name, value, word);
                self.assign_scalar(name, value.clone());
                return Some(value);
            }
            None => self.assign_scalar(name, value.clone()),
        }
        Some(value)
    }

    /// The index of an element that is assigned; `None` if it is not known.
    fn index(&mut self, name: &[u8], subscript: &'s SubscriptKind) -> Option<u64> {
        match subscript {
            SubscriptKind::Index(arithmetic) => {
                if *self.env.get(name) == State::Associative {
                    for part in &arithmetic.parts {
                        let mut unused = super::sink::Sink::single(part.span, self.ifs(), self.env.modes());
                        self.parts(std::slice::from_ref(part), super::word::Place::QUOTED, &mut unused);
                    }
                    return None;
                }
                // Whether the value is expanded before anything else is evaluated depends on the version.
                let literal = matches!(arithmetic.expression, Some(Expression::Number(_)));
                let number = self.number(arithmetic).ok().and_then(|number| u64::try_from(number).ok());
                if number.is_none() {
                    self.may_discard();
                }
                number.filter(|_| literal)
            }
            // An error, except as the key of an associative array.
            SubscriptKind::At | SubscriptKind::Star => {
                self.may_discard();
                None
            }
        }
    }

    fn assign_element(&mut self, name: &[u8], index: Option<u64>, append: bool, value: Value) {
        if self.env.may_refuse(name) {
            self.may_discard();
        }
        let state = match (self.env.get(name), index) {
            (State::Associative, _) => return,
            (_, None) => State::Unknown(Class::Any),
            (State::Unset, Some(index)) => State::Array(vec![(index, value)]),
            (State::Scalar(old), Some(index)) => {
                let first = vec![(0, old.clone())];
                State::Array(with_element(first, index, append, value))
            }
            (State::Array(elements), Some(index)) => {
                let mut size = 0_usize;
                for (_, value) in elements {
                    size = size.saturating_add(value.size()).saturating_add(1);
                }
                if self.steps.take(size).is_err() {
                    State::Unknown(Class::Any)
                } else {
                    State::Array(with_element(elements.clone(), index, append, value))
                }
            }
            (State::First(_) | State::Number | State::Unknown(_), Some(_)) => State::Unknown(Class::Any),
        };
        self.env.set(name, state);
    }

    fn appended(&mut self, name: &[u8], value: Value, word: &Word) -> Value {
        let old = match self.env.get(name) {
            State::Unset => return value,
            State::Scalar(old) | State::First(old) => old.clone(),
            State::Array(elements) => match elements.first() {
                Some((0, old)) => old.clone(),
                _ => return value,
            },
            State::Associative | State::Number | State::Unknown(_) => {
                Value::unknown(self.env.hole(name, Class::Any, word.span))
            }
        };
        let size = old.size().saturating_add(value.size());
        if size > 64 * 1024 || self.steps.take(size).is_err() {
            return Value::unknown(Hole { why: Why::TooLarge, span: word.span, class: Class::Any });
        }
        old.then(value)
    }

    fn array(&mut self, name: &[u8], append: bool, elements: &'s [Element]) -> State {
        let before = self.env.get(name).clone();
        let associative = before == State::Associative;
        let mut out = match (append, self.env.get(name)) {
            (false, _) | (true, State::Unset) => Some(Vec::new()),
            (true, State::Array(old)) => Some(old.clone()),
            (true, State::Scalar(old)) => Some(vec![(0, old.clone())]),
            (true, _) => None,
        };
        let mut next = out.as_ref().and_then(|old| old.last()).map_or(0, |(at, _)| at.saturating_add(1));
        for element in elements {
            if let Some(subscript) = &element.subscript {
                let index = if associative {
                    self.index(name, &subscript.kind)
                } else {
                    self.element_index(&subscript.kind)
                };
                let value = self.value(&element.value, Tildes::Assigned);
                // With braces it is something else, which depends on the version.
                let index = index.filter(|_| !super::braces::may_expand(&element.value.parts));
                out = match (out, index) {
                    (Some(out), Some(index)) => {
                        next = index.saturating_add(1);
                        Some(with_element(out, index, element.append, value))
                    }
                    _ => None,
                };
                continue;
            }
            let mut fields = Vec::new();
            self.element_words(&element.value, &mut fields);
            for field in fields {
                out = match out {
                    Some(mut out) if field.count == Count::One => {
                        out = with_element(out, next, false, field.value);
                        next = next.saturating_add(1);
                        Some(out)
                    }
                    _ => None,
                };
            }
        }
        // Its elements may assign it themselves.
        let same = *self.env.get(name) == before;
        match out {
            Some(out) if same && self.steps.take(out.len()).is_ok() => State::Array(out),
            _ => State::Unknown(Class::Any),
        }
    }

    fn element_index(&mut self, subscript: &'s SubscriptKind) -> Option<u64> {
        match subscript {
            SubscriptKind::Index(arithmetic) => {
                let literal = matches!(arithmetic.expression, Some(Expression::Number(_)));
                let number = self.number(arithmetic).ok().and_then(|number| u64::try_from(number).ok());
                if number.is_none() {
                    self.may_discard();
                }
                number.filter(|_| literal)
            }
            SubscriptKind::At | SubscriptKind::Star => {
                self.may_discard();
                None
            }
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
    fn apply(&mut self, effect: &Footprint, argv: &[Field]) {
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

    fn cd(&mut self, args: &[Field]) {
        let mut args = args;
        let mut plain = true;
        while let Some((first, rest)) = args.split_first() {
            match first.literal() {
                Some(b"--") => {
                    args = rest;
                    break;
                }
                Some(b"-L") => args = rest,
                Some([b'-', _, ..]) => {
                    plain = false;
                    args = rest;
                }
                _ => break,
            }
        }
        let old = match self.env.get(b"PWD") {
            State::Scalar(value) | State::First(value) => value.known().map(<[u8]>::to_vec),
            _ => None,
        };
        self.env.forget(b"PWD", Class::Any);
        // `CDPATH` and `cd -` write where they go.
        self.uncaptured();
        let [only] = args else { return };
        let Some(path) = only.literal().filter(|_| plain && self.env.modes().bash) else { return };
        let directory = match path {
            [b'/', ..] => path.to_vec(),
            b"." | [b'.', b'/', ..] => match old {
                Some(old) if old.starts_with(b"/") => [&old[..], b"/", path].concat(),
                _ => return,
            },
            _ if self.env.is_unset("CDPATH") && !path.starts_with(b"-") && !path.is_empty() => match old {
                Some(old) if old.starts_with(b"/") => [&old[..], b"/", path].concat(),
                _ => return,
            },
            _ => return,
        };
        self.moved = logical(&directory).map(|path| Value::Known(path.into()));
    }

    fn declare(&mut self, kind: &[u8], args: &[Field], arrays: &[(usize, &'s Assignment)]) {
        let mut local = !matches!(kind, b"export" | b"readonly") && !self.frames.is_empty();
        let mut attribute = if kind == b"readonly" { Attribute::Readonly } else { Attribute::Plain };
        let (mut array, mut associative, mut shows, mut functions) = (false, false, args.is_empty(), false);
        let mut options = true;
        for (at, field) in args.iter().enumerate() {
            let known = field.value.known();
            let prefix = known.unwrap_or_else(|| field.value.prefix());
            if options && matches!(prefix.first(), Some(b'-' | b'+')) && prefix.len() > 1 {
                let Some(text) = field.literal() else {
                    self.hazard(field.span, Why::Evaluated);
                    return self.lose();
                };
                options = text != b"--";
                let on = text.starts_with(b"-");
                for letter in text.get(1..).unwrap_or_default() {
                    match letter {
                        b'g' => local = false,
                        b'a' => array = on,
                        b'A' => associative = on,
                        b'p' => shows = true,
                        b'f' | b'F' => functions = true,
                        b'r' if on && attribute == Attribute::Plain => attribute = Attribute::Readonly,
                        b'x' | b't' | b'-' => {}
                        b'n' if kind == b"export" => {}
                        _ => attribute = Attribute::Odd,
                    }
                }
                continue;
            }
            options = false;
            if functions {
                // `export -f` hands it to children, which call it with what they like.
                self.functions_escape();
                if let Some(name) = field.literal()
                    && attribute != Attribute::Plain
                    && self.env.function(name).is_some()
                {
                    self.env.set_function(name, Some(Shadow::Opaque));
                }
                continue;
            }
            let declared = footprint::declaration(field).filter(|_| field.count == Count::One);
            let Some((name, has_value, append)) = declared else {
                self.hazard(field.span, Why::Evaluated);
                return self.lose();
            };
            let name: Text = name.into();
            if kind == b"local" && &*name == b"-" {
                if let Some(frame) = self.frames.last_mut() {
                    frame.options = true;
                }
                continue;
            }
            if !is_name(&name) {
                match super::flow::is_harmless_reference(&name) && name.contains(&b'[') {
                    true => {
                        let end = name.iter().position(|&b| b == b'[').unwrap_or(name.len());
                        self.env.forget(name.get(..end).unwrap_or_default(), Class::Any);
                    }
                    // With a subscript it is evaluated; otherwise it is an error.
                    false if name.contains(&b'[') => {
                        self.hazard(field.span, Why::Evaluated);
                        return self.lose();
                    }
                    false => self.uncaptured(),
                }
                continue;
            }
            if kind == b"local" && self.frames.is_empty() {
                // An error.
                self.uncaptured();
                self.env.forget(&name, Class::Any);
                continue;
            }
            if shows && !has_value && kind != b"export" && kind != b"readonly" {
                continue;
            }
            let fresh = local && self.make_local(&name);
            if !local
                && self.frames.iter().any(|frame| frame.locals.iter().any(|l| l.name == name))
                && !matches!(kind, b"export" | b"readonly")
            {
                // `declare -g` under a local of the same name changes what comes to light again.
                self.env.forget(&name, Class::Any);
                let locals = self.frames.iter_mut().flat_map(|frame| &mut frame.locals);
                locals.filter(|local| local.name == name).for_each(|local| local.certain = false);
                continue;
            }
            let literal = arrays.iter().find(|(position, _)| *position == at.saturating_add(1));
            if let Some((_, assignment)) = literal {
                if associative {
                    self.env.set(&name, State::Associative);
                    self.env.set_attribute(&name, Attribute::Odd);
                }
                let state = match &assignment.value {
                    Right::Array(elements) => self.array(&name, assignment.append, elements),
                    Right::Scalar(_) => State::Unknown(Class::Any),
                };
                if self.env.may_refuse(&name) {
                    self.may_discard();
                }
                if *self.env.get(&name) != State::Associative {
                    self.env.set(
                        &name,
                        if attribute == Attribute::Odd { State::Unknown(Class::Any) } else { state },
                    );
                }
            } else if associative {
                self.env.set(&name, State::Associative);
                self.env.set_attribute(&name, Attribute::Odd);
                continue;
            } else if has_value {
                let value = after_equals(&field.value);
                if attribute == Attribute::Odd {
                    if !value.is_integer() {
                        // `-i` evaluates it.
                        self.hazard(field.span, Why::Evaluated);
                    }
                    self.env.forget(&name, Class::Any);
                } else {
                    let word = Word { span: field.span, parts: Vec::new() };
                    let value = if append { self.appended(&name, value, &word) } else { value };
                    self.assign_scalar(&name, value.clone());
                    if array {
                        // It is the first element of an array now.
                        let state = match self.env.get(&name) {
                            State::Scalar(value) => State::Array(vec![(0, value.clone())]),
                            other => other.clone(),
                        };
                        self.env.set(&name, state);
                    }
                }
            } else if array || attribute == Attribute::Odd || fresh {
                // `declare -a x` makes an array of a scalar.
                let state = match self.env.get(&name) {
                    State::Scalar(value) if array && !fresh => State::Array(vec![(0, value.clone())]),
                    State::Unset if array && !fresh => State::Unset,
                    _ if fresh => State::Unset,
                    other => other.clone(),
                };
                self.env.set(&name, state);
            }
            if attribute != Attribute::Plain {
                self.env.set_attribute(&name, attribute);
            }
        }
        if shows || functions {
            self.uncaptured();
        }
    }

    /// Makes a variable the function's own; whether it is a new one.
    fn make_local(&mut self, name: &Text) -> bool {
        let doubts = self.doubts;
        let saved = self.env.saved(name);
        let Some(frame) = self.frames.last_mut() else { return false };
        if frame.locals.iter().any(|local| local.name == *name) {
            // Perhaps it is another one, if that was a temporary assignment.
            return false;
        }
        frame.locals.push(Local { name: name.clone(), saved, certain: frame.doubts == doubts });
        true
    }

    fn unset(&mut self, argv: &[Field]) {
        let args = argv.get(1..).unwrap_or_default();
        let simple = args.iter().all(|field| field.literal().is_some_and(is_name));
        if !simple {
            // With options, subscripts, or unknown names.
            let functions_only = args.first().and_then(Field::literal) == Some(b"-f");
            let names: Option<Vec<_>> = args.iter().skip(1).map(Field::literal).collect();
            if let (true, Some(names)) = (functions_only, names) {
                for name in names {
                    if self.env.function(name).is_some() {
                        self.env.set_function(name, None);
                    }
                }
                return;
            }
            let vars_only = args.first().and_then(Field::literal) == Some(b"-v");
            if vars_only && args.iter().skip(1).all(|field| field.literal().is_some_and(is_name)) {
                for field in args.iter().skip(1) {
                    if let Some(name) = field.literal() {
                        self.unset_variable(name);
                    }
                }
                return;
            }
            return self.apply(&footprint(argv), argv);
        }
        for field in args {
            let Some(name) = field.literal() else { continue };
            // Without a variable of that name it is the function that goes.
            if self.env.function(name).is_some() {
                self.env.set_function(name, Some(Shadow::Opaque));
            }
            self.unset_variable(name);
        }
    }

    fn unset_variable(&mut self, name: &[u8]) {
        if self.env.may_refuse(name) {
            // Attributes go with it, if it does.
            return self.env.forget(name, Class::Any);
        }
        let shadows = self.frames.iter().any(|frame| frame.locals.iter().any(|local| &*local.name == name));
        if shadows {
            // One further out may come to light.
            self.env.forget(name, Class::Any);
        } else {
            self.env.set(name, State::Unset);
        }
    }

    fn set_builtin(&mut self, args: &[Field], argv: &[Field]) {
        let effect = footprint(argv);
        if effect.lost || effect.prints {
            return self.apply(&effect, argv);
        }
        let mut modes = self.env.modes();
        let mut rest = args;
        let mut positional = None;
        while let Some((first, after)) = rest.split_first() {
            let Some(text) = first.literal() else {
                positional = Some(rest);
                break;
            };
            match text {
                b"--" => {
                    positional = Some(after);
                    break;
                }
                b"-" => {
                    if !after.is_empty() {
                        positional = Some(after);
                    }
                    break;
                }
                // Versions have not agreed on what it is.
                b"+" => return self.apply(&effect, argv),
                [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => {
                    rest = after;
                    for letter in letters {
                        let change = if *letter == b'o' {
                            match rest.split_first() {
                                Some((name, after)) => {
                                    rest = after;
                                    modes.set_named(name.literal().unwrap_or_default(), *sign == b'-')
                                }
                                None => {
                                    self.uncaptured();
                                    Change::Done
                                }
                            }
                        } else {
                            modes.set_letter(*letter, *sign == b'-')
                        };
                        if change == Change::Lost {
                            return self.lose();
                        }
                    }
                }
                _ => {
                    positional = Some(rest);
                    break;
                }
            }
        }
        self.env.set_modes(modes);
        if let Some(fields) = positional {
            let exact = fields.iter().all(|field| field.count == Count::One);
            let values = exact.then(|| fields.iter().map(|field| field.value.clone()).collect());
            self.env.set_positional(values);
        }
    }

    fn shift(&mut self, args: &[Field]) {
        let by = match args {
            [] => Some(1),
            [only] => only.literal().and_then(integer).and_then(|n| usize::try_from(n).ok()),
            _ => None,
        };
        let values = match (by, self.env.positional()) {
            // Shifting by more than there are changes nothing.
            (Some(by), Some(values)) if by <= values.len() => values.get(by..).map(<[Value]>::to_vec),
            (Some(_), Some(values)) if self.env.modes().bash => Some(values.to_vec()),
            _ => None,
        };
        if let Some(values) = &values
            && self.steps.take(values.len()).is_err()
        {
            return self.give_up();
        }
        self.env.set_positional(values);
    }

    fn shopt(&mut self, args: &[Field], argv: &[Field]) {
        let effect = footprint(argv);
        if effect.lost {
            return self.apply(&effect, argv);
        }
        let mut on = None;
        let mut modes = self.env.modes();
        for field in args {
            match field.literal() {
                Some([b'-', letters @ ..]) => {
                    for letter in letters {
                        match letter {
                            b's' => on = Some(true),
                            b'u' => on = Some(false),
                            _ => self.uncaptured(),
                        }
                    }
                }
                Some(name) => match on {
                    Some(on) => {
                        modes.set_shopt(name, on);
                    }
                    None => self.uncaptured(),
                },
                None => {}
            }
        }
        if args.is_empty() || on.is_none() {
            self.uncaptured();
        }
        self.env.set_modes(modes);
    }

    /// `eval` of a known text is followed for what it does to the shell. Who decides about it sees
    /// the text in its arguments, and parses it again.
    fn eval(&mut self, args: &[Field]) {
        let known: Option<Vec<&[u8]>> = args.iter().map(Field::literal).collect();
        let text = match known {
            Some(parts) => parts.strip_prefix(&[&b"--"[..]]).unwrap_or(&parts).join(&b' '),
            None => return self.lose(),
        };
        let options = crate::Options { shell: self.env.shell(), ..crate::Options::default() };
        let script = match crate::parse(&text, &options) {
            Ok(script) if self.nesting < 8 && script.reading_changes.is_empty() => script,
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
        inner.nesting = self.nesting.saturating_add(1);
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

    fn trap(&mut self, args: &[Field]) {
        self.uncaptured();
        match footprint::trapped(args) {
            Trap::Harmless => {}
            Trap::AtExit => self.functions_escape(),
            Trap::AnyTime(text) => {
                self.functions_escape();
                let modified = text.and_then(|text| self.modified_by_text(text));
                match modified {
                    Some(Modified {
                        lost: false,
                        all_variables: false,
                        positional,
                        modes,
                        names,
                        functions,
                        ..
                    }) if !positional && !modes && functions.is_empty() => {
                        // It may run before any command from here on.
                        for name in names.keys() {
                            self.env.forget(name, Class::Any);
                            self.env.set_attribute(name, Attribute::Odd);
                        }
                    }
                    _ => self.lose(),
                }
            }
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

/// What stands behind the first `=`.
fn after_equals(value: &Value) -> Value {
    let mut found = false;
    let pieces = value.clone().into_pieces().map(|piece| match piece {
        super::Piece::Known(text) if !found => match text.iter().position(|&b| b == b'=') {
            Some(equals) => {
                found = true;
                super::Piece::Known(text.get(equals.saturating_add(1)..).unwrap_or_default().into())
            }
            None => super::Piece::Known(Text::default()),
        },
        piece => piece,
    });
    Value::from_pieces(pieces.collect::<Vec<_>>())
}

fn with_element(elements: Vec<(u64, Value)>, index: u64, append: bool, value: Value) -> Vec<(u64, Value)> {
    let mut elements = elements;
    match elements.binary_search_by_key(&index, |(at, _)| *at) {
        Ok(found) => {
            if let Some((_, old)) = elements.get_mut(found) {
                *old = if append { old.clone().then(value) } else { value };
            }
        }
        Err(place) => elements.insert(place, (index, value)),
    }
    elements
}

/// Whether bash reads the arguments of this command word as assignments where they look like it.
fn is_declaration(word: &Word) -> bool {
    match word.as_literal() {
        Some(literal) => {
            matches!(&*literal.text, b"export" | b"readonly" | b"declare" | b"typeset" | b"local")
        }
        None => false,
    }
}

/// An absolute path without empty and `.` components; `None` where `..` makes it a matter of links.
fn logical(path: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    if path.starts_with(b"//") && !path.starts_with(b"///") {
        return None;
    }
    for component in path.split(|&b| b == b'/') {
        match component {
            b"" | b"." => {}
            b".." => return None,
            component => {
                out.push(b'/');
                out.extend_from_slice(component);
            }
        }
    }
    if out.is_empty() {
        out.push(b'/');
    }
    Some(out)
}
