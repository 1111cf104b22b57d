//! Reads a `filters.toml`: rules of a user or of a project.
//!
//! ```toml
//! [[rules]]
//! name     = "my-build"
//! match    = { program = "build.sh" }
//! steps    = [{ drop_lines = '^ +step \d+ done$' }]
//!
//! [[rules.examples]]
//! command  = "./build.sh"
//! stdout   = "  step 1 done\n  step 2 done\n  step 3 done\nall good\n"
//! contains = ["all good"]
//! lacks    = ["step 2"]
//! ```
//!
//! The older form, `match = { prefix = "make" }` with `strategy = { type = "truncate", max_lines = 80 }`,
//! is read as well. Patterns are regular expressions of at most 512 characters; the engine that runs
//! them is linear in the line. Nothing here can lift a guarantee: a line about trouble stays.

use crate::catalog::Catalog;
use crate::engine::{Filter, FilterOptions, Stream};
use crate::rule::{Match, Origin, Patterns, Rule, Step, Texts};
use crate::rule_file::{MatchDef, Matches, Normalize, OneOrMany, SetStep, StepDef};
use crate::shape::Shape;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::Arc;

/// A larger file is refused.
const LARGEST_FILE: usize = 1024 * 1024;
/// A longer pattern is refused.
const LONGEST_PATTERN: usize = 512;
/// Memory a compiled pattern may take.
const PATTERN_MEMORY: usize = 1024 * 1024;

