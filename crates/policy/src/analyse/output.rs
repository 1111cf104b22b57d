//! What a command prints, where that can be told without running it.
//!
//! Agents and attackers alike build commands from the output of others; what folds is followed, and the
//! rest is unknown.

use super::state::State;
use super::{Analyst, Data};
use crate::path;
use crate::word::{SOME, UNKNOWN, Word, is_exact};
use toolgate_bash::{ansi_c, eval};

impl Analyst<'_> {
    pub(super) fn output(
        &mut self,
        name: &str,
        words: &[Word<'static>],
        state: &State,
        input: &Data,
    ) -> Data {
        let args = words.get(1..).unwrap_or(&[]);
        let texts: Vec<&str> = args.iter().map(|w| &*w.text).collect();
        let files = || texts.iter().filter(|t| !t.starts_with('-') || **t == "-").count();
        let pass = |f: &dyn Fn(&str) -> Option<String>| match input {
            Data::Text(t) if is_exact(t) => f(t).map_or(Data::Unknown, Data::Text),
            _ => Data::Unknown,
        };
        match name {
            "echo" => self.echo(&texts, state).map_or(Data::Unknown, Data::Text),
            "printf" => printf(args).map_or(Data::Unknown, Data::Text),
            "cat" | "tee" | "stdbuf" | "pv" | "sponge" if files() == 0 || texts.iter().all(|t| *t == "-") => {
                input.clone()
            }
            "tee" => input.clone(),
            "sort" | "uniq" | "head" | "tail" | "tac" | "shuf"
                if matches!(input, Data::Names(_) | Data::Fact) =>
            {
                input.clone()
            }
            "grep" | "egrep" | "fgrep" | "sed" | "awk" | "cut" | "tr"
                if *input == Data::Fact && files() <= 1 =>
            {
                Data::Unknown
            }
            "grep" | "egrep" | "fgrep" if matches!(input, Data::Names(_)) && files() <= 1 => input.clone(),
            "base64" | "gbase64"
                if texts.iter().any(|t| matches!(*t, "-d" | "-D" | "--decode" | "-di" | "-id"))
                    && files() == 0 =>
            {
                pass(&base64)
            }
            "basenc"
                if texts.iter().any(|t| *t == "-d" || *t == "--decode") && texts.contains(&"--base64") =>
            {
                pass(&base64)
            }
            "openssl"
                if texts.contains(&"-d") && texts.iter().any(|t| t.trim_start_matches('-') == "base64") =>
            {
                pass(&base64)
            }
            "xxd"
                if texts.iter().any(|t| t.starts_with('-') && t.contains('r'))
                    && texts.iter().any(|t| t.contains('p')) =>
            {
                pass(&hex)
            }
            "rev" if files() == 0 => pass(&|t| Some(reverse_lines(t))),
            "tac" if files() == 0 => pass(&|t| Some(t.lines().rev().map(|l| format!("{l}\n")).collect())),
            "tr" => pass(&|t| translate(t, &texts)),
            "pwd" => match state.dirs.as_slice() {
                [one] => Data::Text(format!("{one}\n")),
                _ => Data::Unknown,
            },
            "dirname" if args.len() == 1 && args.iter().all(Word::is_exact) => {
                let t = texts.first().copied().unwrap_or("").trim_end_matches('/');
                let d = match t.rsplit_once('/') {
                    Some(("", _)) => "/",
                    Some((d, _)) => d,
                    None => ".",
                };
                Data::Text(format!("{d}\n"))
            }
            "basename" if args.iter().all(Word::is_exact) && !texts.is_empty() && texts.len() <= 2 => {
                let t = texts.first().copied().unwrap_or("").trim_end_matches('/');
                let n = path::name(t);
                let n = texts.get(1).and_then(|s| n.strip_suffix(s)).unwrap_or(n);
                Data::Text(format!("{n}\n"))
            }
            "basename" => Data::Fact,
            "realpath" | "readlink" if args.last().is_some_and(Word::is_exact) && files() == 1 => {
                let t = args.last().map_or("", |w| &w.text);
                match state.dirs.as_slice() {
                    [one] => Data::Text(format!("{}\n", path::join(one, t))),
                    _ => Data::Unknown,
                }
            }
            "mktemp" => made(&texts),
            "seq" => seq(&texts),
            "date" if texts.iter().all(|t| is_exact(t)) => Data::Fact,
            "whoami" | "hostname" | "uname" | "nproc" | "arch" | "id" | "wc" | "tty" | "logname"
            | "getconf" | "sha256sum" | "md5sum" | "sha1sum" | "cksum" | "uptime" | "which" | "type"
            | "stat" | "du" | "df" | "expr" | "jot" | "uuidgen" | "groups" | "tput" => Data::Fact,
            "yes" => Data::Unknown,
            "find" | "fd" | "fdfind" if lists_names(name, &texts) => match self.found.take() {
                Some(list) => Data::Names(list),
                None => Data::Unknown,
            },
            "ls" | "rg" if lists_names(name, &texts) => names(),
            "grep" if texts.iter().any(|t| t.starts_with('-') && !t.starts_with("--") && t.contains('l')) => {
                names()
            }
            "git" => self.git_output(&texts, state),
            _ => Data::Unknown,
        }
    }

    fn echo(&self, texts: &[&str], state: &State) -> Option<String> {
        // A word that is not known may be an option, and so may be what some shells make of a backslash.
        let doubtful = texts.iter().any(|t| t.contains('\\'));
        if doubtful && (state.odd_echo || texts.first().is_some_and(|t| !is_exact(t))) {
            return None;
        }
        let args: Vec<&[u8]> = texts.iter().map(|t| t.as_bytes()).collect();
        eval::echo(&args, self.shell).map(|out| super::expand::lossy(&out).into_owned())
    }

    fn git_output(&self, texts: &[&str], state: &State) -> Data {
        let rest: Vec<&str> = texts.iter().copied().skip_while(|t| t.starts_with('-')).collect();
        match rest.as_slice() {
            ["rev-parse", flags @ ..] if flags.contains(&"--show-toplevel") => {
                let dir = state.dirs.first();
                match (
                    dir,
                    self.context.roots.iter().find(|r| dir.is_some_and(|d| path::below(r, d).is_some())),
                ) {
                    (Some(_), Some(root)) if state.dirs.len() == 1 => Data::Text(format!("{root}\n")),
                    _ => Data::Unknown,
                }
            }
            ["rev-parse" | "rev-list" | "describe" | "merge-base" | "hash-object", ..] => Data::Fact,
            ["branch", "--show-current"] | ["symbolic-ref", ..] => Data::Fact,
            ["ls-files", ..] => names(),
            ["diff" | "show" | "diff-tree" | "log", flags @ ..] if flags.contains(&"--name-only") => names(),
            _ => Data::Unknown,
        }
    }
}

