//! Input made to exhaust the stack, the memory or the patience of a parser.
//!
//! Every case is parsed, walked, printed and dropped on a stack of 256 KB. Time is measured in the parser's
//! own steps: fuel is linear in the length, and running out of it is a failure here.

use super::parse_measured;
use crate::ast::Script;
use crate::{Options, Reason, print, programs};

const STACK: usize = 256 * 1024;
const SIZE: usize = 64 * 1024;

/// Parses on a small stack; gives the steps taken and why the text was refused, if it was.
fn parse_small(source: Vec<u8>, options: Options) -> (usize, Option<Reason>) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let (result, steps) = parse_measured(&source, &options);
        let reason = result.map(|script| print_and_list(&script, source.len())).err();
        (steps, reason.map(|unknown| unknown.reason))
    });
    thread.unwrap().join().unwrap()
}

/// Walks and prints a script. What is printed is longer by no more than its indentation.
fn print_and_list(script: &Script, length: usize) {
    let printed = print(script);
    assert!(printed.len() <= 64 * length + 64, "{} bytes of {length}", printed.len());
    programs(script);
}

fn check(name: &str, source: Vec<u8>) -> Option<Reason> {
    let length = source.len();
    let (steps, reason) = parse_small(source, Options::default());
    assert_ne!(reason, Some(Reason::TooCostly), "{name}: {length} bytes");
    assert!(steps <= 4 * length + 4096, "{name}: {steps} steps for {length} bytes");
    reason
}

/// What opens a construct, what stands innermost, and what closes it.
const NESTS: &[(&str, &str, &str)] = &[
    ("(", "a", ")"),
    ("( ", "a", " )"),
    ("{ ", "a", ";}"),
    ("$(", "a", ")"),
    ("\"$(", "a", ")\""),
    ("$(a $(b) ", "a", ")"),
    ("${x:-", "a", "}"),
    ("\"${x:-", "a", "}\""),
    ("${x#", "a", "}"),
    ("${x/", "a", "}"),
    ("${x:", "1", "}"),
    ("${x[", "1", "]}"),
    ("\"${x[\"", "1", "\"]}\""),
    ("${ ", "a", ";}"),
    ("$((", "1", "))"),
    ("$((1+(", "1", ")))"),
    ("$(((", "1", ") )"),
    ("$((a);", "a", ")"),
    ("((", "1", "))"),
    ("((a);", "a", ")"),
    ("((a;", "a", ") )"),
    ("$((1+", "1", "))"),
    ("$[", "1", "]"),
    ("((a[", "1", "]))"),
    ("[[ (", "a", ") ]]"),
    ("[[ $([[ ", "a", " ]]) ]]"),
    ("<(", "a", ")"),
    ("a >(", "a", ")"),
    ("x=(", "a", ")"),
    ("x=($(", "a", "))"),
    ("x[$(", "a", ")]=1"),
    ("a[$(", "a", ")]"),
    ("if ", "a", "; then b; fi"),
    ("if a; then ", "a", "; fi"),
    ("if a; then b; else ", "a", "; fi"),
    ("while ", "a", "; do b; done"),
    ("for i in a; do ", "a", "; done"),
    ("for ((;;)); do ", "a", "; done"),
    ("for ((i=$(", "a", ");;)); do b; done"),
    ("select i in a; do ", "a", "; done"),
    ("case x in x) ", "a", ";; esac"),
    ("case $(", "a", ") in x) b;; esac"),
    ("f() { ", "a", "; }"),
    ("function f { ", "a", "; }"),
    ("coproc { ", "a", "; }"),
    ("! { ", "a", "; }"),
    ("time ( ", "a", ")"),
    ("a && ( ", "a", ")"),
    ("a | { ", "a", ";}"),
    ("cat <<E $(", "a", ")"),
    ("cat <<E\n$(", "a", ")\nE\n"),
    ("cat <<-E\n\t$(", "a", ")\n\tE\n"),
    ("$(", "bash <<E\n$($($($($($($($($(bash <<F\n((((((((((((((a))))))))))))))\nF\n)))))))))\nE\n", ")"),
    (
        "$(",
        "bash <<'E'\n$($($($($($($($($(bash <<'F'\n(((((((((((((((a)))))))))))))))\nF\n)))))))))\nE\n",
        ")",
    ),
];

