//! Functions of the script: what a name may run, and how a body runs in the state of its caller.

use super::state::{Defined, State};
use super::{Analyst, Data};
use crate::effect::Kind;
use crate::word::Word;
use std::rc::Rc;
use toolgate_bash::ast::{
    Command, Compound, Function, Item, List, Pipeline, Script, SimpleCommand, Span, Stage, Terminator,
};
use toolgate_bash::{Path, Visitor};

/// A function that is being run.
pub(super) struct Frame {
    name: String,
    defined: Rc<Defined>,
    /// The state it was called in.
    entry: State,
    /// Whether it runs with nothing known, so that it says what every further call would.
    forgotten: bool,
}

/// How often a function that calls itself is followed with what is known then.
const PRECISE: usize = 3;

impl Analyst<'_> {
    /// Functions that nobody called may be called by what follows.
    pub(super) fn uncalled(&mut self, state: &mut State) {
        for (name, defined) in state.functions.uncalled() {
            let mut inner = state.clone();
            inner.positional = None;
            self.function(&name, &defined, &mut inner, &Data::Unknown);
        }
    }

    pub(super) fn define(&mut self, function: &Function, state: &mut State, script: &Script) {
        let name = function.name.to_str_lossy().into_owned();
        let defined =
            Defined { function: function.clone(), here_docs: script.here_docs.clone(), shell: script.shell };
        state.functions.define(name, defined);
    }

    /// Runs a command by its words: a function of the script, or a program.
    pub(super) fn dispatch(&mut self, words: Vec<Word<'static>>, state: &mut State, input: &Data) -> Data {
        let name = words.first().and_then(Word::exact).filter(|name| !name.contains('/'));
        let Some(name) = name.filter(|name| state.functions.has(name)).map(str::to_owned) else {
            return self.run(words, state, input, super::program::By::Shell);
        };
        let bodies = state.functions.bodies(&name);
        // Where ways part, a name may mean one of several functions, or the program.
        let program = !state.functions.is_sure(&name);
        if let ([only], false) = (bodies.as_slice(), program) {
            return self.call_function(&name, only, &words, state, input);
        }
        let before = state.clone();
        let mut ends: Vec<State> = Vec::new();
        for body in &bodies {
            let mut inner = before.clone();
            self.call_function(&name, body, &words, &mut inner, input);
            ends.push(inner);
        }
        if program {
            self.run(words, state, input, super::program::By::Shell);
        } else if let Some(first) = ends.pop() {
            *state = first;
        }
        for end in &ends {
            state.merge(end);
        }
        Data::Unknown
    }

    fn call_function(
        &mut self,
        name: &str,
        defined: &Rc<Defined>,
        words: &[Word<'static>],
        state: &mut State,
        input: &Data,
    ) -> Data {
        let saved = state.positional.take();
        let sure = words.iter().all(|w| !w.splits);
        state.positional =
            sure.then(|| Rc::new(words.iter().skip(1).map(|w| w.text.clone().into_owned()).collect()));
        let data = self.function(name, defined, state, input);
        state.positional = saved;
        data
    }

    /// Runs the body of a function.
    pub(super) fn function(
        &mut self,
        name: &str,
        defined: &Rc<Defined>,
        state: &mut State,
        input: &Data,
    ) -> Data {
        let span = defined.function.name_span;
        let mut running = self.calling.iter().filter(|f| f.name == name && f.defined.same(defined));
        let depth = running.clone().count();
        let mut forgotten = false;
        if let Some(last) = running.next_back() {
            // Calling itself more than once at a time fills the machine with processes.
            if depth == 1 && multiplies(&defined.function, name) {
                self.push(
                    Kind::Host,
                    Some("processes without end"),
                    span,
                    "a function that starts itself over and over",
                );
                return Data::Unknown;
            }
            if last.forgotten || last.entry.same_values(state) {
                // Nothing comes of it that this call does not say. What it changes may have been changed.
                self.forget_for(defined, state);
                return Data::Unknown;
            }
            forgotten = depth >= PRECISE;
        }
        if self.calling.len() >= 16 {
            self.unknown("functions call each other too deeply", span);
            return Data::Unknown;
        }
        if forgotten {
            self.forget_for(defined, state);
        }
        state.functions.mark_called(name);
        let entry = state.clone();
        self.calling.push(Frame { name: name.to_owned(), defined: Rc::clone(defined), entry, forgotten });
        let script = defined.script(List::default());
        let locals = state.enter_function();
        let data = self.compound(&defined.function.body, state, &script, input);
        state.leave_function(locals);
        self.calling.pop();
        data
    }

    /// Forgets what a call of a function may have changed.
    fn forget_for(&self, defined: &Defined, state: &mut State) {
        if moves(defined) { state.forget() } else { state.forget_variables() }
    }

    /// Runs the handlers that were set up since then in the state that was come to.
    pub(super) fn handlers_from(&mut self, from: usize, state: &State) {
        for (code, span, mut then) in self.handlers.split_off(from.min(self.handlers.len())) {
            if !then.same_values(state) {
                // Between the two it may run at any time.
                then.merge(state);
                self.nested_shell(&code, span, &mut then, &Data::Unknown);
            }
        }
    }
}

