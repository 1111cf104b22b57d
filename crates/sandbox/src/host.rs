//! Starts a program that runs without the boundary, in a session of its own.
//!
//! The same as [`own_session`](crate::own_session) on a `std::process::Command`, only quicker: code
//! that runs between fork and exec makes std copy the whole address space first, which costs more
//! the more memory the caller has (0.2 ms for a small one, several for a large one). `posix_spawn`
//! shares it until the exec and can make the session by itself.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use libc::{c_char, c_int};

/// Starts `program` as the leader of a new session and process group, and gives its process id.
///
/// `argv` includes its name; `envp` is its whole environment, as `NAME=value`; `stdio` becomes its
/// first three descriptors. Signals are unblocked and at their defaults, as a shell would have them.
/// Whoever calls this waits for the process; nothing else does.
///
/// # Errors
/// What the system says of the program, the directory or its own limits. A directory that is
/// missing and a program that is missing look the same.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::os::fd::AsFd as _;
/// let null = std::fs::File::open("/dev/null")?;
/// let null = null.as_fd();
/// let pid = toolgate_sandbox::spawn_in_session(c"/bin/sh", &[c"sh".into()], &[], c"/", [null; 3])?;
/// assert!(pid > 0);
/// # Ok(())
/// # }
/// ```
pub fn spawn_in_session(
    program: &CStr,
    argv: &[CString],
    envp: &[CString],
    cwd: &CStr,
    stdio: [BorrowedFd<'_>; 3],
) -> io::Result<i32> {
    // A descriptor that is 0, 1 or 2 itself would be overwritten before it is put in its place.
    let mut moved: Vec<OwnedFd> = Vec::new();
    let mut fds = [0; 3];
    for (fd, stdio) in fds.iter_mut().zip(stdio) {
        *fd = stdio.as_raw_fd();
        if *fd <= 2 {
            // SAFETY: `stdio` is open for as long as it is borrowed; the call takes no pointers.
            let copy = check(unsafe { libc::fcntl(*fd, libc::F_DUPFD_CLOEXEC, 3) })?;
            // SAFETY: the call above has just made `copy`, and nobody else knows of it.
            moved.push(unsafe { OwnedFd::from_raw_fd(copy) });
            *fd = copy;
        }
    }

    let mut actions = Actions::new()?;
    for (at, fd) in (0..).zip(fds) {
        actions.dup2(fd, at)?;
    }
    actions.chdir(cwd)?;
    let attributes = Attributes::new()?;
    let (argv, envp) = (pointers(argv), pointers(envp));
    let mut pid = 0;
    // SAFETY: every pointer is to a live value of the type asked for; both arrays end in null, and
    // their texts, `program`, and `cwd` inside the actions, outlive the call. glibc and musl run no
    // code of ours in the child.
    let error = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            program.as_ptr(),
            actions.0.as_ptr(),
            attributes.0.as_ptr(),
            argv.as_ptr(),
            envp.as_ptr(),
        )
    };
    numbered(error)?;
    Ok(pid)
}

/// The texts as C wants an array of them: pointers, then null.
fn pointers(texts: &[CString]) -> Vec<*mut c_char> {
    let null = std::iter::once(std::ptr::null_mut());
    texts.iter().map(|text| text.as_ptr().cast_mut()).chain(null).collect()
}

fn check(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// These functions give the error's number instead of setting errno.
fn numbered(error: c_int) -> io::Result<()> {
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// What the child does before the exec. Always initialised.
struct Actions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl Actions {
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the pointer is to memory of the right type, which the call initialises.
        numbered(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        Ok(Self(actions))
    }

    fn dup2(&mut self, fd: c_int, to: c_int) -> io::Result<()> {
        // SAFETY: `self` is initialised; the call keeps two numbers.
        numbered(unsafe { libc::posix_spawn_file_actions_adddup2(self.0.as_mut_ptr(), fd, to) })
    }

    fn chdir(&mut self, dir: &CStr) -> io::Result<()> {
        // SAFETY: `self` is initialised; the call copies the text.
        numbered(unsafe { libc::posix_spawn_file_actions_addchdir_np(self.0.as_mut_ptr(), dir.as_ptr()) })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: `self` is initialised and not used again.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// What the child is from the start. Always initialised.
struct Attributes(MaybeUninit<libc::posix_spawnattr_t>);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the pointer is to memory of the right type, which the call initialises.
        numbered(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        let mut attributes = Self(attributes);
        let (mut none, mut all) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both calls initialise the set they are given and can't fail.
        let (none, all) = unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigfillset(all.as_mut_ptr());
            (none.assume_init(), all.assume_init())
        };
        let flags = libc::POSIX_SPAWN_SETSID
            | libc::POSIX_SPAWN_SETSIGMASK as libc::c_short
            | libc::POSIX_SPAWN_SETSIGDEF as libc::c_short;
        let to = attributes.0.as_mut_ptr();
        // SAFETY: `to` is initialised; the sets are live and copied.
        unsafe {
            numbered(libc::posix_spawnattr_setsigmask(to, &raw const none))?;
            // Rust ignores SIGPIPE and a caller may ignore others; a program would inherit that.
            numbered(libc::posix_spawnattr_setsigdefault(to, &raw const all))?;
            numbered(libc::posix_spawnattr_setflags(to, flags))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: `self` is initialised and not used again.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::fd::AsFd as _;

    use super::*;

    fn text(command: &str, cwd: &CStr, program: &CStr) -> io::Result<String> {
        let (mut out, end) = io::pipe()?;
        let null = std::fs::File::open("/dev/null")?;
        let argv = [c"sh".into(), c"-c".into(), CString::new(command)?];
        let stdio = [null.as_fd(), end.as_fd(), end.as_fd()];
        let pid = spawn_in_session(program, &argv, &[c"A=1 2".into()], cwd, stdio)?;
        drop(end);
        let mut text = String::new();
        out.read_to_string(&mut text)?;
        // SAFETY: the process is ours and no one else waits for it.
        assert_eq!(unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) }, pid);
        Ok(text)
    }

    #[test]
    fn the_program_leads_its_session_and_has_what_it_was_given() {
        let command = "read -r pid _ _ _ group session _ </proc/$$/stat; echo $((pid-group)) $((pid-session)); \
                       pwd; echo $A; echo err >&2; readlink /proc/self/fd/0";
        assert_eq!(text(command, c"/usr", c"/bin/sh").unwrap(), "0 0\n/usr\n1 2\nerr\n/dev/null\n");
    }

    #[test]
    fn signals_are_at_their_defaults() {
        // This process ignores SIGPIPE, as every Rust program does.
        let masks = text("grep -E '^Sig(Blk|Ign)' /proc/self/status", c"/", c"/bin/sh").unwrap();
        let mut masks =
            masks.lines().map(|line| u64::from_str_radix(line.split_once('\t').unwrap().1, 16).unwrap());
        assert_eq!(masks.next(), Some(0), "blocked");
        // glibc leaves its own two, 32 and 33, ignored in what it spawns.
        assert_eq!(masks.next().map(|ignored| ignored & !(0b11 << 31)), Some(0), "ignored");
    }

    #[test]
    fn what_can_t_be_started_is_an_error() {
        for (cwd, program) in [(c"/no/such", c"/bin/sh"), (c"/", c"/no/such")] {
            let error = text("true", cwd, program).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
        let long = "x".repeat(1 << 20);
        assert_eq!(text(&long, c"/", c"/bin/sh").unwrap_err().kind(), io::ErrorKind::ArgumentListTooLong);
    }
}