/// Names below the directory.
fn names() -> Data {
    Data::Names(vec![SOME.to_string()])
}

/// Whether a command prints nothing but names of files below relative roots.
fn lists_names(name: &str, texts: &[&str]) -> bool {
    let below = |t: &&str| {
        t.starts_with('-')
            || (!t.starts_with('/') && !t.contains("..") && !t.contains(UNKNOWN) && !t.starts_with('~'))
    };
    match name {
        "ls" => {
            texts.iter().all(below)
                && !texts.iter().any(|t| {
                    t.starts_with('-') && !t.starts_with("--") && t.contains(['l', 's', 'i', 'g', 'o', 'n'])
                })
        }
        "rg" => texts
            .iter()
            .any(|t| matches!(*t, "-l" | "--files" | "--files-with-matches" | "--files-without-match")),
        "find" => !texts.iter().any(|t| {
            t.starts_with("-printf")
                || t.starts_with("-exec")
                || t.starts_with("-ls")
                || t.starts_with("-fprint")
        }),
        _ => !texts.iter().any(|t| {
            matches!(*t, "-x" | "-X" | "--exec" | "--exec-batch" | "-l" | "--list-details" | "--format")
        }),
    }
}

/// Backslash escapes as `tr` reads them.
fn unescape(text: &str) -> String {
    // As in `$'…'`, but for quotes, which are not special here.
    let mut prepared = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            prepared.push(c);
            continue;
        }
        match chars.next() {
            Some('0') if chars.peek().is_some_and(|d| d.is_digit(8)) => prepared.push('\\'),
            Some('c') => break,
            Some(q @ ('\'' | '"')) => {
                prepared.push_str("\\\\");
                prepared.push(q);
            }
            Some(other) => {
                prepared.push('\\');
                prepared.push(other);
            }
            None => prepared.push_str("\\\\"),
        }
    }
    match ansi_c::decode(prepared.as_bytes()) {
        Some(bytes) => super::expand::lossy(&bytes).into_owned(),
        None => UNKNOWN.to_string(),
    }
}

/// The output of `printf`; `None` where it is not known.
pub(super) fn printf(args: &[Word<'_>]) -> Option<String> {
    let bytes: Vec<&[u8]> = args.iter().map(|w| w.text.as_bytes()).collect();
    // What is not known of a value goes through as it is.
    if args.iter().all(|w| !w.splits)
        && let Some(out) = eval::printf(&bytes)
    {
        return Some(super::expand::lossy(&out).into_owned());
    }
    let (format, values) = args.split_first()?;
    let format = format.exact()?.replace("\\n", "\n").replace("\\t", "\t");
    if format.starts_with('-') || format.contains('\\') {
        return None;
    }
    let mut out = String::new();
    let mut next = 0;
    loop {
        let start = next;
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            if chars.peek() == Some(&'%') {
                chars.next();
                out.push('%');
                continue;
            }
            let mut plain = true;
            while chars
                .peek()
                .is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | ' ' | '#' | '.' | '*'))
            {
                plain = false;
                chars.next();
            }
            let value = values.get(next).map_or("", |w| &*w.text);
            next += 1;
            match chars.next()? {
                's' if plain => out.push_str(value),
                'd' | 'i' | 'u'
                    if plain && !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) =>
                {
                    out.push_str(value)
                }
                'c' if plain => out.extend(value.chars().next()),
                'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'f' | 'e' | 'g' => out.push(SOME),
                _ => out.push(UNKNOWN),
            }
        }
        if next >= values.len() || next == start || out.len() > 65_536 {
            return Some(out);
        }
    }
}

