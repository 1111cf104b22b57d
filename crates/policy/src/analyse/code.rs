//! Program text found in arguments, here-documents and pipes.

use super::state::State;
use super::{Analyst, Data, NESTED, lang};
use crate::effect::Kind;
use crate::knowledge::schema::Lang;
use crate::word::{Word, is_exact};
use std::borrow::Cow;
use toolgate_bash::ast::Span;
use toolgate_bash::{Options, Shell};

impl Analyst<'_> {
    /// Follows program text that a named program runs.
    pub(super) fn code_for(
        &mut self,
        name: &str,
        lang: Lang,
        text: &str,
        span: Span,
        state: &mut State,
        input: &Data,
    ) {
        if lang == Lang::Shell {
            let stem = name.trim_start_matches('-');
            match stem {
                "zsh" | "fish" | "csh" | "tcsh" | "ksh" | "mksh" | "ksh93" | "elvish" | "nu" | "xonsh"
                | "pwsh" | "powershell" | "rc" | "es" => {
                    self.unknown(format!("{stem} reads text by rules of its own"), span);
                }
                "sh" | "dash" | "ash" | "posh" => {
                    self.nested_as(text, Shell::Sh, span, &mut state.clone(), input);
                    return;
                }
                _ => {}
            }
        }
        self.code(lang, text, span, state, input);
    }

    /// Follows program text.
    pub(crate) fn code(&mut self, lang: Lang, text: &str, span: Span, state: &mut State, input: &Data) {
        match lang {
            Lang::Shell => {
                let mut inner = state.clone();
                self.nested_shell(text, span, &mut inner, input);
            }
            Lang::Argv => {
                let words: Vec<Word<'static>> = text
                    .split_whitespace()
                    .map(|w| Word::new(w.trim_matches(['\'', '"']).to_owned(), span))
                    .collect();
                if !is_exact(text) {
                    self.unknown("part of a command is not known", span);
                }
                self.run(words, &mut state.clone(), input, super::program::By::Program);
                // Quotes mean nothing to some and something to others.
                if text.contains(['\'', '"']) {
                    self.nested_shell(text, span, &mut state.clone(), input);
                }
            }
            Lang::EnvSplit => self.env_split(text, span, state, input),
            Lang::Jq => self.jq(text, span),
            Lang::Sed => self.sed(text, span, state),
            Lang::Awk => self.awk(text, span, state),
            Lang::Python | Lang::Perl | Lang::Ruby | Lang::Node | Lang::Php | Lang::Lua | Lang::Tcl => {
                self.interpreted(lang, text, span, state);
            }
            Lang::Sql | Lang::Sqlite | Lang::Psql => self.sql(lang, text, span, state),
            Lang::Vim => self.vim(text, span, state),
            Lang::Less => self.less(text, span, state),
            Lang::Ed => self.ed(text, span, state),
            Lang::Make => self.make(text, span, state),
            Lang::Gdb => self.gdb(text, span, state),
            Lang::GitConfig => self.git_setting(text, span, state, false),
            Lang::SshOption => self.ssh_option(text, span, state),
            Lang::TarCheckpoint => self.tar_checkpoint(text, span, state),
            Lang::Lftp => self.lftp(text, span, state),
            Lang::Crontab => self.crontab(text, span, state),
            Lang::Patch => self.patch(text, span, state),
            Lang::Other => self.unknown("program text in a language that is not followed", span),
        }
    }

    /// Text that the running shell itself reads: what it sets, stays.
    pub(super) fn same_shell(&mut self, text: &str, span: Span, state: &mut State, input: &Data) -> Data {
        self.nested_shell(text, span, state, input)
    }

    /// Analyses text as a script.
    pub(super) fn nested_shell(&mut self, text: &str, span: Span, state: &mut State, input: &Data) -> Data {
        self.nested_as(text, Shell::Bash, span, state, input)
    }

    fn nested_as(&mut self, text: &str, shell: Shell, span: Span, state: &mut State, input: &Data) -> Data {
        if !self.enter(text, span) {
            return Data::Unknown;
        }
        if !is_exact(text) {
            self.unknown("part of the text that a shell runs is not known", span);
        }
        let options = Options { shell, ..Options::default() };
        let parsed = match toolgate_bash::parse(text.as_bytes(), &options) {
            Err(u) if shell == Shell::Sh => {
                self.unknown(format!("text for sh is not understood for certain: {}", u.reason), span);
                toolgate_bash::parse(text.as_bytes(), &Options { shell: Shell::Bash, ..options })
            }
            other => other,
        };
        let saved = self.base.replace(self.at(span));
        let outer = std::mem::replace(&mut self.shell, shell);
        let out = match parsed {
            Ok(script) => self.script(&script, state, input),
            Err(u) => {
                self.unknown(format!("text that a shell runs is not understood: {u}"), span);
                state.forget_variables();
                Data::Unknown
            }
        };
        self.base = saved;
        self.shell = outer;
        self.depth = self.depth.saturating_sub(4);
        out
    }

    /// Takes the cost of text inside text; false when there has been too much.
    fn enter(&mut self, text: &str, span: Span) -> bool {
        self.nested = self.nested.saturating_add(text.len());
        if self.depth >= super::DEPTH * 4 || self.nested > NESTED {
            self.unknown("code in code is too deep to follow", span);
            return false;
        }
        self.depth += 4;
        true
    }

    /// Notes a command line found in program text of another language.
    pub(super) fn shell_from(&mut self, text: &str, span: Span, state: &State) {
        self.nested_shell(text, span, &mut state.clone(), &Data::Unknown);
    }

    /// Notes a path that program text of another language reads or writes.
    pub(super) fn path_from(&mut self, kind: Kind, text: &str, span: Span, state: &State) {
        let dirs = state.dirs.clone();
        self.path(kind, text, span, &dirs, state, "named in program text");
    }

    /// `env -S`: quotes, escapes and `${NAME}`, then assignments and a command.
    fn env_split(&mut self, text: &str, span: Span, state: &mut State, input: &Data) {
        let words = lang::split_quoted(text);
        let mut list: Vec<Word<'static>> = vec![Word::new("env", span)];
        for w in words {
            let t = if w.contains("${") || w.contains('\\') {
                Cow::Owned(crate::word::UNKNOWN.to_string())
            } else {
                Cow::Owned(w)
            };
            list.push(Word { text: t, span, splits: false });
        }
        self.run(list, state, input, super::program::By::Program);
    }
}
