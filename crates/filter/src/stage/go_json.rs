//! `go test -json`: what the tests wrote, package by package, as `go test -v` would have printed it.

use super::{Line, Next, Stage};
use crate::known::KnownSet;
use serde::Deserialize;

/// Text held for packages that still run; beyond it, what there is is handed on.
const HELD: usize = 512 * 1024;

/// Packages run side by side, and their events come mixed: each is shown when it has ended.
#[derive(Default)]
pub(crate) struct GoJson {
    packages: Vec<(String, Vec<Piece>)>,
    held: usize,
    /// Tests and packages whose failure their output tells.
    told: KnownSet,
}

struct Piece {
    text: String,
    number: u64,
    /// Nothing of the line is missing.
    whole: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    output: Option<String>,
}

fn key(package: &str, test: &str) -> u64 {
    package.bytes().chain([0]).chain(test.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl GoJson {
    fn hold(&mut self, package: &str, text: &str, number: u64) {
        self.held += text.len() + 32;
        let at = match self.packages.iter().position(|(name, _)| name == package) {
            Some(at) => at,
            None => {
                self.packages.push((package.to_owned(), Vec::new()));
                self.packages.len() - 1
            }
        };
        let pieces = &mut self.packages[at].1;
        let (body, whole) = text.strip_suffix('\n').map_or((text, false), |body| (body, true));
        match pieces.last_mut().filter(|last| !last.whole) {
            Some(last) => {
                last.text.push_str(body);
                last.whole = whole;
            }
            None => pieces.push(Piece { text: body.to_owned(), number, whole }),
        }
    }

    fn show(&mut self, at: usize, next: &mut Next<'_>) {
        let (_, pieces) = self.packages.remove(at);
        for piece in pieces {
            self.held = self.held.saturating_sub(piece.text.len() + 32);
            next.line(Line::new(&piece.text, piece.number).known());
        }
    }
}

impl Stage for GoJson {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() || !line.text.starts_with('{') {
            return next.line(line);
        }
        let Ok(event) = serde_json::from_str::<Event>(line.text) else { return next.line(line) };
        let test = event.test.as_deref().unwrap_or_default();
        match (event.action.as_str(), event.output) {
            ("output" | "build-output", Some(text)) => {
                if text.trim_start().starts_with("--- FAIL: ") || text.starts_with("FAIL\t") {
                    self.told.insert(key(&event.package, test));
                }
                self.hold(&event.package, &text, line.number);
                if self.held > HELD {
                    while !self.packages.is_empty() {
                        self.show(0, next);
                    }
                }
            }
            ("start" | "run" | "pause" | "cont" | "pass" | "skip" | "bench" | "build-fail", _) => next.cut(1),
            ("fail", _) if self.told.contains(&key(&event.package, test)) => next.cut(1),
            // A failure of which nothing was written: the event itself says so.
            _ => self.hold(&event.package, &format!("{}\n", line.text), line.number),
        }
        let ended = test.is_empty() && matches!(event.action.as_str(), "pass" | "fail" | "skip");
        if ended && let Some(at) = self.packages.iter().position(|(name, _)| *name == event.package) {
            self.show(at, next);
        }
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        while !self.packages.is_empty() {
            self.show(0, next);
        }
    }
}
