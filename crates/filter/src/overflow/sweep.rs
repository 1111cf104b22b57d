//! Removes outputs that are too old or too many, and nothing else.

use super::store::{OutputId, Store, StoreError};
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Swept {
    /// Outputs removed.
    pub removed: u64,
    /// Their bytes.
    pub freed: u64,
    /// Outputs that stay.
    pub kept: u64,
}

/// An output that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Its identifier.
    pub id: OutputId,
    /// Bytes of its file.
    pub bytes: u64,
    /// When its file was last written.
    pub changed: SystemTime,
}

/// The outputs in the folder: plain files with names of ours. Links and other files are not looked at.
pub(super) fn outputs(store: &Store) -> Result<Vec<Kept>, StoreError> {
    let mut found = Vec::new();
    let entries = Dir::read_from(&*store.folder).map_err(|e| store.folder_failed(e))?;
    for entry in entries {
        let Ok(entry) = entry else { continue };
        let Ok(name) = entry.file_name().to_str() else { continue };
        if !name.ends_with(".txt") {
            continue;
        }
        let Ok(id) = OutputId::parse(name) else { continue };
        let Ok(stat) = rustix::fs::statat(&*store.folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            continue;
        }
        let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
        let nanos = u32::try_from(stat.st_mtime_nsec).unwrap_or(0).min(999_999_999);
        let changed = UNIX_EPOCH + Duration::new(seconds, nanos);
        found.push(Kept { id, bytes: u64::try_from(stat.st_size).unwrap_or(0), changed });
    }
    Ok(found)
}

/// Whether somebody writes the output at this moment.
fn is_open(store: &Store, id: &OutputId) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let Ok(file) = rustix::fs::openat(&*store.folder, id.file_name(), flags, Mode::empty()) else {
        return false;
    };
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) == Err(rustix::io::Errno::WOULDBLOCK)
}

fn remove(store: &Store, output: &Kept, swept: &mut Swept) -> bool {
    if is_open(store, &output.id) || !matches!(store.delete(&output.id), Ok(true)) {
        return false;
    }
    swept.removed += 1;
    swept.freed += output.bytes;
    true
}

pub(super) fn sweep(store: &Store, now: SystemTime) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let limit = Duration::from_secs(store.config.retention_days.saturating_mul(86_400));
    let mut left = Vec::new();
    for output in outputs(store)? {
        let old = now.duration_since(output.changed).is_ok_and(|age| age > limit);
        if !(old && remove(store, &output, &mut swept)) {
            left.push(output);
        }
    }
    swept.kept = left.len() as u64;
    shrink(store, left, store.config.quota_bytes, &mut swept);
    Ok(swept)
}

fn shrink(store: &Store, mut left: Vec<Kept>, quota: u64, swept: &mut Swept) {
    let mut total: u64 = left.iter().map(|o| o.bytes).sum();
    left.sort_by_key(|o| o.changed);
    for output in left {
        if total <= quota {
            break;
        }
        if remove(store, &output, swept) {
            total -= output.bytes;
            swept.kept = swept.kept.saturating_sub(1);
        }
    }
}
