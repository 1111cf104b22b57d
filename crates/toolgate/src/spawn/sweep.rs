//! Finds and ends what a program left running, without a boundary to help.
//!
//! A process belongs to a run if it is in the session that the run's first process leads, if it
//! carries the run's id in its environment, or if a process that belongs to it is its parent.
//! Nothing older than the first process can belong. Each is ended through a pidfd and only if it
//! is still the one that was judged, so a number that was given to a stranger meanwhile is harmless.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// How long a search goes on while new processes keep turning up.
const LIMIT: Duration = Duration::from_secs(2);

/// The processes of one run.
pub(super) struct Tree {
    leader: Pid,
    run_id: String,
    started: Instant,
}

impl Tree {
    pub(super) fn new(leader: Pid, run_id: String, started: Instant) -> Self {
        Self { leader, run_id, started }
    }

    /// Kills the whole of it; the leader must not have been reaped. Gives how many others there were.
    pub(super) fn end(&self) -> usize {
        // First look, while parents still tell whose children are whose.
        let mut found = self.others();
        let count = found.len();
        let _ = rustix::process::kill_process_group(self.leader, Signal::KILL);
        let until = Instant::now() + LIMIT;
        let mut pause = Duration::from_micros(100);
        while !found.is_empty() {
            found.iter().for_each(proc::Process::kill);
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
            if Instant::now() > until {
                break;
            }
            found.retain(proc::Process::runs);
            found.extend(self.others());
        }
        count
    }

    /// Whether none but the leader runs.
    pub(super) fn is_empty(&self) -> bool {
        self.others().is_empty()
    }

    /// Whether it is certain that no process was started since the leader was.
    ///
    /// The kernel hands out numbers in a row: if the leader's is the last one, nobody forked.
    pub(super) fn forked_nothing(&self) -> bool {
        proc::is_ours() && proc::last_pid() == Some(self.leader.as_raw_nonzero().get())
    }

    fn others(&self) -> Vec<proc::Process> {
        if !proc::is_ours() {
            return Vec::new();
        }
        // All that came after the leader have the numbers after its own, as long as the row can't have
        // come round: 32768 forks, the smallest limit there is, take longer than this.
        let young = self.started.elapsed() < Duration::from_secs(1);
        let range = if young {
            proc::last_pid().map(|last| (self.leader.as_raw_nonzero().get(), last))
        } else {
            None
        };
        proc::members(self.leader, &self.run_id, range)
    }
}

#[cfg(target_os = "linux")]
mod proc {
    use std::collections::HashSet;
    use std::fs::File;
    use std::io::Read as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::sync::OnceLock;

    use rustix::process::{Pid, PidfdFlags, Signal};

    use crate::spawn::RUN_VARIABLE;

    /// Arguments and environment together are 6 MiB at most (execve(2): three quarters of 8 MiB).
    const MAX_ENVIRONMENT: u64 = 8 << 20;

    pub(super) struct Process {
        pid: Pid,
        parent: i32,
        session: i32,
        started: u64,
    }

    impl Process {
        /// The process with this number, unless it has ended.
        fn read(pid: Pid) -> Option<Self> {
            let stat = Stat::read(pid.as_raw_nonzero().get())?;
            (!stat.ended).then_some(Self {
                pid,
                parent: stat.parent,
                session: stat.session,
                started: stat.started,
            })
        }

        /// Whether it still runs, and is still the same.
        pub(super) fn runs(&self) -> bool {
            Self::read(self.pid).is_some_and(|now| now.started == self.started)
        }

        pub(super) fn kill(&self) {
            match rustix::process::pidfd_open(self.pid, PidfdFlags::empty()) {
                // It may end at any moment by itself: a signal that finds nobody is no failure.
                Ok(pidfd) if self.runs() => {
                    let _ = rustix::process::pidfd_send_signal(pidfd, Signal::KILL);
                }
                Err(rustix::io::Errno::NOSYS) if self.runs() => {
                    let _ = rustix::process::kill_process(self.pid, Signal::KILL);
                }
                _ => {}
            }
        }

        fn has_mark(&self, run_id: &str, buffer: &mut Vec<u8>) -> bool {
            buffer.clear();
            let path = format!("/proc/{}/environ", self.pid.as_raw_nonzero());
            // Not readable: another user's. It can't have come from us but through a setuid program.
            let Ok(file) = File::open(path) else { return false };
            let _ = file.take(MAX_ENVIRONMENT).read_to_end(buffer);
            buffer.split(|b| *b == 0).any(|entry| {
                let value =
                    entry.strip_prefix(RUN_VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
                value.is_some_and(|ids| ids.split(|b| *b == b':').any(|id| id == run_id.as_bytes()))
            })
        }
    }

