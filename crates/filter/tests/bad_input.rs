//! Output nobody planned for: broken bytes, endless lines, half documents, rules that go wrong.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use toolgate_filter::{
    CaptureOptions, Catalog, Filter, FilterOptions, Filtered, Origin, RulesError, Stream, command,
    filter_captured,
};

fn filter(command_line: &str, exit: i32, stdout: &[u8], stderr: &[u8]) -> Filtered {
    filter_captured(&Catalog::built_in(), command_line, exit, stdout, stderr, CaptureOptions::default())
}

/// Pushes piece by piece, as a pipe does.
fn stream(command_line: &str, exit: i32, pieces: impl Iterator<Item = (Stream, Vec<u8>)>) -> Filtered {
    let commands = command::commands(command_line);
    let mut filter = Filter::new(&Catalog::built_in(), &commands, FilterOptions::default());
    for (stream, bytes) in pieces {
        filter.push(stream, &bytes);
    }
    filter.finish(exit)
}

#[test]
fn invalid_utf8_is_shown_as_such_and_hides_no_error() {
    let out = b"caf\xe9 one\n\xff\xfe\xfd\nerror: \xc3\x28 broken name\n\xf0\x9f\x92\nend\n";
    for command in ["./x", "cargo build", "cat a.log", "rg o"] {
        let done = filter(command, 1, out, b"");
        for fact in ["one", "error: ", "broken name", "end"] {
            assert!(done.text.contains(fact), "{command}: {}", done.text);
        }
        assert!(done.text.contains('\u{fffd}'));
    }
}

#[test]
fn nul_bytes_do_not_end_the_text() {
    let done = filter("./x", 1, b"a\0b\n\0\0\nerror: disk\0 full\nlast\n", b"");
    assert!(done.text.contains("last") && done.text.contains("error: disk") && !done.text.contains('\0'));
}

#[test]
fn lines_that_end_in_crlf_are_lines() {
    let out =
        b"  Restored A.csproj\r\nsrc\\A.cs(3,5): error CS0103: no `x` [A.csproj]\r\n\r\nBuild FAILED.\r\n";
    let done = filter("dotnet build", 1, out, b"");
    assert!(
        done.text.contains("src\\A.cs(3,5): error CS0103: no `x`") && done.text.contains("Build FAILED.")
    );
    assert!(!done.text.contains('\r'));
}

#[test]
fn a_progress_bar_is_its_last_state_and_what_failed_on_the_way() {
    let bar: String = (0..=100).map(|n| format!("\rdownloading {n:3}% of 41 MB")).collect();
    let done = filter("./fetch", 0, format!("{bar}\ndone\n").as_bytes(), b"");
    assert_eq!(done.text, "downloading 100% of 41 MB\ndone\n");
    let failed = format!("{bar}\rerror: checksum of part 3 differs\rdownloading 100%\n");
    let done = filter("./fetch", 1, failed.as_bytes(), b"");
    assert!(done.text.contains("error: checksum of part 3 differs"), "{}", done.text);
}

#[test]
fn one_line_of_a_hundred_megabytes_keeps_its_ends_and_its_error() {
    let piece = vec![b'x'; 64 * 1024];
    let middle = b" error: E4471 quota exceeded ".to_vec();
    let pieces = std::iter::once(b"the beginning ".to_vec())
        .chain(std::iter::repeat_n(piece.clone(), 800))
        .chain([middle])
        .chain(std::iter::repeat_n(piece, 800))
        .chain([b" the end".to_vec()]);
    let done = stream("./minify", 1, pieces.map(|bytes| (Stream::Stdout, bytes)));
    for fact in ["the beginning", "E4471 quota exceeded", "the end"] {
        assert!(done.text.contains(fact), "{fact}");
    }
    assert!(done.text.len() < 64 * 1024, "{}", done.text.len());
}

#[test]
fn colours_hide_nothing() {
    let plain = "error[E0425]: cannot find `x`\n --> src/a.rs:3:5\nwarning: unused `y`\n --> src/b.rs:1:1\n";
    let coloured = plain
        .replace("error", "\u{1b}[1m\u{1b}[38;5;9merr\u{1b}[0mor")
        .replace("--> ", "\u{1b}[34m--> \u{1b}[0m\u{1b}[K")
        .replace("warning", "\u{1b}[33;1mwarning\u{1b}[m");
    for command in ["cargo build", "./x", "make"] {
        assert_eq!(
            filter(command, 1, b"", coloured.as_bytes()).text,
            filter(command, 1, b"", plain.as_bytes()).text
        );
    }
}

#[test]
fn other_languages_lose_no_error() {
    for line in [
        "kern.c:88:12: Fehler: »frob« nicht deklariert",
        "erreur : fichier introuvable : a.txt",
        "ошибка: файл не найден: a.txt",
        "错误: 找不到文件 a.txt",
        "エラー: a.txt が見つかりません",
        "error: archivo no encontrado: a.txt",
    ] {
        let noise: String = (0..60).map(|n| format!("[{n}/60] gcc -c f{n}.c\n")).collect();
        for command in ["make", "cargo test", "cat a.log", "./x"] {
            let text = format!("{noise}{line}\n{noise}");
            assert!(filter(command, 2, text.as_bytes(), b"").text.contains(line), "{command}: {line}");
        }
    }
}