fn base64(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut bits = 0_u32;
    let mut count = 0;
    for b in text.bytes().filter(|b| !b.is_ascii_whitespace()) {
        let v = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(v);
        count += 1;
        if count % 4 == 0 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            bits = 0;
        }
    }
    match count % 4 {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&[(bits >> 10) as u8, (bits >> 2) as u8]),
        _ => {}
    }
    Some(super::expand::lossy(&out).into_owned())
}

fn hex(text: &str) -> Option<String> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let mut out = Vec::with_capacity(digits.len() / 2);
    for pair in digits.chunks(2) {
        let s = std::str::from_utf8(pair).ok()?;
        out.push(u8::from_str_radix(s, 16).ok()?);
    }
    Some(super::expand::lossy(&out).into_owned())
}

fn reverse_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|l| {
            let (body, end) = match l.strip_suffix('\n') {
                Some(b) => (b, "\n"),
                None => (l, ""),
            };
            body.chars().rev().collect::<String>() + end
        })
        .collect()
}

/// `tr` with two sets, or `-d` with one.
fn translate(text: &str, args: &[&str]) -> Option<String> {
    let (flags, sets): (Vec<&str>, Vec<&str>) =
        args.iter().copied().partition(|a| a.starts_with('-') && a.len() > 1);
    if flags.iter().any(|f| !matches!(*f, "-d" | "--delete")) {
        return None;
    }
    let from = set(sets.first()?)?;
    if !flags.is_empty() {
        return Some(text.chars().filter(|c| !from.contains(c)).collect());
    }
    let to = set(sets.get(1)?)?;
    let last = *to.last()?;
    Some(
        text.chars()
            .map(|c| match from.iter().rposition(|f| *f == c) {
                Some(i) => to.get(i).copied().unwrap_or(last),
                None => c,
            })
            .collect(),
    )
}

/// The characters of a set of `tr`.
fn set(spec: &str) -> Option<Vec<char>> {
    let named = match spec {
        "[:lower:]" => Some("a-z"),
        "[:upper:]" => Some("A-Z"),
        "[:digit:]" => Some("0-9"),
        "[:space:]" => Some(" \t\n\r"),
        _ => None,
    };
    let text = match named {
        Some(s) => s.to_owned(),
        None if spec.contains('[') => return None,
        None => unescape(spec),
    };
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        match (chars.get(i + 1), chars.get(i + 2)) {
            (Some('-'), Some(&end)) if end >= c => {
                out.extend((c..=end).take(512));
                i += 3;
            }
            _ => {
                out.push(c);
                i += 1;
            }
        }
    }
    Some(out)
}

fn seq(texts: &[&str]) -> Data {
    let numbers: Vec<i64> = texts.iter().filter_map(|t| t.parse().ok()).collect();
    let (from, to) = match (texts.len(), numbers.as_slice()) {
        (1, [to]) => (1, *to),
        (2, [from, to]) => (*from, *to),
        _ => return Data::Fact,
    };
    if to - from > 200 || to < from {
        return Data::Fact;
    }
    Data::Text((from..=to).map(|n| format!("{n}\n")).collect())
}

/// The name that mktemp makes and prints.
fn made(words: &[&str]) -> Data {
    let after =
        |option: &str| words.iter().position(|w| *w == option).and_then(|at| words.get(at + 1)).copied();
    let attached = words.iter().find_map(|w| w.strip_prefix("--tmpdir="));
    let template = words.iter().rfind(|w| !w.starts_with('-') && w.contains("XXX")).copied();
    let dir = match after("-p").or(attached) {
        Some(dir) => dir.trim_end_matches('/'),
        None if template.is_some() && !words.contains(&"-t") && !words.contains(&"--tmpdir") => "",
        None => "/tmp",
    };
    let name = template.map_or_else(|| format!("tmp.{SOME}"), |t| t.replace('X', &SOME.to_string()));
    if !is_exact(dir) || template.is_some_and(|t| !is_exact(t) || t.contains("..")) {
        return Data::Unknown;
    }
    Data::Text(if dir.is_empty() { format!("{name}\n") } else { format!("{dir}/{name}\n") })
}
