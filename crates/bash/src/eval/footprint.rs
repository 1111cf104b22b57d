//! What running a builtin may change in the shell, by its arguments.
//!
//! The table says the least that holds in any shell state. What is not in it is a program, which
//! changes nothing.

use super::flow::is_harmless_reference;
use super::value::{Class, Field, PieceRef, integer};
use super::word::is_name;
use crate::Text;

/// What a command may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Footprint {
    /// Anything.
    pub(super) lost: bool,
    /// An argument is evaluated, and may be code.
    pub(super) hazard: bool,
    /// These variables.
    pub(super) names: Vec<(Text, Class)>,
    pub(super) positional: bool,
    pub(super) modes: bool,
    /// These names may be functions now, or none any more.
    pub(super) functions: Vec<Text>,
    /// It may not come to what follows in a function, loop or shell.
    pub(super) leaves: bool,
    /// It may write to standard output.
    pub(super) prints: bool,
}

impl Footprint {
    fn lost() -> Self {
        Footprint { lost: true, prints: true, ..Footprint::default() }
    }

    fn prints() -> Self {
        Footprint { prints: true, ..Footprint::default() }
    }

    fn name(&mut self, name: &[u8]) {
        self.names.push((name.into(), Class::Any));
    }

    /// A variable that is named by an argument; with a subscript, if it is a plain one.
    fn target(&mut self, field: &Field) {
        match field.literal() {
            Some(name) if is_name(name) => self.name(name),
            Some(text) if is_harmless_reference(text) => {
                let end = text.iter().position(|&b| b == b'[').unwrap_or(text.len());
                self.name(text.get(..end).unwrap_or_default());
            }
            _ => {
                self.hazard = true;
                self.lost = true;
            }
        }
    }
}

/// The footprint of a command that is no function.
pub(super) fn footprint(argv: &[Field]) -> Footprint {
    let Some((first, args)) = argv.split_first() else { return Footprint::default() };
    let Some(name) = first.literal() else { return Footprint::lost() };
    match name {
        b":" | b"true" | b"false" | b"test" | b"[" | b"sleep" => tested(name, args),
        b"echo" | b"pwd" | b"type" | b"jobs" | b"times" | b"ulimit" | b"umask" | b"help" | b"caller"
        | b"dirs" | b"hash" | b"bg" | b"fg" | b"kill" | b"disown" | b"suspend" | b"history" | b"alias"
        | b"unalias" => Footprint::prints(),
        b"command" | b"builtin" => match wrapped(name, args) {
            Wrapped::Runs(rest) => footprint(rest),
            Wrapped::Tells => Footprint::prints(),
            Wrapped::Unknown => Footprint::lost(),
        },
        b"cd" | b"pushd" | b"popd" => {
            let mut out = Footprint::prints();
            out.name(b"PWD");
            out
        }
        b"export" | b"readonly" | b"declare" | b"typeset" | b"local" => declared(args),
        b"unset" => {
            let mut out = Footprint::default();
            for field in operands(args, b"", &mut out) {
                out.target(field);
                if let Some(name) = field.literal() {
                    out.functions.push(name.into());
                }
            }
            out
        }
        b"read" => {
            let mut out = Footprint::prints();
            for field in operands(args, b"adinNptu", &mut out) {
                out.target(field);
            }
            option_targets(args, b"adinNptu", b'a', &mut out);
            out
        }
        b"mapfile" | b"readarray" => {
            let mut out = Footprint::prints();
            for field in operands(args, b"dnOsuCc", &mut out) {
                out.target(field);
            }
            // `-C` names code.
            if args.iter().any(|field| field.value.prefix().starts_with(b"-") && may_hold(field, b'C')) {
                out.lost = true;
            }
            out
        }
        b"getopts" => {
            let mut out = Footprint::prints();
            if let [_, name, ..] = args {
                out.target(name);
            }
            if args.iter().take(2).any(|field| field.literal().is_none()) {
                out.lost = true;
            }
            out
        }
        b"printf" => {
            let mut out = Footprint::prints();
            match printf_target(args) {
                PrintfTarget::None => {}
                PrintfTarget::Variable(field) => out.target(&field),
                PrintfTarget::Unknown => {
                    out.hazard = true;
                    out.lost = true;
                }
            }
            out
        }
        b"let" => evaluated(args),
        b"wait" => {
            let mut out = Footprint::prints();
            option_targets(args, b"p", b'p', &mut out);
            out
        }
        b"set" => set(args),
        b"shift" => Footprint { positional: true, ..Footprint::default() },
        b"shopt" => Footprint { modes: true, prints: true, ..shopt_is_lost(args) },
        b"exit" | b"return" | b"break" | b"continue" | b"logout" => {
            Footprint { leaves: true, prints: true, ..Footprint::default() }
        }
        b"exec" => {
            Footprint { leaves: args.len() > 1 || !args.is_empty(), prints: true, ..Footprint::default() }
        }
        b"trap" => trap(args),
        b"eval" | b"." | b"source" | b"enable" | b"fc" | b"bind" | b"complete" | b"compgen" | b"compopt" => {
            Footprint::lost()
        }
        _ => Footprint::prints(),
    }
}

