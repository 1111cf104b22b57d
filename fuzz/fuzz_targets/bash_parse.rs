//! Any bytes can be read as a script; spans lie in the text, and the walk ends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_bash::{Options, parse, programs};

fuzz_target!(|data: &[u8]| match parse(data, &Options::default()) {
    Ok(script) => {
        for program in programs(&script) {
            assert!(program.span.start <= program.span.end && program.span.end as usize <= data.len());
        }
    }
    Err(unknown) => assert!(unknown.span.start as usize <= data.len()),
});
