//! What a layer that is not trusted with a key may still do to it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What a project's file may do to a key before the user trusts it, and what anyone may do to a
/// key that the managed file sets.
///
/// Written next to the key as `x-project`. A key without one can't be set there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing.
    Never,
    /// Anything: the key guards nothing.
    Free,
    /// Make the number smaller.
    Lower,
    /// Make the number smaller, where 0 is no limit.
    Limit,
    /// Switch it off.
    Off,
    /// Switch it on.
    On,
    /// Add entries. Lists of this kind are joined over all layers; no layer takes an entry away.
    Add,
    /// Add entries that ask or deny. Joined as those of [`Rule::Add`].
    Tighten,
    /// Say something of its own: what each layer says stands beside what others say, and only tightens.
    Each,
    /// Choose a stricter value: one that the type lists later.
    Stricter,
    /// Take entries away.
    Fewer,
    /// Name places inside those allowed before.
    Within,
}

impl Rule {
    const ALL: [(Self, &'static str); 12] = [
        (Self::Never, "never"),
        (Self::Free, "free"),
        (Self::Lower, "lower"),
        (Self::Limit, "limit"),
        (Self::Off, "off"),
        (Self::On, "on"),
        (Self::Add, "add"),
        (Self::Tighten, "tighten"),
        (Self::Each, "each"),
        (Self::Stricter, "stricter"),
        (Self::Fewer, "fewer"),
        (Self::Within, "within"),
    ];

    /// The rule a key's schema names; [`Rule::Never`] where it names none that is known.
    pub(super) fn of(schema: &Value) -> Self {
        let name = schema.get("x-project").and_then(Value::as_str).unwrap_or_default();
        Self::ALL.into_iter().find(|(_, n)| *n == name).map_or(Self::Never, |(rule, _)| rule)
    }

    /// Whether the entries of all layers are joined into one list.
    pub fn joins(self) -> bool {
        matches!(self, Self::Add | Self::Tighten)
    }

    /// Why `after` is not as strict as `before`; `None` where it is.
    ///
    /// `start` stands in for an empty list of places; `options` are the values there are, where they are
    /// few.
    pub(super) fn loosened(
        self,
        before: &Value,
        after: &Value,
        start: &Path,
        options: &[Value],
    ) -> Option<Looser> {
        match self {
            Self::Free | Self::Add | Self::Each => None,
            Self::Tighten => {
                let allows = |rule: &Value| rule.get("action").and_then(Value::as_str) == Some("allow");
                let at = after.as_array()?.iter().position(allows)?;
                Looser::entry(at, "it may ask and deny, and this allows".to_owned())
            }
            Self::Stricter => {
                let rank = |value: &Value| options.iter().position(|option| option == value);
                match (rank(before), rank(after)) {
                    (Some(before), Some(after)) if after >= before => None,
                    _ => Looser::all(format!("{after} is less strict than {before}")),
                }
            }
            Self::Never => Looser::all("it can't be set here"),
            Self::Lower => match (before.as_u64(), after.as_u64()) {
                (Some(before), Some(after)) if after <= before => None,
                _ => Looser::all(format!("{after} is more than {before}")),
            },
            Self::Limit => match (before.as_u64(), after.as_u64()) {
                (Some(0), Some(_)) => None,
                (Some(_), Some(0)) => Looser::all("there was a limit before, and 0 is none"),
                (Some(before), Some(after)) if after <= before => None,
                _ => Looser::all(format!("{after} is more than {before}")),
            },
            Self::Off => match (before.as_bool(), after.as_bool()) {
                (_, Some(false)) | (Some(true), Some(true)) => None,
                _ => Looser::all("it was switched off before"),
            },
            Self::On => match (before.as_bool(), after.as_bool()) {
                (_, Some(true)) | (Some(false), Some(false)) => None,
                _ => Looser::all("it was switched on before"),
            },
            Self::Fewer => {
                let known = list(before);
                let (at, extra) = list(after).into_iter().enumerate().find(|(_, e)| !known.contains(e))?;
                Looser::entry(at, format!("{extra:?} was not in the list before"))
            }
            Self::Within => {
                let mut places: Vec<PathBuf> = list(before).into_iter().map(PathBuf::from).collect();
                if places.is_empty() {
                    places.push(start.to_owned());
                }
                let after = list(after);
                if after.is_empty() && !list(before).is_empty() {
                    // An empty list stands for the start directory, which may lie elsewhere.
                    return Looser::all("an empty list stands for the directory a command starts in");
                }
                let inside = |p: &str| places.iter().any(|a| Path::new(p).starts_with(a));
                let (at, outside) = after.into_iter().enumerate().find(|(_, p)| !inside(p))?;
                let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
                Looser::entry(at, format!("{outside} is not inside {}", places.join(" or ")))
            }
        }
    }
}

/// What is less strict than before.
#[derive(Debug)]
pub(super) struct Looser {
    pub(super) why: String,
    /// The entry of the list that is; the whole value where absent.
    pub(super) entry: Option<usize>,
}

impl Looser {
    fn all(why: impl Into<String>) -> Option<Self> {
        Some(Self { why: why.into(), entry: None })
    }

