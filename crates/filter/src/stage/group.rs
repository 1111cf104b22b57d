//! Groups warnings by the rule that gave them: for tools whose messages a user's rule describes.
//!
//! Built-in rules use [`super::diagnostics`], which needs no description.

use super::{Line, Next, Stage};
use crate::guard::{self, Weight};
use regex::Regex;

/// Groups kept; further ones pass line by line.
const MOST: usize = 1000;

pub(crate) struct GroupByRule {
    location: Regex,
    rule: Regex,
    pending: Option<String>,
    groups: Vec<(String, Vec<String>)>,
}

impl GroupByRule {
    pub(crate) fn new(location: Regex, rule: Regex) -> Self {
        Self { location, rule, pending: None, groups: Vec::new() }
    }
}

fn captured(regex: &Regex, text: &str) -> Option<String> {
    let captures = regex.captures(text)?;
    captures.get(1).or_else(|| captures.get(0)).map(|m| m.as_str().to_owned())
}

impl Stage for GroupByRule {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return next.line(line);
        }
        // Every line is shown as well: a group is a table of contents and not a replacement.
        if let Some(place) = captured(&self.location, line.text) {
            self.pending = Some(place);
        }
        if let Some(rule) = captured(&self.rule, line.text)
            && let Some(place) = self.pending.take()
        {
            if let Some((_, places)) = self.groups.iter_mut().find(|(name, _)| *name == rule) {
                if places.len() < MOST {
                    places.push(place);
                }
                // The place is in the list; what else the line says must not be trouble.
                if guard::weigh(line.text) == Weight::Plain {
                    return next.cut(1);
                }
                return next.line(line);
            }
            if self.groups.len() < MOST {
                self.groups.push((rule, vec![place]));
            }
        }
        next.line(line);
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        for (rule, places) in std::mem::take(&mut self.groups) {
            if places.len() > 1 {
                next.note(&format!("{rule} ({}): {}", places.len(), places.join(" ")));
            }
        }
    }
}
