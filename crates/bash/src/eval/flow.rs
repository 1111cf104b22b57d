//! Follows a script in order and keeps what is known about the shell at each point.
//!
//! Each command is visited once (the body of a loop over known words once for each, the body of a
//! function once for each call that can be followed). Where several ways lead to a point, only what
//! holds on all of them is kept: after `if` what both branches agree on; in a loop nothing that the
//! loop changes; at the end of `a && b` what holds whether or not `b` ran.

use super::command::Frame;
use super::env::{Env, Mark, Shadow, State};
use super::pattern::Steps;
use super::scan::{Modified, Root};
use super::value::{Class, Count, Field, Hole, Value, Why};
use super::word::Tildes;
use super::{Observer, Reach, Scope};
use crate::Text;
use crate::ast::{
    CaseArm, CaseEnd, Command, CommandSubstitution, Compound, CompoundCommand, Condition, ConditionOp,
    Connector, Function, Item, List, Pipeline, ProcessSubstitution, Redirection, Script, Span,
    SubstitutionStyle, Target, Terminator, Word,
};

/// Most passes through a loop over known words.
const MOST_PASSES: usize = 64;
/// Deepest calls of functions that are followed.
const MOST_CALLS: usize = 16;
/// How deep constructs may stand in each other, functions that are called included, by what they cost in
/// stack. What stands deeper is not followed.
pub(super) const MOST_NESTED: u32 = 96;
/// How much work is done besides what the script has in itself.
pub(super) const STEPS: u64 = 500_000;

pub(super) struct Flow<'s, 'r> {
    pub(super) script: Option<&'s Script>,
    pub(super) source: &'s [u8],
    pub(super) env: &'r mut Env,
    pub(super) observer: &'r mut dyn Observer<'s>,
    /// Function definitions that were met, by number.
    pub(super) functions: Vec<&'s Function>,
    /// Functions whose calls were all followed, or that have none.
    followed: Vec<Followed>,
    /// Functions that are being called.
    pub(super) calls: Vec<u32>,
    pub(super) frames: Vec<Frame>,
    /// Outputs that are being collected; `None` for one that is not known.
    pub(super) captures: Vec<Option<Vec<u8>>>,
    /// How many constructs around this point may not run, or run many times.
    pub(super) doubts: u32,
    /// An expansion may have failed, which ends the line.
    discards: bool,
    /// `return`, `exit` and the like were met.
    pub(super) leaves: bool,
    /// Something may call any function with anything.
    ever_lost: bool,
    pub(super) steps: Steps,
    /// A hole to be put where the next piece of text would be.
    pub(super) pending_hole: Option<Hole>,
    /// A quoted `"$@"` was met that has no elements, or may have none.
    pub(super) met_doubtful_list: bool,
    /// Part of the arithmetic that is being evaluated may be an error.
    pub(super) may_have_failed: bool,
    /// The expansion that is being looked at.
    pub(super) here: Span,
    /// What `PWD` is if the last command succeeded.
    pub(super) moved: Option<Value>,
    /// How deep the construct stands that is being visited; at most [`MOST_NESTED`].
    pub(super) nested: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    Uncalled,
    Called,
    Unclear,
}

impl<'s, 'r> Flow<'s, 'r> {
    pub(super) fn new(
        script: Option<&'s Script>,
        source: &'s [u8],
        env: &'r mut Env,
        observer: &'r mut dyn Observer<'s>,
    ) -> Self {
        let ever_lost = env.is_lost();
        env.begin();
        Flow {
            script,
            source,
            env,
            observer,
            functions: Vec::new(),
            followed: Vec::new(),
            calls: Vec::new(),
            frames: Vec::new(),
            captures: Vec::new(),
            doubts: 0,
            discards: false,
            leaves: false,
            ever_lost,
            steps: Steps(STEPS),
            pending_hole: None,
            met_doubtful_list: false,
            may_have_failed: false,
            here: Span::default(),
            moved: None,
            nested: 0,
        }
    }

    /// Follows a whole script.
    pub(super) fn script(&mut self, body: &'s List) {
        self.lines(body);
        self.functions_unseen();
    }

