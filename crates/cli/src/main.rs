//! The `toolgate` command line.
//!
//! It is the one place that reads the user's files and environment, and that prints. What a verb
//! does is in `commands/<verb>.rs`; what a call goes through is put together in `assemble.rs`.

mod ask;
mod assemble;
mod batch;
mod commands;
mod config_files;
mod cut;
mod distil;
mod exit;
mod failure;
mod filter_rules;
mod granted;
mod history;
mod input;
mod judging;
mod live;
mod report;
mod session_flags;
mod signals;
mod state;
mod switched_off;
mod trusted;
mod ui;

fn main() -> std::process::ExitCode {
    commands::main(std::env::args_os().collect())
}
