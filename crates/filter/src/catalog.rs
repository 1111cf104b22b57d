//! The rules there are: the built-in ones, and those of a user and of a project.

use crate::rule::{Origin, Rule};
use crate::rules;
use crate::user_rules::{self, RulesError};
use std::sync::Arc;

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
        let mut own = user_rules::read(text, origin)?;
        own.extend(
            self.own
                .iter()
                .filter(|old| !own.iter().any(|new| new.name == old.name))
                .cloned()
                .collect::<Vec<_>>(),
        );
        let catalog = Self { own: own.into() };
        user_rules::run_examples(text, &catalog)?;
        Ok(catalog)
    }

    /// Every rule, nearest first.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.own
            .iter()
            .chain(rules::built_in().iter().filter(|rule| !self.own.iter().any(|own| own.name == rule.name)))
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
