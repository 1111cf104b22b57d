//! A command by its words: which program that is, and what is known about it.

use super::state::State;
use super::{Analyst, CommandRun, DEPTH, Data};
use crate::effect::Kind;
use crate::knowledge;
use crate::path;
use crate::word::{SOME, UNKNOWN, Word, is_exact, shown};

/// Who runs a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The shell: its builtins count.
    Shell,
    /// Another program: only files on disk count.
    Program,
    /// Whoever called us, without a shell.
    Caller,
}

/// Directories that only the system's owner writes to.
pub(super) fn is_system_directory(dir: &str) -> bool {
    matches!(
        dir.trim_end_matches('/'),
        "/bin"
            | "/sbin"
            | "/usr/bin"
            | "/usr/sbin"
            | "/usr/local/bin"
            | "/usr/local/sbin"
            | "/usr/libexec"
            | "/lib"
            | "/lib64"
            | "/usr/lib"
            | "/usr/games"
            | "/opt/homebrew/bin"
            | "/opt/homebrew/sbin"
            | "/opt/local/bin"
            | "/snap/bin"
            | "/run/current-system/sw/bin"
            | "/nix/var/nix/profiles/default/bin"
            | "/usr/lib/git-core"
            | "/usr/libexec/git-core"
            | "/home/linuxbrew/.linuxbrew/bin"
    ) || dir.starts_with("/nix/store/") && dir.ends_with("/bin")
        || dir.starts_with("/usr/lib/") && !dir.contains("..")
        || dir.starts_with("/lib/") && !dir.contains("..")
}

impl Analyst<'_> {
    /// Runs a command; gives what it prints, if that can be known.
    pub(crate) fn run(&mut self, words: Vec<Word<'static>>, state: &mut State, input: &Data, by: By) -> Data {
        let Some(first) = words.first() else { return Data::Text(String::new()) };
        let span = first.span;
        if !self.step(span) {
            return Data::Unknown;
        }
        if self.depth >= DEPTH * 4 {
            self.unknown("commands in commands are too deep", span);
            return Data::Unknown;
        }
        self.depth += 1;
        let outer = self.command;
        let index = self.out.commands.len();
        self.command = u32::try_from(index).ok();
        let whole = words
            .last()
            .map_or(span, |l| toolgate_bash::ast::Span { start: span.start, end: l.span.end.max(span.end) });
        self.out.commands.push(CommandRun {
            words: Vec::new(),
            span: self.at(whole),
            inner: by == By::Program || self.base.is_some(),
            dir: match state.dirs.as_slice() {
                [one] if is_exact(one) => Some(one.as_str().into()),
                _ => None,
            },
            variables_changed: state.variables_changed,
        });
        let out = self.named(&words, state, input, by);
        if let Some(c) = self.out.commands.get_mut(index) {
            c.words = words;
        }
        self.command = outer;
        self.depth -= 1;
        out
    }

    fn named(&mut self, words: &[Word<'static>], state: &mut State, input: &Data, by: By) -> Data {
        let Some(first) = words.first() else { return Data::Unknown };
        let span = first.span;
        let text = &*first.text;
        if first.splits && text.contains([UNKNOWN, SOME]) || text.contains([UNKNOWN, SOME]) {
            self.unknown("the program's name is not known", span);
            return Data::Unknown;
        }
        if text.is_empty() {
            return Data::Text(String::new());
        }
        if text.contains('/') {
            return self.by_path(words, state, input);
        }
        if by == By::Shell
            && let Some(out) = self.builtin(words, state, input)
        {
            return out;
        }
        if state.shadowed.iter().any(|s| s == text) {
            self.unknown(format!("`{}` was given another meaning", shown(text)), span);
        }
        if let Some(why) = state.names_changed {
            self.unknown(why, span);
        }
        self.known(text, words, state, input)
    }

    /// A program given by its path.
    fn by_path(&mut self, words: &[Word<'static>], state: &mut State, input: &Data) -> Data {
        let Some(first) = words.first() else { return Data::Unknown };
        let text = &*first.text;
        let dirs = state.dirs.clone();
        let full = match dirs.as_slice() {
            [one] => path::join(one, text),
            _ => path::join("/", text),
        };
        let full = path::without_aliases(&full).to_owned();
        let name = path::name(&full).to_owned();
        let dir = full.get(..full.len() - name.len()).unwrap_or("/");
        let trusted =
            is_system_directory(dir.trim_end_matches('/')) && (text.starts_with('/') || dirs.len() == 1);
        if trusted {
            return self.known(&name, words, state, input);
        }
        self.path(
            Kind::Script,
            text,
            first.span,
            &dirs,
            state,
            "a program outside the system's directories is run",
        );
        // It calls itself by a known name: whatever that program does is the least to expect.
        if knowledge::program(&name).is_some() {
            return self.known(&name, words, state, input);
        }
        Data::Unknown
    }

    /// A program there may be knowledge about.
    fn known(&mut self, name: &str, words: &[Word<'static>], state: &mut State, input: &Data) -> Data {
        let Some(spec) = knowledge::program(name) else {
            let span = words.first().map(|w| w.span).unwrap_or_default();
            // What it is given may be what it runs: an answer about it alone is none about that.
            let given = match input {
                Data::Inherit => "",
                Data::Text(text) if text.is_empty() => "",
                _ => " and what it makes of its input",
            };
            self.unknown(format!("nothing is known about `{}`{given}", shown(name)), span);
            return Data::Unknown;
        };
        self.call(name, spec, words, state, input);
        if let Some(first) = words.first().filter(|w| !w.text.contains('/')) {
            self.on_search_path(name, first.span, state);
        }
        self.output(name, words, state, input)
    }
}
