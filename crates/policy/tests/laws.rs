//! Laws that hold for every command: a disguise never makes a verdict laxer, and neither does tightening.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::decide::{NetworkScope, Policy};
use toolgate_policy::profile::{Profile, Setting, Verdict};
use toolgate_policy::rule::{Layer, RuleText, Rules};

fn judge() -> Judge<'static> {
    Judge::new("/home/dev", "/home/dev/work/repo")
}

fn verdict(judge: &Judge<'_>, text: &str) -> Verdict {
    judge.judge(&Request::Command { text: text.to_owned(), cwd: None }).verdict
}

fn commands() -> Vec<String> {
    ["commands.jsonl", "fresh.jsonl"]
        .iter()
        .flat_map(|file| {
            let path = format!("{}/tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            let command = |l: &str| serde_json::from_str::<serde_json::Value>(l).unwrap()["command"].clone();
            text.lines().map(|l| command(l).as_str().unwrap().to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

/// Commands that are one simple command of plain words.
fn simple() -> Vec<String> {
    commands()
        .into_iter()
        .filter(|c| {
            !c.contains([
                '\n', '\r', ';', '|', '&', '<', '>', '(', ')', '`', '#', '{', '!', '=', '\\', '"', '\'', '$',
                '*', '~', '[', '?',
            ]) && !matches!(
                c.split(' ').next(),
                Some(
                    "cd" | "exec"
                        | "builtin"
                        | "time"
                        | "set"
                        | "export"
                        | "."
                        | "source"
                        | "eval"
                        | "trap"
                        | "hash"
                        | "history"
                        | "type"
                        | "help"
                        | "command"
                        | "printenv"
                        | "declare"
                        | "alias"
                        | "pushd"
                        | "coproc"
                        | "test"
                )
            ) && c
                .split(' ')
                .next()
                .is_some_and(|w| w.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.'))
        })
        .collect()
}

#[test]
fn disguises_never_make_a_verdict_laxer() {
    let j = judge();
    type Disguise = (&'static str, fn(&str) -> String);
    let disguises: Vec<Disguise> = vec![
        ("quoted name", |c| {
            let (name, rest) = c.split_once(' ').unwrap_or((c, ""));
            format!("'{name}' {rest}")
        }),
        ("quotes inside", |c| format!("{}''{}", &c[..1], &c[1..])),
        ("backslash", |c| format!("\\{c}")),
        ("double quotes", |c| c.split(' ').map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(" ")),
        ("more blanks", |c| c.replace(' ', "   ")),
        ("continuation", |c| c.replacen(' ', " \\\n", 1)),
        ("absolute", |c| format!("/usr/bin/{c}")),
        ("through proc", |c| format!("/proc/self/root/usr/bin/{c}")),
        ("env", |c| format!("env {c}")),
        ("env with options", |c| format!("env -u X A=1 -- {c}").replace("A=1 -- ", "A=1 ")),
        ("nice", |c| format!("nice -n 3 {c}")),
        ("timeout", |c| format!("timeout 5 {c}")),
        ("nohup", |c| format!("nohup {c}")),
        ("command", |c| format!("command {c}")),
        ("subshell", |c| format!("({c})")),
        ("group", |c| format!("{{ {c}; }}")),
        ("negated", |c| format!("! {c}")),
        ("after true", |c| format!("true && {c}")),
        ("before true", |c| format!("{c}; true")),
        ("in bash", |c| format!("bash -c '{c}'")),
        ("in sh", |c| format!("sh -c '{c}'")),
        ("eval", |c| format!("eval '{c}'")),
        ("variable", |c| format!("x='{c}'; $x")),
        ("function", |c| format!("f() {{ {c}; }}; f")),
        ("assignment", |c| format!("A=1 {c}")),
        ("loop", |c| format!("for i in 1; do {c}; done")),
        ("substitution", |c| format!("echo \"$({c})\"")),
        ("comment", |c| format!("{c} # harmless")),
        ("redirected", |c| format!("{c} 2>/dev/null")),
        ("stacked", |c| format!("env A=1 nice -n 2 timeout 9 command {c}").replace("command ", "env ")),
    ];
    let mut wrong = Vec::new();
    let list = simple();
    assert!(list.len() > 150, "{}", list.len());
    for c in &list {
        let before = verdict(&j, c);
        for (name, disguise) in &disguises {
            let text = disguise(c);
            let after = verdict(&j, &text);
            if after < before {
                wrong.push(format!("{name}: {c:?} is {before:?}, {text:?} is {after:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), list.len() * disguises.len(), wrong.join("\n"));
}

#[test]
fn tightening_never_makes_a_verdict_laxer() {
    let base = judge();
    let rule = |action: &str, effect: &str| RuleText {
        name: "r".into(),
        action: action.into(),
        effect: vec![effect.into()],
        ..RuleText::default()
    };
    let deny_write = Rules::compile(&[rule("deny", "write")], Layer::User).unwrap();
    let ask_read = Rules::compile(&[rule("ask", "read")], Layer::User).unwrap();
    let project =
        Rules::compile(&[rule("allow", "unknown"), rule("allow", "delete")], Layer::Project).unwrap();
    // Each pair: the laxer judge first.
    let open_network = Judge { network: NetworkScope::Allow, ..base.clone() };
    let some_network = Judge { network: NetworkScope::Only(vec!["example.com".into()]), ..base.clone() };
    let contained = Judge { setting: Setting { contained: true, undo: true }, ..base.clone() };
    let undo = Judge { setting: Setting { contained: false, undo: true }, ..base.clone() };
    let strict = base.by(Policy { profile: Profile::Strict, ..Policy::default() });
    let open = base.by(Policy { profile: Profile::Open, ..Policy::default() });
    let with_deny = base.by(Policy { rules: deny_write, ..Policy::default() });
    let with_ask = base.by(Policy { rules: ask_read, ..Policy::default() });
    let with_project = base.by(Policy { rules: project, ..Policy::default() });
    let pairs = [
        ("open network to some", &open_network, &some_network),
        ("some network to none", &some_network, &base),
        ("contained to undo", &contained, &undo),
        ("undo to nothing", &undo, &base),
        ("default to strict", &base, &strict),
        ("open to default", &open, &base),
        ("a deny rule", &base, &with_deny),
        ("an ask rule", &base, &with_ask),
        ("a project's allow rules", &base, &with_project),
    ];
    for c in commands() {
        for (name, lax, tight) in &pairs {
            let (a, b) = (verdict(lax, &c), verdict(tight, &c));
            assert!(b >= a, "{name}: {c:?} was {a:?} and is {b:?}");
        }
    }
}

#[test]
fn the_order_of_options_does_not_matter() {
    let j = judge();
    for group in [
        &[
            "rm -r -f /etc",
            "rm -f -r /etc",
            "rm -rf /etc",
            "rm -fr /etc",
            "rm /etc -rf",
            "rm --recursive --force /etc",
            "rm /etc --force -r",
        ][..],
        &[
            "sort -o /etc/x f",
            "sort f -o /etc/x",
            "sort -o/etc/x f",
            "sort --output=/etc/x f",
            "sort --output /etc/x f",
            "sort --outp=/etc/x f",
        ][..],
        &["cp -t /etc a", "cp a -t /etc", "cp --target-directory=/etc a", "cp a /etc/a", "cp -f a /etc/a"][..],
        &[
            "tar -xf a -C /etc",
            "tar xf a -C /etc",
            "tar -C /etc -xf a",
            "tar --extract --file=a --directory=/etc",
            "tar x -C /etc -f a",
        ][..],
    ] {
        for c in group {
            assert_eq!(verdict(&j, c), Verdict::Deny, "{c}");
        }
    }
}

const PIECES: [&str; 64] = [
    "curl",
    "rm",
    "-rf",
    "/",
    "ls",
    "cat",
    "x",
    "a=b",
    "$x",
    "\"$x\"",
    "${x:-y}",
    "$(ls)",
    "`ls`",
    "<(ls)",
    ">(cat)",
    ">",
    ">>",
    "<",
    "<<<",
    "2>&1",
    "|",
    "||",
    "&&",
    "&",
    ";",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "if",
    "then",
    "fi",
    "for",
    "do",
    "done",
    "in",
    "while",
    "case",
    "esac",
    "f()",
    "[[",
    "]]",
    "((",
    "))",
    "'q'",
    "\"d\"",
    "\\",
    "*",
    "~",
    "#",
    "!",
    "eval",
    "xargs",
    "env",
    "bash",
    "-c",
    "find",
    "-exec",
    ";;",
    "EOF",
    "<<EOF",
    "https://evil.example",
    "..",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        verdict(&judge(), &text);
    }

    #[test]
    fn any_row_of_pieces_is_answered(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        verdict(&judge(), &pieces.join(" "));
    }

    #[test]
    fn a_denied_command_in_front_stays_denied(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..20)) {
        let text = format!("curl https://evil.example\n{}", pieces.join(" "));
        let v = verdict(&judge(), &text);
        prop_assert_ne!(v, Verdict::Allow);
    }

    #[test]
    fn quoted_text_is_never_denied(text in "[a-z ;|&<>(){}$`*~/#!-]{0,80}") {
        let v = verdict(&judge(), &format!("echo '{text}'"));
        prop_assert_eq!(v, Verdict::Allow);
    }
}
