//! The verbs: one file each, one line in each of the two lists here.

mod call;
mod check;
mod completions;
mod config;
mod doctor;
mod exec;
mod explain;
mod filter;
mod gain;
mod grants;
mod man;
mod output;
mod parse;
mod policy;
mod run;
mod tools;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use toolgate::config::Source;
use toolgate::exec::ToolOutput;

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::report::CallReport;
use crate::ui::{ColorChoice, Ui};

/// Decide, contain and record what an AI agent does on this machine
///
/// Toolgate stands between an AI agent and the machine. Every call is understood, decided by one
/// policy, run, and answered with what a model needs to know.
#[derive(Debug, Parser)]
#[command(name = "toolgate", version, max_term_width = 100, after_long_help = exit::HELP)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    verb: Verb,
}

/// Flags that every verb takes.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Globals {
    /// Print one JSON object on one line, with a version, as the result
    ///
    /// Failures are such objects too, on stdout; nothing is written to stderr.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// Say when to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub(crate) color: ColorChoice,

    /// Set a configuration key for this run
    ///
    /// Goes over what all files say: --config tools.shell.timeout=5. The value is TOML; what is
    /// not TOML counts as text. See `toolgate config show` for the keys.
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = setting, help_heading = "Global options")]
    pub(crate) config: Vec<Source>,
}

// Flags of a verb that is not asked for need not be put together. So the line that the list of verbs
// shows stands here, and again in the verb's own file.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Run one shell command through the pipeline
    Run(run::Run),
    /// Run the fenced blocks of an agent's reply
    Exec(exec::Exec),
    /// Call one tool with JSON parameters
    Call(call::Call),
    /// List the tools an agent is given
    Tools(tools::Tools),
    /// Say what a command would do and whether it may, without running it
    Check(check::Check),
    /// Explain a reason's code, or what is known about a program
    Explain(explain::Explain),
    /// Check the policy, test it against cases, and see what its rules do over a history
    Policy(policy::Policy),
    /// Shorten captured output without losing a fact
    Filter(filter::Filter),
    /// Give, show and take back what may be done without asking
    Grants(grants::Grants),
    /// Read, search and remove outputs that were too long to be shown
    Output(output::Output),
    /// Show how many tokens filters saved, per command and over time
    Gain(gain::Gain),
    /// Show what this machine can enforce, and prove it by small attacks
    Doctor(doctor::Doctor),
    /// Show every command that bash would find in a text
    Parse(parse::Parse),
    /// Show and check the configuration
    Config(config::Config),
    /// Print a script that completes commands in a shell
    Completions(completions::Completions),
    /// Print a manual page
    Man(man::Man),
}

/// Runs the program with these arguments.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    // Without a parsed command line, what was asked for can only be looked for.
    let json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let (ui, done) = match parsed(args) {
        Err(error) => {
            let ui = Ui::new(json, ColorChoice::Auto);
            (ui, unparsed(ui, &error))
        }
        Ok(Cli { globals, verb }) => {
            let ui = Ui::new(globals.json, globals.color);
            let done = match verb {
                Verb::Run(verb) => verb.run(ui, &globals),
                Verb::Exec(verb) => verb.run(ui, &globals),
                Verb::Call(verb) => verb.run(ui, &globals),
                Verb::Tools(verb) => verb.run(ui, &globals),
                Verb::Check(verb) => verb.run(ui, &globals),
                Verb::Explain(verb) => verb.run(ui),
                Verb::Policy(verb) => verb.run(ui, &globals),
                Verb::Grants(verb) => verb.run(ui, &globals),
                Verb::Filter(verb) => verb.run(ui, &globals),
                Verb::Output(verb) => verb.run(ui, &globals),
                Verb::Gain(verb) => verb.run(ui),
                Verb::Doctor(verb) => verb.run(ui),
                Verb::Parse(verb) => verb.run(ui),
                Verb::Config(verb) => verb.run(ui, &globals),
                Verb::Completions(verb) => verb.run(ui),
                Verb::Man(verb) => verb.run(ui),
            };
            (ui, done)
        }
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            ui.fail(&failure);
            failure.exit().into()
        }
    }
}

/// As [`Parser::try_parse_from`], but for the table: it is left as it is, the process ends soon.
fn parsed(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    if let Some(cli) = without_flags(&args) {
        return Ok(cli);
    }
    let mut table = ManuallyDrop::new(table());
    let mut matches = table.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut table))
}

