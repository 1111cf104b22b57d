//! Finds and reads the configuration files.
//!
//! What they mean is said in `toolgate::config`, which is given their texts.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use toolgate::config::{Layer, Loaded, Source, Surroundings, load};

use crate::failure::Failure;
use crate::report::FileReport;
use crate::trusted::Trusted;

/// The administrator's file. A fixed place: whoever could move it could do without it.
const MANAGED: &str = "/etc/toolgate/toolgate.toml";

/// The names of a project's file.
const PROJECT: [&str; 2] = [".toolgate.toml", "toolgate.toml"];

/// The most bytes a configuration file may have.
const MAX_BYTES: u64 = 1024 * 1024;

/// A configuration file that was looked for.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) layer: Layer,
    pub(crate) path: PathBuf,
    pub(crate) text: Option<String>,
}

impl Found {
    /// A file that someone names, and that has to be there.
    pub(crate) fn named(path: &Path, layer: Layer) -> Result<Self, Failure> {
        let file = lookup(layer, path.to_owned())?;
        if file.text.is_some() {
            return Ok(file);
        }
        let why = std::fs::metadata(path).err().unwrap_or_else(|| io::ErrorKind::NotFound.into());
        Err(Failure::io(format!("reading {}", path.display()), why))
    }

    /// The file as data.
    pub(crate) fn report(&self) -> FileReport {
        FileReport {
            layer: self.layer.to_string(),
            path: self.path.display().to_string(),
            found: self.text.is_some(),
            trusted: match self.layer {
                Layer::Project { trusted } => Some(trusted),
                _ => None,
            },
        }
    }
}

/// The configuration for calls that start in `start`, with the files it was looked for in.
pub(crate) fn read(start: &Path, flags: &[Source]) -> Result<(Loaded, Vec<Found>), Failure> {
    let found = find(start)?;
    let loaded = merge(start, &found, flags)?;
    Ok((loaded, found))
}

/// The files that count for calls that start in `start`. `start` is absolute.
pub(crate) fn find(start: &Path) -> Result<Vec<Found>, Failure> {
    let mut found = vec![lookup(Layer::Managed, PathBuf::from(MANAGED))?];
    let user = user_file();
    if let Some(path) = &user {
        found.push(lookup(Layer::User, path.clone())?);
    }
    // `start` has its links followed, so its ancestors are compared with the same.
    let user = user.and_then(|path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)));
    if let Some(path) = project_file(start, user.as_deref())? {
        let mut file = lookup(Layer::Project { trusted: false }, path)?;
        let list = Trusted::of_user();
        if let (Some(text), Some(list)) = (&file.text, list) {
            file.layer = Layer::Project { trusted: list.has(&file.path, text) };
        }
        found.push(file);
    }
    Ok(found)
}

/// Puts files and flags together.
pub(crate) fn merge(start: &Path, found: &[Found], flags: &[Source]) -> Result<Loaded, Failure> {
    let files = found.iter().filter_map(|file| {
        let source = Source::new(file.layer, file.path.display().to_string(), file.text.as_ref()?.as_str());
        Some(match (file.layer, file.path.parent()) {
            (Layer::Project { .. }, Some(dir)) => source.dir(dir),
            _ => source,
        })
    });
    let flags = flags.iter().map(|flag| flag.clone().dir(start));
    let sources: Vec<Source> = files.chain(flags).collect();
    let around = Surroundings { home: home_dir(), resolve: &follow, ..Surroundings::new(start) };
    load(&sources, &around).map_err(Failure::Config)
}

/// Where the user's file is, or would be.
pub(crate) fn user_file() -> Option<PathBuf> {
    // XDG Base Directory 0.8: a relative path is to be ignored.
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    Some(config.or_else(|| Some(home_dir()?.join(".config")))?.join("toolgate/toolgate.toml"))
}

