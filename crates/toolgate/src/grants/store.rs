//! Grants on disk.
//!
//! A file is only ever replaced by a whole new one, under a lock: whoever is killed half-way leaves the old
//! file or the new one. A file that others could have written, or that says what could not have been granted,
//! is not read at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::grant::Grant;

/// Why grants can't be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GrantsError {
    /// The machine did not do its part.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file says what grants can't say.
    #[error("the grants in {} can't be used: {why}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no place for this scope.
    #[error("there is no place to keep grants for a {0}")]
    NoPlace(super::Scope),
    /// There are too many.
    #[error("there are {MOST} grants in {} already: revoke some", path.display())]
    TooMany {
        /// The file.
        path: PathBuf,
    },
}

/// Grants that one file holds at the most.
pub(super) const MOST: usize = 512;

/// The most bytes a file may have.
const MAX_BYTES: u64 = 1024 * 1024;

/// What is in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    version: u32,
    /// The project that a project's file is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<String>,
    pub(super) grants: Vec<Grant>,
}

/// How far a file was written. Only a test stops before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    #[cfg(test)]
    Created,
    #[cfg(test)]
    HalfWritten,
    #[cfg(test)]
    Written,
    #[cfg(test)]
    Renamed,
    Done,
}

impl Body {
    pub(super) fn new(project: Option<String>, grants: Vec<Grant>) -> Self {
        Self { version: 1, project, grants }
    }

    /// Reads a file; an empty body where there is none.
    pub(super) fn load(path: &Path) -> Result<Self, GrantsError> {
        let failed =
            |source| GrantsError::Io { doing: "reading the grants in", path: path.to_owned(), source };
        let Some(file) = open(path).map_err(failed)? else { return Ok(Self::new(None, Vec::new())) };
        let mut text = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
        let unusable = |why: String| GrantsError::Unusable { path: path.to_owned(), why };
        if text.len() as u64 > MAX_BYTES {
            return Err(unusable(format!("it has more than {MAX_BYTES} bytes")));
        }
        let body: Self = serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))?;
        if body.version != 1 {
            return Err(unusable(format!("it is of version {}", body.version)));
        }
        if body.grants.len() > MOST {
            return Err(unusable(format!("there are more than {MOST}")));
        }
        for grant in &body.grants {
            grant.check().map_err(|why| unusable(format!("grant {}: {why}", grant.id)))?;
        }
        Ok(body)
    }

    /// Puts this in the place of the file. Whoever calls holds the [`Lock`].
    pub(super) fn save(&self, path: &Path) -> Result<(), GrantsError> {
        self.save_up_to(path, Step::Done)
    }

    pub(super) fn save_up_to(&self, path: &Path, last: Step) -> Result<(), GrantsError> {
        let failed =
            |source| GrantsError::Io { doing: "keeping the grants in", path: path.to_owned(), source };
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        replace(path, &text, last).map_err(failed)
    }
}

fn replace(path: &Path, text: &[u8], last: Step) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    private_dir(dir)?;
    let new = path.with_extension("new");
    // Left by someone who was killed: the lock is ours, so nobody is writing it.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private_file(&new)?;
    #[cfg(test)]
    if last == Step::Created {
        return Ok(());
    }
    #[cfg(test)]
    if last == Step::HalfWritten {
        return file.write_all(text.get(..text.len() / 2).unwrap_or_default());
    }
    file.write_all(text)?;
    #[cfg(test)]
    if last == Step::Written {
        return Ok(());
    }
    file.sync_all()?;
    fs::rename(&new, path)?;
    // The name is on the disk once its directory is.
    if last == Step::Done { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Keeps other processes from changing the grants.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of this directory.
    pub(super) fn of(dir: &Path) -> Result<Self, GrantsError> {
        let path = dir.join("lock");
        let take = || -> io::Result<File> {
            private_dir(dir)?;
            let mut options = OpenOptions::new();
            options.create(true).append(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(&path)?;
            // Gone with the descriptor, and so with whoever is killed.
            #[cfg(unix)]
            rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
            Ok(file)
        };
        let file =
            take().map_err(|source| GrantsError::Io { doing: "locking", path: path.clone(), source })?;
        Ok(Self { _file: file })
    }
}

/// Which file it is and which state of it; `None` where there is none.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let data = fs::symlink_metadata(path).ok()?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&data);
    #[cfg(not(unix))]
    let inode = 0;
    Some(Stamp { inode, length: data.len(), modified: data.modified().ok() })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    length: u64,
    modified: Option<std::time::SystemTime>,
}

/// Opens a file that only its owner, who is us, can have written.
fn open(path: &Path) -> io::Result<Option<File>> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    let file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let data = file.metadata()?;
        if (data.dev(), data.ino()) != (found.dev(), found.ino()) {
            return Err(io::Error::other("it was replaced while it was opened"));
        }
        let ours = rustix::process::geteuid().as_raw();
        if data.uid() != ours || data.mode() & 0o022 != 0 {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "others can write it"));
        }
    }
    Ok(Some(file))
}

fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grants::form::Form;

    fn body(words: &[&str]) -> Body {
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        let grant = Grant::new("bash".to_owned(), Form::Exact { words }, Vec::new(), None);
        Body::new(None, vec![grant])
    }

    #[test]
    fn whoever_is_killed_at_any_step_leaves_the_old_file_or_the_new_one() {
        let (old, new, next) = (body(&["git", "push"]), body(&["git", "fetch"]), body(&["git", "pull"]));
        for (step, left) in [
            (Step::Created, &old),
            (Step::HalfWritten, &old),
            (Step::Written, &old),
            (Step::Renamed, &new),
            (Step::Done, &new),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("grants/user.json");
            old.save(&path).unwrap();
            new.save_up_to(&path, step).unwrap();
            assert_eq!(Body::load(&path).unwrap(), *left, "{step:?}");
            // What was left behind is in nobody's way.
            next.save(&path).unwrap();
            assert_eq!(Body::load(&path).unwrap(), next, "{step:?}");
            assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "{step:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn files_are_private_and_one_that_others_can_write_or_that_is_a_link_is_not_read() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grants/user.json");
        body(&["git", "push"]).save(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let link = dir.path().join("link.json");
        symlink(&path, &link).unwrap();
        assert!(Body::load(&link).is_err());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(Body::load(&path).is_err());
    }

    #[test]
    fn a_file_that_says_what_could_not_have_been_granted_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("user.json");
        let good = serde_json::to_string(&body(&["git", "push"])).unwrap();
        let write = |text: &str| {
            let _ = fs::remove_file(&path);
            private_file(&path).unwrap().write_all(text.as_bytes()).unwrap();
            Body::load(&path)
        };
        assert!(write(&good).is_ok());
        for bad in [
            good.replace("\"push\"", "\"push\",\"--force\""),
            good.replace("\"version\":1", "\"version\":2"),
            good.replace("\"created\"", "\"made\""),
            serde_json::to_string(&body(&["bash", "-c", "ls"])).unwrap(),
            String::new(),
            "{".to_owned(),
            "x".repeat(MAX_BYTES as usize + 1),
        ] {
            assert!(write(&bad).is_err(), "{:.80}", bad);
        }
    }
}
