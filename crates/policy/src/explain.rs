//! What a reason means, and what is known about a program, as text.

use crate::knowledge::schema::{Like, Role, Run, Spec, Subject, Takes};
use crate::knowledge::{self, effects, option_ids, restated, roles, slots, tests, text, words};
use crate::profile::{Profile, Verdict};
use std::fmt::Write as _;

/// What a reason's code says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeText {
    /// The code.
    pub code: &'static str,
    /// What it decides in the default profile, where a row has it.
    pub verdict: Option<Verdict>,
    /// One sentence.
    pub why: &'static str,
    /// What can be done in its place; empty if nothing is known.
    pub instead: &'static str,
}

/// Codes that no row of a profile has.
const OTHERS: [(&str, &str, &str); 6] = [
    (
        "denied-by-rule",
        "a rule of the configuration denies it",
        "ask whoever wrote the rule that the reason names, or do it another way",
    ),
    (
        "asked-by-rule",
        "a rule of the configuration wants a person to see it",
        "say why it is needed, and ask",
    ),
    (
        "blocked-command",
        "the command is in `tools.shell.blocked_commands`, which nothing lifts",
        "use another way, or have the user take it off the list",
    ),
    (
        "confirmed-command",
        "the command is in `tools.shell.confirm_patterns`",
        "say why it is needed, and ask",
    ),
    (
        "permission-asks",
        "the list of the tool in `tools.permissions` asks about it, or has no entry for it",
        "say why it is needed, and ask",
    ),
    (
        "permission-denies",
        "the list of the tool in `tools.permissions` denies it",
        "use another way, or have the user change the list",
    ),
];

/// Explains a code.
///
/// ```
/// assert!(toolgate_policy::explain::code("egress-not-allowed").is_some());
/// assert!(toolgate_policy::explain::code("no-such-code").is_none());
/// ```
#[must_use]
pub fn code(code: &str) -> Option<CodeText> {
    codes().into_iter().find(|c| c.code == code)
}

/// Every code there is.
#[must_use]
pub fn codes() -> Vec<CodeText> {
    let mut out: Vec<CodeText> = Vec::new();
    for profile in [Profile::Default, Profile::Strict, Profile::Open] {
        for (code, verdict, why, instead) in profile.codes() {
            if !out.iter().any(|c| c.code == code) {
                out.push(CodeText { code, verdict: Some(verdict), why, instead });
            }
        }
    }
    out.extend(OTHERS.iter().map(|(code, why, instead)| CodeText { code, verdict: None, why, instead }));
    out
}

/// What is known about a program, as Markdown.
#[must_use]
pub fn program(name: &str) -> Option<String> {
    let spec = knowledge::program(name)?;
    let mut out = String::new();
    let _ = writeln!(out, "# {name}\n");
    describe(spec, &mut out, 1, name);
    Some(out)
}

/// A page about all programs, as Markdown.
#[must_use]
pub fn reference() -> String {
    let mut out = String::from(
        "# What is known about programs\n\n<!-- Generated from crates/policy/kb; do not edit. -->\n\n\
         A program that is not here is asked about, and so is an option that is not listed. The last column is what a\n\
         program can do with some of its options and sub-commands; `toolgate explain --program NAME` says which.\n\n\
         | program | what it is | can |\n| --- | --- | --- |\n",
    );
    // Names of one entry share a row, which stands where the first of them belongs.
    let mut rows: Vec<(&Spec, Vec<&str>)> = Vec::new();
    for name in knowledge::programs() {
        let Some(spec) = knowledge::program(name) else { continue };
        match rows.iter_mut().find(|(other, _)| std::ptr::eq(*other, spec)) {
            Some((_, names)) => names.push(name),
            None => rows.push((spec, vec![name])),
        }
    }
    for (spec, names) in rows {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ =
            writeln!(out, "| {} | {} | {} |", names.join(" "), text(spec.summary), summary_of_effects(spec));
    }
    out
}

/// The kinds of effects anywhere in an entry, each once.
fn summary_of_effects(spec: &Spec) -> String {
    let mut kinds: Vec<&'static str> = Vec::new();
    gather(spec, &mut kinds, 0);
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() { "print".to_owned() } else { kinds.join(", ") }
}

