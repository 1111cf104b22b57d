//! Ends a process tree where there is no namespace whose end would do it.
//!
//! Runs in the child: calls only, see [`crate::sys`].

use crate::sys;

/// Kills all descendants, round by round: those of a killed process come to us as its heirs.
///
/// Needs the caller to be the reaper of its orphans. A tree that forks faster than it is listed is
/// caught by stopping each process before its children are looked for.
pub(crate) fn end_all(patience: u64) {
    let until = sys::now_millis().saturating_add(patience);
    loop {
        signal_children(libc::SIGKILL, 0);
        loop {
            match sys::reap(libc::WNOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        if sys::now_millis() >= until {
            return;
        }
        sys::poll(&mut [], 1).ok();
    }
}

/// Asks the program's own group, and the orphans that came to us, to end.
pub(crate) fn ask_all(program: i32) {
    for signal in [libc::SIGTERM, libc::SIGCONT] {
        sys::kill(-program, signal).ok();
        signal_children(signal, program);
    }
}

/// Signals the direct children the kernel lists, but for one that was signalled otherwise.
fn signal_children(signal: i32, but: i32) {
    let path = c"/proc/thread-self/children";
    let Ok(list) = sys::open_at(libc::AT_FDCWD, path, libc::O_RDONLY, 0) else {
        return;
    };
    let mut pid = 0i32;
    let mut buffer = [0u8; 4096];
    while let Ok(length @ 1..) = sys::read(list, &mut buffer) {
        for &byte in buffer.get(..length).unwrap_or_default() {
            if byte.is_ascii_digit() {
                pid = pid.saturating_mul(10).saturating_add(i32::from(byte - b'0'));
            } else {
                if pid > 1 && pid != but {
                    sys::kill(pid, signal).ok();
                }
                pid = 0;
            }
        }
    }
    sys::close(list);
}