/// `test -v` and `test -R` evaluate the subscript of what they are asked about.
fn tested(name: &[u8], args: &[Field]) -> Footprint {
    let mut out = Footprint { prints: name == b"sleep", ..Footprint::default() };
    if !matches!(name, b"test" | b"[") {
        return out;
    }
    for (at, field) in args.iter().enumerate() {
        let names = match field.literal() {
            Some(text) => matches!(text, b"-v" | b"-R"),
            // It may be the operator, if something follows that could be the operand.
            None => {
                field.value.prefix().is_empty() && args.len() > 1 && field.count != super::value::Count::One
            }
        };
        let next = args.get(at.saturating_add(1));
        if names && next.is_some_and(|next| !next.literal().is_some_and(is_harmless_reference)) {
            out.hazard = true;
        }
    }
    out
}

/// What `command` and `builtin` run.
pub(super) enum Wrapped<'f> {
    Runs(&'f [Field]),
    /// `command -v`
    Tells,
    Unknown,
}

pub(super) fn wrapped<'f>(name: &[u8], args: &'f [Field]) -> Wrapped<'f> {
    let mut args = args;
    while let Some((first, rest)) = args.split_first() {
        let Some(text) = first.literal() else { return Wrapped::Unknown };
        match text {
            b"--" => return Wrapped::Runs(rest),
            [b'-', letters @ ..] if name == b"command" && !letters.is_empty() => {
                if letters.iter().any(|b| matches!(b, b'v' | b'V')) {
                    return Wrapped::Tells;
                }
                args = rest;
            }
            _ => break,
        }
    }
    Wrapped::Runs(args)
}

/// The arguments behind the options; anything that may be an option and is not known counts as lost.
fn operands<'f>(args: &'f [Field], with_value: &[u8], out: &mut Footprint) -> &'f [Field] {
    let mut at = 0_usize;
    while let Some(field) = args.get(at) {
        let Some(text) = field.literal() else {
            if field.value.prefix().is_empty() || field.value.prefix().starts_with(b"-") {
                out.lost = true;
                out.hazard = true;
            }
            break;
        };
        let Some(letters) = text.strip_prefix(b"-") else { break };
        at = at.saturating_add(1);
        if letters == b"-" {
            break;
        }
        if letters.is_empty() {
            at = at.saturating_sub(1);
            break;
        }
        // A value stands in the same argument or in the next one.
        if let Some(position) = letters.iter().position(|b| with_value.contains(b))
            && position.saturating_add(1) == letters.len()
        {
            if args.get(at).is_some_and(|value| value.count != super::value::Count::One) {
                out.lost = true;
                out.hazard = true;
            }
            at = at.saturating_add(1);
        }
    }
    args.get(at..).unwrap_or_default()
}

