//! Editors, pagers and debuggers that take commands on their command line.

use crate::analyse::Analyst;
use crate::analyse::state::State;
use crate::effect::Kind;
use crate::word::is_exact;
use toolgate_bash::ast::Span;

/// How the commands begin by which editors fetch extensions and tools.
const FETCHES: [&str; 12] = [
    "PlugInstall",
    "PlugUpdate",
    "PlugUpgrade",
    "PluginInstall",
    "PluginUpdate",
    "Packer",
    "Lazy",
    "Mason",
    "TSInstall",
    "TSUpdate",
    "CocInstall",
    "GoInstallBinaries",
];

impl Analyst<'_> {
    /// An `ex` command of vi and its kin.
    pub(in crate::analyse) fn vim(&mut self, text: &str, span: Span, state: &State) {
        if !is_exact(text) {
            self.unknown("part of an editor command is not known", span);
        }
        for command in text.split(['\n', '|']) {
            let mut c = command.trim().trim_start_matches(':').trim();
            for prefix in ["silent!", "silent", "sil", "exe", "execute", "%", "$", "."] {
                if let Some(rest) = c.strip_prefix(prefix)
                    && (rest.starts_with([' ', '!', 's', 'd', 'g', 'w', 'j', 'y', '"', '\''])
                        || rest.is_empty())
                {
                    c = rest.trim();
                }
            }
            let c =
                c.trim_start_matches(|ch: char| ch.is_ascii_digit() || matches!(ch, ',' | '$' | '%' | '.'));
            if let Some(code) = c.strip_prefix('!') {
                self.shell_from(code, span, state);
                continue;
            }
            let word: String = c.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
            let rest = c.get(word.len()..).unwrap_or("");
            let arg = rest.trim_start_matches('!').trim();
            match word.as_str() {
                "" | "q" | "quit" | "qa" | "qall" | "wq" | "wqa" | "x" | "xa" | "xit" | "wa" | "wall"
                | "cq" | "cquit" | "noh" | "nohlsearch" | "d" | "delete" | "j" | "join" | "y" | "yank"
                | "print" | "p" | "nu" | "number" | "sort" | "retab" | "u" | "undo" | "redo" | "syn"
                | "syntax" | "version" | "help" | "h" | "bd" | "bn" | "bp" | "g" | "global" | "v"
                | "normal" | "norm" | "call"
                    if !rest.contains('!')
                        || matches!(
                            word.as_str(),
                            "q" | "qa" | "quit" | "qall" | "wq" | "wqa" | "x" | "xa" | "cq" | "bd"
                        ) =>
                {
                    if matches!(word.as_str(), "g" | "global" | "v" | "normal" | "norm" | "call") {
                        self.unknown("an editor command that runs others", span);
                    }
                }
                "s" | "substitute" => {
                    if rest.contains("\\=") {
                        self.unknown("an editor command that evaluates an expression", span);
                    }
                }
                "set" | "se" | "setlocal" => {
                    for o in [
                        "shell",
                        "sh=",
                        "makeprg",
                        "mp=",
                        "equalprg",
                        "ep=",
                        "grepprg",
                        "gp=",
                        "keywordprg",
                        "kp=",
                        "formatprg",
                        "fp=",
                        "exrc",
                        "modeline",
                        "rtp",
                        "runtimepath",
                    ] {
                        if arg.contains(o) {
                            self.unknown("an editor setting that names a program", span);
                        }
                    }
                }
                "w" | "write" | "sav" | "saveas" | "up" | "update" => {
                    // `w !cmd` gives the text to a command, `w! file` writes where it must not.
                    let forced = rest.strip_prefix('!');
                    let target = forced.unwrap_or(rest).trim();
                    if let Some(code) = target.strip_prefix('!') {
                        self.shell_from(code, span, state);
                    } else if !target.is_empty() {
                        if forced.is_some_and(|r| !r.starts_with(' ')) {
                            self.shell_from(target, span, state);
                        }
                        let file = target.trim_start_matches(">>").trim();
                        self.path_from(Kind::Write, file, span, state);
                    }
                }
                "r" | "read" => match rest.trim().strip_prefix('!') {
                    Some(code) => self.shell_from(code, span, state),
                    None => self.path_from(Kind::Read, arg, span, state),
                },
                "e" | "edit" | "sp" | "split" | "vs" | "vsplit" | "tabe" | "tabedit" | "view" => {
                    self.path_from(Kind::Read, arg, span, state)
                }
                "so" | "source" | "ru" | "runtime" => self.path_from(Kind::Script, arg, span, state),
                "terminal" | "ter" | "term" => self.shell_from(arg, span, state),
                // Commands of managers of extensions, which fetch them.
                _ if FETCHES.iter().any(|f| word.starts_with(f)) => {
                    self.push(Kind::Fetch, None, span, "an editor fetches extensions");
                    self.unknown("an editor command of an extension", span);
                }
                _ => {
                    // `call system('…')`, `lua os.execute(…)`: the constant in it is followed as a command.
                    if let Some(code) = quoted_argument(c, "system")
                        .or_else(|| quoted_argument(c, "execute"))
                        .or_else(|| quoted_argument(c, "popen"))
                    {
                        self.shell_from(&code, span, state);
                    }
                    self.unknown("an editor command that is not known", span);
                }
            }
            if c.contains("system(")
                && let Some(code) = quoted_argument(c, "system")
            {
                self.shell_from(&code, span, state);
            }
        }
    }

    /// A command of the pager.
    pub(in crate::analyse) fn less(&mut self, text: &str, span: Span, state: &State) {
        let t = text.trim_start_matches('+');
        if let Some(code) = t.strip_prefix('!') {
            self.shell_from(code, span, state);
        } else if let Some(code) = t.strip_prefix('|') {
            self.shell_from(code.get(1..).unwrap_or(""), span, state);
        } else if matches!(t, "" | "G" | "F" | "g")
            || t.starts_with('/')
            || t.starts_with('?')
            || t.trim_end_matches(['g', 'G', 'p', '%']).bytes().all(|b| b.is_ascii_digit())
        {
            if t.contains('\n') {
                self.unknown("keys for a pager that are not known", span);
            }
        } else {
            self.unknown("keys for a pager that are not known", span);
        }
    }

    /// The line editor.
    pub(in crate::analyse) fn ed(&mut self, text: &str, span: Span, state: &State) {
        if !is_exact(text) {
            self.unknown("part of an editor command is not known", span);
        }
        let mut inserting = false;
        for line in text.lines() {
            if inserting {
                inserting = line != ".";
                continue;
            }
            let c = line.trim().trim_start_matches(|c: char| {
                c.is_ascii_digit() || matches!(c, ',' | '$' | '%' | '.' | ';' | '+' | '-')
            });
            if let Some(code) = c.strip_prefix('!') {
                self.shell_from(code, span, state);
                continue;
            }
            let arg = c.get(1..).unwrap_or("").trim();
            match c.chars().next() {
                None
                | Some(
                    'p' | 'n' | 'l' | 'd' | 'j' | 'm' | 't' | 'k' | 'q' | 'Q' | '=' | 'h' | 'H' | 'P' | 'u'
                    | 's' | 'x' | 'y',
                ) => {}
                Some('a' | 'i' | 'c') => inserting = true,
                Some('r' | 'e' | 'E' | 'w' | 'W' | 'f') => {
                    match arg.trim_start_matches(['q', ' ']).strip_prefix('!') {
                        Some(code) => self.shell_from(code, span, state),
                        None if arg.is_empty() || arg == "q" => {}
                        None => {
                            let kind = if c.starts_with(['w', 'W']) { Kind::Write } else { Kind::Read };
                            self.path_from(kind, arg, span, state);
                        }
                    }
                }
                Some(_) => self.unknown("an editor command that is not known", span),
            }
        }
    }

    /// A debugger command.
    pub(in crate::analyse) fn gdb(&mut self, text: &str, span: Span, state: &State) {
        for line in text.lines() {
            let c = line.trim();
            if let Some(code) = c.strip_prefix('!') {
                self.shell_from(code, span, state);
                continue;
            }
            let (word, rest) = c.split_once(char::is_whitespace).unwrap_or((c, ""));
            let rest = rest.trim();
            match word {
                "" | "q" | "quit" | "bt" | "backtrace" | "where" | "info" | "i" | "frame" | "f" | "up"
                | "down" | "list" | "l" | "p" | "print" | "x" | "disassemble" | "disas" | "help" | "show"
                | "ptype" | "whatis" | "b" | "break" | "tbreak" | "watch" | "set" | "thread" | "threads"
                | "display" | "delete" | "echo" | "printf" => {
                    if rest.contains("system(")
                        || rest.contains("popen(")
                        || rest.contains("exec") && rest.contains("wrapper")
                        || rest.starts_with("debuginfod")
                    {
                        self.unknown("a debugger command that calls into the program", span);
                        if let Some(code) = quoted_argument(rest, "system") {
                            self.shell_from(&code, span, state);
                        }
                    }
                    if word == "set" && rest.starts_with("logging") {
                        self.unknown("a debugger command that writes a file", span);
                    }
                }
                "shell" | "make" | "she" | "shel" => self.shell_from(rest, span, state),
                "pipe" | "|" => self.shell_from(rest, span, state),
                "call" | "python" | "py" | "source" | "guile" | "target" | "attach" | "compile"
                | "script" | "platform" => {
                    if let Some(code) = quoted_argument(rest, "system") {
                        self.shell_from(&code, span, state);
                    }
                    if let Some(code) = rest.strip_prefix("shell").filter(|_| word == "platform") {
                        self.shell_from(code.trim(), span, state);
                    }
                    self.unknown("a debugger command that runs code", span);
                }
                // The program itself is a wrapper's operand.
                "r" | "run" | "start" | "starti" | "c" | "continue" | "next" | "n" | "step" | "s"
                | "finish" | "process" => {}
                _ => self.unknown("a debugger command that is not known", span),
            }
        }
    }
}

/// The quoted text in `name("…")`.
fn quoted_argument(text: &str, name: &str) -> Option<String> {
    let at = text.find(&format!("{name}("))?;
    let rest = text.get(at + name.len() + 1..)?.trim_start();
    let q = rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let rest = rest.get(1..)?;
    rest.find(q).and_then(|end| rest.get(..end)).map(str::to_owned)
}
