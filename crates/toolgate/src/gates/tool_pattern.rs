//! A tool, or a part of what it can do, named in a list: `read`, `Bash(cargo *)`, `Read(./src/**)`.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use toolgate_exec::{ToolCall, ToolId, normalize_tool_id};
use toolgate_policy::analyse::{Analysis, CommandRun};
use toolgate_policy::effect::Kind;
use toolgate_policy::path::join;

use crate::understanding::Understood;

/// A pattern that can't be read. A list with one does not load: a refusal that is dropped in silence lets things through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` names no tool or part of one: {why}")]
pub struct BadPattern {
    pattern: String,
    why: String,
}

/// Names a tool, or those of its calls whose argument fits.
///
/// For a shell the argument is matched against the words of commands, never against the raw
/// text: `Bash(cargo *)` is the program `cargo` with any arguments, wherever bash would run it.
/// For other tools it is a glob over their path or URL; relative globs are taken from the call's directory.
#[derive(Clone, Debug)]
pub struct ToolPattern {
    id: ToolId,
    argument: Option<Argument>,
    text: String,
}

#[derive(Clone, Debug)]
struct Argument {
    words: Vec<WordPattern>,
    /// It ends in `*`: any words may follow.
    open: bool,
    glob: String,
}

/// What a word may be.
#[derive(Clone, Debug)]
enum WordPattern {
    /// This.
    Is(String),
    /// What the glob fits. Boxed: a compiled one is large.
    Like(Box<GlobMatcher>),
}

impl WordPattern {
    fn parse(text: &str) -> Result<Self, String> {
        // Most words of patterns are no globs, and comparing is much cheaper.
        if !text.contains(['*', '?', '[', ']', '{', '}', '\\']) {
            return Ok(Self::Is(text.to_owned()));
        }
        let built = GlobBuilder::new(text).literal_separator(false).backslash_escape(true).build();
        built.map(|g| Self::Like(Box::new(g.compile_matcher()))).map_err(|e| e.kind().to_string())
    }

    fn fits(&self, word: &str) -> bool {
        match self {
            Self::Is(text) => text == word,
            Self::Like(glob) => glob.is_match(word),
        }
    }
}

/// How surely a call is one of those that a pattern names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All of what it would do is.
    All,
    /// Some of it is.
    Part,
    /// Nobody can know.
    Unknown,
    /// None of it is.
    None,
}

impl ToolPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Where the name is empty, a parenthesis is open, or a glob is malformed.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let bad = |why: &str| BadPattern { pattern: text.to_owned(), why: why.to_owned() };
        let id = normalize_tool_id(text);
        if id.is_empty() {
            return Err(bad("the name is empty"));
        }
        let argument = match text.split_once('(') {
            None => None,
            Some((_, rest)) => {
                let inside =
                    rest.trim_end().strip_suffix(')').ok_or_else(|| bad("the parenthesis is not closed"))?;
                Some(Argument::parse(inside).map_err(|why| bad(&why))?)
            }
        };
        Ok(Self { id, argument, text: text.trim().to_owned() })
    }

    /// The tool it names.
    pub fn id(&self) -> &ToolId {
        &self.id
    }

    /// Whether it names the tool as a whole.
    pub fn is_whole_tool(&self) -> bool {
        self.argument.is_none()
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether each command of a shell call is named by one of `list`, and nothing of it is unknown.
    pub fn cover_each_command(list: &[Self], call: &ToolCall) -> bool {
        let arguments: Vec<_> =
            list.iter().filter(|p| p.id == call.tool_id).filter_map(|p| p.argument.as_ref()).collect();
        call.finding::<Understood>().is_some_and(|Understood(analysis)| {
            !is_blind(analysis)
                && !analysis.commands.is_empty()
                && analysis.commands.iter().all(|c| arguments.iter().any(|a| a.fits_command(c)))
        })
    }

    /// Whether a call is one of those it names.
    pub fn fits(&self, call: &ToolCall) -> Fit {
        if call.tool_id != self.id {
            return Fit::None;
        }
        let Some(argument) = &self.argument else { return Fit::All };
        if call.capabilities().executes() {
            return match call.finding::<Understood>() {
                Some(Understood(analysis)) => {
                    let blind = is_blind(analysis);
                    let fits = analysis.commands.iter().filter(|c| argument.fits_command(c)).count();
                    match fits {
                        0 if blind || analysis.commands.is_empty() => Fit::Unknown,
                        0 => Fit::None,
                        all if all == analysis.commands.len() && !blind => Fit::All,
                        _ => Fit::Part,
                    }
                }
                None => Fit::Unknown,
            };
        }
        argument.fits_place(call)
    }
}

/// Whether some of what a command would do can't be known.
fn is_blind(analysis: &Analysis) -> bool {
    analysis.unknown.is_some() || analysis.effects.iter().any(|e| e.kind == Kind::Unknown)
}

impl Argument {
    fn parse(inside: &str) -> Result<Self, String> {
        // `cargo:*` is another spelling of `cargo *`.
        let spelled = inside.trim().replace(":*", " *");
        let mut words: Vec<&str> = spelled.split_ascii_whitespace().collect();
        if words.is_empty() {
            return Err("there is nothing between the parentheses".to_owned());
        }
        let open = words.last() == Some(&"*");
        if open {
            words.pop();
        }
        Ok(Self {
            words: words.into_iter().map(WordPattern::parse).collect::<Result<_, _>>()?,
            open,
            glob: inside.trim().to_owned(),
        })
    }

    fn fits_command(&self, command: &CommandRun) -> bool {
        let enough = if self.open {
            command.words.len() >= self.words.len()
        } else {
            command.words.len() == self.words.len()
        };
        enough
            && self.words.iter().enumerate().all(|(at, pattern)| {
                // A program is named by its file name; a word that is not known fits nothing.
                let word = match at {
                    0 => command.program(),
                    _ => command.words.get(at).and_then(|w| w.exact()),
                };
                word.is_some_and(|w| pattern.fits(w))
            })
    }

    fn fits_place(&self, call: &ToolCall) -> Fit {
        let base = call
            .context
            .cwd
            .as_deref()
            .map_or_else(|| "/".to_owned(), |cwd| cwd.to_string_lossy().into_owned());
        let mut fits = Vec::new();
        for (name, path) in
            [("path", true), ("file_path", true), ("source", true), ("destination", true), ("url", false)]
        {
            let Some(text) = call.text(name) else { continue };
            let (glob, text) = if path {
                (join(&base, &self.glob), join(&base, text))
            } else {
                (self.glob.clone(), text.to_owned())
            };
            let matcher =
                GlobBuilder::new(&glob).literal_separator(true).build().map(|g| g.compile_matcher());
            fits.push(matcher.is_ok_and(|m| m.is_match(Path::new(&text))));
        }
        match fits.iter().filter(|f| **f).count() {
            _ if fits.is_empty() => Fit::Unknown,
            0 => Fit::None,
            all if all == fits.len() => Fit::All,
            _ => Fit::Part,
        }
    }
}