    fn entry(at: usize, why: String) -> Option<Self> {
        Some(Self { why, entry: Some(at) })
    }
}

fn list(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.into_iter().find(|(rule, _)| rule == self).map_or("never", |(_, name)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_rule_lets_a_value_get_stricter_and_nothing_else() {
        let start = Path::new("/w");
        for (rule, before, after, fits) in [
            (Rule::Never, json!(1), json!(1), false),
            (Rule::Free, json!(false), json!(true), true),
            (Rule::Lower, json!(30), json!(30), true),
            (Rule::Lower, json!(30), json!(31), false),
            (Rule::Off, json!(true), json!(false), true),
            (Rule::Off, json!(true), json!(true), true),
            (Rule::Off, json!(false), json!(true), false),
            (Rule::On, json!(false), json!(true), true),
            (Rule::On, json!(true), json!(true), true),
            (Rule::On, json!(true), json!(false), false),
            (Rule::Limit, json!(0), json!(5), true),
            (Rule::Limit, json!(5), json!(4), true),
            (Rule::Limit, json!(5), json!(6), false),
            (Rule::Limit, json!(5), json!(0), false),
            (Rule::Limit, json!(0), json!(0), true),
            (Rule::Stricter, json!("strict"), json!("unknown"), false),
            (Rule::Add, json!([]), json!(["x"]), true),
            (Rule::Fewer, json!(["a", "b"]), json!(["b"]), true),
            (Rule::Fewer, json!(["a"]), json!(["b"]), false),
            (Rule::Fewer, json!([]), json!([]), true),
            (Rule::Tighten, json!([]), json!([{ "action": "deny" }, { "action": "ask" }]), true),
            (Rule::Tighten, json!([]), json!([{ "action": "deny" }, { "action": "allow" }]), false),
            (Rule::Tighten, json!([{ "action": "allow" }]), json!([{ "action": "allow" }]), false),
            (Rule::Each, json!({}), json!({ "bash": [] }), true),
            (Rule::Stricter, json!("default"), json!("strict"), true),
            (Rule::Stricter, json!("default"), json!("default"), true),
            (Rule::Stricter, json!("default"), json!("open"), false),
            (Rule::Stricter, json!("strict"), json!("default"), false),
            (Rule::Within, json!([]), json!(["/w/src"]), true),
            (Rule::Within, json!([]), json!(["/w-other"]), false),
            (Rule::Within, json!([]), json!([]), true),
            (Rule::Within, json!(["/a"]), json!(["/a/b", "/a"]), true),
            (Rule::Within, json!(["/a"]), json!(["/w"]), false),
            (Rule::Within, json!(["/a"]), json!([]), false),
        ] {
            let said = rule.loosened(&before, &after, start, &["open", "default", "strict"].map(Value::from));
            assert_eq!(said.is_none(), fits, "{rule}: {before} -> {after}: {said:?}");
        }
    }
}