/// The user's home, where it is known.
pub(crate) fn home_dir() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// The project's file: in `start` or its nearest ancestor that has one.
fn project_file(start: &Path, user: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    for dir in start.ancestors() {
        // A dangling link is there: it was meant to say something, and must not be passed over.
        let mut here = PROJECT.iter().map(|name| dir.join(name)).filter(|path| is_there(path));
        match (here.next(), here.next()) {
            (Some(first), Some(second)) => return Err(Failure::Ambiguous { first, second }),
            // The user's own file is no project's, whoever works in its directory.
            (Some(path), None) if user != Some(path.as_path()) => return Ok(Some(path)),
            _ => {}
        }
    }
    Ok(None)
}

fn is_there(path: &Path) -> bool {
    // Where it can't even be looked for (no permission), reading it fails and says so.
    !matches!(path.symlink_metadata(), Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

/// Reads one file, if it is there.
pub(crate) fn lookup(layer: Layer, path: PathBuf) -> Result<Found, Failure> {
    if !is_there(&path) {
        return Ok(Found { layer, path, text: None });
    }
    let text = read_file(&path).map_err(|error| {
        Failure::io(format!("reading the {layer} configuration {}", path.display()), error)
    })?;
    Ok(Found { layer, path, text: Some(text) })
}

fn read_file(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    // Anything else could give text without end, or block.
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {MAX_BYTES} bytes"),
        ));
    }
    Ok(text)
}

/// The path with its links followed; what does not exist of it keeps its name.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut known = path;
    let mut rest = PathBuf::new();
    loop {
        match known.canonicalize() {
            Ok(real) => return Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(error) => match (known.parent(), known.components().next_back()) {
                // A link to nowhere is there, and would lead out of sight once its target exists.
                _ if known.symlink_metadata().is_ok() => return Err(error),
                (Some(parent), Some(Component::Normal(name))) => {
                    rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(rest) };
                    known = parent;
                }
                _ => return Err(error),
            },
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_nearest_ancestor_with_a_file_is_the_project() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        fs::write(root.path().join("a/toolgate.toml"), "").unwrap();
        assert_eq!(project_file(&deep, None).unwrap(), Some(root.path().join("a/toolgate.toml")));
        fs::write(root.path().join("a/b/.toolgate.toml"), "").unwrap();
        assert_eq!(project_file(&deep, None).unwrap(), Some(root.path().join("a/b/.toolgate.toml")));
        let user = root.path().join("a/b/.toolgate.toml");
        assert_eq!(project_file(&deep, Some(&user)).unwrap(), Some(root.path().join("a/toolgate.toml")));
        fs::write(root.path().join("a/b/toolgate.toml"), "").unwrap();
        assert!(matches!(project_file(&deep, None), Err(Failure::Ambiguous { .. })));
    }

    #[test]
    fn a_file_that_can_not_be_read_is_an_error_and_not_an_absent_file() {
        let root = tempfile::tempdir().unwrap();
        symlink("nowhere", root.path().join("toolgate.toml")).unwrap();
        let path = project_file(root.path(), None).unwrap().unwrap();
        assert!(lookup(Layer::User, path).is_err());
        assert!(lookup(Layer::User, root.path().to_owned()).is_err());
        assert!(lookup(Layer::User, root.path().join("absent")).unwrap().text.is_none());
        fs::write(root.path().join("big"), vec![b'#'; 1024 * 1024 + 1]).unwrap();
        assert!(lookup(Layer::User, root.path().join("big")).is_err());
        fs::write(root.path().join("latin1"), b"# \xe9").unwrap();
        assert!(lookup(Layer::User, root.path().join("latin1")).is_err());
    }

    #[test]
    fn links_are_followed_as_far_as_there_is_something() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        fs::create_dir(real.join("dir")).unwrap();
        symlink("dir", real.join("link")).unwrap();
        symlink("nowhere", real.join("dangling")).unwrap();
        assert_eq!(follow(&real.join("link")).unwrap(), real.join("dir"));
        assert_eq!(follow(&real.join("link/new/deep")).unwrap(), real.join("dir/new/deep"));
        assert!(follow(&real.join("dangling")).is_err());
        assert!(follow(&real.join("dangling/x")).is_err());
        assert!(follow(&real.join("missing/../../x")).is_err());
    }
}
