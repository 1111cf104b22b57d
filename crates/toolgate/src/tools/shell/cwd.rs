//! The directory a command runs in, and how a `cd` can hold for the next call.
//!
//! A call's directory is settled before it is judged: [`Directories`] is a normaliser that makes
//! it absolute, so that the wall judges paths by the directory the command really runs in.
//!
//! **A `cd` that holds.** There is no shell that lives on between calls. Where it is asked for, the
//! command's shell tells its directory when it ends: it is started with `BASH_ENV` naming a small
//! file of ours, which bash reads before the command and which sets a trap on EXIT. The command stays
//! the one argument of `-c`, exactly as it was given.
//!
//! Ways that were weighed and left: wrapping the command in a driver with `eval` (changes line
//! numbers and the status of syntax errors), functions in place of `cd` (show in traces, miss
//! `builtin cd`), and reading `/proc/PID/cwd` at the end (gone once the process is a zombie; and bash
//! replaces itself by its last command, so `make -C dir` would count as `cd dir`).
//!
//! A command that ends without telling (it replaced the shell by `exec` or the trap by its own, or was
//! killed by SIGKILL) leaves the directory as it was. A directory that was told counts only if it is
//! an absolute path to a directory; it is no grant of anything: the next call is judged in it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use toolgate_exec::{CallContext, Findings, Normaliser, Session, ToolCall};

/// Callers whose directory is remembered at the most.
const MAX_CALLERS: usize = 256;

/// The longest path that is believed: PATH_MAX, and the end of the line.
const MAX_PATH_BYTES: u64 = 4097;

/// Where commands run: a base directory, and for each caller where its last command left off.
#[derive(Clone, Debug)]
pub struct Directories(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    base: Option<PathBuf>,
    scratch: Option<Scratch>,
    last: Mutex<HashMap<Option<Arc<str>>, PathBuf>>,
}

impl Directories {
    /// Every call starts in `base`, or the process's own directory where there is none.
    pub(super) fn fixed(base: Option<PathBuf>) -> Self {
        Self(Arc::new(Inner { base, scratch: None, last: Mutex::default() }))
    }

    /// A call starts where the caller's last one ended.
    pub(super) fn persistent(base: Option<PathBuf>) -> io::Result<Self> {
        let scratch = Some(Scratch::new()?);
        Ok(Self(Arc::new(Inner { base, scratch, last: Mutex::default() })))
    }

    /// The directory of a call with this context and `cwd` parameter, absolute.
    pub(super) fn of(&self, context: &CallContext, param: Option<&str>) -> io::Result<PathBuf> {
        let mut dir = match (&context.cwd, self.last(context)) {
            (Some(dir), _) if dir.is_absolute() => dir.clone(),
            (Some(dir), _) => self.base()?.join(dir),
            (None, Some(last)) => last,
            (None, None) => self.base()?,
        };
        if let Some(param) = param {
            dir.push(param);
        }
        Ok(dir)
    }

    fn base(&self) -> io::Result<PathBuf> {
        match &self.0.base {
            Some(base) => std::path::absolute(base),
            None => std::env::current_dir(),
        }
    }

    fn last(&self, context: &CallContext) -> Option<PathBuf> {
        let last =
            self.0.last.lock().unwrap_or_else(PoisonError::into_inner).get(&context.caller_id).cloned();
        // It may have been removed since; the caller is not locked out by that.
        last.filter(|dir| dir.is_dir())
    }

    /// Prepares for a command to tell its directory; `None` where that is not asked for.
    pub(super) fn listen(&self, run_id: &str) -> io::Result<Option<Listening>> {
        self.0.scratch.as_ref().map(|scratch| Listening::new(scratch.0.join(run_id))).transpose()
    }

