//! What is known about the state of a shell.

use super::modes::Modes;
use super::value::{Class, Hole, Value, Why};
use crate::ast::Span;
use crate::{Shell, Text};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        self
    }
}

/// What is known about the state of a shell: variables, parameters, functions, options.
///
/// A new environment knows nothing but how a fresh bash starts: `IFS` is the default (bash does not
/// take it from the environment), there are no functions, and options are at their defaults. Callers
/// add the variables they are sure of; `HOME` and `PWD` are what `~` and `~+` become.
///
/// Values are those of bash 4.2 and later. Where later versions differ among themselves the value is
/// not known.
#[derive(Clone, Debug)]
pub struct Env {
    vars: HashMap<Text, Entry>,
    unlisted: Unlisted,
    positional: Option<Vec<Value>>,
    zero: Option<Value>,
    functions: HashMap<Text, Shadow>,
    modes: Modes,
    shell: Shell,
    /// Counts up whenever everything is forgotten; an entry older than `forgotten` is not known.
    clock: u32,
    forgotten: u32,
    lost: bool,
    /// A script has begun to run.
    running: bool,
    undo: Vec<Undo>,
    marks: u32,
}

/// What a variable is taken to be that the caller has not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unlisted {
    /// It may have any value or none: the script runs in an environment that is not known in full.
    Unknown,
    /// It is not set: every variable of the environment was listed.
    Unset,
}

#[derive(Clone, Debug)]
struct Entry {
    state: State,
    attribute: Attribute,
    at: u32,
    /// As the caller gave it.
    given: bool,
}

/// What assigning to a variable does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    /// It gets the value.
    Plain,
    /// It fails, and ends the line.
    Readonly,
    /// Something else (`-i`, `-n`, `-u` …), or perhaps one of these.
    Odd,
}

/// What is known about a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Unset,
    Scalar(Value),
    /// A scalar, or an array whose first element this is.
    First(Value),
    /// Elements by rising index.
    Array(Vec<(u64, Value)>),
    /// An associative array, whatever is in it.
    Associative,
    /// An integer, or unset.
    Number,
    Unknown(Class),
}

impl State {
    pub(super) fn is_integer(&self) -> bool {
        match self {
            State::Scalar(value) | State::First(value) => value.is_integer(),
            State::Unknown(class) => *class == Class::Integer,
            _ => false,
        }
    }

    /// Whether arithmetic takes it for a number and evaluates nothing.
    pub(super) fn is_number(&self) -> bool {
        self.is_integer() || matches!(self, State::Number | State::Unset)
    }

    /// What it is after an assignment of any value of a class, if that happens at all.
    pub(super) fn blurred(&self, class: Class) -> State {
        match class {
            Class::Integer if self.is_integer() => State::Unknown(Class::Integer),
            Class::Integer if self.is_number() => State::Number,
            _ => State::Unknown(Class::Any),
        }
    }

    fn join(&self, other: &State) -> State {
        if self == other {
            self.clone()
        } else if self.is_integer() && other.is_integer() {
            State::Unknown(Class::Integer)
        } else if self.is_number() && other.is_number() {
            State::Number
        } else {
            State::Unknown(Class::Any)
        }
    }
}

/// What bash sets itself when it starts and the environment has no such variable.
const SET_BY_THE_SHELL: [&[u8]; 7] = [b"HOME", b"PATH", b"PWD", b"SHELL", b"TERM", b"PS4", b"HOSTTYPE"];

static UNKNOWN: State = State::Unknown(Class::Any);
static UNKNOWN_INTEGER: State = State::Unknown(Class::Integer);
static UNSET: State = State::Unset;

/// What a command name means apart from builtins and programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shadow {
    /// The function with this number.
    Body(u32),
    /// The function with this number, or nothing.
    MaybeBody(u32),
    /// A function that is not known, or perhaps none.
    Opaque,
}

#[derive(Clone, Debug)]
enum Undo {
    Var(Text, Option<Entry>),
    Function(Text, Option<Shadow>),
    Positional(Option<Vec<Value>>),
    Modes(Modes),
    Forgotten(u32),
    Lost,
}

/// A point to return to.
#[must_use]
pub(super) struct Mark(usize);

/// What happened to an environment since a mark, taken back.
pub(super) struct Changes {
    vars: Vec<(Text, Option<Entry>)>,
    functions: Vec<(Text, Option<Shadow>)>,
    positional: Option<Option<Vec<Value>>>,
    modes: Option<Modes>,
    forgot: bool,
    lost: bool,
}

