//! Command names that are certain although they stand in a variable.

use super::{Call, Env, Field, Observer, Unlisted, Why, follow};
use crate::Text;
use crate::ast::{Redirection, Script, Span};
use std::collections::HashMap;

/// The names of the commands whose words begin at these spans, as far as they are certain.
///
/// A name is certain if it is the same wherever the command is met. Names of what runs text (`eval`, a
/// shell, builtins that evaluate subscripts) are left out: who sees only a name must not pass over them.
pub(crate) fn certain_names(script: &Script, spans: impl IntoIterator<Item = Span>) -> HashMap<Span, Text> {
    let names = spans.into_iter().map(|span| (span, Met::Never)).collect();
    let mut names = Names { names };
    if !names.names.is_empty() {
        // Without the source a line is taken not to end, which only makes less certain.
        follow(script, &[], &mut Env::new(script.shell, Unlisted::Unknown), &mut names);
    }
    let certain = names.names.into_iter().filter_map(|(span, met)| match met {
        Met::Always(name) => Some((span, name)),
        _ => None,
    });
    certain.collect()
}

struct Names {
    names: HashMap<Span, Met>,
}

/// How a command was met so far.
enum Met {
    Never,
    /// With this name each time.
    Always(Text),
    Otherwise,
}

impl<'s> Observer<'s> for Names {
    fn command(&mut self, call: &Call<'s, '_>) {
        let word = call.command.words.first().map(|word| word.span);
        let Some(met) = word.and_then(|span| self.names.get_mut(&span)) else { return };
        let name = call.argv.first().and_then(Field::literal).filter(|name| is_only_a_name(name));
        *met = match (&*met, name) {
            (Met::Never, Some(name)) => Met::Always(name.into()),
            (Met::Always(old), Some(name)) if **old == *name => return,
            _ => Met::Otherwise,
        };
    }

    fn redirection(&mut self, _redirection: &'s Redirection, _target: &Field, _env: &Env) {}

    fn may_execute(&mut self, _span: Span, _why: Why) {}
}

/// Whether running this runs no text that stands in its arguments or its input.
fn is_only_a_name(name: &[u8]) -> bool {
    let base = name.rsplit(|&b| b == b'/').next().unwrap_or_default();
    let plain = !base.is_empty() && base.iter().all(|b| b.is_ascii_alphanumeric() || b"_.+-".contains(b));
    let builtin = [
        "eval",
        "source",
        "command",
        "builtin",
        "exec",
        "declare",
        "typeset",
        "local",
        "export",
        "readonly",
        "unset",
        "read",
        "readarray",
        "mapfile",
        "let",
        "printf",
        "test",
        "getopts",
        "wait",
        "trap",
        "alias",
        "enable",
        "fc",
        "bind",
        "complete",
        "compgen",
        "set",
        "shopt",
        "coproc",
    ];
    plain && base != b"." && !base.ends_with(b"sh") && !builtin.iter().any(|name| name.as_bytes() == base)
}

#[cfg(test)]
mod tests {
    use crate::{Options, parse, programs};

    fn names(text: &str) -> String {
        let script = parse(text.as_bytes(), &Options::default()).unwrap();
        let names = programs(&script).into_iter();
        let names = names.map(|p| p.name.map_or("?".into(), |name| name.to_str_lossy().into_owned()));
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_variable_names_a_command_if_it_is_certain() {
        for (text, expected) in [
            ("x=ls; $x -l", "ls"),
            ("x='ls -l'; $x; \"$x\"", "ls ?"),
            ("x=/bin/ls; ${x}; ${x%/ls}/rm", "/bin/ls /bin/rm"),
            ("x=ls; (x=rm; $x); $x", "rm ls"),
            ("x=ls; probe && x=rm; $x", "probe ?"),
            ("x=ls; if a; then x=rm; $x; fi; $x", "a rm ?"),
            ("x=ls; while a; do $x; x=rm; done", "a ?"),
            ("x=ls; f() { $x; }; f; x=rm; f", "? f f"),
            ("x=ls; f() { $x; }", "?"),
            ("$x; x=ls", "?"),
            ("x=ls; read x; $x", "read ?"),
            ("x=ls; $y; $x", "? ?"),
            ("x=bash; $x <<< ls", "?"),
            ("x=eval; $x ls", "?"),
            ("x=.; $x file", "?"),
            ("x=${y:-ls}; $x", "?"),
            ("y=; x=${y:-ls}; $x", "ls"),
            ("x=; $x ls", "ls"),
            ("x=*; $x", "?"),
            ("x=ls; ${x@P}", "? ls"),
        ] {
            assert_eq!(names(text), expected, "{text:?}");
        }
    }
}