#[test]
fn streams_that_interleave_in_the_middle_of_lines_stay_apart() {
    let out = "one two three\nfour five six\n".as_bytes();
    let err = "error: seven eight\nwarning: nine ten\n".as_bytes();
    let pieces = out
        .chunks(3)
        .map(|part| (Stream::Stdout, part.to_vec()))
        .zip(err.chunks(4).map(|part| (Stream::Stderr, part.to_vec())));
    let done = stream("./x", 1, pieces.flat_map(|(a, b)| [a, b]));
    for line in ["one two three", "four five six", "error: seven eight", "warning: nine ten"] {
        assert!(done.text.lines().any(|shown| shown == line), "{line}: {}", done.text);
    }
}

#[test]
fn a_json_document_that_breaks_off_says_so_and_keeps_its_odd_row() {
    let rows: Vec<String> = (0..400)
        .map(|n| format!("{{\"id\":{n},\"state\":\"{}\"}}", if n == 71 { "quarantined" } else { "ready" }))
        .collect();
    let whole = format!("[{}]", rows.join(","));
    for cut in [whole.len() - 1, whole.len() / 2, 2500] {
        let done =
            filter("curl -s http://x/rows", 18, &whole.as_bytes()[..cut], b"curl: (18) transfer closed\n");
        assert!(done.text.contains("quarantined") || cut < 2600, "{cut}: {}", done.text);
        assert!(done.text.contains("curl: (18) transfer closed") && done.text.contains("\"id\":0"));
    }
    let done = filter("curl -s x", 0, b"{\"a\": [1, 2, {\"b\": \"c", b"");
    assert!(done.text.contains("\"b\": \"c") || done.text.contains("\"b\":\"c"), "{}", done.text);
}

#[test]
fn a_pathological_pattern_is_refused_or_runs_in_linear_time() {
    let rule = |pattern: &str| {
        format!(
            "[[rules]]\nname = 'r'\nmatch = {{ program = 'x' }}\nsteps = [{{ drop_lines = '{pattern}' }}]\n"
        )
    };
    for pattern in ["(a{1000}){1000}", "((a{100}){100}){100}", "(", "a\\", "(?P<n>a"] {
        let refused = Catalog::built_in().with_file(&rule(pattern), Origin::User);
        assert!(matches!(refused, Err(RulesError::Pattern { .. })), "{pattern}");
    }
    let long = "a".repeat(513);
    assert!(matches!(
        Catalog::built_in().with_file(&rule(&long), Origin::User),
        Err(RulesError::LongPattern { length: 513, .. })
    ));
    // These take years in an engine that backtracks.
    for pattern in ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        let catalog = Catalog::built_in().with_file(&rule(pattern), Origin::Project).unwrap();
        let line = format!("{}!\n", "a".repeat(30_000));
        let mut filter = Filter::new(&catalog, &command::commands("x"), FilterOptions::default());
        for _ in 0..20 {
            filter.push(Stream::Stdout, line.as_bytes());
        }
        assert!(!filter.finish(0).text.is_empty());
    }
}

#[test]
fn a_rule_that_matches_nothing_changes_nothing() {
    let rules = "[[rules]]\nname = 'r'\nmatch = { program = 'x' }\nsteps = [{ drop_lines = 'zzz' }, { keep_matching = 'yyy' }]\n";
    let catalog = Catalog::built_in().with_file(rules, Origin::User).unwrap();
    let out = "one\n\ntwo\nthree\n";
    let done = filter_captured(&catalog, "x", 0, out.as_bytes(), b"", CaptureOptions::default());
    assert_eq!(done.text, out);
    assert_eq!(done.hidden_lines, 0);
    // One that is for another command is not even named.
    assert!(
        filter_captured(&catalog, "y", 0, out.as_bytes(), b"", CaptureOptions::default()).rules.is_empty()
    );
}

#[test]
fn whoever_watches_sees_each_line_as_soon_as_it_ends() {
    for command_line in ["cargo test", "git diff", "./x", "cat a.log"] {
        let mut filter =
            Filter::new(&Catalog::built_in(), &command::commands(command_line), FilterOptions::default());
        let mut seen: Vec<String> = Vec::new();
        for n in 0..50 {
            let line = format!("server {n} is ready\n");
            let (begun, rest) = line.split_at(7);
            filter.push_seen(Stream::Stdout, begun.as_bytes(), &mut |line| seen.push(line.to_owned()));
            assert_eq!(seen.len(), n, "{command_line}");
            filter.push_seen(Stream::Stdout, rest.as_bytes(), &mut |line| seen.push(line.to_owned()));
            assert_eq!(seen.len(), n + 1, "{command_line}: line {n} is held back");
            assert_eq!(seen[n], line.trim_end());
        }
    }
}

#[test]
fn characters_are_counted_as_they_were_written() {
    for (out, chars) in [
        ("é".repeat(1_000_000), 1_000_000),
        ("10%\r20%\rdone\n".to_owned(), 13),
        (format!("[{}0]\n", "1, ".repeat(50_000)), 150_004),
        ("\u{1b}[1m日本\u{1b}[0m".to_owned(), 10),
    ] {
        for size in [7, 4096] {
            let pieces = out.as_bytes().chunks(size).map(|piece| (Stream::Stdout, piece.to_vec()));
            assert_eq!(stream("./x", 0, pieces).stats.raw_chars, chars);
        }
    }
}