/// Whether a function may change the directory, as far as its words tell.
fn moves(defined: &Defined) -> bool {
    struct Moves(bool);
    impl<'s> Visitor<'s> for Moves {
        fn simple(&mut self, command: &'s SimpleCommand, _: Path<'_, 's>) {
            let Some(first) = command.words.first() else { return };
            self.0 |= match first.as_literal() {
                Some(name) => matches!(
                    &*name.text,
                    b"cd"
                        | b"chdir"
                        | b"pushd"
                        | b"popd"
                        | b"eval"
                        | b"."
                        | b"source"
                        | b"command"
                        | b"builtin"
                ),
                None => true,
            };
        }
    }
    let command = Command::Compound(Box::new(defined.function.body.clone()));
    let first = Pipeline { stages: vec![Stage { command, pipe: None }], ..Pipeline::default() };
    let item = Item { span: Span::default(), first, rest: Vec::new(), end: Terminator::Sequential };
    let script = defined.script(List { span: Span::default(), items: vec![item] });
    let mut moves = Moves(false);
    toolgate_bash::walk(&script, &mut moves);
    moves.0
}

/// Whether a function calls itself in a pipe or in the background.
fn multiplies(function: &Function, name: &str) -> bool {
    fn in_list(list: &List, name: &str, parallel: bool) -> bool {
        list.items.iter().any(|i| {
            let background = i.end == Terminator::Background;
            i.pipelines().any(|p| {
                let parallel = parallel || background || p.stages.len() > 1;
                p.stages.iter().any(|s| match &s.command {
                    Command::Simple(c) => {
                        parallel
                            && c.words
                                .first()
                                .and_then(toolgate_bash::ast::Word::as_literal)
                                .is_some_and(|l| &*l.text == name.as_bytes())
                    }
                    Command::Compound(c) => in_compound(&c.kind, name, parallel),
                    Command::Function(_) | Command::Coproc(_) => false,
                })
            })
        })
    }
    fn in_compound(kind: &Compound, name: &str, parallel: bool) -> bool {
        match kind {
            Compound::Group(l) | Compound::Subshell(l) => in_list(l, name, parallel),
            Compound::If { branches, otherwise } => {
                branches.iter().any(|(c, b)| in_list(c, name, parallel) || in_list(b, name, parallel))
                    || otherwise.as_ref().is_some_and(|l| in_list(l, name, parallel))
            }
            Compound::While { condition, body } | Compound::Until { condition, body } => {
                in_list(condition, name, parallel) || in_list(body, name, parallel)
            }
            Compound::For { body, .. }
            | Compound::Select { body, .. }
            | Compound::ArithmeticFor { body, .. } => in_list(body, name, parallel),
            Compound::Case { arms, .. } => arms.iter().any(|a| in_list(&a.body, name, parallel)),
            Compound::Condition(_) | Compound::Arithmetic(_) => false,
        }
    }
    in_compound(&function.body.kind, name, false)
}
