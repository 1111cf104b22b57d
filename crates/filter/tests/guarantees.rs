//! What the engine holds up whatever a rule says, tried with rules and outputs made at random.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

mod holds;

use holds::{Run, check};
use proptest::prelude::*;
use toolgate_filter::{
    CaptureOptions, Catalog, Filter, FilterOptions, Filtered, Origin, Stream, Weight, built_in, command,
    filter_captured, weigh,
};

/// The error somebody would look for, in the languages of the people who use this.
const ERRORS: &[&str] = &[
    "error: zq7 disk full",
    "ERROR zq7 connection lost",
    "FATAL: zq7 out of memory",
    "zq7.c:12:5: error: expected ';'",
    "Fehler: zq7 Datei nicht gefunden",
    "erreur : zq7 fichier introuvable",
    "errore: zq7 file non trovato",
    "Error: zq7 archivo no encontrado",
    "erro: zq7 arquivo não encontrado",
    "ошибка: zq7 файл не найден",
    "错误: zq7 找不到文件",
    "エラー: zq7 ファイルがありません",
    "오류: zq7 파일을 찾을 수 없습니다",
    "błąd: zq7 nie znaleziono pliku",
    "hata: zq7 dosya bulunamadı",
    "thread 'main' panicked at src/zq7.rs:3:5:",
    "CONFLICT (content): Merge conflict in zq7.rs",
    "FAILED tests/test_zq7.py::test_x - assert 1 == 2",
    "TypeError: zq7 is not a function",
    "Segmentation fault (core dumped) zq7",
];

struct Case {
    name: String,
    command: String,
    exit: i32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// The cases of the rules, and the corpus where it is at hand.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/rules");
    for folder in std::fs::read_dir(rules).unwrap() {
        let folder = folder.unwrap().path();
        for stem in ["ok", "fail"] {
            let text = std::fs::read_to_string(folder.join(format!("{stem}.in"))).unwrap();
            let mut lines = text.lines();
            let command = lines.next().unwrap()[2..].to_owned();
            let exit = lines.next().unwrap()[2..].parse().unwrap();
            let (mut stdout, mut stderr, mut err) = (String::new(), String::new(), false);
            for line in lines {
                match line {
                    "--- stdout" => err = false,
                    "--- stderr" => err = true,
                    _ => {
                        let side = if err { &mut stderr } else { &mut stdout };
                        side.push_str(line);
                        side.push('\n');
                    }
                }
            }
            let name = format!("{}/{stem}", folder.file_name().unwrap().to_string_lossy());
            cases.push(Case { name, command, exit, stdout: stdout.into(), stderr: stderr.into() });
        }
    }
    let Some(corpus) = std::env::var_os("TOOLGATE_CORPUS") else {
        println!("TOOLGATE_CORPUS is not set: the corpus is skipped");
        return cases;
    };
    for folder in std::fs::read_dir(std::path::Path::new(&corpus).join("outputs")).unwrap() {
        let folder = folder.unwrap().path();
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_default();
        let text = |name: &str| String::from_utf8_lossy(&read(name)).trim().to_owned();
        cases.push(Case {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            command: text("cmd"),
            exit: text("exit").parse().unwrap_or(0),
            // The largest say nothing more here than their first part.
            stdout: read("stdout").into_iter().take(60_000).collect(),
            stderr: read("stderr"),
        });
    }
    cases
}

fn run(case: &Case, stdout: &[u8], stderr: &[u8]) -> Filtered {
    filter_captured(&Catalog::built_in(), &case.command, case.exit, stdout, stderr, CaptureOptions::default())
}

/// Starts of lines, where another line may be put.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1));
    starts
}

#[test]
fn an_error_put_anywhere_into_any_output_is_shown() {
    let mut tried = 0;
    for (number, case) in cases().iter().enumerate() {
        for (turn, error) in ERRORS.iter().enumerate() {
            // Another place, stream and spelling each time, the same in every run.
            let mut pick = (number * 7919 + turn * 104_729) as u64;
            pick = pick.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
            let into_stderr = case.stdout.is_empty() || (pick.is_multiple_of(3) && !case.stderr.is_empty());
            let side = if into_stderr { &case.stderr } else { &case.stdout };
            let json = side.first().is_some_and(|b| matches!(b, b'{' | b'['));
            let starts = starts(side);
            let at = if json { 0 } else { starts[(pick >> 8) as usize % starts.len()] };
            let line = match pick >> 40 & 3 {
                0 => format!("{error}\n"),
                1 => format!("\x1b[1;31m{error}\x1b[0m\r\n"),
                2 => format!("working 10%\rworking 55%\r{error}\n"),
                _ => format!("{error}\r\n"),
            };
            let mut changed = side[..at].to_vec();
            changed.extend_from_slice(line.as_bytes());
            changed.extend_from_slice(&side[at..]);
            let done = if into_stderr {
                run(case, &case.stdout, &changed)
            } else {
                run(case, &changed, &case.stderr)
            };
            assert!(
                done.text.contains("zq7"),
                "{}: {error:?} put at {at} is lost:\n{}",
                case.name,
                done.text
            );
            tried += 1;
        }
    }
    assert!(tried > 1000);
}

