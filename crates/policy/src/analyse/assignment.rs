//! Assignments, as effects and as values.
//!
//! Before an assignment is dropped as noise one asks whether it changes what runs.

use super::state::{State, Variable};
use super::{Analyst, Data};
use crate::effect::Kind;
use crate::facts::{self, Meaning};
use crate::knowledge::schema::Lang;
use crate::path;
use crate::word::{UNKNOWN, Word, is_exact};
use toolgate_bash::ast::{Assignment, Script, Span};

impl Analyst<'_> {
    /// An assignment that stays.
    pub(super) fn assign_to(&mut self, a: &Assignment, value: Variable, state: &mut State, script: &Script) {
        let name = super::expand::lossy(&a.name).into_owned();
        if let Some(s) = &a.subscript {
            self.subscript(s, state, script);
            // One element of many: the whole is no longer known.
            state.set(&name, Variable::Array(vec![UNKNOWN.to_string()]));
            if let Variable::Scalar(v) = &value {
                self.environment(&name, v, a.span, state);
            }
            return;
        }
        let value = match (a.append, value) {
            (false, v) => v,
            (true, Variable::Scalar(more)) => match state.variable(&name) {
                Some(Variable::Scalar(old)) => Variable::Scalar(format!("{old}{more}")),
                _ => Variable::Scalar(format!("{UNKNOWN}{more}")),
            },
            (true, Variable::Array(more)) => match state.variable(&name) {
                Some(Variable::Array(old)) => Variable::Array(old.iter().chain(&more).cloned().collect()),
                _ => Variable::Array(vec![UNKNOWN.to_string()]),
            },
            (true, v) => v,
        };
        if let Variable::Scalar(v) = &value {
            self.environment(&name, v, a.span, state);
        }
        state.set(&name, value);
    }

    /// Gives a variable a value from an expansion or a builtin.
    pub(super) fn assign_variable(&mut self, name: &str, value: &str, span: Span, state: &mut State) {
        self.environment(name, value, span, state);
        state.set(name, Variable::Scalar(value.to_owned()));
    }

    /// An assignment in front of a command.
    pub(super) fn assign_before(
        &mut self,
        a: &Assignment,
        value: &Variable,
        words: &[Word<'_>],
        state: &mut State,
    ) {
        let name = super::expand::lossy(&a.name).into_owned();
        let text = match value {
            Variable::Scalar(v) => v.clone(),
            _ => UNKNOWN.to_string(),
        };
        // `IFS=, read a b` splits input and nothing else.
        let _ = words;
        self.environment(&name, &text, a.span, state);
        state.set(&name, Variable::Scalar(text));
    }

    /// What giving an environment variable a value does.
    pub(crate) fn environment(&mut self, name: &str, value: &str, span: Span, state: &mut State) {
        // A name that is not known could be any of them.
        if !is_exact(name) {
            state.variables_changed = true;
            self.push(Kind::Env, None, span, "a variable whose name is not known is set");
            return;
        }
        let meaning = facts::variable(name);
        if facts::usual_value(name, value) {
            return;
        }
        state.variables_changed |= meaning != Some(Meaning::Harmless);
        match meaning {
            Some(Meaning::Harmless) => {}
            Some(Meaning::Code) => {
                if matches!(
                    value,
                    "" | "cat" | "less" | "true" | ":" | "more" | "vim" | "nano" | "vi" | "false"
                ) {
                    return;
                }
                if matches!(name, "PS0" | "PS1" | "PS2" | "PS4") {
                    let escapes =
                        |t: &str| t.as_bytes().windows(2).any(|w| w[0] == b'\\' && w[1].is_ascii_digit());
                    if is_exact(value) && !value.contains(['$', '`']) && !escapes(value) {
                        return;
                    }
                    self.prompt(value, span, state);
                    self.push(Kind::Env, Some(name), span, "a prompt is expanded, and may run commands");
                    return;
                }
                let code = value.trim_start_matches('|').trim_start_matches('-');
                self.code(Lang::Shell, code, span, state, &Data::Unknown);
                self.push(Kind::Env, Some(name), span, "a program runs its value as a command");
            }
            Some(Meaning::Program) => {
                // Empty is as good as not set.
                if value.is_empty() {
                    return;
                }
                if is_exact(value)
                    && !value.contains('/')
                    && !value.contains(' ')
                    && crate::knowledge::program(value).is_some()
                {
                    // The usual `CC=clang`: a known program under its own name.
                    let usual = !matches!(value, "sh" | "bash" | "curl" | "wget" | "env" | "sudo");
                    if usual {
                        return;
                    }
                }
                self.push(Kind::Env, Some(name), span, "a program is started by this path");
                self.code(Lang::Argv, value, span, state, &Data::Unknown);
            }
            Some(Meaning::Script) => {
                self.push(
                    Kind::Env,
                    Some(name),
                    span,
                    "a shell or an interpreter runs or reads this file when it starts",
                );
            }
            Some(Meaning::Inject) => {
                if name == "PATH" && self.is_usual_path(value) {
                    return;
                }
                if name == "PATH" || name.starts_with("BASH_FUNC_") {
                    state.names_changed = Some("PATH was changed, so a name may stand for another program");
                }
                if name == "HOME" && value == self.context.home {
                    return;
                }
                self.push(
                    Kind::Env,
                    Some(name),
                    span,
                    "it decides which code the next program loads or how it is read",
                );
            }
            Some(Meaning::Place) => {
                let dirs = state.dirs.clone();
                for d in &dirs {
                    let full = path::join(d, value);
                    let full = full.strip_suffix("/.git").unwrap_or(&full).to_owned();
                    self.push(Kind::List, Some(&full), span, "git works there");
                    state.set(PLACE, Variable::Scalar(full));
                }
            }
            Some(Meaning::Endpoint) => {
                self.push(Kind::Env, Some(name), span, "connections go where it says");
            }
            None if facts::sounds_sharp(name)
                && (!is_exact(value)
                    || value.contains('/')
                    || value.contains("--")
                    || value.contains(' ')) =>
            {
                self.push(Kind::Env, Some(name), span, "its name sounds as if it changed what runs");
            }
            None => {}
        }
    }

    /// A search path made only of directories of the system.
    fn is_usual_path(&self, value: &str) -> bool {
        let given = self.context.env.iter().find(|(n, _)| n == "PATH").map(|(_, v)| v.as_str());
        // What was there before is as good as it was.
        let rest =
            given.and_then(|g| value.find(g).map(|at| [&value[..at], &value[at + g.len()..]].concat()));
        let value = rest.as_deref().map_or(value, |r| r.trim_matches(':'));
        value.is_empty() && given.is_some() || value.split(':').all(super::program::is_system_directory)
    }
}

/// Where the state keeps the directory that `GIT_DIR` or `GIT_WORK_TREE` names.
pub(super) const PLACE: &str = "GIT_DIR or GIT_WORK_TREE";
