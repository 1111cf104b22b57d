//! What users reported of tools that shorten output, each as a case: the fact that was lost must stay.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

use toolgate_filter::{CaptureOptions, Catalog, FilterConfidence, Filtered, filter_captured};

fn filter(command: &str, exit: i32, stdout: &str, stderr: &str) -> Filtered {
    let done = filter_captured(
        &Catalog::built_in(),
        command,
        exit,
        stdout.as_bytes(),
        stderr.as_bytes(),
        CaptureOptions::default(),
    );
    assert_eq!(done.exit, exit);
    assert!(done.filtered_tokens <= done.raw_tokens.max(1), "{command}: grew\n{}", done.text);
    done
}

#[track_caller]
fn keeps(command: &str, exit: i32, stdout: &str, stderr: &str, facts: &[&str]) -> Filtered {
    let done = filter(command, exit, stdout, stderr);
    for fact in facts {
        assert!(done.text.contains(fact), "{command}: lost {fact:?}\n{}", done.text);
    }
    done
}

fn numbered(from: usize, to: usize, line: impl Fn(usize) -> String) -> String {
    (from..=to).map(|n| line(n) + "\n").collect()
}

// The verdict became wrong.

#[test]
fn a_missing_import_in_conftest_is_no_empty_run() {
    let err = "ImportError while loading conftest '/w/conftest.py'.\nconftest.py:3: in <module>\n    import weasyprintx\nE   ModuleNotFoundError: No module named 'weasyprintx'\n";
    keeps("pytest", 4, "", err, &["ImportError", "conftest.py:3", "No module named 'weasyprintx'"]);
}

#[test]
fn a_suite_that_does_not_load_is_counted_and_shown() {
    let err = "PASS test/a.test.js\nFAIL test/b.test.js\n  ● Test suite failed to run\n\n    SyntaxError: /w/test/b.test.js: Unexpected token (4:7)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total\n";
    keeps("npx jest", 1, "", err, &["FAIL test/b.test.js", "Unexpected token (4:7)", "1 failed, 1 passed"]);
}

#[test]
fn a_tool_that_is_not_there_found_no_errors_is_never_said() {
    let done = keeps(
        "npx tsc -p .",
        1,
        "",
        "This is not the tsc command you are looking for\n",
        &["not the tsc command"],
    );
    assert!(!done.text.contains("no error"));
    keeps(
        "go build ./cmd/nope",
        1,
        "",
        "no required module provides package ./cmd/nope\n",
        &["no required module"],
    );
    keeps("go build ./cmd/nope", 1, "", "stat /w/cmd/nope: directory not found\n", &["directory not found"]);
    keeps(
        "go vet ./...",
        1,
        "",
        "# x/y\nvet: ./a.go:3:2: undefined: frob\n",
        &["a.go:3:2", "undefined: frob"],
    );
    keeps(
        "npx prettier --check .",
        1,
        "Checking formatting...\n",
        "[warn] a.ts\n[warn] b.ts\n",
        &["a.ts", "b.ts"],
    );
}

#[test]
fn an_unknown_failure_of_a_known_tool_is_shown_as_it_came() {
    // Every line is noise to the rule, and yet the command failed.
    let err = "   Compiling a v0.1.0\n   Compiling b v0.1.0\n   Compiling c v0.1.0\n   Compiling d v0.1.0\n";
    let done = keeps("cargo build", 137, "", err, &["Compiling a", "Compiling d"]);
    assert_eq!(done.stats.confidence, Some(FilterConfidence::Fallback));
}

#[test]
fn other_languages_change_no_verdict() {
    keeps(
        "git stash",
        0,
        "Aucune modification locale à sauver\n",
        "",
        &["Aucune modification locale à sauver"],
    );
    let italian = "Sul branch main\nModifiche di cui verrà eseguito il commit:\n  (usa \"git restore --staged <file>...\" per rimuovere gli elementi dall'area di staging)\n\tnuovo file:             a.rs\n\nModifiche non nell'area di staging per il commit:\n\tmodificato:             b.rs\n";
    keeps(
        "git status",
        0,
        italian,
        "",
        &["Sul branch main", "nuovo file:             a.rs", "modificato:             b.rs"],
    );
    keeps(
        "git checkout x",
        1,
        "",
        "erreur : le spécificateur de chemin 'x' ne correspond à aucun fichier\n",
        &["erreur", "'x'"],
    );
    keeps("ls -la", 0, "insgesamt 4\n-rw-r--r-- 1 u u 3 12. Jan 10:00 a.txt\n", "", &["12. Jan 10:00 a.txt"]);
}

