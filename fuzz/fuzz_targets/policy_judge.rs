//! Any text can be judged; what is not understood is never simply allowed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_policy::batch::{Judge, Request};
use toolgate_policy::profile::Verdict;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data).into_owned();
    let answer = Judge::new("/home/dev", "/home/dev/work").judge(&Request::Command { text, cwd: None });
    assert!(answer.complete || answer.verdict != Verdict::Allow);
});
