//! `cd`, and what `PWD` is behind it.

use super::env::State;
use super::flow::Flow;
use super::value::{Class, Field, Value};

impl<'s> Flow<'s, '_> {
    pub(super) fn cd(&mut self, args: &[Field]) {
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
}

/// An absolute path without empty and `.` components; `None` where `..` makes it a matter of links.
pub(super) fn logical(path: &[u8]) -> Option<Vec<u8>> {
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
