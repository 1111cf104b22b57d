//! Filters captured output: `filter --command 'cargo test' --exit 101 --stdout out.txt --stderr err.txt [--json]`.
//!
//! `-` in the place of a file is standard input.

use std::fs::File;
use std::io::{self, Read, Write as _};
use toolgate_filter::{CaptureOptions, Catalog, filter_read};

fn open(path: &str) -> io::Result<Box<dyn Read>> {
    Ok(if path == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(path)?) })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut command, mut exit, mut json) = (String::new(), 0, false);
    let (mut stdout, mut stderr): (Box<dyn Read>, Box<dyn Read>) =
        (Box::new(io::empty()), Box::new(io::empty()));
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or("a value is missing");
        match arg.as_str() {
            "filter" => {}
            "--command" => command = value()?,
            "--exit" => exit = value()?.parse()?,
            "--stdout" => stdout = open(&value()?)?,
            "--stderr" => stderr = open(&value()?)?,
            "--json" => json = true,
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let options = CaptureOptions::default();
    let done = filter_read(&Catalog::built_in(), &command, exit, &mut stdout, &mut stderr, options)?;
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, &done)?;
        writeln!(out)?;
    } else {
        out.write_all(done.text.as_bytes())?;
    }
    Ok(())
}