    /// Follows the text of an `eval`.
    pub(super) fn follow_inner(&mut self, body: &'s List) {
        self.lines(body);
        self.env.bury_functions();
    }

    /// What an inner script leaves behind: steps, whether it may have ended early, whether all is lost.
    pub(super) fn ending(self) -> (Steps, bool, bool) {
        (self.steps, self.leaves || self.discards, self.ever_lost)
    }

    /// Bodies of functions that were not followed at a call, each in a shell of which nothing is known.
    fn functions_unseen(&mut self) {
        let mut at = 0_usize;
        while let (Some(&function), Some(&followed)) = (self.functions.get(at), self.followed.get(at)) {
            at = at.saturating_add(1);
            let reach = match followed {
                _ if self.ever_lost => Reach::Unknown,
                Followed::Unclear => Reach::Unknown,
                Followed::Uncalled => Reach::Uncalled,
                Followed::Called => continue,
            };
            let mark = self.env.mark();
            let lost = std::mem::replace(&mut self.ever_lost, true);
            self.env.lose();
            self.doubt(|flow| {
                flow.scoped(Scope::Function { function, reach }, |flow| flow.compound(&function.body));
            });
            self.ever_lost = lost || self.ever_lost && reach == Reach::Unknown;
            self.env.rollback(mark);
        }
        // What stays of them is a name with an unknown body: the tree may be gone.
        self.env.bury_functions();
    }

    /// The list of a script, line by line: a failing expansion ends the line, and bash goes on with
    /// the next.
    fn lines(&mut self, list: &'s List) {
        let mut mark = self.env.mark();
        let mut failed: Option<usize> = None;
        let mut items = list.items.iter().peekable();
        while let Some(item) = items.next() {
            let position = self.env.position();
            self.discards = false;
            self.item(item);
            if self.discards {
                failed = failed.or(Some(position));
            }
            let Some(next) = items.peek() else { break };
            if self.is_line_end(item, next) {
                if let Some(position) = failed.take() {
                    self.env.blur(position);
                }
                self.env.keep(mark);
                mark = self.env.mark();
            }
        }
        if let Some(position) = failed {
            self.env.blur(position);
        }
        self.env.keep(mark);
        self.discards = false;
    }

    fn is_line_end(&self, item: &Item, next: &Item) -> bool {
        let range = item.span.end as usize..next.span.start as usize;
        self.source.get(range).is_some_and(|gap| gap.contains(&b'\n'))
    }

    pub(super) fn list(&mut self, list: &'s List) {
        for item in &list.items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &'s Item) {
        if item.end == Terminator::Background {
            self.scoped(Scope::Background, |flow| {
                flow.subshell(|flow| flow.uncaught(|flow| flow.pipelines(item)));
            });
        } else {
            self.pipelines(item);
        }
    }

    fn pipelines(&mut self, item: &'s Item) {
        self.moved = None;
        self.pipeline(&item.first);
        let mut group: Option<Mark> = None;
        let mut after_or = false;
        for (connector, pipeline) in &item.rest {
            let moved = self.moved.take();
            let open = match (connector, group.take()) {
                // As long as all of them succeed, each follows from the one before.
                (Connector::And, Some(mark)) if !after_or => mark,
                (_, old) => {
                    if let Some(mark) = old {
                        self.env.keep_any_prefix(mark);
                    }
                    self.env.mark()
                }
            };
            if let (Connector::And, Some(directory), false) = (connector, moved, after_or) {
                self.env.set(b"PWD", State::Scalar(directory));
            }
            after_or = *connector == Connector::Or;
            self.doubt(|flow| flow.scoped(Scope::Branch, |flow| flow.pipeline(pipeline)));
            group = Some(open);
        }
        if let Some(mark) = group {
            self.env.keep_any_prefix(mark);
            self.moved = None;
        }
    }

    fn pipeline(&mut self, pipeline: &'s Pipeline) {
        if pipeline.prefixes.contains(&crate::ast::Prefix::Not) {
            self.stages(pipeline);
            self.moved = None;
        } else {
            self.stages(pipeline);
        }
    }