/// Why a file of rules was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The file is 1 MiB or more.
    #[error("filter rules are too large: {bytes} bytes, at most 1048575 are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is not TOML, or a key is unknown or missing.
    #[error("cannot read filter rules")]
    Syntax(#[from] Box<toml::de::Error>),
    /// A pattern is longer than 512 characters.
    #[error("rule `{rule}`: pattern of {length} characters, at most 512 are allowed")]
    LongPattern {
        /// Name of the rule.
        rule: String,
        /// Its length.
        length: usize,
    },
    /// A pattern is no regular expression, or would take too much memory.
    #[error("rule `{rule}`: pattern `{pattern}` is not usable")]
    Pattern {
        /// Name of the rule.
        rule: String,
        /// As written.
        pattern: String,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
    /// A rule makes no sense as written.
    #[error("rule `{rule}`: {why}")]
    Rule {
        /// Name of the rule.
        rule: String,
        /// What is wrong with it.
        why: String,
    },
    /// An example of a rule does not come out as it says.
    #[error("rule `{rule}`: example {number} does not hold: {why}\n{text}")]
    Example {
        /// Name of the rule.
        rule: String,
        /// Which one, from 1.
        number: usize,
        /// What was expected.
        why: String,
        /// What came out.
        text: String,
    },
}

impl RulesError {
    /// The bytes of the file it is about: those of the syntax error, the pattern, or the rule's name.
    #[must_use]
    pub fn place(&self, text: &str) -> std::ops::Range<usize> {
        let rule = match self {
            Self::TooLarge { .. } => return 0..0,
            Self::Syntax(error) => return error.span().unwrap_or(0..0),
            Self::LongPattern { rule, .. }
            | Self::Pattern { rule, .. }
            | Self::Rule { rule, .. }
            | Self::Example { rule, .. } => rule,
        };
        let named = place_of_rule(text, rule).unwrap_or(0..0);
        match self {
            Self::Pattern { pattern, .. } => {
                let found = text.get(named.end..).and_then(|rest| rest.find(pattern.as_str()));
                found.map_or(named.clone(), |at| named.end + at..named.end + at + pattern.len())
            }
            _ => named,
        }
    }
}

/// Where a rule says its name.
fn place_of_rule(text: &str, rule: &str) -> Option<std::ops::Range<usize>> {
    #[derive(Deserialize)]
    struct Names {
        rules: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        name: toml::Spanned<String>,
    }
    let names: Names = toml::from_str(text).ok()?;
    // Of two rules of one name the later is what is wrong.
    names.rules.iter().rfind(|named| named.name.get_ref() == rule).map(|named| named.name.span())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileDef {
    #[serde(default)]
    rules: Vec<RuleDef>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleDef {
    name: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    why: String,
    #[serde(rename = "match")]
    matches: AnyMatch,
    #[serde(default)]
    steps: Vec<StepDef>,
    #[serde(default)]
    strategy: Option<Strategy>,
    #[serde(default)]
    never_drop: OneOrMany,
    #[serde(default)]
    plain: bool,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    examples: Vec<Example>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AnyMatch {
    Argv(Matches),
    Text(TextMatch),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextMatch {
    exact: Option<String>,
    prefix: Option<String>,
    regex: Option<String>,
}

/// The strategies under their older names.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Strategy {
    StripNoise {
        patterns: Vec<String>,
    },
    Truncate {
        max_lines: usize,
        head: Option<usize>,
        tail: Option<usize>,
    },
    KeepMatching {
        patterns: Vec<String>,
    },
    StripAnnotated {
        patterns: Vec<String>,
        summary_pattern: Option<String>,
        long_output_threshold: Option<usize>,
        keep_head: Option<usize>,
        keep_tail: Option<usize>,
    },
    TestSummary {
        #[serde(default)]
        #[allow(dead_code, reason = "failures are never cut, so there is no most")]
        max_failures: Option<usize>,
        #[serde(default)]
        #[allow(dead_code, reason = "traces are folded by whose frames they are")]
        truncate_stack_trace: Option<usize>,
    },
    GroupByRule {
        location_pattern: String,
        rule_pattern: String,
    },
    GitStatus {},
    GitDiff {
        #[serde(default)]
        #[allow(dead_code, reason = "the budget of the engine decides")]
        max_diff_lines: Option<usize>,
    },
    Dedup {
        #[serde(default)]
        normalize_patterns: Vec<Normalize>,
        #[serde(default)]
        max_unique_patterns: Option<usize>,
    },
}

impl From<Strategy> for StepDef {
    fn from(strategy: Strategy) -> Self {
        Self::Set(match strategy {
            Strategy::StripNoise { patterns } => SetStep::DropLines(OneOrMany::Many(patterns)),
            Strategy::Truncate { max_lines, head, tail } => {
                SetStep::Truncate { max_lines, head: head.unwrap_or(20), tail: tail.unwrap_or(20) }
            }
            Strategy::KeepMatching { patterns } => SetStep::KeepMatching(OneOrMany::Many(patterns)),
            Strategy::StripAnnotated {
                patterns,
                summary_pattern,
                long_output_threshold,
                keep_head,
                keep_tail,
            } => SetStep::StripAnnotated {
                patterns: OneOrMany::Many(patterns),
                summary_pattern,
                long_output_threshold: long_output_threshold.unwrap_or(30),
                keep_head: keep_head.unwrap_or(10),
                keep_tail: keep_tail.unwrap_or(5),
            },
            Strategy::TestSummary { .. } => return Self::Shape(Shape::TestSummary),
            Strategy::GroupByRule { location_pattern, rule_pattern } => {
                SetStep::GroupByRule { location_pattern, rule_pattern }
            }
            Strategy::GitStatus {} => return Self::Shape(Shape::GitStatus),
            Strategy::GitDiff { .. } => return Self::Shape(Shape::GitDiff),
            Strategy::Dedup { normalize_patterns, max_unique_patterns } => SetStep::Dedup {
                normalize_patterns,
                max_unique_patterns: max_unique_patterns.unwrap_or(10_000),
            },
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    command: String,
    #[serde(default)]
    exit: i32,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    equals: Option<String>,
}

fn file(text: &str) -> Result<FileDef, RulesError> {
    if text.len() >= LARGEST_FILE {
        return Err(RulesError::TooLarge { bytes: text.len() });
    }
    toml::from_str(text).map_err(|e| RulesError::Syntax(Box::new(e)))
}

pub(crate) fn read(text: &str, origin: Origin) -> Result<Vec<Rule>, RulesError> {
    let mut rules = Vec::new();
    for def in file(text)?.rules {
        if !def.enabled {
            continue;
        }
        let rule = def.name.clone();
        let broken = |why: &str| RulesError::Rule { rule: rule.clone(), why: why.to_owned() };
        if def.name.trim().is_empty() {
            return Err(broken("it has no name"));
        }
        if rules.iter().any(|other: &Rule| other.name == def.name.as_str()) {
            return Err(broken("another rule has this name"));
        }
        let mut steps = def.steps;
        steps.extend(def.strategy.map(StepDef::from));
        if steps.is_empty() && !def.plain {
            return Err(broken("it does nothing: give it `steps`, a `strategy`, or `plain = true`"));
        }
        let matches: Vec<Match> = match def.matches {
            AnyMatch::Argv(list) => list.list().iter().map(argv_match).collect(),
            AnyMatch::Text(TextMatch { exact: Some(text), .. }) => vec![Match::Exact(Cow::Owned(text))],
            AnyMatch::Text(TextMatch { prefix: Some(text), .. }) => vec![Match::Prefix(Cow::Owned(text))],
            AnyMatch::Text(TextMatch { regex: Some(text), .. }) => vec![Match::Regex(one(&rule, &text)?)],
            AnyMatch::Text(_) => return Err(broken("`match` says nothing")),
        };
        if matches.is_empty() {
            return Err(broken("`match` says nothing"));
        }
        let mut compiled = Vec::new();
        for step in &steps {
            compiled.push(compile(&rule, step)?);
        }
        rules.push(Rule {
            name: Cow::Owned(def.name),
            summary: Cow::Owned(def.summary),
            why: Cow::Owned(def.why),
            origin,
            plain: def.plain,
            matches: Cow::Owned(matches),
            never_drop: set(&rule, def.never_drop.list())?,
            steps: Cow::Owned(compiled),
        });
    }
    Ok(rules)
}

fn argv_match(def: &MatchDef) -> Match {
    let texts = |list: &OneOrMany| Texts::User(list.list().to_vec());
    Match::Argv {
        programs: texts(&def.program),
        subcommands: texts(&def.subcommand),
        with: texts(&def.with),
        without: texts(&def.without),
    }
}

fn compile(rule: &str, step: &StepDef) -> Result<Step, RulesError> {
    let broken = |why: String| RulesError::Rule { rule: rule.to_owned(), why };
    let some = |list: &OneOrMany, what: &str| {
        if list.list().is_empty() {
            Err(broken(format!("`{what}` has no patterns")))
        } else {
            set(rule, list.list())
        }
    };
    let sizes = |most: usize, head: usize, tail: usize| {
        if head.saturating_add(tail) > most {
            Err(broken(format!("head ({head}) and tail ({tail}) are more than max_lines ({most})")))
        } else {
            Ok(())
        }
    };
    let step = match step {
        StepDef::Shape(shape) => return Ok(Step::Shape(*shape)),
        StepDef::Set(step) => step,
    };
    Ok(match step {
        SetStep::DropLines(list) => Step::Drop(some(list, "drop_lines")?),
        SetStep::StripNoise(list) => Step::Drop(some(list, "strip_noise")?),
        SetStep::DropOutside { lines, from, until } => Step::DropOutside {
            noise: some(lines, "lines")?,
            from: some(from, "from")?,
            until: some(until, "until")?,
        },
        SetStep::FoldLines(list) => Step::Fold { lines: some(list, "fold_lines")?, shown: 1 },
        SetStep::FoldList { lines, shown } => Step::Fold { lines: some(lines, "fold_list")?, shown: *shown },
        SetStep::DropSection { from, until } => {
            Step::Section { from: some(from, "from")?, until: some(until, "until")? }
        }
        SetStep::KeepMatching(list) => Step::Keep(some(list, "keep_matching")?),
        SetStep::Truncate { max_lines, head, tail } => {
            sizes(*max_lines, *head, *tail)?;
            Step::Truncate { most: *max_lines, head: *head, tail: *tail }
        }
        SetStep::StripAnnotated {
            patterns,
            summary_pattern,
            long_output_threshold,
            keep_head,
            keep_tail,
        } => {
            let summary: Vec<String> = summary_pattern.iter().cloned().collect();
            Step::Annotated {
                noise: some(patterns, "patterns")?,
                summary: set(rule, &summary)?,
                most: *long_output_threshold,
                head: *keep_head,
                tail: *keep_tail,
            }
        }
        SetStep::GroupByRule { location_pattern, rule_pattern } => {
            Step::Group { location: one(rule, location_pattern)?, rule: one(rule, rule_pattern)? }
        }
        SetStep::Dedup { normalize_patterns, max_unique_patterns } => {
            let mut normalize = Vec::new();
            for entry in normalize_patterns {
                if entry.replacement.replace("$$", "").contains('$') {
                    return Err(broken(format!("replacement `{}` has an unescaped '$'", entry.replacement)));
                }
                normalize.push((one(rule, &entry.pattern)?, entry.replacement.clone()));
            }
            Step::Dedup { normalize: normalize.into(), most: *max_unique_patterns }
        }
    })
}

fn check_length(rule: &str, pattern: &str) -> Result<(), RulesError> {
    let length = pattern.chars().count();
    if length > LONGEST_PATTERN {
        return Err(RulesError::LongPattern { rule: rule.to_owned(), length });
    }
    Ok(())
}

fn one(rule: &str, pattern: &str) -> Result<Regex, RulesError> {
    check_length(rule, pattern)?;
    RegexBuilder::new(pattern).size_limit(PATTERN_MEMORY).dfa_size_limit(PATTERN_MEMORY).build().map_err(
        |source| RulesError::Pattern {
            rule: rule.to_owned(),
            pattern: pattern.to_owned(),
            source: Box::new(source),
        },
    )
}

fn set(rule: &str, patterns: &[String]) -> Result<Patterns, RulesError> {
    for pattern in patterns {
        one(rule, pattern)?;
    }
    RegexSetBuilder::new(patterns)
        .size_limit(PATTERN_MEMORY)
        .dfa_size_limit(PATTERN_MEMORY)
        .build()
        .map(|set| Patterns::User(Arc::new(set)))
        .map_err(|source| RulesError::Pattern {
            rule: rule.to_owned(),
            pattern: patterns.join(" | "),
            source: Box::new(source),
        })
}

/// Compiles patterns a user adds to what is always shown.
///
/// # Errors
/// When one is too long or is no regular expression.
pub fn always_show(patterns: &[String]) -> Result<Arc<RegexSet>, RulesError> {
    match set("always shown", patterns)? {
        Patterns::User(set) => Ok(set),
        Patterns::Compiled(_) => Ok(Arc::new(RegexSet::empty())),
    }
}

/// A rule of a file, and what became of its examples.
#[derive(Debug)]
pub struct RuleTested {
    /// Name of the rule.
    pub name: String,
    /// How many examples it has.
    pub examples: usize,
    /// Those that do not hold.
    pub failures: Vec<RulesError>,
}

/// Checks a `filters.toml` and runs every example in it.
///
/// # Errors
/// When the file is not understood or a pattern is refused; examples that do not hold are no errors here.
///
/// ```
/// use toolgate_filter::{Origin, test_rules};
/// let rules = "[[rules]]\nname = 'r'\nmatch = { program = 'tool' }\nsteps = [{ drop_lines = '^step' }]\n\
///     [[rules.examples]]\ncommand = 'tool'\nstdout = 'end'\ncontains = ['start']\n";
/// let tested = test_rules(rules, Origin::User).unwrap();
/// assert_eq!((tested[0].examples, tested[0].failures.len()), (1, 1));
/// ```
pub fn test_rules(text: &str, origin: Origin) -> Result<Vec<RuleTested>, RulesError> {
    let catalog = Catalog::built_in().with_unproven(read(text, origin)?);
    let rules = file(text)?.rules;
    let tested = rules.iter().filter(|def| def.enabled).map(|def| RuleTested {
        name: def.name.clone(),
        examples: def.examples.len(),
        failures: (1..)
            .zip(&def.examples)
            .filter_map(|(number, one)| one.run(number, def, &catalog).err())
            .collect(),
    });
    Ok(tested.collect())
}

/// Runs the examples of a file against a catalogue that holds its rules.
pub(crate) fn run_examples(text: &str, catalog: &Catalog) -> Result<(), RulesError> {
    for def in file(text)?.rules.iter().filter(|def| def.enabled) {
        for (number, example) in (1..).zip(&def.examples) {
            example.run(number, def, catalog)?;
        }
    }
    Ok(())
}

impl Example {
    fn run(&self, number: usize, def: &RuleDef, catalog: &Catalog) -> Result<(), RulesError> {
        let fail = |why: String, text: &str| {
            Err(RulesError::Example { rule: def.name.clone(), number, why, text: text.to_owned() })
        };
        let commands = crate::command::commands(&self.command);
        let ours = |argv: &Vec<String>| catalog.rules_for(argv).iter().any(|r| r.name == def.name.as_str());
        if !commands.iter().any(ours) {
            return fail(format!("the rule is not for `{}`", self.command), "");
        }
        let mut filter = Filter::new(catalog, &commands, FilterOptions::default());
        filter.push(Stream::Stdout, self.stdout.as_bytes());
        filter.push(Stream::Stderr, self.stderr.as_bytes());
        let text = filter.finish(self.exit).text;
        if let Some(missing) = self.contains.iter().find(|part| !text.contains(part.as_str())) {
            return fail(format!("`{missing}` is missing"), &text);
        }
        if let Some(shown) = self.lacks.iter().find(|part| text.contains(part.as_str())) {
            return fail(format!("`{shown}` is shown"), &text);
        }
        if self.equals.as_ref().is_some_and(|want| want.trim_end() != text.trim_end()) {
            return fail("the text is another".to_owned(), &text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;
    use crate::CaptureOptions;
    use crate::Catalog;

    fn rule(body: &str) -> String {
        format!("[[rules]]\nname = \"r\"\nmatch = {{ program = \"tool\" }}\n{body}\n")
    }

    fn refused(text: &str) -> String {
        let error = Catalog::built_in().with_file(text, Origin::User).unwrap_err();
        let mut message = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(inner) = source {
            message.push_str(&format!(": {inner}"));
            source = inner.source();
        }
        message
    }

    fn run(catalog: &Catalog, command: &str, exit: i32, stdout: &str) -> String {
        let mut capture = Capture::new(catalog, command, CaptureOptions::default());
        capture.push(Stream::Stdout, stdout.as_bytes());
        capture.finish(exit).text
    }

    #[test]
    fn files_that_make_no_sense_are_refused_with_a_reason() {
        for (text, reason) in [
            ("[[rules]".to_owned(), "cannot read filter rules"),
            ("wrong = 1".to_owned(), "unknown field"),
            (rule("stepz = []"), "unknown field"),
            (rule("steps = [{ drop_line = 'x' }]"), "unknown variant"),
            (rule(""), "it does nothing"),
            (rule("steps = [{ drop_lines = [] }]"), "has no patterns"),
            (rule("steps = [{ drop_lines = '(' }]"), "is not usable"),
            (rule(&format!("steps = [{{ drop_lines = '{}' }}]", "a".repeat(513))), "at most 512"),
            (rule("steps = [{ drop_lines = '(a{1000}){1000}' }]"), "is not usable"),
            (rule("steps = [{ truncate = { max_lines = 10, head = 8, tail = 8 } }]"), "more than max_lines"),
            (
                rule(
                    "steps = [{ dedup = { normalize_patterns = [{ pattern = 'x', replacement = '$1' }] } }]",
                ),
                "unescaped '$'",
            ),
            (rule("steps = ['git_diff']") + &rule("steps = ['git_diff']"), "another rule has this name"),
            ("[[rules]]\nname = 'r'\nmatch = {}\nsteps = ['git_diff']".to_owned(), "`match` says nothing"),
            ("x".repeat(LARGEST_FILE), "too large"),
        ] {
            let message = refused(&text);
            assert!(message.contains(reason), "{message}");
        }
        assert!(
            Catalog::built_in()
                .with_file(
                    &rule(&format!("steps = [{{ drop_lines = '{}' }}]", "a".repeat(512))),
                    Origin::User
                )
                .is_ok()
        );
    }

    #[test]
    fn examples_are_run_when_the_file_is_read() {
        let good = rule("steps = [{ drop_lines = '^step' }]")
            + "[[rules.examples]]\ncommand = 'tool'\nstdout = \"step 1 is done\\nstep 2 is done\\nstep 3 is done\\nend\\n\"\ncontains = ['end']\nlacks = ['step 2']\n";
        Catalog::built_in().with_file(&good, Origin::User).unwrap();
        assert!(
            refused(&good.replace("lacks", "equals").replace("['step 2']", "'x'"))
                .contains("the text is another")
        );
        assert!(refused(&good.replace("['end']", "['nope']")).contains("`nope` is missing"));
        assert!(refused(&good.replace("['step 2']", "['end']")).contains("`end` is shown"));
        assert!(refused(&good.replace("command = 'tool'", "command = 'other'")).contains("is not for"));
    }

    #[test]
    fn an_error_knows_its_place() {
        let at = |text: &str| {
            let error = Catalog::built_in().with_file(text, Origin::User).unwrap_err();
            text[error.place(text)].to_owned()
        };
        let other =
            "[[rules]]\nname = \"q\"\nmatch = { program = \"b(\" }\nsteps = [{ drop_lines = ['a', 'c('] }]\n";
        assert_eq!(at(&(rule("steps = ['git_diff']") + other)), "c(");
        assert_eq!(at(&rule("steps = []")), "\"r\"");
        assert!(at("[[rules]]\nname = 5\n").contains('5'));
        let twice = rule("plain = true") + "# and\n" + &rule("plain = true");
        let error = Catalog::built_in().with_file(&twice, Origin::User).unwrap_err();
        assert!(error.place(&twice).start > twice.find("# and").unwrap());
    }

    #[test]
    fn the_older_form_is_read() {
        let text = "[[rules]]\nname = 'old'\nmatch = { prefix = 'tool ' }\nstrategy = { type = 'truncate', max_lines = 20, head = 2, tail = 2 }\n\n[[rules]]\nname = 'off'\nenabled = false\nmatch = { regex = '^x' }\nstrategy = { type = 'git_status' }\n";
        let catalog = Catalog::built_in().with_file(text, Origin::User).unwrap();
        let rows: String = (0..20).map(|n| format!("word {}\n", n * n)).collect();
        assert_eq!(run(&catalog, "tool a", 0, &rows), rows);
        let more = rows + "word\n";
        let shown = run(&catalog, "tool a", 0, &more);
        assert_eq!(shown, "word 0\nword 1\n[… 17 lines cut …]\nword 361\nword\n");
        assert_eq!(catalog.rules().filter(|r| r.name() == "off").count(), 0);
    }

    #[test]
    fn the_nearest_rule_of_a_name_counts() {
        let user = "[[rules]]\nname = 'cargo-build'\nmatch = { program = 'cargo' }\nplain = true\n";
        let catalog = Catalog::built_in().with_file(user, Origin::User).unwrap();
        let noise = "   Compiling a v1\n   Compiling b v1\n   Compiling c v1\n   Compiling d v1\ndone\n";
        assert_eq!(run(&catalog, "cargo build", 0, noise), noise);
        let project = user.replace("plain = true", "steps = [{ drop_lines = 'Compiling' }]");
        let catalog = catalog.with_file(&project, Origin::Project).unwrap();
        assert_eq!(run(&catalog, "cargo build", 0, noise), "done\n[4 lines cut]\n");
    }

    #[test]
    fn a_broken_file_leaves_the_built_in_rules() {
        let catalog = Catalog::built_in();
        assert!(catalog.with_file("[[rules]", Origin::Project).is_err());
        assert!(catalog.rules().count() >= 60);
    }
}
