//! Runs a command inside the boundary: `contained [-p PRESET] [-n deny|loopback|allow] PROGRAM ARGS…`.
//!
//! The working directory is the workspace. What held and how it ended goes to standard error.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used, reason = "a program for people")]

use std::env;
use std::process::ExitCode;

use toolgate_sandbox::{Command, Io, Network, Policy, Sandbox, Status};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("contained: {error}");
            ExitCode::from(125)
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let home = env::var_os("HOME").unwrap_or_else(|| "/".into());
    let workspace = env::current_dir()?;
    let mut policy = Policy::workspace_write(home.as_ref(), &workspace);
    let mut argv: Vec<_> = env::args_os().skip(1).collect();
    while argv.len() > 2 && argv[0].to_str().is_some_and(|flag| flag.starts_with('-')) {
        let value = argv[1].to_string_lossy().into_owned();
        match (argv[0].to_string_lossy().as_ref(), value.as_str()) {
            ("-p", "read-only") => policy = Policy::read_only(home.as_ref()),
            ("-p", "open") => policy = Policy::open(home.as_ref()),
            ("-n", "allow") => policy.network = Network::Allow,
            ("-n", "loopback") => policy.network = Network::Loopback,
            _ => {}
        }
        argv.drain(..2);
    }
    let io = Io::Files {
        stdin: std::os::fd::AsFd::as_fd(&std::io::stdin()).try_clone_to_owned()?,
        stdout: std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned()?,
        stderr: std::os::fd::AsFd::as_fd(&std::io::stderr()).try_clone_to_owned()?,
    };
    let command = Command::new(argv, &workspace, io).env(env::vars_os());
    let sandbox = Sandbox::new(policy)?;
    let mut child = match sandbox.spawn(command) {
        Ok(child) => child,
        Err(error) => {
            if let Some(hint) = error.hint() {
                eprintln!("hint: {hint}");
            }
            return Err(error.into());
        }
    };
    if env::var_os("QUIET").is_none() {
        eprintln!("enforced: {:?}", child.enforcement());
    }
    let exit = child.wait()?;
    if env::var_os("QUIET").is_none() {
        eprintln!("exit: {exit:?}");
    }
    Ok(match exit.status {
        Status::Code(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Status::Signal(signal) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(1)),
        Status::Killed => ExitCode::from(137),
    })
}
