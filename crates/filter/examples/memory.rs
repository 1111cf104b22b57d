//! Streams a gigabyte through the filter and prints how much memory it took over idle:
//! `cargo run --release --example memory [MEGABYTES]`. Linux only.

use std::io::{self, Write as _};
use toolgate_filter::redact::{Redactor, Secrets};
use toolgate_filter::{Catalog, Filter, FilterOptions, Stream, command};

const CHUNK: usize = 64 * 1024;

/// Peak resident memory of this process so far, in KiB.
fn peak() -> io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    Ok(line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0))
}

type Line = fn(u64) -> String;

/// Kinds of output, from the tamest to the one that remembers most.
const KINDS: &[(&str, &str, Line)] = &[
    ("passing tests", "cargo test", |n| format!("test module_{}::case_{n} ... ok\n", n / 100)),
    ("failing tests", "cargo test", |n| format!("test module_{}::case_{n} ... FAILED\n", n / 100)),
    ("a diff", "git diff", |n| {
        format!(
            "diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n@@ -1,2 +1,2 @@\n-old {n}\n+new {}\n",
            n * 7
        )
    }),
    ("different warnings", "make", |n| {
        format!("src/f{n}.c:{n}:5: warning: odd thing {:x} of many\n", n.wrapping_mul(0x9e37_79b9))
    }),
    ("a log of many shapes", "cat app.log", |n| {
        format!("2026-03-01 00:00:00 INFO {} did {:?}\n", word(n), word(n / 7))
    }),
    ("words nobody knows", "./tool", |n| format!("{} {} {}\n", word(n), word(n / 3), word(n / 11))),
    ("one line", "./tool", |n| format!("{} ", word(n))),
    ("events of go test", "go test -json ./...", |n| {
        format!(
            "{{\"Action\":\"output\",\"Package\":\"x/{}\",\"Output\":\"{} said\\n\"}}\n",
            n / 1000,
            word(n)
        )
    }),
    ("different messages of a linter", "flake8", |n| {
        format!("src/f{n}.py:{n}:5: E{:03} {} is odd\n", n % 1000, word(n))
    }),
    ("matches of a search", "grep -rn x .", |n| format!("src/f{}.rs:{n}:let {} = 1;\n", n / 50, word(n))),
    ("stack frames", "node app.js", |n| format!("    at {} (/w/node_modules/x/{n}.js:{n}:1)\n", word(n))),
    ("a process table", "ps aux", |n| format!("root {n} 0.0 0.0 0 0 ? S 00:00 0:00 [{}]\n", word(n))),
    ("a listing", "ls -R", |n| format!("{:016x}.o\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
    ("commits", "git log", |n| {
        format!(
            "commit {:040x}\nAuthor: {} <a@b>\nDate:   Tue Dec 1 00:04:02 2026 +0000\n\n    step {n}\n\n",
            n.wrapping_mul(0x9e37_79b9),
            word(n)
        )
    }),
    ("a status", "git status", |n| format!("\tmodified:   src/{}.rs\n", word(n))),
    ("compiler's JSON", "cargo check --message-format json", |n| {
        format!(
            "{{\"reason\":\"compiler-message\",\"message\":{{\"rendered\":\"warning: {} is odd\\n --> src/a.rs:{n}:1\\n\\n\"}}}}\n",
            word(n)
        )
    }),
    ("a log of CI", "gh run view 1 --log", |n| {
        format!("build\tTest\t2026-03-01T00:00:00.1Z {} done\n", word(n))
    }),
    ("rows of JSON", "curl x", |n| {
        format!("{}{{\"id\":{n},\"name\":\"{}\",\"ok\":true}}", if n == 0 { "[" } else { "," }, word(n))
    }),
];

/// A word that differs for each number.
fn word(mut n: u64) -> String {
    let mut out = String::from("w");
    for _ in 0..6 {
        out.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
    }
    out
}

fn main() -> io::Result<()> {
    let megabytes: usize = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(1024);
    let mut out = io::stdout().lock();
    let idle = peak()?;
    writeln!(out, "idle: {idle} KiB")?;
    for (name, command_line, line) in KINDS {
        let catalog = Catalog::built_in();
        let mut filter = Filter::new(&catalog, &command::commands(command_line), FilterOptions::default());
        let mut redactor = Redactor::new(Secrets::shapes());
        let (mut chunk, mut masked) = (String::with_capacity(2 * CHUNK), Vec::new());
        let (mut sent, mut n) = (0, 0);
        while sent < megabytes * 1024 * 1024 {
            chunk.clear();
            while chunk.len() < CHUNK {
                chunk.push_str(&line(n));
                n += 1;
            }
            sent += chunk.len();
            masked.clear();
            redactor.push(chunk.as_bytes(), &mut masked);
            filter.push(Stream::Stdout, &masked);
        }
        let shown = filter.finish(1).text.len();
        writeln!(out, "{name}: {} KiB over idle, {shown} bytes shown", peak()?.saturating_sub(idle))?;
    }
    Ok(())
}
