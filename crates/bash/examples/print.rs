//! Writes the script on standard input in canonical form.
//!
//! ```sh
//! echo 'if make;then x=`date`;fi|tee log' | cargo run -p toolgate-bash --example print
//! ```

use std::io::{Read, Write};
use std::process::ExitCode;
use toolgate_bash::{Options, parse, print};

fn main() -> std::io::Result<ExitCode> {
    let mut source = Vec::new();
    std::io::stdin().read_to_end(&mut source)?;
    match parse(&source, &Options::default()) {
        Ok(script) => std::io::stdout().write_all(&print(&script))?,
        Err(unknown) => {
            writeln!(std::io::stderr(), "not understood: {unknown} ({})", unknown.reason.code())?;
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
