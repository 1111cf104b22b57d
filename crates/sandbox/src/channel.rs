//! The line between the caller and the first process inside the boundary.
//!
//! One pair of sequenced-packet sockets serves three ends: pid 1 tells what happened, hands out a
//! terminal, and sees by the line going dead that the caller is gone. The caller's end is closed by
//! the kernel however the caller dies, which no parent-death signal can promise.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::enforcement::Stage;
use crate::sys::{self, Errno, Res};

/// Longest path a failure carries; a longer one is cut.
const PATH_ROOM: usize = 1024;
/// Numbers in a note.
const WORDS: usize = 8;
/// Longest message on the line.
pub(crate) const MESSAGE_ROOM: usize = WORDS * 8 + PATH_ROOM;

/// What pid 1 tells the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// The boundary or the program could not be set up; nothing ran.
    Failed { stage: Stage, errno: Errno, path: Vec<u8> },
    /// The program runs, behind this.
    Started(Facts),
    /// A socket was refused.
    Refused { family: u32, kind: u32, protocol: u32, pid: u32 },
    /// The program ended and so did all it left behind.
    Exited(Ended),
}

/// What pid 1 found to be in force.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) bits: u64,
    pub(crate) landlock_abi: u32,
}

impl Facts {
    pub(crate) const NAMESPACES: u64 = 1;
    pub(crate) const FRESH_PROC: u64 = 1 << 1;
    pub(crate) const LANDLOCK: u64 = 1 << 2;
    pub(crate) const SECCOMP: u64 = 1 << 3;
    pub(crate) const PROCESS_LIMIT: u64 = 1 << 4;
    pub(crate) const NETWORK_NAMESPACE: u64 = 1 << 5;
    pub(crate) const SCOPES: u64 = 1 << 6;
    pub(crate) const NET_RULES: u64 = 1 << 8;

    pub(crate) fn has(self, bit: u64) -> bool {
        self.bits & bit != 0
    }
}

/// How the program ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) limit: u32,
    pub(crate) user_micros: u64,
    pub(crate) system_micros: u64,
    pub(crate) largest: u64,
    pub(crate) refused: u64,
}

/// Tells the caller; called by pid 1, so it only fills a buffer on the stack.
///
/// A caller that doesn't read must not stop pid 1, so a full line loses refusals. The last note has
/// its room kept: pid 1 counts what it sent.
pub(crate) fn tell(line: RawFd, note: &Words, path: &[u8], with: Option<RawFd>) -> Res<()> {
    let mut buffer = [0u8; MESSAGE_ROOM];
    for (slot, word) in buffer.chunks_exact_mut(8).zip(note.0) {
        slot.copy_from_slice(&word.to_ne_bytes());
    }
    let length = path.len().min(PATH_ROOM);
    if let (Some(room), Some(path)) = (buffer.get_mut(WORDS * 8..WORDS * 8 + length), path.get(..length)) {
        room.copy_from_slice(path);
    }
    sys::send(line, buffer.get(..WORDS * 8 + length).unwrap_or(&buffer), with)
}

/// A note as plain numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words(pub(crate) [u64; WORDS]);

impl Words {
    pub(crate) fn failed(stage: Stage, errno: Errno) -> Self {
        Self([0, stage as u64, errno.0 as u64, 0, 0, 0, 0, 0])
    }

    pub(crate) fn started(facts: Facts) -> Self {
        Self([1, facts.bits, u64::from(facts.landlock_abi), 0, 0, 0, 0, 0])
    }

    pub(crate) fn refused(family: u32, kind: u32, protocol: u32, pid: u32) -> Self {
        let [family, kind, protocol, pid] = [family, kind, protocol, pid].map(u64::from);
        Self([2, family, kind, protocol, pid, 0, 0, 0])
    }

    pub(crate) fn exited(ended: &Ended) -> Self {
        let status = ended.status as u32;
        Self([
            3,
            u64::from(status),
            u64::from(ended.limit),
            ended.user_micros,
            ended.system_micros,
            ended.largest,
            ended.refused,
            0,
        ])
    }
}

