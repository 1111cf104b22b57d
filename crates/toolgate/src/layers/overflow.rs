//! Keeps what is too long to be shown, and shows both ends of it.

use toolgate_exec::{
    BoxFuture, Layer, Next, Outcome, Request, Session, StoredOutput, ToolOutput, Truncation,
};

use crate::output::{Outputs, lines, link, shorten};

/// Characters that notices on what was cut, and on how a command ended, may have beside a text.
const NOTES: usize = 1_000;

/// How much longer a result as data may be than the text: it is for programs, and JSON is wordy.
const LONGEST_AS_DATA: usize = 8;

/// Cuts every text that is longer than a model is to read, after the whole of it was kept.
///
/// It stands outside of the redaction and the filter: what is still too long then is cut here. In any
/// other order it still stores nothing unmasked, as it masks what it writes. The text that is left
/// has the beginning, the end, what is missing between, who cut it and how to read on.
#[derive(Clone, Debug)]
pub struct OverflowLayer {
    outputs: Outputs,
}

impl OverflowLayer {
    /// Keeps outputs in this store.
    pub fn new(outputs: Outputs) -> Self {
        Self { outputs }
    }

    fn cut(&self, session: &Session, output: &mut ToolOutput) {
        self.cut_text(session, output);
        self.cut_structured(session, output);
    }

    fn cut_text(&self, session: &Session, output: &mut ToolOutput) {
        let most = self.outputs.threshold();
        // What was cut or filtered before says so, and that is not to be cut off again.
        let noted = output.stored.is_some() || output.truncation.is_some() || output.filter_stats.is_some();
        let notes = if noted { NOTES } else { 0 };
        if output.summary.chars().nth(most.saturating_add(notes)).is_none() {
            return;
        }
        output.summary = self.outputs.masked(&output.summary, session);
        let Some((head, tail)) = shorten(&output.summary, most) else { return };
        if !self.has(output) {
            output.stored = self.outputs.id().map(|id| self.outputs.save(id, &output.summary));
            output.links.extend(output.stored.as_ref().and_then(link));
        }
        let total = output.summary.len();
        let hidden = output.summary.get(head.len()..total - tail.len()).unwrap_or_default().as_bytes();
        let by_line = hidden.contains(&b'\n');
        let id = output.stored.as_ref().and_then(|stored| stored.id.as_ref());
        let read = id.map_or_else(String::new, |id| {
            // Of what a filter made shorter before, the places are others.
            let how = match output.filter_stats {
                Some(_) => self.outputs.how(id),
                None => self.outputs.how_from(id, lines(head.as_bytes()) + 1, head.len() as u64, by_line),
            };
            format!("; {how}")
        });
        let ends = hidden.iter().filter(|b| **b == b'\n').count() as u64;
        let not_kept = output.stored.as_ref().and_then(StoredOutput::not_kept);
        let not_kept = not_kept.map_or_else(String::new, |what| format!("; {what}"));
        let dropped = hidden.len() as u64;
        output.truncation.get_or_insert(Truncation {
            total_bytes: total as u64,
            dropped_bytes: dropped,
            dropped_lines: ends,
        });
        output.summary = format!(
            "{}\n[… toolgate: {dropped} of {total} bytes ({ends} lines) not shown{read}{not_kept} …]\n{tail}",
            head.strip_suffix('\n').unwrap_or(head),
        );
    }

    /// Takes out a result as data that is far longer than the text may be.
    fn cut_structured(&self, session: &Session, output: &mut ToolOutput) {
        let Some(structured) = &output.structured else { return };
        let text = structured.to_string();
        if text.len() <= self.outputs.threshold().saturating_mul(LONGEST_AS_DATA) {
            return;
        }
        let text = self.outputs.masked(&text, session);
        let stored = self.outputs.id().map(|id| self.outputs.save(id, &text));
        let how = stored.as_ref().and_then(|stored| stored.read.clone());
        let how = how.map_or_else(String::new, |how| format!("; {how}"));
        output.structured = None;
        output.links.extend(stored.as_ref().and_then(link));
        output
            .summary
            .push_str(&format!("\n[… toolgate: the result as data, {} bytes, not shown{how} …]", text.len()));
    }

    /// Whether the whole of it is in our store already, whatever a tool says.
    fn has(&self, output: &ToolOutput) -> bool {
        let id = output.stored.as_ref().and_then(|stored| stored.id.as_ref());
        let id = id.and_then(|id| toolgate_filter::overflow::OutputId::parse(id).ok());
        id.is_some_and(|id| self.outputs.store().is_ok_and(|store| store.read(&id).is_ok()))
    }
}

impl Layer for OverflowLayer {
    fn name(&self) -> &'static str {
        "overflow"
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let session = request.session().clone();
            // The window that a reading tool was asked for is what it gives, and is bounded.
            let windowed = crate::tools::output::is_one(&request.call().tool_id);
            let mut outcome = next.run(request).await;
            match &mut outcome {
                Ok(output) if !windowed => self.cut(&session, output),
                Ok(_) => {}
                Err(error) => {
                    error.each_output(&mut |output| self.cut(&session, output));
                    let most = self.outputs.threshold();
                    error.each_text(&mut |text| {
                        if let Some((head, tail)) = shorten(text, most) {
                            let dropped = text.len() - head.len() - tail.len();
                            *text = format!("{head}[… toolgate: {dropped} bytes not shown …]{tail}");
                        }
                    });
                }
            }
            outcome
        })
    }
}
