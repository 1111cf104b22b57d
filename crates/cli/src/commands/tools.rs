//! `toolgate tools`: what an agent is given.

use std::fmt::Write as _;

use serde_json::Value;
use toolgate::exec::registry::ToolFormat;
use toolgate::exec::{InvocationHint, ToolDef, ToolExecutor, ToolRegistry};

use super::Globals;
use crate::assemble::Assembly;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{ToolReport, ToolsReport};
use crate::session_flags::{SessionFlags, start_dir};
use crate::ui::{Style, Ui};

/// List the tools an agent is given
///
/// With --format, prints their definitions as the array that a protocol or model takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Tools {
    /// Print the definitions in this form
    #[arg(long, value_name = "FORM")]
    format: Option<Form>,
}

/// A form of tool definitions.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    /// The tools of an MCP `tools/list` result.
    Mcp,
    /// The tools of an OpenAI chat completion request.
    #[value(name = "openai")]
    OpenAi,
    /// The tools of an Anthropic messages request.
    Anthropic,
    /// Text for a model that takes its tools in the prompt.
    Prompt,
}

impl Tools {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let assembly = Assembly::load(&start_dir(None)?, &globals.config, &SessionFlags::plain())?;
        // Listing runs nothing, but a tool may hold on to the runtime it is made in.
        let tools = crate::assemble::in_runtime(async |signals| {
            Ok(ToolRegistry::from_definitions(
                assembly.pipeline(&SessionFlags::plain(), &signals)?.tool_definitions(),
            ))
        })?;
        let array = |format: ToolFormat| {
            let all: Value = tools.tools().iter().map(|def| def.export(format)).collect();
            format!("{all:#}\n")
        };
        match self.format {
            Some(Form::Mcp) => ui.print(&array(ToolFormat::Mcp))?,
            Some(Form::OpenAi) => ui.print(&array(ToolFormat::OpenAi))?,
            Some(Form::Anthropic) => ui.print(&array(ToolFormat::Anthropic))?,
            Some(Form::Prompt) => ui.print(&format!("{}\n", tools.format_for_prompt()))?,
            None => {
                let report = ToolsReport { tools: tools.tools().iter().map(report).collect() };
                ui.answer(report, || tools.tools().iter().map(|def| listed(ui, def)).collect())?;
            }
        }
        Ok(Exit::Success)
    }
}

fn report(def: &ToolDef) -> ToolReport {
    ToolReport {
        id: def.id.to_string(),
        description: def.description.to_string(),
        fence: match &def.invocation {
            InvocationHint::FencedBlock(tag) => Some(tag.to_string()),
            InvocationHint::ToolCall => None,
        },
        capabilities: def.capabilities.names().into_iter().map(str::to_owned).collect(),
        schema: def.schema.clone(),
        output_schema: def.output_schema.clone(),
    }
}

/// A tool for a person: what it is called, does, can do, and takes.
fn listed(ui: Ui, def: &ToolDef) -> String {
    let can = def.capabilities.names().join(", ");
    let mut text =
        format!("{}  {}\n", ui.out_style(Style::Strong, &def.id), ui.out_style(Style::Faint, &can));
    let about = def.description.lines().next().unwrap_or_default();
    // Writing to a String can't fail.
    let _ = writeln!(text, "    {about}");
    let required = def.schema.get("required").and_then(Value::as_array);
    let names = def.schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let params: Vec<String> = names
        .map(|(name, _)| match required.is_some_and(|r| r.iter().any(|n| n == name)) {
            true => name.clone(),
            false => format!("[{name}]"),
        })
        .collect();
    if !params.is_empty() {
        let _ = writeln!(text, "    takes {}", params.join(" "));
    }
    text
}