impl Note {
    fn read(message: &[u8]) -> Option<Self> {
        let mut words = [0u64; WORDS];
        let (numbers, path) = message.split_at_checked(WORDS * 8)?;
        for (word, bytes) in words.iter_mut().zip(numbers.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().ok()?);
        }
        let [kind, a, b, c, d, e, f, _] = words;
        Some(match kind {
            0 => Self::Failed {
                stage: Stage::from_number(a)?,
                errno: Errno(i32::try_from(b).ok()?),
                path: path.to_vec(),
            },
            1 => Self::Started(Facts { bits: a, landlock_abi: u32::try_from(b).ok()? }),
            2 => Self::Refused {
                family: u32::try_from(a).ok()?,
                kind: u32::try_from(b).ok()?,
                protocol: u32::try_from(c).ok()?,
                pid: u32::try_from(d).ok()?,
            },
            3 => Self::Exited(Ended {
                status: u32::try_from(a).ok()? as i32,
                limit: u32::try_from(b).ok()?,
                user_micros: c,
                system_micros: d,
                largest: e,
                refused: f,
            }),
            _ => return None,
        })
    }
}

/// What was read from the line.
pub(crate) enum Heard {
    /// A note, and the descriptor that came with it.
    Note(Note, Option<OwnedFd>),
    /// Nothing yet.
    Nothing,
    /// The other side is gone.
    Gone,
}

/// Both ends of a new line; a message on it is whole or absent.
pub(crate) fn line() -> Res<(OwnedFd, OwnedFd)> {
    let mut ends = [0i32; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the two descriptors are written into an array of two that is ours.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } < 0 {
        return Err(sys::errno());
    }
    // SAFETY: the kernel has just made both descriptors and nobody else knows them.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Asks pid 1 to ask everything inside to end.
pub(crate) fn ask_to_end(line: &OwnedFd) -> Res<()> {
    sys::send(line.as_raw_fd(), &[0], None)
}

/// Reads the next note, waiting for it or not.
pub(crate) fn hear(line: &OwnedFd, wait: bool) -> Res<Heard> {
    let mut buffer = [0u8; MESSAGE_ROOM];
    let (length, fds) = match receive(line.as_raw_fd(), &mut buffer, wait) {
        Err(Errno(libc::EAGAIN)) => return Ok(Heard::Nothing),
        // Unread notes of ours at its end when the other side dies read as a reset.
        Err(Errno(libc::ECONNRESET)) => return Ok(Heard::Gone),
        other => other?,
    };
    if length == 0 {
        return Ok(Heard::Gone);
    }
    let note = buffer.get(..length).and_then(Note::read).ok_or(Errno(libc::EPROTO))?;
    Ok(Heard::Note(note, fds.into_iter().next()))
}

/// Most descriptors one message may carry.
pub(crate) const MOST_FDS: usize = 8;

/// Sends one message with descriptors, waiting for room.
pub(crate) fn send_all(socket: RawFd, bytes: &[u8], fds: &[RawFd]) -> Res<()> {
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = [0u64; 2 + MOST_FDS / 2];
    let size = size_of_val(fds);
    if fds.len() > MOST_FDS {
        return Err(Errno(libc::EINVAL));
    }
    let [length, kind] = sys::abi::control_header(size);
    if let Some((head, room)) = control.split_at_mut_checked(2) {
        head.copy_from_slice(&[length, kind]);
        for (slot, pair) in room.iter_mut().zip(fds.chunks(2)) {
            let mut word = [0u8; 8];
            for (bytes, fd) in word.chunks_exact_mut(4).zip(pair) {
                bytes.copy_from_slice(&fd.to_ne_bytes());
            }
            *slot = u64::from_ne_bytes(word);
        }
    }
    // SAFETY: an all-zero msghdr is a valid value of that plain C struct.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    if !fds.is_empty() {
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = sys::abi::control_length(size) as _;
    }
    loop {
        // SAFETY: the message points at one part and one control block, alive and in bounds; the
        // kernel only reads the part although the C type is not const.
        if unsafe { libc::sendmsg(socket, &raw const message, libc::MSG_NOSIGNAL) } >= 0 {
            return Ok(());
        }
        match sys::errno() {
            Errno(libc::EINTR) => {}
            errno => return Err(errno),
        }
    }
}

