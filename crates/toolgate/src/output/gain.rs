//! The record of what filters saved.
//!
//! One short line of JSON for each output: when, which program and subcommand, how many characters
//! came in and how many were shown. No arguments, no paths, no output. A line is one `write` at the
//! end of the file, so that any number of processes may record at once, and one that is killed
//! leaves at most one broken line, which is skipped. When the file has grown to its bound it becomes
//! the older of two, and the one before it goes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, Mode, OFlags};
use serde::{Deserialize, Serialize};

/// Bytes at which the file becomes the older one.
const FULL: u64 = 1024 * 1024;
/// A line that is longer than this is none of ours.
const LONGEST_LINE: u64 = 512;
const SECONDS_A_DAY: u64 = 86_400;

/// Why the record could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the record of what was saved, {path}")]
pub struct GainError {
    path: PathBuf,
    source: io::Error,
}

/// The record, by its path.
#[derive(Clone, Debug)]
pub struct GainLog {
    path: PathBuf,
    full: u64,
}

/// One line.
#[derive(Debug, Serialize, Deserialize)]
struct Entry<'a> {
    /// Seconds since 1970.
    t: u64,
    /// Program and subcommand.
    #[serde(borrow)]
    c: std::borrow::Cow<'a, str>,
    /// Characters before.
    r: u64,
    /// Characters shown.
    s: u64,
}

/// What was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gain {
    /// All of it.
    pub total: Saved,
    /// By program and subcommand, the most saved first.
    pub commands: Vec<(String, Saved)>,
    /// By day (days since 1970-01-01, in UTC), the oldest first.
    pub days: Vec<(u64, Saved)>,
}

/// Sums over outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Outputs.
    pub runs: u64,
    /// Characters that came in.
    pub raw_chars: u64,
    /// Characters that were shown.
    pub shown_chars: u64,
}

impl Saved {
    /// Tokens saved, at four characters a token.
    pub fn tokens(self) -> u64 {
        self.raw_chars.saturating_sub(self.shown_chars) / 4
    }

    /// The share that was saved, in percent.
    pub fn percent(self) -> f64 {
        if self.raw_chars == 0 {
            return 0.0;
        }
        // Both are far below 2^52.
        (1.0 - self.shown_chars as f64 / self.raw_chars as f64) * 100.0
    }

    fn add(&mut self, raw: u64, shown: u64) {
        self.runs += 1;
        self.raw_chars = self.raw_chars.saturating_add(raw);
        self.shown_chars = self.shown_chars.saturating_add(shown);
    }
}

impl GainLog {
    /// The record in this file. Nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), full: FULL }
    }

    /// Adds one output. What can't be recorded is not: no call fails for this.
    pub fn record(&self, command: &str, raw_chars: u64, shown_chars: u64) {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        self.record_at(seconds, command, raw_chars, shown_chars);
    }

    fn record_at(&self, seconds: u64, command: &str, raw_chars: u64, shown_chars: u64) {
        if raw_chars == 0 {
            return;
        }
        let entry = Entry { t: seconds, c: command.into(), r: raw_chars, s: shown_chars };
        let Ok(mut line) = serde_json::to_vec(&entry) else { return };
        line.push(b'\n');
        if line.len() as u64 <= LONGEST_LINE {
            let _ = self.append(&line);
        }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        // Non-blocking: a pipe in its place must not hold us.
        let flags = OFlags::WRONLY
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::CLOEXEC;
        let open = || rustix::fs::open(&self.path, flags, Mode::RUSR | Mode::WUSR);
        let file = match open() {
            Err(rustix::io::Errno::NOENT) => {
                private_dir(self.path.parent().unwrap_or(Path::new("/")))?;
                open()?
            }
            other => other?,
        };
        let mut file = File::from(file);
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        file.write_all(line)?;
        if about.len() >= self.full { self.turn(&file) } else { Ok(()) }
    }

    /// Makes the file the older one, unless someone else just did.
    fn turn(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt as _;
        rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive)?;
        let (ours, now) = (file.metadata()?, std::fs::symlink_metadata(&self.path)?);
        if (ours.dev(), ours.ino()) == (now.dev(), now.ino()) {
            std::fs::rename(&self.path, self.older())?;
        }
        Ok(())
    }

    fn older(&self) -> PathBuf {
        self.path.with_extension("1.jsonl")
    }

    /// Sums over what was recorded since this second of 1970's count.
    ///
    /// # Errors
    /// Where a file of it is there and can't be read.
    pub fn read(&self, since: u64) -> Result<Gain, GainError> {
        let mut commands: BTreeMap<String, Saved> = BTreeMap::new();
        let mut days: BTreeMap<u64, Saved> = BTreeMap::new();
        let mut total = Saved::default();
        for path in [self.older(), self.path.clone()] {
            each_entry(&path, &mut |entry: Entry<'_>| {
                if entry.t < since {
                    return;
                }
                total.add(entry.r, entry.s);
                days.entry(entry.t / SECONDS_A_DAY).or_default().add(entry.r, entry.s);
                match commands.get_mut(&*entry.c) {
                    Some(saved) => saved.add(entry.r, entry.s),
                    None => commands.entry(entry.c.into_owned()).or_default().add(entry.r, entry.s),
                }
            })
            .map_err(|source| GainError { path, source })?;
        }
        let mut commands: Vec<_> = commands.into_iter().collect();
        commands.sort_by_key(|(_, saved)| std::cmp::Reverse(saved.tokens()));
        Ok(Gain { total, commands, days: days.into_iter().collect() })
    }
}

