//! `toolgate explain`: what a reason's code means, and what is known about a program.

use std::fmt::Write as _;

use toolgate::policy::explain;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::TextReport;
use crate::ui::Ui;

/// Explain a reason's code, or what is known about a program
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The code of a reason, such as `egress-not-allowed`
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    code: Option<String>,

    /// The program: its options, operands and what each can do
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
}

impl Explain {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let text = match (&self.program, &self.code) {
            (Some(program), _) => explain::program(program).ok_or_else(|| Failure::Usage {
                message: format!("nothing is known about `{program}`"),
                hint: Some("a program without an entry is asked about: it could do anything".to_owned()),
            })?,
            (None, code) => {
                let code = code.as_deref().unwrap_or_default();
                let found = explain::code(code).ok_or_else(|| {
                    let codes = explain::codes();
                    let near = toolgate::exec::registry::nearest(code, codes.iter().map(|c| c.code));
                    Failure::Usage {
                        message: format!("no reason has the code `{code}`"),
                        hint: near.map(|near| format!("did you mean `{near}`?")),
                    }
                })?;
                let mut text = format!("{}: {}\n", found.code, found.why);
                if let Some(verdict) = found.verdict {
                    let _ = writeln!(text, "the default profile says: {}", verdict.name());
                }
                if !found.instead.is_empty() {
                    let _ = writeln!(text, "instead: {}", found.instead);
                }
                text
            }
        };
        ui.answer(TextReport { text: text.clone() }, || text)?;
        Ok(Exit::Success)
    }
}