impl Changes {
    /// Leaves out the changes of some variables.
    pub(super) fn drop_vars(&mut self, is: impl Fn(&[u8]) -> bool) {
        self.vars.retain(|(name, _)| !is(name));
    }
}

impl Env {
    /// The environment of a fresh shell.
    pub fn new(shell: Shell, unlisted: Unlisted) -> Self {
        let mut env = Env {
            vars: HashMap::new(),
            unlisted,
            positional: Some(Vec::new()),
            zero: None,
            functions: HashMap::new(),
            modes: Modes::fresh(shell),
            shell,
            clock: 0,
            forgotten: 0,
            lost: false,
            running: false,
            undo: Vec::new(),
            marks: 0,
        };
        env.set(b"IFS", State::Scalar(Value::from(&b" \t\n"[..])));
        for name in SET_BY_THE_SHELL {
            env.set(name, UNKNOWN.clone());
        }
        env
    }

    /// Says what a variable is.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.set(name.as_bytes(), State::Scalar(value.into()));
        self
    }

    /// Says that a variable is not set. It is not known if the shell sets it when it starts without it.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        let set = SET_BY_THE_SHELL.contains(&name.as_bytes());
        self.set(name.as_bytes(), if set { UNKNOWN.clone() } else { State::Unset });
        self
    }

    /// Says that a variable may be anything.
    #[must_use]
    pub fn with_unknown(mut self, name: &str) -> Self {
        self.set(name.as_bytes(), UNKNOWN.clone());
        self
    }

    /// Says what the elements of an array are.
    #[must_use]
    pub fn with_array<V: Into<Value>>(mut self, name: &str, elements: impl IntoIterator<Item = V>) -> Self {
        let elements = (0_u64..).zip(elements.into_iter().map(Into::into)).collect();
        self.set(name.as_bytes(), State::Array(elements));
        self
    }

    /// Says what `$1`, `$2` … are; `None` if that is not known. A new environment has none.
    #[must_use]
    pub fn with_positional(mut self, values: Option<Vec<Value>>) -> Self {
        self.positional = values;
        self
    }

    /// Says what `$0` is.
    #[must_use]
    pub fn with_zero(mut self, value: impl Into<Value>) -> Self {
        self.zero = Some(value.into());
        self
    }

    /// Says that there may be a function of this name, of which nothing is known.
    ///
    /// Bash takes functions from the environment (`BASH_FUNC_name%%`).
    #[must_use]
    pub fn with_function(mut self, name: &str) -> Self {
        self.functions.insert(name.into(), Shadow::Opaque);
        self
    }

    /// The value of a variable, if it is set and its value is certain.
    pub fn value(&self, name: &str) -> Option<&[u8]> {
        match self.get(name.as_bytes()) {
            State::Scalar(value) | State::First(value) => value.known(),
            _ => None,
        }
    }

    /// Whether a variable is certain not to be set.
    pub fn is_unset(&self, name: &str) -> bool {
        *self.get(name.as_bytes()) == State::Unset
    }

    /// Whether a command of this name may be a function.
    pub fn may_be_function(&self, name: &[u8]) -> bool {
        self.lost || self.functions.contains_key(name)
    }

    /// Whether a command was run that may have changed anything about the shell (`eval`, `source`, a
    /// name that is not known …).
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// What a child process that is a shell starts with, as far as it is known.
    ///
    /// Variables that were changed by the script may or may not be exported, so they are not known.
    #[must_use]
    pub fn of_child_shell(&self, shell: Shell) -> Env {
        let mut child = Env::new(shell, self.unlisted);
        for (name, entry) in &self.vars {
            if &**name == b"IFS" {
                continue;
            }
            let same = entry.given && self.forgotten == 0 && !self.lost;
            let state = if same { entry.state.clone() } else { UNKNOWN.clone() };
            child.set(name, state);
        }
        if self.lost || self.forgotten > 0 {
            child.unlisted = Unlisted::Unknown;
        }
        child.functions = self.functions.keys().map(|name| (name.clone(), Shadow::Opaque)).collect();
        child
    }

    pub(super) fn shell(&self) -> Shell {
        self.shell
    }

    pub(super) fn modes(&self) -> Modes {
        if self.lost { Modes::unknown() } else { self.modes }
    }

    pub(super) fn set_modes(&mut self, modes: Modes) {
        if self.modes != modes {
            let old = std::mem::replace(&mut self.modes, modes);
            self.note(Undo::Modes(old));
        }
    }

    pub(super) fn get(&self, name: &[u8]) -> &State {
        if self.lost {
            return &UNKNOWN;
        }
        match dynamic(name) {
            Some(Class::Any) => return &UNKNOWN,
            Some(Class::Integer) => return &UNKNOWN_INTEGER,
            None => {}
        }
        match self.vars.get(name) {
            Some(entry)
                if entry.attribute == Attribute::Odd
                    || (entry.at < self.forgotten && entry.attribute == Attribute::Plain) =>
            {
                match entry.state {
                    // What an attribute made of an array cannot be anything else.
                    State::Associative => &entry.state,
                    _ => &UNKNOWN,
                }
            }
            Some(entry) => &entry.state,
            None if self.unlisted == Unlisted::Unset && self.forgotten == 0 => &UNSET,
            None => &UNKNOWN,
        }
    }

    /// Why a variable that is not known is not.
    pub(super) fn why(&self, name: &[u8]) -> Why {
        if self.lost {
            Why::Lost
        } else if dynamic(name).is_some() {
            Why::Special
        } else {
            Why::Variable
        }
    }

    /// Whether assigning to a variable may fail.
    pub(super) fn may_refuse(&self, name: &[u8]) -> bool {
        self.lost
            || dynamic(name).is_some()
            || self.vars.get(name).is_some_and(|entry| entry.attribute != Attribute::Plain)
    }

    pub(super) fn set(&mut self, name: &[u8], state: State) {
        let (at, given) = (self.clock, !self.running);
        match self.vars.get_mut(name) {
            // Assigning fails, and nothing after it on the line runs.
            Some(entry) if entry.attribute == Attribute::Readonly => {}
            Some(entry) => {
                let new = Entry { state, attribute: entry.attribute, at, given };
                let old = std::mem::replace(entry, new);
                if self.marks > 0 {
                    self.undo.push(Undo::Var(name.into(), Some(old)));
                }
            }
            None => {
                self.vars.insert(name.into(), Entry { state, attribute: Attribute::Plain, at, given });
                self.note(Undo::Var(name.into(), None));
            }
        }
    }

    /// Gives a variable an attribute.
    pub(super) fn set_attribute(&mut self, name: &[u8], attribute: Attribute) {
        let state = self.get(name).clone();
        self.set(name, state);
        if let Some(entry) = self.vars.get_mut(name)
            && entry.attribute != Attribute::Odd
        {
            // The old entry is in the journal already; one that was readonly stays it.
            if entry.attribute == Attribute::Plain || attribute == Attribute::Odd {
                let old = entry.clone();
                entry.attribute = attribute;
                self.note(Undo::Var(name.into(), Some(old)));
            }
        }
    }

    pub(super) fn forget(&mut self, name: &[u8], class: Class) {
        self.set(name, State::Unknown(class));
    }

    /// Says what is left of a variable that may have been changed, and may have become readonly by now.
    pub(super) fn overwrite(&mut self, name: &[u8], state: State) {
        if self.vars.get(name).is_some_and(|entry| entry.attribute == Attribute::Readonly) {
            self.set_attribute(name, Attribute::Odd);
        }
        self.set(name, state);
    }

    /// Notes that a variable may have been given a value of a class.
    pub(super) fn blur_variable(&mut self, name: &[u8], class: Class) {
        let state = self.get(name).blurred(class);
        self.set(name, state);
    }

    /// Forgets the values of all variables.
    pub(super) fn forget_variables(&mut self) {
        self.clock = self.clock.saturating_add(1);
        let old = std::mem::replace(&mut self.forgotten, self.clock);
        self.note(Undo::Forgotten(old));
    }

    /// Notes that the shell may be in any state from here on.
    pub(super) fn lose(&mut self) {
        if !self.lost {
            self.lost = true;
            self.note(Undo::Lost);
        }
    }

    pub(super) fn positional(&self) -> Option<&[Value]> {
        if self.lost { None } else { self.positional.as_deref() }
    }

    pub(super) fn set_positional(&mut self, values: Option<Vec<Value>>) -> Option<Vec<Value>> {
        let old = std::mem::replace(&mut self.positional, values);
        if self.marks > 0 {
            self.undo.push(Undo::Positional(old.clone()));
        }
        old
    }

    pub(super) fn zero(&self) -> Option<&Value> {
        self.zero.as_ref()
    }

    pub(super) fn function(&self, name: &[u8]) -> Option<Shadow> {
        if self.lost { Some(Shadow::Opaque) } else { self.functions.get(name).copied() }
    }

    pub(super) fn set_function(&mut self, name: &[u8], shadow: Option<Shadow>) {
        let old = match shadow {
            Some(shadow) => self.functions.insert(name.into(), shadow),
            None => self.functions.remove(name),
        };
        self.note(Undo::Function(name.into(), old));
    }

    /// Takes the bodies of all functions away; that there are functions of these names stays known.
    pub(super) fn bury_functions(&mut self) {
        let names: Vec<Text> = self.functions.keys().cloned().collect();
        for name in names {
            self.set_function(&name, Some(Shadow::Opaque));
        }
    }

    /// A hole for a variable that is not known.
    pub(super) fn hole(&self, name: &[u8], class: Class, span: Span) -> Hole {
        Hole { why: self.why(name), span, class }
    }

    /// The entry as it is, for [`put_back`](Self::put_back).
    pub(super) fn saved(&self, name: &[u8]) -> Saved {
        Saved(self.vars.get(name).cloned())
    }

    pub(super) fn put_back(&mut self, name: &[u8], saved: Saved) {
        self.restore_var(name.into(), saved.0);
    }

    fn restore_var(&mut self, name: Text, entry: Option<Entry>) {
        let old = match entry {
            Some(entry) => self.vars.insert(name.clone(), entry),
            None => self.vars.remove(&name),
        };
        self.note(Undo::Var(name, old));
    }

    /// Notes that from here on variables are set by a script.
    pub(super) fn begin(&mut self) {
        self.running = true;
    }

    fn note(&mut self, undo: Undo) {
        if self.marks > 0 {
            self.undo.push(undo);
        }
    }

    /// Begins to remember changes.
    pub(super) fn mark(&mut self) -> Mark {
        self.marks = self.marks.saturating_add(1);
        Mark(self.undo.len())
    }

    /// How many changes are remembered.
    pub(super) fn position(&self) -> usize {
        self.undo.len()
    }

    /// Keeps what was done since the mark.
    pub(super) fn keep(&mut self, _mark: Mark) {
        self.release();
    }

    fn release(&mut self) {
        self.marks = self.marks.saturating_sub(1);
        if self.marks == 0 {
            self.undo.clear();
        }
    }

    /// Takes back what was done since the mark, and forgets it.
    pub(super) fn rollback(&mut self, mark: Mark) {
        while self.undo.len() > mark.0 {
            if let Some(undo) = self.undo.pop() {
                self.revert(undo);
            }
        }
        self.release();
    }

    fn revert(&mut self, undo: Undo) {
        match undo {
            Undo::Var(name, Some(entry)) => drop(self.vars.insert(name, entry)),
            Undo::Var(name, None) => drop(self.vars.remove(&name)),
            Undo::Function(name, Some(shadow)) => drop(self.functions.insert(name, shadow)),
            Undo::Function(name, None) => drop(self.functions.remove(&name)),
            Undo::Positional(old) => self.positional = old,
            Undo::Modes(old) => self.modes = old,
            Undo::Forgotten(old) => self.forgotten = old,
            Undo::Lost => self.lost = false,
        }
    }

    /// Takes back what was done since the mark, and says what it was.
    pub(super) fn take(&mut self, mark: Mark) -> Changes {
        let mut changes = Changes {
            vars: Vec::new(),
            functions: Vec::new(),
            positional: None,
            modes: None,
            forgot: false,
            lost: false,
        };
        let mut seen = std::collections::HashSet::new();
        while self.undo.len() > mark.0 {
            let Some(undo) = self.undo.pop() else { break };
            match &undo {
                Undo::Var(name, _) => {
                    if seen.insert((false, name.clone())) {
                        changes.vars.push((name.clone(), self.vars.get(name).cloned()));
                    }
                }
                Undo::Function(name, _) => {
                    if seen.insert((true, name.clone())) {
                        changes.functions.push((name.clone(), self.functions.get(name).copied()));
                    }
                }
                Undo::Positional(_) => {
                    if changes.positional.is_none() {
                        changes.positional = Some(self.positional.clone());
                    }
                }
                Undo::Modes(_) => changes.modes = Some(changes.modes.unwrap_or(self.modes)),
                Undo::Forgotten(_) => changes.forgot = true,
                Undo::Lost => changes.lost = true,
            }
            self.revert(undo);
        }
        self.release();
        changes
    }

    /// Makes the state one that holds wherever the run of commands since the mark stopped.
    pub(super) fn keep_any_prefix(&mut self, mark: Mark) {
        self.blur(mark.0);
        self.release();
    }

    /// Makes the state one that holds at every point since the given position.
    pub(super) fn blur(&mut self, position: usize) {
        let since: Vec<Undo> = self.undo.get(position..).unwrap_or_default().to_vec();
        let mut vars: HashMap<Text, Entry> = HashMap::new();
        let mut positional = false;
        for undo in since {
            match undo {
                Undo::Var(name, old) => {
                    let old = self.view(&name, old);
                    match vars.entry(name) {
                        Slot::Vacant(slot) => drop(slot.insert(old)),
                        Slot::Occupied(mut slot) => slot.get_mut().join(&old),
                    }
                }
                Undo::Function(name, old) => {
                    let now = self.functions.get(&name).copied();
                    self.set_function(&name, join_shadows(now, old));
                }
                Undo::Positional(_) => positional = true,
                Undo::Modes(old) => self.set_modes(self.modes.join(old)),
                // These only ever go one way.
                Undo::Forgotten(_) | Undo::Lost => {}
            }
        }
        if positional {
            self.set_positional(None);
        }
        for (name, mut entry) in vars {
            let now = self.vars.get(&name).cloned();
            entry.join(&self.view(&name, now));
            entry.at = self.clock;
            self.restore_var(name, Some(entry));
        }
    }

    /// An entry as it is seen, with a missing one made explicit.
    fn view(&self, _name: &[u8], entry: Option<Entry>) -> Entry {
        match entry {
            Some(entry) if entry.at < self.forgotten && entry.attribute != Attribute::Readonly => {
                Entry { state: UNKNOWN.clone(), attribute: entry.attribute, at: entry.at, given: false }
            }
            Some(entry) => entry,
            None if self.unlisted == Unlisted::Unset && self.forgotten == 0 => {
                Entry { state: State::Unset, attribute: Attribute::Plain, at: 0, given: false }
            }
            None => Entry { state: UNKNOWN.clone(), attribute: Attribute::Plain, at: 0, given: false },
        }
    }

    /// Makes the state one that holds after any one of the branches; `or_none` if none may have run.
    pub(super) fn join(&mut self, branches: Vec<Changes>, or_none: bool) {
        let total = branches.len();
        if total == 0 {
            return;
        }
        let mut vars: HashMap<Text, (Entry, usize)> = HashMap::new();
        let mut functions: HashMap<Text, (Option<Shadow>, usize)> = HashMap::new();
        let mut positional: Option<(Option<Vec<Value>>, usize)> = None;
        let mut modes: Option<(Modes, usize)> = None;
        let (mut forgot, mut lost) = (false, false);
        for changes in branches {
            forgot |= changes.forgot;
            lost |= changes.lost;
            for (name, entry) in changes.vars {
                let entry = self.view(&name, entry);
                match vars.entry(name) {
                    Slot::Vacant(slot) => drop(slot.insert((entry, 1))),
                    Slot::Occupied(mut slot) => {
                        let (joined, count) = slot.get_mut();
                        joined.join(&entry);
                        *count = count.saturating_add(1);
                    }
                }
            }
            for (name, shadow) in changes.functions {
                match functions.entry(name) {
                    Slot::Vacant(slot) => drop(slot.insert((shadow, 1))),
                    Slot::Occupied(mut slot) => {
                        let (joined, count) = slot.get_mut();
                        *joined = join_shadows(*joined, shadow);
                        *count = count.saturating_add(1);
                    }
                }
            }
            if let Some(new) = changes.positional {
                positional = Some(match positional {
                    None => (new, 1),
                    Some((old, count)) => (if old == new { old } else { None }, count.saturating_add(1)),
                });
            }
            if let Some(new) = changes.modes {
                modes = Some(match modes {
                    None => (new, 1),
                    Some((old, count)) => (old.join(new), count.saturating_add(1)),
                });
            }
        }
        let all = |count: usize| count == total && !or_none;
        for (name, (mut entry, count)) in vars {
            if !all(count) {
                let base = self.vars.get(&name).cloned();
                entry.join(&self.view(&name, base));
            }
            entry.at = self.clock;
            self.restore_var(name, Some(entry));
        }
        for (name, (mut shadow, count)) in functions {
            if !all(count) {
                shadow = join_shadows(shadow, self.functions.get(&name).copied());
            }
            self.set_function(&name, shadow);
        }
        if let Some((new, count)) = positional {
            let new = if all(count) || new == self.positional { new } else { None };
            self.set_positional(new);
        }
        if let Some((new, count)) = modes {
            self.set_modes(if all(count) { new } else { new.join(self.modes) });
        }
        if forgot {
            // What a branch has set after forgetting is lost as well, which is only less precise.
            self.forget_variables();
        }
        if lost {
            self.lose();
        }
    }
}

