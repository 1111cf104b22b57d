//! The state of a shell, as far as it can be known.

mod functions;

pub(crate) use functions::{Defined, Functions};

use crate::facts::{self, Meaning};
use crate::path;
use crate::word::{SOME, UNKNOWN};
use std::rc::Rc;

/// A shell variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// A value, perhaps with unknown parts.
    Scalar(String),
    /// An indexed array whose elements are known in number.
    Array(Vec<String>),
    /// It is not set.
    Unset,
}

/// What is known while a script is walked. Cloned for every subshell.
#[derive(Clone, Default)]
pub(crate) struct State {
    variables: Rc<Vec<(String, Variable)>>,
    pub functions: Functions,
    /// What the variables were that the running function made its own, and whether it did so for certain.
    locals: Rc<Vec<(String, Option<Variable>, bool)>>,
    /// Variables that something else may change at any time.
    volatile: Rc<Vec<String>>,
    /// `$1` and on; `None` if they are not known.
    pub positional: Option<Rc<Vec<String>>>,
    /// `$0`, where it is known to be something else than the shell's name.
    pub zero: Option<String>,
    /// The directories the shell may be in.
    pub dirs: Vec<String>,
    /// Whether a change of directory may have failed.
    pub may_stay: bool,
    /// Why a plain name may not be the program it says.
    pub names_changed: Option<&'static str>,
    /// Whether a variable was set that a program may look at.
    pub variables_changed: bool,
    /// Names that stand for something else: aliases and hashed paths.
    pub shadowed: Rc<Vec<String>>,
    /// Links made by this script: where they are, where they lead.
    links: Rc<Vec<(String, String)>>,
    /// Whether patterns may find names that begin with a dot.
    pub finds_dots: bool,
    /// Whether `echo` may read backslashes.
    pub odd_echo: bool,
    /// Whether a command that fails ends the script.
    pub errexit: bool,
    /// Outputs of process substitutions by the name they were given.
    pub processes: Rc<Vec<(String, super::Data)>>,
}

