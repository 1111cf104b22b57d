//! The filter of one command's output: bytes in as they come, a short text out at the end.
//!
//! What it holds up whatever a rule says: a line that states trouble is shown or its place is; an
//! output that is not empty stays so; the result costs no more than what came in; a failed command
//! whose trouble was not recognised is shown as it came; each cut says how much was cut.

use crate::catalog::Catalog;
use crate::command::Argv;
use crate::guard;
use crate::shape::Shape;
use crate::sink::{Budget, Sink};
use crate::stage::{self, Line, Mark, Next, Stage, json};
use crate::stats::{FilterConfidence, FilterStats};
use crate::terminal::Screen;
use crate::tokens;
use regex::RegexSet;
use std::sync::Arc;

/// Output up to this size is remembered, so that it can be shown as it came.
const REMEMBERED: usize = 128 * 1024;
/// Of JSON that turns out to be none: how much can be read again as lines.
const REPLAY: usize = 256 * 1024;
/// JSON shorter than this is not written anew.
const SMALL_JSON: usize = 400;

/// Where a program wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How to filter.
#[derive(Debug, Clone)]
pub struct FilterOptions {
    /// Most bytes of text shown for each stream; beyond it the middle goes, but for lines about trouble.
    pub budget: usize,
    /// How to get at what was cut, written behind the count: `output_read id=…`.
    pub hint: Option<String>,
    /// Lines that are always shown, beside those the engine guards.
    pub always_show: Option<Arc<RegexSet>>,
}

