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

/// Makes a text.
type Maker = fn() -> Vec<u8>;

/// Texts of every kind that commands print, and what is made to keep the search for secrets busy.
const KINDS: &[(&str, Maker)] = &[
    ("lines of x", || repeat(|_| format!("{}\n", "x".repeat(100)))),
    ("cargo test", cargo_test),
    ("git diff", git_diff),
    ("log", log),
    ("JSON", json),
    ("hex dump", || repeat(|n| format!("{:08x}  {}|\n", n * 16, hex_bytes(n)))),
    ("Base64", || repeat(base64_line)),
    ("colours", || {
        repeat(|n| format!("\x1b[32m   Compiling\x1b[0m crate-{n} v0.{}.0 (\x1b[1m/work\x1b[m)\n", n % 9))
    }),
    ("source code", || repeat(|_| include_str!("../src/engine.rs").to_owned())),
    ("anchors", || repeat(|_| "token://eyJ_key-keySKpassword=sk-\n".to_owned())),
    ("one line of keys", || repeat(|_| "_key".to_owned())),
    ("begun keys", || repeat(|_| "-----BEGIN PRIVATE KEY-----\n\x1b[m!\n".to_owned())),
];

fn chance(n: usize) -> u64 {
    (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn hex_bytes(n: usize) -> String {
    (0..16).map(|at| format!("{:02x} ", chance(n * 16 + at) as u8)).collect()
}

fn base64_line(n: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |at| char::from(LETTERS[chance(n * 76 + at) as usize % 64]);
    (0..76).map(letter).chain(['\n']).collect()
}

fn kind(name: &str) -> Vec<u8> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, make)| make()).unwrap_or_default()
}

fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

#[divan::bench(sample_count = 10, args = names())]
fn redact(bencher: Bencher<'_, '_>, name: &str) {
    redact_with(bencher, &kind(name), Secrets::shapes());
}

#[divan::bench(sample_count = 10)]
fn redact_log_with_values(bencher: Bencher<'_, '_>) {
    let secrets = Secrets::with_values(["correct horse battery staple", "tr0ub4dor&3"]);
    redact_with(bencher, &log(), secrets);
}

fn redact_with(bencher: Bencher<'_, '_>, input: &[u8], secrets: Secrets) {
    bencher.counter(BytesCount::new(input.len())).bench_local(|| {
        let mut redactor = Redactor::new(secrets.clone());
        let mut out = Vec::with_capacity(CHUNK + 100);
        for chunk in black_box(input).chunks(CHUNK) {
            out.clear();
            redactor.push(chunk, &mut out);
            black_box(&out);
        }
    });
}

/// What masking can't be faster than: the last line end is looked for, and the bytes are copied.
#[divan::bench(sample_count = 10)]
fn floor_of_redact(bencher: Bencher<'_, '_>) {
    let input = log();
    bencher.counter(BytesCount::new(input.len())).bench_local(|| {
        let mut out = Vec::with_capacity(CHUNK + 100);
        for chunk in black_box(&input).chunks(CHUNK) {
            out.clear();
            black_box(memchr::memrchr(b'\n', chunk));
            black_box(memchr::memchr(0x1b, chunk));
            out.extend_from_slice(chunk);
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
