//! Rules as they are written, and what is wrong with them.

use super::path_glob::{PathGlob, check_glob};
use super::{Caller, Layer, Rule, Rules, runs_others};
use crate::autonomy::AutonomyLevel;
use crate::effect::Kind;
use crate::path::Map;
use crate::profile::Verdict;
use std::fmt;
use std::sync::Arc;

/// A rule as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleText {
    /// A name to be known by.
    pub name: String,
    /// Where it stands: a file and a line.
    pub origin: String,
    /// `allow`, `ask` or `deny`.
    pub action: String,
    /// The reason, shown to people and models.
    pub why: String,
    /// Kinds of effects: `net send`, `write`; `net` is all that reach the network.
    pub effect: Vec<String>,
    /// Names of programs, as globs.
    pub program: Vec<String>,
    /// The first words after the program, each a glob; alternatives are separated by `|`.
    pub args: Vec<String>,
    /// Globs of paths, from the workspace, the home (`~/`) or the root.
    pub path: Vec<String>,
    /// Hosts; `*.example.com` is every host below.
    pub host: Vec<String>,
    /// Names of tools, as globs.
    pub tool: Vec<String>,
    /// Trust levels it holds at.
    pub trust: Vec<String>,
    /// Autonomy levels it holds at.
    pub autonomy: Vec<String>,
    /// Commands it must be about, checked when it is loaded.
    pub matches: Vec<String>,
    /// Commands it must not be about.
    pub not_match: Vec<String>,
}

/// Why a rule is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// Its place among the rules that were read together, from 0.
    pub at: usize,
    /// The rule's name, or its number.
    pub rule: String,
    /// The key that is wrong, and the entry of its list; none if it is the rule as a whole.
    pub key: Option<(&'static str, usize)>,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}: {}", self.rule, self.what)
    }
}

impl std::error::Error for RuleError {}

/// The names of trust levels.
pub const TRUST_LEVELS: [&str; 4] = ["trusted", "verified", "quarantined", "blocked"];

