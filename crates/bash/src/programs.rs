//! The programs a script may run, by name.

use crate::Text;
use crate::ast::{PartKind, Redirection, RedirectionOp, Script, SimpleCommand, Span, Target, Word};
use crate::plain::plain_text;
use crate::walk::{Path, Step, Visitor, walk};

/// A command word: a program, a builtin or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name, if the word is literal text and quotes; `None` if it is known only when it runs.
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
/// Names are taken from the words as they stand: a variable is not looked up. Wrappers are not looked
/// into either: for `sudo ls` this gives `sudo`. A shell that is fed by a here-document or here-string
/// runs commands that stand in this text and are not read here; an entry without a name, at the
/// text that it is fed, stands for them. So it is with an argument in which a builtin evaluates a quoted
/// subscript, as in `unset 'a[$(ls)]'`.
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
    let mut collector = Collector { script, programs: Vec::new() };
    walk(script, &mut collector);
    collector.programs
}

struct Collector<'s> {
    script: &'s Script,
    programs: Vec<Program>,
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
        let evaluated =
            command.words.iter().filter(|word| name.as_deref().is_some_and(|name| evaluates(name, word)));
        let evaluated: Vec<_> = evaluated.map(|word| Program { name: None, span: word.span }).collect();
        self.programs.push(Program { name, span: word.span });
        self.programs.extend(evaluated);
        if feeds_code {
            let fed = command.redirections.iter().filter_map(|r| self.fed_text(r));
            self.programs.extend(fed.map(|span| Program { name: None, span }).collect::<Vec<_>>());
        }
    }
}

impl Collector<'_> {
    /// The text that a redirection feeds to a command, if it stands in the script.
    fn fed_text(&self, redirection: &Redirection) -> Option<Span> {
        match &redirection.target {
            Target::HereDoc(id) => self.script.here_doc(*id).map(|doc| doc.body.span),
            Target::Word(word) if redirection.op == RedirectionOp::HereString => Some(word.span),
            _ => None,
        }
    }
}

/// Whether a builtin takes an argument for a name with a subscript, and quotes in it hold an expansion
/// that evaluating the subscript brings to life.
fn evaluates(builtin: &[u8], word: &Word) -> bool {
    let builtins: [&[u8]; 16] = [
        b"declare",
        b"typeset",
        b"local",
        b"export",
        b"readonly",
        b"unset",
        b"read",
        b"readarray",
        b"mapfile",
        b"let",
        b"printf",
        b"test",
        b"[",
        b"getopts",
        b"wait",
        b"builtin",
    ];
    if !builtins.contains(&builtin) {
        return false;
    }
    let mut text = Vec::new();
    let mut hidden = false;
    for part in &word.parts {
        let from = text.len();
        let quoted = match &part.kind {
            PartKind::Literal(literal) => {
                text.extend_from_slice(&literal.text);
                false
            }
            PartKind::SingleQuoted(raw) | PartKind::AnsiC(raw) => {
                text.extend_from_slice(raw);
                true
            }
            PartKind::Escaped(byte) => {
                text.push(*byte);
                true
            }
            PartKind::DoubleQuoted(inner) | PartKind::Localized(inner) => {
                for part in inner {
                    match &part.kind {
                        PartKind::Literal(literal) => text.extend_from_slice(&literal.text),
                        PartKind::Escaped(byte) => text.push(*byte),
                        _ => {}
                    }
                }
                true
            }
            _ => false,
        };
        let new = text.get(from..).unwrap_or_default();
        hidden |= quoted && new.iter().any(|byte| matches!(byte, b'$' | b'`' | b'\\'));
    }
    let name =
        text.iter().position(|&byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(text.len());
    hidden && (text.get(name) == Some(&b'[') || builtin == b"let")
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
}
