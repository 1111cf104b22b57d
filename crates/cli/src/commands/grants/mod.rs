//! `toolgate grants`: what a person allowed to be done again without asking.

mod add;
mod list;
mod revoke;
mod show;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Subcommand;
use toolgate::grants::{Listed, Scope};

use super::Globals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::granted::for_people;
use crate::report::GrantReport;
use crate::ui::{Ui, visible_lines};

/// Give, show and take back what may be done without asking
///
/// A grant is a parsed command and the effects it may have. It answers what the policy asks about and
/// lifts no refusal; it never names a shell, an interpreter or a wrapper. Grants are kept in the
/// user's state directory, those for a project under its path: nothing in a project grants anything.
#[derive(Debug, clap::Args)]
pub(crate) struct Grants {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::List),
    Show(show::Show),
    Add(add::Add),
    Revoke(revoke::Revoke),
}

impl Grants {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        match self.verb {
            Verb::List(verb) => verb.run(ui),
            Verb::Show(verb) => verb.run(ui),
            Verb::Add(verb) => verb.run(ui, globals),
            Verb::Revoke(verb) => verb.run(ui),
        }
    }
}

fn report(listed: &Listed) -> GrantReport {
    let grant = &listed.grant;
    GrantReport {
        id: grant.id.clone(),
        scope: listed.scope.as_str().to_owned(),
        project: listed.project.clone(),
        tool: grant.tool.clone(),
        command: grant.form.to_string(),
        may: grant.lifts.iter().map(ToString::to_string).collect(),
        within: grant.within.clone(),
        created: grant.created,
        expires: grant.expires,
        ended: left(grant.expires).is_none(),
    }
}

/// The time until then.
fn left(expires: u64) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Duration::from_secs(expires).checked_sub(now).filter(|left| !left.is_zero())
}

/// A grant for a person: what it is for, where, and until when.
fn told(listed: &Listed) -> String {
    let grant = &listed.grant;
    let ends = match left(grant.expires) {
        Some(left) => format!("ends in {}", for_people(left)),
        None => "has ended".to_owned(),
    };
    let place = match (listed.scope, &grant.within) {
        (Scope::User, _) | (_, None) => "anywhere".to_owned(),
        (_, Some(dir)) => format!("in {dir}"),
    };
    let mut text = format!("{}  {}, {place}, {ends}\n", grant.id, listed.scope);
    if grant.tool != "bash" {
        text.push_str(&format!("    {} ", grant.tool));
    } else {
        text.push_str("    ");
    }
    text.push_str(&visible_lines(&grant.form.to_string()));
    text.push('\n');
    if !grant.lifts.is_empty() {
        let may: Vec<_> = grant.lifts.iter().map(ToString::to_string).collect();
        text.push_str(&format!("      may: {}\n", visible_lines(&may.join(", "))));
    }
    text
}

fn unknown(id: &str) -> Failure {
    Failure::usage(format!("no grant has the id {id}"), "see `toolgate grants list` for those there are")
}
