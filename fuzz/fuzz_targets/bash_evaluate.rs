//! Any script can be evaluated: it ends, what comes out is bounded, and the holes lie in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_bash::eval::{Count, Env, PieceRef, Unlisted, commands};
use toolgate_bash::{Options, Shell, parse};

fuzz_target!(|data: &[u8]| {
    let Ok(script) = parse(data, &Options::default()) else { return };
    for unlisted in [Unlisted::Unset, Unlisted::Unknown] {
        let mut env = Env::new(Shell::Bash, unlisted).with("HOME", "/home/u").with("x", "a[1] *");
        let mut bytes = 0;
        for command in commands(&script, data, &mut env) {
            for field in command.argv {
                assert_eq!(field.literal().is_some(), field.count == Count::One && field.value.known().is_some());
                for piece in field.value.pieces() {
                    match piece {
                        PieceRef::Known(text) | PieceRef::Pattern(text) => bytes += text.len(),
                        PieceRef::Unknown(hole) => assert!(hole.span.end as usize <= data.len()),
                    }
                }
            }
        }
        assert!(bytes <= 16 * 1024 * 1024);
    }
});
