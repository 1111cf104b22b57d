//! Lists of patterns per tool, and lists of blocked and confirmed commands.
//!
//! These are the older, coarser ways to say what may run. They are kept, with one change: a pattern is
//! matched against the words of every simple command, wherever it stands in the script, and never against
//! raw text. What is quoted is not a command, and `echo a; curl x` is two commands.
//!
//! Nothing here can loosen what a profile or a block list denies.

mod entry;
mod pattern;

pub use crate::autonomy::AutonomyLevel;
pub use entry::{BlockList, ConfirmList, Hit};

use crate::analyse::{Analysis, CommandRun, Context, Input, script};
use crate::decide::Answered;
use crate::profile::Verdict;
use crate::rule::line;
use entry::Entry;
use pattern::{fits, is_wholesale};
use std::collections::BTreeMap;
use std::fmt;
use toolgate_bash::ast::Span;

/// What a list entry decides. The same three answers as everywhere.
pub type PermissionAction = Verdict;

/// What a tool can do at all, as far as autonomy asks. A tool says it of itself; names are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It only looks.
    Looks,
    /// It can change something, or nobody said what it does.
    Changes,
}

/// A pattern with what it decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRule {
    /// A glob over the words of a command, or over the input of another tool.
    pub pattern: String,
    /// What it decides.
    pub action: PermissionAction,
}

/// A pattern that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub what: &'static str,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pattern `{}`: {}", self.pattern, self.what)
    }
}

impl std::error::Error for PatternError {}

#[derive(Clone, Debug)]
enum Matcher {
    /// A glob over the line of words.
    Glob,
    /// An entry of the older lists.
    Entry(Entry),
}

#[derive(Clone, Debug)]
struct Compiled {
    matcher: Matcher,
    rule: PermissionRule,
}

/// Lists of patterns per tool.
#[derive(Clone, Debug, Default)]
pub struct PermissionPolicy {
    tools: BTreeMap<String, Vec<Compiled>>,
    autonomy: AutonomyLevel,
}

/// What a tool's list says about one part of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said<'l> {
    /// The answer.
    pub action: PermissionAction,
    /// The entry that gave it; none fitted where absent.
    pub entry: Option<&'l PermissionRule>,
    /// The part it is about.
    pub span: Option<Span>,
}

/// Tools whose input is a script.
const SHELLS: [&str; 2] = ["bash", "shell"];

impl PermissionPolicy {
    /// Checks the patterns of every tool.
    ///
    /// # Errors
    ///
    /// The first pattern that cannot be read: an entry that silently matches nothing would be a door left open.
    pub fn new(rules: BTreeMap<String, Vec<PermissionRule>>) -> Result<Self, PatternError> {
        let mut tools = BTreeMap::new();
        for (tool, list) in rules {
            let mut compiled = Vec::with_capacity(list.len());
            for rule in list {
                pattern::check(&rule.pattern)?;
                compiled.push(Compiled { matcher: Matcher::Glob, rule });
            }
            tools.insert(tool, compiled);
        }
        Ok(PermissionPolicy { tools, autonomy: AutonomyLevel::default() })
    }

    /// Sets the level of autonomy.
    #[must_use]
    pub fn with_autonomy(mut self, level: AutonomyLevel) -> Self {
        self.autonomy = level;
        self
    }

    /// The level of autonomy.
    #[must_use]
    pub fn autonomy_level(&self) -> AutonomyLevel {
        self.autonomy
    }

    /// The older lists: blocked commands are denied, confirmed ones asked about, and the rest is allowed.
    #[must_use]
    pub fn from_legacy(blocked: &[String], confirm: &[String]) -> Self {
        let entry = |text: &String, action| Compiled {
            matcher: Matcher::Entry(Entry::read(text)),
            rule: PermissionRule { pattern: text.clone(), action },
        };
        let mut list: Vec<Compiled> = blocked.iter().map(|b| entry(b, Verdict::Deny)).collect();
        list.extend(confirm.iter().map(|c| entry(c, Verdict::Ask)));
        list.push(Compiled {
            matcher: Matcher::Glob,
            rule: PermissionRule { pattern: "*".into(), action: Verdict::Allow },
        });
        PermissionPolicy {
            tools: BTreeMap::from([("bash".to_owned(), list)]),
            autonomy: AutonomyLevel::default(),
        }
    }

