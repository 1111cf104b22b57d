//! Masks the secrets in standard input: `cargo run --example mask < file`.
//!
//! With `--lines`, only the lines in which something was masked: what false alarms are read from.

use std::io::{Read as _, Write as _};
use toolgate_filter::redact::{Redactor, Secrets};

fn main() -> std::io::Result<()> {
    let changed_only = std::env::args().any(|arg| arg == "--lines");
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let mut redactor = Redactor::new(Secrets::shapes());
    let mut out = std::io::stdout().lock();
    if changed_only {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let (before, mut masked) = (redactor.masked(), Vec::new());
            redactor.push(line, &mut masked);
            if redactor.masked() > before {
                out.write_all(&masked)?;
            }
        }
        return Ok(());
    }
    let mut masked = Vec::new();
    redactor.push(&text, &mut masked);
    redactor.finish(&mut masked);
    out.write_all(&masked)
}
