//! `set`, `shift`, `shopt` and `trap`.

use super::env::Attribute;
use super::flow::Flow;
use super::footprint::{self, Trap, footprint};
use super::modes::Change;
use super::scan::Modified;
use super::value::{Class, Count, Field, Value, integer};

impl<'s> Flow<'s, '_> {
    pub(super) fn set_builtin(&mut self, args: &[Field], argv: &[Field]) {
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

    pub(super) fn shift(&mut self, args: &[Field]) {
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

    pub(super) fn shopt(&mut self, args: &[Field], argv: &[Field]) {
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

    pub(super) fn trap(&mut self, args: &[Field]) {
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
