//! The programs a script may run, by name.

use crate::Text;
use crate::ast::{Script, SimpleCommand, Span};
use crate::plain::plain_text;
use crate::walk::{Path, Visitor, walk};

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

/// Every command word of a script, in the order of [`walk`].
///
/// Names are taken from the words as they stand: a variable is not looked up. Wrappers are not looked
/// into either: for `sudo ls` this gives `sudo`.
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
    let mut collector = Collector { programs: Vec::new() };
    walk(script, &mut collector);
    collector.programs
}

struct Collector {
    programs: Vec<Program>,
}

impl<'s> Visitor<'s> for Collector {
    fn simple(&mut self, command: &'s SimpleCommand, _path: Path<'_, 's>) {
        if let Some(word) = command.words.first() {
            let name = plain_text(word).filter(|name| !name.is_empty()).map(|name| Text::from(name.as_ref()));
            self.programs.push(Program { name, span: word.span });
        }
    }
}