/// Receives one message with its descriptors.
pub(crate) fn receive(socket: RawFd, buffer: &mut [u8], wait: bool) -> Res<(usize, Vec<OwnedFd>)> {
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let mut control = [0u64; 2 + MOST_FDS / 2];
    // SAFETY: an all-zero msghdr is a valid value of that plain C struct.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control) as _;
    let flags = libc::MSG_CMSG_CLOEXEC | if wait { 0 } else { libc::MSG_DONTWAIT };
    let length = loop {
        // SAFETY: the message points at one writable part and a writable control block, in bounds.
        let length = unsafe { libc::recvmsg(socket, &raw mut message, flags) };
        match length {
            0.. => break length as usize,
            _ if sys::errno() == Errno(libc::EINTR) => {}
            _ => return Err(sys::errno()),
        }
    };
    let mut fds = Vec::new();
    // SAFETY: the message was filled by the kernel, and its control block is still alive.
    let mut head = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    while !head.is_null() {
        // SAFETY: not null, so it points at a whole header inside the control block.
        let (level, kind, size) =
            unsafe { ((*head).cmsg_level, (*head).cmsg_type, (*head).cmsg_len as usize) };
        if level == libc::SOL_SOCKET && kind == libc::SCM_RIGHTS {
            for index in 0..size.saturating_sub(abi_header()) / size_of::<RawFd>() {
                // SAFETY: the header says that so many descriptors follow it inside the block, and
                // each is new and ours alone.
                fds.push(unsafe {
                    let at = libc::CMSG_DATA(head).cast::<RawFd>().add(index);
                    OwnedFd::from_raw_fd(at.read_unaligned())
                });
            }
        }
        // SAFETY: as for the first header.
        head = unsafe { libc::CMSG_NXTHDR(&raw const message, head) };
    }
    if message.msg_flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) != 0 {
        return Err(Errno(libc::EMSGSIZE));
    }
    Ok((length, fds))
}

const fn abi_header() -> usize {
    sys::abi::control_length(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(words: Words, path: &[u8]) -> Note {
        let (one, two) = line().unwrap();
        tell(one.as_raw_fd(), &words, path, None).unwrap();
        match hear(&two, true).unwrap() {
            Heard::Note(note, None) => note,
            _ => panic!("no note"),
        }
    }

    #[test]
    fn notes_survive_the_line() {
        let failed = round(Words::failed(Stage::Hide, Errno(13)), b"/home/x");
        assert_eq!(failed, Note::Failed { stage: Stage::Hide, errno: Errno(13), path: b"/home/x".to_vec() });
        let ended = Ended { status: -1, limit: 2, user_micros: 3, system_micros: 4, largest: 5, refused: 6 };
        assert_eq!(round(Words::exited(&ended), b""), Note::Exited(ended));
        let facts = Facts { bits: 5, landlock_abi: 7 };
        assert_eq!(round(Words::started(facts), b""), Note::Started(facts));
    }

    #[test]
    fn a_long_path_is_cut_not_lost() {
        let Note::Failed { path, .. } = round(Words::failed(Stage::Hide, Errno(2)), &[b'a'; 5000]) else {
            panic!("another note")
        };
        assert_eq!(path.len(), PATH_ROOM);
    }

    #[test]
    fn a_dead_line_says_so() {
        let (one, two) = line().unwrap();
        assert!(matches!(hear(&two, false).unwrap(), Heard::Nothing));
        drop(one);
        assert!(matches!(hear(&two, true).unwrap(), Heard::Gone));
    }
}