/// `toolgate run COMMAND` as the table would read it.
///
/// This is what is typed and generated most, and to put the table of all flags together for none takes
/// longer than to judge the command.
fn without_flags(args: &[OsString]) -> Option<Cli> {
    let [_, verb, command] = args else { return None };
    let command = command.to_str().filter(|command| !command.is_empty() && !command.starts_with('-'))?;
    (verb == "run").then(|| Cli { globals: Globals::default(), verb: Verb::Run(run::Run::plain(command)) })
}

/// The whole table of verbs and flags, for what is generated from it.
fn table() -> clap::Command {
    Cli::command()
}

/// Help and the version go to stdout; anything else is bad usage.
fn unparsed(ui: Ui, error: &clap::Error) -> Result<Exit, Failure> {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ui.print(&text).map(|()| Exit::Success),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if !ui.json() => {
            ui.say(&text);
            Ok(Exit::Failed)
        }
        _ => {
            let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            Err(Failure::Usage { message: message.to_owned(), hint: None })
        }
    }
}

/// Tells what a call gave as a model would be told, and passes on its exit status.
fn tell(ui: Ui, outcome: Result<ToolOutput, Failure>) -> Result<Exit, Failure> {
    match outcome {
        Ok(output) => {
            let (exit, text) = (Exit::of(output.exit), lines(&output));
            ui.answer(CallReport::completed(exit, output), || text)?;
            Ok(exit)
        }
        Err(failure) => {
            // What was done is done: it is told, and then why there is no more. As JSON it is one object.
            if let (Some(partial), false) = (failure.partial(), ui.json()) {
                ui.print(&lines(&partial))?;
            }
            Err(failure)
        }
    }
}

fn lines(output: &ToolOutput) -> String {
    let end = if output.summary.is_empty() || output.summary.ends_with('\n') { "" } else { "\n" };
    format!("{}{end}", output.summary)
}

/// A flag that sets one key: `KEY=VALUE`.
fn setting(text: &str) -> Result<Source, &'static str> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as tools.shell.timeout=5")?;
    Ok(Source::flag("--config", key.trim(), value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_verbs_is_sound() {
        table().debug_assert();
    }

    #[test]
    fn a_run_without_flags_is_read_as_the_table_reads_it() {
        for command in ["true", "git status", "a=1 b --c", "run", "", "-", "--help", "--", "-x"] {
            let args = ["toolgate", "run", command].map(OsString::from);
            let Some(cli) = without_flags(&args) else {
                assert!(command.is_empty() || command.starts_with('-'), "{command}");
                continue;
            };
            assert_eq!(format!("{cli:?}"), format!("{:?}", Cli::try_parse_from(args).unwrap()));
        }
        for other in [&["toolgate", "check", "ls"][..], &["toolgate", "run"], &["toolgate", "run", "a", "b"]]
        {
            assert!(without_flags(&other.iter().map(OsString::from).collect::<Vec<_>>()).is_none());
        }
    }

    #[test]
    fn the_list_of_verbs_says_what_their_own_pages_say() {
        let listed = table();
        let mut built = table();
        built.build();
        for (listed, own) in listed.get_subcommands().zip(built.get_subcommands()) {
            assert_eq!(listed.get_name(), own.get_name());
            assert_eq!(
                listed.get_about().map(ToString::to_string),
                own.get_about().map(ToString::to_string),
                "{}",
                own.get_name()
            );
        }
    }

    #[test]
    fn every_verb_and_flag_says_what_it_does_in_one_plain_line() {
        fn walk(command: &clap::Command) {
            let mut abouts =
                vec![(command.get_name().to_owned(), command.get_about().map(ToString::to_string))];
            abouts.extend(command.get_arguments().map(|a| {
                (format!("{} {}", command.get_name(), a.get_id()), a.get_help().map(ToString::to_string))
            }));
            for (name, about) in abouts {
                let about = about.unwrap_or_else(|| panic!("{name} says nothing"));
                assert!(!about.ends_with('.') && !about.contains('\n'), "{name}: {about}");
                assert!(about.starts_with(|c: char| c.is_ascii_uppercase()), "{name}: {about}");
            }
            command.get_subcommands().for_each(walk);
        }
        let mut table = table();
        table.build();
        walk(&table);
    }
}
