//! The secrets that a skill says it needs.
//!
//! A skill declares them by name, in the front matter of its file: `x-requires-secrets: [github-token]`. Whoever
//! activates it resolves the names and sets the result with
//! [`set_skill_env`](toolgate_exec::ToolExecutor::set_skill_env): it reaches the calls of that skill, through
//! whatever they are wrapped in, until it is set anew. Records show names alone.
//!
//! What a call of the skill prints is masked by the values it had, in the background as well, whoever reads it later.
//! What it wrote to a file can be read by a call of another skill: while the values are [`Masked`] they are masked
//! there too.
//!
//! ```
//! use toolgate::exec::{Pipeline, ToolExecutor};
//! use toolgate::layers::RedactLayer;
//! use toolgate::output::SecretValues;
//! use toolgate::skill_secrets::{Masked, RequiredSecrets};
//!
//! let secrets = SecretValues::new();
//! let agent = Pipeline::builder().layer(RedactLayer::new(secrets.clone())).build().unwrap();
//!
//! let skill = "---\nname: releases\nx-requires-secrets: [github-token]\n---\n# Releases\n";
//! let required = RequiredSecrets::of_skill(skill).unwrap();
//! assert_eq!(required.names(), ["GITHUB_TOKEN"]);
//! let vault = |name: &str| (name == "GITHUB_TOKEN").then(|| "t0ps3cret".to_owned());
//! let vars = required.resolve(vault).unwrap();
//!
//! let masked = Masked::new(&secrets, vars.values()); // first: what it could print is masked before it can
//! agent.set_skill_env(Some(vars));
//! assert_eq!(secrets.mask("it is t0ps3cret"), "it is ***");
//! // … the skill is at work …
//! agent.set_skill_env(None);
//! drop(masked);
//! ```

use std::collections::HashMap;

use toolgate_policy::facts::{self, Meaning};

use crate::output::SecretValues;

/// The key in the front matter.
const KEY: &str = "x-requires-secrets";
/// How the names of secrets end.
const SECRET_NAMES: [&str; 7] = ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_CREDENTIALS", "_PAT"];
/// Secrets that one skill may need at the most.
const MOST: usize = 32;
/// Bytes of front matter that are read.
const MAX_BYTES: usize = 64 * 1024;

/// Why what a skill declares can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadDeclaration {
    /// It names no variable.
    #[error("`{0}` is no name of a secret: expected letters, digits, `-` and `_`")]
    NoName(String),
    /// The variable would change what runs.
    #[error("`{0}` can't be a secret of a skill: the variable changes what runs")]
    ChangesWhatRuns(String),
    /// It needs too many.
    #[error("a skill can't need more than {MOST} secrets")]
    TooMany,
}

/// Secrets that a skill needs and nobody has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nobody has the secrets {}", .0.join(", "))]
pub struct MissingSecrets(
    /// Their names.
    pub Vec<String>,
);

/// The secrets that a skill needs, by the names of their variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequiredSecrets(Vec<String>);

impl RequiredSecrets {
    /// Secrets of these names; `github-token` is `GITHUB_TOKEN`.
    ///
    /// # Errors
    /// Where one is no name, or would change what runs.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, BadDeclaration> {
        let mut list = Vec::new();
        for name in names {
            let name = variable(name.as_ref())?;
            if !list.contains(&name) {
                list.push(name);
            }
            if list.len() > MOST {
                return Err(BadDeclaration::TooMany);
            }
        }
        Ok(Self(list))
    }

    /// What the front matter of a skill's file declares. No front matter and no such key declare nothing.
    ///
    /// The value is a list, in brackets, with commas or with a dash a line.
    ///
    /// # Errors
    /// As [`RequiredSecrets::new`].
    pub fn of_skill(text: &str) -> Result<Self, BadDeclaration> {
        let mut lines = front_matter(text).lines();
        let Some(first) = lines.find_map(|line| line.strip_prefix(KEY)?.trim_start().strip_prefix(':'))
        else {
            return Ok(Self::default());
        };
        let inline = without_comment(first).trim();
        if !inline.is_empty() {
            let inside = inline.strip_prefix('[').and_then(|i| i.strip_suffix(']')).unwrap_or(inline);
            return Self::new(inside.split(',').map(unquoted).filter(|name| !name.is_empty()));
        }
        let items = lines
            .map(|line| without_comment(line).trim())
            .take_while(|line| line.is_empty() || line.starts_with('-'))
            .map(|line| unquoted(line.trim_start_matches('-')));
        Self::new(items.filter(|name| !name.is_empty()))
    }

    /// The names of the variables.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The variables with their values, for
    /// [`set_skill_env`](toolgate_exec::ToolExecutor::set_skill_env): those that were declared and no others.
    ///
    /// # Errors
    /// The names of those that `source` does not have. A skill without all of its secrets gets none.
    pub fn resolve(
        &self,
        source: impl Fn(&str) -> Option<String>,
    ) -> Result<HashMap<String, String>, MissingSecrets> {
        let mut vars = HashMap::new();
        let mut missing = Vec::new();
        for name in &self.0 {
            match source(name) {
                Some(value) => {
                    vars.insert(name.clone(), value);
                }
                None => missing.push(name.clone()),
            }
        }
        if missing.is_empty() { Ok(vars) } else { Err(MissingSecrets(missing)) }
    }
}

