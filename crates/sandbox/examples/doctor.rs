//! Attacks the boundary of this machine and prints what held: `doctor [DIRECTORY]`.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used, reason = "a program for people")]

use std::path::PathBuf;
use std::process::ExitCode;

use toolgate_sandbox::{Level, examine};

fn main() -> ExitCode {
    let directory = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    match examine(&directory, Level::None) {
        Ok(found) => {
            for finding in &found.findings {
                println!("{:8} {:20} {}", format!("{:?}", finding.verdict), finding.name, finding.claim);
            }
            println!("{:?}", found.enforcement);
            if found.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("doctor: {error}");
            ExitCode::from(2)
        }
    }
}