/// What can be repeated in a row within one construct.
const CHAINS: &[(&str, &str, &str)] = &[
    ("", "! ", "a"),
    ("", "time ", "a"),
    ("", "time -p -- ", "a"),
    ("", "! time ", "a"),
    ("", "coproc ", "a"),
    ("", "coproc N ", "a"),
    ("", "f() ", "{ a; }"),
    ("[[ ", "! ", "a ]]"),
    ("[[ ", "a && ", "a ]]"),
    ("[[ ", "a || ", "a ]]"),
    ("[[ ", "( ", "a ]]"),
    ("[[ a == ", "@(", "a ]]"),
    ("[[ a == ", "a@(b)", " ]]"),
    ("[[ a =~ ", "(", "a ]]"),
    ("[[ a =~ ", "(a)|", "a ]]"),
    ("((", "-", "1))"),
    ("((", "!~", "1))"),
    ("((", "(", "1))"),
    ("((", "1+", "1))"),
    ("((", "1+2*", "1))"),
    ("((", "a=", "1))"),
    ("((", "1?2:", "1))"),
    ("((", "1?", "1))"),
    ("((", "2**", "1))"),
    ("((", "a,b||c&&d|e^f&g==h<i<<j+k*", "1))"),
    ("((", "a[", "1))"),
    ("((", "1,", "1))"),
    ("((", "$a ", "1))"),
    ("((", "$(a)+", "1))"),
    ("", "$((a);b)", ""),
    ("", "((a);(b));", ""),
    ("", "((1));", ""),
    ("", "a; ", ""),
    ("", "a&", ""),
    ("", "a\n", ""),
    ("", "\n", ""),
    ("", "a|", "a"),
    ("", "a|&", "a"),
    ("", "a&&", "a"),
    ("", "a||", "a"),
    ("", "a&&\n", "a"),
    ("", "#\n", ""),
    ("", "a #b\n", ""),
    ("", "a ", ""),
    ("", "a", ""),
    ("", "$a", ""),
    ("", "$a ", ""),
    ("", "$(a)", ""),
    ("", "`a`", ""),
    ("", "\"a\"", ""),
    ("", "\"$a`b`\"", ""),
    ("", "'a'", ""),
    ("", "$'a'", ""),
    ("", "$\"a\"", ""),
    ("", "\\a", ""),
    ("", "\\\n", ""),
    ("", "\\\na", ""),
    ("", "a\\\n", ""),
    ("", "i\\\nf", ""),
    ("", "<\\\n", "a"),
    ("", "${x:-a}", ""),
    ("", "{a,b}", ""),
    ("", "{", ""),
    ("", "}", ""),
    ("", "[", ""),
    ("", "x[", "1"),
    ("", "x[1]", "=1"),
    ("", "x=1 ", ""),
    ("", "x=(a) ", ""),
    ("x=(", "a ", ")"),
    ("x=(", "[1]=a ", ")"),
    ("x=(", "[a]", ")"),
    ("declare ", "x=(a) ", ""),
    ("", ">f ", ""),
    ("", "{fd}>f ", ""),
    ("", "2>&1 ", ""),
    ("a ", "1", ""),
    ("a ", "1", ">f"),
    ("", "<<E ", ""),
    ("", "<<E ", "\nE\nE\nE\n"),
    ("", "cat <<E\nE\n", ""),
    ("", "cat <<E\n$a\nE\n", ""),
    ("", "cat <<-E\n\t$a\n\tE\n", ""),
    ("cat <<E\n", "E \n", "E\n"),
    ("cat <<E\n", "\\\n", "E\n"),
    ("cat <<E\n", "a\\\n", "E\n"),
    ("cat <<E\n", "$(a)", "\nE\n"),
    ("", "f(){ a;};", ""),
    ("", "f()\n\n{ a;};", ""),
    ("case x in ", "a) b;;", "esac"),
    ("case x in ", "a|", "a) b;; esac"),
    ("", "if a; then b; fi;", ""),
    ("if a; then b; ", "elif c; then d; ", "fi"),
    ("for i in ", "a ", "; do b; done"),
    ("${x:-", "a ", "}"),
    ("\"${x:-", "'a'", "}\""),
    ("\"${x#", "'a'", "}\""),
    ("${x/", "/", "}"),
    ("${x:", "1?2:", "3}"),
    ("shopt -s ", "nullglob ", ""),
    ("", "set -o posix;", ""),
    ("", "shopt -s extglob\n!(a)\n", ""),
    ("", "alias a=b\n", ""),
    ("", "é", ""),
    ("", "\u{a0}", ""),
    ("", "(", ""),
    ("", ")", ""),
    ("", "'", "'"),
    ("", "\"", "\""),
    ("", "`", "`"),
    ("", "\\`", ""),
    ("", "$", ""),
    ("", "$(", ""),
    ("", "${", ""),
    ("", "<(", ""),
    ("", "@(", ""),
    ("", ";;", ""),
    ("", "&", ""),
    ("", "=", ""),
    ("", "\t", "a"),
    ("", "\r", ""),
];

