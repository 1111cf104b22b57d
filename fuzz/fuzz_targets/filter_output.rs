//! Any output of any command can be filtered, and never grows by more than one notice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_filter::{CaptureOptions, Catalog, filter_captured};

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |b| *b == 0);
    let mut next = || parts.next().unwrap_or_default();
    let command = String::from_utf8_lossy(next()).into_owned();
    let (stdout, stderr) = (next(), next());
    let exit = i32::from(data.first().copied().unwrap_or(0) % 3);
    let done = filter_captured(&Catalog::built_in(), &command, exit, stdout, stderr, CaptureOptions::default());
    // Lossy decoding makes three bytes of one; a notice is a line.
    assert!(done.text.len() <= 3 * (stdout.len() + stderr.len()) + 512);
});