#[test]
fn no_output_costs_more_than_it_did_and_none_is_empty() {
    for case in cases() {
        let done = run(&case, &case.stdout, &case.stderr);
        assert!(
            done.filtered_tokens <= done.raw_tokens,
            "{}: {} > {}",
            case.name,
            done.filtered_tokens,
            done.raw_tokens
        );
        let raw = [case.stdout.as_slice(), &case.stderr].concat();
        assert!(done.text.len() <= raw.len() + 40, "{}", case.name);
        assert_eq!(
            done.text.trim().is_empty(),
            String::from_utf8_lossy(&raw).trim().is_empty(),
            "{}",
            case.name
        );
    }
}

#[test]
fn what_was_filtered_once_is_not_made_shorter_by_losing_trouble() {
    for case in cases() {
        let done = run(&case, &case.stdout, &case.stderr);
        let again = run(&case, done.text.as_bytes(), b"");
        for line in done.text.lines().filter(|l| weigh(l) == Weight::Vital) {
            let words = line
                .split_whitespace()
                .filter(|w| w.len() > 4)
                .all(|w| again.text.contains(w.trim_matches(['[', ']', ',', ';', ':'])));
            assert!(words || again.text.contains(line.trim()), "{}: {line}\n{}", case.name, again.text);
        }
    }
}

#[test]
fn a_failed_command_of_which_nothing_was_understood_is_shown_as_it_came() {
    for rule in built_in() {
        let done = filter_captured(
            &Catalog::built_in(),
            rule.name(),
            3,
            b"quux one\nquux two\n",
            b"zap\n",
            CaptureOptions::default(),
        );
        assert_eq!(done.text, "quux one\nquux two\nzap\n");
    }
}

#[test]
fn a_failure_is_never_a_tally_of_successes_and_a_cut() {
    for (command, out) in [
        (
            "cargo test",
            "running 1 test\ntest errors::a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        ),
        (
            "npm ci",
            "added 300 packages, and audited 301 packages in 3s\n\n40 packages are looking for funding\n  run `npm fund` for details\n\nfound 0 vulnerabilities\n",
        ),
        (
            "mvn test",
            "[INFO] Scanning for projects...\n[INFO] Running A\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n",
        ),
    ] {
        let done =
            filter_captured(&Catalog::built_in(), command, 1, out.as_bytes(), b"", CaptureOptions::default());
        assert_eq!(done.text, out, "{command}");
    }
}

/// A line of one of many tools, good or bad.
fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("test a::b ... ok".to_owned()),
        Just("   Compiling serde v1.0.0".to_owned()),
        Just("warning: unused variable: `a`".to_owned()),
        Just(" --> src/a.rs:3:9".to_owned()),
        Just("3 |     let a = 1;".to_owned()),
        Just(String::new()),
        Just("failures:".to_owned()),
        Just("    a::b".to_owned()),
        Just("src/a.c:1:2: error: no `x`".to_owned()),
        Just("src/a.c:1:2: note: candidate: f".to_owned()),
        Just("a.ts(1,2): error TS1: 'x'".to_owned()),
        Just("/w/a.js".to_owned()),
        Just("  1:5  error  'x' is bad  no-x".to_owned()),
        Just("Traceback (most recent call last):".to_owned()),
        Just("  File \"/x/site-packages/y.py\", line 3, in f".to_owned()),
        Just("    at f (/w/node_modules/x.js:1:2)".to_owned()),
        Just("diff --git a/a b/a".to_owned()),
        Just("@@ -1,3 +1,3 @@".to_owned()),
        Just("+a".to_owned()),
        Just("-a".to_owned()),
        Just(" a".to_owned()),
        (0u32..99).prop_map(|n| format!("step {n} of 99 done")),
        (0u32..99).prop_map(|n| format!("2026-01-01 00:00:{n:02} INFO GET /{n} 200 {n}ms")),
        "[a-z ]{0,12}",
        "[ -~é✓]{0,30}",
        prop::sample::select(ERRORS).prop_map(str::to_owned),
    ]
}