impl Default for FilterOptions {
    fn default() -> Self {
        Self { budget: 512 * 1024, hint: None, always_show: None }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Filtered {
    /// Standard output and then standard error, made short.
    pub text: String,
    /// Exit status of the command, as it was.
    pub exit: i32,
    /// Names of the rules that were used.
    pub rules: Vec<String>,
    /// Lines that are not shown: cut, folded, or beyond the budget.
    pub hidden_lines: u64,
    /// Estimated tokens before.
    pub raw_tokens: usize,
    /// Estimated tokens after.
    pub filtered_tokens: usize,
    /// Numbers about it.
    pub stats: FilterStats,
}

/// Filters the output of one command line.
///
/// ```
/// use toolgate_filter::{Catalog, Filter, FilterOptions, Stream, command};
/// let mut filter = Filter::new(&Catalog::built_in(), &command::commands("cargo build"), FilterOptions::default());
/// for name in ["serde", "regex", "tokio", "rustix", "memchr"] {
///     filter.push(Stream::Stderr, format!("   Compiling {name} v1.0.0\n").as_bytes());
/// }
/// filter.push(Stream::Stderr, b"    Finished `dev` profile target(s) in 1.2s\n");
/// let done = filter.finish(0);
/// assert_eq!(done.text, "    Finished `dev` profile target(s) in 1.2s\n[5 lines cut]\n");
/// ```
pub struct Filter {
    stdout: Side,
    stderr: Side,
    rules: Vec<String>,
    hint: Option<String>,
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filter").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Filter {
    /// A filter for the output of these commands: rules of each part, one after another.
    #[must_use]
    pub fn new(catalog: &Catalog, commands: &[Argv], options: FilterOptions) -> Self {
        let mut rules: Vec<&crate::rule::Rule> = Vec::new();
        let mut unknown = commands.is_empty();
        for argv in commands {
            let found = catalog.rules_for(argv);
            unknown |= found.is_empty();
            for rule in found {
                if !rules.iter().any(|r| r.name == rule.name) {
                    rules.push(rule);
                }
            }
        }
        let plain = !unknown && rules.iter().all(|r| r.plain);
        let side = || {
            let mut stages: Vec<Box<dyn Stage>> = Vec::new();
            for rule in &rules {
                stage::of_rule(rule, &mut stages);
            }
            if !plain {
                stage::general(&mut stages);
            }
            let json = !plain
                || rules
                    .iter()
                    .any(|r| r.steps.iter().any(|s| matches!(s, crate::rule::Step::Shape(Shape::Json))));
            Side::new(stages, json, &options)
        };
        Self {
            stdout: side(),
            stderr: side(),
            rules: rules.iter().map(|r| r.name.to_string()).collect(),
            hint: options.hint.clone(),
        }
    }

    /// Takes what the program wrote.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.push_seen(stream, bytes, &mut |_| ());
    }

    /// The same, and shows each clean line at once to whoever watches.
    pub fn push_seen(&mut self, stream: Stream, bytes: &[u8], seen: &mut dyn FnMut(&str)) {
        match stream {
            Stream::Stdout => self.stdout.push(bytes, seen),
            Stream::Stderr => self.stderr.push(bytes, seen),
        }
    }

    /// The command has ended with this status.
    #[must_use]
    pub fn finish(self, exit: i32) -> Filtered {
        let out = self.stdout.finish();
        let err = self.stderr.finish();
        let lines = out.lines + err.lines;
        let raw_chars = out.raw_chars + err.raw_chars;
        let raw_tokens = out.raw_tokens + err.raw_tokens;

        let mut hidden = out.hidden + err.hidden;
        let mut text = String::with_capacity(out.text.len() + err.text.len() + 64);
        text.push_str(&out.text);
        text.push_str(&err.text);
        let unannounced = out.cut + err.cut;
        let notice = match (&self.hint, hidden) {
            (Some(hint), 1..) => format!("[{hidden} line{} not shown; {hint}]\n", plural(hidden)),
            _ if unannounced > 0 => format!("[{unannounced} line{} cut]\n", plural(unannounced)),
            _ => String::new(),
        };
        // Nothing of a failure was recognised: whatever a rule took for noise may be the reason.
        let unclear = exit != 0 && hidden > 0 && !text.lines().any(guard::tells_why);
        let filtered_tokens = tokens::estimate(&text) + tokens::estimate(&notice);
        // A success of which every line was noise is a count; of anything else, nothing is no answer.
        let nothing = text.trim().is_empty() && (exit != 0 || hidden == 0 || notice.is_empty());
        let worse = filtered_tokens >= raw_tokens && hidden > 0 || nothing;
        let mut confidence = match (out.confidence, err.confidence) {
            // Of two streams one was read by its shape and the other was not.
            (Some(a), Some(b)) if a != b => FilterConfidence::Partial,
            (a, b) => a.or(b).unwrap_or(FilterConfidence::Fallback),
        };
        let mut kept: Vec<u64> = out.kept;
        kept.extend(err.kept.iter().map(|n| n + out.lines));
        if unclear || worse {
            if let (Some(a), Some(b)) = (&out.as_it_came, &err.as_it_came) {
                text.clear();
                text.push_str(a);
                text.push_str(b);
                hidden = 0;
                kept = (1..=lines).collect();
                confidence = FilterConfidence::Fallback;
            } else {
                text.push_str(&notice);
            }
        } else {
            text.push_str(&notice);
        }
        let filtered_tokens = tokens::estimate(&text);
        let stats = FilterStats {
            raw_chars,
            filtered_chars: text.chars().count(),
            raw_lines: usize::try_from(lines).unwrap_or(usize::MAX),
            filtered_lines: text.lines().count(),
            confidence: Some(confidence),
            command: None,
            kept_lines: kept.iter().filter_map(|n| usize::try_from(*n - 1).ok()).collect(),
        };
        Filtered { text, exit, rules: self.rules, hidden_lines: hidden, raw_tokens, filtered_tokens, stats }
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// How a stream is read.
enum Reading {
    /// It is not known yet whether it is JSON.
    Open(Vec<u8>),
    Json {
        shaper: Box<json::Shaper>,
        so_far: Vec<u8>,
        whole: bool,
    },
    Lines,
}

struct Side {
    reading: Reading,
    screen: Screen,
    chain: Chain,
    raw_bytes: u64,
    raw_chars: usize,
}

struct Chain {
    stages: Vec<Box<dyn Stage>>,
    sink: Sink,
    lines: u64,
    /// The clean output while it is small enough to be shown as it came.
    as_it_came: Option<String>,
    tokens: usize,
    always_show: Option<Arc<RegexSet>>,
    json: bool,
    json_hidden: u64,
}

struct SideDone {
    text: String,
    as_it_came: Option<String>,
    lines: u64,
    raw_chars: usize,
    raw_tokens: usize,
    hidden: u64,
    cut: u64,
    kept: Vec<u64>,
    confidence: Option<FilterConfidence>,
}

impl Chain {
    fn line(&mut self, text: &str) {
        self.lines += 1;
        self.remember(text);
        let mark = match &self.always_show {
            Some(set) if set.is_match(text) => Mark::Note,
            _ => Mark::Line,
        };
        // One line of JSON among others: its rows are folded as those of a whole document.
        let folded = if text.len() > 2000 && self.json && text.trim_start().starts_with(['{', '[']) {
            json::shape(text)
        } else {
            None
        };
        let shown = match &folded {
            Some((shorter, hidden)) => {
                self.json_hidden += hidden;
                shorter
            }
            None => text,
        };
        let line = Line { mark, ..Line::new(shown, self.lines) };
        Next { rest: &mut self.stages, sink: &mut self.sink }.line(line);
    }

    fn remember(&mut self, text: &str) {
        if let Some(raw) = &mut self.as_it_came {
            if raw.len() + text.len() > REMEMBERED {
                self.tokens = tokens::estimate(raw);
                self.as_it_came = None;
                self.tokens += text.len() / 4;
            } else {
                raw.push_str(text.trim_end());
                raw.push('\n');
            }
        } else {
            self.tokens += text.len() / 4 + 1;
        }
    }
}

impl Side {
    fn new(stages: Vec<Box<dyn Stage>>, json: bool, options: &FilterOptions) -> Self {
        Self {
            reading: if json { Reading::Open(Vec::new()) } else { Reading::Lines },
            screen: Screen::default(),
            chain: Chain {
                stages,
                sink: Sink::new(Budget::of(options.budget)),
                lines: 0,
                as_it_came: Some(String::new()),
                tokens: 0,
                always_show: options.always_show.clone(),
                json,
                json_hidden: 0,
            },
            raw_bytes: 0,
            raw_chars: 0,
        }
    }

    fn push(&mut self, bytes: &[u8], seen: &mut dyn FnMut(&str)) {
        self.raw_bytes += bytes.len() as u64;
        self.raw_chars += characters(bytes);
        match &mut self.reading {
            Reading::Lines => self.lines(bytes, seen),
            Reading::Open(start) => {
                start.extend_from_slice(bytes);
                match json::may_begin(start) {
                    None if start.len() < 4096 => {}
                    Some(true) => {
                        let start = std::mem::take(start);
                        self.reading =
                            Reading::Json { shaper: Box::default(), so_far: Vec::new(), whole: true };
                        self.json(&start, seen);
                    }
                    _ => {
                        let start = std::mem::take(start);
                        self.reading = Reading::Lines;
                        self.lines(&start, seen);
                    }
                }
            }
            Reading::Json { .. } => self.json(bytes, seen),
        }
    }

    fn lines(&mut self, bytes: &[u8], seen: &mut dyn FnMut(&str)) {
        let chain = &mut self.chain;
        self.screen.push(bytes, &mut |text| {
            seen(text);
            chain.line(text);
        });
    }

    fn json(&mut self, bytes: &[u8], seen: &mut dyn FnMut(&str)) {
        let Reading::Json { shaper, so_far, whole } = &mut self.reading else { return };
        if *whole {
            if so_far.len() + bytes.len() <= REPLAY {
                so_far.extend_from_slice(bytes);
            } else {
                *whole = false;
            }
        }
        match shaper.push(bytes) {
            Ok(used) if used == bytes.len() => match std::str::from_utf8(bytes) {
                Ok(text) => seen(text),
                Err(_) => seen(&String::from_utf8_lossy(bytes)),
            },
            // Not JSON, or something follows it. A short beginning is read again as lines.
            _ if *whole => {
                let start = std::mem::take(so_far);
                self.reading = Reading::Lines;
                self.lines(&start, seen);
            }
            result => {
                self.end_json(false);
                self.reading = Reading::Lines;
                let used = result.unwrap_or(0);
                self.lines(&bytes[used..], seen);
            }
        }
    }

    /// The document has ended, or reading it as one has.
    fn end_json(&mut self, at_end: bool) {
        let reading = std::mem::replace(&mut self.reading, Reading::Lines);
        let Reading::Json { shaper, so_far, whole } = reading else { return };
        let hidden = shaper.hidden;
        let shaped = shaper.finish();
        let readable = whole && at_end;
        match shaped {
            Ok(text) if !(readable && hidden == 0 && so_far.len() < SMALL_JSON) => {
                if readable {
                    let raw = String::from_utf8_lossy(&so_far);
                    if hidden == 0 && tokens::estimate(&text) * 10 > tokens::estimate(&raw) * 9 {
                        return self.lines(&so_far, &mut |_| ());
                    }
                    for line in raw.lines() {
                        self.chain.lines += 1;
                        self.chain.remember(line);
                    }
                } else {
                    self.chain.as_it_came = None;
                    self.chain.lines += 1;
                    self.chain.tokens += usize::try_from(self.raw_bytes / 3).unwrap_or(usize::MAX);
                }
                self.chain.sink.folded += hidden;
                self.chain.sink.explained += 1;
                self.chain.sink.line(&text, 1);
            }
            Ok(_) | Err(_) => self.lines(&so_far, &mut |_| ()),
        }
    }

    fn finish(mut self) -> SideDone {
        match &mut self.reading {
            Reading::Open(start) => {
                let start = std::mem::take(start);
                self.reading = Reading::Lines;
                self.lines(&start, &mut |_| ());
            }
            Reading::Json { .. } => self.end_json(true),
            Reading::Lines => {}
        }
        let chain = &mut self.chain;
        self.screen.finish(&mut |text| chain.line(text));
        let Chain { mut stages, mut sink, lines, as_it_came, tokens, json_hidden, .. } = self.chain;
        stage::finish(&mut stages, &mut sink);
        let (mut text, mut kept) = sink.render();
        let mut cut = sink.cut;
        let mut hidden = sink.cut + sink.folded + sink.lost() + json_hidden;
        let raw_tokens = as_it_came.as_deref().map_or(tokens, tokens::estimate);
        let as_it_came = as_it_came.map(|raw| tidy(&raw));
        let mut confidence = match (lines, hidden, sink.unexplained, sink.lost()) {
            (0, ..) => None,
            (_, 1.., 0, 0) => Some(FilterConfidence::Full),
            (_, 0, 0, 0) if sink.explained > 0 => Some(FilterConfidence::Full),
            (_, 0, _, 0) if sink.explained == 0 => Some(FilterConfidence::Fallback),
            _ => Some(FilterConfidence::Partial),
        };
        // A stream that came out no shorter is shown as it came.
        if let Some(raw) = &as_it_came
            && tokens::estimate(&text) >= tokens::estimate(raw)
        {
            text.clone_from(raw);
            if hidden > 0 {
                confidence = Some(FilterConfidence::Fallback);
                kept = (1..=lines).collect();
            }
            cut = 0;
            hidden = 0;
        }
        SideDone {
            text,
            as_it_came,
            lines,
            raw_chars: self.raw_chars,
            raw_tokens,
            hidden,
            cut,
            kept,
            confidence,
        }
    }
}

/// Characters of a text, whatever its pieces: each has one byte that goes on from none.
fn characters(bytes: &[u8]) -> usize {
    // In steps that a byte can count, so that many are counted at once.
    let starts = |part: &[u8]| usize::from(part.iter().fold(0u8, |n, b| n + u8::from(*b & 0xc0 != 0x80)));
    bytes.chunks(255).map(starts).sum()
}

/// Runs of blank lines made one, none at the ends.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines() {
        let empty = line.is_empty();
        if !(empty && blank) {
            out.push_str(line);
            out.push('\n');
        }
        blank = empty;
    }
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}
