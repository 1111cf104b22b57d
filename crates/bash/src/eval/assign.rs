//! Assignments: to variables, elements, and whole arrays.

use super::env::State;
use super::flow::Flow;
use super::value::{Class, Count, Hole, Value, Why};
use super::word::Tildes;
use crate::ast::{Assignment, Element, Expression, SubscriptKind, Value as Right, Word};

impl<'s> Flow<'s, '_> {
    /// Forgets what the values of assignments assign themselves, as in `x=${x:=1} command`.
    pub(super) fn assigned_by_values(&mut self, assignments: &'s [Assignment]) {
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

    /// Makes an assignment; gives its value if it is a text.
    pub(super) fn assign(&mut self, assignment: &'s Assignment) -> Option<Value> {
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
    pub(super) fn index(&mut self, name: &[u8], subscript: &'s SubscriptKind) -> Option<u64> {
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

    pub(super) fn assign_element(&mut self, name: &[u8], index: Option<u64>, append: bool, value: Value) {
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

    pub(super) fn appended(&mut self, name: &[u8], value: Value, word: &Word) -> Value {
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

    pub(super) fn array(&mut self, name: &[u8], append: bool, elements: &'s [Element]) -> State {
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

    pub(super) fn element_index(&mut self, subscript: &'s SubscriptKind) -> Option<u64> {
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
}

pub(super) fn with_element(
    elements: Vec<(u64, Value)>,
    index: u64,
    append: bool,
    value: Value,
) -> Vec<(u64, Value)> {
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
