//! What is printed parses again, to the same programs, and is printed the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_bash::{Options, parse, print, programs};

fuzz_target!(|data: &[u8]| {
    let Ok(script) = parse(data, &Options::default()) else { return };
    let printed = print(&script);
    let options = Options { max_bytes: u32::MAX, ..Options::default() };
    let again = parse(&printed, &options).expect("what is printed can be read");
    assert_eq!(print(&again), printed);
    let names = |script| programs(script).into_iter().map(|program| program.name).collect::<Vec<_>>();
    assert_eq!(names(&again), names(&script));
});
