//! Finds and ends what a program left running, without a boundary to help.
//!
//! A process belongs to a run if it is in the session that the run's first process leads, if it
//! carries the run's id in its environment, or if it shares the session of a process that belongs
//! to it or is its child.
//! Nothing older than the first process can belong. Each is ended through a pidfd and only if it
//! is still the one that was judged, so a number that was given to a stranger meanwhile is harmless.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// How long a search goes on while new processes keep turning up.
const LIMIT: Duration = Duration::from_secs(2);

/// Up to so many processes are looked at one by one rather than by listing all there are.
const FEW: i32 = 256;

/// The processes of one run.
pub(super) struct Tree {
    leader: Pid,
    run_id: String,
    started: Instant,
    /// Seen once; nothing may tell any more that they belong to the run, when their parent is gone.
    seen: Mutex<Vec<proc::Process>>,
}

impl Tree {
    pub(super) fn new(leader: Pid, run_id: String, started: Instant) -> Self {
        Self { leader, run_id, started, seen: Mutex::default() }
    }

    /// Asks the leader's group to end; the leader must not have been reaped.
    pub(super) fn terminate(&self) {
        // First look, while parents still tell whose children are whose.
        self.others();
        // No such group: it has ended already.
        let _ = rustix::process::kill_process_group(self.leader, Signal::TERM);
    }

    /// Kills the whole of it; the leader must not have been reaped. Gives how many others there were.
    pub(super) fn end(&self) -> usize {
        // First look, while parents still tell whose children are whose.
        let mut since = proc::last_pid();
        let mut found = self.others();
        let count = found.len();
        let _ = rustix::process::kill_process_group(self.leader, Signal::KILL);
        let until = Instant::now() + LIMIT;
        let mut pause = Duration::from_micros(100);
        while !found.is_empty() && Instant::now() < until {
            found.iter().for_each(proc::Process::kill);
            // One that starts its successor and ends, over and over, is quicker than a look at all
            // processes there are. The look at those that came since the last look is quicker than it.
            let last = proc::last_pid();
            let running = found.len();
            found = self.others_in(since.zip(last));
            since = last;
            if found.is_empty() {
                found = self.others();
            }
            if found.len() >= running {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
        }
        count
    }

    /// Whether none but the leader runs.
    pub(super) fn is_empty(&self) -> bool {
        self.others().is_empty()
    }

    /// Whether none but the leader runs, where that can be told in some microseconds.
    ///
    /// The kernel hands out numbers in a row. If the leader's is the last one, nobody forked since;
    /// if few came after it, each of them can be looked at.
    pub(super) fn is_surely_empty(&self) -> bool {
        if !proc::is_ours() {
            return false;
        }
        let first = self.leader.as_raw_nonzero().get();
        match self.later() {
            Some((_, last)) if first == last => true,
            Some(range) if (first..first.saturating_add(FEW)).contains(&range.1) => {
                self.others_in(Some(range)).is_empty()
            }
            _ => false,
        }
    }

    /// The numbers that were given out since the leader's, as long as the row can't have come round:
    /// 32768 forks, the smallest limit there is, take longer than a second.
    fn later(&self) -> Option<(i32, i32)> {
        let young = self.started.elapsed() < Duration::from_secs(1);
        let last = if young { proc::last_pid()? } else { return None };
        Some((self.leader.as_raw_nonzero().get(), last))
    }

    /// What runs and belongs to the run, besides the leader.
    fn others(&self) -> Vec<proc::Process> {
        self.others_in(self.later())
    }

    fn others_in(&self, range: Option<(i32, i32)>) -> Vec<proc::Process> {
        if !proc::is_ours() {
            return Vec::new();
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(proc::Process::runs);
        for process in proc::members(self.leader, &self.run_id, range, &seen) {
            if !seen.contains(&process) {
                seen.push(process);
            }
        }
        seen.clone()
    }
}

#[cfg(target_os = "linux")]
mod proc {
    use std::collections::HashSet;
    use std::fs::File;
    use std::io::Read as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::FileExt as _;
    use std::sync::OnceLock;

    use rustix::process::{Pid, PidfdFlags, Signal};

    use crate::spawn::RUN_VARIABLE;

    /// Arguments and environment together are 6 MiB at most (execve(2): three quarters of 8 MiB).
    const MAX_ENVIRONMENT: u64 = 8 << 20;

    #[derive(Clone)]
    pub(super) struct Process {
        pid: Pid,
        parent: i32,
        session: i32,
        started: u64,
    }

    /// Numbers are given out again: the time of the start tells one from the next.
    impl PartialEq for Process {
        fn eq(&self, other: &Self) -> bool {
            (self.pid, self.started) == (other.pid, other.started)
        }
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
            Self::read(self.pid).is_some_and(|now| now == *self)
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
        // Asked for after every command: opening it costs more than reading it.
        static LOADAVG: OnceLock<Option<File>> = OnceLock::new();
        let file = LOADAVG.get_or_init(|| File::open("/proc/loadavg").ok()).as_ref()?;
        let mut buffer = [0; 128];
        let read = file.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..read)?).ok()?;
        text.rsplit(' ').next()?.trim().parse().ok()
    }