#[test]
fn what_is_shown_was_there() {
    let diff = "diff --git a/a.rs b/a.rs\nindex 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n";
    let done = filter("git diff", 0, diff, "");
    for line in done.text.lines().filter(|l| !l.starts_with('[')) {
        assert!(diff.contains(line), "{line}");
    }
}

// The detail of a failure was dropped.

#[test]
fn eighty_failures_are_eighty_facts() {
    let mut out = numbered(1, 900, |n| format!("  ✓  {n} [chromium] › ok.spec.ts:{n}:1 › passes {n} (1.2s)"));
    for n in 1..=80 {
        out.push_str(&format!("\n\n  {n}) [chromium] › cart.spec.ts:{}:1 › pays {n} ────\n\n    Error: Timed out {n}ms waiting for expect(locator).toBeVisible()\n\n      at cart.spec.ts:{}:40\n", n * 7, n * 7 + 2));
    }
    out.push_str("\n  80 failed\n  900 passed (61.2s)\n");
    let done = filter("npx playwright test", 1, &out, "");
    for n in 1..=80 {
        assert!(
            done.text.contains(&format!("› pays {n} "))
                && done.text.contains(&format!("cart.spec.ts:{}:40", n * 7 + 2)),
            "{n}"
        );
    }
    assert!(done.text.contains("80 failed") && done.text.contains("900 passed"));
    assert!(done.filtered_tokens * 2 < done.raw_tokens);
}

#[test]
fn a_test_run_that_does_not_compile_is_a_build() {
    let err = "   Compiling t v0.1.0 (/w)\nerror[E0425]: cannot find function `okk` in this scope\n --> tests/t.rs:1:38\n  |\n1 | #[test] fn a() { assert_eq!(1, okk()); }\n  |                                ^^^ not found in this scope\n\nerror[E0308]: mismatched types\n --> tests/t.rs:2:34\n  |\n2 | #[test] fn b() { let s: String = 3; }\n  |                         ------   ^ expected `String`, found integer\n\nerror: could not compile `t` (test \"t\") due to 2 previous errors\n";
    keeps(
        "cargo test",
        101,
        "",
        err,
        &[
            "E0425",
            "okk",
            "tests/t.rs:1:38",
            "E0308",
            "tests/t.rs:2:34",
            "expected `String`, found integer",
            "2 previous errors",
        ],
    );
}

#[test]
fn a_fatal_error_of_the_runtime_stays() {
    let out = "=== RUN   TestA\nfatal error: checkptr: misaligned pointer conversion\n\ngoroutine 7 [running]:\nruntime.throw({0x1, 0x2})\n\t/usr/local/go/src/runtime/panic.go:1077 +0x5c\nx/y.A(0xc0)\n\t/w/y/a.go:12 +0x1d\nFAIL\tx/y\t0.004s\nFAIL\n";
    keeps(
        "go test ./...",
        1,
        out,
        "",
        &["fatal error: checkptr: misaligned pointer conversion", "/w/y/a.go:12", "goroutine 7"],
    );
}

#[test]
fn the_summary_stays_wherever_the_tool_runs() {
    let out = "PHPUnit 10.5.0 by Sebastian Bergmann and contributors.\n\n............  596 / 596 (100%)\n\nTime: 00:01, Memory: 48.00 MB\n\nOK (596 tests, 1204 assertions)\n";
    for command in [
        "docker exec -t web vendor/bin/phpunit",
        "docker compose exec web php artisan test",
        "ssh host phpunit",
        "make test",
    ] {
        keeps(command, 0, out, "", &["OK (596 tests, 1204 assertions)"]);
    }
}

