//! `toolgate grants add`: gives a grant before anything asks.

use std::time::Duration;

use toolgate::exec::ToolCall;
use toolgate::grants::{DEFAULT_TIME, NotGrantable, SESSION_TIME, Scope};

use crate::ask::{Answer, ask};
use crate::assemble::Assembly;
use crate::commands::Globals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::granted;
use crate::report::GrantsReport;
use crate::session_flags::{SessionFlags, start_dir};
use crate::ui::{Ui, visible_lines};

/// Allow a command to run from now on without asking
///
/// Shows what would be kept and asks on the terminal; nothing else can answer, so that no agent can
/// grant itself anything. A `*` of its own stands for any one word there, `DIR/*` for any files
/// below that directory.
#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// The command, as one argument
    command: String,

    /// Say how far it reaches
    #[arg(long, value_name = "SCOPE", default_value = "project")]
    scope: ScopeName,

    /// Say how long it holds, at the most 366d; 30d where it is not said, 12h for a session
    #[arg(long = "for", value_name = "TIME", value_parser = granted::time)]
    time: Option<Duration>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ScopeName {
    /// This terminal's session.
    Session,
    /// This directory and what is below it.
    Project,
    /// Any directory.
    User,
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Self {
        match name {
            ScopeName::Session => Self::Session,
            ScopeName::Project => Self::Project,
            ScopeName::User => Self::User,
        }
    }
}

impl Add {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let start = start_dir(None)?;
        let flags = SessionFlags::plain();
        let assembly = Assembly::load(&start, &globals.config, &flags)?;
        let scope = Scope::from(self.scope);
        let mut call = ToolCall::new(
            "bash",
            [("command".to_owned(), self.command.clone().into())].into_iter().collect(),
        );
        call = call.with_context(flags.context(&start));
        let proposal = assembly.proposal(&flags, &call)?.map_err(|why| match why {
            NotGrantable::NotAsked => Failure::usage(
                "nothing of it is asked about, so there is nothing to grant",
                "`toolgate check` says what it would do",
            ),
            why => Failure::Usage {
                message: format!("it can't be granted: {why}"),
                hint: Some("`toolgate check` says what is asked about, and why".to_owned()),
            },
        })?;
        let usual = if scope == Scope::Session { SESSION_TIME } else { DEFAULT_TIME };
        let time = self.time.unwrap_or(usual);
        let question = format!(
            "toolgate keeps this, {}, for {}:\n\n    {}\n\nAllow it to run without asking?",
            match scope {
                Scope::Session => format!("for this session in {}", start.display()),
                Scope::Project => format!("for {} and below", start.display()),
                Scope::User => "wherever you work".to_owned(),
            },
            granted::for_people(time),
            visible_lines(&proposal.to_string()).replace('\n', "\n    "),
        );
        match ask(&question) {
            Answer::Yes => {}
            Answer::No => return Err(Failure::NotGranted { asked: true }),
            Answer::NobodyToAsk => return Err(Failure::NotGranted { asked: false }),
        }
        let given = assembly.grants().add(scope, &proposal, Some(time)).map_err(granted::failure)?;
        let listed: Vec<_> = assembly
            .grants()
            .list()
            .into_iter()
            .filter(|l| l.scope == scope && given.iter().any(|g| g.id == l.grant.id))
            .collect();
        let report = GrantsReport { grants: listed.iter().map(super::report).collect() };
        ui.answer(report, || listed.iter().map(super::told).collect())?;
        Ok(Exit::Success)
    }
}
