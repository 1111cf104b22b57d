//! What `echo` and `printf` write, for arguments that are known.

use super::modes::Modes;

/// The output of `echo` with these arguments; `None` if it is not the same everywhere.
pub(super) fn echo(args: &[&[u8]], modes: Modes) -> Option<Vec<u8>> {
    let mut args = args;
    let mut newline = true;
    let mut escapes = false;
    if modes.bash {
        if modes.xpg_echo != Some(false) {
            return None;
        }
        while let Some((first, rest)) = args.split_first() {
            let Some(letters) = first.strip_prefix(b"-") else { break };
            if letters.is_empty() || !letters.iter().all(|b| matches!(b, b'n' | b'e' | b'E')) {
                break;
            }
            for letter in letters {
                match letter {
                    b'n' => newline = false,
                    b'e' => escapes = true,
                    _ => escapes = false,
                }
            }
            args = rest;
        }
    } else if args.iter().any(|arg| arg.contains(&b'\\')) || args.first().is_some_and(|a| a.starts_with(b"-"))
    {
        return None;
    }
    let mut out = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        if escapes {
            if unescape(arg, Escapes::Echo, &mut out)? == Stop::Here {
                return Some(out);
            }
        } else {
            out.extend_from_slice(arg);
        }
    }
    if newline {
        out.push(b'\n');
    }
    Some(out)
}

/// The output of `printf` with these arguments; `None` if it is not the same everywhere.
pub(super) fn printf(args: &[&[u8]]) -> Option<Vec<u8>> {
    let (format, mut args) = match args {
        [b"--", format, args @ ..] => (*format, args),
        [format, args @ ..] if !format.starts_with(b"-") => (*format, args),
        _ => return None,
    };
    let mut out = Vec::new();
    loop {
        let before = args.len();
        if format_once(format, &mut args, &mut out)? == Stop::Here {
            return Some(out);
        }
        // The format is used again until there are no arguments left.
        if args.is_empty() || args.len() == before {
            return Some(out);
        }
        if out.len() > 64 * 1024 {
            return None;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Here,
    No,
}

fn format_once(format: &[u8], args: &mut &[&[u8]], out: &mut Vec<u8>) -> Option<Stop> {
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\\' => {
                let mut escape = rest;
                one_escape(&mut escape, Escapes::Format, out)?;
                rest = escape;
            }
            b'%' => {
                if let Some(after) = rest.strip_prefix(b"%") {
                    out.push(b'%');
                    rest = after;
                    continue;
                }
                if directive(&mut rest, args, out)? == Stop::Here {
                    return Some(Stop::Here);
                }
            }
            _ => out.push(byte),
        }
    }
    Some(Stop::No)
}

/// One `%…` whose percent sign has been read.
fn directive(rest: &mut &[u8], args: &mut &[&[u8]], out: &mut Vec<u8>) -> Option<Stop> {
    let mut left = false;
    let mut zeros = false;
    while let Some((&flag, after)) = rest.split_first() {
        match flag {
            b'-' => left = true,
            b'0' => zeros = true,
            _ => break,
        }
        *rest = after;
    }
    let width = decimal(rest)?;
    let precision = match rest.strip_prefix(b".") {
        Some(after) => {
            *rest = after;
            Some(decimal(rest)?)
        }
        None => None,
    };
    let (&letter, after) = rest.split_first()?;
    *rest = after;
    let mut next = || match args.split_first() {
        Some((first, others)) => {
            *args = others;
            Some(*first)
        }
        None => None,
    };
    let mut stop = Stop::No;
    let text = match letter {
        b's' | b'c' | b'b' => {
            let arg = next().unwrap_or_default();
            let mut text = Vec::new();
            if letter == b'b' {
                stop = unescape(arg, Escapes::Argument, &mut text)?;
            } else {
                text.extend_from_slice(arg);
            }
            // Widths count bytes or characters, depending on the version and the locale.
            if (width > 0 || precision.is_some() || letter == b'c') && !text.is_ascii() {
                return None;
            }
            if letter == b'c' {
                if text.is_empty() {
                    return None;
                }
                text.truncate(1);
            }
            if let Some(precision) = precision {
                text.truncate(precision);
            }
            if zeros {
                return None;
            }
            text
        }
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
            let number = match next() {
                None => 0,
                Some(arg) => super::value::integer(arg)?,
            };
            if precision.is_some() {
                return None;
            }
            let text = match letter {
                b'd' | b'i' => number.to_string(),
                b'u' => number.cast_unsigned().to_string(),
                b'x' => format!("{number:x}"),
                b'X' => format!("{number:X}"),
                _ => format!("{number:o}"),
            };
            if zeros && !left && width > text.len() {
                let (sign, digits) = match text.strip_prefix('-') {
                    Some(digits) => ("-", digits),
                    None => ("", text.as_str()),
                };
                let fill = width.saturating_sub(text.len());
                format!("{sign}{}{digits}", "0".repeat(fill)).into_bytes()
            } else {
                text.into_bytes()
            }
        }
        _ => return None,
    };
    let fill = width.saturating_sub(text.len());
    if !left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(&text);
    if left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    Some(stop)
}

