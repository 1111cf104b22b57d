//! The folder of outputs.
//!
//! Everything goes through a handle of the folder, so that a folder swapped for a link meanwhile
//! leads nowhere.

use super::read::{OutputReader, ReadError};
use super::spool::Spool;
use super::{Kept, OverflowConfig, sweep};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Why the store could not do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Neither the settings nor the environment name a folder.
    #[error("no folder for outputs is set")]
    NoFolder,
    /// The folder could not be made or opened: a parent is missing, or it is a link.
    #[error("cannot open the folder of outputs {path}")]
    Folder {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The folder is somebody else's, or others can write in it.
    #[error("the folder of outputs {path} is not private")]
    NotPrivate {
        /// Its path.
        path: PathBuf,
    },
    /// The text is no identifier of an output.
    #[error("`{text}` is no output id")]
    BadId {
        /// As given.
        text: String,
    },
    /// There is no such output, or it was removed.
    #[error("output {id} is not there: it may have been removed")]
    Missing {
        /// Its identifier.
        id: OutputId,
    },
    /// Reading or writing failed.
    #[error("cannot access output {id}")]
    Access {
        /// Its identifier.
        id: OutputId,
        /// What the system said.
        source: std::io::Error,
    },
    /// The disk is full, or so full that the reserve would be touched.
    #[error("not enough space to keep the output: {free} bytes are free, {reserve} are reserved")]
    NoSpace {
        /// Bytes free.
        free: u64,
        /// Bytes that must stay free.
        reserve: u64,
    },
}

/// Identifier of an output: a random UUID.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputId([u8; 16]);

impl OutputId {
    /// A new one, for an output that may come to be stored.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0u8; 16];
        let mut have = 0;
        while have < bytes.len() {
            have += rustix::rand::getrandom(&mut bytes[have..], rustix::rand::GetRandomFlags::empty())?;
        }
        // Version 4, variant 1.
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Ok(Self(bytes))
    }

    /// Reads an identifier; the name of the file is one as well.
    ///
    /// # Errors
    /// When the text is anything but a version 4 UUID in small letters.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        let bad = || StoreError::BadId { text: text.chars().take(80).collect() };
        let name = text.strip_suffix(".txt").unwrap_or(text);
        let mut bytes = [0u8; 16];
        let mut digits = 0;
        if name.len() != 36 {
            return Err(bad());
        }
        for (at, byte) in name.bytes().enumerate() {
            if matches!(at, 8 | 13 | 18 | 23) {
                if byte != b'-' {
                    return Err(bad());
                }
                continue;
            }
            let value = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return Err(bad()),
            };
            bytes[digits / 2] |= value << (4 * (1 - digits % 2));
            digits += 1;
        }
        if bytes[6] >> 4 != 4 || bytes[8] >> 6 != 2 {
            return Err(bad());
        }
        Ok(Self(bytes))
    }

    /// Name of its file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{self}.txt")
    }
}

impl fmt::Display for OutputId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for OutputId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for OutputId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A folder of outputs.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) folder: Arc<OwnedFd>,
    path: PathBuf,
    pub(super) config: OverflowConfig,
}

impl Store {
    /// Opens the folder the settings name, and makes it where it is missing.
    ///
    /// # Errors
    /// When no folder is named, it cannot be made, or it is not private and cannot be made so.
    pub fn open(config: &OverflowConfig) -> Result<Self, StoreError> {
        let path = config.dir.clone().ok_or(StoreError::NoFolder)?;
        Self::open_at(&path, config)
    }