impl State {
    pub(crate) fn new(cwd: &str) -> Self {
        State { dirs: vec![path::join("/", cwd)], ..State::default() }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| v.0 == name).map(|v| &v.1)
    }

    pub(crate) fn set(&mut self, name: &str, value: Variable) {
        // Also by a loop or in arithmetic: what is exported already stays exported.
        let sharp = || facts::sounds_sharp(name) && facts::variable(name) != Some(Meaning::Harmless);
        self.variables_changed |= facts::variable(name).is_some_and(|m| m != Meaning::Harmless) || sharp();
        let value = if self.volatile.iter().any(|v| v == name) { unknown() } else { value };
        let list = Rc::make_mut(&mut self.variables);
        let full = list.len() >= 256;
        match list.iter_mut().find(|v| v.0 == name) {
            Some(v) => v.1 = value,
            // A script that sets this many variables is not followed closely; what is not kept is unknown.
            None if full => {}
            None => list.push((name.to_owned(), value)),
        }
    }

    /// Whether patterns may find names that begin with a dot, which only `*` would not.
    pub(crate) fn dot_names(&self) -> bool {
        self.finds_dots || self.variable("GLOBIGNORE").is_some()
    }

    pub(crate) fn set_unknown(&mut self, name: &str) {
        self.set(name, unknown());
    }

    /// Nothing is known about any variable any more.
    pub(crate) fn forget_variables(&mut self) {
        for v in Rc::make_mut(&mut self.variables) {
            v.1 = unknown();
        }
        self.positional = None;
    }

    /// Nothing is known about any variable or the directory any more.
    pub(crate) fn forget(&mut self) {
        self.forget_variables();
        self.dirs = vec![UNKNOWN.to_string()];
    }

    /// A function begins; gives what the one around it made its own.
    pub(crate) fn enter_function(&mut self) -> Locals {
        Locals(std::mem::take(&mut self.locals))
    }

    /// The function that runs makes a variable its own.
    pub(crate) fn make_local(&mut self, name: &str) {
        if !self.locals.iter().any(|l| l.0 == name) {
            let old = self.variable(name).cloned();
            Rc::make_mut(&mut self.locals).push((name.to_owned(), old, true));
        }
    }

    /// The function ends: its own variables are what they were before it.
    pub(crate) fn leave_function(&mut self, outer: Locals) {
        let own = std::mem::replace(&mut self.locals, outer.0);
        for (name, old, sure) in own.iter() {
            if !sure && self.variable(name) != old.as_ref() {
                self.set_unknown(name);
            } else if *sure {
                let list = Rc::make_mut(&mut self.variables);
                list.retain(|v| v.0 != *name);
                list.extend(old.clone().map(|old| (name.clone(), old)));
            }
        }
    }

    /// A variable that cannot be assigned any more: where it is all the same, the script may end there or not.
    pub(crate) fn fix(&mut self, name: &str) {
        Rc::make_mut(&mut self.volatile).push(name.to_owned());
    }

    /// Something that runs at any time leaves this state behind: what it changes is not known from now on.
    pub(crate) fn interrupted_by(&mut self, other: &State) {
        let changed = |v: &&(String, Variable)| self.variable(&v.0) != Some(&v.1);
        let names: Vec<String> = other.variables.iter().filter(changed).map(|v| v.0.clone()).collect();
        Rc::make_mut(&mut self.volatile).extend(names.iter().cloned());
        names.iter().for_each(|name| self.set_unknown(name));
        if self.functions != other.functions {
            self.functions.keep_all();
        }
        self.merge(other);
    }

    pub(crate) fn shadow(&mut self, name: &str) {
        Rc::make_mut(&mut self.shadowed).push(name.to_owned());
    }

    pub(crate) fn link(&mut self, at: String, to: String) {
        Rc::make_mut(&mut self.links).push((at, to));
    }

    /// Where a path may be if one of the links this script made is followed.
    pub(crate) fn through_links(&self, full: &str) -> impl Iterator<Item = String> {
        self.links.iter().rev().filter_map(move |(at, to)| match path::below(at, full)? {
            "" => Some(to.clone()),
            rest => Some(path::join(to, rest)),
        })
    }

    pub(crate) fn process(&mut self, data: super::Data) -> String {
        let list = Rc::make_mut(&mut self.processes);
        let name = format!("/dev/fd/{}", 63_usize.saturating_sub(list.len().min(60)));
        list.push((name.clone(), data));
        name
    }

    /// A fingerprint of what a loop body may change.
    pub(crate) fn same_values(&self, other: &State) -> bool {
        (Rc::ptr_eq(&self.variables, &other.variables) || self.variables == other.variables)
            && self.dirs == other.dirs
            && self.positional == other.positional
            && self.functions == other.functions
            && self.shadowed.len() == other.shadowed.len()
            && self.links.len() == other.links.len()
            && self.names_changed == other.names_changed
            && self.variables_changed == other.variables_changed
    }

    /// The state where either of two ways may have been taken.
    pub(crate) fn merge(&mut self, other: &State) {
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let list = Rc::make_mut(&mut self.variables);
            for (name, value) in list.iter_mut() {
                let there = other.variables.iter().find(|v| v.0 == *name).map(|v| &v.1);
                if there == Some(&*value) {
                    continue;
                }
                // A counter is a number whichever way was taken.
                let number = counts(value) && there.is_some_and(counts);
                *value = Variable::Scalar(if number { SOME } else { UNKNOWN }.to_string());
            }
            for (name, value) in other.variables.iter() {
                // A counter that may not have been started is what the environment says, or a number.
                if !counts(value) && !list.iter().any(|v| v.0 == *name) {
                    list.push((name.clone(), Variable::Scalar(UNKNOWN.to_string())));
                }
            }
        }
        self.functions.merge(&other.functions);
        self.merge_locals(&other.locals);
        if !Rc::ptr_eq(&self.volatile, &other.volatile) {
            Rc::make_mut(&mut self.volatile).extend(other.volatile.iter().cloned());
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        for d in &other.dirs {
            self.add_dir(d);
        }
        self.names_changed = self.names_changed.or(other.names_changed);
        if !Rc::ptr_eq(&self.shadowed, &other.shadowed) {
            Rc::make_mut(&mut self.shadowed).extend(other.shadowed.iter().cloned());
        }
        if !Rc::ptr_eq(&self.links, &other.links) {
            Rc::make_mut(&mut self.links).extend(other.links.iter().cloned());
        }
        self.variables_changed |= other.variables_changed;
        self.errexit &= other.errexit;
        self.may_stay |= other.may_stay;
        self.finds_dots |= other.finds_dots;
        self.odd_echo |= other.odd_echo;
    }

    fn merge_locals(&mut self, other: &Rc<Vec<(String, Option<Variable>, bool)>>) {
        if Rc::ptr_eq(&self.locals, other) || self.locals == *other {
            return;
        }
        let list = Rc::make_mut(&mut self.locals);
        for local in list.iter_mut() {
            local.2 &= other.iter().any(|o| o.0 == local.0 && o.2);
        }
        for local in other.iter() {
            if !list.iter().any(|l| l.0 == local.0) {
                list.push((local.0.clone(), local.1.clone(), false));
            }
        }
    }

    /// A `cd` that fails leaves the shell where it was.
    pub(crate) fn stay(&mut self, before: Vec<String>) {
        if self.may_stay && !self.errexit {
            for dir in before {
                self.add_dir(&dir);
            }
        }
    }

    fn add_dir(&mut self, dir: &str) {
        if self.dirs.iter().any(|d| d == dir) {
            return;
        }
        if self.dirs.len() >= 6 {
            self.dirs = vec![UNKNOWN.to_string()];
        } else {
            self.dirs.push(dir.to_owned());
        }
    }
}

/// What the function around the running one made its own.
pub(crate) struct Locals(Rc<Vec<(String, Option<Variable>, bool)>>);

fn unknown() -> Variable {
    Variable::Scalar(UNKNOWN.to_string())
}

/// Whether a variable holds a number, or one that was computed.
fn counts(value: &Variable) -> bool {
    match value {
        Variable::Scalar(v) => !v.is_empty() && v.chars().all(|c| c == SOME || c.is_ascii_digit()),
        _ => false,
    }
}
