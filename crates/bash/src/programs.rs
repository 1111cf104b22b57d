//! The programs a script may run, by name.

use crate::Text;
use crate::ast::{
    Assignment, ParameterName, ParameterOp, PartKind, Redirection, RedirectionOp, Script, SimpleCommand,
    Span, Target, Value, Word,
};
use crate::eval::certain_names;
use crate::plain::plain_text;
use crate::quoted_code;
use crate::walk::{Effect, Path, Step, Visitor, walk};
use std::collections::HashSet;

/// A command word: a program, a builtin or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name, if the word is literal text and quotes, or a variable that is certain to hold a name;
    /// `None` if it is known only when it runs.
    pub name: Option<Text>,
    /// Where the command word stands.
    pub span: Span,
}

impl Program {
    /// Whether the name is known only when the script runs.
    pub fn is_dynamic(&self) -> bool {
        self.name.is_none()
    }
}

/// Every command word of a script, in the order of [`walk`], and `coproc`, which is one in bash 3.2.
///
/// Names are taken from the words as they stand, and from a variable that the script assigns if its value
/// is certain there ([`eval`](crate::eval)). Wrappers are not looked into: for `sudo ls` this gives `sudo`. A shell that is fed by a here-document or here-string
/// runs commands that stand in this text and are not read here; an entry without a name, at the
/// text that it is fed, stands for them. So it is with a quoted subscript that bash evaluates, as in
/// `unset 'a[$(ls)]'`, `[[ 'a[$(ls)]' -eq 0 ]]` and `x='a[$(ls)]'; ((x))`, and with `${x@P}`.
///
/// ```
/// use toolgate_bash::{Options, parse, programs};
///
/// let script = parse(br#"x="$(curl example.org)" && c''at <(ls) | $pager"#, &Options::default())?;
/// let names: Vec<_> = programs(&script).iter().map(|p| p.name.as_ref().map(|n| n.to_str_lossy().into_owned())).collect();
/// let expected = ["curl", "ls", "cat"].map(|name| Some(name.to_owned()));
/// assert_eq!(names, [&expected[..], &[None]].concat());
/// # Ok::<(), toolgate_bash::Unknown>(())
/// ```
pub fn programs(script: &Script) -> Vec<Program> {
    let mut collector =
        Collector { script, programs: Vec::new(), variables: Vec::new(), assigned: HashSet::new() };
    walk(script, &mut collector);
    collector.look_up_variables();
    collector.programs
}

struct Collector<'s> {
    script: &'s Script,
    programs: Vec<Program>,
    /// Programs that a variable names, by index.
    variables: Vec<(usize, &'s Text)>,
    /// Variables that the script assigns.
    assigned: HashSet<&'s Text>,
}

impl<'s> Visitor<'s> for Collector<'s> {
    fn enter(&mut self, path: Path<'_, 's>) {
        // Bash 3.2 takes it for the name of a program.
        if let Some(Step::Coproc(coproc)) = path.last() {
            let end = coproc.span.start.saturating_add(6);
            self.programs.push(Program { name: Some("coproc".into()), span: Span { end, ..coproc.span } });
        }
    }

    fn simple(&mut self, command: &'s SimpleCommand, _path: Path<'_, 's>) {
        let Some(word) = command.words.first() else { return };
        let name = plain_text(word).filter(|name| !name.is_empty()).map(|name| Text::from(name.as_ref()));
        let feeds_code =
            command.words.iter().any(|word| plain_text(word).is_some_and(|text| is_shell(&text)));
        let builtin = name.clone().unwrap_or_default();
        if let Some(variable) = named_variable(word) {
            self.variables.push((self.programs.len(), variable));
        }
        self.programs.push(Program { name, span: word.span });
        for word in command.words.iter().filter(|word| quoted_code::evaluates(&builtin, word)) {
            self.flag(word.span);
        }
        if feeds_code {
            for redirection in &command.redirections {
                if let Some(span) = self.fed_text(redirection) {
                    self.flag(span);
                }
            }
        }
    }

    fn assignment(&mut self, assignment: &'s Assignment, _path: Path<'_, 's>) {
        self.assigned.insert(&assignment.name);
        let held = match &assignment.value {
            Value::Scalar(word) => quoted_code::in_subscript(word),
            Value::Array(elements) => elements.iter().any(|e| quoted_code::in_subscript(&e.value)),
        };
        // The prompts of an interactive shell have brackets for the eye.
        if held && !matches!(assignment.name.as_bytes(), b"PS0" | b"PS1" | b"PS2" | b"PROMPT_COMMAND") {
            self.flag(assignment.span);
        }
    }

    fn effect(&mut self, effect: Effect<'s>, path: Path<'_, 's>) {
        match effect {
            Effect::Operand(word) if quoted_code::in_subscript(word) => self.flag(word.span),
            Effect::Parameter(parameter) if parameter.op == ParameterOp::Transform(b'P') => {
                self.flag(command_span(path));
            }
            _ => {}
        }
    }
}

