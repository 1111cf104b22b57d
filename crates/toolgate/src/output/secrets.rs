//! Values that are masked wherever they stand.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use toolgate_exec::{Session, SkillEnv};
use toolgate_filter::redact::Secrets;

/// The secrets of one session, shared by whoever knows some and whoever masks them.
///
/// A clone is the same set. A value that was added twice is masked until it was removed twice, so
/// that two skills with one secret do not undo each other.
///
/// ```
/// use toolgate::output::SecretValues;
/// let secrets = SecretValues::new();
/// secrets.add(["correct horse battery"]);
/// assert_eq!(secrets.mask("say correct horse battery"), "say [redacted]");
/// secrets.remove(["correct horse battery"]);
/// assert_eq!(secrets.mask("say correct horse battery"), "say correct horse battery");
/// ```
#[derive(Clone, Default)]
pub struct SecretValues(Arc<RwLock<State>>);

#[derive(Default)]
struct State {
    /// Each value, and how often it was added.
    values: BTreeMap<Arc<str>, usize>,
    /// What is looked for, the values included.
    built: Secrets,
    /// The same with the variables of the last skill that was asked for.
    with_skill: Option<(SkillEnv, Secrets)>,
}

impl SecretValues {
    /// No values yet: known shapes of secrets alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Masks these values from now on.
    pub fn add<I, S>(&self, values: I)
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let mut state = self.write();
        for value in values {
            *state.values.entry(value.as_ref().into()).or_default() += 1;
        }
        state.build();
    }

    /// Takes values back, as often as they were added.
    pub fn remove<I, S>(&self, values: I)
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let mut state = self.write();
        for value in values {
            if let Some(count) = state.values.get_mut(value.as_ref()) {
                *count -= 1;
                if *count == 0 {
                    state.values.remove(value.as_ref());
                }
            }
        }
        state.build();
    }

    /// A text with every known secret masked.
    pub fn mask(&self, text: &str) -> String {
        toolgate_filter::redact::redact(text, &self.read().built).into_owned()
    }

    /// The same for a call of this session, where there is anything to mask.
    pub(crate) fn masked(&self, text: &str, session: &Session) -> Option<String> {
        match toolgate_filter::redact::redact(text, &self.of(session)) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        }
    }

    /// What to look for during a call of this session: the variables of its skill count too.
    pub fn of(&self, session: &Session) -> Secrets {
        let Some(env) = session.skill_env.as_ref().filter(|env| !env.is_empty()) else {
            return self.read().built.clone();
        };
        if let Some((last, secrets)) = &self.read().with_skill
            && last == env
        {
            return secrets.clone();
        }
        let mut state = self.write();
        let values = state.values.keys().map(|value| &**value);
        let secrets = Secrets::with_values(values.chain(env.vars().map(|(_, value)| value)));
        state.with_skill = Some((env.clone(), secrets.clone()));
        secrets
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn build(&mut self) {
        self.built = Secrets::with_values(self.values.keys());
        self.with_skill = None;
    }
}

/// How many there are, and nothing of them.
impl fmt::Debug for SecretValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretValues({})", self.read().values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use toolgate_exec::CallContext;

    #[test]
    fn a_value_is_masked_until_everyone_took_it_back() {
        let secrets = SecretValues::new();
        let other = secrets.clone();
        secrets.add(["hunter2-hunter2-again"]);
        other.add(["hunter2-hunter2-again"]);
        secrets.remove(["hunter2-hunter2-again", "never-added"]);
        assert_eq!(secrets.mask("a hunter2-hunter2-again b"), "a [redacted] b");
        other.remove(["hunter2-hunter2-again"]);
        assert_eq!(secrets.mask("a hunter2-hunter2-again b"), "a hunter2-hunter2-again b");
        assert!(!format!("{secrets:?}").contains("hunter"));
    }

    #[test]
    fn the_variables_of_the_skill_count_for_its_calls() {
        let secrets = SecretValues::new();
        secrets.add(["value-of-all"]);
        let env = |value: &str| SkillEnv::from(HashMap::from([("K".to_owned(), value.to_owned())]));
        let of = |value: &str| {
            let mut context = CallContext::new();
            context.skill_env = Some(env(value));
            Session::default().narrowed(&context)
        };
        let mask = |session: &Session, text: &str| {
            toolgate_filter::redact::redact(text, &secrets.of(session)).into_owned()
        };
        for _ in 0..2 {
            assert_eq!(mask(&of("skill-one"), "skill-one skill-two value-of-all"), "*** skill-two ***");
            assert_eq!(mask(&of("skill-two"), "skill-one skill-two"), "skill-one ***");
        }
        assert_eq!(mask(&Session::default(), "skill-one value-of-all"), "skill-one ***");
    }
}
