//! `toolgate man`: the manual pages.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::TextReport;
use crate::ui::Ui;

/// Print a manual page
///
/// In roff, for `man -l -`: toolgate man run | man -l -
#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The verb it is about, such as `run` or `config show`; toolgate itself where none is given
    verb: Vec<String>,
}

impl Man {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let mut table = super::table();
        // Gives every verb the flags from above and its full name: toolgate-config-show.
        table.build();
        let mut command = &table;
        for name in &self.verb {
            command = command.find_subcommand(name).ok_or_else(|| {
                let known: Vec<_> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
                Failure::usage(
                    format!("there is no page about `{name}`"),
                    format!("there are: {}", known.join(", ")),
                )
            })?;
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command.clone())
            .render(&mut page)
            .map_err(|error| Failure::io("writing the manual page", error))?;
        let text = String::from_utf8_lossy(&page).into_owned();
        ui.answer(TextReport { text: text.clone() }, || text)?;
        Ok(Exit::Success)
    }
}
