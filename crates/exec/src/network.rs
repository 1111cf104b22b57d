//! How far a call may reach over the network.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// The network a call, a session or a sub-agent may use.
///
/// A child's scope is always taken together with its parent's ([`NetworkScope::within`]) and
/// can only become narrower. A missing scope is `Inherit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NetworkScope {
    /// Whatever the parent has.
    #[default]
    Inherit,
    /// The host's network.
    Allow,
    /// No network at all.
    Deny,
    /// Only these domains and their sub-domains, lower case, sorted.
    Only(#[serde(deserialize_with = "domains")] Vec<String>),
}

impl NetworkScope {
    /// A scope of listed domains: lower-cased, trailing dots dropped, sorted, no doubles.
    ///
    /// An empty list is [`NetworkScope::Deny`].
    pub fn only<I, S>(domains: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let list = normal(domains);
        if list.is_empty() { Self::Deny } else { Self::Only(list) }
    }

    /// The scope that remains of `self` inside `parent`: never wider than either.
    ///
    /// ```
    /// use toolgate_exec::NetworkScope as N;
    /// assert_eq!(N::Allow.within(&N::Deny), N::Deny);
    /// assert_eq!(N::Inherit.within(&N::Allow), N::Allow);
    /// assert_eq!(N::only(["a.example", "evil.example"]).within(&N::only(["a.example"])), N::only(["a.example"]));
    /// ```
    #[must_use]
    pub fn within(&self, parent: &Self) -> Self {
        match (self, parent) {
            (Self::Deny, _) | (_, Self::Deny) => Self::Deny,
            (scope, Self::Inherit | Self::Allow) if *scope != Self::Inherit => scope.clone(),
            (Self::Inherit | Self::Allow, parent) => parent.clone(),
            (Self::Only(own), Self::Only(theirs)) => Self::only(
                own.iter().filter(|d| covers(theirs, d)).chain(theirs.iter().filter(|d| covers(own, d))),
            ),
            (own, _) => own.clone(),
        }
    }

    /// Whether nothing may leave the machine.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Deny)
    }
}

fn normal<S: AsRef<str>>(domains: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut list: Vec<String> = domains
        .into_iter()
        .map(|d| d.as_ref().trim().trim_end_matches('.').to_ascii_lowercase())
        .filter(|d| !d.is_empty())
        .collect();
    list.sort_unstable();
    list.dedup();
    list
}

fn domains<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Vec::<String>::deserialize(from).map(normal)
}

/// Whether `domain` is one of `list` or below one of them.
fn covers(list: &[String], domain: &str) -> bool {
    list.iter().any(|l| domain == l || domain.strip_suffix(l.as_str()).is_some_and(|p| p.ends_with('.')))
}

impl fmt::Display for NetworkScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inherit => f.write_str("inherit"),
            Self::Allow => f.write_str("allow"),
            Self::Deny => f.write_str("deny"),
            Self::Only(list) => write!(f, "only:{}", list.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scope() -> impl Strategy<Value = NetworkScope> {
        let domain =
            prop::sample::select(vec!["a.example", "x.a.example", "b.example", "ba.example", "B.example."]);
        prop_oneof![
            Just(NetworkScope::Inherit),
            Just(NetworkScope::Allow),
            Just(NetworkScope::Deny),
            prop::collection::vec(domain, 0..4).prop_map(NetworkScope::only),
        ]
    }

    /// What a scope lets through, as a set over a few hosts.
    fn reach(scope: &NetworkScope) -> Vec<bool> {
        ["a.example", "x.a.example", "b.example", "ba.example", "c.example"]
            .map(|host| match scope {
                NetworkScope::Inherit | NetworkScope::Allow => true,
                NetworkScope::Deny => false,
                NetworkScope::Only(list) => covers(list, host),
            })
            .to_vec()
    }

    proptest! {
        #[test]
        fn a_child_reaches_exactly_what_both_scopes_reach(child in scope(), parent in scope()) {
            let both: Vec<bool> = reach(&child).iter().zip(reach(&parent)).map(|(a, b)| *a && b).collect();
            prop_assert_eq!(reach(&child.within(&parent)), both);
        }
    }
}
