//! Votes with other parsers on scripts, and prints where they know better than we.
//!
//! ```sh
//! cargo run --release --manifest-path crates/bash/oracles/Cargo.toml
//! ```
//!
//! `TOOLGATE_ORACLE_SEED` and `TOOLGATE_ORACLE_SCRIPTS` say where it begins and how far it goes. It fails if a
//! disagreement is of no class in `triage.toml`, or if bash really ran a command that we hide.

mod disagreement;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
mod peers;
mod texts;
mod triage;

use disagreement::{Disagreement, bash_accepts, disagreements};
use oracle::canary::Cage;
use oracle::{Random, bash, reduce};
use peers::{PEERS, Peer, toolgate};
use std::collections::BTreeMap;
use std::process::ExitCode;
use triage::{Class, classes};

/// Our parser, to count what it accepts.
const US: Peer = ("toolgate", toolgate);

/// How many texts a run has if nothing is set.
const USUAL: usize = 20_000;

fn main() -> ExitCode {
    // Other parsers may panic, which is a rejection.
    std::panic::set_hook(Box::new(|info| {
        if info.location().is_some_and(|place| !place.file().contains("shuck")) {
            eprintln!("{info}");
        }
    }));
    // They recurse, too.
    let run = std::thread::Builder::new().stack_size(256 << 20).spawn(run).expect("a thread starts");
    if run.join().unwrap_or(false) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether every disagreement was triaged.
fn run() -> bool {
    let (seed, count) = (oracle::seed(), oracle::scripts().unwrap_or(USUAL));
    println!("TOOLGATE_ORACLE_SEED={seed} TOOLGATE_ORACLE_SCRIPTS={count}");
    peers::assert_eyesight();
    let mut umpire = Umpire::new();
    let (mut random, judged) = (Random::new(seed), texts::judged());
    let mut accepted = BTreeMap::new();
    for _ in 0..count {
        let text = texts::text(&mut random, &judged);
        for (name, vote) in [US].into_iter().chain(PEERS) {
            *accepted.entry(name).or_insert(0) += usize::from(vote(&text).is_some());
        }
        for disagreement in disagreements(&text) {
            umpire.judge(disagreement, &text);
        }
    }
    println!("accepted: {accepted:?}");
    umpire.triaged.iter().for_each(|(class, count)| println!("{count:6} {class}"));
    println!("{:6} untriaged", umpire.untriaged);
    umpire.untriaged == 0
}

/// Decides about disagreements.
struct Umpire {
    /// Runs scripts; `None` if bash is not installed or cannot be isolated.
    cage: Option<Cage>,
    classes: Vec<Class>,
    triaged: BTreeMap<String, usize>,
    untriaged: usize,
}

impl Umpire {
    fn new() -> Self {
        if bash_accepts(":").is_none() {
            println!("no bash here: what we accept is not judged");
        }
        let cage = bash::installed().map(|bash| Cage::new(&bash)).filter(|cage| cage.isolated);
        Umpire { cage, classes: classes(), triaged: BTreeMap::new(), untriaged: 0 }
    }

    fn judge(&mut self, disagreement: Disagreement, text: &str) {
        let reduced = reduce(text, |smaller| disagreements(smaller).contains(&disagreement));
        let is_run = match &disagreement {
            Disagreement::Hidden { name, .. } => [text, &reduced].iter().any(|text| self.runs(text, name)),
            Disagreement::Accepted => false,
        };
        let class = self.classes.iter().find(|class| class.covers(&disagreement, &reduced));
        if let Some(class) = class.filter(|_| !is_run) {
            *self.triaged.entry(class.name.clone()).or_default() += 1;
            return;
        }
        self.untriaged += 1;
        match disagreement {
            Disagreement::Accepted => println!("accepted: {reduced:?}"),
            Disagreement::Hidden { name, by } => {
                let name = String::from_utf8_lossy(&name);
                println!("hidden: {name:?} by {by:?}, run by bash: {is_run}: {reduced:?}");
            }
        }
    }

    /// Whether bash really runs a command that we hide, and not by way of one that we flag as dynamic.
    fn runs(&self, text: &str, name: &[u8]) -> bool {
        let is_dynamic = toolgate(text).is_none_or(|ours| ours.iter().any(|shown| shown.name.is_none()));
        let ran = self.cage.as_ref().filter(|_| !is_dynamic).and_then(|cage| cage.run(&[text.to_owned()]));
        ran.into_iter().flatten().flatten().any(|ran| ran.as_bytes() == name)
    }
}
