//! Answers refused sockets and tells of them.
//!
//! The filter holds such a call until pid 1 has answered. The answer is always the refusal, so
//! nothing read from the program's memory is ever believed.
//!
//! Runs in the child: calls only, see [`crate::sys`].

use std::os::fd::RawFd;

use crate::channel::{self, Words};
use crate::sys::{self, Errno, Res};

/// Most refusals told one by one; the rest are only counted.
const MOST_TOLD: u64 = 32;

const RECEIVE: u64 = 0xC050_2100;
const SEND: u64 = 0xC018_2101;

#[repr(C)]
#[derive(Default)]
struct Call {
    id: u64,
    pid: u32,
    flags: u32,
    number: i32,
    processor: u32,
    instruction: u64,
    args: [u64; 6],
}

#[repr(C)]
struct Answer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// Answers one waiting call.
pub(crate) fn answer(listener: RawFd, line: RawFd, refused: &mut u64) -> Res<()> {
    let mut call = Call::default();
    match sys::ioctl_with(listener, RECEIVE, &mut call) {
        Ok(_) => {}
        // The caller was killed meanwhile, or a signal came.
        Err(Errno(libc::ENOENT | libc::EINTR)) => return Ok(()),
        Err(errno) => return Err(errno),
    }
    let mut answer = Answer { id: call.id, value: 0, error: -libc::EAFNOSUPPORT, flags: 0 };
    // Gone by now is as good as refused.
    sys::ioctl_with(listener, SEND, &mut answer).ok();
    if *refused < MOST_TOLD {
        let [family, kind, protocol, ..] = call.args.map(|arg| arg as u32);
        let kind = kind & 0xf;
        channel::tell(line, &Words::refused(family, kind, protocol, call.pid), &[], None).ok();
    }
    *refused = refused.saturating_add(1);
    Ok(())
}
