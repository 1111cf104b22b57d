//! The small languages inside a knowledge file: option lines, roles, operand patterns, effects and conditions.

use crate::schema::{Kind, Lang, Repeat, Role, Slot, Style, Takes};
use std::cmp::Ordering;

/// An option as its line states it.
pub(crate) struct OptionLine {
    pub names: Vec<String>,
    pub takes: Takes,
    pub rest: bool,
    pub roles: Vec<Role>,
    pub effects: Vec<(Kind, String)>,
}

/// What a test looks at, options still by name.
pub(crate) enum Subject {
    Option(Vec<String>),
    DashDash,
    Count(Ordering, u16),
    Operand(u16),
    Last,
    Any,
    Value(Vec<String>),
}

/// How a test looks at it.
pub(crate) enum Like {
    Present,
    Word(Vec<String>),
    Glob(Vec<String>),
    Path,
}

/// One test of an `if`.
pub(crate) struct Test {
    pub not: bool,
    pub subject: Subject,
    pub like: Like,
}

pub(crate) fn style(s: &str) -> Result<Style, String> {
    Ok(match s {
        "gnu" => Style::Gnu,
        "posix" => Style::Posix,
        "long" => Style::Long,
        "bundle" => Style::Bundle,
        "none" => Style::None,
        "dd" => Style::Dd,
        _ => return Err(format!("no such style: {s}")),
    })
}

pub(crate) fn role(s: &str) -> Result<Role, String> {
    if let Some(lang) = s.strip_prefix("code:") {
        return Ok(Role::Code(language(lang)?));
    }
    Ok(match s {
        "text" | "pattern" | "number" | "name" => Role::Text,
        "read" => Role::Read,
        "list" => Role::List,
        "write" => Role::Write,
        "delete" => Role::Delete,
        "move" => Role::Move,
        "shred" => Role::Shred,
        "host" => Role::Host,
        "url" => Role::Url,
        "remote:read" => Role::RemoteRead,
        "remote:write" => Role::RemoteWrite,
        "git-remote" => Role::GitRemote,
        "program" => Role::Program,
        "program;" => Role::ProgramUntil,
        "assign" => Role::Assign,
        "script" => Role::Script,
        "dir" => Role::Dir,
        "place" => Role::Place,
        "pid" => Role::Pid,
        "env" => Role::Env,
        "branch-or-path" => Role::BranchOrPath,
        "sub" => Role::Sub,
        _ => return Err(format!("no such role: {s}")),
    })
}

fn language(s: &str) -> Result<Lang, String> {
    Ok(match s {
        "shell" => Lang::Shell,
        "argv" => Lang::Argv,
        "env-split" => Lang::EnvSplit,
        "python" => Lang::Python,
        "perl" => Lang::Perl,
        "ruby" => Lang::Ruby,
        "node" => Lang::Node,
        "php" => Lang::Php,
        "lua" => Lang::Lua,
        "tcl" => Lang::Tcl,
        "awk" => Lang::Awk,
        "sed" => Lang::Sed,
        "sql" => Lang::Sql,
        "sqlite" => Lang::Sqlite,
        "psql" => Lang::Psql,
        "vim" => Lang::Vim,
        "less" => Lang::Less,
        "ed" => Lang::Ed,
        "make" => Lang::Make,
        "gdb" => Lang::Gdb,
        "jq" => Lang::Jq,
        "git-config" => Lang::GitConfig,
        "ssh-option" => Lang::SshOption,
        "tar-checkpoint" => Lang::TarCheckpoint,
        "lftp" => Lang::Lftp,
        "crontab" => Lang::Crontab,
        "patch" => Lang::Patch,
        "other" => Lang::Other,
        _ => return Err(format!("no such language: {s}")),
    })
}

/// `read... write`
pub(crate) fn operands(s: &str) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    let mut many = 0;
    for word in s.split_whitespace() {
        let slot = match word {
            "program..." => Slot { role: Role::ProgramRest, repeat: Repeat::One },
            "program...stdin" => Slot { role: Role::ProgramStdin, repeat: Repeat::One },
            _ => {
                let (name, repeat) = if let Some(w) = word.strip_suffix("...") {
                    many += 1;
                    (w, Repeat::Many)
                } else if let Some(w) = word.strip_suffix('?') {
                    (w, Repeat::Maybe)
                } else if let Some(w) = word.strip_suffix('*') {
                    (w, Repeat::While)
                } else {
                    (word, Repeat::One)
                };
                Slot { role: role(name)?, repeat }
            }
        };
        if matches!(slots.last(), Some(Slot { role: Role::ProgramRest | Role::ProgramStdin, .. })) {
            return Err(format!("nothing can follow the command in `{s}`"));
        }
        slots.push(slot);
    }
    if many > 1 {
        return Err(format!("more than one `...` in `{s}`"));
    }
    Ok(slots)
}

