//! How long a judgement takes over the judged commands, each many times, the best of each.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::Instant;
use toolgate_policy::batch::{Judge, Request};

fn main() {
    let path = format!("{}/tests/fixtures/commands.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let judge = Judge::new("/home/dev", "/home/dev/work/repo");
    let mut times: Vec<(u128, String)> = Vec::new();
    for line in text.lines() {
        let Ok(case) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let Some(command) = case["command"].as_str() else { continue };
        let request = Request::Command { text: command.to_owned(), cwd: None };
        let best = (0..30)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(judge.judge(std::hint::black_box(&request)));
                start.elapsed().as_nanos()
            })
            .min()
            .unwrap_or(0);
        times.push((best, command.chars().take(80).collect()));
    }
    times.sort();
    let at = |q: usize| {
        times
            .get((times.len() * q / 1000).min(times.len().saturating_sub(1)))
            .map_or(0.0, |t| t.0 as f64 / 1000.0)
    };
    println!(
        "{} commands: p50 {:.1} us, p95 {:.1} us, p99 {:.1} us, worst {:.1} us",
        times.len(),
        at(500),
        at(950),
        at(990),
        at(1000)
    );
    for (ns, command) in times.iter().rev().take(8) {
        println!("{:10.1} us  {command:?}", *ns as f64 / 1000.0);
    }
}
