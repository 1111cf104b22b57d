//! Commands that change how bash reads what follows them.
//!
//! Bash reads a line, runs it, and reads the next, so a command can change the grammar of the rest of
//! its own script. Where that could change what we have read, the script is not understood.

use super::{Parsed, Parser};
use crate::ast::{Assignment, SimpleCommand, Span, Value, Word};
use crate::plain::plain_text;
use crate::{Reason, Shell, Unknown};

/// What has been seen so far.
#[derive(Default)]
pub(super) struct Reading {
    /// Every command that may change the reading.
    pub(super) changes: Vec<Span>,
    /// Whether extended globs may be read after some command of the script.
    extended_globs: bool,
    /// Where `!(` stands in the place of a command: a negated subshell, or an extended glob.
    pub(super) bang_parenthesis: Option<Span>,
    /// A command after which everything may be read differently.
    altered: Option<Span>,
}

impl Reading {
    /// Whether the whole script was read as bash would.
    pub(super) fn judge(&self, end: u32) -> Parsed<()> {
        let reason = Reason::ReadingChanged;
        if let Some(span) = self.altered
            && span.end < end
        {
            return Err(Unknown { span, reason });
        }
        if let Some(span) = self.bang_parenthesis
            && self.extended_globs
        {
            return Err(Unknown { span, reason });
        }
        Ok(())
    }
}

impl Parser<'_, '_> {
    /// Called behind a `!`: notes a parenthesis that follows it directly.
    pub(super) fn note_bang_parenthesis(&mut self) {
        if self.byte() == b'(' && self.shared.reading.bang_parenthesis.is_none() {
            self.shared.reading.bang_parenthesis = Some(self.span(self.pos.saturating_sub(1), self.pos));
        }
    }

    /// Looks at a simple command for what it does to the reading.
    pub(super) fn note_reading(&mut self, simple: &SimpleCommand) {
        let mut words = simple.words.iter();
        let Some(first) = words.next() else {
            for assignment in &simple.assignments {
                self.note_assignment(assignment, simple.span);
            }
            return;
        };
        let Some(mut name) = plain_text(first) else {
            return;
        };
        // The command may stand behind `command` or `builtin`.
        while matches!(name.as_ref(), b"command" | b"builtin") {
            let Some(next) = words.find_map(|word| {
                let text = plain_text(word)?;
                (!text.starts_with(b"-")).then_some(text)
            }) else {
                return;
            };
            name = next;
        }
        let arguments = words.as_slice();
        let altered = match name.as_ref() {
            b"shopt" => self.note_shopt(arguments),
            b"set" => self.set_alters(arguments),
            // Without `expand_aliases` bash defines aliases and ignores them; `sh` expands them.
            b"alias" => self.shared.options.shell == Shell::Sh && !arguments.is_empty(),
            b"enable" => arguments.iter().any(|word| !plain_text(word).is_some_and(|text| is_listing(&text))),
            b"export" | b"declare" | b"typeset" | b"readonly" | b"local" => {
                arguments.iter().any(|word| self.declaration_alters(word))
            }
            _ => return,
        };
        if altered {
            self.alter(simple.span);
        }
    }

    fn alter(&mut self, span: Span) {
        self.shared.reading.altered.get_or_insert(span);
        self.shared.reading.changes.push(span);
    }

    fn note_shopt(&mut self, arguments: &[Word]) -> bool {
        let texts: Vec<_> = arguments.iter().map(plain_text).collect();
        let has =
            |letter| texts.iter().flatten().any(|text| text.starts_with(b"-") && text.contains(&letter));
        let dynamic = texts.contains(&None);
        if !dynamic && !has(b's') && !has(b'u') {
            // Only a question.
            return false;
        }
        let mut altered = dynamic;
        self.shared.reading.extended_globs |= dynamic;
        for (text, argument) in texts.iter().flatten().zip(arguments) {
            match text.as_ref() {
                b"extglob" => {
                    self.shared.reading.extended_globs = true;
                    self.shared.reading.changes.push(argument.span);
                }
                b"expand_aliases" if !has(b's') => {}
                text if text.starts_with(b"-") => {}
                text => altered |= !HARMLESS_OPTIONS.contains(&text) && !self.is_harmless_set_option(text),
            }
        }
        altered
    }