    fn open_at(path: &Path, config: &OverflowConfig) -> Result<Self, StoreError> {
        let failed = |source: std::io::Error| StoreError::Folder { path: path.to_owned(), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        match rustix::fs::mkdir(path, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(errno) => return Err(failed(errno.into())),
        }
        // The folder itself must not be a link: it would say where files are written.
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?;
        let stat = rustix::fs::fstat(&folder).map_err(|e| failed(e.into()))?;
        // A folder that others use as well is left as it is; one that they can only look into is closed.
        let shared = stat.st_uid != rustix::process::geteuid().as_raw() || stat.st_mode & 0o022 != 0;
        if shared || stat.st_mode & 0o077 != 0 && rustix::fs::fchmod(&folder, Mode::RWXU).is_err() {
            return Err(StoreError::NotPrivate { path: path.to_owned() });
        }
        let path = std::fs::canonicalize(path).map_err(failed)?;
        Ok(Self { folder: Arc::new(folder), path, config: config.clone() })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &OverflowConfig {
        &self.config
    }

    /// Path of an output's file, for messages.
    #[must_use]
    pub fn path_of(&self, id: &OutputId) -> PathBuf {
        self.path.join(id.file_name())
    }

    /// Begins a new output.
    ///
    /// # Errors
    /// As [`create_as`](Self::create_as).
    pub fn create(&self) -> Result<Spool, StoreError> {
        let id =
            OutputId::random().map_err(|source| StoreError::Folder { path: self.path.clone(), source })?;
        self.create_as(id)
    }

    /// Begins the output with this identifier.
    ///
    /// Makes room first: what is too old goes, and the oldest where the quota is spent.
    ///
    /// # Errors
    /// When the disk is too full, or the file cannot be made.
    pub fn create_as(&self, id: OutputId) -> Result<Spool, StoreError> {
        let reserve =
            Reserve::of(&self.folder, self.config.reserve_bytes).map_err(|e| self.folder_failed(e))?;
        reserve.room(&self.folder).map_err(|free| StoreError::NoSpace { free, reserve: reserve.0 })?;
        sweep::sweep(self, SystemTime::now())?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&*self.folder, id.file_name(), flags, Mode::RUSR | Mode::WUSR)
            .map_err(|e| StoreError::Access { id, source: e.into() })?;
        // An output that is being written is never removed to make room.
        let _ = rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
        let watch = (self.folder.clone(), reserve);
        Ok(Spool::new(id, file.into(), self.config.max_output_bytes).watching(watch))
    }

    /// Opens an output for reading.
    ///
    /// # Errors
    /// When it is not there, or is anything but a plain file.
    pub fn read(&self, id: &OutputId) -> Result<OutputReader, StoreError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file =
            rustix::fs::openat(&*self.folder, id.file_name(), flags, Mode::empty()).map_err(|e| match e {
                rustix::io::Errno::NOENT => StoreError::Missing { id: *id },
                e => StoreError::Access { id: *id, source: e.into() },
            })?;
        OutputReader::new(file.into()).map_err(|error| match error {
            ReadError::Io(source) => StoreError::Access { id: *id, source },
            _ => StoreError::Missing { id: *id },
        })
    }

    /// Removes an output; gives whether it was there.
    ///
    /// # Errors
    /// When it is there and cannot be removed.
    pub fn delete(&self, id: &OutputId) -> Result<bool, StoreError> {
        match rustix::fs::unlinkat(&*self.folder, id.file_name(), AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(errno) => Err(StoreError::Access { id: *id, source: errno.into() }),
        }
    }

    /// Removes outputs that are too old, and the oldest beyond the quota.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn sweep(&self, now: SystemTime) -> Result<Swept, StoreError> {
        sweep::sweep(self, now)
    }

    /// Every output that is there.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Kept>, StoreError> {
        sweep::outputs(self)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn folder_failed(&self, errno: rustix::io::Errno) -> StoreError {
        StoreError::Folder { path: self.path.clone(), source: errno.into() }
    }
}

use super::sweep::Swept;

/// Bytes that stay free on the disk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reserve(u64);

impl Reserve {
    /// As configured, but no more than a twentieth of the disk: a small one could keep nothing else.
    fn of(folder: &OwnedFd, asked: u64) -> rustix::io::Result<Self> {
        let space = rustix::fs::fstatvfs(folder)?;
        let twentieth = space.f_blocks.saturating_mul(space.f_frsize) / 20;
        Ok(Self(asked.min(twentieth)))
    }

    /// Exactly so many.
    #[cfg(test)]
    pub(super) fn exactly(bytes: u64) -> Self {
        Self(bytes)
    }

    /// What may be written; fails with what is free where that is less than the reserve.
    pub(super) fn room(self, folder: &OwnedFd) -> Result<u64, u64> {
        match rustix::fs::fstatvfs(folder) {
            Ok(space) => {
                let free = space.f_bavail.saturating_mul(space.f_frsize);
                free.checked_sub(self.0).ok_or(free)
            }
            Err(_) => Err(0),
        }
    }
}