    struct Stat {
        ended: bool,
        parent: i32,
        session: i32,
        started: u64,
    }

    impl Stat {
        fn read(pid: i32) -> Option<Self> {
            let mut buffer = [0; 1024];
            let read = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut buffer).ok()?;
            Self::parse(buffer.get(..read)?)
        }

        /// The fields after the name, which is in parentheses and may hold anything (proc_pid_stat(5)).
        fn parse(stat: &[u8]) -> Option<Self> {
            let end = stat.iter().rposition(|b| *b == b')')?;
            let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
            let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
            Some(Self {
                ended: matches!(*fields.first()?, "Z" | "X" | "x"),
                parent: fields.get(1)?.parse().ok()?,
                session: fields.get(3)?.parse().ok()?,
                started: fields.get(19)?.parse().ok()?,
            })
        }
    }

    /// Whether `/proc` is there and shows our own pid namespace: numbers from another mean nothing here.
    pub(super) fn is_ours() -> bool {
        static OURS: OnceLock<bool> = OnceLock::new();
        *OURS.get_or_init(|| {
            let own = std::process::id().to_string();
            std::fs::read_link("/proc/self").is_ok_and(|link| link.as_os_str().as_bytes() == own.as_bytes())
        })
    }

    /// The number that was given out last (proc_loadavg(5)).
    pub(super) fn last_pid() -> Option<i32> {
        let mut buffer = [0; 128];
        let read = File::open("/proc/loadavg").ok()?.read(&mut buffer).ok()?;
        let text = std::str::from_utf8(buffer.get(..read)?).ok()?;
        text.rsplit(' ').next()?.trim().parse().ok()
    }

    /// What runs and belongs to `leader`'s run, besides itself.
    pub(super) fn members(leader: Pid, run_id: &str, range: Option<(i32, i32)>) -> Vec<Process> {
        let number = leader.as_raw_nonzero().get();
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        // It is not reaped yet, so it has a line even if it has ended.
        let oldest = Stat::read(number).map_or(0, |stat| stat.started);
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        let mut others: Vec<Process> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
            .filter(|pid| *pid != number && *pid != own)
            .filter(|pid| match range {
                Some((first, last)) if first <= last => (first..=last).contains(pid),
                Some((first, last)) => *pid >= first || *pid <= last,
                None => true,
            })
            .filter_map(|pid| Process::read(Pid::from_raw(pid)?))
            .filter(|process| process.started >= oldest)
            .collect();

        let mut family = HashSet::from([number]);
        let mut found = Vec::new();
        let mut environment = Vec::new();
        let mut belongs =
            |process: &Process| process.session == number || process.has_mark(run_id, &mut environment);
        let mut rest = Vec::new();
        for process in others.drain(..) {
            if belongs(&process) {
                family.insert(process.pid.as_raw_nonzero().get());
                found.push(process);
            } else {
                rest.push(process);
            }
        }
        // Children may be listed before their parents: until nobody is added any more.
        loop {
            let (kin, strangers): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|p| family.contains(&p.parent));
            if kin.is_empty() {
                return found;
            }
            family.extend(kin.iter().map(|p| p.pid.as_raw_nonzero().get()));
            found.extend(kin);
            rest = strangers;
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
            let stat = b"7 (a) Z (b) S 3 7 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1234 0";
            let stat = Stat::parse(stat).unwrap();
            assert_eq!((stat.ended, stat.parent, stat.session, stat.started), (false, 3, 9, 1234));
        }

        #[test]
        fn a_cut_line_is_no_process() {
            for line in [&b""[..], b"7 (a", b"7 (a) S 3", b"\xff) S x"] {
                assert!(Stat::parse(line).is_none());
            }
        }

        #[test]
        fn our_own_line_is_read() {
            let own = i32::try_from(std::process::id()).unwrap();
            assert!(!Stat::read(own).unwrap().ended);
            assert!(last_pid().is_some() && is_ours());
        }
    }
}

/// Elsewhere there is no `/proc`: the process group is all that can be reached.
#[cfg(not(target_os = "linux"))]
mod proc {
    use rustix::process::Pid;

    pub(super) enum Process {}

    impl Process {
        pub(super) fn runs(&self) -> bool {
            match *self {}
        }

        pub(super) fn kill(&self) {
            match *self {}
        }
    }

    pub(super) fn is_ours() -> bool {
        false
    }

    pub(super) fn last_pid() -> Option<i32> {
        None
    }

    pub(super) fn members(_: Pid, _: &str, _: Option<(i32, i32)>) -> Vec<Process> {
        Vec::new()
    }
}