    /// Whether `set` with these arguments may change the reading.
    fn set_alters(&self, arguments: &[Word]) -> bool {
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let Some(text) = plain_text(argument) else {
                return self.any_option_alters();
            };
            let letters = match text.split_first() {
                Some((b'-' | b'+', letters)) if !letters.is_empty() && letters != b"-" => letters,
                // Positional parameters from here on.
                _ => return false,
            };
            for letter in letters {
                match letter {
                    b'o' => match arguments.next().map(plain_text) {
                        None => return false,
                        Some(Some(name)) if self.is_harmless_set_option(&name) => {}
                        Some(Some(_)) => return true,
                        Some(None) => return self.any_option_alters(),
                    },
                    b'a' | b'b' | b'e' | b'f' | b'h' | b'm' | b'n' | b'p' | b't' | b'u' | b'v' | b'x'
                    | b'C' | b'E' | b'P' | b'T' => {}
                    // Braces, assignments behind the command word, history.
                    _ => return true,
                }
            }
        }
        false
    }

    /// Whether an option of `set` that nobody knows could make text of this script mean something else:
    /// aliases come with `posix`, and `!` with `history` and `histexpand`.
    fn any_option_alters(&self) -> bool {
        let source = self.shared.source;
        source.windows(5).any(|text| text == b"alias")
            || source.windows(3).any(|text| match text {
                // Not `$!`, `${!x}`, `[!a]`, `#!`.
                [before, b'!', next] => !b"#$[{".contains(before) && !b" \t\n=(".contains(next),
                _ => false,
            })
            || source.first() == Some(&b'!')
    }

    /// Whether `set -o NAME` leaves the reading as it is.
    fn is_harmless_set_option(&self, name: &[u8]) -> bool {
        // Of some builds for Windows: drops carriage returns.
        name == b"igncr" && !self.shared.source.contains(&b'\r') || HARMLESS_SET_OPTIONS.contains(&name)
    }

    fn note_assignment(&mut self, assignment: &Assignment, span: Span) {
        let altered = match assignment.name.as_bytes() {
            b"POSIXLY_CORRECT" | b"BASH_COMPAT" => true,
            b"LC_ALL" | b"LC_CTYPE" | b"LANG" => match &assignment.value {
                Value::Scalar(word) => self.locale_alters(plain_text(word).as_deref()),
                Value::Array(_) => true,
            },
            _ => false,
        };
        if altered {
            self.alter(span);
        }
    }

    fn declaration_alters(&self, word: &Word) -> bool {
        let Some(literal) = word.parts.first().and_then(|part| match &part.kind {
            crate::ast::PartKind::Literal(literal) => Some(literal.text.as_bytes()),
            _ => None,
        }) else {
            return false;
        };
        let (name, value) = match literal.iter().position(|&byte| byte == b'=') {
            Some(at) => (literal.get(..at).unwrap_or_default(), true),
            None => (literal, false),
        };
        match name {
            b"POSIXLY_CORRECT" | b"BASH_COMPAT" => true,
            b"LC_ALL" | b"LC_CTYPE" | b"LANG" if value => {
                let text = plain_text(word);
                let value = text.as_deref().and_then(|text| text.get(name.len().saturating_add(1)..));
                self.locale_alters(value)
            }
            _ => false,
        }
    }

    /// Whether bytes above 127 may be read differently in a locale.
    fn locale_alters(&self, value: Option<&[u8]>) -> bool {
        if self.shared.ascii {
            return false;
        }
        let Some(value) = value else {
            return true;
        };
        let upper = value.to_ascii_uppercase();
        !(matches!(upper.as_slice(), b"" | b"C" | b"POSIX")
            || upper.ends_with(b".UTF-8")
            || upper.ends_with(b".UTF8"))
    }
}

/// Options of `shopt` that change how commands behave, but not how text is read.
const HARMLESS_OPTIONS: [&[u8]; 48] = [
    b"array_expand_once",
    b"assoc_expand_once",
    b"autocd",
    b"bash_source_fullpath",
    b"cdable_vars",
    b"cdspell",
    b"checkhash",
    b"checkjobs",
    b"checkwinsize",
    b"cmdhist",
    b"complete_fullquote",
    b"direxpand",
    b"dirspell",
    b"dotglob",
    b"execfail",
    b"extdebug",
    b"failglob",
    b"force_fignore",
    b"globasciiranges",
    b"globskipdots",
    b"globstar",
    b"gnu_errfmt",
    b"histappend",
    b"histreedit",
    b"histverify",
    b"hostcomplete",
    b"huponexit",
    b"inherit_errexit",
    b"interactive_comments",
    b"lastpipe",
    b"lithist",
    b"localvar_inherit",
    b"localvar_unset",
    b"login_shell",
    b"mailwarn",
    b"no_empty_cmd_completion",
    b"nocaseglob",
    b"nocasematch",
    b"noexpand_translation",
    b"nullglob",
    b"patsub_replacement",
    b"progcomp",
    b"progcomp_alias",
    b"promptvars",
    b"restricted_shell",
    b"shift_verbose",
    b"sourcepath",
    b"varredir_close",
];

/// Options of `set -o` that leave the reading as it is.
const HARMLESS_SET_OPTIONS: [&[u8]; 22] = [
    b"allexport",
    b"emacs",
    b"errexit",
    b"errtrace",
    b"functrace",
    b"hashall",
    b"ignoreeof",
    b"interactive-comments",
    b"monitor",
    b"noclobber",
    b"noexec",
    b"noglob",
    b"nolog",
    b"notify",
    b"nounset",
    b"onecmd",
    b"physical",
    b"pipefail",
    b"privileged",
    b"verbose",
    b"vi",
    b"xtrace",
];

fn is_listing(text: &[u8]) -> bool {
    matches!(text, b"-a" | b"-p" | b"-s" | b"-ap" | b"-ps")
}