/// A variable put aside.
pub(super) struct Saved(Option<Entry>);

impl Entry {
    fn join(&mut self, other: &Entry) {
        self.state = self.state.join(&other.state);
        if self.attribute != other.attribute {
            self.attribute = Attribute::Odd;
        }
        self.given &= other.given;
    }
}

fn join_shadows(a: Option<Shadow>, b: Option<Shadow>) -> Option<Shadow> {
    use Shadow::{Body, MaybeBody, Opaque};
    match (a, b) {
        (None, None) => None,
        (Some(Body(x)), Some(Body(y))) if x == y => Some(Body(x)),
        (None | Some(MaybeBody(_) | Body(_)), None | Some(MaybeBody(_) | Body(_))) => {
            let number = |shadow| match shadow {
                Some(Body(x) | MaybeBody(x)) => Some(x),
                _ => None,
            };
            match (number(a), number(b)) {
                (Some(x), None) | (None, Some(x)) => Some(MaybeBody(x)),
                (Some(x), Some(y)) if x == y => Some(MaybeBody(x)),
                _ => Some(Opaque),
            }
        }
        _ => Some(Opaque),
    }
}

/// What the variables are that the shell itself sets or that do not keep what is assigned.
fn dynamic(name: &[u8]) -> Option<Class> {
    // Nearly all names that are asked for are none of these.
    match name {
        b"_" => return Some(Class::Any),
        [b'A'..=b'Z', ..] => {}
        _ => return None,
    }
    match name {
        b"RANDOM" | b"SRANDOM" | b"SECONDS" | b"LINENO" | b"EPOCHSECONDS" | b"BASHPID" | b"PPID" | b"UID"
        | b"EUID" | b"SHLVL" | b"HISTCMD" | b"BASH_SUBSHELL" => Some(Class::Integer),
        b"EPOCHREALTIME"
        | b"BASHOPTS"
        | b"SHELLOPTS"
        | b"BASH_VERSINFO"
        | b"BASH_VERSION"
        | b"FUNCNAME"
        | b"GROUPS"
        | b"DIRSTACK"
        | b"PIPESTATUS"
        | b"BASH_ALIASES"
        | b"BASH_CMDS"
        | b"BASH_COMMAND"
        | b"BASH_ARGC"
        | b"BASH_ARGV"
        | b"BASH_ARGV0"
        | b"BASH_SOURCE"
        | b"BASH_LINENO"
        | b"BASH_REMATCH"
        | b"BASH_EXECUTION_STRING"
        | b"BASH_MONOSECONDS"
        | b"BASH_TRAPSIG"
        | b"COMP_WORDS"
        | b"COMP_CWORD"
        | b"COMP_LINE"
        | b"COMP_POINT"
        | b"COMP_WORDBREAKS"
        | b"COMPREPLY"
        | b"MAPFILE"
        | b"OPTARG"
        | b"OPTIND"
        | b"OPTERR"
        | b"REPLY"
        | b"READLINE_LINE"
        | b"READLINE_POINT"
        | b"HOSTNAME"
        | b"HOSTTYPE"
        | b"MACHTYPE"
        | b"OSTYPE"
        | b"COLUMNS"
        | b"LINES"
        | b"BASH"
        | b"OLDPWD"
        | b"BASH_COMPAT"
        | b"GLOBIGNORE"
        | b"GLOBSORT"
        | b"BASH_XTRACEFD"
        | b"POSIXLY_CORRECT" => Some(Class::Any),
        _ => None,
    }
}
