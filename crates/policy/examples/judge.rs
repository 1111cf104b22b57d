//! Judges the commands given as arguments, or one a line on standard input.
#![allow(clippy::print_stdout, reason = "an example for people")]

use std::io::BufRead;
use toolgate_policy::batch::{Judge, Request};

fn main() {
    let judge = Judge::new("/home/dev", "/home/dev/work/repo");
    let mut commands: Vec<String> = std::env::args().skip(1).collect();
    if commands.is_empty() {
        commands = std::io::stdin().lock().lines().map_while(Result::ok).collect();
    }
    for text in commands {
        let answer = judge.judge(&Request::Command { text: text.replace("\\n", "\n"), cwd: None });
        println!("{:5} {text}", answer.verdict.name());
        for r in &answer.reasons {
            println!("        {} [{}] {}", r.verdict.name(), r.code, r.message);
        }
    }
}
