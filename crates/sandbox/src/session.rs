//! A session of its own for a command that runs without the boundary.
//!
//! Not a containment: it only cuts the command off the caller's terminal and makes it the leader of
//! a process group that can be killed as one. A command inside the boundary gets this anyway.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Makes the command start as the leader of a new session and process group.
///
/// The child has no controlling terminal then, so it can't read the person's keyboard or push input
/// into their terminal, and `kill(-pid)` reaches every descendant that didn't leave the group.
///
/// ```
/// let mut command = std::process::Command::new("true");
/// toolgate_sandbox::own_session(&mut command);
/// assert!(command.status().is_ok_and(|status| status.success()));
/// ```
pub fn own_session(command: &mut Command) {
    // SAFETY: the closure runs in the forked child of a process that may have many threads, so it
    // may only do what is async-signal-safe. It makes one system call, reads errno (a plain
    // thread-local read), and neither allocates, locks nor touches anything of the parent.
    unsafe {
        command.pre_exec(|| match libc::setsid() {
            -1 => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
}

/// Whether this process ignores a signal, as it does where whoever started it wants it to go on.
///
/// ```
/// assert!(!toolgate_sandbox::ignores_signal(15));
/// ```
pub fn ignores_signal(number: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action the call only writes the present one, into memory that is ours. Zeroed,
    // the plain C struct is a valid value also where the call fails, as for a number that is no signal.
    let action = unsafe {
        libc::sigaction(number, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn child_leads_its_own_session_and_group() {
        // Fields 5 and 6 of stat are the process group and the session; the name holds no blank.
        let mut command = Command::new("cat");
        command.arg("/proc/self/stat");
        own_session(&mut command);
        let out = command.output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let fields: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(fields[0], fields[4], "process group");
        assert_eq!(fields[0], fields[5], "session");
    }
}
