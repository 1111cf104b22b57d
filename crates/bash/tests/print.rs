//! What is printed is what was parsed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod oracle;

use oracle::shape::shape;
use oracle::{Random, scripts};
use serde_json::Value;
use toolgate_bash::{Options, parse, print};

fn canonical(text: &str) -> String {
    let script = parse(text.as_bytes(), &Options::default()).unwrap();
    String::from_utf8(print(&script)).unwrap()
}

/// Checks that a text and what is printed for it have the same tree; gives whether it was understood.
fn round_trip(text: &str) -> bool {
    let Ok(script) = parse(text.as_bytes(), &Options::default()) else { return false };
    let printed = print(&script);
    let shown = String::from_utf8_lossy(&printed);
    let options = Options { max_bytes: u32::MAX, ..Options::default() };
    match parse(&printed, &options) {
        Ok(again) => {
            assert_eq!(shape(&again), shape(&script), "{text:?} was printed as {shown:?}");
            assert_eq!(String::from_utf8_lossy(&print(&again)), shown, "{text:?}");
        }
        Err(unknown) => panic!("{text:?} was printed as {shown:?}: {unknown}"),
    }
    true
}

#[test]
fn judged_cases_survive_printing() {
    let lines = include_str!("fixtures/bash-syntax.jsonl").lines();
    let texts = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let understood = texts.filter(|case| round_trip(case["text"].as_str().unwrap())).count();
    assert!(understood > 500, "{understood}");
}

#[test]
fn real_commands_survive_printing() {
    let Some(folder) = std::env::var_os("TOOLGATE_CORPUS") else {
        println!("skipped: TOOLGATE_CORPUS is not set");
        return;
    };
    let mut understood = 0;
    for file in std::fs::read_dir(std::path::Path::new(&folder).join("commands")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            understood += usize::from(round_trip(case["text"].as_str().unwrap()));
        }
    }
    assert!(understood > 2000, "{understood}");
}

#[test]
fn generated_scripts_survive_printing() {
    let mut random = Random::new(oracle::seed());
    let mut understood = 0;
    for _ in 0..oracle::scripts().unwrap_or(6000) {
        let mut text = scripts::script(&mut random);
        if random.one_in(3) {
            scripts::disturb(&mut random, &mut text);
        }
        understood += usize::from(round_trip(&text));
    }
    println!("{understood} scripts");
    assert!(understood > 2000, "{understood}");
}

#[test]
fn lists_stand_in_lines_and_are_indented() {
    for (text, printed) in [
        ("a;b&c", "a\nb &\nc\n"),
        ("if a;b;then c;elif d;then e;else f;fi", IF),
        ("while a; do b; done >f", "while a; do\n    b\ndone >f\n"),
        ("until a;do b& done", "until a; do\n    b &\ndone\n"),
        ("for i in a  b\ndo c; done", "for i in a b; do\n    c\ndone\n"),
        ("for i do c; done", "for i; do\n    c\ndone\n"),
        ("for ((i=0;i<3;i++)) { c; }", "for ((i=0;i<3;i++)); do\n    c\ndone\n"),
        ("select i in a; do b; done", "select i in a; do\n    b\ndone\n"),
        ("case $x in a|b)c;;d);&(e)f;;&esac", CASE),
        ("f(){ a;b;}", "f() {\n    a\n    b\n}\n"),
        ("function f (a)", "function f() (a)\n"),
        ("{ { a;};}", "{\n    {\n        a\n    }\n}\n"),
        ("(a;b)|&c", "(a; b) |& c\n"),
        ("", ""),
        ("# nothing\n", ""),
    ] {
        assert_eq!(canonical(text), printed, "{text:?}");
    }
}

const IF: &str = "if a; b; then\n    c\nelif d; then\n    e\nelse\n    f\nfi\n";
const CASE: &str = "\
case $x in
    (a | b)
        c
        ;;
    (d)
        ;&
    (e)
        f
        ;;&
esac
";

#[test]
fn words_stay_on_their_line() {
    for (text, printed) in [
        ("a $(b\nc)", "a $(b; c)\n"),
        ("a \"$(if b\nthen c\nfi)\"", "a \"$(if b; then c; fi)\"\n"),
        ("a $( (b);c)", "a $( (b); c)\n"),
        ("a <(b& c&)", "a <(b & c &)\n"),
        ("a `b \\`c\\``", "a `b \\`c\\``\n"),
        ("a \"`b \"c\"`\"", "a \"`b \\\"c\\\"`\"\n"),
        ("x=( a\n[1]=b )", "x=(a [1]=b)\n"),
        ("a\\\nb \"c\\\nd\"", "ab \"cd\"\n"),
        ("[[ a = b\n&& ( -f $c ) ]]", "[[ a == b && ( -f $c ) ]]\n"),
    ] {
        assert_eq!(canonical(text), printed, "{text:?}");
    }
}

#[test]
fn here_documents_follow_the_line_that_ends() {
    for (text, printed) in [
        ("a <<E; b\n$x\nE\nc", "a <<E\n$x\nE\nb\nc\n"),
        ("a <<E <<'F' | b\nx\nE\ny\nF", "a <<E <<'F' | b\nx\nE\ny\nF\n"),
        ("if a <<E; then b; fi\nx\nE", "if a <<E\nx\nE\nthen\n    b\nfi\n"),
        ("(a <<E; b)\nx\nE", "(a <<E; b)\nx\nE\n"),
        ("a $(b <<E\nx\nE\n) c", "a $(b <<E\nx\nE\n) c\n"),
        ("a <<-E\n\tx\n\n\t\tE", "a <<-E\n\tx\n\n\tE\n"),
        ("a <<E\n$(b <<-E\n\tx\n\tE\n)\nE", "a <<E\n$(b <<-E\n\tx\n\tE\n)\nE\n"),
        ("a << -E\nx\n-E\n", "a << -E\nx\n-E\n"),
        ("a <<\"it's\"\nx\nit's\n", "a <<'it'\\''s'\nx\nit's\n"),
        // Nothing can follow a document without an end.
        ("if a <<E; then b; fi\nx", "if a <<E; then b; fi\nx"),
    ] {
        assert_eq!(canonical(text), printed, "{text:?}");
        assert!(round_trip(text));
    }
}

#[test]
fn what_looks_like_something_else_is_kept_apart() {
    for text in [
        "time -- -p a",
        "time -p -- -p a",
        "time -- -- a",
        "! time -- -p",
        "(!;)",
        "(! a; !\n)",
        "`!;`",
        "case x in x) !; ;; esac",
        "$(case x in x) time; ;; esac)",
        "a < <(b) > >(c)",
        "a <<< <(b)",
        "x=1 >f !",
        "a 2 >f",
        "a 2>f",
        "a | time b",
        "((1) ) ",
        "( (a) )",
        "$( (a); b)",
        "<( (a))",
        "function f { a; }",
        "coproc a b",
        "coproc N (a)",
        "a $(if b <<E\nx\nE\nthen c\nd\nfi)",
        "a $(case b in c) d <<E\nE\n;; esac)",
        "a $( (b <<E\nE\n)\nc)",
        "a $((\"`b \"c\"`\")) ${x:-\"`b \"c\"`\"} x[\"`b \"c\"`\"]=1",
        "a b\\",
        "a \\\\",
        "${x:-$(a)}\"${y#'b c'}\"${z/\\//d}",
        "a \"b\\\nc\" ${x:-d\\\ne} $((1\\\n2))",
    ] {
        assert!(round_trip(text), "{text:?} is not understood");
    }
}