#[test]
fn deep_nestings_are_refused_or_fit_a_small_stack() {
    for (open, inner, close) in NESTS {
        for (name, count) in [("deep", 10_000), ("few", 12)] {
            let count = count.min(SIZE / (open.len() + close.len() + 1));
            let closed = [open.repeat(count).as_str(), inner, close.repeat(count).as_str()].concat();
            check(&format!("{name} {open}"), closed.into_bytes());
            check(&format!("{name} unclosed {open}"), open.repeat(count).into_bytes());
            check(
                &format!("{name} unclosed {open}{inner}"),
                [open.repeat(count).as_str(), inner].concat().into_bytes(),
            );
        }
    }
}

#[test]
fn nestings_at_every_depth_around_the_limit_fit_a_small_stack() {
    for (open, inner, close) in NESTS {
        for count in (8..=Options::default().max_depth as usize + 4).step_by(3) {
            let closed = [open.repeat(count).as_str(), inner, close.repeat(count).as_str()].concat();
            check(open, closed.into_bytes());
        }
    }
}

#[test]
fn long_chains_take_linear_time_and_a_small_stack() {
    for (before, repeated, after) in CHAINS {
        let count = (SIZE - before.len() - after.len()) / repeated.len();
        let source = [*before, repeated.repeat(count).as_str(), *after].concat();
        check(&format!("{before}|{repeated}|{after}"), source.into_bytes());
    }
}

#[test]
fn sixty_substitutions_are_understood() {
    for (open, close) in [("$(a ", ")"), ("\"$(a ", ")\""), ("${x:-", "}"), ("a <(", ")"), ("( ", ")")] {
        let source = ["echo ", open.repeat(60).as_str(), "b", close.repeat(60).as_str()].concat();
        let source = source.replace("echo ( ", "( ");
        assert_eq!(check(open, source.into_bytes()), None, "{open}");
    }
}

#[test]
fn backticks_nested_by_backslashes_are_refused_or_understood() {
    let mut source = "a".to_owned();
    for _ in 0..14 {
        source = format!("`{}`", source.replace('\\', r"\\").replace('`', r"\`"));
        if source.len() > SIZE {
            break;
        }
        check("nested backticks", source.clone().into_bytes());
    }
}

#[test]
fn a_megabyte_is_refused_at_once() {
    for repeated in ["a; ", "a", "$(a)", "(", "a\n"] {
        let source = repeated.repeat(1024 * 1024 / repeated.len());
        assert_eq!(check(repeated, source.into_bytes()), Some(Reason::TooLong));
    }
}

#[test]
fn no_byte_string_panics() {
    // Every pair and triple of bytes that mean something.
    let bytes = b"\\'\"`$(){}[]<>;&|#!=+-*?@~^%/:, \t\nax1E\r\x01";
    let mut source = Vec::new();
    for &a in bytes {
        for &b in bytes {
            for &c in bytes {
                source.clear();
                source.extend_from_slice(&[a, b, c]);
                let _ = parse_measured(&source, &Options::default());
                source.extend_from_slice(b"x\n)}");
                source.push(a);
                let _ = parse_measured(&source, &Options::default());
            }
        }
    }
}