fn each_entry(path: &Path, take: &mut dyn FnMut(Entry<'_>)) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return Ok(()),
        other => File::from(other?),
    };
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut reader).take(LONGEST_LINE + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        // A line that was broken by a crash, or the rest of one that is too long, is no entry.
        if let Ok(entry) = serde_json::from_slice(&line) {
            take(entry);
        }
    }
}

fn private_dir(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn log(dir: &tempfile::TempDir) -> GainLog {
        GainLog::new(dir.path().join("state/toolgate/gain.jsonl"))
    }

    #[test]
    fn sums_are_by_command_and_by_day_and_the_file_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(&dir);
        assert_eq!(log.read(0).unwrap(), Gain::default());
        log.record_at(SECONDS_A_DAY - 1, "cargo test", 4_000, 400);
        log.record_at(SECONDS_A_DAY, "cargo test", 4_000, 400);
        log.record_at(SECONDS_A_DAY, "ls", 80, 80);
        log.record_at(SECONDS_A_DAY, "true", 0, 0);
        let gain = log.read(0).unwrap();
        assert_eq!(gain.total, Saved { runs: 3, raw_chars: 8_080, shown_chars: 880 });
        assert_eq!(gain.commands[0].0, "cargo test");
        assert_eq!(gain.commands[0].1.tokens(), 1_800);
        assert_eq!(
            gain.days.iter().map(|(day, saved)| (*day, saved.runs)).collect::<Vec<_>>(),
            [(0, 1), (1, 2)]
        );
        assert_eq!(log.read(SECONDS_A_DAY).unwrap().total.runs, 2);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&log.path), mode(log.path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn a_broken_line_costs_one_entry() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(&dir);
        log.record_at(1, "a", 10, 1);
        let mut file = File::options().append(true).open(&log.path).unwrap();
        file.write_all(b"{\"t\":5,\"c\":\"b").unwrap();
        log.record_at(2, "lost with the broken one", 10, 1);
        log.record_at(3, "c", 10, 1);
        file.write_all(&[b'x'; 5_000]).unwrap();
        file.write_all(b"\n\xff\n[]\n").unwrap();
        log.record_at(4, "d", 10, 1);
        let names: Vec<_> = log.read(0).unwrap().commands.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "c", "d"]);
    }

    #[test]
    fn the_file_does_not_grow_without_bound_and_many_may_write_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let log = GainLog { full: 20_000, ..log(&dir) };
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let log = log.clone();
                scope.spawn(move || {
                    (0..250).for_each(|n| log.record_at(n, &format!("writer {writer}"), 9, 1))
                });
            }
        });
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
        assert!(size(&log.path) < 22_000 && size(&log.older()) < 22_000);
        let gain = log.read(0).unwrap();
        // What is there is whole: none of the lines was mixed with another.
        assert!(gain.total.runs >= 400 && gain.total.raw_chars == 9 * gain.total.runs, "{:?}", gain.total);
        assert!(gain.commands.iter().all(|(name, _)| name.starts_with("writer ")));
    }

    #[test]
    fn a_link_or_a_pipe_in_its_place_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(&dir);
        private_dir(log.path.parent().unwrap()).unwrap();
        let target = dir.path().join("target");
        std::fs::write(&target, "mine").unwrap();
        symlink(&target, &log.path).unwrap();
        log.record("a", 10, 1);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine");
        assert!(log.read(0).is_err());
        // A place that can't be written is no reason to fail either.
        GainLog::new("/proc/no/such/place").record("a", 10, 1);
    }
}
