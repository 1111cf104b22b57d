//! Input made to break the analysis: it answers, in bounded time and stack, and never with allow.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::profile::Verdict;

fn judge(text: &str) -> Verdict {
    let text = text.to_owned();
    // A small stack on purpose: hooks and servers run on threads.
    std::thread::Builder::new()
        .stack_size(4 * 1024 * 1024)
        .spawn(move || {
            Judge::new("/home/dev", "/home/dev/work/repo")
                .judge(&Request::Command { text, cwd: None })
                .verdict
        })
        .unwrap()
        .join()
        .unwrap()
}

const EVIL: &str = "curl https://evil.example";

#[test]
fn deep_nesting_is_never_allowed() {
    for n in [10, 60, 99, 200, 2000] {
        for (open, close) in [
            ("$(", ")"),
            ("( ", " )"),
            ("{ ", "; }"),
            ("if true; then ", "; fi"),
            ("echo \"$(", ")\""),
            ("<(", ")"),
            ("while ", "; do :; done"),
        ] {
            let text = format!("{}{EVIL}{}", open.repeat(n), close.repeat(n));
            assert_ne!(judge(&text), Verdict::Allow, "{n} of {open}");
        }
    }
}

#[test]
fn code_in_code_in_code_is_never_allowed() {
    let mut text = EVIL.to_owned();
    for _ in 0..9 {
        text = format!("bash -c '{}'", text.replace('\'', "'\\''"));
        assert_ne!(judge(&text), Verdict::Allow);
        if text.len() > 60_000 {
            break;
        }
    }
    for wrapper in ["env ", "nice ", "command ", "timeout 5 ", "eval ", "nohup ", "xargs "] {
        for n in [10, 40, 200, 3000] {
            assert_ne!(judge(&format!("{}{EVIL}", wrapper.repeat(n))), Verdict::Allow, "{n} of {wrapper}");
        }
    }
}

#[test]
fn a_limit_never_hides_a_denied_command_before_it() {
    for filler in ["true && ", "echo x; ", "( : ) ; ", "x=1; "] {
        for n in [51, 500] {
            assert_eq!(judge(&format!("{}{EVIL}", filler.repeat(n))), Verdict::Deny, "{n} of {filler}");
            assert_eq!(judge(&format!("{EVIL}; {}true", filler.repeat(n))), Verdict::Deny, "{n} of {filler}");
        }
    }
    let long = format!("{EVIL}; echo {}", "x".repeat(50_000));
    assert_eq!(judge(&long), Verdict::Deny);
    assert_ne!(judge(&format!("echo {}; {EVIL}", "x".repeat(200_000))), Verdict::Allow);
}

#[test]
fn growth_is_bounded() {
    // Each would take exponential or quadratic time if it were followed to the letter.
    let functions: String = (1..30).map(|i| format!("f{i}() {{ f{}; f{}; }}; ", i - 1, i - 1)).collect();
    assert_ne!(judge(&format!("f0() {{ {EVIL}; }}; {functions} f29")), Verdict::Allow);
    let loops = "for a in 1 2 3 4 5 6 7 8 9; do ".repeat(20) + "x=$x$a; " + &"done; ".repeat(20);
    judge(&loops.replace("; done; ", "; done "));
    judge(&format!("echo {}", "{a,b}".repeat(40)));
    judge("echo {1..999999999}");
    judge(&"x=$x$x; ".repeat(200));
    judge(&format!("x=a; {} echo $x", "x=$x$x; ".repeat(60)));
    judge(&format!("x=a; {} echo ${{x//a/bb}}", "x=$x$x; ".repeat(20)));
    judge(&"a=(\"${a[@]}\" \"${a[@]}\"); ".repeat(40));
    judge(&format!("set -- {}; {}", "a ".repeat(50), "set -- \"$@\" \"$@\"; ".repeat(40)));
    judge(&format!("printf '{}' {}", "%s".repeat(1000), "x ".repeat(5000)));
    judge(&format!("sed '{}' f", "s/a/b/;".repeat(5000)));
    judge(&format!("awk '{}' f", "{print}".repeat(5000)));
    judge(&format!("python3 -c '{}'", "a=1;".repeat(8000)));
    judge(&format!("python3 -c '{}'", "eval(\"".repeat(2000)));
    judge(&format!("cat {}", "'*' ".repeat(9000)));
    judge(&format!("cat {}", "src/* ".repeat(9000)));
    judge(&format!("find . {}", "-exec echo {} \\; ".repeat(2000)));
    judge(&format!("{}cat", "cat <<A | ".repeat(300)));
    judge(&"make;cd .;".repeat(6000));
    judge(&"echo x>y;cd z;".repeat(4000));
    judge(&format!("x={}; {}", "1,".repeat(1000), "IFS=,; for i in $x; do echo $i; done; ".repeat(10)));
}

#[test]
fn odd_bytes_are_answered() {
    for text in [
        "\u{ffff}",
        "\u{fffe}x /",
        "echo \u{ffff}",
        "rm -rf \u{ffff}",
        "\0",
        "echo a\0b",
        "\u{202e}ls",
        "ls\u{a0}-la",
        "\r",
        "echo \r x",
        "",
        " ",
        "\n\n",
        "#",
        "''",
        "\"\"",
        "$",
        "${",
        "((",
        "[[",
        "<<",
        "<<E",
        "a=(",
        "{",
        "}",
        "!",
        "&",
        "|",
        ";;",
    ] {
        let v = judge(text);
        if text.contains(['\u{ffff}', '\u{fffe}']) && !text.starts_with("echo") {
            assert_ne!(v, Verdict::Allow, "{text:?}");
        }
    }
}
