//! Throughput of the filter, by the megabyte: `cargo bench -p toolgate-filter`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use toolgate_filter::redact::{Redactor, Secrets};
use toolgate_filter::{Capture, CaptureOptions, Catalog, Filter, FilterOptions, Stream, command};

fn main() {
    divan::main();
}

const SIZE: usize = 10_000_000;

fn repeat(mut line: impl FnMut(usize) -> String) -> Vec<u8> {
    let mut out = Vec::with_capacity(SIZE + 200);
    let mut n = 0;
    while out.len() < SIZE {
        out.extend_from_slice(line(n).as_bytes());
        n += 1;
    }
    out
}

fn cargo_test() -> Vec<u8> {
    let mut out = repeat(|n| format!("test module_{}::tests::case_number_{n} ... ok\n", n / 100));
    out.extend_from_slice(b"test a::fails ... FAILED\n\nfailures:\n\n---- a::fails stdout ----\nthread 'a::fails' panicked at src/lib.rs:1:1:\nboom\n\nfailures:\n    a::fails\n\ntest result: FAILED. 330000 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 9s\n");
    out
}

fn git_diff() -> Vec<u8> {
    repeat(|n| {
        format!(
            "diff --git a/src/f{n}.rs b/src/f{n}.rs\nindex 4738792..5def88a 100644\n--- a/src/f{n}.rs\n+++ b/src/f{n}.rs\n@@ -1,7 +1,7 @@ fn head_{n}() {{\n fn client_{n}() {{\n     let limit = {n};\n-    step(limit, {n});\n+    step_with(limit, Mode::Fast, {n});\n     rest();\n }}\n \n"
        )
    })
}

fn log() -> Vec<u8> {
    repeat(|n| {
        format!(
            "2026-03-01 00:00:{:02}.{:03} INFO  [http] GET /api/items/{} 200 {}ms\n",
            n % 60,
            n % 1000,
            n % 41,
            n % 37
        )
    })
}

fn plain() -> Vec<u8> {
    repeat(|n| format!("some words of a program that nobody knows, line {} of many\n", n * 7919 % 104_729))
}

fn json() -> Vec<u8> {
    let mut out = b"{\"rows\":[".to_vec();
    out.extend(repeat(|n| {
        format!(
            "{}{{\"id\":{n},\"name\":\"row-{n}\",\"status\":\"ok\",\"error\":null}}",
            if n == 0 { "" } else { "," }
        )
    }));
    out.extend_from_slice(b"]}");
    out
}

const CHUNK: usize = 64 * 1024;

fn filter(bencher: Bencher<'_, '_>, command_line: &str, input: Vec<u8>) {
    let catalog = Catalog::built_in();
    let commands = command::commands(command_line);
    bencher.counter(BytesCount::new(input.len())).bench_local(|| {
        let mut filter = Filter::new(&catalog, &commands, FilterOptions::default());
        for chunk in black_box(&input).chunks(CHUNK) {
            filter.push(Stream::Stdout, chunk);
        }
        filter.finish(101)
    });
}

/// What reading lines costs at the least: each is found and copied. The others are told as a ratio to it,
/// which stays the same on a loaded machine.
#[divan::bench(sample_count = 10)]
fn floor_copied_lines(bencher: Bencher<'_, '_>) {
    let input = cargo_test();
    bencher.counter(BytesCount::new(input.len())).bench_local(|| {
        let mut line = Vec::new();
        let mut lines = 0;
        for part in black_box(&input).split_inclusive(|byte| *byte == b'\n') {
            line.clear();
            line.extend_from_slice(part);
            lines += usize::from(black_box(&line).len() > 1);
        }
        lines
    });
}

#[divan::bench(sample_count = 10)]
fn filter_cargo_test(bencher: Bencher<'_, '_>) {
    filter(bencher, "cargo test", cargo_test());
}

#[divan::bench(sample_count = 10)]
fn filter_git_diff(bencher: Bencher<'_, '_>) {
    filter(bencher, "git diff", git_diff());
}

#[divan::bench(sample_count = 10)]
fn filter_log(bencher: Bencher<'_, '_>) {
    filter(bencher, "cat app.log", log());
}

#[divan::bench(sample_count = 10)]
fn filter_unknown(bencher: Bencher<'_, '_>) {
    filter(bencher, "./tool", plain());
}

#[divan::bench(sample_count = 10)]
fn filter_json(bencher: Bencher<'_, '_>) {
    filter(bencher, "curl -s x", json());
}

#[divan::bench(sample_count = 10)]
fn redact_log(bencher: Bencher<'_, '_>) {
    let input = log();
    let secrets = Secrets::with_values(["correct horse battery staple", "tr0ub4dor&3"]);
    bencher.counter(BytesCount::new(input.len())).bench_local(|| {
        let mut redactor = Redactor::new(secrets.clone());
        let mut out = Vec::with_capacity(CHUNK + 100);
        for chunk in black_box(&input).chunks(CHUNK) {
            out.clear();
            redactor.push(chunk, &mut out);
            black_box(&out);
        }
    });
}

#[divan::bench(sample_count = 10)]
fn mask_and_filter_cargo_test(bencher: Bencher<'_, '_>) {
    let input = cargo_test();
    let catalog = Catalog::built_in();
    bencher.counter(BytesCount::new(input.len())).bench_local(|| {
        let mut capture = Capture::new(&catalog, "cargo test", CaptureOptions::default());
        for chunk in black_box(&input).chunks(CHUNK) {
            capture.push(Stream::Stdout, chunk);
        }
        capture.finish(101)
    });
}

/// A short output, set-up included: what a hook pays.
#[divan::bench]
fn small_output() -> String {
    let catalog = Catalog::built_in();
    let mut capture = Capture::new(&catalog, "cargo build 2>&1 | tail -20", CaptureOptions::default());
    capture.push(Stream::Stderr, b"   Compiling a v0.1.0\nerror: could not compile `a`\n");
    capture.finish(101).text
}