/// `net send localhost`
pub(crate) fn effect(s: &str) -> Result<(Kind, String), String> {
    let s = s.trim();
    let (word, rest) = s.split_once(char::is_whitespace).unwrap_or((s, ""));
    let rest = rest.trim();
    if word == "net" {
        let (how, host) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let kind = match how {
            "fetch" => Kind::Fetch,
            "send" => Kind::Send,
            "listen" => Kind::Listen,
            "resolve" => Kind::Resolve,
            _ => return Err(format!("`net` needs fetch, send, listen or resolve: `{s}`")),
        };
        return Ok((kind, host.trim().to_owned()));
    }
    let kind = match word {
        "read" => Kind::Read,
        "list" => Kind::List,
        "write" => Kind::Write,
        "delete" => Kind::Delete,
        "move" => Kind::Move,
        "loss" => Kind::Loss,
        "env" => Kind::Env,
        "persist" => Kind::Persist,
        "process" => Kind::Process,
        "privilege" => Kind::Privilege,
        "host" => Kind::Host,
        "secret" => Kind::Secret,
        "project" => Kind::Project,
        "script" => Kind::Script,
        "guard" => Kind::Guard,
        "unknown" => Kind::Unknown,
        _ => return Err(format!("no such effect: `{s}`")),
    };
    let needs_path = matches!(
        kind,
        Kind::Read | Kind::List | Kind::Write | Kind::Delete | Kind::Move | Kind::Loss | Kind::Script
    );
    if needs_path && (rest.is_empty() || rest.contains(char::is_whitespace)) {
        return Err(format!("`{word}` needs one path: `{s}`"));
    }
    if matches!(kind, Kind::Unknown | Kind::Host | Kind::Secret | Kind::Persist | Kind::Guard)
        && rest.is_empty()
    {
        return Err(format!("`{word}` needs to say what: `{s}`"));
    }
    Ok((kind, rest.to_owned()))
}

/// One line of an `options` block; `None` for an empty one.
pub(crate) fn option(line: &str) -> Result<Option<OptionLine>, String> {
    // A comment starts at a `#` after a blank, or at the start; `-#` is a name.
    let mut code = line;
    let bytes = line.as_bytes();
    for i in 0..bytes.len() {
        if bytes[i] == b'#' && (i == 0 || bytes[i - 1].is_ascii_whitespace()) {
            code = &line[..i];
            break;
        }
    }
    let code = code.trim();
    if code.is_empty() {
        return Ok(None);
    }
    let (head, effects) = match code.split_once(" ! ") {
        Some((head, list)) => (
            head,
            list.split(';')
                .map(effect)
                .collect::<Result<Vec<_>, _>>()
                .map_err(|e| format!("{e} in `{line}`"))?,
        ),
        None => (code, Vec::new()),
    };
    let mut names = Vec::new();
    let mut takes = Takes::Nothing;
    let mut rest = false;
    let mut roles = Vec::new();
    let mut words = head.split_whitespace().peekable();
    while let Some(w) = words.next() {
        if w == "=" || w == "=?" {
            takes = if w == "=" { Takes::Value } else { Takes::Attached };
            for r in words.by_ref() {
                let r = match r.strip_suffix(',') {
                    Some(r) => {
                        rest = true;
                        r
                    }
                    None => r,
                };
                if rest && r == "rest" {
                    break;
                }
                roles.push(role(r).map_err(|e| format!("{e} in `{line}`"))?);
            }
            if roles.is_empty() {
                roles.push(Role::Text);
            }
            if let Some(w) = words.next() {
                return Err(format!("`{w}` is one word too many in `{line}`"));
            }
        } else {
            names.push(w.to_owned());
        }
    }
    if names.is_empty() {
        return Err(format!("no option name in `{line}`"));
    }
    if takes == Takes::Attached && roles.len() > 1 {
        return Err(format!("an optional value is one value: `{line}`"));
    }
    Ok(Some(OptionLine { names, takes, rest, roles, effects }))
}

/// The tests of an `if`.
pub(crate) fn tests(s: &str) -> Result<Vec<Test>, String> {
    s.split_whitespace().map(test).collect()
}

fn test(s: &str) -> Result<Test, String> {
    let (not, t) = match s.strip_prefix('!') {
        Some(t) => (true, t),
        None => (false, s),
    };
    // `\|` is a bar and no separator.
    let list =
        |w: &str| w.replace("\\|", "\u{1}").split('|').map(|x| x.replace('\u{1}', "|")).collect::<Vec<_>>();
    if t == "--" {
        return Ok(Test { not, subject: Subject::DashDash, like: Like::Present });
    }
    if let Some(n) = t.strip_prefix("operands") {
        let (order, n) = match n.split_at_checked(1) {
            Some(("=", n)) => (Ordering::Equal, n),
            Some((">", n)) => (Ordering::Greater, n),
            Some(("<", n)) => (Ordering::Less, n),
            _ => return Err(format!("`operands` needs =, > or <: `{s}`")),
        };
        let n = n.parse().map_err(|_| format!("not a number in `{s}`"))?;
        return Ok(Test { not, subject: Subject::Count(order, n), like: Like::Present });
    }
    if let Some(rest) = t.strip_prefix('$') {
        let (who, like) = match rest.find(['=', '~']) {
            Some(i) => (&rest[..i], &rest[i..]),
            None => return Err(format!("`{s}` needs = or ~")),
        };
        let subject = match who {
            "last" => Subject::Last,
            "any" => Subject::Any,
            n => match n.parse::<u16>() {
                Ok(n) if n > 0 => Subject::Operand(n - 1),
                _ => return Err(format!("no such operand: `{s}`")),
            },
        };
        let like = match like.split_at(1) {
            ("=", w) => Like::Word(list(w)),
            (_, "path") => Like::Path,
            (_, w) => Like::Glob(list(w)),
        };
        return Ok(Test { not, subject, like });
    }
    // `-o=v`, `-o~glob`; the names themselves may not contain = or ~.
    match t.find(['=', '~']) {
        Some(i) => {
            let names = list(&t[..i]);
            let value = &t[i + 1..];
            let like = if t.as_bytes()[i] == b'=' {
                Like::Word(list(value))
            } else if value == "path" {
                Like::Path
            } else {
                Like::Glob(list(value))
            };
            Ok(Test { not, subject: Subject::Value(names), like })
        }
        None => Ok(Test { not, subject: Subject::Option(list(t)), like: Like::Present }),
    }
}
