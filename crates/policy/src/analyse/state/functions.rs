//! Functions by name. Where ways part, a name may stand for several, or for none.

use std::rc::Rc;
use toolgate_bash::Shell;
use toolgate_bash::ast::{Function, HereDoc, List, Script};

/// A function with what its body refers to.
pub(crate) struct Defined {
    pub function: Function,
    pub here_docs: Vec<HereDoc>,
    pub shell: Shell,
}

impl Defined {
    /// A script of this body in which the here-documents of the function are found.
    pub(crate) fn script(&self, body: List) -> Script {
        Script { body, here_docs: self.here_docs.clone(), reading_changes: Vec::new(), shell: self.shell }
    }

    /// Whether it is the same function: one that is defined again by the same text is.
    pub(crate) fn same(self: &Rc<Self>, other: &Rc<Self>) -> bool {
        Rc::ptr_eq(self, other) || self.function == other.function && self.here_docs == other.here_docs
    }
}

/// One meaning of a name.
#[derive(Clone)]
struct Entry {
    name: String,
    defined: Rc<Defined>,
    called: bool,
    /// Whether the name stands for a function for certain.
    sure: bool,
}

/// The functions that are defined.
#[derive(Clone, Default)]
pub(crate) struct Functions {
    list: Rc<Vec<Entry>>,
    /// Whether a name keeps its meanings when it is defined anew.
    keeps: bool,
}

impl Functions {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.list.iter().any(|e| e.name == name)
    }

    /// Whether a name stands for a function for certain.
    pub(crate) fn is_sure(&self, name: &str) -> bool {
        self.list.iter().any(|e| e.name == name && e.sure)
    }

    /// Every function that a name may stand for.
    pub(crate) fn bodies(&self, name: &str) -> Vec<Rc<Defined>> {
        self.list.iter().filter(|e| e.name == name).map(|e| Rc::clone(&e.defined)).collect()
    }

    pub(crate) fn define(&mut self, name: String, defined: Defined) {
        let defined = Rc::new(defined);
        let list = Rc::make_mut(&mut self.list);
        if !self.keeps {
            list.retain(|e| e.name != name);
        }
        list.push(Entry { name, defined, called: false, sure: true });
    }

    /// From now on something else may define them at any time.
    pub(crate) fn keep_all(&mut self) {
        self.keeps = true;
    }

    /// A name that may no longer stand for a function.
    pub(crate) fn doubt(&mut self, name: &str) {
        if self.has(name) {
            Rc::make_mut(&mut self.list).iter_mut().filter(|e| e.name == name).for_each(|e| e.sure = false);
        }
    }

    pub(crate) fn mark_called(&mut self, name: &str) {
        Rc::make_mut(&mut self.list).iter_mut().filter(|e| e.name == name).for_each(|e| e.called = true);
    }

    pub(crate) fn uncalled(&self) -> Vec<(String, Rc<Defined>)> {
        self.list.iter().filter(|e| !e.called).map(|e| (e.name.clone(), Rc::clone(&e.defined))).collect()
    }

    /// The functions where either of two ways may have been taken.
    pub(crate) fn merge(&mut self, other: &Functions) {
        self.keeps |= other.keeps;
        if Rc::ptr_eq(&self.list, &other.list) {
            return;
        }
        let list = Rc::make_mut(&mut self.list);
        for entry in list.iter_mut() {
            entry.sure &= other.is_sure(&entry.name);
        }
        for entry in other.list.iter() {
            match list.iter_mut().find(|e| e.name == entry.name && e.defined.same(&entry.defined)) {
                Some(same) => same.called |= entry.called,
                None => {
                    let sure = entry.sure && list.iter().any(|e| e.name == entry.name && e.sure);
                    list.push(Entry { sure, ..entry.clone() });
                }
            }
        }
    }
}

impl PartialEq for Functions {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &Entry, b: &Entry| a.name == b.name && a.sure == b.sure && a.defined.same(&b.defined);
        Rc::ptr_eq(&self.list, &other.list)
            || self.list.len() == other.list.len()
                && self.list.iter().zip(other.list.iter()).all(|(a, b)| same(a, b))
    }
}