    /// What the lists say about a call. `input` is the script of a shell, else the path, URL or query.
    #[must_use]
    pub fn check(&self, tool: &str, touch: Touch, input: &str) -> PermissionAction {
        self.levelled(touch, || {
            if SHELLS.contains(&tool) {
                let context = Context {
                    cwd: "/",
                    home: "/home",
                    roots: &[],
                    env: &[],
                    links: &crate::analyse::NoLinks,
                    shell: toolgate_bash::Shell::Bash,
                };
                self.on_script(tool, &script(input, &context)).map_or(Verdict::Ask, |said| said.action)
            } else {
                self.on_inputs(tool, &[vec![input.to_owned()]]).map_or(Verdict::Ask, |said| said.action)
            }
        })
    }

    fn levelled(&self, touch: Touch, lists: impl FnOnce() -> Verdict) -> Verdict {
        match (self.autonomy, touch) {
            (AutonomyLevel::ReadOnly, Touch::Looks) => Verdict::Allow,
            (AutonomyLevel::ReadOnly, Touch::Changes) => Verdict::Deny,
            (AutonomyLevel::Supervised, _) => lists(),
            // Questions count as answered; refusals stay.
            (AutonomyLevel::Full, _) if lists() == Verdict::Deny => Verdict::Deny,
            (AutonomyLevel::Full, _) => Verdict::Allow,
        }
    }

    /// What a tool's list says about a script: every simple command is looked at, and the strictest answer
    /// counts. `None` where the tool has no list.
    #[must_use]
    pub fn on_script(&self, tool: &str, analysis: &Analysis) -> Option<Said<'_>> {
        self.on_script_beside(tool, analysis, Answered::default())
    }

    /// The same where some questions were answered: what denies those commands counts, and what asks does not.
    pub(crate) fn on_script_beside(
        &self,
        tool: &str,
        analysis: &Analysis,
        answered: Answered<'_>,
    ) -> Option<Said<'_>> {
        let list = self.tools.get(tool)?;
        // Of a text that was not understood, or runs nothing, only what holds for everything can be said.
        let empty = analysis.unknown.is_some() || analysis.commands.is_empty();
        let whole = list.first().filter(|c| is_wholesale(&c.rule.pattern)).map(|c| &c.rule);
        // What it asks about a command is asked below, about each that nobody answered for.
        let whole = whole.filter(|rule| empty || answered.is_nothing() || rule.action != Verdict::Ask);
        let start = match whole {
            Some(rule) => Said { action: rule.action, entry: Some(rule), span: None },
            None => Said { action: Verdict::Allow, entry: None, span: None },
        };
        let silent = empty.then_some(Said { action: Verdict::Ask, entry: None, span: None });
        let counts = |at, action| action == Verdict::Deny || !answered.is(at);
        let commands = analysis.commands.iter().map(|command| on_command(list, command)).enumerate();
        let commands = commands.filter(|(at, said)| counts(*at, said.action)).map(|(_, said)| said);
        let entries = list.iter().filter_map(|c| match &c.matcher {
            Matcher::Entry(entry) => {
                let hit = entry.in_script(analysis, |at, _| counts(at, c.rule.action));
                hit.filter(|hit| hit.sure).map(|hit| Said {
                    action: c.rule.action,
                    entry: Some(&c.rule),
                    span: Some(hit.span),
                })
            }
            Matcher::Glob => None,
        });
        // Of equally strict answers the first is told.
        let strictest = |a: Said<'_>, b: Said<'_>| b.action > a.action;
        Some(
            silent
                .into_iter()
                .chain(commands)
                .chain(entries)
                .fold(start, |worst, said| if strictest(worst, said) { said } else { worst }),
        )
    }

    /// What a tool's list says about the inputs of a call: paths, URLs, queries, each in all its spellings.
    /// The strictest answer counts. `None` where the tool has no list.
    #[must_use]
    pub fn on_inputs(&self, tool: &str, inputs: &[Vec<String>]) -> Option<Said<'_>> {
        let list = self.tools.get(tool)?;
        let on = |spellings: &[String]| said(first_on_input(list, spellings).map(|(_, c)| c), None);
        let nothing = [String::new()];
        let strictest = inputs.iter().map(|spellings| on(spellings)).max_by_key(|said| said.action);
        Some(strictest.unwrap_or_else(|| on(&nothing)))
    }

    /// The places of the entries of a tool's list that give an answer about some part of a call.
    #[must_use]
    pub fn fired(&self, tool: &str, analysis: &Analysis) -> Vec<usize> {
        let Some(list) = self.tools.get(tool) else { return Vec::new() };
        let mut fired: Vec<usize> = match &analysis.input {
            Input::Script => {
                analysis.commands.iter().filter_map(|c| first_on_command(list, c)).map(|(at, _)| at).collect()
            }
            Input::Arguments(inputs) => {
                inputs.iter().filter_map(|i| first_on_input(list, i)).map(|(at, _)| at).collect()
            }
        };
        fired.sort_unstable();
        fired.dedup();
        fired
    }

    /// Whether a tool can never be used: all its entries deny.
    #[must_use]
    pub fn is_fully_denied(&self, tool: &str) -> bool {
        self.tools
            .get(tool)
            .is_some_and(|list| !list.is_empty() && list.iter().all(|c| c.rule.action == Verdict::Deny))
    }

    /// The entries by tool.
    pub fn rules(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &PermissionRule>)> {
        self.tools.iter().map(|(t, list)| (t.as_str(), list.iter().map(|c| &c.rule)))
    }

    /// Entries that can never decide, by tool and place in its list: an earlier one takes all they are about.
    #[must_use]
    pub fn never_fire(&self) -> Vec<(&str, usize)> {
        let mut out = Vec::new();
        for (tool, list) in &self.tools {
            for (i, c) in list.iter().enumerate() {
                let earlier = list.get(..i).unwrap_or(&[]);
                if earlier.iter().any(|e| is_wholesale(&e.rule.pattern) || e.rule.pattern == c.rule.pattern) {
                    out.push((tool.as_str(), i));
                }
            }
        }
        out
    }
}

