//! Lists every program of the script on standard input, one a line.
//!
//! ```sh
//! echo 'if make; then x=$(curl example.org); fi | tee log' | cargo run -p toolgate-bash --example programs
//! ```

#![allow(clippy::print_stdout)]

use std::io::Read;
use std::process::ExitCode;
use toolgate_bash::{Options, parse, programs};

fn main() -> std::io::Result<ExitCode> {
    let mut source = Vec::new();
    std::io::stdin().read_to_end(&mut source)?;
    let script = match parse(&source, &Options::default()) {
        Ok(script) => script,
        Err(unknown) => {
            println!("not understood: {unknown} ({})", unknown.reason.code());
            return Ok(ExitCode::FAILURE);
        }
    };
    for program in programs(&script) {
        let name = program.name.as_ref().map_or("(dynamic)".into(), |name| name.to_str_lossy());
        println!("{}..{}\t{name}", program.span.start, program.span.end);
    }
    Ok(ExitCode::SUCCESS)
}
