//! Answers many questions about few directories with few system calls.
//!
//! A plan asks whether some two hundred paths exist, almost none of which do, and almost all of
//! which lie in the same three directories. Listing those costs less than asking for each path.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Size of a directory from which on its entries are asked for one by one.
const LARGE: u64 = 128 << 10;
/// Links followed from one path.
const MOST_LINKS: usize = 40;

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    Link,
    Other,
}

/// A directory as it was when it was first asked about.
#[derive(Debug)]
enum Listing {
    /// All its entries.
    Whole(HashMap<OsString, Kind>),
    /// Too large, or can be entered but not listed.
    OneByOne,
    /// Not there.
    Absent,
}

/// What was found out for one plan; not kept longer.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// Few, so the longest that fits is found by looking at all.
    listings: Vec<(PathBuf, Listing)>,
    resolved: Vec<(PathBuf, Option<PathBuf>)>,
}

fn kind_of(kind: fs::FileType) -> Kind {
    match kind {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    }
}

fn ask(path: &Path) -> Option<Kind> {
    fs::symlink_metadata(path).ok().map(|meta| kind_of(meta.file_type()))
}

/// What follows a directory in a path, by bytes: both are spelled alike where it matters, and where
/// they aren't the question goes to the system.
fn inside<'a>(path: &'a Path, directory: &Path) -> Option<&'a [u8]> {
    let rest = path.as_os_str().as_bytes().strip_prefix(directory.as_os_str().as_bytes())?;
    rest.strip_prefix(b"/").filter(|rest| !rest.is_empty() && !rest.starts_with(b"/"))
}

impl Lookup {
    /// Lists a directory beforehand: many questions about what is in it will come.
    pub(crate) fn list(&mut self, directory: &Path) {
        if self.listings.iter().any(|(listed, _)| listed == directory) {
            return;
        }
        let listing = match fs::symlink_metadata(directory) {
            // Below a link the names are another directory's; each is asked for as it is.
            Ok(meta) if !meta.is_dir() || meta.size() > LARGE => Listing::OneByOne,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Listing::Absent,
            _ => entries(directory).map_or(Listing::OneByOne, Listing::Whole),
        };
        self.listings.push((directory.to_owned(), listing));
    }

    /// Whether a directory above a path is listed.
    pub(crate) fn is_listed(&self, path: &Path) -> bool {
        self.listings.iter().any(|(directory, _)| inside(path, directory).is_some())
    }

    /// What is at a path, not following a link there.
    pub(crate) fn kind(&self, path: &Path) -> Option<Kind> {
        // The closest listed directory above knows whether the way exists at all.
        let closest = self
            .listings
            .iter()
            .filter_map(|(directory, listing)| Some((inside(path, directory)?, listing)))
            .min_by_key(|(rest, _)| rest.len());
        match closest {
            Some((_, Listing::Absent)) => None,
            Some((rest, Listing::Whole(entries))) => {
                let mut parts = rest.splitn(2, |&byte| byte == b'/');
                let name = parts.next().filter(|&name| name != b"." && name != b"..");
                let Some(name) = name else {
                    return ask(path);
                };
                let found = *entries.get(OsStr::from_bytes(name))?;
                match (parts.next(), found) {
                    (None, kind) => Some(kind),
                    (Some(_), Kind::Other) => None,
                    (Some(_), _) => ask(path),
                }
            }
            Some((_, Listing::OneByOne)) | None => ask(path),
        }
    }

    /// The path without links, if it exists.
    pub(crate) fn resolve(&mut self, path: &Path) -> Option<PathBuf> {
        self.follow(path, MOST_LINKS)
    }

    fn follow(&mut self, path: &Path, links: usize) -> Option<PathBuf> {
        let plain = |name: &OsStr| !name.is_empty();
        let (Some(parent), Some(name)) = (path.parent(), path.file_name().filter(|name| plain(name))) else {
            // The root, or a path that ends in a step up: rare enough to be left to the system.
            return fs::canonicalize(path).ok();
        };
        match self.kind(path)? {
            Kind::Link if links == 0 => None,
            Kind::Link => fs::canonicalize(path).ok(),
            Kind::Directory | Kind::Other => {
                let known = self.resolved.iter().find(|(known, _)| known == parent);
                let parent = match known {
                    Some((_, found)) => found.clone(),
                    None => {
                        let found = fs::canonicalize(parent).ok();
                        self.resolved.push((parent.to_owned(), found.clone()));
                        found
                    }
                };
                Some(parent?.join(name))
            }
        }
    }

    /// Whether a resolved path is a directory.
    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        self.kind(path) == Some(Kind::Directory)
    }
}

fn entries(directory: &Path) -> Option<HashMap<OsString, Kind>> {
    let mut found = HashMap::new();
    for entry in fs::read_dir(directory).ok()? {
        let entry = entry.ok()?;
        found.insert(entry.file_name(), kind_of(entry.file_type().ok()?));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("toolgate-lookup-{name}-{}", std::process::id()));
            fs::create_dir_all(path.join("a/b")).unwrap();
            fs::write(path.join("a/file"), "").unwrap();
            std::os::unix::fs::symlink("a", path.join("link")).unwrap();
            std::os::unix::fs::symlink("nowhere", path.join("dangling")).unwrap();
            Self(fs::canonicalize(path).unwrap())
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    #[test]
    fn listing_changes_no_answer() {
        let tree = Tree::new("same");
        let names = [
            "a", "a/b", "a/b/c", "a/file", "a/file/x", "link", "link/b", "link/zz", "dangling", "no", "no/x",
        ];
        let plain = Lookup::default();
        for listed in [&[""][..], &["a"], &["", "a", "a/b"], &["", "no", "link", "a/file"]] {
            let mut lookup = Lookup::default();
            for name in listed {
                lookup.list(&tree.0.join(name));
            }
            for name in names {
                let path = tree.0.join(name);
                assert_eq!(lookup.kind(&path), plain.kind(&path), "{name} with {listed:?}");
                assert_eq!(lookup.resolve(&path), fs::canonicalize(&path).ok(), "{name} with {listed:?}");
            }
        }
    }

    #[test]
    fn a_path_that_steps_up_is_the_systems_business() {
        let tree = Tree::new("up");
        let path = tree.0.join("a/..");
        assert_eq!(Lookup::default().resolve(&path), Some(tree.0.clone()));
    }
}
