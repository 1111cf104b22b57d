//! Scripts made to exhaust the stack, the memory or the patience of the evaluation.
//!
//! Each is followed on a stack of 256 KB. Work is measured in the evaluation's own steps, and what comes out
//! in bytes.

use super::flow::{Flow, STEPS};
use super::{Call, Env, Field, Observer, Unlisted, Why};
use crate::ast::{Redirection, Span};
use crate::{Options, Shell, parse};

const STACK: usize = 256 * 1024;

/// What an evaluation of a script came to.
#[derive(Debug, Default)]
struct Outcome {
    commands: usize,
    /// Bytes in arguments.
    bytes: usize,
    steps: u64,
}

impl<'s> Observer<'s> for Outcome {
    fn command(&mut self, call: &Call<'s, '_>) {
        self.commands += 1;
        self.bytes += call.argv.iter().map(|field| field.value.size()).sum::<usize>();
    }

    fn redirection(&mut self, _redirection: &'s Redirection, _target: &Field, _env: &Env) {}

    fn may_execute(&mut self, _span: Span, _why: Why) {}
}

/// Follows a script on a small stack, if it is understood.
fn outcome(text: String) -> Option<Outcome> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let script = parse(text.as_bytes(), &Options::default()).ok()?;
        let mut outcome = Outcome::default();
        let mut env = Env::new(Shell::Bash, Unlisted::Unset);
        let mut flow = Flow::new(Some(&script), text.as_bytes(), &mut env, &mut outcome);
        flow.script(&script.body);
        let (steps, ..) = flow.ending();
        outcome.steps = STEPS - steps.0;
        Some(outcome)
    });
    thread.unwrap().join().unwrap()
}

fn check(text: String) {
    let shown: String = text.chars().take(60).collect();
    let length = text.len();
    if let Some(outcome) = outcome(text) {
        assert!(outcome.bytes <= 16 * 1024 * 1024, "{shown}: {outcome:?}");
        assert!(outcome.commands <= 16 * 1024 + length, "{shown}: {outcome:?}");
    }
}

#[test]
fn what_grows_by_itself_is_given_up() {
    for text in [
        "{a,b}".repeat(40),
        "a {1..1000000000}".into(),
        "a {1..1000}{1..1000}".into(),
        format!("a {}x{}", "{a,".repeat(16), "}".repeat(16)),
        format!("a {}", "{1..1000} ".repeat(1000)),
        format!("x=a; {} probe $x", "x=$x$x; ".repeat(64)),
        format!("x=a; {} probe $x", "x+=$x; ".repeat(64)),
        format!("x={}; {} probe $x", "a".repeat(1000), "x=${x//a/$x}; ".repeat(8)),
        format!("set -- a; {} probe \"$@\"", "set -- \"$@\" \"$@\"; ".repeat(64)),
        format!("a=(a); {} probe \"${{a[@]}}\"", "a+=(\"${a[@]}\"); ".repeat(64)),
        format!("x={}; probe {}", "a".repeat(4000), "$x".repeat(4000)),
        format!("x={}; probe {}", "'*a'".repeat(2000), "${x##$x} ".repeat(500)),
        format!("x={}; probe {}", "a".repeat(4000), "${x##*a*a*a*a*b} ".repeat(500)),
        format!("x={}; probe {}", "'a '".repeat(2000), "$x ".repeat(2000)),
        format!(
            "x={}; for i in $x; do for j in $x; do for k in $x; do probe $i; done; done; done",
            "'a '".repeat(50)
        ),
        format!(
            "{} f0",
            (0..60).map(|n| format!("f{n}() {{ f{m}; f{m}; }}; ", m = n + 1)).collect::<String>()
        ),
        "f() { f; f; }; f".into(),
        "f() { eval \"$1\"; }; f 'f \"$1\"'".into(),
        format!("eval '{}'", "eval \\'a\\'; ".repeat(200)),
        format!("x={}; probe $(printf '%s%s%s' {})", "a".repeat(4000), "$x ".repeat(4000)),
        "probe $(printf '%4096s' {1..1000})".into(),
        format!("x=$(printf %4000s); probe {}", "$(printf \"%s\" \"$x\")".repeat(300)),
        format!("a[999999999]=1; {}", "a[1]=2; ".repeat(5000)),
        format!("{} probe", (0..4000).map(|n| format!("a[{n}]=x; ")).collect::<String>()),
        format!("if a; then x=1; fi; {}", "if a; then x=2; else y=3; fi; ".repeat(1500)),
        format!("{}a{}", "while a; do x=1; ".repeat(20), "; done".repeat(20)),
        format!("{}a{}", "for i in 1 2 3; do ".repeat(20), "; done".repeat(20)),
        format!("{}:", "x=1; y=$x; a && b || c; ".repeat(2500)),
        format!("trap '{}' DEBUG; {}", "x=1; ".repeat(500), "x=2; ".repeat(5000)),
        format!("case a in {} esac", "a) x=1;& ".repeat(3000)),
        format!("probe {}", "${x:-a}".repeat(8000)),
        format!("probe \"{}\"", "$x$@".repeat(8000)),
        format!("probe {}", "~/a:".repeat(8000)),
        format!("probe {}", "[".repeat(30000)),
        format!("probe {}{}", "[a".repeat(10000), "*]".repeat(10000)),
        format!("probe $(({}))", "1+".repeat(20000) + "1"),
        format!("x=1; probe $(({}))", "x=x+".repeat(3000) + "1"),
    ] {
        check(text);
    }
}