impl Collector<'_> {
    /// Names the programs whose variable is certain. Most scripts have none, and pay nothing for it.
    fn look_up_variables(&mut self) {
        let assigned = &self.assigned;
        self.variables.retain(|(_, variable)| assigned.contains(variable));
        let program = |at: &usize| self.programs.get(*at).map(|program| program.span);
        let spans: Vec<Span> = self.variables.iter().filter_map(|(at, _)| program(at)).collect();
        if spans.is_empty() {
            return;
        }
        let names = certain_names(self.script, spans);
        for (at, _) in &self.variables {
            if let Some(program) = self.programs.get_mut(*at) {
                program.name = names.get(&program.span).cloned();
            }
        }
    }

    /// Adds an entry for commands that the text holds and the tree does not show.
    fn flag(&mut self, span: Span) {
        self.programs.push(Program { name: None, span });
    }

    /// The text that a redirection feeds to a command, if it stands in the script.
    fn fed_text(&self, redirection: &Redirection) -> Option<Span> {
        match &redirection.target {
            Target::HereDoc(id) => self.script.here_doc(*id).map(|doc| doc.body.span),
            Target::Word(word) if redirection.op == RedirectionOp::HereString => Some(word.span),
            _ => None,
        }
    }
}

/// The variable that a command word begins with, in quotes or not.
fn named_variable(word: &Word) -> Option<&Text> {
    let part = match &word.parts.first()?.kind {
        PartKind::DoubleQuoted(inner) => &inner.first()?.kind,
        kind => kind,
    };
    match part {
        PartKind::Parameter(parameter) => match &parameter.name {
            ParameterName::Variable(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Where the command stands that a path leads to.
fn command_span(path: Path<'_, '_>) -> Span {
    let stage = path.iter().rev().find_map(|step| match step {
        Step::Stage { pipeline, stage } => pipeline.stages.get(*stage),
        _ => None,
    });
    stage.map(|stage| stage.command.span()).unwrap_or_default()
}

/// Whether this is the name of a shell, with or without its directory.
fn is_shell(word: &[u8]) -> bool {
    let name = word.rsplit(|b| *b == b'/').next().unwrap_or(word);
    [&b"bash"[..], b"sh", b"dash", b"zsh", b"ksh", b"mksh", b"ash", b"rbash", b"fish"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, parse};

    fn names(text: &str) -> Vec<Option<String>> {
        let script = parse(text.as_bytes(), &Options::default()).unwrap();
        programs(&script).into_iter().map(|p| p.name.map(|n| n.to_str_lossy().into_owned())).collect()
    }

    #[test]
    fn what_a_shell_is_fed_is_not_passed_over_in_silence() {
        let bash = || Some("bash".to_owned());
        assert_eq!(names("bash <<E\nrm x\nE"), [bash(), None]);
        assert_eq!(names("bash <<<'rm x'"), [bash(), None]);
        assert_eq!(names("sudo /bin/sh -s <<'E'\nrm x\nE"), [Some("sudo".to_owned()), None]);
        assert_eq!(names("cat <<E\nrm x\nE"), [Some("cat".to_owned())]);
    }

    #[test]
    fn quoted_text_that_is_evaluated_is_not_passed_over_in_silence() {
        for text in [
            "[[ -v 'a[$(b)]' ]]",
            "[[ 'a[$(b)]' -eq 1 ]]",
            "[[ 1 -lt $'a[\\x24(b)]' ]]",
            "x='a[$(b)]'; ((x))",
            "x=\"a[\\`b\\`]\"; ((x))",
            "x=([1]='a[$(b)]')",
            "declare -n x='a[$(b)]'",
            "declare -i x='a[${y:=b}]'",
            "export x'[$(b)]'=",
            "let 'x=$(b)'",
            "x=${y@P}",
        ] {
            assert!(names(text).contains(&None), "{text:?}");
        }
        for text in [
            "x='[$(b)]'",
            "PS1='\\u[$(b)]'",
            "export PS1='\\u[$(b)]'",
            "x='a[b]'",
            "[[ a[1] -eq 'b[2]' ]]",
            "echo 'a[$(b)]'",
            "x='a[$]'",
            "x=${y@Q}",
        ] {
            assert!(!names(text).contains(&None), "{text:?}");
        }
    }
}
