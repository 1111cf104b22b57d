//! Which texts of projects' files the user trusts.
//!
//! Trust is given to one text at one path, by its SHA-256: a file that changed, by a pull or by an
//! agent that works in the project, is a stranger's again. Kept in the state directory, which lies
//! outside every project.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::state::state_dir;

/// The list on disk: one `<sha256> <path>` a line.
#[derive(Debug)]
pub(crate) struct Trusted {
    file: PathBuf,
}

impl Trusted {
    /// The user's list; `None` where there is no home to keep it in.
    pub(crate) fn of_user() -> Option<Self> {
        Some(Self { file: state_dir()?.join("trusted-projects") })
    }

    #[cfg(test)]
    fn at(file: PathBuf) -> Self {
        Self { file }
    }

    /// Whether this text at this path is trusted. A list that can't be read, or that others can
    /// write, trusts nothing.
    pub(crate) fn has(&self, path: &Path, text: &str) -> bool {
        line(path, text).is_some_and(|line| self.lines().is_ok_and(|lines| lines.contains(&line)))
    }

    /// Trusts this text, in place of what was trusted at this path before.
    pub(crate) fn add(&self, path: &Path, text: &str) -> io::Result<()> {
        let line = line(path, text)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidFilename, "the path is no line of UTF-8"))?;
        self.replace(path, Some(line))
    }

    /// Trusts nothing at this path any more.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        self.replace(path, None)
    }

    fn replace(&self, path: &Path, line: Option<String>) -> io::Result<()> {
        let mut lines = self.lines()?;
        lines.retain(|l| l.split_once(' ').is_none_or(|(_, p)| Path::new(p) != path));
        lines.extend(line);
        let dir = self.file.parent().unwrap_or(Path::new("/"));
        private_dir(dir)?;
        // A new file that takes the old one's place: a crash leaves one or the other, whole.
        let new = self.file.with_extension(format!("new.{}", std::process::id()));
        let written = write_private(&new, &lines.iter().map(|l| format!("{l}\n")).collect::<String>())
            .and_then(|()| fs::rename(&new, &self.file));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }

    fn lines(&self) -> io::Result<Vec<String>> {
        let text = match fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if fs::metadata(&self.file)?.permissions().mode() & 0o022 != 0 {
                let message = format!("others can write {}", self.file.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
            }
        }
        Ok(text.lines().map(str::to_owned).collect())
    }
}

/// The line of a text at a path; `None` where the path can't stand in one.
fn line(path: &Path, text: &str) -> Option<String> {
    let path = path.to_str().filter(|p| !p.contains('\n'))?;
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    Some(format!("{digest} {path}"))
}

fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_for_one_text_at_one_path() {
        let dir = tempfile::tempdir().unwrap();
        let list = Trusted::at(dir.path().join("state/toolgate/trusted-projects"));
        let (a, b) = (Path::new("/a/toolgate.toml"), Path::new("/b/toolgate.toml"));
        assert!(!list.has(a, "x"));
        list.add(a, "x").unwrap();
        list.add(b, "x").unwrap();
        assert!(list.has(a, "x") && list.has(b, "x"));
        assert!(!list.has(a, "y"));
        list.add(a, "y").unwrap();
        assert!(list.has(a, "y") && !list.has(a, "x"));
        list.remove(a).unwrap();
        assert!(!list.has(a, "y") && list.has(b, "x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_list_that_others_can_write_trusts_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let list = Trusted::at(dir.path().join("trusted-projects"));
        let path = Path::new("/a/toolgate.toml");
        list.add(path, "x").unwrap();
        assert!(list.has(path, "x"));
        fs::set_permissions(&list.file, fs::Permissions::from_mode(0o622)).unwrap();
        assert!(!list.has(path, "x"));
        assert!(list.add(path, "x").is_err());
    }

    #[test]
    fn a_path_with_a_line_end_can_not_smuggle_in_a_second_line() {
        let dir = tempfile::tempdir().unwrap();
        let list = Trusted::at(dir.path().join("trusted-projects"));
        assert!(list.add(Path::new("/a\n0 /b"), "x").is_err());
    }
}