#[test]
fn nested_constructs_fit_a_small_stack() {
    for (open, inner, close) in [
        ("$(", "a", ")"),
        ("\"$(", "a", ")\""),
        ("a <(", "a", ")"),
        ("a <<< $(", "a", ")"),
        ("{ ", "a", ";}"),
        ("(", "a", ")"),
        ("if a; then ", "a", "; fi"),
        ("while a; do ", "a", "; done"),
        ("for i in 1; do ", "a", "; done"),
        ("case a in a) ", "a", ";; esac"),
        ("f() { ", "a", "; }; f"),
        ("a && { ", "a", "; }"),
        ("a | { ", "a", "; }"),
        ("${x:-", "a", "}"),
        ("\"${x:-", "a", "}\""),
        ("x=${y:=", "a", "}"),
        ("${x#", "a", "}"),
        ("${x:", "1", "}"),
        ("${x[", "1", "]}"),
        ("$((", "1", "))"),
        ("$((1+(", "1", ")))"),
        ("[[ ( ", "a", " ) ]]"),
        ("[[ ! ", "a", " ]]"),
        ("x=($(", "a", "))"),
        ("eval '", "a", "'"),
    ] {
        for depth in [1, 8, 16, 24, 32, 48, 63] {
            check(format!("{}{inner}{}", open.repeat(depth), close.repeat(depth)));
        }
    }
    let mut text = "a".to_owned();
    for _ in 0..10 {
        text = format!("eval \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    }
    check(text);
}

#[test]
fn what_is_too_deep_is_told() {
    struct Told(Vec<Why>);
    impl<'s> Observer<'s> for Told {
        fn command(&mut self, _call: &Call<'s, '_>) {}
        fn redirection(&mut self, _redirection: &'s Redirection, _target: &Field, _env: &Env) {}
        fn may_execute(&mut self, _span: Span, why: Why) {
            self.0.push(why);
        }
    }
    let text = format!("{}rm{}", "$(".repeat(50), ")".repeat(50));
    let script = parse(text.as_bytes(), &Options::default()).unwrap();
    let mut told = Told(Vec::new());
    super::follow(&script, text.as_bytes(), &mut Env::new(Shell::Bash, Unlisted::Unset), &mut told);
    assert_eq!(told.0, [Why::TooLarge]);
}
