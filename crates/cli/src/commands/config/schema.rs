//! `toolgate config schema`: the JSON Schema of `toolgate.toml`.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::SchemaReport;
use crate::ui::Ui;

/// Print the JSON Schema of toolgate.toml
///
/// Editors complete and check the file by it.
#[derive(Debug, clap::Args)]
pub(crate) struct Schema {}

impl Schema {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let schema = toolgate::config::schema();
        ui.answer(SchemaReport { schema: schema.clone() }, || format!("{schema:#}\n"))?;
        Ok(Exit::Success)
    }
}
