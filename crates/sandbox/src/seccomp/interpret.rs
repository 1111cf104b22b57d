//! Runs a filter in a test, as the kernel would.

use libc::sock_filter;

/// The program's answer to a call.
pub(super) fn run(program: &[sock_filter], processor: u32, call: u32, args: [u64; 6]) -> u32 {
    walk(program, processor, call, args).0
}

/// How many lines a call's search runs through.
pub(super) fn steps(program: &[sock_filter], processor: u32, call: u32) -> usize {
    walk(program, processor, call, [0; 6]).1
}

fn walk(program: &[sock_filter], processor: u32, call: u32, args: [u64; 6]) -> (u32, usize) {
    let mut data = Vec::new();
    data.extend(call.to_ne_bytes());
    data.extend(processor.to_ne_bytes());
    data.extend([0; 8]);
    for arg in args {
        data.extend(arg.to_ne_bytes());
    }
    let (mut at, mut value, mut steps) = (0usize, 0u32, 0);
    loop {
        let line = program[at];
        steps += 1;
        at += 1;
        let mut jump = |taken: bool| at += usize::from(if taken { line.jt } else { line.jf });
        match line.code {
            0x20 => value = u32::from_ne_bytes(data[line.k as usize..][..4].try_into().unwrap()),
            0x54 => value &= line.k,
            0x15 => jump(value == line.k),
            0x35 => jump(value >= line.k),
            0x45 => jump(value & line.k != 0),
            0x05 => at += line.k as usize,
            0x06 => return (line.k, steps),
            other => panic!("line {at} has code {other:#x}"),
        }
    }
}
