//! `toolgate call`: one structured call of any tool.

use serde_json::{Map, Value};
use toolgate::exec::ToolCall;

use super::Globals;
use crate::assemble::{self, Assembly};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::session_flags::SessionFlags;
use crate::ui::Ui;

/// Call one tool with JSON parameters
///
/// Prints what a model would be told. See `toolgate tools` for the tools and their parameters.
#[derive(Debug, clap::Args)]
#[command(after_long_help = crate::exit::HELP)]
pub(crate) struct Call {
    /// The tool's id
    tool: String,

    /// The parameters, a JSON object; `-` reads it from stdin
    #[arg(default_value = "{}")]
    params: String,

    #[command(flatten)]
    session: SessionFlags,
}

impl Call {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let text = if self.params == "-" { input::stdin("the parameters")? } else { self.params };
        let params: Map<String, Value> = serde_json::from_str(&text).map_err(|error| {
            Failure::usage(
                format!("the parameters are no JSON object: {error}"),
                r#"quote them for the shell: toolgate call bash '{"command": "ls"}'"#,
            )
        })?;
        let start = self.session.start()?;
        let assembly = Assembly::load(&start, &globals.config, &self.session)?;
        let call = ToolCall::new(self.tool, params).with_context(self.session.context(&start));

        assemble::in_runtime(async |signals| {
            let agent = assembly.pipeline(&self.session, &signals)?;
            super::tell(ui, assemble::run_call(&agent, call, &self.session, &signals).await)
        })
    }
}