    /// Takes what a command told.
    pub(super) fn learn(&self, context: &CallContext, heard: &Listening) {
        let Some(dir) = heard.told() else { return };
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() >= MAX_CALLERS && !last.contains_key(&context.caller_id) {
            // Which one is forgotten matters little; it starts in the base directory again.
            if let Some(some) = last.keys().next().cloned() {
                last.remove(&some);
            }
        }
        last.insert(context.caller_id.clone(), dir);
    }
}

/// A call names its directory as it likes; it is judged, and runs, in an absolute one.
impl Normaliser for Directories {
    fn name(&self) -> &'static str {
        "directories"
    }

    fn normalise(&self, call: &mut ToolCall, _: &mut Findings, _: &Session) -> Result<(), String> {
        if call.tool_id != super::BASH {
            return Ok(());
        }
        let param = call.text("cwd").map(str::to_owned);
        let dir = self
            .of(&call.context, param.as_deref())
            .map_err(|e| format!("the current directory can't be read: {e}"))?;
        if param.is_some() {
            match dir.to_str() {
                Some(text) => drop(call.params.insert("cwd".to_owned(), text.into())),
                None => drop(call.params.remove("cwd")),
            }
        }
        call.context.cwd = Some(dir);
        Ok(())
    }
}

/// A private directory for the directories of single runs.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..16 {
            let name = RandomState::new().build_hasher().finish();
            let dir = std::env::temp_dir().join(format!("toolgate-{name:016x}"));
            match DirBuilder::new().mode(0o700).create(&dir) {
                Ok(()) => return Ok(Self(dir)),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A command that may tell where it ended.
///
/// Each run has a directory of its own, so that none can write what another one's shell reads.
#[derive(Debug)]
pub(super) struct Listening {
    dir: PathBuf,
    start: PathBuf,
    record: PathBuf,
}

impl Listening {
    fn new(dir: PathBuf) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).create(&dir)?;
        let heard = Self { start: dir.join("start"), record: dir.join("cwd"), dir };
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&heard.start)?
            .write_all(&start_file(&heard.record))?;
        Ok(heard)
    }

    /// The variable that makes bash read our file.
    pub(super) fn variable(&self) -> (OsString, OsString) {
        ("BASH_ENV".into(), self.start.clone().into_os_string())
    }

    /// The directory the command must be able to write in.
    pub(super) fn scratch(&self) -> PathBuf {
        self.dir.clone()
    }

    fn told(&self) -> Option<PathBuf> {
        // The command could have put anything there: no link is followed, no pipe waited for.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let mut file: File = OpenOptions::new()
            .read(true)
            .custom_flags(i32::try_from(flags.bits()).ok()?)
            .open(&self.record)
            .ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut told = Vec::new();
        (&mut file).take(MAX_PATH_BYTES).read_to_end(&mut told).ok()?;
        let dir = PathBuf::from(OsString::from_vec(told.strip_suffix(b"\n")?.to_vec()));
        (dir.is_absolute() && dir.is_dir()).then_some(dir)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// What bash reads before the command.
///
/// Programs that the command starts must not read it again, so the variable goes first. The trap
/// is silent under `set -x`, writes under `set -C`, and keeps the exit status.
fn start_file(record: &Path) -> Vec<u8> {
    let quoted = single_quoted(record.as_os_str().as_bytes());
    let mut trap = b"{ set +x; } 2>/dev/null; builtin pwd -P >|".to_vec();
    trap.extend_from_slice(&quoted);
    trap.extend_from_slice(b" 2>/dev/null || :");
    let mut text = b"unset BASH_ENV\ntrap ".to_vec();
    text.extend_from_slice(&single_quoted(&trap));
    text.extend_from_slice(b" EXIT\n");
    text
}

/// The bytes as one word of the shell (POSIX XCU 2.2.2).
fn single_quoted(bytes: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in bytes {
        match byte {
            b'\'' => word.extend_from_slice(b"'\\''"),
            _ => word.push(*byte),
        }
    }
    word.push(b'\'');
    word
}