fn decimal(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    while let Some((&digit @ b'0'..=b'9', after)) = rest.split_first() {
        value = value.checked_mul(10)?.checked_add(usize::from(digit & 15))?;
        *rest = after;
    }
    (value <= 4096).then_some(value)
}

/// Where a backslash is read; the places differ in what they read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// `echo -e`
    Echo,
    /// `%b`
    Argument,
    /// The format of `printf`.
    Format,
}

fn unescape(text: &[u8], place: Escapes, out: &mut Vec<u8>) -> Option<Stop> {
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        if rest.first() == Some(&b'c') {
            return Some(Stop::Here);
        }
        one_escape(&mut rest, place, out)?;
    }
    Some(Stop::No)
}

/// What follows a backslash.
fn one_escape(rest: &mut &[u8], place: Escapes, out: &mut Vec<u8>) -> Option<()> {
    let Some((&byte, after)) = rest.split_first() else {
        out.push(b'\\');
        return Some(());
    };
    *rest = after;
    let value = match byte {
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' | b'E' => 0x1b,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' => b'\\',
        b'"' | b'\'' | b'?' if place == Escapes::Format => byte,
        b'0'..=b'7' => {
            // `echo` wants a zero in front; `%b` reads both forms.
            let (most, first) = match (place, byte) {
                (Escapes::Echo | Escapes::Argument, b'0') => (3, 0),
                (Escapes::Echo, _) => {
                    out.extend_from_slice(&[b'\\', byte]);
                    return Some(());
                }
                _ => (2, u32::from(byte & 7)),
            };
            let code = digits(rest, most, first, 8)?;
            u8::try_from(code & 0xff).ok()?
        }
        b'x' => {
            if !rest.first().is_some_and(u8::is_ascii_hexdigit) {
                // Versions differ on what this gives, and `printf` complains.
                return None;
            }
            u8::try_from(digits(rest, 2, 0, 16)?).ok()?
        }
        b'u' | b'U' => {
            if !rest.first().is_some_and(u8::is_ascii_hexdigit) {
                return None;
            }
            let code = digits(rest, if byte == b'u' { 4 } else { 8 }, 0, 16)?;
            u8::try_from(code).ok().filter(u8::is_ascii)?
        }
        b'"' | b'\'' | b'?' | b'c' => return None,
        other => {
            out.extend_from_slice(&[b'\\', other]);
            return Some(());
        }
    };
    out.push(value);
    Some(())
}

fn digits(rest: &mut &[u8], most: usize, first: u32, base: u32) -> Option<u32> {
    let mut code = first;
    for _ in 0..most {
        let Some((&byte, after)) = rest.split_first() else { break };
        let Some(digit) = char::from(byte).to_digit(base) else { break };
        code = code.wrapping_mul(base).wrapping_add(digit);
        *rest = after;
    }
    Some(code)
}