/// Rules as harmful as a project's file could be.
fn harmful_rule() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "steps = [{ drop_lines = '.*' }]",
        "steps = [{ keep_matching = 'zzz' }]",
        "steps = [{ keep_matching = '^done$' }]",
        "steps = [{ truncate = { max_lines = 1, head = 0, tail = 0 } }]",
        "steps = [{ truncate = { max_lines = 2, head = 1, tail = 1 } }]",
        "steps = [{ drop_section = { from = '.', until = 'zzz' } }]",
        "steps = [{ fold_lines = '.*' }]",
        "steps = [{ strip_annotated = { patterns = '.*', summary_pattern = '.*', long_output_threshold = 1, keep_head = 0, keep_tail = 0 } }]",
        "steps = [{ dedup = { normalize_patterns = [{ pattern = '.*', replacement = '' }] } }]",
        "steps = ['log', 'runs', 'frames', 'diagnostics', 'by_file', 'listing', 'git_diff', 'git_log', 'git_status', 'test_summary']",
        "steps = ['test_summary', 'git_log', 'diagnostics', 'processes', 'cargo_json', 'json']",
        "steps = [{ group_by_rule = { location_pattern = '(.*)', rule_pattern = '(.*)' } }]",
        "plain = true",
    ])
    .prop_map(|body| format!("[[rules]]\nname = 'r'\nmatch = {{ program = 'tool' }}\n{body}\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_rule_of_a_user_or_a_project_loses_a_statement_of_trouble(
        rule in harmful_rule(),
        lines in prop::collection::vec(any_line(), 0..40),
        exit in prop_oneof![Just(0), Just(1)],
        project in any::<bool>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let origin = if project { Origin::Project } else { Origin::User };
        let catalog = Catalog::built_in().with_file(&rule, origin).unwrap();
        let (stdout, stderr) = lines.split_at(cut.index(lines.len() + 1));
        let (stdout, stderr) = (stdout.join("\n"), stderr.join("\n"));
        let run = Run { command: "tool x", exit, stdout: &stdout, stderr: &stderr };
        if let Err(broken) = check(&catalog, &run, 5) {
            prop_assert!(false, "{}\n--- {}", broken, rule);
        }
    }

    #[test]
    fn no_built_in_rule_loses_a_statement_of_trouble(
        pick in any::<prop::sample::Index>(),
        lines in prop::collection::vec(any_line(), 0..60),
        exit in prop_oneof![Just(0), Just(101)],
    ) {
        let commands = [
            "cargo test", "cargo build", "cargo clippy", "cargo nextest run", "pytest", "npm test", "make", "git status", "git diff",
            "git log", "git push", "go test ./...", "eslint .", "tsc", "gcc a.c", "cat a.log", "rg x", "ps aux", "ls -R", "terraform plan",
            "docker build .", "kubectl describe pod x", "mvn test", "gradle test", "dotnet test", "curl x", "pip install x", "./unknown",
        ];
        let command_line = commands[pick.index(commands.len())];
        let text = lines.join("\n");
        let run = Run { command: command_line, exit, stdout: &text, stderr: "" };
        if let Err(broken) = check(&Catalog::built_in(), &run, 9) {
            prop_assert!(false, "{}", broken);
        }
    }

    #[test]
    fn chunks_change_nothing(
        lines in prop::collection::vec(any_line(), 0..40),
        size in 1usize..50,
    ) {
        let text = lines.join("\n");
        let commands = command::commands("cargo test; git diff; ./x");
        let run = |size: usize| {
            let mut filter = Filter::new(&Catalog::built_in(), &commands, FilterOptions::default());
            for chunk in text.as_bytes().chunks(size) {
                filter.push(Stream::Stdout, chunk);
            }
            filter.finish(1).text
        };
        prop_assert_eq!(run(size), run(text.len().max(1)));
    }

    #[test]
    fn any_bytes_and_any_command_are_survived(
        command_line in "[ -~]{0,40}",
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        exit in -1i32..256,
    ) {
        let done = filter_captured(&Catalog::built_in(), &command_line, exit, &bytes, &bytes, CaptureOptions::default());
        prop_assert_eq!(done.exit, exit);
    }

    #[test]
    fn lines_are_counted_truly(
        lines in prop::collection::vec(prop_oneof![
            Just("   Compiling serde v1.0.0".to_owned()),
            Just("test a::b ... ok".to_owned()),
            "[a-z]{3,9} [a-z]{3,9}",
            (0u32..99).prop_map(|n| format!("step {n} of 99 done")),
        ], 1..80),
        command_line in prop::sample::select(vec!["cargo test", "cargo build", "./x"]),
    ) {
        let text = lines.join("\n");
        let done = filter_captured(&Catalog::built_in(), command_line, 0, text.as_bytes(), b"", CaptureOptions::default());
        prop_assert_eq!(done.stats.kept_lines.len() as u64 + done.hidden_lines, lines.len() as u64, "{}", done.text);
        prop_assert_eq!(done.stats.raw_lines, lines.len());
        for kept in &done.stats.kept_lines {
            prop_assert!(done.text.contains(lines[*kept].trim()));
        }
    }
}