fn gather(spec: &Spec, kinds: &mut Vec<&'static str>, depth: u32) {
    if depth > 4 {
        return;
    }
    let note =
        |kinds: &mut Vec<&'static str>, run: Run| kinds.extend(effects(run).iter().map(|e| e.kind.name()));
    note(kinds, spec.effects);
    for w in spec.whens() {
        note(kinds, w.effects);
    }
    for n in spec.names() {
        if let Some(o) = knowledge::option(n.option) {
            note(kinds, o.effects);
            kinds.extend(roles(o.roles).iter().filter_map(|r| role_effect(*r)));
        }
    }
    kinds.extend(slots(spec.operands).iter().filter_map(|s| role_effect(s.role)));
    kinds.extend(role_effect(spec.stdin));
    for (_, sub) in spec.subs() {
        gather(sub, kinds, depth + 1);
    }
}

fn role_effect(role: Role) -> Option<&'static str> {
    Some(match role {
        Role::Text | Role::Sub | Role::Dir | Role::Place | Role::Assign | Role::List => return None,
        Role::Read => "read",
        Role::Write => "write",
        Role::Delete => "delete",
        Role::Move => "move",
        Role::Shred | Role::BranchOrPath => "loss",
        Role::Host | Role::Url | Role::RemoteRead | Role::RemoteWrite | Role::GitRemote => "net",
        Role::Code(_) | Role::Program | Role::ProgramRest | Role::ProgramUntil | Role::ProgramStdin => {
            "run others"
        }
        Role::Script => "script",
        Role::Pid => "process",
        Role::Env => "secret",
    })
}

fn describe(spec: &Spec, out: &mut String, depth: usize, path: &str) {
    let line = |out: &mut String, label: &str, t: &str| {
        if !t.is_empty() {
            let _ = writeln!(out, "{label}{t}\n");
        }
    };
    line(out, "", text(spec.summary));
    line(out, "Why: ", text(spec.why));
    line(out, "Runs as: ", text(spec.hands_to));
    let list: Vec<String> = effects(spec.effects).iter().map(stated).collect();
    line(out, "Always: ", &list.join(", "));
    let pattern: Vec<String> = slots(spec.operands).iter().map(slot).collect();
    line(out, "Operands: ", &pattern.join(" "));
    if spec.stdin != Role::Text {
        line(out, "Standard input: ", &role(spec.stdin));
    }
    if text(spec.unlisted).is_empty() {
        line(out, "", "Options that are not listed are asked about.");
    } else {
        line(out, "Options that are not listed are taken: ", text(spec.unlisted));
    }
    let mut seen = Vec::new();
    for n in spec.names() {
        if seen.contains(&n.option) {
            continue;
        }
        seen.push(n.option);
        let Some(o) = knowledge::option(n.option) else { continue };
        let names: Vec<&str> =
            spec.names().iter().filter(|x| x.option == n.option).map(|x| text(x.name)).collect();
        let values: Vec<String> = roles(o.roles).iter().map(|r| role(*r)).collect();
        let takes = match o.takes {
            Takes::Nothing => String::new(),
            Takes::Value => format!(" = {}", values.join(" ")),
            Takes::Attached => format!(" =? {}", values.join(" ")),
        };
        let list: Vec<String> = effects(o.effects).iter().map(stated).collect();
        let does = if list.is_empty() { String::new() } else { format!(" — {}", list.join(", ")) };
        let _ = writeln!(out, "- `{}{takes}`{does}", names.join(" "));
    }
    if !seen.is_empty() {
        out.push('\n');
    }
    for w in spec.whens() {
        let conditions: Vec<String> = tests(w.tests).iter().map(|t| condition(spec, t)).collect();
        let mut list: Vec<String> = effects(w.effects).iter().map(stated).collect();
        if w.has_operands {
            list.push(format!(
                "operands are `{}`",
                slots(w.operands).iter().map(slot).collect::<Vec<_>>().join(" ")
            ));
        }
        if let Some(r) = w.stdin {
            list.push(format!("standard input is {}", role(r)));
        }
        for r in restated(w.options) {
            let values: Vec<String> = roles(r.roles).iter().map(|r| role(*r)).collect();
            list.push(format!("{} is {}", names_of(spec, &[r.option]), values.join(" ")));
        }
        let _ = writeln!(out, "- when {}: {} {}", conditions.join(" and "), list.join(", "), text(w.why));
    }
    if depth > 4 {
        return;
    }
    let mut done: Vec<*const Spec> = Vec::new();
    for (_, sub) in spec.subs() {
        let key: *const Spec = sub;
        if done.contains(&key) {
            continue;
        }
        done.push(key);
        let names: Vec<&str> = spec.subs().filter(|(_, s)| std::ptr::eq(*s, sub)).map(|(n, _)| n).collect();
        let inner = format!("{path} {}", names.join("|"));
        let _ = writeln!(out, "\n{} `{inner}`\n", "#".repeat(depth + 1));
        describe(sub, out, depth + 1, &inner);
    }
}

