//! `toolgate completions`: scripts that complete verbs and flags in a shell.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::TextReport;
use crate::ui::Ui;

/// Print a script that completes commands in a shell
///
/// For bash, say: toolgate completions bash > ~/.local/share/bash-completion/completions/toolgate
#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::table(), "toolgate", &mut script);
        let text = String::from_utf8_lossy(&script).into_owned();
        ui.answer(TextReport { text: text.clone() }, || text)?;
        Ok(Exit::Success)
    }
}