/// Values that are masked wherever they stand, until this is dropped.
///
/// Two skills with one secret do not undo each other. A run that goes on in the background keeps what it was
/// started with, value and mask.
#[derive(Debug)]
#[must_use = "the values are masked until this is dropped"]
pub struct Masked {
    secrets: SecretValues,
    values: Values,
}

/// Not told by anyone who shows a [`Masked`].
struct Values(Vec<String>);

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

impl Masked {
    /// Masks these values from now on, for everyone who masks `secrets`.
    pub fn new<S: Into<String>>(secrets: &SecretValues, values: impl IntoIterator<Item = S>) -> Self {
        let values: Vec<String> = values.into_iter().map(Into::into).collect();
        secrets.add(&values);
        Self { secrets: secrets.clone(), values: Values(values) }
    }
}

impl Drop for Masked {
    fn drop(&mut self) {
        self.secrets.remove(&self.values.0);
    }
}

fn variable(name: &str) -> Result<String, BadDeclaration> {
    let variable = name.trim().replace('-', "_").to_ascii_uppercase();
    let good = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if variable.is_empty() || variable.len() > 128 || !variable.chars().all(good) {
        return Err(BadDeclaration::NoName(name.trim().to_owned()));
    }
    if variable.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(BadDeclaration::NoName(variable));
    }
    // A variable that says where connections go can hold a password, and is the vault's to give.
    let is_data = matches!(facts::variable(&variable), None | Some(Meaning::Harmless | Meaning::Endpoint));
    // Whole families are known to change what runs (`OPENAI_*`); those of them that are named a key are one.
    let is_named_so = SECRET_NAMES.iter().any(|end| variable.ends_with(end));
    if is_data && variable != "HOME" || is_named_so {
        Ok(variable)
    } else {
        Err(BadDeclaration::ChangesWhatRuns(variable))
    }
}

/// The lines between the first line and the next one that are three dashes each.
fn front_matter(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) =
        text.strip_prefix("---").and_then(|t| t.trim_start_matches([' ', '\r']).strip_prefix('\n'))
    else {
        return "";
    };
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" || end > MAX_BYTES {
            return rest.get(..end).unwrap_or_default();
        }
        end += line.len();
    }
    // It does not end, and so it never began.
    ""
}

fn without_comment(line: &str) -> &str {
    line.find(" #").map_or(line, |at| line.get(..at).unwrap_or(line))
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_declaration_is_read_in_each_of_its_spellings() {
        for list in [
            "[a-key, B_KEY]",
            " a-key, b-key",
            "\n  - a-key\n  - 'B_KEY'  # why",
            "[\"a-key\", b-key]\nother: [x]",
        ] {
            let text = format!("---\nname: x\nx-requires-secrets:{list}\nlast: y\n---\n- no-secret\n");
            assert_eq!(RequiredSecrets::of_skill(&text).unwrap().names(), ["A_KEY", "B_KEY"], "{list}");
        }
        for none in [
            "",
            "x-requires-secrets: [a]",
            "---\nname: x\n---\nx-requires-secrets: [a]\n",
            "---\nx-requires-secrets: [a]\n",
            "---\nx-requires-secrets:\n---\n- a\n",
        ] {
            assert!(RequiredSecrets::of_skill(none).unwrap().names().is_empty(), "{none:?}");
        }
    }

    #[test]
    fn what_changes_what_runs_is_no_secret() {
        for name in ["PATH", "ld-preload", "BASH_ENV", "GIT_SSH_COMMAND", "home", "a b", "", "1a", "a=b", "ä"]
        {
            assert!(RequiredSecrets::new([name]).is_err(), "{name}");
        }
        assert!(RequiredSecrets::new((0..33).map(|n| format!("k{n}"))).is_err());
        for name in ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "github-token", "HF_TOKEN"] {
            assert!(RequiredSecrets::new([name]).is_ok(), "B17: {name} is the skill's own");
        }
    }

    #[test]
    fn a_skill_gets_all_of_its_secrets_or_none() {
        let required = RequiredSecrets::new(["A", "B"]).unwrap();
        assert_eq!(
            required.resolve(|n| (n == "A").then(String::new)),
            Err(MissingSecrets(vec!["B".to_owned()]))
        );
        assert_eq!(required.resolve(|n| Some(n.to_owned())).unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn no_file_breaks_it(text in "(---\n)?(x-requires-secrets:)?[\\PC\n\\[\\],-]{0,200}") {
            let _ = RequiredSecrets::of_skill(&text);
        }
    }
}
