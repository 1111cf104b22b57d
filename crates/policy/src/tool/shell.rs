//! Calls of a shell: a command line or the words of a command, with its directory and environment.

use super::{Value, nothing, unknown};
use crate::analyse::{Analysis, Analyst, Context, State, argv, script};
use crate::effect::Effect;
use crate::path;
use toolgate_bash::ast::Span;

/// Names of the argument that is the command.
const COMMANDS: [&str; 10] =
    ["command", "cmd", "script", "code", "commands", "argv", "args", "input", "command_line", "commandline"];

/// Names of the argument that says where it runs.
const DIRECTORIES: [&str; 7] =
    ["workdir", "cwd", "working_directory", "workingdirectory", "dir", "directory", "path"];

const ENVIRONMENTS: [&str; 3] = ["env", "environment", "environ"];

/// Analyses a call of a shell.
///
/// Where several arguments may be meant, the tool takes one of them and we do not know which: all are looked at.
pub(super) fn analyse(args: &[(String, Value)], context: &Context<'_>) -> Analysis {
    let mut own: Vec<Effect> = Vec::new();
    let cwd = directory(args, context, &mut own);
    let mut env: Vec<(String, String)> = context.env.to_vec();
    let set = variables(args, &mut own);
    let before = Context { cwd: &cwd, ..*context };
    let mut analyst = Analyst::new(&before);
    let mut state = State::new(&cwd);
    for (name, value) in &set {
        analyst.environment(name, value, Span::default(), &mut state);
        env.retain(|(other, _)| other != name);
        env.push((name.clone(), value.clone()));
    }
    own.extend(analyst.out.effects);

    let inner = Context { cwd: &cwd, env: &env, ..*context };
    let mut commands = named(args, &COMMANDS).map(|value| command(value, &inner));
    let mut out = commands.next().unwrap_or_else(|| nothing("a shell is called without a command"));
    for other in commands {
        adopt(&mut out, other);
    }
    // Effects of the call itself belong to no command of the script.
    own.iter_mut().for_each(|effect| effect.command = None);
    own.append(&mut out.effects);
    out.effects = own;
    out
}

fn command(value: &Value, context: &Context<'_>) -> Analysis {
    match value {
        Value::Text(text) => script(text, context),
        Value::List(list) => {
            let words: Option<Vec<String>> =
                list.iter().map(Value::text).map(|t| t.map(str::to_owned)).collect();
            match words {
                Some(words) if !words.is_empty() => argv(&words, context),
                _ => nothing("the words of the command are not text"),
            }
        }
        Value::Map(_) | Value::Other => nothing("the command is not text"),
    }
}

/// The directory it runs in.
fn directory(args: &[(String, Value)], context: &Context<'_>, own: &mut Vec<Effect>) -> String {
    let mut named = named(args, &DIRECTORIES);
    let cwd = match named.next() {
        None => return context.cwd.to_owned(),
        Some(Value::Text(dir)) => path::join(context.cwd, &super::from_home(dir, context)),
        Some(_) => {
            own.push(unknown("the directory it runs in is not text"));
            return context.cwd.to_owned();
        }
    };
    if named.next().is_some() {
        own.push(unknown("several arguments say where it runs"));
    }
    let real = context.links.resolve(&cwd).unwrap_or_else(|| cwd.clone());
    let inside = |dir: &str| context.roots.iter().any(|root| path::below(root, dir).is_some());
    if !inside(&cwd) || !inside(&real) {
        own.push(unknown("the directory it runs in is outside the workspace"));
    }
    cwd
}

fn variables(args: &[(String, Value)], own: &mut Vec<Effect>) -> Vec<(String, String)> {
    let mut set = Vec::new();
    for value in named(args, &ENVIRONMENTS) {
        match value {
            Value::Map(list) => {
                set.extend(list.iter().map(|(n, v)| (n.clone(), v.text().unwrap_or_default().to_owned())));
            }
            // `NAME=VALUE` words, as `env` takes them.
            Value::List(list) => set.extend(list.iter().filter_map(Value::text).map(|word| {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                (name.to_owned(), value.to_owned())
            })),
            Value::Text(_) => own.push(unknown("the environment it runs in is not a table")),
            Value::Other => {}
        }
    }
    set
}

/// The arguments of these names.
fn named<'a>(args: &'a [(String, Value)], names: &'static [&str]) -> impl Iterator<Item = &'a Value> {
    let is_named = move |name: &str| names.contains(&name.to_ascii_lowercase().as_str());
    args.iter().filter(move |(name, _)| is_named(name)).map(|(_, value)| value)
}

/// Puts what another analysis found behind what is there.
pub(super) fn adopt(out: &mut Analysis, other: Analysis) {
    let shift = u32::try_from(out.commands.len()).unwrap_or(u32::MAX);
    out.commands.extend(other.commands);
    out.statements.extend(other.statements);
    out.constructs.add(other.constructs);
    out.unknown = out.unknown.take().or(other.unknown);
    out.effects.extend(other.effects.into_iter().map(|mut effect| {
        effect.command = effect.command.map(|c| c.saturating_add(shift));
        // Its text is not the one that spans are about.
        effect.span = Span::default();
        effect
    }));
}