type Wrong = (Option<(&'static str, usize)>, String);

impl Rules {
    /// The most rules that are read together.
    pub const MOST: usize = 1024;

    /// Checks rules and their examples.
    ///
    /// # Errors
    ///
    /// A word that is none of the language's, a pattern that cannot be read, a rule about nothing, or an
    /// example that does not hold.
    pub fn compile(texts: &[RuleText], layer: Layer) -> Result<Rules, RuleError> {
        let mut list = Vec::with_capacity(texts.len().min(Self::MOST));
        for (at, text) in texts.iter().enumerate() {
            let label = [&text.name, &text.origin].into_iter().find(|l| !l.is_empty()).cloned();
            let label = label.unwrap_or_else(|| format!("number {}", at + 1));
            let wrong = |(key, what): Wrong| RuleError { at, rule: label.clone(), key, what };
            if at >= Self::MOST {
                return Err(wrong((None, format!("there are more than {} rules", Self::MOST))));
            }
            let rule = Rule::read(text, &label, layer).map_err(wrong)?;
            rule.check_examples(text).map_err(wrong)?;
            list.push(Arc::new(rule));
        }
        Ok(Rules::of(list))
    }
}

impl Rule {
    fn read(text: &RuleText, label: &str, layer: Layer) -> Result<Rule, Wrong> {
        let whole = |what: &str| Err((None, what.to_owned()));
        let verdict = match text.action.as_str() {
            "allow" => Verdict::Allow,
            "ask" => Verdict::Ask,
            "deny" => Verdict::Deny,
            "" => return whole("it has no `action`: allow, ask or deny"),
            other => return Err((Some(("action", 0)), format!("no such action: `{other}`"))),
        };
        let kinds = kinds(&text.effect)?;
        let about = [&text.effect, &text.program, &text.path, &text.host, &text.tool];
        if about.iter().all(|list| list.is_empty()) {
            return whole("it is about nothing: give `effect`, `program`, `path`, `host` or `tool`");
        }
        if !text.args.is_empty() && text.program.is_empty() {
            return Err((Some(("args", 0)), "`args` needs a `program`".into()));
        }
        if !text.host.is_empty() && (kinds.iter().any(|k| !k.is_net()) || !text.path.is_empty()) {
            return Err((
                Some(("host", 0)),
                "`host` with an effect that reaches none can never match".into(),
            ));
        }
        if !text.path.is_empty() && !kinds.is_empty() && !kinds.iter().any(|k| k.is_path()) {
            return Err((Some(("path", 0)), "`path` with an effect that is on none can never match".into()));
        }
        let examples = [("match", &text.matches), ("not_match", &text.not_match)];
        if about[..4].iter().all(|list| list.is_empty())
            && let Some((key, _)) = examples.iter().find(|(_, list)| !list.is_empty())
        {
            return Err((Some((key, 0)), "a rule about a tool alone has no commands as examples".into()));
        }
        let lists = [
            ("program", &text.program),
            ("args", &text.args),
            ("path", &text.path),
            ("host", &text.host),
            ("tool", &text.tool),
        ];
        for (key, list) in lists {
            each(key, list, check_glob)?;
        }
        each("program", &text.program, |program| match program.contains(['/', ' ', '|']) {
            true => Err(format!("`program` is a name without directories or arguments: `{program}`")),
            false => Ok(()),
        })?;
        if verdict == Verdict::Allow && text.args.is_empty() && text.effect.is_empty() {
            each("program", &text.program, |program| match runs_others(program) {
                true => Err(format!(
                    "allowing `{program}` would allow whatever it runs: name an effect or arguments"
                )),
                false => Ok(()),
            })?;
        }
        each("trust", &text.trust, |word| match TRUST_LEVELS.contains(&word) {
            true => Ok(()),
            false => Err(format!("no such trust level: `{word}`")),
        })?;
        Ok(Rule {
            label: label.to_owned(),
            origin: text.origin.clone(),
            verdict,
            why: text.why.clone(),
            layer,
            kinds,
            program: text.program.clone(),
            args: text.args.iter().map(|a| a.split('|').map(str::to_owned).collect()).collect(),
            path: each("path", &text.path, PathGlob::read)?,
            host: text.host.iter().map(|h| h.to_ascii_lowercase()).collect(),
            tool: text.tool.clone(),
            trust: text.trust.clone(),
            autonomy: each("autonomy", &text.autonomy, |word| {
                word.parse::<AutonomyLevel>().map_err(|error| error.to_string())
            })?,
        })
    }

    fn check_examples(&self, text: &RuleText) -> Result<(), Wrong> {
        let roots = ["/w".to_owned()];
        let map = Map { roots: roots.to_vec(), home: "/home/u".into(), scratch: vec!["/tmp".into()] };
        let context = crate::analyse::Context {
            cwd: "/w",
            home: "/home/u",
            roots: &roots,
            env: &[],
            links: &crate::analyse::NoLinks,
            shell: toolgate_bash::Shell::Bash,
        };
        // What it says about a caller is not what its examples are about.
        let anyone = Rule { tool: Vec::new(), trust: Vec::new(), autonomy: Vec::new(), ..self.clone() };
        let rules = Rules::of(vec![Arc::new(anyone)]);
        for (key, list, want) in [("match", &text.matches, true), ("not_match", &text.not_match, false)] {
            each(key, list, |example| {
                let analysis = crate::analyse::script(example, &context);
                if analysis.unknown.is_some() {
                    return Err(format!("the example `{example}` is not understood"));
                }
                if rules.fired(&analysis, &Caller::default(), &map).is_empty() == want {
                    let not = if want { "is not" } else { "is" };
                    return Err(format!("it {not} about its example `{example}`"));
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn kinds(effects: &[String]) -> Result<Vec<Kind>, Wrong> {
    let lists = each("effect", effects, |effect| match effect {
        "net" => Ok(Kind::ALL.into_iter().filter(|k| k.is_net()).collect::<Vec<_>>()),
        _ => Kind::from_name(effect).map(|k| vec![k]).ok_or_else(|| format!("no such effect: `{effect}`")),
    })?;
    Ok(lists.concat())
}

/// Reads each entry of a key's list; what is wrong is told with its place.
fn each<T>(
    key: &'static str,
    list: &[String],
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Wrong> {
    list.iter().enumerate().map(|(at, entry)| read(entry).map_err(|what| (Some((key, at)), what))).collect()
}
