//! `declare` and its kin, and `unset`.

use super::command::Local;
use super::env::{Attribute, Shadow, State};
use super::flow::Flow;
use super::footprint::{self, footprint};
use super::value::{Class, Count, Field, Value, Why};
use super::word::is_name;
use crate::Text;
use crate::ast::{Assignment, Value as Right, Word};

impl<'s> Flow<'s, '_> {
    pub(super) fn declare(&mut self, kind: &[u8], args: &[Field], arrays: &[(usize, &'s Assignment)]) {
        let mut local = !matches!(kind, b"export" | b"readonly") && !self.frames.is_empty();
        let mut attribute = if kind == b"readonly" { Attribute::Readonly } else { Attribute::Plain };
        let (mut array, mut associative, mut shows, mut functions) = (false, false, args.is_empty(), false);
        let mut options = true;
        let mut loses = false;
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
                        // From here on assigning to it evaluates text, or assigns another variable.
                        b'i' | b'n' if on => {
                            loses = true;
                            attribute = Attribute::Odd;
                        }
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
        if loses {
            self.lose();
        }
    }

    /// Makes a variable the function's own; whether it is a new one.
    pub(super) fn make_local(&mut self, name: &Text) -> bool {
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

    pub(super) fn unset(&mut self, argv: &[Field]) {
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

    pub(super) fn unset_variable(&mut self, name: &[u8]) {
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
}

/// What stands behind the first `=`.
pub(super) fn after_equals(value: &Value) -> Value {
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

/// Whether bash reads the arguments of this command word as assignments where they look like it.
#[must_use]
pub fn is_declaration(word: &Word) -> bool {
    match word.as_literal() {
        Some(literal) => {
            matches!(&*literal.text, b"export" | b"readonly" | b"declare" | b"typeset" | b"local")
        }
        None => false,
    }
}