/// The variable that an option names.
fn option_targets(args: &[Field], with_value: &[u8], option: u8, out: &mut Footprint) {
    for (at, field) in args.iter().enumerate() {
        let Some(letters) = field.literal().and_then(|text| text.strip_prefix(b"-")) else { continue };
        let Some(position) = letters.iter().position(|b| with_value.contains(b)) else { continue };
        if letters.get(position) != Some(&option) {
            continue;
        }
        let glued = letters.get(position.saturating_add(1)..).unwrap_or_default();
        if glued.is_empty() {
            if let Some(next) = args.get(at.saturating_add(1)) {
                out.target(next);
            }
        } else {
            out.target(&Field { value: glued.into(), ..field.clone() });
        }
    }
}

fn may_hold(field: &Field, letter: u8) -> bool {
    field.value.pieces().any(|piece| match piece {
        PieceRef::Known(text) => text.contains(&letter),
        _ => true,
    })
}

/// Where `printf` writes to.
pub(super) enum PrintfTarget {
    None,
    Variable(Field),
    Unknown,
}

pub(super) fn printf_target(args: &[Field]) -> PrintfTarget {
    let Some(first) = args.first() else { return PrintfTarget::None };
    match first.literal() {
        Some(b"-v") => match args.get(1) {
            Some(field) => PrintfTarget::Variable(field.clone()),
            None => PrintfTarget::None,
        },
        Some(text) => match text.strip_prefix(b"-v") {
            Some(name) => PrintfTarget::Variable(Field { value: name.into(), ..first.clone() }),
            None => PrintfTarget::None,
        },
        None => {
            let pieces: Vec<_> = first.value.pieces().collect();
            let prefix = first.value.prefix();
            if !prefix.is_empty() && !b"-v".starts_with(prefix) && !prefix.starts_with(b"-v") {
                return PrintfTarget::None;
            }
            // For `-vNAME` the whole argument would have to be a name, or end in a subscript.
            let behind = match pieces.last() {
                Some(PieceRef::Known(text)) => text,
                _ => &[][..],
            };
            let cannot = first.count == super::value::Count::One
                && !behind.ends_with(b"]")
                && behind.iter().any(|b| !b.is_ascii_alphanumeric() && *b != b'_');
            if cannot { PrintfTarget::None } else { PrintfTarget::Unknown }
        }
    }
}

/// The name and whether it is appended to, of an argument like `name=value`.
pub(super) fn declaration(field: &Field) -> Option<(&[u8], bool, bool)> {
    let text = field.value.known().unwrap_or_else(|| field.value.prefix());
    match text.iter().position(|&b| b == b'=') {
        Some(equals) => {
            let name = text.get(..equals).unwrap_or_default();
            Some(match name.strip_suffix(b"+") {
                Some(name) => (name, true, true),
                None => (name, true, false),
            })
        }
        None if field.value.known().is_some() => Some((text, false, false)),
        None => None,
    }
}

fn declared(args: &[Field]) -> Footprint {
    let mut out = Footprint::default();
    let mut options = true;
    for field in args {
        let text = field.value.known().unwrap_or_else(|| field.value.prefix());
        if options && matches!(text.first(), Some(b'-' | b'+')) && text.len() > 1 {
            if field.literal().is_none() {
                return Footprint { hazard: true, ..Footprint::lost() };
            }
            options = text != b"--";
            if text.contains(&b'p') {
                out.prints = true;
            }
            // Attributes that change what assigning does hold on.
            if text.iter().any(|b| b"ilnucr".contains(b)) {
                out.lost = true;
            }
            continue;
        }
        match declaration(field) {
            Some((name, ..)) if field.count == super::value::Count::One && is_name(name) => out.name(name),
            Some((name, ..)) if field.count == super::value::Count::One && is_harmless_reference(name) => {
                let end = name.iter().position(|&b| b == b'[').unwrap_or(name.len());
                out.name(name.get(..end).unwrap_or_default());
            }
            _ => {
                out.hazard = true;
                out.lost = true;
            }
        }
    }
    if args.is_empty() {
        out.prints = true;
    }
    out
}

