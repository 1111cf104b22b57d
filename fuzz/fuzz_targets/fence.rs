//! Any text can be scanned for fences; every span holds what it says.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for fence in toolgate_exec::fence::fences(&text) {
        let whole = &text[fence.span.clone()];
        assert!(whole.trim_start_matches(' ').starts_with(['`', '~']));
        assert!(fence.body.len() <= whole.len());
    }
});