    fn stages(&mut self, pipeline: &'s Pipeline) {
        if let [only] = pipeline.stages.as_slice() {
            return self.command(&only.command);
        }
        let count = pipeline.stages.len();
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let last = at.saturating_add(1) == count;
            self.scoped(Scope::Stage { index: at, last }, |flow| {
                let stays = last && flow.env.modes().lastpipe != Some(false);
                let mark = flow.env.mark();
                flow.isolated(|flow| flow.uncaught(|flow| flow.command(&stage.command)));
                if stays {
                    let changes = flow.env.take(mark);
                    flow.env.join(vec![changes], true);
                } else {
                    flow.env.rollback(mark);
                }
            });
        }
        self.moved = None;
    }

    /// Visits what stands one level deeper, unless that is too deep: then it is not followed at all, and
    /// the observer is told.
    pub(super) fn deeper<T>(
        &mut self,
        cost: u32,
        span: Span,
        visit: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let nested = self.nested.saturating_add(cost);
        if nested > MOST_NESTED {
            self.observer.may_execute(span, Why::TooLarge);
            self.give_up();
            return None;
        }
        let outer = std::mem::replace(&mut self.nested, nested);
        let visited = visit(self);
        self.nested = outer;
        Some(visited)
    }

    fn command(&mut self, command: &'s Command) {
        self.deeper(3, command.span(), |flow| flow.command_inside(command));
    }

    fn command_inside(&mut self, command: &'s Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => {
                let number = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
                self.functions.push(function);
                self.followed.push(Followed::Uncalled);
                self.env.set_function(&function.name, Some(Shadow::Body(number)));
                self.observer.function(function);
            }
            Command::Coproc(coproc) => {
                let name = coproc.name.as_ref().map_or(&b"COPROC"[..], |name| name);
                self.scoped(Scope::Coproc, |flow| {
                    flow.subshell(|flow| flow.uncaught(|flow| flow.command(&coproc.command)));
                });
                self.env.forget(name, Class::Any);
                self.env.forget(&[name, b"_PID"].concat(), Class::Any);
            }
        }
    }

    pub(super) fn compound(&mut self, compound: &'s CompoundCommand) {
        self.moved = None;
        for redirection in &compound.redirections {
            self.redirection(redirection);
        }
        if compound.redirections.is_empty() {
            self.kind(&compound.kind, compound.span);
        } else {
            self.uncaught(|flow| flow.kind(&compound.kind, compound.span));
        }
        self.moved = None;
    }

    fn kind(&mut self, kind: &'s Compound, span: Span) {
        match kind {
            Compound::Group(list) => self.list(list),
            Compound::Subshell(list) => {
                self.scoped(Scope::Subshell, |flow| flow.subshell(|flow| flow.list(list)));
            }
            Compound::If { branches, otherwise } => self.conditional(branches, otherwise.as_ref()),
            Compound::While { condition, body } | Compound::Until { condition, body } => {
                let modified = self.modified(&[Root::List(condition), Root::List(body)]);
                self.looped(&modified, |flow| {
                    flow.list(condition);
                    flow.list(body);
                });
            }
            Compound::For { variable, words, body } => self.for_loop(variable, words.as_deref(), body),
            Compound::ArithmeticFor { init, condition, update, body } => {
                let _ = self.number(init);
                let roots = [Root::Arithmetic(condition), Root::Arithmetic(update), Root::List(body)];
                let modified = self.modified(&roots);
                self.looped(&modified, |flow| {
                    let _ = flow.number(condition);
                    flow.list(body);
                    let _ = flow.number(update);
                });
            }
            Compound::Select { variable, words, body } => {
                for word in words.iter().flatten() {
                    let mut unused = Vec::new();
                    self.argument(word, &mut unused);
                }
                let modified = self.modified(&[Root::List(body)]);
                self.looped(&modified, |flow| {
                    flow.env.forget(variable, Class::Any);
                    flow.list(body);
                    flow.env.forget(variable, Class::Any);
                });
                self.env.forget(variable, Class::Any);
            }
            Compound::Case { word, arms } => self.case(word, arms),
            Compound::Condition(condition) => self.condition(condition, span),
            Compound::Arithmetic(arithmetic) => {
                let _ = self.number(arithmetic);
            }
        }
    }

    fn conditional(&mut self, branches: &'s [(List, List)], otherwise: Option<&'s List>) {
        let mut taken = Vec::new();
        for (at, (condition, body)) in branches.iter().enumerate() {
            if at == 0 {
                self.list(condition);
            } else {
                let mark = self.env.mark();
                self.doubt(|flow| flow.scoped(Scope::Branch, |flow| flow.list(condition)));
                let changes = self.env.take(mark);
                self.env.join(vec![changes], true);
            }
            taken.push(self.branch(body));
        }
        if let Some(body) = otherwise {
            taken.push(self.branch(body));
        }
        self.env.join(taken, otherwise.is_none());
    }

    fn branch(&mut self, body: &'s List) -> super::env::Changes {
        let mark = self.env.mark();
        self.doubt(|flow| flow.scoped(Scope::Branch, |flow| flow.list(body)));
        self.env.take(mark)
    }

    fn case(&mut self, word: &'s Word, arms: &'s [CaseArm]) {
        let _ = self.value(word, Tildes::Start);
        let straight = arms.iter().all(|arm| arm.end == CaseEnd::Break);
        let modified = if straight {
            None
        } else {
            let roots: Vec<_> = arms.iter().map(|arm| Root::List(&arm.body)).collect();
            Some(self.modified(&roots))
        };
        let held = modified.as_ref().map(|modified| self.invalidate(modified)).unwrap_or_default();
        let mut taken = Vec::new();
        for arm in arms {
            let mark = self.env.mark();
            for pattern in &arm.patterns {
                let _ = self.chunk(pattern, super::word::Place::BARE);
            }
            let changes = self.env.take(mark);
            self.env.join(vec![changes], true);
            taken.push(self.branch(&arm.body));
        }
        self.env.join(taken, true);
        if let Some(modified) = &modified {
            self.hold(modified, &held);
        }
    }

    fn condition(&mut self, condition: &'s Condition, span: Span) {
        self.deeper(1, span, |flow| flow.condition_inside(condition, span));
    }

    fn condition_inside(&mut self, condition: &'s Condition, span: Span) {
        match condition {
            Condition::Word(word) => drop(self.value(word, Tildes::Start)),
            Condition::Unary { op, operand } => {
                let value = self.value(operand, Tildes::Start);
                if &**op == b"-v" || &**op == b"-R" {
                    self.variable_named(&value, operand.span);
                }
            }
            Condition::Binary { op, left, right } => {
                let left_value = self.value(left, Tildes::Start);
                if op.is_arithmetic() {
                    let right_value = self.value(right, Tildes::Start);
                    self.arithmetic_text(&left_value, left.span);
                    self.arithmetic_text(&right_value, right.span);
                } else if matches!(op, ConditionOp::Match | ConditionOp::NotMatch | ConditionOp::Regex) {
                    let _ = self.chunk(right, super::word::Place::BARE);
                } else {
                    let _ = self.value(right, Tildes::Start);
                }
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner, span),
            Condition::And(members) | Condition::Or(members) => {
                for (at, member) in members.iter().enumerate() {
                    if at == 0 {
                        self.condition(member, span);
                    } else {
                        let mark = self.env.mark();
                        self.condition(member, span);
                        let changes = self.env.take(mark);
                        self.env.join(vec![changes], true);
                    }
                }
            }
        }
    }

    /// Text that bash evaluates as arithmetic.
    pub(super) fn arithmetic_text(&mut self, value: &Value, span: Span) {
        let harmless = value.is_integer()
            || value.known().is_some_and(|text| {
                let name = super::word::is_name(text);
                text.iter().all(u8::is_ascii_digit) || (name && self.is_number(text))
            });
        if !harmless {
            self.hazard(span, Why::Evaluated);
        }
    }

    /// Whether a variable is a number, or unset, which counts as zero.
    pub(super) fn is_number(&self, name: &[u8]) -> bool {
        self.env.get(name).is_number()
    }

    /// Text that names a variable, perhaps with a subscript, which is evaluated.
    pub(super) fn variable_named(&mut self, value: &Value, span: Span) {
        if !value.known().is_some_and(is_harmless_reference) {
            self.hazard(span, Why::Evaluated);
        }
    }

    fn for_loop(&mut self, variable: &'s [u8], words: Option<&'s [Word]>, body: &'s List) {
        let fields = match words {
            Some(words) => {
                let mut fields = Vec::new();
                for word in words {
                    self.argument(word, &mut fields);
                }
                fields
            }
            None => match self.env.positional() {
                Some(values) => values
                    .iter()
                    .map(|value| Field { span: Span::default(), value: value.clone(), count: Count::One })
                    .collect(),
                None => {
                    let hole = Hole { why: Why::Positional, span: Span::default(), class: Class::Any };
                    vec![Field { span: Span::default(), value: Value::unknown(hole), count: Count::Any }]
                }
            },
        };
        let modified = self.modified(&[Root::List(body)]);
        let odd = self.env.may_refuse(variable);
        let exact = fields.iter().all(|field| field.count == Count::One) && !odd;
        let few = fields.len() <= MOST_PASSES && self.steps.take(fields.len().saturating_mul(64)).is_ok();
        if fields.is_empty() && exact {
            // It never runs; what is in it is shown nevertheless.
            let mark = self.env.mark();
            self.looped(&modified, |flow| {
                flow.env.forget(variable, Class::Any);
                flow.list(body);
            });
            self.env.rollback(mark);
            return;
        }
        if exact && few && !modified.jumps && !modified.lost {
            for field in fields {
                self.env.set(variable, State::Scalar(field.value));
                self.scoped(Scope::Loop, |flow| flow.list(body));
            }
            return;
        }
        if few && !odd {
            let held: Vec<_> = modified
                .names
                .iter()
                .map(|(name, class)| (name.clone(), self.env.get(name).blurred(*class)))
                .collect();
            self.looped(&modified, |flow| {
                for field in &fields {
                    let state = match (field.count, &field.value) {
                        (Count::One, value) => State::Scalar(value.clone()),
                        // One of the files that the pattern finds.
                        (_, value) if field.certainty() == super::Certainty::Glob => {
                            State::Scalar(value.clone())
                        }
                        (_, value) if value.is_integer() => State::Unknown(Class::Integer),
                        _ => State::Unknown(Class::Any),
                    };
                    flow.env.set(variable, state);
                    flow.list(body);
                    flow.hold(&modified, &held);
                }
            });
        } else {
            self.looped(&modified, |flow| {
                flow.env.forget(variable, Class::Any);
                flow.list(body);
            });
        }
        let integers = fields.iter().all(|field| field.value.is_integer());
        self.env.blur_variable(variable, if integers { Class::Integer } else { Class::Any });
    }

    /// Visits something that runs any number of times.
    fn looped(&mut self, modified: &Modified, visit: impl FnOnce(&mut Self)) {
        let held = self.invalidate(modified);
        self.doubt(|flow| flow.scoped(Scope::Loop, visit));
        self.hold(modified, &held);
    }

    /// Forgets what a piece of script may change; gives what is still known about the variables.
    fn invalidate(&mut self, modified: &Modified) -> Vec<(Text, State)> {
        let held: Vec<_> = modified
            .names
            .iter()
            .map(|(name, class)| (name.clone(), self.env.get(name).blurred(*class)))
            .collect();
        self.hold(modified, &held);
        held
    }

    /// Forgets it again after the piece has been visited.
    fn hold(&mut self, modified: &Modified, held: &[(Text, State)]) {
        if modified.lost {
            self.lose();
        }
        for (name, state) in held {
            self.env.overwrite(name, state.clone());
        }
        if modified.all_variables {
            self.env.forget_variables();
        }
        if modified.positional {
            self.env.set_positional(None);
        }
        if modified.modes {
            self.env.set_modes(super::modes::Modes::unknown());
        }
        for name in &modified.functions {
            self.env.set_function(name, Some(Shadow::Opaque));
        }
    }

    /// Calls a function that is known.
    pub(super) fn call(&mut self, number: u32, argv: &[Field], frame: Frame) {
        let at = number as usize;
        let Some(&function) = self.functions.get(at) else { return self.lose() };
        let deep = self.nested.saturating_add(12) > MOST_NESTED;
        let busy = self.calls.contains(&number) || self.calls.len() >= MOST_CALLS || deep;
        if busy || self.steps.take(256).is_err() {
            if let Some(followed) = self.followed.get_mut(at) {
                *followed = Followed::Unclear;
            }
            self.uncaptured();
            return self.lose();
        }
        if let Some(followed) = self.followed.get_mut(at)
            && *followed == Followed::Uncalled
        {
            *followed = Followed::Called;
        }
        let args = argv.get(1..).unwrap_or_default();
        let exact = args.iter().all(|field| field.count == Count::One);
        let values = exact.then(|| args.iter().map(|field| field.value.clone()).collect());
        let outer_leaves = std::mem::replace(&mut self.leaves, false);
        self.calls.push(number);
        self.frames.push(frame);
        let mark = self.env.mark();
        let positional = self.env.set_positional(values);
        self.deeper(3, function.span, |flow| {
            flow.scoped(Scope::Function { function, reach: Reach::Called }, |flow| {
                flow.compound(&function.body);
            });
        });
        if self.leaves {
            self.env.keep_any_prefix(mark);
        } else {
            self.env.keep(mark);
        }
        self.env.set_positional(positional);
        self.calls.pop();
        if let Some(frame) = self.frames.pop() {
            self.leave(frame);
        }
        self.leaves = outer_leaves;
    }

    pub(super) fn redirection(&mut self, redirection: &'s Redirection) -> Field {
        let field = match &redirection.target {
            Target::HereDoc(id) => {
                let body = self.script.and_then(|script| script.here_doc(*id)).map(|doc| &doc.body);
                match body {
                    Some(body) => Field { span: body.span, value: self.quoted_text(body), count: Count::One },
                    None => {
                        let hole = Hole { why: Why::TooLarge, span: redirection.span, class: Class::Any };
                        Field { span: redirection.span, value: Value::unknown(hole), count: Count::One }
                    }
                }
            }
            Target::Word(word) if redirection.op == crate::ast::RedirectionOp::HereString => {
                Field { span: word.span, value: self.value(word, Tildes::Start), count: Count::One }
            }
            Target::Word(word) => {
                let mut fields = Vec::new();
                self.argument(word, &mut fields);
                match <[Field; 1]>::try_from(fields) {
                    Ok([field]) => field,
                    // More than one word, or none, is an error, and the command does not run.
                    Err(_) => {
                        let hole = Hole { why: Why::Fails, span: word.span, class: Class::Any };
                        Field { span: word.span, value: Value::unknown(hole), count: Count::One }
                    }
                }
            }
        };
        if let Some(crate::ast::Descriptor::Variable(name)) = &redirection.fd {
            self.env.forget(name, Class::Integer);
        }
        self.observer.redirection(redirection, &field, self.env);
        field
    }

    /// A command substitution, with its value if that is certain.
    pub(super) fn substitution(&mut self, substitution: &'s CommandSubstitution, span: Span) -> Value {
        let unknown = Value::unknown(Hole { why: Why::Output, span, class: Class::Any });
        match substitution.style {
            SubstitutionStyle::Dollar | SubstitutionStyle::Backtick => {
                let mut output = None;
                let scope = Scope::Substitution(substitution.style);
                self.scoped(scope, |flow| {
                    flow.subshell(|flow| {
                        let doubts = std::mem::replace(&mut flow.doubts, 0);
                        flow.captures.push(Some(Vec::new()));
                        flow.list(&substitution.body);
                        if flow.discards {
                            flow.uncaptured();
                        }
                        output = flow.captures.pop().flatten();
                        flow.doubts = doubts;
                    });
                });
                match output {
                    Some(bytes) if !bytes.contains(&0) => {
                        let end =
                            bytes.iter().rposition(|&b| b != b'\n').map_or(0, |at| at.saturating_add(1));
                        Value::from(bytes.get(..end).unwrap_or_default())
                    }
                    _ => unknown,
                }
            }
            // These run in the same shell, in bash 5.3; before that they are errors.
            SubstitutionStyle::SameShell | SubstitutionStyle::SameShellReply => {
                let scope = Scope::Substitution(substitution.style);
                let mark = self.env.mark();
                self.doubt(|flow| {
                    flow.scoped(scope, |flow| flow.uncaught(|flow| flow.list(&substitution.body)))
                });
                let changes = self.env.take(mark);
                self.env.join(vec![changes], true);
                self.may_discard();
                unknown
            }
        }
    }

    pub(super) fn process(&mut self, process: &'s ProcessSubstitution) {
        self.scoped(Scope::Process(process.direction), |flow| {
            flow.subshell(|flow| flow.uncaught(|flow| flow.list(&process.body)));
        });
    }

    /// Visits something whose changes stay in a subshell.
    fn subshell(&mut self, visit: impl FnOnce(&mut Self)) {
        let mark = self.env.mark();
        self.isolated(visit);
        self.env.rollback(mark);
    }

    /// Visits something that, if it ends early, ends only itself.
    fn isolated(&mut self, visit: impl FnOnce(&mut Self)) {
        let (discards, leaves) = (self.discards, self.leaves);
        (self.discards, self.leaves) = (false, false);
        visit(self);
        (self.discards, self.leaves) = (discards, leaves);
        self.moved = None;
    }

    fn scoped(&mut self, scope: Scope<'s>, visit: impl FnOnce(&mut Self)) {
        self.observer.enter(scope, self.env);
        visit(self);
        self.observer.leave(scope);
    }

    /// Visits something that may not run, or run more than once.
    fn doubt(&mut self, visit: impl FnOnce(&mut Self)) {
        self.doubts = self.doubts.saturating_add(1);
        visit(self);
        self.doubts = self.doubts.saturating_sub(1);
    }

    /// Visits something whose output is not followed.
    fn uncaught(&mut self, visit: impl FnOnce(&mut Self)) {
        self.uncaptured();
        visit(self);
    }

    /// The output that is being collected is not known any more.
    pub(super) fn uncaptured(&mut self) {
        if let Some(capture) = self.captures.last_mut() {
            *capture = None;
        }
    }

    /// Adds to the output that is being collected.
    pub(super) fn print(&mut self, bytes: &[u8]) {
        let certain = self.doubts == 0 && !self.leaves && !self.discards;
        match self.captures.last_mut() {
            Some(Some(capture)) if certain && capture.len().saturating_add(bytes.len()) <= 64 * 1024 => {
                capture.extend_from_slice(bytes);
            }
            Some(capture) => *capture = None,
            None => {}
        }
    }

    /// Bash may run code here that is in no tree, and that may set any variable.
    pub(super) fn hazard(&mut self, span: Span, why: Why) {
        self.observer.may_execute(span, why);
        self.env.forget_variables();
        self.uncaptured();
    }

    /// An expansion may fail here, which ends the line.
    pub(super) fn may_discard(&mut self) {
        self.discards = true;
        self.uncaptured();
    }

    /// A variable that is not set was expanded.
    pub(super) fn saw_unset(&mut self) {
        if self.env.modes().nounset != Some(false) {
            self.uncaptured();
        }
    }

    /// Anything may have happened to the shell.
    pub(super) fn lose(&mut self) {
        self.env.lose();
        self.ever_lost = true;
        self.uncaptured();
    }

    /// The work that may be done is used up: nothing is certain from here on.
    pub(super) fn give_up(&mut self) {
        self.lose();
    }

    /// Whatever may be called is called with anything: a handler, a child that gets the function.
    pub(super) fn functions_escape(&mut self) {
        self.ever_lost = true;
    }
}

/// Whether a text names a variable, or an element by a plain number.
pub(super) fn is_harmless_reference(text: &[u8]) -> bool {
    if super::word::is_name(text) {
        return true;
    }
    let Some(bracket) = text.iter().position(|&b| b == b'[') else {
        // No name and no subscript: nothing is evaluated.
        return !text.contains(&b']');
    };
    let (name, rest) = text.split_at(bracket);
    let index = rest.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    super::word::is_name(name)
        && index.is_some_and(|index| {
            index == b"@" || index == b"*" || !index.is_empty() && index.iter().all(u8::is_ascii_digit)
        })
}
