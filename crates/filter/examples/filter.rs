//! Filters captured output: `filter --command 'cargo test' --exit 101 --stdout out.txt --stderr err.txt [--json]`.

use std::io::Write as _;
use toolgate_filter::{CaptureOptions, Catalog, filter_captured};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut command, mut exit, mut stdout, mut stderr, mut json) =
        (String::new(), 0, Vec::new(), Vec::new(), false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or("a value is missing");
        match arg.as_str() {
            "filter" => {}
            "--command" => command = value()?,
            "--exit" => exit = value()?.parse()?,
            "--stdout" => stdout = std::fs::read(value()?)?,
            "--stderr" => stderr = std::fs::read(value()?)?,
            "--json" => json = true,
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let done =
        filter_captured(&Catalog::built_in(), &command, exit, &stdout, &stderr, CaptureOptions::default());
    let mut out = std::io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, &done)?;
        writeln!(out)?;
    } else {
        out.write_all(done.text.as_bytes())?;
    }
    Ok(())
}