#[test]
fn several_tools_in_one_run_keep_each_summary() {
    let mut out = String::from("ruff check .\nAll checks passed!\npytest -q\n");
    out.push_str(&numbered(1, 400, |n| format!("tests/test_a.py::test_{n} PASSED [{:3}%]", n / 4)));
    out.push_str("FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed, 400 passed in 2.1s\nvitest run\n ✓ a.test.ts (12 tests) 3ms\n Test Files  1 passed (1)\n      Tests  12 passed (12)\n");
    let facts = [
        "All checks passed!",
        "test_x - assert 1 == 2",
        "1 failed, 400 passed",
        "12 passed (12)",
        "[ci] Error 1",
    ];
    keeps("make ci", 2, &out, "make: *** [ci] Error 1\n", &facts);
}

#[test]
fn text_of_a_panic_that_looks_like_a_pass_stays() {
    let out = "running 2 tests\ntest a ... FAILED\ntest b ... ok\n\nfailures:\n\n---- a stdout ----\nthread 'a' panicked at src/lib.rs:3:5:\ntest said: test inner ... ok\nbut it was not\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    keeps(
        "cargo test",
        101,
        out,
        "",
        &["test said: test inner ... ok", "but it was not", "src/lib.rs:3:5", "1 passed; 1 failed"],
    );
}

#[test]
fn the_subcommand_is_matched_and_not_a_prefix() {
    let out = "F                                    [100%]\n=== FAILURES ===\nE       assert 1 == 2\na.py:3: AssertionError\n1 failed in 0.01s\n";
    keeps("uv run pytest -q", 1, out, "", &["assert 1 == 2", "a.py:3", "1 failed"]);
    keeps("uv --version", 0, "uv 0.4.18\n", "", &["uv 0.4.18"]);
    for command in ["makepasswd 8", "gitk", "cargo-auditx", "lsblkx", "dockerize x", "greppy"] {
        assert!(filter(command, 0, "x\n", "").rules.is_empty(), "{command}");
    }
}

#[test]
fn both_streams_are_filtered_and_shown() {
    let err = "bun test v1.1\n\na.test.ts:\n(pass) adds [0.1ms]\n(fail) halves [0.3ms]\nerror: expect(received).toBe(expected)\n\nExpected: 4\nReceived: 5\n\n 1 pass\n 1 fail\n";
    keeps("bun test", 1, "", err, &["(fail) halves", "Expected: 4", "1 fail"]);
    keeps("ls /nope", 2, "", "ls: cannot access '/nope': No such file or directory\n", &["/nope"]);
    keeps(
        "golangci-lint run",
        3,
        "",
        "level=error msg=\"Running error: context loading failed\"\n",
        &["context loading failed"],
    );
    keeps("curl -O http://x/y", 6, "", "curl: (6) Could not resolve host: x\n", &["curl: (6)"]);
}

#[test]
fn an_error_in_the_cut_middle_stays() {
    let mut out =
        numbered(1, 60_000, |n| format!("2026-03-01 00:00:00 INFO handled request {n} of user {}", n % 977));
    let at = out.len() / 2;
    let at = out[..at].rfind('\n').unwrap() + 1;
    out.insert_str(
        at,
        "2026-03-01 00:00:00 FATAL [ledger] invariant broken: balance -300\n  at ledger.rs:212\n",
    );
    for command in ["cat app.log", "docker logs web", "./server", "kubectl logs web-1", "cat data.txt"] {
        keeps(command, 0, &out, "", &["invariant broken: balance -300"]);
    }
}

#[test]
fn few_long_lines_keep_their_end() {
    let out: String = (0..20)
        .map(|n| format!("{n} {}\n", "x".repeat(30_000)))
        .chain(["error: could not compile `x`\n".to_owned()])
        .collect();
    keeps("./build.sh", 1, &out, "", &["error: could not compile `x`"]);
}

// Silent or wrong truncation.

