//! Watches what the kernel can't bound by itself, from inside, as pid 1.
//!
//! Runs in the child: calls only, see [`crate::sys`].

use std::ffi::CStr;
use std::os::fd::RawFd;

use crate::plan::Watch;
use crate::sys::{self, Res};

/// How often to look, in milliseconds.
const INTERVAL: u64 = 50;
/// How many looks in a row must find too many processes.
const STUBBORN: u32 = 4;

/// A limit that ended a command, as pid 1 tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Tripped {
    Wall = 1,
    Cpu = 2,
    Memory = 3,
    Processes = 4,
}

/// The watch over one command.
pub(crate) struct Watcher {
    limits: Watch,
    /// The process list, if it shows only the command's own.
    list: Option<RawFd>,
    started: u64,
    next: u64,
    crowded: u32,
    /// Bytes in a page and ticks in a second.
    page: u64,
    ticks: u64,
    /// When memory shared with files was last told apart, which is dear.
    next_exact: u64,
}

impl Watcher {
    pub(crate) fn new(limits: Watch, list: Option<RawFd>) -> Self {
        let started = sys::now_millis();
        Self {
            limits,
            list,
            started,
            next: started + INTERVAL,
            crowded: 0,
            page: configured(libc::_SC_PAGESIZE, 4096),
            ticks: configured(libc::_SC_CLK_TCK, 100),
            next_exact: 0,
        }
    }

    fn looks(&self) -> bool {
        self.list.is_some()
            && (self.limits.memory.is_some()
                || self.limits.processes.is_some()
                || self.limits.cpu_millis.is_some())
    }

    /// How long to sleep, in milliseconds; -1 is for ever.
    pub(crate) fn sleep(&self) -> i32 {
        let now = sys::now_millis();
        let wall = self.limits.wall_millis.map(|wall| self.started.saturating_add(wall));
        let look = self.looks().then_some(self.next);
        let next = match (wall, look) {
            (Some(wall), Some(look)) => wall.min(look),
            (Some(at), None) | (None, Some(at)) => at,
            (None, None) => return -1,
        };
        i32::try_from(next.saturating_sub(now)).unwrap_or(i32::MAX)
    }

    /// Looks, if it is time, and says which limit is broken.
    pub(crate) fn check(&mut self) -> Option<Tripped> {
        let now = sys::now_millis();
        if let Some(wall) = self.limits.wall_millis
            && now.saturating_sub(self.started) >= wall
        {
            return Some(Tripped::Wall);
        }
        let list = self.list.filter(|_| self.looks() && now >= self.next)?;
        self.next = now + INTERVAL;
        // Having no time to look is no reason to stop looking later.
        let seen = self.look(list, now).ok()?;
        if let Some(most) = self.limits.processes {
            self.crowded = if seen.processes >= u64::from(most) { self.crowded + 1 } else { 0 };
            if self.crowded >= STUBBORN {
                return Some(Tripped::Processes);
            }
        }
        if self.limits.cpu_millis.is_some_and(|most| seen.cpu_millis >= most) {
            return Some(Tripped::Cpu);
        }
        if let Some(most) = self.limits.memory
            && seen.resident > most
            && now >= self.next_exact
        {
            let before = sys::now_millis();
            let exact = self.each(list, |list, name| exact_memory(list, name).unwrap_or(0));
            // The dear look takes at most a tenth of the time.
            self.next_exact = before + sys::now_millis().saturating_sub(before) * 10;
            if exact.unwrap_or(0) > most {
                return Some(Tripped::Memory);
            }
        }
        None
    }