fn said(hit: Option<&Compiled>, span: Option<Span>) -> Said<'_> {
    let entry = hit.map(|c| &c.rule);
    Said { action: entry.map_or(Verdict::Ask, |rule| rule.action), entry, span }
}

fn first_on_input<'l>(list: &'l [Compiled], spellings: &[String]) -> Option<(usize, &'l Compiled)> {
    let fits = |c: &Compiled, input: &str| match &c.matcher {
        Matcher::Glob => fits(&c.rule.pattern, input, c.rule.action),
        Matcher::Entry(entry) => input.to_lowercase().contains(&entry.text),
    };
    list.iter().enumerate().find(|(_, c)| spellings.iter().any(|s| fits(c, s)))
}

fn first_on_command<'l>(list: &'l [Compiled], command: &CommandRun) -> Option<(usize, &'l Compiled)> {
    let text = std::cell::OnceCell::new();
    list.iter().enumerate().find(|(_, c)| match &c.matcher {
        Matcher::Glob if matches!(c.rule.pattern.as_str(), "*" | "**") => true,
        Matcher::Glob => fits(&c.rule.pattern, text.get_or_init(|| line(&command.words)), c.rule.action),
        Matcher::Entry(entry) => entry.is_on(command),
    })
}

/// The first entry that fits a command decides; where none does, a person is asked.
fn on_command<'l>(list: &'l [Compiled], command: &CommandRun) -> Said<'l> {
    let hit = first_on_command(list, command).map(|(_, c)| c);
    let found = said(hit, Some(command.span));
    // A word that is not known may be one a stricter entry is about. What allows everything may mean it,
    // but for a program of which nobody knows what it is.
    let unsure = match hit {
        Some(c) if is_wholesale(&c.rule.pattern) => command.words.first().is_some_and(|w| !w.is_exact()),
        _ => command.words.iter().any(|w| !w.is_exact()),
    };
    if unsure && found.action == Verdict::Allow { Said { action: Verdict::Ask, ..found } } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(tool: &str, rules: &[(&str, Verdict)]) -> PermissionPolicy {
        let list = rules.iter().map(|(p, a)| PermissionRule { pattern: (*p).into(), action: *a }).collect();
        PermissionPolicy::new(BTreeMap::from([(tool.to_owned(), list)])).unwrap()
    }

    fn bash(p: &PermissionPolicy, text: &str) -> Verdict {
        p.check("bash", Touch::Changes, text)
    }

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn patterns_are_about_words_of_every_simple_command() {
        let p = policy("bash", &[("echo *", Verdict::Allow)]);
        assert_eq!(bash(&p, "echo hello"), Verdict::Allow);
        assert_eq!(bash(&p, "ls -la"), Verdict::Ask);
        assert_eq!(bash(&p, "echo a; curl x"), Verdict::Ask);
        assert_eq!(bash(&p, "echo $(curl x)"), Verdict::Ask);
        assert_eq!(bash(&p, "echo \"$X\""), Verdict::Ask);
        let p = policy("bash", &[("*rm -rf*", Verdict::Deny), ("*", Verdict::Allow)]);
        assert_eq!(bash(&p, "rm -rf /tmp"), Verdict::Deny);
        assert_eq!(bash(&p, "r''m  -rf /tmp"), Verdict::Deny);
        assert_eq!(bash(&p, "timeout 5 rm -rf x"), Verdict::Deny);
        let p = policy("bash", &[("*sudo*", Verdict::Deny)]);
        for c in ["SUDO x", "Sudo x", "sudo apt", "su\"\"do x"] {
            assert_eq!(bash(&p, c), Verdict::Deny, "{c}");
        }
    }

    #[test]
    fn the_first_entry_that_fits_decides_and_none_asks() {
        let p = policy("bash", &[("*safe*", Verdict::Allow), ("*", Verdict::Deny)]);
        assert_eq!(bash(&p, "safe command"), Verdict::Allow);
        assert_eq!(bash(&p, "dangerous command"), Verdict::Deny);
        assert_eq!(bash(&PermissionPolicy::default(), "ls"), Verdict::Ask);
        let p = policy("bash", &[("*", Verdict::Deny)]);
        assert_eq!(p.check("BASH", Touch::Changes, "ls"), Verdict::Ask);
        assert_eq!(bash(&p, "ls '"), Verdict::Deny);
    }

    #[test]
    fn a_bad_pattern_is_an_error_and_not_a_door() {
        let list = |p: &str| {
            PermissionPolicy::new(BTreeMap::from([(
                "bash".to_owned(),
                vec![PermissionRule { pattern: p.into(), action: Verdict::Deny }],
            )]))
        };
        assert!(list("a[b").is_err());
        assert!(list("[]").is_err());
        assert!(list("**rm**").is_ok());
        let p = list("**rm**").unwrap();
        assert_eq!(bash(&p, "rm x"), Verdict::Deny);
        let p = policy("bash", &[("rm [a-c]*", Verdict::Deny)]);
        assert_eq!(bash(&p, "rm bx"), Verdict::Deny);
        assert_eq!(bash(&p, "rm dx"), Verdict::Ask);
    }

    #[test]
    fn legacy_lists_are_about_words_and_not_about_substrings() {
        let p = PermissionPolicy::from_legacy(&strings(&["sudo"]), &strings(&["rm "]));
        assert_eq!(bash(&p, "sudo apt"), Verdict::Deny);
        assert_eq!(bash(&p, "rm file"), Verdict::Ask);
        for c in [
            "find . -name foo",
            "ls -la",
            "echo hello",
            "cat sudoku.txt",
            "./confirm x",
            "git commit -m 'sudo rm x'",
        ] {
            assert_eq!(bash(&p, c), Verdict::Allow, "{c}");
        }
        assert_eq!(bash(&p, "X=1 sudo rm"), Verdict::Deny);
        assert_eq!(bash(&p, "(sudo ls)"), Verdict::Deny);
        assert_eq!(bash(&p, "env -i sudo ls"), Verdict::Deny);
    }

    #[test]
    fn autonomy_goes_by_what_a_tool_can_do_and_keeps_deny() {
        let read_only = PermissionPolicy::default().with_autonomy(AutonomyLevel::ReadOnly);
        assert_eq!(read_only.check("read", Touch::Looks, "x"), Verdict::Allow);
        assert_eq!(read_only.check("fetch", Touch::Looks, "x"), Verdict::Allow);
        assert_eq!(read_only.check("write", Touch::Changes, "x"), Verdict::Deny);
        assert_eq!(read_only.check("mystery", Touch::Changes, "x"), Verdict::Deny);
        assert_eq!(read_only.check("bash", Touch::Changes, "ls"), Verdict::Deny);
        let full = policy("bash", &[("rm *", Verdict::Deny)]).with_autonomy(AutonomyLevel::Full);
        assert_eq!(bash(&full, "ls"), Verdict::Allow);
        assert_eq!(bash(&full, "rm x"), Verdict::Deny);
    }

    #[test]
    fn the_block_list_follows_the_configuration() {
        let list = |b: &[&str], a: &[&str], n| BlockList::new(&strings(b), &strings(a), n);
        let has = |l: &BlockList, text: &str| {
            let roots = [];
            let context = Context {
                cwd: "/",
                home: "/h",
                roots: &roots,
                env: &[],
                links: &crate::analyse::NoLinks,
                shell: toolgate_bash::Shell::Bash,
            };
            l.hits(&script(text, &context)).next().is_some()
        };
        let d = list(&[], &[], true);
        for c in [
            "sudo x",
            "mkfs.ext4 /dev/sda",
            "dd if=/dev/zero of=x",
            "rm -rf /",
            "curl x",
            "/usr/bin/sudo x",
            "X=1 curl y",
            "true & curl x",
            "if true; then curl x; fi",
            "bash -c 'curl x'",
        ] {
            assert!(has(&d, c), "{c}");
        }
        for c in [
            "echo hello",
            "sudoku",
            "ncp file.txt",
            "rm -rf /tmp/anything",
            "git commit -m 'fix; reboot handling'",
            "echo 'a|sudo b'",
            "",
        ] {
            assert!(!has(&d, c), "{c}");
        }
        assert!(!has(&list(&[], &["CURL"], true), "curl x"));
        assert!(has(&list(&["curl"], &["curl"], true), "curl x"));
        assert!(has(&list(&[], &["curl"], false), "curl x"));
        assert_eq!(
            list(&["Sudo", "sudo", "MyCustom"], &[], true)
                .entries()
                .filter(|e| *e == "sudo" || *e == "mycustom")
                .count(),
            2
        );
    }

    #[test]
    fn confirm_patterns_go_by_grammar() {
        let list = ConfirmList::default();
        let context = Context {
            cwd: "/",
            home: "/h",
            roots: &[],
            env: &[],
            links: &crate::analyse::NoLinks,
            shell: toolgate_bash::Shell::Bash,
        };
        let hit = |text: &str| list.hits(&script(text, &context)).next().map(|h| h.entry.to_owned());
        for (text, entry) in [
            ("echo $(date)", "$("),
            ("echo `date`", "$("),
            ("cat <(ls)", "<("),
            ("tee >(cat)", ">("),
            ("cat <<< x", "<<<"),
            ("eval ls", "eval"),
            ("rm x", "rm"),
            ("git push -f", "git push -f"),
            ("git push origin --force", "git push --force"),
            ("psql -c 'DROP TABLE users'", "drop table"),
        ] {
            assert_eq!(hit(text).as_deref(), Some(entry), "{text}");
        }
        for text in ["echo 'a $(b) `c` <(d) eval '", "grep -n 'drop table' x", "confirm x", "farm x"] {
            assert_eq!(hit(text), None, "{text}");
        }
    }
}
