//! `toolgate explain`: what a reason's code means, and what is known about a program.

use std::fmt::Write as _;

use toolgate::gates;
use toolgate::policy::explain;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::TextReport;
use crate::ui::Ui;

/// Explain a reason's code, or what is known about a program
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The code of a reason, such as `egress-not-allowed`
    #[arg(required_unless_present_any = ["program", "codes", "reference"])]
    code: Option<String>,

    /// The program: its options, operands and what each can do
    #[arg(long, value_name = "NAME", conflicts_with = "code")]
    program: Option<String>,

    /// Every code with its meaning, a line each
    #[arg(long, conflicts_with_all = ["code", "program"])]
    codes: bool,

    /// A page about every program that is known, as Markdown
    #[arg(long, conflicts_with_all = ["code", "program", "codes"])]
    reference: bool,
}

impl Explain {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let text = match self {
            Self { reference: true, .. } => explain::reference(),
            Self { codes: true, .. } => {
                gates::codes().iter().map(|text| format!("{} {}\n", text.code, text.why)).collect()
            }
            Self { program: Some(program), .. } => of_program(&program)?,
            Self { code, .. } => of_code(&code.unwrap_or_default())?,
        };
        ui.answer(TextReport { text: text.clone() }, || text)?;
        Ok(Exit::Success)
    }
}

fn of_program(program: &str) -> Result<String, Failure> {
    explain::program(program).ok_or_else(|| {
        let known: Vec<&str> = toolgate::policy::knowledge::programs().collect();
        let near = toolgate::exec::registry::nearest(program, known);
        Failure::Usage {
            message: format!("nothing is known about `{program}`"),
            hint: Some(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "a program without an entry is asked about: it could do anything".to_owned(),
            }),
        }
    })
}

fn of_code(code: &str) -> Result<String, Failure> {
    let found = gates::explain(code).ok_or_else(|| {
        let codes = gates::codes();
        let near = toolgate::exec::registry::nearest(code, codes.iter().map(|c| c.code));
        Failure::Usage {
            message: format!("no reason has the code `{code}`"),
            hint: Some(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`toolgate explain --codes` lists them".to_owned(),
            }),
        }
    })?;
    let mut text = format!("{}: {}\n", found.code, found.why);
    if let Some(verdict) = found.verdict {
        // Writing to a String can't fail.
        let _ = writeln!(text, "verdict: {}", verdict.name());
    }
    if !found.instead.is_empty() {
        let _ = writeln!(text, "instead: {}", found.instead);
    }
    Ok(text)
}
