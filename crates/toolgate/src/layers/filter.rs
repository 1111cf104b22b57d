//! Makes what a tool gave shorter without losing a fact.

use toolgate_exec::{BoxFuture, Layer, Next, Outcome, Request, Session, ToolOutput};
use toolgate_filter::Stream;

use crate::output::{Filters, Outputs, exec_stats, leaves_out, link};

/// Makes the output of commands shorter by the rules for them, and the output of other tools where it
/// is too long to be shown.
///
/// It stands outside of the redaction, whose text it reads, and inside of the overflow, which cuts
/// what is still too long. What it leaves out is kept in the store of outputs first, and its notice
/// says how to read it. A tool that filters its own output as it streams (the shell does) is left alone.
#[derive(Clone, Debug)]
pub struct FilterLayer {
    filters: Filters,
    outputs: Option<Outputs>,
}

impl FilterLayer {
    /// Filters by these rules.
    pub fn new(filters: Filters) -> Self {
        Self { filters, outputs: None }
    }

    /// Keeps what it leaves out.
    #[must_use]
    pub fn keeping(mut self, outputs: Outputs) -> Self {
        self.outputs = Some(outputs);
        self
    }

    /// `otherwise` is the exit status where the output has none.
    fn filter(&self, call: &Call, otherwise: i32, output: &mut ToolOutput) {
        let command = call.command.as_deref();
        let most = self.outputs.as_ref().map_or(crate::shell::SHOWN_CHARS, Outputs::threshold);
        // What is no output of a command was asked for as it is: it stays, unless it can't be shown.
        let wanted = command.is_some() || output.summary.chars().nth(most).is_some();
        if output.filter_stats.is_some() || !wanted {
            return;
        }
        if let Some(outputs) = &self.outputs {
            output.summary = outputs.masked(&output.summary, &call.session);
        }
        let id = self.outputs.as_ref().and_then(Outputs::id);
        let how = id.zip(self.outputs.as_ref()).map(|(id, outputs)| outputs.how(&id.to_string()));
        let mut filter = self.filters.begin(command.unwrap_or_default(), most, how.clone());
        filter.push(Stream::Stdout, output.summary.as_bytes());
        let mut done = filter.finish(output.exit.map_or(otherwise, |exit| exit.shell_code()));
        if done.filtered_tokens >= done.raw_tokens {
            return;
        }
        if let (true, Some(id), Some(outputs)) = (leaves_out(&done), id, &self.outputs) {
            let stored = outputs.save(id, &output.summary);
            if done.hidden_lines == 0 {
                // Of a line that was cut the filter gives no count, and so no notice.
                done.text.push_str(&format!("[not all of it shown; {}]\n", outputs.how(&id.to_string())));
            }
            if let (None, Some(how)) = (&stored.id, how) {
                // It could not be kept, so nothing must tell to read it.
                done.text = done.text.replace(&format!("; {how}"), "");
            }
            output.links.extend(link(&stored));
            output.stored = Some(stored);
        }
        let command = command_or(&call.command, &call.tool).trim();
        let shown = match &self.outputs {
            Some(outputs) => outputs.masked(command, &call.session),
            None => toolgate_filter::redact::redact(command, &Default::default()).into_owned(),
        };
        let stats = exec_stats(&done, shown);
        done.text.truncate(done.text.trim_end().len());
        output.summary = done.text;
        self.filters.finished(&stats);
        output.filter_stats = Some(stats);
    }
}

/// What of a call the filter goes by.
struct Call {
    tool: String,
    /// The command line, where the tool runs one.
    command: Option<String>,
    session: Session,
}

fn command_or<'a>(command: &'a Option<String>, tool: &'a str) -> &'a str {
    command.as_deref().unwrap_or(tool)
}

impl Layer for FilterLayer {
    fn name(&self) -> &'static str {
        "filter"
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let runs = request.call().capabilities().has(toolgate_exec::Capabilities::EXECUTES);
            let call = Call {
                tool: request.call().tool_id.to_string(),
                command: request.call().text("command").filter(|_| runs).map(str::to_owned),
                session: request.session().clone(),
            };
            // The window that a reading tool was asked for is what it gives.
            let windowed = crate::tools::output::is_one(&request.call().tool_id);
            let mut outcome = next.run(request).await;
            if windowed {
                return outcome;
            }
            match &mut outcome {
                Ok(output) => self.filter(&call, 0, output),
                // It failed, whatever it said until then.
                Err(error) => error.each_output(&mut |output| self.filter(&call, 1, output)),
            }
            outcome
        })
    }
}