#[test]
fn a_long_diff_says_what_is_cut() {
    let mut diff = String::from(
        "diff --git a/t.rs b/t.rs\nindex 1..2 100644\n--- a/t.rs\n+++ b/t.rs\n@@ -1,1 +1,1001 @@\n",
    );
    diff.push_str(&numbered(1, 1000, |n| format!("+const ROW_{n}: u32 = 0;")));
    diff.push_str(" end\n");
    let done = keeps("git diff", 0, &diff, "", &["ROW_1:", "ROW_1000:", " end"]);
    let hidden: u64 = done.text.split("[… ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let shown = done.text.lines().filter(|l| l.starts_with("+const")).count() as u64;
    assert_eq!(shown + hidden, 1000);
    // Rows that do not count up are all different changes, and all are shown.
    let mut odd = String::from("diff --git a/t.rs b/t.rs\n--- a/t.rs\n+++ b/t.rs\n@@ -0,0 +1,300 @@\n");
    odd.push_str(&numbered(1, 300, |n| format!("+row({})", n * n % 991)));
    let done = filter("git diff", 0, &odd, "");
    assert_eq!(done.text.lines().filter(|l| l.starts_with("+row")).count(), 300);
}

#[test]
fn a_huge_hunk_is_never_empty() {
    let mut diff =
        String::from("diff --git a/t.sql b/t.sql\n--- a/t.sql\n+++ b/t.sql\n@@ -0,0 +1,158000 @@\n");
    diff.push_str(&numbered(1, 158_000, |n| {
        format!("+insert {} into t values ('{}')", n * 7919 % 104_729, n % 13)
    }));
    let done = filter("git diff", 0, &diff, "");
    assert!(
        done.text.contains("+++ b/t.sql") && done.text.contains("lines") && done.text.lines().count() > 100
    );
    assert!(done.text.len() < 600_000);
}

#[test]
fn commit_bodies_stay() {
    let log = "commit 5e40b044fd821f1f60644b99a8150eb14760fc62\nAuthor: A <a@x>\nDate:   Wed Jan 14 10:00:00 2026 +0000\n\n    fix: x\n\n    Because of y.\n    * z\n\n    BREAKING CHANGE: w\n";
    keeps(
        "git log -3",
        0,
        log,
        "",
        &["5e40b044fd", "fix: x", "Because of y.", "* z", "BREAKING CHANGE: w", "Jan 14 2026"],
    );
}

#[test]
fn rows_that_were_asked_for_stay() {
    let pods = String::from("NAME    READY   STATUS    RESTARTS   AGE\n")
        + &numbered(1, 150, |n| format!("web-{n}   1/1     Running   0          3d"));
    let done = filter("kubectl get pods", 0, &pods, "");
    assert_eq!(done.text.lines().count(), 151);
    for command in [
        "du -s *",
        "psql -c 'select 1'",
        "seq 1 100",
        "awk '{print}' x",
        "sort x",
        "wc -l *",
        "find . -name x",
        "grep -o x y",
        "cat data.csv",
    ] {
        let rows = numbered(1, 100, |n| format!("item {n} of 100"));
        assert_eq!(filter(command, 0, &rows, "").text, rows, "{command}");
    }
}

// Exit status, pipes, shell text.

#[test]
fn the_exit_status_is_as_it_was() {
    for exit in [0, 1, 2, 101, 130, 137, 255, -1] {
        assert_eq!(filter("cargo test", exit, "x\n", "").exit, exit);
    }
}

#[test]
fn the_end_of_a_pipe_decides() {
    let row = "root 90 0.0 0.0 27796 21256 ? S 15:04 0:00 python3 -m http.server 8731\n";
    keeps("ps aux | grep http", 0, row, "", &["http.server 8731"]);
    keeps("cargo test | wc -l", 0, "41\n", "", &["41"]);
    keeps("grep -c x a", 0, "17\n", "", &["17"]);
    keeps("grep -o 'a[0-9]' x", 0, "a1\na2\na3\na4\na5\na6\na7\na8\n", "", &["a1", "a4", "a8"]);
    keeps("rg -c require", 0, "a/b.js:2\na/c.js:3\n", "", &["a/b.js:2", "a/c.js:3"]);
}

// Bytes.

#[test]
fn bytes_of_any_kind_are_survived() {
    let catalog = Catalog::built_in();
    for command in
        ["cargo test", "git diff", "git log", "pytest", "make", "ps aux", "ls -R", "rg x", "eslint .", "./x"]
    {
        for text in [
            "税込価格を計算する naïve_café — тест №5 😀",
            "error: 税込 é",
            "\u{1b}[Kx\u{1b}[Gy",
            "a\u{0}b",
            "é:12: x",
            "(é,1): error TS1: x",
        ] {
            let many = format!("{text}\n").repeat(40);
            for cut in (0..many.len().min(70)).step_by(5) {
                let _ = filter_captured(
                    &catalog,
                    command,
                    1,
                    &many.as_bytes()[cut..],
                    &many.as_bytes()[..cut],
                    CaptureOptions::default(),
                );
            }
        }
    }
}

#[test]
fn an_invalid_byte_does_not_merge_lines() {
    let out = b"a.txt:1:caf\xe9 one\nb.txt:2:two\nc.txt:3:three\n";
    let done = filter_captured(&Catalog::built_in(), "rg -n o", 0, out, b"", CaptureOptions::default());
    for fact in ["a.txt:1:caf", "b.txt:2:two", "c.txt:3:three"] {
        assert!(done.text.contains(fact), "{}", done.text);
    }
}

#[test]
fn line_ends_are_no_progress_bars() {
    let out = "one\r\ntwo\r\nerror: three\r\n";
    assert_eq!(filter("./x", 1, out, "").text, "one\ntwo\nerror: three\n");
    let diff =
        "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-beta\r\n+beta\n x\n";
    keeps("git diff", 0, diff, "", &["-beta", "+beta"]);
    let bar: String = (0..41_000)
        .map(|n| format!("\r{:3}%|{}| {n}/41000 [00:01<00:09]", n / 410, "█".repeat(n / 4100)))
        .collect();
    let done = filter("tail -100 train.out", 0, &format!("{bar}\nloss=0.31\n"), "");
    assert!(done.text.contains("loss=0.31") && done.text.len() < 500);
}

// Size, numbers, secrets.

#[test]
fn nothing_is_said_twice() {
    let out = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\nthread 'a' panicked at src/lib.rs:3:5:\nboom\n\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let done = filter("cargo test", 101, out, "");
    assert_eq!(done.text.matches("boom").count(), 1);
}

#[test]
fn values_of_json_stay_and_it_is_json_still() {
    assert_eq!(filter("curl -s x", 0, "{\"ok\":true}", "").text.trim(), "{\"ok\":true}");
    let rows: Vec<String> = (0..500).map(|n| format!("{{\"id\": {n}, \"ok\": {}}}", n != 333)).collect();
    let text = format!("[{}]", rows.join(", "));
    let done = keeps("curl -s x", 0, &text, "", &["{\"id\": 333, \"ok\": false}"]);
    let value: serde_json::Value = serde_json::from_str(done.text.lines().next().unwrap()).unwrap();
    assert!(value.as_array().unwrap().len() < 50);
}

#[test]
fn a_mask_longer_than_the_secret_is_not_taken_back() {
    let done = filter("env", 0, "A_PASSWORD=abc\n", "");
    assert!(!done.text.contains("abc"), "{}", done.text);
}

#[test]
fn savings_are_signed_and_honest() {
    let done = filter("echo x", 0, "x\n", "");
    assert!(done.stats.savings_pct() <= 0.01 && done.hidden_lines == 0);
    assert_eq!(done.stats.confidence, Some(FilterConfidence::Fallback));
    let noise = "   Compiling a v1.0.0\n   Compiling b v1.0.0\n   Compiling c v1.0.0\n   Compiling d v1.0.0\n    Finished `dev` profile\n";
    assert_eq!(filter("cargo build", 0, "", noise).stats.confidence, Some(FilterConfidence::Full));
    let partly = format!("{noise}something new\n");
    assert_eq!(filter("cargo build", 0, "", &partly).stats.confidence, Some(FilterConfidence::Partial));
}

// What an existing crate of this family does wrong.

#[test]
fn results_of_several_programs_are_added_up() {
    let suite = |n: usize| {
        format!(
            "running {n} tests\n{}\ntest result: ok. {n} passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.01s\n",
            numbered(1, n, |i| format!("test t{i} ... ok"))
        )
    };
    keeps(
        "cargo test",
        0,
        &format!("{}\n{}", suite(40), suite(1)),
        "",
        &["41 passed; 0 failed", "4 filtered out"],
    );
    let many: String = (0..169).map(|_| suite(100)).collect();
    keeps("cargo test", 0, &many, "", &["16900 passed"]);
}

#[test]
fn twenty_warnings_are_twenty_places() {
    let err: String = (1..=20).map(|n| format!("warning: unneeded `return` statement\n  --> src/f{n}.rs:{n}:5\n   |\n{n:2} |     return 1;\n   |     ^^^^^^^^\n   |\n   = note: `#[warn(clippy::needless_return)]` on by default\n\n")).collect();
    let done = filter("cargo clippy", 0, "", &err);
    for n in 1..=20 {
        assert!(done.text.contains(&format!("src/f{n}.rs:{n}:5")), "{n}\n{}", done.text);
    }
    assert!(done.text.contains("needless_return") && done.filtered_tokens * 3 < done.raw_tokens);
}

#[test]
fn status_keeps_names_and_conflicts() {
    let short = "## main...origin/main [ahead 1, behind 2]\nUU a.rs\nR  b -> c\n M d.rs\n?? e.rs\n";
    assert_eq!(filter("git status -sb", 0, short, "").text, short);
}

#[test]
fn one_failure_among_forty_keeps_its_assertion() {
    let mut out = numbered(1, 39, |n| format!("test tests::case_{n} ... ok"));
    out.push_str("test tests::split ... FAILED\n\nfailures:\n\n---- tests::split stdout ----\nthread 'tests::split' panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 7\n right: 8\n\n\nfailures:\n    tests::split\n\ntest result: FAILED. 39 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n");
    let facts = ["tests::split", "src/lib.rs:9:5", "left: 7", "right: 8", "39 passed; 1 failed"];
    keeps("cargo test", 101, &out, "", &facts);
}

#[test]
fn the_numbers_of_a_result_are_those_of_what_is_shown() {
    let out = "\u{1b}[32mtest a ... ok\u{1b}[0m\ntest b ... ok\ntest c ... ok\ntest d ... ok\nsome é of its own\ntest result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let done = filter("cargo test", 0, out, "");
    assert_eq!(done.stats.filtered_chars, done.text.chars().count());
    assert_eq!(done.stats.filtered_lines, done.text.lines().count());
    assert_eq!(done.stats.kept_lines.first(), Some(&4), "{}", done.text);
    // What a stream is does not stand before its lines, where it would hide them from a rule.
    let err = numbered(1, 9, |n| format!("   Compiling part_{n} v1.0.0"));
    let done = filter("cargo test", 0, "ok\n", &err);
    assert!(!done.text.contains("part_5") && !done.text.contains("stderr"), "{}", done.text);
}

#[test]
fn the_last_state_of_a_progress_line_stays_and_escapes_do_not() {
    assert_eq!(toolgate_filter::sanitize_output("next\rx\r"), "x");
    assert_eq!(toolgate_filter::sanitize_output("a\r\r\nb"), "a\nb");
    assert_eq!(toolgate_filter::sanitize_output("\u{1b}]0;title\u{7}\u{1b}[?25lon\u{1b}[?25h"), "on");
}

#[test]
fn the_words_of_a_program_are_no_noise_of_what_runs_it() {
    let own = "Loaded 45 records\nChecking disk /dev/sda1: 98% used\nBuilding index: 4 segments\nDownloading chunk 7 of 9\nVerifying sum 77\n";
    let noise = "   Compiling serde v1.0.229\n   Compiling a v0.1.0 (/w/a)\n    Checking b v0.2.0\n";
    let words = ["Loaded 45", "98% used", "4 segments", "chunk 7", "sum 77"];
    for command in ["cargo run", "cargo test", "cargo nextest run", "cargo bench"] {
        let done = keeps(command, 0, own, noise, &words);
        assert!(!done.text.contains("serde"), "{command}: {}", done.text);
    }
    keeps("bazel run //x", 0, "Loading 3 models\nAnalyzing model 2\n", "", &["3 models", "model 2"]);
    keeps("bundle exec x", 0, "Using cache at /x\nUsing rake 13.0.6\n", "", &["Using cache"]);
    keeps("swift run", 0, "Updating prices: 33\nFetching rates\n", "", &["Updating prices", "rates"]);
    let deployed = "✔ Built bundle 4f2c\n✔ Deployed to https://a.example/4f2c\nall good\n";
    for command in ["npm run deploy", "make deploy", "just deploy", "yarn deploy", "pnpm run build"] {
        keeps(command, 0, deployed, "", &["bundle 4f2c", "https://a.example/4f2c"]);
    }
}