    fn look(&self, list: RawFd, _now: u64) -> Res<Seen> {
        let mut seen = Seen::default();
        let (page, ticks) = (self.page, self.ticks);
        let wants_memory = self.limits.memory.is_some();
        let wants_cpu = self.limits.cpu_millis.is_some();
        let mut cpu_ticks = 0u64;
        self.each(list, |list, name| {
            seen.processes += 1;
            if wants_memory {
                seen.resident = seen.resident.saturating_add(resident_pages(list, name).unwrap_or(0) * page);
            }
            if wants_cpu {
                cpu_ticks = cpu_ticks.saturating_add(ticks_used(list, name).unwrap_or(0));
            }
            0
        })?;
        seen.cpu_millis = cpu_ticks.saturating_mul(1000) / ticks.max(1);
        // Not counting pid 1 itself.
        seen.processes = seen.processes.saturating_sub(1);
        Ok(seen)
    }

    /// Sums something over all processes.
    fn each(&self, list: RawFd, mut of: impl FnMut(RawFd, &[u8]) -> u64) -> Res<u64> {
        sys::rewind(list)?;
        let mut sum = 0u64;
        let mut buffer = [0u8; 4096];
        loop {
            let length = sys::list(list, &mut buffer)?;
            if length == 0 {
                return Ok(sum);
            }
            let mut rest = buffer.get(..length).unwrap_or_default();
            // Entry: inode, offset (8 bytes each), length (2), kind (1), name up to a NUL.
            while let Some(&[low, high]) = rest.get(16..18) {
                let size = usize::from(u16::from_ne_bytes([low, high]));
                let Some(name) = rest.get(19..size) else { break };
                let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
                if name.first().is_some_and(u8::is_ascii_digit) {
                    sum = sum.saturating_add(of(list, name));
                }
                rest = rest.get(size..).unwrap_or_default();
            }
        }
    }
}

#[derive(Default)]
struct Seen {
    processes: u64,
    resident: u64,
    cpu_millis: u64,
}

fn configured(name: libc::c_int, default: u64) -> u64 {
    // SAFETY: takes a number and only reads what the C library was told at start.
    u64::try_from(unsafe { libc::sysconf(name) }).unwrap_or(default)
}

/// Reads a small file of a process.
fn read<'a>(list: RawFd, process: &[u8], file: &[u8], buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let mut path = [0u8; 48];
    let parts = process.iter().chain(b"/").chain(file).chain(b"\0");
    for (slot, byte) in path.iter_mut().zip(parts) {
        *slot = *byte;
    }
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    let open = sys::open_at(list, path, libc::O_RDONLY, 0).ok()?;
    let length = sys::read(open, buffer);
    sys::close(open);
    buffer.get(..length.ok()?)
}

fn number(field: &[u8]) -> Option<u64> {
    field.iter().try_fold(0u64, |value, byte| {
        byte.is_ascii_digit().then(|| value.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
    })
}

fn fields(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| byte.is_ascii_whitespace()).filter(|field| !field.is_empty())
}

fn resident_pages(list: RawFd, process: &[u8]) -> Option<u64> {
    let mut buffer = [0u8; 128];
    fields(read(list, process, b"statm", &mut buffer)?).nth(1).and_then(number)
}

/// Time used by a process and the children it has collected.
fn ticks_used(list: RawFd, process: &[u8]) -> Option<u64> {
    let mut buffer = [0u8; 512];
    let text = read(list, process, b"stat", &mut buffer)?;
    // The name is in parentheses and may hold anything; the rest has no parentheses.
    let after = text.iter().rposition(|&byte| byte == b')')?;
    let times = fields(text.get(after + 1..)?).skip(11).take(4).filter_map(number);
    Some(times.fold(0, u64::saturating_add))
}

/// Memory that is the process's own share, without what files back.
fn exact_memory(list: RawFd, process: &[u8]) -> Option<u64> {
    let mut buffer = [0u8; 2048];
    let text = read(list, process, b"smaps_rollup", &mut buffer)?;
    let of = |name: &[u8]| {
        text.split(|&byte| byte == b'\n')
            .find(|line| line.starts_with(name))
            .and_then(|line| fields(line).nth(1).and_then(number))
            .unwrap_or(0)
    };
    Some((of(b"Pss_Anon:") + of(b"Pss_Shmem:") + of(b"SwapPss:")) * 1024)
}