fn names_of(spec: &Spec, ids: &[u32]) -> String {
    let list: Vec<&str> =
        spec.names().iter().filter(|n| ids.contains(&n.option)).map(|n| text(n.name)).collect();
    if list.is_empty() { "an option of the program".to_owned() } else { list.join(" or ") }
}

fn condition(spec: &Spec, t: &crate::knowledge::schema::Test) -> String {
    let subject = match t.subject {
        Subject::Option(run) => {
            return format!("{}{}", if t.not { "without " } else { "" }, names_of(spec, option_ids(run)));
        }
        Subject::DashDash => "`--`".to_owned(),
        Subject::Count(order, n) => {
            let word = match order {
                std::cmp::Ordering::Less => "fewer than",
                std::cmp::Ordering::Equal => "exactly",
                std::cmp::Ordering::Greater => "more than",
            };
            return format!("{}{word} {n} operands", if t.not { "not " } else { "" });
        }
        Subject::Operand(n) => format!("operand {}", n + 1),
        Subject::Last => "the last operand".to_owned(),
        Subject::Any => "an operand".to_owned(),
        Subject::Value(run) => format!("the value of {}", names_of(spec, option_ids(run))),
    };
    let like = match t.like {
        Like::Present => "is given".to_owned(),
        Like::Word(run) => format!("is {}", words(run).collect::<Vec<_>>().join(" or ")),
        Like::Glob(run) => format!("fits {}", words(run).collect::<Vec<_>>().join(" or ")),
        Like::Path => "looks like a path".to_owned(),
    };
    format!("{}{subject} {like}", if t.not { "not: " } else { "" })
}

fn stated(e: &crate::knowledge::schema::Stated) -> String {
    let target = text(e.target);
    if target.is_empty() { format!("`{}`", e.kind.name()) } else { format!("`{} {target}`", e.kind.name()) }
}

fn slot(s: &crate::knowledge::schema::Slot) -> String {
    use crate::knowledge::schema::Repeat;
    let mark = match s.repeat {
        Repeat::One => "",
        Repeat::Maybe => "?",
        Repeat::Many => "...",
        Repeat::While => "*",
    };
    format!("{}{mark}", role(s.role))
}

fn role(r: Role) -> String {
    match r {
        Role::Code(lang) => format!("code:{lang:?}").to_lowercase(),
        Role::ProgramRest => "program...".to_owned(),
        Role::ProgramUntil => "program;".to_owned(),
        Role::ProgramStdin => "program...stdin".to_owned(),
        Role::RemoteRead => "remote:read".to_owned(),
        Role::RemoteWrite => "remote:write".to_owned(),
        Role::GitRemote => "git-remote".to_owned(),
        Role::BranchOrPath => "branch-or-path".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_code_says_why_in_a_sentence() {
        let codes = super::codes();
        assert!(codes.len() > 30);
        for c in &codes {
            assert!(c.code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", c.code);
            assert!(!c.why.is_empty() && !c.why.ends_with('.'), "{}", c.code);
        }
    }

    #[test]
    fn a_program_is_explained_with_its_options_and_sub_commands() {
        let git = super::program("git").unwrap();
        assert!(git.contains("--exec-path") && git.contains("push|") && git.contains("net send"), "{git}");
        assert!(super::program("no-such-program").is_none());
        let page = super::reference();
        assert!(page.contains("| `rm` |"));
    }
}