    /// What runs and belongs to `leader`'s run, besides itself.
    pub(super) fn members(
        leader: Pid,
        run_id: &str,
        range: Option<(i32, i32)>,
        seen: &[Process],
    ) -> Vec<Process> {
        let number = leader.as_raw_nonzero().get();
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        let mut others: Vec<Process> = numbers(range)
            .into_iter()
            .filter(|pid| *pid != number && *pid != own)
            .filter_map(Pid::from_raw)
            // Most numbers of a range are nobody's by now, which this tells for a tenth of the price.
            .filter(|pid| rustix::process::test_kill_process(*pid) != Err(rustix::io::Errno::SRCH))
            .filter_map(Process::read)
            .collect();

        if others.is_empty() {
            return others;
        }
        // It is not reaped yet, so it has a line even if it has ended.
        let oldest = Stat::read(number).map_or(0, |stat| stat.started);
        others.retain(|process| process.started >= oldest);

        // Sessions are only made, never joined: whoever shares one with a descendant is one too.
        let mut kin = Kin { parents: HashSet::from([number]), sessions: HashSet::from([number]) };
        seen.iter().for_each(|process| kin.add(process));
        let mut environment = Vec::new();
        let (mut found, mut rest): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|p| kin.has(p) || seen.contains(p) || p.has_mark(run_id, &mut environment));
        found.iter().for_each(|process| kin.add(process));
        // Children may be listed before their parents: until nobody is added any more.
        loop {
            let (more, strangers): (Vec<_>, Vec<_>) = rest.into_iter().partition(|p| kin.has(p));
            if more.is_empty() {
                return found;
            }
            more.iter().for_each(|process| kin.add(process));
            found.extend(more);
            rest = strangers;
        }
    }

    /// Numbers of processes, those of the range where there is one, in a row that may come round.
    fn numbers(range: Option<(i32, i32)>) -> Vec<i32> {
        if let Some((first, last)) = range
            && (first..first.saturating_add(super::FEW)).contains(&last)
        {
            return (first..=last).collect();
        }
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
            .filter(|pid| match range {
                Some((first, last)) if first <= last => (first..=last).contains(pid),
                Some((first, last)) => *pid >= first || *pid <= last,
                None => true,
            })
            .collect()
    }

    /// What tells that a process belongs to the run.
    struct Kin {
        parents: HashSet<i32>,
        sessions: HashSet<i32>,
    }

    impl Kin {
        fn add(&mut self, process: &Process) {
            self.parents.insert(process.pid.as_raw_nonzero().get());
            self.sessions.insert(process.session);
        }

        fn has(&self, process: &Process) -> bool {
            self.parents.contains(&process.parent) || self.sessions.contains(&process.session)
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

    #[derive(Clone)]
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

    pub(super) fn members(_: Pid, _: &str, _: Option<(i32, i32)>, _: &[Process]) -> Vec<Process> {
        Vec::new()
    }
}
