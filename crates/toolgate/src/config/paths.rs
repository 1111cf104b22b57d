//! Places named in a file, made absolute.

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

/// What the files do not say and their meaning depends on.
///
/// The library reads no environment and opens no file; whoever does hands this over.
pub struct Surroundings<'a> {
    /// What `~/` stands for.
    pub home: Option<PathBuf>,
    /// The directory that commands start in.
    pub start: PathBuf,
    /// Follows the links of an absolute path, as the system would. A path that does not exist
    /// yet keeps its missing part.
    pub resolve: &'a dyn Fn(&Path) -> io::Result<PathBuf>,
}

impl Surroundings<'_> {
    /// Commands start in `start`; no home, and no path has links in it.
    pub fn new(start: impl Into<PathBuf>) -> Self {
        Self { home: None, start: start.into(), resolve: &|path| Ok(path.to_owned()) }
    }
}

impl fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("home", &self.home)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl Surroundings<'_> {
    /// The absolute path of a place that a file in `dir` names.
    pub(super) fn place(&self, text: &str, dir: Option<&Path>) -> Result<PathBuf, String> {
        let path = match (text.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), home) => match (rest.strip_prefix('/'), home) {
                (Some(rest), Some(home)) => home.join(rest),
                (Some(_), None) => {
                    return Err("there is no home directory that `~` could stand for".to_owned());
                }
                _ => return Err("only `~/` is known, not the home of a named user".to_owned()),
            },
            (None, _) => match dir {
                Some(dir) => dir.join(text),
                None => PathBuf::from(text),
            },
        };
        if !path.is_absolute() {
            return Err("it must be absolute, or begin with `~/`".to_owned());
        }
        let real = (self.resolve)(&path).map_err(|error| format!("it can't be looked up: {error}"))?;
        // What `resolve` could not follow must not lead up and out again.
        if !real.is_absolute() || real.components().any(|c| c == Component::ParentDir) {
            return Err("it leads through `..` of a directory that does not exist".to_owned());
        }
        Ok(real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_absolute_or_errors() {
        let around = Surroundings { home: Some("/home/me".into()), ..Surroundings::new("/w") };
        let dir = Some(Path::new("/repo"));
        let at = |text: &str, dir| around.place(text, dir).map(|p| p.display().to_string());
        assert_eq!(at("src", dir), Ok("/repo/src".to_owned()));
        assert_eq!(at("/a/b", dir), Ok("/a/b".to_owned()));
        assert_eq!(at("~", dir), Ok("/home/me".to_owned()));
        assert_eq!(at("~/x", None), Ok("/home/me/x".to_owned()));
        assert!(at("~root/x", dir).is_err());
        assert!(at("src", None).is_err());
        assert!(at("missing/../../up", dir).is_err());
        assert!(Surroundings::new("/w").place("~/x", dir).is_err());
    }
}
