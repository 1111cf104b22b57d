//! The state of a shell, as far as it can be known.

use crate::facts::{self, Meaning};
use crate::path;
use crate::word::{SOME, UNKNOWN};
use std::rc::Rc;
use toolgate_bash::ast::{Function, HereDoc};

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

/// A function with what its body refers to.
pub(crate) struct Defined {
    pub function: Function,
    pub here_docs: Vec<HereDoc>,
}

/// What is known while a script is walked. Cloned for every subshell.
#[derive(Clone, Default)]
pub(crate) struct State {
    variables: Rc<Vec<(String, Variable)>>,
    functions: Rc<Vec<(String, Rc<Defined>, bool)>>,
    /// `$1` and on; `None` if they are not known.
    pub positional: Option<Rc<Vec<String>>>,
    /// `$0`, where it is known to be something else than the shell's name.
    pub zero: Option<String>,
    /// The directories the shell may be in.
    pub dirs: Vec<String>,
    /// Why a plain name may not be the program it says.
    pub names_changed: Option<&'static str>,
    /// Whether a variable was set that a program may look at.
    pub variables_changed: bool,
    /// Names that stand for something else: aliases and hashed paths.
    pub shadowed: Rc<Vec<String>>,
    /// Links made by this script: where they are, where they lead.
    links: Rc<Vec<(String, String)>>,
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
        let list = Rc::make_mut(&mut self.variables);
        let full = list.len() >= 256;
        match list.iter_mut().find(|v| v.0 == name) {
            Some(v) => v.1 = value,
            // A script that sets this many variables is not followed closely; what is not kept is unknown.
            None if full => {}
            None => list.push((name.to_owned(), value)),
        }
    }

    pub(crate) fn set_unknown(&mut self, name: &str) {
        self.set(name, Variable::Scalar(UNKNOWN.to_string()));
    }

    /// Nothing is known about any variable any more.
    pub(crate) fn forget_variables(&mut self) {
        for v in Rc::make_mut(&mut self.variables) {
            v.1 = Variable::Scalar(UNKNOWN.to_string());
        }
        self.positional = None;
    }

    pub(crate) fn function(&self, name: &str) -> Option<Rc<Defined>> {
        self.functions.iter().find(|f| f.0 == name).map(|f| Rc::clone(&f.1))
    }

    pub(crate) fn define(&mut self, name: String, defined: Defined) {
        let list = Rc::make_mut(&mut self.functions);
        let entry = (name, Rc::new(defined), false);
        match list.iter_mut().find(|f| f.0 == entry.0) {
            Some(f) => *f = entry,
            None => list.push(entry),
        }
    }

    pub(crate) fn mark_called(&mut self, name: &str) {
        for f in Rc::make_mut(&mut self.functions) {
            if f.0 == name {
                f.2 = true;
            }
        }
    }

    pub(crate) fn uncalled(&self) -> Vec<(String, Rc<Defined>)> {
        self.functions.iter().filter(|f| !f.2).map(|f| (f.0.clone(), Rc::clone(&f.1))).collect()
    }

    pub(crate) fn shadow(&mut self, name: &str) {
        Rc::make_mut(&mut self.shadowed).push(name.to_owned());
    }

    pub(crate) fn link(&mut self, at: String, to: String) {
        Rc::make_mut(&mut self.links).push((at, to));
    }

    /// Where a path is if one of the links this script made is followed.
    pub(crate) fn through_links(&self, full: &str) -> Option<String> {
        self.links.iter().rev().find_map(|(at, to)| match path::below(at, full)? {
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
            && self.functions.len() == other.functions.len()
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
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let list = Rc::make_mut(&mut self.functions);
            for f in other.functions.iter() {
                match list.iter_mut().find(|g| g.0 == f.0) {
                    Some(g) => g.2 |= f.2,
                    None => list.push(f.clone()),
                }
            }
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

/// Whether a variable holds a number, or one that was computed.
fn counts(value: &Variable) -> bool {
    match value {
        Variable::Scalar(v) => !v.is_empty() && v.chars().all(|c| c == SOME || c.is_ascii_digit()),
        _ => false,
    }
}
