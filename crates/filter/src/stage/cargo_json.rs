//! `cargo … --message-format json`: what the compiler said, as it would have printed it.

use super::{Line, Next, Stage};
use serde::Deserialize;

pub(crate) struct CargoJson;

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    message: Option<Rendered>,
}

#[derive(Deserialize)]
struct Rendered {
    #[serde(default)]
    rendered: Option<String>,
}

impl Stage for CargoJson {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() || !line.text.starts_with("{\"reason\":") {
            return next.line(line);
        }
        let Ok(message) = serde_json::from_str::<Message>(line.text) else { return next.line(line) };
        match (message.reason.as_str(), message.message.and_then(|m| m.rendered)) {
            ("compiler-message", Some(rendered)) => {
                for part in crate::strip_ansi(&rendered).lines() {
                    next.line(Line { text: part, ..line.known() });
                }
            }
            ("compiler-artifact" | "build-script-executed", _) => next.cut(1),
            _ => next.line(line.known()),
        }
    }

    fn finish(&mut self, _: &mut Next<'_>) {}
}
