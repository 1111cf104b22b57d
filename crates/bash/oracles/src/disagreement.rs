//! Where the votes differ in a way that matters.

use crate::peers::{PEERS, Shown, toolgate};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// What the parsers disagree on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disagreement {
    /// We accept what the others and bash reject.
    Accepted,
    /// Others show a command that we hide.
    Hidden {
        /// The name of the command.
        name: Vec<u8>,
        /// Who shows it.
        by: Vec<&'static str>,
    },
}

/// All disagreements about a text.
pub fn disagreements(text: &str) -> Vec<Disagreement> {
    let Some(ours) = toolgate(text) else { return Vec::new() };
    let votes = PEERS.map(|(peer, vote)| (peer, vote(text)));
    if votes.iter().all(|(_, vote)| vote.is_none()) {
        return if bash_accepts(text) == Some(false) { vec![Disagreement::Accepted] } else { Vec::new() };
    }
    let mut hidden: BTreeMap<Vec<u8>, Vec<&'static str>> = BTreeMap::new();
    for (peer, vote) in votes {
        for shown in vote.into_iter().flatten().filter(|shown| !is_visible(shown, &ours)) {
            let by = hidden.entry(shown.name.unwrap_or_default()).or_default();
            if !by.contains(&peer) {
                by.push(peer);
            }
        }
    }
    hidden.into_iter().map(|(name, by)| Disagreement::Hidden { name, by }).collect()
}

/// Whether we show a command by name, or flag the place it stands at as dynamic.
fn is_visible(theirs: &Shown, ours: &[Shown]) -> bool {
    let Some(name) = &theirs.name else { return true };
    ours.iter().any(|ours| match &ours.name {
        Some(ours) => ours == name,
        None => ours.place.start < theirs.place.end && theirs.place.start < ours.place.end,
    })
}

/// Whether bash finds no syntax error, some of which it only prints; `None` if there is no bash.
pub fn bash_accepts(text: &str) -> Option<bool> {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-n", "-c", "--", text]).env_clear().env("LANG", "C.UTF-8").stdin(Stdio::null());
    if let Some(path) = std::env::var_os("PATH") {
        bash.env("PATH", path);
    }
    let output = bash.output().ok()?;
    let talk = String::from_utf8_lossy(&output.stderr);
    Some(output.status.success() && !talk.contains("syntax error") && !talk.contains("unexpected"))
}
