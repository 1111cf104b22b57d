//! The rules there are: the built-in ones, and those of a user and of a project.

use crate::rule::{Origin, Rule};
use crate::rules;
use crate::user_rules::{self, RulesError};
use std::sync::Arc;

/// What a command is called that has no name of its own.
const OTHER: &str = "(other)";

/// Rules to choose from.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Nearest first: project, then user.
    own: Arc<[Rule]>,
}

impl Catalog {
    /// The built-in rules alone.
    #[must_use]
    pub fn built_in() -> Self {
        Self::default()
    }

    /// With the rules of a `filters.toml`; the text is checked, and its examples are run.
    ///
    /// Rules of the nearest file come first. A rule that has the name of another replaces it.
    ///
    /// # Errors
    /// When the file is not understood, a pattern is refused, or an example does not hold. The
    /// catalogue is as it was then: broken rules never leave an agent without filters.
    pub fn with_file(&self, text: &str, origin: Origin) -> Result<Self, RulesError> {
        let catalog = self.with_unproven(user_rules::read(text, origin)?);
        user_rules::run_examples(text, &catalog)?;
        Ok(catalog)
    }

    /// With rules whose examples were not run.
    pub(crate) fn with_unproven(&self, mut own: Vec<Rule>) -> Self {
        let replaced = |old: &&Rule| !own.iter().any(|new| new.name == old.name);
        let kept: Vec<Rule> = self.own.iter().filter(replaced).cloned().collect();
        own.extend(kept);
        Self { own: own.into() }
    }

    /// Every rule, nearest first.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.own
            .iter()
            .chain(rules::built_in().iter().filter(|rule| !self.own.iter().any(|own| own.name == rule.name)))
    }

    /// Whether a rule makes the output of this command line shorter.
    ///
    /// ```
    /// let catalog = toolgate_filter::Catalog::built_in();
    /// assert!(catalog.shortens("cd /x && cargo test") && !catalog.shortens("./run-it.sh --now"));
    /// ```
    #[must_use]
    pub fn shortens(&self, command: &str) -> bool {
        crate::command::commands(command)
            .iter()
            .any(|argv| self.rules_for(argv).iter().any(|rule| !rule.plain || !rule.steps.is_empty()))
    }

    /// What to call a command line in a record that holds none of its arguments: the program whose
    /// output it is, and the subcommand where a rule knows it by name.
    ///
    /// ```
    /// let catalog = toolgate_filter::Catalog::built_in();
    /// assert_eq!(catalog.label("cd /x && TOKEN=abc cargo test s3cret"), "cargo test");
    /// assert_eq!(catalog.label("/opt/bin/tool s3cret"), "tool");
    /// assert_eq!(catalog.label("$TOOL s3cret"), "(other)");
    /// ```
    #[must_use]
    pub fn label(&self, command: &str) -> String {
        let commands = crate::command::commands(command);
        let known = |argv: &&Vec<String>| !self.rules_for(argv).is_empty();
        let Some(argv) = commands.iter().find(known).or(commands.first()) else { return OTHER.to_owned() };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
        let program = match argv.first().map(|word| crate::command::base(word)) {
            Some(name) if name.len() <= 40 && !name.is_empty() && name.chars().all(plain) => name,
            _ => return OTHER.to_owned(),
        };
        let subcommand = crate::command::subcommand(argv)
            .filter(|sub| self.rules().any(|rule| rule.names_subcommand(program, sub)));
        subcommand.map_or_else(|| program.to_owned(), |sub| format!("{program} {sub}"))
    }

    /// The rules that are for this command, in the order in which they act.
    pub(crate) fn rules_for(&self, argv: &[String]) -> Vec<&Rule> {
        let mut found: Vec<&Rule> = self.own.iter().filter(|rule| rule.is_for(argv)).collect();
        let mut best: Option<(u8, &Rule)> = None;
        for rule in rules::built_in().iter().filter(|rule| !self.own.iter().any(|own| own.name == rule.name))
        {
            if let Some(fit) = rule.fits(argv)
                && best.is_none_or(|(most, _)| fit > most)
            {
                best = Some((fit, rule));
            }
        }
        found.extend(best.map(|(_, rule)| rule));
        found
    }
}