/// `let`: each argument is an expression, and what stands in it may be evaluated again.
fn evaluated(args: &[Field]) -> Footprint {
    let mut out = Footprint::default();
    for field in args {
        let assignment = field.literal().and_then(|text| {
            let equals = text.iter().position(|&b| b == b'=')?;
            let (name, value) = text.split_at(equals);
            let number = integer(value.get(1..).unwrap_or_default()).is_some();
            (number && is_name(name)).then_some(name)
        });
        match assignment {
            Some(name) => out.names.push((name.into(), Class::Integer)),
            None => out.hazard = true,
        }
    }
    out
}

fn set(args: &[Field]) -> Footprint {
    let mut out = Footprint { prints: args.is_empty(), ..Footprint::default() };
    for (at, field) in args.iter().enumerate() {
        let Some(text) = field.literal() else {
            if field.value.prefix().is_empty() || matches!(field.value.prefix().first(), Some(b'-' | b'+')) {
                out.lost = true;
            }
            out.positional = true;
            return out;
        };
        match text {
            b"--" | b"-" => {
                out.positional = true;
                return out;
            }
            [b'-' | b'+', letters @ ..] if !letters.is_empty() => {
                out.modes = true;
                let mut modes = super::modes::Modes::unknown();
                for letter in letters {
                    let change = if *letter == b'o' {
                        match args.get(at.saturating_add(1)).map(|field| field.literal()) {
                            Some(Some(name)) => modes.set_named(name, true),
                            Some(None) => super::modes::Change::Lost,
                            None => super::modes::Change::Done,
                        }
                    } else {
                        modes.set_letter(*letter, true)
                    };
                    if change == super::modes::Change::Lost {
                        out.lost = true;
                    }
                }
            }
            _ => {
                out.positional = true;
                return out;
            }
        }
    }
    out
}

fn shopt_is_lost(args: &[Field]) -> Footprint {
    let mut modes = super::modes::Modes::unknown();
    let known = args.iter().all(|field| match field.literal() {
        Some([b'-', letters @ ..]) => letters.iter().all(|b| b"supq".contains(b)),
        Some(name) => modes.set_shopt(name, true) == super::modes::Change::Done,
        None => false,
    });
    Footprint { lost: !known, ..Footprint::default() }
}

/// What `trap` sets up.
pub(super) enum Trap<'f> {
    /// Nothing that runs.
    Harmless,
    /// Code that runs when the shell ends.
    AtExit,
    /// Code that may run at any time.
    AnyTime(Option<&'f [u8]>),
}

pub(super) fn trapped(args: &[Field]) -> Trap<'_> {
    let args = match args.first().and_then(Field::literal) {
        Some(b"--") => args.get(1..).unwrap_or_default(),
        Some(b"-p" | b"-l" | b"-P") => return Trap::Harmless,
        _ => args,
    };
    let Some((action, signals)) = args.split_first() else { return Trap::Harmless };
    match action.literal() {
        Some(b"" | b"-") => return Trap::Harmless,
        // A number or a lone signal resets.
        Some(text) if signals.is_empty() || integer(text).is_some() => return Trap::Harmless,
        _ => {}
    }
    let at_exit = signals.iter().all(|signal| {
        signal.literal().is_some_and(|name| name.eq_ignore_ascii_case(b"EXIT") || name == b"0")
    });
    if action.count != super::value::Count::One {
        Trap::AnyTime(None)
    } else if at_exit {
        Trap::AtExit
    } else {
        Trap::AnyTime(action.literal())
    }
}

fn trap(args: &[Field]) -> Footprint {
    match trapped(args) {
        Trap::Harmless | Trap::AtExit => Footprint::prints(),
        Trap::AnyTime(_) => Footprint::lost(),
    }
}
